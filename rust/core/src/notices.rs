//! What evaluating passed over, in sentences: notes on the command line, warnings in Python.
//!
//! The sentences are short for any number of runs and topics. They are bytes, since ids are.

use std::collections::{BTreeSet, HashMap};

use memchr::memmem;

use crate::qrels::{Qrels, Topic};
use crate::scores::{Notes, Said};

/// So many sentences about runs are shown.
const SENTENCES: usize = 10;

/// So many topics are named.
const NAMED_TOPICS: usize = 10;

const NO_COMMON_TOPIC: &str = "no topic in common with the qrels: are these the right qrels?";
const NO_DOCUMENT: &str = "no document of the run is judged";

/// What scoring a run passed over, with the name of the run.
#[derive(Clone, Copy, Debug)]
pub struct RunNotes<'a> {
    /// The name.
    pub run: &'a str,
    /// What was passed over.
    pub notes: &'a Notes,
}

/// What becomes of topics that a run lacks, and which findings the caller knows of.
#[derive(Clone, Copy, Debug)]
pub struct Policies<'a> {
    /// The word of the option `missing`.
    pub missing: &'a str,
    /// The word of the option `undefined`.
    pub undefined: &'a str,
    /// The options that were named, such as "missing": what they are about is not said.
    pub named: &'a [String],
}

impl Policies<'_> {
    fn names(&self, option: &str) -> bool {
        self.named.iter().any(|named| named == option)
    }
}

/// What there is to say of judgments.
#[derive(Clone, Copy, Debug)]
pub struct JudgmentNotes<'a> {
    /// The judgments.
    pub qrels: &'a Qrels,
    /// The topics without a relevant document, in order.
    pub without_relevant: &'a BTreeSet<&'a [u8]>,
    /// The lowest relevant grades of measures, ascending.
    pub rels: &'a [f64],
    /// What the evaluator says of the judgments.
    pub said: &'a [&'a str],
}

/// The sentences about judgments, the gravest first.
#[must_use]
pub fn of_judgments(found: &JudgmentNotes, policies: &Policies) -> Vec<Vec<u8>> {
    let topics: Vec<&[u8]> = found.without_relevant.iter().copied().collect();
    let mut sentences = Vec::new();
    if !topics.is_empty() && !policies.names("undefined") {
        let verb = if topics.len() == 1 { "has" } else { "have" };
        let undefined = match policies.undefined {
            "one" => "count 1",
            "skip" => "are left out of means",
            "error" => "are errors",
            _ => "count 0",
        };
        let what = counted(topics.len(), "topic");
        let what = format!("{what} {verb} no relevant document (undefined scores {undefined}): ");
        sentences.push([what.as_bytes(), &some(&topics)].concat());
    }
    sentences.extend(below(found.qrels, &topics, found.rels));
    let mut said: Vec<&str> = Vec::new();
    for one in found.said {
        if !said.contains(one) {
            said.push(one);
        }
    }
    sentences.extend(said.into_iter().map(|one| one.as_bytes().to_vec()));
    let (repaired, comments) = (found.qrels.repaired, found.qrels.comments);
    sentences.extend(of_reading(repaired, comments, policies).into_iter().map(String::into_bytes));
    sentences
}

/// Of topics without a relevant document those that have grades above 0.
fn below(qrels: &Qrels, topics: &[&[u8]], rels: &[f64]) -> Vec<Vec<u8>> {
    let highest = |topic: &Topic| {
        let grades = topic.counts().iter().filter(|of| of.count > 0);
        grades.map(|of| qrels.grades()[of.grade_index as usize]).fold(0.0, f64::max)
    };
    let known = topics.iter().filter_map(|id| Some((*id, qrels.position(id)?)));
    let known: Vec<(&[u8], f64)> =
        known.map(|(id, position)| (id, highest(&qrels.topics()[position]))).collect();
    let of_level = |rel: &f64| {
        let below = known.iter().filter(|(_, highest)| 0.0 < *highest && highest < rel);
        let (ids, grades): (Vec<&[u8]>, Vec<f64>) = below.copied().unzip();
        let top = grades.iter().copied().reduce(f64::max)?;
        let what = format!(
            "highest grade {} is below rel={} in {}: ",
            general(top),
            general(*rel),
            counted(ids.len(), "topic")
        );
        Some([what.as_bytes(), &some(&ids)].concat())
    };
    rels.iter().filter_map(of_level).collect()
}

