//! R-precision by inclusion probabilities.

use super::xinfap;
use crate::measure::declare::*;
use crate::sample::whole;

pub static FAMILY: Family = Family {
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
        .but("divides by the estimate as it is, not rounded, where the list is shorter")],
    examples: &[Example {
        measure: "statRprec",
        judgments: "a=1;inclusion=0.5 b=0;inclusion=1 c=1;inclusion=1",
        list: "x a b c",
        value: 2.0 / 3.0,
        working: "R = 2 + 1; of the first 3 a weighs 2: 2/3",
    }],
};
