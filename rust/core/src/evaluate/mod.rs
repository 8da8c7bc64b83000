//! The double loop: runs x topics.
//!
//! [`Evaluator::new`] works out once what all measures need of a topic: which
//! views, which gains, which ideals. After that scoring is a pure function of
//! a run and a topic. Threads split runs, never a sum, so the bits are the
//! same for any number of them.

mod input;
mod join;
mod over;
mod sheet;
mod split;
mod stream;

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rayon::ThreadPool;
use rayon::prelude::*;

use crate::arrays::Desk;
use crate::bytes::{Again, GOLDEN, lasting_hash};
use crate::error::{Error, Kind, Result, quote};
use crate::grammar;
use crate::ideal::{Discount, Ideal};
use crate::measure::{Aggregate, Best, Case, Measure, Needs, Over, UnjudgedDocs};
use crate::qrels::{Qrels, Topic};
use crate::read::lines::LineReader;
use crate::read::qrels::{CLASS, COST, INCLUSION, STRATUM};
use crate::read::run::{Gathered, RunOptions, gather_or_topics};
use crate::run::{Ranker, Ranking, Scratch};
use crate::sample::{self, Design, Sample};
use crate::scores::{Column, Missing, Notes, Scores};
use crate::table::Table;
use crate::trace::{Lens, Trace, View};
pub use input::{Input, Monitor, Negative, Options, Ranked};
pub use join::Joiner;
use over::Part;
pub(crate) use sheet::explain;
use sheet::{Sheet, nothing_in_common};
use split::is_large;
use stream::{Job, Scoring};

/// A measure over documents with everything about it that the judgments settle.
struct Prepared {
    measure: Measure,
    /// Where it stands among all measures.
    place: usize,
    lens: usize,
    ideal: usize,
    gains: Vec<f64>,
    top_gain: f64,
    discount: usize,
    best: Best,
    /// Where its relevance level stands among all.
    rel: usize,
    needs_collection: bool,
    /// Whether it sees a topic as the measure before it does.
    alike: bool,
}

impl Prepared {
    /// Whether all that it sees of a topic is the same to another: gains, discount and what
    /// is best are those of the kind of ideal, the prime is that of the lens.
    fn sees_as(&self, other: &Prepared) -> bool {
        (self.lens, self.ideal, self.rel) == (other.lens, other.ideal, other.rel)
            && self.top_gain.to_bits() == other.top_gain.to_bits()
    }

    /// What a judged document of a grade gains.
    fn gain(&self, grade: f64) -> f64 {
        (self.measure.family.sees.gain)(&self.measure, self.measure.mapped(grade), self.top_gain)
    }
}

/// What sets one best possible list apart from another: gains, discount, and
/// what it is made of.
type IdealKind = (Vec<f64>, usize, Best);

/// Judgments and measures compiled together; immutable, safe from threads.
pub struct Evaluator {
    qrels: Arc<Qrels>,
    /// What a topic is that nobody judged.
    stranger: Topic,
    options: Options,
    measures: Vec<Measure>,
    prepared: Vec<Prepared>,
    /// The measures that are computed over something else than documents.
    parts: Vec<Part>,
    /// Which intent the judgments are those of, if they are of one.
    intent: Option<usize>,
    lenses: Vec<Lens>,
    discounts: Vec<Discount>,
    is_judged: Vec<bool>,
    /// A slot for each topic and kind of ideal, filled by the first who asks.
    ideals: Vec<OnceLock<Ideal>>,
    ideal_kinds: usize,
    /// The relevance levels.
    rels: Vec<f64>,
    /// A slot for each topic and relevance level, filled by the first who asks
    /// how many documents serve each intent.
    served: Vec<OnceLock<Box<[u32]>>>,
    /// How far down a list any measure looks.
    reach: u32,
    /// The documents that any topic's judgments name, if a measure asks.
    named: Option<HashSet<u64, Again>>,
    /// A slot for each topic, if a measure needs samples.
    samples: Vec<OnceLock<Sample>>,
    without_relevant: Vec<Box<[u8]>>,
}

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
/// the other: what functions from outside are measures of.
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

/// What is worked out of a topic whose ranking is in the workspace: so many
/// cells for each measure.
pub(crate) struct Kernel<'a> {
    /// How many cells a measure has.
    pub(crate) cells: usize,
    /// How far down a list it looks.
    pub(crate) reach: u32,
    /// Fills the cells of all measures.
    pub(crate) fill: &'a Fill<'a>,
}

