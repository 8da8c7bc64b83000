//! Measures as Python sees them.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use cranfield_core::error::Kind;
use cranfield_core::grammar;
use cranfield_core::measure::{Aggregate, Better, Budget, Measure as CoreMeasure, Unit, Value};
use cranfield_core::scores::{MeasureLabel as CoreColumn, OpaqueMeasure as CoreOpaque};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString, PyTuple, PyType};

use crate::codec::{self, Reduced};
use crate::errors::{OrRaise, Tried, fail, printed, refused};
use crate::options::{self, choose};

#[doc = stub!("Measure")]
#[pyclass(frozen, module = "cranfield._core", from_py_object)]
#[derive(Clone)]
pub struct Measure(pub CoreMeasure);

#[pymethods]
impl Measure {
    #[new]
    #[pyo3(signature = (text, /))]
    fn new(text: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(measure) = text.cast::<Measure>() {
            return Ok(measure.get().clone());
        }
        if text.cast::<PyString>().is_err() && is_of_ir_measures(text)? {
            let text = text.str()?;
            let text = text.to_string_lossy();
            let measure = grammar::parse(&text).or_raise()?;
            return match grammar::of_ir_measures(&measure) {
                Some(reason) => Err(fail(Kind::Measure, format!("{text} of ir_measures {reason}"))),
                None => Ok(Measure(measure)),
            };
        }
        grammar::parse(options::measure(text)?).map(Measure).or_raise()
    }

    #[pyo3(signature = (**parameters))]
    fn __call__(&self, parameters: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let mut measure = self.0.clone();
        let mut given = Vec::new();
        for (key, value) in parameters.into_iter().flat_map(PyDictMethods::iter) {
            let key = key.cast::<PyString>()?.to_string_lossy();
            let set = parameter(&value)?.and_then(|value| {
                let set = grammar::set(&mut measure, &key, value, &mut given);
                set.map_err(|(_, sentence)| sentence)
            });
            let name = self.0.family.about.name;
            set.map_err(|sentence| {
                let prefix =
                    if sentence.starts_with(name) { String::new() } else { format!("{name}: ") };
                fail(Kind::Parameter, prefix + &sentence)
            })?;
        }
        grammar::check_prime(&measure).map_err(|sentence| fail(Kind::Parameter, sentence))?;
        Ok(Measure(measure))
    }

    fn __matmul__(&self, cutoff: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut measure = self.0.clone();
        let cutoff = cutoff.extract::<f64>().tried(cutoff.py())?.ok_or_else(|| {
            refused(Kind::Parameter, cutoff, |found| {
                format!("expected a whole number from 1 to {} as cutoff, found {found}", u32::MAX)
            })
        })?;
        grammar::set_cutoff(&mut measure, cutoff)
            .map_err(|sentence| fail(Kind::Parameter, sentence))?;
        Ok(Measure(measure))
    }

    #[doc = stub!("Measure.at")]
    #[pyo3(signature = (*, chars = None, tokens = None, cost = None, calls = None))]
    fn at(
        &self,
        chars: Option<&Bound<'_, PyAny>>,
        tokens: Option<&Bound<'_, PyAny>>,
        cost: Option<&Bound<'_, PyAny>>,
        calls: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let given = Unit::ALL.into_iter().zip([chars, tokens, cost, calls]);
        let given: Vec<_> =
            given.filter_map(|(unit, amount)| amount.map(|amount| (unit, amount))).collect();
        let [(unit, amount)] = given[..] else {
            let message = "expected one of chars, tokens, cost and calls, as in R.at(tokens=4000)";
            return Err(fail(Kind::Parameter, message));
        };
        let amount = amount.extract::<f64>().tried(amount.py())?.ok_or_else(|| {
            let unit = unit.name();
            refused(Kind::Parameter, amount, |found| {
                format!("expected a number as {unit}, found {found}")
            })
        })?;
        let mut measure = self.0.clone();
        grammar::set_budget(&mut measure, Budget { unit, amount })
            .and_then(|()| grammar::check_prime(&measure))
            .map_err(|sentence| fail(Kind::Parameter, sentence))?;
        Ok(Measure(measure))
    }

    #[doc = stub!("Measure.prime")]
    #[getter]
    fn prime(&self) -> PyResult<Self> {
        let mut measure = self.0.clone();
        measure.prime = true;
        grammar::check_prime(&measure).map_err(|sentence| fail(Kind::Parameter, sentence))?;
        Ok(Measure(measure))
    }

    #[doc = stub!("Measure.over")]
    #[pyo3(signature = (prefix, /))]
    fn over(&self, #[pyo3(from_py_with = options::prefix)] prefix: &str) -> PyResult<Self> {
        let over = grammar::over(&self.0, prefix);
        over.map(Measure).map_err(|sentence| fail(Kind::Parameter, sentence))
    }

    #[doc = stub!("Measure.family")]
    #[getter]
    fn family(&self) -> &'static str {
        self.0.family.about.name
    }

    #[doc = stub!("Measure.rel")]
    #[getter]
    fn rel(&self) -> Option<f64> {
        self.0.rel_decides().then_some(self.0.rel)
    }

    #[doc = stub!("Measure.aggregate")]
    #[getter]
    fn aggregate(&self) -> &'static str {
        self.0.aggregate().name()
    }

    #[doc = stub!("Measure.better")]
    #[getter]
    fn better(&self) -> Option<&'static str> {
        self.0.better().name()
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        self.0.to_string()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Measure>().is_ok_and(|other| other.get().0 == self.0)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.0.to_string().hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py>> {
        codec::measures::pickled(py, &self.0)
    }
}

