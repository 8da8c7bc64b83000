//! Where two runs differ in a measure, and which documents cause it.
//!
//! For each topic both lists with the contribution of each document: its term, if
//! the measure is a sum over documents ([`Laws::term`]), otherwise the effect
//! of removing it. Then how the missing judgments could change the difference.
//! For a measure that weights a document by its rank alone the bounds are exact:
//! each unjudged document moves the difference by its gain times the difference
//! of its two weights, whatever the others are. [`pair`] has those of nDCG, R and others.
//! For any other measure the lowest value of one run is combined with the highest of the other,
//! so that the bounds are never exceeded but need not be reached, since the runs share documents.
//!
//! [`Laws::term`]: crate::measure::Laws::term

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use crate::bounds::open::Open;
use crate::bounds::pair::{self, Ends, Joined, Room};
use crate::bounds::{Mode, Question, extremes_of, on_scale, refusal};
use crate::collection::{Head, Heads, heads};
use crate::error::{Error, Kind, Result};
use crate::evaluate::{
    Cell, Evaluator, Input, Kernel, Monitor, Options, Workspace, check_collection, reach,
    thread_pool,
};
use crate::hash::hash;
use crate::interrupt;
use crate::measure::{Bounds, Measure, Over};
use crate::qrels::Qrels;
use crate::rank::{Hit, Ranking};
use crate::scores::{Notes, Scores, Undefined};

/// The two runs, in the order in which they were given.
pub const RUNS: usize = 2;

/// A list without each of its documents; one that is not judged stands for all that are between
/// the same two judged ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WithoutEach {
    /// For each document the place of the list that lacks it, or one like it.
    pub places: Vec<i64>,
    /// Where the judged documents of each list begin, and where those of the last end.
    pub offsets: Vec<i64>,
    /// Their ranks.
    pub ranks: Vec<i64>,
    /// Their grades.
    pub grades: Vec<f64>,
}

impl WithoutEach {
    /// From the ranks and the grades of the judged documents of a list, and how many it has.
    pub fn of(ranks: &[i64], grades: &[f64], retrieved: usize) -> WithoutEach {
        let mut is_judged = vec![false; retrieved + 1];
        // So that the first document stands for itself.
        is_judged[0] = true;
        for rank in ranks {
            is_judged[*rank as usize] = true;
        }
        let mut found = WithoutEach { offsets: vec![0], ..WithoutEach::default() };
        for rank in 1..=retrieved {
            if is_judged[rank] || is_judged[rank - 1] {
                let judged = ranks.iter().zip(grades);
                for (own, grade) in judged.filter(|(own, _)| **own != rank as i64) {
                    found.ranks.push(own - i64::from(*own > rank as i64));
                    found.grades.push(*grade);
                }
                found.offsets.push(found.ranks.len() as i64);
            }
            found.places.push(found.offsets.len() as i64 - 2);
        }
        found
    }
}

/// Where two runs differ.
pub struct Difference {
    /// One for each topic of the judgments, in order.
    pub topics: Vec<TopicDifference>,
    /// Whether contributions are terms, which sum to the value.
    pub sums: bool,
    /// Whether the bounds are reached, or why there are none.
    pub bounds: std::result::Result<Reached, String>,
    /// The values of both runs.
    pub scores: Scores,
}

/// Whether bounds of a difference are reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// There are judgments under which the difference is that low, and that
    /// high.
    Exactly,
    /// No judgments lead beyond them.
    Outer,
}

/// Two lists for a topic.
#[derive(Debug)]
pub struct TopicDifference {
    /// The list of each run.
    pub lists: [ExplainedList; RUNS],
    /// The unjudged documents of both lists, in the order of the first, then
    /// of the second.
    pub open: Vec<Unjudged>,
    /// The lowest difference after full judging; NaN where it is not known.
    pub low: f64,
    /// The highest.
    pub high: f64,
}

/// The list of a run.
#[derive(Clone, Debug, Default)]
pub struct ExplainedList {
    /// The value.
    pub value: f64,
    /// The documents, the best one first.
    pub documents: Vec<Box<[u8]>>,
    /// The contribution of each to the value.
    pub brings: Vec<f64>,
}

/// How judging one more document would change the difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unjudged {
    /// Its rank in each list, from 1; 0 where it is not in it.
    pub ranks: [u32; RUNS],
    /// The difference if it has the best grade.
    pub best: f64,
    /// The difference if it has the worst grade.
    pub worst: f64,
}

