//! Judgments of spans and measures, compiled once to score runs of chunks.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use rayon::prelude::*;

use super::articles::Articles;
use super::characters::Characters;
use super::evidence::{Evidence, Finding, Swept, ideal, nearly};
use super::gold::{Gold, GoldTopic};
use super::list::{Chunk, ChunkRun};
use super::splitter::check_unit;
use super::sweep::{NOWHERE, Reading, Repeats, Sweep};
use crate::error::{Advice, Error, Kind, Result, count, quote};
use crate::evaluate::{Monitor, Options, nothing_in_common, thread_pool, with_rel};
use crate::grammar;
use crate::ideal::Discount;
use crate::measure::{
    COVER, CREDIT, FIT, Measure, Over, REPEATS, TEXT_UNIT, Unit, Value, WITHIN, f_measure,
};
use crate::qrels::Qrels;
use crate::scores::{MeasureLabel, Missing, Notes, Scores};

/// Families over documents in the order of their first chunks; they have no prefix.
const BY_DOCUMENT: [&str; 2] = ["gP", "AgP"];

/// An error for a measure that has no value over spans.
pub fn check(measure: &Measure) -> Result<()> {
    grammar::complete(measure)?;
    let name = measure.family.about.name;
    if measure.prime {
        let message = format!(
            "{measure} is refused: all text that is not evidence counts as not relevant, so no list of it can be condensed"
        );
        return Err(Error::new(Kind::Parameter, message));
    }
    if measure.over.is_of_text() || (measure.over == Over::Documents && BY_DOCUMENT.contains(&name))
    {
        return Ok(());
    }
    let has_form = |over: Over| over.families().contains(&name);
    let plain = Measure { over: Over::Documents, ..measure.clone() };
    let mut ways = Vec::new();
    if measure.over == Over::Documents && has_form(Over::Spans) {
        ways.push(format!("span-{plain} (evidence found)"));
    }
    if measure.over == Over::Documents && has_form(Over::Characters) {
        let chars = ["P", "nDCG"].contains(&name);
        let of_chars = if chars { format!("{name}@chars=4000") } else { plain.to_string() };
        ways.push(format!("char-{of_chars} (its characters)"));
    }
    Err(Error::for_each(Kind::Measure, |to| {
        let documents = to.advice(Advice::Documents);
        let ways = [ways.clone(), vec![format!("documents: {documents}")]].concat();
        format!("{measure} over passages: {}", ways.join(", or "))
    }))
}

/// A measure with what the judgments settle of it.
struct SpanMeasure {
    measure: Measure,
    top_gain: f64,
    discount: Discount,
    /// Which of the readings it looks at.
    reading: usize,
    /// Which of the shortened lists it looks at; the whole one is the first.
    list: usize,
}

/// Judgments of spans and measures, compiled together; immutable, safe from threads.
pub struct SpanEvaluator {
    gold: Arc<Gold>,
    by_document: Arc<Qrels>,
    measures: Vec<SpanMeasure>,
    /// How text is read by some measure; which one matters for a way to count repeats.
    readings: Vec<(Repeats, usize)>,
    /// The lengths in characters to which lists are cut; the first is none.
    lengths: Vec<u64>,
    options: Options,
}

/// Memory that is used again from topic to topic.
#[derive(Default)]
struct TextWorkspace {
    lists: Vec<(Vec<Chunk>, Sweep)>,
    readings: Vec<Reading>,
}

/// What is found about the list of a topic, besides its values.
#[derive(Clone, Copy, Default)]
struct Seen {
    repeats: usize,
    nearly: usize,
    spans: usize,
}

fn repeats_of(measure: &Measure) -> Repeats {
    match measure.word(REPEATS) {
        "skip" => Repeats::Skip,
        "genomics" => Repeats::Genomics,
        _ => Repeats::Count,
    }
}

