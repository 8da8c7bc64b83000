//! The evaluator behind cranfield: ranked runs and relevance judgments in,
//! scores out. It knows no Python and has no unsafe code.
//!
//! A ranking is expensive to read and cheap to score. So a run is read once,
//! almost nothing of it is kept, and that little is scored as often as one
//! likes. Of a run only the documents that the judgments know can change a
//! score; for each topic they are kept with their ranks, and one pass over
//! them writes the trace, over which every measure is a short pure fold.
//!
//! ```text
//! bytes --read--> Qrels   (topics: doc table, grade column, counts, ideals)
//! bytes --read--> Lines --rank--> Ranking (judged documents with ranks; number retrieved)
//! Ranking x Topic --label--> Trace --look--> View (relevant documents, what is above them)
//! View x Measure --fold--> f64 --> Scores[run, topic, measure]
//! ```
//!
//! Data flows one way, and so do the imports: a module uses only modules that
//! stand above it in the list below. A test holds it to that.

//! # Score runs
//!
//! [`read_qrels`] and [`score`] do it for files; [`evaluate::Evaluator`] has the options, takes runs
//! in memory, and scores many runs with what it compiled once:
//!
//! ```
//! use std::sync::Arc;
//!
//! use cranfield_core::evaluate::{Evaluator, Input, Monitor, Options};
//! use cranfield_core::grammar::parse_list;
//! use cranfield_core::qrels::Builder;
//! use cranfield_core::{Lines, Run};
//!
//! # fn main() -> cranfield_core::Result<()> {
//! let mut judged = Builder::new(&[]);
//! for (line, (document, grade)) in [("a", 2.0), ("b", 0.0), ("c", 1.0)].into_iter().enumerate() {
//!     judged.add(b"1", document.as_bytes(), grade, &[], line as u64).unwrap();
//! }
//! let qrels = Arc::new(judged.finish(None));
//!
//! let mut list = Lines::default();
//! list.push(b"c", 0.9);
//! list.push(b"a", 0.8);
//! let run = Run { name: "mine".into(), topics: vec![((*b"1").into(), list)], ..Run::default() };
//!
//! let evaluator = Evaluator::new(qrels, &parse_list("AP RR nDCG@10")?, Options::default())?;
//! let scores = evaluator.evaluate(&[Input::Run(Arc::new(run))], &Arc::new(Monitor::default()))?;
//! assert_eq!(scores.row(0, 0)[..2], [1.0, 1.0]);
//! # Ok(())
//! # }
//! ```
//!
//! # Compare runs
//!
//! [`stats`] has functions of tables with a row for each run and a column for each topic:
//!
//! ```
//! use cranfield_core::stats::paired::{Alternative, ScoreTable, moments, t_test};
//!
//! let scores = [0.5, 0.4, 0.7, 0.6, 0.4, 0.4, 0.5, 0.3];
//! let table = ScoreTable::new(&scores, 4);
//! let tested = t_test(&moments(table, &[(0, 1)]), Alternative::TwoSided);
//! assert!(tested[0].pvalue < 0.2);
//! ```
//!
//! What else is public is for the boundary to Python. It is hidden here and may change in any
//! version.

#![forbid(unsafe_code)]

#[cfg(test)]
mod temporary_folder;

pub mod error;
#[doc(hidden)]
pub mod interrupt;
#[doc(hidden)]
pub mod memory;
#[doc(hidden)]
pub mod bytes;
#[doc(hidden)]
pub mod numbers;
#[doc(hidden)]
pub mod hash;
pub mod stats;
#[doc(hidden)]
pub mod integers;
#[doc(hidden)]
pub mod table;
#[doc(hidden)]
pub mod costs;
#[doc(hidden)]
pub mod ideal;
#[doc(hidden)]
pub mod user_model;
#[doc(hidden)]
pub mod intents;
#[doc(hidden)]
pub mod grade_column;
pub mod qrels;
#[doc(hidden)]
pub mod fingerprint;
#[doc(hidden)]
pub mod sample;
#[doc(hidden)]
pub mod rank;
pub mod read;
#[doc(hidden)]
pub mod judgment_columns;
#[doc(hidden)]
pub mod terminal;
#[doc(hidden)]
pub mod layout;
#[doc(hidden)]
pub mod write;
#[doc(hidden)]
pub mod format;
#[doc(hidden)]
pub mod trace;
pub mod measure;
pub mod grammar;
pub mod scores;
#[doc(hidden)]
pub mod score_files;
#[doc(hidden)]
pub mod remarks;
#[doc(hidden)]
pub mod notices;
pub mod evaluate;
#[doc(hidden)]
pub mod curves;
#[doc(hidden)]
pub mod spans;
#[doc(hidden)]
pub mod bounds;
#[doc(hidden)]
pub mod ties;
#[doc(hidden)]
pub mod options;
#[doc(hidden)]
pub mod collection;
#[doc(hidden)]
pub mod topic_counts;
#[doc(hidden)]
pub mod judges;
#[doc(hidden)]
pub mod difference;
#[doc(hidden)]
pub mod deviations;
#[doc(hidden)]
pub mod identify;
#[doc(hidden)]
pub mod pairs;
#[doc(hidden)]
pub mod neighbors;
#[doc(hidden)]
pub mod trec_eval;
#[doc(hidden)]
pub mod files;

pub use error::{Error, Result};
pub use files::{read_qrels, read_run, score};
pub use measure::Measure;
pub use qrels::Qrels;
#[doc(inline)]
pub use rank::{Lines, Run};
pub use scores::Scores;
