//! Evidence: which spans of which documents are relevant to a topic.

use super::names::Names;
use crate::error::{Error, Kind, Result, quote};
use crate::hash::{lasting_hash, paired_hash};
use crate::qrels::{Builder, Qrels};

/// A piece of evidence: the characters from `start` to before `end` of a document.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GoldSpan {
    /// The number of the document.
    pub document: u32,
    /// The first character, from 0.
    pub start: u32,
    /// The character behind the last.
    pub end: u32,
    /// The number of its group in the topic; spans of a group are alternatives.
    pub group: u32,
    /// Its grade.
    pub grade: f64,
}

/// A part of a document whose characters have the same grade.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Painted {
    pub(super) document: u32,
    pub(super) start: u32,
    pub(super) end: u32,
    /// The place of the grade among those of the topic.
    pub(super) grade_index: u32,
}

/// The evidence of a topic.
#[derive(Clone, Debug, Default)]
pub struct GoldTopic {
    /// The topic.
    pub id: Box<[u8]>,
    /// Its spans, by document and place.
    pub spans: Vec<GoldSpan>,
    /// The names of the groups; none for a span by itself.
    pub groups: Vec<Option<Box<[u8]>>>,
    /// The grades that spans have, ascending.
    pub grades: Vec<f64>,
    /// The characters of the evidence, each once, with the highest grade that it has.
    pub(super) painted: Vec<Painted>,
    /// How many characters have each grade.
    pub characters: Vec<u64>,
}

/// Judgments of spans.
#[derive(Clone, Debug, Default)]
pub struct Gold {
    /// The documents.
    pub documents: Names,
    /// The topics, in byte order.
    pub topics: Vec<GoldTopic>,
    /// What offsets count: characters if nothing is said.
    pub unit: Box<str>,
}

/// Collects judgments of spans, in any order.
#[derive(Default)]
pub struct GoldBuilder {
    documents: Names,
    topics: Names,
    drafts: Vec<GoldDraft>,
}

/// The spans of a topic with their lines.
#[derive(Default)]
struct GoldDraft {
    spans: Vec<(GoldSpan, u64)>,
    groups: Vec<Option<Box<[u8]>>>,
    named: Names,
    /// The number of each named group.
    numbers: Vec<u32>,
}

/// An error if there is no such span in any text. `line` is 0 where there are no lines.
pub(super) fn check_span(start: u64, end: u64) -> Result<()> {
    if end <= start {
        let message = format!(
            "expected a span whose end is above its start, found [{start}, {end}), which holds no \
             character; ends are exclusive: if these name the last character, add 1"
        );
        return Err(Error::new(Kind::Span, message));
    }
    if end > u64::from(u32::MAX) {
        let message = format!("expected offsets of at most {}, found {end}", u32::MAX);
        return Err(Error::new(Kind::Limit, message));
    }
    Ok(())
}

impl GoldBuilder {
    /// Makes sure that a topic is there, be it without evidence; returns its place.
    pub fn topic(&mut self, topic: &[u8]) -> Result<usize> {
        let place = self.topics.number(topic)? as usize;
        if place == self.drafts.len() {
            self.drafts.push(GoldDraft::default());
        }
        Ok(place)
    }

    /// Adds a span, given as (start, end). Errors: kind "span" for one that holds no character,
    /// "limit" for offsets that are too large, "number" for a grade that is not finite.
    pub fn add(
        &mut self,
        topic: &[u8],
        document: &[u8],
        (start, end): (u64, u64),
        grade: f64,
        group: Option<&[u8]>,
        line: u64,
    ) -> Result<()> {
        check_span(start, end)?;
        if !grade.is_finite() {
            let (document, topic) = (quote(document), quote(topic));
            let message = format!(
                "expected a finite number as grade, found {grade} for document {document} of topic {topic}"
            );
            return Err(Error::new(Kind::Number, message));
        }
        let document = self.documents.number(document)?;
        let place = self.topic(topic)?;
        let draft = &mut self.drafts[place];
        let group = if let Some(name) = group {
            let number = draft.named.number(name)? as usize;
            if number == draft.numbers.len() {
                draft.numbers.push(draft.groups.len() as u32);
                draft.groups.push(Some(name.into()));
            }
            draft.numbers[number]
        } else {
            draft.groups.push(None);
            draft.groups.len() as u32 - 1
        };
        let (start, end) = (start as u32, end as u32);
        draft.spans.push((GoldSpan { document, start, end, group, grade }, line));
        Ok(())
    }

