//! Measures over the global gain.

use crate::measure::declare::*;

pub static FORM: Family = Family {
    about: About {
        name: "D-",
        aliases: &[],
        group: "forms",
        summary: "A measure of what documents gain under all intents of a topic together, so that one list serves all of them.",
        prose: "A document gains what it gains under each intent, weighted by the intent's probability. The probabilities are the weights of the intents, including intents without a document, or the same for all. A document with a global gain is relevant. D#-X also counts the share of the intents that the first k documents serve (StRecall), with the weight gamma, 0.5 by default. gain= and dcg=\"exp-log2\" apply to the grades under each intent; rel= is the lowest grade that gains. D_X is read as D-X.",
        formula: "D-X = X of the global gains G(d) = sum over intents i of P(i) g_i(d); D#-X@k = gamma StRecall@k + (1 - gamma) D-X@k",
        citation: "Sakai and Song (2011), Evaluating diversified search results using per-intent graded relevance, SIGIR",
        range: "[0, 1]",
        better: |_| Better::Neither,
    },
    takes: Takes::NONE,
    sees: Sees { over: Over::Global, ..Sees::GRADES },
    laws: Laws::UNKNOWN,
    // The measure behind the prefix has the fold.
    score: |_, _| f64::NAN,
    peers: &[
        Peer::new("NTCIREVAL", "D-NTCIR-eval")
            .but("its MSnDCG is D-nDCG, its nDCG D-nDCG(dcg=\"jk\") here; RBP and ERR take the topic's highest global gain, here the collection's; probabilities are taken as they are, even where they do not add up to 1"),
        Peer::new("NTCIREVAL", "D#-nDCG@0010"),
        Peer::new("NTCIREVAL", "D#-Q@0010"),
    ],
    examples: &[
        Example {
            measure: "D-nDCG@2",
            judgments: "a=1;intent1=1;intent2=0 b=2;intent1=1;intent2=2 c=0;intent1=0;intent2=0",
            list: "a c b",
            value: 0.5 / (1.5 + 0.5 / 1.584_962_500_721_156),
            working: "G = 1/2, 3/2: (1/2) / (3/2 + (1/2) / log2(3))",
        },
        Example {
            measure: "D#-nDCG@2",
            judgments: "a=1;intent1=1;intent2=0 b=2;intent1=1;intent2=2 c=0;intent1=0;intent2=0",
            list: "a c b",
            value: 0.25 + 0.25 / (1.5 + 0.5 / 1.584_962_500_721_156),
            working: "half of StRecall, which is 1/2, and half of the value above",
        },
        Example {
            measure: "D-Q@3",
            judgments: "a=1;intent1=1;intent2=0 b=2;intent1=1;intent2=2 c=0;intent1=0;intent2=0",
            list: "a c b",
            value: 0.7,
            working: "G = 1/2, 3/2: ((1/2 + 1) / (3/2 + 1) + (2 + 2) / (2 + 3)) / 2",
        },
    ],
};
