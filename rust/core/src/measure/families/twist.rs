//! Twist: the effort that a list asks for beyond the ideal one.

use super::{
    crp::{self, Moves},
    inst,
};
use crate::measure::declare::*;

const OUT: Param = Param::new(
    "out",
    Range::Words(&["tau", "rho", "sigma"]),
    "the number: the mean of both, the recovery ratio, the space ratio",
)
.or(Default::Text("tau"));

pub static FAMILY: Family = Family {
    about: About {
        name: "Twist",
        aliases: &["tau_twist"],
        group: "gain",
        summary: "How little effort a ranking wastes, comparing the ranks of documents with the ranks that they should have.",
        prose: "It is the mean of two summaries of CRP over the first N ranks; N is the cutoff, 1000 without one, and shorter rankings are filled up with documents that gain nothing. The recovery ratio rho is R by the rank at which the sum passes from below 0 to above it, 1 for an ideal ranking, and 0 where it never does: a sum that comes back to 0 and not above does not count, in MATTERS either. The space ratio sigma is the harmonic mean of what late and early documents leave of the same sums of the worst ranking, which is the ideal one reversed. A ranking without a relevant document is 0. With no fewer than N relevant documents the worst ranking has 2R ranks.",
        formula: "Twist = (rho + sigma) / 2; rho = R / max(R, b), where b is the last rank before CRP@j > 0; sigma = 2 f e / (f + e), f = 1 - L / L*, e = max(0, 1 - E / E*), where L and E are the sums of the rp(j) above and below 0 over N ranks, and L* and E* those of the ideal ranking of N ranks in reverse",
        citation: "Ferro, Silvello, Keskustalo, Pirkola and Järvelin (2016), The twist measure for IR evaluation: taking user's effort into account, JASIST; MATTERS, measure twist",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { params: &[OUT], cutoff: Cutoff::Optional, ..Takes::NONE },
    sees: Sees { reach: ranks, ..Sees::GAINS },
    laws: Laws::UNKNOWN,
    score: |measure, case| twist(measure, case),
    peers: &[Peer::new("MATTERS", "twist").but(
        "NaN for the worst ranking, and any number where the ranking has fewer than 2R ranks",
    )],
    examples: &[
        Example {
            measure: "Twist@6",
            judgments: "a=1 b=3 c=0 d=2",
            list: "a c b x d",
            value: 95.0 / 168.0,
            working: "CRP is -2 -4 -2 -2 1 1: rho = 3/4; L = 5, E = -4, and x x x a d b has 9 and -6: sigma = 2 (4/9) (1/3) / (7/9) = 8/21",
        },
        Example {
            measure: "Twist(out=\"rho\")",
            judgments: "a=1 b=3 c=0 d=2",
            list: "a c b x d",
            value: 0.75,
            working: "3 relevant documents, and CRP passes 0 after rank 4",
        },
    ],
};

/// How many ranks are looked at.
fn ranks(measure: &Measure) -> u32 {
    measure.cutoff.unwrap_or(inst::RANKS) as u32
}

fn twist(measure: &Measure, case: &Case) -> f64 {
    let k = ranks(measure);
    let relevant = case.ideal().gains().len() as u32;
    if relevant == 0 {
        return f64::NAN;
    }
    if case.relevant(k).is_empty() {
        return 0.0;
    }
    let own = crp::moves(case, k, relevant);
    let worst = reversed(case, if relevant < k { k } else { 2 * relevant });
    let recovery = match own.balance {
        Some(balance) => f64::from(relevant) / balance.max(f64::from(relevant)),
        None => f64::from(u8::from(own.late == 0.0 && own.early == 0.0)),
    };
    let late = 1.0 - own.late / worst.late;
    // A list can have more documents that gain nothing than the worst one if
    // that has fewer than 2R ranks.
    let early = (1.0 - own.early / worst.early).max(0.0);
    let space = if late + early > 0.0 { 2.0 * late * early / (late + early) } else { 0.0 };
    if measure.is(OUT, "rho") {
        recovery
    } else if measure.is(OUT, "sigma") {
        space
    } else {
        f64::midpoint(recovery, space)
    }
}

/// The moves of the ideal list of this many ranks in reverse.
fn reversed(case: &Case, ranks: u32) -> Moves {
    let ideal = case.ideal().gains();
    let relevant = ideal.len() as u32;
    let early = crp::unhelpful(1, ranks - relevant, relevant);
    let mut moves = Moves { early, ..Moves::default() };
    let mut first = 1;
    for equal in ideal.chunk_by(|a, b| a == b) {
        let last = first + equal.len() as u32 - 1;
        for rank in first..=last {
            moves.add(crp::relative_position(ranks + 1 - rank, first, last));
        }
        first = last + 1;
    }
    moves
}
