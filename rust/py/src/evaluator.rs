//! The evaluator as Python sees it.

use std::sync::Arc;

use cranfield_core::bounds::{Bounded, Mode, Question, bounds};
use cranfield_core::collection::pool;
use cranfield_core::difference;
use cranfield_core::error::{Kind, nearest, quote};
use cranfield_core::evaluate::{
    Evaluator as CoreEvaluator, Input, Monitor, Negative, Options, Ranked as CoreRanked,
};
use cranfield_core::grammar;
use cranfield_core::measure::Measure as CoreMeasure;
use cranfield_core::read::open::Limits as CoreLimits;
use cranfield_core::run::{Duplicates, Order, Precision, Ranker};
use cranfield_core::scores::{Missing, Undefined};
use cranfield_core::ties::{TieMode, average, extremes};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::columns::Held;
use crate::data::{Kept, Limits, Qrels, Run, limits_of, run_layout_of, strictness};
use crate::errors::{OrRaise, fail};
use crate::given::{self, below, number};
use crate::inputs::{Origin, at_least_one, ranked_from_dict, run_from_dict};
use crate::measures::Measure;
use crate::names::Names;
use crate::outputs::{Scores, difference_of};
use crate::watch::{heeding, watched};

/// One of the named values of an option.
pub fn choose<T: Copy>(option: &str, value: &str, known: &[(&str, T)]) -> PyResult<T> {
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
    names: Names,
    limits: CoreLimits,
    ties: TieMode,
}

/// A run that was ranked and joined with judgments: what is left to score.
#[pyclass(frozen, module = "cranfield._core")]
pub struct Ranked(pub Arc<CoreRanked>);

#[pymethods]
impl Ranked {
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    #[pyo3(signature = (name, /))]
    fn rename(&self, name: String) -> Ranked {
        Ranked(Arc::new(CoreRanked { name, ..(*self.0).clone() }))
    }

    #[getter]
    fn coins(&self) -> bool {
        self.0.strangers == u32::MAX
    }

    fn __repr__(&self) -> String {
        let topics = self.0.rankings.iter().flatten().count();
        format!("<Ranked {}: {topics} topics>", quote(&self.0.name))
    }
}

/// Of a topic: retrieved documents, relevant documents, ranks of these.
type Found<'py> = (u32, u32, Bound<'py, PyArray1<u32>>);

/// Of a run: where topics begin, ranks, grades, retrieved documents.
type JudgedLists<'py> = (
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<i64>>,
);

/// Runs in memory of fewer lines than this are scored by several threads without
/// a look at signals.
const SHORT: usize = 1 << 20;

