//! Average precision by inclusion probabilities.

use super::xinfap;
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "statAP",
        aliases: &[],
        group: "estimates",
        summary: "An estimate of average precision in which a judged document is weighted by the number of documents that it represents.",
        prose: "Each judged document was drawn with a known probability; its weight is one over that. In a stratified sample the probability is the judged share of the stratum. The Horvitz-Thompson estimate of a sum over the pool is the weighted sum over the sample: R, and the precision at each relevant document, are estimated this way.",
        formula: "statAP = (1/R) sum over relevant documents retrieved at ranks r of w (1 + sum of w over the relevant documents above) / r, where R is the sum of w over all relevant documents",
        citation: "Aslam, Pavlu and Yilmaz (2006), A statistical method for system evaluation using incomplete judgments, SIGIR; Pavlu and Aslam (2007), A practical sampling strategy for efficient retrieval evaluation",
        range: "[0, inf)",
        better: |_| Better::Higher,
    },
    takes: Takes { prime: false, ..Takes::NONE },
    sees: Sees { needs: Needs::Sample, ..Sees::GRADES },
    laws: Laws {
        bounds: |_| Bounds::Refused("it is an estimate, and no exact method is known"),
        ..Laws::UNKNOWN
    },
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
