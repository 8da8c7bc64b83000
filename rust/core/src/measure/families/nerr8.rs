//! The NERR of users who stop at what they find: equations 8 to 11 of the paper.

use super::inst;
use crate::measure::declare::*;

const PERSISTENCE: Param =
    Param::new("p", Range::Below1, "the probability of going on after a document without gain")
        .or(Default::Printed(0.9));

pub static FAMILY: Family = Family {
    about: About {
        name: "NERR8",
        aliases: &[],
        group: "user models",
        summary: "The expected gain per document of a user who stops at a document with a probability equal to its gain.",
        prose: "It is not ERR, though its user is similar: it counts the gain of a document that is read. A document of the highest grade always ends the search.",
        formula: "NERR8@k = sum over ranks r of W(r) g(r), where W(r) is proportional to prod over i < r of C(i) and C(i) = 1 - g(i) for i < k, else 0",
        citation: "Azzopardi, Mackenzie and Moffat (2021), ERR is not C/W/L: exploring the relationship between expected reciprocal rank and other metrics, ICTIR, equation 8",
        range: inst::RANGE,
        better: inst::better,
    },
    takes: Takes {
        params: &[inst::HIGHEST, inst::OUT, inst::UNJUDGED],
        cutoff: Cutoff::Required,
        budget: Budgets::Instead("ERR(max_rel=3)"),
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

pub static NERR9: Family = Family {
    about: About {
        name: "NERR9",
        aliases: &[],
        group: "user models",
        summary: "The expected gain per document of a user who stops at a document with a probability equal to its gain, and is less likely to read each further rank.",
        prose: "It is not ERR, though its user is similar: it counts the gain of a document that is read. A document of the highest grade always ends the search.",
        formula: "NERR9@k = sum over ranks r of W(r) g(r), where W(r) is proportional to prod over i < r of C(i) and C(i) = (i / (i + 1)) (1 - g(i)) for i < k, else 0",
        citation: "Azzopardi, Mackenzie and Moffat (2021), ERR is not C/W/L: exploring the relationship between expected reciprocal rank and other metrics, ICTIR, equation 9",
        range: inst::RANGE,
        better: inst::better,
    },
    takes: Takes {
        params: &[inst::HIGHEST, inst::OUT, inst::UNJUDGED],
        cutoff: Cutoff::Required,
        budget: Budgets::Instead("ERR(max_rel=3)"),
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

pub static NERR10: Family = Family {
    about: About {
        name: "NERR10",
        aliases: &[],
        group: "user models",
        summary: "The expected gain per document of a user who stops at a document with a probability equal to its gain, and otherwise continues as in RBP.",
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

pub static NERR11: Family = Family {
    about: About {
        name: "NERR11",
        aliases: &[],
        group: "user models",
        summary: "The expected gain per document of a user who stops at a document with a probability equal to its gain, and otherwise continues as in INSQ.",
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
