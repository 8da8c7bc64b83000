//! What other families can be computed over, described as a family is; the names stand before
//! theirs, and the measure behind the name has the fold.

use crate::measure::declare::*;

/// Every form, in the order of the reference.
pub static FORMS: &[&Family] = &[&EC, &D, &DIN, &IA];

static EC: Family = Family {
    about: About {
        name: "EC-",
        aliases: &[],
        group: "forms",
        summary: "A measure for which documents of one class are equivalent, so that only the first one in a ranking counts.",
        prose: "Examples are answers to a question, copies of a page, and pages of one site: a user who has seen one has seen all. The first relevant document of a class counts with its own grade; the others are judged and not relevant. The topic has as many relevant documents as it has classes with one, and the best ranking holds the document of each class that gains most. Documents that are not relevant belong to no class. The classes are the column \"class\" of the judgments, as numbers; a document without one is a class of its own. Every measure that reads only grades can follow the prefix.",
        formula: "EC-X = X of the ranking and the judgments in which only the first relevant document of each class keeps its gain",
        citation: "Sakai (2007), On the reliability of factoid question answering evaluation, TALIP; NTCIREVAL, option -ec",
        range: "[0, 1]",
        better: |_| Better::Neither,
    },
    takes: Takes::NONE,
    sees: Sees { over: Over::Classes, ..Sees::GRADES },
    laws: Laws::UNKNOWN,
    score: |_, _| f64::NAN,
    peers: &[Peer::new("NTCIREVAL", "compute -ec").but(
        "a class that a document of level 0 belongs to is used up by it; with -j it is refused",
    )],
    examples: &[
        Example {
            measure: "EC-Q",
            judgments: "a=3;class=1 b=1;class=1 c=2;class=2 d=0;class=3",
            list: "b a c",
            value: 9.0 / 16.0,
            working: "two classes, best gains 3 and 2; b: (1 + 1) / (3 + 1), a says nothing new, c: (3 + 2) / (5 + 3); the mean of 1/2 and 5/8",
        },
        Example {
            measure: "EC-AP",
            judgments: "a=3;class=1 b=1;class=1 c=2;class=2 d=0;class=3",
            list: "b a c",
            value: 5.0 / 6.0,
            working: "R = 2: (1/1 + 2/3) / 2",
        },
        Example {
            measure: "EC-AllRecall@3",
            judgments: "a=1;class=1 b=1;class=1 c=1;class=2",
            list: "x b c",
            value: 1.0,
            working: "b stands for a or b, and c is there: both classes have a document",
        },
    ],
};

static D: Family = Family {
    about: About {
        name: "D-",
        aliases: &[],
        group: "forms",
        summary: "A measure of what documents gain under all intents of a topic together, so that one ranking serves all of them.",
        prose: "A document gains what it gains under each intent, weighted by the intent's probability. The probabilities are the weights of the intents, including intents without a document, or the same for all. A document with a global gain is relevant. D#-X also counts the proportion of the intents that the first k documents serve (StRecall), with the weight gamma, 0.5 by default. gain= and dcg=\"exp-log2\" apply to the grades under each intent; rel= is the lowest grade that gains. D_X is read as D-X.",
        formula: "D-X = X of the global gains G(d) = sum over intents i of P(i) g_i(d); D#-X@k = gamma StRecall@k + (1 - gamma) D-X@k",
        citation: "Sakai and Song (2011), Evaluating diversified search results using per-intent graded relevance, SIGIR",
        range: "[0, 1]",
        better: |_| Better::Neither,
    },
    takes: Takes::NONE,
    sees: Sees { over: Over::Global, ..Sees::GRADES },
    laws: Laws::UNKNOWN,
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

static DIN: Family = Family {
    about: About {
        name: "DIN-",
        aliases: &[],
        group: "forms",
        summary: "D-, where a navigational intent is served by one document.",
        prose: "A document gains nothing for a navigational intent that a document above it has served; for informational intents it gains as in D-. The best ranking is that of D-. The judgments say which intents are navigational (Qrels.with_navigational); if they do not, it is D-. DIN#-X includes the recall of intents, as D#-X does.",
        formula: "DIN-X = X of the gains G(d) = sum over informational intents i of P(i) g_i(d) + sum over navigational intents j that nothing above d serves of P(j) g_j(d), with the best ranking of D-X",
        citation: "Sakai (2012), Evaluation with informational and navigational intents, WWW",
        range: "[0, 1]",
        better: |_| Better::Neither,
    },
    takes: Takes::NONE,
    sees: Sees { over: Over::Typed, ..Sees::GRADES },
    laws: Laws::UNKNOWN,
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

static IA: Family = Family {
    about: About {
        name: "IA-",
        aliases: &[],
        group: "forms",
        summary: "The mean over the intents of a topic of a measure under each, weighted by the probability of the intent.",
        prose: "For each intent the documents have their grades under it, and a best ranking of its own. The probabilities are the weights of the intents, or the same for all. A document that was judged under other intents only is not relevant; an intent without a relevant document adds nothing, and neither does one without any document; their probabilities still count in the sum. IA#-X includes the recall of intents, as D#-X does. X-IA is read as IA-X unless a measure has that name: AP_IA, P_IA, ERR_IA and nERR_IA are those of ndeval, which leaves out intents without a relevant document and measures novelty in the last two.",
        formula: "IA-X = sum over intents i of P(i) X_i, where X_i is X of the ranking under the grades of i",
        citation: "Agrawal, Gollapudi, Halverson and Ieong (2009), Diversifying search results, WSDM; Sakai and Song (2011), Evaluating diversified search results using per-intent graded relevance, SIGIR",
        range: "[0, 1]",
        better: |_| Better::Neither,
    },
    takes: Takes::NONE,
    sees: Sees { over: Over::Intents, ..Sees::GRADES },
    laws: Laws::UNKNOWN,
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
