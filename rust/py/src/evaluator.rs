//! The evaluator as Python sees it.

use std::sync::Arc;

use cranfield_core::bounds::{Bounded, Mode, Question, bounds_of};
use cranfield_core::collection::pool;
use cranfield_core::curves::{levels, mean_precision_recall, mean_roc};
use cranfield_core::difference;
use cranfield_core::error::Kind;
use cranfield_core::evaluate::{Evaluator as CoreEvaluator, Found, Input, Monitor, Schedule};
use cranfield_core::measure::Measure as CoreMeasure;
use cranfield_core::options::Choices;
use cranfield_core::pairs::{Asked, apart, pair_bounds};
use cranfield_core::remarks::above_all_grades;
use cranfield_core::scores::Scores as CoreScores;
use cranfield_core::ties::{TieMode, average, explain, extremes};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyInt, PyString, PyTuple};

use crate::dict::{Names, Wanted, find_value, items};
use crate::difference::{Cube, cube, difference_of, lists_apart};
use crate::errors::{OrRaise, caught, fail};
use crate::evaluating::choices;
use crate::from_dict::scores_from_dict;
use crate::input::{borrow, dict_of, input, inputs, joined};
use crate::limits::{self, Limits, limits_of};
use crate::measures::Measure;
use crate::options::{self, at_least_one, below, choose, number};
use crate::qrels::Qrels;
use crate::ranked::Ranked;
use crate::scores::Scores;
use crate::watch::{in_this_thread, looking, watched};

#[doc = stub!("Evaluator")]
#[pyclass(frozen, module = "cranfield._core")]
pub struct Evaluator {
    core: CoreEvaluator,
    names: Names,
    ties: TieMode,
}

/// Of a topic: retrieved documents, relevant documents, ranks of these.
type RelevantRanks<'py> = (u32, u32, Bound<'py, PyArray1<u32>>);

/// Of a run: where topics begin, ranks, grades, retrieved documents.
type RawLists<'py> = (
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<i64>>,
);

