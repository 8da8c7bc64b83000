//! How many documents are relevant, by a sample.

use super::xinfap;
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "inf_num_rel",
        aliases: &["inum_rel"],
        group: "estimates",
        summary: "An estimate of the number of relevant documents in the pool.",
        prose: "Each document judged relevant is weighted by the number of documents that it represents: one over the probability with which it was drawn to be judged, or over the judged share of its stratum. The summary is the sum over topics. sample_eval sums over all topics of the judgments, including those that the run lacks.",
        formula: "inf_num_rel = sum of w over all relevant documents",
        citation: "Yilmaz, Kanoulas and Aslam (2008), A simple and efficient sampling method for estimating AP and NDCG, SIGIR; Horvitz and Thompson (1952), A generalization of sampling without replacement from a finite universe, Journal of the American Statistical Association",
        range: "[0, inf)",
        better: |_| Better::Neither,
    },
    takes: Takes { prime: false, ..Takes::NONE },
    sees: Sees { needs: Needs::Sample, ..Sees::GRADES },
    laws: Laws {
        aggregate: Aggregation::Sum,
        bounds: |_| Bounds::Refused("it is an estimate, and no exact method is known"),
        ..Laws::UNKNOWN
    },
    score: |_, case| xinfap::estimated_num_rel(case),
    peers: &[Peer::new("sample_eval", "inum_rel"), Peer::new("statAP_MQ_eval", "Relevant")],
    examples: &[Example {
        measure: "inf_num_rel",
        judgments: "a=1;stratum=1 b=0;stratum=1 c=1;stratum=2 d=-1;stratum=2 e=0;stratum=2 f=-1;stratum=2",
        list: "a d c x",
        value: 3.0,
        working: "stratum 1 is judged whole, stratum 2 to a half: 1 + 2",
    }],
};
