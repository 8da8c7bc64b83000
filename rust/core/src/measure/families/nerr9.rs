//! NERR, equation 9.

use super::inst;
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "NERR9",
        aliases: &[],
        group: "user models",
        summary: "The expected gain of a document read by a user who stops at a document with a probability equal to its gain, and reads each rank less often than the one above.",
        prose: "It is not ERR, though its user is similar: it counts the gain of a document that is read. A document of the highest grade always ends the search.",
        formula: "NERR9@k = sum over ranks r of W(r) g(r), where W(r) is proportional to prod over i < r of C(i) and C(i) = (i / (i + 1)) (1 - g(i)) for i < k, else 0",
        citation: "Azzopardi, Mackenzie and Moffat (2021), ERR is not C/W/L: exploring the relationship between expected reciprocal rank and other metrics, ICTIR, equation 9",
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
        inst::numbers(measure, case, |reading| {
            let on = reading.rank / (reading.rank + 1.0) * (1.0 - reading.gain);
            if reading.rank < last { on } else { 0.0 }
        })
    },
    peers: &[
        Peer::new("cwl_eval", "NERR-EQ9@k=10"),
        Peer::new("ir_measures", "NERR9(max_rel=3)@10"),
    ],
    examples: &[Example {
        measure: "NERR9(max_rel=4)@3",
        judgments: "a=1 b=3 c=0 d=2",
        list: "a c b x d",
        value: (0.25 + 0.25 * 0.75) / 1.625,
        working: "g = 1/4, 0, 3/4; C = (1/2) (3/4), 2/3: W = (1, 3/8, 1/4) / 1.625: (1/4 + (1/4) (3/4)) / 1.625",
    }],
};
