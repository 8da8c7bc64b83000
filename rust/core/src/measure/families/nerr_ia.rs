//! Normalised intent-aware expected reciprocal rank.

use super::{err_ia, inst};
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "nERR_IA",
        aliases: &["nERR-IA"],
        group: "diversity",
        summary: "ERR_IA, divided by that of the best list that a greedy choice finds.",
        prose: "The best list is hard to find, so it is built from the top, each time with the document that adds most; among equal ones the one with the last id, as in ndeval.",
        formula: "nERR_IA@k = ERR_IA@k / ERR_IA@k of the greedy list",
        citation: "Clarke, Craswell, Soboroff and Ashkan (2011), A comparative analysis of cascade measures for novelty and diversity, WSDM",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes {
        params: &[err_ia::ALPHA],
        cutoff: Cutoff::Required,
        check: inst::ranks_can_be_held,
        ..Takes::NONE
    },
    sees: Sees { best: greedy, ..err_ia::SEES },
    laws: err_ia::LAWS,
    score: |measure, case| {
        let list: f64 = err_ia::novelties(measure, case).map(|(rank, score)| score / rank).sum();
        let ideal = case.ideal().gains().iter().zip(1..=measure.depth());
        list / ideal.map(|(score, rank)| score / f64::from(rank)).sum::<f64>()
    },
    peers: &[
        Peer::new("ndeval", "nERR-IA@20"),
        Peer::new("ir_measures", "nERR_IA@20")
            .but("runs pyndeval: among equal scores the lower document id comes first"),
    ],
    examples: &[Example {
        measure: "nERR_IA@2",
        judgments: "a=1;intent1=1;intent2=0 b=1;intent1=1;intent2=1 c=0;intent1=0;intent2=0",
        list: "a b c",
        value: (1.0 + 1.5 / 2.0) / (2.0 + 0.5 / 2.0),
        working: "greedy: b, then a: (1 + 1.5/2) / (2 + .5/2)",
    }],
};

/// The greedy list of the measure's alpha and `rel`.
pub(super) fn greedy(measure: &Measure) -> Best {
    Best::Greedy { alpha: err_ia::alpha(measure), rel: measure.rel }
}
