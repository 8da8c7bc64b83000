//! The measures over gains, and the table that gives every level its gain.
//!
//! The ideal list is read from a table sorted by gain, in which gains closer
//! together than 1 count as equal: with fractional gains it need not be the
//! best list.

use std::cmp::Ordering;

use super::catalogue::Gained;
use super::chosen::Parameters;
use super::number::{atol, is_integer};
use super::seen::{OUTSIDE, POOLED, Seen};
use super::sort::merge_sort;
use super::version::Version;

/// Up to this highest level the table has a row for every level if gains are
/// named: levels without a document then take part in the order of the rows.
const FULL_TABLE: i64 = 1 << 16;

/// What the parameters say of gains.
pub struct Gains {
    /// The levels that they name, with their gains.
    named: Vec<(i64, f64)>,
    /// The parameter `p` of rbp.
    persistence: f64,
    scaled: bool,
}

/// A level with its gain and the number of its documents.
#[derive(Clone, Copy, Debug)]
struct Row {
    level: i64,
    gain: f64,
    count: u64,
}

/// The table of a topic, sorted by gain, and its ideal list.
struct Table {
    rows: Vec<Row>,
    ideal: Vec<f64>,
}

impl Gains {
    /// Reads names of levels.
    pub fn new(measure: Gained, parameters: &Parameters, version: Version) -> Self {
        let pairs: &[(Vec<u8>, f64)] = match parameters {
            Parameters::Pairs(pairs) => pairs,
            _ => &[],
        };
        let scaled = matches!(measure, Gained::Rbp | Gained::RbpResid);
        let persistence = pairs.iter().rfind(|(name, _)| scaled && name == b"p");
        let persistence = persistence.map_or(0.9, |(_, number)| *number);
        let mut gains = Gains { named: Vec::new(), persistence, scaled };
        for (name, number) in pairs {
            if is_integer(name) || version.reads_any_level_name() {
                gains.named.push((atol(name), *number));
            }
        }
        gains
    }

    /// The table of a topic.
    fn table(&self, seen: &Seen) -> Table {
        let counts = seen.topic.counts().iter();
        let counts = counts.filter(|&&(level, _)| seen.levels.is_judged(level));
        let counts: Vec<(i64, u64)> =
            counts.map(|&(level, count)| (seen.levels.grade(level), u64::from(count))).collect();
        let count_of = |level: i64| {
            counts.iter().find(|(known, _)| *known == level).map_or(0, |(_, count)| *count)
        };
        let highest = counts.last().map_or(-1, |(level, _)| *level);
        let mut rows: Vec<Row> = Vec::new();
        for &(level, gain) in &self.named {
            let first = !rows.iter().any(|row| row.level == level);
            let counted = first && (0..=highest).contains(&level);
            rows.push(Row { level, gain, count: if counted { count_of(level) } else { 0 } });
        }
        let unnamed = |level: &i64| !self.named.iter().any(|(named, _)| named == level);
        let row = |level: i64| Row { level, gain: level as f64, count: count_of(level) };
        if !self.named.is_empty() && highest < FULL_TABLE {
            rows.extend((0..=highest).filter(unnamed).map(row));
        } else {
            rows.extend(counts.iter().map(|(level, _)| *level).filter(unnamed).map(row));
        }
        merge_sort(&mut rows, &|a: &Row, b: &Row| truncated(a.gain - b.gain));
        if self.scaled {
            scale(&mut rows);
        }
        let ideal = ideal(&rows);
        Table { rows, ideal }
    }

    /// The documents of a list that gain or lose something: ranks and gains.
    fn gained(seen: &Seen, table: &Table) -> Vec<(u32, f64)> {
        let gain = |value: i64| {
            // A level that was named twice has the gain of the row that comes first.
            let row = table.rows.iter().find(|row| row.level == value);
            row.map_or(0.0, |row| row.gain)
        };
        if gain(OUTSIDE) != 0.0 || gain(POOLED) != 0.0 {
            let values = seen.values().into_iter();
            let gained = values.map(|(rank, value, _)| (rank, gain(value)));
            return gained.filter(|(_, gain)| *gain != 0.0).collect();
        }
        let judged = seen.trace.hits.iter().filter(|hit| hit.condensed > 0);
        let gained = judged.map(|hit| (hit.rank, gain(seen.levels.grade(hit.level))));
        gained.filter(|(_, gain)| *gain != 0.0).collect()
    }

