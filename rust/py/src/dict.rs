//! Dicts read in place: the boundary's one module with `unsafe`.
//!
//! A list {document: score} is walked without a new reference to any key or
//! value. That is sound because nothing runs Python code from the first step
//! of the walk until the last look at a key, so nobody can change the dict: the
//! functions called here on keys and values cannot (they are made for exact
//! types and raise nothing), and what happens to the columns in between is the
//! core's, which knows no Python. So the columns never leave this module.
//! Where the interpreter has no lock, the dict is locked for as long.
//!
//! Only lists of plain text with numbers are read here: keys that are `str`
//! and ASCII, values that are `float`, of a class derived from it, or `int`.
//! Everything else is left to `inputs.rs`, which says what is wrong if
//! anything is. A key is somewhere in memory, and going there costs more than
//! all else, so that where few keys matter only the values are read: where
//! measures look at the first documents only, or few documents are judged,
//! which the dict is then asked for.

use std::cell::Cell;
use std::os::raw::c_int;
use std::slice;

use cranfield_core::bytes::hash;
use cranfield_core::error::Result;
use cranfield_core::qrels::{Builder, Topic};
use cranfield_core::read::qrels::again;
use cranfield_core::run::{Documents, Ids, Lines, Ranker, Ranking, Scratch, look_up, only_line};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::critical_section::with_critical_section;
use pyo3::types::{PyDict, PyString};

/// Memory for walking dicts that is used again from dict to dict.
#[derive(Default)]
pub struct Walk {
    keys: Keys,
    values: Vec<f64>,
    /// The numbers and scores of the documents that the dict was asked for.
    asked: Vec<(u32, f64)>,
}

/// What a list is joined with: a topic's judgments, the seed of their table,
/// and how far down the list anybody looks.
#[derive(Clone, Copy)]
pub struct Judged<'a> {
    /// The topic's judgments.
    pub topic: &'a Topic,
    /// The seed that their table is hashed with.
    pub seed: u64,
    /// How far down the list measures look.
    pub reach: u32,
    /// The ids of the table as Python has them, if they are few.
    pub names: Option<&'a [Py<PyString>]>,
}

/// A dict of at least so many documents for each judged one is asked for these.
pub const MANY: usize = 32;

impl Walk {
    /// Ranks a list {document: score}, joins it with the judgments and returns
    /// how many lines it has. `None` if it is not a plain one, or if the ranker
    /// wants to know more than scores; then nothing is known of it.
    pub fn rank(
        &mut self,
        dict: &Bound<'_, PyDict>,
        ranker: &Ranker,
        judged: Judged<'_>,
        scratch: &mut Scratch,
        ranking: &mut Ranking,
    ) -> Option<usize> {
        with_critical_section(dict, || {
            let whole = ranker.looks_everywhere(dict.len(), judged.reach);
            let names = judged.names.filter(|_| whole);
            // Asking may run Python code, so it comes before the walk.
            if let Some(names) = names {
                self.ask(dict, names)?;
            }
            let all = (whole && names.is_none()) || !self.read_values(dict);
            (!all || self.read(dict)).then_some(())?;
            let asked = names.map(|_| self.asked.as_slice());
            let documents =
                Listed { dict, all, keys: &self.keys, scores: &self.values, asked, judged };
            let ranked =
                ranker.rank_columns(&self.values, &documents, judged.reach, scratch, ranking);
            (ranked.is_ok() && !self.keys.odd.get()).then_some(self.values.len())
        })
    }

    /// Copies a list {document: score} behind some lines and returns how many
    /// there are. `None` if it is not a plain one; then none is copied.
    pub fn copy(&mut self, dict: &Bound<'_, PyDict>, lines: &mut Lines) -> Option<usize> {
        with_critical_section(dict, || {
            self.read(dict).then_some(())?;
            let documents = self.keys.texts()?;
            for (document, &score) in documents.iter().zip(&self.values) {
                lines.push(document, score, None);
            }
            Some(documents.len())
        })
    }