impl SpanEvaluator {
    /// Compiles measures against judgments. Equal measures count once.
    pub fn new(gold: Arc<Gold>, measures: &[Measure], options: Options) -> Result<Self> {
        let by_document = Arc::new(gold.by_document()?);
        let mut found = SpanEvaluator {
            gold,
            by_document,
            measures: Vec::new(),
            readings: Vec::new(),
            lengths: vec![u64::MAX],
            options,
        };
        for measure in measures {
            if found.measures.iter().any(|known| known.measure == *measure) {
                continue;
            }
            check(measure)?;
            options.undefined.check(measure)?;
            found.add(with_rel(measure, options.rel))?;
        }
        Ok(found)
    }

    fn add(&mut self, measure: Measure) -> Result<()> {
        let grades = self.gold.topics.iter().flat_map(|topic| &topic.grades);
        let top_gain = grades.map(|&grade| measure.mapped(grade)).fold(0.0, f64::max);
        if let Some(declared) = measure.declared_top().filter(|declared| top_gain > *declared) {
            let message = format!(
                "{measure} declares {declared} to be the highest gain, and there can be one of {top_gain}"
            );
            return Err(Error::new(Kind::Parameter, message));
        }
        let place = self.measures.len();
        let repeats = repeats_of(&measure);
        let own = if repeats == Repeats::Genomics { place } else { 0 };
        let reading = position(&mut self.readings, (repeats, own));
        let by_chunks = measure.over != Over::Characters;
        let chars = measure.budget.filter(|budget| budget.unit == Unit::Chars);
        let length = match chars {
            Some(budget) if by_chunks && measure.word(FIT) != "whole" => budget.amount as u64,
            _ => u64::MAX,
        };
        let list = position(&mut self.lengths, length);
        let discount = Discount::new((measure.family.sees.discount)(&measure));
        self.measures.push(SpanMeasure { measure, top_gain, discount, reading, list });
        Ok(())
    }

    /// The judgments.
    pub fn gold(&self) -> &Arc<Gold> {
        &self.gold
    }

    /// The judgments of whole documents that follow from them.
    pub fn by_document(&self) -> &Arc<Qrels> {
        &self.by_document
    }

    /// The measures, each once.
    pub fn measures(&self) -> impl Iterator<Item = &Measure> {
        self.measures.iter().map(|prepared| &prepared.measure)
    }

    /// The options that it was compiled with.
    pub fn options(&self) -> Options {
        self.options
    }

    /// Scores runs. The first that fails, in the order given, decides the error.
    pub fn evaluate(&self, runs: &[Arc<ChunkRun>], monitor: &Arc<Monitor>) -> Result<Scores> {
        let (mut values, mut notes) = (Vec::new(), Vec::new());
        for run in runs {
            let (of_run, noted) = self.run(run)?;
            values.extend(of_run);
            notes.push(noted);
            monitor.runs.fetch_add(1, Ordering::Relaxed);
        }
        let topics = &self.gold.topics;
        let bare = |topic: &&GoldTopic| {
            self.measures.iter().any(|prepared| gains_of(prepared, topic).iter().all(|g| *g <= 0.0))
        };
        let label = |prepared: &SpanMeasure| MeasureLabel::Known(prepared.measure.clone());
        Ok(Scores {
            runs: runs.iter().map(|run| run.name.clone()).collect(),
            topics: topics.iter().map(|topic| topic.id.clone()).collect(),
            measures: self.measures.iter().map(label).collect(),
            values,
            weights: Vec::new(),
            notes,
            without_relevant: topics.iter().filter(bare).map(|topic| topic.id.clone()).collect(),
            judgments: Arc::default(),
        })
    }

