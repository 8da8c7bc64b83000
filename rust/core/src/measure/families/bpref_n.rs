//! Binary preference over all documents judged not relevant.

use super::bpref::preferred;
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "bpref_N",
        aliases: &["bpref_allnonrel"],
        group: "preference",
        summary: "bpref whose penalty counts every document judged not relevant, and is divided by their number N.",
        prose: "It is rpref_N for binary judgments.",
        formula: "bpref_N = (1/R) sum over relevant documents retrieved of 1 - n / N, where n documents judged not relevant stand above",
        citation: "Sakai (2007), Alternatives to bpref, SIGIR, equation 11",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes::NONE,
    sees: Sees { nonrelevant: Nonrelevant::Compared, beyond_list: true, ..Sees::GRADES },
    laws: Laws {
        bounds: |_| Bounds::Sorted,
        falls: |_, _| Some(Falls::Compared { listed: false }),
        ties: |_| Ties::sorted(Mean::Each(Looks::NONRELEVANT)),
        ..Laws::UNKNOWN
    },
    score: |_, case| {
        let num_nonrel = case.num_nonrel();
        preferred(case, |above| above / num_nonrel)
    },
    peers: &[
        Peer::new("trec_eval 8.1", "bpref_allnonrel")
            .is("bpref(top=\"all\",nonrel=\"pooled\")")
            .but("N also counts documents with a negative grade"),
        Peer::new("NTCIREVAL", "bpref_N"),
    ],
    examples: &[Example {
        measure: "bpref_N",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 0.5,
        working: "(1 + (1 - 1/2)) / 3",
    }],
};
