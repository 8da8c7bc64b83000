//! A run in memory.

use super::lines::Lines;

/// All lines of a run.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// What the run is called in tables.
    pub name: String,
    /// The tag in the file's last column.
    pub tag: Option<Vec<u8>>,
    /// The topics in order of first appearance, each with its lines.
    pub topics: Vec<(Box<[u8]>, Lines)>,
    /// Fields that lenient reading replaced, ranks aside.
    pub repaired: u64,
    /// Ranks that it replaced, which matter where lists are ordered by them.
    pub repaired_ranks: u64,
    /// Lines that were passed over as comments.
    pub comments: u64,
}
