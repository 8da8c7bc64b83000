//! Average precision: the model of a measure file.

use super::{Cutoff, Example, Family};

pub static FAMILY: Family = Family {
    name: "AP",
    aliases: &["MAP", "average_precision"],
    group: "binary ranks",
    summary: "The mean over all relevant documents of the precision at their ranks.",
    prose: "Relevant documents that were not retrieved contribute 0. With a cutoff the sum ends at rank k and the divisor stays R, as in trec_eval, ir_measures and MTEB; aAP has the other divisor. On the condensed list it is AP', which is also indAP of Yilmaz and Aslam and bpref_relative2 of Sakai.",
    formula: "AP = (1/R) sum over relevant documents at ranks r <= k of c(r) / r",
    citation: "Buckley and Voorhees (2000), Evaluating evaluation measure stability, SIGIR; Yilmaz and Aslam (2006), Estimating average precision with incomplete and imperfect judgments, CIKM",
    cutoff: Cutoff::Optional,
    score: |measure, case| {
        let precisions = case.relevant(measure.depth()).iter();
        precisions.map(|d| f64::from(d.seen) / f64::from(d.rank)).sum::<f64>() / case.num_rel()
    },
    examples: &[
        Example {
            measure: "AP",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 0.5,
            working: "(1/1 + 2/4) / 3",
        },
        Example {
            measure: "AP'",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 5.0 / 9.0,
            working: "condensed a b c d: (1/1 + 2/3) / 3",
        },
        Example {
            measure: "AP@3",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 1.0 / 3.0,
            working: "(1/1) / 3",
        },
    ],
    ..Family::BASE
};
