//! Run files.
//!
//! Two formats, told apart by the first data line: TREC's six columns (topic,
//! Q0, document, rank, score, tag) and MS MARCO's three (topic, document,
//! rank), whose score is minus the rank. Fields are parted by any white
//! space; blank lines and lines that begin with `#` are passed over; a tag may
//! contain spaces.
//!
//! Lines that are like the one above them are read in a fast loop, which is in
//! `usual.rs`. Everything else comes here: it knows all shapes of lines, and
//! where they stand.

use std::collections::HashMap;

use cranfield_scan::decimal;
use memchr::memchr;

use super::lines::LineReader;
use super::usual::Shape;
use super::{Strictness, repaired};
use crate::bytes::{field, fields, fields_into, is_space, number};
use crate::error::{Error, Kind, Result, count, quote};
use crate::run::{Lines, Repeated, Run};

/// What the reader wants to know of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunOptions {
    /// How forgiving the reader is.
    pub strictness: Strictness,
    /// What is done with the rank column.
    pub ranks: Ranks,
}

/// What is done with the rank column of a TREC run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ranks {
    /// Not looked at, as `trec_eval` does not.
    #[default]
    Ignored,
    /// Kept for topics in which all are numbers.
    Kept,
    /// Needed: a rank that is no number is an error.
    Needed,
}

/// Where the lines of a list stand in their file: stretches of neighbouring
/// lines whose documents begin in the same column.
#[derive(Debug, Default)]
pub struct Places {
    stretches: Vec<Stretch>,
}

#[derive(Clone, Copy, Debug)]
struct Stretch {
    /// The position in the list of the first line.
    first: usize,
    /// Its number in the file.
    number: u64,
    column: u64,
}

impl Places {
    /// The line and the column of a position in the list.
    pub(super) fn of(&self, position: usize) -> (u64, u64) {
        let behind = self.stretches.partition_point(|stretch| stretch.first <= position);
        let stretch = self.stretches[behind - 1];
        (stretch.number + (position - stretch.first) as u64, stretch.column)
    }

    /// Says where the next line stands, which has this position in the list.
    fn add(&mut self, first: usize, number: u64, column: u64) {
        let goes_on = self.stretches.last().is_some_and(|last| {
            last.column == column && last.number + (first - last.first) as u64 == number
        });
        if !goes_on {
            self.stretches.push(Stretch { first, number, column });
        }
    }

    /// Moves the places of further lines behind those of `length` lines.
    fn append(&mut self, other: &mut Places, length: usize) {
        let moved = other.stretches.drain(..).map(|s| Stretch { first: length + s.first, ..s });
        self.stretches.extend(moved);
    }

    /// The error for a document that stands twice in a list.
    #[cold]
    pub fn duplicate(&self, repeated: Repeated, topic: &[u8], document: &[u8]) -> Error {
        let (first, (line, column)) = (self.of(repeated.first).0, self.of(repeated.second));
        let message = format!(
            "expected a document once for each topic, found {} again for topic {}: it stands on line {first} too",
            quote(document),
            quote(topic),
        );
        Error::new(Kind::Duplicate, message).at_place(line, column)
    }
}

/// What is known at the end of a file.
#[derive(Debug, Default)]
pub struct Trailer {
    /// The tag of the last line.
    pub tag: Option<Vec<u8>>,
    /// Lines that hold a document.
    pub lines: u64,
    /// Fields that lenient reading replaced.
    pub repaired: u64,
    /// Lines that were passed over as comments.
    pub comments: u64,
}

/// A run, read topic by topic.
pub struct Topics {
    reader: LineReader,
    parser: Parser,
    /// The first line of the next topic, if it was met, and its number.
    next: Vec<u8>,
    next_number: Option<u64>,
    ended: bool,
}

/// Neighbouring lines of one topic.
pub struct TopicLines<'a> {
    /// The topic.
    pub topic: &'a [u8],
    /// Its lines.
    pub lines: &'a mut Lines,
    /// Where they stand.
    pub places: &'a mut Places,
}

impl Topics {
    /// Begins to read.
    pub fn new(reader: LineReader, options: RunOptions) -> Self {
        Topics {
            reader,
            parser: Parser::new(options),
            next: Vec::new(),
            next_number: None,
            ended: false,
        }
    }

