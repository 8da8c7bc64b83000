//! Sums of precisions: AP.
//!
//! R times the difference is the sum over pairs {d, e} of relevant documents, d = e included, of
//! 1/max(rank of d, rank of e) in the second list less the same in the first. The pairs have both
//! signs. For each number of new relevant documents three bounds of that sum are computed, each by
//! a dynamic program over a list and the number relevant so far; the least one counts:
//!
//! 1. *Prices.* Each list is taken by itself, and a document costs in one what it gains in the
//!    other. Any prices give a bound; a few steps along the subgradient lower it.
//! 2. *Down the second list.* A document is added below those that are relevant above it. Of
//!    these the ones below it in the first list are as many, and as far down, as they can be.
//! 3. *Down the first list*, likewise.
//!
//! Every set of documents that comes up is scored: the best one is reached.

use super::{Stakes, Way};
use crate::error::Result;
use crate::interrupt;

/// What is looked at in all steps, in cells of the tables.
const CELLS: usize = 1_200_000;

/// Steps at most.
const STEPS: usize = 200;

/// Bounds this far from what is reached are not lowered.
const CLOSE: f64 = 1e-11;

/// The way with the highest difference that was found, and a bound of all.
pub(super) fn highest(stakes: &Stakes, cut: bool) -> Result<Way> {
    let worst = stakes.worst();
    let mut open = vec![worst; stakes.open.len()];
    let Some(best) = stakes.best() else { return Ok(Way { open, ..Way::default() }) };
    if stakes.classes[0].0 > 0.0 {
        return Ok(Way { open, ..Way::default() });
    }
    let pairs = PrecisionPairs::new(stakes, cut);
    let (bound, chosen) = pairs.search()?;
    let mut relevant = 0;
    for (&place, &is_chosen) in pairs.places.iter().zip(&chosen) {
        if is_chosen {
            open[place as usize] = best;
            relevant += 1;
        }
    }
    let mut more = pairs.more(relevant, pairs.sum(&chosen));
    let elsewhere = more.min(stakes.unseen());
    more -= elsewhere;
    // Documents below the cutoff in both lists do as well.
    let mut seen = vec![false; open.len()];
    pairs.places.iter().for_each(|&place| seen[place as usize] = true);
    for (grade, _) in open.iter_mut().zip(seen).filter(|of| !of.1).take(more) {
        *grade = best;
    }
    let elsewhere = vec![(best, elsewhere as u32)];
    Ok(Way { open, elsewhere, bound: Some(bound), ..Way::default() })
}

/// A document: its ranks down to the cutoff, or else past every list.
#[derive(Clone, Copy)]
struct PairedDoc {
    ranks: [u32; 2],
    /// One over them, or 0.
    precisions: [f64; 2],
    /// Its place among the open ones; none for a judged one.
    open: Option<usize>,
}

impl PairedDoc {
    fn new(ranks: [u32; 2], depth: u32, open: Option<usize>) -> Option<Self> {
        let within = ranks.map(|rank| (1..=depth).contains(&rank));
        if within == [false, false] {
            return None;
        }
        let ranks = std::array::from_fn(|run| if within[run] { ranks[run] } else { u32::MAX });
        let precisions =
            std::array::from_fn(|run| if within[run] { 1.0 / f64::from(ranks[run]) } else { 0.0 });
        Some(PairedDoc { ranks, precisions, open })
    }
}

/// The relevant and the open documents of two lists.
struct PrecisionPairs {
    docs: Vec<PairedDoc>,
    /// The places of the open ones among all open documents.
    places: Vec<u32>,
    /// For each list its documents, by rank; those that are not in it come last, by their rank in
    /// the other.
    orders: [Vec<usize>; 2],
    /// How many documents are judged relevant.
    known: usize,
    /// How many others are relevant at least.
    missing: usize,
    /// How many that are in neither list down to the cutoff may be.
    unseen: usize,
    /// The largest divisor.
    most: usize,
}