    /// The judgments. An error (kind "duplicate") for a span that comes twice in a topic, unless
    /// in different groups.
    pub fn finish(self) -> Result<Gold> {
        let GoldBuilder { documents, topics: ids, drafts } = self;
        let mut topics = Vec::with_capacity(drafts.len());
        for (number, draft) in drafts.into_iter().enumerate() {
            topics.push(draft.finish(ids.name(number as u32), &documents)?);
        }
        topics.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(Gold { documents, topics, unit: "codepoints".into() })
    }
}

impl GoldDraft {
    fn finish(self, id: &[u8], documents: &Names) -> Result<GoldTopic> {
        let GoldDraft { mut spans, groups, .. } = self;
        // Numbers of documents follow the order of rows, so the names decide.
        spans.sort_by(|(a, _), (b, _)| {
            let name = |span: &GoldSpan| documents.name(span.document);
            let place = |span: &GoldSpan| (span.start, span.end);
            (name(a).cmp(name(b))).then(place(a).cmp(&place(b))).then_with(|| {
                let group = |span: &GoldSpan| &groups[span.group as usize];
                group(a).cmp(group(b))
            })
        });
        let same = |a: &GoldSpan, b: &GoldSpan| {
            let alike = |a: &GoldSpan| (a.document, a.start, a.end);
            alike(a) == alike(b) && groups[a.group as usize] == groups[b.group as usize]
        };
        if let Some(twice) = spans.windows(2).find(|two| same(&two[0].0, &two[1].0)) {
            let ((span, first), (_, again)) = (twice[0], twice[1]);
            let (first, again) = (first.min(again), first.max(again));
            let earlier =
                if first > 0 { format!(", first in line {first}") } else { String::new() };
            let message = format!(
                "the span [{}, {}) of document {} is given twice for topic {}{earlier}; spans that are \
                 alternatives have one group, others are given once",
                span.start,
                span.end,
                quote(documents.name(span.document)),
                quote(id)
            );
            let error = Error::new(Kind::Duplicate, message);
            return Err(if again > 0 { error.at_line(again) } else { error });
        }
        let mut spans: Vec<GoldSpan> = spans.into_iter().map(|(span, _)| span).collect();
        // So that nothing depends on the order of rows.
        let mut order: Vec<Option<u32>> = vec![None; groups.len()];
        let mut named = Vec::new();
        for span in &mut spans {
            let number = order[span.group as usize].get_or_insert_with(|| {
                named.push(groups[span.group as usize].clone());
                named.len() as u32 - 1
            });
            span.group = *number;
        }
        Ok(GoldTopic::of(id.into(), spans, named))
    }
}

impl GoldTopic {
    fn of(id: Box<[u8]>, spans: Vec<GoldSpan>, groups: Vec<Option<Box<[u8]>>>) -> Self {
        let mut grades: Vec<f64> = spans.iter().map(|span| span.grade).collect();
        grades.sort_by(f64::total_cmp);
        grades.dedup();
        let painted = paint(&spans, &grades);
        let mut characters = vec![0; grades.len()];
        for part in &painted {
            characters[part.grade_index as usize] += u64::from(part.end - part.start);
        }
        GoldTopic { id, spans, groups, grades, painted, characters }
    }
}

