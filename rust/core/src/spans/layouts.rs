//! Spans as tracks and data sets write them: Chroma's questions, TREC Genomics, INEX, KILT.

use std::collections::HashSet;

use super::gold::{Gold, GoldBuilder};
use super::list::{Chunk, ChunkOrder, ChunkRun, ChunkRunBuilder};
use super::read::{Field, finite, read_gold, read_run, whole};
use crate::bytes::fields;
use crate::error::{Error, Kind, Result, quote};
use crate::interrupt::Steps;
use crate::read::json::{Node, Object, Text, Value};
use crate::read::lines::LineReader;
use crate::read::tables::{Records, content};
use crate::read::{Limits, Source};

/// How spans are written in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpanLayout {
    /// A table with a header, or JSON.
    #[default]
    Table,
    /// Questions with references, as Chroma's evaluation of chunking has them.
    Chroma,
    /// Passages of TREC Genomics.
    Genomics,
    /// Passages of INEX.
    Inex,
    /// Provenance as KILT has it.
    Kilt,
}

impl SpanLayout {
    /// All of them under their names.
    pub const ALL: [(&'static str, SpanLayout); 5] = [
        ("spans", SpanLayout::Table),
        ("chroma", SpanLayout::Chroma),
        ("genomics", SpanLayout::Genomics),
        ("inex", SpanLayout::Inex),
        ("kilt", SpanLayout::Kilt),
    ];

    /// What offsets count.
    fn unit(self) -> &'static str {
        match self {
            SpanLayout::Genomics => "bytes",
            SpanLayout::Kilt => "paragraphs",
            _ => "codepoints",
        }
    }
}

/// Columns of other than the usual names: what they are, and what they are called.
type GivenColumns<'a> = &'a [(String, String)];

/// Reads judgments of spans in a layout; `given` as for [`read_gold`].
pub fn read_gold_in(
    source: Source,
    layout: SpanLayout,
    given: GivenColumns<'_>,
    limits: &Limits,
) -> Result<Gold> {
    let name = source.name().to_string();
    let mut gold = Collected::default();
    let read = match layout {
        SpanLayout::Table => return read_gold(source, given, limits),
        SpanLayout::Chroma => gold.chroma(source, given, limits),
        SpanLayout::Genomics => each_line(source, limits, |line, n| gold.genomics(line, n)),
        SpanLayout::Inex => each_line(source, limits, |line, n| gold.inex(line, n)),
        SpanLayout::Kilt => each_line(source, limits, |line, n| gold.kilt(line, n)),
    };
    let found = read.and_then(|()| gold.builder.finish());
    let found = found.map_err(|error| error.in_file(name))?;
    Ok(Gold { unit: layout.unit().into(), ..found })
}

/// Reads a run of chunks in a layout; `given` as for [`read_run`]. Chroma has no form of runs.
pub fn read_run_in(
    source: Source,
    name: &str,
    order: ChunkOrder,
    layout: SpanLayout,
    given: GivenColumns<'_>,
    limits: &Limits,
) -> Result<ChunkRun> {
    let file = source.name().to_string();
    let mut run = ChunkRunBuilder::default();
    let read = match layout {
        SpanLayout::Table | SpanLayout::Chroma => {
            return read_run(source, name, order, given, limits);
        }
        SpanLayout::Genomics => {
            each_line(source, limits, |line, n| genomics_run(&mut run, line, n))
        }
        SpanLayout::Inex => inex_columns(given).and_then(|ends| {
            each_line(source, limits, |line, n| inex_run(&mut run, ends, line, n))
        }),
        SpanLayout::Kilt => each_line(source, limits, |line, n| kilt_run(&mut run, line, n)),
    };
    // Ranks decide, as in the programs of the tracks.
    let order = if order == ChunkOrder::Rows { order } else { ChunkOrder::Ranks };
    let order = if layout == SpanLayout::Kilt { ChunkOrder::Rows } else { order };
    let found = read.and_then(|()| run.finish(name, order));
    let found = found.map_err(|error| error.in_file(file))?;
    Ok(ChunkRun { unit: layout.unit().into(), ..found })
}