/// Evaluator, where in the table, the topic's ranking, the cells to fill.
pub(crate) type Fill<'a> =
    dyn Fn(&Evaluator, Spot, &mut Workspace, &mut [f64]) -> Result<()> + Sync + 'a;

/// A run and a topic, by position.
#[derive(Clone, Copy)]
pub(crate) struct Spot {
    pub(crate) run: usize,
    pub(crate) topic: usize,
}

/// Memory that a thread uses again from topic to topic.
#[derive(Default)]
pub(crate) struct Workspace {
    scratch: Scratch,
    desk: Desk,
    pub(crate) ranking: Ranking,
    trace: Trace,
    views: Vec<View>,
}

impl Evaluator {
    /// Compiles measures against judgments. Equal measures count once.
    pub fn new(qrels: Arc<Qrels>, measures: &[Measure], options: Options) -> Result<Self> {
        if options.ranker.depth == Some(0) {
            return Err(Error::new(Kind::Option, "expected a depth of at least 1, found 0"));
        }
        if options.threads == Some(0) {
            return Err(Error::new(Kind::Option, "expected at least 1 thread, found 0"));
        }
        let judged = |&grade: &f64| grade >= 0.0 || options.negative == Negative::Nonrelevant;
        let mut evaluator = Evaluator {
            is_judged: qrels.grades().iter().map(judged).collect(),
            qrels,
            stranger: Topic::default(),
            options,
            measures: Vec::new(),
            prepared: Vec::new(),
            parts: Vec::new(),
            intent: None,
            lenses: Vec::new(),
            discounts: Vec::new(),
            ideals: Vec::new(),
            ideal_kinds: 0,
            rels: Vec::new(),
            served: Vec::new(),
            reach: 0,
            named: None,
            samples: Vec::new(),
            without_relevant: Vec::new(),
        };
        let mut kinds: Vec<IdealKind> = Vec::new();
        for measure in measures {
            if !evaluator.measures.contains(measure) {
                evaluator.prepare(measure, &mut kinds)?;
            }
        }
        evaluator.parts = Part::of_all(&evaluator)?;
        let strangers = evaluator.measures.iter().map(Measure::unjudged_depth);
        let strangers = strangers.fold(options.ranker.strangers, u32::max);
        evaluator.options.ranker.strangers = strangers;
        if evaluator
            .measures()
            .any(|measure| matches!(measure.family.sees.unjudged_docs, UnjudgedDocs::LookedUp(_)))
        {
            evaluator.named = Some(named(&evaluator.qrels));
        }
        let groups = evaluator.options.ranker.groups;
        let reach = evaluator.measures().map(reach).max().filter(|_| !groups);
        evaluator.reach = reach.unwrap_or(u32::MAX);
        evaluator.ideal_kinds = kinds.len();
        let slots = kinds.len() * evaluator.qrels.topics().len();
        evaluator.ideals.resize_with(slots, OnceLock::new);
        let slots = evaluator.rels.len() * evaluator.qrels.topics().len();
        evaluator.served.resize_with(slots, OnceLock::new);
        let lenses = &evaluator.lenses;
        let bare = |topic: &&Topic| {
            lenses
                .iter()
                .any(|lens| !topic.counts().iter().any(|&(level, _)| lens.relevant[level as usize]))
        };
        let mut without: Vec<Box<[u8]>> =
            evaluator.qrels.topics().iter().filter(bare).map(|topic| topic.id().into()).collect();
        without.extend(evaluator.parts.iter().flat_map(Part::without_relevant));
        without.sort();
        without.dedup();
        evaluator.without_relevant = without;
        Ok(evaluator)
    }

