//! Binary preference, and what its relatives share.

use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "bpref",
        aliases: &["binary_preference"],
        group: "preference",
        summary: "How seldom documents judged not relevant stand above relevant ones.",
        prose: "Unjudged documents are passed over. A relevant document with nothing judged not relevant above it counts 1, which also defines the value of topics without such documents. The default is the formula of trec_eval since version 8, with N the documents judged not relevant, retrieved or not. The parameters span the family that trec_eval 8.1 printed: top is T (its bpref_top10pRnonrel is top=\"10+R\", bpref_allnonrel top=\"all\"), nonrel=\"retrieved\" takes for N those that were retrieved, nonrel=\"pooled\" also counts those that were pooled and not judged, as 8.1 does where it names N, divisor=\"retrieved\" divides by the relevant documents retrieved, above is a bound on n alone (its bpref_top10Rnonrel is top=\"10R\",above=\"5R\"), and first=K is its bpref_K: only the first K relevant documents with fewer than K others above, T = K, divided by K or the relevant documents retrieved if they are fewer.",
        formula: "bpref = (1/R) sum over relevant documents retrieved of 1 - min(n, T) / min(N, T), where n documents judged not relevant stand above and T = R",
        citation: "Buckley and Voorhees (2004), Retrieval evaluation with incomplete information, SIGIR; Sakai (2007), Alternatives to bpref, SIGIR, equation 1",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes {
        params: &[
            Param::new(
                "top",
                Range::Documents,
                "T, how many documents judged not relevant can count",
            )
            .or(Default::Documents(0.0, 1.0)),
            Param::new(
                "nonrel",
                Range::Words(&["judged", "retrieved", "pooled"]),
                "which documents judged not relevant N counts",
            )
            .or(Default::Text("judged")),
            Param::new(
                "divisor",
                Range::Words(&["R", "retrieved"]),
                "which relevant documents the sum is divided by",
            )
            .or(Default::Text("R")),
            Param::new("first", Range::Count, "how many relevant documents are looked at")
                .instead_of("top"),
            Param::new(
                "above",
                Range::Documents,
                "how many documents judged not relevant are counted above a relevant one, in addition to T",
            )
            .or(Default::Documents(f64::INFINITY, 0.0)),
        ],
        check: |measure| match measure.number("first") {
            Some(_) if measure.is("divisor", "retrieved") => {
                Err("takes first or divisor, not both".into())
            }
            Some(_) if *measure.value("above") != Value::Documents(f64::INFINITY, 0.0) => {
                Err("takes first or above, not both".into())
            }
            _ => Ok(()),
        },
        ..Takes::NONE
    },
    sees: Sees { nonrelevant: Nonrelevant::Compared, beyond_list: true, ..Sees::GRADES },
    laws: Laws {
        bounds: |_| Bounds::Sorted,
        falls: |measure, _| falls(measure),
        ties: |measure| {
            let seen = measure.number("first").is_some();
            Ties::sorted(Mean::Each(Looks { seen, ..Looks::NONRELEVANT }))
        },
        ..Laws::UNKNOWN
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

/// A share rises when N is one less, but for documents above which N stands.
fn falls(measure: &Measure) -> Option<Falls> {
    let plain = measure.number("first").is_none()
        && !measure.is("nonrel", "pooled")
        && !measure.is("divisor", "retrieved")
        && *measure.value("above") == Value::Documents(f64::INFINITY, 0.0);
    plain.then_some(Falls::Compared { listed: measure.is("nonrel", "retrieved") })
}

/// (1/R) sum of 1 - share, where the share follows from the documents above
/// that are judged not relevant; without one it is 0, whatever the divisor.
pub(super) fn preferred(case: &Case, share: impl Fn(f64) -> f64) -> f64 {
    preferences(case, share) / case.num_rel()
}

/// The pairs of a relevant document of the list and one of this many that are
/// judged not relevant, of those that are not above it.
pub(super) fn fulfilled(case: &Case, nonrelevant: f64) -> f64 {
    let below = case.relevant(u32::MAX).iter().map(|d| nonrelevant - f64::from(d.nonrelevant));
    below.sum::<f64>() + 0.0
}

fn preferences(case: &Case, share: impl Fn(f64) -> f64) -> f64 {
    let preferences = case.relevant(u32::MAX).iter().map(|d| match d.nonrelevant {
        0 => 1.0,
        above => 1.0 - share(f64::from(above)),
    });
    preferences.sum()
}

fn bpref(measure: &Measure, case: &Case) -> f64 {
    let nonrelevant = match measure.value("nonrel") {
        Value::Text(word) if word == "retrieved" => f64::from(case.view.nonrelevant),
        Value::Text(word) if word == "pooled" => case.topic.len() as f64 - case.num_rel(),
        _ => case.num_nonrel(),
    };
    let found = f64::from(case.view.found);
    if let Some(first) = measure.number("first") {
        let looked_at = case.relevant(u32::MAX).iter().filter(|d| f64::from(d.seen) <= first);
        let preferred = looked_at.map(|d| match f64::from(d.nonrelevant) {
            0.0 => 1.0,
            above if above < first => 1.0 - above / nonrelevant.min(first),
            _ => 0.0,
        });
        let sum: f64 = preferred.sum();
        return if found > 0.0 { sum / found.min(first) } else { sum / case.num_rel() };
    }
    let documents = |key| match measure.value(key) {
        Value::Documents(constant, times) => constant + times * case.num_rel(),
        _ => case.num_rel(),
    };
    let most = documents("top");
    let counted = most.min(documents("above"));
    let sum = preferences(case, |above| above.min(counted) / nonrelevant.min(most));
    let of_retrieved = measure.is("divisor", "retrieved") && found > 0.0;
    sum / if of_retrieved { found } else { case.num_rel() }
}
