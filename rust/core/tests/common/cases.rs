//! Random judgments and lists, and the values of measures for them.

#![allow(dead_code, reason = "a test file uses only the helpers that it needs")]

use std::collections::BTreeMap;
use std::sync::Arc;

use cranfield_core::evaluate::{Evaluator, Input, Monitor, Options};
use cranfield_core::measure::Measure;
use cranfield_core::qrels::Builder;
use cranfield_core::rank::{Lines, Run};
use cranfield_core::scores::{Scores, Undefined};

use crate::common::{self, Random};

pub const TOLERANCE: f64 = 1e-12;

/// Topics of a random collection, and the number of collections.
pub const BATCH: usize = 100;
pub const BATCHES: usize = 100;

impl Random {
    pub fn index(&mut self, bound: usize) -> usize {
        self.below(bound as u64) as usize
    }

    pub fn choice<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.index(items.len())]
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.index(i + 1));
        }
    }

    /// A number inside (0, 1).
    pub fn share(&mut self) -> f64 {
        (1 + self.index(999)) as f64 / 1000.0
    }

    /// Up to 20 documents: judged, pooled, unknown, retrieved or not.
    pub fn case(&mut self, palette: &[f64]) -> Case {
        let judged = 2 + self.index(9);
        let mut case = Case::default();
        for document in 0..=self.index(20) {
            let id = format!("d{document}");
            if self.index(10) < judged {
                case.grades.insert(id.clone(), self.choice(palette));
            }
            if self.index(5) > 0 {
                case.list.push(id);
            }
        }
        self.shuffle(&mut case.list);
        case
    }
}

pub const BINARY: &[f64] = &[0.0, 1.0];
/// A negative grade is an unjudged document of the pool.
pub const SAMPLED: &[f64] = &[-1.0, 0.0, 0.0, 1.0];
pub const GRADED: &[f64] = &[0.0, 0.0, 1.0, 2.0, 3.0];
pub const SAMPLED_GRADED: &[f64] = &[-2.0, -1.0, 0.0, 1.0, 2.0, 3.0];
pub const FRACTIONS: &[f64] = &[0.0, 0.0, 0.25, 0.5, 1.0, 1.5];
/// Relevance as De Beer and Moens have it, on and next to borders of classes.
pub const RELEVANCE: &[f64] = &[-1.0, 0.0, 0.0625, 0.3, 0.4375, 0.5, 0.5625, 0.9, 1.0];

pub const ALL: &[&[f64]] = &[BINARY, SAMPLED, GRADED, SAMPLED_GRADED, FRACTIONS];

/// Judgments and a list.
#[derive(Clone, Debug, Default)]
pub struct Case {
    pub grades: BTreeMap<String, f64>,
    pub list: Vec<String>,
}

impl Case {
    pub fn of(grades: &str, list: &str) -> Self {
        Case { grades: common::judgments(grades), list: common::list(list) }
    }

    /// The grade of a judged document.
    pub fn grade(&self, document: &str) -> Option<f64> {
        self.grades.get(document).copied().filter(|&grade| grade >= 0.0)
    }

    pub fn condensed(&self) -> Self {
        let judged = self.list.iter().filter(|document| self.grade(document).is_some());
        Case { list: judged.cloned().collect(), ..self.clone() }
    }

    /// All judged documents, best grade first.
    pub fn ideal(&self) -> Self {
        let mut list: Vec<String> =
            self.grades.keys().filter(|document| self.grade(document).is_some()).cloned().collect();
        list.sort_by(|a, b| self.grades[b].total_cmp(&self.grades[a]));
        Case { list, ..self.clone() }
    }

    /// More unjudged documents: unknown ones, and what was pooled and not retrieved.
    pub fn with_unjudged(&self, random: &mut Random) -> Self {
        let pooled = self
            .grades
            .iter()
            .filter(|&(document, &grade)| grade < 0.0 && !self.list.contains(document));
        let mut more: Vec<String> = pooled.map(|(document, _)| document.clone()).collect();
        more.extend((0..=random.index(4)).map(|i| format!("u{i}")));
        let mut case = self.clone();
        for document in more {
            case.list.insert(random.index(case.list.len() + 1), document);
        }
        case
    }

