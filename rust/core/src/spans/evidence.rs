//! Measures over pieces of evidence: each is a document, found where enough of it is read.

use super::gold::GoldTopic;
use super::list::Chunk;
use super::sweep::{NOWHERE, Sweep};
use crate::error::Result;
use crate::ideal::{Discount, Ideal};
use crate::interrupt::Steps;

/// When a piece of evidence counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Finding {
    /// The share of it that has to be read.
    pub(super) cover: f64,
    /// Whether one chunk has to hold that share.
    pub(super) one_chunk: bool,
    /// Whether it counts by the share that is read.
    pub(super) by_share: bool,
}

/// What is gained where.
pub(super) struct Evidence {
    /// Places and what is new there, in the order of the places.
    gains: Vec<(u32, f64)>,
    /// The highest gain of each group that has one.
    pub(super) groups: Vec<f64>,
}

/// A swept list and what it was swept over.
#[derive(Clone, Copy)]
pub(super) struct Swept<'a> {
    pub(super) topic: &'a GoldTopic,
    pub(super) list: &'a [Chunk],
    pub(super) sweep: &'a Sweep,
    /// What a document of the evidence is called in the list.
    pub(super) document_of: &'a dyn Fn(u32) -> u32,
}

impl Evidence {
    /// What a list finds, where a span of each grade gains so much.
    pub(super) fn of(swept: Swept<'_>, gains: &[f64], finding: Finding) -> Result<Evidence> {
        let topic = swept.topic;
        let gain = |span: usize| {
            let grade = topic.spans[span].grade;
            gains[topic.grades.partition_point(|&known| known < grade)]
        };
        let mut spans: Vec<usize> = (0..topic.spans.len()).filter(|&i| gain(i) > 0.0).collect();
        spans.sort_by_key(|&i| topic.spans[i].group);
        let chunks = Whole::of(swept, finding.one_chunk);
        let mut found = Evidence { gains: Vec::new(), groups: Vec::new() };
        let mut steps = Steps::default();
        for group in spans.chunk_by(|&a, &b| topic.spans[a].group == topic.spans[b].group) {
            found.groups.push(group.iter().map(|&span| gain(span)).fold(0.0, f64::max));
            let mut events: Vec<(u32, f64)> = Vec::new();
            for &span in group {
                let length = topic.spans[span].end - topic.spans[span].start;
                let read = if finding.one_chunk {
                    chunks.best(swept, span, &mut steps)?
                } else {
                    read_of(swept.sweep, span, &mut steps)?
                };
                let length = f64::from(length);
                let enough = (finding.cover * length - 1e-9).ceil().max(1.0);
                events.extend(read.into_iter().filter_map(|(place, read)| {
                    let share = if finding.by_share {
                        read as f64 / length
                    } else if read as f64 >= enough {
                        1.0
                    } else {
                        return None;
                    };
                    Some((place, gain(span) * share))
                }));
            }
            // Of alternatives the best counts.
            events.sort_by_key(|event| event.0);
            let mut best = 0.0;
            for (place, value) in events {
                if value > best {
                    found.gains.push((place, value - best));
                    best = value;
                }
            }
        }
        found.gains.sort_by_key(|gain| gain.0);
        Ok(found)
    }

    /// Places and what is new there, as far down as a place.
    fn down_to(&self, place: u32) -> impl Iterator<Item = (u32, f64)> {
        self.gains.iter().copied().take_while(move |gain| gain.0 <= place)
    }

    /// The sum of the gains.
    pub(super) fn gained(&self, place: u32) -> f64 {
        self.down_to(place).fold(0.0, |sum, (_, gain)| sum + gain)
    }

    /// The first place at which something is gained.
    pub(super) fn first(&self, place: u32) -> Option<u32> {
        self.down_to(place).next().map(|(place, _)| place)
    }

    /// The sum of the gains, discounted by their places.
    pub(super) fn discounted(&self, place: u32, discount: &Discount) -> f64 {
        self.down_to(place).fold(0.0, |sum, (at, gain)| sum + gain / discount.divisor(at))
    }
}

