//! One topic of the judgments.

use std::sync::Arc;

use crate::grade_column::{GradeColumn, GradeCount};
use crate::intents::Intents;
use crate::table::DocTable;

/// One topic: its documents and the columns over them.
#[derive(Clone, Debug, Default)]
pub struct Topic {
    pub(super) id: Box<[u8]>,
    pub(super) docs: Arc<DocTable>,
    pub(super) grade_column: GradeColumn,
    pub(super) counts: Vec<GradeCount>,
    pub(super) columns: Vec<Vec<f64>>,
    /// Most topics have none, and no room for them.
    pub(super) intents: Option<Arc<Intents>>,
}

/// The intents of a topic without any.
static NO_INTENTS: Intents = Intents::NONE;

impl Topic {
    /// The topic's id.
    pub fn id(&self) -> &[u8] {
        &self.id
    }

    /// The documents that the judgments know: judged, pooled, or absent.
    pub fn docs(&self) -> &Arc<DocTable> {
        &self.docs
    }

    /// The grade index of each document, in the table's order.
    pub fn grade_column(&self) -> &GradeColumn {
        &self.grade_column
    }

    /// The judged and pooled documents: number, id and grade index.
    pub fn judgments(&self) -> impl Iterator<Item = (usize, &[u8], u32)> {
        let listed = self.grade_column.listed();
        listed.map(|(number, grade_index)| (number as usize, self.docs.key(number), grade_index))
    }

    /// The number of judged and pooled documents.
    pub fn len(&self) -> usize {
        self.counts.iter().map(|of| of.count as usize).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    /// Each grade index that occurs, ascending.
    pub fn counts(&self) -> &[GradeCount] {
        &self.counts
    }

    /// A topic without documents, to be counted.
    pub(crate) fn of(id: &[u8]) -> Topic {
        Topic { id: id.into(), ..Topic::default() }
    }

    /// Sets how many documents each grade has, without saying which.
    pub(crate) fn count(&mut self, counts: &[u32]) {
        self.counts.clear();
        let occurring = (0..).zip(counts).filter(|(_, count)| **count > 0);
        self.counts
            .extend(occurring.map(|(grade_index, &count)| GradeCount { grade_index, count }));
    }

    /// The intents and the grades under each; there may be none.
    pub fn intents(&self) -> &Intents {
        self.intents.as_deref().unwrap_or(&NO_INTENTS)
    }

    /// A further column by its position in [`Qrels::column_names`](crate::qrels::Qrels::column_names).
    pub fn column(&self, position: usize) -> Option<&[f64]> {
        self.columns.get(position).map(Vec::as_slice)
    }
}