/// Calls with each line that is not blank, and its number.
fn each_line(
    source: Source,
    limits: &Limits,
    mut call: impl FnMut(&[u8], u64) -> Result<()>,
) -> Result<()> {
    let (mut lines, mut steps, mut any) =
        (LineReader::new(source, limits), Steps::default(), false);
    loop {
        let number = lines.number() + 1;
        let Some(line) = lines.next_line()? else { break };
        steps.step()?;
        if !line.trim_ascii().is_empty() {
            any = true;
            call(line, number).map_err(|error| error.at_line(number))?;
        }
    }
    if any { Ok(()) } else { Err(Error::new(Kind::Empty, "expected spans, found an empty file")) }
}

/// The fields of a line between white space.
fn words(line: &[u8]) -> Vec<&[u8]> {
    let line = line.trim_ascii();
    fields(line).into_iter().map(|(start, end)| &line[start..end]).collect()
}

#[cold]
fn other_fields(expected: &str, line: &[u8]) -> Error {
    Error::new(Kind::Fields, format!("expected {expected}, found {}", quote(line.trim_ascii())))
}

/// A whole number in a field.
fn count(field: Field, text: &[u8]) -> Result<u64> {
    whole(field, text).map_err(|(_, error)| error)
}

/// A chunk without a score.
const PLAIN: Chunk = Chunk {
    document: 0,
    start: 0,
    end: 0,
    call: 1,
    score: f64::NAN,
    tokens: f64::NAN,
    cost: f64::NAN,
};

fn genomics_run(run: &mut ChunkRunBuilder, line: &[u8], _: u64) -> Result<()> {
    let [topic, document, rank, offset, length, ..] = words(line)[..] else {
        return Err(other_fields("topic document rank offset length [tag]", line));
    };
    if words(line).len() > 6 {
        let message = "expected topic document rank offset length [tag], found more fields; if a value of \
                       the ranking stands beside the rank, leave it out, or write a header and name the \
                       layout spans";
        return Err(Error::new(Kind::Fields, message));
    }
    let start = count(Field::Start, offset)?;
    let end = start + count(Field::Length, length)?;
    let rank = count(Field::Rank, rank)? as f64;
    run.add(topic, document, (start, end), Some(rank), PLAIN)
}

/// Which of the last two fields of a run of INEX say where a passage ends: its length or its end.
fn inex_columns(given: GivenColumns<'_>) -> Result<Field> {
    for (kind, field) in [("length", Field::Length), ("end", Field::End)] {
        if given.iter().any(|(known, column)| known == kind && column == "8") {
            return Ok(field);
        }
    }
    Err(Error::for_each(Kind::Needs, |to| {
        let columns = to.advice(crate::error::Advice::Columns);
        format!(
            "runs of INEX end with an offset and a length in some programs, and with both ends in others: \
             say what the eighth field is, as length=8 or end=8; {columns}"
        )
    }))
}

fn inex_run(run: &mut ChunkRunBuilder, last: Field, line: &[u8], _: u64) -> Result<()> {
    let [topic, _, file, rank, score, _, first, second] = words(line)[..] else {
        return Err(other_fields("topic Q0 file rank score run and two numbers", line));
    };
    let start = count(Field::Start, first)?;
    let second = count(last, second)?;
    let end = if last == Field::Length { start + second } else { second };
    let score = finite(Field::Score, score).map_err(|(_, error)| error)?;
    let rank = count(Field::Rank, rank)? as f64;
    run.add(topic, file, (start, end), Some(rank), Chunk { score, ..PLAIN })
}

