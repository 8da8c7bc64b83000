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
