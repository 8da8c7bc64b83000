//! Sorted measures where a place has one grade that is relevant or one that is not.
//!
//! The first 0, 1, 2 ... places are relevant, or the last. From one list to the next one
//! document changes. If the measure is known to fall slowly on the way ([`Falls`]), two values
//! say how low and how high those between them can be, and most need not be looked at.

use std::ops::Range;

use super::open::{self, Open};
use crate::error::Result;
use crate::measure::{Falls, Nonrelevant};
use crate::trace::{Record, Relevant};

/// This many documents of a grade that are not in the list.
pub(super) type Elsewhere = Vec<(u32, u32)>;

/// A list all of whose places are filled with a relevant document or one that is not.
pub(super) struct TwoGrades<'o, 'a> {
    open: &'o mut Open<'a>,
    places: &'o [u32],
    relevant: u32,
    nothing: u32,
    /// How many documents have each grade, if nothing in a place is relevant.
    none: Vec<u32>,
    /// How many have it now.
    counts: Vec<u32>,
    /// The same with those that are not in the list.
    all: Vec<u32>,
    /// The judged documents of the list that are relevant.
    judged: Vec<(u32, u32)>,
    /// Whether the measure looks at documents that are not relevant.
    traced: bool,
    /// Which places were relevant when a value was last looked at.
    filled: Range<usize>,
    low: f64,
    high: f64,
}

/// Which places are relevant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RelevantEnd {
    First,
    Last,
}

/// A value that was looked at.
#[derive(Clone, Copy)]
struct TriedValue {
    /// How many places were relevant.
    filled: usize,
    value: f64,
    num_rel: f64,
    num_nonrel: f64,
    /// Those of the list that were not relevant.
    nonrelevant: f64,
}

/// How many values of a sequence are looked at before any is left out.
const GRID: usize = 8;

/// Values are left out if they would not be extreme even this far beyond what is known of them:
/// rounding is less by far.
const MARGIN: f64 = 1e-9;

impl<'o, 'a> TwoGrades<'o, 'a> {
    /// Nothing in a place is relevant.
    pub(super) fn new(
        open: &'o mut Open<'a>,
        relevant: u32,
        nothing: u32,
        places: &'o [u32],
    ) -> Self {
        let worthy = open.judged.iter().filter(|hit| open.lens.relevant[hit.1 as usize]);
        let judged: Vec<(u32, u32)> = worthy.copied().collect();
        open::list(&mut open.view, judged.iter().copied(), std::iter::empty());
        let traced = open.measure.family.sees.nonrelevant == Nonrelevant::Each;
        if traced {
            let empty = (1..=open.case.trace.retrieved).map(|rank| Record {
                rank,
                condensed: rank,
                grade_index: nothing,
            });
            open.trace.records = empty.collect();
            for &(rank, grade_index) in &open.judged {
                open.trace.records[rank as usize - 1].grade_index = grade_index;
            }
            open.trace.retrieved = open.case.trace.retrieved;
            open.trace.judged = open.trace.retrieved;
        }
        let mut none = open.counts.clone();
        none[nothing as usize] += places.len() as u32;
        let counts = none.clone();
        TwoGrades {
            open,
            places,
            relevant,
            nothing,
            none,
            counts,
            all: Vec::new(),
            judged,
            traced,
            filled: 0..0,
            low: f64::INFINITY,
            high: f64::NEG_INFINITY,
        }
    }

    /// The extremes when the first places are relevant, and when the last are.
    pub(super) fn extremes(mut self, elsewhere: &[Elsewhere]) -> Result<(f64, f64)> {
        let (measure, gain) = (self.open.measure, self.open.top_worth());
        let unseen = elsewhere.iter().map(|more| more.iter().map(|kind| kind.1).sum::<u32>()).max();
        self.open.let_ideal_grow(self.relevant, self.places.len() as u32 + unseen.unwrap_or(0));
        let alone = elsewhere.len() == 1 && unseen == Some(0);
        match (measure.family.laws.falls)(measure, gain) {
            // To a rank many values are equally high, so that none is left out.
            Some(falls) if alone && measure.cutoff.is_none() && self.open.is_binary() => {
                self.search(falls)?;
            }
            _ => self.scan(elsewhere)?,
        }
        Ok((self.low, self.high))
    }

    /// Looks at all values.
    fn scan(&mut self, elsewhere: &[Elsewhere]) -> Result<()> {
        self.look(elsewhere)?;
        for &place in self.places {
            self.add(place);
            self.look(elsewhere)?;
        }
        // Without the last of them it is the list with which this began.
        for &place in &self.places[..self.places.len().saturating_sub(1)] {
            self.remove(place);
            self.look(elsewhere)?;
        }
        Ok(())
    }

    /// Looks at values until no other can be extreme.
    fn search(&mut self, falls: Falls) -> Result<()> {
        let mut spans = Vec::new();
        // Both sides first: the highest values are on one, the lowest on the other.
        for side in [RelevantEnd::First, RelevantEnd::Last] {
            let mut before = self.seen(side, 0)?;
            for i in 1..=GRID {
                let filled = self.places.len() * i / GRID;
                if filled > before.filled {
                    let next = self.seen(side, filled)?;
                    spans.push((side, before, next));
                    before = next;
                }
            }
        }
        while let Some((side, from, to)) = spans.pop() {
            if to.filled - from.filled > 1 && self.may_hold(falls, from, to) {
                let middle = self.seen(side, from.filled.midpoint(to.filled))?;
                spans.extend([(side, from, middle), (side, middle, to)]);
            }
        }
        Ok(())
    }

