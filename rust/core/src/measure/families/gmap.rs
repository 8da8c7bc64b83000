//! Average precision under a geometric mean.

use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "GMAP",
        aliases: &["gm_map"],
        group: "binary ranks",
        summary: "Average precision whose summary over topics is the geometric mean.",
        prose: "The value of a topic is AP. The summary takes each value as at least 1e-5, so that a topic on which nothing was found has much weight but does not make the mean 0; the arithmetic mean of GMAP is that of AP.",
        formula: "GMAP = exp of the mean over topics of ln max(AP, 1e-5)",
        citation: "Robertson (2006), On GMAP: and other transformations, CIKM",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes::NONE,
    sees: Sees::GRADES,
    laws: Laws {
        aggregate: Aggregation::Geometric,
        bounds: |_| Bounds::Steps { weight: Weight::Precision, cut: false },
        ties: |_| Ties::sorted(Mean::Shares { judged: false }),
        running: super::ap::FAMILY.laws.running,
        ..Laws::UNKNOWN
    },
    score: |measure, case| (super::ap::FAMILY.score)(measure, case),
    peers: &[
        Peer::new("trec_eval", "gm_map"),
        Peer::new("pytrec_eval", "gm_map")
            .but("the value of a topic is the logarithm of its average precision"),
    ],
    examples: &[Example {
        measure: "GMAP",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 0.5,
        working: "as AP: (1/1 + 2/4) / 3",
    }],
};
