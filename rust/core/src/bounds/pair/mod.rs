//! How far missing judgments could move the difference of two lists of a topic.
//!
//! The lists share documents, so that the difference does not go as far as one list at its best
//! and the other at its worst. Which way of judging is extreme follows from what a measure says
//! of itself ([`Contrast`]); both lists are then scored under it by the measure's own fold, so
//! that a bound that is called exact is the difference of two values.
//!
//! For sums, ratios and what the first relevant document decides this is exact, also for graded
//! gains: a document counts by its weight in one list minus its weight in the other. For average
//! precision, whose pairs of documents have both signs, no exact method is known to us; a bound
//! that is never exceeded comes with a difference that is reached.

mod first;
mod head;
mod precisions;
mod sums;

use std::collections::HashMap;

use super::open::{Open, refused};
use crate::error::{Error, Kind, Result, quote};
use crate::evaluate::{Evaluator, Workspace};
use crate::hash::SeededHasher;
use crate::measure::{Case, Contrast, Measure, RankWeight};
use crate::qrels::Topic;
use crate::rank::Ranking;

/// So many documents in neither list may be relevant as one likes: for lists of which nothing is
/// judged.
pub const ANY: u32 = u32::MAX;

/// One end of the difference of the second list minus the first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct End {
    /// No way of judging leads beyond it.
    pub bound: f64,
    /// The difference under the way of judging that was found.
    pub reached: f64,
    /// The open documents that gain something there, by their places.
    pub relevant: Vec<u32>,
    /// How many documents in neither list do.
    pub elsewhere: u32,
}

/// The lowest and the highest difference.
pub type Ends = [End; 2];

/// The documents of two lists of a topic.
#[derive(Clone, Debug, Default)]
pub struct Joined {
    /// The judged ones: their ranks in both lists (0 where they are not in it), and the index of
    /// the grade.
    pub judged: Vec<([u32; 2], u32)>,
    /// The others.
    pub open: Vec<[u32; 2]>,
}

impl Joined {
    /// Joins rankings that hold all their documents.
    pub(crate) fn new(
        topic: &Topic,
        seed: u64,
        is_judged: &[bool],
        rankings: [&Ranking; 2],
    ) -> Self {
        let mut joined = Joined::default();
        let grade_of = |document: u32| topic.grade_column().get(document);
        let judged = |index: u32| is_judged.get(index as usize).is_some_and(|&judged| judged);
        let map = || HashMap::with_hasher(SeededHasher { state: seed });
        let mut known: HashMap<u64, usize, SeededHasher> = map();
        let mut unknown: HashMap<u64, usize, SeededHasher> = map();
        for (run, ranking) in rankings.into_iter().enumerate() {
            for hit in &ranking.hits {
                let grade = grade_of(hit.document).filter(|&index| judged(index));
                let next = if grade.is_some() { joined.judged.len() } else { joined.open.len() };
                let place = *known.entry(hit.document.into()).or_insert(next);
                match grade {
                    Some(grade) => {
                        if place == next {
                            joined.judged.push(([0; 2], grade));
                        }
                        joined.judged[place].0[run] = hit.rank;
                    }
                    None => joined.place(place, run, hit.rank),
                }
            }
            for &(rank, hash) in &ranking.unjudged_docs {
                let next = joined.open.len();
                let place = *unknown.entry(hash).or_insert(next);
                joined.place(place, run, rank);
            }
        }
        joined
    }

    fn place(&mut self, place: usize, run: usize, rank: u32) {
        if place == self.open.len() {
            self.open.push([0; 2]);
        }
        self.open[place][run] = rank;
    }
}

/// How many relevant documents there are in all, and how many may be in neither list.
#[derive(Clone, Copy, Debug, Default)]
pub struct Room {
    /// R at least.
    pub least: u32,
    /// Relevant documents in neither list at most; [`ANY`] where nothing is judged.
    pub unseen: u32,
}

/// A way of judging what is open.
#[derive(Clone, Debug, Default)]
struct Way {
    /// The index of the grade of each open document.
    open: Vec<u32>,
    /// Indices of grades, and how many documents in neither list have them.
    elsewhere: Vec<(u32, u32)>,
    /// What no way exceeds, where that is not what this way gives.
    bound: Option<f64>,
    /// The open documents that gain something.
    relevant: Vec<u32>,
}

/// What a measure makes of two lists.
struct Stakes<'a> {
    /// The ranks of the judged documents of either list, and their worth.
    judged: Vec<([u32; 2], f64)>,
    /// The worth of all judged documents, in the lists or not, and how many have it.
    counts: Vec<(f64, u32)>,
    /// The ranks of the open documents.
    open: &'a [[u32; 2]],
    /// The worths that an open document can get, ascending, with indices of grades.
    classes: Vec<(f64, u32)>,
    /// The cutoff, or past every list.
    depth: u32,
    /// The longest list.
    longest: u32,
    room: Room,
}

