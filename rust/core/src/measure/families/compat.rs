//! Compatibility: how much a list is like the best one.

use super::inst;
use crate::measure::declare::*;

const PERSISTENCE: Param =
    Param::new("p", Range::Below1, "the probability of going on to the next document")
        .or(Default::Printed(0.95));

pub static FAMILY: Family = Family {
    about: About {
        name: "Compat",
        aliases: &["compatibility"],
        group: "preference",
        summary: "The rank-biased overlap of the ranking with the best possible order of the relevant documents.",
        prose: "The best order goes by grade, and among documents of one grade by the ranking itself, so that a ranking is not penalized for an order that the judgments do not decide; relevant documents that were not retrieved come last in their grade. The overlap is divided by that of the best order with itself. Both are cut at rank k, 1000 without a cutoff, as in Clarke's program.",
        formula: "Compat = sum over depths d = 1 ... k of p^(d - 1) o(d) / d, divided by the same sum with p^(d - 1) min(d, R) / d, where o(d) is how many documents are among the first d both of the ranking and of the best order",
        citation: "Clarke, Vtyurina and Smucker (2021), Assessing top-k preferences, TOIS; Webber, Moffat and Zobel (2010), A similarity measure for indefinite rankings, TOIS",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes {
        params: &[PERSISTENCE],
        cutoff: Cutoff::Optional,
        check: inst::ranks_can_be_held,
        ..Takes::NONE
    },
    sees: Sees::GAINS,
    laws: Laws {
        bounds: |_| Bounds::Refused("the best order depends on the ranking"),
        ..Laws::UNKNOWN
    },
    score: |measure, case| compat(measure, case),
    peers: &[
        Peer::new("compatibility", "compatibility")
            .but("among equal scores the lower document id comes first"),
        Peer::new("ir_measures", "Compat(p=0.95)")
            .but("is cut at the length of the longest ranking; among documents of one grade a document that was not retrieved counts as one with the score 0"),
    ],
    examples: &[Example {
        measure: "Compat(p=0.5)@2",
        judgments: "a=1 b=3 c=0 d=2",
        list: "b a d",
        value: 1.25 / 1.5,
        working: "the best order is b d a; overlaps 1/1 and 1/2: (1 + .5 / 2) / (1 + .5)",
    }],
};

fn compat(measure: &Measure, case: &Case) -> f64 {
    let p = measure.get(PERSISTENCE);
    let depth = measure.cutoff.unwrap_or(inst::RANKS) as usize;
    // What a document adds that both lists have from a depth on.
    let mut from = vec![0.0; depth + 2];
    let mut weight = 1.0;
    for (place, d) in from[1..=depth].iter_mut().zip(1u32..) {
        *place = weight / f64::from(d);
        weight *= p;
    }
    for d in (1..=depth).rev() {
        from[d] += from[d + 1];
    }
    let ideal = case.ideal().gains();
    // How many places of the best order are taken down to each gain.
    let mut taken: Vec<(f64, usize)> = Vec::new();
    let mut overlap = 0.0;
    for document in case.relevant(depth as u32) {
        let gain = case.gain(document);
        let known = taken.iter().position(|(other, _)| *other == gain).unwrap_or_else(|| {
            taken.push((gain, ideal.partition_point(|other| *other > gain)));
            taken.len() - 1
        });
        taken[known].1 += 1;
        overlap += from[taken[known].1.max(document.rank as usize).min(depth + 1)];
    }
    overlap / from[1..].iter().take(ideal.len().min(depth)).sum::<f64>()
}
