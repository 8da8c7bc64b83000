//! INST, and what all user models share.

use crate::measure::declare::*;
use crate::user_model::{self, ReadDocument};

/// The highest grade; without it the measure is binary.
pub(super) const HIGHEST: Param =
    Param::new("max_rel", Range::Positive, "the highest grade: makes the measure graded");

/// Which of the five numbers is meant.
pub(super) const OUT: Param = Param::new(
    "out",
    Range::Words(&["EU", "ETU", "EC", "ETC", "ED"]),
    "the number: expected utility of a document read, of all of them, their expected costs, their expected number",
)
.or(Default::Text("EU"));

/// What happens to unjudged documents.
pub(super) const UNJUDGED: Param = Param::new(
    "unjudged",
    Range::Words(&["worst", "best", "residual"]),
    "what unjudged documents gain, including those beyond the end of the ranking: nothing, 1, or the difference between the two",
)
.or(Default::Text("worst"));

/// What a document costs.
pub(super) const COST: Param = Param::new(
    "cost",
    Range::Positive,
    "what a document costs that has no cost in the judgments' column cost",
)
.or(Default::Number(1.0));

/// The gain that a user wants.
pub(super) const WANTED: Param =
    Param::new("T", Range::Positive, "the gain that the user wants").or(Default::Printed(1.0));

/// The values of user models.
pub(super) const RANGE: &str = "[0, 1], or [0, inf) for ETU, EC, ETC and ED";

/// What user models take besides their parameters.
pub(super) const TAKES: Takes =
    Takes { cutoff: Cutoff::Optional, check: ranks_can_be_held, ..Takes::NONE };

/// What user models see.
pub(super) const SEES: Sees = Sees {
    relevance: Relevance::GradeUnlessDeclared,
    declared_top: Some(HIGHEST),
    gain: |measure, gain, _| gain / measure.given(HIGHEST).unwrap_or(1.0),
    nonrelevant: Nonrelevant::Each,
    ..Sees::GRADES
};

/// What is known of the values of user models.
pub(super) const LAWS: Laws = Laws {
    bounds: |_| Bounds::Refused("unjudged=\"residual\" is how far it can move"),
    ..Laws::UNKNOWN
};

/// Which values of user models are better.
pub(super) fn better(measure: &Measure) -> Better {
    // Users who give up on a list pay little for it.
    if ["EC", "ETC", "ED"].iter().any(|out| measure.is(OUT, out)) {
        Better::Neither
    } else if measure.is(UNJUDGED, "residual") {
        Better::Lower
    } else {
        Better::Higher
    }
}

pub static FAMILY: Family = Family {
    about: About {
        name: "INST",
        aliases: &[],
        group: "user models",
        summary: "The expected gain per document of a user who wants a total gain of T and adapts to what was found.",
        prose: "The user is more likely to go on the deeper the rank and the more gain is still wanted. Binary by default; max_rel makes it graded, with the gain grade / max_rel. Like all user models of the C/W/L framework it has five numbers, which out= chooses among; rankings are filled up or cut to k ranks, 1000 without a cutoff, as in cwl_eval. What documents cost is the column cost of the judgments, if they have one. T is at least 0.5: with less, the probability to go on can pass 1.",
        formula: "INST = sum over ranks r of W(r) g(r), where W(r) is proportional to prod over i < r of C(i), C(i) = ((i + T + T(i) - 1) / (i + T + T(i)))^2 and T(i) = T - cg(i)",
        citation: "Moffat, Bailey, Scholer and Thomas (2015), INST: An adaptive metric for information retrieval evaluation, ADCS; Moffat, Bailey, Scholer and Thomas (2017), Incorporating user expectations and behavior into the measurement of search effectiveness, TOIS",
        range: RANGE,
        better,
    },
    takes: Takes {
        params: &[WANTED, HIGHEST, OUT, UNJUDGED],
        check: |measure| {
            match wanted(measure) {
            wanted if wanted < 0.5 => Err(
                "needs a T of at least 0.5: with less, the probability to go on passes 1 where every document is relevant"
                    .into(),
            ),
            _ => ranks_can_be_held(measure),
        }
        },
        ..TAKES
    },
    sees: SEES,
    laws: LAWS,
    score: |measure, case| {
        let wanted = wanted(measure);
        numbers(measure, case, |reading| {
            let depth = reading.rank + 2.0 * wanted - reading.gained;
            ((depth - 1.0) / depth).powi(2)
        })
    },
    peers: &[
        Peer::new("cwl_eval", "INST-T=1.0"),
        Peer::new("ir_measures", "INST(T=1,max_rel=3)"),
        Peer::new("inst_eval", "inst_min").is("INST(T=1,max_rel=3)@20000").but(
            "sums over 20000 ranks, or 200000 if T is above 5; 3 stands for the highest grade",
        ),
    ],
    examples: &[
        Example {
            measure: "INST(T=1)@2",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a b c",
            value: 1.0 / 1.25,
            working: "C(1) = ((1 + 1 + 0 - 1) / (1 + 1 + 0))^2 = 1/4: W = 1 / 1.25 and .25 / 1.25",
        },
        Example {
            measure: "INST(T=1,max_rel=2,out=\"ED\")@2",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a b c",
            value: 1.36,
            working: "C(1) = ((1 + 1 + .5 - 1) / (1 + 1 + .5))^2 = .36: 1 + .36 documents",
        },
    ],
};