/// Whether an object is a measure of `ir_measures`, whose text is read as cranfield's.
fn is_of_ir_measures(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    for class in object.get_type().mro() {
        let class = class.cast_into::<PyType>()?;
        if class.name()? == "Measure"
            && class.module()?.to_string_lossy().starts_with("ir_measures.")
        {
            return Ok(true);
        }
    }
    Ok(false)
}

#[doc = stub!("OpaqueMeasure")]
#[pyclass(frozen, module = "cranfield._core", from_py_object)]
#[derive(Clone)]
pub struct OpaqueMeasure(pub CoreOpaque);

/// A label, the direction and the aggregate.
type OpaqueState = (String, Option<&'static str>, &'static str);

#[pymethods]
impl OpaqueMeasure {
    #[new]
    #[pyo3(signature = (label, /, better = None, aggregate = "mean"))]
    fn new(label: String, better: Option<&str>, aggregate: &str) -> PyResult<Self> {
        let directions = [("higher", Better::Higher), ("lower", Better::Lower)];
        let better =
            better.map_or(Ok(Better::Neither), |name| choose("better", name, &directions))?;
        let aggregates = [Aggregate::Mean, Aggregate::Sum, Aggregate::Geometric, Aggregate::Pooled];
        let aggregate =
            choose("aggregate", aggregate, &aggregates.map(|known| (known.name(), known)))?;
        Ok(OpaqueMeasure(CoreOpaque { label, aggregate, better }))
    }

    #[doc = stub!("OpaqueMeasure.family")]
    #[getter]
    fn family(&self) -> &str {
        &self.0.label
    }

    #[doc = stub!("OpaqueMeasure.aggregate")]
    #[getter]
    fn aggregate(&self) -> &'static str {
        self.0.aggregate.name()
    }

    #[doc = stub!("OpaqueMeasure.better")]
    #[getter]
    fn better(&self) -> Option<&'static str> {
        self.0.better.name()
    }

    fn __str__(&self) -> &str {
        &self.0.label
    }

    fn __repr__(&self) -> &str {
        &self.0.label
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<OpaqueMeasure>().is_ok_and(|other| other.get().0 == self.0)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.0.label.hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, OpaqueState) {
        let measure = slf.get();
        let state = (measure.0.label.clone(), measure.better(), measure.aggregate());
        (slf.get_type().into_any(), state)
    }
}

/// The measure of a column of scores.
#[derive(FromPyObject, IntoPyObject)]
pub enum MeasureLabel {
    /// A measure of the registry.
    Known(Measure),
    /// A label for values from elsewhere.
    Opaque(OpaqueMeasure),
}

impl From<MeasureLabel> for CoreColumn {
    fn from(column: MeasureLabel) -> Self {
        match column {
            MeasureLabel::Known(measure) => CoreColumn::Known(measure.0),
            MeasureLabel::Opaque(opaque) => CoreColumn::Opaque(opaque.0),
        }
    }
}

impl From<&CoreColumn> for MeasureLabel {
    fn from(column: &CoreColumn) -> Self {
        match column {
            CoreColumn::Known(measure) => MeasureLabel::Known(Measure(measure.clone())),
            CoreColumn::Opaque(opaque) => MeasureLabel::Opaque(OpaqueMeasure(opaque.clone())),
        }
    }
}

/// The value of a keyword for the grammar, or what is wrong with it.
fn parameter(value: &Bound<'_, PyAny>) -> PyResult<Result<Value, String>> {
    if value.is_none() {
        return Ok(Ok(Value::None));
    }
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(Ok(Value::Flag(flag.is_true())));
    }
    if let Ok(word) = value.cast::<PyString>() {
        return Ok(Ok(Value::Text(word.to_string_lossy().into_owned())));
    }
    let number = |value: &Bound<'_, PyAny>| value.extract::<f64>().tried(value.py());
    let finite = |value: &Bound<'_, PyAny>| -> PyResult<Option<f64>> {
        Ok(number(value)?.filter(|number| number.is_finite()))
    };
    if let Ok(map) = value.cast::<PyDict>() {
        let mut pairs = Vec::new();
        for item in map.items() {
            let (from, to): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
            let (Some(from), Some(to)) = (finite(&from)?, finite(&to)?) else {
                return Ok(Err(format!(
                    "expected {{grade: gain, ...}}, found {}",
                    printed(value)?
                )));
            };
            pairs.push((from, to));
        }
        return Ok(Ok(Value::Map(pairs)));
    }
    // Some parameters take infinity.
    Ok(match number(value)?.filter(|number| !number.is_nan()) {
        Some(number) => Ok(Value::Number(number)),
        None => Err(format!("expected a number, a word or a dict, found {}", printed(value)?)),
    })
}

#[doc = stub!("parse_measures")]
#[pyfunction]
#[pyo3(signature = (text, /))]
pub fn parse_measures(
    #[pyo3(from_py_with = options::measure)] text: &str,
) -> PyResult<Vec<Measure>> {
    Ok(grammar::parse_list(text).or_raise()?.into_iter().map(Measure).collect())
}

#[doc = stub!("unpickled_measure")]
#[pyfunction]
#[pyo3(signature = (*parts))]
pub fn unpickled_measure(parts: &Bound<'_, PyTuple>) -> PyResult<Measure> {
    codec::measures::unpickled(parts).map(Measure)
}
