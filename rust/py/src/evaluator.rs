//! The evaluator as Python sees it.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use cranfield_core::error::{Error as CoreError, Kind, nearest, quote};
use cranfield_core::evaluate::{Evaluator as CoreEvaluator, Input, Monitor, Negative, Options};
use cranfield_core::grammar;
use cranfield_core::measure::Measure as CoreMeasure;
use cranfield_core::read::open::Limits as CoreLimits;
use cranfield_core::run::{Duplicates, Order, Precision, Ranker};
use cranfield_core::scores::{Missing, Undefined};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::data::{Limits, Qrels, Run, limits_of, strictness};
use crate::errors::{OrRaise, fail};
use crate::inputs::Origin;
use crate::measures::Measure;
use crate::outputs::Scores;

/// One of the named values of an option.
fn choose<T: Copy>(option: &str, value: &str, known: &[(&str, T)]) -> PyResult<T> {
    known.iter().find(|(name, _)| *name == value).map(|&(_, chosen)| chosen).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        let near =
            nearest(value, names.iter().copied()).map(|near| format!("; did you mean \"{near}\"?"));
        let message = format!(
            "expected one of {} as {option}, found {}{}",
            grammar::quoted(&names),
            quote(value),
            near.unwrap_or_default()
        );
        fail(Kind::Option, message)
    })
}

/// Judgments and measures compiled once; immutable, safe from threads.
#[pyclass(frozen, module = "cranfield._core")]
pub struct Evaluator {
    core: CoreEvaluator,
    limits: CoreLimits,
}

/// Runs of fewer lines than this are scored without a look at signals.
const SHORT: usize = 1 << 20;

#[pymethods]
impl Evaluator {
    #[new]
    #[pyo3(signature = (
        qrels, measures, *, missing = "zero", undefined = "zero", order = "docno_desc", scores = "f64",
        duplicates = "error", negative = "unjudged", depth = None, threads = None, lenient = false, limits = None
    ))]
    #[expect(
        clippy::too_many_arguments,
        reason = "the options of the public interface, by keyword"
    )]
    fn new(
        qrels: Qrels,
        measures: Vec<Measure>,
        missing: &str,
        undefined: &str,
        order: &str,
        scores: &str,
        duplicates: &str,
        negative: &str,
        depth: Option<i64>,
        threads: Option<i64>,
        lenient: bool,
        limits: Option<Limits>,
    ) -> PyResult<Self> {
        let least = |value: Option<i64>, what: &str| {
            let positive = |value: i64| u32::try_from(value).ok().filter(|&value| value > 0);
            let refuse =
                |value| fail(Kind::Option, format!("expected {what} of at least 1, found {value}"));
            value.map(|value| positive(value).ok_or_else(|| refuse(value))).transpose()
        };
        let orders = [
            ("docno_desc", Order::DocnoDesc),
            ("docno_asc", Order::DocnoAsc),
            ("input", Order::Input),
            ("rank", Order::Rank),
        ];
        let repeated = [
            ("error", Duplicates::Error),
            ("first", Duplicates::First),
            ("best", Duplicates::Best),
        ];
        let policies =
            [("zero", Missing::Zero), ("skip", Missing::Skip), ("error", Missing::Error)];
        let undefineds =
            [("zero", Undefined::Zero), ("skip", Undefined::Skip), ("error", Undefined::Error)];
        let options = Options {
            missing: choose("missing", missing, &policies)?,
            undefined: choose("undefined", undefined, &undefineds)?,
            ranker: Ranker {
                order: choose("order", order, &orders)?,
                precision: choose(
                    "scores",
                    scores,
                    &[("f64", Precision::F64), ("f32", Precision::F32)],
                )?,
                duplicates: choose("duplicates", duplicates, &repeated)?,
                depth: least(depth, "a depth")?,
            },
            negative: choose(
                "negative",
                negative,
                &[("unjudged", Negative::Unjudged), ("nonrelevant", Negative::Nonrelevant)],
            )?,
            strictness: strictness(lenient),
            limits: limits_of(limits),
            threads: least(threads, "a number of threads")?.map(|threads| threads as usize),
        };
        let measures: Vec<CoreMeasure> = measures.into_iter().map(|measure| measure.0).collect();
        let core = CoreEvaluator::new(qrels.0, &measures, options).or_raise()?;
        Ok(Evaluator { core, limits: options.limits })
    }

    #[pyo3(signature = (runs, progress = None, /))]
    fn evaluate(
        &self,
        py: Python<'_>,
        runs: Vec<Bound<'_, PyAny>>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Scores> {
        let inputs = runs.iter().map(|run| self.input(run)).collect::<PyResult<Vec<Input>>>()?;
        let lines = |input: &Input| match input {
            Input::Run(run) => run.topics.iter().map(|(_, lines)| lines.len()).sum(),
            _ => SHORT,
        };
        let monitor = Arc::new(Monitor::default());
        let short = inputs.iter().map(lines).sum::<usize>() < SHORT;
        let scores = if short {
            py.detach(|| self.core.evaluate(&inputs, &monitor))
        } else {
            self.watched(py, &inputs, &monitor, progress)?
        };
        Ok(Scores(scores.or_raise()?))
    }

    #[getter]
    fn measures<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let measures: Vec<Measure> = self.core.measures().cloned().map(Measure).collect();
        PyTuple::new(py, measures)
    }

    #[getter]
    fn qrels(&self) -> Qrels {
        Qrels(Arc::clone(self.core.qrels()))
    }
}

impl Evaluator {
    fn input(&self, run: &Bound<'_, PyAny>) -> PyResult<Input> {
        if let Ok(run) = run.cast::<Run>() {
            return Ok(Input::Run(Arc::clone(&run.get().0)));
        }
        let (name, source): (String, Bound<'_, PyAny>) = run.extract()?;
        Ok(match Origin::of(&source)? {
            Origin::Path(path) => Input::Path(name, path),
            stream @ Origin::Stream(_) => {
                let source = run.py().detach(|| stream.open(&name, &self.limits)).or_raise()?;
                Input::Stream(name, Mutex::new(Some(source)))
            }
        })
    }

    /// Scores in another thread, while this one tells of progress and
    /// listens for interrupts.
    fn watched(
        &self,
        py: Python<'_>,
        inputs: &[Input],
        monitor: &Arc<Monitor>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Result<cranfield_core::scores::Scores, CoreError>> {
        std::thread::scope(|scope| {
            let (sender, receiver) = channel();
            // Nobody listens any more only if this thread is gone too.
            scope.spawn(move || sender.send(self.core.evaluate(inputs, monitor)).is_ok());
            let receiver = Mutex::new(receiver);
            let mut stopped = None;
            loop {
                let outcome = py.detach(|| {
                    let receiver =
                        receiver.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    receiver.recv_timeout(Duration::from_millis(100))
                });
                match outcome {
                    Ok(scores) => return stopped.map_or(Ok(scores), Err),
                    Err(RecvTimeoutError::Disconnected) => {
                        return Err(pyo3::exceptions::PyRuntimeError::new_err(
                            "the evaluation ended without a result",
                        ));
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                }
                if stopped.is_none() {
                    let done = (
                        monitor.runs.load(Ordering::Relaxed),
                        monitor.bytes.load(Ordering::Relaxed),
                    );
                    let told = progress.map_or(Ok(()), |progress| progress.call1(done).map(drop));
                    stopped = told.and_then(|()| py.check_signals()).err();
                    monitor.cancelled.store(stopped.is_some(), Ordering::Relaxed);
                }
            }
        })
    }
}
