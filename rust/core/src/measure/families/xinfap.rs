//! What a stratified sample lets infer: extended infAP, infNDCG, precision and counts.

use super::dcg;
use crate::measure::declare::*;

/// The weight of the smoothing.
const EPSILON: Param = Param::new("epsilon", Range::NonNegative, "the weight of the smoothing")
    .or(Default::Number(1e-5));

/// What is known of the values of estimates.
pub(super) const LAWS: Laws = Laws {
    bounds: |_| Bounds::Refused("it is an estimate, and no exact method is known"),
    ..Laws::UNKNOWN
};

pub static FAMILY: Family = Family {
    about: About {
        name: "xinfAP",
        aliases: &["extended_infAP", "extended inferred AP", "extended inferred average precision"],
        group: "estimates",
        summary: "An estimate of average precision from a stratified sample of the pool's judgments.",
        prose: "Each pooled document has a stratum, and a part of each stratum is judged; a negative grade means that a document was not judged. The precision at a relevant document is estimated stratum by stratum, and the mean weighs each stratum by its estimated number of relevant documents. epsilon keeps proportions defined; the divisor has it three times, as in sample_eval, and twice in infAP. sample_eval looks at the first 1000 documents only, which is xinfAP@1000.",
        formula: "xinfAP@k = (1/R) sum over strata s of (t_s / j_s) sum over relevant documents of s at ranks r <= k of 1/r + sum over strata u of (m_u / r) (rel_u + e) / (judged_u + 3 e), where above r stand m_u documents of u, t_s and j_s count the pooled and the judged documents of s, and R = sum over strata of rel_s t_s / j_s",
        citation: "Yilmaz, Kanoulas and Aslam (2008), A simple and efficient sampling method for estimating AP and NDCG, SIGIR",
        range: "[0, inf)",
        better: |_| Better::Higher,
    },
    takes: Takes { params: &[EPSILON], cutoff: Cutoff::Optional, prime: false, ..Takes::NONE },
    sees: Sees { needs: Needs::Strata, ..Sees::GRADES },
    laws: LAWS,
    score: |measure, case| {
        let epsilon = measure.get(EPSILON);
        let mut above = vec![Seen::default(); case.sample.strata().len()];
        let mut sum = 0.0;
        for document in case.known(measure.depth()) {
            if case.is_relevant(document.grade_index as usize) {
                let expected = 1.0 + above.iter().map(|seen| seen.relevant(epsilon)).sum::<f64>();
                sum += case.sample.weight(document.number) * expected / f64::from(document.rank);
            }
            let stratum = case.sample.stratum_of(document.number);
            above[stratum].add(document.judged, case.is_relevant(document.grade_index as usize));
        }
        sum / estimated_num_rel(case)
    },
    peers: &[Peer::new("sample_eval", "infAP").but(FIRST_1000)],
    examples: &[
        Example {
            measure: "xinfAP(epsilon=0)",
            judgments: "a=1;stratum=1 b=0;stratum=1 c=1;stratum=2 d=-1;stratum=2 e=0;stratum=2 f=-1;stratum=2",
            list: "a d c",
            value: 7.0 / 9.0,
            working: "stratum 1 is judged whole, stratum 2 to a half, so R = 1 + 2; a: 1; c: 1/3 + (1/3) (1/1) for a, and nothing is known of d: (1 (1) + 2 (2/3)) / 3",
        },
        Example {
            measure: "xinfAP@1",
            judgments: "a=1;stratum=1 b=0;stratum=1 c=1;stratum=2 d=-1;stratum=2",
            list: "a c",
            value: 1.0 / 3.0,
            working: "R = 1 + 2, and only a stands among the first 1",
        },
    ],
};

