//! Normalised discounted cumulated gain.

use super::{Cutoff, Example, Family, dcg};

pub static FAMILY: Family = Family {
    name: "nDCG",
    aliases: &["normalized_dcg"],
    group: "gain",
    summary: "Discounted cumulated gain, divided by that of the best possible list.",
    prose: "With a cutoff both lists are cut; without one the ideal holds every relevant document, however short the list is, as trec_eval's ndcg does. The forms are those of DCG; \"log2\" with linear gains is the default, as in trec_eval, pytrec_eval, BEIR and MTEB. Negative grades gain nothing.",
    formula: "nDCG@k = DCG@k / DCG@k of the ideal list",
    citation: "Järvelin and Kekäläinen (2002), Cumulated gain-based evaluation of IR techniques, TOIS; Burges et al. (2005), Learning to rank using gradient descent, ICML",
    params: dcg::PARAMS,
    cutoff: Cutoff::Optional,
    gain: dcg::gain,
    discount: dcg::discount,
    score: |measure, case| dcg::dcg(measure, case) / case.ideal().discounted(measure.depth()),
    examples: &[
        Example {
            measure: "nDCG@3",
            judgments: "a=1 b=3 c=0 d=2",
            list: "a c b x d",
            value: 2.5 / (3.0 + 2.0 / 1.584_962_500_721_156 + 0.5),
            working: "(1 + 3/2) / (3 + 2/log2(3) + 1/2)",
        },
        Example {
            measure: "nDCG(gain={1:1,2:1,3:1})@3",
            judgments: "a=1 b=3 c=0 d=2",
            list: "a c b x d",
            value: 1.5 / (1.0 + 1.0 / 1.584_962_500_721_156 + 0.5),
            working: "(1 + 1/2) / (1 + 1/log2(3) + 1/2)",
        },
    ],
    ..Family::GRADED
};
