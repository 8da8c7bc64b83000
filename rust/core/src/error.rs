//! The one error of the crate.
//!
//! An error says where it is (file, line, column), what was found and what was
//! expected, and has a kind, so that a program can act on it without parsing
//! the message. Everything that can be wrong with a user's input is a
//! [`Kind`]; a panic is always a bug in this crate.
//!
//! An option is a keyword in Python and a flag on the command line, so a message
//! that names one is written for each [`Interface`] by [`Error::for_each`].
//!
//! Text from input files is quoted through [`quote`], which cuts it to a
//! readable length and escapes control characters: a binary file must not
//! control the user's terminal through a message.

use std::fmt;

use strsim::osa_distance;

/// Shorthand for results of this crate.
pub type Result<T> = std::result::Result<T, Error>;

macro_rules! kinds {
    ($($(#[doc = $doc:literal])* $variant:ident = $name:literal,)*) => {
        /// What went wrong, machine-readable.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Kind { $($(#[doc = $doc])* $variant,)* }

        impl Kind {
            /// Every kind, in the order of declaration.
            pub const ALL: &'static [Kind] = &[$(Kind::$variant,)*];

            /// The kind's stable name, as `Error.kind` shows it in Python.
            pub fn name(self) -> &'static str {
                match self { $(Kind::$variant => $name,)* }
            }
        }
    };
}

kinds! {
    /// There is no such file.
    Missing = "missing",
    /// A folder where a file was expected.
    Directory = "directory",
    /// The operating system refused to read or write.
    Io = "io",
    /// A file without a single data line.
    Empty = "empty",
    /// Bytes that cannot be text.
    Binary = "binary",
    /// A compressed file that ends early or is damaged.
    Archive = "archive",
    /// A named limit was passed: decompression ratio, decompressed bytes, line length.
    Limit = "limit",
    /// A line with a wrong number of fields.
    Fields = "fields",
    /// Columns that can be read in two ways, and no option says which.
    Layout = "layout",
    /// A field that is not a number, or not a finite one.
    Number = "number",
    /// The same document twice for one topic.
    Duplicate = "duplicate",
    /// A span of text that holds no character.
    Span = "span",
    /// A text that stands in several places, and nothing says which is meant.
    Ambiguous = "ambiguous",
    /// Two judgments of one document that disagree.
    Conflict = "conflict",
    /// A measure that does not exist or cannot be read.
    Measure = "measure",
    /// A parameter that a measure does not take, or out of its range.
    Parameter = "parameter",
    /// An option with a value that it does not take.
    Option = "option",
    /// An object of a type that cannot be taken as input.
    Type = "type",
    /// A run without any topic or document of the judgments, or without one of their topics where
    /// `missing="error"`.
    Topics = "topics",
    /// A score that is undefined where `undefined="error"`.
    Undefined = "undefined",
    /// Something that the measure needs and the judgments do not have.
    Needs = "needs",
    /// A measure without a known exact method for its bounds.
    Bounds = "bounds",
    /// A label (run, topic or measure) that the scores do not have.
    Label = "label",
    /// The system refused the memory that the input needs.
    Memory = "memory",
    /// A mistake in this crate: something that cannot happen happened.
    Bug = "bug",
    /// The caller asked to stop.
    Cancelled = "cancelled",
}

/// Where in the input: lines and columns count from 1, a column counts
/// characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The file's name as the user gave it.
    pub file: Option<String>,
    /// The line, comments and blank lines included.
    pub line: Option<u64>,
    /// The first character of the offending field.
    pub column: Option<u64>,
}

/// Who reads a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interface {
    /// Callers in Python, who write keywords.
    Python,
    /// Users of the command line, who write flags.
    CommandLine,
}

impl Interface {
    /// How an option is named: `docs_in_collection`, `--docs-in-collection`.
    #[cold]
    pub fn option(self, name: &str) -> String {
        match self {
            Interface::Python => name.to_string(),
            Interface::CommandLine => format!("--{}", flag(name)),
        }
    }

    /// How an option is given a word: `order="rank"`, `--order rank`.
    #[cold]
    pub fn choice(self, name: &str, word: &str) -> String {
        match self {
            Interface::Python => format!("{name}=\"{word}\""),
            Interface::CommandLine => format!("--{} {word}", flag(name)),
        }
    }

