//! Linear utility of the retrieved set.

use super::accuracy::Table;
use crate::measure::declare::*;

const TRUE_POSITIVE: Param =
    Param::new("tp", Range::Number, "what a relevant document retrieved is worth")
        .or(Default::Number(1.0));

const FALSE_POSITIVE: Param =
    Param::new("fp", Range::Number, "what a document retrieved is worth that is not relevant")
        .or(Default::Number(-1.0));

const FALSE_NEGATIVE: Param =
    Param::new("fn", Range::Number, "what a relevant document is worth that was not retrieved")
        .or(Default::Number(0.0));

const TRUE_NEGATIVE: Param = Param::new(
    "tn",
    Range::Number,
    "what a document is worth that is not relevant and was not retrieved",
)
.or(Default::Number(0.0));

pub static FAMILY: Family = Family {
    about: About {
        name: "Utility",
        aliases: &["linear utility"],
        group: "sets",
        summary: "The value of the retrieved set when each right and each wrong decision has a price.",
        prose: "The measure of the filtering tracks: tp, fp, fn and tn are the values of a relevant document retrieved, a nonrelevant one retrieved, a relevant one missed, and a nonrelevant one left out. By default it is the number of relevant documents retrieved minus the number of others retrieved. All documents that are not judged relevant count as not relevant. Only with a tn other than 0 the number of documents in the collection is needed; it comes with the judgments (docs_in_collection). Values of topics differ with R, so topics with many relevant documents dominate a mean. Higher is better, unless the prices are costs: where a relevant document is worth no more retrieved than missed, and another one no less, lower is better.",
        formula: "Utility = tp c(n) + fp (n - c(n)) + fn (R - c(n)) + tn (C - n - R + c(n)), where n documents were retrieved and C are in the collection",
        citation: "Lewis (1996), The TREC-5 filtering track; trec_eval, measure utility",
        range: "(-inf, inf)",
        better,
    },
    takes: Takes {
        params: &[
            TRUE_POSITIVE,
            FALSE_POSITIVE,
            FALSE_NEGATIVE,
            TRUE_NEGATIVE,
        ],
        cutoff: Cutoff::Optional,
        ..Takes::NONE
    },
    sees: Sees { collection: |measure| measure.get(TRUE_NEGATIVE) != 0.0, ..Sees::GRADES },
    laws: Laws { bounds: |_| Bounds::Sorted, ties: |_| Ties::SUM, ..Laws::UNKNOWN },
    score: |measure, case| {
        let table = Table::of(measure, case);
        let value = measure.get(TRUE_POSITIVE) * table.hits
            + measure.get(FALSE_POSITIVE) * table.noise
            + measure.get(FALSE_NEGATIVE) * (case.num_rel() - table.hits);
        match measure.get(TRUE_NEGATIVE) {
            0.0 => value,
            tn => value + tn * table.rejected,
        }
    },
    peers: &[
        Peer::new("trec_eval", "utility"),
        Peer::new("trec_eval", "utility_2,-1,0,0")
            .but("with numbers, -c takes a topic that the run lacks as a ranking of one document that is not relevant"),
    ],
    examples: &[
        Example {
            measure: "Utility",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: -1.0,
            working: "a and c are right, x b d are not: 2 - 3",
        },
        Example {
            measure: "Utility(tp=3,fp=-2,fn=-0.5,tn=0.01)",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 0.44,
            working: "of 100 documents e is missed and 94 are rightly left out: 3 x 2 - 2 x 3 - 0.5 + 0.94",
        },
    ],
};

/// Where it never pays to be right, and somewhere costs, the prices are costs.
fn better(measure: &Measure) -> Better {
    let found = measure.get(TRUE_POSITIVE) - measure.get(FALSE_NEGATIVE);
    let noise = measure.get(FALSE_POSITIVE) - measure.get(TRUE_NEGATIVE);
    if found == 0.0 && noise == 0.0 {
        Better::Neither
    } else if found <= 0.0 && noise >= 0.0 {
        Better::Lower
    } else {
        Better::Higher
    }
}
