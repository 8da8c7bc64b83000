//! What has to hold for any input. The fuzzer runs these, and so does a test of the core
//! (`rust/core/tests/corpus.rs`), on the inputs of the repository and on changed ones.

pub mod arrays;
pub mod bounds;
pub mod grammar;
mod input;
pub mod packed;
pub mod qrels_lines;
pub mod run_lines;
pub mod scan;
pub mod tables;
pub mod trec_eval;
