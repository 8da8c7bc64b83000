//! Ranking lists that somebody else holds in columns: scores in the order
//! given, documents that are looked at only where they have to be.
//!
//! The rule is that of `mod.rs`, and the result that of its lines. What is
//! saved is copying the ids, looking at most of them when all measures look at
//! the first documents only, and putting in order what nobody asks for.

use cranfield_scan::{Scan, Task};

use super::sort::Steps;
use super::{Ids, Order, Precision, Ranker, Ranking, Scratch, Unrankable};
use crate::table::Table;

/// The documents of a list that somebody else holds, each once.
pub trait Documents: Ids {
    /// Writes the lines whose document the judgments know, ascending, each
    /// with the document's number in the topic's table; `hashes` is memory.
    fn find(&self, hashes: &mut Vec<u64>, found: &mut Vec<(u32, u32)>);

    /// The number of a line's document, if the judgments know it.
    fn number(&self, line: u32) -> Option<u32>;

    /// How many documents the judgments know, if that is at hand.
    fn found(&self) -> Option<usize> {
        None
    }
}

impl Ranker {
    /// Ranks a list of finite scores and joins it with the judgments.
    ///
    /// `reach` says how far down the list anybody looks: documents below it
    /// may be missing from the hits. What is noted of the list, the number of
    /// its lines and of ties, is always exact. Nothing is said of strangers.
    pub fn rank_columns(
        &self,
        scores: &[f64],
        documents: &impl Documents,
        reach: u32,
        scratch: &mut Scratch,
        ranking: &mut Ranking,
    ) -> Result<(), Unrankable> {
        ranking.clear();
        if self.order == Order::Rank && !scores.is_empty() {
            return Err(Unrankable::NoRanks);
        }
        scratch.dropped.clear();
        let mut own = std::mem::take(&mut scratch.keys);
        let keys = self.keys_of_scores(scores, &mut own);
        let steps = Steps::of(keys);
        let few_at_hand = documents.found().is_some_and(|found| found <= FEW);
        if few_at_hand || self.looks_everywhere(keys.len(), reach) {
            scratch.found.clear();
            documents.find(&mut scratch.hashes, &mut scratch.found);
            let few = scratch.found.len() <= FEW && self.strangers == 0 && !self.groups;
            if few && steps.rises > 0 {
                self.rank_few(keys, documents, scratch, ranking);
            } else {
                self.rank_found(keys, steps, documents, scratch, ranking);
            }
        } else {
            self.rank_top(keys, steps, documents, self.least(reach), scratch, ranking);
        }
        scratch.keys = own;
        if let Some(other) = self.in_other_precision() {
            let mut elsewhere = Ranking::default();
            other.rank_columns(scores, documents, reach, scratch, &mut elsewhere)?;
            ranking.compare(&elsewhere);
        }
        Ok(())
    }

    /// Whether the documents of a list of so many are looked up wherever they
    /// are, and not only in its first lines.
    pub fn looks_everywhere(&self, lines: usize, reach: u32) -> bool {
        self.strangers > 0 || self.groups || self.least(reach) >= lines / SHALLOW
    }

    /// How far down a list anybody looks, after the depth.
    fn least(&self, reach: u32) -> usize {
        self.depth.map_or(reach, |depth| depth.min(reach)) as usize
    }

    /// What lines are ranked by, the highest first: the scores, or a column of
    /// our own.
    fn keys_of_scores<'a>(&self, scores: &'a [f64], own: &'a mut Vec<f64>) -> &'a [f64] {
        own.clear();
        match (self.order, self.precision) {
            (Order::Input, _) => own.extend((0..scores.len()).map(|line| -(line as f64))),
            (_, Precision::F64) => return scores,
            (_, Precision::F32) => {
                own.extend(scores.iter().map(|&score| f64::from(score as f32)));
            }
        }
        own
    }

    /// A list out of order with few known documents: their ranks are counted,
    /// which takes a look at each key for each of them.
    fn rank_few(&self, keys: &[f64], ids: &impl Ids, scratch: &mut Scratch, ranking: &mut Ranking) {
        ranking.retrieved = keys.len() as u32;
        ranking.ties = scratch.tied(keys);
        let Scratch { found, order, group, .. } = scratch;
        for &(line, number) in &*found {
            let key = keys[line as usize];
            let (mut above, alike) = cranfield_scan::run(Above { keys, key });
            if alike > 1 {
                order.clear();
                order.extend((0..).zip(keys).filter(|(_, other)| **other == key).map(|(l, _)| l));
                self.order_tied(ids, order, group);
                above += order.iter().take_while(|&&other| other != line).count() as u64;
            }
            ranking.hits.push((above as u32 + 1, number));
        }
        ranking.hits.sort_unstable();
        if let Some(depth) = self.depth {
            ranking.cut(depth);
        }
    }

