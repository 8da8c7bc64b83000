//! Rank-biased precision.

use crate::measure::declare::*;
use crate::trace::Relevant;

/// The one parameter of all rank-biased measures.
pub(super) const PERSISTENCE: Param =
    Param::new("p", Range::Below1, "the probability of going on to the next document")
        .or(Default::Printed(0.8));

/// What stands in for the persistence where evaluation ends at rank k.
pub(super) const RESIDUAL: Param =
    Param::new("residual", Range::Below1, "the weight beyond rank k that p is chosen to leave")
        .instead_of("p");

pub static FAMILY: Family = Family {
    about: About {
        name: "RBP",
        aliases: &["rank_biased_precision"],
        group: "rank-biased",
        summary: "The expected gain of a user who goes on to the next document with probability p.",
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
            Param::new("max_rel", Range::Positive, "the highest grade: makes the measure graded"),
        ],
        cutoff: Cutoff::Optional,
        check: residual_has_a_rank,
        ..Takes::NONE
    },
    sees: Sees {
        relevance: Relevance::GradeUnlessDeclared,
        gain: |measure, gain, _| gain / measure.number("max_rel").unwrap_or(1.0),
        declared_top: |measure| measure.number("max_rel"),
        reach: Measure::depth,
        ..Sees::GRADES
    },
    laws: Laws {
        bounds: |_| Bounds::Monotone,
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

/// A residual is left beyond some rank.
pub(super) fn residual_has_a_rank(measure: &Measure) -> Result<(), String> {
    match (measure.number("residual"), measure.cutoff) {
        (Some(_), None) => Err(format!(
            "needs a cutoff to choose p from residual, as in {}(residual=0.1)@10",
            measure.family.about.name
        )),
        _ => Ok(()),
    }
}

/// The persistence, given or chosen by the residual.
pub(super) fn persistence(measure: &Measure) -> f64 {
    match (measure.number("residual"), measure.cutoff) {
        (Some(residual), Some(k)) => residual.powf(1.0 / k),
        _ => measure.get(PERSISTENCE),
    }
}

/// What a relevant document gains.
fn gain(measure: &Measure, case: &Case, document: &Relevant) -> f64 {
    if measure.counts_gains() { case.gain(document) } else { 1.0 }
}

/// The weighted sum over the list.
pub(super) fn rbp(measure: &Measure, case: &Case) -> f64 {
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
