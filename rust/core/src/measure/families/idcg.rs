//! Discounted cumulated gain of the best possible list.

use super::dcg;
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "iDCG",
        aliases: &["ideal_dcg"],
        group: "gain",
        summary: "Discounted cumulated gain of the best possible list: the divisor of nDCG.",
        prose: "It depends on the topic and not on the run. The forms are those of DCG. Without a cutoff the ideal list holds every document with a gain, retrieved or not.",
        formula: "iDCG@k = sum over ranks r <= k of g*(r) / d(r), where g* are all gains of the topic from the highest to the lowest",
        citation: "Järvelin and Kekäläinen (2002), Cumulated gain-based evaluation of IR techniques, TOIS; trec_eval, measure ideal_dcg",
        range: "[0, inf)",
        better: |_| Better::Neither,
    },
    takes: Takes { params: dcg::PARAMS, cutoff: Cutoff::Optional, ..Takes::NONE },
    sees: dcg::SEES,
    laws: Laws { bounds: |_| Bounds::Monotone, ties: |_| Ties::SUM, ..Laws::UNKNOWN },
    score: |measure, case| case.ideal().discounted(measure.depth()),
    peers: &[Peer::new("trec_eval 10", "ideal_dcg")],
    examples: &[
        Example {
            measure: "iDCG@1",
            judgments: "a=1 b=3 c=0 d=2",
            list: "a c b x d",
            value: 3.0,
            working: "b alone: 3/log2(2)",
        },
        Example {
            measure: "iDCG",
            judgments: "a=1 b=3 c=0 d=2",
            list: "a",
            value: 3.5 + 2.0 / 1.584_962_500_721_156,
            working: "b d a: 3/log2(2) + 2/log2(3) + 1/log2(4)",
        },
    ],
};
