//! The evaluator behind `cranfield.compat.pytrec_eval`: dicts in, dicts out.
//!
//! Errors are of the types that `pytrec_eval` raises and begin with its
//! sentence, followed by what was expected and where.

use std::borrow::Cow;
use std::sync::Arc;

use cranfield_core::evaluate::few_are_judged;
use cranfield_core::qrels::{Builder, Qrels as CoreQrels};
use cranfield_core::rank::{JoinTarget, Lines, Ranking, Scratch};
use cranfield_core::trec_eval::{InMemory, Values, nan_last, nicknames};
use pyo3::exceptions::{PyAttributeError, PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict, PyFloat, PyFrozenSet, PyInt, PySet, PyString, PyType};

use crate::dict::{Judged, Names, Walk, filled, items};
use crate::errors::{Tried, shown};
use crate::ids::encoded;
use crate::qrels::Qrels;

#[doc = stub!("RelevanceEvaluator")]
#[pyclass(frozen, module = "cranfield._core")]
pub struct RelevanceEvaluator {
    core: InMemory,
    names: Names,
    /// The values of a topic before any is computed: those that are the same for all
    /// lists, and 0. Copying it is faster than filling a new dict.
    row: Py<PyDict>,
    given: Vec<f64>,
    asked: Asked,
}

/// Measures with their numbers, the lowest relevant grade, whether unjudged documents are removed.
type Asked = (Vec<(String, Vec<String>)>, i64, bool);

#[doc = stub!("trec_eval_nicknames")]
#[pyfunction]
pub fn trec_eval_nicknames() -> Vec<(&'static str, Vec<&'static str>)> {
    nicknames().collect()
}

/// Whether trec_eval computes a measure of this name.
fn is_supported(name: &str) -> bool {
    nicknames().any(|(nickname, members)| nickname == "all_trec" && members.contains(&name))
}

#[doc = stub!("measure_numbers")]
#[pyfunction]
#[pyo3(signature = (measures, /))]
pub fn measure_numbers<'py>(measures: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
    let (py, found) = (measures.py(), PyDict::new(measures.py()));
    let mut ordered = measures.clone();
    if ordered.is_instance_of::<PySet>() || ordered.is_instance_of::<PyFrozenSet>() {
        // A set has another order in each process, and its first wrong name is the error.
        let by_text = [("key", py.get_type::<PyString>())].into_py_dict(py)?;
        let sorted = py.import("builtins")?.getattr("sorted")?;
        ordered = sorted.call((ordered,), Some(&by_text))?;
    }
    let add = |name: &str, numbers: &[&str]| -> PyResult<()> {
        let own = match found.get_item(name)? {
            Some(own) => own.cast_into::<PySet>()?,
            None => PySet::empty(py)?,
        };
        numbers.iter().try_for_each(|number| own.add(number))?;
        found.set_item(name, own)
    };
    for measure in ordered.try_iter()? {
        let measure = measure?;
        let Ok(name) = measure.cast::<PyString>() else {
            let message = format!("expected names of measures as str, found {}", cut(&measure)?);
            return Err(PyTypeError::new_err(message));
        };
        let name = name.to_string_lossy();
        let mut names: Vec<&str> = match nicknames().find(|(nickname, _)| *nickname == name) {
            Some((_, members)) => members,
            None => vec![&name],
        };
        names.sort_unstable();
        for name in names {
            if is_supported(name) {
                add(name, &[])?;
            } else if let Some((base, numbers)) = with_numbers(name) {
                add(base, &numbers)?;
            } else {
                return Err(unsupported(measures, name)?);
            }
        }
    }
    Ok(found)
}

/// A measure and the numbers behind it; behind these anything may follow, as in pytrec_eval.
fn with_numbers(text: &str) -> Option<(&str, Vec<&str>)> {
    let places = text.match_indices(['.', '_']).map(|(place, _)| place);
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let length = |text: &str| {
        let whole = digits(text);
        let after = text[whole..].strip_prefix('.').map_or(0, digits);
        if whole > 0 && after > 0 { whole + 1 + after } else { whole }
    };
    for place in places.filter(|place| is_supported(&text[..*place])) {
        let (mut rest, mut numbers) = (&text[place + 1..], Vec::new());
        while length(rest) > 0 {
            let (number, behind) = rest.split_at(length(rest));
            numbers.push(number);
            let Some(next) = behind.strip_prefix(',') else { break };
            rest = next;
        }
        if !numbers.is_empty() {
            return Some((&text[..place], numbers));
        }
    }
    None
}

