//! Measures over intents: the mean.

use crate::measure::declare::*;

pub static FORM: Family = Family {
    about: About {
        name: "IA-",
        aliases: &[],
        group: "forms",
        summary: "The mean over the intents of a topic of a measure under each, weighted by the probability of the intent.",
        prose: "For each intent the documents have their grades under it, and a best list of its own. The probabilities are the weights of the intents, or the same for all. A document that was judged under other intents only is not relevant; an intent without a relevant document adds nothing, and neither does one without any document; their probabilities still count in the sum. IA#-X includes the recall of intents, as D#-X does. X-IA is read as IA-X unless a measure has that name: AP_IA, P_IA, ERR_IA and nERR_IA are those of ndeval, which leaves out intents without a relevant document and measures novelty in the last two.",
        formula: "IA-X = sum over intents i of P(i) X_i, where X_i is X of the list under the grades of i",
        citation: "Agrawal, Gollapudi, Halverson and Ieong (2009), Diversifying search results, WSDM; Sakai and Song (2011), Evaluating diversified search results using per-intent graded relevance, SIGIR",
        range: "[0, 1]",
        better: |_| Better::Neither,
    },
    takes: Takes::NONE,
    sees: Sees { over: Over::Intents, ..Sees::GRADES },
    laws: Laws::UNKNOWN,
    // The measure behind the prefix has the fold.
    score: |_, _| f64::NAN,
    peers: &[Peer::new("NTCIREVAL", "IA-MSnDCG@0010")
        .is("IA-nDCG@10")
        .but("RBP and ERR take the highest gain of the intent, here the collection's; probabilities are taken as they are, even where they do not add up to 1")],
    examples: &[
        Example {
            measure: "IA-nDCG@3",
            judgments: "a=1;intent1=1;intent2=0 b=2;intent1=0;intent2=2 c=0;intent1=0;intent2=0",
            list: "a c b",
            value: 0.75,
            working: "intent1: 1; intent2: (2 / log2(4)) / 2",
        },
        Example {
            measure: "IA#-RR@1",
            judgments: "a=1;intent1=1;intent2=0 b=2;intent1=0;intent2=2 c=0;intent1=0;intent2=0",
            list: "a c b",
            value: 0.5,
            working: "half of the mean of 1 and 0, and half of StRecall, which is 1/2",
        },
    ],
};
