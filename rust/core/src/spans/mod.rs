//! Judgments of spans of text, runs of chunks, and their scores.
//!
//! A judgment names a part of a document, so it is valid for every way to split documents. A
//! [`Sweep`] cuts the documents of a list at the bounds of evidence and chunks, and says in
//! which order the segments are read. Everything else is a fold over that.

mod names;
pub mod gold;
pub mod list;
pub mod splitter;
pub mod labels;
pub mod texts;
mod sweep;
pub mod shown;
mod characters;
mod evidence;
mod articles;
mod score;
pub mod read;
pub mod layouts;

pub use gold::{Gold, GoldBuilder, GoldSpan, GoldTopic};
pub use list::{Chunk, ChunkOrder, ChunkRun, ChunkRunBuilder};
pub use names::Names;
pub use score::{SpanEvaluator, check};
