//! The evaluating options between Python and the core's table of them.

use cranfield_core::options::{Choices, EvaluatingOption, OPTIONS, OptionValues};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::errors::OrRaise;
use crate::options::{at_least_one, flag, text};

/// The choices that keywords make; one that is `None` is not given.
pub fn choices(keywords: Option<&Bound<'_, PyDict>>) -> PyResult<Choices> {
    let mut choices = Choices::default();
    for (name, value) in keywords.into_iter().flatten() {
        let name: String = name.extract()?;
        let option = EvaluatingOption::named(&name).ok_or_else(|| {
            PyTypeError::new_err(format!("Evaluator() got an unexpected keyword argument '{name}'"))
        })?;
        if value.is_none() {
            continue;
        }
        match option.takes {
            OptionValues::Word(_) | OptionValues::RunLayout => {
                option.set_word(&mut choices, text(&value, option.name)?).or_raise()?;
            }
            OptionValues::Count(what, set) => {
                if let Some(count) = at_least_one(Some(&value), what)? {
                    set(&mut choices, count);
                }
            }
            // Python reads tables, and has used it by now.
            OptionValues::Columns => {}
            OptionValues::Flag(set) => set(&mut choices, flag(&value, option.name)?),
        }
    }
    Ok(choices)
}

#[doc = stub!("evaluating_options")]
#[pyfunction]
pub fn evaluating_options(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
    let described = |option: &EvaluatingOption| {
        let found = PyDict::new(py);
        found.set_item("name", option.name)?;
        found.set_item("stage", option.stage.name())?;
        let (takes, counted) = match option.takes {
            OptionValues::Word(_) | OptionValues::RunLayout => ("word", None),
            OptionValues::Count(what, _) => ("count", Some(what)),
            OptionValues::Columns => ("columns", None),
            OptionValues::Flag(_) => ("flag", None),
        };
        found.set_item("takes", takes)?;
        found.set_item("counted", counted)?;
        found.set_item("words", PyTuple::new(py, option.words())?)?;
        found.set_item("otherwise", option.otherwise)?;
        found.set_item("separates", option.separates)?;
        found.set_item("summary", option.summary)?;
        found.set_item("about", option.about)?;
        found.set_item("trec_eval", option.trec_eval)?;
        Ok(found)
    };
    PyTuple::new(py, OPTIONS.iter().map(described).collect::<PyResult<Vec<_>>>()?)
}
