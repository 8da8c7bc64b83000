//! Success at a rank.

use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "Success",
        aliases: &[
            "hit_rate",
            "Hit",
            "success at k",
            "success rate",
            "hit rate at k",
            "top-k accuracy",
        ],
        group: "binary ranks",
        summary: "Whether there is a relevant document among the first k.",
        prose: "Its mean is the proportion of topics with at least one relevant document in the first k; also called hit rate or accuracy at k.",
        formula: "Success@k = 1 if c(k) > 0, else 0",
        citation: "Craswell and Hawking (2005), Overview of the TREC-2004 web track",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { cutoff: Cutoff::Required, budget: Budgets::Taken, ..Takes::NONE },
    sees: Sees { reach: Measure::depth, ..Sees::GRADES },
    laws: Laws {
        bounds: |_| Bounds::Monotone,
        contrast: |_| Contrast::First(|_, _, _| 1.0),
        ties: |_| Ties::sorted(Mean::First),
        ..Laws::UNKNOWN
    },
    score: |measure, case| f64::from(u8::from(!case.relevant(measure.depth()).is_empty())),
    peers: &[
        Peer::new("trec_eval", "success_10"),
        Peer::new("ir_measures", "Success@10"),
        Peer::new("ranx", "hit_rate@10"),
        Peer::new("NTCIREVAL", "Hit@0010"),
        Peer::new("pyNTCIREVAL", "Hit@0010"),
        Peer::new("BEIR", "Accuracy@10"),
        Peer::new("MTEB", "hit_rate_at_10"),
        Peer::new("MTEB", "Accuracy@10")
            .but("lists the topics with a hit only, so its mean is always 1"),
    ],
    examples: &[
        Example {
            measure: "Success@1",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 1.0,
            working: "the first document is relevant",
        },
        Example {
            measure: "Success@2",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "x b a",
            value: 0.0,
            working: "neither of the first two is relevant",
        },
    ],
};
