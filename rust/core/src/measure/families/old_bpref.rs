//! Binary preference as `trec_eval` had it before version 8.

use super::bpref::preferred;
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "old_bpref",
        aliases: &[],
        group: "preference",
        summary: "bpref divided by the documents judged not relevant that were retrieved, instead of all.",
        prose: "The formula of trec_eval 6 to 7.3, kept to compare with published figures: a short list is penalized for documents that it did not retrieve.",
        formula: "old_bpref = (1/R) sum over relevant documents retrieved of 1 - min(n, R) / min(M, R), where n of the M documents retrieved and judged not relevant stand above",
        citation: "trec_eval 8.1, measure old_bpref, and the notice on the error in bpref that comes with it",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes::NONE,
    sees: Sees { nonrelevant: Nonrelevant::Compared, ..Sees::GRADES },
    laws: Laws {
        bounds: |_| Bounds::Sorted,
        falls: |_, _| Some(Falls::Compared { listed: true }),
        ties: |_| Ties::sorted(Mean::Each(Looks::NONRELEVANT)),
        ..Laws::UNKNOWN
    },
    score: |_, case| {
        let (num_rel, retrieved) = (case.num_rel(), f64::from(case.view.nonrelevant));
        preferred(case, |above| above.min(num_rel) / retrieved.min(num_rel))
    },
    peers: &[Peer::new("trec_eval 8.1", "old_bpref")],
    examples: &[Example {
        measure: "old_bpref",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a b c",
        value: 1.0 / 3.0,
        working: "list a b c: of the one retrieved, one stands above c: (1 + (1 - 1/1)) / 3",
    }],
};
