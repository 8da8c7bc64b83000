//! Recall when a given number of documents that are not relevant were retrieved.

use crate::measure::declare::*;

const NONREL: Param =
    Param::new("nonrel", Range::Whole, "how many documents that are not relevant are looked at")
        .or(Default::Printed(0.0));

pub static FAMILY: Family = Family {
    about: About {
        name: "RecallAtFallout",
        aliases: &["fallout_recall"],
        group: "binary ranks",
        summary: "The proportion of the relevant documents found before the allowed number of nonrelevant documents is exceeded.",
        prose: "The user gives up at the first nonrelevant document beyond that number. Unjudged documents are not relevant. trec_eval 8.1 prints the levels that are tenths of 142, cut to whole numbers in the name and rounded up in the value: fallout_recall_14 is nonrel=15. Where a ranking has exactly as many documents that are not relevant as a level, it prints 0 for this level and all below it.",
        formula: "RecallAtFallout(nonrel=x) = (1/R) number of relevant documents at ranks r with r - c(r) <= x",
        citation: "trec_eval 8.1, measure fallout_recall",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { params: &[NONREL], ..Takes::NONE },
    sees: Sees::GRADES,
    laws: Laws { bounds: |_| Bounds::Sorted, ties: |_| Ties::SORTED, ..Laws::UNKNOWN },
    score: |measure, case| {
        let most = measure.get(NONREL);
        let all = case.relevant(u32::MAX);
        all.partition_point(|d| f64::from(d.rank - d.seen) <= most) as f64 / case.num_rel()
    },
    peers: &[Peer::new("trec_eval 8.1", "fallout_recall_14")
        .is("RecallAtFallout(nonrel=15)")
        .but("0 in rankings with exactly 15, 29, 43 ... documents that are not relevant")],
    examples: &[
        Example {
            measure: "RecallAtFallout(nonrel=0)",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 1.0 / 3.0,
            working: "a stands above x: 1/3",
        },
        Example {
            measure: "RecallAtFallout(nonrel=2)",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 2.0 / 3.0,
            working: "c stands below x and b: 2/3",
        },
    ],
};
