//! Graded average precision.

use crate::measure::declare::*;
use crate::trace::Relevant;

const THRESHOLDS: Param = Param::new(
    "thresholds",
    Range::Words(&["proportional", "uniform"]),
    "how likely a user's threshold is",
)
.or(Default::Text("proportional"));

pub static FAMILY: Family = Family {
    about: About {
        name: "GAP",
        aliases: &["graded_AP", "graded average precision"],
        group: "blended",
        summary: "Average precision for users who differ in the grade that satisfies them.",
        prose: "A user has a threshold, and every document of at least that gain is relevant to them. The probability of a threshold is proportional to it by default, as in NTCIREVAL; with \"uniform\" thresholds all steps of gain count alike, and on the condensed list it is then rpref_relative2. With binary judgments it is AP. With a cutoff the ideal ranking is cut too.",
        formula: "GAP = sum over relevant documents at ranks r <= k of (1/r) sum over relevant documents at ranks i <= r of s(min(g(i), g(r))), divided by the sum of s(g) over the first min(k, R) documents of the ideal ranking; s(g) = g (g + 1), or g for uniform thresholds",
        citation: "Robertson, Kanoulas and Yilmaz (2010), Extending average precision to graded relevance judgments, SIGIR",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { params: &[THRESHOLDS], cutoff: Cutoff::Optional, ..Takes::NONE },
    sees: Sees { gain: step_sum, reach: Measure::depth, ..Sees::GAINS },
    laws: Laws {
        bounds: |_| Bounds::Steps { weight: Weight::Precision, cut: true },
        ties: |_| Ties::sorted(Mean::Shares { judged: false }),
        running: Some(|measure, case| Box::new(Satisfied::new(measure, case))),
        ..Laws::UNKNOWN
    },
    score: |measure, case| {
        running::value(Satisfied::new(measure, case), case.relevant(measure.depth()))
    },
    peers: &[Peer::new("NTCIREVAL", "GAP"), Peer::new("NTCIREVAL", "GAP@0010")],
    examples: &[
        Example {
            measure: "GAP",
            judgments: "a=1 b=3 c=0 d=2",
            list: "a c b x d",
            value: (2.0 + 14.0 / 3.0 + 14.0 / 5.0) / 20.0,
            working: "s(1) = 2, s(2) = 6, s(3) = 12: (2/1 + (2 + 12)/3 + (2 + 6 + 6)/5) / (12 + 6 + 2)",
        },
        Example {
            measure: "GAP(thresholds=\"uniform\")'",
            judgments: "a=1 b=3 c=0 d=2",
            list: "c a b x d",
            value: 37.0 / 72.0,
            working: "condensed c a b d: (1/2 + (1 + 3)/3 + (1 + 2 + 2)/4) / 6, as rpref_relative2",
        },
        Example {
            measure: "GAP@1",
            judgments: "a=1 b=3 c=0 d=2",
            list: "a c b x d",
            value: 1.0 / 6.0,
            working: "(2/1) / 12",
        },
    ],
};

/// s(g): what all thresholds up to a gain add up to.
fn step_sum(measure: &Measure, gain: f64, _: f64) -> f64 {
    if measure.is(THRESHOLDS, "uniform") { gain } else { gain * (gain + 1.0) }
}

/// How many users the documents down to a relevant one satisfy, at its rank.
struct Satisfied<'a> {
    case: &'a Case<'a>,
    /// How many documents of each value of s stand above, in the order in which these came:
    /// values are few.
    seen: Vec<(f64, f64)>,
    divisor: f64,
}

impl<'a> Satisfied<'a> {
    fn new(measure: &Measure, case: &'a Case) -> Self {
        let divisor = case.ideal().cumulated(measure.depth());
        Satisfied { case, seen: Vec::new(), divisor }
    }
}

impl RunningSum for Satisfied<'_> {
    fn term(&self, document: &Relevant) -> f64 {
        // s rises with the gain, so min(s, s') is s(min(g, g')).
        let value = self.case.gain(document);
        let (mut satisfied, mut counted) = (0.0, false);
        for &(other, above) in &self.seen {
            let itself = other == value;
            counted |= itself;
            satisfied += (above + f64::from(u8::from(itself))) * other.min(value);
        }
        if !counted {
            satisfied += value;
        }
        satisfied / f64::from(document.rank)
    }

    fn pass(&mut self, document: &Relevant) {
        let value = self.case.gain(document);
        match self.seen.iter_mut().find(|(other, _)| *other == value) {
            Some((_, count)) => *count += 1.0,
            None => self.seen.push((value, 1.0)),
        }
    }

    fn divisor(&self) -> f64 {
        self.divisor
    }
}