    /// Two judged documents, neighbours if wanted, change places, and the
    /// better one comes first.
    pub fn exchanged(&self, neighbours: bool, random: &mut Random) -> Option<Self> {
        let mut pairs = Vec::new();
        for below in 1..self.list.len() {
            for above in if neighbours { below - 1..below } else { 0..below } {
                let grade = |rank: usize| self.grade(&self.list[rank]);
                if let (Some(a), Some(b)) = (grade(above), grade(below))
                    && a < b
                {
                    pairs.push((above, below));
                }
            }
        }
        if pairs.is_empty() {
            return None;
        }
        let (above, below) = random.choice(&pairs);
        let mut case = self.clone();
        case.list.swap(above, below);
        Some(case)
    }
}

/// The values of measures for cases, which become topics of one collection;
/// NaN where a topic has no relevant document.
pub fn values(measures: &[Measure], cases: &[Case]) -> Vec<Vec<f64>> {
    let mut builder = Builder::new(&[]);
    let mut topics = Vec::new();
    for (i, case) in cases.iter().enumerate() {
        let topic = format!("{i:06}").into_bytes();
        builder.topic(&topic);
        for (document, &grade) in &case.grades {
            builder.add(&topic, document.as_bytes(), grade, &[], 0).unwrap();
        }
        let mut lines = Lines::default();
        for (position, document) in case.list.iter().enumerate() {
            lines.push(document.as_bytes(), -(position as f64));
        }
        topics.push((topic.into(), lines));
    }
    let run = Run { name: "run".into(), topics, ..Run::default() };
    let scores = evaluate(measures, builder, vec![run]);
    // The evaluator takes equal measures once.
    let columns: Vec<usize> = if scores.measures.len() == measures.len() {
        (0..measures.len()).collect()
    } else {
        let column = |measure| scores.measures.iter().position(|other| other == measure).unwrap();
        measures.iter().map(column).collect()
    };
    let row = |topic| columns.iter().map(|&column| scores.row(0, topic)[column]).collect();
    (0..cases.len()).map(row).collect()
}

pub fn evaluate(measures: &[Measure], judgments: Builder, runs: Vec<Run>) -> Scores {
    let options = Options { undefined: Undefined::Skip, ..Options::default() };
    let qrels = Arc::new(judgments.finish(Some(1000)));
    let runs: Vec<Input> = runs.into_iter().map(|run| Input::Run(Arc::new(run))).collect();
    let evaluator = Evaluator::new(qrels, measures, options).unwrap();
    evaluator.evaluate(&runs, &Arc::new(Monitor::default())).unwrap()
}

pub fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= TOLERANCE * a.abs().max(b.abs()).max(1.0)
}

/// The measures and, where there are, their forms on the condensed list.
pub fn with_primes(measures: Vec<Measure>) -> Vec<Measure> {
    let primes = measures.iter().filter(|measure| measure.family.takes.prime);
    let primes: Vec<Measure> =
        primes.map(|measure| Measure { prime: true, ..measure.clone() }).collect();
    measures.into_iter().chain(primes).collect()
}

/// Random cases before and after a change. Those of a batch share
/// a palette, and so the highest grade of their collection.
pub fn batches(
    seed: u64,
    palettes: &[&[f64]],
    change: impl Fn(&mut Random, &Case) -> Option<Case>,
) -> impl Iterator<Item = (Vec<Case>, Vec<Case>)> {
    let mut random = Random(seed);
    (0..BATCHES).map(move |batch| {
        let palette = palettes[batch % palettes.len()];
        let mut cases = (Vec::new(), Vec::new());
        while cases.0.len() < BATCH {
            let before = random.case(palette);
            if let Some(after) = change(&mut random, &before) {
                cases.0.push(before);
                cases.1.push(after);
            }
        }
        cases
    })
}

/// Random cases by the hundred.
pub fn plain(seed: u64, palettes: &[&[f64]]) -> impl Iterator<Item = Vec<Case>> {
    batches(seed, palettes, |_, case| Some(case.clone())).map(|(cases, _)| cases)
}

/// Measures have the values of others, pair by pair.
pub fn agree(left: &[Measure], right: &[Measure], cases: &[Case], others: &[Case]) {
    assert_eq!(left.len(), right.len());
    let rows = values(left, cases).into_iter().zip(values(right, others));
    for (case, (a, b)) in cases.iter().zip(rows) {
        for (i, (a, b)) in a.into_iter().zip(b).enumerate() {
            let same = close(a, b) || a.is_nan() && b.is_nan();
            assert!(same, "{} is {a}, and {} is {b} for {case:?}", left[i], right[i]);
        }
    }
}
