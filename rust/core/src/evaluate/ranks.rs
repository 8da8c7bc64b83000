//! What the ranks of a run say of its scores: that these are distances, or that there are no ranks
//! to go by.

use crate::error::{Error, Kind, Result, quote};
use crate::rank::Lines;
use crate::rank::arrays::List;

/// What was seen of the ranks of the lists that have two documents at least.
#[derive(Debug, Default)]
pub(super) struct RanksSeen {
    /// How many lists there were.
    lists: u64,
    /// In how many of them all ranks are the same.
    flat: u64,
}

impl RanksSeen {
    /// Whether a list is the first of a run; one document has no order.
    pub(super) fn is_first(&mut self, documents: usize) -> bool {
        self.lists += u64::from(documents > 1);
        documents > 1 && self.lists == 1
    }

    /// Counts a list that is ordered by its ranks.
    pub(super) fn count(&mut self, ranks: &[f64]) {
        self.lists += u64::from(ranks.len() > 1);
        self.flat += u64::from(ranks.len() > 1 && ranks.iter().all(|rank| *rank == ranks[0]));
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
pub(super) fn rising_lines(topic: &[u8], lines: &Lines) -> Option<Box<str>> {
    rise(lines.ranks(), |line| lines.score(line)).then(|| {
        let way = "rank by them (order `rank`)";
        said(topic, "with the ranks", way)
    })
}

/// The same of a list in arrays, which are in order where a search wrote them.
pub(super) fn rising_list(topic: &[u8], list: &List) -> Option<Box<str>> {
    if let Some(ranks) = list.ranks {
        let way = "rank by them (order `rank`)";
        return rise(ranks, |line| list.scores.get(line))
            .then(|| said(topic, "with the ranks", way));
    }
    if !list.padded {
        return None;
    }
    let places: Vec<f64> = (0..list.filled().count()).map(|place| place as f64).collect();
    let filled: Vec<usize> = list.filled().collect();
    let way = "negate them, or keep the order of the rows (order `input`)";
    rise(&places, |place| list.scores.get(filled[place]))
        .then(|| said(topic, "from the first document of a row to the last", way))
}

#[cold]
fn said(topic: &[u8], how: &str, way: &str) -> Box<str> {
    let topic = quote(topic);
    format!(
        "scores rise {how} in topic {topic}, the only one looked at: if they are distances, {way}"
    )
    .into()
}

/// Whether no two ranks are the same, and no score is below that of the rank above, but some are
/// higher.
fn rise(ranks: &[f64], score: impl Fn(usize) -> f64) -> bool {
    let mut lines: Vec<usize> = (0..ranks.len()).collect();
    lines.sort_by(|&a, &b| ranks[a].total_cmp(&ranks[b]));
    let (Some(&first), Some(&last)) = (lines.first(), lines.last()) else { return false };
    let in_order = |pair: &[usize]| {
        let [above, below] = *pair else { return true };
        ranks[above] < ranks[below] && score(above) <= score(below)
    };
    score(first) < score(last) && lines.windows(2).all(in_order)
}