    fn run(&self, run: &ChunkRun) -> Result<(Vec<f64>, Notes)> {
        let mut notes = Notes { lines: run.chunks() as u64, ..Notes::default() };
        self.check_run(run)?;
        let topics = &self.gold.topics;
        let lists: Vec<Option<&[Chunk]>> = topics.iter().map(|topic| run.list(&topic.id)).collect();
        for (id, _) in &run.topics {
            if self.gold.position(id).is_none() {
                notes.without_judgments.push(id.clone());
            }
        }
        let missing = topics.iter().zip(&lists).filter(|(_, list)| list.is_none());
        notes.missing = missing.map(|(topic, _)| topic.id.clone()).collect();
        self.check_topics(run, &notes)?;
        // What a document of the judgments is called in the run.
        let documents: Vec<u32> = (0..self.gold.documents.len() as u32)
            .map(|number| run.documents.get(self.gold.documents.name(number)).unwrap_or(NOWHERE))
            .collect();
        let topic = |workspace: &mut TextWorkspace, place: usize| {
            let list = lists[place].unwrap_or(&[]);
            if lists[place].is_none() && self.options.missing == Missing::Skip {
                return Ok((vec![f64::NAN; self.measures.len()], Seen::default()));
            }
            let list = &list[..list.len().min(self.depth())];
            self.topic(&topics[place], list, &documents, workspace)
        };
        let jobs = if notes.lines < WORTH_THREADS { 1 } else { topics.len() };
        let found: Vec<Result<(Vec<f64>, Seen)>> = match thread_pool(self.options.threads, jobs)? {
            None => {
                let mut workspace = TextWorkspace::default();
                (0..topics.len()).map(|place| topic(&mut workspace, place)).collect()
            }
            Some(pool) => pool.install(|| {
                let places = (0..topics.len()).into_par_iter();
                places.map_init(TextWorkspace::default, topic).collect()
            }),
        };
        let (mut values, mut seen) = (Vec::new(), Seen::default());
        for of_topic in found {
            let (of_topic, more) = of_topic?;
            values.extend(of_topic);
            seen.repeats += more.repeats;
            seen.nearly += more.nearly;
            seen.spans += more.spans;
        }
        let come = topics.len() - notes.missing.len();
        self.note(&mut notes, seen, come > 0 && documents.iter().all(|&number| number == NOWHERE));
        Ok((values, notes))
    }

    fn depth(&self) -> usize {
        self.options.ranker.depth.map_or(usize::MAX, |depth| depth as usize)
    }

    /// An error for a run in another unit, or without what a budget counts.
    fn check_run(&self, run: &ChunkRun) -> Result<()> {
        check_unit(&self.gold, run)?;
        for SpanMeasure { measure, .. } in &self.measures {
            let Some(unit) = measure.budget.map(|budget| budget.unit) else { continue };
            let lacking = |chunk: &&Chunk| match unit {
                Unit::Tokens => chunk.tokens.is_nan(),
                Unit::Cost => chunk.cost.is_nan(),
                Unit::Chars | Unit::Calls => false,
            };
            let lists = run.topics.iter().map(|(_, list)| list);
            let lacking: usize = lists.map(|list| list.iter().filter(lacking).count()).sum();
            if lacking > 0 {
                let (name, all) = (unit.name(), run.chunks());
                let message = format!(
                    "{measure} needs the {name} of every chunk, and {lacking} of {all} chunks of run {} \
                     have none; give a column {name}, or cut by characters as in @chars=4000",
                    quote(&run.name)
                );
                return Err(Error::new(Kind::Needs, message));
            }
        }
        Ok(())
    }

    fn check_topics(&self, run: &ChunkRun, notes: &Notes) -> Result<()> {
        let lacking = notes.missing.len();
        if self.options.expects_topics() && lacking == self.gold.topics.len() {
            let topics = run.topics.iter().map(|(id, _)| &**id);
            return Err(nothing_in_common(&run.name, topics, &self.by_document));
        }
        if self.options.missing == Missing::Error && lacking > 0 {
            let shown: Vec<String> = notes.missing.iter().take(5).map(quote).collect();
            let message = format!(
                "expected every topic of the judgments in run {}, found {lacking} missing: {}{}",
                quote(&run.name),
                shown.join(" "),
                if lacking > shown.len() { " ..." } else { "" }
            );
            return Err(Error::new(Kind::Topics, message));
        }
        Ok(())
    }

