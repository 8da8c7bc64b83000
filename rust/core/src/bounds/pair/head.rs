//! The share of relevant documents among the first ones, whose number follows from R.

use super::{ANY, Stakes, Way};
use crate::measure::{Case, Measure};

/// How many documents have a rank down to each rank, from 0.
struct ListCounts {
    /// In each list.
    lists: [Vec<usize>; 2],
    /// In both of them.
    both: Vec<usize>,
}

impl ListCounts {
    fn new(ranks: impl Iterator<Item = [u32; 2]>, longest: u32) -> Self {
        let none = || vec![0; longest as usize + 1];
        let mut above = ListCounts { lists: [none(), none()], both: none() };
        for ranks in ranks {
            for (run, list) in above.lists.iter_mut().enumerate() {
                if ranks[run] > 0 {
                    list[ranks[run] as usize] += 1;
                }
            }
            if ranks[0] > 0 && ranks[1] > 0 {
                above.both[ranks[0].max(ranks[1]) as usize] += 1;
            }
        }
        for counts in above.lists.iter_mut().chain([&mut above.both]) {
            for rank in 1..counts.len() {
                counts[rank] += counts[rank - 1];
            }
        }
        above
    }

    /// How many down to a rank are in the second list alone, and in the first alone.
    fn alone(&self, rank: usize) -> (usize, usize) {
        let rank = rank.min(self.both.len() - 1);
        let both = self.both[rank];
        (self.lists[1][rank] - both, self.lists[0][rank] - both)
    }
}

/// For a given R each open document adds one, takes one away, or does nothing: the former first.
pub(super) fn highest(
    stakes: &Stakes,
    measure: &Measure,
    case: &Case,
    size: fn(&Measure, &Case) -> u32,
) -> Way {
    let worst = stakes.worst();
    let mut open = vec![worst; stakes.open.len()];
    let Some(best) = stakes.best() else { return Way { open, ..Way::default() } };
    if stakes.classes[0].0 > 0.0 {
        return Way { open, ..Way::default() };
    }
    let of_open = ListCounts::new(stakes.open.iter().copied(), stakes.longest);
    let of_judged = ListCounts::new(stakes.judged.iter().map(|of| of.0), stakes.longest);
    let unseen = stakes.room.unseen as usize;
    let mut view = case.view.without_documents();
    let (mut chosen, mut best_value) = ((0, 0), f64::NEG_INFINITY);
    let mut new = stakes.missing();
    while new <= open.len().saturating_add(unseen) {
        view.num_rel = stakes.known() + new as u32;
        let ranks = size(measure, &Case { view: &view, ..*case }) as usize;
        let (more, less) = of_open.alone(ranks);
        let nothing = (open.len() - more - less).saturating_add(unseen);
        let (known_more, known_less) = of_judged.alone(ranks);
        let spent = new.saturating_sub(more.saturating_add(nothing));
        let sum = (known_more + new.min(more)) as f64 - (known_less + spent) as f64;
        let value = if ranks == 0 { 0.0 } else { sum / ranks as f64 };
        if value > best_value {
            (chosen, best_value) = ((new, ranks), value);
        }
        if ranks >= stakes.longest as usize && new >= more {
            // From here on the divisor alone grows, until documents have to be relevant that
            // take one away.
            if stakes.room.unseen == ANY {
                break;
            }
            new = new.max((more + nothing).saturating_sub(1));
        }
        new += 1;
    }
    let (new, ranks) = chosen;
    let within = |rank: u32| (1..=ranks).contains(&(rank as usize));
    let side = |place: &usize| {
        let ranks = stakes.open[*place];
        // What adds comes first, then what does nothing.
        match (within(ranks[0]), within(ranks[1])) {
            (false, true) => 0,
            (true, false) => 2,
            _ => 1,
        }
    };
    let mut order: Vec<usize> = (0..open.len()).collect();
    order.sort_by_key(side);
    let more = order.iter().filter(|place| side(place) == 0).count();
    let elsewhere = new.saturating_sub(more).min(unseen);
    for &place in &order[..new - elsewhere] {
        open[place] = best;
    }
    Way { open, elsewhere: vec![(best, elsewhere as u32)], ..Way::default() }
}
