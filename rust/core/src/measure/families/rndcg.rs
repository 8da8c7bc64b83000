//! Normalised discounted cumulated gain where the ideal list changes.

use super::dcg;
use crate::measure::declare::*;
use crate::trace::Relevant;

pub static FAMILY: Family = Family {
    about: About {
        name: "RnDCG",
        aliases: &[],
        group: "gain",
        summary: "The mean of nDCG at the ranks where the ideal list ends a gain, and of the whole list's.",
        prose: "What R-precision is to precision, for each gain: a topic with 5 documents of gain 3, 3 of gain 2 and 10 of gain 1 is measured after 5, 8 and 18 documents, and at the end of the list. At these ranks nDCG jumps, and they are at the same place of every topic's ideal list. Each gain counts alike, however many documents have it. The forms are those of DCG. trec_eval calls it experimental.",
        formula: "RnDCG = (1/(m + 1)) [sum over the topic's m gains g > 0 of nDCG@R(g) + nDCG], where R(g) documents have a gain of at least g",
        citation: "trec_eval, measure Rndcg (Buckley), after Järvelin and Kekäläinen (2002), Cumulated gain-based evaluation of IR techniques, TOIS",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { params: dcg::PARAMS, ..Takes::NONE },
    sees: dcg::SEES,
    laws: Laws {
        bounds: |_| Bounds::Sorted,
        falls: |_, _| Some(Falls::Power(1)),
        ties: |_| Ties::SUM,
        ..Laws::UNKNOWN
    },
    score: |_, case| rndcg(case),
    peers: &[Peer::new("trec_eval", "Rndcg")
        .but("leaves the whole list out if it has no more than R + 1 documents")],
    examples: &[
        Example {
            measure: "RnDCG",
            judgments: "a=1 b=3 c=0 d=1",
            list: "b x a y",
            value: (1.0 + 2.0 * 3.5 / (3.5 + 1.0 / 1.584_962_500_721_156)) / 3.0,
            working: "gain 3 ends at rank 1: 3/3; gain 1 at rank 3: (3 + 1/2) / (3 + 1/log2(3) + 1/2), and so at the end",
        },
        Example {
            measure: "RnDCG(gain={1:2,2:2,3:2})",
            judgments: "a=1 b=3 c=0",
            list: "c a b x",
            value: 0.5 / (1.584_962_500_721_156 + 1.0)
                + 0.5 * (1.0 / 1.584_962_500_721_156 + 0.5) / (1.0 + 1.0 / 1.584_962_500_721_156),
            working: "one gain, which ends at rank 2: (2/log2(3)) / (2 + 2/log2(3)); at the end (2/log2(3) + 1) / (2 + 2/log2(3))",
        },
    ],
};

fn rndcg(case: &Case) -> f64 {
    let ideal = case.ideal();
    let gains = ideal.gains();
    let mut documents = case.relevant(u32::MAX).iter().peekable();
    let (mut gained, mut sum, mut points) = (0.0, 0.0, 0.0);
    let discounted = |d: &Relevant| case.gain(d) / case.discount.divisor(d.rank);
    let mut rank = 0;
    while rank < gains.len() {
        let gain = gains[rank];
        rank += gains[rank..].partition_point(|&other| other == gain);
        while let Some(document) = documents.next_if(|d| d.rank as usize <= rank) {
            gained += discounted(document);
        }
        sum += gained / ideal.discounted(rank as u32);
        points += 1.0;
    }
    for document in documents {
        gained += discounted(document);
    }
    (sum + gained / ideal.discounted(u32::MAX)) / (points + 1.0)
}
