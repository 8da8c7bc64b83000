//! Normalised novelty- and rank-biased precision.

use super::{err_ia, nerr_ia, novelty_rbp};
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "nNRBP",
        aliases: &["normalised_NRBP"],
        group: "diversity",
        summary: "NRBP, divided by that of the best list that a greedy choice finds.",
        prose: "The greedy list is that of nERR_IA. A topic without a relevant document is undefined; ndeval prints NaN for it and for its mean.",
        formula: "nNRBP = NRBP / NRBP of the greedy list",
        citation: "Clarke, Kolla and Vechtomova (2009), An effectiveness measure for ambiguous and underspecified queries, ICTIR",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { params: &[err_ia::ALPHA, novelty_rbp::BETA], ..Takes::NONE },
    sees: Sees { best: nerr_ia::greedy, ..err_ia::SEES },
    laws: err_ia::LAWS,
    score: |measure, case| {
        let mut weight = 1.0;
        let ideal = case.ideal().gains().iter().map(|score| {
            let here = score * weight;
            weight *= novelty_rbp::beta(measure);
            here
        });
        let ideal = ideal.sum::<f64>();
        novelty_rbp::rank_biased(measure, case) / ideal
    },
    peers: &[
        Peer::new("ndeval", "nNRBP").but("NaN for a topic without a relevant document"),
        Peer::new("ir_measures", "nNRBP")
            .but("runs pyndeval: among equal scores the lower document id comes first"),
    ],
    examples: &[Example {
        measure: "nNRBP",
        judgments: "a=1;intent1=1;intent2=0 b=1;intent1=1;intent2=1 c=0;intent1=0;intent2=0",
        list: "a c b",
        value: 1.375 / 2.25,
        working: "greedy: b, then a: (1 + 1.5 x .5^2) / (2 + .5 x .5)",
    }],
};
