//! Graded preference: over all judged documents, and relative to the judged rank.

use crate::grade_column::GradeCount;
use crate::measure::declare::*;
use crate::trace::Relevant;

/// The parameters of all graded preference measures.
const TOP_GAIN: Param = Param::new(
    "top_gain",
    Range::TopGain,
    "the gain that counts as fully relevant; the relative forms do not depend on it",
)
.or(Default::Text("collection"));
/// See `TOP_GAIN`.
const UNRETRIEVED: Param =
    Param::new("unretrieved", Range::Words(&["zero", "literal"]), "what relevant documents add that were not retrieved: nothing, or as if below all judged documents retrieved")
        .or(Default::Text("zero"));

/// See `TOP_GAIN`.
const PARTITIONS: Param = Param::new(
    "partitions",
    Range::Points,
    "n of n-pref: gains are distinguished only by which of n equal intervals they fall into",
);
/// See `TOP_GAIN`.
const SKIP_FIRST: Param =
    Param::new("skip_first", Range::Flag, "whether the first judged document is left out");

pub static FAMILY: Family = Family {
    about: About {
        name: "rpref_N",
        aliases: &["rpref with absolute normalization", "graded bpref"],
        group: "preference",
        summary: "How rarely judged documents of lower gain are ranked above documents of higher gain.",
        prose: "A document above a better one costs it the fraction of its gain by which the first is worse. The sum of these penalties is divided by N', the mass of judged documents that is not relevant when gains are measured by the highest one. That is the collection's by default; top_gain= chooses the topic's, or a number. Documents that were not retrieved add nothing, as in Sakai's program; the literal reading of the formula adds them below the ranking, and so it does with those beyond a cutoff. Where grades are relevance between 0 and 1, as in De Beer and Moens, top_gain=1 says so even if no document reaches 1. partitions=n is their n-pref: relevance g / H falls into n equal intervals, closed below, and the interval number i from 0 is worth i / (n - 1), so that 2 is bpref with the threshold H / 2 and many are rpref. With binary gains it is bpref_N.",
        formula: "rpref_N = (1/cg*) sum over judged documents retrieved of g (1 - penalty / N'), where penalty = sum over judged documents above with g' < g of (g - g') / g, N' = R + N - cg* / H, cg* the sum of all gains and H the highest",
        citation: "De Beer and Moens (2006), Rpref: a generalization of bpref towards graded relevance judgments, SIGIR, formula 1; Sakai (2007), Alternatives to bpref, SIGIR, equation 16",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes {
        params: &[TOP_GAIN, UNRETRIEVED, PARTITIONS, SKIP_FIRST.or(Default::Flag(false))],
        cutoff: Cutoff::Optional,
        check: class_needs_top,
        ..Takes::NONE
    },
    sees: Sees {
        gain: class,
        declared_top: Some(TOP_GAIN),
        nonrelevant: Nonrelevant::Each,
        beyond_list: true,
        ..Sees::GAINS
    },
    laws: Laws {
        bounds: |measure| match literal(measure) {
            Some(refused) => refused,
            None if measure.flag(SKIP_FIRST) => {
                Bounds::Refused("a relevant document that comes first is left out")
            }
            None => Bounds::Sorted,
        },
        falls: |_, _| Some(Falls::Compared { listed: false }),
        ties: ties_by_pairs,
        ..Laws::UNKNOWN
    },
    score: |measure, case| {
        let top = if measure.given(PARTITIONS).is_some() {
            1.0
        } else if measure.is(TOP_GAIN, "topic") {
            case.ideal().gains().first().copied().unwrap_or(0.0)
        } else {
            measure.given(TOP_GAIN).unwrap_or(case.top_gain)
        };
        let total = case.ideal().cumulated(u32::MAX);
        let nonrelevant = case.num_rel() + case.num_nonrel() - total / top;
        let first = first_share(measure);
        preferences(measure, case, |penalty, above| match above {
            0 => first,
            // Without a penalty the share is 0, which covers N' = 0.
            _ if penalty == 0.0 => 0.0,
            // More only by rounding.
            _ => (penalty / nonrelevant).min(1.0),
        })
    },
    peers: &[Peer::new("NTCIREVAL", "rpref_N")
        .is("rpref_N(top_gain=\"topic\")")
        .but("gcompute measures by the topic's highest gain")],
    examples: &[
        Example {
            measure: "rpref_N",
            judgments: "a=1 b=3 c=0 d=2",
            list: "c a b x d",
            value: 0.25,
            working: "H = 3, cg* = 6, N' = 4 - 6/3 = 2; penalties: a below c 1, b below c and a 1 + 2/3, d below c and a 1 + 1/2: (1 (1 - 1/2) + 3 (1 - 5/6) + 2 (1 - 3/4)) / 6",
        },
        Example {
            measure: "rpref_N@3",
            judgments: "a=1 b=3 c=0 d=2",
            list: "c a b x d",
            value: 1.0 / 6.0,
            working: "as above without d: (1/2 + 1/2) / 6",
        },
        Example {
            measure: "rpref_N(top_gain=1,partitions=4)",
            judgments: "a=0.9 b=0.5 c=0.2 d=0.4",
            list: "c b a d",
            value: 5.0 / 12.0,
            working: "classes a 1, b 2/3, c 0, d 1/3, sum 2, N' = 4 - 2; penalties b 1, a 1 + 1/3, d 1: (2/3 (1/2) + 1 (1/3) + 1/3 (1/2)) / 2 = (1/3 + 1/3 + 1/6) / 2",
        },
    ],
};

pub static RPREF_RELATIVE: Family = Family {
    about: About {
        name: "rpref_relative",
        aliases: &["n pref", "rpref with relative normalization"],
        group: "preference",
        summary: "rpref with the penalty divided by the number of judged documents above.",
        prose: "The first judged document has none above and is left out of the sum, which keeps its divisor; skip_first=False counts it in full. partitions=n is the n-pref of De Beer and Moens, whose Figure 1 has this form. With binary gains it is bpref_relative.",
        formula: "rpref_relative = (1/cg*) sum over judged documents at judged ranks r > 1 of g (1 - penalty / (r - 1)), with the penalty of rpref_N",
        citation: "De Beer and Moens (2006), SIGIR, section 2.5; Sakai (2007), Alternatives to bpref, SIGIR, equation 17",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes {
        params: &[TOP_GAIN, UNRETRIEVED, PARTITIONS, SKIP_FIRST.or(Default::Flag(true))],
        cutoff: Cutoff::Optional,
        check: class_needs_top,
        ..Takes::NONE
    },
    sees: Sees {
        gain: class,
        declared_top: Some(TOP_GAIN),
        nonrelevant: Nonrelevant::Each,
        ..Sees::GAINS
    },
    laws: Laws {
        bounds: |measure| literal(measure).unwrap_or(Bounds::SortedIfBinary),
        falls: |_, _| Some(Falls::Power(1)),
        ties,
        running: Some(|measure, case| {
            Box::new(Preferences::new(case, per_document_above(measure)))
        }),
        ..Laws::UNKNOWN
    },
    score: |measure, case| preferences(measure, case, per_document_above(measure)),
    peers: &[Peer::new("NTCIREVAL", "rpref_relative")],
    examples: &[Example {
        measure: "rpref_relative",
        judgments: "a=1 b=3 c=0 d=2",
        list: "c a b x d",
        value: 0.25,
        working: "penalties as for rpref_N, 1, 2 and 3 judged above: (1 (1 - 1) + 3 (1 - 5/6) + 2 (1 - 1/2)) / 6",
    }],
};

pub static RPREF_RELATIVE2: Family = Family {
    about: About {
        name: "rpref_relative2",
        aliases: &[],
        group: "preference",
        summary: "rpref with the penalty divided by the rank among judged documents.",
        prose: "The ideal ranking has 1. With binary gains it is AP on the condensed list, with graded ones graded average precision with uniform thresholds there, GAP(thresholds=\"uniform\")'.",
        formula: "rpref_relative2 = (1/cg*) sum over judged documents retrieved of g (1 - penalty / r), where r is the judged rank, with the penalty of rpref_N",
        citation: "Sakai (2007), Alternatives to bpref, SIGIR, equation 19",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes {
        params: &[TOP_GAIN, UNRETRIEVED, PARTITIONS],
        cutoff: Cutoff::Optional,
        check: class_needs_top,
        ..Takes::NONE
    },
    sees: Sees {
        gain: class,
        declared_top: Some(TOP_GAIN),
        nonrelevant: Nonrelevant::Each,
        ..Sees::GAINS
    },
    laws: Laws {
        bounds: |measure| {
            let steps = Bounds::Steps { weight: Weight::Precision, cut: false };
            literal(measure).unwrap_or(steps)
        },
        ties,
        running: Some(|_, case| Box::new(Preferences::new(case, per_judged_rank))),
        ..Laws::UNKNOWN
    },
    score: |measure, case| preferences(measure, case, per_judged_rank),
    peers: &[Peer::new("NTCIREVAL", "rpref_relative2")],
    examples: &[Example {
        measure: "rpref_relative2",
        judgments: "a=1 b=3 c=0 d=2",
        list: "c a b x d",
        value: 37.0 / 72.0,
        working: "penalties as for rpref_N, judged ranks 2, 3 and 4: (1 (1 - 1/2) + 3 (1 - 5/9) + 2 (1 - 3/8)) / 6",
    }],
};

/// What the class of a gain is worth under `partitions`; else the gain itself.
fn class(measure: &Measure, gain: f64, top_gain: f64) -> f64 {
    let Some(partitions) = measure.given(PARTITIONS) else { return gain };
    let relevance = gain / measure.given(TOP_GAIN).unwrap_or(top_gain);
    // The product may be rounded across a border; the borders decide.
    let mut class = (relevance * partitions).floor().clamp(0.0, partitions - 1.0);
    if class + 1.0 < partitions && relevance >= (class + 1.0) / partitions {
        class += 1.0;
    } else if relevance < class / partitions {
        class -= 1.0;
    }
    class / (partitions - 1.0)
}

/// Refuses classes whose borders would differ from topic to topic.
fn class_needs_top(measure: &Measure) -> Result<(), String> {
    if measure.given(PARTITIONS).is_some() && measure.is(TOP_GAIN, "topic") {
        return Err(
            "needs one highest gain for its partitions: the collection's, or a number".into()
        );
    }
    Ok(())
}

/// The literal reading has no known bounds.
fn literal(measure: &Measure) -> Option<Bounds> {
    let literal = measure.is(UNRETRIEVED, "literal");
    literal.then_some(Bounds::Refused("no exact method is known for the literal reading"))
}

/// Penalties are linear in the shares of the grades above. A cutoff on the full
/// list makes them depend on ranks too.
fn ties(measure: &Measure) -> Ties {
    if literal(measure).is_some() || (measure.cutoff.is_some() && !measure.prime) {
        return Ties::UNKNOWN;
    }
    Ties::sorted(Mean::Shares { judged: true })
}

/// A penalty is a sum over pairs, unless the first document is left out.
fn ties_by_pairs(measure: &Measure) -> Ties {
    let pairs = measure.cutoff.is_none() && first_share(measure) == 0.0;
    Ties { mean: pairs.then_some(Mean::Reversal), ..ties(measure) }
}

/// The share that leaves the first judged document out, or counts it in full.
fn first_share(measure: &Measure) -> f64 {
    if measure.flag(SKIP_FIRST) { 1.0 } else { 0.0 }
}

/// (1/cg*) sum of g (1 - share), where the share follows from the penalty and
/// the number of judged documents above.
fn preferences(measure: &Measure, case: &Case, share: impl Fn(f64, u32) -> f64) -> f64 {
    let mut sum = Preferences::new(case, share);
    let found = case.relevant(measure.depth());
    let literal = measure.is(UNRETRIEVED, "literal");
    if let Some(gain) = one_gain(case, found)
        && !literal
    {
        return of_one_gain(gain, found, &sum.share) / sum.divisor();
    }
    let mut total = 0.0;
    for document in found {
        total += sum.term(document);
        sum.pass(document);
    }
    if literal {
        let above = case.judged(measure.depth()).count() as u32;
        let nonrelevant = above - found.len() as u32;
        let mut missing = vec![0; case.gains.len()];
        for &GradeCount { grade_index, count } in case.topic.counts() {
            missing[grade_index as usize] = count;
        }
        for document in found {
            missing[document.grade_index as usize] -= 1;
        }
        for (grade_index, &count) in missing.iter().enumerate() {
            if count > 0 && case.is_relevant(grade_index) {
                let gain = case.gains[grade_index];
                total += f64::from(count) * sum.preference(gain, nonrelevant, above);
            }
        }
    }
    total / sum.divisor()
}

/// The preferences of relevant documents: what is left of their gains.
struct Preferences<'a, S> {
    case: &'a Case<'a>,
    share: S,
    seen: Seen,
}

impl<'a, S: Fn(f64, u32) -> f64> Preferences<'a, S> {
    fn new(case: &'a Case<'a>, share: S) -> Self {
        Preferences { case, share, seen: Seen::default() }
    }

    /// Of a gain below so many documents without gain, and so many in all.
    fn preference(&self, gain: f64, nonrelevant: u32, above: u32) -> f64 {
        gain * (1.0 - (self.share)(self.seen.penalty(gain, nonrelevant), above))
    }
}

impl<S: Fn(f64, u32) -> f64> RunningSum for Preferences<'_, S> {
    fn term(&self, document: &Relevant) -> f64 {
        let above = document.seen - 1 + document.nonrelevant;
        self.preference(self.case.gain(document), document.nonrelevant, above)
    }

    fn pass(&mut self, document: &Relevant) {
        self.seen.without_gain(document.nonrelevant);
        self.seen.add(self.case.gain(document));
    }

    fn divisor(&self) -> f64 {
        self.case.ideal().cumulated(u32::MAX)
    }
}

/// The same sum where all documents have one gain: only documents without gain are below it.
// By itself, or there would be no register left for the sum.
#[inline(never)]
fn of_one_gain(gain: f64, found: &[Relevant], share: impl Fn(f64, u32) -> f64) -> f64 {
    let mut sum = 0.0;
    for document in found {
        let above = f64::from(document.nonrelevant);
        let penalty = if gain == 1.0 { above } else { above * gain / gain };
        sum += gain * (1.0 - share(penalty, document.seen - 1 + document.nonrelevant));
    }
    sum
}

/// The gain of all documents of a list, if they have the same.
fn one_gain(case: &Case, found: &[Relevant]) -> Option<f64> {
    let grade_index = found.first()?.grade_index;
    let same = found.iter().all(|document| document.grade_index == grade_index);
    same.then(|| case.gains[grade_index as usize])
}

/// How many documents of each gain stand above, in the order in which these came: gains are few.
#[derive(Default)]
struct Seen(Vec<(f64, u32)>);

impl Seen {
    fn add(&mut self, gain: f64) {
        match self.0.iter_mut().find(|(other, _)| *other == gain) {
            Some((_, count)) => *count += 1,
            None => self.0.push((gain, 1)),
        }
    }

    /// This many in all have no gain.
    fn without_gain(&mut self, number: u32) {
        match self.0.iter_mut().find(|(other, _)| *other == 0.0) {
            Some((_, count)) => *count = number,
            None if number > 0 => self.0.push((0.0, number)),
            None => {}
        }
    }

    /// That of a gain below so many documents without gain in all.
    fn penalty(&self, gain: f64, nonrelevant: u32) -> f64 {
        let (mut penalty, mut counted) = (0.0, false);
        let mut add = |other: f64, count: u32| penalty += f64::from(count) * (gain - other) / gain;
        for &(other, count) in self.0.iter().filter(|(other, _)| *other < gain) {
            counted |= other == 0.0;
            add(other, if other == 0.0 { nonrelevant } else { count });
        }
        if !counted && nonrelevant > 0 {
            add(0.0, nonrelevant);
        }
        penalty
    }
}

/// The share of the documents above, or that of the first.
fn per_document_above(measure: &Measure) -> impl Fn(f64, u32) -> f64 + use<> {
    let first = first_share(measure);
    move |penalty, above| if above == 0 { first } else { penalty / f64::from(above) }
}

/// The share of the judged rank.
fn per_judged_rank(penalty: f64, above: u32) -> f64 {
    penalty / f64::from(above + 1)
}