    /// How an option is given a number: `depth=10`, `--depth 10`.
    #[cold]
    pub fn number(self, name: &str, number: &str) -> String {
        match self {
            Interface::Python => format!("{name}={number}"),
            Interface::CommandLine => format!("--{} {number}", flag(name)),
        }
    }

    /// What to do, as a clause of a message.
    #[cold]
    pub fn advice(self, advice: Advice) -> &'static str {
        let (python, command_line) = advice.texts();
        match self {
            Interface::Python => python,
            Interface::CommandLine => command_line,
        }
    }
}

/// What a user can do about an error, where Python and the command line differ in more than the
/// spelling of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// Say how many documents there are.
    CollectionSize,
    /// Give judgments by intent.
    Intents,
    /// Give the class of each document.
    Classes,
    /// Give the stratum of each document.
    Strata,
    /// Give strata or probabilities.
    Sample,
    /// Rank with what the measure looks at.
    KeepUnjudged,
    /// Say what columns are called.
    Columns,
    /// Read numbers as C's `atof` does.
    Lenient,
    /// Say which grades names stand for.
    GradeNames,
    /// Give the lengths of documents.
    Lengths,
    /// Give what documents cost.
    Costs,
    /// Give judgments of spans.
    Spans,
    /// Score documents instead of chunks.
    Documents,
    /// Read what is no file yet.
    OpenFile,
    /// See the tag of a run.
    Tag,
    /// See the number of topics.
    Topics,
    /// Compare runs by preferences.
    Preferences,
    /// Compare two lists.
    Overlap,
    /// Score groups of documents.
    GroupsOfDocuments,
    /// Score the exposure of groups.
    Exposure,
    /// Compare a run with and without an instruction.
    Instructions,
    /// Score abstention.
    Abstention,
    /// Score nuggets.
    Nuggets,
    /// Score citations.
    Citations,
    /// Score sessions.
    Sessions,
}

impl Advice {
    /// In Python, on the command line.
    fn texts(self) -> (&'static str, &'static str) {
        match self {
            Advice::CollectionSize => {
                ("give docs_in_collection with the judgments", "give --docs-in-collection")
            }
            Advice::Intents => (
                "read them with layout=\"intents\", or make them with Qrels.from_intents",
                "give judgments of topic, intent, document and grade with --layout intents",
            ),
            Advice::Classes => (
                "give them with Qrels.with_column(\"class\", ...)",
                "give a file of them with --classes",
            ),
            Advice::Strata => (
                "read judgments whose fourth column of five it is, or give them with \
                 Qrels.with_column(\"stratum\", ...)",
                "give judgments whose fourth column of five it is",
            ),
            Advice::Sample => {
                let columns =
                    "give judgments of five columns, the fourth or the fifth of which says it";
                (columns, columns)
            }
            Advice::KeepUnjudged => ("rank it with keep_unjudged=True", "leave the measure out"),
            Advice::Columns => ("name it with columns={...}", "name it with --columns"),
            Advice::Lenient => {
                ("lenient=True reads it as C's atof does", "--lenient reads it as C's atof does")
            }
            Advice::Spans => (
                "give SpanQrels and SpanRun, or read them with read_span_qrels",
                "give judgments of spans with --layout spans",
            ),
            Advice::Documents => {
                ("run.documents() under gold.documents()", "judgments and a run of documents")
            }
            Advice::GradeNames => (
                "say what levels of other names stand for: levels={\"S\": 3, \"A\": 2, \"B\": 1}",
                "say what levels of other names stand for: --levels S=3,A=2,B=1",
            ),
            Advice::OpenFile => {
                ("pass an open file, such as fsspec.open gives", "pipe it in as `-`")
            }
            Advice::Tag => ("it is run.tag", "it is the last column of the run"),
            Advice::Topics => {
                ("it is len(scores.topics)", "it is `topics` in the last line under the table")
            }
            Advice::Preferences => (
                "cranfield.preferences(qrels, runs, \"RPP\") computes it",
                "it is computed in Python only, by cranfield.preferences",
            ),
            Advice::Overlap => (
                "cranfield.stats.rbo computes it",
                "it is computed in Python only, by cranfield.stats.rbo",
            ),
            Advice::GroupsOfDocuments => (
                "cranfield.fairness.awrf computes it",
                "it is computed in Python only, by cranfield.fairness.awrf",
            ),
            Advice::Exposure => (
                "cranfield.fairness.expected_exposure computes it",
                "it is computed in Python only, by cranfield.fairness.expected_exposure",
            ),
            Advice::Instructions => (
                "cranfield.instructions.p_mrr computes it",
                "it is computed in Python only, by cranfield.instructions.p_mrr",
            ),
            Advice::Abstention => (
                "cranfield.abstention.nauc computes it",
                "it is computed in Python only, by cranfield.abstention.nauc",
            ),
            Advice::Nuggets => (
                "cranfield.answers.nugget_recall computes it",
                "`cranfield answers FILE --kind nuggets` computes it",
            ),
            Advice::Citations => (
                "cranfield.answers.citation_support computes it",
                "`cranfield answers FILE --kind citations` computes it",
            ),
            Advice::Sessions => (
                "cranfield.sessions computes it",
                "it is computed in Python only, by cranfield.sessions",
            ),
            Advice::Lengths => ("give lengths={document: number}", "give --lengths FILE"),
            Advice::Costs => (
                "give Qrels.with_column(\"cost\", ...) for all documents",
                "give --costs FILE for all documents",
            ),
        }
    }
}

