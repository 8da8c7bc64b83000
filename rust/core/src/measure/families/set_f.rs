//! The F measure of the retrieved set, and van Rijsbergen's E.

use crate::measure::declare::*;

const BETA: Param =
    Param::new("beta", Range::UpToInfinity, "how many times recall counts more than precision")
        .or(Default::Number(1.0));

const ALPHA: Param =
    Param::new("alpha", Range::Unit, "the weight of precision; recall has the rest")
        .instead_of("beta");

/// How precision and recall are weighed.
pub(super) const PARAMS: &[Param] = &[BETA, ALPHA];

pub static FAMILY: Family = Family {
    about: About {
        name: "SetF",
        aliases: &[
            "set_F",
            "F",
            "f1",
            "Dice",
            "F score",
            "F1 score",
            "F measure",
            "F1 measure",
            "harmonic mean of precision and recall",
        ],
        group: "sets",
        summary: "The weighted harmonic mean of set precision and set recall.",
        prose: "beta is how many times as much recall counts as precision; alpha says the same as a weight, with beta^2 = (1 - alpha) / alpha. With beta=inf, as with alpha=0, it is the limit, the recall of the set. With neither it is F1, which is also Dice's coefficient of the retrieved and the relevant documents. trec_eval's set_F.x and ir_measures' SetF(beta=x) take x for beta squared.",
        formula: "SetF = (beta^2 + 1) P R / (beta^2 P + R) = 1 / (alpha / P + (1 - alpha) / R); 0 when nothing relevant was retrieved",
        citation: "van Rijsbergen (1979), Information Retrieval, chapter 7; Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, equations 8.5 and 8.6",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes {
        params: PARAMS,
        cutoff: Cutoff::Optional,
        budget: Budgets::Taken,
        ..Takes::NONE
    },
    sees: Sees::GRADES,
    laws: Laws { bounds: |_| Bounds::Sorted, ties: |_| Ties::SUM, ..Laws::UNKNOWN },
    score: |measure, case| f_of_set(measure, case),
    peers: &[
        Peer::new("trec_eval", "set_F"),
        Peer::new("trec_eval", "set_F.4").is("SetF(beta=2)").but("the number is beta squared"),
        Peer::new("ir_measures", "SetF"),
        Peer::new("ir_measures", "SetF(beta=4.0)")
            .is("SetF(beta=2)")
            .but("its beta is beta squared"),
        Peer::new("ranx", "f1"),
        Peer::new("ranx", "f1@10").but("precision is divided by k even if the ranking is shorter"),
    ],
    examples: &[
        Example {
            measure: "SetF",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 0.5,
            working: "P = 2/5, R = 2/3: 2 (4/15) / (16/15)",
        },
        Example {
            measure: "SetF(beta=2)",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 10.0 / 17.0,
            working: "5 (4/15) / (4 (2/5) + 2/3) = (4/3) / (34/15)",
        },
        Example {
            measure: "SetF(alpha=0.2)",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 10.0 / 17.0,
            working: "as beta = 2: 1 / (.2 (5/2) + .8 (3/2)) = 1 / 1.7",
        },
        Example {
            measure: "SetF(beta=inf)",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 2.0 / 3.0,
            working: "R = 2/3",
        },
    ],
};

pub static E: Family = Family {
    about: About {
        name: "E",
        aliases: &["E_measure"],
        group: "sets",
        summary: "One minus F; lower is better.",
        prose: "The form in which van Rijsbergen derived F from the theory of measurement; 0 is perfect. The parameters are those of SetF.",
        formula: "E = 1 - SetF = 1 - 1 / (alpha / P + (1 - alpha) / R)",
        citation: "van Rijsbergen (1979), Information Retrieval, chapter 7; Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, section 8.7",
        range: "[0, 1]",
        better: |_| Better::Lower,
    },
    takes: Takes {
        params: PARAMS,
        cutoff: Cutoff::Optional,
        budget: Budgets::Taken,
        ..Takes::NONE
    },
    sees: Sees::GRADES,
    laws: Laws { bounds: |_| Bounds::Sorted, ties: |_| Ties::SUM, ..Laws::UNKNOWN },
    score: |measure, case| 1.0 - f_of_set(measure, case),
    peers: &[],
    examples: &[
        Example {
            measure: "E",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 0.5,
            working: "F = 1/2",
        },
        Example {
            measure: "E(alpha=0.2)@4",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 1.0 - 1.0 / 1.6,
            working: "P = 2/4, R = 2/3: 1 - 1 / (.2 (4/2) + .8 (3/2))",
        },
    ],
};

/// F of the retrieved set, or of its first k documents.
fn f_of_set(measure: &Measure, case: &Case) -> f64 {
    let size = case.retrieved().min(measure.depth());
    f(measure, case.hits(size), f64::from(size), case.num_rel())
}

/// F when `hits` of `size` documents are relevant, of `num_rel` in all: the
/// definition without its fractions, which is 0 when nothing was hit.
pub(crate) fn f(measure: &Measure, hits: f64, size: f64, num_rel: f64) -> f64 {
    if num_rel == 0.0 {
        return f64::NAN;
    }
    if hits == 0.0 { 0.0 } else { hits / divisor(measure, num_rel)(size) }
}

/// What the relevant documents among this many are divided by.
pub(super) fn divisor(measure: &Measure, num_rel: f64) -> impl Fn(f64) -> f64 {
    let (of_size, of_num_rel) = measure.given(ALPHA).map_or_else(
        || {
            let beta = measure.get(BETA);
            let square = beta * beta;
            let of_num_rel = if square.is_finite() { square / (square + 1.0) } else { 1.0 };
            (1.0 / (square + 1.0), of_num_rel)
        },
        |alpha| (alpha, 1.0 - alpha),
    );
    move |size| of_size * size + of_num_rel * num_rel
}