    /// The first documents only, and all that tie with the last of them.
    fn rank_top(
        &self,
        keys: &[f64],
        Steps { rises, tied }: Steps,
        documents: &impl Documents,
        reach: usize,
        scratch: &mut Scratch,
        ranking: &mut Ranking,
    ) {
        ranking.retrieved = keys.len() as u32;
        ranking.ties = if rises == 0 { tied } else { scratch.tied(keys) };
        let Scratch { order, group, .. } = scratch;
        order.clear();
        if reach > 0 && rises == 0 {
            let tied = keys[reach..].iter().take_while(|&&key| key == keys[reach - 1]).count();
            order.extend(0..(reach + tied) as u32);
        } else if reach > 0 {
            cranfield_scan::run(Top { keys, count: reach, order });
            order.sort_by(|&a, &b| keys[b as usize].total_cmp(&keys[a as usize]));
        }
        for tied in order.chunk_by_mut(|&a, &b| keys[a as usize] == keys[b as usize]) {
            self.order_tied(documents, tied, group);
        }
        let known = (1..).zip(order.iter().take(reach));
        let known = known.filter_map(|(rank, &line)| Some((rank, documents.number(line)?)));
        ranking.hits.extend(known);
        if let Some(depth) = self.depth {
            ranking.cut(depth);
        }
    }
}

/// How many keys are above one, and how many are like it.
struct Above<'a> {
    keys: &'a [f64],
    key: f64,
}

impl Task for Above<'_> {
    type Output = (u64, u64);

    #[inline(always)]
    fn run<S: Scan>(self, _: S) -> (u64, u64) {
        self.keys.iter().fold((0, 0), |(above, alike), other| {
            (above + u64::from(*other > self.key), alike + u64::from(*other == self.key))
        })
    }
}

/// Where measures look at less than one in so many lines, the first documents
/// are picked out.
const SHALLOW: usize = 8;

/// Ranks of up to so many documents are counted.
const FEW: usize = 20;

/// Writes the lines whose keys are among the highest so many, at least one and not all,
/// or tie with them.
struct Top<'a> {
    keys: &'a [f64],
    count: usize,
    order: &'a mut Vec<u32>,
}

impl Task for Top<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Scan>(self, _: S) {
        let Top { keys, count, order } = self;
        let least = highest(keys, count);
        for (stretch, first) in keys.chunks(STRETCH).zip((0..).step_by(STRETCH)) {
            if holds(stretch, |key| key >= least) {
                let lines = (first..).zip(stretch).filter(|(_, key)| **key >= least);
                order.extend(lines.map(|(line, _)| line));
            }
        }
    }
}

/// So many keys are looked at together, since nearly none is among the highest.
const STRETCH: usize = 16;

/// Whether any key is wanted, of which several are looked at at a time.
#[inline(always)]
fn holds(keys: &[f64], wanted: impl Fn(f64) -> bool) -> bool {
    keys.iter().fold(false, |any, &key| any | wanted(key))
}

/// The key that so many others, at least one and not all, reach: of the lines
/// seen the highest are kept in order.
#[inline(always)]
fn highest(keys: &[f64], count: usize) -> f64 {
    let (first, rest) = keys.split_at(count);
    let mut kept = first.to_vec();
    kept.sort_unstable_by(f64::total_cmp);
    for stretch in rest.chunks(STRETCH) {
        let least = kept[0];
        if !holds(stretch, |key| key > least) {
            continue;
        }
        for &key in stretch {
            if key > kept[0] {
                let place = kept.partition_point(|&other| other < key) - 1;
                kept.copy_within(1..=place, 0);
                kept[place] = key;
            }
        }
    }
    kept[0]
}

impl Scratch {
    /// How many lines have the key of another. Lines are spread over a table by
    /// a piece of their bits, and only those that meet there are compared.
    fn tied(&mut self, keys: &[f64]) -> u64 {
        const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
        let Scratch { last, before, again, .. } = self;
        let places = (keys.len() * 4).next_power_of_two();
        last.clear();
        last.resize(places, 0);
        before.resize(keys.len(), 0);
        again.resize(keys.len() + 1, 0);
        let shift = 64 - places.trailing_zeros().max(1);
        let mut meets = 0;
        for ((line, &key), before) in (1..).zip(keys).zip(before.iter_mut()) {
            // Zero and minus zero are one key.
            let place = (key + 0.0).to_bits().wrapping_mul(GOLDEN) >> shift;
            *before = std::mem::replace(&mut last[place as usize & (places - 1)], line);
            again[meets] = line;
            meets += usize::from(*before != 0);
        }
        // Each key counts once more when it comes for the second time.
        let mut tied = 0;
        for &line in &again[..meets] {
            let key = keys[line as usize - 1];
            let mut other = before[line as usize - 1];
            let mut earlier = 0;
            while other != 0 && earlier < 2 {
                earlier += u64::from(keys[other as usize - 1] == key);
                other = before[other as usize - 1];
            }
            tied += [0, 2, 1][earlier as usize];
        }
        tied
    }
}