#[pymethods]
impl Evaluator {
    #[new]
    #[pyo3(signature = (
        qrels, measures, *, limits = None, both_precisions = false, rel = None, hosted = false,
        topics = None, **options
    ))]
    #[expect(clippy::too_many_arguments, reason = "keywords")]
    fn new(
        qrels: Qrels,
        measures: Vec<Measure>,
        #[pyo3(from_py_with = limits::limits)] limits: Option<Limits>,
        both_precisions: bool,
        #[pyo3(from_py_with = options::rel)] rel: Option<f64>,
        hosted: bool,
        topics: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let Choices { mut options, ties } = choices(options)?;
        options.limits = limits_of(limits);
        options.rel = rel;
        options.hosted = hosted;
        options.ranker.groups = ties != TieMode::Order;
        options.ranker.both_precisions = both_precisions;
        let measures: Vec<CoreMeasure> = measures.into_iter().map(|measure| measure.0).collect();
        ties.check(&measures, &options).or_raise()?;
        let chosen = topics.map(|topics| qrels.positions(topics)).transpose()?;
        let mut core = CoreEvaluator::new(qrels.0, &measures, options).or_raise()?;
        if let Some(chosen) = chosen {
            core = core.only(&chosen);
        }
        Ok(Evaluator { core, names: Names::default(), ties })
    }

    #[doc = stub!("Evaluator.evaluate")]
    #[pyo3(signature = (runs, progress = None, /))]
    fn evaluate(
        &self,
        py: Python<'_>,
        runs: Vec<Bound<'_, PyAny>>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Scores> {
        if let ([run], TieMode::Order) = (&*runs, self.ties)
            && let Some((name, dict)) = dict_of(run)
            && let Some(mut scores) = self.score_dict(&name, &dict, progress)?
        {
            self.note_ties(py, &mut scores.0, &runs, &[])?;
            return Ok(scores);
        }
        let borrowed = borrow(&runs)?;
        let inputs = joined(&self.core, &self.names, &runs, &borrowed)?;
        if self.ties == TieMode::Average {
            let work = |monitor: &Arc<Monitor>| average(&self.core, &inputs, monitor);
            return Ok(Scores(watched(py, work, progress)?.or_raise()?));
        }
        let work = |monitor: &Arc<Monitor>| self.core.evaluate(&inputs, monitor);
        let scores = match self.core.schedule(&inputs) {
            Schedule::CallingThread => in_this_thread(py, work, progress)?,
            Schedule::Unwatched => py.detach(|| caught(|| work(&Arc::default())))?,
            Schedule::Watched => watched(py, work, progress)?,
        };
        let mut scores = scores.or_raise()?;
        self.note_ties(py, &mut scores, &runs, &inputs)?;
        Ok(Scores(scores))
    }

    #[doc = stub!("Evaluator.evaluate_dict")]
    #[pyo3(signature = (run, /))]
    fn evaluate_dict(&self, run: &Bound<'_, PyDict>) -> PyResult<Option<Scores>> {
        if self.ties != TieMode::Order {
            return Ok(None);
        }
        let scores = if is_brief(run) {
            self.score_dict(UNNAMED, run, None)?
        } else {
            let Some((name, named)) = only_named_run(run) else { return Ok(None) };
            self.score_dict(name.to_str()?, &named, None)?
        };
        // Of ties is told where the run is scored as any other.
        let hosted = self.core.options().hosted;
        Ok(scores.filter(|scores| hosted || scores.0.most_tied().is_none()))
    }

    #[doc = stub!("Evaluator.tie_bounds")]
    #[pyo3(signature = (runs, progress = None, /))]
    fn tie_bounds(
        &self,
        py: Python<'_>,
        runs: Vec<Bound<'_, PyAny>>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(Scores, Scores, Scores)> {
        let borrowed = borrow(&runs)?;
        let inputs = joined(&self.core, &self.names, &runs, &borrowed)?;
        let work = |monitor: &Arc<Monitor>| extremes(&self.core, &inputs, monitor);
        let Bounded { value, low, high } = watched(py, work, progress)?.or_raise()?;
        Ok((Scores(value), Scores(low), Scores(high)))
    }

    /// The values, the lowest and the highest after full judging.
    #[pyo3(signature = (
        runs, progress = None, /, *, mode = "free_R", unseen = None, max_grade = None, max_assignments = None
    ))]
    #[doc = stub!("Evaluator.bounds")]
    #[expect(clippy::too_many_arguments, reason = "options by keyword")]
    fn bounds(
        &self,
        py: Python<'_>,
        runs: Vec<Bound<'_, PyAny>>,
        progress: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = options::mode)] mode: &str,
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
        let borrowed = borrow(&runs)?;
        let inputs = inputs(&self.core, &runs, &borrowed)?;
        let work = |monitor: &Arc<Monitor>| bounds_of(&self.core, &inputs, &question, monitor);
        let Bounded { value, low, high } = watched(py, work, progress)?.or_raise()?;
        Ok((Scores(value), Scores(low), Scores(high)))
    }

    #[doc = stub!("Evaluator.difference")]
    #[pyo3(signature = (runs, progress = None, /, *, max_grade = None, max_assignments = None))]
    fn difference<'py>(
        &self,
        py: Python<'py>,
        runs: Vec<Bound<'_, PyAny>>,
        progress: Option<&Bound<'_, PyAny>>,
        max_grade: Option<&Bound<'_, PyAny>>,
        max_assignments: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let borrowed = borrow(&runs)?;
        let inputs = inputs(&self.core, &runs, &borrowed)?;
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

    #[doc = stub!("Evaluator.pair_bounds")]
    #[pyo3(signature = (runs, pairs, progress = None, /))]
    fn pair_bounds<'py>(
        &self,
        py: Python<'py>,
        runs: Vec<Bound<'_, PyAny>>,
        pairs: Vec<(usize, usize)>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(Cube<'py>, Cube<'py>)> {
        let borrowed = borrow(&runs)?;
        let inputs = inputs(&self.core, &runs, &borrowed)?;
        if pairs.iter().any(|pair| pair.0.max(pair.1) >= inputs.len()) {
            return Err(fail(Kind::Option, "expected the places of runs"));
        }
        let question = Question::default();
        let work =
            |monitor: &Arc<Monitor>| pair_bounds(&self.core, &inputs, &pairs, &question, monitor);
        let found = watched(py, work, progress)?.or_raise()?;
        let shape = [pairs.len(), self.core.qrels().topics().len(), self.core.measures().count()];
        Ok((cube(py, found.low, shape)?, cube(py, found.high, shape)?))
    }

    #[doc = stub!("Evaluator.apart")]
    #[pyo3(signature = (
        runs, depths, least_relevant, progress = None, /, *, rbo_p = 0.9, max_grade = None,
        skips = false
    ))]
    #[expect(clippy::too_many_arguments, reason = "options by keyword")]
    fn apart<'py>(
        &self,
        py: Python<'py>,
        runs: Vec<Bound<'_, PyAny>>,
        depths: Vec<u32>,
        least_relevant: Vec<u32>,
        progress: Option<&Bound<'_, PyAny>>,
        rbo_p: f64,
        max_grade: Option<&Bound<'_, PyAny>>,
        skips: bool,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let borrowed = borrow(&runs)?;
        let inputs = inputs(&self.core, &runs, &borrowed)?;
        let Ok(inputs) = inputs.try_into() else {
            return Err(fail(Kind::Option, "expected two runs"));
        };
        let max_grade = question(max_grade, None)?.max_grade;
        let asked = Asked { depths, rbo_p, least_relevant, max_grade, skips };
        let measures: Vec<CoreMeasure> = self.core.measures().cloned().collect();
        let options = self.core.options();
        let work = |monitor: &Arc<Monitor>| apart(&measures, &inputs, options, &asked, monitor);
        lists_apart(py, watched(py, work, progress)?.or_raise()?, &asked)
    }

    #[doc = stub!("Evaluator.rank")]
    #[pyo3(signature = (runs, progress = None, /, *, keep_unjudged = false))]
    fn rank(
        &self,
        py: Python<'_>,
        runs: Vec<Bound<'_, PyAny>>,
        progress: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = options::keep_unjudged)] keep_unjudged: bool,
    ) -> PyResult<Vec<Ranked>> {
        let borrowed = borrow(&runs)?;
        let inputs = inputs(&self.core, &runs, &borrowed)?;
        let ranked =
            watched(py, |monitor| self.core.rank(&inputs, keep_unjudged, monitor), progress)?;
        Ok(ranked.or_raise()?.into_iter().map(|ranked| Ranked(Arc::new(ranked))).collect())
    }

    #[doc = stub!("Evaluator.pool")]
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
        let borrowed = borrow(&runs)?;
        let inputs = inputs(&self.core, &runs, &borrowed)?;
        let options = self.core.options();
        let pooled = watched(py, |monitor| pool(&inputs, depth, &options, monitor), progress)?;
        Ok(Qrels(Arc::new(pooled.or_raise()?)))
    }

    #[doc = stub!("Evaluator.judged_lists")]
    #[pyo3(signature = (runs, progress = None, /))]
    fn judged_lists<'py>(
        &self,
        py: Python<'py>,
        runs: Vec<Bound<'py, PyAny>>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<RawLists<'py>>> {
        let borrowed = borrow(&runs)?;
        let inputs = inputs(&self.core, &runs, &borrowed)?;
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

    #[doc = stub!("Evaluator.relevant_ranks")]
    #[pyo3(signature = (run, /))]
    fn relevant_ranks<'py>(
        &self,
        py: Python<'py>,
        run: &Bound<'py, PyAny>,
    ) -> PyResult<Vec<RelevantRanks<'py>>> {
        let borrowed = borrow(std::slice::from_ref(run))?;
        let input = input(&self.core, run, borrowed[0].as_ref())?;
        let found = watched(py, |monitor| self.core.relevant_ranks(&input, monitor), None)?;
        let found = found.or_raise()?.into_iter();
        Ok(found.map(|f| (f.retrieved, f.num_rel, f.ranks.into_pyarray(py))).collect())
    }

    #[doc = stub!("Evaluator.curve")]
    #[pyo3(signature = (run, places, /, *, roc, steps))]
    fn curve<'py>(
        &self,
        py: Python<'py>,
        run: &Bound<'py, PyAny>,
        places: Vec<usize>,
        roc: bool,
        steps: Option<u32>,
    ) -> PyResult<Vec<Bound<'py, PyArray1<f64>>>> {
        let borrowed = borrow(std::slice::from_ref(run))?;
        let input = input(&self.core, run, borrowed[0].as_ref())?;
        let found = watched(py, |monitor| self.core.relevant_ranks(&input, monitor), None)?;
        let found = found.or_raise()?;
        let documents = self.core.qrels().docs_in_collection.unwrap_or(0);
        let lists = || places.iter().map(|place| &found[*place]);
        let arrays = match (steps, roc) {
            (Some(steps), true) => vec![levels(steps), mean_roc(lists(), documents, steps)],
            (Some(steps), false) => vec![levels(steps), mean_precision_recall(lists(), steps)],
            (None, true) => lists().flat_map(|list| list.roc(documents)).collect(),
            (None, false) => lists().flat_map(Found::precision_recall).collect(),
        };
        Ok(arrays.into_iter().map(|array| array.into_pyarray(py)).collect())
    }

    #[doc = stub!("Evaluator.above_all_grades")]
    fn above_all_grades(&self) -> Option<(Vec<Measure>, f64, f64)> {
        let (qrels, rel) = (self.core.qrels(), self.core.options().rel);
        let (measures, lowest, highest) = above_all_grades(qrels, self.core.measures(), rel)?;
        Some((measures.into_iter().cloned().map(Measure).collect(), lowest, highest))
    }

    #[doc = stub!("Evaluator.measures")]
    #[getter]
    fn measures<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let measures: Vec<Measure> = self.core.measures().cloned().map(Measure).collect();
        PyTuple::new(py, measures)
    }

    #[doc = stub!("Evaluator.qrels")]
    #[getter]
    fn qrels(&self) -> Qrels {
        Qrels(Arc::clone(self.core.qrels()))
    }
}

