//! What goes through the whole core. All of it is one program, which is compiled and linked once.

mod bounds;
#[path = "common/brute.rs"]
mod brute;
#[path = "common/cases.rs"]
mod cases;
#[path = "../../fuzz/src/checks/mod.rs"]
mod checks;
mod columns;
mod common;
mod corpus;
mod difference;
mod identities;
mod layering;
mod long_lists;
mod naive;
mod papers;
mod properties;
mod registry;
mod spans;
mod ties;
#[path = "common/twin.rs"]
mod twin;
mod twins;
#[path = "naive/vectors.rs"]
mod vectors;
