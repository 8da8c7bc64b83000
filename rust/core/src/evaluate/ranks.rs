//! What the ranks of a run say of its scores: that these are distances, or that there are no ranks
//! to go by.

use crate::error::{Error, Kind, Result, quote};
use crate::rank::Lines;
use crate::rank::arrays::List;
use crate::read::run::LOOKED_AT;

/// What was seen of the ranks of the lists that have two documents at least.
#[derive(Debug, Default)]
pub(super) struct RanksSeen {
    /// How many lists there were.
    lists: u32,
    /// In how many of them all ranks are the same.
    flat: u32,
}

impl RanksSeen {
    /// Whether a list is the first of a run; one document has no order.
    pub(super) fn is_first(&mut self, documents: usize) -> bool {
        self.lists += u32::from(documents > 1);
        documents > 1 && self.lists == 1
    }

    /// Counts a list that is ordered by its ranks.
    pub(super) fn count(&mut self, ranks: &[f64]) {
        self.lists += u32::from(ranks.len() > 1);
        self.flat += u32::from(ranks.len() > 1 && ranks.iter().all(|rank| *rank == ranks[0]));
    }

    /// Adds those of a later part of the file; whether the first list is in that.
    pub(super) fn add(&mut self, later: &RanksSeen) -> bool {
        let first = self.lists == 0;
        self.lists += later.lists;
        self.flat += later.flat;
        first
    }

    /// An error if there are no ranks to go by in any list of a run.
    pub(super) fn check(&self, run: &str) -> Result<()> {
        if self.flat == 0 || self.flat < self.lists {
            return Ok(());
        }
        Err(Error::for_each(Kind::Option, |to| {
            format!(
                "{} needs ranks, and in run {} all documents of a topic have the same rank",
                to.choice("order", "rank"),
                quote(run)
            )
        }))
    }
}

/// What to say if the scores of a list rise from its first rank on.
#[cold]
pub(super) fn rising_lines(topic: &[u8], lines: &Lines) -> Option<String> {
    rise(lines.first_ranks(), |line| lines.score(line)).then(|| with_ranks(topic))
}

/// The same of a list in arrays, which are in order where a search wrote them.
#[cold]
pub(super) fn rising_list(topic: &[u8], list: &List) -> Option<String> {
    if let Some(ranks) = list.ranks {
        return rise(ranks, |line| list.scores.get(line)).then(|| with_ranks(topic));
    }
    let filled: Vec<usize> = list.filled().take(LOOKED_AT).collect();
    let places: Vec<f64> = (0..filled.len()).map(|place| place as f64).collect();
    (list.padded && rise(&places, |place| list.scores.get(filled[place]))).then(|| {
        format!(
            "scores rise along the row of topic {}, the only one looked at: if they are distances, \
             negate them, or keep the order of the rows (order `input`)",
            quote(topic)
        )
    })
}

fn with_ranks(topic: &[u8]) -> String {
    format!(
        "scores rise with the ranks in the first lines of topic {}, the only ones looked at: if \
         they are distances, rank by the ranks (order `rank`)",
        quote(topic)
    )
}

/// Whether of the first lines no two ranks are the same, and no score is below that of the rank
/// above, but some are higher.
fn rise(ranks: &[f64], score: impl Fn(usize) -> f64) -> bool {
    let mut lines: Vec<usize> = (0..ranks.len().min(LOOKED_AT)).collect();
    lines.sort_by(|&a, &b| ranks[a].total_cmp(&ranks[b]));
    let (Some(&first), Some(&last)) = (lines.first(), lines.last()) else { return false };
    let in_order = |pair: &[usize]| {
        let [above, below] = *pair else { return true };
        ranks[above] < ranks[below] && score(above) <= score(below)
    };
    score(first) < score(last) && lines.windows(2).all(in_order)
}