/// The flag of an option, without its dashes.
fn flag(option: &str) -> String {
    match option {
        "mode" => "bounds-mode".to_string(),
        "own" => "own-document".to_string(),
        "decompression_ratio" => "max-ratio".to_string(),
        "line_bytes" => "max-line".to_string(),
        "decompressed_bytes" => "max-unpacked".to_string(),
        "decompressed_call_bytes" => "max-unpacked-call".to_string(),
        other => other.replace('_', "-"),
    }
}

/// The one error; see the module's documentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    kind: Kind,
    place: Place,
    message: String,
    /// The message for the command line, if it is different.
    command_line: Option<String>,
}

impl Error {
    /// An error without a place.
    #[cold]
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        let (place, message) = (Place::default(), message.into());
        Error(Box::new(Inner { kind, place, message, command_line: None }))
    }

    /// An error whose message names options: written once for each interface.
    #[cold]
    pub fn for_each(kind: Kind, message: impl Fn(Interface) -> String) -> Self {
        let mut error = Error::new(kind, message(Interface::Python));
        error.0.command_line =
            Some(message(Interface::CommandLine)).filter(|other| *other != error.0.message);
        error
    }

    /// The same error with a file, unless it has one already.
    #[must_use]
    #[cold]
    pub fn in_file(mut self, file: impl Into<String>) -> Self {
        self.0.place.file.get_or_insert_with(|| file.into());
        self
    }

    /// The same error at a line and a byte offset within that line's text,
    /// which is turned into a column of characters.
    #[must_use]
    #[cold]
    pub fn at(mut self, line: u64, text: &[u8], offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let characters = before.iter().filter(|&&b| b & 0xC0 != 0x80).count();
        self.0.place.line = Some(line);
        self.0.place.column = Some(characters as u64 + 1);
        self
    }

    /// The same error at a line and a column that are known already.
    #[must_use]
    #[cold]
    pub fn at_place(mut self, line: u64, column: u64) -> Self {
        self.0.place.line = Some(line);
        self.0.place.column = Some(column);
        self
    }

    /// The same error at a line as a whole.
    #[must_use]
    #[cold]
    pub fn at_line(mut self, line: u64) -> Self {
        self.0.place.line = Some(line);
        self
    }

    /// The same error with another clause behind its sentence.
    #[must_use]
    #[cold]
    pub fn with_advice(mut self, advice: &str) -> Self {
        let Inner { message, command_line, .. } = &mut *self.0;
        for message in std::iter::once(message).chain(command_line) {
            message.push_str("; ");
            message.push_str(advice);
        }
        self
    }

    /// What went wrong, machine-readable.
    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    /// Where it went wrong.
    pub fn place(&self) -> &Place {
        &self.0.place
    }

    /// The sentence without the place.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The sentence for the command line, where options are flags.
    pub fn command_line(&self) -> &str {
        self.0.command_line.as_deref().unwrap_or(&self.0.message)
    }
}

