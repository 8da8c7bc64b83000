//! Scaled discounted cumulated gain.

use super::inst;
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "SDCG",
        aliases: &["scaled_DCG", "scaled discounted cumulative gain"],
        group: "user models",
        summary: "Discounted cumulated gain, divided by that of k documents of the highest gain.",
        prose: "It is the user model of DCG: cwl_eval calls it NDCG-k, but no ideal ranking of the topic enters it, so it reaches 1 only where there are k best documents.",
        formula: "SDCG@k = [sum over ranks r <= k of g(r) / log2(r + 1)] / sum over ranks r <= k of 1 / log2(r + 1); C(i) = log2(i + 1) / log2(i + 2) for i < k",
        citation: "Moffat, Bailey, Scholer and Thomas (2017), Incorporating user expectations and behavior into the measurement of search effectiveness, TOIS",
        range: inst::RANGE,
        better: inst::better,
    },
    takes: Takes {
        params: &[inst::HIGHEST, inst::OUT, inst::UNJUDGED],
        cutoff: Cutoff::Required,
        budget: Budgets::Instead("DCG"),
        ..inst::TAKES
    },
    sees: inst::SEES,
    laws: Laws { ties: inst::ties, ..inst::LAWS },
    score: |measure, case| {
        let last = f64::from(measure.depth());
        inst::numbers(measure, case, |reading| {
            if reading.rank < last {
                (reading.rank + 1.0).log2() / (reading.rank + 2.0).log2()
            } else {
                0.0
            }
        })
    },
    peers: &[Peer::new("cwl_eval", "NDCG-k@10"), Peer::new("ir_measures", "SDCG(max_rel=3)@10")],
    examples: &[Example {
        measure: "SDCG@3",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x c d",
        value: 1.5 / (1.5 + 0.630_929_753_571_457_4),
        working: "(1 + 1/2) / (1 + 1/log2(3) + 1/2)",
    }],
};
