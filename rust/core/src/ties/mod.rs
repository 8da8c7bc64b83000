//! Equal scores: the mean, the lowest and the highest of a value over all orders
//! of documents with equal scores.
//!
//! Documents of equal score form a group, and every order within the groups is
//! equally likely; the idea is that of "Computing information retrieval
//! performance measures efficiently in the presence of tied scores" (ECIR 2008). A family
//! declares how its mean over the orders is computed and which orders are extreme
//! ([`Ties`](crate::measure::Ties)); the numbers then come from the family's
//! own fold, so means and values cannot use different definitions. Exact or
//! refused, never sampled.

mod group;
mod shares;
mod mean;

use std::sync::Arc;

use crate::bounds::Bounded;
use crate::error::{Error, Kind, Result};
use crate::evaluate::{Cell, Evaluator, Input, Kernel, Monitor, Options, Workspace, reach};
use crate::grammar;
use crate::interrupt;
use crate::measure::{Aggregate, Case, Cutoff, Extremes, FAMILIES, Mean, Measure, Over, Ties};
use crate::qrels::Topic;
use crate::rank::{Duplicates, Hit, Ranker, Ranking};
use crate::scores::Scores;
use mean::mean_of_groups;

/// How equal scores are treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TieMode {
    /// They are sorted by the ranker's order.
    #[default]
    Order,
    /// The mean over all orders.
    Average,
    /// The lowest and the highest value over all orders.
    Bounds,
}

impl TieMode {
    fn name(self) -> &'static str {
        match self {
            TieMode::Order => "order",
            TieMode::Average => "average",
            TieMode::Bounds => "bounds",
        }
    }

    fn knows(self, ties: Ties) -> bool {
        match self {
            TieMode::Order => true,
            TieMode::Average => ties.mean.is_some(),
            TieMode::Bounds => ties.extremes.is_some(),
        }
    }

    /// Refuses measures without an exact method, and a depth, which may split a
    /// group.
    pub fn check(self, measures: &[Measure], options: &Options) -> Result<()> {
        if self != TieMode::Order && options.ranker.depth.is_some() {
            return Err(Error::for_each(Kind::Option, |to| {
                format!(
                    "{} goes without {}, which may split equal scores; give the measures cutoffs",
                    to.choice("ties", self.name()),
                    to.option("depth")
                )
            }));
        }
        let lacks = |measure: &&Measure| {
            let other = measure.over != Over::Documents || measure.budget.is_some();
            (self != TieMode::Order && other) || !self.knows(measure.ties())
        };
        match measures.iter().find(lacks) {
            None => Ok(()),
            Some(measure) => Err(self.refused(measure)),
        }
    }

    #[cold]
    fn refused(self, measure: &Measure) -> Error {
        if let Some(budget) = measure.budget {
            return Error::for_each(Kind::Option, |to| {
                format!(
                    "no exact value of {measure} is known for {}: in another order of equal scores @{budget} affords other documents; give the measure a rank as cutoff, or use {}",
                    to.choice("ties", self.name()),
                    to.choice("ties", "order"),
                )
            });
        }
        if measure.over != Over::Documents && measure.family.sees.over == Over::Documents {
            return Error::for_each(Kind::Option, |to| {
                format!(
                    "no exact value of {measure} is known for {}: what {}- is computed over has none; \
                     only measures over documents can have one",
                    to.choice("ties", self.name()),
                    grammar::prefix(measure.over),
                )
            });
        }
        let known = FAMILIES.iter().map(|family| {
            let cut = matches!(family.takes.cutoff, Cutoff::Required).then_some(1.0);
            Measure { cutoff: cut, ..Measure::of(family) }
        });
        let known = known.filter(|measure| self.knows(measure.ties()));
        let names: Vec<&str> = known.map(|measure| measure.family.about.name).collect();
        Error::for_each(Kind::Option, |to| {
            let ties = to.choice("ties", self.name());
            format!(
                "no exact value of {measure} is known for {ties}; known for {}",
                names.join(" ")
            )
        })
    }
}