#[pymethods]
impl Evaluator {
    #[new]
    #[pyo3(signature = (
        qrels, measures, *, missing = "zero", undefined = "zero", order = "docno_desc", scores = "f64",
        duplicates = "error", negative = "unjudged", ties = "order", depth = None, threads = None, lenient = false,
        limits = None, both_precisions = false, run_layout = None, rel = None, hosted = false
    ))]
    #[expect(
        clippy::too_many_arguments,
        reason = "the options of the public interface, by keyword"
    )]
    fn new(
        qrels: Qrels,
        measures: Vec<Measure>,
        #[pyo3(from_py_with = given::missing)] missing: &str,
        #[pyo3(from_py_with = given::undefined)] undefined: &str,
        #[pyo3(from_py_with = given::order)] order: &str,
        #[pyo3(from_py_with = given::scores)] scores: &str,
        #[pyo3(from_py_with = given::duplicates)] duplicates: &str,
        #[pyo3(from_py_with = given::negative)] negative: &str,
        #[pyo3(from_py_with = given::ties)] ties: &str,
        depth: Option<&Bound<'_, PyAny>>,
        threads: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = given::lenient)] lenient: bool,
        #[pyo3(from_py_with = given::limits)] limits: Option<Limits>,
        both_precisions: bool,
        #[pyo3(from_py_with = given::run_layout)] run_layout: Option<&str>,
        #[pyo3(from_py_with = given::rel)] rel: Option<f64>,
        hosted: bool,
    ) -> PyResult<Self> {
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
        let asked =
            [("order", TieMode::Order), ("average", TieMode::Average), ("bounds", TieMode::Bounds)];
        let ties = choose("ties", ties, &asked)?;
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
                // No list is longer than that.
                depth: at_least_one(depth, "depth")?
                    .map(|depth| depth.min(u64::from(u32::MAX)) as u32),
                groups: ties != TieMode::Order,
                both_precisions,
                ..Ranker::default()
            },
            negative: choose(
                "negative",
                negative,
                &[("unjudged", Negative::Unjudged), ("nonrelevant", Negative::Nonrelevant)],
            )?,
            strictness: strictness(lenient),
            run_layout: run_layout_of(run_layout)?,
            limits: limits_of(limits),
            threads: at_least_one(threads, "number of threads")?.map(|threads| threads as usize),
            rel,
            hosted,
        };
        let measures: Vec<CoreMeasure> = measures.into_iter().map(|measure| measure.0).collect();
        ties.check(&measures, &options).or_raise()?;
        let core = CoreEvaluator::new(qrels.0, &measures, options).or_raise()?;
        Ok(Evaluator { core, names: Names::default(), limits: options.limits, ties })
    }

    #[pyo3(signature = (runs, progress = None, /))]
    fn evaluate(
        &self,
        py: Python<'_>,
        runs: Vec<Bound<'_, PyAny>>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Scores> {
        let held = hold(&runs)?;
        let inputs = self.joined(&runs, &held)?;
        let lines = |input: &Input| match input {
            Input::Run(run) => run.topics.iter().map(|(_, lines)| lines.len()).sum(),
            Input::Arrays(arrays) => arrays.lists.iter().map(|(_, list)| list.len()).sum(),
            Input::Ranked(ranked) => {
                ranked.rankings.iter().flatten().map(|ranking| ranking.hits.len()).sum()
            }
            _ => SHORT,
        };
        let score = |monitor: &Arc<Monitor>| match self.ties {
            TieMode::Average => average(&self.core, &inputs, monitor),
            _ => self.core.evaluate(&inputs, monitor),
        };
        let scores = if self.ties == TieMode::Average {
            watched(py, score, progress)?
        } else if self.core.is_single_threaded(&inputs) {
            heeding(py, score, progress)?
        } else if inputs.iter().map(lines).sum::<usize>() < SHORT {
            py.detach(|| score(&Arc::default()))
        } else {
            watched(py, score, progress)?
        };
        Ok(Scores(scores.or_raise()?))
    }

    /// The values, the lowest and the highest over all orders of equal scores.
    #[pyo3(signature = (runs, progress = None, /))]
    fn tie_bounds(
        &self,
        py: Python<'_>,
        runs: Vec<Bound<'_, PyAny>>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(Scores, Scores, Scores)> {
        let held = hold(&runs)?;
        let inputs = self.joined(&runs, &held)?;
        let work = |monitor: &Arc<Monitor>| extremes(&self.core, &inputs, monitor);
        let Bounded { value, low, high } = watched(py, work, progress)?.or_raise()?;
        Ok((Scores(value), Scores(low), Scores(high)))
    }

    /// The values, the lowest and the highest after full judging.
    #[pyo3(signature = (
        runs, progress = None, /, *, mode = "free_R", unseen = None, max_grade = None, max_assignments = None
    ))]
    #[expect(clippy::too_many_arguments, reason = "options by keyword")]
    fn bounds(
        &self,
        py: Python<'_>,
        runs: Vec<Bound<'_, PyAny>>,
        progress: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = given::mode)] mode: &str,
        unseen: Option<&Bound<'_, PyAny>>,
        max_grade: Option<&Bound<'_, PyAny>>,
        max_assignments: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(Scores, Scores, Scores)> {
        let unseen =
            unseen.map_or(Ok(0), |unseen| below(unseen, "unseen", u32::MAX.into()))? as u32;
        let question = Question {
            mode: choose("mode", mode, &[("free_R", Mode::FreeR), ("fixed_R", Mode::FixedR)])?,
            unseen,
            ..question(max_grade, max_assignments)?
        };
        let held = hold(&runs)?;
        let inputs = self.inputs(&runs, &held)?;
        let measures: Vec<CoreMeasure> = self.core.measures().cloned().collect();
        let options = self.core.options();
        let work = |monitor: &Arc<Monitor>| {
            bounds(self.core.qrels(), &measures, &inputs, options, &question, monitor)
        };
        let Bounded { value, low, high } = watched(py, work, progress)?.or_raise()?;
        Ok((Scores(value), Scores(low), Scores(high)))
    }

    /// What changes in the one measure from a run to another.
    #[pyo3(signature = (runs, progress = None, /, *, max_grade = None, max_assignments = None))]
    fn difference<'py>(
        &self,
        py: Python<'py>,
        runs: Vec<Bound<'_, PyAny>>,
        progress: Option<&Bound<'_, PyAny>>,
        max_grade: Option<&Bound<'_, PyAny>>,
        max_assignments: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let held = hold(&runs)?;
        let inputs = self.inputs(&runs, &held)?;
        let (Some(measure), Ok(inputs)) = (self.core.measures().next(), inputs.try_into()) else {
            return Err(fail(Kind::Option, "expected two runs and a measure"));
        };
        let question = question(max_grade, max_assignments)?;
        let (qrels, options) = (self.core.qrels(), self.core.options());
        let work = |monitor: &Arc<Monitor>| {
            difference::difference(qrels, measure, &inputs, options, &question, monitor)
        };
        difference_of(py, watched(py, work, progress)?.or_raise()?, qrels)
    }

    /// Runs ranked and joined with the judgments, to be scored again and again.
    #[pyo3(signature = (runs, progress = None, /, *, coins = false))]
    fn rank(
        &self,
        py: Python<'_>,
        runs: Vec<Bound<'_, PyAny>>,
        progress: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = given::coins)] coins: bool,
    ) -> PyResult<Vec<Ranked>> {
        let held = hold(&runs)?;
        let inputs = self.inputs(&runs, &held)?;
        let ranked = watched(py, |monitor| self.core.rank(&inputs, coins, monitor), progress)?;
        Ok(ranked.or_raise()?.into_iter().map(|ranked| Ranked(Arc::new(ranked))).collect())
    }

    /// The first documents of each list, as judgments in which none is judged.
    #[pyo3(signature = (runs, depth, progress = None, /))]
    fn pool(
        &self,
        py: Python<'_>,
        runs: Vec<Bound<'_, PyAny>>,
        depth: Option<&Bound<'_, PyAny>>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Qrels> {
        let depth = at_least_one(depth, "depth")?.unwrap_or(u64::MAX);
        let depth = depth.min(u64::from(u32::MAX)) as u32;
        let held = hold(&runs)?;
        let inputs = self.inputs(&runs, &held)?;
        let options = self.core.options();
        let pooled = watched(py, |monitor| pool(&inputs, depth, &options, monitor), progress)?;
        Ok(Qrels(Arc::new(pooled.or_raise()?)))
    }

    /// For each run the judged documents of its lists: where topics begin, ranks,
    /// grades, how many documents were retrieved (-1: the topic is left out).
    #[pyo3(signature = (runs, progress = None, /))]
    fn judged_lists<'py>(
        &self,
        py: Python<'py>,
        runs: Vec<Bound<'py, PyAny>>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<JudgedLists<'py>>> {
        let held = hold(&runs)?;
        let inputs = self.inputs(&runs, &held)?;
        let found = watched(py, |monitor| self.core.judged_lists(&inputs, monitor), progress)?;
        let lists = found.or_raise()?.into_iter().map(|lists| {
            let offsets: Vec<i64> = lists.offsets.iter().map(|&place| place as i64).collect();
            let retrieved = lists.retrieved.iter().map(|number| number.map_or(-1, i64::from));
            (
                offsets.into_pyarray(py),
                lists
                    .ranks
                    .iter()
                    .map(|&rank| i64::from(rank))
                    .collect::<Vec<i64>>()
                    .into_pyarray(py),
                lists.grades.into_pyarray(py),
                retrieved.collect::<Vec<i64>>().into_pyarray(py),
            )
        });
        Ok(lists.collect())
    }

    /// For each topic of the qrels: how many documents were retrieved, how
    /// many are relevant for the first measure, and the ranks of those.
    #[pyo3(signature = (run, /))]
    fn relevant_ranks<'py>(
        &self,
        py: Python<'py>,
        run: &Bound<'py, PyAny>,
    ) -> PyResult<Vec<Found<'py>>> {
        let held = hold(std::slice::from_ref(run))?;
        let input = self.input(run, held[0].as_ref())?;
        let found = watched(py, |monitor| self.core.relevant_ranks(&input, monitor), None)?;
        let found = found.or_raise()?.into_iter();
        Ok(found.map(|f| (f.retrieved, f.num_rel, f.ranks.into_pyarray(py))).collect())
    }

    /// Measures by whose default relevance level nothing is relevant, and the lowest and
    /// the highest grade above 0.
    fn above_all_grades(&self) -> Option<(Vec<Measure>, f64, f64)> {
        let (measures, lowest, highest) = self.core.above_all_grades()?;
        Some((measures.into_iter().cloned().map(Measure).collect(), lowest, highest))
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
    /// A run as the core takes it; a stream is read here and now, in the
    /// thread that may be interrupted.
    fn input<'a>(
        &self,
        run: &Bound<'_, PyAny>,
        held: Option<&'a Held<'_, '_>>,
    ) -> PyResult<Input<'a>> {
        if let Some(held) = held {
            return Ok(Input::Arrays(held.arrays()));
        }
        if let Ok(run) = run.cast::<Run>()
            && let Kept::Lines(run) = &run.get().0
        {
            return Ok(Input::Run(Arc::clone(run)));
        }
        if let Ok(ranked) = run.cast::<Ranked>() {
            return Ok(Input::Ranked(Arc::clone(&ranked.get().0)));
        }
        if let Some((name, dict)) = dict_of(run) {
            return run_of(name, &dict);
        }
        let parts = run.cast::<PyTuple>()?;
        let (name, source): (String, Bound<'_, PyAny>) =
            (parts.get_item(0)?.extract()?, parts.get_item(1)?);
        let label: Option<String> =
            parts.get_item(2).ok().map(|label| label.extract()).transpose()?;
        match Origin::of(&source)? {
            Origin::Path(path) => Ok(Input::Path(name, path)),
            stream @ Origin::Stream(_) => {
                let label = label.unwrap_or_else(|| name.clone());
                let read = |reader| self.core.gather(reader, &name);
                Ok(Input::Gathered(stream.read(run.py(), &label, &self.limits, read)?))
            }
        }
    }

    /// The runs, those in dicts joined with the judgments already.
    fn joined<'a>(
        &self,
        runs: &[Bound<'_, PyAny>],
        held: &'a [Option<Held<'_, '_>>],
    ) -> PyResult<Vec<Input<'a>>> {
        let joined = runs.iter().zip(held).map(|(run, held)| match dict_of(run) {
            Some((name, dict)) => {
                match ranked_from_dict(&dict, &self.core, &self.names, name.clone())? {
                    Some(ranked) => Ok(Input::Ranked(Arc::new(ranked))),
                    None => run_of(name, &dict),
                }
            }
            None => self.input(run, held.as_ref()),
        });
        joined.collect()
    }

    fn inputs<'a>(
        &self,
        runs: &[Bound<'_, PyAny>],
        held: &'a [Option<Held<'_, '_>>],
    ) -> PyResult<Vec<Input<'a>>> {
        runs.iter().zip(held).map(|(run, held)| self.input(run, held.as_ref())).collect()
    }
}

