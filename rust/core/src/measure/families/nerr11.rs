//! NERR, equation 11.

use super::inst;
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "NERR11",
        aliases: &[],
        group: "user models",
        summary: "The expected gain of a document read by a user who stops at a document with a probability equal to its gain, and otherwise goes on as in INSQ.",
        prose: "It is not ERR, though its user is similar: it counts the gain of a document that is read. A document of the highest grade always ends the search.",
        formula: "NERR11 = sum over ranks r of W(r) g(r), where W(r) is proportional to prod over i < r of C(i) and C(i) = ((i + 2T - 1) / (i + 2T))^2 (1 - g(i))",
        citation: "Azzopardi, Mackenzie and Moffat (2021), ERR is not C/W/L: exploring the relationship between expected reciprocal rank and other metrics, ICTIR, equation 11",
        range: inst::RANGE,
        better: inst::better,
    },
    takes: Takes {
        params: &[inst::WANTED, inst::HIGHEST, inst::OUT, inst::UNJUDGED],
        ..inst::TAKES
    },
    sees: inst::SEES,
    laws: inst::LAWS,
    score: |measure, case| {
        let wanted = inst::wanted(measure);
        inst::numbers(measure, case, |reading| {
            let depth = reading.rank + 2.0 * wanted;
            ((depth - 1.0) / depth).powi(2) * (1.0 - reading.gain)
        })
    },
    peers: &[
        Peer::new("cwl_eval", "NERR-EQ11@T=1.0"),
        Peer::new("ir_measures", "NERR11(T=1,max_rel=3)"),
    ],
    examples: &[Example {
        measure: "NERR11(T=1,max_rel=4)@2",
        judgments: "a=1 b=3 c=0 d=2",
        list: "a c b x d",
        value: 0.1875,
        working: "g = 1/4, 0; C = (2/3)^2 (3/4) = 1/3: W(1) = 3/4: (3/4) (1/4)",
    }],
};