    /// How many lines a list has, if it is a plain one.
    pub fn count(&mut self, dict: &Bound<'_, PyDict>) -> Option<usize> {
        with_critical_section(dict, || {
            self.read(dict).then_some(())?;
            Some(self.keys.texts()?.len())
        })
    }

    /// Adds a topic's judgments {document: grade} and returns how many there
    /// are. `None` if they are not plain ones; then none is added.
    pub fn judge(
        &mut self,
        dict: &Bound<'_, PyDict>,
        topic: &[u8],
        builder: &mut Builder,
    ) -> Option<Result<usize>> {
        with_critical_section(dict, || {
            self.read(dict).then_some(())?;
            let documents = self.keys.texts()?;
            let added = builder.add_list(topic, &documents, &self.values);
            let told = added.map_err(|(position, clash)| {
                again(clash, topic, documents[position], self.values[position])
            });
            Some(told.map(|()| documents.len()))
        })
    }

    /// Asks a dict for documents by name. `None` if it raises, or holds
    /// something else than a number for one of them.
    fn ask(&mut self, dict: &Bound<'_, PyDict>, names: &[Py<PyString>]) -> Option<()> {
        self.asked.clear();
        for (number, name) in (0..).zip(names) {
            if let Some(score) = dict.get_item(name).ok()? {
                // SAFETY: `score` is an object.
                self.asked.push((number, unsafe { number_of(score.as_ptr()) }?));
            }
        }
        Some(())
    }

    /// Whether a dict has text only as keys.
    fn begin(&mut self, dict: &Bound<'_, PyDict>) -> bool {
        self.keys.odd.set(false);
        // SAFETY: `dict` is a dict. What the call raises is taken back; all that
        // may come of raising comes before the walk.
        let text = unsafe { ffi::PyArg_ValidateKeywordArguments(dict.as_ptr()) } != 0;
        if !text {
            drop(PyErr::take(dict.py()));
        }
        text
    }

    /// Reads the values only: `PyDict_Next` looks at the hash in each key, an
    /// iterator over the values leaves the keys alone. Returns whether they are
    /// finite numbers, and keys can be had by their lines.
    fn read_values(&mut self, dict: &Bound<'_, PyDict>) -> bool {
        let py = dict.py();
        let values = py.get_type::<PyDict>().call_method1(intern!(py, "values"), (dict,));
        let Ok(values) = values.and_then(|values| values.try_iter()) else { return false };
        if !self.begin(dict) {
            return false;
        }
        self.values.clear();
        for value in values {
            // SAFETY: `value` is an object.
            let number = value.ok().and_then(|value| unsafe { number_of(value.as_ptr()) });
            let Some(number) = number else { return false };
            self.values.push(number);
        }
        // Where nothing is behind the last line, no entry was deleted before it.
        self.values.len() == dict.len()
            && entry(dict, self.values.len()).is_none()
            && self.values.iter().fold(true, |all, value| all & value.is_finite())
    }

