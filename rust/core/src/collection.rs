//! Changing judgments and runs: pools, reduced judgments, smaller collections.
//!
//! Changes within the documents of the judgments are another grade column
//! over the same tables ([`Qrels::part`]), so that runs that were ranked
//! once are scored under it without being read again. Random choices depend
//! on a seed, the topic and the document only.

use std::collections::{BTreeMap, HashMap};
use std::iter;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use rayon::prelude::*;

use crate::error::{Error, Kind, Result, quote};
use crate::evaluate::{Input, Monitor, Options, Ranked, explain, thread_pool};
use crate::hash::{GOLDEN, lasting_hash, paired_hash, uniform};
use crate::interrupt;
use crate::memory;
use crate::qrels::{Builder, Qrels, Topic};
use crate::rank::{Hit, Lines, Ranking, Run};
use crate::read::qrels::INCLUSION;
use crate::read::run::{Gathered, LinePlaces, gather};
use crate::table::DocTable;

/// The grade of a pooled document without a judgment.
const POOLED: f64 = -1.0;

/// The pool of runs: the first `depth` documents of each list, as judgments
/// in which every document is pooled and not judged.
pub fn pool(
    inputs: &[Input],
    depth: u32,
    options: &Options,
    monitor: &Arc<Monitor>,
) -> Result<Qrels> {
    let mut builder = Builder::new(&[]);
    let mut steps = interrupt::Steps::default();
    for head in heads(inputs, depth, options, monitor)?.into_iter().flatten() {
        builder.topic(&head.topic);
        for document in head.documents() {
            steps.step()?;
            // A document that several runs retrieved is in the pool once.
            let _ = builder.add(&head.topic, document, POOLED, &[], 0);
        }
    }
    Ok(builder.finish(None))
}

/// The first documents of a topic, the best one first, in two pieces of memory: to free one for
/// each document would take long.
pub(crate) struct Head {
    pub(crate) topic: Box<[u8]>,
    ids: Vec<u8>,
    ends: Vec<usize>,
}

impl Head {
    fn of(topic: &[u8], lines: &Lines, order: &[u32]) -> Result<Self> {
        let mut head = Head { topic: topic.into(), ids: Vec::new(), ends: Vec::new() };
        memory::reserve(&mut head.ends, order.len())?;
        let mut steps = interrupt::Steps::default();
        for &line in order {
            steps.step()?;
            head.ids.extend_from_slice(lines.document(line as usize));
            head.ends.push(head.ids.len());
        }
        Ok(head)
    }

    pub(crate) fn documents(&self) -> impl Iterator<Item = &[u8]> {
        let starts = iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.ids[start..end])
    }
}

/// The first documents of each topic of a run.
pub(crate) type Heads = Vec<Head>;

/// The first `depth` documents of each list of each run.
pub(crate) fn heads(
    inputs: &[Input],
    depth: u32,
    options: &Options,
    monitor: &Arc<Monitor>,
) -> Result<Vec<Heads>> {
    let head = |input: &Input| -> Result<Heads> {
        interrupt::check()?;
        let heads = match input {
            Input::Run(run) => heads_of(run, None, depth, options)?,
            Input::Arrays(arrays) => heads_of(&arrays.to_run()?, None, depth, options)?,
            Input::Gathered(gathered) => heads_of_file(gathered, depth, options)?,
            Input::Lists(arriving) => {
                let heads = heads_of(&arriving.lists().whole()?, None, depth, options);
                heads.map_err(|error| error.in_file(&arriving.file))?
            }
            Input::File(file) => {
                let source = file.open(&options.limits)?;
                let reader = options.reader(source, monitor);
                let gathered = gather(reader, options.run_options(), file.name.clone())?;
                heads_of_file(&gathered, depth, options)?
            }
            Input::Ranked(ranked) => {
                let message = format!(
                    "run {} was ranked and contains no documents outside its judgments; pass the run itself",
                    quote(&ranked.name)
                );
                return Err(Error::new(Kind::Option, message));
            }
        };
        monitor.runs.fetch_add(1, Ordering::Relaxed);
        Ok(heads)
    };
    let heads: Vec<Result<Heads>> = match thread_pool(options.threads, inputs.len())? {
        None => inputs.iter().map(head).collect(),
        Some(pool) => pool.install(|| inputs.par_iter().map(head).collect()),
    };
    heads.into_iter().collect()
}

