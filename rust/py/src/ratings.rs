//! Judgments as the ratings that search engines and the tools beside them read.

use cranfield_core::error::Kind;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict, PyFloat, PyList, PyString};

use crate::checks::{Any, shown};
use crate::errors::fail;

/// The forms that are written.
const FORMS: [&str; 3] = ["rank_eval", "srw", "quepid"];

/// How a cell begins that spreadsheets take for a formula; Quepid writes something before it.
const GUARDED: [char; 4] = ['=', '+', '-', '@'];

/// Judgments, `{topic: {document: grade}}`, in a form of ratings; see `Qrels.to_ratings`.
pub fn ratings_of<'py>(
    judged: &Bound<'py, PyDict>,
    form: &str,
    index: Option<&Any<'py>>,
) -> PyResult<Any<'py>> {
    let py = judged.py();
    let said = || shown(PyString::new(py, form).as_any());
    if form != "rank_eval" && index.is_some() {
        let message = format!("index= is for \"rank_eval\", found it for {}", said()?);
        return Err(fail(Kind::Option, message));
    }
    match form {
        "rank_eval" => {
            let place = Place::of(index)?;
            nested(judged, ["requests", "id", "ratings"], |document, grade| {
                place.rating(document, grade)
            })
        }
        "srw" => nested(judged, ["judgmentRatings", "query", "ratings"], |document, grade| {
            let rating = [("docId", document.clone()), ("rating", three_decimals(&grade)?)];
            rating.into_py_dict(py)
        }),
        "quepid" => quepid(judged),
        _ => {
            let message =
                format!("expected one of {} as form, found {}", FORMS.join(", "), said()?);
            Err(fail(Kind::Option, message))
        }
    }
}

/// A dict with a list of all topics: their names, and a list of the ratings of each.
fn nested<'py>(
    judged: &Bound<'py, PyDict>,
    [all, topic_key, ratings_key]: [&str; 3],
    rating: impl Fn(&Any<'py>, Any<'py>) -> PyResult<Bound<'py, PyDict>>,
) -> PyResult<Any<'py>> {
    let topics = PyList::empty(judged.py());
    for (topic, graded) in judged {
        let ratings = PyList::empty(judged.py());
        for (document, grade) in graded.cast::<PyDict>()? {
            ratings.append(rating(&document, grade)?)?;
        }
        let own = [(topic_key, topic), (ratings_key, ratings.into_any())];
        topics.append(own.into_py_dict(judged.py())?)?;
    }
    Ok([(all, topics)].into_py_dict(judged.py())?.into_any())
}

/// Where documents are: an index, or a function from a document to its index and `_id`.
enum Place<'py> {
    Index(Any<'py>),
    Function(Any<'py>),
}

impl<'py> Place<'py> {
    fn of(index: Option<&Any<'py>>) -> PyResult<Self> {
        match index {
            Some(index) if index.is_callable() => Ok(Place::Function(index.clone())),
            Some(index) if index.is_instance_of::<PyString>() => Ok(Place::Index(index.clone())),
            _ => Err(fail(
                Kind::Option,
                "expected the index of the documents for \"rank_eval\": index=\"products\", or a \
                 function from a document to its index and _id",
            )),
        }
    }

    fn rating(&self, document: &Any<'py>, grade: Any<'py>) -> PyResult<Bound<'py, PyDict>> {
        let [index, id] = match self {
            Place::Index(index) => [index.clone(), document.clone()],
            Place::Function(function) => function.call1((document,))?.extract()?,
        };
        let number: f64 = grade.extract()?;
        if number.fract() != 0.0 {
            let document = shown(document)?;
            let message =
                format!("expected whole numbers for _rank_eval, found {grade} for {document}");
            return Err(fail(Kind::Needs, message));
        }
        let rating = grade.call_method0("__int__")?;
        [("_index", index), ("_id", id), ("rating", rating)].into_py_dict(document.py())
    }
}

/// A rating as the workbench writes it: with three decimals, or more where it has more.
fn three_decimals<'py>(grade: &Any<'py>) -> PyResult<Any<'py>> {
    let number: f64 = grade.extract()?;
    let text = format!("{number:.3}");
    if text.parse() == Ok(number) {
        text.into_bound_py_any(grade.py())
    } else {
        Ok(grade.repr()?.into_any())
    }
}

/// A table between commas.
fn quepid<'py>(judged: &Bound<'py, PyDict>) -> PyResult<Any<'py>> {
    let py = judged.py();
    let text = py.import("io")?.call_method0("StringIO")?;
    let options = [("lineterminator", "\n")].into_py_dict(py)?;
    let writer = py.import("csv")?.call_method("writer", (&text,), Some(&options))?;
    writer.call_method1("writerow", (("query", "docid", "rating"),))?;
    for (topic, graded) in judged {
        let topic = topic.cast_into::<PyString>()?;
        let is_guarded = topic.to_string_lossy().starts_with(GUARDED);
        let topic = if is_guarded { PyString::new(py, "'").add(topic)? } else { topic.into_any() };
        let graded = graded.cast_into::<PyDict>()?;
        if graded.is_empty() {
            writer.call_method1("writerow", ((topic,),))?;
            continue;
        }
        for (document, grade) in graded {
            let grade = grade.cast::<PyFloat>()?.call_method1("__format__", (".17g",))?;
            writer.call_method1("writerow", ((&topic, document, grade),))?;
        }
    }
    text.call_method0("getvalue")
}
