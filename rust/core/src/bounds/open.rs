//! A list with open places: the unjudged documents.

use std::sync::OnceLock;

use super::question::Question;
use crate::error::{Error, Kind, Result, quote};
use crate::evaluate::Evaluator;
use crate::grade_column::GradeCount;
use crate::ideal::Ideal;
use crate::interrupt;
use crate::measure::{Best, Case, Measure, Nonrelevant};
use crate::qrels::Topic;
use crate::trace::{Lens, Record, Relevant, Trace, View};

/// A topic's list whose open places can be given grades, to see the value.
pub(crate) struct Open<'a> {
    pub(crate) evaluator: &'a Evaluator,
    pub(crate) case: &'a Case<'a>,
    pub(crate) measure: &'a Measure,
    /// Judged documents of the list: rank and grade index.
    pub(crate) judged: Vec<(u32, u32)>,
    /// Ranks of the open places, ascending.
    pub(crate) places: Vec<u32>,
    /// The grade indices that an open place can get and that differ for the
    /// measure, by ascending worth, each with that worth.
    pub(crate) classes: Vec<(f64, u32)>,
    /// Whether nothing in the list stays unjudged once the places are filled.
    pub(super) whole: bool,
    /// The number of documents of each grade, without the open places.
    pub(super) counts: Vec<u32>,
    pub(super) lens: Lens,
    pub(super) trace: Trace,
    pub(super) view: View,
    topic: Topic,
    /// The topic's best possible list, once it was asked for.
    ideal: OnceLock<Ideal>,
    /// Whether it is a part of the one in `ideal`, which has as many documents as there can be.
    ideal_grows: bool,
}

impl<'a> Open<'a> {
    /// Opens the unjudged places of a list, or of the pooled documents only.
    pub(crate) fn new(
        evaluator: &'a Evaluator,
        case: &'a Case<'a>,
        measure: &'a Measure,
        allowed: &[u32],
        pooled_only: bool,
    ) -> Self {
        let mut counts = vec![0; case.gains.len()];
        for &GradeCount { grade_index, count } in case.topic.counts() {
            counts[grade_index as usize] = count;
        }
        let (mut judged, mut places) = (Vec::new(), Vec::new());
        let mut next = 1;
        for hit in &case.trace.records {
            if !pooled_only {
                places.extend(next..hit.rank);
            }
            if hit.condensed > 0 {
                judged.push((hit.rank, hit.grade_index));
            } else {
                places.push(hit.rank);
                counts[hit.grade_index as usize] -= 1;
            }
            next = hit.rank + 1;
        }
        if !pooled_only {
            places.extend(next..=case.trace.retrieved);
        }
        let lens = Lens { condensed: case.condensed, relevant: case.relevant_grades.to_vec() };
        let mut open = Open {
            evaluator,
            case,
            measure,
            judged,
            places,
            classes: Vec::new(),
            whole: !pooled_only,
            counts,
            lens,
            trace: Trace::default(),
            view: View::default(),
            topic: Topic::of(case.topic.id()),
            ideal: OnceLock::new(),
            ideal_grows: false,
        };
        open.classes =
            allowed.iter().map(|&grade_index| (open.worth(grade_index), grade_index)).collect();
        open.classes.sort_by(|a, b| a.0.total_cmp(&b.0));
        open.classes.dedup_by_key(|class| class.0);
        open
    }

    /// The worth of a grade for the measure: its gain, or 1 if it is relevant.
    pub(crate) fn worth(&self, grade_index: u32) -> f64 {
        match self.measure.counts_gains() {
            _ if !self.case.relevant_grades[grade_index as usize] => 0.0,
            false => 1.0,
            true => self.case.gains[grade_index as usize],
        }
    }

    /// The number of judged documents of each grade, in the list or not.
    pub(crate) fn judged_counts(&self) -> impl Iterator<Item = (u32, u32)> {
        let grade_indices = (0..).zip(&self.counts);
        grade_indices
            .filter(|&(grade_index, &count)| count > 0 && self.evaluator.is_judged(grade_index))
            .map(|(grade_index, &count)| (grade_index, count))
    }

    /// The highest worth of any document, judged or not.
    pub(crate) fn top_worth(&self) -> f64 {
        let judged = self.judged_counts().map(|(grade_index, _)| self.worth(grade_index));
        judged.chain(self.classes.iter().map(|class| class.0)).fold(0.0, f64::max)
    }

    /// The index of the grade with the highest worth that an open place can get, if any.
    pub(crate) fn best_class(&self) -> Option<u32> {
        self.classes.last().filter(|class| class.0 > 0.0).map(|class| class.1)
    }

