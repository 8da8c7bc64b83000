//! One line of a run in any shape: its fields, and the error if it is not one.

use cranfield_scan::decimal;

use super::mistaken::{
    check_line_end, check_separators, is_comment, is_hexadecimal, no_number, wrong_fields,
};
use super::places::LinePlaces;
use super::run_options::{
    LOOKED_AT, MS_MARCO, Ranks, RunFields, RunOptions, SCORES, TREC, is_rank,
};
use super::shape::Shape;
use super::{Strictness, read_anyway, repaired};
use crate::bytes::{field, fields, fields_into};
use crate::error::{Error, Kind, Result, quote};
use crate::numbers::number;
use crate::rank::Lines;

/// What a line is to the topic above it.
pub(super) enum LineTopic {
    Same,
    NewTopic,
}

/// Reads lines of a run one by one, whatever their shape.
pub(super) struct RunLineParser {
    pub(super) options: RunOptions,
    pub(super) format: Option<RunFields>,
    /// Whether three columns are read as ranks in a layout that was not named.
    pub(super) guessed: bool,
    pub(super) shape: Shape,
    pub(super) topic: Vec<u8>,
    pub(super) lines: Lines,
    pub(super) places: LinePlaces,
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

impl RunLineParser {
    pub(super) fn new(options: RunOptions) -> Self {
        RunLineParser {
            options,
            format: options.layout.0,
            guessed: false,
            shape: Shape::default(),
            topic: Vec::new(),
            lines: Lines::default(),
            places: LinePlaces::default(),
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
    pub(super) fn line(&mut self, line: &[u8], number: u64) -> Result<LineTopic> {
        check_line_end(line, number)?;
        let text = field(line, 0);
        let comment =
            text.is_some_and(|(start, _)| line[start] == b'#') && is_comment_of(self.format, line);
        if self.options.strictness == Strictness::AsTrecEval {
            check_as_trec_eval(line, number)?;
        }
        let Some((start, end)) = text.filter(|_| !comment) else {
            self.comments += u64::from(comment);
            // The lines behind this one no longer stand next to those before.
            self.shape.forget();
            return Ok(LineTopic::Same);
        };
        if self.format.is_none() || line[start..end] != self.topic[..] {
            return Ok(LineTopic::NewTopic);
        }
        self.entry(line, number)?;
        Ok(LineTopic::Same)
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
        if self.count == 0 {
            check_separators(line, &fields(line), number)?;
        }
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

    fn sniff(line: &[u8], number: u64) -> Result<RunFields> {
        let spans = fields(line);
        format_of(spans.len()).ok_or_else(|| {
            let grade = spans.get(3).map(|&(start, end)| &line[start..end]);
            let judgments = spans.len() == 4 && grade.and_then(crate::numbers::number).is_some();
            let hint = if judgments { "; this looks like a file of judgments" } else { "" };
            let hint = |_| hint.to_string();
            let (six, three) = (TREC.columns, MS_MARCO.columns);
            let expected = format!("expected 6 fields ({six}) or 3 ({three})");
            let wanted = (&*spans, TREC.fields);
            wrong_fields(Kind::Fields, &expected, line, wanted, number, hint)
        })
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
        if spans.len() != format.fields {
            return Err(self.wrong_fields(format, line, spans, number));
        }
        let document = text(format.document);
        let start = spans[format.document].0;
        self.shape.forget();
        let column = column_of(line, start);
        self.places.add(self.lines.len(), number, column);
        self.lines.make_room(1, document.len())?;
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
            self.tag.extend_from_slice(text(tag));
            // A topic that begins with `#` is told from a comment line by line.
            if !text(0).starts_with(b"#") {
                self.shape.learn(line, start, spans);
            }
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
        if let Some(value) = value.filter(|value| value.is_finite()) {
            return Ok((value, false));
        }
        let topic = Some(&*self.topic).filter(|_| self.count == 0);
        let advice = no_number(text, topic);
        if advice.is_none() && self.options.strictness == Strictness::Lenient {
            return Ok((repaired(text), true));
        }
        let expected = if value.is_some() { "a finite number" } else { "a number" };
        let found = quote(text);
        // Of a rank that is not finite it would make the first or the last.
        let harmless = what == "score" && (value.is_some() || is_hexadecimal(text));
        let error = Error::for_each(Kind::Number, |to| {
            let otherwise = if harmless { read_anyway(to) } else { String::new() };
            let advice = advice.map_or(otherwise, String::from);
            format!("expected {expected} as {what}, found {found}{advice}")
        });
        Err(error.at(at, line, span.0))
    }

    #[cold]
    fn wrong_fields(
        &self,
        format: RunFields,
        line: &[u8],
        spans: &[(usize, usize)],
        number: u64,
    ) -> Error {
        let why = if self.guessed { " as on the first line" } else { "" };
        let expected = format!("expected {} fields ({}){why}", format.fields, format.columns);
        let wanted = (spans, format.fields);
        wrong_fields(Kind::Fields, &expected, line, wanted, number, |_| String::new())
    }
}

/// The layout of a first line with this many fields.
fn format_of(fields: usize) -> Option<RunFields> {
    [TREC, MS_MARCO].into_iter().find(|format| format.fields == fields)
}

/// Whether a line that begins with `#` is a comment, in a layout or before it is known.
#[cold]
pub(super) fn is_comment_of(known: Option<RunFields>, line: &[u8]) -> bool {
    let spans = fields(line);
    let text = |i: usize| &line[spans[i].0..spans[i].1];
    let value = |i: usize| number(text(i)).filter(|value| value.is_finite());
    let is_entry = || {
        known.or_else(|| format_of(spans.len())).is_some_and(|format| {
            spans.len() == format.fields
                && format.rank.is_none_or(|rank| value(rank).is_some())
                && match (format.score, format.rank) {
                    (None, Some(rank)) => value(rank).is_some_and(|value| {
                        // Ranks whose layout was not named begin with 1.
                        is_rank(value) && (known.is_some() || value == 1.0)
                    }),
                    (score, _) => score.is_some_and(|score| value(score).is_some()),
                }
        })
    };
    spans.first().is_some_and(|_| is_comment(text(0), is_entry))
}

/// An error for a line of which `trec_eval` may see other fields, or a comment.
#[cold]
fn check_as_trec_eval(line: &[u8], at: u64) -> Result<()> {
    let odd = |&byte: &u8| matches!(byte, 0x0B | 0x0C);
    let comment = field(line, 0).is_some_and(|(start, _)| line[start] == b'#');
    if comment || line.iter().any(odd) {
        let message = "expected a line that trec_eval reads as this reader does";
        return Err(Error::new(Kind::Fields, message).at_line(at));
    }
    Ok(())
}

/// The column of a byte of a line.
fn column_of(line: &[u8], offset: usize) -> u64 {
    line[..offset].iter().filter(|&&b| b & 0xC0 != 0x80).count() as u64 + 1
}

/// The error for three columns whose layout was not named and that do not look
/// like ranks.
#[cold]
pub(super) fn unclear(found: &str) -> Error {
    Error::for_each(Kind::Layout, |to| {
        format!(
            "expected ranks in the third of three columns (whole numbers that begin with 1 for \
             each topic and rise), found {found}; name the layout: {} for {}, {} for {}",
            to.choice("run_layout", "scores"),
            SCORES.columns,
            to.choice("run_layout", "msmarco"),
            MS_MARCO.columns
        )
    })
}
