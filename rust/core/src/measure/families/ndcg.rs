//! Normalised discounted cumulated gain.

use super::dcg;
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "nDCG",
        aliases: &["normalized_dcg", "MSnDCG"],
        group: "gain",
        summary: "Discounted cumulated gain, divided by that of the best possible list.",
        prose: "With a cutoff both lists are cut; without one the ideal holds every relevant document, however short the list is, as trec_eval's ndcg does. The forms are those of DCG; \"log2\" with linear gains is the default, as in trec_eval, pytrec_eval, BEIR and MTEB. Formula 8.9 of Introduction to Information Retrieval, whose gain is 2^R - 1, is dcg=\"exp-log2\". enDCG has the default dcg=\"jk\", so that it differs from nDCG even where k holds all relevant documents. Negative grades gain nothing.",
        formula: "nDCG@k = DCG@k / DCG@k of the ideal list",
        citation: "Järvelin and Kekäläinen (2002), Cumulated gain-based evaluation of IR techniques, TOIS; Burges et al. (2005), Learning to rank using gradient descent, ICML; with dcg=\"exp-log2\" Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, equation 8.9",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { params: dcg::PARAMS, cutoff: Cutoff::Optional, ..Takes::NONE },
    sees: Sees { reach: Measure::depth, ..dcg::SEES },
    laws: Laws {
        bounds: |_| Bounds::Steps { weight: Weight::Discount, cut: true },
        ties: |_| Ties::SUM,
        term: Some(|measure, case, d| {
            case.gain(d) / case.discount.divisor(d.rank) / case.ideal().discounted(measure.depth())
        }),
        ..Laws::UNKNOWN
    },
    score: |measure, case| dcg::dcg(measure, case) / case.ideal().discounted(measure.depth()),
    peers: &[
        Peer::new("trec_eval", "ndcg"),
        Peer::new("trec_eval", "ndcg_cut_10"),
        Peer::new("ir_measures", "nDCG@10"),
        Peer::new("ir_measures", "nDCG(dcg='exp-log2')@10")
            .but("runs gdeval: five decimals, and topics must be numbers"),
        Peer::new("ir_measures", "SDCG(max_rel=3)@10")
            .is("SDCG(max_rel=3)@10")
            .but("has no ideal list: divides by the DCG of k documents of the highest grade"),
        Peer::new("ranx", "ndcg@10"),
        Peer::new("ranx", "ndcg_burges@10")
            .is("nDCG(dcg=\"exp-log2\")@10")
            .but("gains are 2^g - 1"),
        Peer::new("gdeval", "ndcg@20").is("nDCG(dcg=\"exp-log2\")@20").but("gains are 2^g - 1"),
        Peer::new("NTCIREVAL", "MSnDCG@0010"),
        Peer::new("NTCIREVAL", "nDCG@0010")
            .is("nDCG(dcg=\"jk\")@10")
            .but("discounts from rank 2 on, by log2(r)"),
        Peer::new("pyNTCIREVAL", "MSnDCG@0010"),
        Peer::new("pyNTCIREVAL", "nDCG@0010")
            .is("nDCG(dcg=\"jk\")@10")
            .but("discounts from rank 2 on, by log2(r)"),
        Peer::new("cwl_eval", "NDCG-k@10")
            .but("has no ideal list: divides by the DCG of k documents of gain 1"),
        Peer::new("BEIR", "NDCG@10"),
        Peer::new("MTEB", "ndcg_at_10"),
        Peer::new("sklearn", "ndcg_score(k=10)")
            .but("its ideal list holds only the documents that it is given, so relevant ones that were not retrieved are missing; averages equal scores"),
    ],
    examples: &[
        Example {
            measure: "nDCG(dcg=\"exp-log2\")@3",
            judgments: "a=1 b=3 c=0 d=2",
            list: "a c b x d",
            value: 4.5 / (7.0 + 3.0 / 1.584_962_500_721_156 + 0.5),
            working: "(1 + 7/2) / (7 + 3/log2(3) + 1/2)",
        },
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
};
