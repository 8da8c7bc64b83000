//! Binary preference and its variants.

use super::bpref_num::{self, SEES};
use crate::measure::declare::*;

/// What is known of the values of each, if a document's share depends on these documents alone.
const LAWS: Laws = Laws {
    bounds: |_| Bounds::Sorted,
    ties: |_| Ties::sorted(Mean::Each(Looks::NONRELEVANT)),
    ..Laws::UNKNOWN
};

const TOP: Param =
    Param::new("top", Range::Documents, "T, how many documents judged not relevant can count")
        .or(Default::Documents(0.0, 1.0));

const NONREL: Param = Param::new(
    "nonrel",
    Range::Words(&["judged", "retrieved", "pooled"]),
    "which documents judged not relevant N counts",
)
.or(Default::Text("judged"));

const DIVISOR: Param = Param::new(
    "divisor",
    Range::Words(&["R", "retrieved"]),
    "which relevant documents the sum is divided by",
)
.or(Default::Text("R"));

const FIRST: Param = Param::new("first", Range::Count, "how many relevant documents are looked at")
    .instead_of("top");

const ABOVE: Param = Param::new(
    "above",
    Range::Documents,
    "how many documents judged not relevant are counted above a relevant one, in addition to T",
)
.or(Default::Documents(f64::INFINITY, 0.0));