    fn prepare(&mut self, measure: &Measure, kinds: &mut Vec<IdealKind>) -> Result<()> {
        grammar::complete(measure)?;
        let qrels = &self.qrels;
        if measure.needs_collection() && qrels.docs_in_collection.is_none() {
            return Err(needs_collection(measure));
        }
        self.check_columns(measure)?;
        self.measures.push(measure.clone());
        if measure.over != Over::Documents {
            return Ok(());
        }
        let measure = &self.leveled(measure);
        if matches!(measure.family.sees.needs, Needs::Strata | Needs::Sample) {
            self.samples.resize_with(self.qrels.topics().len(), OnceLock::new);
        }
        let qrels = &self.qrels;
        // A document that nobody judged gains nothing, whatever a map says.
        let judged = qrels.grades().iter().zip(&self.is_judged);
        let mapped: Vec<f64> = judged
            .map(|(&grade, &judged)| if judged { measure.mapped(grade) } else { 0.0 })
            .collect();
        let top_gain = mapped.iter().copied().fold(0.0, f64::max);
        if let Some(declared) = measure.declared_top()
            && top_gain > declared
        {
            let message = format!(
                "{measure} declares {declared} to be the highest gain, and there can be one of {top_gain}"
            );
            return Err(Error::new(Kind::Parameter, message));
        }
        let gain = |(&gain, &judged): (&f64, &bool)| {
            if judged { (measure.family.sees.gain)(measure, gain, top_gain) } else { 0.0 }
        };
        let gains: Vec<f64> = mapped.iter().zip(&self.is_judged).map(gain).collect();
        let graded = measure.counts_gains();
        let is_relevant = |(level, &grade): (usize, &f64)| {
            let wanted =
                if graded { gains[level] > 0.0 } else { grade >= measure.rel && grade >= 0.0 };
            self.is_judged[level] && wanted
        };
        let relevant = qrels.grades().iter().enumerate().map(is_relevant).collect();
        let lens =
            position(&mut self.lenses, Lens { condensed: measure.prime, relevant }, |a, b| a == b);
        let kind = (measure.family.sees.discount)(measure);
        let known = self.discounts.iter().position(|discount| discount.kind() == kind);
        let discount = known.unwrap_or_else(|| {
            self.discounts.push(Discount::new(kind));
            self.discounts.len() - 1
        });
        let best = (measure.family.sees.best)(measure);
        let ideal = position(kinds, (gains.clone(), discount, best.clone()), |a, b| a == b);
        let mut prepared = Prepared {
            measure: measure.clone(),
            place: self.measures.len() - 1,
            lens,
            ideal,
            gains,
            top_gain,
            discount,
            best,
            rel: position(&mut self.rels, measure.rel, |a, b| a == b),
            needs_collection: measure.needs_collection(),
            alike: false,
        };
        prepared.alike = self.prepared.last().is_some_and(|last| prepared.sees_as(last));
        self.prepared.push(prepared);
        Ok(())
    }

    /// A measure with the relevance level that it has here.
    fn leveled(&self, measure: &Measure) -> Measure {
        let own = measure.rel_given || !measure.family.takes_rel();
        let rel = self.options.rel.filter(|_| !own).unwrap_or(measure.rel);
        Measure { rel, ..measure.clone() }
    }

    /// An error if the judgments lack a column that a measure reads.
    fn check_columns(&self, measure: &Measure) -> Result<()> {
        if measure.family.sees.needs == Needs::Nothing && measure.over == Over::Documents {
            return Ok(());
        }
        let by_intent = measure.family.sees.needs == Needs::Intents
            || !matches!(measure.over, Over::Documents | Over::Classes);
        let (missing, python, command_line) = match (measure.family.sees.needs, self.design(0)) {
            _ if by_intent && !self.qrels.has_intents() => (
                "grades under each intent",
                "read them with layout=\"intents\", or make them with Qrels.from_intents",
                "give judgments of topic, intent, document and grade with --layout intents",
            ),
            _ if measure.over == Over::Classes && self.column(CLASS, 0).is_none() => (
                "the class of each document",
                "give them with Qrels.with_column(\"class\", ...)",
                "give a file of them with --classes",
            ),
            (Needs::Strata, None | Some(Design::Inclusion(_))) => (
                "the stratum of each document",
                "read judgments whose fourth column of five it is, or give them with Qrels.with_column(\"stratum\", ...)",
                "give judgments whose fourth column of five it is",
            ),
            (Needs::Sample, None) => {
                let columns =
                    "give judgments of five columns, the fourth or the fifth of which says it";
                ("the stratum of each document or its probability to be judged", columns, columns)
            }
            _ => return Ok(()),
        };
        Err(Error::for_each(Kind::Needs, |to| {
            let advice = to.either(python, command_line);
            format!("{measure} needs {missing}, and these judgments have none; {advice}")
        }))
    }