    /// The next stretch of lines of one topic; a topic whose lines are not
    /// together comes more than once.
    pub fn next_topic(&mut self) -> Result<Option<TopicLines<'_>>> {
        match self.read_on() {
            Ok(true) => {
                let Parser { topic, lines, places, .. } = &mut self.parser;
                Ok(Some(TopicLines { topic, lines, places }))
            }
            Ok(false) => Ok(None),
            Err(error) => Err(error.in_file(self.reader.name())),
        }
    }

    /// Reads the lines of the next topic; whether there is one.
    fn read_on(&mut self) -> Result<bool> {
        let Topics { reader, parser, next, next_number, ended } = self;
        if *ended {
            return Ok(false);
        }
        if let Some(number) = next_number.take() {
            parser.begin_topic(next, number)?;
        }
        let longest = reader.longest();
        loop {
            let block = reader.block()?;
            let (all, start) = (block.ends.len(), block.start);
            let ranked = parser.options.ranks != Ranks::Ignored;
            let (end, lines) = parser.shape.read(block, longest, ranked, &mut parser.lines);
            reader.skip(end - start, lines);
            parser.count += lines as u64;
            if lines == all && lines > 0 {
                continue;
            }
            let number = reader.number() + 1;
            let Some(line) = reader.next_line()? else { break };
            match parser.line(line, number)? {
                Step::Same => {}
                Step::NewTopic if parser.lines.is_empty() => parser.begin_topic(line, number)?,
                Step::NewTopic => {
                    next.clear();
                    next.extend_from_slice(line);
                    *next_number = Some(number);
                    return Ok(true);
                }
            }
        }
        *ended = true;
        if parser.count == 0 {
            let found = if reader.number() == 0 {
                "an empty file"
            } else {
                "only comments and blank lines"
            };
            let message = format!("expected lines of a run ({TREC}), found {found}");
            return Err(Error::new(Kind::Empty, message));
        }
        Ok(true)
    }

    /// The name of what is read.
    pub fn name(&self) -> &str {
        self.reader.name()
    }

    /// What is known once all topics came.
    pub fn end(&mut self) -> Trailer {
        let Parser { format, tag, count: lines, repaired, comments, .. } = &mut self.parser;
        let tag = (*format == Some(Format::Trec)).then(|| std::mem::take(tag));
        Trailer { tag, lines: *lines, repaired: *repaired, comments: *comments }
    }

    /// The topics from the one of a line that cannot be read to the end.
    #[cold]
    fn rest(&mut self) -> Option<Vec<Box<[u8]>>> {
        let Parser { format, count, topic, .. } = &self.parser;
        if format.is_none() || (*format == Some(Format::MsMarco) && *count == 0) {
            return None;
        }
        let mut topics: Vec<Box<[u8]>> = vec![topic.as_slice().into()];
        while let Some(line) = self.reader.next_line().ok()? {
            if let Some((start, end)) = field(line, 0).filter(|&(start, _)| line[start] != b'#')
                && topics.last().is_none_or(|last| **last != line[start..end])
            {
                topics.push(line[start..end].into());
            }
        }
        Some(topics)
    }
}

/// The topics of a file, in its order.
pub type TopicIds = Vec<Box<[u8]>>;

/// A run in memory, with where its lines stood.
#[derive(Debug, Default)]
pub struct Gathered {
    /// The run.
    pub run: Run,
    /// The places of the lines of each of its topics.
    pub places: Vec<Places>,
    /// The file that the places are in.
    pub file: String,
}

/// Reads a whole run into memory, whatever the order of its lines.
pub fn gather(reader: LineReader, options: RunOptions, name: String) -> Result<Gathered> {
    gather_all(&mut Topics::new(reader, options), name)
}

/// The same; beside an error stand the topics of all lines, if these look like those of a
/// run and can be read on.
pub fn gather_or_topics(
    reader: LineReader,
    options: RunOptions,
    name: String,
) -> std::result::Result<Gathered, (Error, TopicIds)> {
    let mut topics = Topics::new(reader, options);
    let mut run = Gathered::default();
    match gather_into(&mut run, &mut topics, name) {
        Ok(()) => Ok(run),
        Err(error) => {
            let seen = run.run.topics.into_iter().map(|(topic, _)| topic);
            let topics = topics.rest().map(|rest| seen.chain(rest).collect());
            Err((error, topics.unwrap_or_default()))
        }
    }
}