/// How judging the documents of a list would change its value.
#[derive(Clone, Debug, Default)]
struct Judging {
    /// The lowest and the highest value after full judging of both lists.
    range: (f64, f64),
    /// The value when all of the list are judged worst.
    all_worst: f64,
    /// By rank: the value when this one document is judged worst, and best.
    places: HashMap<u32, (f64, f64)>,
    /// The same of a document that is not in the list.
    elsewhere: (f64, f64),
}

/// The changes of a measure from the first run to the second: a difference is
/// the second's value minus the first's.
///
/// The bounds are over all ways to judge the unjudged documents of both lists;
/// `question` gives the highest grade and the number of assignments.
pub fn difference(
    qrels: &Arc<Qrels>,
    measure: &Measure,
    inputs: &[Input; RUNS],
    options: Options,
    question: &Question,
    monitor: &Arc<Monitor>,
) -> Result<Difference> {
    if let Some(budget) = measure.budget {
        let message = format!(
            "no contributions of documents are known for {measure}: without one of them @{budget} affords others; give it a rank as cutoff"
        );
        return Err(Error::new(Kind::Parameter, message));
    }
    let evaluator = Evaluator::new(Arc::clone(qrels), std::slice::from_ref(measure), options)?;
    let documents = documents(&evaluator, inputs, monitor)?;
    let is_sum = measure.over == Over::Documents && measure.family.laws.term.is_some();
    let (values, brings, notes) = if is_sum {
        terms(&evaluator, inputs, monitor)?
    } else {
        effects(&evaluator, inputs, monitor)?
    };
    let judged = judged_one_by_one(qrels, measure, inputs, options, question, &documents, monitor);
    let topics = qrels.topics().len();
    let mut lists: Vec<[ExplainedList; RUNS]> = Vec::with_capacity(topics);
    let mut columns = documents.into_iter().zip(brings).map(|(documents, brings)| {
        documents.into_iter().zip(brings).collect::<Vec<_>>().into_iter()
    });
    let mut columns: [_; RUNS] = std::array::from_fn(|_| columns.next().unwrap_or_default());
    for topic in 0..topics {
        lists.push(std::array::from_fn(|run| {
            let (documents, brings) = columns[run].next().unwrap_or_default();
            ExplainedList { value: values[run * topics + topic], documents, brings }
        }));
    }
    let (mut bounds, judged) = match judged {
        Ok(judged) => (Ok(reached(measure)), judged),
        Err(error) if error.kind() == Kind::Bounds => {
            (Err(error.message().to_string()), Vec::new())
        }
        Err(error) => return Err(error),
    };
    if bounds.is_ok() && judged.iter().any(|topic| topic.ends.as_ref().is_some_and(is_open)) {
        bounds = Ok(Reached::Outer);
    }
    let mut judged = judged.into_iter();
    let mut differences = Vec::with_capacity(topics);
    for lists in lists {
        let missing = lists.iter().any(|list| list.value.is_nan());
        let (open, low, high) = match judged.next() {
            Some(judged) if !missing => joined(&judged, &lists, measure),
            _ => (Vec::new(), f64::NAN, f64::NAN),
        };
        differences.push(TopicDifference { lists, open, low, high });
    }
    let scores = evaluator.labelled(inputs, values, notes);
    Ok(Difference { topics: differences, sums: is_sum, bounds, scores })
}

/// Whether the bounds of a measure's difference are reached.
fn reached(measure: &Measure) -> Reached {
    if is_additive(measure) || pair::is_known(measure) { Reached::Exactly } else { Reached::Outer }
}

/// Whether the contribution of a document depends on its own grade and rank only.
fn is_additive(measure: &Measure) -> bool {
    let by_rank = measure.bounds() == Bounds::Monotone;
    by_rank && !measure.prime && measure.family.laws.term.is_some()
}

/// Whether a bound is known to be no less than this far from what is reached.
fn is_open(ends: &Ends) -> bool {
    ends.iter().any(|end| (end.bound - end.reached).abs() > REACHED)
}

/// A bound so near to a difference that is reached is called exact.
const REACHED: f64 = 1e-9;

/// The documents of a run, topic by topic, in order.
pub type RunDocuments = Vec<Vec<Box<[u8]>>>;

