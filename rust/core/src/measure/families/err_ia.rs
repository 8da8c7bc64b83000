//! Intent-aware expected reciprocal rank, also normalized, and what novelty measures share.

use super::inst;
use crate::intents::Novelty;
use crate::measure::declare::*;

/// How likely a relevant document serves an intent.
pub(super) const ALPHA: Param = Param::new(
    "alpha",
    Range::Unit,
    "the probability that a relevant document has served an intent",
)
.or(Default::Number(0.5));

/// What measures of intents see.
pub(super) const SEES: Sees = Sees { needs: Needs::Intents, ..Sees::GRADES };

/// What is known of the values of measures of intents.
pub(super) const LAWS: Laws = Laws {
    bounds: |_| Bounds::Refused("a document can be judged under any intent"),
    ..Laws::UNKNOWN
};

pub static FAMILY: Family = Family {
    about: About {
        name: "ERR_IA",
        aliases: &["ERR-IA", "intent-aware expected reciprocal rank", "intent-aware ERR"],
        group: "diversity",
        summary: "The expected reciprocal rank at which an intent is satisfied, for users with different intents.",
        prose: "A document is relevant to an intent or not; each relevant document serves a user of its intent with the probability alpha. Intents count alike unless they have weights; those without a relevant document are left out. The value is divided by that of a ranking of documents that are all relevant to every intent, so that it is at most 1. It needs judgments by intent.",
        formula: "ERR_IA@k = sum over ranks r <= k of s(r) / r, divided by sum over r <= k of (1 - alpha)^(r - 1) / r; s(r) = sum over the intents i to which the document at rank r is relevant of w(i) (1 - alpha)^(documents above that are relevant to i), where the weights w add up to 1",
        citation: "Chapelle, Metzler, Zhang and Grinspan (2009), Expected reciprocal rank for graded relevance, CIKM; Clarke, Craswell, Soboroff and Ashkan (2011), A comparative analysis of cascade measures for novelty and diversity, WSDM",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes {
        params: &[ALPHA],
        cutoff: Cutoff::Required,
        check: inst::ranks_can_be_held,
        ..Takes::NONE
    },
    sees: SEES,
    laws: LAWS,
    score: |measure, case| {
        let sum = novelties(measure, case).map(|(rank, score)| score / rank).sum::<f64>();
        sum / whole(measure, |rank| 1.0 / rank) / weight(measure, case)
    },
    peers: &[
        Peer::new("ndeval", "ERR-IA@20")
            .but("grades above 1 are 1; at rank 1 the value is not divided"),
        Peer::new("ir_measures", "ERR_IA@20")
            .but("runs pyndeval: among equal scores the lower document id comes first"),
    ],
    examples: &[Example {
        measure: "ERR_IA@2",
        judgments: "a=1;intent1=1;intent2=0 b=1;intent1=1;intent2=1 c=0;intent1=0;intent2=0",
        list: "a b c",
        value: (0.5 + 0.75 / 2.0) / 1.25,
        working: "a: 1/2; b: (1/2 + 1) / 2 = 3/4: (.5 / 1 + .75 / 2) / (1 + .5 / 2)",
    }],
};

pub static NERR_IA: Family = Family {
    about: About {
        name: "nERR_IA",
        aliases: &["nERR-IA"],
        group: "diversity",
        summary: "ERR_IA, divided by that of the best ranking that a greedy choice finds.",
        prose: "The best ranking is hard to find, so it is built from the top, each time with the document that adds most; among equal ones the one with the last id, as in ndeval.",
        formula: "nERR_IA@k = ERR_IA@k / ERR_IA@k of the greedy ranking",
        citation: "Clarke, Craswell, Soboroff and Ashkan (2011), A comparative analysis of cascade measures for novelty and diversity, WSDM",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes {
        params: &[ALPHA],
        cutoff: Cutoff::Required,
        check: inst::ranks_can_be_held,
        ..Takes::NONE
    },
    sees: Sees { best: greedy, ..SEES },
    laws: LAWS,
    score: |measure, case| {
        let list: f64 = novelties(measure, case).map(|(rank, score)| score / rank).sum();
        let ideal = case.ideal().gains().iter().zip(1..=measure.depth());
        list / ideal.map(|(score, rank)| score / f64::from(rank)).sum::<f64>()
    },
    peers: &[
        Peer::new("ndeval", "nERR-IA@20"),
        Peer::new("ir_measures", "nERR_IA@20")
            .but("runs pyndeval: among equal scores the lower document id comes first"),
    ],
    examples: &[Example {
        measure: "nERR_IA@2",
        judgments: "a=1;intent1=1;intent2=0 b=1;intent1=1;intent2=1 c=0;intent1=0;intent2=0",
        list: "a b c",
        value: (1.0 + 1.5 / 2.0) / (2.0 + 0.5 / 2.0),
        working: "greedy: b, then a: (1 + 1.5/2) / (2 + .5/2)",
    }],
};

/// What each judged document among the first k adds, with its rank; intents
/// have their own weights.
pub(super) fn novelties<'a>(
    measure: &'a Measure,
    case: &'a Case,
) -> impl Iterator<Item = (f64, f64)> + 'a {
    let mut novelty = Novelty::new(case.intents(), alpha(measure), measure.rel);
    case.known(measure.depth()).filter(|known| known.judged).map(move |known| {
        let score = novelty.score(known.number as u32);
        novelty.read(known.number as u32);
        (f64::from(known.rank), score)
    })
}

/// alpha.
pub(super) fn alpha(measure: &Measure) -> f64 {
    measure.get(ALPHA)
}

/// The sum of the weights of the intents that have a relevant document.
pub(super) fn weight(measure: &Measure, case: &Case) -> f64 {
    let weights = case.intents().weights().iter().zip(case.served(measure.rel));
    weights.map(|(weight, count)| if *count > 0 { *weight } else { 0.0 }).sum()
}

/// The discounted sum over the first k ranks of documents that are relevant to
/// every intent.
pub(super) fn whole(measure: &Measure, discount: impl Fn(f64) -> f64) -> f64 {
    let mut left = 1.0;
    let mut sum = 0.0;
    for rank in 1..=measure.depth() {
        sum += left * discount(f64::from(rank));
        left *= 1.0 - alpha(measure);
        if left == 0.0 {
            break;
        }
    }
    sum
}

/// The greedy list of the measure's alpha and `rel`.
pub(super) fn greedy(measure: &Measure) -> Best {
    Best::Greedy { alpha: alpha(measure), rel: measure.rel }
}
