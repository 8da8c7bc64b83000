//! Which definitions give printed numbers, as Python asks for it.

use std::collections::BTreeMap;

use cranfield_core::deviations;
use cranfield_core::identify::{self, DefinitionSearch, FoundDefinition, PrintedNumber};
use cranfield_core::identify::{SUMMARIES, TRIED, TriedDefinition};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::caught;
use crate::measures::Measure;

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

#[doc = stub!("tried_measures")]
#[pyfunction]
#[pyo3(signature = (grades, /))]
pub fn tried_measures(grades: Vec<(String, f64)>) -> Vec<(String, u32)> {
    identify::measures(&grades)
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
/// same, the place of its options, that of its measure, and whether it is a mean.
type Found = (usize, f64, String, String, u32, Vec<String>, usize, usize, usize, bool);

#[doc = stub!("DefinitionSearch")]
#[pyclass(module = "cranfield._core", name = "DefinitionSearch")]
pub struct Search {
    core: DefinitionSearch,
    definitions: Vec<TriedDefinition>,
}

impl Search {
    fn found(&self, found: Vec<FoundDefinition>) -> Vec<Found> {
        let row = |found: FoundDefinition| {
            let own = self.definitions[found.place];
            let options = self.core.options(found.place);
            let FoundDefinition { place, value, others, measure, bits, differs } = found;
            let (of, is_mean) = (own.measure, own.summary == 0);
            (place, value, measure, options, bits, differs, others, own.options, of, is_mean)
        };
        found.into_iter().map(row).collect()
    }
}

#[pymethods]
impl Search {
    #[new]
    #[pyo3(signature = (measures, evaluated, labels, /))]
    fn new(
        measures: Vec<(Measure, u32)>,
        evaluated: Vec<(usize, Vec<usize>)>,
        labels: Vec<Option<Measure>>,
    ) -> Self {
        let mut definitions = Vec::new();
        for (options, own) in evaluated {
            let summaries = if TRIED[options].given.is_empty() { SUMMARIES.len() } else { 1 };
            for summary in 0..summaries {
                let each = own.iter().map(|&measure| TriedDefinition { options, measure, summary });
                definitions.extend(each);
            }
        }
        let measures = measures.into_iter().map(|(measure, bits)| (measure.0, bits)).collect();
        let labels = labels.into_iter().map(|label| label.map(|label| label.0)).collect();
        Search { core: DefinitionSearch::new(measures, definitions.clone(), labels), definitions }
    }

    #[getter]
    fn distinct(&self) -> usize {
        self.core.distinct()
    }

    fn __len__(&self) -> usize {
        self.definitions.len()
    }

    #[doc = stub!("DefinitionSearch.look")]
    #[pyo3(signature = (means, values, numbers, /))]
    fn look(
        &mut self,
        means: PyReadonlyArray1<'_, f64>,
        values: PyReadonlyArray2<'_, f64>,
        numbers: Vec<(usize, f64, f64, Option<usize>)>,
    ) -> PyResult<()> {
        let number = |(label, value, half, topic)| PrintedNumber { label, value, half, topic };
        let numbers: Vec<PrintedNumber> = numbers.into_iter().map(number).collect();
        let (means, values) = (means.as_slice()?.to_vec(), values.as_slice()?.to_vec());
        self.core.look(means, values, &numbers);
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