/// The same without the fast loop, which tests hold against it.
#[cfg(test)]
pub(super) fn gather_plainly(reader: LineReader, options: RunOptions) -> Result<Gathered> {
    let mut topics = Topics::new(reader, options);
    topics.parser.shape = Shape::of_none();
    gather_all(&mut topics, String::new())
}

fn gather_all(topics: &mut Topics, name: String) -> Result<Gathered> {
    let mut gathered = Gathered::default();
    gather_into(&mut gathered, topics, name)?;
    Ok(gathered)
}

fn gather_into(gathered: &mut Gathered, topics: &mut Topics, name: String) -> Result<()> {
    let Gathered { run, places, file } = gathered;
    *file = topics.name().to_string();
    run.name = name;
    let mut index: HashMap<Box<[u8]>, usize> = HashMap::new();
    while let Some(TopicLines { topic, lines, places: at }) = topics.next_topic()? {
        if let Some(&position) = index.get(topic) {
            places[position].append(at, run.topics[position].1.len());
            run.topics[position].1.append(lines);
        } else {
            index.insert(topic.into(), run.topics.len());
            run.topics.push((topic.into(), lines.take()));
            places.push(std::mem::take(at));
        }
    }
    let trailer = topics.end();
    run.tag = trailer.tag;
    run.repaired = trailer.repaired;
    run.comments = trailer.comments;
    Ok(())
}