impl PrecisionPairs {
    fn new(stakes: &Stakes, cut: bool) -> Self {
        let judged = stakes.judged.iter();
        let mut docs: Vec<PairedDoc> =
            judged.filter_map(|of| PairedDoc::new(of.0, stakes.depth, None)).collect();
        let mut places = Vec::new();
        for (place, &ranks) in (0..).zip(stakes.open) {
            if let Some(doc) = PairedDoc::new(ranks, stakes.depth, Some(places.len())) {
                docs.push(doc);
                places.push(place);
            }
        }
        let orders = [0, 1].map(|run| {
            let mut order: Vec<usize> = (0..docs.len()).collect();
            order.sort_by_key(|&doc| (docs[doc].ranks[run], docs[doc].ranks[1 - run]));
            order
        });
        PrecisionPairs {
            unseen: stakes.unseen() + stakes.open.len() - places.len(),
            docs,
            places,
            orders,
            known: stakes.known() as usize,
            missing: stakes.missing(),
            most: if cut { stakes.depth as usize } else { usize::MAX },
        }
    }

    /// How many documents in neither list are best relevant beside this many of the open ones,
    /// if the sum is this: as few as possible, or as many where it is below 0.
    fn more(&self, relevant: usize, sum: f64) -> usize {
        if sum < 0.0 { self.unseen } else { self.missing.saturating_sub(relevant) }
    }

    /// The difference with this many new relevant documents, from the sum.
    fn ratio(&self, relevant: usize, sum: f64) -> f64 {
        if relevant + self.unseen < self.missing {
            return f64::NEG_INFINITY;
        }
        let all = self.known + relevant + self.more(relevant, sum);
        if all == 0 { 0.0 } else { sum / all.min(self.most) as f64 }
    }

    /// R times the difference if these open documents are relevant.
    fn sum(&self, chosen: &[bool]) -> f64 {
        let of_run = |run: usize| -> f64 {
            let (mut seen, mut sum) = (0.0, 0.0);
            for &doc in &self.orders[run] {
                let doc = &self.docs[doc];
                if doc.open.is_none_or(|place| chosen[place]) {
                    seen += 1.0;
                    sum += seen * doc.precisions[run];
                }
            }
            sum
        };
        of_run(1) - of_run(0)
    }

    /// The bound, and the best set that was found.
    fn search(&self) -> Result<(f64, Vec<bool>)> {
        let open = self.places.len();
        let mut found = FoundSet { ratio: f64::NEG_INFINITY, chosen: vec![false; open] };
        found.try_set(self, vec![false; open]);
        let mut bounds = vec![f64::INFINITY; open + 1];
        let mut prices = vec![0.0; open];
        let (mut spent, mut scale, mut lowest) = (0, 1.0, f64::INFINITY);
        for step in 0..STEPS {
            interrupt::check()?;
            let most = self.most_of_use(&bounds, &found);
            let parts = [0, 1].map(|run| self.alone(run, &prices, most));
            spent += parts.iter().map(|part| part.cells).sum::<usize>();
            let sums =
                parts[0].best.iter().zip(&parts[1].best).map(|(first, second)| first + second);
            lower(&mut bounds, sums);
            if step == 0 {
                let (top, _) = self.top(&bounds);
                for part in &parts {
                    found.try_set(self, part.chosen(self, top));
                }
                for run in [1, 0] {
                    if self.is_closed(&bounds, &found) {
                        break;
                    }
                    let most = self.most_of_use(&bounds, &found);
                    let walk = self.down(run, most);
                    spent += walk.cells;
                    lower(&mut bounds, walk.best.iter().copied());
                    let (top, _) = self.top(&bounds);
                    found.try_set(self, walk.chosen(self, top.min(most)));
                }
            }
            let (top, _) = self.top(&bounds);
            if self.is_closed(&bounds, &found) || top > most {
                break;
            }
            let sets = [0, 1].map(|run| parts[run].chosen(self, top));
            let norm = sets[0].iter().zip(&sets[1]).filter(|of| of.0 != of.1).count();
            let bound = parts[0].best[top] + parts[1].best[top];
            for set in &sets {
                found.try_set(self, set.clone());
            }
            let divisor = (self.known + top + self.more(top, bound)).clamp(1, self.most) as f64;
            let gap = bound - found.ratio * divisor;
            if norm == 0 || gap <= 0.0 || spent > CELLS {
                break;
            }
            if bound / divisor < lowest - 1e-6 {
                lowest = bound / divisor;
            } else {
                scale *= 0.85;
            }
            let size = scale * gap / norm as f64;
            for (price, (&first, &second)) in prices.iter_mut().zip(sets[0].iter().zip(&sets[1])) {
                // What only the second list takes becomes less worth there, and more in the first.
                *price += size * (f64::from(u8::from(first)) - f64::from(u8::from(second)));
            }
        }
        let (_, bound) = self.top(&bounds);
        Ok((bound.max(found.ratio), found.chosen))
    }

