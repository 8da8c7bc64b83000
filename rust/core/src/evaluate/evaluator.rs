//! Judgments and measures compiled together, and the values of runs.

use std::sync::{Arc, OnceLock};

use super::compile::{CompiledMeasures, check, with_rel};
use super::context::Context;
use super::input::{Input, Ranked};
use super::kernel::{Cell, Kernel, Workspace};
use super::monitor::Monitor;
use super::options::Options;
use super::prefixed::PrefixedMeasures;
use super::ranked::rank_runs;
use super::row::Filling;
use super::runs::{self, each_run};
use crate::error::Result;
use crate::measure::{Aggregate, Case, Measure, Over};
use crate::qrels::{Qrels, Topic};
use crate::rank::Ranking;
use crate::read::lines::LineReader;
use crate::read::run::{Gathered, RunOptions};
use crate::scores::{Column, Notes, Scores};

/// Judgments and measures compiled together; immutable, safe from threads.
pub struct Evaluator {
    pub(super) context: Context,
    measures: Vec<Measure>,
    /// The labels that all scores share.
    columns: Arc<[Column]>,
    topics: OnceLock<Arc<[Box<[u8]>]>>,
    /// The measures over documents.
    compiled: CompiledMeasures,
    /// The others.
    prefixed: Vec<PrefixedMeasures>,
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
            if measure.over == Over::Documents {
                compiled.add(&with_rel(measure, options.rel), distinct.len())?;
            }
            distinct.push(measure.clone());
        }
        compiled.finish()?;
        let prefixed = PrefixedMeasures::of_all(&context, &distinct)?;
        let depths = distinct.iter().map(Measure::unjudged_depth);
        let unjudged_depth = depths.fold(options.ranker.unjudged_depth, u32::max);
        context.options.ranker.unjudged_depth = unjudged_depth;
        let reach = distinct.iter().map(reach).max().filter(|_| !options.ranker.groups);
        let mut without_relevant = compiled.without_relevant();
        without_relevant.extend(prefixed.iter().flat_map(PrefixedMeasures::without_relevant));
        without_relevant.sort();
        without_relevant.dedup();
        let reach = reach.unwrap_or(u32::MAX);
        let mut evaluator = Evaluator {
            context,
            columns: distinct.iter().cloned().map(Column::Known).collect(),
            measures: distinct,
            topics: OnceLock::new(),
            compiled,
            prefixed,
            reach,
            without_relevant: without_relevant.into(),
            judgments: Arc::default(),
        };
        let said = [evaluator.fractions_below(), evaluator.qrels().iterations.clone()];
        evaluator.judgments = said.into_iter().flatten().collect();
        Ok(evaluator)
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

    /// The measures by whose default relevance level nothing is relevant, though there are
    /// grades above 0; with them the lowest and the highest of these.
    ///
    /// A level that the caller names is taken as meant.
    pub fn above_all_grades(&self) -> Option<(Vec<&Measure>, f64, f64)> {
        let default = self.context.options.rel.is_none();
        let has_default = |m: &&Measure| default && !m.rel_given && m.rel_decides();
        let mut defaulted = self.measures().filter(has_default).peekable();
        defaulted.peek()?;
        let counts = self.qrels().topics().iter().flat_map(Topic::counts);
        let grades = counts.map(|of| self.qrels().grades()[of.grade_index as usize]);
        let (lowest, highest) = grades
            .filter(|grade| *grade > 0.0)
            .fold((f64::INFINITY, 0.0_f64), |(low, high), grade| (low.min(grade), high.max(grade)));
        let above: Vec<&Measure> = defaulted.filter(|measure| highest < measure.rel).collect();
        (highest > 0.0 && !above.is_empty()).then_some((above, lowest, highest))
    }

    /// What to say if grades are not relevant by the default relevance level of a measure that
    /// look as if they were: fractions above 0, beside grades that are relevant.
    fn fractions_below(&self) -> Option<Box<str>> {
        let default = self.context.options.rel.is_none();
        let has_default = |m: &&Measure| default && !m.rel_given && m.rel_decides();
        let rel = self.measures().find(has_default)?.rel;
        let grades = self.qrels().grades();
        let is_fraction = |grade: &f64| 0.0 < *grade && *grade < rel && grade.fract() != 0.0;
        grades.iter().find(|grade| is_fraction(grade))?;
        // The list may hold grades that no judgment has any more.
        let counts = self.qrels().topics().iter().flat_map(Topic::counts);
        let mut held = vec![false; grades.len()];
        counts.for_each(|of| held[of.grade_index as usize] = true);
        let held = || grades.iter().zip(&held).filter(|(_, held)| **held).map(|(grade, _)| *grade);
        let below: Vec<String> =
            held().filter(is_fraction).map(|grade| format!("{grade}")).collect();
        if below.is_empty() || !held().any(|grade| grade >= rel) {
            return None;
        }
        let shown = below.iter().rev().take(5).rev().cloned().collect::<Vec<_>>().join(" ");
        let more = if below.len() > 5 { "... " } else { "" };
        Some(format!("grades below rel={rel} count as not relevant: {more}{shown}").into())
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

    /// Ranks runs and joins them with the judgments, to be scored later by any
    /// measure that looks at the documents of the judgments only, and by the
    /// evaluator's own; with `keep_unjudged` by all.
    pub fn rank(
        &self,
        inputs: &[Input],
        keep_unjudged: bool,
        monitor: &Arc<Monitor>,
    ) -> Result<Vec<Ranked>> {
        rank_runs(self.qrels(), self.options(), inputs, keep_unjudged, monitor)
    }

    /// Reads a run from a stream, which is read only once.
    pub fn gather(&self, reader: LineReader, name: &str) -> Result<Gathered> {
        self.context.gather(reader, name)
    }

    /// Whether one thread scores these, which is the one that calls.
    pub fn is_single_threaded(&self, inputs: &[Input]) -> bool {
        runs::is_single_threaded(self.context.options.threads, inputs)
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
        prefixed.try_for_each(|prefixed| prefixed.score(topic, ranking, workspace, out))
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

/// How far down a list a measure looks.
pub(crate) fn reach(measure: &Measure) -> u32 {
    let all = measure.prime || measure.needs_collection();
    if all { u32::MAX } else { (measure.family.sees.reach)(measure) }
}