/// The documents of each run.
fn documents(
    evaluator: &Evaluator,
    inputs: &[Input; RUNS],
    monitor: &Arc<Monitor>,
) -> Result<Vec<RunDocuments>> {
    let options = evaluator.options();
    let depth = options.ranker.depth.unwrap_or(u32::MAX);
    let of_run = |heads: Heads| {
        let listed = |head: Head| {
            let documents = head.documents().map(Box::from).collect();
            (head.topic, documents)
        };
        let mut by_topic: HashMap<Box<[u8]>, Vec<Box<[u8]>>> =
            heads.into_iter().map(listed).collect();
        let topics = evaluator.qrels().topics().iter();
        topics.map(|topic| by_topic.remove(topic.id()).unwrap_or_default()).collect()
    };
    Ok(heads(inputs, depth, &options, monitor)?.into_iter().map(of_run).collect())
}

/// The values of each run and topic, the contribution of each document, and the notes.
type Brought = (Vec<f64>, Vec<Vec<Vec<f64>>>, Vec<Notes>);

/// The contribution of each document of a list, from evaluator, topic, its
/// ranking, and the value.
type Bringing<'a> = dyn Fn(usize, &Ranking, &mut Workspace, f64) -> Result<Vec<f64>> + Sync + 'a;

/// Computes the contribution of every document, for each run and topic.
fn brought(
    evaluator: &Evaluator,
    inputs: &[Input; RUNS],
    monitor: &Arc<Monitor>,
    of_list: &Bringing,
) -> Result<Brought> {
    let topics = evaluator.qrels().topics().len();
    let kept = Mutex::new(vec![vec![Vec::new(); topics]; RUNS]);
    let fill = |cell: Cell, ranking: &Ranking, workspace: &mut Workspace, out: &mut [f64]| {
        evaluator.score_topic(cell.topic, ranking, workspace, out)?;
        let found = of_list(cell.topic, ranking, workspace, out[0])?;
        kept.lock().unwrap_or_else(PoisonError::into_inner)[cell.run][cell.topic] = found;
        Ok(())
    };
    let kernel = Kernel { cells: 1, reach: u32::MAX, fill: &fill };
    let (values, notes) = evaluator.each_run(inputs, &kernel, monitor)?;
    Ok((values, kept.into_inner().unwrap_or_else(PoisonError::into_inner), notes))
}

/// The term of each document in a sum.
fn terms(evaluator: &Evaluator, inputs: &[Input; RUNS], monitor: &Arc<Monitor>) -> Result<Brought> {
    brought(evaluator, inputs, monitor, &|topic, ranking, workspace, _| {
        let mut terms = vec![0.0; ranking.retrieved as usize];
        evaluator.each_case(topic, ranking, workspace, |case, measure, _| {
            let Some(term) = measure.family.laws.term else { return Ok(()) };
            // A relevant document has a different rank on a condensed list.
            let ranks =
                case.trace.records.iter().filter(|hit| case.is_relevant(hit.grade_index as usize));
            for (hit, document) in ranks.zip(case.relevant(measure.depth())) {
                terms[hit.rank as usize - 1] = term(measure, case, document);
            }
            Ok(())
        })?;
        Ok(terms)
    })
}

/// By how much the value falls when a document is removed from the list.
fn effects(
    evaluator: &Evaluator,
    inputs: &[Input; RUNS],
    monitor: &Arc<Monitor>,
) -> Result<Brought> {
    let by_id = evaluator.options().ranker.unjudged_depth > 0;
    brought(evaluator, inputs, monitor, &|topic, whole, workspace, value| {
        let mut shorter = Ranking::default();
        let mut effects = Vec::with_capacity(whole.retrieved as usize);
        let mut known = whole.hits.iter().map(|hit| hit.rank).peekable();
        let mut last = None;
        for rank in 1..=whole.retrieved {
            interrupt::check()?;
            let is_known = known.next_if_eq(&rank).is_some();
            // Unjudged documents between two judged ones are interchangeable, unless
            // a measure depends on their ids.
            let alike = last.filter(|_| !is_known && !by_id);
            let effect = if let Some(effect) = alike {
                effect
            } else {
                take_out(whole, rank, &mut shorter);
                let mut without = [0.0];
                evaluator.score_topic(topic, &shorter, workspace, &mut without)?;
                value - without[0]
            };
            last = Some(effect).filter(|_| !is_known);
            effects.push(effect);
        }
        Ok(effects)
    })
}

/// A ranking without the document at a rank; those below move up.
fn take_out(whole: &Ranking, out: u32, ranking: &mut Ranking) {
    ranking.copy(whole);
    ranking.retrieved -= 1;
    ranking.hits.retain(|hit| hit.rank != out);
    ranking.unjudged_docs.retain(|&(rank, _)| rank != out);
    let ranks = ranking.hits.iter_mut().map(|hit| &mut hit.rank);
    for rank in ranks.chain(ranking.unjudged_docs.iter_mut().map(|unjudged| &mut unjudged.0)) {
        *rank -= u32::from(*rank > out);
    }
}

