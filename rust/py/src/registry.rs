//! The registry of measures as Python sees it.

use cranfield_core::grammar;
use cranfield_core::measure::{
    Budgets, Cutoff, Default as ParamDefault, FAMILIES, FORMS, Family, Measure as CoreMeasure,
    Needs, spellings as core_spellings,
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

#[doc = stub!("spellings")]
#[pyfunction]
#[pyo3(signature = (tool, /))]
pub fn spellings(tool: &str) -> Vec<(String, &'static str)> {
    core_spellings(tool)
}

#[doc = stub!("refusals")]
#[pyfunction]
pub fn refusals() -> Vec<(&'static str, String)> {
    grammar::refusals()
}

/// A dict for each family.
fn described<'py>(py: Python<'py>, families: &[&'static Family]) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for family in families {
        let entry = PyDict::new(py);
        let about = &family.about;
        entry.set_item("name", about.name)?;
        entry.set_item("least", grammar::least(family))?;
        entry.set_item("aliases", about.aliases)?;
        entry.set_item("group", about.group)?;
        entry.set_item("summary", about.summary)?;
        entry.set_item("prose", about.prose)?;
        entry.set_item("formula", about.formula)?;
        entry.set_item("citation", about.citation)?;
        let parameters = PyList::empty(py);
        for param in family.takes.params {
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
        let cutoff = match family.takes.cutoff {
            Cutoff::None | Cutoff::Elsewhere(_) => "none",
            Cutoff::Optional => "optional",
            Cutoff::Required => "required",
            Cutoff::Recall => "recall",
        };
        entry.set_item("cutoff", cutoff)?;
        entry.set_item("budget", family.takes.budget == Budgets::Taken)?;
        let needs = match family.sees.needs {
            Needs::Nothing => "",
            Needs::Strata => "stratum",
            Needs::Sample => "sample",
            Needs::Intents => "intents",
        };
        entry.set_item("needs", needs)?;
        entry.set_item("prime", family.takes.prime)?;
        entry.set_item("rel", family.takes_rel())?;
        entry.set_item("gain", family.takes_gain())?;
        entry.set_item("aggregate", family.laws.aggregate.kind().name())?;
        entry.set_item("range", about.range)?;
        entry.set_item("better", CoreMeasure::of(family).better().name())?;
        entry.set_item("beyond_list", family.sees.beyond_list)?;
        let peers = PyList::empty(py);
        for peer in family.peers {
            let shown = PyDict::new(py);
            shown.set_item("tool", peer.tool)?;
            shown.set_item("spelling", peer.spelling)?;
            shown.set_item("here", peer.here.unwrap_or_default())?;
            shown.set_item("difference", peer.said())?;
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
