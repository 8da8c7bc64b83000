//! Where the lines of a list stand in their file.

use crate::error::{Error, Kind, quote};
use crate::rank::{Repeated, keep_one};

/// Where the lines of a list stand in their file: stretches of neighbouring
/// lines whose documents begin in the same column.
#[derive(Debug, Default)]
pub struct LinePlaces {
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

impl LinePlaces {
    /// The line and the column of a position in the list.
    pub(super) fn of(&self, position: usize) -> (u64, u64) {
        let behind = self.stretches.partition_point(|stretch| stretch.first <= position);
        let stretch = self.stretches[behind - 1];
        (stretch.number + (position - stretch.first) as u64, stretch.column)
    }

    /// Says where the next line stands, which has this position in the list.
    pub(super) fn add(&mut self, first: usize, number: u64, column: u64) {
        let goes_on = self.stretches.last().is_some_and(|last| {
            last.column == column && last.number + (first - last.first) as u64 == number
        });
        if !goes_on {
            self.stretches.push(Stretch { first, number, column });
        }
    }

    /// Forgets all lines.
    pub(super) fn clear(&mut self) {
        self.stretches.clear();
    }

    /// Moves the places of further lines behind those of `length` lines.
    pub(super) fn append(&mut self, other: &mut LinePlaces, length: usize) {
        let moved = other.stretches.drain(..).map(|s| Stretch { first: length + s.first, ..s });
        self.stretches.extend(moved);
    }

    /// The error for a document that stands twice in a list.
    #[cold]
    pub fn duplicate(&self, repeated: Repeated, topic: &[u8], document: &[u8]) -> Error {
        let (first, (line, column)) = (self.of(repeated.first).0, self.of(repeated.second));
        let error = Error::for_each(Kind::Duplicate, |to| {
            format!(
                "expected each document once per topic, found {} again for topic {}, first seen on line {first}; {}",
                quote(document),
                quote(topic),
                keep_one(to)
            )
        });
        error.at_place(line, column)
    }
}
