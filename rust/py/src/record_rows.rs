//! Which objects of Python are tables or rows, and the columns of rows: tuples, dicts, named tuples.

use cranfield_core::error::Kind;
use cranfield_core::read::tables::Role;
use cranfield_core::read::tables::columns::{self, RunColumns, plain_name};
use pyo3::exceptions::{PyLookupError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyList, PyString, PyTuple};

use crate::checks::{Any, shown};
use crate::errors::{OrRaise, fail, instead};
use crate::values::{in_order, is_mapping};

/// What to do with lists of documents.
pub const WAY_FOR_LISTS: &str = "for lists of documents by topic there is dict(zip(topics, lists))";

#[doc = stub!("is_table")]
#[pyfunction]
#[pyo3(signature = (source, /))]
pub fn is_table(source: &Any<'_>) -> PyResult<bool> {
    Ok(source.hasattr("__arrow_c_stream__")? || source.hasattr("iloc")? || is_dataset(source)?)
}

#[doc = stub!("is_dataset")]
#[pyfunction]
#[pyo3(signature = (source, /))]
pub fn is_dataset(source: &Any<'_>) -> PyResult<bool> {
    let class = source.get_type();
    for part in ["column_names", "with_format", "__getitem__", "__len__"] {
        if !class.hasattr(part)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// An attribute, if it is there and not `None`.
fn attribute<'py>(object: &Any<'py>, name: &str) -> PyResult<Option<Any<'py>>> {
    Ok(object.getattr_opt(name)?.filter(|found| !found.is_none()))
}

/// The names of the fields of an array of numpy, or of one row of it.
fn fields_of<'py>(object: &Any<'py>) -> PyResult<Option<Any<'py>>> {
    match attribute(object, "dtype")? {
        Some(kind) => attribute(&kind, "names"),
        None => Ok(None),
    }
}

fn text_of(name: &Any<'_>) -> PyResult<String> {
    Ok(name.str()?.to_string_lossy().into_owned())
}

/// What a mapping has as keys, as text.
fn names_of(mapping: &Any<'_>) -> PyResult<Vec<String>> {
    mapping.try_iter()?.map(|name| text_of(&name?)).collect()
}

/// Whether there is a column for topics and one for documents among the names.
fn are_columns(names: &[String]) -> bool {
    let is_there = |role: Role| names.iter().any(|name| role.usual().contains(&&*plain_name(name)));
    is_there(Role::Topic) && is_there(Role::Document)
}

#[doc = stub!("is_row")]
#[pyfunction]
#[pyo3(signature = (found, /))]
pub fn is_row(found: &Any<'_>) -> PyResult<bool> {
    let (py, is_structured) = (found.py(), fields_of(found)?.is_some());
    let dimensions = attribute(found, "ndim")?;
    let has = |number: u8| match &dimensions {
        Some(dimensions) => dimensions.eq(number),
        None => Ok(false),
    };
    if found.is_instance_of::<PyTuple>() || (is_structured && has(0)?) {
        return Ok(true);
    }
    let mut found = found.clone();
    if has(1)? && !is_structured && !is_table(&found)? {
        found = found.call_method0("tolist")?;
    }
    let (values, names) = if let Ok(list) = found.cast::<PyList>() {
        if !list.is_empty() && list.iter().all(|value| value.is_instance_of::<PyInt>()) {
            let message = format!(
                "expected rows (topic, document, score) as tuples, found a list {}, which could be \
                 a ranking; {WAY_FOR_LISTS}",
                shown(&found)?
            );
            return Err(fail(Kind::Type, message));
        }
        (found.clone(), Vec::new())
    } else if is_mapping(&found)? {
        (found.call_method0("values")?, names_of(&found)?)
    } else {
        return Ok(false);
    };
    let real = py.import("numbers")?.getattr("Real")?;
    let mut has_numbers = false;
    for value in values.try_iter()? {
        let value = value?;
        let is_number = value.is_instance(&real)?;
        has_numbers |= is_number;
        if !is_number && !value.is_none() && !value.is_instance_of::<PyString>() {
            return Ok(false);
        }
    }
    Ok(has_numbers || are_columns(&names))
}

#[doc = stub!("is_hit")]
#[pyfunction]
#[pyo3(signature = (found, /))]
pub fn is_hit(found: &Any<'_>) -> PyResult<bool> {
    if !is_mapping(found)? {
        return Ok(false);
    }
    let names = names_of(found)?;
    let is_topic = |name: &String| Role::Topic.usual().contains(&&*plain_name(name));
    Ok(!names.is_empty() && is_row(found)? && !names.iter().any(is_topic))
}

