//! One topic through the whole program: judgments and a list to a value.

#![allow(dead_code, reason = "a test file uses only the helpers that it needs")]

use std::collections::BTreeMap;
use std::sync::Arc;

use cranfield_core::bounds::{Bounded, Question, bounds};
use cranfield_core::error::Result;
use cranfield_core::evaluate::{Evaluator, Input, Monitor, Options};
use cranfield_core::measure::Measure;
use cranfield_core::qrels::{Builder, Qrels};
use cranfield_core::rank::{Lines, Run};
use cranfield_core::scores::{MeasureLabel, Scores};

/// Scores one list of one topic; scores descend, so the order is the list's.
pub fn scores(
    measures: &[Measure],
    grades: &BTreeMap<String, f64>,
    ranking: &[String],
    docs_in_collection: Option<u64>,
    options: Options,
) -> Result<Scores> {
    let qrels = Arc::new(qrels(grades, docs_in_collection));
    let evaluator = Evaluator::new(qrels, measures, options)?;
    evaluator.evaluate(&[run(ranking)], &Arc::new(Monitor::default()))
}

/// Scores one list of the first topic of judgments.
pub fn scores_under(
    qrels: Qrels,
    measures: &[Measure],
    ranking: &[String],
    options: Options,
) -> Result<Scores> {
    let evaluator = Evaluator::new(Arc::new(qrels), measures, options)?;
    evaluator.evaluate(&[run(ranking)], &Arc::new(Monitor::default()))
}

/// The measures of scores that the evaluator made.
pub fn known(scores: &Scores) -> Vec<Measure> {
    let known = |column: &MeasureLabel| match column {
        MeasureLabel::Known(measure) => measure.clone(),
        MeasureLabel::Opaque(opaque) => panic!("an opaque measure: {}", opaque.label),
    };
    scores.measures.iter().map(known).collect()
}

/// `a=1;stratum=2 b=0;stratum=1` as judgments of one topic; where columns are
/// called `intent1` and so on they are grades under intents, `nav2` under a
/// navigational one.
pub fn worked(text: &str, docs_in_collection: Option<u64>) -> Qrels {
    let pair = |part: &str| {
        let (name, value) = part.split_once('=').expect("name=value");
        (name.to_string(), value.to_string())
    };
    let judged: Vec<Vec<(String, String)>> =
        text.split_whitespace().map(|judged| judged.split(';').map(pair).collect()).collect();
    let names: Vec<&str> = judged
        .first()
        .map_or(Vec::new(), |first| first[1..].iter().map(|(name, _)| name.as_str()).collect());
    let is_intent = |name: &&str| name.starts_with("intent") || name.starts_with("nav");
    let by_intent = names.first().is_some_and(is_intent);
    let mut builder = Builder::new(if by_intent { &[] } else { &names });
    builder.topic(b"1");
    for parts in &judged {
        if by_intent {
            for (intent, grade) in &parts[1..] {
                let grade = grade.parse().expect("a grade");
                let document = parts[0].0.as_bytes();
                builder.add_under(b"1", Some(intent.as_bytes()), document, grade, 0).unwrap();
            }
            continue;
        }
        let numbers: Vec<f64> = parts.iter().map(|(_, v)| v.parse().expect("a number")).collect();
        builder.add(b"1", parts[0].0.as_bytes(), numbers[0], &numbers[1..], 0).unwrap();
    }
    let qrels = builder.finish(docs_in_collection);
    with_navigational(&qrels)
}

/// Judgments of one topic whose intents called `nav` are navigational.
pub fn with_navigational(qrels: &Qrels) -> Qrels {
    let names = qrels.topics()[0].intents().names();
    let navigational = names.iter().map(|name| name.starts_with(b"nav")).collect();
    qrels.with_navigational(vec![navigational])
}

/// The bounds of one list of one topic.
pub fn bounded(
    measures: &[Measure],
    grades: &BTreeMap<String, f64>,
    ranking: &[String],
    docs_in_collection: Option<u64>,
    question: &Question,
) -> Result<Bounded> {
    let options = Options::default();
    bounded_under(measures, grades, ranking, docs_in_collection, options, question)
}

/// The bounds of one list of one topic under other options.
pub fn bounded_under(
    measures: &[Measure],
    grades: &BTreeMap<String, f64>,
    ranking: &[String],
    docs_in_collection: Option<u64>,
    options: Options,
    question: &Question,
) -> Result<Bounded> {
    let qrels = qrels(grades, docs_in_collection);
    let monitor = Arc::new(Monitor::default());
    bounds(&qrels, measures, &[run(ranking)], options, question, &monitor)
}

fn qrels(grades: &BTreeMap<String, f64>, docs_in_collection: Option<u64>) -> Qrels {
    let mut builder = Builder::new(&[]);
    builder.topic(b"1");
    for (document, &grade) in grades {
        builder.add(b"1", document.as_bytes(), grade, &[], 0).unwrap();
    }
    builder.finish(docs_in_collection)
}

fn run(ranking: &[String]) -> Input<'static> {
    let mut lines = Lines::default();
    for (position, document) in ranking.iter().enumerate() {
        lines.push(document.as_bytes(), -(position as f64));
    }
    let run = Run { name: "run".into(), topics: vec![(b"1"[..].into(), lines)], ..Run::default() };
    Input::Run(Arc::new(run))
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

/// What `make test-full` draws and prints: with it all random cases are tried, others each time.
/// Without it a part of them, always the same.
fn drawn_seed() -> Option<u64> {
    let seed = std::env::var("CRANFIELD_SEED").ok()?;
    Some(seed.parse().expect("CRANFIELD_SEED is a whole number"))
}

/// How many of the random cases are tried.
pub fn cases(every: u64, part: u64) -> u64 {
    if drawn_seed().is_some() { every } else { part }
}

/// `SplitMix64`: small, and the same everywhere.
pub struct Random(pub u64);

impl Random {
    /// Numbers that are others under another `CRANFIELD_SEED`.
    pub fn seeded(seed: u64) -> Self {
        Self(seed.wrapping_add(drawn_seed().unwrap_or(0) << 20))
    }

    /// A whole number below a bound.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % bound
    }
}
