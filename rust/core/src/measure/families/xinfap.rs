//! Extended inferred average precision.

use crate::measure::declare::*;

/// The weight of the smoothing.
pub(super) const EPSILON: Param =
    Param::new("epsilon", Range::NonNegative, "the weight of the smoothing")
        .or(Default::Number(1e-5));

pub static FAMILY: Family = Family {
    about: About {
        name: "xinfAP",
        aliases: &["extended_infAP"],
        group: "estimates",
        summary: "An estimate of average precision from a stratified sample of the pool's judgments.",
        prose: "Each pooled document has a stratum, and a part of each stratum is judged; a negative grade means that a document was not judged. The precision at a relevant document is estimated stratum by stratum, and the mean weighs each stratum by its estimated number of relevant documents. epsilon keeps shares defined; the divisor has it three times, as in sample_eval, and twice in infAP. sample_eval looks at the first 1000 documents only, which is xinfAP@1000.",
        formula: "xinfAP@k = (1/R) sum over strata s of (t_s / j_s) sum over relevant documents of s at ranks r <= k of 1/r + sum over strata u of (m_u / r) (rel_u + e) / (judged_u + 3 e), where above r stand m_u documents of u, t_s and j_s count the pooled and the judged documents of s, and R = sum over strata of rel_s t_s / j_s",
        citation: "Yilmaz, Kanoulas and Aslam (2008), A simple and efficient sampling method for estimating AP and NDCG, SIGIR",
        range: "[0, inf)",
        better: |_| Better::Higher,
    },
    takes: Takes { params: &[EPSILON], cutoff: Cutoff::Optional, prime: false, ..Takes::NONE },
    sees: Sees { needs: Needs::Strata, ..Sees::GRADES },
    laws: Laws {
        bounds: |_| Bounds::Refused("it is an estimate, and no exact method is known"),
        ..Laws::UNKNOWN
    },
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

/// What the program does with long lists.
pub(super) const FIRST_1000: &str = "looks at the first 1000 documents of a list";

/// What was seen of a stratum.
#[derive(Clone, Copy, std::default::Default)]
pub(super) struct Seen {
    pooled: f64,
    judged: f64,
    relevant: f64,
}

impl Seen {
    /// Counts one more document.
    pub(super) fn add(&mut self, judged: bool, relevant: bool) {
        self.pooled += 1.0;
        self.judged += f64::from(u8::from(judged));
        self.relevant += f64::from(u8::from(relevant));
    }

    /// How many of the pooled documents are relevant, by the judged ones.
    pub(super) fn relevant(&self, epsilon: f64) -> f64 {
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
