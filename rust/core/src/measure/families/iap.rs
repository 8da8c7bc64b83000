//! Interpolated average precision.

use super::iprec::{higher, lower};
use crate::measure::declare::*;
use crate::trace::Relevant;

pub static FAMILY: Family = Family {
    about: About {
        name: "IAP",
        aliases: &["eleven_point"],
        group: "binary ranks",
        summary: "The mean of the interpolated precision at equally spaced recall levels.",
        prose: "With 11 points the levels are 0, 0.1 ... 1: the 11-point average of the early TRECs. Levels are compared exactly, in whole numbers.",
        formula: "IAP = (1/points) sum over i = 0 ... points - 1 of IPrec at level i / (points - 1)",
        citation: "Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, section 8.4",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes {
        params: &[Param::new("points", Range::Points, "the number of recall levels, from 0 to 1")
            .or(Default::Number(11.0))],
        ..Takes::NONE
    },
    sees: Sees::GRADES,
    laws: Laws { bounds: |_| Bounds::Sorted, ties: |_| Ties::SORTED, ..Laws::UNKNOWN },
    score: |measure, case| {
        let points = measure.number("points").map_or(11, |n| n as u64);
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
