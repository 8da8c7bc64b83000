//! Binary preference.

use super::{Example, Family};

pub static FAMILY: Family = Family {
    name: "bpref",
    aliases: &["binary_preference"],
    group: "preference",
    summary: "How seldom documents judged not relevant stand above relevant ones.",
    prose: "Unjudged documents are passed over. A relevant document with nothing judged not relevant above it counts 1, which also settles topics without such documents. This is the formula of trec_eval since version 8, with N the documents judged not relevant, retrieved or not.",
    formula: "bpref = (1/R) sum over relevant documents retrieved of 1 - min(n, R) / min(N, R), where n documents judged not relevant stand above",
    citation: "Buckley and Voorhees (2004), Retrieval evaluation with incomplete information, SIGIR; Sakai (2007), Alternatives to bpref, SIGIR, equation 1",
    score: |_, case| {
        let (num_rel, num_nonrel) = (case.num_rel(), case.num_nonrel());
        let preferred = case.relevant(u32::MAX).iter().map(|d| match f64::from(d.nonrelevant) {
            0.0 => 1.0,
            above => 1.0 - above.min(num_rel) / num_nonrel.min(num_rel),
        });
        preferred.sum::<f64>() / num_rel
    },
    examples: &[
        Example {
            measure: "bpref",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 0.5,
            working: "(1 + (1 - 1/2)) / 3",
        },
        Example {
            measure: "bpref",
            judgments: "a=1 e=1",
            list: "x a",
            value: 0.5,
            working: "no document judged not relevant: a counts 1, e is missing: 1/2",
        },
    ],
    ..Family::BASE
};
