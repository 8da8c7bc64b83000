//! P+Q: intents of two kinds.

use super::{p_measure, q};
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "P+Q",
        aliases: &["PplusQ", "P_Q"],
        group: "diversity",
        summary: "The mean over intents of Q for informational intents and of PPlus for navigational ones.",
        prose: "A user with an informational intent wants all that there is, one with a navigational intent stops at the first good document. The probabilities of the intents are their weights, or the same for all. An intent without a relevant document adds nothing, and neither does one without any document; their probabilities still count in the sum. P+Q# also counts the proportion of the intents that the ranking serves, by gamma=0.5.",
        formula: "P+Q@k = sum over intents i of P(i) [Q@k under i if i is informational, PPlus@k under i if it is navigational]",
        citation: "Sakai (2012), Evaluation with informational and navigational intents, WWW",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { params: &[q::BETA], cutoff: Cutoff::Optional, ..Takes::NONE },
    sees: Sees { needs: Needs::Intents, over: Over::Intents, ..Sees::GAINS },
    laws: Laws::UNKNOWN,
    score: |measure, case| {
        let family = if case.navigational { &p_measure::P_PLUS } else { &q::FAMILY };
        (family.score)(measure, case)
    },
    peers: &[
        Peer::new("NTCIREVAL", "PplusQ@0010")
            .but("probabilities are taken as they are, even where they do not add up to 1"),
        Peer::new("NTCIREVAL", "PplusQ#@0010")
            .is("P+Q#@10")
            .but("probabilities are taken as they are, even where they do not add up to 1"),
    ],
    examples: &[
        Example {
            measure: "P+Q@3",
            judgments: "a=1;intent1=1;nav2=0 b=2;intent1=1;nav2=2 c=0;intent1=0;nav2=0",
            list: "a c b",
            value: 0.75,
            working: "intent1: Q = ((1 + 1) / (1 + 1) + (2 + 2) / (2 + 3)) / 2; nav2, navigational: b at rank 3: (2 + 1) / (2 + 3); the mean of both",
        },
        Example {
            measure: "P+Q#@1",
            judgments: "a=1;intent1=1;nav2=0 b=2;intent1=1;nav2=2 c=0;intent1=0;nav2=0",
            list: "a c b",
            value: 0.5 * 0.5 + 0.5 * 0.5,
            working: "half of StRecall, which is 1/2, and half of the mean of Q = 1 and PPlus = 0",
        },
    ],
};