pub static INSQ: Family = Family {
    about: About {
        name: "INSQ",
        aliases: &["inverse squares"],
        group: "user models",
        summary: "The expected gain per document of a user who expects to look for a total gain of T.",
        prose: "The deeper the ranking, the more likely the user is to go on, whatever was found: INST is the same user who adapts.",
        formula: "INSQ = sum over ranks r of W(r) g(r), where W(r) is proportional to prod over i < r of C(i) and C(i) = ((i + 2T - 1) / (i + 2T))^2",
        citation: "Moffat, Scholer and Thomas (2012), Models and metrics: IR evaluation as a user process, ADCS",
        range: RANGE,
        better,
    },
    takes: Takes { params: &[WANTED, HIGHEST, OUT, UNJUDGED], ..TAKES },
    sees: SEES,
    laws: Laws { ties, ..LAWS },
    score: |measure, case| {
        let wanted = wanted(measure);
        numbers(measure, case, |reading| {
            let depth = reading.rank + 2.0 * wanted;
            ((depth - 1.0) / depth).powi(2)
        })
    },
    peers: &[Peer::new("cwl_eval", "INSQ-T=1.0"), Peer::new("ir_measures", "INSQ(T=1,max_rel=3)")],
    examples: &[Example {
        measure: "INSQ(T=1)@2",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "b a c",
        value: 4.0 / 13.0,
        working: "C(1) = (2/3)^2 = 4/9: W(2) = (4/9) / (1 + 4/9)",
    }],
};

/// For users who go on whatever they have found: sums over documents by rank.
pub(super) fn ties(measure: &Measure) -> Ties {
    // What documents cost does not go by their gain.
    let costs = measure.is(OUT, "EC") || measure.is(OUT, "ETC");
    let plain = measure.is(UNJUDGED, "worst") && !costs;
    Ties { mean: Some(Mean::Rotations), extremes: plain.then_some(Extremes::Gain) }
}

/// T.
pub(super) fn wanted(measure: &Measure) -> f64 {
    measure.get(WANTED)
}

/// How many ranks a user sees who could read on for ever.
pub(super) const RANKS: f64 = 1000.0;

/// Refuses a list that does not fit into memory.
pub(super) fn ranks_can_be_held(measure: &Measure) -> Result<(), String> {
    match measure.cutoff {
        Some(ranks) if ranks > 1e6 => Err("sums over no more than 1000000 ranks".into()),
        _ => Ok(()),
    }
}

/// The number that is asked for, of a user who goes on with these
/// probabilities.
pub(super) fn numbers(
    measure: &Measure,
    case: &Case,
    goes_on: impl FnMut(ReadDocument) -> f64 + Clone,
) -> f64 {
    let ranks = measure.cutoff.unwrap_or(RANKS);
    let costs = costs(measure, case, ranks as usize);
    let of = |unjudged: f64| {
        let gains = gains(measure, case, ranks as usize, unjudged);
        let expected = user_model::expected(&gains, &costs, goes_on.clone());
        match measure.word(OUT) {
            "ETU" => expected.total_utility,
            "EC" => expected.cost,
            "ETC" => expected.total_cost,
            "ED" => expected.depth,
            _ => expected.utility,
        }
    };
    match measure.word(UNJUDGED) {
        "best" => of(1.0),
        "residual" => of(1.0) - of(0.0),
        _ => of(0.0),
    }
}

/// The costs of the first ranks.
pub(super) fn costs(measure: &Measure, case: &Case, ranks: usize) -> Vec<f64> {
    let mut costs = vec![measure.get(COST); ranks];
    if let Some(column) = case.costs {
        for known in case.known(ranks as u32).filter(|known| !column[known.number].is_nan()) {
            costs[known.rank as usize - 1] = column[known.number];
        }
    }
    costs
}

/// The gains of the first ranks; unjudged documents, and what is
/// beyond the end of the list, gain `unjudged`.
pub(super) fn gains(measure: &Measure, case: &Case, ranks: usize, unjudged: f64) -> Vec<f64> {
    let graded = measure.counts_gains();
    let mut gains = vec![unjudged; ranks];
    if unjudged == 0.0 {
        for document in case.relevant(ranks as u32) {
            let gain = if graded { case.gain(document) } else { 1.0 };
            gains[document.rank as usize - 1] = gain;
        }
        return gains;
    }
    for (rank, hit) in case.judged(ranks as u32) {
        let grade_index = hit.grade_index as usize;
        let binary = f64::from(u8::from(case.is_relevant(grade_index)));
        gains[rank as usize - 1] = if graded { case.gains[grade_index] } else { binary };
    }
    gains
}