    /// Reads a dict into the columns, which are borrowed from it. Returns
    /// whether it holds text with finite numbers only.
    fn read(&mut self, dict: &Bound<'_, PyDict>) -> bool {
        if !self.begin(dict) {
            return false;
        }
        let count = dict.len();
        self.keys.lines.resize(count, std::ptr::null_mut());
        self.values.resize(count, 0.0);
        let mut lines = self.keys.lines.iter_mut().zip(&mut self.values);
        let (mut place, mut key, mut value) = (0, std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: `dict` is a dict, alive and reached by an attached thread. The
        // loop runs no Python code, so the dict does not change and what it
        // lends lives on.
        while unsafe {
            ffi::PyDict_Next(dict.as_ptr(), &raw mut place, &raw mut key, &raw mut value)
        } != 0
        {
            let Some((line, number)) = lines.next() else { return false };
            // SAFETY: `value` is an object that the dict lends.
            let Some(read) = (unsafe { number_of(value) }) else { return false };
            *line = key;
            *number = read;
        }
        lines.next().is_none()
            && self.values.iter().fold(true, |all, value| all & value.is_finite())
    }
}

/// Whether all values of a dict are of the class `int`.
pub fn has_whole_numbers(dict: &Bound<'_, PyDict>) -> bool {
    with_critical_section(dict, || {
        let (mut place, mut value) = (0, std::ptr::null_mut());
        let key = std::ptr::null_mut();
        let mut whole = true;
        // SAFETY: `dict` is a dict, alive and reached by an attached thread. The
        // loop runs no Python code, so the dict does not change; the values are
        // objects that it lends.
        unsafe {
            while ffi::PyDict_Next(dict.as_ptr(), &raw mut place, key, &raw mut value) != 0 {
                whole &= ffi::PyLong_CheckExact(value) != 0;
            }
        }
        whole
    })
}

/// The key of the first entry of a dict at a place or behind it, and the place
/// behind that.
fn entry(dict: &Bound<'_, PyDict>, place: usize) -> Option<(*mut ffi::PyObject, usize)> {
    let (mut behind, mut key, mut value) =
        (place as ffi::Py_ssize_t, std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: `dict` is a dict, and there are no entries at places that it does
    // not have.
    let found =
        unsafe { ffi::PyDict_Next(dict.as_ptr(), &raw mut behind, &raw mut key, &raw mut value) };
    (found != 0).then_some((key, behind as usize))
}

/// Whether text is ASCII and of no class derived from `str`: only then it
/// directly follows its header. The type of the object is not looked at, since
/// it often is in another line of the cache.
///
/// # Safety
///
/// It is a `str` of this interpreter or of a class derived from it, and the
/// thread is attached.
#[inline(always)]
unsafe fn is_plain(text: *mut ffi::PyObject) -> bool {
    // SAFETY: `text` has the header of a `str`.
    unsafe { ffi::PyUnicode_DATA(text) == text.cast::<ffi::PyASCIIObject>().add(1).cast() }
}

/// The number that an object is, if it is told without running Python code.
///
/// # Safety
///
/// It is an object of this interpreter, and the thread is attached.
#[inline(always)]
unsafe fn number_of(object: *mut ffi::PyObject) -> Option<f64> {
    // SAFETY: the value is read of an object that is a `float`.
    unsafe {
        if ffi::PyFloat_CheckExact(object) != 0 {
            return Some(ffi::PyFloat_AS_DOUBLE(object));
        }
        other_number_of(object)
    }
}

/// The same for what is no plain `float`.
///
/// # Safety
///
/// It is an object of this interpreter, and the thread is attached.
#[inline(never)]
unsafe fn other_number_of(object: *mut ffi::PyObject) -> Option<f64> {
    // SAFETY: classes derived from `float` begin as it does, and Python takes
    // the value from there as well. Of an exact `int` the function calls no
    // method and raises nothing: what is too large is told in `overflow`.
    unsafe {
        if ffi::PyLong_CheckExact(object) == 0 {
            let float = ffi::PyFloat_Check(object) != 0;
            return float.then(|| ffi::PyFloat_AS_DOUBLE(object));
        }
        let mut overflow: c_int = 0;
        let number = ffi::PyLong_AsLongLongAndOverflow(object, &raw mut overflow);
        (overflow == 0).then_some(number as f64)
    }
}

/// The keys of a dict that was read: text, for as long as the dict is not
/// changed.
#[derive(Default)]
struct Keys {
    lines: Vec<*mut ffi::PyObject>,
    /// Whether somebody asked for one that is not plain.
    odd: Cell<bool>,
}

impl Keys {
    /// The text of a key; none, and noted, if it is not plain.
    #[inline(always)]
    fn id(&self, line: u32) -> &[u8] {
        self.plain(line).unwrap_or_else(|| {
            self.odd.set(true);
            &[]
        })
    }

    /// The text of all keys, if it is plain.
    fn texts(&self) -> Option<Vec<&[u8]>> {
        let mut texts = Vec::with_capacity(self.lines.len());
        for line in 0..self.lines.len() as u32 {
            texts.push(self.plain(line)?);
        }
        Some(texts)
    }

    /// The text of a key that is plain.
    #[inline(always)]
    fn plain(&self, line: u32) -> Option<&[u8]> {
        // SAFETY: `read` wrote a key of a dict here that has text only, and its
        // caller sees to it that the dict is not changed.
        unsafe { text_of(self.lines[line as usize]) }
    }
}

/// The text of a key, if it is plain.
///
/// # Safety
///
/// It is text of this interpreter, and somebody keeps it alive for as long as
/// its text is used.
#[inline(always)]
unsafe fn text_of<'a>(key: *mut ffi::PyObject) -> Option<&'a [u8]> {
    // SAFETY: ASCII text follows its header and never changes.
    unsafe {
        is_plain(key).then(|| {
            let length = (*key.cast::<ffi::PyASCIIObject>()).length;
            let text = key.cast::<ffi::PyASCIIObject>().add(1).cast();
            slice::from_raw_parts(text, length as usize)
        })
    }
}

/// The documents of a list that was read.
struct Listed<'a, 'py> {
    dict: &'a Bound<'py, PyDict>,
    /// Whether the keys were read, and not the scores alone.
    all: bool,
    keys: &'a Keys,
    scores: &'a [f64],
    /// The judged documents of the list, numbers and scores, if they are known.
    asked: Option<&'a [(u32, f64)]>,
    judged: Judged<'a>,
}

impl Listed<'_, '_> {
    /// The text of a key; none, and noted, if it is not plain.
    #[inline(always)]
    fn id(&self, line: u32) -> &[u8] {
        if self.all { self.keys.id(line) } else { self.id_at(line as usize) }
    }

    /// The same where only the values were read.
    #[inline(never)]
    fn id_at(&self, line: usize) -> &[u8] {
        let key = entry(self.dict, line).filter(|&(_, behind)| behind == line + 1);
        // SAFETY: the dict lends the key, and its keys are text.
        let text = key.and_then(|(key, _)| unsafe { text_of(key) });
        text.unwrap_or_else(|| {
            self.keys.odd.set(true);
            &[]
        })
    }

    /// The line of a document that has a score: that which has it alone, or
    /// whose id it is.
    fn line(&self, number: u32, score: f64) -> Option<u32> {
        let id = self.judged.topic.docs().key(number);
        let alike = (0..).zip(self.scores).filter(|(_, other)| **other == score);
        let mut alike = alike.map(|(line, _)| line);
        only_line(self.scores, score).or_else(|| alike.find(|&line| self.id(line) == id))
    }
}

impl Ids for Listed<'_, '_> {
    #[inline(always)]
    fn with_id<T>(&self, line: u32, then: impl FnOnce(&[u8]) -> T) -> T {
        then(self.id(line))
    }
}

impl Documents for Listed<'_, '_> {
    fn find(&self, hashes: &mut Vec<u64>, found: &mut Vec<(u32, u32)>) {
        if let Some(asked) = self.asked {
            found.extend(
                asked
                    .iter()
                    .filter_map(|&(number, score)| Some((self.line(number, score)?, number))),
            );
            found.sort_unstable();
            return;
        }
        let lines = 0..self.keys.lines.len() as u32;
        hashes.clear();
        hashes.extend(lines.map(|line| hash(self.judged.seed, self.keys.id(line))));
        look_up(hashes, self, self.judged.topic.docs(), found);
    }

    fn number(&self, line: u32) -> Option<u32> {
        let id = self.id(line);
        self.judged.topic.docs().get(hash(self.judged.seed, id), id)
    }
}
