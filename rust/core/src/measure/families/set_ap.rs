//! Set precision times set recall.

use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "SetAP",
        aliases: &["set_map"],
        group: "sets",
        summary: "The product of set precision and set recall.",
        prose: "It is what average precision would be if every relevant document retrieved had the precision of the whole set.",
        formula: "SetAP = SetP x SetR",
        citation: "trec_eval, measure set_map",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { cutoff: Cutoff::Optional, ..Takes::NONE },
    sees: Sees::GRADES,
    laws: Laws {
        bounds: |_| Bounds::Sorted,
        ties: |measure| if measure.cutoff.is_none() { Ties::SUM } else { Ties::SORTED },
        ..Laws::UNKNOWN
    },
    score: |measure, case| {
        super::set_p::precision(measure, case) * (case.hits(measure.depth()) / case.num_rel())
    },
    peers: &[Peer::new("trec_eval", "set_map"), Peer::new("ir_measures", "SetAP")],
    examples: &[Example {
        measure: "SetAP",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 4.0 / 15.0,
        working: "(2/5) (2/3)",
    }],
};
