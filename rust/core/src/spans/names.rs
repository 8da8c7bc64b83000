//! Names as numbers, in the order in which they come.

use std::hash::{BuildHasher, RandomState};

use crate::error::{Error, Kind, Result};
use crate::hash::hash;
use crate::table::DocTable;

/// Names, findable, each with a number.
#[derive(Clone, Debug)]
pub struct Names {
    table: DocTable,
    seed: u64,
    /// The number that was asked for last: rows of a name stand together.
    last: u32,
    /// The bytes of all names.
    bytes: usize,
}

impl Default for Names {
    fn default() -> Self {
        let seed = RandomState::new().hash_one("cranfield");
        Names { table: DocTable::default(), seed, last: 0, bytes: 0 }
    }
}

impl Names {
    /// The number of a name, which is added if it is new.
    pub fn number(&mut self, name: &[u8]) -> Result<u32> {
        if (self.last as usize) < self.table.len() && self.table.key(self.last) == name {
            return Ok(self.last);
        }
        if self.bytes + name.len() > u32::MAX as usize {
            return Err(Error::new(Kind::Limit, "expected names of at most 4 GB in all"));
        }
        self.last = match self.table.insert(self.seed, name) {
            Ok(new) => {
                self.bytes += name.len();
                new
            }
            Err(known) => known,
        };
        Ok(self.last)
    }

    /// The number of a name that is known.
    pub fn get(&self, name: &[u8]) -> Option<u32> {
        self.table.get(hash(self.seed, name), name)
    }

    /// The name of a number.
    pub fn name(&self, number: u32) -> &[u8] {
        self.table.key(number)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }
}