impl fmt::Display for Error {
    /// `file:line:column: sentence`, as compilers print it, so that editors
    /// can jump there.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { file, line, column } = &self.0.place;
        let file = file.as_deref().filter(|file| !file.is_empty());
        if let Some(file) = file {
            write!(f, "{file}:")?;
        }
        match (file, line) {
            (Some(_), Some(line)) => write!(f, "{line}:")?,
            (None, Some(line)) => write!(f, "line {line}:")?,
            _ => {}
        }
        if let Some(column) = column {
            write!(f, "{column}:")?;
        }
        if file.is_some() || line.is_some() {
            write!(f, " ")?;
        }
        write!(f, "{}", self.0.message)
    }
}

impl std::error::Error for Error {}

/// The longest piece of a user's input that a message repeats, in bytes.
const QUOTED: usize = 60;

/// A field or a name for a message: in backquotes, control characters
/// escaped, cut to a readable length.
#[cold]
pub fn quote(text: impl AsRef<[u8]>) -> String {
    let text = text.as_ref();
    let (shown, more) = match text.get(..QUOTED) {
        Some(head) if text.len() > QUOTED => (head, "..."),
        _ => (text, ""),
    };
    let mut out = String::from("`");
    for c in String::from_utf8_lossy(shown).chars() {
        if c.is_control() {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out.push_str(more);
    out.push('`');
    out
}

/// `1 field`, `2 fields`: a number and its noun.
pub fn count(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}

/// The candidate nearest to what the user wrote, if it is near enough to
/// be a typo.
#[cold]
pub fn nearest<'a>(written: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if written.len() > LONGEST_TYPO {
        return None;
    }
    let written = written.to_lowercase();
    let length = written.chars().count();
    let tolerance = (length / 3).max(1);
    candidates
        .filter(|c| c.len() <= LONGEST_TYPO)
        .map(|c| (c.to_lowercase(), c))
        // Each letter more or less is an edit.
        .filter(|(lower, _)| lower.chars().count().abs_diff(length) <= tolerance)
        .map(|(lower, c)| (osa_distance(&written, &lower), c))
        .filter(|&(distance, _)| distance <= tolerance && distance < length)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, c)| c)
}

/// The longest text that is compared with names, in bytes: the work is
/// quadratic, and a longer text is not a typo.
const LONGEST_TYPO: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn place_is_printed_as_compilers_do() {
        let e = Error::new(Kind::Number, "the score is no number").at(3, "é 0 d".as_bytes(), 5);
        assert_eq!(e.place().column, Some(5));
        assert_eq!(e.in_file("a.run").to_string(), "a.run:3:5: the score is no number");
    }

    #[test]
    fn quoted_text_is_short_and_safe() {
        assert_eq!(quote("a\x1b[2J"), "`a\\u{1b}[2J`");
        assert_eq!(quote("x".repeat(100)).len(), QUOTED + "...".len() + 2);
    }

    #[test]
    fn options_are_keywords_or_flags() {
        let say = |to: Interface| {
            format!("{} needs {}", to.choice("order", "rank"), to.option("line_bytes"))
        };
        let error = Error::for_each(Kind::Option, say);
        assert_eq!(error.message(), "order=\"rank\" needs line_bytes");
        assert_eq!(error.command_line(), "--order rank needs --max-line");
        assert_eq!(Error::new(Kind::Option, "x").command_line(), "x");
    }

    #[test]
    fn a_typo_is_recognised() {
        let known = ["nDCG", "AP", "bpref"];
        assert_eq!(nearest("ndgc", known.into_iter()), Some("nDCG"));
        assert_eq!(nearest("bref", known.into_iter()), Some("bpref"));
        assert_eq!(nearest("hello", known.into_iter()), None);
        let long = "a".repeat(LONGEST_TYPO + 1);
        assert_eq!(nearest(&long, [long.as_str()].into_iter()), None);
    }

    #[test]
    fn kinds_have_distinct_names() {
        let mut names: Vec<_> = Kind::ALL.iter().map(|k| k.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Kind::ALL.len());
    }
}
