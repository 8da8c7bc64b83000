//! Generalized precision: documents of which a part was read count by how well it was chosen.

use super::{ap, p};
use crate::measure::declare::*;
use crate::measure::param::FIT;

const BETA: Param =
    Param::new("beta", Range::Positive, "how many times recall counts more than precision")
        .or(Default::Number(0.25));

pub static FAMILY: Family = Family {
    about: About {
        name: "gP",
        aliases: &["generalized_precision"],
        group: "text",
        summary: "The mean over the first k documents of the F of what was read of each.",
        prose: "Documents are in the order of their first chunks. What was read of a document are the characters of all its chunks in the list, each once; precision and recall are those of its characters, and recall counts a quarter as much. A document without evidence scores 0. Judgments of whole documents have documents that are relevant as a whole or not, so there it is P@k.",
        formula: "gP@k = (1/k) sum over the first k documents of (1 + beta^2) P R / (beta^2 P + R), P and R of the characters of each",
        citation: "Kamps, Pehcevski, Kazai, Lalmas and Robertson (2008), INEX 2007 evaluation measures, INEX",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { params: &[BETA], cutoff: Cutoff::Required, ..Takes::NONE },
    sees: Sees { reach: Measure::depth, ..Sees::GRADES },
    laws: Laws::UNKNOWN,
    score: |measure, case| (p::FAMILY.score)(measure, case),
    peers: &[],
    examples: &[Example {
        measure: "gP@3",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 1.0 / 3.0,
        working: "whole documents, one of three is relevant: 1/3",
    }],
};

pub static AGP: Family = Family {
    about: About {
        name: "AgP",
        aliases: &["average_generalized_precision"],
        group: "text",
        summary: "The mean over documents with evidence of the generalized precision where each is first met.",
        prose: "A document with evidence that was not met counts 0. Its mean over topics is the official measure of INEX's Relevant in Context task, MAgP. Judgments of whole documents have documents that are relevant as a whole or not, so there it is AP. Cut by a budget, it is that of the list that the budget affords.",
        formula: "AgP = (1/R) sum over ranks r of documents with evidence of gP@r",
        citation: "Kamps, Pehcevski, Kazai, Lalmas and Robertson (2008), INEX 2007 evaluation measures, INEX",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes {
        params: &[BETA, FIT],
        cutoff: Cutoff::None,
        budget: Budgets::Taken,

        ..Takes::NONE
    },
    sees: Sees::GRADES,
    laws: Laws::UNKNOWN,
    score: |measure, case| (ap::FAMILY.score)(measure, case),
    peers: &[],
    examples: &[Example {
        measure: "AgP",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 0.5,
        working: "whole documents, as AP: (1/1 + 2/4) / 3",
    }],
};