    /// Notes what is unlikely, or would surprise.
    fn note(&self, notes: &mut Notes, seen: Seen, strange: bool) {
        if strange && !self.options.hosted {
            let sentence = "no document of the run is judged: are these the names that the \
                            judgments have for documents?";
            notes.say().unmatched = Some(sentence.into());
        }
        let mut said = Vec::new();
        if seen.repeats > 0 {
            said.push(format!(
                "{} already in the list of the topic: read again, and nothing new",
                count_are(seen.repeats)
            ));
        }
        if seen.nearly > 0 {
            said.push(format!(
                "{} of {} miss full cover by at most 3 characters between neighboring chunks: \
                 measure with cover=0.9",
                seen.nearly,
                count(seen.spans, "span")
            ));
        }
        if !said.is_empty() && !self.options.hosted {
            notes.say().of_text = Some(said.join("; "));
        }
    }

    /// The values of a topic, one a measure.
    fn topic(
        &self,
        topic: &GoldTopic,
        list: &[Chunk],
        documents: &[u32],
        workspace: &mut TextWorkspace,
    ) -> Result<(Vec<f64>, Seen)> {
        crate::interrupt::check()?;
        let document_of = |number: u32| documents[number as usize];
        let TextWorkspace { lists, readings } = workspace;
        lists.resize_with(self.lengths.len(), Default::default);
        readings.resize_with(self.readings.len(), Default::default);
        for ((shorter, sweep), &length) in lists.iter_mut().zip(&self.lengths) {
            shorten(list, length, shorter);
            sweep.sweep(topic, shorter, document_of);
        }
        let gains: Vec<Vec<f64>> =
            self.measures.iter().map(|prepared| gains_of(prepared, topic)).collect();
        for (reading, &(repeats, own)) in readings.iter_mut().zip(&self.readings) {
            let is_relevant = |grade_index: u32| gains[own][grade_index as usize] > 0.0;
            reading.write(&lists[0].1, list, repeats, is_relevant);
        }
        let mut values = Vec::with_capacity(self.measures.len());
        for (prepared, gains) in self.measures.iter().zip(&gains) {
            let measure = &prepared.measure;
            let (list, sweep) = &lists[prepared.list];
            let swept = Swept { topic, list, sweep, document_of: &document_of };
            let value = match measure.over {
                Over::Characters => {
                    of_characters(prepared, gains, topic, list, &readings[prepared.reading])?
                }
                Over::Spans => of_spans(prepared, gains, swept)?,
                _ => of_documents(measure, gains, swept),
            };
            let defined = gains.iter().any(|gain| *gain > 0.0);
            values.push(self.options.undefined.settle(value, defined, measure, &topic.id)?);
        }
        Ok((values, self.seen(topic, &lists[0], &document_of)))
    }

    /// What is found about a list besides its values.
    fn seen(
        &self,
        topic: &GoldTopic,
        (list, sweep): &(Vec<Chunk>, Sweep),
        document_of: &dyn Fn(u32) -> u32,
    ) -> Seen {
        let mut parts: Vec<(u32, u32, u32)> =
            list.iter().map(|chunk| (chunk.document, chunk.start, chunk.end)).collect();
        parts.sort_unstable();
        let repeats = parts.windows(2).filter(|two| two[0] == two[1]).count();
        let whole = |prepared: &SpanMeasure| {
            prepared.measure.over == Over::Spans
                && prepared.measure.get(COVER) == 1.0
                && prepared.measure.word(WITHIN) == "list"
        };
        let asked = self.measures.iter().any(whole);
        let swept = Swept { topic, list, sweep, document_of };
        let nearly = if asked { nearly(swept) } else { 0 };
        Seen { repeats, nearly, spans: topic.spans.len() }
    }
}

/// Fewer chunks are scored in the time that threads take to start.
const WORTH_THREADS: u64 = 1 << 14;

fn count_are(repeats: usize) -> String {
    let verb = if repeats == 1 { "is" } else { "are" };
    format!("{} {verb}", count(repeats, "chunk"))
}

