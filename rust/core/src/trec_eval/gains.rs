//! The measures over gains, and the table that gives every grade its gain.
//!
//! The ideal list is read from a table sorted by gain, in which gains closer
//! together than 1 count as equal: with fractional gains it need not be the
//! best list.

use std::cmp::Ordering;

use super::catalogue::Gained;
use super::chosen_measures::Parameters;
use super::number::{atol, is_integer};
use super::sort::merge_sort;
use super::topic_list::{GradeRules, OUTSIDE, POOLED, TopicList};
use super::version::Version;
use crate::qrels::Topic;

/// Up to this highest grade the table has a row for every grade if gains are
/// named: grades without a document then take part in the order of the rows.
const FULL_TABLE: i64 = 1 << 16;

/// How many grades of a topic are searched linearly.
const FEW_GRADES: usize = 4;

/// Below this, adding ones to a whole number one by one or all at once is the same.
const COUNTED_EXACTLY: f64 = (1u64 << 52) as f64;

/// The gains that the parameters name.
#[derive(Clone, Debug, PartialEq)]
pub struct Gains {
    /// The named grades, with their gains.
    named: Vec<(i64, f64)>,
    /// Whether gains are scaled to between 0 and 1, for rbp.
    scaled: bool,
}

/// A grade with its gain and the number of its documents.
#[derive(Clone, Copy, Debug)]
struct GradeGain {
    grade: i64,
    gain: f64,
    count: u64,
}

/// A document of a list whose gain is not 0.
#[derive(Clone, Copy, Debug)]
pub struct GainingDocument {
    rank: u32,
    gain: f64,
    /// The gain over the discount of the rank.
    discounted: f64,
}

/// The gains of a topic, which do not depend on the run.
#[derive(Clone, Debug)]
pub struct TopicGains {
    /// The gain of each grade of the topic, ascending by grade index.
    by_grade: Vec<(u32, f64)>,
    /// The gains of documents outside the pool, and of pooled documents without
    /// a judgment.
    unjudged: [f64; 2],
    /// Whether the gain of every grade is the grade.
    plain: bool,
    /// The ideal list.
    ideal: Vec<f64>,
    /// Its dcg, by the number of documents.
    sums: Vec<f64>,
    /// Its gain, by the number of documents, where gains below 1 count as 1.
    cumulated: Vec<f64>,
    /// Its total gain.
    whole: f64,
    /// The ranks at which its gain is not that of the rank before.
    changes: Vec<u32>,
}

/// The parameter `p` of rbp: the last one named.
pub fn persistence(parameters: &Parameters) -> f64 {
    let named = pairs(parameters).iter().rfind(|(name, _)| name == b"p");
    named.map_or(0.9, |(_, number)| *number)
}

fn pairs(parameters: &Parameters) -> &[(Vec<u8>, f64)] {
    match parameters {
        Parameters::Pairs(pairs) => pairs,
        _ => &[],
    }
}

impl Gains {
    /// Reads the grades that the parameters name.
    pub fn new(measure: Gained, parameters: &Parameters, version: Version) -> Self {
        let is_grade = |name: &[u8]| is_integer(name) || version.reads_any_level_name();
        let named = pairs(parameters).iter().filter(|(name, _)| is_grade(name));
        Gains {
            named: named.map(|(name, gain)| (atol(name), *gain)).collect(),
            scaled: matches!(measure, Gained::Rbp | Gained::RbpResid),
        }
    }