    /// The number of new relevant documents with the highest bound, and that bound.
    fn top(&self, bounds: &[f64]) -> (usize, f64) {
        let ratios = bounds.iter().enumerate().map(|(n, &sum)| (n, self.ratio(n, sum)));
        ratios.fold((0, f64::NEG_INFINITY), |top, of| if of.1 > top.1 { of } else { top })
    }

    /// The largest number of new relevant documents with which more is possible than was found.
    fn most_of_use(&self, bounds: &[f64], found: &FoundSet) -> usize {
        let of_use = |&n: &usize| {
            bounds[n] == f64::INFINITY || self.ratio(n, bounds[n]) > found.ratio + CLOSE
        };
        (0..bounds.len()).rev().find(of_use).unwrap_or(0)
    }

    fn is_closed(&self, bounds: &[f64], found: &FoundSet) -> bool {
        self.top(bounds).1 <= found.ratio + CLOSE
    }

    /// The highest sum of a list alone, which counts as it does in the difference, where each open
    /// document has a price: gained with the second list, paid with the first.
    fn alone(&self, run: usize, prices: &[f64], most: usize) -> CountTable {
        let sign = if run == 1 { 1.0 } else { -1.0 };
        let mut table = CountTable::new(most);
        let mut judged = 0.0;
        let mut others: Vec<(f64, usize)> = Vec::new();
        for &place in &self.orders[run] {
            let doc = &self.docs[place];
            let each = sign * doc.precisions[run];
            match doc.open {
                // Those that are not in the list have their price alone.
                Some(open) if doc.ranks[run] == u32::MAX => {
                    others.push((sign * prices[open], open));
                }
                Some(open) => {
                    let own = each * (judged + 1.0) + sign * prices[open];
                    table.may_add(open, |n| own + each * n as f64);
                }
                None => {
                    judged += 1.0;
                    let own = each * judged;
                    table.must_add(|n| own + each * n as f64);
                }
            }
        }
        others.sort_by(|a, b| b.0.total_cmp(&a.0));
        table.join(others);
        table
    }

    /// A bound of the difference by a walk down a list.
    fn down(&self, run: usize, most: usize) -> CountTable {
        let mut table = CountTable::new(most);
        // The open documents so far by their ranks in the other list, and the prefix sums of what
        // these are worth there: the last ones first in a walk down the second list, otherwise
        // the first ones.
        let other = 1 - run;
        let key = |rank: u32| if run == 1 { u32::MAX - rank } else { rank };
        let mut above: Vec<(u32, f64)> = Vec::new();
        let mut sums = vec![0.0];
        let mut judged: Vec<&PairedDoc> = Vec::new();
        for &place in &self.orders[run] {
            let doc = &self.docs[place];
            let own = doc.precisions[other];
            let apart = doc.precisions[1] - doc.precisions[0];
            // Those that stand above in this list and below in the other.
            let turned = judged.iter().filter(|of| of.ranks[other] > doc.ranks[other]);
            let fixed: f64 = turned.map(|of| own - of.precisions[other]).sum();
            let base = judged.len() as f64 + 1.0;
            let split = above.partition_point(|of| of.0 < key(doc.ranks[other]));
            let sums_now = &sums;
            let add = |n: usize| {
                let all = apart * (base + n as f64);
                if run == 1 {
                    // The walk is down the second list: such pairs cost less in the first.
                    let turned = n.min(split);
                    all + fixed + (own * turned as f64 - sums_now[turned])
                } else {
                    // Down the first list: such pairs are worth less in the second.
                    let straight = n.min(split);
                    let lost = own * (n - straight) as f64 - (sums_now[n] - sums_now[straight]);
                    all - fixed - lost
                }
            };
            if let Some(open) = doc.open {
                table.may_add(open, add);
                above.insert(split, (key(doc.ranks[other]), own));
                sums.truncate(split + 1);
                let mut sum = sums[split];
                for of in &above[split..] {
                    sum += of.1;
                    sums.push(sum);
                }
            } else {
                table.must_add(add);
                judged.push(doc);
            }
        }
        table
    }
}

