//! Interpolated precision at a recall level.

use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "IPrec",
        aliases: &["interpolated_precision"],
        group: "binary ranks",
        summary: "The highest precision at any rank where recall has reached a level.",
        prose: "The level is compared exactly: with R = 3, level 0.5 needs two documents. trec_eval rounds the number of documents instead, 9 by truncating level x R + 0.9 and 10 to the nearest, so its iprec_at_recall is another measure.",
        formula: "IPrec@t = max over ranks r with c(r) >= t R of c(r) / r; 0 if there is none",
        citation: "Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, equation 8.7",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { cutoff: Cutoff::Recall, ..Takes::NONE },
    sees: Sees::GRADES,
    laws: Laws { bounds: |_| Bounds::Sorted, ties: |_| Ties::SORTED, ..Laws::UNKNOWN },
    score: |measure, case| {
        if case.view.num_rel == 0 {
            return f64::NAN;
        }
        let reached = case.relevant(u32::MAX).iter().skip(needed(measure, case).max(1) - 1);
        reached.fold(0.0, |best, d| higher(best, d.seen.into(), d.rank.into()))
    },
    peers: &[
        Peer::new("trec_eval", "iprec_at_recall_0.10")
            .but("rounds the number of documents that a level needs: version 9 cuts level x R + 0.9, version 10 rounds level x R"),
        Peer::new("trec_eval 8.1", "ircl_prn.0.10"),
        Peer::new("ir_measures", "IPrec@0.1")
            .but("runs trec_eval 9, which cuts level x R + 0.9 to a whole number of documents"),
    ],
    examples: &[
        Example {
            measure: "IPrec@0.5",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 0.5,
            working: "two of three are needed, the second is at rank 4: 2/4",
        },
        Example {
            measure: "IPrec@0.9",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 0.0,
            working: "the third relevant document is not retrieved",
        },
    ],
};

/// The higher one of a value and a ratio. A ratio that is lower beyond rounding is not
/// computed: products are faster.
#[inline]
pub(super) fn higher(best: f64, numerator: f64, divisor: f64) -> f64 {
    // Out of line, or each value would wait for the division of the last.
    #[inline(never)]
    fn divided(best: f64, numerator: f64, divisor: f64) -> f64 {
        best.max(numerator / divisor)
    }
    if lower(numerator, divisor, best) {
        return best;
    }
    divided(best, numerator, divisor)
}

/// Whether a ratio is lower than a value beyond rounding.
#[inline]
pub(super) fn lower(numerator: f64, divisor: f64, best: f64) -> bool {
    numerator < best * divisor * (1.0 - 1e-15)
}

/// How many relevant documents the recall level needs.
pub(super) fn needed(measure: &Measure, case: &Case) -> usize {
    times_num_rel(measure.cutoff.unwrap_or(0.0), case) as usize
}

/// The least whole number that is no less than this many times R.
pub(super) fn times_num_rel(factor: f64, case: &Case) -> f64 {
    // A factor is a decimal, so its product with R is a whole number or at
    // least this far from one, and the product in floats is nearer than that.
    (factor * case.num_rel() - 1e-9).ceil().max(0.0)
}
