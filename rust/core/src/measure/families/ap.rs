//! Average precision: the model of a measure file.

use crate::measure::declare::*;
use crate::trace::Relevant;

pub static FAMILY: Family = Family {
    about: About {
        name: "AP",
        aliases: &["MAP", "AveP", "average_precision"],
        group: "binary ranks",
        summary: "The mean over all relevant documents of the precision at their ranks.",
        prose: "Relevant documents that were not retrieved contribute 0. With a cutoff the sum ends at rank k and the divisor stays R, as in trec_eval, ir_measures and MTEB; aAP@k divides by min(k, R), as sentence-transformers does for MAP@k. On the condensed list it is AP', which is also indAP of Yilmaz and Aslam and bpref_relative2 of Sakai.",
        formula: "AP = (1/R) sum over relevant documents at ranks r <= k of c(r) / r",
        citation: "Buckley and Voorhees (2000), Evaluating evaluation measure stability, SIGIR; Yilmaz and Aslam (2006), Estimating average precision with incomplete and imperfect judgments, CIKM",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { cutoff: Cutoff::Optional, ..Takes::NONE },
    sees: Sees { reach: Measure::depth, ..Sees::GRADES },
    laws: Laws {
        bounds: |_| Bounds::Steps { weight: Weight::Precision, cut: false },
        ties: |_| Ties::sorted(Mean::Shares { judged: false }),
        term: Some(|_, case, d| f64::from(d.seen) / f64::from(d.rank) / case.num_rel()),
        running: Some(|_, case| Box::new(Precisions { divisor: case.num_rel() })),
        ..Laws::UNKNOWN
    },
    score: |measure, case| {
        running::value(Precisions { divisor: case.num_rel() }, case.relevant(measure.depth()))
    },
    peers: &[
        Peer::new("trec_eval", "map"),
        Peer::new("trec_eval", "map_cut_10"),
        Peer::new("ir_measures", "AP"),
        Peer::new("ir_measures", "AP@10"),
        Peer::new("ranx", "map"),
        Peer::new("ranx", "map@10"),
        Peer::new("NTCIREVAL", "AP"),
        Peer::new("NTCIREVAL", "AP@0010").is("aAP@10").but("divides by min(k, R)"),
        Peer::new("pyNTCIREVAL", "AP"),
        Peer::new("pyNTCIREVAL", "AP@0010").is("aAP@10").but("divides by min(k, R)"),
        Peer::new("cwl_eval", "AP")
            .but("divides by the relevant documents that were retrieved, not by R"),
        Peer::new("BEIR", "MAP@10"),
        Peer::new("MTEB", "map_at_10"),
        Peer::new("sklearn", "average_precision_score")
            .but("knows only the documents that it is given: on a run it divides by the relevant documents retrieved"),
    ],
    examples: &[
        Example {
            measure: "AP",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 0.5,
            working: "(1/1 + 2/4) / 3",
        },
        Example {
            measure: "AP'",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 5.0 / 9.0,
            working: "condensed a b c d: (1/1 + 2/3) / 3",
        },
        Example {
            measure: "AP@3",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 1.0 / 3.0,
            working: "(1/1) / 3",
        },
    ],
};

/// The precisions at the ranks of relevant documents.
pub(super) struct Precisions {
    pub(super) divisor: f64,
}

impl RunningSum for Precisions {
    fn term(&self, document: &Relevant) -> f64 {
        f64::from(document.seen) / f64::from(document.rank)
    }

    fn pass(&mut self, _: &Relevant) {}

    fn divisor(&self) -> f64 {
        self.divisor
    }
}