    /// The measures by whose default relevance level nothing is relevant, though there are
    /// grades above 0; with them the lowest and the highest of these.
    ///
    /// Whoever names a level means it.
    pub fn above_all_grades(&self) -> Option<(Vec<&Measure>, f64, f64)> {
        let default = self.options.rel.is_none();
        let leveled = |m: &&Measure| default && !m.rel_given && m.rel_decides();
        let mut leveled = self.measures().filter(leveled).peekable();
        leveled.peek()?;
        let counts = self.qrels.topics().iter().flat_map(Topic::counts);
        let grades = counts.map(|&(level, _)| self.qrels.grades()[level as usize]);
        let (lowest, highest) = grades
            .filter(|grade| *grade > 0.0)
            .fold((f64::INFINITY, 0.0_f64), |(low, high), grade| (low.min(grade), high.max(grade)));
        let above: Vec<&Measure> = leveled.filter(|measure| highest < measure.rel).collect();
        (highest > 0.0 && !above.is_empty()).then_some((above, lowest, highest))
    }

    /// How the documents of a topic came to be judged, if the judgments say so.
    fn design(&self, topic: usize) -> Option<Design<'_>> {
        let strata = self.column(STRATUM, topic).map(Design::Strata);
        strata.or_else(|| self.column(INCLUSION, topic).map(Design::Inclusion))
    }

    /// A column of a topic by its name.
    fn column(&self, name: &str, topic: usize) -> Option<&[f64]> {
        let position = self.qrels.column_names().iter().position(|known| known == name)?;
        self.qrels.topics().get(topic).map_or(Some(&[][..]), |topic| topic.column(position))
    }

    /// The judgments of a topic by its position, if it has one.
    fn topic(&self, position: Option<usize>) -> &Topic {
        position.map_or(&self.stranger, |position| &self.qrels.topics()[position])
    }

    /// The judgments.
    pub fn qrels(&self) -> &Arc<Qrels> {
        &self.qrels
    }

    /// The options that it was compiled with.
    pub fn options(&self) -> Options {
        self.options
    }

    /// The measures, each once.
    pub fn measures(&self) -> impl Iterator<Item = &Measure> {
        self.measures.iter()
    }

    /// Scores runs, in parallel. The first run that fails, in the order given,
    /// decides the error.
    pub fn evaluate(&self, inputs: &[Input], monitor: &Arc<Monitor>) -> Result<Scores> {
        let kernel = Kernel { cells: 1, reach: self.reach, fill: &Evaluator::score_topic };
        if self.measures().all(|measure| measure.aggregate() != Aggregate::Pooled) {
            let (values, notes) = self.each_run(inputs, &kernel, monitor)?;
            return Ok(self.labelled(inputs, values, notes));
        }
        // The second half of a topic's cells is what its values are shares of.
        let fill =
            |evaluator: &Evaluator, spot: Spot, workspace: &mut Workspace, out: &mut [f64]| {
                let (values, weights) = out.split_at_mut(evaluator.measures.len());
                evaluator.score_topic(spot, workspace, values)?;
                evaluator.each_case(spot.topic, workspace, |case, measure, i| {
                    weights[i] = measure.weight(case);
                    Ok(())
                })
            };
        let kernel = Kernel { cells: 2, fill: &fill, ..kernel };
        let (cells, notes) = self.each_run(inputs, &kernel, monitor)?;
        let width = self.measures.len();
        let half = |from: usize| -> Vec<f64> {
            let topics = cells.chunks_exact(2 * width);
            topics.flat_map(|topic| topic[from..from + width].iter().copied()).collect()
        };
        Ok(Scores { weights: half(width), ..self.labelled(inputs, half(0), notes) })
    }

    /// The notes on a run of which nothing was looked at.
    fn blank_notes(&self) -> Notes {
        let f32_differs = self.options.ranker.both_precisions.then_some(0);
        Notes { f32_differs, ..Notes::default() }
    }

    /// Counts a topic in which a judged document stands elsewhere in the other
    /// precision.
    fn note_moved(&self, notes: &mut Notes, topic: usize, ranking: &Ranking) {
        let levels = self.qrels.topics()[topic].levels();
        let judged = |&document: &u32| {
            levels.get(document).is_some_and(|level| self.is_judged[level as usize])
        };
        if ranking.moved.iter().any(judged) {
            notes.f32_differs = notes.f32_differs.map(|count| count + 1);
        }
    }

    /// Reads a run from a stream, which is read only once.
    pub fn gather(&self, reader: LineReader, name: &str) -> Result<Gathered> {
        let file = reader.name().to_string();
        gather_or_topics(reader, self.run_options(), name.to_string())
            .map_err(|(error, topics)| self.foremost(error, name, &file, &topics))
    }

    /// What to say of a run that failed: if nobody judged any of its topics, then that,
    /// since it makes all else that is wrong with it beside the point.
    #[cold]
    fn foremost(&self, error: Error, run: &str, file: &str, topics: &[Box<[u8]>]) -> Error {
        let matches = topics.iter().any(|id| self.qrels.position(id).is_some());
        let asked = self.options.expects_topics() && error.kind() != Kind::Cancelled;
        if matches || !asked || topics.is_empty() {
            return error;
        }
        let mut seen = HashSet::new();
        let topics = topics.iter().map(|id| &**id).filter(|id| seen.insert(*id));
        let error = nothing_in_common(run, topics, &self.qrels);
        if file.is_empty() { error } else { error.in_file(file) }
    }

    /// Ranks runs and joins them with the judgments, to be scored later by any
    /// measure that looks at the documents of the judgments only, and by the
    /// evaluator's own; with `strangers` by all.
    pub fn rank(
        &self,
        inputs: &[Input],
        strangers: bool,
        monitor: &Arc<Monitor>,
    ) -> Result<Vec<Ranked>> {
        let strangers = if strangers { u32::MAX } else { self.options.ranker.strangers };
        let ranker = Ranker { strangers, groups: true, ..self.options.ranker };
        let options = Options { ranker, missing: Missing::Skip, ..self.options };
        let bare = Evaluator::new(Arc::clone(&self.qrels), &[], options)?;
        let topics = self.qrels.topics();
        let empty = || Mutex::new(vec![None; topics.len()]);
        let kept: Vec<Mutex<Vec<Option<Ranking>>>> = inputs.iter().map(|_| empty()).collect();
        let fill = |_: &Evaluator, spot: Spot, workspace: &mut Workspace, _: &mut [f64]| {
            let mut kept = kept[spot.run].lock().unwrap_or_else(PoisonError::into_inner);
            kept[spot.topic] = Some(workspace.ranking.clone());
            Ok(())
        };
        let (_, notes) =
            bare.each_run(inputs, &Kernel { cells: 1, reach: u32::MAX, fill: &fill }, monitor)?;
        let tables: Vec<Arc<Table>> = topics.iter().map(|topic| Arc::clone(topic.docs())).collect();
        let runs = inputs.iter().zip(kept).zip(notes);
        let ranked = runs.map(|((input, kept), notes)| Ranked {
            name: input.name().to_string(),
            tables: tables.clone(),
            rankings: kept.into_inner().unwrap_or_else(PoisonError::into_inner),
            strangers,
            groups: true,
            notes,
        });
        Ok(ranked.collect())
    }

    /// Where the relevant documents of a run are, in the sense of the first
    /// measure: for each topic in order what was retrieved, how many are
    /// relevant and the ranks of those in the list. What curves are drawn from.
    pub fn relevant_ranks(&self, input: &Input, monitor: &Arc<Monitor>) -> Result<Vec<Found>> {
        let found = Mutex::new(vec![Found::default(); self.qrels.topics().len()]);
        let fill = |evaluator: &Evaluator, spot: Spot, workspace: &mut _, _: &mut [f64]| {
            evaluator.each_case(spot.topic, workspace, |case, _, i| {
                if i == 0 {
                    let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                    found[spot.topic] = Found {
                        retrieved: case.retrieved(),
                        num_rel: case.view.num_rel,
                        ranks: case.relevant(u32::MAX).iter().map(|d| d.rank).collect(),
                    };
                }
                Ok(())
            })
        };
        self.each_run(
            std::slice::from_ref(input),
            &Kernel { cells: 1, reach: u32::MAX, fill: &fill },
            monitor,
        )?;
        Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// The judged documents of each list, run by run.
    pub fn judged_lists(
        &self,
        inputs: &[Input],
        monitor: &Arc<Monitor>,
    ) -> Result<Vec<JudgedLists>> {
        let topics = self.qrels.topics();
        let kept: Vec<Mutex<Vec<Option<Trace>>>> =
            inputs.iter().map(|_| Mutex::new(vec![None; topics.len()])).collect();
        let fill = |evaluator: &Evaluator, spot: Spot, workspace: &mut Workspace, _: &mut [f64]| {
            let Workspace { ranking, trace, .. } = workspace;
            trace.write(ranking, &topics[spot.topic], &evaluator.is_judged);
            let mut kept = kept[spot.run].lock().unwrap_or_else(PoisonError::into_inner);
            kept[spot.topic] = Some(trace.clone());
            Ok(())
        };
        let kernel = Kernel { cells: 1, reach: u32::MAX, fill: &fill };
        self.each_run(inputs, &kernel, monitor)?;
        let of_run = |traces: Mutex<Vec<Option<Trace>>>| {
            let traces = traces.into_inner().unwrap_or_else(PoisonError::into_inner);
            let mut lists = JudgedLists { offsets: vec![0], ..JudgedLists::default() };
            for trace in traces {
                let hits = trace.iter().flat_map(|trace| &trace.hits);
                for hit in hits.filter(|hit| hit.condensed > 0) {
                    lists.ranks.push(hit.rank);
                    lists.grades.push(self.qrels.grades()[hit.grade_index as usize]);
                }
                lists.offsets.push(lists.ranks.len());
                lists.retrieved.push(trace.map(|trace| trace.retrieved));
            }
            lists
        };
        Ok(kept.into_iter().map(of_run).collect())
    }

    /// Values of runs x topics x measures with their labels.
    pub(crate) fn labelled(&self, inputs: &[Input], values: Vec<f64>, notes: Vec<Notes>) -> Scores {
        Scores {
            runs: inputs.iter().map(|input| input.name().to_string()).collect(),
            topics: self.qrels.topics().iter().map(|topic| topic.id().into()).collect(),
            measures: self.measures().cloned().map(Column::Known).collect(),
            values,
            weights: Vec::new(),
            notes,
            without_relevant: self.without_relevant.clone(),
        }
    }

    /// Whether one thread scores these, which is the one that calls.
    pub fn is_single_threaded(&self, inputs: &[Input]) -> bool {
        self.options.threads.unwrap_or_else(available_threads).min(jobs_of(inputs)) <= 1
    }

    /// The cells of runs x topics x measures, in parallel over runs.
    pub(crate) fn each_run(
        &self,
        inputs: &[Input],
        kernel: &Kernel,
        monitor: &Arc<Monitor>,
    ) -> Result<(Vec<f64>, Vec<Notes>)> {
        let width = self.qrels.topics().len() * self.measures.len() * kernel.cells;
        let mut values = vec![0.0; width * inputs.len()];
        let threads = self.options.threads.unwrap_or_else(available_threads);
        // A collection without topics or measures has rows of no width.
        let rows: Vec<&mut [f64]> = if width == 0 {
            inputs.iter().map(|_| <&mut [f64]>::default()).collect()
        } else {
            values.chunks_mut(width).collect()
        };
        let jobs = inputs.iter().zip(rows).enumerate();
        let jobs: Vec<Job> = jobs.map(|(place, (input, row))| Job { place, input, row }).collect();
        let scoring = Scoring {
            evaluator: self,
            kernel,
            threads: threads / inputs.len().max(1),
            monitor,
            failed: &AtomicUsize::new(usize::MAX),
        };
        let notes: Vec<Result<Notes>> = match thread_pool(self.options.threads, jobs_of(inputs))? {
            None => {
                let mut workspace = Workspace::default();
                jobs.into_iter().map(|job| scoring.score(job, &mut workspace)).collect()
            }
            Some(pool) => pool.install(|| {
                let jobs = jobs.into_par_iter().with_max_len(1);
                let score = |workspace: &mut Workspace, job| scoring.score(job, workspace);
                jobs.map_init(Workspace::default, score).collect()
            }),
        };
        let notes = notes.into_iter().collect::<Result<Vec<Notes>>>()?;
        Ok((values, notes))
    }

    /// What the order needs to know of a run.
    pub fn run_options(&self) -> RunOptions {
        self.options.run_options()
    }

    /// The values of one ranked topic.
    pub(crate) fn score_topic(
        &self,
        spot: Spot,
        workspace: &mut Workspace,
        out: &mut [f64],
    ) -> Result<()> {
        self.each_case(spot.topic, workspace, |case, measure, i| {
            out[i] = self.value(case, measure)?;
            Ok(())
        })?;
        self.parts.iter().try_for_each(|part| part.score(self, spot.topic, workspace, out))
    }

    /// A measure's value, under the policy for undefined ones.
    pub(crate) fn value(&self, case: &Case, measure: &Measure) -> Result<f64> {
        self.settle(measure.score(case), case, measure)
    }

    /// What becomes of a fold's value under the policy for undefined ones.
    pub(crate) fn settle(&self, score: f64, case: &Case, measure: &Measure) -> Result<f64> {
        let defined = case.view.num_rel > 0;
        self.options.undefined.settle(score, defined, measure, case.topic.id())
    }

    /// A collection holds what was retrieved, what is relevant, and documents
    /// that are neither: not all can be relevant, even if so many more were.
    pub(crate) fn check_collection(&self, measure: &Measure, case: &Case, more: u64) -> Result<()> {
        let found = self.qrels.docs_in_collection.unwrap_or(0);
        let num_rel = u64::from(case.view.num_rel);
        let missed = num_rel - case.view.relevant.len() as u64;
        let known = u64::from(case.retrieved()) + missed;
        let judged = num_rel + u64::from(case.view.num_nonrel);
        let least = known.max(judged).max(num_rel + more + 1);
        if found < least {
            return Err(Error::for_each(Kind::Option, |to| {
                format!(
                    "{measure} needs {}, the number of documents in the collection: found {found}, expected at least {least} because of topic {}",
                    to.option("docs_in_collection"),
                    quote(case.topic.id())
                )
            }));
        }
        Ok(())
    }

    /// The measures, each with its gain of every level, if that is relevant to
    /// it, and whether the level counts as judged.
    pub(crate) fn each_measure(
        &self,
    ) -> impl Iterator<Item = (&Measure, Vec<(Option<f64>, bool)>)> {
        self.prepared.iter().map(|prepared| {
            let levels = prepared.gains.iter().zip(&self.lenses[prepared.lens].relevant);
            let gains = levels.map(|(&gain, &relevant)| relevant.then_some(gain));
            (&prepared.measure, gains.zip(self.is_judged.iter().copied()).collect())
        })
    }

    /// Whether a document of a grade counts as judged.
    fn judges(&self, grade: f64) -> bool {
        grade >= 0.0 || self.options.negative == Negative::Nonrelevant
    }

    /// The lenses and the judged levels where there are more levels, of these
    /// judged grades; nothing where there are none.
    fn with_levels(&self, extra: &[f64]) -> Option<(Vec<Lens>, Vec<bool>)> {
        if extra.is_empty() {
            return None;
        }
        let mut lenses = self.lenses.clone();
        for (i, lens) in lenses.iter_mut().enumerate() {
            let Some(prepared) = self.prepared.iter().find(|prepared| prepared.lens == i) else {
                continue;
            };
            let measure = &prepared.measure;
            let graded = measure.counts_gains();
            let relevant = |&grade: &f64| {
                if graded { prepared.gain(grade) > 0.0 } else { grade >= measure.rel }
            };
            lens.relevant.extend(extra.iter().map(relevant));
        }
        let mut judged = self.is_judged.clone();
        judged.resize(judged.len() + extra.len(), true);
        Some((lenses, judged))
    }

    /// Which levels count as judged.
    pub(crate) fn judged_levels(&self) -> &[bool] {
        &self.is_judged
    }

    /// Whether a level counts as judged.
    pub(crate) fn is_judged(&self, level: u32) -> bool {
        self.is_judged[level as usize]
    }

    /// Writes the trace and the views of a ranked topic, and hands each measure
    /// over documents what it sees of it.
    pub(crate) fn each_case(
        &self,
        position: usize,
        workspace: &mut Workspace,
        f: impl FnMut(&Case, &Measure, usize) -> Result<()>,
    ) -> Result<()> {
        let topic = &self.qrels.topics()[position];
        workspace.trace.write(&workspace.ranking, topic, &self.is_judged);
        self.each_view(position, workspace, &[], f)
    }

    /// The same from a trace that is written, whose levels go on beyond the
    /// judgments' with the grades in `extra`.
    fn each_view(
        &self,
        position: usize,
        workspace: &mut Workspace,
        extra: &[f64],
        mut f: impl FnMut(&Case, &Measure, usize) -> Result<()>,
    ) -> Result<()> {
        let topic = &self.qrels.topics()[position];
        let Workspace { ranking, trace, views, .. } = workspace;
        views.resize_with(self.lenses.len(), View::default);
        let longer = self.with_levels(extra);
        let (lenses, is_judged) = longer
            .as_ref()
            .map_or((&self.lenses, &self.is_judged), |(lenses, judged)| (lenses, judged));
        for (view, lens) in views.iter_mut().zip(lenses) {
            view.write(trace, topic, is_judged, lens);
        }
        let drawn = || match self.design(position) {
            Some(design) => Sample::new(topic, design, &self.is_judged),
            None => sample::NONE.clone(),
        };
        let kept = self.samples.get(position);
        let sample = kept.map_or(&sample::NONE, |sample| sample.get_or_init(drawn));
        let navigational = self.intent.is_some_and(|i| topic.intents().is_navigational(i));
        let costs = self.column(COST, position);
        let ideals = &self.ideals[position * self.ideal_kinds..];
        let served = &self.served[position * self.rels.len()..];
        let Some(first) = self.prepared.first() else { return Ok(()) };
        let longer_gains = |prepared: &Prepared| {
            let more = extra.iter().map(|&grade| prepared.gain(grade));
            prepared.gains.iter().copied().chain(more).collect::<Vec<f64>>()
        };
        let longer: Vec<Vec<f64>> = match extra {
            [] => Vec::new(),
            _ => self.prepared.iter().map(longer_gains).collect(),
        };
        // What all measures see alike is written once.
        let mut case = Case {
            condensed: first.measure.prime,
            gains: &first.gains,
            top_gain: first.top_gain,
            hits: &ranking.hits,
            named: self.named.as_ref(),
            sample,
            best: &first.best,
            is_judged,
            docs_in_collection: self.qrels.docs_in_collection,
            costs,
            navigational,
            ..Case::new(
                topic,
                trace,
                &views[first.lens],
                &lenses[first.lens].relevant,
                &self.discounts[first.discount],
                &ideals[first.ideal],
                &served[first.rel],
            )
        };
        for (i, prepared) in self.prepared.iter().enumerate() {
            // Of further grades measures that were alike may think otherwise.
            if !prepared.alike || !extra.is_empty() {
                case.view = &views[prepared.lens];
                case.condensed = prepared.measure.prime;
                case.gains = longer.get(i).unwrap_or(&prepared.gains);
                case.top_gain = prepared.top_gain;
                case.relevant = &lenses[prepared.lens].relevant;
                case.best = &prepared.best;
                case.kept_ideal = &ideals[prepared.ideal];
                case.kept_served = &served[prepared.rel];
                case.discount = &self.discounts[prepared.discount];
            }
            if prepared.needs_collection {
                self.check_collection(&prepared.measure, &case, 0)?;
            }
            f(&case, &prepared.measure, prepared.place)?;
        }
        Ok(())
    }
}

