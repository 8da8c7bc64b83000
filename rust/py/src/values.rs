//! Python values: whole numbers, finite numbers, the items of mappings, columns.

use cranfield_core::error::{Kind, quote};
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple,
};

use crate::dict::{items, prefetch, prefetch_few, prefetch_table};
use crate::errors::{Tried, instead, refused};

/// A value as a whole number, if it is one; a `bool` is not.
pub fn whole_number<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyInt>>> {
    let py = value.py();
    if value.is_instance_of::<PyBool>() || value.hasattr("__index__").tried(py)? != Some(true) {
        return Ok(None);
    }
    let number = value.call_method0("__index__").tried(py)?;
    Ok(number.and_then(|number| number.cast_into().ok()))
}

/// A finite number, if the value is one.
pub fn finite(value: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
    let number = match value.cast_exact::<PyFloat>() {
        Ok(float) => Some(float.value()),
        Err(_) => value.extract::<f64>().tried(value.py())?,
    };
    Ok(number.filter(|number| number.is_finite()))
}

/// A finite number; the error names the document and the topic.
pub fn number(
    value: &Bound<'_, PyAny>,
    what: &str,
    topic: &[u8],
    document: &[u8],
) -> PyResult<f64> {
    finite(value)?.ok_or_else(|| {
        refused(Kind::Number, value, |found| {
            format!(
                "expected a finite number as {what}, found {found} for document {} of topic {}",
                quote(document),
                quote(topic)
            )
        })
    })
}

/// Calls a function with every topic and list of a mapping. Of a dict of dicts those that come
/// soon are prefetched: many short ones do not fit into the cache.
pub fn each_list(
    lists: &Bound<'_, PyAny>,
    what: &str,
    mut on_list: impl FnMut(&Bound<'_, PyAny>, &Bound<'_, PyAny>) -> PyResult<()>,
) -> PyResult<()> {
    let Ok(dict) = lists.cast::<PyDict>() else { return each_item(lists, what, on_list) };
    // `on_list` may run Python code that changes the dict.
    let items = items(dict);
    for (place, (topic, list)) in items.iter().enumerate() {
        if let Some((topic, list)) = items.get(place + 6) {
            prefetch(topic.as_ptr());
            prefetch(list.as_ptr());
        }
        if let Some((_, list)) = items.get(place + 4) {
            prefetch_table(list);
        }
        if let Some((_, list)) = items.get(place + 2) {
            prefetch_few(list);
        }
        on_list(topic, list)?;
    }
    Ok(())
}

/// Calls a function with every key and value of a mapping.
pub fn each_item<'py>(
    mapping: &Bound<'py, PyAny>,
    what: &str,
    mut on_item: impl FnMut(&Bound<'py, PyAny>, &Bound<'py, PyAny>) -> PyResult<()>,
) -> PyResult<()> {
    if let Ok(dict) = mapping.cast::<PyDict>() {
        // `on_item` may run Python code that changes the dict.
        return items(dict).iter().try_for_each(|(key, value)| on_item(key, value));
    }
    let py = mapping.py();
    let unreadable = |raised: PyErr| {
        let why = raised.to_string();
        instead(py, raised, || {
            refused(Kind::Type, mapping, |found| {
                format!("expected {what}, found {found}, whose items cannot be read: {why}")
            })
        })
    };
    if !is_mapping(mapping)? {
        return Err(refused(Kind::Type, mapping, |found| {
            format!("expected {what}, found {found}")
        }));
    }
    let items = mapping.call_method0("items").and_then(|items| items.try_iter());
    for item in items.map_err(unreadable)? {
        let item = item.map_err(unreadable)?;
        match item.cast::<PyTuple>().map(PyTupleMethods::as_slice) {
            Ok([key, value]) => on_item(key, value)?,
            _ => {
                return Err(refused(Kind::Type, &item, |found| {
                    format!("expected {what}, found {found} where items() has a key and a value")
                }));
            }
        }
    }
    Ok(())
}

/// Whether something is a dict, or calls itself a mapping.
pub fn is_mapping(given: &Bound<'_, PyAny>) -> PyResult<bool> {
    if given.is_instance_of::<PyDict>() || given.is_exact_instance_of::<PyList>() {
        return Ok(given.is_instance_of::<PyDict>());
    }
    let class = given.py().import("collections.abc")?.getattr("Mapping")?;
    Ok(given.is_instance(&class).tried(given.py())? == Some(true))
}

/// The items of a column. Its `len` is not trusted.
pub fn column<'py>(given: &Bound<'py, PyAny>, what: &str) -> PyResult<Vec<Bound<'py, PyAny>>> {
    in_order(given, &format!("{what} as a column"))
}

/// The items of something whose order counts.
pub fn in_order<'py>(given: &Bound<'py, PyAny>, wanted: &str) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let py = given.py();
    let refuse = |why: &str| {
        refused(Kind::Type, given, |found| format!("expected {wanted}, found {found}{why}"))
    };
    let bytes = given.is_instance_of::<PyBytes>() || given.is_instance_of::<PyByteArray>();
    if bytes || given.is_instance_of::<PyString>() {
        return Err(refuse(""));
    }
    check_order(given, wanted)?;
    let unread = is_unread(given)?;
    let items = given.try_iter().and_then(Iterator::collect::<PyResult<Vec<_>>>);
    let items = items.map_err(|raised| instead(py, raised, || refuse("")))?;
    if items.is_empty() && !unread {
        return Err(refuse(USED_UP));
    }
    Ok(items)
}

#[doc = stub!("in_order")]
#[pyfunction(name = "in_order")]
#[pyo3(signature = (given, wanted, /))]
pub fn listed<'py>(given: &Bound<'py, PyAny>, wanted: &str) -> PyResult<Vec<Bound<'py, PyAny>>> {
    in_order(given, wanted)
}

/// What an error says of an iterator without items.
const USED_UP: &str = ", which has nothing in it or was used up before: pass a list";

/// An error for a set or a mapping where the order of the items counts.
pub fn check_order(given: &Bound<'_, PyAny>, wanted: &str) -> PyResult<()> {
    if given.is_exact_instance_of::<PyList>() {
        return Ok(());
    }
    let (py, abc) = (given.py(), given.py().import("collections.abc")?);
    let is = |class: &str| given.is_instance(&abc.getattr(class)?).tried(py);
    // The views of a dict are in the order of the dict.
    let why = if is("Mapping")? == Some(true) {
        "whose values would be passed over"
    } else if is("Set")? == Some(true) && is("MappingView")? != Some(true) {
        "which has no order: pass a list in the order that is meant"
    } else {
        return Ok(());
    };
    Err(refused(Kind::Type, given, |found| format!("expected {wanted}, found {found}, {why}")))
}

/// Whether something is no iterator, or a generator of which nothing was read.
fn is_unread(given: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = given.py();
    if given.hasattr("__next__").tried(py)? != Some(true) {
        return Ok(true);
    }
    let frame = given.getattr("gi_frame").tried(py)?;
    Ok(frame.is_some_and(|frame| !frame.is_none()))
}
