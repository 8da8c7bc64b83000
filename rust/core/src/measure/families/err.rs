//! Expected reciprocal rank, and normalized.

use crate::measure::declare::*;

const STOP: Param =
    Param::new("stop", Range::Words(&["exp", "ntcir"]), "how a gain becomes a probability")
        .or(Default::Text("exp"));

/// The parameters of the family.
const PARAMS: &[Param] = &[HIGHEST, STOP];

pub static FAMILY: Family = Family {
    about: About {
        name: "ERR",
        aliases: &["expected_reciprocal_rank"],
        group: "blended",
        summary: "The expected reciprocal rank at which a user who reads down the ranking is satisfied.",
        prose: "A document of grade g satisfies with probability (2^g - 1) / 2^max_rel. The highest grade must be given, because a topic without documents of that grade would otherwise be scored on another scale; gdeval fixes it at 4. stop=\"ntcir\" is NTCIREVAL's probability g / (top + 1), whose top is max_rel or else the highest gain of the collection.",
        formula: "ERR@k = sum over ranks r <= k of (1/r) s(r) prod over i < r of (1 - s(i))",
        citation: "Chapelle, Metzler, Zhang and Grinspan (2009), Expected reciprocal rank for graded relevance, CIKM",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes {
        params: PARAMS,
        cutoff: Cutoff::Optional,
        check: needs_top,
        budget: Budgets::Taken,
        ..Takes::NONE
    },
    sees: Sees {
        gain: satisfaction,
        declared_top: Some(HIGHEST),
        reach: Measure::depth,
        ..Sees::GAINS
    },
    laws: Laws {
        bounds: |_| Bounds::Monotone,
        ties: |_| Ties::sorted(Mean::Cascade),
        ..Laws::UNKNOWN
    },
    score: |measure, case| {
        cascade(case.relevant(measure.depth()).iter().map(|d| (d.rank, case.gain(d))))
    },
    peers: &[
        Peer::new("gdeval", "err@20").is("ERR(max_rel=4)@20").but("the highest grade is fixed"),
        Peer::new("ir_measures", "ERR@20")
            .is("ERR(max_rel=4)@20")
            .but("runs gdeval; five decimals, and topics must be numbers"),
        Peer::new("NTCIREVAL", "ERR")
            .is("ERR(stop=\"ntcir\")")
            .but("the probability is g / (top + 1)"),
        Peer::new("pyNTCIREVAL", "ERR")
            .is("ERR(stop=\"ntcir\")")
            .but("the probability is g / (top + 1)"),
        Peer::new("cwl_eval", "NERR-EQ8@k=10").but("a user model near to it, with another value"),
    ],
    examples: &[
        Example {
            measure: "ERR(max_rel=3)@3",
            judgments: "a=1 b=3 c=0 d=2",
            list: "a c b x d",
            value: 73.0 / 192.0,
            working: "1/8 + (1/3) (7/8) (1 - 1/8)",
        },
        Example {
            measure: "ERR(stop=\"ntcir\")@3",
            judgments: "a=1 b=3 c=0 d=2",
            list: "a c b x d",
            value: 7.0 / 16.0,
            working: "1/4 + (1/3) (3/4) (1 - 1/4)",
        },
    ],
};

pub static NERR: Family = Family {
    about: About {
        name: "nERR",
        aliases: &["normalised_ERR", "normalized expected reciprocal rank"],
        group: "blended",
        summary: "Expected reciprocal rank, divided by that of the best possible ranking.",
        prose: "The parameters are those of ERR.",
        formula: "nERR@k = ERR@k / ERR@k of the ideal ranking",
        citation: "Clarke, Craswell, Soboroff and Ashkan (2011), A comparative analysis of cascade measures for novelty and diversity, WSDM",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes {
        params: PARAMS,
        cutoff: Cutoff::Optional,
        check: needs_top,
        budget: Budgets::Instead("ERR(max_rel=3)"),
        ..Takes::NONE
    },
    sees: Sees {
        gain: satisfaction,
        declared_top: Some(HIGHEST),
        reach: Measure::depth,
        ..Sees::GAINS
    },
    laws: Laws {
        bounds: |_| Bounds::Sorted,
        falls: |_, _| Some(Falls::Power(1)),
        ties: |_| Ties::sorted(Mean::Cascade),
        ..Laws::UNKNOWN
    },
    score: |measure, case| {
        let ideal = case.ideal().gains().iter().take(measure.depth() as usize).copied();
        (FAMILY.score)(measure, case) / cascade((1..).zip(ideal))
    },
    peers: &[
        Peer::new("NTCIREVAL", "nERR@0010")
            .is("nERR(stop=\"ntcir\")@10")
            .but("the probability is g / (top + 1)"),
        Peer::new("pyNTCIREVAL", "nERR@0010")
            .is("nERR(stop=\"ntcir\")@10")
            .but("the probability is g / (top + 1)"),
    ],
    examples: &[Example {
        measure: "nERR(max_rel=3)@3",
        judgments: "a=1 b=3 c=0 d=2",
        list: "a c b x d",
        value: 584.0 / 1385.0,
        working: "(73/192) / (7/8 + (1/2) (3/8) (1/8) + (1/3) (1/8) (5/8) (1/8))",
    }],
};

/// The probability that a document of some gain satisfies.
pub(super) fn satisfaction(measure: &Measure, gain: f64, top_gain: f64) -> f64 {
    let top = measure.given(HIGHEST).unwrap_or(top_gain);
    if measure.is(STOP, "ntcir") { gain / (top + 1.0) } else { (gain.exp2() - 1.0) / top.exp2() }
}

/// The highest grade of the scale.
pub(super) const HIGHEST: Param =
    Param::new("max_rel", Range::Positive, "the highest grade that a document can have");

/// How a gain becomes a probability where NTCIREVAL's rule is the usual one.
pub(super) const NTCIR_STOP: Param =
    Param::new("stop", Range::Words(&["ntcir", "exp"]), "how a gain becomes a probability")
        .or(Default::Text("ntcir"));

/// Refuses to guess the highest grade.
pub(super) fn needs_top(measure: &Measure) -> Result<(), String> {
    let name = measure.family.about.name;
    match measure.given(HIGHEST) {
        None if !measure.is(STOP, "ntcir") => {
            Err(format!("needs the highest grade, as in {name}(max_rel=3)@20"))
        }
        _ => Ok(()),
    }
}

/// The expected reciprocal rank of satisfaction.
fn cascade(documents: impl Iterator<Item = (u32, f64)>) -> f64 {
    expected(documents.map(|(rank, satisfied)| (satisfied, 1.0 / f64::from(rank))))
}

/// The expected utility of a user who reads until satisfied, from the
/// probability of each document to satisfy and what stopping there is worth.
pub(super) fn expected(documents: impl Iterator<Item = (f64, f64)>) -> f64 {
    let mut reading = 1.0;
    let mut expected = 0.0;
    for (satisfied, utility) in documents {
        expected += reading * satisfied * utility;
        reading *= 1.0 - satisfied;
    }
    expected
}
