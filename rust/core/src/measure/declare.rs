//! What a file of a family needs to declare it.

pub(super) use super::case::{Best, Case};
pub(super) use super::family::{
    About, Aggregation, Contrast, Example, Family, Laws, Measure, Needs, Nonrelevant, Over, Peer,
    Relevance, Sees, Takes, UnjudgedDocs,
};
pub(super) use super::laws::{Better, Bounds, Extremes, Falls, Looks, Mean, Ties, Weight};
pub(super) use super::param::{Budgets, Cutoff, Default, Param, Range};
pub(super) use super::running::{self, RunningSum};
