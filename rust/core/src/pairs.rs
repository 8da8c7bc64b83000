//! Pairs of runs: how far missing judgments could move their differences, and what two runs say
//! of each other where nothing is judged.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use crate::bounds::pair::{ANY, Ends, Joined, Room, ends, is_known};
use crate::bounds::{Question, on_scale};
use crate::collection::{Heads, heads};
use crate::difference::{EndsOfTopics, RUNS, RunDocuments, TopicLists, ends_of};
use crate::error::{Error, Kind, Result, quote};
use crate::evaluate::{Cell, Evaluator, Input, Kernel, Monitor, Options, Workspace, thread_pool};
use crate::measure::{Gain, Measure};
use crate::qrels::Builder;
use crate::rank::Ranking;
use crate::scores::Undefined;
use crate::stats::order::{ApTies, tau_ap};
use crate::stats::overlap::{TieTreatment, rbo};

/// The lowest and the highest difference of pairs of runs after full judging of both: pairs x
/// topics x measures. NaN where nothing is known of a measure, or a value is undefined.
pub struct PairBounds {
    /// The lowest differences: the first run of a pair less the second.
    pub low: Vec<f64>,
    /// The highest.
    pub high: Vec<f64>,
}

/// The bounds of the differences of pairs of runs, by their places.
pub fn pair_bounds(
    evaluator: &Evaluator,
    inputs: &[Input],
    pairs: &[(usize, usize)],
    question: &Question,
    monitor: &Arc<Monitor>,
) -> Result<PairBounds> {
    let all: Vec<&Measure> = evaluator.measures().collect();
    let known: Vec<Measure> =
        all.iter().filter(|measure| is_known(measure)).map(|&measure| measure.clone()).collect();
    let mut options = evaluator.options();
    if options.undefined == Undefined::One {
        let reason = "no exact bounds: where nothing is relevant a value is 1";
        return Err(Error::new(Kind::Bounds, reason.to_string()));
    }
    options.ranker.unjudged_depth = u32::MAX;
    let (qrels, allowed) = on_scale(evaluator.qrels(), &known, question)?;
    let own = Evaluator::new(qrels, &known, options)?.only_as(evaluator);
    let topics = own.qrels().topics().len();
    let kept: Vec<Mutex<Vec<Option<Ranking>>>> =
        inputs.iter().map(|_| Mutex::new(vec![None; topics])).collect();
    let fill = |cell: Cell, ranking: &Ranking, _: &mut Workspace, _: &mut [f64]| {
        ranking.check_places(Kind::Bounds, "bounds", own.qrels().topics()[cell.topic].id())?;
        let copy = ranking.copied()?;
        kept[cell.run].lock().unwrap_or_else(PoisonError::into_inner)[cell.topic] = Some(copy);
        Ok(())
    };
    let kernel = Kernel { cells: 1, reach: u32::MAX, fill: &fill };
    own.each_run(inputs, &kernel, monitor)?;
    let rankings: Vec<Vec<Option<Ranking>>> = kept
        .into_iter()
        .map(|of| of.into_inner().unwrap_or_else(PoisonError::into_inner))
        .collect();
    let room = Room { least: question.least_relevant, unseen: question.unseen };
    let of_cell = |workspace: &mut Workspace, cell: usize| -> Result<Vec<Option<Ends>>> {
        let ((first, second), topic) = (pairs[cell / topics], cell % topics);
        let (Some(first), Some(second)) = (&rankings[first][topic], &rankings[second][topic])
        else {
            return Ok(vec![None; known.len()]);
        };
        let lists = [second, first];
        // What was ranked before may have no documents but those that the judgments know.
        let is_whole =
            |list: &&Ranking| list.hits.len() + list.unjudged_docs.len() == list.retrieved as usize;
        if !lists.iter().all(is_whole) {
            return Ok(vec![None; known.len()]);
        }
        let (qrels, is_judged) = (own.qrels(), own.judged_grades());
        let joined = Joined::new(&qrels.topics()[topic], qrels.seed(), is_judged, lists);
        let found = ends(&own, &allowed, topic, lists, &joined, workspace, &[room])?;
        Ok(found.into_iter().map(|mut of_measure| of_measure.swap_remove(0)).collect())
    };
    let cells = pairs.len() * topics;
    let found: Vec<Vec<Option<Ends>>> = match thread_pool(options.threads, cells)? {
        None => {
            let mut workspace = Workspace::default();
            (0..cells).map(|cell| of_cell(&mut workspace, cell)).collect::<Result<_>>()?
        }
        Some(pool) => pool.install(|| {
            (0..cells).into_par_iter().map_init(Workspace::default, of_cell).collect::<Result<_>>()
        })?,
    };
    let mut bounds = PairBounds { low: Vec::new(), high: Vec::new() };
    for of_cell in found {
        for measure in &all {
            let place = known.iter().position(|known| known == *measure);
            let [low, high] = place
                .and_then(|place| of_cell[place].as_ref())
                .map_or([f64::NAN; 2], |ends| [0, 1].map(|end| ends[end].bound));
            bounds.low.push(low);
            bounds.high.push(high);
        }
    }
    Ok(bounds)
}

