//! The mean over the orders of a group for measures that are linear in what is above a document.

use super::group::TieGroup;
use crate::error::Result;
use crate::interrupt;
use crate::measure::{Case, Measure, RunningSum};
use crate::trace::Relevant;

/// The means of measures where a document's contribution is linear in the shares of the classes
/// above it: it is the contribution below documents of one class only, weighted by these shares.
/// What was passed on the way down is kept from group to group.
pub(super) struct Shares<'a> {
    measure: &'a Measure,
    case: &'a Case<'a>,
    by_judged: bool,
    /// The list as it is.
    list: ListValue<'a>,
    /// The grades of the hits that were counted, and the documents that are not in the
    /// judgments, if they count.
    grades: Vec<EquivalentDocuments<'a>>,
    unlisted: Option<EquivalentDocuments<'a>>,
    counted: usize,
}

impl<'a> Shares<'a> {
    pub(super) fn new(measure: &'a Measure, case: &'a Case<'a>, by_judged: bool) -> Self {
        let unlisted = (!by_judged).then(|| EquivalentDocuments::new(None, measure, case));
        let list = ListValue::new(measure, case);
        Shares { measure, case, by_judged, list, grades: Vec::new(), unlisted, counted: 0 }
    }

    /// The mean contribution of a group minus its present one.
    pub(super) fn mean(&mut self, group: &TieGroup) -> Result<f64> {
        self.count(group);
        let before = self.as_far_as(group.seen);
        let mut mean = 0.0;
        for place in 0..group.places {
            if place % OFTEN == 0 {
                interrupt::check()?;
            }
            let rank = group.first + place;
            for class in &mut self.grades {
                class.reach(rank);
            }
            let drawn = f64::from(place) / f64::from(group.places - 1);
            for &(grade_index, count) in &group.grade_indices {
                let here = f64::from(count) / f64::from(group.places);
                if rank == 1 {
                    let document =
                        Relevant { rank, seen: 1, nonrelevant: 0, pooled: 0, grade_index };
                    mean += here * self.list.added(&document);
                    continue;
                }
                for class in self.grades.iter().chain(&self.unlisted) {
                    let others =
                        class.here - f64::from(u8::from(class.grade_index == Some(grade_index)));
                    let share = (class.above + drawn * others) / f64::from(rank - 1);
                    if share > 0.0 {
                        mean += here * share * class.list.added(&class.below(rank, grade_index));
                    }
                }
            }
        }
        let after = self.as_far_as(group.seen + group.relevant());
        Ok(mean - (after - before))
    }

    /// The value of the list down to its relevant document of this number.
    fn as_far_as(&mut self, number: u32) -> f64 {
        let documents = &self.case.view.relevant[self.list.passed as usize..number as usize];
        for document in documents {
            self.list.pass(document);
        }
        self.list.value
    }

    /// Counts the documents of each class above a group, and in it.
    fn count(&mut self, group: &TieGroup) {
        for class in &mut self.grades {
            class.above += std::mem::take(&mut class.here);
        }
        let hits = self.case.trace.records[..group.to].iter().enumerate().skip(self.counted);
        for (i, hit) in hits.filter(|(_, hit)| hit.condensed > 0 || !self.by_judged) {
            let grade_index = Some(hit.grade_index);
            let place = self.grades.iter().position(|class| class.grade_index == grade_index);
            let place = place.unwrap_or_else(|| {
                self.grades.push(EquivalentDocuments::new(grade_index, self.measure, self.case));
                self.grades.len() - 1
            });
            let class = &mut self.grades[place];
            *(if i < group.from { &mut class.above } else { &mut class.here }) += 1.0;
        }
        self.counted = group.to;
        if let Some(unlisted) = &mut self.unlisted {
            let left = |places: u32, known: usize| f64::from(places) - known as f64;
            unlisted.above = left(group.first - 1, group.from);
            unlisted.here = left(group.places, group.to - group.from);
        }
    }
}

/// After so many places it is asked whether to stop.
const OFTEN: u32 = 1024;

