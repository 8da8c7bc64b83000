//! Rank-biased precision, its residual, and its normalized form.

use crate::measure::declare::*;
use crate::trace::Relevant;

/// The one parameter of all rank-biased measures.
const PERSISTENCE: Param =
    Param::new("p", Range::Below1, "the probability of going on to the next document")
        .or(Default::Printed(0.8));

/// What stands in for the persistence where evaluation ends at rank k.
const RESIDUAL: Param =
    Param::new("residual", Range::Below1, "the weight beyond rank k that p is chosen to leave")
        .instead_of("p");

const HIGHEST: Param =
    Param::new("max_rel", Range::Positive, "the highest grade: makes the measure graded");

pub static FAMILY: Family = Family {
    about: About {
        name: "RBP",
        aliases: &["rank_biased_precision"],
        group: "rank-biased",
        summary: "The expected gain of a user who continues to the next document with probability p.",
        prose: "Binary by default; max_rel makes it graded, with the gain grade / max_rel. p is always printed, since tools differ: .8 in ir_measures, .9 in trec_eval 10 and cwl_eval, .95 in NTCIREVAL. residual= chooses the p that leaves that weight beyond rank k. What unjudged documents could add is RBP_residual.",
        formula: "RBP = (1 - p) sum over ranks r <= k of g(r) p^(r - 1); p = residual^(1/k)",
        citation: "Moffat and Zobel (2008), Rank-biased precision for measurement of retrieval effectiveness, TOIS; Webber, Moffat and Zobel (2010), EVIA, equations 6 and 7",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes {
        params: &[
            PERSISTENCE,
            RESIDUAL,
            HIGHEST,
        ],
        cutoff: Cutoff::Optional,
        check: residual_has_a_rank,
        budget: Budgets::Taken, ..Takes::NONE
    },
    sees: Sees {
        relevance: Relevance::GradeUnlessDeclared,
        gain: |measure, gain, _| gain / measure.given(HIGHEST).unwrap_or(1.0),
        declared_top: Some(HIGHEST),
        reach: Measure::depth,
        ..Sees::GRADES
    },
    laws: Laws {
        bounds: |_| Bounds::Monotone,
        contrast: |_| Contrast::Sum(weight),
        ties: |_| Ties::SUM,
        term: Some(|measure, case, d| {
            let p = persistence(measure);
            (1.0 - p) * gain(measure, case, d) * p.powi((d.rank - 1) as i32)
        }),
        ..Laws::UNKNOWN
    },
    score: |measure, case| rbp(measure, case),
    peers: &[
        Peer::new("trec_eval 10", "rbp")
            .but("p is 0.9, and grades are divided by the topic's highest, which differs between builds since it is read before it is set"),
        Peer::new("ir_measures", "RBP(rel=1)").but("equal scores stay in the order of the run"),
        Peer::new("ranx", "rbp.80")
            .but("p is in the name; the grade itself is the gain, so the value passes 1 when grades do"),
        Peer::new("NTCIREVAL", "RBP")
            .is("RBP(p=0.95,max_rel=3)")
            .but("p is 0.95 and gains are divided by the highest, say 3"),
        Peer::new("pyNTCIREVAL", "RBP")
            .is("RBP(p=0.95,max_rel=3)")
            .but("p is 0.95 and gains are divided by the highest, say 3"),
        Peer::new("cwl_eval", "RBP@0.8")
            .but("p is 0.9 if none is given; gains must lie between 0 and 1; the weights of 1000 ranks sum to 1"),
        Peer::new("rbp_eval", "rbp")
            .but("prints p of 0.5, 0.8 and 0.95; documents with equal scores share the average of their weights"),
    ],
    examples: &[
        Example {
            measure: "RBP(p=0.8)",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 0.2 * (1.0 + 0.8 * 0.8 * 0.8),
            working: ".2 (1 + .8^3)",
        },
        Example {
            measure: "RBP(residual=0.25)@2",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 0.5,
            working: "p = .25^(1/2) = .5, and only rank 1 counts: .5 x 1",
        },
        Example {
            measure: "RBP(p=0,max_rel=3)",
            judgments: "a=1 b=3 c=0 d=2",
            list: "a b c",
            value: 1.0 / 3.0,
            working: "the gain of rank 1: a's, 1/3",
        },
        Example {
            measure: "RBP(p=0.5,max_rel=3)@3",
            judgments: "a=1 b=3 c=0 d=2",
            list: "a c b x d",
            value: 0.5 * (1.0 / 3.0 + 0.25),
            working: ".5 (1/3 + 1 x .5^2)",
        },
    ],
};

pub static RBP_RESIDUAL: Family = Family {
    about: About {
        name: "RBP_residual",
        aliases: &["residual of rank-biased precision"],
        group: "rank-biased",
        summary: "How much RBP could grow if every unjudged document were fully relevant.",
        prose: "It has two parts: the unjudged documents of the ranking, and everything beyond its end (or beyond rank k). trec_eval 10's rbp_resid leaves the second part out unless the first is there.",
        formula: "RBP_residual = (1 - p) sum over unjudged ranks r <= m of p^(r - 1) + p^m, where m = min(n, k)",
        citation: "Moffat and Zobel (2008), Rank-biased precision for measurement of retrieval effectiveness, TOIS, section 5",
        range: "[0, 1]",
        better: |_| Better::Lower,
    },
    takes: Takes { params: &[PERSISTENCE], cutoff: Cutoff::Optional, ..Takes::NONE },
    sees: Sees { nonrelevant: Nonrelevant::Each, ..Sees::GRADES },
    laws: Laws {
        bounds: |_| Bounds::Refused("it measures how much is judged"),
        ties: |_| Ties { mean: Some(Mean::Rotations), extremes: Some(Extremes::Judged) },
        ..Laws::UNKNOWN
    },
    score: |measure, case| {
        let p = persistence(measure);
        let (mut residual, mut above) = (0.0, 0);
        // The weight of what follows the judged documents so far.
        let mut weight = 1.0;
        for (rank, _) in case.judged(measure.depth()) {
            // The unjudged ranks between two judged ones, as a difference of
            // powers; 1 - sum would cancel to 0 on long judged lists.
            let here = weight * p.powi((rank - above) as i32 - 1);
            residual += weight - here;
            (weight, above) = (here * p, rank);
        }
        residual + weight
    },
    peers: &[
        Peer::new("trec_eval 10", "rbp_resid").but(
            "0 if every retrieved document is judged: what lies beyond the ranking is then left out",
        ),
        Peer::new("cwl_eval", "RBP@0.8, column ResEU").but("ends at rank 1000"),
        Peer::new("rbp_eval", "rbp, the number after +")
            .but("documents with equal scores share the average of their weights"),
    ],
    examples: &[
        Example {
            measure: "RBP_residual(p=0.8)",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 0.16 + 0.327_68,
            working: "rank 2 is unjudged: .2 x .8; beyond rank 5: .8^5",
        },
        Example {
            measure: "RBP_residual(p=0.5)@2",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 0.5,
            working: "rank 2: .5 x .5; beyond it .5^2",
        },
    ],
};

pub static NRBP: Family = Family {
    about: About {
        name: "nRBP",
        aliases: &["normalised_RBP", "normalized rank-biased precision"],
        group: "rank-biased",
        summary: "Rank-biased precision, divided by that of the best possible ranking.",
        prose: "The ideal ranking has all relevant documents first, cut at k. residual= chooses the p that leaves that weight beyond rank k, as in RBP.",
        formula: "nRBP@k = RBP@k / (1 - p^min(k, R)); p = residual^(1/k)",
        citation: "Webber, Moffat and Zobel (2010), The effect of pooling and evaluation depth on metric stability, EVIA, section 2 and equation 7",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes {
        params: &[PERSISTENCE, RESIDUAL],
        cutoff: Cutoff::Optional,
        check: residual_has_a_rank,
        budget: Budgets::Instead("RBP"),
        ..Takes::NONE
    },
    sees: Sees::GRADES,
    laws: Laws {
        bounds: |_| Bounds::Sorted,
        contrast: |_| Contrast::Ratio { weight, cut: true },
        ties: |_| Ties::SUM,
        ..Laws::UNKNOWN
    },
    score: |measure, case| {
        let p = persistence(measure);
        let ideal = measure.depth().min(case.view.num_rel);
        rbp(measure, case) / (1.0 - p.powi(ideal as i32))
    },
    peers: &[],
    examples: &[
        Example {
            measure: "nRBP(p=0.5)@2",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 2.0 / 3.0,
            working: "RBP@2 is .5, the ideal 1 - .5^2",
        },
        Example {
            measure: "nRBP(residual=0.0625)@4",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 0.5625 / 0.875,
            working: "p = .0625^(1/4) = .5; a and c: .5 (1 + .5^3) = .5625, the ideal of three 1 - .5^3",
        },
    ],
};

/// A residual is left beyond some rank.
fn residual_has_a_rank(measure: &Measure) -> Result<(), String> {
    match (measure.given(RESIDUAL), measure.cutoff) {
        (Some(_), None) => Err(format!(
            "needs a cutoff to choose p from residual, as in {}(residual=0.1)@10",
            measure.family.about.name
        )),
        _ => Ok(()),
    }
}

/// The persistence, given or chosen by the residual.
fn persistence(measure: &Measure) -> f64 {
    match (measure.given(RESIDUAL), measure.cutoff) {
        (Some(residual), Some(k)) => residual.powf(1.0 / k),
        _ => measure.get(PERSISTENCE),
    }
}

/// What a relevant document gains.
fn gain(measure: &Measure, case: &Case, document: &Relevant) -> f64 {
    if measure.counts_gains() { case.gain(document) } else { 1.0 }
}

/// The weight of a rank.
fn weight(measure: &Measure, _: &Case, rank: u32) -> f64 {
    let p = persistence(measure);
    (1.0 - p) * p.powi((rank - 1) as i32)
}

/// The weighted sum over the list.
fn rbp(measure: &Measure, case: &Case) -> f64 {
    let p = persistence(measure);
    let top =
        if measure.counts_gains() { case.gains.iter().copied().fold(0.0, f64::max) } else { 1.0 };
    // From one relevant document to the next: short powers are quick.
    let (mut weight, mut rank, mut gained) = (1.0, 1, 0.0);
    for document in case.relevant(measure.depth()) {
        weight *= match document.rank - rank {
            1 => p,
            ranks => p.powi(ranks as i32),
        };
        rank = document.rank;
        // Less than half of the last place of the sum is rounded off, here and further down.
        if top * weight < gained * (f64::EPSILON / 8.0) {
            break;
        }
        gained += gain(measure, case, document) * weight;
    }
    (1.0 - p) * gained
}
