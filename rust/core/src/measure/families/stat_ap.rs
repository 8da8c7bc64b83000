//! Estimates by inclusion probabilities: statAP, its variance, and its relatives.

use super::{dcg, xinfap};
use crate::measure::declare::*;
use crate::sample::whole;

const VERSION: Param = Param::new("version", Range::Words(&["3", "4"]), "the program's version")
    .or(Default::Text("3"));

pub static FAMILY: Family = Family {
    about: About {
        name: "statAP",
        aliases: &["statistical average precision"],
        group: "estimates",
        summary: "An estimate of average precision in which a judged document is weighted by the number of documents that it represents.",
        prose: "Each judged document was drawn with a known probability; its weight is one over that. In a stratified sample the probability is the judged proportion of the stratum. The Horvitz-Thompson estimate of a sum over the pool is the weighted sum over the sample: R, and the precision at each relevant document, are estimated this way.",
        formula: "statAP = (1/R) sum over relevant documents retrieved at ranks r of w (1 + sum of w over the relevant documents above) / r, where R is the sum of w over all relevant documents",
        citation: "Aslam, Pavlu and Yilmaz (2006), A statistical method for system evaluation using incomplete judgments, SIGIR; Pavlu and Aslam (2007), A practical sampling strategy for efficient retrieval evaluation",
        range: "[0, inf)",
        better: |_| Better::Higher,
    },
    takes: Takes { prime: false, ..Takes::NONE },
    sees: Sees { needs: Needs::Sample, ..Sees::GRADES },
    laws: xinfap::LAWS,
    score: |measure, case| {
        let mut above = 0.0;
        let sum = xinfap::weighted_sum(case, measure.depth(), |rank, weight, _| {
            let expected = (1.0 + above) / f64::from(rank);
            above += weight;
            weight * expected
        });
        sum / xinfap::estimated_num_rel(case)
    },
    peers: &[Peer::new("statAP_MQ_eval", "AP")],
    examples: &[Example {
        measure: "statAP",
        judgments: "a=1;inclusion=0.5 b=0;inclusion=1 c=1;inclusion=0.25",
        list: "x a b c",
        value: 2.0 / 3.0,
        working: "R = 2 + 4; (2 (1/2) + 4 (1 + 2)/4) / 6",
    }],
};

pub static VAR_AP: Family = Family {
    about: About {
        name: "varAP",
        aliases: &[],
        group: "estimates",
        summary: "An estimate of the variance of statAP, as its authors' program prints it.",
        prose: "It says how much statAP would vary if other documents had been drawn. Version 3 of the program and version 4 add the variance of the precisions in different ways; version 4 also scales by the proportion of the sample that the ranking holds and ends at 1. The variance of the mean over m topics is the mean of varAP divided by m.",
        formula: "varAP = (sum of (1 - p) y^2 - sum over pairs of 2 y z / (n - 1) + v) / R^2, over the relevant of n documents drawn, each with probability p and y = (s - statAP) / p, where s is its estimated precision, 0 if it is not retrieved; v sums over the relevant documents retrieved, with version=\"3\" the (1 - q) / q^2 of each and of those above, over r^2, with version=\"4\" (1 - p) / p^2 times the square of the sum of 1 / (q r) over those below",
        citation: "Pavlu and Aslam (2007), A practical sampling strategy for efficient retrieval evaluation; the authors' statAP_MQ_eval, versions 3 and 4",
        range: "(-inf, inf)",
        better: |_| Better::Neither,
    },
    takes: Takes { params: &[VERSION], prime: false, ..Takes::NONE },
    sees: Sees { needs: Needs::Sample, ..Sees::GRADES },
    laws: xinfap::LAWS,
    score: variance,
    peers: &[
        Peer::new("statAP_MQ_eval", "varAP"),
        Peer::new("statAP_MQ_eval 4", "varAP").is("varAP(version=\"4\")"),
    ],
    examples: &[Example {
        measure: "varAP",
        judgments: "a=1;inclusion=0.5 b=0;inclusion=1",
        list: "x a",
        value: 0.125,
        working: "R = 2, statAP = 2 (1/2) / 2 = 1/2, so y = 0; v = (1/2) / (1/4) / 4 = 1/2; (1/2) / 4",
    }],
};