/// Whether a sentence says that a run has no topic or document of the judgments, which explains
/// others.
#[must_use]
pub fn explains(sentence: &[u8]) -> bool {
    let said = [NO_COMMON_TOPIC, NO_DOCUMENT];
    said.iter().any(|said| memmem::find(sentence, said.as_bytes()).is_some())
}

/// The sentences about runs. Those of which the same is said share one.
#[must_use]
pub fn of_runs(runs: &[RunNotes], judged: usize, policies: &Policies) -> Vec<Vec<u8>> {
    let mut examples: Vec<(usize, &str, Vec<&str>)> = Vec::new();
    let mut findings: Vec<RunFinding> = Vec::new();
    let mut places: HashMap<AboutTopics, usize> = HashMap::new();
    for run in runs {
        for (said, topics) in findings_of(run.notes, judged, policies) {
            let place = *places.entry((said.clone(), topics)).or_insert(findings.len());
            if place == findings.len() {
                findings.push(RunFinding { said, topics, runs: Vec::new() });
            }
            findings[place].runs.push(run.run);
        }
        for (kind, text) in run.notes.said.as_deref().map(examples_of).into_iter().flatten() {
            match examples.iter_mut().find(|(known, ..)| *known == kind) {
                Some((.., runs)) => runs.push(run.run),
                None => examples.push((kind, text, vec![run.run])),
            }
        }
    }
    let examples = examples
        .iter()
        .map(|(_, text, runs)| [several(runs).as_bytes(), b": ", text.as_bytes()].concat());
    let mut sentences: Vec<Vec<u8>> =
        examples.chain(findings.iter().map(RunFinding::sentence)).collect();
    if sentences.len() > SENTENCES {
        let more = sentences.len() - SENTENCES;
        sentences.truncate(SENTENCES);
        sentences.push(format!("... and {more} more such notes; --format json has all").into());
    }
    sentences
}

/// A sentence, and the topics that it is about.
type AboutTopics<'a> = (Vec<u8>, &'a [Box<[u8]>]);

/// What is said of runs, and about which topics.
struct RunFinding<'a> {
    said: Vec<u8>,
    topics: &'a [Box<[u8]>],
    runs: Vec<&'a str>,
}

impl RunFinding<'_> {
    fn sentence(&self) -> Vec<u8> {
        let topics: Vec<&[u8]> = self.topics.iter().map(|topic| &**topic).collect();
        [several(&self.runs).as_bytes(), b": ", &self.said, &some(&topics)].concat()
    }
}

/// Sentences of which the first run's is shown for all, by their kind.
fn examples_of(said: &Said) -> impl Iterator<Item = (usize, &str)> {
    let Said { unmatched, rising, own_first, tied, of_text, .. } = said;
    let kinds = [unmatched, rising, own_first, tied, of_text];
    kinds.into_iter().enumerate().filter_map(|(kind, text)| Some((kind, text.as_deref()?)))
}

