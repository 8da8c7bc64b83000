//! One topic through the whole program: judgments and a list to a value.

#![allow(dead_code, reason = "a test file uses only the helpers that it needs")]

use std::collections::BTreeMap;
use std::sync::Arc;

use cranfield_core::error::Result;
use cranfield_core::evaluate::{Evaluator, Input, Monitor, Options};
use cranfield_core::measure::Measure;
use cranfield_core::qrels::Builder;
use cranfield_core::run::{Lines, Run};
use cranfield_core::scores::Scores;

/// Scores one list of one topic; scores descend, so the order is the list's.
pub fn scores(
    measures: &[Measure],
    grades: &BTreeMap<String, f64>,
    ranking: &[String],
    docs_in_collection: Option<u64>,
    options: Options,
) -> Result<Scores> {
    let mut builder = Builder::new(&[]);
    builder.topic(b"1");
    for (document, &grade) in grades {
        builder.add(b"1", document.as_bytes(), grade, &[], 0).unwrap();
    }
    let mut lines = Lines::default();
    for (position, document) in ranking.iter().enumerate() {
        lines.push(document.as_bytes(), -(position as f64), None);
    }
    let run = Run { name: "run".into(), topics: vec![(b"1"[..].into(), lines)], ..Run::default() };
    let evaluator =
        Evaluator::new(Arc::new(builder.finish(docs_in_collection)), measures, options)?;
    evaluator.evaluate(&[Input::Run(Arc::new(run))], &Arc::new(Monitor::default()))
}

/// `a=1 b=0` as a map.
pub fn judgments(text: &str) -> BTreeMap<String, f64> {
    let pair = |pair: &str| {
        let (document, grade) = pair.split_once('=').expect("document=grade");
        (document.to_string(), grade.parse().expect("a grade"))
    };
    text.split_whitespace().map(pair).collect()
}

/// `a b c` as a list.
pub fn list(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_string).collect()
}
