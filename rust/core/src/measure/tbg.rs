//! Time-biased gain as a user model.

use super::{Default, Example, Family, Param, Peer, Range, inst};

pub static FAMILY: Family = Family {
    name: "TBG",
    aliases: &["time_biased_gain"],
    summary: "The expected gain of a document read by a user whose attention halves within a time.",
    prose: "It is cwl_eval's form, whose weights add up to 1. Every document takes the same time, cost seconds, so it is RBP with p = 2^(-cost / halflife) to k ranks, 1000 without a cutoff. The original form of Smucker and Clarke does not normalise, and its times follow from the lengths of the documents.",
    formula: "TBG = sum over ranks r of W(r) g(r), where W(r) is proportional to 2^(-(r - 1) cost / halflife)",
    citation: "Smucker and Clarke (2012), Time-based calibration of effectiveness measures, SIGIR; cwl_eval, measure TBG",
    params: &[
        Param::new("halflife", Range::Positive, "the time within which attention halves")
            .or(Default::Printed(224.0)),
        inst::COST,
        inst::HIGHEST,
        inst::OUT,
        inst::UNJUDGED,
    ],
    ties: inst::ties,
    score: |measure, case| {
        let halflife = measure.number("halflife").unwrap_or(224.0);
        let on = (-measure.number("cost").unwrap_or(1.0) / halflife).exp2();
        let last = measure.cutoff.unwrap_or(inst::RANKS);
        inst::numbers(measure, case, |reading| if reading.rank < last { on } else { 0.0 })
    },
    peers: &[Peer { tool: "cwl_eval", spelling: "TBG-H@224", difference: "" }],
    examples: &[Example {
        measure: "TBG(halflife=10,cost=10)@2",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "b a c",
        value: 1.0 / 3.0,
        working: "the second document has half the weight of the first: .5 / 1.5",
    }],
    ..inst::USER
};
