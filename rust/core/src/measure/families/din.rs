//! Measures over the global gain, where intents are of two kinds.

use crate::measure::declare::*;

pub static FORM: Family = Family {
    about: About {
        name: "DIN-",
        aliases: &[],
        group: "forms",
        summary: "D-, where a navigational intent is served by one document.",
        prose: "A document gains nothing for a navigational intent that a document above it has served; for informational intents it gains as in D-. The best list is that of D-. The judgments say which intents are navigational (Qrels.with_navigational); if they do not, it is D-. DIN#-X includes the recall of intents, as D#-X does.",
        formula: "DIN-X = X of the gains G(d) = sum over informational intents i of P(i) g_i(d) + sum over navigational intents j that nothing above d serves of P(j) g_j(d), with the best list of D-X",
        citation: "Sakai (2012), Evaluation with informational and navigational intents, WWW",
        range: "[0, 1]",
        better: |_| Better::Neither,
    },
    takes: Takes::NONE,
    sees: Sees { over: Over::Typed, ..Sees::GRADES },
    laws: Laws::UNKNOWN,
    // The measure behind the prefix has the fold.
    score: |_, _| f64::NAN,
    peers: &[
        Peer::new("NTCIREVAL", "DIN-NTCIR-eval")
            .but("its MSnDCG is DIN-nDCG, its nDCG DIN-nDCG(dcg=\"jk\") here; RBP and ERR take the topic's highest global gain, here the collection's; it rounds gains to four decimals"),
        Peer::new("NTCIREVAL", "DIN#-nDCG@0010").but("rounds gains to four decimals"),
        Peer::new("NTCIREVAL", "DIN#-Q@0010").but("rounds gains to four decimals"),
    ],
    examples: &[
        Example {
            measure: "DIN-CG@2",
            judgments: "a=2;intent1=1;nav2=2 b=2;intent1=1;nav2=2",
            list: "a b",
            value: 2.0,
            working: "a: (1 + 2) / 2; nav2 is navigational and served, so b: 1/2",
        },
        Example {
            measure: "DIN#-AP@2",
            judgments: "a=2;intent1=0;nav2=2 b=2;intent1=0;nav2=2 c=1;intent1=1;nav2=0",
            list: "a b",
            value: 0.5 * 0.5 + 0.5 * (1.0 / 3.0),
            working: "nothing is left for b: AP = (1/1) / 3; half of it, and half of StRecall, which is 1/2",
        },
    ],
};
