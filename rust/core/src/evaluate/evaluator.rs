//! Judgments and measures compiled together: the values of runs, and where their judged documents
//! are.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::budgeted::BudgetedMeasures;
use super::compile::{CompiledMeasures, Workspace, check, with_rel};
use super::input::Input;
use super::options::{Monitor, Options};
use super::prefixed::PrefixedMeasures;
use super::rows::{Cell, Context, Filling, Kernel};
use super::runs::each_run;
use super::schedule::Schedule;
use crate::costs::{Unit, Units};
use crate::error::{Error, Kind, Result};
use crate::measure::{Aggregate, Case, Measure, Over};
use crate::qrels::Qrels;
use crate::rank::Ranking;
use crate::read::lines::LineReader;
use crate::read::run::{Gathered, RunOptions};
use crate::remarks;
use crate::scores::{MeasureLabel, Notes, Scores};
use crate::trace::Trace;

/// The relevant documents of a topic in a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// How many documents the list has.
    pub retrieved: u32,
    /// R: how many documents are relevant, in the list or not.
    pub num_rel: u32,
    /// The ranks of those in the list, ascending.
    pub ranks: Vec<u32>,
}

/// The judged documents of the lists of a run, one topic of the judgments after
/// the other: what measures that are functions of the caller see.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JudgedLists {
    /// Where each topic's documents begin, and where the last one's end.
    pub offsets: Vec<usize>,
    /// The rank of each document in its list, ascending.
    pub ranks: Vec<u32>,
    /// Its grade.
    pub grades: Vec<f64>,
    /// How many documents each list has; `None` for a topic that is left out.
    pub retrieved: Vec<Option<u32>>,
}

/// Judgments and measures compiled together; immutable, safe from threads.
pub struct Evaluator {
    pub(super) context: Context,
    measures: Vec<Measure>,
    /// The labels that all scores share.
    columns: Arc<[MeasureLabel]>,
    topics: OnceLock<Arc<[Box<[u8]>]>>,
    /// The measures over documents.
    compiled: CompiledMeasures,
    /// The others.
    prefixed: Vec<PrefixedMeasures>,
    /// Those that have a budget.
    budgeted: Vec<BudgetedMeasures>,
    /// How far down a list any measure looks.
    pub(super) reach: u32,
    without_relevant: Arc<[Box<[u8]>]>,
    /// What to say of the judgments.
    judgments: Arc<[Box<str>]>,
}

impl Evaluator {
    /// Compiles measures against judgments. Equal measures count once.
    pub fn new(qrels: Arc<Qrels>, measures: &[Measure], options: Options) -> Result<Self> {
        let mut context = Context::new(Arc::clone(&qrels), options)?;
        let mut compiled = CompiledMeasures::new(qrels, options.negative, None);
        let mut distinct: Vec<Measure> = Vec::new();
        for measure in measures {
            if distinct.contains(measure) {
                continue;
            }
            check(measure, &context.qrels)?;
            options.undefined.check(measure)?;
            if measure.over == Over::Documents && measure.budget.is_none() {
                compiled.add(&with_rel(measure, options.rel), distinct.len())?;
            }
            distinct.push(measure.clone());
        }
        compiled.finish()?;
        let by_rank = distinct.iter().enumerate().filter(|(_, measure)| measure.budget.is_none());
        let prefixed = PrefixedMeasures::of_all(&context.qrels, options, by_rank)?;
        let budgeted = BudgetedMeasures::of_all(&context.qrels, options, &distinct)?;
        let units = budgeted.iter().map(BudgetedMeasures::unit);
        context.options.ranker.units = units.fold(options.ranker.units, Units::and);
        check_lengths(context.options.ranker.units, &context.qrels)?;
        let depths = distinct.iter().map(Measure::unjudged_depth);
        let unjudged_depth = depths.fold(options.ranker.unjudged_depth, u32::max);
        context.options.ranker.unjudged_depth = unjudged_depth;
        let reach = distinct.iter().map(reach).max().filter(|_| !options.ranker.groups);
        let mut without_relevant = compiled.without_relevant();
        without_relevant.extend(prefixed.iter().flat_map(PrefixedMeasures::without_relevant));
        without_relevant.extend(budgeted.iter().flat_map(BudgetedMeasures::without_relevant));
        without_relevant.sort();
        without_relevant.dedup();
        let reach = reach.unwrap_or(u32::MAX);
        let fractions = remarks::fractions_below(&context.qrels, &distinct, options.rel);
        let judgments = [fractions, context.qrels.iterations.clone()];
        Ok(Evaluator {
            context,
            columns: distinct.iter().cloned().map(MeasureLabel::Known).collect(),
            measures: distinct,
            topics: OnceLock::new(),
            compiled,
            prefixed,
            budgeted,
            reach,
            without_relevant: without_relevant.into(),
            judgments: judgments.into_iter().flatten().collect(),
        })
    }

