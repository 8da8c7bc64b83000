//! Average precision with the attainable divisor.

use super::ap::Precisions;
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "aAP",
        aliases: &["attainable_AP"],
        group: "binary ranks",
        summary: "Average precision at k, divided by the number of relevant documents that k places can hold.",
        prose: "NTCIREVAL prints it as AP@k. Unlike AP@k it can reach 1 on topics with more than k relevant documents.",
        formula: "aAP@k = (1/min(k, R)) sum over relevant documents at ranks r <= k of c(r) / r",
        citation: "Webber, Moffat and Zobel (2010), The effect of pooling and evaluation depth on metric stability, EVIA, equation 4",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { cutoff: Cutoff::Required, ..Takes::NONE },
    sees: Sees { reach: Measure::depth, ..Sees::GRADES },
    laws: Laws {
        bounds: |_| Bounds::Steps { weight: Weight::Precision, cut: true },
        ties: |_| Ties::sorted(Mean::Shares { judged: false }),
        running: Some(|measure, case| Box::new(precisions(measure, case))),
        ..Laws::UNKNOWN
    },
    score: |measure, case| {
        running::value(precisions(measure, case), case.relevant(measure.depth()))
    },
    peers: &[Peer::new("NTCIREVAL", "AP@0010"), Peer::new("pyNTCIREVAL", "AP@0010")],
    examples: &[Example {
        measure: "aAP@2",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 0.5,
        working: "(1/1) / min(2, 3)",
    }],
};

fn precisions(measure: &Measure, case: &Case) -> Precisions {
    Precisions { divisor: f64::from(measure.depth().min(case.view.num_rel)) }
}
