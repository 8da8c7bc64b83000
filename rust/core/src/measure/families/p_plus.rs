//! P-plus.

use super::{p_measure, q};
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "PPlus",
        aliases: &["P_plus", "P+"],
        group: "blended",
        summary: "The mean of the blended ratios of the relevant documents down to the preferred rank.",
        prose: "The user reads until the first document of the highest gain in the list, and stops at each relevant document above it with the same probability. With beta=inf the ratio is its limit cg(r) / cg*(r).",
        formula: "PPlus = (1/c(p)) sum over relevant documents at ranks r <= p of (beta cg(r) + c(r)) / (beta cg*(r) + r), where p <= k is the first rank with the highest gain among the first k; 0 if nothing relevant is there",
        citation: "Sakai (2006), Bootstrap-based comparisons of IR metrics for finding one relevant document, AIRS",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { params: &[q::BETA], cutoff: Cutoff::Optional, ..Takes::NONE },
    sees: Sees::GAINS,
    laws: Laws::UNKNOWN,
    score: |measure, case| {
        let Some(preferred) = p_measure::preferred(case, measure.depth()) else {
            return 0.0;
        };
        let ratios = q::blended_ratios(measure, case);
        let (sum, count) = ratios
            .take_while(|(document, _)| document.rank <= preferred)
            .fold((0.0, 0.0), |(sum, count), (_, ratio)| (sum + ratio, count + 1.0));
        sum / count
    },
    peers: &[
        Peer::new("NTCIREVAL", "P-plus")
            .but("looks for the highest level, which matters only where two levels have one gain"),
        Peer::new("pyNTCIREVAL", "PPlusMeasure")
            .but("looks for the highest level, which matters only where two levels have one gain"),
    ],
    examples: &[Example {
        measure: "PPlus",
        judgments: "a=1 b=3 c=0 d=2",
        list: "a c d x b",
        value: (2.0 / 4.0 + 5.0 / 9.0 + 9.0 / 11.0) / 3.0,
        working: "(2/4 + 5/9 + 9/11) / 3",
    }],
};
