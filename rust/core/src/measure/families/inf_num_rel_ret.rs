//! How many documents of the list are relevant, by a sample.

use super::{inf_p, xinfap};
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "inf_num_rel_ret",
        aliases: &["inum_rel_ret"],
        group: "estimates",
        summary: "An estimate of the number of relevant documents in the list from a stratified sample of the pool's judgments.",
        prose: "Of the documents of a stratum in the list, as large a share is taken to be relevant as of those that are judged; it is infP@k times k. Documents outside the pool are taken as not relevant. The summary is the sum over topics. sample_eval looks at the first 1000 documents, which is inf_num_rel_ret@1000.",
        formula: "inf_num_rel_ret@k = sum over strata s of m_s (rel_s + e) / (judged_s + 3 e), all counted among the first k",
        citation: "Yilmaz, Kanoulas and Aslam (2008), A simple and efficient sampling method for estimating AP and NDCG, SIGIR; NIST's sample_eval.pl",
        range: "[0, inf)",
        better: |_| Better::Higher,
    },
    takes: Takes {
        params: &[xinfap::EPSILON],
        cutoff: Cutoff::Optional,
        prime: false,
        ..Takes::NONE
    },
    sees: Sees { needs: Needs::Strata, ..Sees::GRADES },
    laws: Laws {
        aggregate: Aggregation::Sum,
        bounds: |_| Bounds::Refused("it is an estimate, and no exact method is known"),
        ..Laws::UNKNOWN
    },
    score: |measure, case| inf_p::relevant(measure, case),
    peers: &[Peer::new("sample_eval", "inum_rel_ret").but(xinfap::FIRST_1000)],
    examples: &[Example {
        measure: "inf_num_rel_ret(epsilon=0)",
        judgments: "a=1;stratum=1 b=0;stratum=1 c=1;stratum=2 d=-1;stratum=2 e=0;stratum=2 f=-1;stratum=2",
        list: "a d c x",
        value: 3.0,
        working: "stratum 1: 1 (1/1); stratum 2: 2 (1/1)",
    }],
};
