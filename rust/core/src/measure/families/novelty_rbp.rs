//! Novelty- and rank-biased precision, and normalized.

use super::err_ia;
use crate::measure::declare::*;

/// The persistence of the reader.
const BETA: Param =
    Param::new("beta", Range::Below1, "the probability of going on to the next document")
        .or(Default::Number(0.5));

pub static FAMILY: Family = Family {
    about: About {
        name: "NRBP",
        aliases: &["novelty_RBP", "novelty- and rank-biased precision", "novelty-biased RBP"],
        group: "diversity",
        summary: "Rank-biased precision where a document gains less for an intent that earlier documents already covered.",
        prose: "It is at most 1, reached by a ranking of documents that are all relevant to every intent. It is not nRBP, which is normalized RBP.",
        formula: "NRBP = (1 - (1 - alpha) beta) sum over ranks r of s(r) beta^(r - 1), with s(r) as in ERR_IA",
        citation: "Clarke, Kolla and Vechtomova (2009), An effectiveness measure for ambiguous and underspecified queries, ICTIR",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { params: &[err_ia::ALPHA, BETA], ..Takes::NONE },
    sees: err_ia::SEES,
    laws: err_ia::LAWS,
    score: |measure, case| {
        let whole = 1.0 - (1.0 - err_ia::alpha(measure)) * beta(measure);
        whole * rank_biased(measure, case) / err_ia::weight(measure, case)
    },
    peers: &[
        Peer::new("ndeval", "NRBP").but("grades above 1 are 1"),
        Peer::new("ir_measures", "NRBP")
            .but("runs pyndeval: among equal scores the lower document id comes first"),
    ],
    examples: &[Example {
        measure: "NRBP",
        judgments: "a=1;intent1=1;intent2=0 b=1;intent1=1;intent2=1 c=0;intent1=0;intent2=0",
        list: "a c b",
        value: 0.75 * (0.5 + 0.75 * 0.25),
        working: "(1 - .5 x .5) (.5 + .75 x .5^2)",
    }],
};

pub static N_NOVELTY_RBP: Family = Family {
    about: About {
        name: "nNRBP",
        aliases: &["normalised_NRBP"],
        group: "diversity",
        summary: "NRBP, divided by that of the best ranking that a greedy choice finds.",
        prose: "The greedy ranking is that of nERR_IA. A topic without a relevant document is undefined; ndeval prints NaN for it and for its mean.",
        formula: "nNRBP = NRBP / NRBP of the greedy ranking",
        citation: "Clarke, Kolla and Vechtomova (2009), An effectiveness measure for ambiguous and underspecified queries, ICTIR",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { params: &[err_ia::ALPHA, BETA], ..Takes::NONE },
    sees: Sees { best: err_ia::greedy, ..err_ia::SEES },
    laws: err_ia::LAWS,
    score: |measure, case| {
        let mut weight = 1.0;
        let ideal = case.ideal().gains().iter().map(|score| {
            let here = score * weight;
            weight *= beta(measure);
            here
        });
        let ideal = ideal.sum::<f64>();
        rank_biased(measure, case) / ideal
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

/// beta.
fn beta(measure: &Measure) -> f64 {
    measure.get(BETA)
}

/// The rank-biased sum of what is new.
fn rank_biased(measure: &Measure, case: &Case) -> f64 {
    let beta = beta(measure);
    // From one document that adds something to the next: short powers are quick.
    let (mut weight, mut last) = (1.0, 1.0);
    let adding = err_ia::novelties(measure, case).filter(|&(_, score)| score > 0.0);
    let weighed = adding.map(|(rank, score)| {
        weight *= beta.powi((rank - last) as i32);
        last = rank;
        score * weight
    });
    weighed.sum()
}