impl Evaluator {
    /// The scores of one run {topic: {document: score}}; `None` if it takes the general path.
    fn score_dict(
        &self,
        name: &str,
        run: &Bound<'_, PyDict>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<Scores>> {
        let look = looking(run.py(), progress);
        let scores = scores_from_dict(run, &self.core, &self.names, name, look)?;
        Ok(scores.map(Scores))
    }

    /// Notes how far the order of equal scores could move a score, if a run has many; it is
    /// ranked once more for that.
    fn note_ties(
        &self,
        py: Python<'_>,
        scores: &mut CoreScores,
        runs: &[Bound<'_, PyAny>],
        inputs: &[Input],
    ) -> PyResult<()> {
        if self.core.options().hosted {
            return Ok(());
        }
        let Some((place, others)) = scores.most_tied() else { return Ok(()) };
        let own;
        let again = match (dict_of(&runs[place]), inputs.get(place)) {
            (Some(_), _) => {
                own = [input(&self.core, &runs[place], None)?];
                Some(&own[..])
            }
            (None, Some(Input::File(file))) if !file.has_bytes(0) => None,
            (None, Some(Input::Ranked(ranked))) if !ranked.groups => None,
            (None, _) => inputs.get(place..=place),
        };
        let share = scores.notes[place].tied_share();
        let said = watched(py, |_| explain(&self.core, again, share, others), None)?.or_raise()?;
        if said.is_some() {
            scores.notes[place].say().tied = said;
        }
        Ok(())
    }
}

/// Of so few topics progress need not be reported.
const MOST_UNWATCHED: usize = 4096;

/// What a run is called that has no name.
const UNNAMED: &str = "run";

/// The run of {name: {topic: {document: score}}}, if it is the only one.
fn only_named_run<'py>(
    runs: &Bound<'py, PyDict>,
) -> Option<(Bound<'py, PyString>, Bound<'py, PyDict>)> {
    if runs.len() != 1 {
        return None;
    }
    let (name, run) = items(runs).pop()?;
    let name = name.cast_into_exact::<PyString>().ok().filter(|name| name.to_str().is_ok())?;
    let run = run.cast_into_exact::<PyDict>().ok()?;
    is_brief(&run).then_some((name, run))
}

/// Whether a dict is one run of so few topics that progress need not be reported.
fn is_brief(run: &Bound<'_, PyDict>) -> bool {
    run.len() <= MOST_UNWATCHED && is_one_run(run)
}

/// Whether a dict is {topic: {document: score}} as far as its first score.
fn is_one_run(run: &Bound<'_, PyDict>) -> bool {
    let first = find_value(run, Wanted::NotEmptyDict);
    let Some(Ok(list)) = first.map(Bound::cast_into_exact::<PyDict>) else { return false };
    find_value(&list, Wanted::First)
        .is_some_and(|score| score.is_instance_of::<PyFloat>() || score.is_instance_of::<PyInt>())
}

/// The question about missing judgments that the options state.
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
