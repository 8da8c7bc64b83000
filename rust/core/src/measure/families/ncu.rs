//! Normalised cumulative utility.

use super::q::{self, Blended};
use crate::measure::declare::*;
use crate::trace::Relevant;

const GAMMA: Param = Param::new(
    "gamma",
    Range::Below1,
    "for \"rb\": how likely the next relevant document is, relative to this one",
)
.or(Default::Number(0.95));

const STOP: Param =
    Param::new("stop", Range::Words(&["gu", "rb"]), "where users stop").or(Default::Text("gu"));

const WORTH: Param =
    Param::new("x", Range::Words(&["BR", "P"]), "what stopping at a rank is worth")
        .or(Default::Text("BR"));

pub static FAMILY: Family = Family {
    about: About {
        name: "NCU",
        aliases: &["normalised_cumulative_utility"],
        group: "blended",
        summary: "The expected precision or blended ratio at the rank where a user stops.",
        prose: "Users stop at relevant documents. With stop=\"gu\" (graded-uniform) the probability of a relevant document is its proportion of the gain of all relevant documents, with \"rb\" (rank-biased) it falls by gamma from one relevant document of the ranking to the next. What stopping is worth is x: \"BR\", the blended ratio, or \"P\", precision. With all gains equal, \"gu\" and \"P\" it is AP; so are Q with \"BR\" and its relatives. With beta=inf the blended ratio is its limit cg(r) / cg*(r).",
        formula: "NCU = sum over relevant documents at ranks r <= k of Pr(r) x(r); gu: Pr(r) = g(r) / sum of all gains of the topic; rb: Pr(r) = gamma^(c(r) - 1) / sum over i = 1 ... R of gamma^(i - 1)",
        citation: "Sakai and Robertson (2008), Modelling a user population for designing information retrieval metrics, EVIA",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes {
        params: &[STOP, WORTH, GAMMA, q::BETA],
        cutoff: Cutoff::Optional,
        ..Takes::NONE
    },
    sees: Sees::GAINS,
    laws: Laws {
        ties: |measure| Ties {
            mean: measure.is(STOP, "gu").then_some(Mean::Shares { judged: false }),
            extremes: None,
        },
        running: Some(|measure, case| Box::new(Stopping::new(measure, case))),
        ..Laws::UNKNOWN
    },
    score: |measure, case| {
        running::value(Stopping::new(measure, case), case.relevant(measure.depth()))
    },
    peers: &[
        Peer::new("NTCIREVAL", "NCUgu,BR"),
        Peer::new("NTCIREVAL", "NCUgu,P").is("NCU(x=\"P\")"),
        Peer::new("NTCIREVAL", "NCUrb,BR").is("NCU(stop=\"rb\")"),
        Peer::new("NTCIREVAL", "NCUrb,P").is("NCU(stop=\"rb\",x=\"P\")"),
        Peer::new("pyNTCIREVAL", "NCUguBR"),
        Peer::new("pyNTCIREVAL", "NCUguP").is("NCU(x=\"P\")"),
        Peer::new("pyNTCIREVAL", "NCUrbBR").is("NCU(stop=\"rb\")"),
        Peer::new("pyNTCIREVAL", "NCUrbP").is("NCU(stop=\"rb\",x=\"P\")"),
    ],
    examples: &[
        Example {
            measure: "NCU",
            judgments: "a=1 b=3 c=0 d=2",
            list: "a c b x d",
            value: (0.5 + 3.0 * (6.0 / 9.0) + 2.0 * (9.0 / 11.0)) / 6.0,
            working: "(1 (2/4) + 3 (6/9) + 2 (9/11)) / 6",
        },
        Example {
            measure: "NCU(stop=\"rb\",x=\"P\",gamma=0.5)",
            judgments: "a=1 b=3 c=0 d=2",
            list: "a c b x d",
            value: (1.0 + 0.5 * (2.0 / 3.0) + 0.25 * 0.6) / 1.75,
            working: "(1 (1/1) + .5 (2/3) + .25 (3/5)) / (1 + .5 + .25)",
        },
    ],
};

/// What stopping is worth at the ranks of relevant documents, by how likely it is.
struct Stopping<'a> {
    case: &'a Case<'a>,
    blended: Blended<'a>,
    precision: bool,
    rank_biased: bool,
    gamma: f64,
    /// gamma^(c(r) - 1) at the next relevant document.
    stop: f64,
}

impl<'a> Stopping<'a> {
    fn new(measure: &Measure, case: &'a Case) -> Self {
        Stopping {
            case,
            blended: Blended::new(measure, case),
            precision: measure.is(WORTH, "P"),
            rank_biased: measure.is(STOP, "rb"),
            gamma: measure.get(GAMMA),
            stop: 1.0,
        }
    }
}

impl RunningSum for Stopping<'_> {
    fn term(&self, document: &Relevant) -> f64 {
        let weight = if self.rank_biased { self.stop } else { self.case.gain(document) };
        weight
            * if self.precision {
                f64::from(document.seen) / f64::from(document.rank)
            } else {
                self.blended.term(document)
            }
    }

    fn pass(&mut self, document: &Relevant) {
        self.blended.pass(document);
        self.stop *= self.gamma;
    }

    fn divisor(&self) -> f64 {
        if self.rank_biased {
            (1.0 - self.gamma.powi(self.case.view.num_rel as i32)) / (1.0 - self.gamma)
        } else {
            self.case.ideal().cumulated(u32::MAX)
        }
    }
}
