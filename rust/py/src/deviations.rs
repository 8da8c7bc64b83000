//! What other implementations compute, as Python asks for it.

use std::collections::BTreeMap;

use cranfield_core::deviations::{self, Answer, Choice, JudgedList};
use pyo3::prelude::*;

use crate::errors::caught;

/// A topic as Python has it: documents, scores, judgments, repeated judgments and the cutoff.
type Given = (Option<Vec<String>>, Option<Vec<f64>>, BTreeMap<String, f64>, Vec<String>, usize);

fn topics(given: Vec<Given>) -> Vec<JudgedList> {
    given
        .into_iter()
        .map(|(retrieved, scores, judgments, repeated, k)| JudgedList {
            retrieved,
            scores,
            judgments: judgments.into_iter().collect(),
            repeated,
            k,
        })
        .collect()
}

#[doc = stub!("conventions")]
#[pyfunction]
pub fn conventions() -> BTreeMap<&'static str, Vec<(&'static str, Vec<&'static str>)>> {
    let described = |dimensions: &[deviations::Dimension]| {
        dimensions.iter().map(|dimension| (dimension.name, dimension.values.to_vec())).collect()
    };
    deviations::MEASURES.iter().map(|(name, found)| (*name, described(found))).collect()
}

#[doc = stub!("deviating")]
#[pyfunction]
#[pyo3(signature = (measure, topics, choices, /))]
pub fn deviating(
    py: Python<'_>,
    measure: &str,
    topics: Vec<Given>,
    choices: Vec<Choice>,
) -> PyResult<Vec<Vec<Option<f64>>>> {
    let topics = self::topics(topics);
    let of = |choice: &Choice| {
        topics.iter().map(|topic| deviations::value(measure, topic, choice)).collect()
    };
    py.detach(|| caught(|| choices.iter().map(of).collect()))
}

#[doc = stub!("explanations")]
#[pyfunction]
#[pyo3(signature = (measure, topics, answers, /))]
pub fn explanations(
    py: Python<'_>,
    measure: &str,
    topics: Vec<Given>,
    answers: Vec<(bool, Option<f64>)>,
) -> PyResult<Vec<(Choice, Vec<bool>)>> {
    let topics = self::topics(topics);
    let answers: Vec<Answer> = answers
        .into_iter()
        .map(|(refused, value)| match value {
            _ if refused => Answer::Refused,
            None => Answer::LeftOut,
            Some(value) => Answer::Number(value),
        })
        .collect();
    py.detach(|| caught(|| deviations::explanations(measure, &topics, &answers)))
}
