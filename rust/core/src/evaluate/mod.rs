//! The double loop: runs x topics.
//!
//! [`Evaluator::new`] works out once what all measures need of a topic. After
//! that scoring is a pure function of a run and a topic: `runs` goes over the
//! runs, `reading` and `split` read those in files, `row` ranks each topic,
//! `topic` writes its trace and its views and hands each measure what it sees.

mod compile;
mod context;
mod evaluator;
mod input;
mod join;
mod kernel;
mod lists;
mod mismatch;
mod monitor;
mod options;
mod prefixed;
mod ranked;
mod ranks;
mod reading;
mod row;
mod runs;
mod schedule;
mod split;
mod topic;

pub(crate) use context::explain;
pub use evaluator::Evaluator;
pub(crate) use evaluator::reach;
pub use input::{Arriving, Input, Lists, Opener, Part, Ranked, RunFile};
pub use join::{Joiner, Keeper, Scorer, Taker};
pub(crate) use kernel::{Cell, Kernel, Workspace};
pub use lists::{Found, JudgedLists};
pub use monitor::Monitor;
pub use options::{Negative, Options};
pub(crate) use ranked::rank_runs;
pub(crate) use runs::thread_pool;
pub use schedule::{Schedule, few_are_judged};
pub(crate) use topic::check_collection;
