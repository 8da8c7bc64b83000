//! Which definitions give printed numbers, as Python asks for it.

use std::collections::BTreeMap;
use std::sync::Arc;

use cranfield_core::deviations;
use cranfield_core::evaluate::Monitor;
use cranfield_core::identify::{self, DefinitionSearch, FoundDefinition, PrintedMean};
use cranfield_core::identify::{PrintedNumber, TRIED, TriedEvaluator};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{OrRaise, caught};
use crate::input::{borrow, inputs};
use crate::measures::Measure;
use crate::qrels::Qrels;
use crate::watch::{interruptible, watched};

#[doc = stub!("tried_options")]
#[pyfunction]
pub fn tried_options(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let described = |tried: &identify::TriedOptions| {
        let given = PyDict::new(py);
        for (name, value) in tried.given {
            match value.parse::<u32>() {
                Ok(number) => given.set_item(name, number)?,
                Err(_) => given.set_item(name, value)?,
            }
        }
        Ok(given)
    };
    TRIED.iter().map(described).collect()
}

#[doc = stub!("granularity")]
#[pyfunction]
#[pyo3(signature = (text, label, value, half, topics, /, *, always = false))]
pub fn granularity(
    text: &str,
    label: Option<Measure>,
    value: f64,
    half: f64,
    topics: u64,
    always: bool,
) -> Option<String> {
    let label = label.as_ref().map(|label| &label.0);
    PrintedMean { text, label, value, half, topics }.sentence(always)
}

/// Documents with grades, or with scores.
type Weighted = BTreeMap<String, f64>;

/// A deviation: the dimension, its value, the standard, and the value of each topic.
type Deviation = (&'static str, &'static str, &'static str, Vec<Option<f64>>);

#[doc = stub!("single_deviations")]
#[pyfunction]
#[pyo3(signature = (measure, judgments, run, /))]
pub fn single_deviations(
    py: Python<'_>,
    measure: &Measure,
    judgments: Vec<(String, Weighted)>,
    run: BTreeMap<String, Weighted>,
) -> PyResult<Vec<Deviation>> {
    let written = identify::WrittenMeasure::of(&measure.0);
    if written.condensed || !written.arguments.is_empty() {
        return Ok(Vec::new());
    }
    let (family, cutoff) = (measure.0.family.about.name, written.cutoff.parse().ok());
    py.detach(|| caught(|| deviations::single(family, &judgments, &run, cutoff)))
}

/// A definition: its place, value, measure, options, bits, what differs, how many others are the
/// same, the place of its options, and whether it is a mean.
type Found = (usize, f64, String, String, u32, Vec<String>, usize, usize, bool);

#[doc = stub!("DefinitionSearch")]
#[pyclass(module = "cranfield._core", name = "DefinitionSearch")]
pub struct Search {
    core: DefinitionSearch,
    evaluators: Vec<TriedEvaluator>,
}

impl Search {
    fn found(&self, found: Vec<FoundDefinition>) -> Vec<Found> {
        let row = |found: FoundDefinition| {
            let own = self.core.definition(found.place);
            let options = self.core.options(found.place);
            let FoundDefinition { place, value, others, measure, bits, differs } = found;
            let is_mean = own.summary == 0;
            (place, value, measure, options, bits, differs, others, own.options, is_mean)
        };
        found.into_iter().map(row).collect()
    }
}

#[pymethods]
impl Search {
    #[new]
    #[pyo3(signature = (qrels, labels, /))]
    fn new(py: Python<'_>, qrels: Qrels, labels: Vec<Option<Measure>>) -> PyResult<Self> {
        let labels = labels.into_iter().map(|label| label.map(|label| label.0)).collect();
        let found = interruptible(py, || DefinitionSearch::over(&qrels.0, labels))?;
        let (core, evaluators) = found.or_raise()?;
        Ok(Search { core, evaluators })
    }

    #[getter]
    fn distinct(&self) -> usize {
        self.core.distinct()
    }

    fn __len__(&self) -> usize {
        self.core.len()
    }

    #[doc = stub!("DefinitionSearch.look")]
    #[pyo3(signature = (run, numbers, /))]
    fn look(
        &mut self,
        py: Python<'_>,
        run: Bound<'_, PyAny>,
        numbers: Vec<(usize, f64, f64, Option<usize>)>,
    ) -> PyResult<()> {
        let number = |(label, value, half, topic)| PrintedNumber { label, value, half, topic };
        let numbers: Vec<PrintedNumber> = numbers.into_iter().map(number).collect();
        let runs = [run];
        let borrowed = borrow(&runs)?;
        let mut found = Vec::new();
        for tried in &self.evaluators {
            let run = inputs(tried.core(), &runs, &borrowed)?;
            let work = |monitor: &Arc<Monitor>| tried.scores(&run, monitor);
            found.push(watched(py, work, None)?.or_raise()?);
        }
        self.core.look_at(&self.evaluators, &found, &numbers);
        Ok(())
    }

    #[doc = stub!("DefinitionSearch.chance")]
    #[pyo3(signature = (label, /))]
    fn chance(&self, label: usize) -> f64 {
        self.core.chance(label)
    }

    #[doc = stub!("DefinitionSearch.fitting")]
    #[pyo3(signature = (label, /))]
    fn fitting(&self, label: usize) -> Vec<Found> {
        self.found(self.core.fitting(label))
    }

    #[doc = stub!("DefinitionSearch.nearest")]
    #[pyo3(signature = (label, /))]
    fn nearest(&self, label: usize) -> Vec<Found> {
        self.found(self.core.nearest(label))
    }

    #[doc = stub!("DefinitionSearch.labelled")]
    #[pyo3(signature = (label, /))]
    fn labelled(&self, label: usize) -> Option<f64> {
        self.core.labelled(label)
    }

    #[doc = stub!("DefinitionSearch.telling")]
    #[pyo3(signature = (label, texts, /))]
    fn telling(&self, label: usize, texts: Vec<String>) -> Option<(usize, Vec<(String, f64)>)> {
        self.core.telling(label, &texts)
    }
}