    /// Whether all documents with a worth have the same worth.
    pub(crate) fn is_binary(&self) -> bool {
        let top = self.top_worth();
        let judged = self.judged_counts().map(|(grade_index, _)| self.worth(grade_index));
        judged.chain(self.classes.iter().map(|class| class.0)).all(|w| w == 0.0 || w == top)
    }

    /// The value when each open place, from the top, gets a grade, and a number
    /// of unseen documents of a grade are relevant elsewhere.
    pub(crate) fn value(
        &mut self,
        grade_indices: impl Iterator<Item = u32>,
        unseen: &[(u32, u32)],
    ) -> Result<f64> {
        let mut counts = self.counts.clone();
        for &(grade_index, count) in unseen {
            counts[grade_index as usize] += count;
        }
        if self.whole && self.measure.family.sees.nonrelevant != Nonrelevant::Each {
            return self.quick_fold(&mut counts, grade_indices);
        }
        let filled: Vec<(u32, u32)> = self.places.iter().copied().zip(grade_indices).collect();
        for &(_, grade_index) in &filled {
            counts[grade_index as usize] += 1;
        }
        self.fold(&counts, &filled)
    }

    /// Like `fold` when every place of the list gets a grade: all other documents
    /// are judged not relevant, so the relevant ones are enough.
    fn quick_fold(
        &mut self,
        counts: &mut [u32],
        grade_indices: impl Iterator<Item = u32>,
    ) -> Result<f64> {
        let relevant = &self.lens.relevant;
        let filled = self.places.iter().copied().zip(grade_indices).filter(|&(_, grade_index)| {
            counts[grade_index as usize] += 1;
            relevant[grade_index as usize]
        });
        let judged = self.judged.iter().copied().filter(|hit| relevant[hit.1 as usize]);
        list(&mut self.view, judged, filled);
        self.fold_relevant(counts)
    }

    /// Makes the best possible list once for all numbers of new documents of a grade up to this
    /// one, if every document has the same gain or none: then each list is the beginning of a
    /// longer one.
    pub(super) fn let_ideal_grow(&mut self, grade_index: u32, most: u32) {
        let gain = self.case.gains.get(grade_index as usize).copied().unwrap_or(0.0);
        let gains = self.case.gains.iter().zip(&self.counts).filter(|(_, count)| **count > 0);
        let same = gains.clone().all(|(&other, _)| other <= 0.0 || other == gain);
        if gain > 0.0 && same && *self.case.best == Best::Judged && self.measure.counts_gains() {
            let known: u32 = gains.filter(|(gain, _)| **gain > 0.0).map(|(_, count)| count).sum();
            let ideal = Ideal::new([(gain, known + most)].into_iter(), self.case.discount);
            self.ideal = OnceLock::from(ideal);
            self.ideal_grows = true;
        }
    }

    /// This many documents have each grade from now on.
    fn count(&mut self, counts: &[u32]) {
        self.topic.count(counts);
        match self.ideal.get_mut() {
            Some(ideal) if self.ideal_grows => {
                let counts = self.topic.counts().iter();
                let gaining = counts.filter(|of| self.case.gains[of.grade_index as usize] > 0.0);
                ideal.keep(gaining.map(|of| of.count as usize).sum());
            }
            _ => self.ideal = OnceLock::new(),
        }
    }

    /// The value of the list whose relevant documents are in the view, where every place has a
    /// grade and the documents have these in all.
    pub(super) fn fold_relevant(&mut self, counts: &[u32]) -> Result<f64> {
        self.view.found = self.view.relevant.len() as u32;
        self.count(counts);
        let retrieved = self.case.trace.retrieved;
        let of = |relevant: bool| -> u32 {
            let judged =
                self.topic.counts().iter().filter(|c| self.evaluator.is_judged(c.grade_index));
            judged
                .filter(|c| self.lens.relevant[c.grade_index as usize] == relevant)
                .map(|c| c.count)
                .sum()
        };
        (self.view.num_rel, self.view.num_nonrel) = (of(true), of(false));
        self.view.retrieved = retrieved;
        self.view.nonrelevant = retrieved - self.view.relevant.len() as u32;
        self.settled()
    }

    /// The value with these documents in addition to the judged ones of the list.
    fn fold(&mut self, counts: &[u32], filled: &[(u32, u32)]) -> Result<f64> {
        let Trace { records, .. } = &mut self.trace;
        records.clear();
        let mut judged = self.judged.iter().copied().peekable();
        let mut filled = filled.iter().copied().peekable();
        let nearer = |a: Option<&(u32, u32)>, b: Option<&(u32, u32)>| match (a, b) {
            (Some(a), Some(b)) => a.0 < b.0,
            (a, _) => a.is_some(),
        };
        loop {
            let next =
                if nearer(judged.peek(), filled.peek()) { judged.next() } else { filled.next() };
            let Some((rank, grade_index)) = next else { break };
            records.push(Record { rank, condensed: records.len() as u32 + 1, grade_index });
        }
        self.trace.judged = self.trace.records.len() as u32;
        self.trace.retrieved = self.case.trace.retrieved;
        self.count(counts);
        let is_judged = self.evaluator.judged_grades();
        self.view.write(&self.trace, &self.topic, is_judged, &self.lens);
        self.settled()
    }

