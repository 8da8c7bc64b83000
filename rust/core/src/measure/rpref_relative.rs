//! Graded preference relative to the judged rank.

use super::{
    Default, Example, Family, Param, Range, Value,
    rpref_n::{TOP_GAIN, UNRETRIEVED, preferences},
};

pub static FAMILY: Family = Family {
    name: "rpref_relative",
    aliases: &[],
    group: "preference",
    summary: "rpref whose penalty is divided by the number of judged documents above.",
    prose: "The first judged document has none above and is left out of the sum, which keeps its divisor; skip_first=False counts it in full. With binary gains it is bpref_relative.",
    formula: "rpref_relative = (1/cg*) sum over judged documents at judged ranks r > 1 of g (1 - penalty / (r - 1)), with the penalty of rpref_N",
    citation: "De Beer and Moens (2006), SIGIR, section 2.5; Sakai (2007), Alternatives to bpref, SIGIR, equation 17",
    params: &[
        TOP_GAIN,
        UNRETRIEVED,
        Param::new("skip_first", Range::Flag, "whether the first judged document is left out")
            .or(Default::Flag(true)),
    ],
    score: |measure, case| {
        let first = if *measure.value("skip_first") == Value::Flag(false) { 0.0 } else { 1.0 };
        preferences(
            measure,
            case,
            |penalty, above| if above == 0 { first } else { penalty / f64::from(above) },
        )
    },
    examples: &[Example {
        measure: "rpref_relative",
        judgments: "a=1 b=3 c=0 d=2",
        list: "c a b x d",
        value: 0.25,
        working: "penalties as for rpref_N, 1, 2 and 3 judged above: (1 (1 - 1) + 3 (1 - 5/6) + 2 (1 - 1/2)) / 6",
    }],
    ..Family::GRADED
};
