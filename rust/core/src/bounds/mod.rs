//! Exact bounds: how far the missing judgments could move a value.
//!
//! For each run, topic and measure the lowest and the highest value that full
//! judging could give, over all ways to judge the unjudged documents of the
//! list. Exact or refused, never approximated. What a family declares
//! ([`measure::Bounds`](crate::measure::Bounds)) determines which few of the
//! exponentially many ways can be extreme; each of these is scored by the
//! family's own fold, so bounds and values cannot use different definitions.
//!
//! The bounds are of the value after judging, not of today's estimate: AP' of
//! a partly judged list may lie outside of them.

pub(crate) mod open;
pub mod pair;
mod question;
mod sorted;
mod steps;
mod two_grades;

use std::sync::Arc;

use crate::error::{Advice, Error, Kind, Result, quote};
use crate::evaluate::{
    Cell, Evaluator, FillCells, Input, Kernel, Monitor, Options, Workspace, check_collection,
};
use crate::measure::{Bounds, Case, Gain, Measure, Over};
use crate::qrels::Qrels;
use crate::rank::Ranking;
use crate::scores::{Scores, Undefined};
use open::{Open, no_bounds, refused};
pub use question::{Mode, Question};

/// Values and their bounds, with the same labels.
pub struct Bounded {
    /// The values under the present judgments.
    pub value: Scores,
    /// The lowest values after judging.
    pub low: Scores,
    /// The highest values after judging.
    pub high: Scores,
}

impl Bounded {
    /// The cells of a measure among those of a topic: its value, the lowest and the highest.
    pub(crate) fn cells(of_topic: &mut [f64], measure: usize) -> &mut [f64] {
        &mut of_topic[measure * VALUES..][..VALUES]
    }

    /// The scores of runs by a function that fills these cells.
    pub(crate) fn of_runs(
        evaluator: &Evaluator,
        inputs: &[Input],
        fill: &FillCells,
        monitor: &Arc<Monitor>,
    ) -> Result<Bounded> {
        let kernel = Kernel { cells: VALUES, reach: u32::MAX, fill };
        let (cells, notes) = evaluator.each_run(inputs, &kernel, monitor)?;
        let part = |part| {
            let values = cells.iter().skip(part).step_by(VALUES).copied().collect();
            evaluator.labelled(inputs, values, notes.clone())
        };
        Ok(Bounded { value: part(0), low: part(1), high: part(2) })
    }
}

/// A value, the lowest and the highest.
const VALUES: usize = 3;

/// The bounds of runs x topics x measures.
///
/// A possible grade that the judgments do not have yet belongs to their scale:
/// measures that use the collection's highest gain see `max_grade`.
pub fn bounds(
    qrels: &Qrels,
    measures: &[Measure],
    inputs: &[Input],
    options: Options,
    question: &Question,
    monitor: &Arc<Monitor>,
) -> Result<Bounded> {
    let (qrels, allowed) = on_scale(qrels, measures, question)?;
    let evaluator = Evaluator::new(qrels, measures, options)?;
    bounded(&evaluator, &allowed, inputs, question, monitor)
}

/// The bounds of an evaluator's measures, for the topics whose values it computes.
pub fn bounds_of(
    evaluator: &Evaluator,
    inputs: &[Input],
    question: &Question,
    monitor: &Arc<Monitor>,
) -> Result<Bounded> {
    let measures: Vec<Measure> = evaluator.measures().cloned().collect();
    let (qrels, allowed) = on_scale(evaluator.qrels(), &measures, question)?;
    let own = Evaluator::new(qrels, &measures, evaluator.options())?.only_as(evaluator);
    bounded(&own, &allowed, inputs, question, monitor)
}

fn bounded(
    evaluator: &Evaluator,
    allowed: &[u32],
    inputs: &[Input],
    question: &Question,
    monitor: &Arc<Monitor>,
) -> Result<Bounded> {
    let qrels = evaluator.qrels();
    for measure in evaluator.measures() {
        if evaluator.options().undefined == Undefined::One {
            let reason =
                "where nothing is relevant it is 1, and a document found relevant lowers it";
            return Err(refused(measure, reason));
        }
        if let Some(reason) = refusal(measure, question.mode) {
            return Err(refused(measure, reason));
        }
    }
    if question.mode == Mode::FixedR {
        if question.unseen > 0 {
            return Err(Error::for_each(Kind::Option, |to| {
                let (unseen, mode) = (to.option("unseen"), |word| to.choice("mode", word));
                format!(
                    "{unseen} is for {}; in {} the judgments hold every relevant document",
                    mode("free_R"),
                    mode("fixed_R")
                )
            }));
        }
        if qrels.docs_in_collection.is_none() {
            return Err(Error::for_each(Kind::Needs, |to| {
                format!(
                    "{} needs the number of documents in the collection; {}",
                    to.choice("mode", "fixed_R"),
                    to.advice(Advice::CollectionSize)
                )
            }));
        }
    }
    let fill = |cell: Cell, ranking: &Ranking, workspace: &mut Workspace, out: &mut [f64]| {
        let topic = qrels.topics()[cell.topic].id();
        ranking.check_places(Kind::Bounds, "bounds", topic)?;
        evaluator.each_case(cell.topic, ranking, workspace, |case, measure, i| {
            let value = evaluator.value(case, measure)?;
            let (low, high) = if value.is_nan() {
                (value, value)
            } else {
                extremes(evaluator, case, measure, question, allowed)?
            };
            Bounded::cells(out, i).copy_from_slice(&[value, low, high]);
            Ok(())
        })
    };
    Bounded::of_runs(evaluator, inputs, &fill, monitor)
}

