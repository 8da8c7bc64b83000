//! Average precision and its variants: the attainable divisor, the means over topics, the log-odds.

use crate::measure::declare::*;
use crate::trace::Relevant;

pub static FAMILY: Family = Family {
    about: About {
        name: "AP",
        aliases: &["MAP", "AveP", "average_precision", "mean average precision", "noninterpolated average precision", "uninterpolated average precision", "average of precisions", "induced AP", "induced average precision"],
        group: "binary ranks",
        summary: "The mean over all relevant documents of the precision at their ranks.",
        prose: "Relevant documents that were not retrieved contribute 0. With a cutoff the sum ends at rank k and the divisor stays R, as in trec_eval, ir_measures and MTEB; aAP@k divides by min(k, R), as sentence-transformers does for MAP@k. On the condensed list it is AP', which is also indAP of Yilmaz and Aslam and bpref_relative2 of Sakai.",
        formula: "AP = (1/R) sum over relevant documents at ranks r <= k of c(r) / r",
        citation: "Buckley and Voorhees (2000), Evaluating evaluation measure stability, SIGIR; Yilmaz and Aslam (2006), Estimating average precision with incomplete and imperfect judgments, CIKM",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { cutoff: Cutoff::Optional, budget: Budgets::Taken, ..Takes::NONE },
    sees: Sees { reach: Measure::depth, ..Sees::GRADES },
    laws: Laws {
        bounds: |_| Bounds::Steps { weight: Weight::Precision, cut: false },
        contrast: |_| Contrast::Precisions { cut: false },
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

pub static AAP: Family = Family {
    about: About {
        name: "aAP",
        aliases: &["attainable_AP", "attainable average precision", "abbreviated AP"],
        group: "binary ranks",
        summary: "Average precision at k, divided by the number of relevant documents that k places can hold.",
        prose: "NTCIREVAL prints it as AP@k. Unlike AP@k it can reach 1 on topics with more than k relevant documents.",
        formula: "aAP@k = (1/min(k, R)) sum over relevant documents at ranks r <= k of c(r) / r",
        citation: "Webber, Moffat and Zobel (2010), The effect of pooling and evaluation depth on metric stability, EVIA, equation 4",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { cutoff: Cutoff::Required, budget: Budgets::Instead("AP"), ..Takes::NONE },
    sees: Sees { reach: Measure::depth, ..Sees::GRADES },
    laws: Laws {
        bounds: |_| Bounds::Steps { weight: Weight::Precision, cut: true },
        contrast: |_| Contrast::Precisions { cut: true },
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

pub static GMAP: Family = Family {
    about: About {
        name: "GMAP",
        aliases: &["gm_map", "geometric mean average precision", "geometric MAP"],
        group: "binary ranks",
        summary: "Average precision whose summary over topics is the geometric mean.",
        prose: "The value of a topic is AP. The summary takes each value as at least 1e-5, so that a topic on which nothing was found has a large effect but does not make the mean 0; the arithmetic mean of GMAP is that of AP.",
        formula: "GMAP = exp of the mean over topics of ln max(AP, 1e-5)",
        citation: "Robertson (2006), On GMAP: and other transformations, CIKM",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes::NONE,
    sees: Sees::GRADES,
    laws: Laws {
        aggregate: Aggregation::Geometric,
        bounds: |_| Bounds::Steps { weight: Weight::Precision, cut: false },
        ties: |_| Ties::sorted(Mean::Shares { judged: false }),
        running: FAMILY.laws.running,
        ..Laws::UNKNOWN
    },
    score: |measure, case| (FAMILY.score)(measure, case),
    peers: &[
        Peer::new("trec_eval", "gm_map"),
        Peer::new("pytrec_eval", "gm_map")
            .but("the value of a topic is the logarithm of its average precision"),
    ],
    examples: &[Example {
        measure: "GMAP",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 0.5,
        working: "as AP: (1/1 + 2/4) / 3",
    }],
};

pub static MICRO_AP: Family = Family {
    about: About {
        name: "micro_AP",
        aliases: &["avg_doc_prec", "micro-averaged average precision"],
        group: "binary ranks",
        summary: "The mean precision at the relevant documents of all topics together.",
        prose: "The value of a topic is AP. The summary weights it by R: each relevant document counts the same, not each topic.",
        formula: "micro_AP = sum over topics of R AP / sum over topics of R",
        citation: "trec_eval 8.1, measure avg_doc_prec",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes::NONE,
    sees: Sees::GRADES,
    laws: Laws { aggregate: Aggregation::Pooled(|_, case| case.num_rel()), ..Laws::UNKNOWN },
    score: |measure, case| (FAMILY.score)(measure, case),
    peers: &[Peer::new("trec_eval 8.1", "avg_doc_prec")],
    examples: &[Example {
        measure: "micro_AP",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 0.5,
        working: "as AP: (1/1 + 2/4) / 3",
    }],
};

pub static YAAP: Family = Family {
    about: About {
        name: "yaap",
        aliases: &[],
        group: "binary ranks",
        summary: "The logarithm of the odds of average precision, smoothed.",
        prose: "Average precision is bounded by 0 and 1, so a difference of the same size means more near the ends than in the middle; its log-odds are unbounded, so that differences are comparable when topics are averaged. One extra relevant document with precision 1 and one with precision 0 keep the odds finite. Within a topic it orders rankings as AP does. A ranking without a relevant document has ln(1 / (1 + R)), which is below 0. The sum over the relevant documents is R times AP.",
        formula: "yaap = ln((1 + S) / (1 + R - S)), where S = sum over relevant documents retrieved of c(r) / r",
        citation: "Robertson (2012), On smoothing average precision, ECIR; trec_eval, measure yaap",
        range: "(-inf, inf)",
        better: |_| Better::Higher,
    },
    takes: Takes::NONE,
    sees: Sees::GRADES,
    laws: Laws {
        bounds: |_| Bounds::Sorted,
        // The sum of the precisions.
        falls: |_, _| {
            let sum = |value: f64, num_rel: f64| {
                let odds = value.exp();
                (odds * (1.0 + num_rel) - 1.0) / (1.0 + odds)
            };
            Some(Falls::Sum(sum, |sum, num_rel| ((1.0 + sum) / (1.0 + num_rel - sum)).ln()))
        },
        ties: |_| Ties::SORTED,
        ..Laws::UNKNOWN
    },
    score: |_, case| {
        let precisions = case.relevant(u32::MAX).iter();
        let sum: f64 = precisions.map(|d| f64::from(d.seen) / f64::from(d.rank)).sum();
        ((1.0 + sum) / (1.0 + case.num_rel() - sum)).ln()
    },
    peers: &[Peer::new("trec_eval", "yaap")],
    examples: &[
        Example {
            measure: "yaap",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 0.0,
            working: "S = 1/1 + 2/4, R = 3: ln(2.5 / 2.5)",
        },
        Example {
            measure: "yaap",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "b d",
            value: -2.0 * std::f64::consts::LN_2,
            working: "S = 0: ln(1 / 4)",
        },
    ],
};

/// The precisions at the ranks of relevant documents.
struct Precisions {
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

fn precisions(measure: &Measure, case: &Case) -> Precisions {
    Precisions { divisor: f64::from(measure.depth().min(case.view.num_rel)) }
}