/// The error for a measure that is not supported, with what to ask for instead, if anything.
fn unsupported(measures: &Bound<'_, PyAny>, name: &str) -> PyResult<PyErr> {
    let errors = measures.py().import("cranfield._base.errors")?;
    let short: String = errors.call_method1("short", (name,))?.extract()?;
    let of = |advice: String| PyValueError::new_err(format!("unsupported measure {short}{advice}"));
    if measures.is_instance_of::<PyString>() {
        return Ok(of(format!("; found one str as measures, {}", measures.repr()?)));
    }
    if nicknames().any(|(_, members)| members.contains(&name)) {
        return Ok(of(format!(
            ": pytrec_eval has it in a nickname and does not compute it; \
             python -m cranfield.trec_eval -m {name} does"
        )));
    }
    let base = name.trim_end_matches(|end: char| end.is_ascii_digit() || ".,_@".contains(end));
    let mut known: Vec<&str> = Vec::new();
    for (nickname, members) in nicknames() {
        if members.iter().all(|member| is_supported(member)) {
            known.push(nickname);
            known.extend(members);
        }
    }
    known.sort_unstable();
    known.dedup();
    let base = if base.is_empty() { name } else { base };
    let near: Vec<String> = errors.call_method1("nearest", (base, known, 1))?.extract()?;
    Ok(of(near.first().map_or(String::new(), |near| format!("; did you mean {near}?"))))
}

/// A value for a message: its type and what it prints as.
fn cut(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let (kind, text) = (value.get_type().name()?, value.repr()?);
    let text = text.to_string_lossy();
    let first = |most: usize| text.chars().take(most).collect::<String>();
    let is_long = text.chars().nth(80).is_some();
    Ok(format!("{kind} {}", if is_long { first(77) + "..." } else { text.into_owned() }))
}

#[doc = stub!("judged_topics")]
#[pyfunction]
#[pyo3(signature = (query_relevance, /))]
pub fn judged_topics<'py>(query_relevance: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
    let (py, judged) = (query_relevance.py(), PyDict::new(query_relevance.py()));
    let Some(items) = query_relevance.getattr_opt("items")? else {
        let found = cut(query_relevance)?;
        let message =
            format!("expected query_relevance as {{topic: {{document: grade}}}}, found {found}");
        return Err(PyAttributeError::new_err(message));
    };
    for item in items.call0()?.try_iter()? {
        let [topic, graded]: [Bound<'py, PyAny>; 2] = item?.extract()?;
        match graded.len() {
            Ok(0) => (),
            Ok(_) => judged.set_item(topic, graded)?,
            Err(raised) if raised.is_instance_of::<PyTypeError>(py) => {
                let message = format!(
                    "Expected dictionary as value. Expected a dict of documents, found {} in topic \
                     {}",
                    cut(&graded)?,
                    topic.repr()?
                );
                return Err(PyTypeError::new_err(message));
            }
            Err(raised) => return Err(raised),
        }
    }
    Ok(judged)
}

#[doc = stub!("c_int")]
#[pyfunction]
#[pyo3(signature = (name, value, /))]
pub fn c_int(name: &str, value: &Bound<'_, PyAny>) -> PyResult<i32> {
    let index = value.py().import("operator")?.getattr("index")?;
    let number = match index.call1((value,)) {
        Ok(number) => number.extract::<i32>().tried(value.py())?,
        Err(raised) if raised.is_instance_of::<PyTypeError>(value.py()) => None,
        Err(raised) => return Err(raised),
    };
    let Some(number) = number else {
        let message = format!(
            "Expected object_relevance_per_qid dictionary and measures set. Expected {name} as an \
             int of 32 bits, found {}",
            cut(value)?
        );
        return Err(PyTypeError::new_err(message));
    };
    Ok(number)
}

#[pymethods]
impl RelevanceEvaluator {
    #[new]
    fn new(
        py: Python<'_>,
        query_relevance: &Bound<'_, PyAny>,
        measures: Vec<(String, Vec<String>)>,
        relevance_level: i64,
        judged_docs_only: bool,
    ) -> PyResult<Self> {
        let qrels = match query_relevance.cast::<Qrels>() {
            Ok(qrels) => Arc::clone(&qrels.get().0),
            Err(_) => Arc::new(compiled(query_relevance.cast()?)?),
        };
        let core = InMemory::new(qrels, &measures, relevance_level, judged_docs_only);
        let core = core.map_err(PyValueError::new_err)?;
        let given: Vec<f64> = core.given().collect();
        let (row, zero) = (PyDict::new(py), PyFloat::new(py, 0.0));
        for (key, &value) in core.keys().zip(&given) {
            let key = PyString::intern(py, key);
            row.set_item(key, if value == 0.0 { zero.clone() } else { PyFloat::new(py, value) })?;
        }
        let asked = (measures, relevance_level, judged_docs_only);
        Ok(RelevanceEvaluator { core, names: Names::default(), row: row.unbind(), given, asked })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, Parts<'_>) {
        let (measures, relevance_level, judged_docs_only) = &self.asked;
        let qrels = Qrels(Arc::clone(self.core.qrels()));
        let parts = (qrels, measures, *relevance_level, *judged_docs_only);
        (py.get_type::<RelevanceEvaluator>(), parts)
    }