/// The judgments, with every grade that a document can still get on their
/// scale, and the indices of these grades.
pub(crate) fn on_scale(
    qrels: &Qrels,
    measures: &[Measure],
    question: &Question,
) -> Result<(Arc<Qrels>, Vec<u32>)> {
    let top = highest_grade(qrels, question)?;
    let qrels = Arc::new(qrels.with_grades(&scale(measures, top)));
    let grades = qrels.grades().iter().enumerate();
    let allowed = grades.filter(|&(_, grade)| (0.0..=top).contains(grade));
    let allowed = allowed.map(|(grade_index, _)| grade_index as u32).collect();
    Ok((qrels, allowed))
}

/// Why a measure has no bounds, whatever the judgments are.
pub(crate) fn refusal(measure: &Measure, mode: Mode) -> Option<&'static str> {
    if measure.over != Over::Documents {
        return Some("one judgment moves the grades of several others");
    }
    if measure.budget.is_some() {
        return Some("no exact method is known for a budget; give it a rank as cutoff");
    }
    match measure.bounds() {
        Bounds::Refused(reason) => Some(reason),
        Bounds::Pooled { .. } if mode == Mode::FixedR => {
            Some("it is an estimate, and needs no fixed number of relevant documents")
        }
        _ => None,
    }
}

/// The highest grade that a document can still get.
fn highest_grade(qrels: &Qrels, question: &Question) -> Result<f64> {
    match question.max_grade {
        None => Ok(qrels.grades().last().copied().unwrap_or(0.0).max(1.0)),
        Some(grade) if grade.is_finite() && grade >= 0.0 => Ok(grade),
        Some(grade) => Err(Error::for_each(Kind::Option, |to| {
            format!("expected a {} of at least 0, found {grade}", to.option("max_grade"))
        })),
    }
}

/// The grades that a document can get in addition to those of the judgments: the
/// whole numbers up to the highest, and the grades that gain maps name.
fn scale(measures: &[Measure], top: f64) -> Vec<f64> {
    let mut grades = vec![0.0, top];
    if top <= MOST_WHOLE {
        grades.extend((1..).map(f64::from).take_while(|&grade| grade < top));
    }
    for measure in measures {
        if let Gain::Map(pairs) = &measure.gain {
            grades.extend(pairs.iter().map(|pair| pair.0).filter(|g| (0.0..=top).contains(g)));
        }
    }
    grades
}

/// A longer scale is treated as continuous: then the grades of the judgments,
/// 0 and the highest are enough.
const MOST_WHOLE: f64 = 100.0;

/// The lowest and the highest value of a topic.
fn extremes(
    evaluator: &Evaluator,
    case: &Case,
    measure: &Measure,
    question: &Question,
    allowed: &[u32],
) -> Result<(f64, f64)> {
    let kind = measure.bounds();
    let mut open =
        Open::new(evaluator, case, measure, allowed, matches!(kind, Bounds::Pooled { .. }));
    extremes_of(&mut open, question)
}

/// The lowest and the highest value of a list with unjudged documents.
pub(crate) fn extremes_of(open: &mut Open, question: &Question) -> Result<(f64, f64)> {
    let Open { case, measure, .. } = *open;
    let kind = measure.bounds();
    match kind {
        Bounds::SortedIfBinary if !open.is_binary() => {
            return Err(refused(
                measure,
                "no exact method is known for more than one gain above 0",
            ));
        }
        // Below that length the smoothing cannot swap the order of two ranks.
        Bounds::Pooled { smoothing } if smoothing * f64::from(case.retrieved()) > 0.25 => {
            return Err(refused(measure, "its epsilon is too large for a list of that length"));
        }
        _ => {}
    }
    if question.mode == Mode::FixedR {
        return open.placed();
    }
    if measure.needs_collection() {
        let more = open.places.len() as u64 + u64::from(question.unseen);
        check_collection(measure, case, more)?;
    }
    match kind {
        Bounds::Monotone => open.all_worst_all_best(question.unseen),
        Bounds::Share => open.nothing_or_all(question.unseen),
        Bounds::Steps { weight, cut } => steps::extremes(open, weight, cut, question.unseen),
        _ => {
            let assignments = open.assignments(question);
            if assignments > question.max_assignments as f64 {
                let most = question.max_assignments.to_string();
                return Err(Error::for_each(Kind::Bounds, |to| {
                    no_bounds(
                        measure,
                        &format!(
                            "{assignments:.0} assignments would have to be tried for topic {}, more than {}",
                            quote(case.topic.id()),
                            to.number("max_assignments", &most)
                        ),
                    )
                }));
            }
            open.sorted(question)
        }
    }
}