    /// The same for a part of the topics, by their positions: the values of the others are not
    /// computed, so that nothing about them is refused, and are NaN.
    #[must_use]
    pub fn only(mut self, topics: &[usize]) -> Self {
        let mut chosen = vec![false; self.qrels().topics().len()];
        for &topic in topics {
            chosen[topic] = true;
        }
        self.context.chosen = Some(chosen);
        self
    }

    /// The same for the part of the topics that another evaluator of these is for.
    pub(crate) fn only_as(mut self, other: &Evaluator) -> Self {
        self.context.chosen.clone_from(&other.context.chosen);
        self
    }

    /// The judgments.
    pub fn qrels(&self) -> &Arc<Qrels> {
        &self.context.qrels
    }

    /// The options that it was compiled with.
    pub fn options(&self) -> Options {
        self.context.options
    }

    /// The measures, each once.
    pub fn measures(&self) -> impl Iterator<Item = &Measure> {
        self.measures.iter()
    }

    /// What the order needs to know of a run.
    pub fn run_options(&self) -> RunOptions {
        self.context.options.run_options()
    }

    /// Scores runs, in parallel. The first run that fails, in the order given,
    /// decides the error.
    pub fn evaluate(&self, inputs: &[Input], monitor: &Arc<Monitor>) -> Result<Scores> {
        if self.is_pooled() {
            return self.evaluate_pooled(inputs, monitor);
        }
        let fill = self.fill();
        let kernel = Kernel { cells: 1, reach: self.reach, fill: &fill };
        let (values, notes) = self.each_run(inputs, &kernel, monitor)?;
        Ok(self.labelled(inputs, values, notes))
    }

    /// Fills the cells of a topic with the values of the measures.
    pub(super) fn fill(&self) -> impl Fn(Cell, &Ranking, &mut Workspace, &mut [f64]) -> Result<()> {
        |cell, ranking, workspace, out| self.score_topic(cell.topic, ranking, workspace, out)
    }

    /// Whether a measure pools topics.
    pub(super) fn is_pooled(&self) -> bool {
        self.measures().any(|measure| measure.aggregate() == Aggregate::Pooled)
    }

    /// The same with weights. The second half of a topic's cells is what its
    /// values are shares of.
    fn evaluate_pooled(&self, inputs: &[Input], monitor: &Arc<Monitor>) -> Result<Scores> {
        let width = self.measures.len();
        let fill = |cell: Cell, ranking: &Ranking, workspace: &mut Workspace, out: &mut [f64]| {
            let (values, weights) = out.split_at_mut(width);
            self.score_topic(cell.topic, ranking, workspace, values)?;
            self.each_case(cell.topic, ranking, workspace, |case, measure, i| {
                weights[i] = measure.weight(case);
                Ok(())
            })
        };
        let kernel = Kernel { cells: 2, reach: self.reach, fill: &fill };
        let (cells, notes) = self.each_run(inputs, &kernel, monitor)?;
        let half = |from: usize| -> Vec<f64> {
            let topics = cells.chunks_exact(2 * width);
            topics.flat_map(|topic| topic[from..from + width].iter().copied()).collect()
        };
        Ok(Scores { weights: half(width), ..self.labelled(inputs, half(0), notes) })
    }

