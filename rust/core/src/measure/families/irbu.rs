//! Intentwise rank-biased utility.

use super::err;
use crate::measure::declare::*;

const PERSISTENCE: Param =
    Param::new("p", Range::Inside01, "how much is left of the value from one rank to the next")
        .or(Default::Printed(0.99));

pub static FAMILY: Family = Family {
    about: About {
        name: "iRBU",
        aliases: &["intentwise_RBU"],
        group: "blended",
        summary: "The expected utility for a user who reads until satisfied, where the utility of a rank falls by the factor p.",
        prose: "It is ERR with p^r in place of 1/r. p is always printed, since papers differ. The probability that a document satisfies is NTCIREVAL's g / (top + 1), whose top is max_rel or else the highest gain of the collection; with stop=\"exp\" it is (2^g - 1) / 2^max_rel.",
        formula: "iRBU@k = sum over ranks r <= k of p^r s(r) prod over i < r of (1 - s(i))",
        citation: "Sakai and Zeng (2019), Which diversity evaluation measures are good?, SIGIR; Amigó, Spina and Carrillo-de-Albornoz (2018), An axiomatic analysis of diversity evaluation metrics, SIGIR",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes {
        params: &[PERSISTENCE, err::HIGHEST, err::NTCIR_STOP],
        cutoff: Cutoff::Optional,
        check: err::needs_top,
        ..Takes::NONE
    },
    sees: Sees { gain: err::satisfaction, declared_top: Some(err::HIGHEST), ..Sees::GAINS },
    laws: Laws {
        bounds: |_| Bounds::Monotone,
        ties: |_| Ties::sorted(Mean::Cascade),
        ..Laws::UNKNOWN
    },
    score: |measure, case| {
        let p = measure.get(PERSISTENCE);
        let (mut utility, mut rank) = (1.0, 0);
        err::expected(case.relevant(measure.depth()).iter().map(|d| {
            // From one relevant document to the next: short powers are quick.
            utility *= p.powi((d.rank - rank) as i32);
            rank = d.rank;
            (case.gain(d), utility)
        }))
    },
    peers: &[Peer::new("NTCIREVAL", "iRBU@0010")],
    examples: &[Example {
        measure: "iRBU(p=0.5)",
        judgments: "a=1 b=3 c=0 d=2",
        list: "a c b x d",
        value: 0.5 * 0.25 + 0.125 * 0.75 * 0.75 + 0.031_25 * 0.5 * 0.75 * 0.25,
        working: "s = 1/4, 3/4, 2/4: .5 (1/4) + .5^3 (3/4) (3/4) + .5^5 (2/4) (3/4) (1/4)",
    }],
};
