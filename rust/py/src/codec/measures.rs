//! Measures in pickles.

use cranfield_core::grammar;
use cranfield_core::measure::{Aggregate, Better, Measure as CoreMeasure};
use cranfield_core::scores::{MeasureLabel, OpaqueMeasure};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::{Reduced, damaged, ensure, opened, reduced};

/// The pickle of a measure.
pub fn pickled<'py>(py: Python<'py>, measure: &CoreMeasure) -> PyResult<Reduced<'py>> {
    reduced(py, "unpickled_measure", (format!("{measure:#}"),))
}

/// The measure of a pickle.
pub fn unpickled(parts: &Bound<'_, PyTuple>) -> PyResult<CoreMeasure> {
    let (text,): (String,) = opened(parts)?;
    to_measure(&text)
}

/// The measure of a text, which has to be its canonical name.
fn to_measure(text: &str) -> PyResult<CoreMeasure> {
    let measure = grammar::parse(text).map_err(|_| damaged())?;
    ensure(format!("{measure:#}") == text)?;
    Ok(measure)
}

/// A measure's text; for an opaque measure also its direction and its aggregate.
pub type ColumnState = (String, Option<(Option<String>, String)>);

pub fn column_state(column: &MeasureLabel) -> ColumnState {
    match column {
        MeasureLabel::Known(measure) => (measure.to_string(), None),
        MeasureLabel::Opaque(opaque) => {
            let better = opaque.better.name().map(ToString::to_string);
            (opaque.label.clone(), Some((better, opaque.aggregate.name().to_string())))
        }
    }
}

pub fn to_column(state: &ColumnState) -> PyResult<MeasureLabel> {
    let (text, opaque) = state;
    let Some((better, aggregate)) = opaque else {
        return to_measure(text).map(MeasureLabel::Known);
    };
    let better = [Better::Higher, Better::Lower, Better::Neither]
        .into_iter()
        .find(|known| known.name() == better.as_deref());
    let aggregate = [Aggregate::Mean, Aggregate::Sum, Aggregate::Geometric, Aggregate::Pooled]
        .into_iter()
        .find(|known| known.name() == aggregate);
    let (Some(better), Some(aggregate)) = (better, aggregate) else { return Err(damaged()) };
    Ok(MeasureLabel::Opaque(OpaqueMeasure { label: text.clone(), aggregate, better }))
}
