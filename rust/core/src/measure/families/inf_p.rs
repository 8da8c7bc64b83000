//! Inferred precision.

use super::xinfap;
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "infP",
        aliases: &["iP"],
        group: "estimates",
        summary: "An estimate of precision at a rank from a stratified sample of the pool's judgments.",
        prose: "Of the documents of a stratum among the first k, as large a share is taken to be relevant as of those that are judged. Documents outside the pool are taken as not relevant. epsilon keeps shares defined.",
        formula: "infP@k = (1/k) sum over strata s of m_s (rel_s + e) / (judged_s + 3 e), all counted among the first k",
        citation: "Yilmaz, Kanoulas and Aslam (2008), A simple and efficient sampling method for estimating AP and NDCG, SIGIR; NIST's sample_eval.pl",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes {
        params: &[xinfap::EPSILON],
        cutoff: Cutoff::Required,
        prime: false,
        ..Takes::NONE
    },
    sees: Sees { needs: Needs::Strata, ..Sees::GRADES },
    laws: Laws {
        bounds: |_| Bounds::Refused("it is an estimate, and no exact method is known"),
        ..Laws::UNKNOWN
    },
    score: |measure, case| relevant(measure, case) / f64::from(measure.depth()),
    peers: &[Peer::new("sample_eval", "iP10")],
    examples: &[Example {
        measure: "infP(epsilon=0)@4",
        judgments: "a=1;stratum=1 b=0;stratum=1 c=1;stratum=2 d=-1;stratum=2 e=0;stratum=2 f=-1;stratum=2",
        list: "a d c x",
        value: 0.75,
        working: "stratum 1: 1 (1/1); stratum 2: 2 (1/1): (1 + 2) / 4",
    }],
};

/// How many of the first k documents are relevant, by the sample.
pub(super) fn relevant(measure: &Measure, case: &Case) -> f64 {
    let epsilon = measure.get(xinfap::EPSILON);
    let mut strata = vec![xinfap::Seen::default(); case.sample.strata().len()];
    for document in case.known(measure.depth()) {
        let seen = &mut strata[case.sample.stratum_of(document.number)];
        seen.add(document.judged, case.is_relevant(document.grade_index as usize));
    }
    strata.iter().map(|seen| seen.relevant(epsilon)).sum()
}
