//! NERR, equation 10.

use super::inst;
use crate::measure::declare::*;

const PERSISTENCE: Param =
    Param::new("p", Range::Below1, "the probability of going on after a document without gain")
        .or(Default::Printed(0.9));

pub static FAMILY: Family = Family {
    about: About {
        name: "NERR10",
        aliases: &[],
        group: "user models",
        summary: "The expected gain of a document read by a user who stops at a document with a probability equal to its gain, and otherwise goes on as in RBP.",
        prose: "It is not ERR, though its user is similar: it counts the gain of a document that is read. A document of the highest grade always ends the search.",
        formula: "NERR10 = sum over ranks r of W(r) g(r), where W(r) is proportional to prod over i < r of C(i) and C(i) = p (1 - g(i))",
        citation: "Azzopardi, Mackenzie and Moffat (2021), ERR is not C/W/L: exploring the relationship between expected reciprocal rank and other metrics, ICTIR, equation 10",
        range: inst::RANGE,
        better: inst::better,
    },
    takes: Takes {
        params: &[PERSISTENCE, inst::HIGHEST, inst::OUT, inst::UNJUDGED],
        ..inst::TAKES
    },
    sees: inst::SEES,
    laws: inst::LAWS,
    score: |measure, case| {
        let p = measure.get(PERSISTENCE);
        inst::numbers(measure, case, |reading| p * (1.0 - reading.gain))
    },
    peers: &[
        Peer::new("cwl_eval", "NERR-EQ10@phi=0.9"),
        Peer::new("ir_measures", "NERR10(p=0.9,max_rel=3)"),
    ],
    examples: &[Example {
        measure: "NERR10(p=0.5,max_rel=4)@3",
        judgments: "a=1 b=3 c=0 d=2",
        list: "a c b x d",
        value: (0.25 + 0.1875 * 0.75) / 1.5625,
        working: "g = 1/4, 0, 3/4; C = 3/8, 1/2: W = (1, .375, .1875) / 1.5625: (1/4 + .1875 (3/4)) / 1.5625",
    }],
};
