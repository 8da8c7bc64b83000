//! Judged ids as Python strings, to look them up in dicts.

use cranfield_core::qrels::Qrels;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;

/// The ids of a topic in the order of its table; `None` if one is not UTF-8.
type TopicNames = Option<Box<[Py<PyString>]>>;

/// The ids of the topics that were asked for, made at the first request.
#[derive(Default)]
pub struct Names {
    topics: PyOnceLock<Box<[PyOnceLock<TopicNames>]>>,
}

impl Names {
    /// The ids of a topic; `None` if one is not UTF-8.
    pub fn of(&self, py: Python<'_>, qrels: &Qrels, topic: usize) -> Option<&[Py<PyString>]> {
        let topics = self
            .topics
            .get_or_init(py, || qrels.topics().iter().map(|_| PyOnceLock::new()).collect());
        let name = |id| Some(PyString::new(py, std::str::from_utf8(id).ok()?).unbind());
        let names = || qrels.topics()[topic].docs().keys().map(name).collect();
        topics[topic].get_or_init(py, names).as_deref()
    }
}
