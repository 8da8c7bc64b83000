//! Dicts read in place: the boundary's one module with `unsafe`.
//!
//! A list {document: score} is read without a new reference to any key or
//! value. That is sound because nothing runs Python code from the first look at
//! the dict until the last look at a key, so nobody can change it: the
//! functions called here on keys and values cannot (they are made for exact
//! types and raise nothing), and what happens to the columns in between is the
//! core's, which knows no Python. So nothing that a dict lends leaves this
//! module. Where the interpreter has no lock, the dict is locked for as long.
//!
//! A key is somewhere in memory, and going there costs more than all else.
//! `PyDict_Next` goes to each key for its hash, so that in the interpreters
//! whose layout is known ([`Layout`]) the entries of a dict are read where they
//! lie: a key, then, only if its text matters. Where few documents are judged,
//! the dict is asked for these.
//!
//! Only lists of plain text with numbers are read here: keys that are `str`
//! and ASCII, values that are `float`, of a class derived from it, or `int`.
//! Everything else is left to `inputs.rs`, which says what is wrong if
//! anything is.

mod cpython;
mod names;
mod walk;

pub use cpython::{fetch, filled};
pub use names::Names;
pub use walk::{Judged, MANY, Walk};