/// The lists of a topic, joined, and as rankings of the documents that the judgments know.
pub(crate) struct TopicLists {
    pub(crate) joined: Joined,
    pub(crate) rankings: [Ranking; RUNS],
}

impl TopicLists {
    /// Those of each topic of an evaluator.
    pub(crate) fn of_all(evaluator: &Evaluator, documents: &[RunDocuments]) -> Vec<TopicLists> {
        let topics = 0..evaluator.qrels().topics().len();
        topics.map(|topic| TopicLists::new(evaluator, topic, documents)).collect()
    }

    fn new(evaluator: &Evaluator, position: usize, documents: &[RunDocuments]) -> TopicLists {
        let qrels = evaluator.qrels();
        let topic = &qrels.topics()[position];
        let mut places: HashMap<&[u8], usize> = HashMap::new();
        let mut joined = Joined::default();
        let rankings = std::array::from_fn(|run| {
            let list = &documents[run][position];
            let mut hits = Vec::new();
            for (rank, document) in (1..).zip(list) {
                let number = topic.docs().get(hash(qrels.seed(), document), document);
                hits.extend(number.map(|document| Hit { rank, document }));
                let grade = number.and_then(|number| topic.grade_column().get(number));
                let grade = grade.filter(|&grade_index| evaluator.is_judged(grade_index));
                let ranks = if let Some(grade) = grade {
                    let place = *places.entry(document).or_insert(joined.judged.len());
                    if place == joined.judged.len() {
                        joined.judged.push(([0; RUNS], grade));
                    }
                    &mut joined.judged[place].0
                } else {
                    let place = *places.entry(document).or_insert(joined.open.len());
                    if place == joined.open.len() {
                        joined.open.push([0; RUNS]);
                    }
                    &mut joined.open[place]
                };
                ranks[run] = rank;
            }
            Ranking { retrieved: list.len() as u32, hits, ..Ranking::default() }
        });
        TopicLists { joined, rankings }
    }
}

/// How judging could change the difference of a topic.
struct JudgedTopic {
    lists: Joined,
    judging: [Judging; RUNS],
    /// The ends of the difference, where they do not follow from those of the runs.
    ends: Option<Ends>,
}

/// How judging would change the value of each run and topic.
fn judged_one_by_one(
    qrels: &Qrels,
    measure: &Measure,
    inputs: &[Input; RUNS],
    options: Options,
    question: &Question,
    documents: &[RunDocuments],
    monitor: &Arc<Monitor>,
) -> Result<Vec<JudgedTopic>> {
    let refused = |reason: &str| Error::new(Kind::Bounds, reason.to_string());
    if let Some(reason) = refusal(measure, Mode::FreeR) {
        return Err(refused(reason));
    }
    if options.undefined == Undefined::One {
        return Err(refused("where nothing is relevant a value is 1"));
    }
    if matches!(measure.bounds(), Bounds::Pooled { .. }) {
        return Err(refused("it depends on what was pooled, and a judged document was"));
    }
    let (qrels, allowed) = on_scale(qrels, std::slice::from_ref(measure), question)?;
    let evaluator = Evaluator::new(Arc::clone(&qrels), std::slice::from_ref(measure), options)?;
    let additive = is_additive(measure) && question.least_relevant == 0;
    let by_pair = !additive && pair::is_known(measure);
    let reach = reach(measure);
    let lists = TopicLists::of_all(&evaluator, documents);
    let kept = Mutex::new(vec![<[Judging; RUNS]>::default(); lists.len()]);
    let fill = |cell: Cell, ranking: &Ranking, workspace: &mut Workspace, out: &mut [f64]| {
        let of_topic = &lists[cell.topic].joined.open;
        let only_other = of_topic.iter().filter(|ranks| ranks[cell.run] == 0).count() as u32;
        ranking.check_places(Kind::Bounds, "bounds", qrels.topics()[cell.topic].id())?;
        let question = Question { unseen: only_other, unseen_judged: true, ..*question };
        let mut judging = Judging::default();
        evaluator.each_case(cell.topic, ranking, workspace, |case, measure, i| {
            out[i] = evaluator.value(case, measure)?;
            if out[i].is_nan() {
                return Ok(());
            }
            if measure.needs_collection() {
                check_collection(measure, case, of_topic.len() as u64)?;
            }
            let mut list = Open::new(&evaluator, case, measure, &allowed, false);
            let (Some(&(_, worst)), Some(&(_, best))) = (list.classes.first(), list.classes.last())
            else {
                return Ok(());
            };
            judging.elsewhere = (list.with_one(None, worst)?, list.with_one(None, best)?);
            for &place in &list.places.clone() {
                // Documents below the reach of a measure cannot change its value.
                let ends = if place > reach {
                    judging.elsewhere
                } else {
                    (list.with_one(Some(place), worst)?, list.with_one(Some(place), best)?)
                };
                judging.places.insert(place, ends);
            }
            if additive {
                judging.all_worst = list.value(std::iter::repeat(worst), &[])?;
            } else if !by_pair {
                judging.range = extremes_of(&mut list, &question)?;
            }
            Ok(())
        })?;
        kept.lock().unwrap_or_else(PoisonError::into_inner)[cell.topic][cell.run] = judging;
        Ok(())
    };
    let kernel = Kernel { cells: 1, reach: u32::MAX, fill: &fill };
    evaluator.each_run(inputs, &kernel, monitor)?;
    let kept = kept.into_inner().unwrap_or_else(PoisonError::into_inner);
    let ends = if by_pair {
        let room = Room { least: question.least_relevant, unseen: question.unseen };
        let found = ends_of(&evaluator, &allowed, &lists, &[room])?;
        found.into_iter().map(|mut of_topic| of_topic.swap_remove(0).swap_remove(0)).collect()
    } else {
        vec![None; lists.len()]
    };
    let topics = lists.into_iter().zip(kept).zip(ends);
    let judged = |((lists, judging), ends): ((TopicLists, _), _)| JudgedTopic {
        lists: lists.joined,
        judging,
        ends,
    };
    Ok(topics.map(judged).collect())
}

