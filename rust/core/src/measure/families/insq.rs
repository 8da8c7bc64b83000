//! INSQ.

use super::inst;
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "INSQ",
        aliases: &[],
        group: "user models",
        summary: "The expected gain of a document read by a user who expects to look for a gain of T.",
        prose: "The deeper the list, the more likely the user is to go on, whatever was found: INST is the same user who adapts.",
        formula: "INSQ = sum over ranks r of W(r) g(r), where W(r) is proportional to prod over i < r of C(i) and C(i) = ((i + 2T - 1) / (i + 2T))^2",
        citation: "Moffat, Scholer and Thomas (2012), Models and metrics: IR evaluation as a user process, ADCS",
        range: inst::RANGE,
        better: inst::better,
    },
    takes: Takes {
        params: &[inst::WANTED, inst::HIGHEST, inst::OUT, inst::UNJUDGED],
        ..inst::TAKES
    },
    sees: inst::SEES,
    laws: Laws { ties: inst::ties, ..inst::LAWS },
    score: |measure, case| {
        let wanted = inst::wanted(measure);
        inst::numbers(measure, case, |reading| {
            let depth = reading.rank + 2.0 * wanted;
            ((depth - 1.0) / depth).powi(2)
        })
    },
    peers: &[Peer::new("cwl_eval", "INSQ-T=1.0"), Peer::new("ir_measures", "INSQ(T=1,max_rel=3)")],
    examples: &[Example {
        measure: "INSQ(T=1)@2",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "b a c",
        value: 4.0 / 13.0,
        working: "C(1) = (2/3)^2 = 4/9: W(2) = (4/9) / (1 + 4/9)",
    }],
};
