//! What lists cost down to each rank, and lists of several calls.
//!
//! Neither is looked at unless a measure has a budget, or a list names its calls.

use std::collections::HashSet;

use super::lookup::Scratch;
use super::ranking::{Ranking, RunningCost};
use super::{Duplicates, JoinTarget, ListSource, Ranker, Repeated, Unrankable};
use crate::costs::{Unit, Units};

impl Ranker {
    /// Ranks the lists of several calls, one after the other. A document that comes again in a
    /// later call keeps its place and gains nothing, unless repeated documents are given another
    /// meaning; within a call it is what it is in any list.
    #[cold]
    #[inline(never)]
    pub(super) fn rank_calls(
        &self,
        source: &impl ListSource,
        target: JoinTarget<'_>,
        scratch: &mut Scratch,
        ranking: &mut Ranking,
    ) -> Result<(), Unrankable> {
        let calls = source.costs(Unit::Calls);
        let is_call = |call: f64| call >= 0.0 && call.fract() == 0.0 && call.is_finite();
        let number = |line: usize| calls.get(line).copied().unwrap_or(f64::NAN);
        if let Some(line) = (0..source.len()).find(|&line| !is_call(number(line))) {
            return Err(Unrankable::NoCall(line));
        }
        let mut ranker = *self;
        if self.duplicates == Duplicates::Error {
            let mut seen = HashSet::new();
            let mut line_of = |line: u32| {
                let key = source.with_id(line, |id| Box::<[u8]>::from(id));
                seen.insert((number(line as usize).to_bits(), key))
            };
            if let Some(second) = (0..source.len() as u32).find(|&line| !line_of(line)) {
                return Err(Unrankable::Repeated(again(source, second)));
            }
            ranker.duplicates = Duplicates::Place;
        }
        ranker.rank_list(source, target, scratch, ranking)
    }

    /// Keys that put the lines of earlier calls first, and those of a call in the order of these.
    #[cold]
    #[inline(never)]
    pub(super) fn keys_by_call(keys: &[f64], calls: &[f64]) -> Vec<f64> {
        let mut order: Vec<usize> = (0..keys.len()).collect();
        // Of a run that is only written down, the calls were not checked.
        let call = |line: usize| calls.get(line).copied().unwrap_or(f64::NAN);
        let place = |line: usize| (call(line), -keys[line]);
        order.sort_by(|&a, &b| {
            let ((first, high), (second, low)) = (place(a), place(b));
            first.total_cmp(&second).then(high.total_cmp(&low))
        });
        let mut by_call = vec![0.0; keys.len()];
        let (mut key, mut before) = (0.0, None);
        for line in order {
            if before.is_some_and(|before| before != place(line)) {
                key -= 1.0;
            }
            before = Some(place(line));
            by_call[line] = key;
        }
        by_call
    }

    /// Adds up what the list costs in each unit that is asked for, down to each rank.
    #[cold]
    #[inline(never)]
    pub(super) fn add_up(
        &self,
        source: &impl ListSource,
        target: JoinTarget<'_>,
        scratch: &mut Scratch,
        ranking: &mut Ranking,
    ) {
        let mut own = std::mem::take(&mut scratch.keys);
        let keys = self.keys(source, &mut own);
        self.sort(keys, source, scratch, |_, _| true);
        scratch.keys = own;
        let last = ranking.retrieved as usize;
        for unit in self.units.iter() {
            let mut running = RunningCost::of(unit);
            let (column, known) = (source.costs(unit), target.costs.of(unit, target.topic));
            let mut before = f64::NAN;
            for &line in scratch.order.iter().take(last) {
                let own = column.get(line as usize).copied().filter(|cost| !cost.is_nan());
                let of_document = || source.with_id(line, |id| known?.get(id));
                let cost = own.or_else(of_document).unwrap_or(f64::NAN);
                let document = || source.with_id(line, |id| id.into());
                if unit == Unit::Calls && !cost.is_nan() {
                    // Each call costs one, whatever its number is.
                    running.add(f64::from(u8::from(cost != before)), document);
                    before = cost;
                } else {
                    running.add(cost, document);
                }
            }
            ranking.costs.push(running);
        }
    }

    /// Whether what lists cost is added up in any unit.
    #[inline(always)]
    pub(super) fn adds_up(&self) -> bool {
        self.units != Units::default()
    }
}

/// The two lines of a document that comes twice in a call.
fn again(source: &impl ListSource, second: u32) -> Repeated {
    let calls = source.costs(Unit::Calls);
    let same = |line: u32| {
        calls[line as usize] == calls[second as usize]
            && source.with_id(line, |a| source.with_id(second, |b| a == b))
    };
    let first = (0..second).find(|&line| same(line)).unwrap_or(second);
    Repeated { first: first as usize, second: second as usize }
}
