//! Lists that a caller holds in memory, topic by topic, as `pytrec_eval` hands
//! them to version 9.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use super::catalogue::{ENTRIES, Entry, Formula, NICKNAMES, ParameterKind, Summary, named};
use super::chosen_measures::{Chosen, Parameters};
use super::exit::Exit;
use super::judgments::{Judgments, JudgmentsContent};
use super::number::{atof, atol};
use super::program_options::ProgramOptions;
use super::topics::{TopicScorer, Values};
use super::version::Version;
use crate::qrels::Qrels;
use crate::rank::{Lines, Precision, Ranker, Ranking};

/// Computes the values of lists under measures that were chosen once.
pub struct InMemory {
    scorer: TopicScorer,
    keys: Vec<(String, ValueSource)>,
    reach: u32,
}

/// The source of the value of a key.
#[derive(Clone, Copy, Debug)]
enum ValueSource {
    /// It is the same for every list.
    Constant(f64),
    /// The scorer's value at this place.
    Value(usize),
}

/// The nicknames with the measures that they stand for.
pub fn nicknames() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    let members = |name: &str| {
        let positions = named(name.as_bytes(), Version::V9);
        positions.into_iter().map(|position| ENTRIES[position].name).collect()
    };
    NICKNAMES.iter().map(move |(name, _)| (*name, members(name)))
}

impl InMemory {
    /// Prepares what all lists share. Measures are names with their numbers; an
    /// error says what is wrong with one.
    pub fn new(
        qrels: Arc<Qrels>,
        measures: &[(String, Vec<String>)],
        min_grade: i64,
        judged_only: bool,
    ) -> Result<InMemory, String> {
        let options = ProgramOptions { min_grade, judged_only, ..ProgramOptions::default() };
        let mut asked: Vec<(usize, &[String])> = Vec::new();
        for (name, numbers) in measures {
            let &[position] = named(name.as_bytes(), options.version).as_slice() else {
                return Err(format!("unsupported measure {name}"));
            };
            asked.push((position, numbers));
        }
        asked.sort_by_key(|(position, _)| *position);
        let mut keys: Vec<(String, ValueSource)> = Vec::new();
        let mut chosen: Vec<Chosen> = Vec::new();
        let mut values = 0;
        for (position, numbers) in asked {
            let entry = &ENTRIES[position];
            let text = parameter_text(entry, numbers)?;
            let one = Chosen::new(entry, text.as_deref().map(str::as_bytes))?;
            let constant = constant(&one);
            for (at, printed) in one.names.iter().enumerate() {
                let key = if has_many_values(entry) { printed.as_str() } else { entry.name };
                let source =
                    constant.map_or(ValueSource::Value(values + at), ValueSource::Constant);
                match keys.iter_mut().find(|(known, _)| known == key) {
                    // If several points print the same, the last has the key.
                    Some((_, before)) => *before = source,
                    None => keys.push((key.to_string(), source)),
                }
            }
            if constant.is_none() {
                values += one.names.len();
                chosen.push(one);
            }
        }
        let kind = JudgmentsContent::Qrels { repeated: HashMap::new(), positive: 0 };
        let judgments = Arc::new(Judgments { qrels, kind });
        let reach = if judged_only { None } else { chosen.iter().map(Chosen::reach).max() };
        let scorer = TopicScorer::new(&judgments, chosen, &options);
        Ok(InMemory { scorer, keys, reach: reach.unwrap_or(u32::MAX) })
    }

    /// The judgments.
    pub fn qrels(&self) -> &Arc<Qrels> {
        &self.scorer.judgments.qrels
    }

