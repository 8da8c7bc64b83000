//! Folds that leave out what cannot change the value, on lists that are long enough for it:
//! every bit is that of the fold over all documents.

use std::sync::Arc;

use cranfield_core::evaluate::{Evaluator, Input, Options};
use cranfield_core::grammar::parse_list;
use cranfield_core::qrels::Builder;
use cranfield_core::rank::{Lines, Run};

use crate::common::Random;

/// A list of a thousand documents: their grades, of which as many thousandths are above 0.
fn grades(random: &mut Random, relevant: u64, top: u64) -> Vec<u64> {
    let grade = |random: &mut Random| {
        if random.below(1000) < relevant { 1 + random.below(top) } else { 0 }
    };
    (0..1000).map(|_| grade(random)).collect()
}

fn values(grades: &[u64], measures: &str) -> Vec<f64> {
    let mut judgments = Builder::new(&[]);
    let mut lines = Lines::default();
    for (i, &grade) in grades.iter().enumerate() {
        let document = i.to_string();
        judgments.add(b"1", document.as_bytes(), grade as f64, &[], 0).unwrap();
        lines.push(document.as_bytes(), -(i as f64));
    }
    judgments.add(b"1", b"missing", 1.0, &[], 0).unwrap();
    let run = Run { name: "run".into(), topics: vec![(b"1"[..].into(), lines)], ..Run::default() };
    let measures = parse_list(measures).unwrap();
    let qrels = Arc::new(judgments.finish(None));
    let evaluator = Evaluator::new(qrels, &measures, Options::default()).unwrap();
    evaluator.evaluate(&[Input::Run(Arc::new(run))], &Arc::default()).unwrap().values
}

fn same(found: f64, expected: f64, what: &str) {
    assert_eq!(found.to_bits(), expected.to_bits(), "{what}: {found}, not {expected}");
}

#[test]
fn rbp_stops_where_documents_add_nothing() {
    let mut random = Random(5);
    for case in 0..300 {
        let grades = grades(&mut random, [1000, 700, 100, 10, 2][case % 5], 3);
        let rbp = |p: f64, gain: fn(u64) -> f64| {
            let (mut weight, mut rank, mut sum) = (1.0, 0, 0.0);
            for (i, &grade) in grades.iter().enumerate().filter(|(_, grade)| **grade > 0) {
                weight *= p.powi((i - rank) as i32);
                rank = i;
                sum += gain(grade) * weight;
            }
            (1.0 - p) * sum
        };
        let found =
            values(&grades, "RBP RBP(p=0.3) RBP(p=0.99) RBP(max_rel=3) RBP(p=0.9,max_rel=3)");
        let binary = |_| 1.0;
        let graded = |grade: u64| grade as f64 / 3.0;
        for (i, p) in [0.8, 0.3, 0.99].into_iter().enumerate() {
            same(found[i], rbp(p, binary), &format!("p={p} of {grades:?}"));
        }
        for (i, p) in [(3, 0.8), (4, 0.9)] {
            same(found[i], rbp(p, graded), &format!("p={p}, graded, of {grades:?}"));
        }
    }
}

#[test]
fn interpolated_precision_leaves_out_blocks() {
    let mut random = Random(6);
    for case in 0..300 {
        let mut grades = grades(&mut random, [1000, 700, 300, 100, 20][case % 5], 1);
        if case % 3 > 0 {
            // All relevant at one end, and a few elsewhere.
            let from = if case % 3 == 1 { 0 } else { 800 };
            grades[from..from + 200].fill(1);
        }
        let ranks = (1u32..).zip(&grades).filter(|(_, grade)| **grade > 0).map(|(rank, _)| rank);
        let precisions: Vec<f64> =
            (1u32..).zip(ranks).map(|(seen, rank)| f64::from(seen) / f64::from(rank)).collect();
        let num_rel = precisions.len() + 1;
        let mut sum = 0.0;
        for level in (0..=10).rev() {
            let needed = (level * num_rel).div_ceil(10).max(1);
            let reached = precisions.get(needed - 1..).unwrap_or_default();
            sum += reached.iter().copied().fold(0.0, f64::max);
        }
        same(values(&grades, "IAP")[0], sum / 11.0, &format!("{grades:?}"));
    }
}