pub static INF_NDCG: Family = Family {
    about: About {
        name: "infNDCG",
        aliases: &["inferred_NDCG", "inferred normalized discounted cumulative gain"],
        group: "estimates",
        summary: "An estimate of nDCG from a stratified sample of the pool's judgments.",
        prose: "In each stratum the mean discounted gain of the judged documents that were retrieved stands for that of all its documents that were. The ideal ranking holds, from the highest grade down, as many documents as are estimated to have each grade, rounded to whole documents, halves up. sample_eval looks at the first 1000 documents of both rankings, which is infNDCG@1000, puts grades in order as text, 10 before 2, and goes on beyond the cut of its ideal ranking: when the ranking is full, it still takes one document of each further grade. With 100 documents of grade 2 and five of grade 1, ideal among the first 100, that gives .9964 where this is 1.",
        formula: "infNDCG@k = sum over strata s of (m_s / judged_s) (sum over documents of s at ranks r <= k of g(r) / log2(r+1)), divided by DCG@k of the estimated ideal ranking; m_s and judged_s count the pooled and the judged documents of s among the first k",
        citation: "Yilmaz, Kanoulas and Aslam (2008), A simple and efficient sampling method for estimating AP and NDCG, SIGIR",
        range: "[0, inf)",
        better: |_| Better::Higher,
    },
    takes: Takes { params: dcg::PARAMS, cutoff: Cutoff::Optional, prime: false, ..Takes::NONE },
    sees: Sees { needs: Needs::Strata, best: |_| Best::Sampled, ..dcg::SEES },
    laws: LAWS,
    score: |measure, case| estimated_dcg(measure, case) / case.ideal().discounted(measure.depth()),
    peers: &[Peer::new("sample_eval", "infNDCG")
        .but("looks at the first 1000 documents of a ranking, and its ideal ranking holds one document beyond the cut for each further grade")],
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

pub static INF_P: Family = Family {
    about: About {
        name: "infP",
        aliases: &["iP", "inferred precision"],
        group: "estimates",
        summary: "An estimate of precision at a rank from a stratified sample of the pool's judgments.",
        prose: "Of the documents of a stratum among the first k, the same proportion is assumed relevant as among those that are judged. Documents outside the pool are taken as not relevant. epsilon keeps proportions defined.",
        formula: "infP@k = (1/k) sum over strata s of m_s (rel_s + e) / (judged_s + 3 e), all counted among the first k",
        citation: "Yilmaz, Kanoulas and Aslam (2008), A simple and efficient sampling method for estimating AP and NDCG, SIGIR; NIST's sample_eval.pl",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { params: &[EPSILON], cutoff: Cutoff::Required, prime: false, ..Takes::NONE },
    sees: Sees { needs: Needs::Strata, ..Sees::GRADES },
    laws: LAWS,
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

pub static INF_IPREC: Family = Family {
    about: About {
        name: "infIPrec",
        aliases: &[],
        group: "estimates",
        summary: "The highest estimated precision at any rank where the estimated recall has reached a level.",
        prose: "Precision and the number of relevant documents so far are those of infP, and the number of all relevant documents that of inf_num_rel. sample_eval looks at the first 1000 documents of a ranking only, and takes the ranks from the one above that where a level is reached; of several levels that are reached at one rank it takes each one rank further up.",
        formula: "infIPrec@t = max over ranks r with E(r) >= t R of E(r) / r; 0 if there is none; E(r) = r infP@r, R = inf_num_rel",
        citation: "NIST's sample_eval.pl; Yilmaz, Kanoulas and Aslam (2008), A simple and efficient sampling method for estimating AP and NDCG, SIGIR",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { params: &[EPSILON], cutoff: Cutoff::Recall, prime: false, ..Takes::NONE },
    sees: Sees { needs: Needs::Strata, ..Sees::GRADES },
    laws: LAWS,
    score: |measure, case| {
        let all = estimated_num_rel(case);
        if all == 0.0 {
            return f64::NAN;
        }
        let epsilon = measure.get(EPSILON);
        // What rounding parts is one.
        let needed = measure.cutoff.unwrap_or(0.0) * all - 1e-9;
        let mut strata = vec![Seen::default(); case.sample.strata().len()];
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

pub static INF_NUM_REL: Family = Family {
    about: About {
        name: "inf_num_rel",
        aliases: &["inum_rel"],
        group: "estimates",
        summary: "An estimate of the number of relevant documents in the pool.",
        prose: "Each document judged relevant is weighted by the number of documents that it represents: one over the probability with which it was drawn to be judged, or over the judged proportion of its stratum. The summary is the sum over topics. sample_eval sums over all topics of the judgments, including those that the run lacks.",
        formula: "inf_num_rel = sum of w over all relevant documents",
        citation: "Yilmaz, Kanoulas and Aslam (2008), A simple and efficient sampling method for estimating AP and NDCG, SIGIR; Horvitz and Thompson (1952), A generalization of sampling without replacement from a finite universe, Journal of the American Statistical Association",
        range: "[0, inf)",
        better: |_| Better::Neither,
    },
    takes: Takes { prime: false, ..Takes::NONE },
    sees: Sees { needs: Needs::Sample, ..Sees::GRADES },
    laws: Laws { aggregate: Aggregation::Sum, ..LAWS },
    score: |_, case| estimated_num_rel(case),
    peers: &[Peer::new("sample_eval", "inum_rel"), Peer::new("statAP_MQ_eval", "Relevant")],
    examples: &[Example {
        measure: "inf_num_rel",
        judgments: "a=1;stratum=1 b=0;stratum=1 c=1;stratum=2 d=-1;stratum=2 e=0;stratum=2 f=-1;stratum=2",
        list: "a d c x",
        value: 3.0,
        working: "stratum 1 is judged whole, stratum 2 to a half: 1 + 2",
    }],
};

pub static INF_NUM_REL_RET: Family = Family {
    about: About {
        name: "inf_num_rel_ret",
        aliases: &["inum_rel_ret"],
        group: "estimates",
        summary: "An estimate of the number of relevant documents in the ranking from a stratified sample of the pool's judgments.",
        prose: "Of the documents of a stratum in the ranking, the same proportion is assumed relevant as among those that are judged; it is infP@k times k. Documents outside the pool are taken as not relevant. The summary is the sum over topics. sample_eval looks at the first 1000 documents, which is inf_num_rel_ret@1000.",
        formula: "inf_num_rel_ret@k = sum over strata s of m_s (rel_s + e) / (judged_s + 3 e), all counted among the first k",
        citation: "Yilmaz, Kanoulas and Aslam (2008), A simple and efficient sampling method for estimating AP and NDCG, SIGIR; NIST's sample_eval.pl",
        range: "[0, inf)",
        better: |_| Better::Higher,
    },
    takes: Takes { params: &[EPSILON], cutoff: Cutoff::Optional, prime: false, ..Takes::NONE },
    sees: Sees { needs: Needs::Strata, ..Sees::GRADES },
    laws: Laws { aggregate: Aggregation::Sum, ..LAWS },
    score: |measure, case| relevant(measure, case),
    peers: &[Peer::new("sample_eval", "inum_rel_ret").but(FIRST_1000)],
    examples: &[Example {
        measure: "inf_num_rel_ret(epsilon=0)",
        judgments: "a=1;stratum=1 b=0;stratum=1 c=1;stratum=2 d=-1;stratum=2 e=0;stratum=2 f=-1;stratum=2",
        list: "a d c x",
        value: 3.0,
        working: "stratum 1: 1 (1/1); stratum 2: 2 (1/1)",
    }],
};

/// What the program does with long lists.
const FIRST_1000: &str = "looks at the first 1000 documents of a ranking";

/// What was seen of a stratum.
#[derive(Clone, Copy, std::default::Default)]
struct Seen {
    pooled: f64,
    judged: f64,
    relevant: f64,
}

impl Seen {
    /// Counts one more document.
    fn add(&mut self, judged: bool, relevant: bool) {
        self.pooled += 1.0;
        self.judged += f64::from(u8::from(judged));
        self.relevant += f64::from(u8::from(relevant));
    }

    /// How many of the pooled documents are relevant, by the judged ones.
    fn relevant(&self, epsilon: f64) -> f64 {
        match self.judged + 3.0 * epsilon {
            0.0 => 0.0,
            total => self.pooled * (self.relevant + epsilon) / total,
        }
    }
}

/// How many documents of the pool are relevant, by the sample.
pub(super) fn estimated_num_rel(case: &Case) -> f64 {
    let counts = case.sample.counts().iter();
    counts
        .filter(|(grade_index, _)| case.is_relevant(*grade_index as usize))
        .map(|(_, count)| count)
        .sum()
}

/// The estimated sum over the relevant documents of the first `k` of a function
/// of rank, weight and index of the grade.
pub(super) fn weighted_sum(case: &Case, k: u32, mut f: impl FnMut(u32, f64, u32) -> f64) -> f64 {
    case.known(k)
        .filter(|document| case.is_relevant(document.grade_index as usize))
        .map(|document| f(document.rank, case.sample.weight(document.number), document.grade_index))
        .sum()
}

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

/// How many of the first k documents are relevant, by the sample.
fn relevant(measure: &Measure, case: &Case) -> f64 {
    let epsilon = measure.get(EPSILON);
    let mut strata = vec![Seen::default(); case.sample.strata().len()];
    for document in case.known(measure.depth()) {
        let seen = &mut strata[case.sample.stratum_of(document.number)];
        seen.add(document.judged, case.is_relevant(document.grade_index as usize));
    }
    strata.iter().map(|seen| seen.relevant(epsilon)).sum()
}
