//! Gain, discounted by what the best possible list has gained before.

use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "G",
        aliases: &[],
        group: "gain",
        summary: "The sum of gains, each discounted by how far the ranking is behind the ideal one, divided by the total gain.",
        prose: "The idea is that a document's contribution should depend on what is ranked above it: after documents of higher gain it is not discounted. The ranking is behind by the gain that it lacks and, once the ideal ranking has ended, by 1 for each further rank. With binary gains it is binG, and the ideal ranking has 1. Two documents in the wrong order can be worth more than in the right one: after the poor one the good one closes the gap, and is not discounted. trec_eval calls it experimental.",
        formula: "G = sum over documents retrieved of g(r) / log2(2 + b(r)), divided by the sum of all gains, where b(r) = cg*(r) - cg(r) + max(0, r - R) and cg* is the cumulated gain of the ideal ranking",
        citation: "trec_eval, measure G (Buckley, 2008)",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes::NONE,
    sees: Sees::GAINS,
    laws: Laws {
        bounds: |_| Bounds::SortedIfBinary,
        falls: |_, gain| (gain <= 1.0).then_some(Falls::Power(1)),
        ..Laws::UNKNOWN
    },
    score: |_, case| {
        let ideal = case.ideal();
        let mut gained = 0.0;
        let discounted = case.relevant(u32::MAX).iter().map(|d| {
            gained += case.gain(d);
            let beyond = f64::from(d.rank.saturating_sub(case.view.num_rel));
            // Not below 0 but by rounding.
            let behind = (ideal.cumulated(d.rank) - gained + beyond).max(0.0);
            case.gain(d) / case.discount.log2(2.0 + behind)
        });
        discounted.sum::<f64>() / ideal.cumulated(u32::MAX)
    },
    peers: &[Peer::new("trec_eval", "G")
        .but("with gains below 1 the ideal ranking gains 1 at every rank instead, so that it has less than 1")],
    examples: &[
        Example {
            measure: "G",
            judgments: "a=1 b=3 c=0 d=2",
            list: "a c b x d",
            value: (0.5 + 1.5 + 1.0) / 6.0,
            working: "ideal b d a: at a 3 - 1 behind, at b 6 - 4, at d 6 - 6 and two ranks: (1/log2(4) + 3/log2(4) + 2/log2(4)) / 6",
        },
        Example {
            measure: "G(gain={1:2,2:2,3:2})",
            judgments: "a=1 b=3 c=0 d=2",
            list: "a b c x d",
            value: (2.0 + 2.0 + 1.0) / 6.0,
            working: "a and b are not behind; d has two ranks beyond the ideal: (2/log2(2) + 2/log2(2) + 2/log2(4)) / 6",
        },
    ],
};
