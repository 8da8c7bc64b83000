//! P-measure and P-plus.

use super::q;
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "PMeasure",
        aliases: &["P_measure"],
        group: "blended",
        summary: "The blended ratio at the preferred rank: that of the first document of the highest gain in the ranking.",
        prose: "The user wants one document, the best that the ranking has, and reads until it comes. What the highest gain is depends on the ranking, not on the judgments. With beta=inf the ratio is its limit cg(p) / cg*(p).",
        formula: "PMeasure = (beta cg(p) + c(p)) / (beta cg*(p) + p), where p <= k is the first rank with the highest gain among the first k; 0 if nothing relevant is there",
        citation: "Sakai (2006), Bootstrap-based comparisons of IR metrics for finding one relevant document, AIRS; Sakai (2007), On the properties of evaluation metrics for finding one highly relevant document, IPSJ TOD",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { params: &[q::BETA], cutoff: Cutoff::Optional, ..Takes::NONE },
    sees: Sees::GAINS,
    laws: Laws::UNKNOWN,
    score: |measure, case| {
        let preferred = preferred(case, measure.depth());
        q::blended_ratios(measure, case)
            .find(|(document, _)| Some(document.rank) == preferred)
            .map_or(0.0, |(_, ratio)| ratio)
    },
    peers: &[
        Peer::new("NTCIREVAL", "P-measure")
            .but("looks for the highest level, which matters only where two levels have one gain"),
        Peer::new("pyNTCIREVAL", "PMeasure")
            .but("looks for the highest level, which matters only where two levels have one gain"),
    ],
    examples: &[Example {
        measure: "PMeasure",
        judgments: "a=1 b=3 c=0 d=2",
        list: "a c d x b",
        value: 9.0 / 11.0,
        working: "b at rank 5 is the best: (6 + 3) / (6 + 5)",
    }],
};

pub static P_PLUS: Family = Family {
    about: About {
        name: "PPlus",
        aliases: &["P_plus", "P+"],
        group: "blended",
        summary: "The mean of the blended ratios of the relevant documents down to the preferred rank.",
        prose: "The user reads until the first document of the highest gain in the ranking, and stops at each relevant document above it with the same probability. With beta=inf the ratio is its limit cg(r) / cg*(r).",
        formula: "PPlus = (1/c(p)) sum over relevant documents at ranks r <= p of (beta cg(r) + c(r)) / (beta cg*(r) + r), where p <= k is the first rank with the highest gain among the first k; 0 if nothing relevant is there",
        citation: "Sakai (2006), Bootstrap-based comparisons of IR metrics for finding one relevant document, AIRS",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { params: &[q::BETA], cutoff: Cutoff::Optional, ..Takes::NONE },
    sees: Sees::GAINS,
    laws: Laws::UNKNOWN,
    score: |measure, case| {
        let Some(preferred) = preferred(case, measure.depth()) else {
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

/// The preferred rank: the first with the highest gain among the first `k`.
fn preferred(case: &Case, k: u32) -> Option<u32> {
    let mut best = None;
    let mut highest = 0.0;
    for document in case.relevant(k) {
        let gain = case.gain(document);
        if gain > highest {
            (best, highest) = (Some(document.rank), gain);
        }
    }
    best
}