/// Documents that are equivalent for a measure.
struct EquivalentDocuments<'a> {
    /// Their grade, if they are in the judgments.
    grade_index: Option<u32>,
    /// What each of them is, to a document below: relevant, judged not relevant, pooled.
    relevant: u32,
    nonrelevant: u32,
    pooled: u32,
    /// How many are above the group.
    above: f64,
    /// How many are in it.
    here: f64,
    /// A list of them alone.
    list: ListValue<'a>,
}

impl<'a> EquivalentDocuments<'a> {
    fn new(grade_index: Option<u32>, measure: &'a Measure, case: &'a Case<'a>) -> Self {
        let relevant =
            grade_index.is_some_and(|grade_index| case.is_relevant(grade_index as usize));
        let judged = grade_index.is_some_and(|grade_index| case.is_judged[grade_index as usize]);
        EquivalentDocuments {
            grade_index,
            relevant: u32::from(relevant),
            nonrelevant: u32::from(judged && !relevant),
            pooled: u32::from(grade_index.is_some() && !judged),
            above: 0.0,
            here: 0.0,
            list: ListValue::new(measure, case),
        }
    }

    /// A relevant document at a rank, below documents of this class only.
    fn below(&self, rank: u32, grade_index: u32) -> Relevant {
        let above = rank - 1;
        Relevant {
            rank,
            seen: 1 + above * self.relevant,
            nonrelevant: above * self.nonrelevant,
            pooled: above * self.pooled,
            grade_index,
        }
    }

    /// Lets the list end above a rank.
    fn reach(&mut self, rank: u32) {
        if let (Some(grade_index), 1) = (self.grade_index, self.relevant) {
            for rank in self.list.passed + 1..rank {
                self.list.pass(&self.below(rank, grade_index));
            }
        }
    }
}

/// The value of a list whose relevant documents are passed one after the other.
struct ListValue<'a> {
    sum: Box<dyn RunningSum + 'a>,
    depth: u32,
    divisor: f64,
    total: f64,
    value: f64,
    passed: u32,
}

impl<'a> ListValue<'a> {
    fn new(measure: &'a Measure, case: &'a Case<'a>) -> Self {
        let running = measure.family.laws.running.expect("what is linear in shares is a sum");
        let sum = running(measure, case);
        let divisor = sum.divisor();
        let value = 0.0 / divisor;
        ListValue { sum, depth: measure.depth(), divisor, total: 0.0, value, passed: 0 }
    }

    fn pass(&mut self, document: &Relevant) {
        self.passed += 1;
        if document.rank <= self.depth {
            self.total += self.sum.term(document);
            self.sum.pass(document);
            self.value = self.total / self.divisor;
        }
    }

