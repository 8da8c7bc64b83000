//! Cumulated relative position, and what twist shares with it.

use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "CRP",
        aliases: &["cumulated_relative_position"],
        group: "gain",
        summary: "By how many ranks documents come too late, minus by how many they come too early.",
        prose: "In the ideal ranking the documents of one gain fill an interval of ranks, and those that gain nothing all ranks after the last relevant one. A document below the interval of its gain is late by its distance from it, one above is early, and all distances are added up. A ranking that is shorter than the cutoff, or than R without one, is extended with documents that gain nothing. The sum is 0 for an ideal ranking, falls while the ranking has worse documents than there could be, and rises with each relevant document that comes late; so it is meaningful only as a curve over cutoffs, which Twist summarizes.",
        formula: "CRP@k = sum over ranks j <= k of rp(j), where rp(j) = j - last(g) if j > last(g), j - first(g) if j < first(g), else 0, for the ranks first(g) to last(g) that the gain g(j) has in the ideal ranking; first(0) = R + 1, last(0) is infinite",
        citation: "Angelini, Ferro, Järvelin, Keskustalo, Pirkola, Santucci and Silvello (2012), Cumulated relative position: a metric for ranking evaluation, CLEF; MATTERS, measure cumulatedRelativePosition",
        range: "(-inf, inf)",
        better: |_| Better::Neither,
    },
    takes: Takes { cutoff: Cutoff::Optional, ..Takes::NONE },
    sees: Sees { reach: Measure::depth, ..Sees::GAINS },
    laws: Laws { ties: |_| Ties { mean: Some(Mean::Rotations), extremes: None }, ..Laws::UNKNOWN },
    score: |measure, case| {
        let k = measure.depth();
        match case.ideal().gains().len() as u32 {
            0 => f64::NAN,
            relevant => {
                let moves = moves(case, k, k.min(relevant));
                moves.late + moves.early
            }
        }
    },
    peers: &[Peer::new("MATTERS", "CRP_100")
        .but("fills rankings up or cuts them to 1000 ranks first, the ideal ranking too")],
    examples: &[
        Example {
            measure: "CRP",
            judgments: "a=1 b=3 c=0 d=2",
            list: "a c b x d",
            value: 1.0,
            working: "ideal b d a: a at 1 and not 3, c at 2 and not from 4 on, b at 3 and not 1, d at 5 and not 2: -2 - 2 + 2 + 0 + 3",
        },
        Example {
            measure: "CRP@3",
            judgments: "a=1 b=3 c=0 d=2",
            list: "a c b x d",
            value: -2.0,
            working: "-2 - 2 + 2",
        },
    ],
};

/// How far the documents of a list are from where they would stand in the
/// ideal list.
#[derive(Default)]
pub(super) struct Moves {
    /// By how many ranks they are late.
    pub(super) late: f64,
    /// By how many ranks they are early; not above 0.
    pub(super) early: f64,
    /// The last rank before the sum of both first passes 0.
    pub(super) balance: Option<f64>,
}

impl Moves {
    pub(super) fn add(&mut self, by: f64) {
        *(if by > 0.0 { &mut self.late } else { &mut self.early }) += by;
    }
}

/// The moves of the first `k` documents. All other ranks down to `filled` hold
/// documents that gain nothing.
pub(super) fn moves(case: &Case, k: u32, filled: u32) -> Moves {
    let ideal = case.ideal().gains();
    let relevant = ideal.len() as u32;
    let mut moves = Moves::default();
    let mut above = 0;
    for document in case.relevant(k) {
        moves.early += unhelpful(above + 1, document.rank - 1, relevant);
        above = document.rank;
        let gain = case.gain(document);
        let first = ideal.partition_point(|&other| other > gain) as u32 + 1;
        let last = ideal.partition_point(|&other| other >= gain) as u32;
        moves.add(relative_position(document.rank, first, last));
        if moves.balance.is_none() && moves.late + moves.early > 0.0 {
            moves.balance = Some(f64::from(document.rank - 1));
        }
    }
    moves.early += unhelpful(above + 1, filled, relevant);
    moves
}

/// How far a rank is from the ranks `first` to `last`.
pub(super) fn relative_position(rank: u32, first: u32, last: u32) -> f64 {
    if rank > last { f64::from(rank - last) } else { -f64::from(first.saturating_sub(rank)) }
}

/// By how many ranks documents that gain nothing are early at these ranks.
pub(super) fn unhelpful(from: u32, to: u32, relevant: u32) -> f64 {
    // Past the relevant documents they stand where they should.
    let to = to.min(relevant);
    if from > to {
        return 0.0;
    }
    let [from, to, relevant] = [from, to, relevant].map(f64::from);
    (to - from + 1.0) * (f64::midpoint(from, to) - relevant - 1.0)
}