    #[doc = stub!("RelevanceEvaluator.evaluate")]
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        scores: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let Ok(scores) = scores.cast::<PyDict>() else {
            let message = format!(
                "Argument object scores should be of type dictionary. Expected {{topic: \
                 {{document: score}}}}, found {}",
                cut(scores)?
            );
            return Err(PyTypeError::new_err(message));
        };
        let (qrels, ranker, reach) = (self.core.qrels(), self.core.ranker(), self.core.reach());
        let (mut walk, mut scratch) = (Walk::default(), Scratch::default());
        let (mut ranking, mut values) = (Ranking::default(), Values::default());
        let result = PyDict::new(py);
        for (topic, listed) in items(scores) {
            let topic = RUN.topic(&topic)?;
            let listed = RUN.documents(topic, &listed)?;
            let Some(position) = qrels.position(&bytes_of(topic)?) else {
                if walk.count(listed).is_none() {
                    lines_of(topic, listed)?;
                }
                continue;
            };
            let judged = &qrels.topics()[position];
            let few = few_are_judged(judged, listed.len());
            let names = if few { self.names.of(py, qrels, position) } else { None };
            let join =
                Judged { topic: judged, seed: qrels.seed(), reach, costs: &qrels.costs, names };
            if walk.rank(listed, &ranker, join, &mut scratch, &mut ranking)?.is_none() {
                let lines = lines_of(topic, listed)?;
                let target = JoinTarget::new(qrels, judged, reach);
                let ranked = ranker.rank(&lines, target, &mut scratch, &mut ranking);
                ranked.map_err(|_| twice(topic, None))?;
            }
            self.core.score(position, &ranking, &mut values).map_err(PyValueError::new_err)?;
            let row = filled(self.row.bind(py), &self.given, self.core.values(&values))?;
            result.set_item(plain(topic), row)?;
        }
        Ok(result)
    }
}

/// What an evaluator is made of again: judgments, measures, level, judged only.
type Parts<'a> = (Qrels, &'a Vec<(String, Vec<String>)>, i64, bool);

/// The judgments of a dict of dicts.
fn compiled(query_relevance: &Bound<'_, PyDict>) -> PyResult<CoreQrels> {
    let py = query_relevance.py();
    let mut builder = Builder::new(&[]);
    let mut walk = Walk::default();
    for (topic, judged) in items(query_relevance) {
        let topic = JUDGMENTS.topic(&topic)?;
        let topic_id = bytes_of(topic)?;
        let judged = JUDGMENTS.documents(topic, &judged)?;
        let whole = walk.has_whole_numbers(judged);
        if let Some(added) = whole.then(|| walk.judge(judged, &topic_id, &mut builder)).flatten() {
            added.map_err(|_| twice(topic, None))?;
            continue;
        }
        for (document, grade) in items(judged) {
            let document = JUDGMENTS.document(topic, &document)?;
            let Ok(whole) = grade.cast::<PyInt>() else {
                return Err(JUDGMENTS.no_number(topic, document, &grade));
            };
            let Some(whole) = whole.extract::<i64>().tried(py)? else {
                let place = place(topic, Some(document))?;
                let found = shown(&grade)?;
                let expected = "expected a grade of at most 64 bits";
                return Err(PyOverflowError::new_err(format!("{expected}, found {found}{place}")));
            };
            let added = builder.add(&topic_id, &bytes_of(document)?, whole as f64, &[], 0);
            added.map_err(|_| twice(topic, Some(document)))?;
        }
    }
    Ok(builder.finish(None))
}

/// One of the two dicts of dicts: the sentences of `pytrec_eval` for a wrong topic, topic's
/// documents, document and number, and what the numbers have to be.
struct Side {
    says: [&'static str; 4],
    number: &'static str,
}

const JUDGMENTS: Side = Side {
    says: [
        "Expected string as key.",
        "Expected dictionary as value.",
        "Expected mapping of document id to query relevance or matching score.",
        "Expected relevance to be integer.",
    ],
    number: "a grade as int",
};

const RUN: Side =
    Side { says: ["Unable to extract query/object scores."; 4], number: "a score as float or int" };

impl Side {
    fn topic<'a, 'py>(&self, key: &'a Bound<'py, PyAny>) -> PyResult<&'a Bound<'py, PyString>> {
        key.cast().map_err(|_| self.wrong(0, "a topic as str", key, None))
    }

