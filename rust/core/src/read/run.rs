//! Run files.
//!
//! The layouts are in the table [`NAMED`]. The first data line tells six columns
//! from three. Three columns are read as MS MARCO's (topic, document, rank) only
//! if each topic has the ranks of a list: whole numbers from 1, none twice, and
//! 1 among them. Anything else may be scores, and nothing is guessed: the error
//! asks for the layout. Fields are separated by any white space; blank lines and
//! lines that begin with `#` are passed over; a tag may contain spaces.
//!
//! Lines that are like the one above them are read in a fast loop, which is in
//! `fast_path.rs`. Everything else comes here: it knows all shapes of lines, and
//! where they stand.

use std::collections::HashMap;

use cranfield_scan::decimal;
use memchr::memchr;

use super::fast_path::Shape;
use super::lines::LineReader;
use super::{Strictness, read_anyway, repaired};
use crate::bytes::{field, fields, fields_into, is_space, number};
use crate::error::{Error, Kind, Result, count, quote};
use crate::rank::{Lines, Repeated, Run, keep_one};

/// What the reader wants to know of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunOptions {
    /// How forgiving the reader is.
    pub strictness: Strictness,
    /// What is done with the rank column.
    pub ranks: Ranks,
    /// Which columns there are.
    pub layout: Layout,
}

/// Which fields of a line hold what.
#[derive(Clone, Copy, Debug)]
struct Format {
    /// How many fields a line has; with a tag, at least.
    fields: usize,
    document: usize,
    rank: Option<usize>,
    /// Without one, the score is minus the rank.
    score: Option<usize>,
    tag: Option<usize>,
    columns: &'static str,
}

const TREC: Format = Format {
    fields: 6,
    document: 2,
    rank: Some(3),
    score: Some(4),
    tag: Some(5),
    columns: "topic Q0 document rank score tag",
};
const MS_MARCO: Format = Format {
    fields: 3,
    document: 1,
    rank: Some(2),
    score: None,
    tag: None,
    columns: "topic document rank",
};
const SCORES: Format = Format {
    fields: 3,
    document: 1,
    rank: None,
    score: Some(2),
    tag: None,
    columns: "topic document score",
};

/// The layouts that can be asked for by name.
const NAMED: [(&str, Format); 3] = [("trec", TREC), ("msmarco", MS_MARCO), ("scores", SCORES)];

/// The columns of a file; by default the first line tells.
#[derive(Clone, Copy, Debug, Default)]
pub struct Layout(Option<Format>);

impl Layout {
    /// The names of the layouts.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMED.iter().map(|(name, _)| *name)
    }

    /// The layout of a name, if there is one.
    pub fn named(name: &str) -> Option<Layout> {
        let found = NAMED.iter().find(|(known, _)| *known == name);
        found.map(|(_, format)| Layout(Some(*format)))
    }
}

/// Whether a number can be the rank of a document.
pub fn is_rank(number: f64) -> bool {
    number >= 1.0 && number.fract() == 0.0
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
        let error = Error::for_each(Kind::Duplicate, |to| {
            format!(
                "expected a document once for each topic, found {} again for topic {}: it stands on line {first} too; {}",
                quote(document),
                quote(topic),
                keep_one(to)
            )
        });
        error.at_place(line, column)
    }
}