    /// The value of the view.
    fn settled(&self) -> Result<f64> {
        // A list may have very many ways to be judged.
        interrupt::check()?;
        let case = Case {
            view: &self.view,
            trace: &self.trace,
            topic: &self.topic,
            kept_ideal: &self.ideal,
            kept_served: &OnceLock::new(),
            ..*self.case
        };
        self.evaluator.value(&case, self.measure)
    }

    /// For measures that never fall when a grade rises.
    pub(crate) fn all_worst_all_best(&mut self, unseen: u32) -> Result<(f64, f64)> {
        let (Some(&(_, worst)), Some(&(_, best))) = (self.classes.first(), self.classes.last())
        else {
            return self.value(std::iter::empty(), &[]).map(|value| (value, value));
        };
        let low = self.value(std::iter::repeat(worst), &[])?;
        let elsewhere = self.best_class().map(|best| (best, unseen));
        let high = self.value(std::iter::repeat(best), elsewhere.as_slice())?;
        Ok((low.min(high), low.max(high)))
    }

    /// For the share of the relevant documents that are among the first ranks:
    /// highest when exactly the open places among these are relevant, lowest
    /// when exactly the others are.
    pub(crate) fn nothing_or_all(&mut self, unseen: u32) -> Result<(f64, f64)> {
        let (Some(&(_, worst)), Some(&(_, best))) = (self.classes.first(), self.classes.last())
        else {
            return self.value(std::iter::empty(), &[]).map(|value| (value, value));
        };
        let depth = self.measure.depth();
        let places = self.places.clone();
        let grade_indices = |first: u32, rest: u32| {
            let grade_index = move |&place| if place <= depth { first } else { rest };
            places.iter().map(grade_index).collect::<Vec<u32>>().into_iter()
        };
        let elsewhere = self.best_class().map(|best| (best, unseen));
        let low = self.value(grade_indices(worst, best), elsewhere.as_slice())?;
        let high = self.value(grade_indices(best, worst), &[])?;
        Ok((low, high))
    }

    /// The value when one more document is judged: that of an open place, or
    /// one that is not in the list.
    pub(crate) fn with_one(&mut self, place: Option<u32>, grade_index: u32) -> Result<f64> {
        let mut counts = self.counts.clone();
        counts[grade_index as usize] += 1;
        let filled = place.map(|place| (place, grade_index));
        self.fold(&counts, filled.as_slice())
    }

    /// How many ways there are to give the open places and the unseen
    /// documents their classes, the order of places aside.
    pub(crate) fn assignments(&self, question: &Question) -> f64 {
        let choices = |n: usize, classes: usize| -> f64 {
            (1..=classes).map(|i| (n + i) as f64 / i as f64).product()
        };
        let positive = self.classes.iter().filter(|class| class.0 > 0.0).count();
        let elsewhere =
            if question.unseen_judged { self.classes.len().saturating_sub(1) } else { positive };
        choices(self.places.len(), self.classes.len().saturating_sub(1))
            * choices(question.unseen as usize, elsewhere)
    }

    /// When every relevant document is known, and those that were not retrieved
    /// can be anywhere after the list. No other document is relevant.
    pub(crate) fn placed(&mut self) -> Result<(f64, f64)> {
        let retrieved = self.case.trace.retrieved;
        let collection = self.case.docs_in_collection.unwrap_or(0);
        let mut missing: Vec<(u32, u32)> = self.judged_counts().collect();
        for (grade_index, count) in &mut missing {
            *count -= self.judged.iter().filter(|hit| hit.1 == *grade_index).count() as u32;
        }
        let named: u64 = missing.iter().map(|&(_, count)| u64::from(count)).sum();
        let (Ok(collection), true) =
            (u32::try_from(collection), collection >= u64::from(retrieved) + named)
        else {
            return Err(Error::for_each(Kind::Option, |to| {
                format!(
                    "{} needs {} from what topic {} retrieved or judged up to {}, found {collection}",
                    to.choice("mode", "fixed_R"),
                    to.option("docs_in_collection"),
                    quote(self.case.topic.id()),
                    u32::MAX
                )
            }));
        };
        missing.retain(|&(grade_index, _)| self.worth(grade_index) > 0.0);
        missing.sort_by(|a, b| self.worth(a.0).total_cmp(&self.worth(b.0)));
        let rising: Vec<u32> = missing
            .into_iter()
            .flat_map(|(grade_index, count)| std::iter::repeat_n(grade_index, count as usize))
            .collect();
        let others = self.grade_of_others(collection)?;
        // At best they follow the list, the best first; at worst they are the
        // last of the collection, the best at its very end.
        let best: Vec<(u32, u32)> = (retrieved + 1..).zip(rising.iter().rev().copied()).collect();
        let end = collection - rising.len() as u32;
        let worst: Vec<(u32, u32)> = (end + 1..).zip(rising).collect();
        let high = self.of_all(&best, others, collection)?;
        let low = self.of_all(&worst, others, collection)?;
        Ok((low.min(high), low.max(high)))
    }

