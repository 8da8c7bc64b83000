//! The double loop: runs x topics.
//!
//! [`Evaluator::new`] works out once what all measures need of a topic. After
//! that scoring is a pure function of a run and a topic: `runs` goes over the
//! runs and reads those in files, `rows` ranks each topic, `compile` writes its
//! trace and its views and hands each measure what it sees.

mod budgeted;
mod compile;
mod evaluator;
mod groups;
mod input;
mod join;
mod list;
mod mismatch;
mod options;
mod prefixed;
mod rows;
mod runs;
mod schedule;

pub(crate) use compile::{Workspace, check_collection, with_rel};
pub(crate) use evaluator::reach;
pub use evaluator::{Evaluator, Found, JudgedLists};
pub use groups::Groups;
pub use input::{Arriving, ArrivingLists, Input, Opener, Part, Ranked, RunFile};
pub(crate) use join::rank_runs;
pub use join::{Joiner, Keeper, Scorer, Taker};
pub use list::{Id, ListScorer};
pub use options::{Monitor, Negative, Options};
pub(crate) use rows::{Cell, FillCells, Kernel, explain, nothing_in_common};
pub(crate) use schedule::thread_pool;
pub use schedule::{Schedule, few_are_judged};
