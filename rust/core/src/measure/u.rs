//! U-measure as a user model.

use super::{Default, Example, Family, Param, Peer, Range, inst};

pub static FAMILY: Family = Family {
    name: "U",
    aliases: &["U_measure"],
    summary: "The expected gain of a document read by a user whose attention falls in a line to nothing at a length of text.",
    prose: "It is cwl_eval's form, whose weights add up to 1. Every document has the same length, cost characters, so the weights fall in a line to rank L / cost. The last of the k ranks, 1000 without a cutoff, has no weight, as there. The original form of Sakai and Dou does not normalise, and goes by the text that was read.",
    formula: "U = sum over ranks r of W(r) g(r), where W(r) is proportional to max(0, 1 - (r - 1) cost / L)",
    citation: "Sakai and Dou (2013), Summaries, ranked retrieval and sessions: a unified framework for information access evaluation, SIGIR; cwl_eval, measure U",
    params: &[
        Param::new("L", Range::Positive, "the length of text after which nothing counts")
            .or(Default::Printed(1000.0)),
        inst::COST,
        inst::HIGHEST,
        inst::OUT,
        inst::UNJUDGED,
    ],
    ties: inst::ties,
    score: |measure, case| {
        let length = measure.number("L").unwrap_or(1000.0);
        let cost = measure.number("cost").unwrap_or(1.0);
        let ranks = measure.cutoff.unwrap_or(inst::RANKS);
        // The attention left for a rank, when `read` documents stand above it.
        let attention = |read: f64| {
            if read + 1.0 < ranks { (1.0 - read * cost / length).max(0.0) } else { 0.0 }
        };
        inst::numbers(measure, case, |reading| {
            let here = attention(reading.rank - 1.0);
            if here > 0.0 { attention(reading.rank) / here } else { 0.0 }
        })
    },
    peers: &[Peer { tool: "cwl_eval", spelling: "U-L@1000", difference: "" }],
    examples: &[Example {
        measure: "U(L=2)",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "b a c",
        value: 1.0 / 3.0,
        working: "weights 1 and 1/2: .5 / 1.5",
    }],
    ..inst::USER
};
