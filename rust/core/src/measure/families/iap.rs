//! Interpolated average precision.

use crate::measure::{
    About, Better, Bounds, Default, Example, Family, Laws, Param, Peer, Range, Sees, Takes, Ties,
};

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
        let mut best = 0.0f64;
        let mut sum = 0.0;
        let mut level = points;
        for document in case.relevant(u32::MAX).iter().rev() {
            best = best.max(f64::from(document.seen) / f64::from(document.rank));
            // The levels that this document reaches and the one above it does not.
            while level > 0 && (level - 1) * num_rel > u64::from(document.seen - 1) * (points - 1) {
                if (level - 1) * num_rel <= u64::from(document.seen) * (points - 1) {
                    sum += best;
                }
                level -= 1;
            }
        }
        // Level 0 is reached before the first relevant document.
        (sum + best * level as f64) / points as f64
    },
    peers: &[
        Peer {
            tool: "trec_eval",
            spelling: "11pt_avg",
            difference: "rounds the number of documents that a level needs: version 9 cuts level x R + 0.9, version 10 rounds level x R",
        },
        Peer { tool: "trec_eval 8.1", spelling: "11-pt_avg", difference: "" },
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