/// What is asked about missing judgments, by the options that say so.
fn question(
    max_grade: Option<&Bound<'_, PyAny>>,
    max_assignments: Option<&Bound<'_, PyAny>>,
) -> PyResult<Question> {
    let base = Question::default();
    Ok(Question {
        max_grade: max_grade.map(|grade| number(grade, "max_grade")).transpose()?,
        max_assignments: at_least_one(max_assignments, "max_assignments")?
            .unwrap_or(base.max_assignments),
        ..base
    })
}

/// The name and the dict of a run that is given as these.
fn dict_of<'py>(run: &Bound<'py, PyAny>) -> Option<(String, Bound<'py, PyDict>)> {
    let parts = run.cast::<PyTuple>().ok()?;
    let dict = parts.get_item(1).ok()?.cast_into().ok()?;
    Some((parts.get_item(0).ok()?.extract().ok()?, dict))
}

/// A run of a dict, copied.
fn run_of(name: String, dict: &Bound<'_, PyDict>) -> PyResult<Input<'static>> {
    Ok(Input::Run(Arc::new(run_from_dict(dict, name)?)))
}

/// Holds the arrays of those runs that are in some.
fn hold<'a, 'py>(runs: &'a [Bound<'py, PyAny>]) -> PyResult<Vec<Option<Held<'a, 'py>>>> {
    let hold = |run: &'a Bound<'py, PyAny>| match run.cast::<Run>().map(|run| &run.get().0) {
        Ok(Kept::Columns(name, columns)) => columns.hold(run.py(), name).map(Some),
        Ok(Kept::Lines(_)) | Err(_) => Ok(None),
    };
    runs.iter().map(hold).collect()
}