pub static FAMILY: Family = Family {
    about: About {
        name: "bpref",
        aliases: &["binary_preference", "binary preferences"],
        group: "preference",
        summary: "How rarely nonrelevant documents are ranked above relevant ones, among judged documents only.",
        prose: "Unjudged documents are passed over. A relevant document with nothing judged not relevant above it counts 1, which also defines the value of topics without such documents. The default is the formula of trec_eval since version 8, with N the documents judged not relevant, retrieved or not. The parameters span the family that trec_eval 8.1 printed: top is T (its bpref_top10pRnonrel is top=\"10+R\", bpref_allnonrel top=\"all\"), nonrel=\"retrieved\" takes for N those that were retrieved, nonrel=\"pooled\" also counts those that were pooled and not judged, as 8.1 does where it names N, divisor=\"retrieved\" divides by the relevant documents retrieved, above is a bound on n alone (its bpref_top10Rnonrel is top=\"10R\",above=\"5R\"), and first=K is its bpref_K: only the first K relevant documents with fewer than K others above, T = K, divided by K or the relevant documents retrieved if they are fewer.",
        formula: "bpref = (1/R) sum over relevant documents retrieved of 1 - min(n, T) / min(N, T), where n documents judged not relevant stand above and T = R",
        citation: "Buckley and Voorhees (2004), Retrieval evaluation with incomplete information, SIGIR; Sakai (2007), Alternatives to bpref, SIGIR, equation 1",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes {
        params: &[
            TOP,
            NONREL,
            DIVISOR,
            FIRST,
            ABOVE,
        ],
        check: |measure| match measure.given(FIRST) {
            Some(_) if measure.is(DIVISOR, "retrieved") => {
                Err("takes first or divisor, not both".into())
            }
            Some(_) if !measure.is_default(ABOVE) => {
                Err("takes first or above, not both".into())
            }
            _ => Ok(()),
        },
        ..Takes::NONE
    },
    sees: Sees { beyond_list: true, ..SEES },
    laws: Laws {
        falls: |measure, _| falls(measure),
        ties: |measure| {
            let seen = measure.given(FIRST).is_some();
            Ties::sorted(Mean::Each(Looks { seen, ..Looks::NONRELEVANT }))
        },
        ..LAWS
    },
    score: |measure, case| bpref(measure, case),
    peers: &[
        Peer::new("trec_eval", "bpref"),
        Peer::new("trec_eval 8.1", "bpref")
            .is("bpref(nonrel=\"pooled\")")
            .but("N also counts documents with a negative grade"),
        Peer::new("trec_eval 8.1", "bpref_retnonrel").is("bpref(top=\"all\",nonrel=\"retrieved\")"),
        Peer::new("trec_eval 8.1", "bpref_retall")
            .is("bpref(top=\"all\",nonrel=\"retrieved\",divisor=\"retrieved\")"),
        Peer::new("trec_eval 8.1", "bpref_topnonrel").is("bpref(top=100,nonrel=\"pooled\")"),
        Peer::new("trec_eval 8.1", "bpref_top5Rnonrel").is("bpref(top=\"5R\",nonrel=\"pooled\")"),
        Peer::new("trec_eval 8.1", "bpref_top10Rnonrel")
            .is("bpref(top=\"10R\",nonrel=\"pooled\",above=\"5R\")"),
        Peer::new("trec_eval 8.1", "bpref_top10pRnonrel")
            .is("bpref(top=\"10+R\",nonrel=\"pooled\")"),
        Peer::new("trec_eval 8.1", "bpref_top25pRnonrel")
            .is("bpref(top=\"25+R\",nonrel=\"pooled\")"),
        Peer::new("trec_eval 8.1", "bpref_top50pRnonrel")
            .is("bpref(top=\"50+R\",nonrel=\"pooled\")"),
        Peer::new("trec_eval 8.1", "bpref_top25p2Rnonrel")
            .is("bpref(top=\"25+2R\",nonrel=\"pooled\")"),
        Peer::new("trec_eval 8.1", "bpref_5").is("bpref(nonrel=\"pooled\",first=5)"),
        Peer::new("trec_eval 8.1", "bpref_10").is("bpref(nonrel=\"pooled\",first=10)"),
        Peer::new("trec_eval 8.1", "old_bpref_top10pRnonrel")
            .is("bpref(top=\"10+R\",nonrel=\"retrieved\")"),
        Peer::new("ir_measures", "Bpref"),
        Peer::new("ranx", "bpref")
            .but("NaN if no document is judged not relevant; a negative grade counts as judged not relevant"),
        Peer::new("NTCIREVAL", "bpref"),
    ],
    examples: &[
        Example {
            measure: "bpref",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 0.5,
            working: "(1 + (1 - 1/2)) / 3",
        },
        Example {
            measure: "bpref",
            judgments: "a=1 e=1",
            list: "x a",
            value: 0.5,
            working: "no document judged not relevant: a counts 1, e is missing: 1/2",
        },
        Example {
            measure: "bpref(top=\"10+R\")",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 0.5,
            working: "T = 13, N = 2: (1 + (1 - 1/2)) / 3",
        },
        Example {
            measure: "bpref(nonrel=\"retrieved\",divisor=\"retrieved\")",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a b c",
            value: 0.5,
            working: "one of the one retrieved stands above c: (1 + (1 - 1/1)) / 2",
        },
        Example {
            measure: "bpref(top=\"2R\",above=1)",
            judgments: "a=1 b=0 c=1 d=0 e=0",
            list: "a b d c",
            value: 5.0 / 6.0,
            working: "T = 4, N = 3; one of the two above c counts: (1 + (1 - 1/3)) / 2",
        },
        Example {
            measure: "bpref(first=1)",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "b a c",
            value: 0.0,
            working: "a is the first relevant document, and 1 stands above it, which is not fewer than 1",
        },
    ],
};

pub static GM_BPREF: Family = Family {
    about: About {
        name: "gm_bpref",
        aliases: &["geometric mean bpref"],
        group: "preference",
        summary: "bpref whose summary over topics is the geometric mean.",
        prose: "The value of a topic is bpref. The summary takes each value as at least 1e-5, as that of GMAP.",
        formula: "gm_bpref = exp of the mean over topics of ln max(bpref, 1e-5)",
        citation: "trec_eval, measure gm_bpref; Robertson (2006), On GMAP: and other transformations, CIKM",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes::NONE,
    sees: Sees { beyond_list: true, ..SEES },
    laws: Laws {
        aggregate: Aggregation::Geometric,
        falls: |_, _| Some(Falls::Compared { listed: false }),
        ..LAWS
    },
    score: |measure, case| (FAMILY.score)(measure, case),
    peers: &[
        Peer::new("trec_eval", "gm_bpref"),
        Peer::new("pytrec_eval", "gm_bpref")
            .but("the value of a topic is the logarithm of its bpref"),
    ],
    examples: &[Example {
        measure: "gm_bpref",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 0.5,
        working: "as bpref: (1 + (1 - 1/2)) / 3",
    }],
};

pub static MICRO_BPREF: Family = Family {
    about: About {
        name: "micro_bpref",
        aliases: &[],
        group: "preference",
        summary: "The number of preferences that bpref counts as satisfied, over all topics together, divided by the number that it considers.",
        prose: "The value of a topic is bpref_num_correct over bpref_num_possible, and the summary the same of their sums. As trec_eval 8.1 counts, a relevant document with nothing judged not relevant above it has no pairs to fulfil, so the value is below that of bpref.",
        formula: "micro_bpref = sum over topics of bpref_num_correct / sum over topics of bpref_num_possible",
        citation: "trec_eval 8.1, measure micro_bpref",
        range: "[0, 1]",
        // As with bpref_num_correct, a list with all relevant documents on top has 0.
        better: |_| Better::Neither,
    },
    takes: Takes { params: &[bpref_num::NONREL], ..Takes::NONE },
    sees: SEES,
    laws: Laws { aggregate: Aggregation::Pooled(possible), ..Laws::UNKNOWN },
    score: |measure, case| match possible(measure, case) {
        0.0 if case.num_rel() > 0.0 => 0.0,
        possible => (bpref_num::BPREF_NUM_CORRECT.score)(measure, case) / possible,
    },
    peers: &[Peer::new("trec_eval 8.1", "micro_bpref").is("micro_bpref(nonrel=\"pooled\")")],
    examples: &[Example {
        measure: "micro_bpref",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 1.0 / 6.0,
        working: "c, with b above: (2 - 1) / (3 x 2)",
    }],
};

pub static BPREF_R: Family = Family {
    about: About {
        name: "bpref_R",
        aliases: &[],
        group: "preference",
        summary: "bpref with the penalty divided by R, regardless of the number of documents judged not relevant.",
        prose: "It is bpref for topics with at least as many documents judged not relevant as relevant; on others a ranking cannot lose as much as bpref lets it. It is equation 1 of Yilmaz and Aslam.",
        formula: "bpref_R = (1/R) sum over relevant documents retrieved of 1 - min(n, R) / R, where n documents judged not relevant stand above",
        citation: "Sakai (2007), Alternatives to bpref, SIGIR, equation 10; Yilmaz and Aslam (2006), CIKM, equation 1",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes::NONE,
    sees: SEES,
    laws: Laws { falls: |_, _| Some(Falls::Power(1)), ..LAWS },
    score: |_, case| {
        let num_rel = case.num_rel();
        preferred(case, |above| above.min(num_rel) / num_rel)
    },
    peers: &[Peer::new("NTCIREVAL", "bpref_R")],
    examples: &[Example {
        measure: "bpref_R",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: (1.0 + 2.0 / 3.0) / 3.0,
        working: "(1 + (1 - 1/3)) / 3",
    }],
};

pub static BPREF_N: Family = Family {
    about: About {
        name: "bpref_N",
        aliases: &["bpref_allnonrel"],
        group: "preference",
        summary: "bpref with a penalty that counts every document judged not relevant, divided by their number N.",
        prose: "It is rpref_N for binary judgments.",
        formula: "bpref_N = (1/R) sum over relevant documents retrieved of 1 - n / N, where n documents judged not relevant stand above",
        citation: "Sakai (2007), Alternatives to bpref, SIGIR, equation 11",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes::NONE,
    sees: Sees { beyond_list: true, ..SEES },
    laws: Laws { falls: |_, _| Some(Falls::Compared { listed: false }), ..LAWS },
    score: |_, case| {
        let num_nonrel = case.num_nonrel();
        preferred(case, |above| above / num_nonrel)
    },
    peers: &[
        Peer::new("trec_eval 8.1", "bpref_allnonrel")
            .is("bpref(top=\"all\",nonrel=\"pooled\")")
            .but("N also counts documents with a negative grade"),
        Peer::new("NTCIREVAL", "bpref_N"),
    ],
    examples: &[Example {
        measure: "bpref_N",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 0.5,
        working: "(1 + (1 - 1/2)) / 3",
    }],
};

pub static OLD_BPREF: Family = Family {
    about: About {
        name: "old_bpref",
        aliases: &[],
        group: "preference",
        summary: "bpref divided by the documents judged not relevant that were retrieved, instead of all.",
        prose: "The formula of trec_eval 6 to 7.3, kept to compare with published figures: a short ranking is penalized for documents that it did not retrieve.",
        formula: "old_bpref = (1/R) sum over relevant documents retrieved of 1 - min(n, R) / min(M, R), where n of the M documents retrieved and judged not relevant stand above",
        citation: "trec_eval 8.1, measure old_bpref, and the notice on the error in bpref that comes with it",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes::NONE,
    sees: SEES,
    laws: Laws { falls: |_, _| Some(Falls::Compared { listed: true }), ..LAWS },
    score: |_, case| {
        let (num_rel, retrieved) = (case.num_rel(), f64::from(case.view.nonrelevant));
        preferred(case, |above| above.min(num_rel) / retrieved.min(num_rel))
    },
    peers: &[Peer::new("trec_eval 8.1", "old_bpref")],
    examples: &[Example {
        measure: "old_bpref",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a b c",
        value: 1.0 / 3.0,
        working: "ranking a b c: of the one retrieved, one stands above c: (1 + (1 - 1/1)) / 3",
    }],
};

pub static BPREF_10: Family = Family {
    about: About {
        name: "bpref_10",
        aliases: &["bpref-10"],
        group: "preference",
        summary: "bpref with a penalty that counts up to 10 + R documents judged not relevant.",
        prose: "The divisor is 10 + R even when fewer are judged not relevant, so on such topics no ranking reaches 0. trec_eval 8.1 caps the divisor with N, and prints the name bpref_10 for something else, the first ten relevant documents.",
        formula: "bpref_10 = (1/R) sum over relevant documents retrieved of 1 - min(n, 10 + R) / (10 + R), where n documents judged not relevant stand above",
        citation: "Buckley and Voorhees (2004), Retrieval evaluation with incomplete information, SIGIR; Yilmaz and Aslam (2006), CIKM, section 2",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes::NONE,
    sees: SEES,
    laws: Laws { falls: |_, _| Some(Falls::Power(1)), ..LAWS },
    score: |_, case| {
        let most = 10.0 + case.num_rel();
        preferred(case, |above| above.min(most) / most)
    },
    peers: &[
        Peer::new("trec_eval 8.1", "bpref_top10pRnonrel")
            .is("bpref(top=\"10+R\",nonrel=\"pooled\")")
            .but("the divisor is at most N"),
        Peer::new("trec_eval 8.1", "bpref_10")
            .is("bpref(nonrel=\"pooled\",first=10)")
            .but("looks at the first ten relevant documents"),
    ],
    examples: &[Example {
        measure: "bpref_10",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: (1.0 + 12.0 / 13.0) / 3.0,
        working: "(1 + (1 - 1/13)) / 3",
    }],
};

pub static BPREF_RELATIVE: Family = Family {
    about: About {
        name: "bpref_relative",
        aliases: &[],
        group: "preference",
        summary: "bpref with the penalty divided by the number of judged documents above.",
        prose: "The first judged document has none above and is left out of the sum, so the ideal ranking has (R - 1) / R. It is rpref_relative for binary judgments; bpref_relative2, which divides by the judged rank instead, is AP on the condensed list.",
        formula: "bpref_relative = (1/R) sum over relevant documents at judged ranks r > 1 of 1 - n / (r - 1), where n documents judged not relevant stand above",
        citation: "Sakai (2007), Alternatives to bpref, SIGIR, equation 18",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes::NONE,
    sees: SEES,
    laws: Laws {
        falls: |_, _| Some(Falls::Power(1)),
        ties: |_| Ties::sorted(Mean::Each(Looks { seen: true, ..Looks::NONRELEVANT })),
        ..LAWS
    },
    score: |_, case| {
        let preferred = case.relevant(u32::MAX).iter().map(|d| {
            let above = d.seen - 1 + d.nonrelevant;
            if above == 0 { 0.0 } else { 1.0 - f64::from(d.nonrelevant) / f64::from(above) }
        });
        preferred.sum::<f64>() / case.num_rel()
    },
    peers: &[Peer::new("NTCIREVAL", "bpref_relative")],
    examples: &[Example {
        measure: "bpref_relative",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 1.0 / 6.0,
        working: "a is left out; c has a and b above: (1 - 1/2) / 3",
    }],
};

/// A share rises when N is one less, but for documents above which N stands.
fn falls(measure: &Measure) -> Option<Falls> {
    let plain = measure.given(FIRST).is_none()
        && !measure.is(NONREL, "pooled")
        && !measure.is(DIVISOR, "retrieved")
        && measure.is_default(ABOVE);
    plain.then_some(Falls::Compared { listed: measure.is(NONREL, "retrieved") })
}

/// (1/R) sum of 1 - share, where the share follows from the documents above
/// that are judged not relevant; without one it is 0, whatever the divisor.
fn preferred(case: &Case, share: impl Fn(f64) -> f64) -> f64 {
    preferences(case, share) / case.num_rel()
}

fn preferences(case: &Case, share: impl Fn(f64) -> f64) -> f64 {
    let preferences = case.relevant(u32::MAX).iter().map(|d| match d.nonrelevant {
        0 => 1.0,
        above => 1.0 - share(f64::from(above)),
    });
    preferences.sum()
}

fn bpref(measure: &Measure, case: &Case) -> f64 {
    let nonrelevant = match measure.word(NONREL) {
        "retrieved" => f64::from(case.view.nonrelevant),
        "pooled" => case.topic.len() as f64 - case.num_rel(),
        _ => case.num_nonrel(),
    };
    let found = f64::from(case.view.found);
    if let Some(first) = measure.given(FIRST) {
        let looked_at = case.relevant(u32::MAX).iter().filter(|d| f64::from(d.seen) <= first);
        let preferred = looked_at.map(|d| match f64::from(d.nonrelevant) {
            0.0 => 1.0,
            above if above < first => 1.0 - above / nonrelevant.min(first),
            _ => 0.0,
        });
        let sum: f64 = preferred.sum();
        return if found > 0.0 { sum / found.min(first) } else { sum / case.num_rel() };
    }
    let most = measure.documents(TOP, case.num_rel());
    let counted = most.min(measure.documents(ABOVE, case.num_rel()));
    let sum = preferences(case, |above| above.min(counted) / nonrelevant.min(most));
    let of_retrieved = measure.is(DIVISOR, "retrieved") && found > 0.0;
    sum / if of_retrieved { found } else { case.num_rel() }
}

fn possible(measure: &Measure, case: &Case) -> f64 {
    (bpref_num::BPREF_NUM_POSSIBLE.score)(measure, case)
}
