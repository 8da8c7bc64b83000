//! Relative precision averaged over the ranks of the list.

use crate::measure::declare::*;

pub static FAMILY: Family = Family {
    about: About {
        name: "avg_relative_prec",
        aliases: &[],
        group: "binary ranks",
        summary: "The mean over all ranks of the proportion found of the relevant documents possible at that rank.",
        prose: "At each rank the relevant documents so far are divided by the rank or by R, whichever is lower, which is Rcap. Nothing retrieved gives 0.",
        formula: "avg_relative_prec = (1/n) sum over ranks r <= n of c(r) / min(r, R)",
        citation: "trec_eval 8.1, measure avg_relative_prec",
        range: "[0, 1]",
        better: |_| Better::Higher,
    },
    takes: Takes::NONE,
    sees: Sees::GRADES,
    laws: Laws {
        bounds: |_| Bounds::Refused("R divides at some ranks and not at others"),
        ties: |_| Ties::SORTED,
        ..Laws::UNKNOWN
    },
    score: |_, case| {
        let (retrieved, num_rel) = (case.retrieved(), case.view.num_rel);
        if num_rel == 0 {
            return f64::NAN;
        }
        if retrieved == 0 {
            return 0.0;
        }
        let shallow = retrieved.min(num_rel);
        let mut found = case.relevant(u32::MAX).iter().peekable();
        let (mut seen, mut sum) = (0, 0.0);
        for rank in 1..=shallow {
            seen += u32::from(found.next_if(|d| d.rank == rank).is_some());
            sum += f64::from(seen) / f64::from(rank);
        }
        // Below rank R a document counts 1/R at each rank from its own on.
        let ranks = |rank: u32| u64::from(retrieved + 1 - rank.max(shallow + 1));
        let deep: u64 = case.relevant(u32::MAX).iter().map(|d| ranks(d.rank)).sum();
        (sum + deep as f64 / f64::from(num_rel)) / f64::from(retrieved)
    },
    peers: &[Peer::new("trec_eval 8.1", "avg_relative_prec")],
    examples: &[Example {
        measure: "avg_relative_prec",
        judgments: "a=1 b=0 c=1 d=0 e=1",
        list: "a x b c d",
        value: 19.0 / 30.0,
        working: "(1/1 + 1/2 + 1/3 + 2/3 + 2/3) / 5",
    }],
};