/// The means over all orders of equal scores, of runs x topics x measures. The
/// evaluator must keep the groups of equal scores (`Ranker::groups`).
pub fn average(evaluator: &Evaluator, inputs: &[Input], monitor: &Arc<Monitor>) -> Result<Scores> {
    let fill = |cell: Cell, ranking: &Ranking, workspace: &mut Workspace, out: &mut [f64]| {
        average_topic(evaluator, cell.topic, ranking, workspace, out)
    };
    let kernel = Kernel { cells: 1, reach: u32::MAX, fill: &fill };
    let (values, notes) = evaluator.each_run(inputs, &kernel, monitor)?;
    Ok(evaluator.labelled(inputs, values, notes))
}

fn average_topic(
    evaluator: &Evaluator,
    topic: usize,
    ranking: &Ranking,
    workspace: &mut Workspace,
    out: &mut [f64],
) -> Result<()> {
    let groups = &ranking.groups;
    if groups.is_empty() {
        return evaluator.score_topic(topic, ranking, workspace, out);
    }
    let id = evaluator.qrels().topics()[topic].id();
    ranking.check_places(Kind::Option, "means over the orders of equal scores", id)?;
    let mut moved = ranking.clone();
    let (mut rotated, mut reversed) = (false, false);
    evaluator.each_case(topic, ranking, workspace, |case, measure, i| {
        let value = fold(measure, case);
        out[i] = match mean_of(measure) {
            Some(Mean::Rotations) => {
                rotated = true;
                value
            }
            Some(Mean::Reversal) => {
                reversed = true;
                value
            }
            Some(how) if case.view.num_rel > 0 => {
                mean_of_groups(how, measure, case, groups, value)?
            }
            _ => value,
        };
        Ok(())
    })?;
    if rotated {
        add_rotations(evaluator, topic, &mut moved, workspace, out)?;
    }
    if reversed {
        for &group in groups {
            reverse(&mut moved, group);
        }
        evaluator.each_case(topic, &moved, workspace, |case, measure, i| {
            if mean_of(measure) == Some(Mean::Reversal) {
                out[i] = f64::midpoint(out[i], fold(measure, case));
            }
            Ok(())
        })?;
    }
    evaluator.each_case(topic, ranking, workspace, |case, measure, i| {
        out[i] = evaluator.settle(out[i], case, measure)?;
        Ok(())
    })
}

fn mean_of(measure: &Measure) -> Option<Mean> {
    measure.ties().mean
}

/// Turns the values of sums by rank into their means over the rotations of each group.
fn add_rotations(
    evaluator: &Evaluator,
    topic: usize,
    moved: &mut Ranking,
    workspace: &mut Workspace,
    out: &mut [f64],
) -> Result<()> {
    let sums = evaluator.measures().filter(|m| mean_of(m) == Some(Mean::Rotations));
    let reach = sums.map(reach).max().unwrap_or(0);
    let plain = out.to_vec();
    // What none of them reaches is left out.
    let mut reached = moved.clone();
    // Whether the workspace has the list as it is.
    let mut written = false;
    let judgments = &evaluator.qrels().topics()[topic];
    for &group in moved.groups.clone().iter().filter(|group| group.0 <= reach) {
        // A condensed list has places for the judged documents only.
        for condensed in [false, true] {
            let wanted = |m: &Measure| mean_of(m) == Some(Mean::Rotations) && m.prime == condensed;
            if !evaluator.measures().any(wanted) {
                continue;
            }
            let is_judged = |document: u32| {
                let grade_index = judgments.grade_column().get(document);
                grade_index.is_some_and(|grade_index| evaluator.is_judged(grade_index))
            };
            let known = members(moved, group);
            let places = if condensed {
                known.iter().filter(|hit| is_judged(hit.document)).count() as u32
            } else {
                group.1 - group.0 + 1
            };
            let mut sums = vec![0.0; out.len()];
            let mut add = |case: &Case, measure: &Measure, i: usize| {
                if wanted(measure) {
                    sums[i] += fold(measure, case) - plain[i];
                }
                Ok(())
            };
            // A turn of what was written is faster than to write it again, unless that is little.
            let turned = !condensed && reach >= group.1;
            if turned && !written {
                evaluator.each_case(topic, moved, workspace, |_, _, _| Ok(()))?;
            }
            written = turned;
            for place in 0..places {
                interrupt::check()?;
                if condensed {
                    pass_on(members(moved, group), is_judged);
                } else {
                    rotate(moved, group);
                }
                // The last rotation restores the list.
                let last = place + 1 == places;
                if turned {
                    let add = |case: &Case, measure: &Measure, i: usize| {
                        if last { Ok(()) } else { add(case, measure, i) }
                    };
                    evaluator.each_turned_case(topic, moved, group, workspace, add)?;
                } else if !last {
                    reached.hits.clear();
                    let end = moved.hits.partition_point(|hit| hit.rank <= reach);
                    reached.hits.extend_from_slice(&moved.hits[..end]);
                    evaluator.each_case(topic, &reached, workspace, &mut add)?;
                }
            }
            for (value, sum) in out.iter_mut().zip(&sums) {
                *value += sum / f64::from(places.max(1));
            }
        }
    }
    Ok(())
}