fn kilt_run(run: &mut ChunkRunBuilder, line: &[u8], number: u64) -> Result<()> {
    let text = Text::new(line, number)?;
    let node = text.parsed()?;
    let (topic, outputs) = kilt_record(&text, &node)?;
    run.topic(&topic)?;
    let mut lists = outputs.into_iter().filter(|list| !list.is_empty());
    for (document, span) in lists.next().unwrap_or_default() {
        run.add(&topic, &document, span, None, PLAIN)?;
    }
    if lists.next().is_some() {
        let message = "expected one output with provenance, as a run has, found several";
        return Err(Error::new(Kind::Fields, message));
    }
    Ok(())
}

/// A passage of KILT: its page, and its paragraphs as a span.
type Paragraphs = (Vec<u8>, (u64, u64));

/// The id of a record of KILT, and the passages of each of its outputs.
fn kilt_record(text: &Text<'_>, node: &Node<'_>) -> Result<(Vec<u8>, Vec<Vec<Paragraphs>>)> {
    let Value::Object(record) = &node.value else {
        let message = format!("expected an object with id and output, found {}", text.shown(node));
        return Err(Error::new(Kind::Type, message));
    };
    let id = value_of(record, b"id").and_then(plain);
    let id = id.ok_or_else(|| Error::new(Kind::Fields, "expected an object with id and output"))?;
    let Some(Node { value: Value::List(outputs), .. }) = value_of(record, b"output") else {
        let message = format!("expected a list as output of {}", quote(id));
        return Err(Error::new(Kind::Fields, message));
    };
    let mut found = Vec::new();
    for output in outputs {
        let Value::Object(output) = &output.value else {
            let message = format!("expected an object in output, found {}", text.shown(output));
            return Err(Error::new(Kind::Type, message));
        };
        // An output may be an answer alone.
        let passages = match value_of(output, b"provenance") {
            Some(Node { value: Value::List(passages), .. }) => &passages[..],
            _ => &[],
        };
        let passages: Result<Vec<_>> = passages.iter().map(|one| paragraphs(text, one)).collect();
        found.push(passages?);
    }
    Ok((id.to_vec(), found))
}

fn paragraphs(text: &Text<'_>, node: &Node<'_>) -> Result<Paragraphs> {
    let wanted = "expected wikipedia_id, start_paragraph_id and end_paragraph_id";
    let Value::Object(passage) = &node.value else {
        let message = format!("{wanted}, found {}", text.shown(node));
        return Err(Error::new(Kind::Type, message));
    };
    let cell = |key: &[u8]| {
        value_of(passage, key).and_then(plain).ok_or_else(|| {
            let message = format!(
                "{wanted}, found {}; pages without paragraphs are documents, and have no spans",
                text.shown(node)
            );
            Error::new(Kind::Fields, message)
        })
    };
    let first = count(Field::Start, cell(b"start_paragraph_id")?)?;
    let last = count(Field::End, cell(b"end_paragraph_id")?)?;
    Ok((cell(b"wikipedia_id")?.to_vec(), (first, last + 1)))
}

fn value_of<'o, 'a>(object: &'o Object<'a>, key: &[u8]) -> Option<&'o Node<'a>> {
    object.iter().find(|(known, _)| **known == *key).map(|(_, node)| node)
}

/// A text or a number as it is written.
fn plain<'o>(node: &'o Node<'_>) -> Option<&'o [u8]> {
    match &node.value {
        Value::Text(text) => Some(&**text),
        Value::Number(digits) => Some(digits.as_bytes()),
        _ => None,
    }
}

/// A topic, a document, a span and the name of its group.
type JudgedSpan = (Vec<u8>, Vec<u8>, (u64, u64), Vec<u8>);

/// Judgments so far. What stands there twice is there once, as in the programs of the tracks.
#[derive(Default)]
struct Collected {
    builder: GoldBuilder,
    seen: HashSet<JudgedSpan>,
    /// The lines of the questions of Chroma.
    questions: HashSet<Vec<u8>>,
}