    /// The table of a topic.
    pub fn table(&self, rules: &GradeRules, topic: &Topic) -> TopicGains {
        let counts = topic.counts().iter().filter(|of| rules.is_judged(of.grade_index));
        let counts: Vec<(i64, u64)> =
            counts.map(|of| (rules.grade(of.grade_index), u64::from(of.count))).collect();
        let count_of = |grade: i64| {
            counts.binary_search_by_key(&grade, |(known, _)| *known).map_or(0, |at| counts[at].1)
        };
        let highest = counts.last().map_or(-1, |(grade, _)| *grade);
        let mut rows: Vec<GradeGain> = Vec::new();
        for &(grade, gain) in &self.named {
            let counted = !rows.iter().any(|row| row.grade == grade) && grade >= 0;
            rows.push(GradeGain { grade, gain, count: if counted { count_of(grade) } else { 0 } });
        }
        let unnamed = |grade: &i64| !self.named.iter().any(|(named, _)| named == grade);
        let row = |grade: i64| GradeGain { grade, gain: grade as f64, count: count_of(grade) };
        if !self.named.is_empty() && highest < FULL_TABLE {
            rows.extend((0..=highest).filter(unnamed).map(row));
        } else {
            rows.extend(counts.iter().map(|(grade, _)| *grade).filter(unnamed).map(row));
        }
        merge_sort(&mut rows, &|a: &GradeGain, b: &GradeGain| truncated(a.gain - b.gain));
        if self.scaled {
            scale(&mut rows);
        }
        // A grade that was named twice has the gain of the row that comes first.
        let gain =
            |grade: i64| rows.iter().find(|row| row.grade == grade).map_or(0.0, |row| row.gain);
        let ideal = ideal(&rows);
        let mut sum = 0.0;
        let sums = (1..).zip(&ideal).map(|(rank, gain)| {
            sum += gain / rules.discount(rank);
            sum
        });
        let last = rows.last().map_or(0.0, |row| row.gain);
        // The end of the ideal list counts as a change.
        let end = (last > 0.0).then_some(0.0);
        let mut old = last;
        let changes = (1u32..).zip(ideal.iter().copied().chain(end)).filter(|&(_, gain)| {
            let changed = gain != old;
            old = gain;
            changed
        });
        let mut gained = 0.0;
        let cumulated = ideal.iter().map(|gain| {
            gained += gain.max(1.0);
            gained
        });
        let judged = topic.counts().iter().filter(|of| rules.is_judged(of.grade_index));
        TopicGains {
            by_grade: judged
                .map(|of| (of.grade_index, gain(rules.grade(of.grade_index))))
                .collect(),
            unjudged: [gain(OUTSIDE), gain(POOLED)],
            plain: self.named.is_empty() && !self.scaled,
            changes: changes.map(|(rank, _)| rank).collect(),
            sums: std::iter::once(0.0).chain(sums).collect(),
            cumulated: std::iter::once(0.0).chain(cumulated).collect(),
            whole: ideal.iter().fold(0.0, |sum, gain| sum + gain),
            ideal,
        }
    }
}

impl TopicGains {
    /// The documents of a list whose gain is not 0.
    pub fn gained(&self, seen: &TopicList, out: &mut Vec<GainingDocument>) {
        let gain = |grade_index: u32| {
            // Most collections have few grades, and most documents the lowest.
            let (few, more) = self.by_grade.split_at(self.by_grade.len().min(FEW_GRADES));
            if let Some((_, gain)) = few.iter().find(|(known, _)| *known == grade_index) {
                return *gain;
            }
            let at = more.binary_search_by_key(&grade_index, |(known, _)| *known);
            at.map_or(0.0, |at| more[at].1)
        };
        let discounted = |(rank, gain): (u32, f64)| {
            (gain != 0.0).then(|| GainingDocument {
                rank,
                gain,
                discounted: gain / seen.rules.discount(rank),
            })
        };
        out.clear();
        if self.plain && (0..=1).contains(&seen.rules.min_grade) {
            // Documents with a gain are the hits, and their gain is the grade.
            let hits = seen.hits.relevant.iter();
            let gains = hits.map(|hit| (hit.rank, seen.rules.grade(hit.grade_index) as f64));
            out.extend(gains.filter_map(discounted));
        } else if self.unjudged == [0.0; 2] {
            let judged = seen.trace.records.iter().filter(|hit| hit.condensed > 0);
            let gains = judged.map(|hit| (hit.rank, gain(hit.grade_index)));
            out.extend(gains.filter_map(discounted));
        } else {
            let gains = seen.values().into_iter().map(|(rank, value, grade_index)| match value {
                OUTSIDE => (rank, self.unjudged[0]),
                POOLED => (rank, self.unjudged[1]),
                _ => (rank, gain(grade_index)),
            });
            out.extend(gains.filter_map(discounted));
        }
    }

    /// dcg of the whole ideal list.
    fn best(&self) -> f64 {
        self.sums[self.ideal.len()]
    }

    /// dcg of the ideal list after a number of documents.
    fn best_at(&self, rank: u32) -> f64 {
        self.sums[(rank as usize).min(self.ideal.len())]
    }

    /// The value of a measure with one value, from the documents with a gain.
    pub fn value(
        &self,
        measure: Gained,
        seen: &TopicList,
        gained: &[GainingDocument],
        parameters: &Parameters,
    ) -> f64 {
        match measure {
            Gained::Dcg => dcg(gained),
            Gained::IdealDcg => self.best(),
            Gained::Ndcg if self.best() > 0.0 => dcg(gained) / self.best(),
            Gained::Ndcg => 0.0,
            Gained::NdcgRel => self.ndcg_rel(gained),
            Gained::Rndcg if seen.num_rel() == 0.0 => 0.0,
            Gained::Rndcg => self.rndcg(seen, gained),
            Gained::G => self.g(seen.rules, gained),
            Gained::Rbp => rbp(gained, persistence(parameters)),
            Gained::RbpResid => rbp_resid(seen, persistence(parameters)),
        }
    }