pub static STAT_RPREC: Family = Family {
    about: About {
        name: "statRprec",
        aliases: &[],
        group: "estimates",
        summary: "An estimate of R-precision in which a judged document is weighted by the number of documents that it represents.",
        prose: "The rank is the estimated number of relevant documents, rounded to a whole number, halves up, and at least 1. The weights are those of statAP.",
        formula: "statRprec = statP@round(R), where R is the sum of w over all relevant documents",
        citation: "Aslam, Pavlu and Yilmaz (2006), A statistical method for system evaluation using incomplete judgments, SIGIR; the authors' statAP_MQ_eval",
        range: "[0, inf)",
        better: |_| Better::Higher,
    },
    takes: Takes { prime: false, ..Takes::NONE },
    sees: Sees { needs: Needs::Sample, ..Sees::GRADES },
    laws: Laws {
        bounds: |_| Bounds::Refused("it is an estimate, and no exact method is known"),
        ties: |_| Ties { mean: Some(Mean::Rotations), extremes: None },
        ..Laws::UNKNOWN
    },
    score: |_, case| {
        let num_rel = xinfap::estimated_num_rel(case);
        if num_rel == 0.0 {
            return f64::NAN;
        }
        let rank = whole(num_rel).max(1);
        xinfap::weighted_sum(case, rank, |_, weight, _| weight) / f64::from(rank)
    },
    peers: &[Peer::new("statAP_MQ_eval", "R-prec")
        .but("divides by the estimate as it is, not rounded, where the ranking is shorter")],
    examples: &[Example {
        measure: "statRprec",
        judgments: "a=1;inclusion=0.5 b=0;inclusion=1 c=1;inclusion=1",
        list: "x a b c",
        value: 2.0 / 3.0,
        working: "R = 2 + 1; of the first 3 a weighs 2: 2/3",
    }],
};

pub static STAT_P: Family = Family {
    about: About {
        name: "statP",
        aliases: &[],
        group: "estimates",
        summary: "The Horvitz-Thompson estimate of precision at a rank.",
        prose: "Each relevant document among the first k is weighted by the number of documents that it represents: one over the probability with which it was drawn to be judged, or over the judged proportion of its stratum. The estimate is unbiased; on a single sample it can be above 1.",
        formula: "statP@k = (1/k) sum of w over the relevant documents among the first k",
        citation: "Horvitz and Thompson (1952), A generalization of sampling without replacement from a finite universe, Journal of the American Statistical Association; Aslam, Pavlu and Yilmaz (2006), SIGIR",
        range: "[0, inf)",
        better: |_| Better::Higher,
    },
    takes: Takes { cutoff: Cutoff::Required, prime: false, ..Takes::NONE },
    sees: Sees { needs: Needs::Sample, ..Sees::GRADES },
    laws: Laws {
        bounds: |_| Bounds::Refused("it is an estimate, and no exact method is known"),
        ties: |_| Ties { mean: Some(Mean::Rotations), extremes: None },
        ..Laws::UNKNOWN
    },
    score: |measure, case| {
        xinfap::weighted_sum(case, measure.depth(), |_, weight, _| weight)
            / f64::from(measure.depth())
    },
    peers: &[Peer::new("statAP_MQ_eval", "Prec_at_30")],
    examples: &[Example {
        measure: "statP@4",
        judgments: "a=1;inclusion=0.5 b=0;inclusion=1 c=1;inclusion=0.25",
        list: "x a b c",
        value: 1.5,
        working: "(2 + 4) / 4",
    }],
};

