//! The extension module `cranfield._core`, which is the crate `cranfield-py` and nothing else.
//!
//! A library that Python loads waits for the machine code of all that it is made of. The boundary
//! would be compiled after the core, each on one processor; as a library of Rust it is compiled
//! beside the core.

extern crate cranfield_py as _;
