//! Discounted cumulated gain by inclusion probabilities.

use super::{dcg, xinfap};
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "statDCG",
        aliases: &[],
        group: "estimates",
        summary: "The Horvitz-Thompson estimate of discounted cumulated gain.",
        prose: "The discounted gain of each document is weighted by the number of documents that it represents: one over the probability with which it was drawn to be judged, or over the judged share of its stratum. The forms are those of DCG.",
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
