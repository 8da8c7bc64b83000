//! Labels and scores by group, as Python sees them.

use std::collections::HashSet;
use std::sync::Arc;

use cranfield_core::error::Kind;
use cranfield_core::evaluate::Groups;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyString};

use crate::errors::{OrRaise, fail};
use crate::ids::Ids;
use crate::options::wrong;
use crate::qrels::Qrels;
use crate::ranked::Ranked;
use crate::watch::in_this_thread;

/// A column of numbers that is read in place.
#[derive(FromPyObject)]
pub enum Column<'py> {
    Double(PyReadonlyArray1<'py, f64>),
    Single(PyReadonlyArray1<'py, f32>),
}

#[derive(Clone, Copy)]
enum Numbers<'a> {
    Double(&'a [f64]),
    Single(&'a [f32]),
}

impl Column<'_> {
    fn numbers(&self) -> PyResult<Numbers<'_>> {
        Ok(match self {
            Column::Double(array) => Numbers::Double(array.as_slice()?),
            Column::Single(array) => Numbers::Single(array.as_slice()?),
        })
    }
}

/// A name, and the row behind which it ends.
type Group = (Box<[u8]>, usize);

impl Numbers<'_> {
    fn len(self) -> usize {
        match self {
            Numbers::Double(numbers) => numbers.len(),
            Numbers::Single(numbers) => numbers.len(),
        }
    }

    fn get(self, row: usize) -> f64 {
        match self {
            Numbers::Double(numbers) => numbers[row],
            Numbers::Single(numbers) => f64::from(numbers[row]),
        }
    }
}

#[doc = stub!("grouped")]
#[pyfunction]
#[pyo3(signature = (labels, scores, form, values, given, ties, /))]
pub fn grouped(
    py: Python<'_>,
    labels: Column<'_>,
    scores: Column<'_>,
    form: &str,
    values: Vec<Bound<'_, PyAny>>,
    given: &Bound<'_, PyAny>,
    ties: bool,
) -> PyResult<(Qrels, Ranked)> {
    let (labels, scores) = (labels.numbers()?, scores.numbers()?);
    let groups = match form {
        "qid" => named(&values, labels.len())?,
        _ => numbered(&ends(form, &values, given, labels.len())?),
    };
    let work = |_: &_| {
        let (label, score) = (|row| labels.get(row), |row| scores.get(row));
        Groups { groups: &groups, label: &label, score: &score, ties }.ranked()
    };
    let (qrels, ranked) = in_this_thread(py, work, None)?.or_raise()?;
    Ok((Qrels(qrels), Ranked(Arc::new(ranked))))
}

/// The rows behind which groups end, by their sizes or by where they begin.
fn ends(
    form: &str,
    values: &[Bound<'_, PyAny>],
    given: &Bound<'_, PyAny>,
    rows: usize,
) -> PyResult<Vec<usize>> {
    let whole = |value: &Bound<'_, PyAny>| value.cast_exact::<PyInt>().ok()?.extract().ok();
    let whole: Option<Vec<usize>> = values.iter().map(whole).collect();
    let whole = whole.ok_or_else(|| wrong(form, "whole numbers of at least 0", given))?;
    let ends: Vec<usize> = if form == "group" {
        let add = |end: &mut usize, size: usize| {
            *end = end.saturating_add(size);
            Some(*end)
        };
        whole.into_iter().scan(0, add).collect()
    } else if whole.first() == Some(&0) && whole.is_sorted() {
        whole[1..].to_vec()
    } else {
        return Err(wrong(form, "numbers that begin with 0 and do not fall", given));
    };
    let last = ends.last().copied().unwrap_or(0);
    if last != rows {
        let verb = if form == "group" { "adds up to" } else { "ends with" };
        let message = format!("{form} {verb} {last}, and there are {rows} rows");
        return Err(fail(Kind::Option, message));
    }
    Ok(ends)
}

/// Groups called by their positions, whose byte order is theirs.
fn numbered(ends: &[usize]) -> Vec<Group> {
    let width = ends.len().saturating_sub(1).to_string().len();
    let name = |place| format!("{place:0width$}").into_bytes().into();
    ends.iter().enumerate().map(|(place, end)| (name(place), *end)).collect()
}

/// Groups of rows that stand together.
fn named(qids: &[Bound<'_, PyAny>], rows: usize) -> PyResult<Vec<Group>> {
    if qids.len() != rows {
        let message = format!("qid has {} values, and there are {rows} rows", qids.len());
        return Err(fail(Kind::Option, message));
    }
    let mut groups: Vec<Group> = Vec::new();
    let mut seen = HashSet::new();
    let mut ids = Ids::Unknown;
    let mut last: Option<&Bound<'_, PyAny>> = None;
    for (row, qid) in qids.iter().enumerate() {
        let same_type = last.is_none_or(|last| last.get_type().is(qid.get_type()));
        let is_id = qid.is_exact_instance_of::<PyString>() || qid.is_exact_instance_of::<PyInt>();
        if !(is_id && same_type) {
            return Err(wrong("qid", "all text or all whole numbers", qid));
        }
        let id = ids.bytes(qid)?.into_owned();
        last = Some(qid);
        match groups.last_mut() {
            Some((name, end)) if **name == *id => *end = row + 1,
            _ if !seen.insert(id.clone()) => {
                let again = format!("the rows of qid {} do not stand together", qid.repr()?);
                let advice = "order all rows by np.argsort(qid, kind=\"stable\") first";
                let message = format!("{again}: it is in row {row} again; {advice}");
                return Err(fail(Kind::Option, message));
            }
            _ => groups.push((id.into(), row + 1)),
        }
    }
    Ok(groups)
}
