//! Gain among the documents that a user has seen, for binary judgments.

use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "binG",
        aliases: &[],
        group: "binary ranks",
        summary: "The mean over all relevant documents of a discount that grows with the number of nonrelevant documents above.",
        prose: "Between average precision and nDCG: a relevant document is discounted by the logarithm of the number of documents above it that are not relevant, not by its rank, so relevant documents do not lower each other's value. Those that were not retrieved contribute 0. Unjudged documents count as not relevant. It is G with binary gains. trec_eval calls it experimental.",
        formula: "binG = (1/R) sum over relevant documents retrieved of 1 / log2(2 + r - c(r))",
        citation: "trec_eval, measure binG (Buckley, 2008)",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes::NONE,
    sees: Sees::GRADES,
    laws: Laws {
        bounds: |_| Bounds::Sorted,
        falls: |_, _| Some(Falls::Power(1)),
        ties: |_| Ties::sorted(Mean::Each(Looks { rank: true, seen: true, ..Looks::NOWHERE })),
        ..Laws::UNKNOWN
    },
    score: |_, case| {
        let documents = case.relevant(u32::MAX).iter();
        // The divisor of rank i is log2(i + 1).
        let sum: f64 = documents.map(|d| 1.0 / case.discount.divisor(d.rank - d.seen + 1)).sum();
        sum / case.num_rel()
    },
    peers: &[Peer::new("trec_eval", "binG")],
    examples: &[Example {
        measure: "binG",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 0.5,
        working: "nothing above a is not relevant, two documents above c are: (1/log2(2) + 1/log2(4)) / 3",
    }],
};
