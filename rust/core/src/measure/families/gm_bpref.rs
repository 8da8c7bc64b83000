//! Binary preference under a geometric mean.

use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "gm_bpref",
        aliases: &[],
        group: "preference",
        summary: "bpref whose summary over topics is the geometric mean.",
        prose: "The value of a topic is bpref. The summary takes each value as at least 1e-5, as that of GMAP.",
        formula: "gm_bpref = exp of the mean over topics of ln max(bpref, 1e-5)",
        citation: "trec_eval, measure gm_bpref; Robertson (2006), On GMAP: and other transformations, CIKM",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes::NONE,
    sees: Sees { nonrelevant: Nonrelevant::Compared, beyond_list: true, ..Sees::GRADES },
    laws: Laws {
        aggregate: Aggregation::Geometric,
        bounds: |_| Bounds::Sorted,
        falls: |_, _| Some(Falls::Compared { listed: false }),
        ties: |_| Ties::sorted(Mean::Each(Looks::NONRELEVANT)),
        ..Laws::UNKNOWN
    },
    score: |measure, case| (super::bpref::FAMILY.score)(measure, case),
    peers: &[
        Peer::new("trec_eval", "gm_bpref"),
        Peer::new("pytrec_eval", "gm_bpref")
            .but("the value of a topic is the logarithm of its bpref"),
    ],
    examples: &[Example {
        measure: "gm_bpref",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 0.5,
        working: "as bpref: (1 + (1 - 1/2)) / 3",
    }],
};
