//! Graded preference relative to the judged rank.

use super::rpref_n::{
    self, PARTITIONS, Preferences, SKIP_FIRST, TOP_GAIN, UNRETRIEVED, class, class_needs_top,
    first_share, literal, preferences,
};
use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "rpref_relative",
        aliases: &[],
        group: "preference",
        summary: "rpref whose penalty is divided by the number of judged documents above.",
        prose: "The first judged document has none above and is left out of the sum, which keeps its divisor; skip_first=False counts it in full. partitions=n is the n-pref of De Beer and Moens, whose Figure 1 has this form. With binary gains it is bpref_relative.",
        formula: "rpref_relative = (1/cg*) sum over judged documents at judged ranks r > 1 of g (1 - penalty / (r - 1)), with the penalty of rpref_N",
        citation: "De Beer and Moens (2006), SIGIR, section 2.5; Sakai (2007), Alternatives to bpref, SIGIR, equation 17",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes {
        params: &[TOP_GAIN, UNRETRIEVED, PARTITIONS, SKIP_FIRST.or(Default::Flag(true))],
        cutoff: Cutoff::Optional,
        check: class_needs_top,
        ..Takes::NONE
    },
    sees: Sees {
        gain: class,
        declared_top: |measure| measure.number("top_gain"),
        nonrelevant: Nonrelevant::Each,
        ..Sees::GAINS
    },
    laws: Laws {
        bounds: |measure| literal(measure).unwrap_or(Bounds::SortedIfBinary),
        falls: |_, _| Some(Falls::Power(1)),
        ties: rpref_n::ties,
        running: Some(|measure, case| Box::new(Preferences::new(case, share(measure)))),
        ..Laws::UNKNOWN
    },
    score: |measure, case| preferences(measure, case, share(measure)),
    peers: &[Peer::new("NTCIREVAL", "rpref_relative")],
    examples: &[Example {
        measure: "rpref_relative",
        judgments: "a=1 b=3 c=0 d=2",
        list: "c a b x d",
        value: 0.25,
        working: "penalties as for rpref_N, 1, 2 and 3 judged above: (1 (1 - 1) + 3 (1 - 5/6) + 2 (1 - 1/2)) / 6",
    }],
};

fn share(measure: &Measure) -> impl Fn(f64, u32) -> f64 + use<> {
    let first = first_share(measure);
    move |penalty, above| if above == 0 { first } else { penalty / f64::from(above) }
}
