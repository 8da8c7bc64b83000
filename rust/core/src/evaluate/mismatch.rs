//! What does not fit: ids of a run that the judgments do not have, with the simple change that would
//! make them equal; ranks that say that the scores are distances, or by which nothing can be ordered.

use std::collections::HashSet;
use std::mem::take;

use super::options::Options;
use crate::error::{Error, Kind, Result, quote};
use crate::interrupt;
use crate::qrels::Qrels;
use crate::rank::arrays::ListArrays;
use crate::rank::{Lines, Ranking, Scratch};
use crate::read::run::LOOKED_AT;
use crate::scores::Notes;

/// The first documents of the judged topics of a run, while the judgments know none of them.
#[derive(Clone, Debug, Default)]
pub struct Strangers {
    /// Whether the judgments know a document of the run.
    known: bool,
    kept: Option<Box<KeptStrangers>>,
}

#[derive(Clone, Debug, Default)]
struct KeptStrangers {
    documents: Vec<Box<[u8]>>,
    /// The topics that these are from, by position.
    topics: Vec<usize>,
}

/// So many documents of a run are kept, and compared with so many of the judgments.
const KEPT_DOCUMENTS: usize = 1000;
const COMPARED_DOCUMENTS: usize = 20_000;

impl Strangers {
    /// Whether the list of a topic is to be asked for them.
    pub(super) fn are_sought(&self, options: &Options, position: Option<usize>) -> bool {
        !self.known && position.is_some() && !options.hosted
    }

    /// Takes those of a list that was asked for them.
    #[inline]
    pub(super) fn take(&mut self, topic: usize, ranking: &Ranking, scratch: &mut Scratch) {
        if !scratch.seeks {
            return;
        }
        if !scratch.strangers.is_empty() {
            self.add(KeptStrangers {
                documents: take(&mut scratch.strangers),
                topics: vec![topic],
            });
        } else if ranking.retrieved > 0 {
            *self = Strangers { known: true, kept: None };
        }
    }

    #[cold]
    fn add(&mut self, mut more: KeptStrangers) {
        let kept = self.kept.get_or_insert_default();
        if kept.documents.len() < KEPT_DOCUMENTS {
            kept.topics.append(&mut more.topics);
            kept.documents.append(&mut more.documents);
            kept.documents.truncate(KEPT_DOCUMENTS);
        }
    }

    /// Adds those of a later part of the same file.
    pub(super) fn append(&mut self, later: Strangers) {
        if self.known || later.known {
            *self = Strangers { known: true, kept: None };
        } else if let Some(more) = later.kept {
            self.add(*more);
        }
    }

    /// Notes what to say if no document or not every topic of a run is judged. A run of one topic
    /// under judgments of many is taken as intended.
    pub(super) fn note(&self, notes: &mut Notes, come: usize, qrels: &Qrels) -> Result<()> {
        let several = qrels.topics().len() == 1 || come + notes.without_judgments.len() > 1;
        if let Some(kept) = self.kept.as_ref().filter(|_| several)
            && let Some(said) = kept.explain(qrels)?
        {
            notes.say().unmatched = Some(said);
        }
        if several && !notes.missing.is_empty() && !notes.without_judgments.is_empty() {
            let (found, expected) = (slices(&notes.without_judgments), slices(&notes.missing));
            if let Some(hint) = hint(&found, &expected)? {
                notes.say().topics_hint = Some(hint);
            }
        }
        Ok(())
    }
}

impl KeptStrangers {
    /// What to say of a run of which no document is judged.
    #[cold]
    fn explain(&self, qrels: &Qrels) -> Result<Option<String>> {
        // First the topics that the documents are from: those of a large collection
        // have few documents in common.
        let every = self.topics.iter().copied().chain(0..qrels.topics().len());
        let judged =
            every.flat_map(|topic| qrels.topics()[topic].docs().keys()).take(COMPARED_DOCUMENTS);
        let judged = distinct(judged);
        let found = distinct(self.documents.iter().map(|id| &**id));
        if judged.is_empty() {
            return Ok(None);
        }
        let known: HashSet<&[u8]> = judged.iter().copied().collect();
        let elsewhere = found.iter().filter(|id| known.contains(**id)).count();
        let hint = match elsewhere {
            0 => hint(&found, &judged)?.map(|hint| format!("; {hint}")).unwrap_or_default(),
            _ => format!("; {elsewhere} of {} are judged for other topics", found.len()),
        };
        Ok(Some(format!(
            "no document of the run is judged: the run has {}, the judgments have {}{hint}",
            some(found.into_iter()),
            some(judged.into_iter())
        )))
    }
}

