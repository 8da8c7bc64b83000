//! Binary preference with R under the line.

use super::bpref::preferred;
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "bpref_R",
        aliases: &[],
        group: "preference",
        summary: "bpref whose penalty is divided by R, whatever the number of documents judged not relevant.",
        prose: "It is bpref for topics with at least as many documents judged not relevant as relevant; on others a list cannot lose as much as bpref lets it. It is equation 1 of Yilmaz and Aslam.",
        formula: "bpref_R = (1/R) sum over relevant documents retrieved of 1 - min(n, R) / R, where n documents judged not relevant stand above",
        citation: "Sakai (2007), Alternatives to bpref, SIGIR, equation 10; Yilmaz and Aslam (2006), CIKM, equation 1",
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
        let num_rel = case.num_rel();
        preferred(case, |above| above.min(num_rel) / num_rel)
    },
    peers: &[Peer::new("NTCIREVAL", "bpref_R")],
    examples: &[Example {
        measure: "bpref_R",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: (1.0 + 2.0 / 3.0) / 3.0,
        working: "(1 + (1 - 1/3)) / 3",
    }],
};