#[doc = stub!("check_nested")]
#[pyfunction]
#[pyo3(signature = (table, /))]
pub fn check_nested(table: &Any<'_>) -> PyResult<()> {
    let names = names_of(table)?;
    if !are_columns(&names) {
        return Ok(());
    }
    for name in table.try_iter()? {
        if is_mapping(&table.get_item(name?)?)? {
            return Ok(());
        }
    }
    let message = format!(
        "expected a dict by topic, found one of the columns {}: pass pandas.DataFrame(...) of \
         columns, a list of rows",
        names.join(", ")
    );
    Err(fail(Kind::Type, message))
}

#[doc = stub!("row_columns")]
#[pyfunction]
#[pyo3(signature = (rows, value, /))]
pub fn row_columns<'py>(rows: &Any<'py>, value: &str) -> PyResult<Vec<Option<Vec<Any<'py>>>>> {
    let rows = listed(rows, if value == "grade" { "judgments" } else { "a run" })?;
    let Some(first) = rows.first() else {
        let count = if value == "grade" { 3 } else { RunColumns::<usize>::default().len() };
        return Ok((0..count).map(|place| (place < 3).then(Vec::new)).collect());
    };
    let keys = keys_of(first)?;
    let plain = first.is_instance_of::<PyTuple>() || first.is_instance_of::<PyList>();
    if keys.is_none() && !(plain && first.len()? == 3) {
        let kind = first.get_type().name()?;
        let length = if plain { format!(" of {}", first.len()?) } else { String::new() };
        let is_list = first.is_instance_of::<PyList>();
        let way = if is_list { format!("; {WAY_FOR_LISTS}") } else { String::new() };
        let message = format!(
            "expected rows of (topic, doc, {value}), named tuples or dicts, found a \
             {kind}{length}{way}"
        );
        return Err(fail(Kind::Type, message));
    }
    let names = match &keys {
        Some(keys) => keys.iter().map(text_of).collect::<PyResult<Vec<_>>>()?,
        None => ["0", "1", "2"].map(String::from).to_vec(),
    };
    let places = if value == "grade" {
        columns::qrels_columns(&names, [None; 3]).or_raise()?.to_vec()
    } else {
        columns::run_columns(&names, RunColumns::default()).or_raise()?.to_vec()
    };
    let keys = keys.filter(|_| is_mapping(first).unwrap_or(false));
    let column = |place: usize| -> PyResult<Vec<Any<'py>>> {
        let cell = |row: &Any<'py>| match &keys {
            Some(keys) => row.get_item(&keys[place]),
            None => row.get_item(place),
        };
        rows.iter().map(cell).collect()
    };
    let found = places.into_iter().map(|place| place.map(column).transpose());
    found.map(|column| column.map_err(|raised| unlike(first, raised))).collect()
}

/// The rows; those of an array of numpy as tuples or dicts.
fn listed<'py>(rows: &Any<'py>, what: &str) -> PyResult<Vec<Any<'py>>> {
    let fields = fields_of(rows)?;
    let zip = rows.py().import("builtins")?.getattr("zip")?;
    let dict = rows.py().get_type::<PyDict>();
    let row = |row: Any<'py>| match &fields {
        Some(fields) => dict.call1((zip.call1((fields, row.call_method0("tolist")?))?,)),
        None if row.hasattr("dtype")? => row.call_method0("tolist"),
        None => Ok(row),
    };
    in_order(rows, &format!("rows of {what}"))?.into_iter().map(row).collect()
}

/// The keys of a dict, or the fields of a named tuple.
fn keys_of<'py>(row: &Any<'py>) -> PyResult<Option<Vec<Any<'py>>>> {
    let keys = if is_mapping(row)? { Some(row.clone()) } else { attribute(row, "_fields")? };
    keys.map(|keys| keys.try_iter()?.collect()).transpose()
}

/// The error for a row that is not like the first.
fn unlike(first: &Any<'_>, raised: PyErr) -> PyErr {
    let py = first.py();
    if !raised.is_instance_of::<PyLookupError>(py) && !raised.is_instance_of::<PyTypeError>(py) {
        return raised;
    }
    let why = raised.value(py).to_string();
    instead(py, raised, || {
        fail(Kind::Type, format!("expected rows that are all like the first: {why}"))
    })
}
