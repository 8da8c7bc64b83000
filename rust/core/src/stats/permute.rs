//! Tukey's HSD by permutation: under the null hypothesis a topic's scores
//! are exchangeable between systems.

use super::paired::{Pair, ScoreTable, TIE, Tested};
use super::resample::{Random, Work};
use crate::error::Result;
use crate::interrupt::Steps;
use crate::memory;

/// Replicates of a block.
const REPLICATES_IN_BLOCK: usize = 64;

/// The randomised Tukey HSD test; no topic may be left out.
///
/// In each replicate the scores of every topic are permuted among all
/// systems, and the range of the means is computed. The statistic is the
/// difference of the means, the p-value the share of replicates whose range
/// is at least as large, up to rounding.
pub fn randomized_tukey(
    table: ScoreTable<'_>,
    pairs: &[Pair],
    replicates: usize,
    seed: u64,
    work: &Work,
) -> Result<Vec<Tested>> {
    memory::room_for(replicates.saturating_mul(3 * size_of::<f64>()))?;
    let systems = table.systems();
    let columns = by_topic(table);
    let block = |k: usize| {
        let mut workspace = (vec![0.0; systems], vec![0.0; systems]);
        let first = k * REPLICATES_IN_BLOCK;
        let mut steps = Steps::default();
        let go_on = |_: &usize| !steps.stop_after(4 * columns.len() * systems);
        let range = |replicate| permuted_range(&columns, &mut workspace, seed, replicate as u64);
        (first..replicates.min(first + REPLICATES_IN_BLOCK))
            .take_while(go_on)
            .map(range)
            .collect::<Vec<f64>>()
    };
    let ranges = work.blocks(replicates.div_ceil(REPLICATES_IN_BLOCK), block)?.concat();
    Ok(tested(table, pairs, ranges))
}

/// Each pair's share of the ranges of sums that are at least its difference.
fn tested(table: ScoreTable<'_>, pairs: &[Pair], mut ranges: Vec<f64>) -> Vec<Tested> {
    let (systems, n) = (table.systems(), table.topics());
    ranges.sort_unstable_by(f64::total_cmp);
    let sums: Vec<f64> = (0..systems).map(|i| table.row(i).iter().sum()).collect();
    let size = (0..systems).map(|i| table.size(i)).fold(0.0, f64::max);
    let one = |&(a, b): &Pair| {
        let difference = sums[a] - sums[b];
        let limit = difference.abs() - TIE * n as f64 * size;
        let smaller = ranges.partition_point(|&range| range < limit);
        let pvalue = (ranges.len() - smaller) as f64 / ranges.len() as f64;
        Tested { statistic: difference / n as f64, pvalue, n }
    };
    pairs.iter().map(one).collect()
}

/// The scores of each topic, system by system.
fn by_topic(table: ScoreTable<'_>) -> Vec<Vec<f64>> {
    let scores = |topic| (0..table.systems()).map(|system| table.row(system)[topic]).collect();
    (0..table.topics()).map(scores).collect()
}

/// The range of the sums of the systems in a replicate.
fn permuted_range(
    columns: &[Vec<f64>],
    (row, sums): &mut (Vec<f64>, Vec<f64>),
    seed: u64,
    replicate: u64,
) -> f64 {
    // Only the relative permutations of topics matter, so the first stays.
    sums.copy_from_slice(&columns[0]);
    let mut steps = Steps::default();
    for (topic, scores) in columns.iter().enumerate().skip(1) {
        if steps.stop_after(4 * row.len()) {
            break;
        }
        row.copy_from_slice(scores);
        let mut random = Random::new(seed, replicate, topic as u64);
        deal(row, sums, &mut random);
    }
    range(sums)
}