    /// The value of a measure of one value.
    pub fn value(&self, measure: Gained, seen: &Seen) -> f64 {
        let table = self.table(seen);
        let gained = Self::gained(seen, &table);
        let ideal = &table.ideal;
        let retrieved = seen.trace.retrieved;
        match measure {
            Gained::Dcg => dcg(&gained),
            Gained::IdealDcg => dcg_of_ideal(ideal),
            Gained::Ndcg => {
                let best = dcg_of_ideal(ideal);
                if best > 0.0 { dcg(&gained) / best } else { 0.0 }
            }
            Gained::NdcgRel => ndcg_rel(&gained, ideal),
            Gained::Rndcg if seen.num_rel() == 0.0 => 0.0,
            Gained::Rndcg => {
                let old = table.rows.last().map_or(0.0, |row| row.gain);
                rndcg(&gained, retrieved, ideal, old)
            }
            Gained::G => g(&gained, ideal),
            Gained::Rbp => self.rbp(&gained),
            Gained::RbpResid => self.rbp_resid(seen),
            Gained::NdcgCut => 0.0,
        }
    }

    fn rbp(&self, gained: &[(u32, f64)]) -> f64 {
        let (mut weight, mut rank, mut sum) = (1.0, 1, 0.0);
        for &(at, gain) in gained {
            while rank < at {
                weight *= self.persistence;
                rank += 1;
            }
            sum += gain * weight;
        }
        (1.0 - self.persistence) * sum
    }

    fn rbp_resid(&self, seen: &Seen) -> f64 {
        let (mut weight, mut sum, mut unjudged) = (1.0, 0.0, false);
        for (_, value, _) in seen.values() {
            if value < 0 {
                sum += weight;
                unjudged = true;
            }
            weight *= self.persistence;
        }
        if unjudged { weight + (1.0 - self.persistence) * sum } else { 0.0 }
    }
}

/// The difference of gains as an integer, and what an x86 makes of one that
/// does not fit.
fn truncated(difference: f64) -> Ordering {
    let fits = difference > f64::from(i32::MIN) - 1.0 && difference < f64::from(i32::MAX) + 1.0;
    if fits { (difference as i32).cmp(&0) } else { Ordering::Less }
}

/// Brings gains between 0 and 1, if one is outside.
fn scale(rows: &mut [Row]) {
    let lowest = rows.iter().map(|row| row.gain).fold(0.0, f64::min);
    let highest = rows.iter().map(|row| row.gain).fold(0.0, f64::max);
    if lowest < 0.0 || highest > 1.0 {
        for row in rows {
            row.gain = (row.gain - lowest) / (highest - lowest);
        }
    }
}

/// The gains of the ideal list: rows from the last, while they gain.
fn ideal(rows: &[Row]) -> Vec<f64> {
    if rows.last().is_none_or(|last| last.gain <= 0.0) {
        return Vec::new();
    }
    let rows = rows.iter().rev().filter(|row| row.count > 0).take_while(|row| row.gain > 0.0);
    rows.flat_map(|row| std::iter::repeat_n(row.gain, row.count as usize)).collect()
}

/// log2 of a rank, from 1, plus 1.
fn discount(rank: u32) -> f64 {
    (f64::from(rank) + 1.0).log2()
}

fn dcg(gained: &[(u32, f64)]) -> f64 {
    gained.iter().fold(0.0, |sum, &(rank, gain)| sum + gain / discount(rank))
}

fn dcg_of_ideal(ideal: &[f64]) -> f64 {
    (1..).zip(ideal).fold(0.0, |sum, (rank, gain)| sum + gain / discount(rank))
}