    /// Where the relevant documents of a run are, in the sense of the first
    /// measure: for each topic in order what was retrieved, how many are
    /// relevant and the ranks of those in the list. What curves are drawn from.
    pub fn relevant_ranks(&self, input: &Input, monitor: &Arc<Monitor>) -> Result<Vec<Found>> {
        let found = Mutex::new(vec![Found::default(); self.qrels().topics().len()]);
        let fill = |cell: Cell, ranking: &Ranking, workspace: &mut Workspace, _: &mut [f64]| {
            self.each_case(cell.topic, ranking, workspace, |case, _, i| {
                if i == 0 {
                    let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                    found[cell.topic] = Found {
                        retrieved: case.retrieved(),
                        num_rel: case.view.num_rel,
                        ranks: case.relevant(u32::MAX).iter().map(|d| d.rank).collect(),
                    };
                }
                Ok(())
            })
        };
        let kernel = Kernel { cells: 1, reach: u32::MAX, fill: &fill };
        self.each_run(std::slice::from_ref(input), &kernel, monitor)?;
        Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// The judged documents of each list, run by run.
    pub fn judged_lists(
        &self,
        inputs: &[Input],
        monitor: &Arc<Monitor>,
    ) -> Result<Vec<JudgedLists>> {
        let topics = self.qrels().topics();
        let kept: Vec<Mutex<Vec<Option<Trace>>>> =
            inputs.iter().map(|_| Mutex::new(vec![None; topics.len()])).collect();
        let fill = |cell: Cell, ranking: &Ranking, _: &mut Workspace, _: &mut [f64]| {
            let mut trace = Trace::default();
            trace.write(ranking, &topics[cell.topic], self.judged_grades(), false);
            let mut kept = kept[cell.run].lock().unwrap_or_else(PoisonError::into_inner);
            kept[cell.topic] = Some(trace);
            Ok(())
        };
        let kernel = Kernel { cells: 1, reach: u32::MAX, fill: &fill };
        self.each_run(inputs, &kernel, monitor)?;
        let of_run = |traces: Mutex<Vec<Option<Trace>>>| {
            let traces = traces.into_inner().unwrap_or_else(PoisonError::into_inner);
            let mut lists = JudgedLists { offsets: vec![0], ..JudgedLists::default() };
            for trace in traces {
                let hits = trace.iter().flat_map(|trace| &trace.records);
                for hit in hits.filter(|hit| hit.condensed > 0) {
                    lists.ranks.push(hit.rank);
                    lists.grades.push(self.qrels().grades()[hit.grade_index as usize]);
                }
                lists.offsets.push(lists.ranks.len());
                lists.retrieved.push(trace.map(|trace| trace.retrieved));
            }
            lists
        };
        Ok(kept.into_iter().map(of_run).collect())
    }

    /// Reads a run from a stream, which is read only once.
    pub fn gather(&self, reader: LineReader, name: &str) -> Result<Gathered> {
        self.context.gather(reader, name)
    }

    /// How these runs are to be scored.
    pub fn schedule(&self, inputs: &[Input]) -> Schedule {
        Schedule::of(inputs, self.context.options.threads)
    }

    /// The cells of runs x topics x measures, in parallel over runs.
    pub(crate) fn each_run(
        &self,
        inputs: &[Input],
        kernel: &Kernel,
        monitor: &Arc<Monitor>,
    ) -> Result<(Vec<f64>, Vec<Notes>)> {
        let width = self.measures.len() * kernel.cells;
        each_run(inputs, Filling { context: &self.context, kernel, width }, monitor)
    }

    /// Values of runs x topics x measures with their labels.
    pub(crate) fn labelled(&self, inputs: &[Input], values: Vec<f64>, notes: Vec<Notes>) -> Scores {
        let runs = inputs.iter().map(|input| input.name().to_string()).collect();
        self.labelled_as(runs, values, notes)
    }

    pub(super) fn labelled_as(
        &self,
        runs: Vec<String>,
        values: Vec<f64>,
        notes: Vec<Notes>,
    ) -> Scores {
        Scores {
            runs,
            topics: Arc::clone(self.topics.get_or_init(|| {
                self.qrels().topics().iter().map(|topic| topic.id().into()).collect()
            })),
            measures: Arc::clone(&self.columns),
            values,
            weights: Vec::new(),
            notes,
            without_relevant: Arc::clone(&self.without_relevant),
            judgments: Arc::clone(&self.judgments),
        }
    }

    /// The values of one ranked topic.
    pub(crate) fn score_topic(
        &self,
        topic: usize,
        ranking: &Ranking,
        workspace: &mut Workspace,
        out: &mut [f64],
    ) -> Result<()> {
        self.each_case(topic, ranking, workspace, |case, measure, i| {
            out[i] = self.value(case, measure)?;
            Ok(())
        })?;
        let mut prefixed = self.prefixed.iter();
        prefixed.try_for_each(|prefixed| prefixed.score(topic, ranking, workspace, out))?;
        let mut budgeted = self.budgeted.iter();
        budgeted.try_for_each(|budgeted| budgeted.score(topic, ranking, workspace, out))
    }

    /// Hands each measure over documents what it sees of a ranked topic.
    pub(crate) fn each_case(
        &self,
        topic: usize,
        ranking: &Ranking,
        workspace: &mut Workspace,
        f: impl FnMut(&Case, &Measure, usize) -> Result<()>,
    ) -> Result<()> {
        self.compiled.each_case(topic, ranking, workspace, f)
    }

    /// The same for measures of the full list, after the last document of a group went to the top
    /// of it in the ranking that was seen last.
    pub(crate) fn each_turned_case(
        &self,
        topic: usize,
        ranking: &Ranking,
        group: (u32, u32),
        workspace: &mut Workspace,
        f: impl FnMut(&Case, &Measure, usize) -> Result<()>,
    ) -> Result<()> {
        self.compiled.each_turned_case(topic, ranking, group, workspace, f)
    }

    /// A measure's value, under the policy for undefined ones.
    pub(crate) fn value(&self, case: &Case, measure: &Measure) -> Result<f64> {
        self.settle(measure.score(case), case, measure)
    }

    /// What a fold's value is under the policy for undefined ones.
    pub(crate) fn settle(&self, score: f64, case: &Case, measure: &Measure) -> Result<f64> {
        let defined = case.view.num_rel > 0;
        self.context.options.undefined.settle(score, defined, measure, case.topic.id())
    }

    /// The measures, each with its gain of every grade, if that is relevant to
    /// it, and whether the grade counts as judged.
    pub(crate) fn each_measure(
        &self,
    ) -> impl Iterator<Item = (&Measure, Vec<(Option<f64>, bool)>)> {
        self.compiled.prepared.iter().map(|prepared| {
            let grades = prepared.gains.iter().zip(&self.compiled.lenses[prepared.lens].relevant);
            let gains = grades.map(|(&gain, &relevant)| relevant.then_some(gain));
            (&prepared.measure, gains.zip(self.compiled.is_judged.iter().copied()).collect())
        })
    }

    /// Which grades count as judged.
    pub(crate) fn judged_grades(&self) -> &[bool] {
        &self.compiled.is_judged
    }

    /// Whether a grade counts as judged, by its position in the list of all.
    pub(crate) fn is_judged(&self, grade_index: u32) -> bool {
        self.compiled.is_judged[grade_index as usize]
    }
}

/// An error if lengths are asked for in two units: they are in one.
fn check_lengths(units: Units, qrels: &Qrels) -> Result<()> {
    let both = units.has(Unit::Chars) && units.has(Unit::Tokens);
    if !both || qrels.costs.lengths.is_none() {
        return Ok(());
    }
    let message = "the lengths of documents are either characters or tokens, and the measures ask for both, @chars= and @tokens=; evaluate them in two calls, or give the run the columns chars and tokens instead";
    Err(Error::new(Kind::Needs, message))
}

/// How far down a list a measure looks.
pub(crate) fn reach(measure: &Measure) -> u32 {
    let all = measure.prime || measure.needs_collection() || measure.budget.is_some();
    if all { u32::MAX } else { (measure.family.sees.reach)(measure) }
}
