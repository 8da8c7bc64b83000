//! Inferred normalised discounted cumulated gain.

use super::dcg;
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "infNDCG",
        aliases: &["inferred_NDCG"],
        group: "estimates",
        summary: "An estimate of nDCG from a stratified sample of the pool's judgments.",
        prose: "In each stratum the mean discounted gain of the judged documents that were retrieved stands for that of all its documents that were. The ideal list holds, from the highest grade down, as many documents as are estimated to have each grade, rounded to whole documents, halves up. sample_eval looks at the first 1000 documents of both lists, which is infNDCG@1000, puts grades in order as text, 10 before 2, and goes on beyond the cut of its ideal list: when the list is full, it still takes one document of each further grade. With 100 documents of grade 2 and five of grade 1, ideal among the first 100, that gives .9964 where this is 1.",
        formula: "infNDCG@k = sum over strata s of (m_s / judged_s) (sum over documents of s at ranks r <= k of g(r) / log2(r+1)), divided by DCG@k of the estimated ideal list; m_s and judged_s count the pooled and the judged documents of s among the first k",
        citation: "Yilmaz, Kanoulas and Aslam (2008), A simple and efficient sampling method for estimating AP and NDCG, SIGIR",
        range: "[0, inf)",
        better: |_| Better::Higher,
    },
    takes: Takes { params: dcg::PARAMS, cutoff: Cutoff::Optional, prime: false, ..Takes::NONE },
    sees: Sees { needs: Needs::Strata, best: |_| Best::Sampled, ..dcg::SEES },
    laws: Laws {
        bounds: |_| Bounds::Refused("it is an estimate, and no exact method is known"),
        ..Laws::UNKNOWN
    },
    score: |measure, case| estimated_dcg(measure, case) / case.ideal().discounted(measure.depth()),
    peers: &[Peer::new("sample_eval", "infNDCG")
        .but("looks at the first 1000 documents of a list, and its ideal list holds one document beyond the cut for each further grade")],
    examples: &[
        Example {
            measure: "infNDCG",
            judgments: "a=1;stratum=1 b=0;stratum=1 c=1;stratum=2 d=-1;stratum=2 e=0;stratum=2 f=-1;stratum=2",
            list: "a d c",
            value: 2.0 / (1.5 + 1.0 / 1.584_962_500_721_156),
            working: "stratum 1: 1; stratum 2: two retrieved, one of them judged: (2/1) (1/2); ideal: 1 + 2 documents of grade 1: (1 + 1) / (1 + 1/log2(3) + 1/2)",
        },
        Example {
            measure: "infNDCG@2",
            judgments: "a=3;stratum=1 b=1;stratum=2 c=-1;stratum=2 d=0;stratum=2",
            list: "c b a",
            value: (2.0 / 1.584_962_500_721_156) / (3.0 + 1.0 / 1.584_962_500_721_156),
            working: "stratum 2 has 1.5 documents of grade 1, rounded to 2: (2/1) (1/log2(3)) / (3 + 1/log2(3))",
        },
    ],
};

fn estimated_dcg(measure: &Measure, case: &Case) -> f64 {
    /// Of a stratum: pooled and judged documents retrieved, and their gain.
    #[derive(Clone, Copy, std::default::Default)]
    struct Seen {
        pooled: f64,
        judged: f64,
        gain: f64,
    }
    let mut strata = vec![Seen::default(); case.sample.strata().len()];
    for document in case.known(measure.depth()) {
        let seen = &mut strata[case.sample.stratum_of(document.number)];
        seen.pooled += 1.0;
        seen.judged += f64::from(u8::from(document.judged));
        seen.gain +=
            case.gains[document.grade_index as usize] / case.discount.divisor(document.rank);
    }
    let judged = strata.iter().filter(|seen| seen.judged > 0.0);
    judged.map(|seen| seen.pooled * seen.gain / seen.judged).sum()
}