/// What is known at the end of a file.
#[derive(Debug, Default)]
pub struct Trailer {
    /// The tag of the last line.
    pub tag: Option<Vec<u8>>,
    /// Lines that hold a document.
    pub lines: u64,
    /// Fields that lenient reading replaced, ranks aside.
    pub repaired: u64,
    /// Ranks that it replaced.
    pub repaired_ranks: u64,
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
    /// Whether a stretch of lines had no list's ranks, in a file that is read as
    /// ranks without anybody saying so.
    doubtful: bool,
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
            doubtful: false,
        }
    }

    /// The next stretch of lines of one topic; a topic whose lines are not
    /// together comes more than once.
    pub fn next_topic(&mut self) -> Result<Option<TopicLines<'_>>> {
        match self.read_on() {
            Ok(true) => {
                self.doubtful |= self.parser.guessed && flaw(self.parser.lines.ranks()).is_some();
                let Parser { topic, lines, places, .. } = &mut self.parser;
                Ok(Some(TopicLines { topic, lines, places }))
            }
            Ok(false) => Ok(None),
            Err(error) => Err(error.in_file(self.reader.name())),
        }
    }

    /// Reads the lines of the next topic; whether there is one.
    fn read_on(&mut self) -> Result<bool> {
        let Topics { reader, parser, next, next_number, ended, .. } = self;
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
            let columns = parser.format.unwrap_or(TREC).columns;
            let message = format!("expected lines of a run ({columns}), found {found}");
            return Err(Error::new(Kind::Empty, message));
        }
        Ok(true)
    }

    /// Whether ranks are in doubt that nobody called ranks. A topic may come in
    /// pieces, so only [`gather`] can tell.
    pub fn is_doubtful(&self) -> bool {
        self.doubtful
    }

    /// The name of what is read.
    pub fn name(&self) -> &str {
        self.reader.name()
    }

    /// What is known once all topics came.
    pub fn end(&mut self) -> Trailer {
        let Parser { format, tag, count: lines, repaired, repaired_ranks, comments, .. } =
            &mut self.parser;
        let tagged = format.is_some_and(|format| format.tag.is_some());
        Trailer {
            tag: tagged.then(|| std::mem::take(tag)),
            lines: *lines,
            repaired: *repaired,
            repaired_ranks: *repaired_ranks,
            comments: *comments,
        }
    }

    /// The topics from the one of a line that cannot be read to the end.
    #[cold]
    fn rest(&mut self) -> Option<Vec<Box<[u8]>>> {
        let Parser { format, count, topic, .. } = &self.parser;
        if format.is_none_or(|format| format.tag.is_none() && *count == 0) {
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
    // Pieces of a topic can each be a list while the topic is none.
    if topics.parser.guessed {
        for ((topic, lines), places) in run.topics.iter().zip(places.iter()) {
            if let Some(flaw) = flaw(lines.ranks()) {
                return Err(flaw.explain(topic, lines.ranks(), places).in_file(file.as_str()));
            }
        }
    }
    let trailer = topics.end();
    run.tag = trailer.tag;
    run.repaired = trailer.repaired;
    run.repaired_ranks = trailer.repaired_ranks;
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

/// Why the third of three columns cannot be the ranks of a list, by lines of
/// the list.
enum Flaw {
    /// Two lines have the same rank.
    Repeated(usize, usize),
    /// No line has the rank 1.
    NoFirst,
}

/// What is wrong with the ranks of a whole list, each of which is one.
fn flaw(ranks: &[f64]) -> Option<Flaw> {
    if (1u32..).zip(ranks).all(|(place, rank)| f64::from(place) == *rank) {
        return None;
    }
    let mut lines = HashMap::new();
    for (line, rank) in ranks.iter().enumerate() {
        if let Some(first) = lines.insert(rank.to_bits(), line) {
            return Some(Flaw::Repeated(first, line));
        }
    }
    (!lines.contains_key(&1.0_f64.to_bits())).then_some(Flaw::NoFirst)
}

/// Whether numbers are the ranks of a list, each of which is one: none twice, and
/// 1 among them, if there are any.
pub(crate) fn are_ranks(ranks: &[f64]) -> bool {
    flaw(ranks).is_none() || ranks.is_empty()
}

impl Flaw {
    #[cold]
    fn explain(&self, topic: &[u8], ranks: &[f64], places: &Places) -> Error {
        let topic = quote(topic);
        let (found, line) = match *self {
            Flaw::Repeated(first, second) => {
                let first = places.of(first).0;
                let rank = ranks[second];
                (format!("{rank} again for topic {topic}: it stands on line {first} too"), second)
            }
            Flaw::NoFirst => (format!("no 1 for topic {topic}"), 0),
        };
        unclear(&found).at_line(places.of(line).0)
    }
}

/// The error for three columns that nobody named and that do not look like ranks.
#[cold]
fn unclear(found: &str) -> Error {
    Error::for_each(Kind::Layout, |to| {
        format!(
            "expected ranks in the third of three columns (whole numbers from 1, each once for a \
             topic, 1 among them), found {found}; name the layout: {} for {}, {} for {}",
            to.choice("run_layout", "scores"),
            SCORES.columns,
            to.choice("run_layout", "msmarco"),
            MS_MARCO.columns
        )
    })
}

enum Step {
    Same,
    NewTopic,
}

struct Parser {
    options: RunOptions,
    format: Option<Format>,
    /// Whether three columns are read as ranks without anybody saying so.
    guessed: bool,
    shape: Shape,
    topic: Vec<u8>,
    lines: Lines,
    places: Places,
    /// That of the last line that had a shape of its own.
    tag: Vec<u8>,
    spans: Vec<(usize, usize)>,
    count: u64,
    repaired: u64,
    repaired_ranks: u64,
    comments: u64,
}

impl Parser {
    fn new(options: RunOptions) -> Self {
        Parser {
            options,
            format: options.layout.0,
            guessed: false,
            shape: Shape::default(),
            topic: Vec::new(),
            lines: Lines::default(),
            places: Places::default(),
            tag: Vec::new(),
            spans: Vec::new(),
            count: 0,
            repaired: 0,
            repaired_ranks: 0,
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
            let format = Self::sniff(line, number)?;
            self.guessed = format.score.is_none();
            self.format = Some(format);
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
            [_, _, _] => Ok(MS_MARCO),
            [_, _, _, _, _, _, ..] => Ok(TREC),
            other => {
                let judgments = matches!(other, [_, _, _, (a, b)] if crate::bytes::number(&line[*a..*b]).is_some());
                let hint = if judgments { "; this looks like a file of judgments" } else { "" };
                let message = format!(
                    "expected 6 fields ({}) or 3 ({}), found {}{hint}",
                    TREC.columns,
                    MS_MARCO.columns,
                    other.len()
                );
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
        let format = self.format.unwrap_or(TREC);
        let text = |i: usize| &line[spans[i].0..spans[i].1];
        if spans.len() < format.fields || (format.tag.is_none() && spans.len() > format.fields) {
            return Err(self.wrong_fields(format, line, spans, number));
        }
        let document = text(format.document);
        let start = spans[format.document].0;
        self.shape.forget();
        let column = column_of(line, start);
        self.places.add(self.lines.len(), number, column);
        // A tag may hold spaces, but a carriage return inside a line is the
        // end of a line to whoever wrote it.
        if format.tag.is_some()
            && let Some(offset) = memchr(b'\r', &line[..end_of_text(line)])
        {
            let message =
                "expected line feeds between lines, found a carriage return within a line";
            return Err(Error::new(Kind::Fields, message).at(number, line, offset));
        }
        match (format.score, format.rank) {
            (Some(score), _) => {
                if let Some(decimal) = decimal(text(score)) {
                    self.lines.push_decimal(document, decimal);
                } else {
                    let (score, repaired) = self.number(line, spans[score], number, "score")?;
                    self.repaired += u64::from(repaired);
                    self.lines.push(document, score);
                }
                if let Some(rank) = format.rank {
                    self.rank(line, spans[rank], number)?;
                }
            }
            (None, Some(rank)) => {
                let (rank, repaired) = self.deciding_rank(line, spans[rank], number)?;
                self.repaired += u64::from(repaired);
                self.lines.push(document, -rank);
                self.lines.push_rank(rank);
            }
            (None, None) => unreachable!("a format has scores or ranks"),
        }
        self.count += 1;
        if let Some(tag) = format.tag {
            self.tag.clear();
            self.tag.extend_from_slice(&line[spans[tag].0..]);
            self.shape.learn(line, start, spans);
        }
        Ok(())
    }

    /// Reads a rank that stands beside a score, if it is wanted.
    fn rank(&mut self, line: &[u8], span: (usize, usize), at: u64) -> Result<()> {
        let lenient = self.options.strictness == Strictness::Lenient;
        match self.options.ranks {
            Ranks::Ignored => {}
            Ranks::Kept if !lenient => {
                let rank = number(&line[span.0..span.1]);
                if let Some(rank) = rank.filter(|rank| rank.is_finite()) {
                    self.lines.push_rank(rank);
                }
            }
            Ranks::Kept | Ranks::Needed => {
                let (rank, repaired) = self.number(line, span, at, "rank")?;
                self.repaired_ranks += u64::from(repaired);
                self.lines.push_rank(rank);
            }
        }
        Ok(())
    }

    /// A rank that there is no score beside, and whether it was repaired.
    fn deciding_rank(&self, line: &[u8], span: (usize, usize), at: u64) -> Result<(f64, bool)> {
        let text = &line[span.0..span.1];
        let (rank, repaired) = self.number(line, span, at, "rank")?;
        let plain = repaired || text.iter().all(u8::is_ascii_digit);
        if is_rank(rank) && (plain || !self.guessed) {
            return Ok((rank, repaired));
        }
        let found = quote(text);
        let error = if self.guessed {
            unclear(&found)
        } else {
            Error::for_each(Kind::Number, |to| {
                format!(
                    "expected a whole number from 1 as rank, found {found}; if it is a score, {} reads {}",
                    to.choice("run_layout", "scores"),
                    SCORES.columns
                )
            })
        };
        Err(error.at(at, line, span.0))
    }

    /// A field as a finite number, or what lenient reading makes of it, and
    /// whether it had to be repaired.
    fn number(
        &self,
        line: &[u8],
        span: (usize, usize),
        at: u64,
        what: &str,
    ) -> Result<(f64, bool)> {
        let text = &line[span.0..span.1];
        let value = number(text);
        match value {
            Some(value) if value.is_finite() => Ok((value, false)),
            _ if self.options.strictness == Strictness::Lenient => Ok((repaired(text), true)),
            _ => {
                let expected = if value.is_some() { "a finite number" } else { "a number" };
                let found = quote(text);
                let header = self.count == 0 && self.guessed;
                let error = Error::for_each(Kind::Number, |to| {
                    let advice =
                        if header { "remove this line if it is a header" } else { read_anyway(to) };
                    format!("expected {expected} as {what}, found {found}; {advice}")
                });
                Err(error.at(at, line, span.0))
            }
        }
    }

    #[cold]
    fn wrong_fields(
        &self,
        format: Format,
        line: &[u8],
        spans: &[(usize, usize)],
        number: u64,
    ) -> Error {
        let found = count(spans.len(), "field");
        let end = end_of_text(line);
        let column = if format.tag.is_some() {
            end
        } else {
            spans.get(format.fields).map_or(end, |extra| extra.0)
        };
        let why = if self.guessed { " as on the first line" } else { "" };
        let (fields, columns) = (format.fields, format.columns);
        let message = format!("expected {fields} fields ({columns}){why}, found {found}");
        Error::new(Kind::Fields, message).at(number, line, column)
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
    use super::super::source::Limits;
    use std::fmt::Write as _;

    use proptest::prelude::*;

    use super::super::source;
    use super::*;

    fn read(text: &str, strictness: Strictness) -> Result<Run> {
        let reader = LineReader::new(source(text), &Limits::default());
        let gathered = gather(
            reader,
            RunOptions { strictness, ranks: Ranks::Kept, ..RunOptions::default() },
            "test".into(),
        );
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
