//! Measures: what one is, and the list of all.
//!
//! A measure is a value: a [`Family`] with arguments. A family and its variants live in
//! one file of `families/`: what people read about it, what it takes, what it sees,
//! what is known of its values, examples worked by hand, and one pure function
//! from a [`Case`] to a number. The list in `families/mod.rs` is the registry;
//! the grammar, the command line, the Python names and the reference pages are
//! made from it. To add a measure, write one file and add its name to the list.
//!
//! A fold returns NaN where its definition is 0/0 because the topic has no
//! relevant document. What happens to that is a policy, applied in `scores.rs`
//! and nowhere else.

mod value;
mod param;
mod laws;
mod running;
mod case;
mod family;
mod declare;
mod families;
mod registry;

pub use crate::costs::{Budget, Unit};
pub use case::{Best, Case, KnownDocument};
pub(crate) use families::f_measure;
pub use families::{FAMILIES, FILES, FORMS};
pub use family::{
    About, Aggregation, Contrast, Example, Family, Laws, Measure, Needs, Nonrelevant, Over, Peer,
    RankWeight, Relevance, Running, Sees, Takes, Term, UnjudgedDocs,
};
pub use laws::{Aggregate, Better, Bounds, Extremes, Falls, Looks, Mean, Ties, Weight};
pub use param::{
    Budgets, COVER, CREDIT, Cutoff, Default, FIT, Param, REPEATS, Range, TEXT_UNIT, WITHIN,
};
pub(crate) use registry::same_letters;
pub use registry::{find, spellings};
pub use running::RunningSum;
pub use value::{Gain, Value};
