//! Inferred interpolated precision at a recall level.

use super::xinfap;
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "infIPrec",
        aliases: &[],
        group: "estimates",
        summary: "The highest estimated precision at any rank where the estimated recall has reached a level.",
        prose: "Precision and the number of relevant documents so far are those of infP, and the number of all relevant documents that of inf_num_rel. sample_eval looks at the first 1000 documents of a list only, and takes the ranks from the one above that where a level is reached; of several levels that are reached at one rank it takes each one rank further up.",
        formula: "infIPrec@t = max over ranks r with E(r) >= t R of E(r) / r; 0 if there is none; E(r) = r infP@r, R = inf_num_rel",
        citation: "NIST's sample_eval.pl; Yilmaz, Kanoulas and Aslam (2008), A simple and efficient sampling method for estimating AP and NDCG, SIGIR",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes {
        params: &[xinfap::EPSILON],
        cutoff: Cutoff::Recall,
        prime: false,
        ..Takes::NONE
    },
    sees: Sees { needs: Needs::Strata, ..Sees::GRADES },
    laws: Laws {
        bounds: |_| Bounds::Refused("it is an estimate, and no exact method is known"),
        ..Laws::UNKNOWN
    },
    score: |measure, case| {
        let all = xinfap::estimated_num_rel(case);
        if all == 0.0 {
            return f64::NAN;
        }
        let epsilon = measure.get(xinfap::EPSILON);
        // What rounding parts is one.
        let needed = measure.cutoff.unwrap_or(0.0) * all - 1e-9;
        let mut strata = vec![xinfap::Seen::default(); case.sample.strata().len()];
        let mut highest = 0.0f64;
        // The estimate moves at documents of the pool only, so precision is
        // highest at one of them.
        for document in case.known(u32::MAX) {
            let seen = &mut strata[case.sample.stratum_of(document.number)];
            seen.add(document.judged, case.is_relevant(document.grade_index as usize));
            let relevant: f64 = strata.iter().map(|seen| seen.relevant(epsilon)).sum();
            if relevant >= needed {
                highest = highest.max(relevant / f64::from(document.rank));
            }
        }
        highest
    },
    peers: &[Peer::new("sample_eval", "iprec@rec0.10")
        .but("also takes the rank above that where the level is reached")],
    examples: &[Example {
        measure: "infIPrec(epsilon=0)@0.5",
        judgments: "a=1;stratum=1 b=0;stratum=1 c=1;stratum=2 d=-1;stratum=2 e=0;stratum=2 f=-1;stratum=2",
        list: "x a d c",
        value: 0.75,
        working: "R = 1 + 2; 1.5 are reached at rank 4, with 1 (1/1) + 2 (1/1): 3/4",
    }],
};
