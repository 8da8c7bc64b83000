//! Net present value.

use super::inst;
use crate::measure::declare::*;

const RATE: Param = Param::new("rate", Range::Positive, "the interest from one rank to the next")
    .or(Default::Printed(0.1));

pub static FAMILY: Family = Family {
    about: About {
        name: "NPV",
        aliases: &["net_present_value"],
        group: "user models",
        summary: "The expected gain per document of a user who discounts each rank by an interest rate.",
        prose: "It is RBP with p = 1 / (1 + rate).",
        formula: "NPV = sum over ranks r of W(r) g(r), where W(r) is proportional to prod over i < r of C(i) and C(i) = 1 / (1 + rate)",
        citation: "cwl_eval, measure NPV",
        range: inst::RANGE,
        better: inst::better,
    },
    takes: Takes { params: &[RATE, inst::HIGHEST, inst::OUT, inst::UNJUDGED], ..inst::TAKES },
    sees: inst::SEES,
    laws: Laws { ties: inst::ties, ..inst::LAWS },
    score: |measure, case| {
        let on = 1.0 / (1.0 + measure.get(RATE));
        inst::numbers(measure, case, |_| on)
    },
    peers: &[Peer::new("cwl_eval", "NPVCWLMetric(0.1)")],
    examples: &[Example {
        measure: "NPV(rate=1)@2",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "b a c",
        value: 1.0 / 3.0,
        working: "C = 1/2: W(2) = .5 / 1.5",
    }],
};
