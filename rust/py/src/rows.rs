//! Rows as named tuples, read by the places of their fields.

use cranfield_core::rank::Run;
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyList, PyString, PyTuple, PyType};

use crate::dict::fetch;
use crate::errors::Tried;
use crate::inputs::RunRows;

/// So many rows are gone to at a time: their items are on their way from memory
/// together.
const TOGETHER: usize = 64;

/// A row's topic, document and score.
type Items<'a, 'py> = [Borrowed<'a, 'py, PyAny>; 3];

/// A run from named tuples, by the names of topic, document and score. `None`
/// unless each row is one, with text, text and a finite number; then nothing is
/// known of the rows.
pub fn run_from_named_tuples(
    rows: &Bound<'_, PyList>,
    fields: [&str; 3],
    name: String,
) -> PyResult<Option<Run>> {
    let mut found = RunRows::default();
    let mut class: Option<(Bound<'_, PyType>, [usize; 3])> = None;
    let mut rows = rows.iter();
    loop {
        let held: Vec<_> = rows.by_ref().take(TOGETHER).collect();
        if held.is_empty() {
            return Ok(Some(Run { name, ..found.run }));
        }
        let mut items = Vec::with_capacity(TOGETHER);
        for row in &held {
            let Ok(row) = row.cast::<PyTuple>() else { return Ok(None) };
            let places = match &class {
                Some((known, places)) if known.as_type_ptr() == row.get_type_ptr() => *places,
                _ => {
                    let Some(places) = places(&row.get_type(), fields)? else { return Ok(None) };
                    class = Some((row.get_type(), places));
                    places
                }
            };
            let Some(row) = items_of(row, places) else { return Ok(None) };
            for item in &row {
                fetch(item.as_ptr());
            }
            items.push(row);
        }
        for row in items {
            if !add(row, &mut found)? {
                return Ok(None);
            }
        }
    }
}

/// The items of a row, which may be shorter than its class says.
fn items_of<'a, 'py>(row: &'a Bound<'py, PyTuple>, places: [usize; 3]) -> Option<Items<'a, 'py>> {
    let [topic, document, score] = places.map(|place| row.get_borrowed_item(place).ok());
    Some([topic?, document?, score?])
}

/// Adds a row, if it is a plain one. Returns whether it is.
fn add([topic, document, score]: Items<'_, '_>, found: &mut RunRows) -> PyResult<bool> {
    let score = match score.cast_exact::<PyFloat>() {
        Ok(float) => Some(float.value()),
        Err(_) => score.extract().tried(score.py())?,
    };
    let (Some(score), Ok(topic), Ok(document)) = (
        score.filter(|score| score.is_finite()),
        topic.cast_exact::<PyString>(),
        document.cast_exact::<PyString>(),
    ) else {
        return Ok(false);
    };
    let (Ok(topic), Ok(document)) = (topic.to_str(), document.to_str()) else { return Ok(false) };
    found.add(topic.as_bytes(), document.as_bytes(), score, f64::NAN);
    Ok(true)
}

/// The places of fields in the tuples of a class; `None` if one of them is not
/// simply an item, which is what `namedtuple` makes of a field.
fn places(class: &Bound<'_, PyType>, fields: [&str; 3]) -> PyResult<Option<[usize; 3]>> {
    let getter = class.py().import("_collections")?.getattr("_tuplegetter")?;
    let mut places = [0; 3];
    for (place, field) in places.iter_mut().zip(fields) {
        let Some(attribute) = class.getattr_opt(field)? else { return Ok(None) };
        if !attribute.get_type().is(&getter) {
            return Ok(None);
        }
        // It tells how it was made: the class and what that was called with.
        let made = attribute.call_method0("__reduce__")?;
        let (_, (item, _)): (Bound<'_, PyAny>, (usize, Bound<'_, PyAny>)) = made.extract()?;
        *place = item;
    }
    Ok(Some(places))
}