/// Whether a line looks like one of a run: its fields, and of three the last a number.
pub fn is_of_a_run(line: &[u8]) -> bool {
    match fields(line).as_slice() {
        [_, _, (start, end)] => number(&line[*start..*end]).is_some(),
        spans => spans.len() >= 6,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Trec,
    MsMarco,
}

const TREC: &str = "topic Q0 document rank score tag";
const MS_MARCO: &str = "topic document rank";

enum Step {
    Same,
    NewTopic,
}

struct Parser {
    options: RunOptions,
    format: Option<Format>,
    shape: Shape,
    topic: Vec<u8>,
    lines: Lines,
    places: Places,
    /// That of the last line that had a shape of its own.
    tag: Vec<u8>,
    spans: Vec<(usize, usize)>,
    count: u64,
    repaired: u64,
    comments: u64,
}

impl Parser {
    fn new(options: RunOptions) -> Self {
        Parser {
            options,
            format: None,
            shape: Shape::default(),
            topic: Vec::new(),
            lines: Lines::default(),
            places: Places::default(),
            tag: Vec::new(),
            spans: Vec::new(),
            count: 0,
            repaired: 0,
            comments: 0,
        }
    }

    /// Reads any line of the current topic, or says that a new topic begins.
    fn line(&mut self, line: &[u8], number: u64) -> Result<Step> {
        let text = field(line, 0);
        let Some((start, end)) = text.filter(|&(start, _)| line[start] != b'#') else {
            self.comments += u64::from(text.is_some());
            // The lines behind this one no longer stand next to those before.
            self.shape.forget();
            return Ok(Step::Same);
        };
        if self.format.is_none() || line[start..end] != self.topic[..] {
            return Ok(Step::NewTopic);
        }
        self.entry(line, number)?;
        Ok(Step::Same)
    }

    /// Reads the first line of a new topic.
    fn begin_topic(&mut self, line: &[u8], number: u64) -> Result<()> {
        self.lines.clear();
        self.places.stretches.clear();
        if self.format.is_none() {
            self.format = Some(Self::sniff(line, number)?);
        }
        if let Some((start, end)) = field(line, 0) {
            self.topic.clear();
            self.topic.extend_from_slice(&line[start..end]);
        }
        self.entry(line, number)
    }

    fn sniff(line: &[u8], number: u64) -> Result<Format> {
        let spans = fields(line);
        match spans.as_slice() {
            [_, _, _] => Ok(Format::MsMarco),
            [_, _, _, _, _, _, ..] => Ok(Format::Trec),
            other => {
                let judgments = matches!(other, [_, _, _, (a, b)] if crate::bytes::number(&line[*a..*b]).is_some());
                let hint = if judgments { "; this looks like a file of judgments" } else { "" };
                let found = other.len();
                let message =
                    format!("expected 6 fields ({TREC}) or 3 ({MS_MARCO}), found {found}{hint}");
                Err(Error::new(Kind::Fields, message).at(number, line, end_of_text(line)))
            }
        }
    }

    /// Reads a line in any shape, and learns its shape for the next one.
    fn entry(&mut self, line: &[u8], number: u64) -> Result<()> {
        let mut spans = std::mem::take(&mut self.spans);
        fields_into(line, &mut spans);
        let read = self.columns(line, &spans, number);
        self.spans = spans;
        read
    }

    /// Reads a line whose fields are known.
    fn columns(&mut self, line: &[u8], spans: &[(usize, usize)], number: u64) -> Result<()> {
        let text = |i: usize| &line[spans[i].0..spans[i].1];
        let msmarco = self.format == Some(Format::MsMarco);
        let document = if msmarco { 1 } else { 2 };
        if spans.len() < 3 || (msmarco && spans.len() > 3) || (!msmarco && spans.len() < 6) {
            return Err(self.wrong_fields(line, spans, number));
        }
        let start = spans[document].0;
        self.shape.forget();
        let column = column_of(line, start);
        self.places.add(self.lines.len(), number, column);
        if msmarco {
            let rank = self.number(line, spans[2], number, "rank")?;
            self.lines.push(text(1), -rank);
            self.lines.push_rank(rank);
            self.count += 1;
            return Ok(());
        }
        // A tag may hold spaces, but a carriage return inside a line is the
        // end of a line to whoever wrote it.
        if let Some(offset) = memchr(b'\r', &line[..end_of_text(line)]) {
            let message =
                "expected line feeds between lines, found a carriage return within a line";
            return Err(Error::new(Kind::Fields, message).at(number, line, offset));
        }
        if let Some(decimal) = decimal(text(4)) {
            self.lines.push_decimal(text(2), decimal);
        } else {
            let score = self.number(line, spans[4], number, "score")?;
            self.lines.push(text(2), score);
        }
        let rank = match self.options.ranks {
            Ranks::Ignored => None,
            Ranks::Kept => crate::bytes::number(text(3)).filter(|r| r.is_finite()),
            Ranks::Needed => Some(self.number(line, spans[3], number, "rank")?),
        };
        if let Some(rank) = rank {
            self.lines.push_rank(rank);
        }
        self.count += 1;
        self.tag.clear();
        self.tag.extend_from_slice(&line[spans[5].0..]);
        self.shape.learn(line, start, spans);
        Ok(())
    }

    /// A field as a finite number, or what lenient reading makes of it.
    fn number(&mut self, line: &[u8], span: (usize, usize), at: u64, what: &str) -> Result<f64> {
        let text = &line[span.0..span.1];
        let value = number(text);
        match value {
            Some(value) if value.is_finite() => Ok(value),
            _ if self.options.strictness == Strictness::Lenient => {
                self.repaired += 1;
                Ok(repaired(text))
            }
            _ => {
                let expected = if value.is_some() { "a finite number" } else { "a number" };
                let message = format!("expected {expected} as {what}, found {}", quote(text));
                Err(Error::new(Kind::Number, message).at(at, line, span.0))
            }
        }
    }

    #[cold]
    fn wrong_fields(&self, line: &[u8], spans: &[(usize, usize)], number: u64) -> Error {
        let found = count(spans.len(), "field");
        let (expected, column) = match self.format {
            Some(Format::MsMarco) => {
                let extra = spans.get(3).map_or(end_of_text(line), |span| span.0);
                (format!("3 fields ({MS_MARCO}) as on the first line"), extra)
            }
            _ => (format!("6 fields ({TREC})"), end_of_text(line)),
        };
        Error::new(Kind::Fields, format!("expected {expected}, found {found}"))
            .at(number, line, column)
    }
}

/// The column of a byte of a line.
fn column_of(line: &[u8], offset: usize) -> u64 {
    line[..offset].iter().filter(|&&b| b & 0xC0 != 0x80).count() as u64 + 1
}

/// The byte after the last that is not white space.
fn end_of_text(line: &[u8]) -> usize {
    line.iter().rposition(|&b| !is_space(b)).map_or(0, |last| last + 1)
}

#[cfg(test)]
mod tests {
    use super::super::open::Limits;
    use std::fmt::Write as _;

    use proptest::prelude::*;

    use super::super::source;
    use super::*;

    fn read(text: &str, strictness: Strictness) -> Result<Run> {
        let reader = LineReader::new(source(text), &Limits::default());
        let gathered = gather(reader, RunOptions { strictness, ranks: Ranks::Kept }, "test".into());
        Ok(gathered?.run)
    }

    fn listing(run: &Run) -> Vec<String> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        run.topics
            .iter()
            .flat_map(|(topic, lines)| {
                (0..lines.len()).map(move |i| {
                    format!("{} {} {}", text(topic), text(lines.document(i)), lines.score(i))
                })
            })
            .collect()
    }

    #[test]
    fn topics_may_come_in_pieces() {
        let run = read(
            "2 Q0 a 1 3 x\n1 Q0 a 1 2 x\n\n# note\n2  Q0\tb 2 1.5 x y \r\n",
            Strictness::Strict,
        )
        .unwrap();
        assert_eq!(listing(&run), ["2 a 3", "2 b 1.5", "1 a 2"]);
        assert_eq!(run.tag.as_deref(), Some(&b"x y \r"[..]));
        assert_eq!(run.topics[0].1.ranks(), [1.0, 2.0]);
    }

    #[test]
    fn a_topic_that_begins_as_another_is_another() {
        let run = read("1 Q0 a 1 2 x\n11 Q0 a 1 2 x\n1 Q0 b 1 2 x\n", Strictness::Strict).unwrap();
        assert_eq!(listing(&run), ["1 a 2", "1 b 2", "11 a 2"]);
    }

    #[test]
    fn ms_marco_scores_are_minus_the_rank() {
        let run = read("7 d1 1\n7 d2 2\n", Strictness::Strict).unwrap();
        assert_eq!(listing(&run), ["7 d1 -1", "7 d2 -2"]);
    }

    #[test]
    fn lenient_numbers_are_those_of_atof() {
        let text = "1 Q0 a 1 3x t\n1 Q0 b 2 abc t\n1 Q0 c 3 nan t\n";
        let run = read(text, Strictness::Lenient).unwrap();
        assert_eq!(listing(&run), ["1 a 3", "1 b 0", &format!("1 c {}", f64::MIN)]);
        assert_eq!(run.repaired, 3);
        assert_eq!(read(text, Strictness::Strict).unwrap_err().place().column, Some(10));
    }

    proptest! {
        /// Lines in the usual shape and the same lines spaced otherwise, with
        /// comments and blank lines between, are the same run; and a document
        /// that comes twice is found on the lines where it stands.
        #[test]
        fn spacing_does_not_matter(
            lines in prop::collection::vec(
                ("[12]", "d[0-9]{1,20}", "-?[0-9]{1,9}(\\.[0-9]{1,9})?(e[0-9])?", "[ \t]{1,2}", "(\n# note|\n \t|\r)?"),
                1..40,
            )
        ) {
            let (mut usual, mut odd) = (String::new(), String::new());
            for (topic, document, score, space, end) in &lines {
                writeln!(usual, "{topic} Q0 {document} 1 {score} tag").unwrap();
                writeln!(odd, "{topic}{space}Q0 {document}{space}1 {score}{space}tag{end}").unwrap();
            }
            let (usual, odd) = (gathered(&usual), gathered(&odd));
            prop_assert_eq!(listing(&usual.run), listing(&odd.run));
            for (topic, (_, list)) in odd.run.topics.iter().enumerate() {
                for line in 0..list.len() {
                    prop_assert!(odd.places[topic].of(line).0 >= usual.places[topic].of(line).0);
                }
            }
        }
    }

    fn gathered(text: &str) -> Gathered {
        let reader = LineReader::new(source(text), &Limits::default());
        gather(reader, RunOptions::default(), "test".into()).unwrap()
    }

    #[test]
    fn places_are_those_of_the_file() {
        let text =
            "# note\n1 Q0 a 1 9 t\n1 Q0 b 2 8 t\n\n1 Q0 c 3 7 t\n1  Q0 d 4 6 t\n1 Q0 e 5 5 t\n";
        let places = &gathered(text).places[0];
        let found: Vec<(u64, u64)> = (0..5).map(|line| places.of(line)).collect();
        assert_eq!(found, [(2, 6), (3, 6), (5, 6), (6, 7), (7, 6)]);
    }
}
