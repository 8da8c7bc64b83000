//! NERR, equation 8.

use super::inst;
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "NERR8",
        aliases: &[],
        group: "user models",
        summary: "The expected gain of a document read by a user who stops at a document with a probability equal to its gain.",
        prose: "It is not ERR, though its user is similar: it counts the gain of a document that is read. A document of the highest grade always ends the search.",
        formula: "NERR8@k = sum over ranks r of W(r) g(r), where W(r) is proportional to prod over i < r of C(i) and C(i) = 1 - g(i) for i < k, else 0",
        citation: "Azzopardi, Mackenzie and Moffat (2021), ERR is not C/W/L: exploring the relationship between expected reciprocal rank and other metrics, ICTIR, equation 8",
        range: inst::RANGE,
        better: inst::better,
    },
    takes: Takes {
        params: &[inst::HIGHEST, inst::OUT, inst::UNJUDGED],
        cutoff: Cutoff::Required,
        ..inst::TAKES
    },
    sees: inst::SEES,
    laws: inst::LAWS,
    score: |measure, case| {
        let last = f64::from(measure.depth());
        inst::numbers(
            measure,
            case,
            |reading| {
                if reading.rank < last { 1.0 - reading.gain } else { 0.0 }
            },
        )
    },
    peers: &[
        Peer::new("cwl_eval", "NERR-EQ8@k=10"),
        Peer::new("ir_measures", "NERR8(max_rel=3)@10"),
    ],
    examples: &[Example {
        measure: "NERR8(max_rel=4)@3",
        judgments: "a=1 b=3 c=0 d=2",
        list: "a c b x d",
        value: 1.0 / 2.5 * (0.25 + 0.75 * 0.75),
        working: "g = 1/4, 0, 3/4; C = 3/4, 1: W = (1, 3/4, 3/4) / 2.5: (1/4 + (3/4) (3/4)) / 2.5",
    }],
};
