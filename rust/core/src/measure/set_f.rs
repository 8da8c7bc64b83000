//! The F measure of the retrieved set.

use super::{Cutoff, Default, Example, Family, Param, Range};

pub static FAMILY: Family = Family {
    name: "SetF",
    aliases: &["set_F", "f1"],
    group: "sets",
    summary: "The weighted harmonic mean of set precision and set recall.",
    prose: "beta says how many times recall counts more than precision. trec_eval's set_F.x and ir_measures' SetF(beta=x) take x for beta squared.",
    formula: "SetF = (beta^2 + 1) P R / (beta^2 P + R); 0 when nothing relevant was retrieved",
    citation: "van Rijsbergen (1979), Information Retrieval, chapter 7; Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, equation 8.6",
    params: &[Param::new(
        "beta",
        Range::NonNegative,
        "how many times recall counts more than precision",
    )
    .or(Default::Number(1.0))],
    cutoff: Cutoff::Optional,
    score: |measure, case| {
        if case.view.num_rel == 0 {
            return f64::NAN;
        }
        let precision = super::set_p::precision(measure, case);
        if precision == 0.0 {
            return 0.0;
        }
        let recall = case.hits(measure.depth()) / case.num_rel();
        let square = measure.number("beta").map_or(1.0, |beta| beta * beta);
        (square + 1.0) * precision * recall / (square * precision + recall)
    },
    examples: &[
        Example {
            measure: "SetF",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 0.5,
            working: "P = 2/5, R = 2/3: 2 (4/15) / (16/15)",
        },
        Example {
            measure: "SetF(beta=2)",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 10.0 / 17.0,
            working: "5 (4/15) / (4 (2/5) + 2/3) = (4/3) / (34/15)",
        },
    ],
    ..Family::BASE
};
