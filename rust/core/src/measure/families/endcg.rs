//! Normalised discounted cumulated gain with an ideal that is not cut.

use super::dcg;
use crate::measure::declare::*;

/// As for DCG, with another default.
const PARAMS: &[Param] = &[dcg::PARAMS[0].or(Default::Text("jk")), dcg::PARAMS[1]];

pub static FAMILY: Family = Family {
    about: About {
        name: "enDCG",
        aliases: &["expanded_nDCG"],
        group: "gain",
        summary: "Discounted cumulated gain at k, divided by that of the whole ideal list.",
        prose: "The \"expanded\" form: a short list cannot reach 1 on a topic with many relevant documents, so the value grows with the depth. Its paper discounts as Järvelin and Kekäläinen do, hence the default, which is not that of nDCG: where k holds all relevant documents, enDCG(dcg=\"log2\")@k is nDCG@k and enDCG@k is nDCG(dcg=\"jk\")@k.",
        formula: "enDCG@k = DCG@k / DCG of the ideal list with all relevant documents",
        citation: "Webber, Moffat and Zobel (2010), The effect of pooling and evaluation depth on metric stability, EVIA, section 2",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { params: PARAMS, cutoff: Cutoff::Optional, ..Takes::NONE },
    sees: dcg::SEES,
    laws: Laws {
        bounds: |_| Bounds::Steps { weight: Weight::Discount, cut: false },
        ties: |_| Ties::SUM,
        ..Laws::UNKNOWN
    },
    score: |measure, case| dcg::dcg(measure, case) / case.ideal().discounted(u32::MAX),
    peers: &[
        Peer::new("rbp_eval", "dcg_eval -m -r 10"),
        Peer::new("rbp_eval", "dcg_eval -m -R -r 10")
            .is("enDCG(dcg=\"log2\")@10")
            .but("discounts all ranks, by log2(r + 1)"),
    ],
    examples: &[Example {
        measure: "enDCG@1",
        judgments: "a=1 b=3 c=0 d=2",
        list: "a c b x d",
        value: 1.0 / (3.0 + 2.0 + 1.0 / 1.584_962_500_721_156),
        working: "1 / (3 + 2 + 1/log2(3))",
    }],
};
