//! What is computed for each topic of each run.

use crate::error::Result;
use crate::rank::Ranking;
use crate::trace::{Trace, View};

/// What is computed for a ranked topic: the cells of each measure.
pub(crate) struct Kernel<'a> {
    /// How many cells a measure has.
    pub(crate) cells: usize,
    /// How far down a list it looks.
    pub(crate) reach: u32,
    /// Fills the cells of all measures.
    pub(crate) fill: &'a Fill<'a>,
}

/// Where in the table, the topic's ranking, memory, the cells to fill.
pub(crate) type Fill<'a> =
    dyn Fn(Cell, &Ranking, &mut Workspace, &mut [f64]) -> Result<()> + Sync + 'a;

/// A run and a topic, by position.
#[derive(Clone, Copy)]
pub(crate) struct Cell {
    pub(crate) run: usize,
    pub(crate) topic: usize,
}

/// Memory for scoring that a thread uses again from topic to topic.
#[derive(Default)]
pub(crate) struct Workspace {
    pub(super) trace: Trace,
    pub(super) views: Vec<View>,
}
