//! Reading: from a path or a stream to judgments and runs.
//!
//! Every byte enters through [`Source`], which knows about compression
//! and limits; [`lines`] cuts it into lines and counts them; [`qrels`] and
//! [`run`] know the formats, [`tables`] CSV and JSON. Reading is strict: what is not understood is an
//! error with a place. `lenient` is the other choice, and then fields are read
//! as C's `atof` reads them, and what was repaired is counted.

pub mod arrow;
mod fast_path;
pub(crate) mod fast_path_qrels;
mod feed;
pub mod json;
mod limits;
pub mod parquet;
pub mod lines;
pub(crate) mod file_errors;
pub(crate) mod mistaken;
mod places;
pub mod qrels;
pub mod run;
mod run_line;
mod run_options;
mod shape;
mod source;
pub mod tables;
#[cfg(unix)]
mod waiting;
mod whole;
mod window;

use crate::error::{Advice, Interface};
pub use limits::{Expanded, Limits};
pub use source::{Compression, Source};

/// How forgiving the reader is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strictness {
    /// A field that is not a finite number is an error.
    #[default]
    Strict,
    /// Numbers as C's `atof` reads them, like `trec_eval`.
    Lenient,
    /// Strict; and a line in which `trec_eval` sees other fields, or may see a comment, is an
    /// error.
    AsTrecEval,
}

/// What to do about a field of which C's `atof` makes a number.
#[cold]
fn read_anyway(to: Interface) -> String {
    format!("; {}", to.advice(Advice::Lenient))
}

/// A field's value under lenient reading, and whether it had to be repaired.
#[cold]
fn repaired(text: &[u8]) -> f64 {
    let value = crate::numbers::lenient_number(text);
    // Nothing can be in order beside NaN: it ranks below every score. What is
    // infinite becomes the largest number, which can be written and read again.
    if value.is_nan() { f64::MIN } else { value.clamp(f64::MIN, f64::MAX) }
}

#[cfg(test)]
pub(crate) fn source(text: &str) -> Source {
    let reader = Box::new(std::io::Cursor::new(text.as_bytes().to_vec()));
    Source::from_reader("test", reader, &Limits::default()).unwrap()
}