impl Stakes<'_> {
    /// The documents that are judged relevant.
    fn known(&self) -> u32 {
        self.counts.iter().filter(|of| of.0 > 0.0).map(|of| of.1).sum()
    }

    /// How many of the others are relevant at least.
    fn missing(&self) -> usize {
        self.room.least.saturating_sub(self.known()) as usize
    }

    /// How many in neither list may be: no more than make a difference.
    fn unseen(&self) -> usize {
        match self.room.unseen {
            ANY => self.missing(),
            unseen => unseen as usize,
        }
    }

    /// The grade of what gains nothing, or the least.
    fn worst(&self) -> u32 {
        self.classes.first().map_or(0, |class| class.1)
    }

    /// The lowest grade that gains something.
    fn lowest_gain(&self) -> Option<u32> {
        self.classes.iter().find(|class| class.0 > 0.0).map(|class| class.1)
    }

    /// The highest.
    fn best(&self) -> Option<u32> {
        self.classes.last().filter(|class| class.0 > 0.0).map(|class| class.1)
    }

    /// The same lists the other way round.
    fn turned(&self, open: &'_ mut Vec<[u32; 2]>) -> Vec<([u32; 2], f64)> {
        open.extend(self.open.iter().map(|ranks| [ranks[1], ranks[0]]));
        self.judged.iter().map(|&(ranks, worth)| ([ranks[1], ranks[0]], worth)).collect()
    }
}

/// The weights of the ranks down to the longest list or the cutoff; that of rank 0, of a document
/// that is not in the list, is 0.
struct RankWeights(Vec<f64>);

impl RankWeights {
    fn new(weight: RankWeight, measure: &Measure, case: &Case, longest: u32) -> Self {
        let ranks = 1..=longest.min(measure.depth());
        RankWeights(
            std::iter::once(0.0).chain(ranks.map(|rank| weight(measure, case, rank))).collect(),
        )
    }

    fn of(&self, rank: u32) -> f64 {
        self.0.get(rank as usize).copied().unwrap_or(0.0)
    }

    /// What a document adds to the difference of the second list minus the first.
    fn apart(&self, ranks: [u32; 2]) -> f64 {
        self.of(ranks[1]) - self.of(ranks[0])
    }
}

/// Whether the ends of a measure's difference are found by what it says of itself.
pub(crate) fn is_known(measure: &Measure) -> bool {
    !matches!(measure.contrast(), Contrast::Unknown)
}

/// The lowest and highest difference of two lists of a topic in each measure of an evaluator, for
/// each room; `None` where nothing is known of a measure, or where a value is undefined.
///
/// `allowed` are the indices of the grades that an open document can get.
pub(crate) fn ends(
    evaluator: &Evaluator,
    allowed: &[u32],
    topic: usize,
    rankings: [&Ranking; 2],
    joined: &Joined,
    workspace: &mut Workspace,
    rooms: &[Room],
) -> Result<Vec<Vec<Option<Ends>>>> {
    let measures = evaluator.measures().count();
    let mut ways: Vec<Vec<[Way; 2]>> = vec![Vec::new(); measures];
    let longest = rankings[0].retrieved.max(rankings[1].retrieved);
    evaluator.each_case(topic, rankings[0], workspace, |case, measure, i| {
        if !is_known(measure) || evaluator.value(case, measure)?.is_nan() {
            return Ok(());
        }
        let list = Open::new(evaluator, case, measure, allowed, false);
        for &room in rooms {
            let stakes = Stakes {
                judged: joined
                    .judged
                    .iter()
                    .map(|&(ranks, grade)| (ranks, list.worth(grade)))
                    .filter(|of| of.1 > 0.0)
                    .collect(),
                counts: list
                    .judged_counts()
                    .map(|(grade, count)| (list.worth(grade), count))
                    .collect(),
                open: &joined.open,
                classes: list.classes.clone(),
                depth: measure.depth(),
                longest,
                room,
            };
            check_room(&stakes, case)?;
            let high = extreme(&stakes, measure, case)?;
            let mut open = Vec::new();
            let judged = stakes.turned(&mut open);
            let low = extreme(&Stakes { judged, open: &open, ..stakes }, measure, case)?;
            let mut found = [low, high];
            for way in &mut found {
                let gains = |grade: u32| list.worth(grade) > 0.0;
                let places = (0..).zip(&way.open).filter(|of| gains(*of.1));
                way.relevant = places.map(|of| of.0).collect();
                way.elsewhere.retain(|of| gains(of.0) && of.1 > 0);
            }
            ways[i].push(found);
        }
        Ok(())
    })?;
    let mut values: [Vec<Vec<[f64; 2]>>; 2] = std::array::from_fn(|_| vec![Vec::new(); measures]);
    for (run, values) in values.iter_mut().enumerate() {
        evaluator.each_case(topic, rankings[run], workspace, |case, measure, i| {
            if ways[i].is_empty() || evaluator.value(case, measure)?.is_nan() {
                return Ok(());
            }
            let mut list = Open::new(evaluator, case, measure, allowed, false);
            let places = places_of(&joined.open, run);
            for [low, high] in &ways[i] {
                let mut value =
                    |way: &Way| judged_value(&mut list, &joined.open, &places, run, way);
                values[i].push([value(low)?, value(high)?]);
            }
            Ok(())
        })?;
    }
    Ok((0..measures)
        .map(|i| {
            let found = ways[i].iter().enumerate().map(|(place, of_room)| {
                let [first, second] = [values[0][i].get(place)?, values[1][i].get(place)?];
                Some([0, 1].map(|end| {
                    let reached = second[end] - first[end];
                    let way = &of_room[end];
                    let bound = way.bound.map_or(reached, |bound| match end {
                        0 => (-bound).min(reached),
                        _ => bound.max(reached),
                    });
                    let elsewhere = way.elsewhere.iter().map(|of| of.1).sum();
                    End { bound, reached, relevant: way.relevant.clone(), elsewhere }
                }))
            });
            let found: Vec<Option<Ends>> = found.collect();
            if found.is_empty() { vec![None; rooms.len()] } else { found }
        })
        .collect())
}

