//! bpref-10 as its paper prints it.

use super::bpref::preferred;
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "bpref_10",
        aliases: &["bpref-10"],
        group: "preference",
        summary: "bpref whose penalty counts 10 + R documents judged not relevant.",
        prose: "The divisor is 10 + R even when fewer are judged not relevant, so on such topics no list reaches 0. trec_eval 8.1 caps the divisor with N, and prints the name bpref_10 for something else, the first ten relevant documents.",
        formula: "bpref_10 = (1/R) sum over relevant documents retrieved of 1 - min(n, 10 + R) / (10 + R), where n documents judged not relevant stand above",
        citation: "Buckley and Voorhees (2004), Retrieval evaluation with incomplete information, SIGIR; Yilmaz and Aslam (2006), CIKM, section 2",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes::NONE,
    sees: Sees { nonrelevant: Nonrelevant::Compared, ..Sees::GRADES },
    laws: Laws {
        bounds: |_| Bounds::Sorted,
        falls: |_, _| Some(Falls::Power(1)),
        ties: |_| Ties::sorted(Mean::Each(Looks::NONRELEVANT)),
        ..Laws::UNKNOWN
    },
    score: |_, case| {
        let most = 10.0 + case.num_rel();
        preferred(case, |above| above.min(most) / most)
    },
    peers: &[
        Peer::new("trec_eval 8.1", "bpref_top10pRnonrel")
            .is("bpref(top=\"10+R\",nonrel=\"pooled\")")
            .but("the divisor is at most N"),
        Peer::new("trec_eval 8.1", "bpref_10")
            .is("bpref(nonrel=\"pooled\",first=10)")
            .but("looks at the first ten relevant documents"),
    ],
    examples: &[Example {
        measure: "bpref_10",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: (1.0 + 12.0 / 13.0) / 3.0,
        working: "(1 + (1 - 1/13)) / 3",
    }],
};
