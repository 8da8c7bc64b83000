//! The measure of information foraging theory.

use super::inst;
use crate::measure::declare::*;

const EASE_OF_GOAL: Param =
    Param::new("b1", Range::Positive, "how easily the user leaves who has reached T")
        .or(Default::Number(0.9));
const STRICTNESS_OF_GOAL: Param =
    Param::new("R1", Range::NonNegative, "how strictly the user goes by T")
        .or(Default::Number(10.0));
const EASE_OF_RATE: Param =
    Param::new("b2", Range::Positive, "how easily the user leaves who gains at the rate A")
        .or(Default::Number(0.9));
const STRICTNESS_OF_RATE: Param =
    Param::new("R2", Range::NonNegative, "how strictly the user goes by A")
        .or(Default::Number(10.0));

const GOAL: Param = Param::new("T", Range::Positive, "the gain that the user wants");

const RATE: Param =
    Param::new("A", Range::Positive, "the gain for each unit of cost that the user expects");

pub static FAMILY: Family = Family {
    about: About {
        name: "IFT",
        aliases: &["information foraging theory"],
        group: "user models",
        summary: "The expected gain per document of a user who has a goal, or abandons a ranking that gains too slowly, or both.",
        prose: "With T there is a goal, with A a rate of gain that the user expects; with both the user goes on only if both allow it. The larger R1 and R2 are, the more strictly the user follows them; at 0 the measure is RBP.",
        formula: "IFT = sum over ranks r of W(r) g(r), where W(r) is proportional to prod over i < r of C(i); C = C1, C2 or C1 C2; C1(i) = 1 - 1 / (1 + b1 e^((T - cg(i)) R1)); C2(i) = 1 / (1 + b2 e^((A - cg(i) / cost(i)) R2)), where cost(i) is that of the first i documents",
        citation: "Azzopardi, Thomas and Craswell (2018), Measuring the utility of search engine result pages: an information foraging based measure, SIGIR",
        range: inst::RANGE,
        better: inst::better,
    },
    takes: Takes {
        params: &[
            GOAL,
            EASE_OF_GOAL,
            STRICTNESS_OF_GOAL,
            RATE,
            EASE_OF_RATE,
            STRICTNESS_OF_RATE,
            inst::COST,
            inst::HIGHEST,
            inst::OUT,
            inst::UNJUDGED,
        ],
        check: |measure| match (measure.given(GOAL), measure.given(RATE)) {
            (None, None) => {
                Err("needs a goal, a rate or both, as in IFT(T=2) or IFT(A=0.2)".into())
            }
            _ => inst::ranks_can_be_held(measure),
        },
        ..inst::TAKES
    },
    sees: inst::SEES,
    laws: inst::LAWS,
    score: |measure, case| {
        let (b1, r1) = (measure.get(EASE_OF_GOAL), measure.get(STRICTNESS_OF_GOAL));
        let (b2, r2) = (measure.get(EASE_OF_RATE), measure.get(STRICTNESS_OF_RATE));
        let (goal, rate) = (measure.given(GOAL), measure.given(RATE));
        inst::numbers(measure, case, |reading| {
            let wanting = goal
                .map_or(1.0, |goal| 1.0 - 1.0 / (1.0 + b1 * ((goal - reading.gained) * r1).exp()));
            let content = rate.map_or(1.0, |rate| {
                1.0 / (1.0 + b2 * ((rate - reading.gained / reading.spent) * r2).exp())
            });
            wanting * content
        })
    },
    peers: &[
        Peer::new("cwl_eval", "IFT-C1-T=2.0-b1=0.9-R1=10.0"),
        Peer::new("cwl_eval", "IFT-C2-A=0.2-b2=0.9-R2=10.0").is("IFT(A=0.2)"),
        Peer::new("cwl_eval", "IFT-C1-C2-T=2.0-b1=0.9-R1=10.0-A=0.2-b2=0.9-R2=10.0")
            .is("IFT(T=2,A=0.2)"),
    ],
    examples: &[Example {
        measure: "IFT(T=1,b1=1,R1=1)@2",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a b c",
        value: 2.0 / 3.0,
        working: "C(1) = 1 - 1 / (1 + e^0) = 1/2: W(1) = 1 / 1.5",
    }],
};