/// How much of a span is read down to each place where some of it is new.
fn read_of(sweep: &Sweep, span: usize, steps: &mut Steps) -> Result<Vec<(u32, u64)>> {
    let (from, to) = sweep.spans[span];
    let mut read: Vec<(u32, u64)> = Vec::new();
    for segment in from..to {
        steps.step()?;
        let place = sweep.first[segment as usize];
        match read.last_mut() {
            Some(last) if last.0 == place => last.1 += sweep.length(segment),
            _ if place > 0 => read.push((place, sweep.length(segment))),
            _ => {}
        }
    }
    read.sort_unstable_by_key(|part| part.0);
    let mut sum = 0;
    for part in &mut read {
        sum += part.1;
        part.1 = sum;
    }
    Ok(read)
}

/// The chunks of each document, where one of them has to hold a span.
struct Whole(Vec<(u32, u32)>);

impl Whole {
    fn of(swept: Swept<'_>, wanted: bool) -> Self {
        let documents = swept.list.iter().map(|chunk| chunk.document).zip(0..);
        let mut places: Vec<(u32, u32)> = documents.filter(|_| wanted).collect();
        places.sort_unstable();
        Whole(places)
    }

    /// The most of a span that one chunk holds, at each place where that is more than before.
    fn best(&self, swept: Swept<'_>, span: usize, steps: &mut Steps) -> Result<Vec<(u32, u64)>> {
        let span = &swept.topic.spans[span];
        let document = (swept.document_of)(span.document);
        let from = self.0.partition_point(|&(other, _)| other < document);
        let of_document = self.0[from..].iter().take_while(|&&(other, _)| other == document);
        let (mut best, mut found) = (0, Vec::new());
        if document == NOWHERE {
            return Ok(found);
        }
        for &(_, place) in of_document {
            steps.step()?;
            let chunk = &swept.list[place as usize];
            let shared = chunk.end.min(span.end).saturating_sub(chunk.start.max(span.start));
            if shared > best {
                best = shared;
                found.push((place + 1, u64::from(shared)));
            }
        }
        Ok(found)
    }
}

/// The best list that there is for any way to split documents: a chunk is in one document, so a
/// rank can at most finish the evidence of one.
pub(super) fn ideal(topic: &GoldTopic, gains: &[f64], discount: &Discount) -> Ideal {
    let gain = |grade: f64| gains[topic.grades.partition_point(|&known| known < grade)];
    let best = |spans: &mut dyn Iterator<Item = (u32, f64)>| {
        let mut spans: Vec<(u32, f64)> = spans.collect();
        spans.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        spans.dedup_by_key(|span| span.0);
        spans.iter().fold(0.0, |sum, span| sum + span.1)
    };
    let graded = || topic.spans.iter().map(|span| (span.group, gain(span.grade)));
    let mut left = best(&mut graded());
    let of_documents = topic.spans.chunk_by(|a, b| a.document == b.document);
    let mut documents: Vec<f64> = of_documents
        .map(|spans| best(&mut spans.iter().map(|span| (span.group, gain(span.grade)))))
        .filter(|gain| *gain > 0.0)
        .collect();
    documents.sort_by(|a, b| b.total_cmp(a));
    // Alternatives in several documents gain once.
    let several = documents.iter().sum::<f64>() > left * (1.0 + 1e-12);
    if several {
        for gain in &mut documents {
            *gain = gain.min(left);
            left -= *gain;
        }
        documents.retain(|gain| *gain > 0.0);
    }
    Ideal::in_order(documents, discount)
}

/// How many spans miss full cover by a few characters only, each few between text that is read,
/// and how many there are.
pub(super) fn nearly(swept: Swept<'_>) -> usize {
    let sweep = swept.sweep;
    let is_near = |&(from, to): &(u32, u32)| {
        let (mut lacking, mut at) = (0, from);
        while at < to {
            let start = at;
            let mut length = 0;
            while at < to && sweep.first[at as usize] == 0 {
                length += sweep.length(at);
                at += 1;
            }
            if length > 0 {
                let inside = start > 0
                    && sweep.first[start as usize - 1] > 0
                    && sweep.first.get(at as usize).is_some_and(|&place| place > 0)
                    && sweep.document(start - 1) == sweep.document(at);
                if !inside || length > FEW {
                    return false;
                }
                lacking += length;
            }
            at += 1;
        }
        lacking > 0
    };
    sweep.spans.iter().filter(|span| is_near(span)).count()
}

/// Splitters leave out so much white space between chunks.
const FEW: u64 = 3;
