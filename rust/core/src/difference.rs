//! Where two runs differ in a measure, and which documents cause it.
//!
//! For each topic both lists with the contribution of each document: its term, if
//! the measure is a sum over documents ([`Laws::term`]), otherwise the effect
//! of removing it. Then how the missing judgments could change the difference.
//! For a measure that weights a document by its rank alone the bounds are exact:
//! each unjudged document moves the difference by its gain times the difference
//! of its two weights, whatever the others are. For any other measure the lowest
//! value of one run is combined with the highest of the other, so that the bounds
//! are never exceeded but need not be reached, since the runs share documents.
//!
//! [`Laws::term`]: crate::measure::Laws::term

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::bounds::open::Open;
use crate::bounds::{Mode, Question, extremes_of, on_scale, refusal};
use crate::collection::{Head, Heads, heads};
use crate::error::{Error, Kind, Result};
use crate::evaluate::{
    Cell, Evaluator, Input, Kernel, Monitor, Options, Workspace, check_collection, reach,
};
use crate::hash::hash;
use crate::interrupt;
use crate::measure::{Bounds, Measure, Over};
use crate::qrels::Qrels;
use crate::rank::Ranking;
use crate::scores::{Notes, Scores, Undefined};

/// The two runs, in the order in which they were given.
pub const RUNS: usize = 2;

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
    let evaluator = Evaluator::new(Arc::clone(qrels), std::slice::from_ref(measure), options)?;
    let documents = documents(&evaluator, inputs, monitor)?;
    let is_sum = measure.over == Over::Documents && measure.family.laws.term.is_some();
    let (values, brings, notes) = if is_sum {
        terms(&evaluator, inputs, monitor)?
    } else {
        effects(&evaluator, inputs, monitor)?
    };
    let open = unjudged(&evaluator, &documents);
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
    let judged = judged_one_by_one(qrels, measure, inputs, options, question, &open, monitor);
    let (bounds, mut judged) = match judged {
        Ok(judged) => (Ok(reached(measure)), judged),
        Err(error) if error.kind() == Kind::Bounds => {
            (Err(error.message().to_string()), Vec::new())
        }
        Err(error) => return Err(error),
    };
    let mut differences = Vec::with_capacity(topics);
    for (topic, (lists, open)) in lists.into_iter().zip(open).enumerate() {
        let missing = lists.iter().any(|list| list.value.is_nan());
        let (open, low, high) = match judged.get_mut(topic) {
            Some(judging) if !missing => joined(judging, &open, &lists, measure),
            _ => (Vec::new(), f64::NAN, f64::NAN),
        };
        differences.push(TopicDifference { lists, open, low, high });
    }
    let scores = evaluator.labelled(inputs, values, notes);
    Ok(Difference { topics: differences, sums: is_sum, bounds, scores })
}

/// Whether the bounds of a measure's difference are reached: they are if the
/// contribution of a document depends on its own grade and rank only.
fn reached(measure: &Measure) -> Reached {
    let by_rank = measure.bounds() == Bounds::Monotone;
    match measure.family.laws.term {
        Some(_) if by_rank && !measure.prime => Reached::Exactly,
        _ => Reached::Outer,
    }
}

/// The documents of a run, topic by topic, in order.
type RunDocuments = Vec<Vec<Box<[u8]>>>;

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

/// The unjudged documents of a topic: their ranks in each list.
type UnjudgedRanks = Vec<[u32; RUNS]>;

/// The unjudged documents of both lists.
fn unjudged(evaluator: &Evaluator, documents: &[RunDocuments]) -> Vec<UnjudgedRanks> {
    let qrels = evaluator.qrels();
    let topics = qrels.topics().iter().enumerate();
    topics
        .map(|(position, topic)| {
            let is_open = |document: &[u8]| {
                let number = topic.docs().get(hash(qrels.seed(), document), document);
                let grade_index = number.and_then(|number| topic.grade_column().get(number));
                !grade_index.is_some_and(|grade_index| evaluator.is_judged(grade_index))
            };
            let mut places: HashMap<&[u8], usize> = HashMap::new();
            let mut open: UnjudgedRanks = Vec::new();
            for (run, lists) in documents.iter().enumerate() {
                for (rank, document) in (1..).zip(&lists[position]) {
                    if is_open(document) {
                        let place = *places.entry(document).or_insert(open.len());
                        if place == open.len() {
                            open.push([0; RUNS]);
                        }
                        open[place][run] = rank;
                    }
                }
            }
            open
        })
        .collect()
}

/// How judging would change the value of each run and topic.
fn judged_one_by_one(
    qrels: &Qrels,
    measure: &Measure,
    inputs: &[Input; RUNS],
    options: Options,
    question: &Question,
    open: &[UnjudgedRanks],
    monitor: &Arc<Monitor>,
) -> Result<Vec<[Judging; RUNS]>> {
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
    let exact = reached(measure) == Reached::Exactly;
    let reach = reach(measure);
    let kept = Mutex::new(vec![<[Judging; RUNS]>::default(); open.len()]);
    let fill = |cell: Cell, ranking: &Ranking, workspace: &mut Workspace, out: &mut [f64]| {
        let of_topic = &open[cell.topic];
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
            if exact {
                judging.all_worst = list.value(std::iter::repeat(worst), &[])?;
            } else {
                judging.range = extremes_of(&mut list, &question)?;
            }
            Ok(())
        })?;
        kept.lock().unwrap_or_else(PoisonError::into_inner)[cell.topic][cell.run] = judging;
        Ok(())
    };
    let kernel = Kernel { cells: 1, reach: u32::MAX, fill: &fill };
    evaluator.each_run(inputs, &kernel, monitor)?;
    Ok(kept.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// How judging would change the difference in a topic, and its bounds.
fn joined(
    judging: &[Judging; RUNS],
    open: &UnjudgedRanks,
    lists: &[ExplainedList; RUNS],
    measure: &Measure,
) -> (Vec<Unjudged>, f64, f64) {
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
    let [first, second] = judging;
    if reached(measure) == Reached::Exactly {
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