/// The place of an item in a list, where it is added if it is new.
fn position<T: PartialEq>(list: &mut Vec<T>, item: T) -> usize {
    list.iter().position(|known| *known == item).unwrap_or_else(|| {
        list.push(item);
        list.len() - 1
    })
}

/// What each grade of a topic gains; 1 or 0 for a measure of relevant or not.
fn gains_of(prepared: &SpanMeasure, topic: &GoldTopic) -> Vec<f64> {
    let SpanMeasure { measure, top_gain, .. } = prepared;
    let gain = |&grade: &f64| {
        if grade < 0.0 {
            0.0
        } else if measure.counts_gains() {
            (measure.family.sees.gain)(measure, measure.mapped(grade), *top_gain)
        } else {
            f64::from(u8::from(grade >= measure.rel))
        }
    };
    topic.grades.iter().map(gain).collect()
}

/// The list that so many characters afford; the beginning of the chunk that exceeds them counts.
fn shorten(list: &[Chunk], length: u64, shorter: &mut Vec<Chunk>) {
    shorter.clear();
    let mut left = length;
    for chunk in list {
        let own = u64::from(chunk.end - chunk.start);
        if own > left {
            if left > 0 {
                shorter.push(Chunk { end: chunk.start + left as u32, ..*chunk });
            }
            return;
        }
        left -= own;
        shorter.push(*chunk);
    }
}

/// How many places of a list a measure looks at.
fn places(measure: &Measure, list: &[Chunk]) -> usize {
    let Some(budget) = measure.budget else {
        let is_rank = measure.family.takes.cutoff.is_rank();
        return if is_rank { measure.depth() as usize } else { usize::MAX };
    };
    if budget.unit == Unit::Calls {
        let calls = list.chunk_by(|a, b| a.call == b.call).take(budget.amount as usize);
        return calls.map(<[Chunk]>::len).sum();
    }
    let mut sum = 0.0;
    let is_affordable = |chunk: &&Chunk| {
        sum += match budget.unit {
            Unit::Tokens => chunk.tokens,
            Unit::Cost => chunk.cost,
            Unit::Chars | Unit::Calls => f64::from(chunk.end - chunk.start),
        };
        sum <= budget.amount
    };
    list.iter().take_while(is_affordable).count()
}

/// The value of a measure over characters.
fn of_characters(
    prepared: &SpanMeasure,
    gains: &[f64],
    topic: &GoldTopic,
    list: &[Chunk],
    reading: &Reading,
) -> Result<f64> {
    let SpanMeasure { measure, discount, .. } = prepared;
    let budget = measure.budget.filter(|budget| budget.unit == Unit::Chars);
    let limit = match budget.map(|budget| budget.amount as u64) {
        Some(most) if measure.word(FIT) == "whole" => {
            reading.end_of(reading.ends.partition_point(|&end| end <= most))
        }
        Some(most) => most,
        None => reading.end_of(places(measure, list)),
    };
    let seen = Characters { reading, gains, counts: &topic.characters, limit };
    let all = seen.relevant() as f64;
    let read = seen.read() as f64;
    let hits = || seen.hits() as f64;
    let share = |hits: f64, size: f64| if size == 0.0 { 0.0 } else { hits / size };
    Ok(match measure.family.about.name {
        "R" | "SetR" => hits() / all,
        "P" => hits() / budget.map_or(read, |budget| budget.amount),
        "SetP" => share(hits(), read),
        "SetF" => f_measure(measure, hits(), read, all),
        "IoU" => hits() / (read + all - hits()),
        "AP" => seen.average_precision(),
        "Success" => f64::from(u8::from(hits() > 0.0)),
        "IPrec" => {
            let needed = needed(measure.cutoff.unwrap_or(0.0) * all);
            interpolated(&seen.points(), needed)
        }
        "IAP" => {
            let points = points_of(measure);
            let found = seen.points();
            let level = |level: u64| needed(level as f64 * all / (points - 1) as f64);
            // From the highest level to the lowest, as it is for documents.
            let sum = (0..points).rev().fold(0.0, |sum, i| sum + interpolated(&found, level(i)));
            sum / points as f64
        }
        "Rprec" => {
            let size = needed(times_of(measure) * all).max(all.min(1.0));
            let first = Characters { limit: size as u64, ..seen };
            first.hits() as f64 / size
        }
        "nDCG" => {
            let unit = measure.get(TEXT_UNIT);
            let most = budget.map_or(u64::MAX, |budget| budget.amount as u64);
            seen.discounted(unit, discount)? / seen.ideal(most, unit, discount)?
        }
        "U" => match measure.value("L") {
            Value::Number(length) => seen.utility(*length),
            _ => f64::NAN,
        },
        _ => f64::NAN,
    })
}

