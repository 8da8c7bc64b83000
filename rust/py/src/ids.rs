//! Ids: Python's text and whole numbers to bytes, and bytes to text.
//!
//! Ids are text. Whole numbers become decimal text. A mixture is refused,
//! since 1 and "1" would silently become one document.

use std::borrow::Cow;

use cranfield_core::error::Kind;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyString, PyTuple};

use crate::errors::{instead, refused};
use crate::values::whole_number;

/// The kind of the ids of topics, documents or intents so far, to notice a mixture.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Ids {
    Unknown,
    Text,
    Numbers,
}

impl Ids {
    fn expect(&mut self, found: Ids, id: &Bound<'_, PyAny>) -> PyResult<()> {
        if *self == Ids::Unknown {
            *self = found;
        }
        if *self == found {
            return Ok(());
        }
        Err(refused(Kind::Type, id, |found| {
            format!("expected ids that are all text or all whole numbers, found both: {found}")
        }))
    }

    /// Calls a function with the bytes of an id.
    pub fn with<T>(
        &mut self,
        id: &Bound<'_, PyAny>,
        then: impl FnOnce(&[u8]) -> PyResult<T>,
    ) -> PyResult<T> {
        if let Ok(text) = id.cast::<PyString>() {
            self.expect(Ids::Text, id)?;
            if let Ok(text) = text.to_str() {
                return then(text.as_bytes());
            }
            // Text from a file that is not UTF-8 has its bytes as lone surrogates.
            // Other surrogates are not bytes of any text.
            let encoded = encoded(text, "surrogateescape").map_err(|raised| {
                instead(id.py(), raised, || {
                    refused(Kind::Type, id, |found| {
                        format!("expected an id that is text, found {found}")
                    })
                })
            });
            return then(encoded?.as_bytes());
        }
        // The common case. A bool is not exactly an int.
        if let Ok(number) = id.cast_exact::<PyInt>() {
            self.expect(Ids::Numbers, id)?;
            return then(digits(number)?.to_str()?.as_bytes());
        }
        let Some(number) = whole_number(id)? else {
            return Err(refused(Kind::Type, id, |found| {
                format!("expected an id as str or int, found {found}")
            }));
        };
        self.expect(Ids::Numbers, id)?;
        then(digits(&number)?.to_str()?.as_bytes())
    }
}

impl Ids {
    /// The bytes of an id, where it has them.
    pub fn bytes<'a>(&mut self, id: &'a Bound<'_, PyAny>) -> PyResult<Cow<'a, [u8]>> {
        if let Ok(text) = id.cast_exact::<PyString>()
            && let Ok(text) = text.to_str()
        {
            self.expect(Ids::Text, id)?;
            return Ok(Cow::Borrowed(text.as_bytes()));
        }
        self.with(id, |bytes| Ok(Cow::Owned(bytes.to_vec())))
    }
}

/// The bytes of an id for a look-up.
pub fn id_bytes(id: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    Ids::Unknown.with(id, |bytes| Ok(bytes.to_vec()))
}

/// The bytes of text, even if its class overrides methods.
pub fn encoded<'py>(text: &Bound<'py, PyString>, errors: &str) -> PyResult<Bound<'py, PyBytes>> {
    let class = text.py().get_type::<PyString>();
    let bytes = class.call_method1(intern!(text.py(), "encode"), (text, "utf-8", errors))?;
    Ok(bytes.cast_into::<PyBytes>()?)
}

/// The decimal digits of a whole number, even if its class overrides methods.
fn digits<'py>(number: &Bound<'py, PyInt>) -> PyResult<Bound<'py, PyString>> {
    let py = number.py();
    let text = py.get_type::<PyInt>().call_method1(intern!(py, "__repr__"), (number,));
    let text = text.map_err(|raised| {
        instead(py, raised, || {
            refused(Kind::Type, number, |found| {
                format!("expected an id of fewer digits, found {found}")
            })
        })
    })?;
    Ok(text.cast_into::<PyString>()?)
}

/// A document and its number take at most about this many bytes in a dict, while it grows.
pub const ITEM: usize = 320;

/// An id as text. Bytes that are not UTF-8 become lone surrogates, which encode
/// to the same bytes again.
pub fn text<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyString>> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Ok(PyString::new(py, text));
    }
    let decoded = PyBytes::new(py, bytes).call_method1("decode", ("utf-8", "surrogateescape"))?;
    Ok(decoded.cast_into::<PyString>()?)
}

/// Several ids as a tuple of text.
pub fn texts<'py, 'a>(
    py: Python<'py>,
    ids: impl Iterator<Item = &'a [u8]>,
) -> PyResult<Bound<'py, PyTuple>> {
    let texts = ids.map(|id| text(py, id)).collect::<PyResult<Vec<_>>>()?;
    PyTuple::new(py, texts)
}