    /// What a document would add to the value.
    fn added(&self, document: &Relevant) -> f64 {
        let term = if document.rank <= self.depth { self.sum.term(document) } else { 0.0 };
        (self.total + term) / self.divisor - self.value
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::evaluate::{Evaluator, Options, Workspace};
    use crate::grammar::parse_list;
    use crate::measure::{FAMILIES, Mean};
    use crate::qrels::Builder;
    use crate::rank::Hit;
    use crate::rank::Ranking;
    use crate::trace::{Lens, Record, Trace, View};

    const MEASURES: &str = "AP AP@3 AP(rel=2)' AP'@5 GMAP aAP@4 aAP(rel=2)'@4 \
        GAP GAP@7 GAP' GAP(thresholds=\"uniform\")'@4 GAP(gain={1:0.3,2:0.7}) \
        Q Q@5 Q(beta=0.3)' Q(beta=10)'@4 Q(gain={0:1,1:3}) NCU NCU@5 NCU' NCU(x=\"P\",beta=3)@4 \
        rpref_relative rpref_relative' rpref_relative(skip_first=False) rpref_relative'@6 \
        rpref_relative(partitions=3) rpref_relative2 rpref_relative2'@4 rpref_relative2(gain={1:0.3})";

    /// The value of a list that is written down.
    fn fold(measure: &Measure, case: &Case, hits: &[Record]) -> f64 {
        let lens = Lens { condensed: case.condensed, relevant: case.relevant_grades.to_vec() };
        let trace = Trace { records: hits.to_vec(), unjudged_docs: Vec::new(), ..*case.trace };
        let mut view = View::default();
        view.write(&trace, case.topic, case.is_judged, &lens);
        measure.score(&Case { view: &view, trace: &trace, ..*case })
    }

    /// The measures with a sum know their lists by what is above each document. Each has to be
    /// what the fold makes of the documents themselves, in every bit.
    #[test]
    fn lists_have_the_values_of_the_fold() {
        let mut judgments = Builder::new(&[]);
        let grades = [1.0, -1.0, 3.0, 0.0, 1.0, 2.0, 0.0, 3.0, -1.0, 2.0, 1.0, 3.0];
        for (document, grade) in (b'a'..).zip(grades) {
            judgments.add(b"1", &[document], grade, &[], 1).unwrap();
        }
        let measures = parse_list(MEASURES).unwrap();
        let families = measures.iter().map(|measure| measure.family.about.name);
        let families: Vec<&str> = families.collect();
        for family in FAMILIES.iter().filter(|family| family.laws.running.is_some()) {
            assert!(families.contains(&family.about.name), "{}", family.about.name);
        }
        let evaluator =
            Evaluator::new(Arc::new(judgments.finish(None)), &measures, Options::default())
                .unwrap();
        // Every third rank has a document that is not in the judgments.
        let hits: Vec<Hit> = (0..12).map(|i| Hit { rank: 1 + i + i / 2, document: i }).collect();
        let retrieved = 20;
        let ranking = Ranking { retrieved, hits, ..Ranking::default() };
        let mut seen = 0;
        let look = |case: &Case, measure: &Measure, _| {
            seen += 1;
            let by_judged = match measure.ties().mean {
                Some(Mean::Shares { judged }) => judged || case.condensed,
                mean => panic!("{measure}: {mean:?}"),
            };
            let same = |a: f64, b: f64| assert_eq!(a.to_bits(), b.to_bits(), "{measure}: {a} {b}");
            let mut list = ListValue::new(measure, case);
            let hits = &case.trace.records;
            for (i, hit) in hits.iter().enumerate() {
                if case.is_relevant(hit.grade_index as usize) {
                    list.pass(&case.view.relevant[list.passed as usize]);
                }
                same(list.value, fold(measure, case, &hits[..=i]));
            }
            // A document of each grade below those of any class, in each number.
            let grade_indices = 0..case.gains.len() as u32;
            for grade_index in grade_indices.clone().map(Some).chain([None]) {
                let judged =
                    grade_index.is_some_and(|grade_index| case.is_judged[grade_index as usize]);
                if by_judged && !judged {
                    continue;
                }
                let mut class = EquivalentDocuments::new(grade_index, measure, case);
                for rank in 1..retrieved {
                    let hit = |rank, grade_index, judged| Record {
                        rank,
                        condensed: if judged { rank } else { 0 },
                        grade_index,
                    };
                    let above = grade_index.into_iter().flat_map(|grade_index| {
                        (1..rank).map(move |rank| hit(rank, grade_index, judged))
                    });
                    let mut hits: Vec<Record> = above.collect();
                    let without = fold(measure, case, &hits);
                    class.reach(rank);
                    same(class.list.value, without);
                    for below in grade_indices
                        .clone()
                        .filter(|&grade_index| case.is_relevant(grade_index as usize))
                    {
                        hits.push(hit(rank, below, true));
                        let with = fold(measure, case, &hits);
                        same(class.list.added(&class.below(rank, below)), with - without);
                        hits.pop();
                    }
                }
            }
            Ok(())
        };
        evaluator.each_case(0, &ranking, &mut Workspace::default(), look).unwrap();
        assert_eq!(seen, measures.len());
    }
}