    /// Whether an extreme value may lie between two others.
    fn may_hold(&self, falls: Falls, from: TriedValue, to: TriedValue) -> bool {
        // The fewest and the most relevant documents between them.
        let (few, many) = (from.num_rel + 1.0, to.num_rel - 1.0);
        let (lowest, highest) = match falls {
            Falls::Power(power) => {
                let sum = |seen: TriedValue| seen.value * seen.num_rel.powi(power);
                (sum(from) / many.powi(power), sum(to) / few.powi(power))
            }
            Falls::Sum(sum, value) => {
                (value(sum(from.value, from.num_rel), many), value(sum(to.value, to.num_rel), few))
            }
            Falls::Compared { listed } => {
                let compared = if listed { to.nonrelevant } else { to.num_nonrel };
                let steps = (to.filled - from.filled) as f64;
                let sum = |seen: TriedValue| seen.value * seen.num_rel;
                // At most the sum of q by which the values differ from 1.
                let fallen = |least: f64| steps * to.num_rel * (1.0 - least) / compared.max(1.0);
                let least = ((sum(from) - fallen(0.0)) / to.num_rel).max(0.0);
                let fallen = fallen(least);
                ((sum(from) - fallen) / many, (sum(to) + fallen) / few)
            }
        };
        let beyond = |value: f64| MARGIN * (1.0 + value.abs());
        // What is not a number is between all.
        let left_out = highest + beyond(highest) < self.high && lowest - beyond(lowest) > self.low;
        !left_out
    }

    /// Looks at the value with this many relevant places.
    fn seen(&mut self, side: RelevantEnd, filled: usize) -> Result<TriedValue> {
        let all = self.places.len();
        let chosen = match side {
            RelevantEnd::First => 0..filled,
            RelevantEnd::Last => all - filled..all,
        };
        self.fill(chosen);
        self.counts.clone_from(&self.none);
        self.counts[self.nothing as usize] -= filled as u32;
        self.counts[self.relevant as usize] += filled as u32;
        let value = self.open.fold_relevant(&self.counts)?;
        (self.low, self.high) = (self.low.min(value), self.high.max(value));
        let view = &self.open.view;
        Ok(TriedValue {
            filled,
            value,
            num_rel: view.num_rel.into(),
            num_nonrel: view.num_nonrel.into(),
            nonrelevant: view.nonrelevant.into(),
        })
    }

    /// Lets these places be relevant, and no others.
    fn fill(&mut self, chosen: Range<usize>) {
        let before = std::mem::replace(&mut self.filled, chosen.clone());
        if self.traced {
            let changes = [(&before, &chosen, self.nothing), (&chosen, &before, self.relevant)];
            for (places, but, grade_index) in changes {
                for place in without(places, but).into_iter().flatten() {
                    let hit = self.places[place] as usize - 1;
                    self.open.trace.records[hit].grade_index = grade_index;
                }
            }
        }
        // The list stays as it is above the first place that changes.
        let changes = [without(&before, &chosen), without(&chosen, &before)].into_iter().flatten();
        let first = changes.filter(|places| !places.is_empty()).map(|places| places.start).min();
        let Some(first) = first else { return };
        let rank = self.places[first];
        let list = &mut self.open.view.relevant;
        list.truncate(list.partition_point(|document| document.rank < rank));
        let judged = self.judged.partition_point(|hit| hit.0 < rank);
        let added = self.places[chosen.start.max(first)..chosen.end.max(first)].iter();
        let added = added.map(|&place| (place, self.relevant));
        open::extend(&mut self.open.view, self.judged[judged..].iter().copied(), added);
    }

    /// The document in a place becomes relevant.
    fn add(&mut self, place: u32) {
        let list = &mut self.open.view.relevant;
        let above = list.partition_point(|document| document.rank < place);
        let (seen, grade_index) = (above as u32 + 1, self.relevant);
        let nonrelevant = place - seen;
        list.insert(above, Relevant { rank: place, seen, nonrelevant, pooled: 0, grade_index });
        for document in &mut list[above + 1..] {
            document.seen += 1;
            document.nonrelevant -= 1;
        }
        self.regrade(place, self.nothing, self.relevant);
    }

    /// The document in a place is no longer relevant.
    fn remove(&mut self, place: u32) {
        let list = &mut self.open.view.relevant;
        let above = list.partition_point(|document| document.rank < place);
        list.remove(above);
        for document in &mut list[above..] {
            document.seen -= 1;
            document.nonrelevant += 1;
        }
        self.regrade(place, self.relevant, self.nothing);
    }

    fn regrade(&mut self, place: u32, from: u32, to: u32) {
        self.counts[from as usize] -= 1;
        self.counts[to as usize] += 1;
        if self.traced {
            self.open.trace.records[place as usize - 1].grade_index = to;
        }
    }

    /// Looks at the value, for each choice of what is not in the list.
    fn look(&mut self, elsewhere: &[Elsewhere]) -> Result<()> {
        for more in elsewhere {
            self.all.clone_from(&self.counts);
            for &(grade_index, count) in more {
                self.all[grade_index as usize] += count;
            }
            let value = self.open.fold_relevant(&self.all)?;
            (self.low, self.high) = (self.low.min(value), self.high.max(value));
        }
        Ok(())
    }
}

/// A range without another one.
fn without(range: &Range<usize>, other: &Range<usize>) -> [Range<usize>; 2] {
    [range.start..range.end.min(other.start), range.start.max(other.end)..range.end]
}
