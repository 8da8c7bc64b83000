//! Q-measure.

use crate::ideal::Ideal;
use crate::measure::declare::*;
use crate::trace::Relevant;

/// How much gain counts in the blended ratio.
pub(super) const BETA: Param =
    Param::new("beta", Range::UpToInfinity, "how much gain counts relative to rank")
        .or(Default::Number(1.0));

pub static FAMILY: Family = Family {
    about: About {
        name: "Q",
        aliases: &["Q_measure", "Qmeasure"],
        group: "blended",
        summary: "Average precision whose precision is blended with cumulated gain.",
        prose: "The blended ratio rewards a relevant document for its gain and for its rank; a large beta makes it forgive low ranks. With beta=0 it is AP; with beta=inf the ratio is its limit cg(r) / cg*(r), and Q is average weighted precision. With a cutoff the divisor is min(k, R). On the condensed list it is Q'.",
        formula: "Q = (1/min(k, R)) sum over relevant documents at ranks r <= k of (beta cg(r) + c(r)) / (beta cg*(r) + r), where cg* is the cumulated gain of the ideal ranking",
        citation: "Sakai (2004), New performance metrics based on multigrade relevance; Sakai (2007), Alternatives to bpref, SIGIR, equation 21",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes {
        params: &[BETA],
        cutoff: Cutoff::Optional,
        budget: Budgets::Instead("AP"),
        ..Takes::NONE
    },
    sees: Sees { reach: Measure::depth, ..Sees::GAINS },
    laws: Laws {
        bounds: |_| Bounds::SortedIfBinary,
        falls: |_, _| Some(Falls::Power(2)),
        ties: |_| Ties::sorted(Mean::Shares { judged: false }),
        running: Some(|measure, case| Box::new(Blended::new(measure, case))),
        ..Laws::UNKNOWN
    },
    score: |measure, case| {
        running::value(Blended::new(measure, case), case.relevant(measure.depth()))
    },
    peers: &[
        Peer::new("NTCIREVAL", "Q-measure"),
        Peer::new("NTCIREVAL", "Q@0010"),
        Peer::new("pyNTCIREVAL", "QMeasure"),
        Peer::new("pyNTCIREVAL", "QMeasure@0010"),
    ],
    examples: &[
        Example {
            measure: "Q",
            judgments: "a=1 b=3 c=0 d=2",
            list: "a c b x d",
            value: 131.0 / 198.0,
            working: "(2/4 + 6/9 + 9/11) / 3",
        },
        Example {
            measure: "Q(beta=0)'",
            judgments: "a=1 b=3 c=0 d=2",
            list: "a b c d",
            value: 11.0 / 12.0,
            working: "as AP': nothing in a b c d is unjudged: (1/1 + 2/2 + 3/4) / 3",
        },
        Example {
            measure: "Q(beta=inf)",
            judgments: "a=1 b=3 c=0 d=2",
            list: "a c b x d",
            value: 2.0 / 3.0,
            working: "gains over those of the ideal ranking b d a: (1/3 + 4/6 + 6/6) / 3",
        },
    ],
};

/// The blended ratios at the ranks of relevant documents: precision and cumulated gain over that
/// of the ideal list.
pub(super) struct Blended<'a> {
    case: &'a Case<'a>,
    ideal: &'a Ideal,
    beta: f64,
    gained: f64,
    divisor: f64,
}

impl<'a> Blended<'a> {
    pub(super) fn new(measure: &Measure, case: &'a Case) -> Self {
        let beta = measure.get(BETA);
        let divisor = f64::from(measure.depth().min(case.view.num_rel));
        Blended { case, ideal: case.ideal(), beta, gained: 0.0, divisor }
    }
}

impl RunningSum for Blended<'_> {
    fn term(&self, document: &Relevant) -> f64 {
        let rank = f64::from(document.rank);
        let gained = self.gained + self.case.gain(document);
        let (seen, ideal) = (f64::from(document.seen), self.ideal.cumulated(document.rank));
        let best = self.beta * ideal + rank;
        if best.is_finite() {
            (self.beta * gained + seen) / best
        } else {
            (gained + seen / self.beta) / (ideal + rank / self.beta)
        }
    }

    fn pass(&mut self, document: &Relevant) {
        self.gained += self.case.gain(document);
    }

    fn divisor(&self) -> f64 {
        self.divisor
    }
}

/// The relevant documents among the first k, each with the blended ratio at its rank.
pub(super) fn blended_ratios<'a>(
    measure: &Measure,
    case: &'a Case,
) -> impl Iterator<Item = (&'a Relevant, f64)> {
    let mut blended = Blended::new(measure, case);
    case.relevant(measure.depth()).iter().map(move |document| {
        let ratio = blended.term(document);
        blended.pass(document);
        (document, ratio)
    })
}
