//! What is known of the values of a measure: which are better, how those of
//! topics become one, how far missing judgments and equal scores can move them.

/// How the values of topics become one for the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregate {
    /// The arithmetic mean.
    Mean,
    /// The sum: counts.
    Sum,
    /// The geometric mean, each value at least 1e-5.
    Geometric,
    /// The mean weighted with what a topic's value is a share of: the share
    /// of all topics together.
    Pooled,
}

impl Aggregate {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Aggregate::Mean => "mean",
            Aggregate::Sum => "sum",
            Aggregate::Geometric => "geometric",
            Aggregate::Pooled => "pooled",
        }
    }
}

/// Which values of a measure are better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// The higher ones.
    Higher,
    /// The lower ones.
    Lower,
    /// Neither: it does not measure how good a run is.
    Neither,
}

impl Better {
    /// Its name, if there is a direction.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Better::Higher => Some("higher"),
            Better::Lower => Some("lower"),
            Better::Neither => None,
        }
    }
}

/// How the value of a measure moves when documents get higher grades: what its
/// exact bounds under missing judgments rest on (`bounds/`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bounds {
    /// A better grade never lowers the value, and no total enters it: all
    /// worst and all best are the extremes. A measure whose value falls when
    /// grades rise is `Sorted`.
    Monotone,
    /// With the same new grades, the best first is highest and the best last
    /// is lowest (or the other way round).
    Sorted,
    /// As `Sorted`, if there is only one gain above 0.
    SortedIfBinary,
    /// The share of the relevant documents that is among the first.
    Share,
    /// A sum over the steps of gain, divided by a sum over the same steps.
    Steps {
        /// What a step sums over the documents that reach it.
        weight: Weight,
        /// Whether the divisor looks at the first k documents only.
        cut: bool,
    },
    /// As `Sorted`, over pooled documents only, but for the smoothing.
    Pooled {
        /// How much the smoothing weighs.
        smoothing: f64,
    },
    /// No exact method is known, and why.
    Refused(&'static str),
}

/// How slowly the value falls, if it does, while one document of the list after the other
/// becomes relevant, where all relevant documents have one gain. From two values of such a
/// sequence it follows how low and how high those between them are at most, so that bounds
/// need few of them.
#[derive(Clone, Copy, Debug)]
pub enum Falls {
    /// The value times this power of R never falls.
    Power(i32),
    /// What this makes of the value and R never falls, and the other one makes the value of
    /// that and R.
    Sum(fn(f64, f64) -> f64, fn(f64, f64) -> f64),
    /// The value is the sum over relevant documents of 1 - q, divided by R, where q rises by at
    /// most q / (N - 1) when one document judged not relevant becomes relevant.
    Compared {
        /// Whether N is the number of those in the list.
        listed: bool,
    },
}

/// What a step of gain sums over the documents that reach it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// The discounts of their ranks.
    Discount,
    /// The precisions at their ranks.
    Precision,
}

/// What the orders of documents with equal scores do to a measure: what its mean
/// and its extremes over them rest on (`ties`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ties {
    /// How the mean over all orders is computed; no exact way is known if
    /// `None`.
    pub mean: Option<Mean>,
    /// Which orders are extreme; not known if `None`.
    pub extremes: Option<Extremes>,
}

/// How the mean over all orders of a group of equal scores is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mean {
    /// A sum over documents of something that depends on the document and its
    /// rank: the mean over the rotations of a group is that over its orders.
    Rotations,
    /// A sum over pairs of documents that looks at which stands above: the mean
    /// of an order and its reverse.
    Reversal,
    /// A sum over relevant documents, each by itself, of what is seen above it.
    Each(Looks),
    /// A sum over relevant documents that is linear in the shares of the
    /// classes of documents above each.
    Shares {
        /// Whether only judged documents count as being above.
        judged: bool,
    },
    /// The expected utility of a user who stops at a document with a
    /// probability that is its gain.
    Cascade,
    /// It depends on the first relevant document alone.
    First,
}

/// What of a relevant document's surroundings enters its share of a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct Looks {
    /// Its rank.
    pub rank: bool,
    /// How many relevant documents are above.
    pub seen: bool,
    /// How many documents judged not relevant are above.
    pub nonrelevant: bool,
    /// How many pooled documents are above.
    pub pooled: bool,
}

impl Looks {
    /// At nothing.
    pub const NOWHERE: Looks =
        Looks { rank: false, seen: false, nonrelevant: false, pooled: false };
    /// At the documents above that are judged not relevant.
    pub const NONRELEVANT: Looks = Looks { nonrelevant: true, ..Looks::NOWHERE };
}

/// Which orders of a group of equal scores give the lowest and the highest value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extremes {
    /// The highest gains first, and documents judged not relevant last; and
    /// the other way round.
    Gain,
    /// The judged documents first, and last.
    Judged,
}

impl Ties {
    /// Nothing is known.
    pub const UNKNOWN: Ties = Ties { mean: None, extremes: None };

    /// A sum over documents by rank, highest with the highest gains first.
    pub const SUM: Ties = Ties { mean: Some(Mean::Rotations), extremes: Some(Extremes::Gain) };

    /// Highest with the highest gains first.
    pub const fn sorted(mean: Mean) -> Ties {
        Ties { mean: Some(mean), extremes: Some(Extremes::Gain) }
    }

    /// Highest with the highest gains first; the mean is not known.
    pub const SORTED: Ties = Ties { mean: None, extremes: Some(Extremes::Gain) };
}