impl Collected {
    fn add(
        &mut self,
        topic: &[u8],
        document: &[u8],
        span: (u64, u64),
        group: Option<&[u8]>,
    ) -> Result<()> {
        let named = group.unwrap_or_default().to_vec();
        if self.seen.insert((topic.to_vec(), document.to_vec(), span, named)) {
            self.builder.add(topic, document, span, 1.0, group, 0)?;
        }
        Ok(())
    }

    /// `topic document offset length aspect|aspect`, between tabs. A passage is in the group of
    /// each of its aspects, so that an aspect is found where one of its passages is.
    fn genomics(&mut self, line: &[u8], _: u64) -> Result<()> {
        let parts: Vec<&[u8]> = line.split(|&byte| byte == b'\t').map(<[u8]>::trim_ascii).collect();
        let [topic, document, offset, length, ref aspects @ ..] = parts[..] else {
            let expected = "topic document offset length aspect|aspect between tabs";
            return Err(other_fields(expected, line));
        };
        let start = count(Field::Start, offset)?;
        let span = (start, start + count(Field::Length, length)?);
        let named = aspects.first().copied().unwrap_or_default();
        let mut aspects = named.split(|&byte| byte == b'|').map(<[u8]>::trim_ascii);
        if named.is_empty() {
            return self.add(topic, document, span, None);
        }
        aspects.try_for_each(|aspect| self.add(topic, document, span, Some(aspect)))
    }

    /// `topic Q0 file relevant length [BEP offset:length ...]`.
    fn inex(&mut self, line: &[u8], _: u64) -> Result<()> {
        let expected = "topic Q0 file relevant length [entry offset:length ...]";
        let parts = words(line);
        let [topic, _, file, relevant, length, ref rest @ ..] = parts[..] else {
            return Err(other_fields(expected, line));
        };
        let relevant = count(Field::Length, relevant)?;
        count(Field::Length, length)?;
        // Topics are there even if nothing is relevant.
        self.builder.topic(topic)?;
        let passages = rest.get(1..).unwrap_or_default();
        if (relevant > 0) == passages.is_empty() {
            return Err(other_fields(expected, line));
        }
        for passage in passages {
            let colon = passage.iter().position(|&byte| byte == b':');
            let colon = colon.ok_or_else(|| other_fields(expected, line))?;
            let start = count(Field::Start, &passage[..colon])?;
            let span = (start, start + count(Field::Length, &passage[colon + 1..])?);
            self.add(topic, file, span, None)?;
        }
        Ok(())
    }

    /// A record. Outputs of one passage each are alternatives; where one needs several, each
    /// passage is a piece by itself.
    fn kilt(&mut self, line: &[u8], number: u64) -> Result<()> {
        let text = Text::new(line, number)?;
        let node = text.parsed()?;
        let (topic, mut outputs) = kilt_record(&text, &node)?;
        self.builder.topic(&topic)?;
        outputs.retain(|passages| !passages.is_empty());
        let are_alternatives = outputs.len() > 1 && outputs.iter().all(|one| one.len() == 1);
        let group: Option<&[u8]> = are_alternatives.then_some(b"provenance");
        for (document, span) in outputs.into_iter().flatten() {
            self.add(&topic, &document, span, group)?;
        }
        Ok(())
    }

