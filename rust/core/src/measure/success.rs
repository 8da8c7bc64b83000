//! Success at a rank.

use super::{Cutoff, Example, Family};

pub static FAMILY: Family = Family {
    name: "Success",
    aliases: &["hit_rate"],
    group: "binary ranks",
    summary: "Whether there is a relevant document among the first k.",
    prose: "Its mean is the share of topics that are served at all; other names are hit rate and accuracy at k.",
    formula: "Success@k = 1 if c(k) > 0, else 0",
    citation: "Craswell and Hawking (2005), Overview of the TREC-2004 web track",
    cutoff: Cutoff::Required,
    score: |measure, case| f64::from(u8::from(!case.relevant(measure.depth()).is_empty())),
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
    ..Family::BASE
};
