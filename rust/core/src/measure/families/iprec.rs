//! Precision at recall levels: interpolated, as it is, and averaged over levels.

use crate::measure::declare::*;
use crate::trace::Relevant;

const POINTS: Param =
    Param::new("points", Range::Points, "the number of recall levels, from 0 to 1")
        .or(Default::Number(11.0));

pub static FAMILY: Family = Family {
    about: About {
        name: "IPrec",
        aliases: &["interpolated_precision", "interpolated precision at recall"],
        group: "binary ranks",
        summary: "The highest precision at any rank where recall has reached a given level.",
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

pub static PREC_AT_RECALL: Family = Family {
    about: About {
        name: "PrecAtRecall",
        aliases: &["precision_at_recall"],
        group: "binary ranks",
        summary: "The precision at the first rank where recall has reached a given level.",
        prose: "The uninterpolated form of IPrec: later ranks with a higher precision do not count. Level 0 is reached at rank 1. The level is compared exactly.",
        formula: "PrecAtRecall@t = c(r) / r at the first rank r with c(r) >= t R; 0 if there is none",
        citation: "Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, section 8.4",
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
        match needed(measure, case) {
            0 => case.hits(1),
            needed => {
                let reached = case.relevant(u32::MAX).get(needed - 1);
                reached.map_or(0.0, |d| f64::from(d.seen) / f64::from(d.rank))
            }
        }
    },
    peers: &[],
    examples: &[
        Example {
            measure: "PrecAtRecall@0.5",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c e",
            value: 0.5,
            working: "two of three are needed, the second is at rank 4: 2/4; IPrec finds 3/5 at rank 5",
        },
        Example {
            measure: "PrecAtRecall@1",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 0.0,
            working: "the third relevant document is not retrieved",
        },
    ],
};

pub static IAP: Family = Family {
    about: About {
        name: "IAP",
        aliases: &["eleven_point", "interpolated average precision", "11-point interpolated average precision", "eleven-point interpolated average precision", "11-point average precision", "eleven-point average precision"],
        group: "binary ranks",
        summary: "The mean of the interpolated precision at equally spaced recall levels.",
        prose: "With 11 points the levels are 0, 0.1 ... 1: the 11-point average of the early TRECs. Levels are compared exactly, in whole numbers.",
        formula: "IAP = (1/points) sum over i = 0 ... points - 1 of IPrec at level i / (points - 1)",
        citation: "Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, section 8.4",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes {
        params: &[POINTS],
        ..Takes::NONE
    },
    sees: Sees::GRADES,
    laws: Laws { bounds: |_| Bounds::Sorted, ties: |_| Ties::SORTED, ..Laws::UNKNOWN },
    score: |measure, case| {
        let points = measure.get(POINTS) as u64;
        let num_rel = u64::from(case.view.num_rel);
        if num_rel == 0 {
            return f64::NAN;
        }
        let found = case.relevant(u32::MAX);
        let (mut best, mut sum, mut rest) = (0.0, 0.0, found.len());
        for level in (1..points).rev() {
            // This many relevant documents reach the level.
            let needed = (level * num_rel).div_ceil(points - 1) as usize;
            if needed <= found.len() {
                best = highest(best, &found[needed - 1..rest]);
                rest = needed - 1;
                sum += best;
            }
        }
        // Level 0 is reached before the first relevant document.
        (sum + highest(best, &found[..rest])) / points as f64
    },
    peers: &[
        Peer::new("trec_eval", "11pt_avg")
            .but("rounds the number of documents that a level needs: version 9 cuts level x R + 0.9, version 10 rounds level x R"),
        Peer::new("trec_eval 8.1", "11-pt_avg"),
    ],
    examples: &[
        Example {
            measure: "IAP",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 0.5,
            working: "levels 0 to .3 give 1, .4 to .6 give 2/4, the rest 0: (4 + 3/2) / 11",
        },
        Example {
            measure: "IAP(points=3)",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 0.5,
            working: "levels 0, .5, 1 give 1, 2/4, 0: 1.5 / 3",
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
fn lower(numerator: f64, divisor: f64, best: f64) -> bool {
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

/// The higher one of a precision and the highest at any of these documents.
fn highest(mut best: f64, documents: &[Relevant]) -> f64 {
    for block in documents.rchunks(BLOCK) {
        let ([first, ..], [.., last]) = (block, block) else { continue };
        // None of them can have more than the most documents at the highest rank.
        if lower(last.seen.into(), first.rank.into(), best) {
            continue;
        }
        let ratios = block.iter().rev();
        best = ratios.fold(best, |best, d| higher(best, d.seen.into(), d.rank.into()));
    }
    best
}

/// This many documents are left out together if none of them can have the highest precision.
const BLOCK: usize = 16;
