//! Expected blended ratio.

use super::{err, q};
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "EBR",
        aliases: &["expected_blended_ratio"],
        group: "blended",
        summary: "The expected blended ratio at the rank where a user who reads down the ranking is satisfied.",
        prose: "The user is that of ERR, and what stopping is worth is the blended ratio of Q. The probability that a document satisfies is NTCIREVAL's g / (top + 1), whose top is max_rel or else the highest gain of the collection; with stop=\"exp\" it is (2^g - 1) / 2^max_rel. With beta=inf the ratio is its limit cg(r) / cg*(r).",
        formula: "EBR@k = sum over relevant documents at ranks r <= k of [(beta cg(r) + c(r)) / (beta cg*(r) + r)] s(r) prod over i < r of (1 - s(i))",
        citation: "Sakai and Robertson (2008), Modelling a user population for designing information retrieval metrics, EVIA; NTCIREVAL, measure EBR",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes {
        params: &[err::HIGHEST, err::NTCIR_STOP, q::BETA],
        cutoff: Cutoff::Optional,
        check: err::needs_top,
        ..Takes::NONE
    },
    sees: Sees { declared_top: Some(err::HIGHEST), ..Sees::GAINS },
    laws: Laws::UNKNOWN,
    score: |measure, case| {
        let ratios = q::blended_ratios(measure, case);
        err::expected(ratios.map(|(document, ratio)| {
            (err::satisfaction(measure, case.gain(document), case.top_gain), ratio)
        }))
    },
    peers: &[Peer::new("NTCIREVAL", "EBR@0010")],
    examples: &[Example {
        measure: "EBR",
        judgments: "a=1 b=3 c=0 d=2",
        list: "a c b x d",
        value: 0.5 * 0.25 + (6.0 / 9.0) * 0.75 * 0.75 + (9.0 / 11.0) * 0.5 * 0.75 * 0.25,
        working: "s = 1/4, 3/4, 2/4: (2/4) (1/4) + (6/9) (3/4) (3/4) + (9/11) (2/4) (3/4) (1/4)",
    }],
};
