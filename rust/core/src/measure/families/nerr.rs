//! Normalised expected reciprocal rank.

use super::{Bounds, Cutoff, Example, Family, Mean, Peer, Ties, err};

pub static FAMILY: Family = Family {
    name: "nERR",
    aliases: &["normalised_ERR"],
    group: "blended",
    summary: "Expected reciprocal rank, divided by that of the best possible list.",
    prose: "The parameters are those of ERR.",
    formula: "nERR@k = ERR@k / ERR@k of the ideal list",
    citation: "Clarke, Craswell, Soboroff and Ashkan (2011), A comparative analysis of cascade measures for novelty and diversity, WSDM",
    params: err::PARAMS,
    cutoff: Cutoff::Optional,
    declared_top: |measure| measure.number("max_rel"),
    gain: err::satisfaction,
    check: err::needs_top,
    bounds: |_| Bounds::Sorted,
    reach: Family::CUTOFF,
    ties: |_| Ties::sorted(Mean::Cascade),
    score: |measure, case| {
        let ideal = case.ideal().gains().iter().take(measure.depth() as usize).copied();
        (err::FAMILY.score)(measure, case) / err::cascade((1..).zip(ideal))
    },
    peers: &[
        Peer {
            tool: "NTCIREVAL",
            spelling: "nERR@0010",
            difference: "the probability is g / (top + 1): is nERR(stop=\"ntcir\")@10 here",
        },
        Peer {
            tool: "pyNTCIREVAL",
            spelling: "nERR@0010",
            difference: "the probability is g / (top + 1): is nERR(stop=\"ntcir\")@10 here",
        },
    ],
    examples: &[Example {
        measure: "nERR(max_rel=3)@3",
        judgments: "a=1 b=3 c=0 d=2",
        list: "a c b x d",
        value: 584.0 / 1385.0,
        working: "(73/192) / (7/8 + (1/2) (3/8) (1/8) + (1/3) (1/8) (5/8) (1/8))",
    }],
    ..Family::GRADED
};