    /// ndcg at ranks.
    pub fn ndcg_cut(&self, gained: &[GainingDocument], cutoffs: &[i64], out: &mut Vec<f64>) {
        let mut gained = gained.iter().peekable();
        let mut dcg = 0.0;
        for &cutoff in cutoffs {
            let cutoff = u32::try_from(cutoff).unwrap_or(u32::MAX);
            while let Some(above) = gained.next_if(|other| other.rank <= cutoff) {
                dcg += above.discounted;
            }
            let best = self.best_at(cutoff);
            out.push(if best > 0.0 { dcg / best } else { 0.0 });
        }
    }

    /// The mean of ndcg at the ranks with a gain.
    fn ndcg_rel(&self, gained: &[GainingDocument]) -> f64 {
        let (mut dcg, mut total, mut counted) = (0.0, 0.0, 0.0);
        for &GainingDocument { rank, gain, discounted } in gained {
            dcg += discounted;
            if gain > 0.0 {
                total += dcg / self.best_at(rank);
                counted += 1.0;
            }
        }
        let length = self.ideal.len() as f64;
        total += (length - counted) * dcg / self.best();
        if total > 0.0 { total / length } else { 0.0 }
    }

    /// The mean of ndcg at the ranks where the ideal gain changes, and at the
    /// end of a list that is longer than the ideal one by at least two documents.
    fn rndcg(&self, seen: &TopicList, gained: &[GainingDocument]) -> f64 {
        let mut gained = gained.iter().peekable();
        let (mut dcg, mut total, mut points) = (0.0, 0.0, 0.0);
        for &rank in &self.changes {
            while let Some(above) = gained.next_if(|other| other.rank < rank) {
                dcg += above.discounted;
            }
            let best = self.best_at(rank - 1);
            if best > 0.0 {
                total += dcg / best;
                points += 1.0;
            }
        }
        if seen.trace.retrieved as usize > self.ideal.len() + 1 && self.best() > 0.0 {
            dcg = gained.fold(dcg, |dcg, more| dcg + more.discounted);
            total += dcg / self.best();
            points += 1.0;
        }
        total / points
    }

    /// Gains, discounted by how far the list is behind the ideal one.
    fn g(&self, rules: &GradeRules, gained: &[GainingDocument]) -> f64 {
        let length = self.ideal.len();
        let (mut best, mut at, mut found, mut total) = (0.0, 0, 0.0, 0.0);
        for &GainingDocument { rank, gain, .. } in gained {
            let rank = rank as usize;
            if at < length {
                at = rank.min(length);
                best = self.cumulated[at];
            }
            if at < rank && best == best as i64 as f64 && best < COUNTED_EXACTLY {
                best += (rank - at) as f64;
                at = rank;
            }
            while at < rank {
                best += 1.0;
                at += 1;
            }
            found += gain;
            total += gain / rules.log2(2.0 + best - found);
        }
        if self.whole > 0.0 { total / self.whole } else { 0.0 }
    }
}

fn dcg(gained: &[GainingDocument]) -> f64 {
    gained.iter().fold(0.0, |sum, one| sum + one.discounted)
}

fn rbp(gained: &[GainingDocument], persistence: f64) -> f64 {
    let (mut weight, mut rank, mut sum) = (1.0, 1, 0.0);
    for &GainingDocument { rank: at, gain, .. } in gained {
        while rank < at {
            weight *= persistence;
            rank += 1;
        }
        sum += gain * weight;
    }
    (1.0 - persistence) * sum
}

fn rbp_resid(seen: &TopicList, persistence: f64) -> f64 {
    let (mut weight, mut sum, mut unjudged) = (1.0, 0.0, false);
    for (_, value, _) in seen.values() {
        if value < 0 {
            sum += weight;
            unjudged = true;
        }
        weight *= persistence;
    }
    if unjudged { weight + (1.0 - persistence) * sum } else { 0.0 }
}

/// The difference of gains as an integer, with the result of an x86 for one that
/// does not fit.
fn truncated(difference: f64) -> Ordering {
    let fits = difference > f64::from(i32::MIN) - 1.0 && difference < f64::from(i32::MAX) + 1.0;
    if fits { (difference as i32).cmp(&0) } else { Ordering::Less }
}

/// Scales gains to between 0 and 1, if one is outside.
fn scale(rows: &mut [GradeGain]) {
    let lowest = rows.iter().map(|row| row.gain).fold(0.0, f64::min);
    let highest = rows.iter().map(|row| row.gain).fold(0.0, f64::max);
    if lowest < 0.0 || highest > 1.0 {
        for row in rows {
            row.gain = (row.gain - lowest) / (highest - lowest);
        }
    }
}

/// The gains of the ideal list: rows from the last one, while their gain is above 0.
fn ideal(rows: &[GradeGain]) -> Vec<f64> {
    if rows.last().is_none_or(|last| last.gain <= 0.0) {
        return Vec::new();
    }
    let rows = rows.iter().rev().filter(|row| row.count > 0).take_while(|row| row.gain > 0.0);
    rows.flat_map(|row| std::iter::repeat_n(row.gain, row.count as usize)).collect()
}