/// For each topic, measure and room.
pub(crate) type EndsOfTopics = Vec<Vec<Vec<Option<Ends>>>>;

/// The ends of the difference in each topic, in parallel over topics.
pub(crate) fn ends_of(
    evaluator: &Evaluator,
    allowed: &[u32],
    lists: &[TopicLists],
    rooms: &[Room],
) -> Result<EndsOfTopics> {
    let of_topic = |workspace: &mut Workspace, (topic, lists): (usize, &TopicLists)| {
        let [first, second] = &lists.rankings;
        let rankings = [first, second];
        pair::ends(evaluator, allowed, topic, rankings, &lists.joined, workspace, rooms)
    };
    match thread_pool(evaluator.options().threads, lists.len())? {
        None => {
            let mut workspace = Workspace::default();
            lists.iter().enumerate().map(|of| of_topic(&mut workspace, of)).collect()
        }
        Some(pool) => pool.install(|| {
            let topics = lists.par_iter().enumerate();
            topics.map_init(Workspace::default, of_topic).collect()
        }),
    }
}

/// How judging would change the difference in a topic, and its bounds.
fn joined(
    judged: &JudgedTopic,
    lists: &[ExplainedList; RUNS],
    measure: &Measure,
) -> (Vec<Unjudged>, f64, f64) {
    let JudgedTopic { lists: Joined { open, .. }, judging, ends } = judged;
    let outcome = |run: usize, rank: u32| -> (f64, f64) {
        let Judging { places, elsewhere, .. } = &judging[run];
        places.get(&rank).copied().unwrap_or(*elsewhere)
    };
    let open: Vec<Unjudged> = open
        .iter()
        .map(|&ranks| {
            let (first, second) = (outcome(0, ranks[0]), outcome(1, ranks[1]));
            Unjudged { ranks, worst: second.0 - first.0, best: second.1 - first.1 }
        })
        .collect();
    if let Some([low, high]) = ends {
        return (open, low.bound, high.bound);
    }
    let [first, second] = judging;
    if is_additive(measure) {
        let ground = second.all_worst - first.all_worst;
        let moves = open.iter().map(|document| document.best - document.worst);
        let low = moves.clone().map(|by| by.min(0.0)).sum::<f64>();
        let high = moves.map(|by| by.max(0.0)).sum::<f64>();
        return (open, ground + low, ground + high);
    }
    // Equal lists have equal values however they are judged.
    if lists[0].documents == lists[1].documents {
        return (open, 0.0, 0.0);
    }
    let (low, high) = (second.range.0 - first.range.1, second.range.1 - first.range.0);
    (open, low, high)
}