fn heads_of_file(gathered: &Gathered, depth: u32, options: &Options) -> Result<Heads> {
    let heads = heads_of(&gathered.run, Some(&gathered.places), depth, options);
    heads.map_err(|error| error.in_file(&gathered.file))
}

fn heads_of(
    run: &Run,
    places: Option<&[LinePlaces]>,
    depth: u32,
    options: &Options,
) -> Result<Heads> {
    let head = |(i, (topic, lines)): (usize, &(Box<[u8]>, Lines))| {
        interrupt::check()?;
        let order = options.ranker.ordered(lines, topic);
        let order = order.map_err(|e| explain(e, topic, lines, places.map(|places| &places[i])))?;
        Head::of(topic, lines, &order[..order.len().min(depth as usize)])
    };
    run.topics.iter().enumerate().map(head).collect()
}

/// The judgments of the documents in a pool; all others are removed.
#[must_use]
pub fn restrict(qrels: &Qrels, pool: &Qrels) -> Qrels {
    let in_pool: Vec<Option<&Topic>> = qrels
        .topics()
        .iter()
        .map(|topic| pool.position(topic.id()).map(|position| &pool.topics()[position]))
        .collect();
    qrels.part(|topic, number, grade| {
        let document = qrels.topics()[topic].docs().key(number as u32);
        let pooled = in_pool[topic].and_then(|pooled| {
            let hash = crate::hash::hash(pool.seed(), document);
            pooled.docs().get(hash, document).and_then(|number| pooled.grade_column().get(number))
        });
        grade.filter(|_| pooled.is_some())
    })
}

/// The best rank that a document has in any of the runs, by topic and number;
/// `u32::MAX` where no run has it.
pub fn best_ranks(qrels: &Qrels, runs: &[Arc<Ranked>]) -> Result<Vec<Vec<u32>>> {
    check_same(qrels, runs)?;
    let mut best: Vec<Vec<u32>> =
        qrels.topics().iter().map(|topic| vec![u32::MAX; topic.docs().len()]).collect();
    for run in runs {
        for (best, ranking) in best.iter_mut().zip(&run.rankings) {
            for &Hit { rank, document } in ranking.iter().flat_map(|ranking| &ranking.hits) {
                let known = &mut best[document as usize];
                *known = rank.min(*known);
            }
        }
    }
    Ok(best)
}

/// The judgments of the documents that are among the first `depth` of any run.
pub fn restrict_to_depth(qrels: &Qrels, runs: &[Arc<Ranked>], depth: u32) -> Result<Qrels> {
    let best = best_ranks(qrels, runs)?;
    Ok(qrels.part(|topic, number, grade| grade.filter(|_| best[topic][number] <= depth)))
}

/// The judgments without the documents that only one group of runs contributed
/// to the pool of a depth. `groups` has the group of each run.
pub fn without_unique(
    qrels: &Qrels,
    runs: &[Arc<Ranked>],
    groups: &[usize],
    depth: u32,
    group: usize,
) -> Result<Qrels> {
    let parts: (Vec<_>, Vec<_>) =
        runs.iter().cloned().zip(groups).partition(|(_, of)| **of == group);
    let of = |part: Vec<(Arc<Ranked>, &usize)>| -> Vec<Arc<Ranked>> {
        part.into_iter().map(|(run, _)| run).collect()
    };
    let (own, others) = (of(parts.0), of(parts.1));
    let (own, others) = (best_ranks(qrels, &own)?, best_ranks(qrels, &others)?);
    Ok(qrels.part(|topic, number, grade| {
        let unique = own[topic][number] <= depth && others[topic][number] > depth;
        grade.filter(|_| !unique)
    }))
}

fn check_same(qrels: &Qrels, runs: &[Arc<Ranked>]) -> Result<()> {
    let same = |run: &Ranked| {
        let topics = qrels.topics().iter().zip(&*run.tables);
        run.tables.len() == qrels.topics().len()
            && topics.into_iter().all(|(topic, table)| Arc::ptr_eq(topic.docs(), table))
    };
    match runs.iter().find(|run| !same(run)) {
        None => Ok(()),
        Some(run) => Err(Error::new(
            Kind::Option,
            format!("run {} was ranked with judgments of other documents", quote(&run.name)),
        )),
    }
}