/// Adds a row to the sums in random order: each system in turn, from the
/// last, takes one of the remaining scores.
fn deal(row: &mut [f64], sums: &mut [f64], random: &mut Random) {
    // Two numbers below 2^32 from each word of random bits; for bounds far
    // below that their bias is negligible.
    let mut left = row.len();
    let mut take = |bits: u64, left: usize| {
        let chosen = ((bits * left as u64) >> 32) as usize;
        let score = row[chosen];
        row[chosen] = row[left - 1];
        sums[left - 1] += score;
    };
    while left >= 2 {
        let bits = random.bits();
        take(bits >> 32, left);
        take(bits & 0xFFFF_FFFF, left - 1);
        left -= 2;
    }
    if left == 1 {
        take(0, 1);
    }
}

fn range(sums: &[f64]) -> f64 {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for &sum in sums {
        low = if sum < low { sum } else { low };
        high = if sum > high { sum } else { high };
    }
    high - low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deal_gives_every_score_once_and_evenly() {
        let mut seen = [[0u32; 3]; 3];
        for replicate in 0..3000 {
            let (mut row, mut sums) = (vec![0.0, 1.0, 2.0], vec![0.0; 3]);
            deal(&mut row, &mut sums, &mut Random::new(5, replicate, 1));
            assert_eq!(sums.iter().sum::<f64>(), 3.0);
            for (system, &score) in sums.iter().enumerate() {
                seen[system][score as usize] += 1;
            }
        }
        // 1,000 expected, with a deviation of 26
        assert!(seen.iter().flatten().all(|n| n.abs_diff(1000) < 130), "{seen:?}");
    }

    #[test]
    fn given_permutations() {
        let text = include_str!("../../tests/data/vectors.json");
        let records: serde_json::Value = serde_json::from_str(text).unwrap();
        let named = |r: &&serde_json::Value| r["name"] == "randomised_tukey_hsd";
        let record = records.as_array().unwrap().iter().find(named).unwrap();
        let number = |value: &serde_json::Value| {
            let (above, below) = value.as_str().unwrap().split_once('/').unwrap();
            above.parse::<f64>().unwrap() / below.parse::<f64>().unwrap()
        };
        let list = |value: &serde_json::Value| value.as_array().unwrap().clone();
        let params = &record["params"];
        let columns: Vec<Vec<f64>> = list(&params["topics_by_systems"])
            .iter()
            .map(|row| list(row).iter().map(number).collect())
            .collect();
        let topics = columns.len();
        let values: Vec<f64> =
            (0..3).flat_map(|system| columns.iter().map(move |column| column[system])).collect();
        let mut ranges = Vec::new();
        for (b, replicate) in list(&params["permutations_per_topic"]).iter().enumerate() {
            let mut sums = [0.0; 3];
            for (column, permutation) in columns.iter().zip(list(replicate)) {
                for (sum, from) in sums.iter_mut().zip(list(&permutation)) {
                    *sum += column[from.as_u64().unwrap() as usize];
                }
            }
            let expected = number(&record["expected"][format!("range_{b}")]);
            assert!((range(&sums) / topics as f64 - expected).abs() < 1e-15);
            ranges.push(range(&sums));
        }
        let pairs = [(0, 1), (0, 2), (1, 2)];
        for (pair, found) in
            pairs.iter().zip(tested(ScoreTable::new(&values, topics), &pairs, ranges))
        {
            let expected = number(&record["expected"][format!("p({},{})", pair.0, pair.1)]);
            assert_eq!(found.pvalue, expected);
        }
    }

    #[test]
    fn of_two_systems_it_is_the_randomisation_test() {
        // differences 1 2 3: |sums| 6 4 2 0, each for a quarter of the signs
        let values = [1.0, 2.0, 3.0, 0.0, 0.0, 0.0];
        let work = Work::default();
        let found = randomized_tukey(ScoreTable::new(&values, 3), &[(0, 1)], 20_000, 1, &work);
        assert!((found.unwrap()[0].pvalue - 0.25).abs() < 0.015);
    }
}
