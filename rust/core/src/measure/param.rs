//! Parameters: their keys, values and defaults.

use super::value::Value;

/// Which values a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Range {
    /// A number above 0 and below 1.
    Inside01,
    /// A number of at least 0 and below 1.
    Below1,
    /// A number from 0 to 1.
    Unit,
    /// A number above 0.
    Positive,
    /// Any number.
    Number,
    /// A number of at least 0.
    NonNegative,
    /// A number of at least 0, or infinity.
    UpToInfinity,
    /// A number above 1.
    AboveOne,
    /// A whole number of at least 2.
    Points,
    /// A whole number of at least 1.
    Count,
    /// A whole number of at least 0 that a double holds.
    Whole,
    /// "all", or a number of documents that may grow with R, such as "10+R".
    Documents,
    /// True or False.
    Flag,
    /// The highest gain: of the collection, of the topic, or a number above 0.
    TopGain,
    /// One of these words.
    Words(&'static [&'static str]),
}

impl Range {
    /// Whether a word is among the values.
    pub fn has_word(self, word: &str) -> bool {
        match self {
            Range::Words(words) => words.contains(&word),
            Range::TopGain => ["collection", "topic"].contains(&word),
            _ => false,
        }
    }
}

/// A parameter's default; it is not printed when it holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Default {
    /// Nothing: the parameter may be left out.
    None,
    /// A number.
    Number(f64),
    /// A number that is printed all the same, since tools disagree on it.
    Printed(f64),
    /// A word.
    Text(&'static str),
    /// True or False.
    Flag(bool),
    /// A number of documents: a constant, and how many times R.
    Documents(f64, f64),
}

impl Default {
    /// The value that holds when none is given.
    pub fn value(self) -> Value {
        match self {
            Default::None => Value::None,
            Default::Number(n) | Default::Printed(n) => Value::Number(n),
            Default::Text(text) => Value::Text(text.to_string()),
            Default::Flag(flag) => Value::Flag(flag),
            Default::Documents(constant, times) => Value::Documents(constant, times),
        }
    }
}

/// A parameter of a family.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Its key in the brackets.
    pub key: &'static str,
    /// Its default.
    pub default: Default,
    /// What it takes.
    pub range: Range,
    /// A parameter that loses its default when this one is given.
    pub replaces: Option<&'static str>,
    /// What it means, in one sentence.
    pub text: &'static str,
}

impl Param {
    /// A parameter without a default, to be refined.
    pub const fn new(key: &'static str, range: Range, text: &'static str) -> Self {
        Param { key, default: Default::None, range, replaces: None, text }
    }

    /// The same with a default.
    #[must_use]
    pub const fn or(mut self, default: Default) -> Self {
        self.default = default;
        self
    }

    /// The same, taking another parameter's place.
    #[must_use]
    pub const fn instead_of(mut self, key: &'static str) -> Self {
        self.replaces = Some(key);
        self
    }
}

/// What text that is read again counts, over characters.
pub const REPEATS: Param = Param::new(
    "repeats",
    Range::Words(&["count", "skip", "genomics"]),
    "whether text that is read again counts as read, is left out, or is left out if it is relevant",
)
.or(Default::Text("count"));

/// The same, for measures of sets of characters.
pub const REPEATS_SKIPPED: Param = REPEATS.or(Default::Text("skip"));

/// How many characters make a rank.
pub const TEXT_UNIT: Param =
    Param::new("unit", Range::Count, "how many characters make a rank").or(Default::Number(1000.0));

/// What happens to the chunk that exceeds a budget of characters.
pub const FIT: Param = Param::new(
    "fit",
    Range::Words(&["cut", "whole"]),
    "whether the beginning of the chunk that exceeds a budget of characters counts",
)
.or(Default::Text("cut"));

/// When a piece of evidence is found.
pub const COVER: Param =
    Param::new("cover", Range::Unit, "the share of a span that has to be read")
        .or(Default::Number(1.0));

/// Where it has to be found.
pub const WITHIN: Param = Param::new(
    "within",
    Range::Words(&["list", "chunk"]),
    "whether the list so far or one chunk has to hold that share",
)
.or(Default::Text("list"));

/// What a piece of evidence counts.
pub const CREDIT: Param = Param::new(
    "credit",
    Range::Words(&["found", "share"]),
    "whether a span counts once it is found, or by the share that is read",
)
.or(Default::Text("found"));

/// Whether a family has a value of the documents that a budget affords.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budgets {
    /// The value of the list that ends there.
    Taken,
    /// None: its divisor depends on the cutoff as a rank; this other measure has one.
    Instead(&'static str),
    /// None.
    Refused,
}

/// Whether a family takes a cutoff after `@`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cutoff {
    /// None.
    None,
    /// None, since its name with one is this other measure in other tools.
    Elsewhere(&'static str),
    /// A rank, or the whole list.
    Optional,
    /// A rank.
    Required,
    /// A recall level between 0 and 1.
    Recall,
}

impl Cutoff {
    /// Whether it can be a rank.
    pub fn is_rank(self) -> bool {
        matches!(self, Cutoff::Optional | Cutoff::Required)
    }
}
