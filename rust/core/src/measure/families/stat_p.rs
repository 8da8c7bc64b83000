//! Precision by inclusion probabilities.

use super::xinfap;
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "statP",
        aliases: &[],
        group: "estimates",
        summary: "The Horvitz-Thompson estimate of precision at a rank.",
        prose: "Each relevant document among the first k is weighted by the number of documents that it represents: one over the probability with which it was drawn to be judged, or over the judged share of its stratum. The estimate is unbiased; on a single sample it can be above 1.",
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