/// The error for a measure that needs to know how large the collection is.
#[cold]
fn needs_collection(measure: &Measure) -> Error {
    Error::for_each(Kind::Needs, |to| {
        let needs = format!("{measure} needs the number of documents in the collection");
        let with =
            to.either("give docs_in_collection with the judgments", "give --docs-in-collection");
        format!("{needs}; {with}")
    })
}

/// How many threads could work at once: a run is a job, a large one several.
fn jobs_of(inputs: &[Input]) -> usize {
    let large = |input: &Input| matches!(input, Input::Path(_, path) if is_large(path));
    if inputs.iter().any(large) { usize::MAX } else { inputs.len() }
}

/// An error if somebody asked to stop.
pub(crate) fn check_cancelled(monitor: &Monitor) -> Result<()> {
    if let Some(poll) = &monitor.poll {
        poll(monitor);
    }
    if monitor.cancelled.load(Ordering::Relaxed) {
        return Err(Error::new(Kind::Cancelled, "the evaluation was stopped"));
    }
    Ok(())
}

/// A pool of so many threads, as many as there are processors if `None`, but
/// not more than there are jobs; none if one thread is enough.
pub(crate) fn thread_pool(threads: Option<usize>, jobs: usize) -> Result<Option<ThreadPool>> {
    let threads = threads.unwrap_or_else(available_threads).min(jobs);
    if threads <= 1 {
        return Ok(None);
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool =
        pool.map_err(|e| Error::new(Kind::Io, format!("cannot start {threads} threads: {e}")))?;
    Ok(Some(pool))
}

/// The lasting hashes of the documents that the judgments of any topic name.
fn named(qrels: &Qrels) -> HashSet<u64, Again> {
    let of_topic = |topic: &Topic| -> Vec<u64> {
        topic.judgments().map(|(_, document, _)| lasting_hash(GOLDEN, document)).collect()
    };
    let mut named = HashSet::with_hasher(Again { state: qrels.seed() });
    named.extend(qrels.topics().iter().flat_map(of_topic));
    named
}

/// How far down a list a measure looks.
pub(crate) fn reach(measure: &Measure) -> u32 {
    let all = measure.prime || measure.needs_collection();
    if all { u32::MAX } else { (measure.family.sees.reach)(measure) }
}

fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The position of an item in a list, where it is added if it is new.
fn position<T>(list: &mut Vec<T>, item: T, same: impl Fn(&T, &T) -> bool) -> usize {
    list.iter().position(|known| same(known, &item)).unwrap_or_else(|| {
        list.push(item);
        list.len() - 1
    })
}
