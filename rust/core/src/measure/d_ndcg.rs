//! D-nDCG: one list for all intents.

use super::{
    Best, Case, Cutoff, Default, Example, Family, Measure, Param, Peer, Range, dcg, err_ia,
    st_recall,
};

/// How much of the value is the recall of intents.
pub(super) const GAMMA: Param =
    Param::new("gamma", Range::Unit, "how much the recall of intents counts; 0.5 is usual for D#")
        .or(Default::Number(0.0));

/// What measures of the global gain have in common.
pub(super) const GLOBAL: Family = Family {
    cutoff: Cutoff::Required,
    takes_gain: true,
    best: |measure| Best::Global(Measure { cutoff: None, ..measure.clone() }),
    ..err_ia::DIVERSITY
};

pub static FAMILY: Family = Family {
    name: "D_nDCG",
    aliases: &["D-nDCG"],
    summary: "nDCG, where a document gains what it gains under each intent, weighed by the intent's probability.",
    prose: "The best list goes by these global gains, so one list serves all intents. The probabilities of the intents are their weights, or the same for all. With gamma above 0 it is D#-nDCG, which also counts the share of the intents that the list serves (StRecall): NTCIR takes gamma=0.5.",
    formula: "D_nDCG@k = gamma StRecall@k + (1 - gamma) [sum over ranks r <= k of G(r) / d(r)] / the same sum of the best list, where G of a document is the sum over intents i of P(i) g_i and d(r) is as in DCG",
    citation: "Sakai and Song (2011), Evaluating diversified search results using per-intent graded relevance, SIGIR",
    params: &[GAMMA, dcg::PARAMS[0], dcg::PARAMS[1]],
    gain: dcg::gain,
    discount: dcg::discount,
    score: |measure, case| {
        let sum: f64 = global_gains(measure, case)
            .map(|(rank, gain)| gain / case.discount.divisor(rank))
            .sum();
        sharp(measure, case, sum / case.ideal().discounted(measure.depth()))
    },
    peers: &[
        Peer { tool: "NTCIREVAL", spelling: "D-MSnDCG@0010", difference: "" },
        Peer {
            tool: "NTCIREVAL",
            spelling: "D#-MSnDCG@0010",
            difference: "is D_nDCG(gamma=0.5)@10 here",
        },
        Peer {
            tool: "NTCIREVAL",
            spelling: "D-nDCG@0010",
            difference: "discounts from rank 2 on, by log2(r): is D_nDCG(dcg=\"jk\")@10 here",
        },
        Peer {
            tool: "NTCIREVAL",
            spelling: "D#-nDCG@0010",
            difference: "discounts from rank 2 on, by log2(r): is D_nDCG(gamma=0.5,dcg=\"jk\")@10 here",
        },
    ],
    examples: &[
        Example {
            measure: "D_nDCG@2",
            judgments: "a=1;intent1=1;intent2=0 b=2;intent1=1;intent2=2 c=0;intent1=0;intent2=0",
            list: "a c b",
            value: 0.5 / (1.5 + 0.5 / 1.584_962_500_721_156),
            working: "G = 1/2, 3/2: (1/2) / (3/2 + (1/2) / log2(3))",
        },
        Example {
            measure: "D_nDCG(gamma=0.5)@2",
            judgments: "a=1;intent1=1;intent2=0 b=2;intent1=1;intent2=2 c=0;intent1=0;intent2=0",
            list: "a c b",
            value: 0.25 + 0.25 / (1.5 + 0.5 / 1.584_962_500_721_156),
            working: "half of StRecall, which is 1/2, and half of the value above",
        },
    ],
    ..GLOBAL
};

/// The judged documents among the first k with their global gains.
pub(super) fn global_gains<'a>(
    measure: &'a Measure,
    case: &'a Case,
) -> impl Iterator<Item = (u32, f64)> + 'a {
    let mapped = |grade| (measure.family.gain)(measure, measure.mapped(grade), 0.0);
    case.known(measure.depth())
        .filter(|known| known.judged)
        .map(move |known| (known.rank, case.topic.intents().global(known.number as u32, mapped)))
}

/// A value with the share of the intents that are served.
pub(super) fn sharp(measure: &Measure, case: &Case, value: f64) -> f64 {
    match measure.number("gamma").unwrap_or(0.0) {
        0.0 => value,
        gamma => gamma * st_recall::st_recall(measure, case) + (1.0 - gamma) * value,
    }
}
