//! Whether all relevant documents were found.

use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "AllRecall",
        aliases: &[
            "FullRecall",
            "recall_all",
            "all_recall",
            "full recall",
            "complete recall",
            "all evidence found",
        ],
        group: "binary ranks",
        summary: "Whether all relevant documents are among the first k.",
        prose: "A question that takes several documents to answer cannot be answered from some of them. Its mean is the proportion of topics whose relevant documents were all found. EC-AllRecall asks for one document of each class, so that several documents can hold the same fact. Without a relevant document the value is 0/0; LongMemEval's recall_all is 1 there.",
        formula: "AllRecall@k = 1 if c(k) = R, else 0",
        citation: "Wu et al. (2025), LongMemEval: Benchmarking chat assistants on long-term interactive memory, ICLR, recall_all",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { cutoff: Cutoff::Optional, budget: Budgets::Taken, ..Takes::NONE },
    sees: Sees { reach: Measure::depth, ..Sees::GRADES },
    laws: Laws { ties: |_| Ties::SORTED, ..Laws::UNKNOWN },
    score: |measure, case| match case.view.num_rel {
        0 => f64::NAN,
        all => f64::from(u8::from(case.relevant(measure.depth()).len() == all as usize)),
    },
    peers: &[],
    examples: &[
        Example {
            measure: "AllRecall@3",
            judgments: "x=1 b=1 c=1",
            list: "a x b c",
            value: 0.0,
            working: "c is at rank 4",
        },
        Example {
            measure: "AllRecall@4",
            judgments: "x=1 b=1 c=1",
            list: "a x b c",
            value: 1.0,
            working: "all three are among the first four",
        },
    ],
};
