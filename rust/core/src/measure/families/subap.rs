//! Subcollection average precision.

use crate::bytes::{GOLDEN, lasting_hash, paired_hash, uniform};
use crate::measure::declare::*;

/// The share of documents outside the pool that the subcollection keeps.
pub(super) const SHARE: Param = Param::new(
    "p",
    Range::Unit,
    "the share of the documents outside the pool that is kept; without it the judged share of the topic's pool",
);

pub static FAMILY: Family = Family {
    about: About {
        name: "subAP",
        aliases: &["subcollection_AP"],
        group: "estimates",
        summary: "Average precision on a random part of the collection in which the judged sample is complete.",
        prose: "Documents with a negative grade were in the pool and not sampled; they are taken out. Without such grades the judged documents count as the whole pool, and it is AP. Of the documents outside the pool each is kept with probability p, so that their number matches a pool of which the share p was judged. Whether a document is kept follows from seed, topic and document alone: it is the same for all runs, in any order of lines, on every machine. subAP_expected is the mean over all seeds.",
        formula: "subAP = (1/R) sum over relevant documents retrieved of c(r) / (c(r) + n(r) + b(r)), where n documents judged not relevant and b kept documents from outside the pool stand above",
        citation: "Yilmaz and Aslam (2006), Estimating average precision with incomplete and imperfect judgments, CIKM, section 2.4",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes {
        params: &[
            SHARE,
            Param::new("seed", Range::Whole, "the seed of the random choice of documents")
                .or(Default::Number(0.0)),
        ],
        prime: false,
        ..Takes::NONE
    },
    sees: Sees {
        nonrelevant: Nonrelevant::Each,
        unjudged_docs: UnjudgedDocs::Identified(|_| u32::MAX),
        ..Sees::GRADES
    },
    laws: Laws { bounds: |_| Bounds::Refused("it is a random estimate"), ..Laws::UNKNOWN },
    score: |measure, case| {
        let p = share(measure, case);
        let seed = measure.number("seed").map_or(0, |seed| seed as u64);
        let of_topic = lasting_hash(GOLDEN, case.topic.id());
        let (mut outside, mut kept) = (&case.trace.unjudged_docs[..], 0);
        let precisions = case.relevant(u32::MAX).iter().map(|d| {
            let above = outside.iter().take_while(|&&(rank, _)| rank < d.rank).count();
            let (tossed, rest) = outside.split_at(above);
            let falls = |hash| uniform(paired_hash(of_topic, hash), seed) < p;
            kept += tossed.iter().filter(|&&(_, hash)| falls(hash)).count() as u32;
            outside = rest;
            f64::from(d.seen) / f64::from(d.seen + d.nonrelevant + kept)
        });
        precisions.sum::<f64>() / case.num_rel()
    },
    peers: &[],
    examples: &[
        Example {
            measure: "subAP(p=0)",
            judgments: "a=1 b=0 c=1 d=0 e=1 u=-1",
            list: "a x u b c d",
            value: 5.0 / 9.0,
            working: "x is dropped, and so is u: a b c d, (1/1 + 2/3) / 3",
        },
        Example {
            measure: "subAP(p=1)",
            judgments: "a=1 b=0 c=1 d=0 e=1 u=-1",
            list: "a x u b c d",
            value: 0.5,
            working: "x is kept, u is not: a x b c d, (1/1 + 2/4) / 3",
        },
    ],
};

/// p as given, or the judged share of the topic's pool.
pub(super) fn share(measure: &Measure, case: &Case) -> f64 {
    measure.number("p").unwrap_or_else(|| {
        let judged = f64::from(case.view.num_rel + case.view.num_nonrel);
        let pooled: f64 = case.topic.counts().iter().map(|of| f64::from(of.count)).sum();
        if pooled == 0.0 { 1.0 } else { judged / pooled }
    })
}
