//! Recall at a rank, with the divisor capped by the rank.

use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "Rcap",
        aliases: &["R_cap", "recall_cap", "capped recall"],
        group: "binary ranks",
        summary: "Recall among the first k, where the divisor is at most k.",
        prose: "BEIR calls it R_cap and trec_eval relative_P. It reaches 1 whenever the first k documents are as good as they can be.",
        formula: "Rcap@k = c(k) / min(k, R)",
        citation: "Thakur et al. (2021), BEIR: A heterogeneous benchmark for zero-shot evaluation of information retrieval models, NeurIPS",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { cutoff: Cutoff::Required, budget: Budgets::Instead("R"), ..Takes::NONE },
    sees: Sees { reach: Measure::depth, ..Sees::GRADES },
    laws: Laws {
        bounds: |_| Bounds::Sorted,
        contrast: |_| Contrast::Ratio { weight: |_, _, _| 1.0, cut: true },
        ties: |_| Ties::SUM,
        ..Laws::UNKNOWN
    },
    score: |measure, case| {
        case.hits(measure.depth()) / f64::from(measure.depth().min(case.view.num_rel))
    },
    peers: &[
        Peer::new("trec_eval", "relative_P_10"),
        Peer::new("BEIR", "R_cap@10")
            .but("divides by zero, and stops, at a topic without a relevant document"),
        Peer::new("MTEB", "R_cap_at_10")
            .but("None instead of 0 for a topic without a relevant document"),
    ],
    examples: &[Example {
        measure: "Rcap@2",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 0.5,
        working: "one of the two that two places can hold: 1/2",
    }],
};