/// An error if there cannot be as many relevant documents as are asked for.
fn check_room(stakes: &Stakes, case: &Case) -> Result<()> {
    let most = if stakes.best().is_none() {
        0
    } else {
        stakes.open.len() + stakes.unseen().max(usize::from(stakes.room.unseen == ANY))
    };
    if stakes.missing() <= most {
        return Ok(());
    }
    Err(Error::for_each(Kind::Option, |to| {
        format!(
            "{} is {}, and at most {} documents of topic {} can be relevant",
            to.option("least_relevant"),
            stakes.room.least,
            stakes.known() as usize + most,
            quote(case.topic.id())
        )
    }))
}

/// The way with the highest difference of the second list minus the first.
fn extreme(stakes: &Stakes, measure: &Measure, case: &Case) -> Result<Way> {
    if stakes.room.unseen > 0 && stakes.classes.first().is_some_and(|class| class.0 > 0.0) {
        let reason = "every grade gains something, also of documents in neither list";
        return Err(refused(measure, reason));
    }
    let weights = |weight| RankWeights::new(weight, measure, case, stakes.longest);
    Ok(match measure.contrast() {
        Contrast::Sum(weight) => sums::of_sum(stakes, &weights(weight)),
        Contrast::Ratio { weight, cut } => {
            let ideal = |documents: u32| -> Vec<f64> {
                let ranks = if cut { documents.min(measure.depth()) } else { documents };
                let mut sums = vec![0.0];
                let mut sum = 0.0;
                sums.extend((1..=ranks).map(|rank| {
                    sum += weight(measure, case, rank);
                    sum
                }));
                sums
            };
            sums::of_ratio(stakes, &weights(weight), ideal)
        }
        Contrast::First(weight) => first::highest(stakes, &weights(weight)),
        Contrast::Head(size) => head::highest(stakes, measure, case, size),
        Contrast::Precisions { cut } => precisions::highest(stakes, cut)?,
        Contrast::Unknown => Way::default(),
    })
}

/// The open documents that are in the list of a run, by rank.
fn places_of(open: &[[u32; 2]], run: usize) -> Vec<u32> {
    let mut places: Vec<u32> =
        (0..open.len() as u32).filter(|&place| open[place as usize][run] > 0).collect();
    places.sort_unstable_by_key(|&place| open[place as usize][run]);
    places
}

/// The value of the list of a run.
fn judged_value(
    list: &mut Open,
    open: &[[u32; 2]],
    places: &[u32],
    run: usize,
    way: &Way,
) -> Result<f64> {
    let mut others: Vec<(u32, u32)> = way.elsewhere.clone();
    for (ranks, &grade) in open.iter().zip(&way.open) {
        if ranks[run] == 0 {
            match others.iter_mut().find(|of| of.0 == grade) {
                Some(of) => of.1 += 1,
                None => others.push((grade, 1)),
            }
        }
    }
    list.value(places.iter().map(|&place| way.open[place as usize]), &others)
}
