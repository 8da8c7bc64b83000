//! Normalised discounted cumulated gain over the relevant documents.

use super::dcg;
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "nDCG_rel",
        aliases: &[],
        group: "gain",
        summary: "The mean over all relevant documents of nDCG at their ranks.",
        prose: "It is to nDCG what average precision is to precision. nDCG jumps where the ideal list changes its gain, and these ranks differ between topics, so a mean over ranks says little; a mean over relevant documents weights the ranks by the documents there. A relevant document that was not retrieved has the nDCG of the whole list. The forms are those of DCG. trec_eval calls it experimental.",
        formula: "nDCG_rel = (1/R) [sum over relevant documents retrieved of nDCG@r + (R - R') nDCG], where R' relevant documents were retrieved",
        citation: "trec_eval, measure ndcg_rel (Buckley), after Järvelin and Kekäläinen (2002), Cumulated gain-based evaluation of IR techniques, TOIS",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { params: dcg::PARAMS, ..Takes::NONE },
    sees: dcg::SEES,
    laws: Laws {
        bounds: |_| Bounds::SortedIfBinary,
        falls: |_, _| Some(Falls::Power(2)),
        ties: |_| Ties::SORTED,
        ..Laws::UNKNOWN
    },
    score: |_, case| {
        let (found, ideal) = (case.relevant(u32::MAX), case.ideal());
        let (mut gained, mut sum) = (0.0, 0.0);
        for document in found {
            gained += case.gain(document) / case.discount.divisor(document.rank);
            sum += gained / ideal.discounted(document.rank);
        }
        let missed = f64::from(case.view.num_rel - found.len() as u32);
        (sum + missed * (gained / ideal.discounted(u32::MAX))) / case.num_rel()
    },
    peers: &[Peer::new("trec_eval", "ndcg_rel")],
    examples: &[
        Example {
            measure: "nDCG_rel",
            judgments: "a=1 b=0 c=1",
            list: "a b x",
            value: 0.5 + 0.5 / (1.0 + 1.0 / 1.584_962_500_721_156),
            working: "a has nDCG@1 = 1, c the nDCG of the list: (1 + 1 / (1 + 1/log2(3))) / 2",
        },
        Example {
            measure: "nDCG_rel(dcg=\"jk\")",
            judgments: "a=1 b=3 c=0",
            list: "a b",
            value: 2.0 / 3.0,
            working: "no discount to rank 2, ideal b a: (1/3 + 4/4) / 2",
        },
    ],
};