    /// The names of a list's values, in order, without repeats.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.keys.iter().map(|(key, _)| key.as_str())
    }

    /// The values before any list is scored, one for each key: the value if it is
    /// the same for every list, otherwise 0.
    pub fn given(&self) -> impl Iterator<Item = f64> {
        self.keys.iter().map(|(_, source)| match *source {
            ValueSource::Constant(value) => value,
            ValueSource::Value(_) => 0.0,
        })
    }

    /// How lists are put in order: by scores in single precision.
    pub fn ranker(&self) -> Ranker {
        Ranker { precision: Precision::F32, ..Ranker::default() }
    }

    /// How far down a list the measures look.
    pub fn reach(&self) -> u32 {
        self.reach
    }

    /// Computes the values of a topic's list, which may be cut at the depth that
    /// the measures look at.
    pub fn score(&self, position: usize, list: &Ranking, out: &mut Values) -> Result<(), String> {
        let scored = self.scorer.score(position, Ok(list), out);
        scored.map_err(|Exit { message, .. }| message)
    }

    /// What was computed, one for each key.
    pub fn values<'a>(&'a self, scored: &'a Values) -> impl Iterator<Item = f64> + 'a {
        self.keys.iter().map(|(_, source)| match *source {
            ValueSource::Constant(value) => value,
            ValueSource::Value(place) => scored.numbers[place],
        })
    }
}

/// The same lines with scores that give the order of the ranker, but with scores that are NaN
/// last.
pub fn nan_last(lines: &Lines) -> Lines {
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by(|&a, &b| {
        let scores = [a, b].map(|line| lines.score(line) as f32);
        let by_score = scores[1].partial_cmp(&scores[0]);
        let by_score = by_score.unwrap_or_else(|| scores[0].is_nan().cmp(&scores[1].is_nan()));
        by_score.then_with(|| Reverse(lines.document(a)).cmp(&Reverse(lines.document(b))))
    });
    let mut ordered = Lines::default();
    for (place, &line) in order.iter().enumerate() {
        ordered.push(lines.document(line), -(place as f64));
    }
    ordered
}

fn has_many_values(entry: &Entry) -> bool {
    matches!(entry.takes, ParameterKind::Ranks(_) | ParameterKind::Points(_))
}

/// Numbers as the text after a name, without repeats.
fn parameter_text(entry: &Entry, numbers: &[String]) -> Result<Option<String>, String> {
    let name = entry.name;
    let mut numbers: Vec<&str> = numbers.iter().map(String::as_str).collect();
    match entry.takes {
        _ if numbers.is_empty() => return Ok(None),
        ParameterKind::Nothing => return Ok(None),
        ParameterKind::Ranks(_) => {
            let rank = |number: &str| atol(number.as_bytes());
            if let Some(none) = numbers.iter().find(|number| rank(number) <= 0) {
                let expected = "expected a cutoff of at least 1";
                return Err(format!("unsupported measure {name}_{none}: {expected}"));
            }
            numbers.sort_by_key(|number| rank(number));
            numbers.dedup_by_key(|number| rank(number));
        }
        ParameterKind::Points(_) => {
            let point = |number: &str| atof(number.as_bytes());
            numbers.sort_by(|a, b| point(a).total_cmp(&point(b)));
            numbers.dedup_by(|a, b| point(a) == point(b));
        }
        ParameterKind::Numbers(_) => {}
        ParameterKind::Pairs => {
            let cut = if name == "ndcg" { "; with a cutoff it is called ndcg_cut" } else { "" };
            let what = format!("unsupported measure {name}_{}", numbers.join(","));
            return Err(format!("{what}: expected {name} without a number{cut}"));
        }
    }
    Ok(Some(numbers.join(",")))
}

/// The value of a measure that does not depend on the list: texts are 0, each
/// topic counts once, and utility is 0 unless it has four coefficients.
fn constant(chosen: &Chosen) -> Option<f64> {
    match (chosen.entry.formula, chosen.entry.summary, &chosen.parameters) {
        (_, Summary::Topics, _) => Some(1.0),
        (_, Summary::Tag, _) | (Formula::Relstring, ..) => Some(0.0),
        (Formula::Utility, _, Parameters::Numbers(four)) if four.len() != 4 => Some(0.0),
        _ => None,
    }
}
