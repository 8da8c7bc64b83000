//! O-measure.

use super::q;
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "O",
        aliases: &["O_measure", "Omeasure"],
        group: "blended",
        summary: "The blended ratio at the first relevant document.",
        prose: "It is RR for graded relevance: the user wants one relevant document and prefers a higher grade. With beta=0 it is RR; with beta=inf the limit g(r) / cg*(r).",
        formula: "O = (beta g(r) + 1) / (beta cg*(r) + r) at the rank r <= k of the first relevant document, where cg* is the cumulated gain of the ideal ranking; 0 if there is none",
        citation: "Sakai (2006), On the task of finding one highly relevant document with high precision, IPSJ TOD",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { params: &[q::BETA], cutoff: Cutoff::Optional, ..Takes::NONE },
    sees: Sees::GAINS,
    laws: Laws { ties: |_| Ties::sorted(Mean::First), ..Laws::UNKNOWN },
    score: |measure, case| q::blended_ratios(measure, case).next().map_or(0.0, |(_, ratio)| ratio),
    peers: &[Peer::new("NTCIREVAL", "O-measure"), Peer::new("pyNTCIREVAL", "OMeasure")],
    examples: &[Example {
        measure: "O",
        judgments: "a=1 b=3 c=0 d=2",
        list: "c a b x d",
        value: 2.0 / 7.0,
        working: "a at rank 2: (1 + 1) / (5 + 2)",
    }],
};
