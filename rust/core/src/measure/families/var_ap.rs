//! The variance of statAP.

use super::xinfap;
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "varAP",
        aliases: &[],
        group: "estimates",
        summary: "An estimate of the variance of statAP, as its authors' program prints it.",
        prose: "It says how much statAP would vary if other documents had been drawn. Version 3 of the program and version 4 add the variance of the precisions in different ways; version 4 also scales by the share of the sample that the list holds and ends at 1. The variance of the mean over m topics is the mean of varAP divided by m.",
        formula: "varAP = (sum of (1 - p) y^2 - sum over pairs of 2 y z / (n - 1) + v) / R^2, over the relevant of n documents drawn, each with probability p and y = (s - statAP) / p, where s is its estimated precision, 0 if it is not retrieved; v sums over the relevant documents retrieved, with version=\"3\" the (1 - q) / q^2 of each and of those above, over r^2, with version=\"4\" (1 - p) / p^2 times the square of the sum of 1 / (q r) over those below",
        citation: "Pavlu and Aslam (2007), A practical sampling strategy for efficient retrieval evaluation; the authors' statAP_MQ_eval, versions 3 and 4",
        range: "(-inf, inf)",
        better: |_| Better::Neither,
    },
    takes: Takes {
        params: &[Param::new("version", Range::Words(&["3", "4"]), "the program's version")
            .or(Default::Text("3"))],
        prime: false,
        ..Takes::NONE
    },
    sees: Sees { needs: Needs::Sample, ..Sees::GRADES },
    laws: Laws {
        bounds: |_| Bounds::Refused("it is an estimate, and no exact method is known"),
        ..Laws::UNKNOWN
    },
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
    if measure.is("version", "4") {
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
