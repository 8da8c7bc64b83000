//! Normalised expected reciprocal rank.

use super::err;
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "nERR",
        aliases: &["normalised_ERR"],
        group: "blended",
        summary: "Expected reciprocal rank, divided by that of the best possible list.",
        prose: "The parameters are those of ERR.",
        formula: "nERR@k = ERR@k / ERR@k of the ideal list",
        citation: "Clarke, Craswell, Soboroff and Ashkan (2011), A comparative analysis of cascade measures for novelty and diversity, WSDM",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes {
        params: err::PARAMS,
        cutoff: Cutoff::Optional,
        check: err::needs_top,
        ..Takes::NONE
    },
    sees: Sees {
        gain: err::satisfaction,
        declared_top: |measure| measure.number("max_rel"),
        reach: Measure::depth,
        ..Sees::GAINS
    },
    laws: Laws {
        bounds: |_| Bounds::Sorted,
        falls: |_, _| Some(Falls::Power(1)),
        ties: |_| Ties::sorted(Mean::Cascade),
        ..Laws::UNKNOWN
    },
    score: |measure, case| {
        let ideal = case.ideal().gains().iter().take(measure.depth() as usize).copied();
        (err::FAMILY.score)(measure, case) / err::cascade((1..).zip(ideal))
    },
    peers: &[
        Peer::new("NTCIREVAL", "nERR@0010")
            .is("nERR(stop=\"ntcir\")@10")
            .but("the probability is g / (top + 1)"),
        Peer::new("pyNTCIREVAL", "nERR@0010")
            .is("nERR(stop=\"ntcir\")@10")
            .but("the probability is g / (top + 1)"),
    ],
    examples: &[Example {
        measure: "nERR(max_rel=3)@3",
        judgments: "a=1 b=3 c=0 d=2",
        list: "a c b x d",
        value: 584.0 / 1385.0,
        working: "(73/192) / (7/8 + (1/2) (3/8) (1/8) + (1/3) (1/8) (5/8) (1/8))",
    }],
};
