//! One line of a run in any shape: its fields, and the error if it is not one.

use cranfield_scan::decimal;
use memchr::memchr;

use super::places::Places;
use super::run::LOOKED_AT;
use super::run_options::{Format, MS_MARCO, Ranks, RunOptions, SCORES, TREC, is_rank};
use super::shape::Shape;
use super::{Strictness, read_anyway, repaired};
use crate::bytes::{field, fields, fields_into, is_space, number};
use crate::error::{Error, Kind, Result, count, quote};
use crate::rank::Lines;

/// What a line is to the topic above it.
pub(super) enum Step {
    Same,
    NewTopic,
}

/// Reads lines of a run one by one, whatever their shape.
pub(super) struct Parser {
    pub(super) options: RunOptions,
    pub(super) format: Option<Format>,
    /// Whether three columns are read as ranks in a layout that was not named.
    pub(super) guessed: bool,
    pub(super) shape: Shape,
    pub(super) topic: Vec<u8>,
    pub(super) lines: Lines,
    pub(super) places: Places,
    /// That of the last line that had a shape of its own.
    pub(super) tag: Vec<u8>,
    pub(super) spans: Vec<(usize, usize)>,
    pub(super) count: u64,
    pub(super) repaired: u64,
    pub(super) repaired_ranks: u64,
    pub(super) comments: u64,
    /// Whether the topic is the first.
    pub(super) first: bool,
}

impl Parser {
    pub(super) fn new(options: RunOptions) -> Self {
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
            first: true,
        }
    }

    /// Reads any line of the current topic, or says that a new topic begins.
    pub(super) fn line(&mut self, line: &[u8], number: u64) -> Result<Step> {
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

    /// Whether ranks that are ignored are kept all the same, to be held against the scores.
    pub(super) fn looks_at_ranks(&self) -> bool {
        self.first && self.options.ranks == Ranks::Ignored && self.lines.len() < LOOKED_AT
    }

    /// Reads the first line of a new topic.
    pub(super) fn begin_topic(&mut self, line: &[u8], number: u64) -> Result<()> {
        self.lines.clear();
        self.places.clear();
        self.first = self.count == 0;
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
        self.lines.make_room(1, document.len())?;
        // A tag may hold spaces, but a carriage return inside a line is the
        // end of a line to the program that wrote it.
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
        let needed = match self.options.ranks {
            Ranks::Ignored if !self.looks_at_ranks() => return Ok(()),
            Ranks::Ignored => false,
            Ranks::Kept => self.options.strictness == Strictness::Lenient,
            Ranks::Needed => true,
        };
        if needed {
            let (rank, repaired) = self.number(line, span, at, "rank")?;
            self.repaired_ranks += u64::from(repaired);
            self.lines.push_rank(rank);
        } else if let Some(rank) = number(&line[span.0..span.1]).filter(|rank| rank.is_finite()) {
            self.lines.push_rank(rank);
        }
        Ok(())
    }

    /// A rank that there is no score beside, and whether it was repaired.
    fn deciding_rank(&self, line: &[u8], span: (usize, usize), at: u64) -> Result<(f64, bool)> {
        let text = &line[span.0..span.1];
        let (rank, repaired) = self.number(line, span, at, "rank")?;
        let plain = repaired || text.iter().all(u8::is_ascii_digit);
        if is_rank(rank) && (!self.guessed || (plain && rank >= 1.0)) {
            return Ok((rank, repaired));
        }
        let found = quote(text);
        let error = if self.guessed {
            unclear(&found)
        } else {
            Error::for_each(Kind::Number, |to| {
                format!(
                    "expected a whole number from 0 as rank, found {found}; if it is a score, {} reads {}",
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

/// The error for three columns whose layout was not named and that do not look
/// like ranks.
#[cold]
pub(super) fn unclear(found: &str) -> Error {
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
