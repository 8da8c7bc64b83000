//! Statistics on tables of scores: tests and intervals of differences, and the
//! agreement of two rankings or two judges.
//!
//! Everything here is a function of slices of numbers. A table has a row for
//! each system and a column for each topic. Random procedures take a seed, and
//! their results are the same for any number of threads.

pub mod distribution;
pub mod range;
pub mod paired;
pub mod resample;
pub mod flips;
pub mod permute;
pub mod bootstrap;
pub mod order;
pub mod correct;
pub mod interval;
pub mod power;
pub mod margin;
pub mod verdict;
pub mod compared;
pub mod systems;
pub mod judging;
pub mod rank_interval;
pub mod correlate;
pub mod overlap;
pub mod agree;
pub mod battles;
pub mod votes;
pub mod letters;
pub mod abstain;
pub mod predict;
pub mod one_click;
pub mod answers;
pub mod stability;
