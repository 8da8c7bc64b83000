//! R-precision.

use super::iprec::times_num_rel;
use crate::measure::declare::*;

const MULT: Param = Param::new("mult", Range::Positive, "how many times R documents are looked at")
    .or(Default::Number(1.0));

pub static FAMILY: Family = Family {
    about: About {
        name: "Rprec",
        aliases: &["R-precision", "r_prec", "RPrecision", "BreakEven", "break_even_point", "precision at R", "precision-recall break-even point"],
        group: "binary ranks",
        summary: "Precision at rank R, the number of relevant documents of the topic.",
        prose: "At rank R precision and recall are equal, so the value is also the recall there, and the break-even point of the two. A ranking shorter than R keeps the divisor R. mult moves the rank to a multiple of R, rounded up, so that topics of all sizes are measured at comparable ranks: a system that is better below 1 and worse above favors precision. The product is exact, with mult as the decimal number that was written.",
        formula: "Rprec = c(m) / m, where m is mult R, rounded up",
        citation: "Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, section 8.4; trec_eval, measure Rprec_mult",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes { params: &[MULT], ..Takes::NONE },
    sees: Sees::GRADES,
    laws: Laws {
        bounds: |_| Bounds::Sorted,
        contrast: |_| Contrast::Head(|measure, case| size(measure, case) as u32),
        ties: |_| Ties::SUM,
        ..Laws::UNKNOWN
    },
    score: |measure, case| rprec(measure, case),
    peers: &[
        Peer::new("trec_eval", "Rprec"),
        Peer::new("trec_eval", "Rprec_mult_0.20")
            .but("cuts mult x R + 0.9 to a whole number: another one where mult x R is up to 0.1 above one, which the default multiples never are"),
        Peer::new("ir_measures", "Rprec"),
        Peer::new("ranx", "r-precision"),
    ],
    examples: &[
        Example {
            measure: "Rprec",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 1.0 / 3.0,
            working: "R = 3, and one of the first three is relevant: 1/3",
        },
        Example {
            measure: "Rprec(mult=1.2)",
            judgments: "a=1 b=0 c=1 d=0 e=1",
            list: "a x b c d",
            value: 0.5,
            working: "1.2 x 3 = 3.6, rounded up 4: 2/4",
        },
    ],
};

/// How many documents are looked at: at least one, however small the factor; none if R is 0.
fn size(measure: &Measure, case: &Case) -> f64 {
    times_num_rel(measure.get(MULT), case).max(case.num_rel().min(1.0))
}

fn rprec(measure: &Measure, case: &Case) -> f64 {
    let size = size(measure, case);
    case.hits(size as u32) / size
}