pub static STAT_DCG: Family = Family {
    about: About {
        name: "statDCG",
        aliases: &[],
        group: "estimates",
        summary: "The Horvitz-Thompson estimate of discounted cumulated gain.",
        prose: "The discounted gain of each document is weighted by the number of documents that it represents: one over the probability with which it was drawn to be judged, or over the judged proportion of its stratum. The forms are those of DCG.",
        formula: "statDCG@k = sum over documents at ranks r <= k of w g(r) / log2(r+1)",
        citation: "Horvitz and Thompson (1952), A generalization of sampling without replacement from a finite universe, Journal of the American Statistical Association; Järvelin and Kekäläinen (2002), TOIS",
        range: "[0, inf)",
        better: |_| Better::Higher,
    },
    takes: Takes { params: dcg::PARAMS, cutoff: Cutoff::Optional, prime: false, ..Takes::NONE },
    sees: Sees { needs: Needs::Sample, ..dcg::SEES },
    laws: Laws {
        bounds: |_| Bounds::Refused("it is an estimate, and no exact method is known"),
        ties: |_| Ties { mean: Some(Mean::Rotations), extremes: None },
        ..Laws::UNKNOWN
    },
    score: |measure, case| {
        xinfap::weighted_sum(case, measure.depth(), |rank, weight, grade_index| {
            weight * case.gains[grade_index as usize] / case.discount.divisor(rank)
        })
    },
    peers: &[],
    examples: &[Example {
        measure: "statDCG@4",
        judgments: "a=1;inclusion=0.5 b=0;inclusion=1 c=2;inclusion=0.25",
        list: "x a b c",
        value: 2.0 / 1.584_962_500_721_156 + 8.0 / 2.321_928_094_887_362,
        working: "2/log2(3) + 4 (2)/log2(5)",
    }],
};

/// A relevant document of the list.
struct Drawn {
    rank: f64,
    /// One over its probability.
    weight: f64,
}

impl Drawn {
    /// The variance of what one document adds to a sum.
    fn own(&self) -> f64 {
        (1.0 - 1.0 / self.weight) * self.weight * self.weight
    }
}

fn variance(measure: &Measure, case: &Case) -> f64 {
    let num_rel = xinfap::estimated_num_rel(case);
    if num_rel == 0.0 {
        return f64::NAN;
    }
    let mut found = Vec::new();
    let (mut above, mut precisions) = (0.0, Vec::new());
    xinfap::weighted_sum(case, u32::MAX, |rank, weight, _| {
        let rank = f64::from(rank);
        precisions.push((1.0 + above) / rank);
        above += weight;
        found.push(Drawn { rank, weight });
        0.0
    });
    let ap = found.iter().zip(&precisions).map(|(d, s)| d.weight * s).sum::<f64>() / num_rel;
    // Each y, and 1 - p.
    let mut apart: Vec<(f64, f64)> = found
        .iter()
        .zip(&precisions)
        .map(|(d, s)| ((s - ap) * d.weight, 1.0 - 1.0 / d.weight))
        .collect();
    let mut retrieved = vec![false; case.topic.grade_column().len()];
    case.known(u32::MAX).for_each(|known| retrieved[known.number] = true);
    for (number, grade_index) in case.topic.grade_column().listed() {
        let number = number as usize;
        if case.is_relevant(grade_index as usize) && !retrieved[number] {
            let weight = case.sample.weight(number);
            apart.push((-ap * weight, 1.0 - 1.0 / weight));
        }
    }
    let own: f64 = apart.iter().map(|(y, rest)| rest * y * y).sum();
    let sum: f64 = apart.iter().map(|(y, _)| y).sum();
    let squares: f64 = apart.iter().map(|(y, _)| y * y).sum();
    let drawn = case.judged_documents().count() as f64;
    // One document alone makes no pair.
    let pairs = if apart.len() > 1 { (sum * sum - squares) / (drawn - 1.0) } else { 0.0 };
    if measure.is(VERSION, "4") {
        let mut below = 0.0;
        let mut of_precisions = 0.0;
        for document in found.iter().rev() {
            of_precisions += below * below * document.own();
            below += document.weight / document.rank;
        }
        let shown = case.judged(u32::MAX).count() as f64 + 0.1;
        return ((own - pairs + of_precisions) / (num_rel * num_rel) / shown * drawn).min(1.0);
    }
    let mut so_far = 0.0;
    let of_precisions = found.iter().map(|document| {
        so_far += document.own();
        so_far / (document.rank * document.rank)
    });
    (own - pairs + of_precisions.sum::<f64>()) / (num_rel * num_rel)
}
