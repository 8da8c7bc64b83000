//! The bejewelled player model.

use super::inst;
use crate::measure::declare::*;

const READY: Param = Param::new("K", Range::Positive, "the cost that the user is ready for")
    .or(Default::Printed(10.0));
const MOVED_GAIN: Param =
    Param::new("hb", Range::NonNegative, "how much a document moves T").or(Default::Number(0.0));
const MOVED_COST: Param =
    Param::new("hc", Range::NonNegative, "how much a document moves K").or(Default::Number(0.0));
const NEUTRAL: Param = Param::new("med", Range::Unit, "the gain of a document that moves neither")
    .or(Default::Number(0.5));

pub static FAMILY: Family = Family {
    about: About {
        name: "BPM",
        aliases: &["bejeweled player model"],
        group: "user models",
        summary: "The gain per document of a user who stops when the gain reaches T or the cost reaches K.",
        prose: "With hb and hc above 0 it is the dynamic model: after each document the user wants more, and is ready to spend more, if its gain was above med, and less if it was below. A sum of gains that is T up to rounding is T. cwl_eval's dynamic model never moves K: its values are those of hc=0 here.",
        formula: "BPM = (1/d) sum over ranks r <= d of g(r), where d is the first rank with cg(d) >= T(d) or cost >= K(d); T(1) = T, T(i + 1) = T(i) + hb (g(i) - med), and K likewise with hc",
        citation: "Zhang, Liu, Li, Zhang, Xu and Ma (2017), Evaluating web search with a bejeweled player model, SIGIR",
        range: inst::RANGE,
        better: inst::better,
    },
    takes: Takes {
        params: &[
            inst::WANTED,
            READY,
            MOVED_GAIN,
            MOVED_COST,
            NEUTRAL,
            inst::COST,
            inst::HIGHEST,
            inst::OUT,
            inst::UNJUDGED,
        ],
        ..inst::TAKES
    },
    sees: inst::SEES,
    laws: inst::LAWS,
    score: |measure, case| {
        let (hb, hc) = (measure.get(MOVED_GAIN), measure.get(MOVED_COST));
        let med = measure.get(NEUTRAL);
        let (mut wanted, mut ready) = (inst::wanted(measure), measure.get(READY));
        inst::numbers(measure, case, move |reading| {
            let on = !reached(reading.gained, wanted) && !reached(reading.spent, ready);
            wanted += hb * (reading.gain - med);
            ready += hc * (reading.gain - med);
            f64::from(u8::from(on))
        })
    },
    peers: &[
        Peer::new("cwl_eval", "BPM-Static-T=1-K=10")
            .but("lets rounding decide whether a sum of fractions has reached T or K"),
        Peer::new("cwl_eval", "BPM-Dynamic-T=1-K=10-hb=1.0-hc=1.0")
            .is("BPM(T=1,K=10,hb=1)")
            .but("K is never moved"),
        Peer::new("ir_measures", "BPM(T=1,max_rel=3)@10").but("K is the cutoff"),
    ],
    examples: &[
        Example {
            measure: "BPM(T=2,K=10)",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a b c e",
            value: 2.0 / 3.0,
            working: "the gain is 2 at rank 3: 2/3",
        },
        Example {
            measure: "BPM(T=1,K=3,hb=1,hc=1)",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "b a c d",
            value: 0.5,
            working: "after b: T = .5 and K = 2.5; a gains 1, which is enough: 1/2",
        },
    ],
};

/// Whether a sum is as high as a limit. A sum of fractions that is the limit
/// misses it by a few bits.
fn reached(sum: f64, limit: f64) -> bool {
    sum >= limit - 1e-12 * limit.abs().max(1.0)
}