    fn documents<'a, 'py>(
        &self,
        topic: &Bound<'_, PyString>,
        value: &'a Bound<'py, PyAny>,
    ) -> PyResult<&'a Bound<'py, PyDict>> {
        let wrong = |_| self.wrong(1, "a dict of documents", value, Some((topic, None)));
        value.cast().map_err(wrong)
    }

    fn document<'a, 'py>(
        &self,
        topic: &Bound<'_, PyString>,
        key: &'a Bound<'py, PyAny>,
    ) -> PyResult<&'a Bound<'py, PyString>> {
        key.cast().map_err(|_| self.wrong(2, "a document as str", key, Some((topic, None))))
    }

    #[cold]
    fn no_number(
        &self,
        topic: &Bound<'_, PyString>,
        document: &Bound<'_, PyString>,
        value: &Bound<'_, PyAny>,
    ) -> PyErr {
        self.wrong(3, self.number, value, Some((topic, Some(document))))
    }

    #[cold]
    fn wrong(&self, says: usize, what: &str, found: &Bound<'_, PyAny>, at: At<'_, '_>) -> PyErr {
        let sentence = || -> PyResult<String> {
            let place = at.map_or(Ok(String::new()), |(topic, document)| place(topic, document))?;
            Ok(format!("{} Expected {what}, found {}{place}", self.says[says], shown(found)?))
        };
        // An interrupt while a value is printed is passed on.
        sentence().map_or_else(|raised| raised, PyTypeError::new_err)
    }
}

fn score_of(
    topic: &Bound<'_, PyString>,
    document: &Bound<'_, PyString>,
    score: &Bound<'_, PyAny>,
) -> PyResult<f64> {
    if let Ok(float) = score.cast::<PyFloat>() {
        return Ok(float.value());
    }
    let whole = score.cast::<PyInt>().map_err(|_| RUN.no_number(topic, document, score))?;
    if let Some(number) = whole.extract().tried(score.py())? {
        return Ok(number);
    }
    let (found, place) = (shown(score)?, place(topic, Some(document))?);
    let expected = "expected a score within the range of a float";
    Err(PyOverflowError::new_err(format!("{expected}, found {found}{place}")))
}

/// The lines of a list that cannot be read in place.
fn lines_of(topic: &Bound<'_, PyString>, listed: &Bound<'_, PyDict>) -> PyResult<Lines> {
    let mut lines = Lines::default();
    let mut has_nan = false;
    for (document, score) in items(listed) {
        let document = RUN.document(topic, &document)?;
        let score = score_of(topic, document, &score)?;
        has_nan |= score.is_nan();
        lines.push(&bytes_of(document)?, score);
    }
    Ok(if has_nan { nan_last(&lines) } else { lines })
}

/// The bytes of an id. A lone surrogate is encoded as if it were a character.
fn bytes_of<'a>(id: &'a Bound<'_, PyString>) -> PyResult<Cow<'a, [u8]>> {
    if let Ok(text) = id.to_str() {
        return Ok(Cow::Borrowed(text.as_bytes()));
    }
    Ok(Cow::Owned(encoded(id, "surrogatepass")?.as_bytes().to_vec()))
}

/// An id that is exactly a `str`.
fn plain<'py>(id: &Bound<'py, PyString>) -> Bound<'py, PyString> {
    if id.is_exact_instance_of::<PyString>() {
        return id.clone();
    }
    id.to_str().map_or_else(|_| id.clone(), |text| PyString::new(id.py(), text))
}

/// A topic, and a document of it, that an error is about.
type At<'a, 'py> = Option<(&'a Bound<'py, PyString>, Option<&'a Bound<'py, PyString>>)>;

#[cold]
fn place(topic: &Bound<'_, PyString>, document: Option<&Bound<'_, PyString>>) -> PyResult<String> {
    let Some(document) = document else { return Ok(format!(" in topic {}", repr(topic)?)) };
    Ok(format!(" for document {} of topic {}", repr(document)?, repr(topic)?))
}

fn repr(id: &Bound<'_, PyString>) -> PyResult<String> {
    let text = id.repr().tried(id.py())?;
    Ok(text.map_or_else(String::new, |text| text.to_string_lossy().into_owned()))
}

/// Two keys of a dict that are the same text: only a subclass of `str` has them.
#[cold]
fn twice(topic: &Bound<'_, PyString>, document: Option<&Bound<'_, PyString>>) -> PyErr {
    let sentence = |place| format!("expected each document once, found one twice{place}");
    place(topic, document).map_or_else(|raised| raised, |p| PyValueError::new_err(sentence(p)))
}