/// What was passed over in a run, and the topics that this is about.
fn findings_of<'a>(notes: &'a Notes, judged: usize, policies: &Policies) -> Vec<AboutTopics<'a>> {
    let mut found: Vec<(String, &[Box<[u8]>])> = Vec::new();
    let missing = &notes.missing;
    if missing.len() == judged {
        if !policies.names("missing") {
            found.push((NO_COMMON_TOPIC.to_string(), &[]));
        }
    } else {
        if !missing.is_empty() && !policies.names("missing") {
            let verb = if missing.len() == 1 { "is" } else { "are" };
            let policy = match policies.missing {
                "skip" => "left out of its means",
                "error" => "an error",
                _ => "scored 0",
            };
            let what = counted(missing.len(), "topic");
            found.push((format!("{what} of the qrels {verb} missing ({policy}): "), missing));
        }
        let unjudged = &notes.without_judgments;
        if !unjudged.is_empty() {
            let verb = if unjudged.len() == 1 { "has" } else { "have" };
            let hint = notes.said.as_ref().and_then(|said| said.topics_hint.as_deref());
            let hint = hint.map(|hint| format!("; {hint}")).unwrap_or_default();
            let what = counted(unjudged.len(), "topic");
            found.push((format!("{what} {verb} no judgments (ignored{hint}): "), unjudged));
        }
    }
    if !policies.names("duplicates") {
        if notes.duplicates > 0 {
            let what = format!("duplicate documents (counted once): {}", notes.duplicates);
            found.push((what, &[]));
        }
        if notes.own > 0 {
            let what = format!("documents with the id of their topic, taken out: {}", notes.own);
            found.push((what, &[]));
        }
    }
    let read = of_reading(notes.repaired, notes.comments, policies);
    found.extend(read.into_iter().map(|said| (said, &[][..])));
    found.into_iter().map(|(said, topics)| (said.into_bytes(), topics)).collect()
}

/// What the reader of a file repaired or passed over.
fn of_reading(repaired: u64, comments: u64, policies: &Policies) -> Vec<String> {
    let mut said = Vec::new();
    if repaired > 0 && !policies.names("lenient") {
        said.push(format!("repaired numbers: {repaired}"));
    }
    if comments > 0 && !policies.names("comments") {
        said.push(format!("comment lines skipped: {comments}"));
    }
    said
}

/// The first of several runs, and how many others.
fn several(runs: &[&str]) -> String {
    match runs {
        [] => String::new(),
        [run] => (*run).to_string(),
        [run, _] => format!("{run} and 1 other"),
        [run, others @ ..] => format!("{run} and {} others", others.len()),
    }
}

/// The first few topics, and how many more.
fn some(topics: &[&[u8]]) -> Vec<u8> {
    let mut shown = topics[..topics.len().min(NAMED_TOPICS)].join(&b' ');
    if topics.len() > NAMED_TOPICS {
        shown.extend(format!(" and {} more", topics.len() - NAMED_TOPICS).bytes());
    }
    shown
}

/// A number of things: `1 topic`, `2 topics`.
fn counted(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// A number with up to twelve digits, as `%.12g` has it.
fn general(value: f64) -> String {
    let trimmed = |text: &str| {
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
            .to_string()
    };
    let text = format!("{value:.11e}");
    let Some((digits, exponent)) = text.split_once('e') else { return text };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..12).contains(&exponent) {
        return trimmed(&format!("{value:.*}", (11 - exponent) as usize));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trimmed(digits), exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_up_to_twelve_digits() {
        let cases =
            [(2.0, "2"), (0.5, "0.5"), (0.1 + 0.2, "0.3"), (1e-7, "1e-07"), (1e15, "1e+15")];
        for (value, expected) in cases {
            assert_eq!(general(value), expected);
        }
        assert_eq!(general(123_456_789_012.4), "123456789012");
    }

    #[test]
    fn many_topics_are_counted() {
        let ids: Vec<String> = (0..12).map(|id| id.to_string()).collect();
        let topics: Vec<&[u8]> = ids.iter().map(String::as_bytes).collect();
        assert_eq!(some(&topics), b"0 1 2 3 4 5 6 7 8 9 and 2 more");
        assert_eq!(some(&topics[..1]), b"0");
        assert_eq!(several(&["a", "b", "c"]), "a and 2 others");
    }
}