/// The line of a score that no other line has.
pub fn only_line(scores: &[f64], score: f64) -> Option<u32> {
    // Without a branch, so that several are compared at a time.
    let (mut count, mut lines) = (0u64, 0u64);
    for (line, &other) in (0u64..).zip(scores) {
        let alike = u64::from(other == score);
        count += alike;
        lines |= alike.wrapping_neg() & line;
    }
    (count == 1).then_some(lines as u32)
}

/// Where [`look_up`] looks.
#[derive(Clone, Copy)]
pub struct Judgments<'a> {
    /// The judged documents.
    pub docs: &'a Table,
    /// The seed that they are hashed with.
    pub seed: u64,
}

/// Writes which of so many lines have a document that a table knows, ascending,
/// with its number; `hashes` is memory.
pub fn look_up(
    count: usize,
    ids: &impl Ids,
    judgments: Judgments<'_>,
    hashes: &mut Vec<u64>,
    found: &mut Vec<(u32, u32)>,
) {
    if judgments.docs.len() < 4 * count {
        judgments.docs.warm();
    }
    cranfield_scan::run(LookUp { count, ids, judgments, hashes, found });
}

struct LookUp<'a, I> {
    count: usize,
    ids: &'a I,
    judgments: Judgments<'a>,
    hashes: &'a mut Vec<u64>,
    found: &'a mut Vec<(u32, u32)>,
}

