//! U-measure.

use super::{inst, tbg};
use crate::measure::declare::*;

const LENGTH: Param =
    Param::new("L", Range::Positive, "the length of text after which nothing counts")
        .or(Default::Printed(1000.0));

pub static FAMILY: Family = Family {
    about: About {
        name: "U",
        aliases: &["U_measure"],
        group: "user models",
        summary: "The expected gain of a document read by a user whose attention falls linearly to nothing at a given length of text.",
        prose: "By default it is cwl_eval's form, whose weights add up to 1: a document is as long as the column cost of the judgments says, or cost characters. The last of the k ranks, 1000 without a cutoff, has no weight, as in cwl_eval. form=\"original\" is what Sakai and Dou define, a sum that is not normalised: a document gains at its end in the text that was read. The column, or cost, is then how much of a document is read: its length, or that of its summary if it is not opened.",
        formula: "U = sum over ranks r of W(r) g(r), where W(r) is proportional to max(0, 1 - cost above r / L); original: sum over ranks r <= k of g(r) max(0, 1 - cost down to r / L)",
        citation: "Sakai and Dou (2013), Summaries, ranked retrieval and sessions: a unified framework for information access evaluation, SIGIR; cwl_eval, measure U",
        range: "[0, 1], or [0, inf) for ETU, EC, ETC, ED and the original form",
        better: inst::better,
    },
    takes: Takes {
        params: &[LENGTH, tbg::FORM, inst::COST, inst::HIGHEST, inst::OUT, inst::UNJUDGED],
        check: tbg::original_has_one_number,
        ..inst::TAKES
    },
    sees: inst::SEES,
    laws: inst::LAWS,
    score: |measure, case| {
        let length = measure.get(LENGTH);
        // The attention left when so much was read.
        let attention = |read: f64| (1.0 - read / length).max(0.0);
        if measure.is("form", "original") {
            let mut read = 0.0;
            return tbg::read(measure, case)
                .map(|(gain, cost)| {
                    read += cost;
                    gain * attention(read)
                })
                .sum();
        }
        let ranks = measure.cutoff.unwrap_or(inst::RANKS);
        inst::numbers(measure, case, |reading| {
            let here = attention(reading.spent - reading.cost);
            let is_read = here > 0.0 && reading.rank + 1.0 < ranks;
            if is_read { attention(reading.spent) / here } else { 0.0 }
        })
    },
    peers: &[Peer::new("cwl_eval", "U-L@1000")],
    examples: &[
        Example {
            measure: "U(L=2)",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "b a c",
            value: 1.0 / 3.0,
            working: "weights 1 and 1/2: .5 / 1.5",
        },
        Example {
            measure: "U(L=100)",
            judgments: "a=1;cost=60 b=0;cost=50 c=1;cost=20",
            list: "b a c",
            value: 1.0 / 3.0,
            working: "50 characters above a, 110 above c: weights 1, 1/2 and 0",
        },
        Example {
            measure: "U(L=100,form=\"original\")",
            judgments: "a=1;cost=30 b=0;cost=50 c=1;cost=40",
            list: "b a c",
            value: 0.2,
            working: "a ends at 80, c at 120: 1 - .8",
        },
    ],
};
