//! Rank-biased utility.

use super::{err, err_ia};
use crate::measure::declare::*;

const EFFORT: Param = Param::new("e", Range::NonNegative, "the effort of reading a document")
    .or(Default::Number(0.03));

const PERSISTENCE: Param =
    Param::new("p", Range::Inside01, "the probability of going on to the next rank")
        .or(Default::Printed(0.8));

const DISCOUNT: Param =
    Param::new("discount", Range::Words(&["p^r", "p^(r-1)"]), "the discount of rank r")
        .or(Default::Text("p^r"));

pub static FAMILY: Family = Family {
    about: About {
        name: "RBU",
        aliases: &["rank_biased_utility"],
        group: "diversity",
        summary: "The value of novel documents for the intents to a reader who continues with probability p, minus the effort of reading them.",
        prose: "Under each intent a document of grade g satisfies with probability (2^g - 1) / 2^h, and a user whom a document above has satisfied gains nothing more. Without max_rel h is the highest grade that a judged document of the topic has under the intent, as in the authors' program, so that a topic without documents of the highest grade is scored on its own scale. Every document that is read costs e, relevant or not, so that the value can be negative. The weights of the intents count by their proportion of all weights, including those of intents without a document. discount=\"p^(r-1)\" is what the authors' program computes; their paper has p^r.",
        formula: "RBU@k = (1 - p) sum over ranks r <= k of p^r [sum over intents i of w(i) s(i, r) prod over j < r of (1 - s(i, j)) - e], where the weights w add up to 1",
        citation: "Amigó, Spina and Carrillo-de-Albornoz (2018), An axiomatic analysis of diversity evaluation metrics: introducing the rank-biased utility metric, SIGIR",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes {
        params: &[PERSISTENCE, EFFORT, err::HIGHEST, DISCOUNT],
        cutoff: Cutoff::Optional,
        ..Takes::NONE
    },
    sees: Sees { declared_top: Some(err::HIGHEST), ..err_ia::SEES },
    laws: err_ia::LAWS,
    score: |measure, case| {
        let p = measure.get(PERSISTENCE);
        let read = case.retrieved().min(measure.depth());
        // (1 - p) (p + p^2 + ... + p^read)
        let effort = p * (1.0 - p.powf(f64::from(read)));
        let effort = measure.get(EFFORT) * effort;
        let utility = (1.0 - p) * served(measure, case, p) - effort;
        if measure.is(DISCOUNT, "p^r") { utility } else { utility / p }
    },
    peers: &[Peer::new("RBU.java", "RBU")
        .is("RBU(p=0.8,discount=\"p^(r-1)\")")
        .but("weights are taken as they are, even where they do not add up to 1")],
    examples: &[
        Example {
            measure: "RBU(p=0.5,e=0.1)@3",
            judgments: "a=1;intent1=1;intent2=0 b=2;intent1=0;intent2=2 c=0;intent1=0;intent2=0",
            list: "a c b",
            value: 0.5 * (0.5 * (0.25 - 0.1) - 0.25 * 0.1 + 0.125 * (0.375 - 0.1)),
            working: "a: 1/2 of the first intent, which weighs 1/2; b: 3/4 of the second",
        },
        Example {
            measure: "RBU(p=0.8)",
            judgments: "a=1;intent1=1;intent2=0 b=1;intent1=0;intent2=1 d=1;intent1=1;intent2=0",
            list: "a b x d",
            value: 5318.0 / 78125.0,
            working: "(1 - .8) [.8 (1/4) + .8^2 (1/4) + .8^4 (1/8) - .03 (.8 + .8^2 + .8^3 + .8^4)]",
        },
    ],
};

/// The sum over the ranks of p^r and what the document adds under the intents.
fn served(measure: &Measure, case: &Case, p: f64) -> f64 {
    let intents = case.intents();
    let scales: Vec<f64> = tops(measure, case).into_iter().map(f64::exp2).collect();
    let mut left: Vec<f64> = (0..scales.len()).map(|intent| intents.share(intent)).collect();
    let (mut sum, mut discount, mut rank) = (0.0, 1.0, 0);
    for known in case.known(measure.depth()).filter(|known| known.judged) {
        // From one judged document to the next: short powers are quick.
        discount *= p.powi((known.rank - rank) as i32);
        rank = known.rank;
        let grades = intents.grades(known.number as u32).iter();
        for &(intent, grade) in grades.filter(|(_, grade)| *grade > 0.0) {
            let intent = intent as usize;
            let satisfied = (grade.exp2() - 1.0) / scales[intent];
            sum += discount * left[intent] * satisfied;
            left[intent] *= 1.0 - satisfied;
        }
    }
    sum
}

/// The highest grade of each intent.
fn tops(measure: &Measure, case: &Case) -> Vec<f64> {
    let intents = case.intents();
    if let Some(top) = measure.given(err::HIGHEST) {
        return vec![top; intents.names().len()];
    }
    let mut tops = vec![0.0_f64; intents.names().len()];
    for document in case.judged_documents() {
        for &(intent, grade) in intents.grades(document) {
            tops[intent as usize] = tops[intent as usize].max(grade);
        }
    }
    tops
}
