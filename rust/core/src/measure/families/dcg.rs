//! Discounted cumulated gain, and what its relatives share.

use crate::ideal::Discounting;
use crate::measure::declare::*;

/// The parameters of the family.
pub(super) const PARAMS: &[Param] = &[
    Param::new("dcg", Range::Words(&["log2", "exp-log2", "jk"]), "the form of gain and discount")
        .or(Default::Text("log2")),
    BASE,
];

/// What measures with such a gain and discount see.
pub(super) const SEES: Sees = Sees { gain, linear, discount, ..Sees::GAINS };

const BASE: Param = Param::new(
    "base",
    Range::AboveOne,
    "for \"jk\": the base of the logarithm, and the last rank without discount",
)
.or(Default::Number(2.0));

pub static FAMILY: Family = Family {
    about: About {
        name: "DCG",
        aliases: &["discounted_cumulated_gain"],
        group: "gain",
        summary: "The sum of the gains of the first k documents, each discounted by its rank.",
        prose: "Three forms are in use. \"log2\" divides the gain by log2(r + 1), as trec_eval does; \"exp-log2\" does so with the gain 2^g - 1 of Burges et al., as gdeval and formula 8.9 of Introduction to Information Retrieval do; \"jk\" is Järvelin and Kekäläinen's, which discounts only the ranks after base, by the logarithm to that base.",
        formula: "DCG@k = sum over ranks r <= k of g(r) / d(r)",
        citation: "Järvelin and Kekäläinen (2002), Cumulated gain-based evaluation of IR techniques, TOIS; Burges et al. (2005), Learning to rank using gradient descent, ICML",
        range: "[0, inf)",
        better: |_| Better::Higher,
    },
    takes: Takes { params: PARAMS, cutoff: Cutoff::Optional, ..Takes::NONE },
    sees: Sees { reach: Measure::depth, ..SEES },
    laws: Laws {
        bounds: |_| Bounds::Monotone,
        ties: |_| Ties::SUM,
        term: Some(|_, case, d| case.gain(d) / case.discount.divisor(d.rank)),
        ..Laws::UNKNOWN
    },
    score: |measure, case| dcg(measure, case),
    peers: &[
        Peer::new("trec_eval 10", "dcg"),
        Peer::new("ranx", "dcg@10"),
        Peer::new("ranx", "dcg_burges@10").is("DCG(dcg=\"exp-log2\")@10").but("gains are 2^g - 1"),
        Peer::new("rbp_eval", "dcg_eval -N -R -m -r 10"),
        Peer::new("rbp_eval", "dcg_eval -N -m -r 10")
            .is("DCG(dcg=\"jk\")@10")
            .but("discounts from rank 2 on, by log2(r)"),
        Peer::new("sklearn", "dcg_score(k=10)")
            .but("averages the gains of documents with equal scores"),
    ],
    examples: &[
        Example {
            measure: "DCG@3",
            judgments: "a=1 b=3 c=0 d=2",
            list: "a c b x d",
            value: 2.5,
            working: "1/log2(2) + 3/log2(4)",
        },
        Example {
            measure: "DCG(dcg=\"exp-log2\")@3",
            judgments: "a=1 b=3 c=0 d=2",
            list: "a c b x d",
            value: 4.5,
            working: "1/log2(2) + 7/log2(4)",
        },
        Example {
            measure: "DCG(dcg=\"jk\")@3",
            judgments: "a=1 b=3 c=0 d=2",
            list: "a c b x d",
            value: 1.0 + 3.0 / 1.584_962_500_721_156,
            working: "1 + 3/log2(3)",
        },
    ],
};

/// The gain of a grade in the chosen form.
fn gain(measure: &Measure, gain: f64, _: f64) -> f64 {
    if measure.is("dcg", "exp-log2") { gain.exp2() - 1.0 } else { gain }
}

/// The measure of gains as they are, unless the chosen form has them.
fn linear(measure: &Measure) -> Option<Measure> {
    if !measure.is("dcg", "exp-log2") {
        return None;
    }
    let mut linear = measure.clone();
    let params = measure.family.takes.params;
    let form = params.iter().position(|param| param.key == "dcg")?;
    linear.values[form] = params[form].default.value();
    Some(linear)
}

/// The discount in the chosen form.
fn discount(measure: &Measure) -> Discounting {
    if measure.is("dcg", "jk") { Discounting::Jk(measure.get(BASE)) } else { Discounting::Log2 }
}

/// The discounted sum over the list.
pub(super) fn dcg(measure: &Measure, case: &Case) -> f64 {
    let documents = case.relevant(measure.depth()).iter();
    documents.map(|d| case.gain(d) / case.discount.divisor(d.rank)).sum()
}
