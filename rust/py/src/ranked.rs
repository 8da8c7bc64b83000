//! Ranked runs as Python sees them.

use std::sync::Arc;

use cranfield_core::error::quote;
use cranfield_core::evaluate::Ranked as CoreRanked;
use pyo3::prelude::*;

#[doc = stub!("Ranked")]
#[pyclass(frozen, module = "cranfield._core")]
pub struct Ranked(pub Arc<CoreRanked>);

#[pymethods]
impl Ranked {
    #[doc = stub!("Ranked.name")]
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    #[doc = stub!("Ranked.rename")]
    #[pyo3(signature = (name, /))]
    fn rename(&self, name: String) -> Ranked {
        Ranked(Arc::new(CoreRanked { name, ..(*self.0).clone() }))
    }

    #[doc = stub!("Ranked.keep_unjudged")]
    #[getter]
    fn keep_unjudged(&self) -> bool {
        self.0.unjudged_depth == u32::MAX
    }

    fn __repr__(&self) -> String {
        let topics = self.0.rankings.iter().flatten().count();
        format!("<Ranked {}: {topics} topics>", quote(&self.0.name))
    }
}
