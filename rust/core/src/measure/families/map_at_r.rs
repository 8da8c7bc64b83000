//! Precision averaged over the first R ranks, as it is and interpolated.

use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "map_at_R",
        aliases: &[],
        group: "binary ranks",
        summary: "The mean of precision at the first R ranks.",
        prose: "Precision is taken at all ranks, not at relevant documents only. Beyond a ranking that is shorter than R it is what was found over the rank.",
        formula: "map_at_R = (1/R) sum over ranks r <= R of c(r) / r",
        citation: "trec_eval 8.1, measure map_at_R",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes::NONE,
    sees: Sees::GRADES,
    laws: Laws {
        bounds: |_| Bounds::Refused("R decides which ranks count"),
        ties: |_| Ties::SORTED,
        ..Laws::UNKNOWN
    },
    score: |_, case| to_num_rel(case, |precision, _| precision),
    peers: &[Peer::new("trec_eval 8.1", "map_at_R")
        .but("leaves rank R out, takes the last rank of a ranking shorter than R twice, and may add a rank, as an index falls below 0 to where the sum stands")],
    examples: &[Example {
        measure: "map_at_R",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 11.0 / 18.0,
        working: "R = 3: (1/1 + 1/2 + 1/3) / 3",
    }],
};

pub static INT_MAP_AT_R: Family = Family {
    about: About {
        name: "int_map_at_R",
        aliases: &[],
        group: "binary ranks",
        summary: "The mean of interpolated precision at the first R ranks.",
        prose: "As map_at_R, where the precision at a rank is the highest from there to the end of the ranking. Beyond the ranking it is what was found over the rank.",
        formula: "int_map_at_R = (1/R) sum over ranks r <= R of max over ranks q >= r of c(q) / q",
        citation: "trec_eval 8.1, measure int_map_at_R",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes::NONE,
    sees: Sees::GRADES,
    laws: Laws {
        bounds: |_| Bounds::Refused("R decides which ranks count"),
        ties: |_| Ties::SORTED,
        ..Laws::UNKNOWN
    },
    score: |_, case| {
        let found = case.relevant(u32::MAX);
        // The highest precision at or below each relevant document.
        let mut highest = vec![0.0; found.len() + 1];
        for (i, d) in found.iter().enumerate().rev() {
            highest[i] = (f64::from(d.seen) / f64::from(d.rank)).max(highest[i + 1]);
        }
        to_num_rel(case, |precision, seen| precision.max(highest[seen]))
    },
    peers: &[Peer::new("trec_eval 8.1", "int_map_at_R")
        .but("leaves rank R out, takes the last rank of a ranking shorter than R twice, and may add a rank, as an index falls below 0 to where the sum stands")],
    examples: &[Example {
        measure: "int_map_at_R",
        judgments: "a=1 b=0 c=1 d=1",
        list: "x a c b d",
        value: 2.0 / 3.0,
        working: "c(3)/3 = 2/3 is the highest from each of the first three ranks on: (2/3 + 2/3 + 2/3) / 3",
    }],
};

/// (1/R) sum over the first R ranks of a function of the precision there and
/// of how many relevant documents stand so far.
fn to_num_rel(case: &Case, share: impl Fn(f64, usize) -> f64) -> f64 {
    let mut found = case.relevant(u32::MAX).iter().peekable();
    let mut seen = 0;
    let sum: f64 = (1..=case.view.num_rel)
        .map(|rank| {
            seen += usize::from(found.next_if(|d| d.rank == rank).is_some());
            share(seen as f64 / f64::from(rank), seen)
        })
        .sum();
    sum / case.num_rel()
}
