//! The log-odds of average precision, smoothed.

use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "yaap",
        aliases: &[],
        group: "binary ranks",
        summary: "The logarithm of the odds of average precision, smoothed.",
        prose: "Average precision is bounded by 0 and 1, so an equal step means more near the ends than in the middle; its log-odds are not bounded, so that steps are comparable when topics are averaged. One relevant document more, with precision 1, and one more, with precision 0, keep the odds finite. On a topic it orders lists as AP does. A list without a relevant document has ln(1 / (1 + R)), which is below 0. The sum over the relevant documents is R times AP.",
        formula: "yaap = ln((1 + S) / (1 + R - S)), where S = sum over relevant documents retrieved of c(r) / r",
        citation: "Robertson (2012), On smoothing average precision, ECIR; trec_eval, measure yaap",
        range: "(-inf, inf)",
        better: |_| Better::Higher,
    },
    takes: Takes::NONE,
    sees: Sees::GRADES,
    laws: Laws {
        bounds: |_| Bounds::Sorted,
        // The sum of the precisions.
        falls: |_, _| {
            let sum = |value: f64, num_rel: f64| {
                let odds = value.exp();
                (odds * (1.0 + num_rel) - 1.0) / (1.0 + odds)
            };
            Some(Falls::Sum(sum, |sum, num_rel| ((1.0 + sum) / (1.0 + num_rel - sum)).ln()))
        },
        ties: |_| Ties::SORTED,
        ..Laws::UNKNOWN
    },
    score: |_, case| {
        let precisions = case.relevant(u32::MAX).iter();
        let sum: f64 = precisions.map(|d| f64::from(d.seen) / f64::from(d.rank)).sum();
        ((1.0 + sum) / (1.0 + case.num_rel() - sum)).ln()
    },
    peers: &[Peer::new("trec_eval", "yaap")],
    examples: &[
        Example {
            measure: "yaap",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 0.0,
            working: "S = 1/1 + 2/4, R = 3: ln(2.5 / 2.5)",
        },
        Example {
            measure: "yaap",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "b d",
            value: -2.0 * std::f64::consts::LN_2,
            working: "S = 0: ln(1 / 4)",
        },
    ],
};
