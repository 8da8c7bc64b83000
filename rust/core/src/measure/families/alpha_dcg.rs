//! Discounted cumulated gain of what is new, and normalized.

use super::{err_ia, inst};
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "alpha_DCG",
        aliases: &["alpha-DCG", "α-DCG"],
        group: "diversity",
        summary: "Discounted cumulated gain where a document gains less for an intent that earlier documents already covered.",
        prose: "As ndeval does, the value is divided by that of a ranking of documents that are all relevant to every intent, so that it is at most 1. The rest is as in ERR_IA.",
        formula: "alpha_DCG@k = sum over ranks r <= k of s(r) / log2(r + 1), divided by sum over r <= k of (1 - alpha)^(r - 1) / log2(r + 1), with s(r) as in ERR_IA",
        citation: "Clarke, Kolla, Cormack, Vechtomova, Ashkan, Büttcher and MacKinnon (2008), Novelty and diversity in information retrieval evaluation, SIGIR",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes {
        params: &[err_ia::ALPHA],
        cutoff: Cutoff::Required,
        check: inst::ranks_can_be_held,
        ..Takes::NONE
    },
    sees: err_ia::SEES,
    laws: err_ia::LAWS,
    score: |measure, case| {
        let novelties = err_ia::novelties(measure, case);
        let sum: f64 =
            novelties.map(|(rank, score)| score / case.discount.divisor(rank as u32)).sum();
        let whole = err_ia::whole(measure, |rank| 1.0 / case.discount.divisor(rank as u32));
        sum / whole / err_ia::weight(measure, case)
    },
    peers: &[
        Peer::new("ndeval", "alpha-DCG@20")
            .but("grades above 1 are 1; at rank 1 the value is not divided"),
        Peer::new("ir_measures", "alpha_DCG@20")
            .but("runs pyndeval: among equal scores the lower document id comes first"),
    ],
    examples: &[Example {
        measure: "alpha_DCG@3",
        judgments: "a=1;intent1=1;intent2=0 b=1;intent1=1;intent2=1 c=0;intent1=0;intent2=0",
        list: "a c b",
        value: (0.5 + 0.75 / 2.0) / (1.0 + 0.5 / 1.584_962_500_721_156 + 0.25 / 2.0),
        working: "(.5 + .75 / 2) / (1 + .5 / log2(3) + .25 / 2)",
    }],
};

pub static ALPHA_NDCG: Family = Family {
    about: About {
        name: "alpha_nDCG",
        aliases: &["alpha-nDCG", "α-nDCG", "alpha normalized discounted cumulative gain"],
        group: "diversity",
        summary: "alpha_DCG, divided by that of the best ranking that a greedy choice finds.",
        prose: "The greedy ranking is that of nERR_IA. It is made once for a topic and shared by all runs.",
        formula: "alpha_nDCG@k = alpha_DCG@k / alpha_DCG@k of the greedy ranking",
        citation: "Clarke, Kolla, Cormack, Vechtomova, Ashkan, Büttcher and MacKinnon (2008), Novelty and diversity in information retrieval evaluation, SIGIR",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes {
        params: &[err_ia::ALPHA],
        cutoff: Cutoff::Required,
        check: inst::ranks_can_be_held,
        ..Takes::NONE
    },
    sees: Sees { best: err_ia::greedy, ..err_ia::SEES },
    laws: err_ia::LAWS,
    score: |measure, case| {
        let novelties = err_ia::novelties(measure, case);
        let sum: f64 =
            novelties.map(|(rank, score)| score / case.discount.divisor(rank as u32)).sum();
        sum / case.ideal().discounted(measure.depth())
    },
    peers: &[
        Peer::new("ndeval", "alpha-nDCG@20"),
        Peer::new("ir_measures", "alpha_nDCG@20")
            .but("runs pyndeval: among equal scores the lower document id comes first"),
    ],
    examples: &[Example {
        measure: "alpha_nDCG@3",
        judgments: "a=1;intent1=1;intent2=0 b=1;intent1=1;intent2=1 c=0;intent1=0;intent2=0",
        list: "a c b",
        value: 1.75 / (2.0 + 0.5 / 1.584_962_500_721_156),
        working: "greedy: b, then a: (1 + 1.5 / 2) / (2 + .5 / log2(3))",
    }],
};