/// How alike two lists are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Alike {
    /// The documents in both, down to the depth.
    pub shared: u32,
    /// Those in the second list alone, down to the depth.
    pub came: u32,
    /// Those in the first list alone.
    pub went: u32,
    /// The documents in both, divided by the length of the longer list.
    pub overlap: f64,
    /// The same, divided by the number of documents in either.
    pub jaccard: f64,
    /// Rank-biased overlap of the whole lists; NaN where one of them is empty.
    pub rbo: f64,
    /// AP correlation over the documents in both, with the first list for truth; NaN for fewer
    /// than two.
    pub tau_ap: f64,
    /// By how many ranks these moved on average; NaN without any.
    pub moved: f64,
    /// And at most.
    pub moved_most: f64,
    /// Whether both have the same documents in the same order.
    pub same_order: bool,
    /// Whether both have the same documents.
    pub same_set: bool,
    /// Whether both have the same first document.
    pub same_first: bool,
}

impl Alike {
    /// Two lists down to a depth.
    fn new(lists: [&[Box<[u8]>]; RUNS], depth: u32, rbo_p: f64) -> Result<Alike> {
        let whole = lists;
        let [first, second] = lists.map(|list| &list[..list.len().min(depth as usize)]);
        let ranks: HashMap<&[u8], usize> =
            (1..).zip(first).map(|(rank, document)| (&**document, rank)).collect();
        let (mut of_first, mut of_second) = (Vec::new(), Vec::new());
        for (rank, document) in (1_usize..).zip(second) {
            if let Some(&other) = ranks.get(&**document) {
                of_first.push(other);
                of_second.push(rank);
            }
        }
        let shared = of_first.len();
        let share = |of: usize| if of == 0 { 1.0 } else { shared as f64 / of as f64 };
        let moves =
            of_first.iter().zip(&of_second).map(|(a, b)| a.abs_diff(*b) as f64).collect::<Vec<_>>();
        let scores = |ranks: &[usize]| ranks.iter().map(|&rank| -(rank as f64)).collect::<Vec<_>>();
        let tau_ap = match shared {
            0 | 1 => f64::NAN,
            _ => tau_ap(&scores(&of_second), &scores(&of_first), ApTies::Average, 0.0)?,
        };
        let same_set = shared == first.len() && shared == second.len();
        Ok(Alike {
            shared: shared as u32,
            came: (second.len() - shared) as u32,
            went: (first.len() - shared) as u32,
            overlap: share(first.len().max(second.len())),
            jaccard: share(first.len() + second.len() - shared),
            rbo: overlap_of(whole, rbo_p)?,
            tau_ap,
            moved: if shared == 0 { f64::NAN } else { moves.iter().sum::<f64>() / shared as f64 },
            moved_most: moves.iter().copied().fold(f64::NAN, f64::max),
            same_order: first == second,
            same_set,
            same_first: first.first() == second.first(),
        })
    }
}