    /// The index of the grade for documents that are not relevant; `None` if a
    /// gain map or `rel=` gives every grade a gain, which leaves only measures
    /// that do not use such documents.
    fn grade_of_others(&self, collection: u32) -> Result<Option<u32>> {
        let nonrelevant = self.measure.family.sees.nonrelevant;
        let grade_indices = 0..self.case.gains.len() as u32;
        let mut others = grade_indices.filter(|&grade_index| {
            self.evaluator.is_judged(grade_index) && self.worth(grade_index) == 0.0
        });
        let found = others.next();
        let reason = if nonrelevant == Nonrelevant::Each && collection > MOST_TRACED {
            format!("it looks at every document, and more than {MOST_TRACED} are too many")
        } else if found.is_none() && nonrelevant != Nonrelevant::Ranks {
            "every grade is relevant, so that nothing is judged not relevant".to_string()
        } else {
            return Ok(found);
        };
        Err(refused(self.measure, &reason))
    }

    /// The value when the whole collection is ranked and judged: the relevant
    /// documents of the list, these after it, and others that are not relevant.
    fn of_all(
        &mut self,
        behind: &[(u32, u32)],
        others: Option<u32>,
        collection: u32,
    ) -> Result<f64> {
        let worthy = self.judged.iter().filter(|hit| self.lens.relevant[hit.1 as usize]);
        let ranked: Vec<(u32, u32)> = worthy.chain(behind).copied().collect();
        let mut counts = vec![0; self.counts.len()];
        for &(_, grade_index) in &ranked {
            counts[grade_index as usize] += 1;
        }
        let num_rel = ranked.len() as u32;
        if let Some(others) = others {
            counts[others as usize] = collection - num_rel;
        }
        self.count(&counts);
        if let (Nonrelevant::Each, Some(others)) = (self.measure.family.sees.nonrelevant, others) {
            let mut relevant = ranked.iter().copied().peekable();
            let hits = (1..=collection).map(|rank| {
                let grade_index = relevant.next_if(|hit| hit.0 == rank).map_or(others, |hit| hit.1);
                Record { rank, condensed: rank, grade_index }
            });
            self.trace.records.clear();
            self.trace.records.extend(hits);
            (self.trace.judged, self.trace.retrieved) = (collection, collection);
            let is_judged = self.evaluator.judged_grades();
            self.view.write(&self.trace, &self.topic, is_judged, &self.lens);
            return self.settled();
        }
        list(&mut self.view, ranked.into_iter(), std::iter::empty());
        self.view.found = num_rel;
        (self.view.num_rel, self.view.num_nonrel) = (num_rel, collection - num_rel);
        (self.view.retrieved, self.view.nonrelevant) = (collection, collection - num_rel);
        self.settled()
    }
}

/// Writes the relevant documents of a list that has only judged ones: some by rank, and others
/// between these.
pub(super) fn list(
    view: &mut View,
    some: impl Iterator<Item = (u32, u32)>,
    others: impl Iterator<Item = (u32, u32)>,
) {
    view.relevant.clear();
    extend(view, some, others);
}

/// The same below the relevant documents that are in the list.
pub(super) fn extend(
    view: &mut View,
    some: impl Iterator<Item = (u32, u32)>,
    others: impl Iterator<Item = (u32, u32)>,
) {
    let View { relevant, .. } = view;
    let mut add = |(rank, grade_index): (u32, u32)| {
        let seen = relevant.len() as u32 + 1;
        relevant.push(Relevant { rank, seen, nonrelevant: rank - seen, pooled: 0, grade_index });
    };
    let mut some = some.peekable();
    for other in others {
        while let Some(document) = some.next_if(|document| document.0 < other.0) {
            add(document);
        }
        add(other);
    }
    some.for_each(add);
}

/// The largest collection for which a list of all documents is built.
const MOST_TRACED: u32 = 10_000_000;

/// The error for a measure without exact bounds.
pub(super) fn refused(measure: &Measure, reason: &str) -> Error {
    Error::new(Kind::Bounds, no_bounds(measure, reason))
}

/// The message of that error.
pub(super) fn no_bounds(measure: &Measure, reason: &str) -> String {
    format!("no exact bounds of {measure}: {reason}")
}