/// How judgments are removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removal {
    /// A share of the relevant and a share of the other documents of each
    /// topic, each nested in the samples of higher rates. Buckley and Voorhees
    /// (2004); Sakai (2007), section 5.
    Stratified {
        /// The least number of relevant documents that are kept.
        relevant: u32,
        /// The least number of other documents that are kept.
        nonrelevant: u32,
    },
    /// A share of the pool of each topic, drawn again until it has a relevant
    /// document. Yilmaz and Aslam (2006), section 2.1.
    Random,
}

/// What to draw, and how.
#[derive(Clone, Copy, Debug)]
pub struct Reduction {
    /// The share of judgments that are kept, above 0 and up to 1.
    pub rate: f64,
    /// How they are drawn.
    pub method: Removal,
    /// The lowest grade that is relevant.
    pub rel: f64,
    /// Whether documents that are not drawn stay in the pool, not judged.
    pub keep_pooled: bool,
    /// The seed of the sampling.
    pub seed: u64,
}

/// Fewer judgments. Inclusion probabilities are multiplied by the probability
/// of being in this sample, for the estimates that divide by them.
pub fn reduce(qrels: &Qrels, reduction: &Reduction) -> Result<Qrels> {
    if !(reduction.rate > 0.0 && reduction.rate <= 1.0) {
        let message = format!("expected a rate above 0 and up to 1, found {}", reduction.rate);
        return Err(Error::new(Kind::Option, message));
    }
    let drawn: Vec<Vec<f64>> =
        qrels.topics().iter().map(|topic| draw(qrels, topic, reduction)).collect();
    let lost = reduction.keep_pooled.then_some(POOLED);
    let fewer = qrels.part(|topic, number, grade| match grade {
        Some(grade) if drawn[topic][number] > 0.0 => Some(grade),
        // Pooled documents without a judgment are kept.
        Some(grade) if grade < 0.0 => Some(grade),
        Some(_) => lost,
        None => None,
    });
    let Some(inclusion) = qrels.column_names().iter().position(|name| name == INCLUSION) else {
        return Ok(fewer);
    };
    let both = qrels.topics().iter().zip(&drawn).map(|(topic, shares)| {
        let before = topic.column(inclusion).unwrap_or_default().iter();
        // Documents that were not drawn are not judged, so their probability is unused.
        before.zip(shares).map(|(p, share)| if *share > 0.0 { p * share } else { *p }).collect()
    });
    Ok(fewer.with_column(INCLUSION, both.collect()))
}