/// Rank-biased overlap of two lists, extrapolated.
fn overlap_of(lists: [&[Box<[u8]>]; RUNS], p: f64) -> Result<f64> {
    if lists.iter().any(|list| list.is_empty()) {
        return Ok(if lists[0].len() == lists[1].len() { 1.0 } else { f64::NAN });
    }
    let mut numbers: HashMap<&[u8], u32> = HashMap::new();
    let rankings = lists.map(|list| -> Vec<Vec<u32>> {
        let number = |document| {
            let next = numbers.len() as u32;
            vec![*numbers.entry(document).or_insert(next)]
        };
        list.iter().map(|document| &**document).map(number).collect()
    });
    Ok(rbo(&rankings[0], &rankings[1], p, TieTreatment::W)?.ext)
}

/// What is asked of two runs of which nothing is judged.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Down to which ranks lists are compared.
    pub depths: Vec<u32>,
    /// The persistence of rank-biased overlap.
    pub rbo_p: f64,
    /// How many documents are relevant at least, one after the other.
    pub least_relevant: Vec<u32>,
    /// The highest grade; by default what a measure needs, at least 1.
    pub max_grade: Option<f64>,
    /// Whether topics of one run only are left out; otherwise they are an error.
    pub skips: bool,
}

/// Two runs of which nothing is judged.
pub struct Apart {
    /// The topics of both, in order.
    pub topics: Vec<Box<[u8]>>,
    /// Their lists.
    pub documents: Vec<RunDocuments>,
    /// How alike these are, for each topic and depth.
    pub alike: Vec<Vec<Alike>>,
    /// For each measure, topic and least number of relevant documents, how far the difference can
    /// go.
    pub ends: Vec<Vec<Vec<Ends>>>,
    /// The documents of each topic in both lists, by their ranks.
    pub open: Vec<Vec<[u32; RUNS]>>,
    /// The topics of one run only.
    pub skipped: Vec<Box<[u8]>>,
}

/// How alike two runs are, and how far their difference in each measure can go however documents
/// are judged.
pub fn apart(
    measures: &[Measure],
    inputs: &[Input; RUNS],
    options: Options,
    asked: &Asked,
    monitor: &Arc<Monitor>,
) -> Result<Apart> {
    measures.iter().try_for_each(check_known)?;
    let options = Options { undefined: Undefined::Zero, ..options };
    let found = heads(inputs, options.ranker.depth.unwrap_or(u32::MAX), &options, monitor)?;
    let (topics, skipped) = topics_of(&found, inputs, asked.skips)?;
    let of_run = |heads: &Heads| -> RunDocuments {
        let by_topic: HashMap<&[u8], usize> =
            heads.iter().enumerate().map(|(place, head)| (&*head.topic, place)).collect();
        let list = |topic: &[u8]| heads[by_topic[topic]].documents().map(Box::from).collect();
        topics.iter().map(|topic| list(topic)).collect()
    };
    let documents: Vec<RunDocuments> = found.iter().map(of_run).collect();
    let pair = |topic: usize| [&*documents[0][topic], &*documents[1][topic]];
    let alike = (0..topics.len())
        .map(|topic| {
            let at = |&depth: &u32| Alike::new(pair(topic), depth, asked.rbo_p);
            asked.depths.iter().map(at).collect::<Result<Vec<Alike>>>()
        })
        .collect::<Result<Vec<_>>>()?;
    check_ids(&documents)?;
    let mut judgments = Builder::new(&[]);
    for topic in &topics {
        judgments.topic(topic);
    }
    let judgments = judgments.finish(None);
    let rooms: Vec<Room> =
        asked.least_relevant.iter().map(|&least| Room { least, unseen: ANY }).collect();
    let mut ends = Vec::new();
    let mut lists: Vec<TopicLists> = Vec::new();
    for measure in measures {
        let question = Question {
            max_grade: asked.max_grade.or_else(|| Some(top_of(measure, options))),
            ..Question::default()
        };
        let (qrels, allowed) = on_scale(&judgments, std::slice::from_ref(measure), &question)?;
        let evaluator = Evaluator::new(qrels, std::slice::from_ref(measure), options)?;
        if lists.is_empty() {
            lists = TopicLists::of_all(&evaluator, &documents);
        }
        let of_measure: EndsOfTopics = ends_of(&evaluator, &allowed, &lists, &rooms)?;
        ends.push(of_measure.into_iter().map(|mut of| whole(of.swap_remove(0))).collect());
    }
    let open = lists.into_iter().map(|lists| lists.joined.open).collect();
    Ok(Apart { topics, documents, alike, ends, open, skipped })
}

