//! The checks that the targets run; two of them use helpers of the core's tests.

#[path = "../../core/tests/common/brute.rs"]
mod brute;
pub mod checks;
#[path = "../../core/tests/common/mod.rs"]
mod common;