/// The least whole number that is no less than a product with a decimal, which is a whole number
/// or further from one than its rounding.
fn needed(product: f64) -> f64 {
    (product - (product * 4.0 * f64::EPSILON).max(1e-9)).ceil().max(0.0)
}

fn number_of(measure: &Measure, key: &str, default: f64) -> f64 {
    match measure.value(key) {
        Value::Number(number) => *number,
        _ => default,
    }
}

fn points_of(measure: &Measure) -> u64 {
    number_of(measure, "points", 11.0) as u64
}

fn times_of(measure: &Measure) -> f64 {
    number_of(measure, "mult", 1.0)
}

/// The highest precision where this many relevant characters are read.
fn interpolated(points: &[(u64, u64)], needed: f64) -> f64 {
    let reached = points.iter().filter(|(hits, _)| *hits as f64 >= needed);
    reached.map(|&(hits, read)| hits as f64 / read as f64).fold(0.0, f64::max)
}

/// The value of a measure over pieces of evidence.
fn of_spans(prepared: &SpanMeasure, gains: &[f64], swept: Swept<'_>) -> Result<f64> {
    let SpanMeasure { measure, discount, .. } = prepared;
    let finding = Finding {
        cover: measure.get(COVER),
        one_chunk: measure.word(WITHIN) == "chunk",
        by_share: measure.word(CREDIT) == "share",
    };
    let found = Evidence::of(swept, gains, finding)?;
    // A list that is cut to a length is looked at as a whole.
    let cut = prepared.list > 0;
    let most = if cut { usize::MAX } else { places(measure, swept.list) };
    let most = most.min(u32::MAX as usize) as u32;
    let groups = found.groups.len() as f64;
    Ok(match measure.family.about.name {
        "R" => found.gained(most) / groups,
        "AllRecall" if groups == 0.0 => f64::NAN,
        "AllRecall" => f64::from(u8::from(found.gained(most) == groups)),
        "Success" => f64::from(u8::from(found.first(most).is_some())),
        "RR" => found.first(most).map_or(0.0, |place| 1.0 / f64::from(place)),
        "CG" => found.gained(most),
        "DCG" => found.discounted(most, discount),
        "nDCG" => {
            let depth = if measure.budget.is_some() { u32::MAX } else { most };
            found.discounted(most, discount) / ideal(swept.topic, gains, discount).discounted(depth)
        }
        _ => f64::NAN,
    })
}

/// The value of a measure over documents in the order of their first chunks.
fn of_documents(measure: &Measure, gains: &[f64], swept: Swept<'_>) -> f64 {
    let is_relevant = |grade_index: u32| gains[grade_index as usize] > 0.0;
    let beta = number_of(measure, "beta", 0.25);
    let affordable = match measure.budget {
        // It is cut to the length already, if the beginning of a chunk counts.
        Some(budget) if budget.unit == Unit::Chars && measure.word(FIT) != "whole" => usize::MAX,
        Some(_) => places(measure, swept.list),
        None => usize::MAX,
    };
    let places = affordable.min(u32::MAX as usize) as u32;
    let articles = Articles::of(swept, is_relevant, places, beta);
    match measure.cutoff {
        Some(_) => articles.precision(measure.depth() as usize),
        None if articles.relevant() == 0 => f64::NAN,
        None => articles.average(),
    }
}
