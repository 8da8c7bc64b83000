//! The registry of measures as Python sees it.

use cranfield_core::grammar;
use cranfield_core::measure::{
    Cutoff, Default as ParamDefault, FAMILIES, FORMS, Family, Measure as CoreMeasure, Needs,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

#[doc = stub!("families")]
#[pyfunction]
pub fn families(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    described(py, FAMILIES)
}

#[doc = stub!("forms")]
#[pyfunction]
pub fn forms(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    described(py, FORMS)
}

/// A dict for each family.
fn described<'py>(py: Python<'py>, families: &[&'static Family]) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for family in families {
        let entry = PyDict::new(py);
        entry.set_item("name", family.name)?;
        entry.set_item("aliases", family.aliases)?;
        entry.set_item("group", family.group)?;
        entry.set_item("summary", family.summary)?;
        entry.set_item("prose", family.prose)?;
        entry.set_item("formula", family.formula)?;
        entry.set_item("citation", family.citation)?;
        let parameters = PyList::empty(py);
        for param in family.params {
            let described = PyDict::new(py);
            described.set_item("name", param.key)?;
            let default = match param.default {
                ParamDefault::None => String::new(),
                default => default.value().to_string(),
            };
            described.set_item("default", default)?;
            described.set_item("values", grammar::expected(param.range))?;
            described.set_item("text", param.text)?;
            parameters.append(described)?;
        }
        entry.set_item("parameters", parameters)?;
        let cutoff = match family.cutoff {
            Cutoff::None => "none",
            Cutoff::Optional => "optional",
            Cutoff::Required => "required",
            Cutoff::Recall => "recall",
        };
        entry.set_item("cutoff", cutoff)?;
        let needs = match family.needs {
            Needs::Nothing => "",
            Needs::Strata => "stratum",
            Needs::Sample => "sample",
            Needs::Intents => "intents",
        };
        entry.set_item("needs", needs)?;
        entry.set_item("prime", family.prime)?;
        entry.set_item("rel", family.takes_rel)?;
        entry.set_item("gain", family.takes_gain)?;
        entry.set_item("aggregate", family.aggregate.name())?;
        entry.set_item("range", family.range)?;
        // A form has the direction of the measure that it is applied to.
        let measure = CoreMeasure::of(family);
        let better = if family.name.ends_with('-') { None } else { measure.better().name() };
        entry.set_item("better", better)?;
        let peers = PyList::empty(py);
        for peer in family.peers {
            let shown = PyDict::new(py);
            shown.set_item("tool", peer.tool)?;
            shown.set_item("spelling", peer.spelling)?;
            shown.set_item("difference", peer.difference)?;
            peers.append(shown)?;
        }
        entry.set_item("peers", peers)?;
        let examples = PyList::empty(py);
        for example in family.examples {
            let shown = PyDict::new(py);
            shown.set_item("measure", example.measure)?;
            shown.set_item("judgments", example.judgments)?;
            shown.set_item("list", example.list)?;
            shown.set_item("value", example.value)?;
            shown.set_item("working", example.working)?;
            examples.append(shown)?;
        }
        entry.set_item("examples", examples)?;
        list.append(entry)?;
    }
    Ok(list)
}
