//! Inferred average precision.

use crate::measure::declare::*;

const EPSILON: Param = Param::new("epsilon", Range::NonNegative, "the weight of the smoothing")
    .or(Default::Number(1e-5));

pub static FAMILY: Family = Family {
    about: About {
        name: "infAP",
        aliases: &["inferred_AP", "inferred average precision"],
        group: "estimates",
        summary: "An estimate of average precision from a random sample of the pool's judgments.",
        prose: "Documents with a negative grade were in the pool and not sampled. The expected precision at a relevant document is estimated from the proportion of sampled documents above it that is relevant; epsilon keeps the proportion defined. With complete judgments, and with a sample in which the rest of the pool has no negative grade, it is AP, but for epsilon: cranfield pool --marked marks the pool. Its bounds are over the judging of what is pooled and not judged; documents outside the pool stay not relevant in them.",
        formula: "infAP = (1/R) sum over relevant documents at ranks k of 1/k + (d/k) (rel + e) / (rel + nonrel + 2 e), where d pooled documents stand above",
        citation: "Yilmaz and Aslam (2006), Estimating average precision with incomplete and imperfect judgments, CIKM, section 2.5",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { params: &[EPSILON], prime: false, ..Takes::NONE },
    sees: Sees { beyond_list: true, ..Sees::GRADES },
    laws: Laws {
        bounds: |measure| Bounds::Pooled { smoothing: measure.get(EPSILON) },
        ties: |_| Ties {
            mean: Some(Mean::Each(Looks {
                rank: true,
                seen: true,
                nonrelevant: true,
                pooled: true,
            })),
            extremes: None,
        },
        ..Laws::UNKNOWN
    },
    score: |measure, case| {
        let epsilon = measure.get(EPSILON);
        let expected = case.relevant(u32::MAX).iter().map(|d| {
            if d.rank == 1 {
                return 1.0;
            }
            let above = f64::from(d.rank - 1);
            let relevant = f64::from(d.seen - 1);
            let judged = relevant + f64::from(d.nonrelevant);
            let pooled = judged + f64::from(d.pooled);
            let share = match judged + 2.0 * epsilon {
                0.0 => 0.0,
                total => (relevant + epsilon) / total,
            };
            1.0 / (above + 1.0) + (above / (above + 1.0)) * (pooled / above) * share
        });
        expected.sum::<f64>() / case.num_rel()
    },
    peers: &[
        Peer::new("trec_eval", "infAP"),
        Peer::new("ir_measures", "infAP"),
        Peer::new("sample_eval", "infAP")
            .but("xinfAP, the estimate from a stratified sample: another measure"),
    ],
    examples: &[
        Example {
            measure: "infAP",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 0.5,
            working: "(1 + (1/4 + (2/4) (1 + e) / (2 + 2 e))) / 3",
        },
        Example {
            measure: "infAP(epsilon=0)",
            judgments: "a=1 p=-1 c=1 e=1",
            list: "a p c",
            value: 2.0 / 3.0,
            working: "a: 1; c at rank 3 below a and the pooled p: 1/3 + (2/3) (1/1) = 1; e is missing: (1 + 1) / 3",
        },
    ],
};
