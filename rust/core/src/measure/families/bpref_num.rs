//! The preferences that bpref counts: fulfilled, and possible.

use crate::measure::declare::*;

/// Which documents N counts.
pub(super) const NONREL: Param = Param::new(
    "nonrel",
    Range::Words(&["judged", "pooled"]),
    "which documents N counts: those judged not relevant, or also those that were pooled and not judged",
)
.or(Default::Text("judged"));

/// What each sees: how many documents judged not relevant stand above relevant ones.
pub(super) const SEES: Sees = Sees { nonrelevant: Nonrelevant::Compared, ..Sees::GRADES };

pub static FAMILY: Family = Family {
    about: About {
        name: "bpref_num_all",
        aliases: &[],
        group: "preference",
        summary: "The number of pairs of a relevant document in the ranking and one judged not relevant that it is above.",
        prose: "Documents judged not relevant that were not retrieved are below all that were. It is R N times bpref with top=\"all\". The summary is the mean, as in trec_eval 8.1, which also counts pooled documents in N, as nonrel=\"pooled\" does.",
        formula: "bpref_num_all = sum over relevant documents retrieved of N - n, where n documents judged not relevant stand above",
        citation: "trec_eval 8.1, measure bpref_num_all",
        range: "0, 1, 2 ...",
        better: |_| Better::Higher,
    },
    takes: Takes { params: &[NONREL], ..Takes::NONE },
    sees: SEES,
    laws: Laws::UNKNOWN,
    score: |measure, case| fulfilled(case, nonrelevant(measure, case)),
    peers: &[Peer::new("trec_eval 8.1", "bpref_num_all").is("bpref_num_all(nonrel=\"pooled\")")],
    examples: &[Example {
        measure: "bpref_num_all",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 3.0,
        working: "two of a, one of c: 2 + 1",
    }],
};

pub static BPREF_NUM_RET: Family = Family {
    about: About {
        name: "bpref_num_ret",
        aliases: &[],
        group: "preference",
        summary: "The number of pairs of a relevant document in the ranking and one judged not relevant below it there.",
        prose: "The summary is the mean, as in trec_eval 8.1.",
        formula: "bpref_num_ret = sum over relevant documents retrieved of M - n, where n of the M documents retrieved and judged not relevant stand above",
        citation: "trec_eval 8.1, measure bpref_num_ret",
        range: "0, 1, 2 ...",
        better: |_| Better::Neither,
    },
    takes: Takes::NONE,
    sees: SEES,
    laws: Laws::UNKNOWN,
    score: |_, case| fulfilled(case, f64::from(case.view.nonrelevant)),
    peers: &[Peer::new("trec_eval 8.1", "bpref_num_ret")],
    examples: &[Example {
        measure: "bpref_num_ret",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 3.0,
        working: "two of a, one of c: 2 + 1",
    }],
};

pub static BPREF_NUM_CORRECT: Family = Family {
    about: About {
        name: "bpref_num_correct",
        aliases: &[],
        group: "preference",
        summary: "The number of preferences that bpref counts as satisfied.",
        prose: "Relevant documents with nothing judged not relevant above them are left out, as in trec_eval 8.1, where they count 1 in bpref whatever the pairs. The summary is the sum; divided by that of bpref_num_possible it is micro_bpref.",
        formula: "bpref_num_correct = sum over relevant documents retrieved with n > 0 of min(N, R) - min(n, R)",
        citation: "trec_eval 8.1, measure bpref_num_correct",
        range: "0, 1, 2 ...",
        // A list with all relevant documents on top has none of those that it counts.
        better: |_| Better::Neither,
    },
    takes: Takes { params: &[NONREL], ..Takes::NONE },
    sees: SEES,
    laws: Laws { aggregate: Aggregation::Sum, ..Laws::UNKNOWN },
    score: |measure, case| {
        let most = nonrelevant(measure, case).min(case.num_rel());
        let below = case.relevant(u32::MAX).iter().filter(|d| d.nonrelevant > 0);
        below.map(|d| most - f64::from(d.nonrelevant).min(case.num_rel())).sum()
    },
    peers: &[
        Peer::new("trec_eval 8.1", "bpref_num_correct").is("bpref_num_correct(nonrel=\"pooled\")")
    ],
    examples: &[Example {
        measure: "bpref_num_correct",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 1.0,
        working: "c, with b above: 2 - 1",
    }],
};

pub static BPREF_NUM_POSSIBLE: Family = Family {
    about: About {
        name: "bpref_num_possible",
        aliases: &[],
        group: "preference",
        summary: "The number of preferences that bpref considers.",
        prose: "The summary is the sum; it divides that of bpref_num_correct in micro_bpref.",
        formula: "bpref_num_possible = R min(N, R)",
        citation: "trec_eval 8.1, measure bpref_num_possible",
        range: "0, 1, 2 ...",
        better: |_| Better::Neither,
    },
    takes: Takes { params: &[NONREL], ..Takes::NONE },
    sees: SEES,
    laws: Laws { aggregate: Aggregation::Sum, ..Laws::UNKNOWN },
    score: |measure, case| case.num_rel() * nonrelevant(measure, case).min(case.num_rel()),
    peers: &[Peer::new("trec_eval 8.1", "bpref_num_possible")
        .is("bpref_num_possible(nonrel=\"pooled\")")],
    examples: &[Example {
        measure: "bpref_num_possible",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 6.0,
        working: "3 x 2",
    }],
};

/// N.
fn nonrelevant(measure: &Measure, case: &Case) -> f64 {
    if measure.is(NONREL, "pooled") {
        case.topic.len() as f64 - case.num_rel()
    } else {
        case.num_nonrel()
    }
}

/// The pairs of a relevant document of the list and one of this many that are
/// judged not relevant, of those that are not above it.
fn fulfilled(case: &Case, nonrelevant: f64) -> f64 {
    let below = case.relevant(u32::MAX).iter().map(|d| nonrelevant - f64::from(d.nonrelevant));
    below.sum::<f64>() + 0.0
}
