//! Time-biased gain and the U-measure.

use super::inst;
use crate::measure::declare::*;

/// Whether a measure is that of its paper.
const FORM: Param = Param::new(
    "form",
    Range::Words(&["cwl", "original"]),
    "the user model of cwl_eval, or what the paper defines",
)
.or(Default::Text("cwl"));

const HALFLIFE: Param =
    Param::new("halflife", Range::Positive, "the time within which attention halves")
        .or(Default::Printed(224.0));

const LENGTH: Param =
    Param::new("L", Range::Positive, "the length of text after which nothing counts")
        .or(Default::Printed(1000.0));

pub static FAMILY: Family = Family {
    about: About {
        name: "TBG",
        aliases: &["time_biased_gain"],
        group: "user models",
        summary: "The expected gain per document of a user whose attention has a half-life.",
        prose: "By default it is cwl_eval's form, whose weights add up to 1: a document takes the time that the column cost of the judgments says, or cost seconds. Where all take the same it is RBP with p = 2^(-cost / halflife), to k ranks, 1000 without a cutoff. form=\"original\" is what Smucker and Clarke calibrated, a sum that is not normalized: there the column, or cost, is the length of a document in words. A relevant document gains 0.64 x 0.77, which is how often it is clicked on and then saved; a summary takes 4.4 seconds, a document that is clicked on 7.8 and 0.018 for each word, and 39% of the documents that are not relevant are clicked on.",
        formula: "TBG = sum over ranks r of W(r) g(r), where W(r) is proportional to 2^(-cost above r / halflife); original: sum over ranks r <= k of 0.4928 g(r) 2^(-T(r) / halflife), T(1) = 0, T(r + 1) = T(r) + 4.4 + (0.018 words(r) + 7.8) P(click), P(click) = 0.64 if the document is relevant, 0.39 if not",
        citation: "Smucker and Clarke (2012), Time-based calibration of effectiveness measures, SIGIR; cwl_eval, measure TBG",
        range: "[0, 1], or [0, inf) for ETU, EC, ETC, ED and the original form",
        better: inst::better,
    },
    takes: Takes {
        params: &[HALFLIFE, FORM, inst::COST, inst::HIGHEST, inst::OUT, inst::UNJUDGED],
        check: original_has_one_number,
        ..inst::TAKES
    },
    sees: inst::SEES,
    laws: inst::LAWS,
    score: |measure, case| {
        let halflife = measure.get(HALFLIFE);
        if measure.is(FORM, "original") {
            let mut time = 0.0;
            return read(measure, case)
                .map(|(gain, words)| {
                    let worth = SAVED * gain * (-time / halflife).exp2();
                    let click = if gain > 0.0 { CLICKED } else { CLICKED_IN_VAIN };
                    time += SUMMARY + (WORD * words + DOCUMENT) * click;
                    worth
                })
                .sum();
        }
        let last = measure.cutoff.unwrap_or(inst::RANKS);
        // Most documents cost what the one before costs.
        let (mut cost, mut left) = (0.0, 1.0);
        inst::numbers(measure, case, move |reading| {
            if reading.cost != cost {
                (cost, left) = (reading.cost, (-reading.cost / halflife).exp2());
            }
            if reading.rank < last { left } else { 0.0 }
        })
    },
    peers: &[Peer::new("cwl_eval", "TBG-H@224")],
    examples: &[
        Example {
            measure: "TBG(halflife=10,cost=10)@2",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "b a c",
            value: 1.0 / 3.0,
            working: "the second document has half the weight of the first: .5 / 1.5",
        },
        Example {
            measure: "TBG(halflife=10)@3",
            judgments: "a=1;cost=5 b=0;cost=10 c=1;cost=20",
            list: "b c a",
            value: (0.5 + 0.125) / 1.625,
            working: "10 seconds above c, 30 above a: weights 1, 1/2 and 1/8",
        },
        Example {
            measure: "TBG(halflife=10.544,form=\"original\")",
            judgments: "a=1;cost=100 b=0;cost=500 c=1;cost=1000",
            list: "a c b",
            value: 0.4928 * 1.5,
            working: "a at time 0, c at time 4.4 + (1.8 + 7.8) .64 = 10.544: .4928 (1 + 1/2)",
        },
    ],
};

pub static U: Family = Family {
    about: About {
        name: "U",
        aliases: &["U_measure"],
        group: "user models",
        summary: "The expected gain per document of a user whose attention falls linearly to zero over a given length of text.",
        prose: "By default it is cwl_eval's form, whose weights add up to 1: a document is as long as the column cost of the judgments says, or cost characters. The last of the k ranks, 1000 without a cutoff, has no weight, as in cwl_eval. form=\"original\" is what Sakai and Dou define, a sum that is not normalized: a document gains at its end in the text that was read. The column, or cost, is then how much of a document is read: its length, or that of its summary if it is not opened.",
        formula: "U = sum over ranks r of W(r) g(r), where W(r) is proportional to max(0, 1 - cost above r / L); original: sum over ranks r <= k of g(r) max(0, 1 - cost down to r / L)",
        citation: "Sakai and Dou (2013), Summaries, ranked retrieval and sessions: a unified framework for information access evaluation, SIGIR; cwl_eval, measure U",
        range: "[0, 1], or [0, inf) for ETU, EC, ETC, ED and the original form",
        better: inst::better,
    },
    takes: Takes {
        params: &[LENGTH, FORM, inst::COST, inst::HIGHEST, inst::OUT, inst::UNJUDGED],
        check: original_has_one_number,
        ..inst::TAKES
    },
    sees: inst::SEES,
    laws: inst::LAWS,
    score: |measure, case| {
        let length = measure.get(LENGTH);
        // The attention left when so much was read.
        let attention = |read: f64| (1.0 - read / length).max(0.0);
        if measure.is(FORM, "original") {
            let mut so_far = 0.0;
            return read(measure, case)
                .map(|(gain, cost)| {
                    so_far += cost;
                    gain * attention(so_far)
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

/// What Smucker and Clarke calibrated: how often a relevant document is
/// clicked on and saved; how often documents are clicked on; seconds for a
/// summary, for a document, and for each of its words.
const SAVED: f64 = 0.64 * 0.77;
const CLICKED: f64 = 0.64;
const CLICKED_IN_VAIN: f64 = 0.39;
const SUMMARY: f64 = 4.4;
const DOCUMENT: f64 = 7.8;
const WORD: f64 = 0.018;

/// Refuses to ask an original form for the numbers of a user model.
fn original_has_one_number(measure: &Measure) -> Result<(), String> {
    let default = measure.is_default(inst::OUT) && measure.is_default(inst::UNJUDGED);
    if measure.is(FORM, "original") && !default {
        return Err(
            "has one number in its original form: out= and unjudged= are for form=\"cwl\"".into()
        );
    }
    inst::ranks_can_be_held(measure)
}

/// The gains and costs of the first k documents of the list.
fn read(measure: &Measure, case: &Case) -> impl Iterator<Item = (f64, f64)> {
    let ranks = case.retrieved().min(measure.depth()) as usize;
    let costs = inst::costs(measure, case, ranks);
    inst::gains(measure, case, ranks, 0.0).into_iter().zip(costs)
}