/// The mean of ndcg at the ranks that gain something.
fn ndcg_rel(gained: &[(u32, f64)], ideal: &[f64]) -> f64 {
    let (mut dcg, mut best, mut total, mut at) = (0.0, 0.0, 0.0, 0);
    let mut grow = |upto: usize, best: &mut f64| {
        while at < upto.min(ideal.len()) {
            *best += ideal[at] / discount(at as u32 + 1);
            at += 1;
        }
    };
    let mut counted = 0;
    for &(rank, gain) in gained {
        dcg += gain / discount(rank);
        if gain > 0.0 {
            grow(rank as usize, &mut best);
            total += dcg / best;
            counted += 1;
        }
    }
    grow(usize::MAX, &mut best);
    total += (ideal.len() as f64 - f64::from(counted)) * dcg / best;
    if total > 0.0 { total / ideal.len() as f64 } else { 0.0 }
}

/// The mean of ndcg at the ranks where the ideal gain changes, and at the end
/// of a list that goes beyond the ideal one by at least two documents. `old` is
/// the gain that the first ideal one is compared with.
fn rndcg(gained: &[(u32, f64)], retrieved: u32, ideal: &[f64], mut old: f64) -> f64 {
    let mut gained = gained.iter().copied().peekable();
    let (mut dcg, mut best, mut total, mut points) = (0.0, 0.0, 0.0, 0.0);
    // The end of the ideal list is a change too.
    let ends = if old > 0.0 { [0.0].iter() } else { [].iter() };
    for (rank, &gain) in (1u32..).zip(ideal.iter().chain(ends)) {
        if gain != old {
            if best > 0.0 {
                total += dcg / best;
                points += 1.0;
            }
            old = gain;
        }
        if let Some((_, gain)) = gained.next_if(|(at, _)| *at == rank) {
            dcg += gain / discount(rank);
        }
        if gain > 0.0 {
            best += gain / discount(rank);
        }
    }
    if retrieved as usize > ideal.len() + 1 {
        dcg = gained.fold(dcg, |dcg, (rank, gain)| dcg + gain / discount(rank));
        if best > 0.0 {
            total += dcg / best;
            points += 1.0;
        }
    }
    total / points
}

/// Gains, discounted by how far the list is behind the ideal one.
fn g(gained: &[(u32, f64)], ideal: &[f64]) -> f64 {
    let whole: f64 = ideal.iter().fold(0.0, |sum, gain| sum + gain);
    let (mut best, mut at, mut found, mut total) = (0.0, 0, 0.0, 0.0);
    for &(rank, gain) in gained {
        while at < rank as usize {
            best += ideal.get(at).copied().unwrap_or(0.0).max(1.0);
            at += 1;
        }
        found += gain;
        total += gain / (2.0 + best - found).log2();
    }
    if whole > 0.0 { total / whole } else { 0.0 }
}

/// ndcg at ranks, of grades and nothing else.
pub fn ndcg_cut(seen: &Seen, cutoffs: &[i64], out: &mut Vec<f64>) {
    let counts = seen.topic.counts().iter().rev();
    let counts = counts.filter(|&&(level, _)| seen.levels.is_judged(level));
    let sorted = counts.flat_map(|&(level, count)| {
        let grade = seen.levels.grade(level) as f64;
        (0..count).map(move |_| grade)
    });
    let mut sorted = (1i64..).zip(sorted.take_while(|grade| *grade > 0.0)).peekable();
    let judged = seen.trace.hits.iter().filter(|hit| hit.condensed > 0);
    let graded = judged.map(|hit| (i64::from(hit.rank), seen.levels.grade(hit.level) as f64));
    let mut graded = graded.filter(|(_, grade)| *grade > 0.0).peekable();
    let (mut dcg, mut best) = (0.0, 0.0);
    for &cutoff in cutoffs {
        while let Some((rank, grade)) = graded.next_if(|(rank, _)| *rank <= cutoff) {
            dcg += grade / discount(rank as u32);
        }
        while let Some((rank, grade)) = sorted.next_if(|(rank, _)| *rank <= cutoff) {
            best += grade / discount(rank as u32);
        }
        out.push(if best > 0.0 { dcg / best } else { 0.0 });
    }
}
