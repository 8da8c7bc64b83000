//! What the lines of a run have in common with the line above them.

use cranfield_scan::WINDOW;

use super::window::{Affix, NARROW, WORD};

/// What lines have in common with the line above.
#[derive(Debug, Default)]
pub(super) struct Shape {
    /// Whether there is a line to be like.
    pub(super) known: bool,
    /// What is before the document.
    pub(super) prefix: Affix,
    /// What is behind the score.
    pub(super) suffix: Affix,
    /// What is behind the document and behind the rank.
    pub(super) separators: [u8; 2],
    /// How many bytes are looked at: as many as any line so far needed.
    pub(super) width: Width,
    /// Whether no line is ever said to be like another.
    #[cfg(test)]
    of_none: bool,
}

impl Shape {
    /// The shape of no line.
    #[cfg(test)]
    pub(super) fn of_none() -> Self {
        Shape { of_none: true, ..Shape::default() }
    }

    /// Remembers a line: where its document begins, and where its fields are.
    pub(super) fn learn(&mut self, line: &[u8], start: usize, spans: &[(usize, usize)]) {
        let (document, rank, score) = (spans[2], spans[3], spans[4]);
        self.prefix.set(&line[..start]);
        self.suffix.set(&line[score.1..]);
        self.separators = [line[document.1], line[rank.1]];
        let narrowest = match score.1 - start {
            _ if self.prefix.bytes.len().max(self.suffix.bytes.len()) > WORD => Width::Wide,
            length if length < NARROW - 1 => Width::Narrow,
            length if length < WINDOW - 1 => Width::Usual,
            _ => Width::Wide,
        };
        self.width = self.width.max(narrowest);
        self.known = document.1 + 1 == rank.0 && rank.1 + 1 == score.0;
        #[cfg(test)]
        if self.of_none {
            self.known = false;
        }
    }

    /// Expects nothing of the next line.
    pub(super) fn forget(&mut self) {
        self.known = false;
    }
}

/// How many bytes of a line are looked at, from its document on.
///
/// Without the narrow one, a line of TREC-8's form takes 4% more instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Width {
    /// Half a window.
    #[default]
    Narrow,
    /// One window.
    Usual,
    /// Two; and the line may have a beginning and an end of more than a word.
    Wide,
}
