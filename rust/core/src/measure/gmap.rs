//! Average precision under a geometric mean.

use super::{Aggregate, Example, Family};

pub static FAMILY: Family = Family {
    name: "GMAP",
    aliases: &["gm_map"],
    group: "binary ranks",
    summary: "Average precision whose summary over topics is the geometric mean.",
    prose: "The value of a topic is AP. The summary takes each value as at least 1e-5, so that a topic on which nothing was found weighs much but does not make the whole 0; the arithmetic mean of GMAP is that of AP.",
    formula: "GMAP = exp of the mean over topics of ln max(AP, 1e-5)",
    citation: "Robertson (2006), On GMAP: and other transformations, CIKM",
    aggregate: Aggregate::Geometric,
    score: |measure, case| (super::ap::FAMILY.score)(measure, case),
    examples: &[Example {
        measure: "GMAP",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 0.5,
        working: "as AP: (1/1 + 2/4) / 3",
    }],
    ..Family::BASE
};