impl<I: Ids> Task for LookUp<'_, I> {
    type Output = ();

    #[inline(always)]
    fn run<S: Scan>(self, scan: S) {
        let LookUp { count, ids, judgments: Judgments { docs, seed }, hashes, found } = self;
        // A hash and its line, of which the first `finds` count.
        hashes.resize(2 * (count + 1), 0);
        let (sieve, finder) = (docs.sieve(), docs.finder());
        let (maybe, mut finds) = (hashes.as_chunks_mut().0, 0);
        for line in 0..count as u32 {
            let hash = ids.hash(line, seed);
            maybe[finds] = [hash, line.into()];
            finds += usize::from(sieve.may_hold(hash));
        }
        found.clear();
        found.reserve(finds);
        for &[hash, line] in &maybe[..finds] {
            let line = line as u32;
            if let Some(number) = ids.seek(line, scan, finder, hash) {
                found.push((line, number));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::hash;
    use crate::qrels::{Builder, Qrels};
    use crate::rank::Lines;
    use proptest::prelude::*;

    struct Held<'a> {
        lines: &'a Lines,
        qrels: &'a Qrels,
    }

    impl Ids for Held<'_> {
        fn with_id<T>(&self, line: u32, then: impl FnOnce(&[u8]) -> T) -> T {
            self.lines.with_id(line, then)
        }
    }

    impl Documents for Held<'_> {
        fn find(&self, hashes: &mut Vec<u64>, found: &mut Vec<(u32, u32)>) {
            let seed = self.qrels.seed();
            let judgments = Judgments { docs: self.qrels.topics()[0].docs(), seed };
            look_up(self.lines.len(), self, judgments, hashes, found);
        }

        fn number(&self, line: u32) -> Option<u32> {
            let docs = self.qrels.topics()[0].docs();
            self.with_id(line, |id| docs.get(hash(self.qrels.seed(), id), id))
        }
    }

    /// One score a document, some of them alike, in both precisions or one.
    fn scores() -> impl Strategy<Value = Vec<f64>> {
        let few = prop::sample::select(vec![0.0, -0.0, 1.0, 1.0 + 1e-9, 2.5, -3.0, 1e300]);
        let some = (0u32..50).prop_map(|n| f64::from(n) / 4.0);
        let score = prop_oneof![2 => few, 4 => some, 4 => -1.0..1.0];
        (prop::collection::vec(score, 0..400), any::<bool>()).prop_map(|(mut scores, sort)| {
            if sort {
                scores.sort_by(|a, b| b.total_cmp(a));
            }
            scores
        })
    }

    proptest! {
        #[test]
        fn columns_are_ranked_as_lines(
            scores in scores(),
            judged in prop_oneof![Just(1usize), Just(9), Just(200)],
            step in 1usize..40,
            reach in prop_oneof![0u32..20, Just(u32::MAX)],
            depth in prop::option::of(1u32..60),
            strangers in prop::sample::select(vec![0, 5, u32::MAX]),
        ) {
            let mut builder = Builder::new(&[]);
            for i in 0..judged {
                builder.add(b"1", format!("d{}", i * step).as_bytes(), 1.0, &[], 0).unwrap();
            }
            let qrels = builder.finish(None);
            let mut lines = Lines::default();
            for (i, &score) in scores.iter().enumerate() {
                lines.push(format!("d{}", i * 7 % 401).as_bytes(), score);
            }
            let held = Held { lines: &lines, qrels: &qrels };
            let mut scratch = Scratch::default();
            for order in [Order::DocnoDesc, Order::DocnoAsc, Order::Input] {
                for precision in [Precision::F64, Precision::F32] {
                    let ranker = Ranker { order, precision, depth, strangers, ..Ranker::default() };
                    let (mut expected, mut found) = (Ranking::default(), Ranking::default());
                    found.hits.push((9, 9));
                    let topic = &qrels.topics()[0];
                    ranker.rank(&lines, &qrels, topic, &mut scratch, &mut expected).unwrap();
                    ranker.rank_columns(&scores, &held, reach, &mut scratch, &mut found).unwrap();
                    for hits in [&mut expected.hits, &mut found.hits] {
                        hits.retain(|(rank, _)| *rank <= reach);
                    }
                    prop_assert_eq!(&expected.hits, &found.hits);
                    prop_assert_eq!(expected.retrieved, found.retrieved);
                    prop_assert_eq!(expected.ties, found.ties);
                    prop_assert_eq!(&expected.strangers, &found.strangers);
                }
            }
        }

        #[test]
        fn the_highest_keys(keys in prop::collection::vec((-9i32..9).prop_map(f64::from), 2..60), part in 0.0..1.0) {
            let count = 1 + (part * (keys.len() - 1) as f64) as usize;
            let mut sorted = keys.clone();
            sorted.sort_by(|a, b| b.total_cmp(a));
            prop_assert_eq!(highest(&keys, count), sorted[count - 1]);
        }

        #[test]
        fn ties_are_counted_in_any_order(keys in prop::collection::vec((-20i32..20).prop_map(f64::from), 0..80)) {
            let alike = |key: &f64| keys.iter().filter(|other| *other == key).count() > 1;
            let expected = keys.iter().filter(|key| alike(key)).count() as u64;
            prop_assert_eq!(Scratch::default().tied(&keys), expected);
        }
    }

    #[test]
    fn zero_and_minus_zero_are_one_score() {
        let mut builder = Builder::new(&[]);
        for i in 10..40 {
            builder.add(b"1", format!("d{i}").as_bytes(), 1.0, &[], 0).unwrap();
        }
        let qrels = builder.finish(None);
        let mut lines = Lines::default();
        // In single precision the small ones are zero and minus zero.
        let zeros = [0.0, -0.0, 1e-50, -1e-50];
        let scores: Vec<f64> = (0..30).map(|i| if i == 0 { -1.0 } else { zeros[i % 4] }).collect();
        for (i, &score) in (10..40).zip(&scores) {
            lines.push(format!("d{i}").as_bytes(), score);
        }
        let held = Held { lines: &lines, qrels: &qrels };
        let (mut scratch, mut ranking) = (Scratch::default(), Ranking::default());
        let ranker = Ranker { precision: Precision::F32, ..Ranker::default() };
        for reach in [2, u32::MAX] {
            ranker.rank_columns(&scores, &held, reach, &mut scratch, &mut ranking).unwrap();
            let documents: Vec<&[u8]> = (ranking.hits.iter())
                .map(|&(_, number)| qrels.topics()[0].docs().key(number))
                .collect();
            let expected = (11..40).rev().chain([10]).take(reach.min(30) as usize);
            let expected: Vec<String> = expected.map(|i| format!("d{i}")).collect();
            assert_eq!(documents, expected.iter().map(String::as_bytes).collect::<Vec<_>>());
            assert_eq!(ranking.ties, 29);
        }
    }

    #[test]
    fn columns_have_no_ranks() {
        let (lines, qrels) = (Lines::default(), Builder::new(&[]).finish(None));
        let held = Held { lines: &lines, qrels: &qrels };
        let ranker = Ranker { order: Order::Rank, ..Ranker::default() };
        let (mut scratch, mut ranking) = (Scratch::default(), Ranking::default());
        let ranked = ranker.rank_columns(&[1.0], &held, 5, &mut scratch, &mut ranking);
        assert_eq!(ranked, Err(Unrankable::NoRanks));
    }
}