/// The first few ids, for a message.
pub(super) fn some<'a>(topics: impl Iterator<Item = &'a [u8]>) -> String {
    let mut first: Vec<String> = topics.take(IDS_IN_MESSAGE + 1).map(quote).collect();
    if first.is_empty() {
        return "none".to_string();
    }
    if first.len() > IDS_IN_MESSAGE {
        first[IDS_IN_MESSAGE] = "...".to_string();
    }
    first.join(" ")
}

/// How many ids a message names.
const IDS_IN_MESSAGE: usize = 3;

/// Each id once, where it stands first.
fn distinct<'a>(ids: impl Iterator<Item = &'a [u8]>) -> Vec<&'a [u8]> {
    let mut seen = HashSet::new();
    ids.filter(|id| seen.insert(*id)).collect()
}

fn slices(ids: &[Box<[u8]>]) -> Vec<&[u8]> {
    ids.iter().map(|id| &**id).collect()
}

/// A way to change ids on either side, and how it is called.
struct Change<'a> {
    said: String,
    found: Rewrite<'a>,
    expected: Rewrite<'a>,
}

type Rewrite<'a> = Box<dyn Fn(&[u8]) -> Vec<u8> + 'a>;

/// The simple change after which most ids of one side are among those of the other; nothing
/// if there is none.
#[cold]
pub(super) fn hint(found: &[&[u8]], expected: &[&[u8]]) -> Result<Option<String>> {
    let (mut most, mut said) = (0, String::new());
    for change in changes(found, expected) {
        interrupt::check()?;
        let known: HashSet<Vec<u8>> = expected.iter().map(|id| (change.expected)(id)).collect();
        let is_known = |id: &&&[u8]| {
            let id = (change.found)(id);
            !id.is_empty() && known.contains(&id)
        };
        let matches = found.iter().filter(is_known).count();
        if matches > most {
            (most, said) = (matches, change.said);
        }
    }
    Ok((most > 0).then(|| format!("{said}, {most} of {} would match", found.len())))
}

/// The changes that are tried, the simplest first.
fn changes<'a>(found: &[&[u8]], expected: &[&[u8]]) -> Vec<Change<'a>> {
    let mut changes = Vec::new();
    for (said, change) in PLAIN {
        let said = said.to_string();
        changes.push(Change { said, found: Box::new(change), expected: Box::new(change) });
    }
    for (also, change) in [("", same as fn(&[u8]) -> Vec<u8>)].into_iter().chain(PLAIN) {
        let of = |ids: &[&[u8]]| ids.iter().map(|id| change(id)).collect::<Vec<_>>();
        let (found, expected) = (of(found), of(expected));
        let said = |what: &str, affix: &[u8], of: &str| match also {
            "" => format!("without the {what} {} of {of}", quote(affix)),
            _ => format!("{also} and without the {what} {} of {of}", quote(affix)),
        };
        for (what, is_suffix) in [("prefix", false), ("suffix", true)] {
            for affix in affixes(&found, is_suffix) {
                changes.push(Change {
                    said: said(what, &affix, "the run"),
                    found: Box::new(move |id| without(change(id), &affix, is_suffix)),
                    expected: Box::new(change),
                });
            }
            for affix in affixes(&expected, is_suffix) {
                changes.push(Change {
                    said: said(what, &affix, "the judgments"),
                    found: Box::new(change),
                    expected: Box::new(move |id| without(change(id), &affix, is_suffix)),
                });
            }
        }
    }
    for separator in SEPARATORS {
        let name = quote([separator]);
        changes.push(Change {
            said: format!("without what follows the last {name} in the run"),
            found: Box::new(move |id| parts(id, separator).0),
            expected: Box::new(same),
        });
        changes.push(Change {
            said: format!("without what precedes the last {name} in the run"),
            found: Box::new(move |id| parts(id, separator).1),
            expected: Box::new(same),
        });
    }
    let said = PLAIN.map(|(said, _)| said).join(", ");
    changes.push(Change { said, found: Box::new(all), expected: Box::new(all) });
    changes
}

