//! Graded preference relative to the judged rank, the first included.

use super::rpref_n::{
    self, PARTITIONS, Preferences, TOP_GAIN, UNRETRIEVED, class, class_needs_top, literal,
    preferences,
};
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "rpref_relative2",
        aliases: &[],
        group: "preference",
        summary: "rpref whose penalty is divided by the rank among judged documents.",
        prose: "The ideal list has 1. With binary gains it is AP on the condensed list, with graded ones graded average precision with uniform thresholds there, GAP(thresholds=\"uniform\")'.",
        formula: "rpref_relative2 = (1/cg*) sum over judged documents retrieved of g (1 - penalty / r), where r is the judged rank, with the penalty of rpref_N",
        citation: "Sakai (2007), Alternatives to bpref, SIGIR, equation 19",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes {
        params: &[TOP_GAIN, UNRETRIEVED, PARTITIONS],
        cutoff: Cutoff::Optional,
        check: class_needs_top,
        ..Takes::NONE
    },
    sees: Sees {
        gain: class,
        declared_top: |measure| measure.number("top_gain"),
        nonrelevant: Nonrelevant::Each,
        ..Sees::GAINS
    },
    laws: Laws {
        bounds: |measure| {
            let steps = Bounds::Steps { weight: Weight::Precision, cut: false };
            literal(measure).unwrap_or(steps)
        },
        ties: rpref_n::ties,
        running: Some(|_, case| Box::new(Preferences::new(case, share))),
        ..Laws::UNKNOWN
    },
    score: |measure, case| preferences(measure, case, share),
    peers: &[Peer::new("NTCIREVAL", "rpref_relative2")],
    examples: &[Example {
        measure: "rpref_relative2",
        judgments: "a=1 b=3 c=0 d=2",
        list: "c a b x d",
        value: 37.0 / 72.0,
        working: "penalties as for rpref_N, judged ranks 2, 3 and 4: (1 (1 - 1/2) + 3 (1 - 5/9) + 2 (1 - 3/8)) / 6",
    }],
};

fn share(penalty: f64, above: u32) -> f64 {
    penalty / f64::from(above + 1)
}
