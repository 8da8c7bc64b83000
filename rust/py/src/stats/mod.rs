//! Statistics for `cranfield.stats`: numbers in, numbers out.

use numpy::PyReadonlyArray2;

pub mod battles;
pub mod compared;
pub mod correlation;
pub mod judges;
pub mod orders;
pub mod paired;
pub mod stability;

/// A table of numbers, borrowed.
type Table<'py> = PyReadonlyArray2<'py, f64>;
