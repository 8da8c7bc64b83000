//! Reciprocal rank.

use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "RR",
        aliases: &["MRR", "recip_rank", "reciprocal_rank"],
        group: "binary ranks",
        summary: "One over the rank of the first relevant document.",
        prose: "Its mean over topics is MRR. With a cutoff, a first relevant document below it counts as none.",
        formula: "RR = 1 / r, where r is the rank of the first relevant document; 0 without one",
        citation: "Voorhees (1999), The TREC-8 question answering track report",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { cutoff: Cutoff::Optional, ..Takes::NONE },
    sees: Sees { reach: Measure::depth, ..Sees::GRADES },
    laws: Laws {
        bounds: |_| Bounds::Monotone,
        ties: |_| Ties::sorted(Mean::First),
        ..Laws::UNKNOWN
    },
    score: |measure, case| {
        case.relevant(measure.depth()).first().map_or(0.0, |first| 1.0 / f64::from(first.rank))
    },
    peers: &[
        Peer { tool: "trec_eval", spelling: "recip_rank", here: None, difference: "" },
        Peer { tool: "ir_measures", spelling: "RR", here: None, difference: "" },
        Peer {
            tool: "ir_measures",
            spelling: "RR@10",
            here: None,
            difference: "among equal scores the lower document id comes first, unlike in its RR",
        },
        Peer { tool: "ranx", spelling: "mrr", here: None, difference: "" },
        Peer { tool: "ranx", spelling: "mrr@10", here: None, difference: "" },
        Peer { tool: "NTCIREVAL", spelling: "RR", here: None, difference: "" },
        Peer { tool: "pyNTCIREVAL", spelling: "RR", here: None, difference: "" },
        Peer { tool: "cwl_eval", spelling: "RR", here: None, difference: "" },
        Peer { tool: "BEIR", spelling: "MRR@10", here: None, difference: "" },
        Peer { tool: "MTEB", spelling: "mrr_at_10", here: None, difference: "" },
    ],
    examples: &[
        Example {
            measure: "RR",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "b a c",
            value: 0.5,
            working: "the first relevant document is at rank 2",
        },
        Example {
            measure: "RR@1",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "b a c",
            value: 0.0,
            working: "none within the first rank",
        },
    ],
};
