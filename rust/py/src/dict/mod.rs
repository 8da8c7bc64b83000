//! Dicts read in place.
//!
//! [`walk`] reads a list {document: score} without a new reference to any key
//! or value; [`cpython`] knows where `CPython` keeps them and has the boundary's
//! `unsafe` code.
//!
//! Reading in place is sound because no Python code runs between the first
//! read of the dict and the last read of a key, so nothing can change the dict.
//! The functions called on keys and values are made for exact types and raise
//! nothing, and ranking is the core's, which knows no Python. No [`walk`]
//! function returns anything borrowed from a dict. In interpreters without a
//! global lock the dict is locked for the same time.
//!
//! Fetching a key from memory costs more than everything else.
//! `PyDict_Next` reads each key for its hash. Where the layout of dicts is
//! known, their entries are read directly instead, and a key is read only if
//! its text matters. Where few documents are judged, those are looked up in
//! the dict.
//!
//! Only plain lists are read here: keys are `str` and ASCII, values are `int`,
//! `float` or of a class derived from `float`. Everything else takes the general path
//! (`from_dict.rs`), which has the same result and says what is wrong if
//! anything is.

pub mod cpython;
mod names;
mod walk;

pub use cpython::{
    Wanted, filled, find_value, items, new_text, prefetch, prefetch_few, prefetch_table,
};
pub use names::Names;
pub use walk::{Judged, Walk};
