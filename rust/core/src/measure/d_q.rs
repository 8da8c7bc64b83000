//! D-Q: Q-measure for all intents.

use super::{Cutoff, Example, Family, Peer, d_ndcg, q};

pub static FAMILY: Family = Family {
    name: "D_Q",
    aliases: &["D-Q"],
    summary: "Q, where a document gains what it gains under each intent, weighed by the intent's probability.",
    prose: "The global gains are those of D_nDCG; a document with a global gain is relevant. With gamma above 0 it is D#-Q.",
    formula: "D_Q@k = gamma StRecall@k + (1 - gamma) (1/min(k, R)) sum over documents with a gain at ranks r <= k of (beta cG(r) + c(r)) / (beta cG*(r) + r), with G as in D_nDCG",
    citation: "Sakai and Song (2011), Evaluating diversified search results using per-intent graded relevance, SIGIR",
    params: &[d_ndcg::GAMMA, q::BETA],
    cutoff: Cutoff::Required,
    score: |measure, case| {
        let beta = measure.number("beta").unwrap_or(1.0);
        let ideal = case.ideal();
        let (mut gained, mut seen, mut sum) = (0.0, 0.0, 0.0);
        for (rank, gain) in d_ndcg::global_gains(measure, case) {
            if gain > 0.0 {
                gained += gain;
                seen += 1.0;
                sum += (beta * gained + seen) / (beta * ideal.cumulated(rank) + f64::from(rank));
            }
        }
        let most = (measure.depth() as usize).min(ideal.gains().len());
        d_ndcg::sharp(measure, case, sum / most as f64)
    },
    peers: &[
        Peer { tool: "NTCIREVAL", spelling: "D-Q@0010", difference: "" },
        Peer { tool: "NTCIREVAL", spelling: "D#-Q@0010", difference: "is D_Q(gamma=0.5)@10 here" },
    ],
    examples: &[Example {
        measure: "D_Q@3",
        judgments: "a=1;intent1=1;intent2=0 b=2;intent1=1;intent2=2 c=0;intent1=0;intent2=0",
        list: "a c b",
        value: 0.7,
        working: "G = 1/2, 3/2: ((1/2 + 1) / (3/2 + 1) + (2 + 2) / (2 + 3)) / 2",
    }],
    ..d_ndcg::GLOBAL
};
