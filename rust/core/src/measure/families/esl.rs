//! Expected search length.

use crate::measure::declare::*;

const WANTED: Param =
    Param::new("wanted", Range::Count, "how many relevant documents the user wants")
        .or(Default::Printed(1.0));

pub static FAMILY: Family = Family {
    about: About {
        name: "ESL",
        aliases: &["expected_search_length"],
        group: "user models",
        summary: "The number of nonrelevant documents that a user reads before finding the wanted number of relevant ones; lower is better.",
        prose: "A user who has not found enough at the end of the ranking goes on with the rest of the collection in a random order, so the measure needs the number of documents in the collection. A topic with fewer relevant documents than wanted has all of them found. Unjudged documents are not relevant.",
        formula: "ESL = r - w at the rank r of the w-th relevant document, w = min(wanted, R); if the ranking has only c(n) < w of them, n - c(n) + (w - c(n)) (C - n - (R - c(n))) / (R - c(n) + 1), where C documents are in the collection",
        citation: "Cooper (1968), Expected search length: a single measure of retrieval effectiveness based on the weak ordering action of retrieval systems, American Documentation",
        range: "[0, inf)",
        better: |_| Better::Lower,
    },
    takes: Takes { params: &[WANTED], ..Takes::NONE },
    sees: Sees { collection: |_| true, ..Sees::GRADES },
    laws: Laws {
        bounds: |_| Bounds::Refused("R and the documents not relevant enter it together"),
        ties: |measure| {
            let first = measure.get(WANTED) == 1.0;
            Ties { mean: first.then_some(Mean::First), ..Ties::SORTED }
        },
        ..Laws::UNKNOWN
    },
    score: |measure, case| {
        let num_rel = case.num_rel();
        let wanted = measure.get(WANTED).min(num_rel);
        let found = case.relevant(u32::MAX);
        if let Some(document) = found.get((wanted as usize).wrapping_sub(1)) {
            return f64::from(document.rank) - wanted;
        }
        let (retrieved, found) = (f64::from(case.retrieved()), found.len() as f64);
        let missing = num_rel - found;
        let others = case.docs_in_collection.unwrap_or(0) as f64 - retrieved - missing;
        retrieved - found + (wanted - found) * others / (missing + 1.0)
    },
    peers: &[],
    examples: &[
        Example {
            measure: "ESL(wanted=2)",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 2.0,
            working: "c at rank 4 is the second: x and b",
        },
        Example {
            measure: "ESL(wanted=3)",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 50.0,
            working: "x, b and d, and half of the other 94 of the collection's 100: 3 + 1 (100 - 5 - 1) / 2",
        },
    ],
};