/// The characters of spans, each with the highest grade that it has. Spans are sorted.
fn paint(spans: &[GoldSpan], grades: &[f64]) -> Vec<Painted> {
    let mut painted: Vec<Painted> = Vec::new();
    for of_document in spans.chunk_by(|a, b| a.document == b.document) {
        let mut bounds: Vec<u32> =
            of_document.iter().flat_map(|span| [span.start, span.end]).collect();
        bounds.sort_unstable();
        bounds.dedup();
        let mut grade_indices: Vec<Option<u32>> = vec![None; bounds.len()];
        // Which segment at or behind each has no grade yet.
        let mut next: Vec<u32> = (0..=bounds.len() as u32).collect();
        let mut highest_first: Vec<&GoldSpan> = of_document.iter().collect();
        highest_first.sort_by(|a, b| b.grade.total_cmp(&a.grade));
        for span in highest_first {
            let place = |at: u32| bounds.partition_point(|&bound| bound < at) as u32;
            let grade_index = grades.partition_point(|&grade| grade < span.grade) as u32;
            let end = place(span.end);
            let mut at = unread(&mut next, place(span.start));
            while at < end {
                grade_indices[at as usize] = Some(grade_index);
                next[at as usize] = at + 1;
                at = unread(&mut next, at + 1);
            }
        }
        for (bound, grade_index) in bounds.windows(2).zip(grade_indices) {
            let Some(grade_index) = grade_index else { continue };
            let part = Painted {
                document: of_document[0].document,
                start: bound[0],
                end: bound[1],
                grade_index,
            };
            match painted.last_mut() {
                Some(last)
                    if (last.document, last.end, last.grade_index)
                        == (part.document, part.start, grade_index) =>
                {
                    last.end = part.end;
                }
                _ => painted.push(part),
            }
        }
    }
    painted
}

/// The first place at or behind this one that was not passed. Paths are halved on the way.
#[inline]
pub(super) fn unread(next: &mut [u32], mut at: u32) -> u32 {
    loop {
        let behind = next[at as usize];
        if behind == at {
            return at;
        }
        let further = next[behind as usize];
        next[at as usize] = further;
        at = further;
    }
}

impl Gold {
    /// The place of a topic.
    pub fn position(&self, topic: &[u8]) -> Option<usize> {
        self.topics.binary_search_by(|known| (*known.id).cmp(topic)).ok()
    }

    /// How many spans there are.
    pub fn spans(&self) -> usize {
        self.topics.iter().map(|topic| topic.spans.len()).sum()
    }

    /// The fingerprint: the same for the same spans in any order, in every process.
    pub fn fingerprint(&self) -> u64 {
        let of_topic = |topic: &GoldTopic| {
            let of_span = |span: &GoldSpan| {
                let name = lasting_hash(1, self.documents.name(span.document));
                let place = u64::from(span.start) << 32 | u64::from(span.end);
                let group = topic.groups[span.group as usize].as_deref();
                let group = group.map_or(0, |group| lasting_hash(2, group));
                let state = paired_hash(paired_hash(name, place), span.grade.to_bits());
                paired_hash(state, group)
            };
            let spans = topic.spans.iter().map(of_span).fold(0, u64::wrapping_add);
            paired_hash(lasting_hash(0, &topic.id), spans)
        };
        let topics = self.topics.iter().map(of_topic).fold(0, u64::wrapping_add);
        paired_hash(topics, lasting_hash(3, self.unit.as_bytes()))
    }

    /// Judgments of whole documents: each has the highest grade of its spans.
    pub fn by_document(&self) -> Result<Qrels> {
        let mut builder = Builder::new(&[]);
        for topic in &self.topics {
            builder.topic(&topic.id);
            for spans in topic.spans.chunk_by(|a, b| a.document == b.document) {
                let grade = spans.iter().map(|span| span.grade).fold(f64::MIN, f64::max);
                let name = self.documents.name(spans[0].document);
                if builder.add(&topic.id, name, grade, &[], 0).is_err() {
                    return Err(Error::new(Kind::Bug, "a document comes twice"));
                }
            }
        }
        Ok(builder.finish(None))
    }
}