/// Which documents of a topic are drawn: for each drawn document the share of
/// its class that was drawn, 0 for the others.
fn draw(qrels: &Qrels, topic: &Topic, reduction: &Reduction) -> Vec<f64> {
    let of_topic = lasting_hash(GOLDEN, topic.id());
    let sample = |members: &[usize], size: usize, attempt: u64| -> Vec<usize> {
        let seed = reduction.seed ^ attempt.wrapping_mul(GOLDEN);
        let key = |&number: &usize| {
            let document = lasting_hash(GOLDEN, topic.docs().key(number as u32));
            uniform(paired_hash(of_topic, document), seed)
        };
        let mut keyed: Vec<(f64, usize)> = members.iter().map(|m| (key(m), *m)).collect();
        if (1..keyed.len()).contains(&size) {
            keyed.select_nth_unstable_by(size, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        }
        keyed.into_iter().take(size).map(|(_, number)| number).collect()
    };
    // Decimal rates are not exact: 0.3 of 10 is 3.
    let share = |count: usize| (count as f64 * reduction.rate + 1e-9).floor() as usize;
    let grade = |grade_index: u32| qrels.grades()[grade_index as usize];
    let relevant =
        |grade_index: u32| grade(grade_index) >= reduction.rel && grade(grade_index) >= 0.0;
    let mut drawn = vec![0.0; topic.docs().len()];
    match reduction.method {
        Removal::Stratified { relevant: least_relevant, nonrelevant: least_others } => {
            for (wanted, least) in [(true, least_relevant), (false, least_others)] {
                let members: Vec<usize> = topic
                    .judgments()
                    .filter(|&(.., grade_index)| {
                        grade(grade_index) >= 0.0 && relevant(grade_index) == wanted
                    })
                    .map(|(number, ..)| number)
                    .collect();
                let size = share(members.len()).max(least as usize).min(members.len());
                let drawn_share = size as f64 / members.len() as f64;
                for number in sample(&members, size, 0) {
                    drawn[number] = drawn_share;
                }
            }
        }
        Removal::Random => {
            let pool: Vec<usize> = topic.judgments().map(|(number, ..)| number).collect();
            let size = share(pool.len()).max(1);
            let any = topic.judgments().any(|(.., grade_index)| relevant(grade_index));
            let mut attempt = 0;
            loop {
                let sample = sample(&pool, size, attempt);
                let grade_index = |number: &usize| topic.grade_column().get(*number as u32);
                if !any || sample.iter().filter_map(grade_index).any(&relevant) {
                    let drawn_share = sample.len() as f64 / pool.len() as f64;
                    for number in sample {
                        drawn[number] = drawn_share;
                    }
                    break;
                }
                attempt += 1;
            }
        }
    }
    drawn
}

/// Runs in a part of the collection: each document is kept with probability
/// `rate`, the same documents in all runs and topics. The judgments are not
/// changed, so relevant documents can be missing: Yilmaz and Aslam (2006),
/// section 3.
pub fn sample_collection(
    runs: &[Arc<Ranked>],
    rate: f64,
    seed: u64,
    threads: Option<usize>,
) -> Result<Vec<Ranked>> {
    if !(0.0..=1.0).contains(&rate) {
        let message = format!("expected a rate from 0 to 1, found {rate}");
        return Err(Error::new(Kind::Option, message));
    }
    if let Some(run) = runs.iter().find(|run| run.unjudged_depth < u32::MAX) {
        let message = format!(
            "run {} was ranked without the documents outside the judgments; rank it with keep_unjudged=True",
            quote(&run.name)
        );
        return Err(Error::new(Kind::Needs, message));
    }
    let kept = |hash: u64| uniform(hash, seed) < rate;
    let kept_of = |table: &Arc<DocTable>| -> Vec<bool> {
        table.keys().map(|document| kept(lasting_hash(GOLDEN, document))).collect()
    };
    let pool = thread_pool(threads, runs.len())?;
    let mut sampled: Vec<Ranked> = Vec::with_capacity(runs.len());
    for joined_alike in runs.chunk_by(|a, b| Arc::ptr_eq(&a.tables, &b.tables)) {
        let judged: Vec<Vec<bool>> = joined_alike[0].tables.iter().map(kept_of).collect();
        let smaller = |room: &mut Vec<(u32, u64)>, run: &Arc<Ranked>| {
            interrupt::check()?;
            let lists = run.rankings.iter().flatten();
            let lines = lists.map(|list| list.hits.len() + list.unjudged_docs.len()).sum::<usize>();
            memory::room_for(lines.saturating_mul(size_of::<(u32, u64)>()))?;
            let rankings = run.rankings.iter().zip(&judged).map(|(ranking, judged)| {
                ranking.as_ref().map(|ranking| in_part(ranking, judged, kept, room))
            });
            Ok(Ranked {
                name: run.name.clone(),
                tables: Arc::clone(&run.tables),
                rankings: rankings.collect(),
                unjudged_depth: run.unjudged_depth,
                groups: false,
                notes: run.notes.clone(),
            })
        };
        let parts: Result<Vec<Ranked>> = match &pool {
            None => {
                let mut room = Vec::new();
                joined_alike.iter().map(|run| smaller(&mut room, run)).collect()
            }
            Some(pool) => {
                pool.install(|| joined_alike.par_iter().map_init(Vec::new, smaller).collect())
            }
        };
        sampled.extend(parts?);
    }
    Ok(sampled)
}

/// A ranking with the judged documents that are kept, by number, and the others whose hashes are.
/// `room` is memory.
fn in_part(
    ranking: &Ranking,
    judged: &[bool],
    kept: impl Fn(u64) -> bool,
    room: &mut Vec<(u32, u64)>,
) -> Ranking {
    let others = ranking.unjudged_docs.len();
    let mut smaller = Ranking { ties: ranking.ties, ..Ranking::default() };
    smaller.hits.reserve(ranking.hits.len());
    // One place more than needed: whether a document is kept decides only whether its place
    // is, which takes no branch.
    room.resize(room.len().max(others + 1), (0, 0));
    let (mut rank, mut count) = (0, 0);
    let mut pass = |passed: &[(u32, u64)], rank: &mut u32| {
        for &(_, hash) in passed {
            let keep = kept(hash);
            *rank += u32::from(keep);
            room[count] = (*rank, hash);
            count += usize::from(keep);
        }
    };
    let mut unjudged = ranking.unjudged_docs.as_slice();
    for (before, &Hit { rank: at, document }) in ranking.hits.iter().enumerate() {
        // All documents of the list are here, judged or not.
        let done = before + others - unjudged.len();
        let above = (at as usize).saturating_sub(1 + done).min(unjudged.len());
        let (passed, left) = unjudged.split_at(above);
        pass(passed, &mut rank);
        unjudged = left;
        if judged[document as usize] {
            rank += 1;
            smaller.hits.push(Hit { rank, document });
        }
    }
    pass(unjudged, &mut rank);
    smaller.unjudged_docs = room[..count].to_vec();
    smaller.retrieved = rank;
    smaller
}

/// The column of merged judgments that has the source of each.
pub const SOURCE: &str = "source";

/// The judgments of the first set, and of each next one those of documents
/// that no earlier set has judged; `source` is the position of the set. A
/// pooled document that one set has not judged is judged by the next. The grades are those of
/// all sets together, and the number of documents in the collection that of the first that says it.
#[must_use]
pub fn merge(sets: &[&Qrels]) -> Qrels {
    type Judged<'a> = Vec<(&'a [u8], f64, usize)>;
    let mut topics: BTreeMap<&[u8], Judged> = BTreeMap::new();
    for (source, qrels) in sets.iter().enumerate() {
        for topic in qrels.topics() {
            let documents = topics.entry(topic.id()).or_default();
            let judged = topic.judgments();
            documents
                .extend(judged.map(|(_, id, grade_index)| {
                    (id, qrels.grades()[grade_index as usize], source)
                }));
        }
    }
    let mut builder = Builder::new(&[SOURCE]);
    for (topic, documents) in topics {
        builder.topic(topic);
        let mut chosen: HashMap<&[u8], (f64, usize)> = HashMap::new();
        for &(document, grade, source) in &documents {
            let known = chosen.entry(document).or_insert((grade, source));
            if known.0 < 0.0 && grade >= 0.0 {
                *known = (grade, source);
            }
        }
        for (document, ..) in documents {
            // Each document once, at its first position.
            if let Some((grade, source)) = chosen.remove(document) {
                let _ = builder.add(topic, document, grade, &[source as f64], 0);
            }
        }
    }
    let size = sets.iter().find_map(|qrels| qrels.docs_in_collection);
    let grades: Vec<f64> = sets.iter().flat_map(|qrels| qrels.grades()).copied().collect();
    builder.finish(size).with_grades(&grades)
}

/// The grades of documents that two sets have both judged: the position of
/// the topic in the first, and the two grades.
#[must_use]
pub fn judged_by_both(first: &Qrels, second: &Qrels) -> Vec<(usize, f64, f64)> {
    let mut pairs = Vec::new();
    for (position, topic) in first.topics().iter().enumerate() {
        let Some(other) = second.position(topic.id()) else { continue };
        let other = &second.topics()[other];
        for (_, document, grade_index) in topic.judgments() {
            let hash = crate::hash::hash(second.seed(), document);
            let found = other.docs().get(hash, document);
            let Some(found) = found.and_then(|number| other.grade_column().get(number)) else {
                continue;
            };
            let (a, b) = (first.grades()[grade_index as usize], second.grades()[found as usize]);
            if a >= 0.0 && b >= 0.0 {
                pairs.push((position, a, b));
            }
        }
    }
    pairs
}
