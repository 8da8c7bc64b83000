//! Run files.
//!
//! The layouts are in `run_options.rs`. The first data line tells six columns
//! from three. Three columns are read as MS MARCO's (topic, document, rank) only
//! if each topic has the ranks of a list in order: whole numbers that begin with 1
//! and rise. Anything else may be scores, and nothing is guessed: the error
//! asks for the layout. Fields are separated by spaces and tabs; blank lines and
//! comments are passed over.
//!
//! Lines that are like the one above them are read in a fast loop, which is in
//! `fast_path.rs`. Everything else goes to `run_line.rs`, which knows all shapes
//! of lines, and where they stand.

use std::collections::HashMap;

use super::fast_path;
use super::lines::LineReader;
use super::mistaken::check_separators;
pub use super::places::LinePlaces;
use super::run_line::{LineTopic, RunLineParser, is_comment_of, unclear};
pub(crate) use super::run_options::LOOKED_AT;
use super::run_options::TREC;
pub use super::run_options::{Ranks, RunLayout, RunOptions, is_rank};
#[cfg(test)]
use super::shape::Shape;
use crate::bytes::{field, fields};
use crate::error::{Error, Kind, Result, quote};
use crate::memory;
use crate::numbers::number;
use crate::rank::{Lines, Run};

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
    parser: RunLineParser,
    /// The first line of the next topic, if it was met, and its number.
    next: Vec<u8>,
    next_number: Option<u64>,
    ended: bool,
    /// Whether a stretch of lines had no list's ranks, in a file that is read as
    /// ranks and whose layout was not named.
    doubtful: bool,
}

/// Neighbouring lines of one topic.
pub struct TopicLines<'a> {
    /// The topic.
    pub topic: &'a [u8],
    /// Its lines.
    pub lines: &'a mut Lines,
    /// Where they stand.
    pub places: &'a mut LinePlaces,
}

impl Topics {
    /// Begins to read.
    pub fn new(reader: LineReader, options: RunOptions) -> Self {
        Topics {
            reader,
            parser: RunLineParser::new(options),
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
                let RunLineParser { topic, lines, places, .. } = &mut self.parser;
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
            let mut block = reader.block()?;
            let looks = parser.looks_at_ranks();
            if looks {
                block.ends = &block.ends[..block.ends.len().min(LOOKED_AT)];
            }
            let (all, start) = (block.ends.len(), block.start);
            let ranked = parser.options.ranks != Ranks::Ignored || looks;
            let (end, lines) =
                fast_path::read(&parser.shape, block, longest, ranked, &mut parser.lines)?;
            reader.skip(end - start, lines);
            parser.count += lines as u64;
            if lines == all && lines > 0 {
                continue;
            }
            let number = reader.number() + 1;
            let Some(line) = reader.next_line()? else { break };
            match parser.line(line, number)? {
                LineTopic::Same => {}
                LineTopic::NewTopic if parser.lines.is_empty() => {
                    parser.begin_topic(line, number)?;
                }
                LineTopic::NewTopic => {
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

    /// Whether ranks are in doubt in a layout that was not named. A topic may come in
    /// pieces, so only [`gather`] can tell.
    pub fn is_doubtful(&self) -> bool {
        self.doubtful
    }

    /// How many fields the lines have, 0 as long as that is not known.
    pub fn fields(&self) -> usize {
        self.parser.format.map_or(0, |format| format.fields)
    }

    /// The name of what is read.
    pub fn name(&self) -> &str {
        self.reader.name()
    }

    /// What is known once all topics came.
    pub fn end(&mut self) -> Trailer {
        let RunLineParser { format, tag, count: lines, repaired, repaired_ranks, comments, .. } =
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
        let RunLineParser { format, count, topic, .. } = &self.parser;
        if format.is_none_or(|format| format.tag.is_none() && *count == 0) {
            return None;
        }
        let mut topics: Vec<Box<[u8]>> = vec![topic.as_slice().into()];
        while let Some(line) = self.reader.next_line().ok()? {
            if let Some((start, end)) = topic_of(line)
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
    pub places: Vec<LinePlaces>,
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
            lines.room_to_take()?;
            let topics = run.topics.len() + 1;
            memory::reserve(&mut run.topics, topics)?;
            memory::reserve(places, topics)?;
            if index.len() == index.capacity() {
                memory::room_for(index.len() * 4 * size_of::<(Box<[u8]>, usize)>())?;
            }
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

/// The topic of a line that is no comment, whatever the layout.
pub fn topic_of(line: &[u8]) -> Option<(usize, usize)> {
    let span = field(line, 0)?;
    (line[span.0] != b'#' || !is_comment_of(None, line)).then_some(span)
}

/// Whether a line looks like one of a run: its fields, and of three the last a number.
pub fn is_of_a_run(line: &[u8]) -> bool {
    let spans = fields(line);
    check_separators(line, &spans, 0).is_ok()
        && match spans.as_slice() {
            [_, _, (start, end)] => number(&line[*start..*end]).is_some(),
            spans => spans.len() >= 6,
        }
}

/// Why the third of three columns may be something else than the ranks of a list, by lines of
/// the list.
enum RankFlaw {
    /// A line has the rank of one above it.
    Repeated(usize, usize),
    /// A line has a lower rank than the one above it.
    Falls(usize),
    /// No line has the rank 1.
    NoFirst,
}

/// What is wrong with the ranks of a whole list, each of which is one.
fn flaw(ranks: &[f64]) -> Option<RankFlaw> {
    let fall = ranks.windows(2).position(|pair| pair[0] >= pair[1]);
    if fall.is_none() && ranks.first().is_none_or(|first| *first == 1.0) {
        return None;
    }
    let mut lines = HashMap::new();
    for (line, rank) in ranks.iter().enumerate() {
        if let Some(first) = lines.insert(rank.to_bits(), line) {
            return Some(RankFlaw::Repeated(first, line));
        }
    }
    let has_first = lines.contains_key(&1.0_f64.to_bits());
    Some(fall.filter(|_| has_first).map_or(RankFlaw::NoFirst, |above| RankFlaw::Falls(above + 1)))
}

/// Whether numbers are beyond doubt the ranks of a list, each of which is one: they begin with 1
/// and rise.
pub(crate) fn are_ranks(ranks: &[f64]) -> bool {
    flaw(ranks).is_none()
}

impl RankFlaw {
    #[cold]
    fn explain(&self, topic: &[u8], ranks: &[f64], places: &LinePlaces) -> Error {
        let topic = quote(topic);
        let (found, line) = match *self {
            RankFlaw::Repeated(first, second) => {
                let first = places.of(first).0;
                let rank = ranks[second];
                (format!("{rank} again for topic {topic}, first seen on line {first}"), second)
            }
            RankFlaw::Falls(line) => {
                let (above, rank) = (ranks[line - 1], ranks[line]);
                (format!("{rank} below {above} for topic {topic}"), line)
            }
            RankFlaw::NoFirst => (format!("no 1 for topic {topic}"), 0),
        };
        unclear(&found).at_line(places.of(line).0)
    }
}

#[cfg(test)]
mod tests;
