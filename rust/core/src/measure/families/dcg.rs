//! Discounted cumulated gain: DCG, that of the ideal list, nDCG and its variants.

use crate::ideal::Discounting;
use crate::measure::declare::*;
use crate::trace::Relevant;

const FORM: Param =
    Param::new("dcg", Range::Words(&["log2", "exp-log2", "jk"]), "the form of gain and discount")
        .or(Default::Text("log2"));

/// The parameters of the family.
pub(super) const PARAMS: &[Param] = &[FORM, BASE];

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
    takes: Takes {
        params: PARAMS,
        cutoff: Cutoff::Optional,
        budget: Budgets::Taken,
        ..Takes::NONE
    },
    sees: Sees { reach: Measure::depth, ..SEES },
    laws: Laws {
        bounds: |_| Bounds::Monotone,
        contrast: |_| Contrast::Sum(weight),
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

pub static IDCG: Family = Family {
    about: About {
        name: "iDCG",
        aliases: &["ideal_dcg", "ideal discounted cumulative gain"],
        group: "gain",
        summary: "Discounted cumulated gain of the best possible ranking: the divisor of nDCG.",
        prose: "It depends on the topic and not on the run. The forms are those of DCG. Without a cutoff the ideal ranking holds every document with a gain, retrieved or not.",
        formula: "iDCG@k = sum over ranks r <= k of g*(r) / d(r), where g* are all gains of the topic from the highest to the lowest",
        citation: "Järvelin and Kekäläinen (2002), Cumulated gain-based evaluation of IR techniques, TOIS; trec_eval, measure ideal_dcg",
        range: "[0, inf)",
        better: |_| Better::Neither,
    },
    takes: Takes { params: PARAMS, cutoff: Cutoff::Optional, ..Takes::NONE },
    sees: SEES,
    laws: Laws { bounds: |_| Bounds::Monotone, ties: |_| Ties::SUM, ..Laws::UNKNOWN },
    score: |measure, case| case.ideal().discounted(measure.depth()),
    peers: &[Peer::new("trec_eval 10", "ideal_dcg")],
    examples: &[
        Example {
            measure: "iDCG@1",
            judgments: "a=1 b=3 c=0 d=2",
            list: "a c b x d",
            value: 3.0,
            working: "b alone: 3/log2(2)",
        },
        Example {
            measure: "iDCG",
            judgments: "a=1 b=3 c=0 d=2",
            list: "a",
            value: 3.5 + 2.0 / 1.584_962_500_721_156,
            working: "b d a: 3/log2(2) + 2/log2(3) + 1/log2(4)",
        },
    ],
};

pub static NDCG: Family = Family {
    about: About {
        name: "nDCG",
        aliases: &["normalized_dcg", "MSnDCG", "normalized discounted cumulative gain"],
        group: "gain",
        summary: "Discounted cumulated gain, divided by that of the best possible ranking.",
        prose: "With a cutoff both rankings are cut; without one the ideal holds every relevant document, however short the ranking is, as trec_eval's ndcg does. The forms are those of DCG; \"log2\" with linear gains is the default, as in trec_eval, pytrec_eval, BEIR and MTEB. Formula 8.9 of Introduction to Information Retrieval, whose gain is 2^R - 1, is dcg=\"exp-log2\". enDCG has the default dcg=\"jk\", so it differs from nDCG even if all relevant documents fit into k. Negative grades gain nothing.",
        formula: "nDCG@k = DCG@k / DCG@k of the ideal ranking",
        citation: "Järvelin and Kekäläinen (2002), Cumulated gain-based evaluation of IR techniques, TOIS; Burges et al. (2005), Learning to rank using gradient descent, ICML; with dcg=\"exp-log2\" Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, equation 8.9",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { params: PARAMS, cutoff: Cutoff::Optional, budget: Budgets::Instead("enDCG"), ..Takes::NONE },
    sees: Sees { reach: Measure::depth, ..SEES },
    laws: Laws {
        bounds: |_| Bounds::Steps { weight: Weight::Discount, cut: true },
        contrast: |_| Contrast::Ratio { weight, cut: true },
        ties: |_| Ties::SUM,
        term: Some(|measure, case, d| {
            case.gain(d) / case.discount.divisor(d.rank) / case.ideal().discounted(measure.depth())
        }),
        ..Laws::UNKNOWN
    },
    score: |measure, case| dcg(measure, case) / case.ideal().discounted(measure.depth()),
    peers: &[
        Peer::new("trec_eval", "ndcg"),
        Peer::new("trec_eval", "ndcg_cut_10"),
        Peer::new("ir_measures", "nDCG@10"),
        Peer::new("ir_measures", "nDCG(dcg='exp-log2')@10")
            .but("runs gdeval: five decimals, and topics must be numbers"),
        Peer::new("ir_measures", "SDCG(max_rel=3)@10")
            .is("SDCG(max_rel=3)@10")
            .but("has no ideal ranking: divides by the DCG of k documents of the highest grade"),
        Peer::new("ranx", "ndcg@10"),
        Peer::new("ranx", "ndcg_burges@10")
            .is("nDCG(dcg=\"exp-log2\")@10")
            .but("gains are 2^g - 1"),
        Peer::new("gdeval", "ndcg@20").is("nDCG(dcg=\"exp-log2\")@20").but("gains are 2^g - 1"),
        Peer::new("NTCIREVAL", "MSnDCG@0010"),
        Peer::new("NTCIREVAL", "nDCG@0010")
            .is("nDCG(dcg=\"jk\")@10")
            .but("discounts from rank 2 on, by log2(r)"),
        Peer::new("pyNTCIREVAL", "MSnDCG@0010"),
        Peer::new("pyNTCIREVAL", "nDCG@0010")
            .is("nDCG(dcg=\"jk\")@10")
            .but("discounts from rank 2 on, by log2(r)"),
        Peer::new("cwl_eval", "NDCG-k@10")
            .but("has no ideal ranking: divides by the DCG of k documents of gain 1"),
        Peer::new("BEIR", "NDCG@10"),
        Peer::new("MTEB", "ndcg_at_10"),
        Peer::new("sklearn", "ndcg_score(k=10)")
            .but("its ideal ranking holds only the documents that it is given, so relevant ones that were not retrieved are missing; averages equal scores"),
    ],
    examples: &[
        Example {
            measure: "nDCG(dcg=\"exp-log2\")@3",
            judgments: "a=1 b=3 c=0 d=2",
            list: "a c b x d",
            value: 4.5 / (7.0 + 3.0 / 1.584_962_500_721_156 + 0.5),
            working: "(1 + 7/2) / (7 + 3/log2(3) + 1/2)",
        },
        Example {
            measure: "nDCG@3",
            judgments: "a=1 b=3 c=0 d=2",
            list: "a c b x d",
            value: 2.5 / (3.0 + 2.0 / 1.584_962_500_721_156 + 0.5),
            working: "(1 + 3/2) / (3 + 2/log2(3) + 1/2)",
        },
        Example {
            measure: "nDCG(gain={1:1,2:1,3:1})@3",
            judgments: "a=1 b=3 c=0 d=2",
            list: "a c b x d",
            value: 1.5 / (1.0 + 1.0 / 1.584_962_500_721_156 + 0.5),
            working: "(1 + 1/2) / (1 + 1/log2(3) + 1/2)",
        },
    ],
};

pub static ENDCG: Family = Family {
    about: About {
        name: "enDCG",
        aliases: &["expanded_nDCG", "expanded normalized discounted cumulative gain"],
        group: "gain",
        summary: "Discounted cumulated gain at k, divided by that of the whole ideal ranking.",
        prose: "The \"expanded\" form: a short ranking cannot reach 1 on a topic with many relevant documents, so the value grows with the depth. Its paper discounts as Järvelin and Kekäläinen do, hence the default, which is not that of nDCG: if all relevant documents fit into k, enDCG(dcg=\"log2\")@k is nDCG@k and enDCG@k is nDCG(dcg=\"jk\")@k.",
        formula: "enDCG@k = DCG@k / DCG of the ideal ranking with all relevant documents",
        citation: "Webber, Moffat and Zobel (2010), The effect of pooling and evaluation depth on metric stability, EVIA, section 2",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes {
        params: &[PARAMS[0].or(Default::Text("jk")), BASE],
        cutoff: Cutoff::Optional,
        budget: Budgets::Taken,
        ..Takes::NONE
    },
    sees: SEES,
    laws: Laws {
        bounds: |_| Bounds::Steps { weight: Weight::Discount, cut: false },
        contrast: |_| Contrast::Ratio { weight, cut: false },
        ties: |_| Ties::SUM,
        ..Laws::UNKNOWN
    },
    score: |measure, case| dcg(measure, case) / case.ideal().discounted(u32::MAX),
    peers: &[
        Peer::new("rbp_eval", "dcg_eval -m -r 10"),
        Peer::new("rbp_eval", "dcg_eval -m -R -r 10")
            .is("enDCG(dcg=\"log2\")@10")
            .but("discounts all ranks, by log2(r + 1)"),
    ],
    examples: &[Example {
        measure: "enDCG@1",
        judgments: "a=1 b=3 c=0 d=2",
        list: "a c b x d",
        value: 1.0 / (3.0 + 2.0 + 1.0 / 1.584_962_500_721_156),
        working: "1 / (3 + 2 + 1/log2(3))",
    }],
};

pub static NDCG_REL: Family = Family {
    about: About {
        name: "nDCG_rel",
        aliases: &[],
        group: "gain",
        summary: "The mean over all relevant documents of nDCG at their ranks.",
        prose: "It is to nDCG what average precision is to precision. nDCG jumps where the ideal ranking changes its gain, and these ranks differ between topics, so a mean over ranks says little; a mean over relevant documents weights the ranks by the documents there. A relevant document that was not retrieved has the nDCG of the whole ranking. The forms are those of DCG. trec_eval calls it experimental.",
        formula: "nDCG_rel = (1/R) [sum over relevant documents retrieved of nDCG@r + (R - R') nDCG], where R' relevant documents were retrieved",
        citation: "trec_eval, measure ndcg_rel (Buckley), after Järvelin and Kekäläinen (2002), Cumulated gain-based evaluation of IR techniques, TOIS",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { params: PARAMS, ..Takes::NONE },
    sees: SEES,
    laws: Laws {
        bounds: |_| Bounds::SortedIfBinary,
        falls: |_, _| Some(Falls::Power(2)),
        ties: |_| Ties::SORTED,
        ..Laws::UNKNOWN
    },
    score: |_, case| {
        let (found, ideal) = (case.relevant(u32::MAX), case.ideal());
        let (mut gained, mut sum) = (0.0, 0.0);
        for document in found {
            gained += case.gain(document) / case.discount.divisor(document.rank);
            sum += gained / ideal.discounted(document.rank);
        }
        let missed = f64::from(case.view.num_rel - found.len() as u32);
        (sum + missed * (gained / ideal.discounted(u32::MAX))) / case.num_rel()
    },
    peers: &[Peer::new("trec_eval", "ndcg_rel")],
    examples: &[
        Example {
            measure: "nDCG_rel",
            judgments: "a=1 b=0 c=1",
            list: "a b x",
            value: 0.5 + 0.5 / (1.0 + 1.0 / 1.584_962_500_721_156),
            working: "a has nDCG@1 = 1, c the nDCG of the ranking: (1 + 1 / (1 + 1/log2(3))) / 2",
        },
        Example {
            measure: "nDCG_rel(dcg=\"jk\")",
            judgments: "a=1 b=3 c=0",
            list: "a b",
            value: 2.0 / 3.0,
            working: "no discount to rank 2, ideal b a: (1/3 + 4/4) / 2",
        },
    ],
};

pub static RNDCG: Family = Family {
    about: About {
        name: "RnDCG",
        aliases: &[],
        group: "gain",
        summary: "The mean of nDCG at the ranks where the gain of the ideal ranking drops, and at the end of the ranking.",
        prose: "It is to nDCG what R-precision is to precision, for each gain: a topic with 5 documents of gain 3, 3 of gain 2 and 10 of gain 1 is measured after 5, 8 and 18 documents, and at the end of the ranking. At these ranks nDCG jumps, and they are at the same place of every topic's ideal ranking. Each gain counts alike, however many documents have it. The forms are those of DCG. trec_eval calls it experimental.",
        formula: "RnDCG = (1/(m + 1)) [sum over the topic's m gains g > 0 of nDCG@R(g) + nDCG], where R(g) documents have a gain of at least g",
        citation: "trec_eval, measure Rndcg (Buckley), after Järvelin and Kekäläinen (2002), Cumulated gain-based evaluation of IR techniques, TOIS",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { params: PARAMS, ..Takes::NONE },
    sees: SEES,
    laws: Laws {
        bounds: |_| Bounds::Sorted,
        falls: |_, _| Some(Falls::Power(1)),
        ties: |_| Ties::SUM,
        ..Laws::UNKNOWN
    },
    score: |_, case| rndcg(case),
    peers: &[Peer::new("trec_eval", "Rndcg")
        .but("leaves the whole ranking out if it has no more than R + 1 documents")],
    examples: &[
        Example {
            measure: "RnDCG",
            judgments: "a=1 b=3 c=0 d=1",
            list: "b x a y",
            value: (1.0 + 2.0 * 3.5 / (3.5 + 1.0 / 1.584_962_500_721_156)) / 3.0,
            working: "gain 3 ends at rank 1: 3/3; gain 1 at rank 3: (3 + 1/2) / (3 + 1/log2(3) + 1/2), and so at the end",
        },
        Example {
            measure: "RnDCG(gain={1:2,2:2,3:2})",
            judgments: "a=1 b=3 c=0",
            list: "c a b x",
            value: 0.5 / (1.584_962_500_721_156 + 1.0)
                + 0.5 * (1.0 / 1.584_962_500_721_156 + 0.5) / (1.0 + 1.0 / 1.584_962_500_721_156),
            working: "one gain, which ends at rank 2: (2/log2(3)) / (2 + 2/log2(3)); at the end (2/log2(3) + 1) / (2 + 2/log2(3))",
        },
    ],
};

/// The gain of a grade in the chosen form.
fn gain(measure: &Measure, gain: f64, _: f64) -> f64 {
    if measure.is(FORM, "exp-log2") { gain.exp2() - 1.0 } else { gain }
}

/// The measure of gains as they are, unless the chosen form has them.
fn linear(measure: &Measure) -> Option<Measure> {
    if !measure.is(FORM, "exp-log2") {
        return None;
    }
    let mut linear = measure.clone();
    let params = measure.family.takes.params;
    let form = params.iter().position(|param| param.key == FORM.key)?;
    linear.values[form] = params[form].default.value();
    Some(linear)
}

/// The discount in the chosen form.
fn discount(measure: &Measure) -> Discounting {
    if measure.is(FORM, "jk") { Discounting::Jk(measure.get(BASE)) } else { Discounting::Log2 }
}

/// The weight of a rank.
fn weight(_: &Measure, case: &Case, rank: u32) -> f64 {
    1.0 / case.discount.divisor(rank)
}

/// The discounted sum over the list.
pub(super) fn dcg(measure: &Measure, case: &Case) -> f64 {
    let documents = case.relevant(measure.depth()).iter();
    documents.map(|d| case.gain(d) / case.discount.divisor(d.rank)).sum()
}

fn rndcg(case: &Case) -> f64 {
    let ideal = case.ideal();
    let gains = ideal.gains();
    let mut documents = case.relevant(u32::MAX).iter().peekable();
    let (mut gained, mut sum, mut points) = (0.0, 0.0, 0.0);
    let discounted = |d: &Relevant| case.gain(d) / case.discount.divisor(d.rank);
    let mut rank = 0;
    while rank < gains.len() {
        let gain = gains[rank];
        rank += gains[rank..].partition_point(|&other| other == gain);
        while let Some(document) = documents.next_if(|d| d.rank as usize <= rank) {
            gained += discounted(document);
        }
        sum += gained / ideal.discounted(rank as u32);
        points += 1.0;
    }
    for document in documents {
        gained += discounted(document);
    }
    (sum + gained / ideal.discounted(u32::MAX)) / (points + 1.0)
}
