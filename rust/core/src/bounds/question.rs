//! The options of bounds.

/// What is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Which unjudged documents of the list are relevant; R grows with them.
    #[default]
    FreeR,
    /// The ranks, after the list, of the relevant documents that it lacks.
    /// The judgments name every relevant document, so all others are not
    /// relevant, judged or not. IIR, exercise 8.9.
    FixedR,
}

/// The options of bounds.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// What is unknown.
    pub mode: Mode,
    /// The largest number of relevant documents that are neither judged nor in
    /// the list.
    pub unseen: u32,
    /// How many documents are relevant at least; for the difference of two lists.
    pub least_relevant: u32,
    /// Whether all that are unseen are judged: those that are not relevant are then
    /// judged not relevant.
    pub unseen_judged: bool,
    /// The highest grade that a document can still get; by default the highest
    /// of the judgments, at least 1.
    pub max_grade: Option<f64>,
    /// How many assignments are tried if no faster method is known, for one
    /// topic and measure.
    pub max_assignments: u64,
}

impl Default for Question {
    fn default() -> Self {
        Question {
            mode: Mode::default(),
            unseen: 0,
            least_relevant: 0,
            unseen_judged: false,
            max_grade: None,
            max_assignments: 200_000,
        }
    }
}