fn fold(measure: &Measure, case: &Case) -> f64 {
    measure.score(case)
}

/// The documents of a group that are in the judgments.
fn members(ranking: &mut Ranking, (first, last): (u32, u32)) -> &mut [Hit] {
    let from = ranking.hits.partition_point(|hit| hit.rank < first);
    let to = ranking.hits.partition_point(|hit| hit.rank <= last);
    &mut ranking.hits[from..to]
}

/// Moves each document of a group one rank down, and the last to the top.
fn rotate(ranking: &mut Ranking, group: (u32, u32)) {
    let known = members(ranking, group);
    if known.last().is_some_and(|hit| hit.rank == group.1) {
        known.rotate_right(1);
        known[0].rank = group.0 - 1;
    }
    for hit in known {
        hit.rank += 1;
    }
}

/// Moves each judged document to the place of the next one, and the last to the top.
fn pass_on(known: &mut [Hit], is_judged: impl Fn(u32) -> bool) {
    let mut judged = known.iter_mut().filter(|hit| is_judged(hit.document));
    if let Some(first) = judged.next() {
        for hit in judged {
            std::mem::swap(&mut first.document, &mut hit.document);
        }
    }
}

/// Reverses a group.
fn reverse(ranking: &mut Ranking, group: (u32, u32)) {
    let known = members(ranking, group);
    known.reverse();
    for hit in known {
        hit.rank = group.0 + group.1 - hit.rank;
    }
}

/// What to say of a run with many documents in ties: how far their order could move the first
/// measure that has exact bounds. Nothing if it could not.
pub fn explain(
    evaluator: &Evaluator,
    run: Option<&[Input]>,
    share: f64,
    others: usize,
) -> Result<Option<String>> {
    let others = match others {
        0 => String::new(),
        1 => "; the same holds for 1 other run".to_string(),
        more => format!("; the same holds for {more} other runs"),
    };
    let share = 100.0 * share;
    let said = format!("{share:.0}% of the documents are in ties that include judged documents");
    let bounding = run.is_some().then(|| bounding(evaluator)).flatten();
    let (Some(run), Some(bounding)) = (run, bounding) else {
        return Ok(Some(format!("{said}, so scores depend on tie order{others}")));
    };
    let Bounded { value, low, high } = match extremes(&bounding, run, &Arc::default()) {
        Ok(found) => found,
        // Lists of several calls have places that no document takes.
        Err(error) if error.kind() == Kind::Option => {
            return Ok(Some(format!("{said}, so scores depend on tie order{others}")));
        }
        Err(error) => return Err(error),
    };
    let [value, low, high] = [value, low, high].map(|scores| scores.summary(0, 0));
    let name = bounding.measures().map(ToString::to_string).collect::<String>();
    let [value, low, high] = [value, low, high].map(|number| format!("{number:.4}"));
    // What no table shows is not worth a sentence.
    Ok((low != high).then(|| {
        format!(
            "{said}: {name} is {value}, and between {low} and {high} depending on tie order{others}"
        )
    }))
}

