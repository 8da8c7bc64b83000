//! Binary preference relative to the judged rank.

use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "bpref_relative",
        aliases: &[],
        group: "preference",
        summary: "bpref whose penalty is divided by the number of judged documents above.",
        prose: "The first judged document has none above and is left out of the sum, so the ideal list has (R - 1) / R. It is rpref_relative for binary judgments; bpref_relative2, which divides by the judged rank instead, is AP on the condensed list.",
        formula: "bpref_relative = (1/R) sum over relevant documents at judged ranks r > 1 of 1 - n / (r - 1), where n documents judged not relevant stand above",
        citation: "Sakai (2007), Alternatives to bpref, SIGIR, equation 18",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes::NONE,
    sees: Sees { nonrelevant: Nonrelevant::Compared, ..Sees::GRADES },
    laws: Laws {
        bounds: |_| Bounds::Sorted,
        falls: |_, _| Some(Falls::Power(1)),
        ties: |_| Ties::sorted(Mean::Each(Looks { seen: true, ..Looks::NONRELEVANT })),
        ..Laws::UNKNOWN
    },
    score: |_, case| {
        let preferred = case.relevant(u32::MAX).iter().map(|d| {
            let above = d.seen - 1 + d.nonrelevant;
            if above == 0 { 0.0 } else { 1.0 - f64::from(d.nonrelevant) / f64::from(above) }
        });
        preferred.sum::<f64>() / case.num_rel()
    },
    peers: &[Peer::new("NTCIREVAL", "bpref_relative")],
    examples: &[Example {
        measure: "bpref_relative",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 1.0 / 6.0,
        working: "a is left out; c has a and b above: (1 - 1/2) / 3",
    }],
};