/// Lowers bounds to others, where these are lower.
fn lower(bounds: &mut [f64], others: impl Iterator<Item = f64>) {
    for (bound, other) in bounds.iter_mut().zip(others) {
        *bound = bound.min(other);
    }
}

/// The best set of documents so far.
struct FoundSet {
    ratio: f64,
    chosen: Vec<bool>,
}

impl FoundSet {
    fn try_set(&mut self, pairs: &PrecisionPairs, chosen: Vec<bool>) {
        let relevant = chosen.iter().filter(|&&is_chosen| is_chosen).count();
        let ratio = pairs.ratio(relevant, pairs.sum(&chosen));
        if ratio > self.ratio {
            *self = FoundSet { ratio, chosen };
        }
    }
}

/// The highest sum for each number of chosen documents, document by document.
struct CountTable {
    best: Vec<f64>,
    /// The largest number that is of interest.
    most: usize,
    /// The documents that could be chosen, each with whether it was, for each number.
    rows: Vec<(usize, Vec<bool>)>,
    spare: Vec<f64>,
    /// Documents that count by themselves, the best first, and how many others there are for
    /// each number.
    others: Vec<(f64, usize)>,
    before: Vec<usize>,
    cells: usize,
}

impl CountTable {
    fn new(most: usize) -> Self {
        CountTable {
            best: vec![0.0],
            most,
            rows: Vec::new(),
            spare: Vec::new(),
            others: Vec::new(),
            before: Vec::new(),
            cells: 0,
        }
    }

    /// A document that adds this beside so many chosen ones.
    fn may_add(&mut self, open: usize, add: impl Fn(usize) -> f64) {
        let last = self.best.len();
        let len = (last + 1).min(self.most + 1);
        self.spare.clear();
        self.spare.extend(self.best.iter().take(len - 1).enumerate().map(|(n, sum)| sum + add(n)));
        if len > last {
            self.best.push(f64::NEG_INFINITY);
        }
        let mut row = vec![false; len];
        for ((best, with), is_chosen) in
            self.best[1..].iter_mut().zip(&self.spare).zip(&mut row[1..])
        {
            *is_chosen = *with > *best;
            *best = best.max(*with);
        }
        self.cells += len;
        self.rows.push((open, row));
    }

    /// A document that is relevant in any case.
    fn must_add(&mut self, add: impl Fn(usize) -> f64) {
        for (n, best) in self.best.iter_mut().enumerate() {
            *best += add(n);
        }
        self.cells += self.best.len();
    }

    /// Joins documents that count by themselves, the best first. The number of others does not
    /// fall while the whole number rises, so that half of the numbers limit the other half.
    fn join(&mut self, others: Vec<(f64, usize)>) {
        let mut sums = vec![0.0];
        let mut sum = 0.0;
        sums.extend(others.iter().map(|of| {
            sum += of.0;
            sum
        }));
        let most = self.most.min(self.best.len() - 1 + others.len());
        let mut joined = vec![f64::NEG_INFINITY; self.most + 1];
        self.before = vec![0; self.most + 1];
        let mut ranges = vec![(0, most, 0, self.best.len() - 1)];
        while let Some((from, to, low, high)) = ranges.pop() {
            let middle = usize::midpoint(from, to);
            let (low_here, high_here) =
                (low.max(middle.saturating_sub(others.len())), high.min(middle));
            let mut best = (f64::NEG_INFINITY, low_here);
            for before in low_here..=high_here {
                let sum = self.best[before] + sums[middle - before];
                if sum > best.0 {
                    best = (sum, before);
                }
            }
            self.cells += (high_here + 1).saturating_sub(low_here);
            (joined[middle], self.before[middle]) = best;
            if middle > from {
                ranges.push((from, middle - 1, low, best.1));
            }
            if middle < to {
                ranges.push((middle + 1, to, best.1, high));
            }
        }
        self.best = joined;
        self.others = others;
    }

    /// The documents that make the sum for a number of them.
    fn chosen(&self, pairs: &PrecisionPairs, number: usize) -> Vec<bool> {
        let mut chosen = vec![false; pairs.places.len()];
        let mut left = self.before.get(number).copied().unwrap_or(number);
        for &(_, open) in &self.others[..(number - left).min(self.others.len())] {
            chosen[open] = true;
        }
        for (open, row) in self.rows.iter().rev() {
            if row.get(left).copied().unwrap_or(false) {
                chosen[*open] = true;
                left -= 1;
            }
        }
        chosen
    }
}