/// An evaluator of the first measure whose exact bounds are known.
fn bounding(evaluator: &Evaluator) -> Option<Evaluator> {
    let options = evaluator.options();
    if options.ranker.duplicates == Duplicates::Place {
        return None;
    }
    let ranker = Ranker { groups: true, both_precisions: false, ..options.ranker };
    let options = Options { ranker, hosted: true, ..options };
    let has_bounds = |measure: &&Measure| {
        let one = std::slice::from_ref(*measure);
        measure.aggregate() == Aggregate::Mean && TieMode::Bounds.check(one, &options).is_ok()
    };
    let measure = evaluator.measures().find(has_bounds)?;
    Evaluator::new(Arc::clone(evaluator.qrels()), std::slice::from_ref(measure), options).ok()
}

/// The values, and the lowest and highest over all orders of equal scores. The
/// evaluator has to keep the groups of equal scores (`Ranker::groups`).
pub fn extremes(
    evaluator: &Evaluator,
    inputs: &[Input],
    monitor: &Arc<Monitor>,
) -> Result<Bounded> {
    // Measures that sort documents in the same way share the orders.
    let (mut kinds, mut kind_of) = (Vec::new(), Vec::new());
    for (measure, ranks) in evaluator.each_measure() {
        let kind: Vec<i64> = match measure.ties().extremes {
            Some(Extremes::Judged) => ranks.iter().map(|&(_, judged)| i64::from(judged)).collect(),
            _ => gain_order(&ranks),
        };
        let known = kinds.iter().position(|other| *other == kind);
        kind_of.push(known.unwrap_or(kinds.len()));
        if known.is_none() {
            kinds.push(kind);
        }
    }
    let fill = |cell: Cell, ranking: &Ranking, workspace: &mut Workspace, out: &mut [f64]| {
        evaluator.each_case(cell.topic, ranking, workspace, |case, measure, i| {
            Bounded::cells(out, i).fill(evaluator.value(case, measure)?);
            Ok(())
        })?;
        if ranking.groups.is_empty() {
            return Ok(());
        }
        let mut moved = ranking.clone();
        let topic = &evaluator.qrels().topics()[cell.topic];
        ranking.check_places(Kind::Option, "bounds over the orders of equal scores", topic.id())?;
        for (kind, places) in kinds.iter().enumerate() {
            for best_first in [true, false] {
                for &group in &ranking.groups {
                    sort(&mut moved, group, topic, places, best_first);
                }
                evaluator.each_case(cell.topic, &moved, workspace, |case, measure, i| {
                    if kind_of[i] == kind {
                        let value = evaluator.value(case, measure)?;
                        let cells = Bounded::cells(out, i);
                        cells[1] = cells[1].min(value);
                        cells[2] = cells[2].max(value);
                    }
                    Ok(())
                })?;
            }
        }
        Ok(())
    };
    Bounded::of_runs(evaluator, inputs, &fill, monitor)
}

/// The sort key of each grade, from its gain (`None` if its documents
/// are not relevant) and whether they count as judged: below 0 for those
/// judged not relevant, 0 for unjudged documents.
fn gain_order(grade_indices: &[(Option<f64>, bool)]) -> Vec<i64> {
    let mut gains: Vec<f64> =
        grade_indices.iter().filter_map(|grade_index| grade_index.0).collect();
    gains.sort_by(f64::total_cmp);
    let place = |&(gain, judged): &(Option<f64>, bool)| match gain {
        Some(gain) => 1 + gains.partition_point(|other| *other < gain) as i64,
        None => -i64::from(judged),
    };
    grade_indices.iter().map(place).collect()
}

/// Sorts a group by the keys of its grades; documents that are not in the
/// judgments have key 0.
fn sort(
    ranking: &mut Ranking,
    group: (u32, u32),
    topic: &Topic,
    places: &[i64],
    highest_first: bool,
) {
    let place = |hit: &Hit| {
        let place = topic
            .grade_column()
            .get(hit.document)
            .map_or(0, |grade_index| places[grade_index as usize]);
        if highest_first { -place } else { place }
    };
    let known = members(ranking, group);
    known.sort_by_key(place);
    let behind = known.iter().filter(|hit| place(hit) > 0).count();
    let above = known.len() - behind;
    let (top, bottom) = known.split_at_mut(above);
    for (hit, rank) in top.iter_mut().zip(group.0..) {
        hit.rank = rank;
    }
    for (hit, rank) in bottom.iter_mut().rev().zip((0..=group.1).rev()) {
        hit.rank = rank;
    }
}
