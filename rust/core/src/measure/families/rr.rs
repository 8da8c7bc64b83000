//! Reciprocal rank.

use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "RR",
        aliases: &["MRR", "recip_rank", "reciprocal_rank", "mean reciprocal rank"],
        group: "binary ranks",
        summary: "One over the rank of the first relevant document.",
        prose: "Its mean over topics is MRR. With a cutoff, relevant documents below rank k do not count.",
        formula: "RR = 1 / r, where r is the rank of the first relevant document; 0 without one",
        citation: "Voorhees (1999), The TREC-8 question answering track report",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { cutoff: Cutoff::Optional, budget: Budgets::Taken, ..Takes::NONE },
    sees: Sees { reach: Measure::depth, ..Sees::GRADES },
    laws: Laws {
        bounds: |_| Bounds::Monotone,
        contrast: |_| Contrast::First(|_, _, rank| 1.0 / f64::from(rank)),
        ties: |_| Ties::sorted(Mean::First),
        ..Laws::UNKNOWN
    },
    score: |measure, case| {
        case.relevant(measure.depth()).first().map_or(0.0, |first| 1.0 / f64::from(first.rank))
    },
    peers: &[
        Peer::new("trec_eval", "recip_rank"),
        Peer::new("ir_measures", "RR"),
        Peer::new("ir_measures", "RR@10")
            .but("among equal scores the lower document id comes first, unlike in its RR"),
        Peer::new("ranx", "mrr"),
        Peer::new("ranx", "mrr@10"),
        Peer::new("NTCIREVAL", "RR"),
        Peer::new("pyNTCIREVAL", "RR"),
        Peer::new("cwl_eval", "RR"),
        Peer::new("BEIR", "MRR@10"),
        Peer::new("MTEB", "mrr_at_10"),
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