/// What is said of a change and the change.
type Plain = (&'static str, fn(&[u8]) -> Vec<u8>);

/// What is changed on both sides.
const PLAIN: [Plain; 5] = [
    ("without white space", without_spaces),
    ("without quotation marks", without_quotes),
    ("without leading zeros", without_zeros),
    ("without `.0` at the end", without_point),
    ("regardless of case", lower_case),
];

/// What may separate an id from a part, a folder or a kind of file.
const SEPARATORS: [u8; 6] = *b"#/_-.:";

fn same(id: &[u8]) -> Vec<u8> {
    id.to_vec()
}

fn all(id: &[u8]) -> Vec<u8> {
    PLAIN.iter().fold(id.to_vec(), |id, (_, change)| change(&id))
}

fn text(id: &[u8], change: impl FnOnce(&str) -> String) -> Vec<u8> {
    std::str::from_utf8(id).map_or_else(|_| id.to_vec(), |id| change(id).into_bytes())
}

fn without_spaces(id: &[u8]) -> Vec<u8> {
    // A byte order mark is seen as little as a space is.
    let is_seen = |c: &char| !c.is_whitespace() && !matches!(c, '\u{feff}' | '\u{200b}');
    text(id, |id| id.chars().filter(is_seen).collect())
}

/// Also as Python shows bytes: `b'12'`.
fn without_quotes(id: &[u8]) -> Vec<u8> {
    let quoted = id.strip_prefix(b"b").filter(|rest| rest.starts_with(b"'")).unwrap_or(id);
    text(quoted, |id| id.trim_matches(['"', '\'', '`']).to_string())
}

/// Of each number in the id.
fn without_zeros(id: &[u8]) -> Vec<u8> {
    let mut kept: Vec<u8> = Vec::with_capacity(id.len());
    for (at, &byte) in id.iter().enumerate() {
        let first = !kept.last().is_some_and(u8::is_ascii_digit);
        let followed = id.get(at + 1).is_some_and(u8::is_ascii_digit);
        if byte != b'0' || !first || !followed {
            kept.push(byte);
        }
    }
    kept
}

fn without_point(id: &[u8]) -> Vec<u8> {
    let whole = id.iter().rposition(|byte| *byte != b'0').filter(|&last| id[last] == b'.');
    let whole = whole.filter(|&point| point + 1 < id.len());
    whole.map_or(id, |point| &id[..point]).to_vec()
}

fn lower_case(id: &[u8]) -> Vec<u8> {
    text(id, str::to_lowercase)
}

/// What stands before and after the last separator; nothing if there is none.
fn parts(id: &[u8], separator: u8) -> (Vec<u8>, Vec<u8>) {
    let at = id.iter().rposition(|byte| *byte == separator);
    at.map_or_else(Default::default, |at| (id[..at].to_vec(), id[at + 1..].to_vec()))
}

fn without(id: Vec<u8>, affix: &[u8], is_suffix: bool) -> Vec<u8> {
    let rest = if is_suffix { id.strip_suffix(affix) } else { id.strip_prefix(affix) };
    rest.map(<[u8]>::to_vec).unwrap_or(id)
}

/// Prefixes or suffixes that all ids have, up to a length; a number is not cut.
fn affixes(ids: &[Vec<u8>], is_suffix: bool) -> Vec<Vec<u8>> {
    const LONGEST: usize = 40;
    let Some((first, rest)) = ids.split_first() else { return Vec::new() };
    // From the end at which the affix is.
    let byte = |id: &[u8], at: usize| {
        let at = if is_suffix { id.len().checked_sub(at + 1)? } else { at };
        id.get(at).copied()
    };
    let mut common = first.len().min(LONGEST);
    for id in rest {
        common = (0..common).take_while(|&at| byte(id, at) == byte(first, at)).count();
    }
    let is_digit = |at: usize| byte(first, at).is_some_and(|byte| byte.is_ascii_digit());
    let cuts_number = |length: &usize| is_digit(length - 1) && is_digit(*length);
    let lengths = (1..=common).filter(|length| !cuts_number(length));
    let affix = |length: usize| {
        let (from, to) = if is_suffix { (first.len() - length, first.len()) } else { (0, length) };
        first[from..to].to_vec()
    };
    lengths.map(affix).collect()
}

/// What was seen of the ranks of the lists that have two documents at least.
#[derive(Debug, Default)]
pub(super) struct RanksSeen {
    /// How many lists there were.
    lists: u32,
    /// In how many of them all ranks are the same.
    flat: u32,
}

impl RanksSeen {
    /// Whether a list is the first of a run; one document has no order.
    pub(super) fn is_first(&mut self, documents: usize) -> bool {
        self.lists += u32::from(documents > 1);
        documents > 1 && self.lists == 1
    }

    /// Counts a list that is ordered by its ranks.
    pub(super) fn count(&mut self, ranks: &[f64]) {
        self.lists += u32::from(ranks.len() > 1);
        self.flat += u32::from(ranks.len() > 1 && ranks.iter().all(|rank| *rank == ranks[0]));
    }

    /// Adds those of a later part of the file; whether the first list is in that.
    pub(super) fn add(&mut self, later: &RanksSeen) -> bool {
        let first = self.lists == 0;
        self.lists += later.lists;
        self.flat += later.flat;
        first
    }

    /// An error if there are no ranks to go by in any list of a run.
    pub(super) fn check(&self, run: &str) -> Result<()> {
        if self.flat == 0 || self.flat < self.lists {
            return Ok(());
        }
        Err(Error::for_each(Kind::Option, |to| {
            format!(
                "{} needs ranks, and in run {} all documents of a topic have the same rank",
                to.choice("order", "rank"),
                quote(run)
            )
        }))
    }
}

/// What to say if the scores of a list rise from its first rank on.
#[cold]
pub(super) fn rising_lines(topic: &[u8], lines: &Lines) -> Option<String> {
    rise(lines.first_ranks(), |line| lines.score(line)).then(|| with_ranks(topic))
}

/// The same of a list in arrays, which are in order where a search wrote them.
#[cold]
pub(super) fn rising_list(topic: &[u8], list: &ListArrays) -> Option<String> {
    if let Some(ranks) = list.ranks {
        return rise(ranks, |line| list.scores.get(line)).then(|| with_ranks(topic));
    }
    let filled: Vec<usize> = list.filled().take(LOOKED_AT).collect();
    let places: Vec<f64> = (0..filled.len()).map(|place| place as f64).collect();
    (list.padded && rise(&places, |place| list.scores.get(filled[place]))).then(|| {
        format!(
            "scores rise along the row of topic {}, the only one looked at: if they are distances, \
             negate them, or keep the order of the rows (order `input`)",
            quote(topic)
        )
    })
}

fn with_ranks(topic: &[u8]) -> String {
    format!(
        "scores rise with the ranks in the first lines of topic {}, the only ones looked at: if \
         they are distances, rank by the ranks (order `rank`)",
        quote(topic)
    )
}

/// Whether of the first lines no two ranks are the same, and no score is below that of the rank
/// above, but some are higher.
fn rise(ranks: &[f64], score: impl Fn(usize) -> f64) -> bool {
    let mut lines: Vec<usize> = (0..ranks.len().min(LOOKED_AT)).collect();
    lines.sort_by(|&a, &b| ranks[a].total_cmp(&ranks[b]));
    let (Some(&first), Some(&last)) = (lines.first(), lines.last()) else { return false };
    let in_order = |pair: &[usize]| {
        let [above, below] = *pair else { return true };
        ranks[above] < ranks[below] && score(above) <= score(below)
    };
    score(first) < score(last) && lines.windows(2).all(in_order)
}

#[cfg(test)]
mod tests;