/// The ends of a topic, all of which are known.
fn whole(ends: Vec<Option<Ends>>) -> Vec<Ends> {
    ends.into_iter().flatten().collect()
}

/// An error for a measure whose difference is not bounded, or not known to be.
fn check_known(measure: &Measure) -> Result<()> {
    if is_known(measure) {
        return Ok(());
    }
    let reason = if measure.family.about.name.starts_with("bpref") {
        "as soon as the first documents differ it can be 1 for one run and 0 for the other: \
         judge the first document of one relevant, that of the other not relevant, and no more"
    } else if measure.prime {
        "the ranks of a condensed list change with the judgments"
    } else {
        "known are those of P, CG, DCG, nDCG, enDCG, RBP, nRBP, R, Rcap, Rprec, RR, Success, AP \
         and aAP"
    };
    let message = format!("no useful bounds of the difference in {measure}: {reason}");
    Err(Error::new(Kind::Bounds, message))
}

/// The grade that a measure needs to have its highest values.
fn top_of(measure: &Measure, options: Options) -> f64 {
    let mapped = match &measure.gain {
        Gain::Map(pairs) => pairs.iter().map(|pair| pair.0).fold(0.0, f64::max),
        _ => 0.0,
    };
    let rel = options.rel.unwrap_or(measure.rel).max(measure.rel);
    [rel, mapped, measure.declared_top().unwrap_or(0.0)].into_iter().fold(1.0, f64::max)
}

/// The ids of topics, in order.
type TopicNames = Vec<Box<[u8]>>;

/// The topics of both runs, and those of one only.
fn topics_of(
    found: &[Heads],
    inputs: &[Input; RUNS],
    skips: bool,
) -> Result<(TopicNames, TopicNames)> {
    let [first, second]: [BTreeSet<&[u8]>; RUNS] =
        [0, 1].map(|run| found[run].iter().map(|head| &*head.topic).collect());
    let owned = |topics: &mut dyn Iterator<Item = &&[u8]>| -> TopicNames {
        topics.map(|&topic| topic.into()).collect()
    };
    let both = owned(&mut first.intersection(&second));
    let one = owned(&mut first.symmetric_difference(&second));
    if let (Some(topic), false) = (one.first(), skips && !both.is_empty()) {
        let has = usize::from(!first.contains(&**topic));
        return Err(Error::for_each(Kind::Option, |to| {
            let more = if one.len() > 1 {
                format!(", and so are {} others", one.len() - 1)
            } else {
                String::new()
            };
            format!(
                "topic {} is in {} only{more}; expected the same topics in both runs, or {}",
                quote(topic),
                inputs[has].name(),
                to.choice("missing", "skip")
            )
        }));
    }
    if both.is_empty() {
        let message = "expected runs with topics, found none".to_string();
        return Err(Error::new(Kind::Option, message));
    }
    Ok((both, one))
}

/// An error if no document of any topic is in both runs.
fn check_ids(documents: &[RunDocuments]) -> Result<()> {
    let (mut own, mut other) = (None, None);
    for (first, second) in documents[0].iter().zip(&documents[1]) {
        let ids: BTreeSet<&[u8]> = first.iter().map(|id| &**id).collect();
        if second.iter().any(|id| ids.contains(&**id)) {
            return Ok(());
        }
        own = own.or(first.first());
        other = other.or(second.first());
    }
    match (own, other) {
        (Some(own), Some(other)) => Err(Error::new(
            Kind::Option,
            format!(
                "the runs have no document in common: are these ids of the same collection? The first run has {}, the second {}",
                quote(own),
                quote(other)
            ),
        )),
        _ => Ok(()),
    }
}
