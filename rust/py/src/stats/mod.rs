//! Statistics for `cranfield.stats`: numbers in, numbers out.

pub mod correlation;
pub mod paired;