    /// Rows of `question`, `references` and `corpus_id`, in CSV or JSON.
    fn chroma(
        &mut self,
        mut source: Source,
        given: GivenColumns<'_>,
        limits: &Limits,
    ) -> Result<()> {
        let by_row = given.iter().any(|(kind, column)| kind == "topic" && column == "row");
        let name = source.name().to_string();
        let bytes = content(&mut source)?;
        let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes).trim_ascii();
        if text.is_empty() {
            return Err(Error::new(Kind::Empty, "expected questions, found an empty file"));
        }
        if text.starts_with(b"[") {
            let text = Text::new(&bytes, 1)?;
            let Value::List(items) = text.parsed()?.value else { return Ok(()) };
            let mut rows = items.iter().zip(1..);
            return rows.try_for_each(|(item, row)| {
                let line = text.line(item.place.start);
                self.question(&text, item, by_row, row).map_err(|error| error.at_line(line))
            });
        }
        let is_json = text.starts_with(b"{");
        let source = Source::from_reader(&name, Box::new(std::io::Cursor::new(bytes)), limits)?;
        if is_json {
            let mut row = 0;
            return each_line(source, limits, |line, number| {
                row += 1;
                let text = Text::new(line, number)?;
                self.question(&text, &text.parsed()?, by_row, row)
            });
        }
        self.chroma_table(Records::new(source, b',', limits), by_row)
    }

    fn chroma_table(&mut self, mut records: Records, by_row: bool) -> Result<()> {
        records.more()?;
        let places = ["question", "references", "corpus_id"].map(|name| {
            (0..records.width()).find(|&place| records.field(place).trim_ascii() == name.as_bytes())
        });
        let [Some(question), Some(references), Some(corpus)] = places else {
            let message = "expected the columns question, references and corpus_id";
            return Err(Error::new(Kind::Fields, message).at_line(1));
        };
        let (width, mut row) = (records.width(), 0_u64);
        while records.more()? {
            if records.width() == 0 {
                continue;
            }
            let line = records.line();
            if records.width() != width {
                let found = records.width();
                let message = format!("expected {width} fields as in the header, found {found}");
                return Err(Error::new(Kind::Fields, message).at_line(line));
            }
            row += 1;
            let cell = |place: usize| records.field(place).trim_ascii().to_vec();
            let (question, list, corpus) = (cell(question), cell(references), cell(corpus));
            let added = Text::new(&list, line).and_then(|text| {
                let topic = if by_row { row.to_string().into_bytes() } else { question };
                self.references(&text, &text.parsed()?, &topic, &corpus)
            });
            added.map_err(|error| error.at_line(line))?;
        }
        Ok(())
    }

    /// A question as an object.
    fn question(&mut self, text: &Text<'_>, node: &Node<'_>, by_row: bool, row: u64) -> Result<()> {
        let wanted = "an object with question, references and corpus_id";
        let Value::Object(object) = &node.value else {
            let message = format!("expected {wanted}, found {}", text.shown(node));
            return Err(Error::new(Kind::Type, message));
        };
        let (question, corpus) = (value_of(object, b"question"), value_of(object, b"corpus_id"));
        let references = value_of(object, b"references");
        let question = question.and_then(plain);
        let (Some(question), Some(corpus), Some(references)) =
            (question, corpus.and_then(plain), references)
        else {
            return Err(Error::new(Kind::Fields, format!("expected {wanted}")));
        };
        let topic = if by_row { row.to_string().into_bytes() } else { question.to_vec() };
        self.references(text, references, &topic, corpus)
    }

    /// The references of a question: a list of objects with `start_index` and `end_index`.
    fn references(
        &mut self,
        text: &Text<'_>,
        node: &Node<'_>,
        topic: &[u8],
        corpus: &[u8],
    ) -> Result<()> {
        if !self.questions.insert(topic.to_vec()) {
            let message = format!(
                "the question {} comes twice; name topics by their rows, with the column row as topic",
                quote(topic)
            );
            return Err(Error::new(Kind::Duplicate, message));
        }
        let Value::List(references) = &node.value else {
            let message = format!("expected a list of references, found {}", text.shown(node));
            return Err(Error::new(Kind::Type, message));
        };
        self.builder.topic(topic)?;
        for reference in references {
            let cell = |key: &[u8]| match &reference.value {
                Value::Object(object) => value_of(object, key).and_then(plain),
                _ => None,
            };
            let (Some(start), Some(end)) = (cell(b"start_index"), cell(b"end_index")) else {
                let found = text.shown(reference);
                let message = format!("expected start_index and end_index, found {found}");
                return Err(Error::new(Kind::Fields, message));
            };
            let span = (count(Field::Start, start)?, count(Field::End, end)?);
            self.add(topic, corpus, span, None)?;
        }
        Ok(())
    }
}
