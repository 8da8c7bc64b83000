//! What documents cost to read, judged or not, and budgets of it.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use crate::hash::hash;
use crate::table::DocTable;

/// What the budget of a cutoff such as `@tokens=4000` counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Characters of text.
    Chars,
    /// Tokens of text.
    Tokens,
    /// A cost of any kind, such as seconds or cents.
    Cost,
    /// Calls of a retriever, each of which returned a list.
    Calls,
}

impl Unit {
    /// Every unit, in the order in which they are named.
    pub const ALL: [Unit; 4] = [Unit::Chars, Unit::Tokens, Unit::Cost, Unit::Calls];

    /// Its name, as in a cutoff.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Chars => "chars",
            Unit::Tokens => "tokens",
            Unit::Cost => "cost",
            Unit::Calls => "calls",
        }
    }

    /// The unit of a name.
    pub fn named(name: &str) -> Option<Unit> {
        Unit::ALL.into_iter().find(|unit| unit.name() == name)
    }
}

/// Some of the units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Units([bool; Unit::ALL.len()]);

impl Units {
    /// The same and one more.
    #[must_use]
    pub fn and(mut self, unit: Unit) -> Units {
        self.0[unit as usize] = true;
        self
    }

    /// Whether a unit is among them.
    pub fn has(self, unit: Unit) -> bool {
        self.0[unit as usize]
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self == Units::default()
    }

    /// Each of them.
    pub fn iter(self) -> impl Iterator<Item = Unit> {
        Unit::ALL.into_iter().filter(move |&unit| self.has(unit))
    }
}

/// A cutoff by what a list costs: the documents that a reader can afford.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// What is counted.
    pub unit: Unit,
    /// How much of it there is.
    pub amount: f64,
}

impl Budget {
    /// Whether a sum of costs is within it. Sums of fractions are rounded, so that .1 and .2 are
    /// within .3.
    pub fn affords(self, sum: f64) -> bool {
        sum <= self.amount * (1.0 + ROUNDING)
    }
}

/// How much a sum may exceed a budget, relatively, because it is rounded.
const ROUNDING: f64 = 1e-12;

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.unit.name(), self.amount)
    }
}

/// A number for each of some documents.
#[derive(Clone, Debug, Default)]
pub struct Amounts {
    docs: DocTable,
    numbers: Vec<f64>,
    seed: u64,
}

impl Amounts {
    /// None yet; ids are hashed with this seed.
    pub fn new(seed: u64) -> Self {
        Amounts { seed, ..Amounts::default() }
    }

    /// Sets the number of a document; an error has the number that it has already.
    pub fn insert(&mut self, document: &[u8], number: f64) -> Result<(), f64> {
        match self.docs.insert(self.seed, document) {
            Ok(_) => {
                self.numbers.push(number);
                Ok(())
            }
            Err(known) => Err(self.numbers[known as usize]),
        }
    }

    /// The number of a document.
    pub fn get(&self, document: &[u8]) -> Option<f64> {
        let place = self.docs.get(hash(self.seed, document), document)?;
        self.numbers.get(place as usize).copied()
    }

    /// Each document with its number, in the order in which they came.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], f64)> + Clone {
        self.docs.keys().zip(self.numbers.iter().copied())
    }
}

/// What documents cost that a run does not say itself.
#[derive(Clone, Debug, Default)]
pub struct DocumentCosts {
    /// The lengths of documents, in characters or in tokens.
    pub lengths: Option<Arc<Amounts>>,
    /// The costs of documents, by topic.
    pub of_topics: Option<Arc<HashMap<Box<[u8]>, Amounts>>>,
}

impl DocumentCosts {
    /// What the documents of a topic cost in a unit.
    pub fn of(&self, unit: Unit, topic: &[u8]) -> Option<&Amounts> {
        match unit {
            Unit::Chars | Unit::Tokens => self.lengths.as_deref(),
            Unit::Cost => self.of_topics.as_ref()?.get(topic),
            Unit::Calls => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_within_a_budget_up_to_their_rounding() {
        let budget = |amount| Budget { unit: Unit::Cost, amount };
        assert!(budget(0.3).affords(0.1 + 0.2));
        assert!(!budget(0.3).affords(0.300_001));
        assert!(!budget(799.0).affords(800.0));
        assert!(!budget(1e11).affords(1e11 + 1.0));
    }
}
