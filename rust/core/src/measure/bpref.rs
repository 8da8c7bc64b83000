//! Binary preference, and what its relatives share.

use super::{Case, Example, Family};

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
        preferred(case, |above| above.min(num_rel) / num_nonrel.min(num_rel))
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

/// (1/R) sum of 1 - share, where the share follows from the documents above
/// that are judged not relevant; without one it is 0, whatever the divisor.
pub(super) fn preferred(case: &Case, share: impl Fn(f64) -> f64) -> f64 {
    let preferred = case.relevant(u32::MAX).iter().map(|d| match d.nonrelevant {
        0 => 1.0,
        above => 1.0 - share(f64::from(above)),
    });
    preferred.sum::<f64>() / case.num_rel()
}
