//! Dicts read in place: the boundary's one module with `unsafe`.
//!
//! A list {document: score} is read without a new reference to any key or
//! value. That is sound because nothing runs Python code from the first look at
//! the dict until the last look at a key, so nobody can change it: the
//! functions called here on keys and values cannot (they are made for exact
//! types and raise nothing), and what happens to the columns in between is the
//! core's, which knows no Python. So nothing that a dict lends leaves this
//! module. Where the interpreter has no lock, the dict is locked for as long.
//!
//! A key is somewhere in memory, and going there costs more than all else.
//! `PyDict_Next` goes to each key for its hash, so that in the interpreters
//! whose layout is known ([`Layout`]) the entries of a dict are read where they
//! lie: a key, then, only if its text matters. Where few documents are judged,
//! the dict is asked for these.
//!
//! Only lists of plain text with numbers are read here: keys that are `str`
//! and ASCII, values that are `float`, of a class derived from it, or `int`.
//! Everything else is left to `inputs.rs`, which says what is wrong if
//! anything is.

use std::cell::Cell;
use std::os::raw::c_int;
use std::slice;

use cranfield_core::bytes::hash;
use cranfield_core::error::Result;
use cranfield_core::qrels::{Builder, Topic};
use cranfield_core::rank::{
    Finder, JoinTarget, Lines, Ranker, Ranking, Scan, Scratch, Source, look_up, only_line,
};
use cranfield_core::read::qrels::again;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::sync::critical_section::with_critical_section;
use pyo3::types::{PyDict, PyFloat, PyString};

use crate::errors::Tried;

/// Memory for reading dicts that is used again from dict to dict.
#[derive(Default)]
pub struct Walk {
    /// The entries of a dict that cannot be read where they lie.
    copied: Vec<Entry>,
    values: Vec<f64>,
    /// The numbers and scores of the documents that the dict was asked for.
    asked: Vec<(u32, f64)>,
}

/// A key of a dict and its value, which the dict lends.
#[repr(C)]
#[derive(Clone, Copy, PartialEq)]
struct Entry {
    key: *mut ffi::PyObject,
    value: *mut ffi::PyObject,
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
pub const MANY: usize = 64;

impl Walk {
    /// Ranks a list {document: score}, joins it with the judgments and returns
    /// how many lines it has. `None` if it is not a plain one, or if the ranker
    /// wants to know more than scores; then nothing is known of it. What a key
    /// raises that is asked whether it is another one passes if it is no `Exception`.
    pub fn rank(
        &mut self,
        dict: &Bound<'_, PyDict>,
        ranker: &Ranker,
        judged: Judged<'_>,
        scratch: &mut Scratch,
        ranking: &mut Ranking,
    ) -> PyResult<Option<usize>> {
        let Walk { copied, values, asked } = self;
        with_critical_section(dict, || {
            let whole = ranker.looks_everywhere(dict.len(), judged.reach);
            let names = judged.names.filter(|_| whole);
            // Asking may run Python code, so it comes before the reading.
            let names = match names {
                Some(names) if ask(dict, names, asked)? => Some(names),
                _ => None,
            };
            let Some(entries) = entries(dict, copied) else { return Ok(None) };
            if !whole {
                // Most lists are in order.
                let first = entries.iter().take(judged.reach as usize);
                first.for_each(|entry| fetch_near(entry.key));
            }
            if !numbers(entries, values, whole && names.is_none()) {
                return Ok(None);
            }
            let documents = Listed {
                keys: Keys { entries, odd: Cell::new(false) },
                scores: values,
                asked: names.map(|_| asked.as_slice()),
                judged,
            };
            let Judged { topic, seed, reach, .. } = judged;
            let target = JoinTarget { docs: topic.docs(), seed, reach };
            let ranked = ranker.rank(&documents, target, scratch, ranking);
            Ok((ranked.is_ok() && !documents.keys.odd.get()).then_some(entries.len()))
        })
    }

    /// Copies a list {document: score} behind some lines and returns how many
    /// there are. `None` if it is not a plain one; then none is copied.
    pub fn copy(&mut self, dict: &Bound<'_, PyDict>, lines: &mut Lines) -> Option<usize> {
        self.plain(dict, |documents, scores| {
            for (document, &score) in documents.iter().zip(scores) {
                lines.push(document, score);
            }
            documents.len()
        })
    }

    /// How many lines a list has, if it is a plain one.
    pub fn count(&mut self, dict: &Bound<'_, PyDict>) -> Option<usize> {
        self.plain(dict, |documents, _| documents.len())
    }

    /// Adds a topic's judgments {document: grade} and returns how many there
    /// are. `None` if they are not plain ones; then none is added.
    pub fn judge(
        &mut self,
        dict: &Bound<'_, PyDict>,
        topic: &[u8],
        builder: &mut Builder,
    ) -> Option<Result<usize>> {
        self.plain(dict, |documents, grades| {
            let added = builder.add_list(topic, documents, grades);
            let told = added.map_err(|(position, clash)| {
                again(clash, topic, documents[position], grades[position])
            });
            told.map(|()| documents.len())
        })
    }

    /// Copies the numbers of a list behind some others. Returns whether all of them
    /// are finite ones; if not, none is copied.
    pub fn numbers(&mut self, dict: &Bound<'_, PyDict>, behind: &mut Vec<f64>) -> bool {
        let Walk { copied, values, .. } = self;
        with_critical_section(dict, || {
            let plain =
                entries(dict, copied).is_some_and(|entries| numbers(entries, values, false));
            behind.extend(values.iter().filter(|_| plain));
            plain
        })
    }

    /// Whether all values of a dict are of the class `int`.
    pub fn has_whole_numbers(&mut self, dict: &Bound<'_, PyDict>) -> bool {
        with_critical_section(dict, || {
            let mut entries = entries(dict, &mut self.copied).into_iter().flatten();
            // SAFETY: the value is an object that the dict lends.
            entries.all(|entry| unsafe { ffi::PyLong_CheckExact(entry.value) != 0 })
        })
    }

    /// Does something with the keys and values of a dict, if it is a plain one.
    fn plain<T>(
        &mut self,
        dict: &Bound<'_, PyDict>,
        then: impl FnOnce(&[&[u8]], &[f64]) -> T,
    ) -> Option<T> {
        let Walk { copied, values, .. } = self;
        with_critical_section(dict, || {
            let entries = entries(dict, copied)?;
            numbers(entries, values, true).then_some(())?;
            let keys = Keys { entries, odd: Cell::new(false) };
            Some(then(&keys.texts()?, values))
        })
    }
}

/// Asks a dict for documents by name. Returns whether it answers with numbers that
/// count: a key of a class of its own may claim to be another.
fn ask(
    dict: &Bound<'_, PyDict>,
    names: &[Py<PyString>],
    asked: &mut Vec<(u32, f64)>,
) -> PyResult<bool> {
    asked.clear();
    for (number, name) in (0..).zip(names) {
        let Some(found) = dict.get_item(name).tried(dict.py())? else { return Ok(false) };
        if let Some(score) = found {
            // SAFETY: `score` is an object.
            let Some(score) = (unsafe { number_of(score.as_ptr()) }) else { return Ok(false) };
            asked.push((number, score));
        }
    }
    // SAFETY: the layout is known.
    Ok(!layout_is_known(dict.py()) || unsafe { place(dict) }.is_some())
}

/// The entries of a dict in order, where they lie or copied. `None` if a key
/// is no text.
fn entries<'a>(dict: &'a Bound<'_, PyDict>, copied: &'a mut Vec<Entry>) -> Option<&'a [Entry]> {
    if layout_is_known(dict.py()) {
        // SAFETY: just so.
        let lying = unsafe { lying(dict) };
        if lying.is_some() {
            return lying;
        }
    }
    // SAFETY: `dict` is a dict. What the call raises is taken back; all that may
    // come of raising comes before the walk.
    if unsafe { ffi::PyArg_ValidateKeywordArguments(dict.as_ptr()) } == 0 {
        drop(PyErr::take(dict.py()));
        return None;
    }
    copy_entries(dict, copied);
    Some(copied)
}

/// Walks a dict as every interpreter can.
fn copy_entries(dict: &Bound<'_, PyDict>, copied: &mut Vec<Entry>) {
    copied.clear();
    let (mut place, mut key, mut value) = (0, std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: `dict` is a dict, alive and reached by an attached thread. The
    // loop runs no Python code, so the dict does not change and what it lends
    // lives on.
    while unsafe { ffi::PyDict_Next(dict.as_ptr(), &raw mut place, &raw mut key, &raw mut value) }
        != 0
    {
        copied.push(Entry { key, value });
    }
}

/// How `CPython` 3.11 to 3.13 lay out a dict (`Include/cpython/dictobject.h`).
#[repr(C)]
struct Layout {
    object: ffi::PyObject,
    used: ffi::Py_ssize_t,
    version: u64,
    keys: *const KeysLayout,
    /// Where the values are if the keys are shared between dicts.
    values: *const (),
}

/// How they lay out its keys (`Include/internal/pycore_dict.h`). An index
/// follows, then the entries.
#[repr(C)]
struct KeysLayout {
    references: ffi::Py_ssize_t,
    log2_size: u8,
    log2_index_bytes: u8,
    kind: u8,
    version: u32,
    usable: ffi::Py_ssize_t,
    entries: ffi::Py_ssize_t,
}

/// The kind of keys that are all exactly `str`: entries are without a hash.
const ALL_TEXT: u8 = 1;

/// A copy of a dict of text, whose items have these values instead where they
/// are not those given: as many as it has items.
pub fn filled<'py>(
    template: &Bound<'py, PyDict>,
    given: &[f64],
    values: impl Iterator<Item = f64>,
) -> PyResult<Bound<'py, PyDict>> {
    let py = template.py();
    let dict = template.copy()?;
    let computed = (0usize..).zip(given.iter().zip(values));
    let computed = computed.filter(|(_, (given, value))| given.to_bits() != value.to_bits());
    let computed = computed.map(|(item, (_, value))| (item, value));
    // SAFETY: just so.
    let Some((first, count)) = layout_is_known(py).then(|| unsafe { place(&dict) }).flatten()
    else {
        let keys: Vec<Bound<'_, PyAny>> = dict.keys().iter().collect();
        for (item, value) in computed {
            dict.set_item(&keys[item], value)?;
        }
        return Ok(dict);
    };
    for (item, value) in computed {
        assert!(item < count, "more values than items");
        let value = PyFloat::new(py, value).into_ptr();
        // SAFETY: nobody else has the copy yet, and its entries lie there. It
        // holds a reference to a value in each of them, which is ours now.
        unsafe {
            let place = &raw mut (*first.add(item)).value;
            drop(Bound::from_owned_ptr(py, place.replace(value)));
        }
    }
    Ok(dict)
}

/// Where the entries of a dict of text are from which nothing was taken, and how
/// many there are.
///
/// # Safety
///
/// The layout is known ([`layout_is_known`]).
unsafe fn place(dict: &Bound<'_, PyDict>) -> Option<(*mut Entry, usize)> {
    // SAFETY: the layout is that of the dict, which keeps its keys alive. There
    // are as many entries as it says, all of them in use if that is the number
    // of its items.
    unsafe {
        let dict = &*dict.as_ptr().cast::<Layout>();
        let keys = &*dict.keys;
        let plain = keys.kind == ALL_TEXT && dict.values.is_null() && keys.entries == dict.used;
        plain.then(|| {
            let index = dict.keys.add(1).cast::<u8>().cast_mut();
            (index.add(1 << keys.log2_index_bytes).cast(), keys.entries as usize)
        })
    }
}

/// These entries, for as long as the dict is not changed.
///
/// # Safety
///
/// The layout is known ([`layout_is_known`]).
unsafe fn lying<'a>(dict: &'a Bound<'_, PyDict>) -> Option<&'a [Entry]> {
    // SAFETY: the layout is known, and as many entries are there.
    unsafe { place(dict).map(|(first, count)| slice::from_raw_parts(first, count)) }
}

/// Whether dicts of this interpreter are laid out as is written here: it is one
/// of those named, and two dicts of it are found to be.
fn layout_is_known(py: Python<'_>) -> bool {
    static KNOWN: PyOnceLock<bool> = PyOnceLock::new();
    *KNOWN.get_or_init(py, || {
        let version = py.version_info();
        let named = (3, 11) <= (version.major, version.minor)
            && (version.major, version.minor) <= (3, 13)
            && size_of::<ffi::PyObject>() == 2 * size_of::<usize>()
            && implementation(py).is_ok_and(|name| name == "cpython");
        named && [1, 200].into_iter().all(|items| is_laid_out(py, items).unwrap_or(false))
    })
}

fn implementation(py: Python<'_>) -> PyResult<String> {
    py.import("sys")?.getattr("implementation")?.getattr("name")?.extract()
}

/// Whether a dict of so many items has its entries where they should lie.
fn is_laid_out(py: Python<'_>, items: i32) -> PyResult<bool> {
    let dict = PyDict::new(py);
    for item in 0..items {
        dict.set_item(item.to_string(), item)?;
    }
    let mut copied = Vec::new();
    copy_entries(&dict, &mut copied);
    // SAFETY: the interpreter is one of those named.
    Ok(unsafe { lying(&dict) } == Some(copied.as_slice()))
}

/// Reads the values of entries. Returns whether all are finite numbers. If all keys
/// will be looked at next, they are on their way meanwhile.
fn numbers(entries: &[Entry], values: &mut Vec<f64>, keys_next: bool) -> bool {
    values.resize(entries.len(), 0.0);
    let read = if keys_next && entries.len() <= NEAR {
        each_number(entries, values, |entry| fetch_near(entry.key))
    } else {
        each_number(entries, values, |_| ())
    };
    read && values.iter().fold(true, |all, value| all & value.is_finite())
}

/// Reads the values of entries, as far as they are numbers. Returns whether all are.
#[inline(always)]
fn each_number(entries: &[Entry], values: &mut [f64], also: impl Fn(&Entry)) -> bool {
    for (entry, number) in entries.iter().zip(values) {
        also(entry);
        // SAFETY: the value is an object that the dict lends.
        let Some(read) = (unsafe { number_of(entry.value) }) else { return false };
        *number = read;
    }
    true
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

/// The keys of entries: text, for as long as the dict is not changed.
struct Keys<'a> {
    entries: &'a [Entry],
    /// Whether somebody asked for one that is not plain.
    odd: Cell<bool>,
}

impl<'a> Keys<'a> {
    /// The text of a line's key; none, and noted, if it is not plain.
    #[inline(always)]
    fn id(&self, line: u32) -> &'a [u8] {
        plain(&self.entries[line as usize]).unwrap_or_else(|| {
            self.odd.set(true);
            &[]
        })
    }

    /// The same for somebody who asks for all in turn: a later key is already
    /// on its way.
    #[inline(always)]
    fn next_id(&self, line: u32) -> &'a [u8] {
        if let Some(later) = self.entries.get(line as usize + AHEAD) {
            fetch(later.key);
        }
        self.id(line)
    }

    /// The text of all keys, if it is plain.
    fn texts(&self) -> Option<Vec<&'a [u8]>> {
        let texts = (0..self.entries.len() as u32).map(|line| self.next_id(line)).collect();
        (!self.odd.get()).then_some(texts)
    }
}

/// The text of a key that is plain.
#[inline(always)]
fn plain(entry: &Entry) -> Option<&[u8]> {
    let key = entry.key;
    // SAFETY: the dict has text as keys and lends this one; ASCII text follows
    // its header and never changes.
    unsafe {
        is_plain(key).then(|| {
            let length = (*key.cast::<ffi::PyASCIIObject>()).length;
            let text = key.cast::<ffi::PyASCIIObject>().add(1).cast();
            slice::from_raw_parts(text, length as usize)
        })
    }
}

/// So many keys on their way from memory hide how long it takes.
const AHEAD: usize = 16;

/// Has what is read of an object brought into the cache: a text's length, and what
/// follows, which may be in another line.
#[inline(always)]
pub fn fetch(object: *const ffi::PyObject) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: this reads nothing that anybody sees, whatever the address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(object.wrapping_add(1).cast());
        _mm_prefetch::<_MM_HINT_T0>(object.wrapping_add(4).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = object;
}

/// Texts of so many keys have room in the second-level cache, where they wait until they
/// are fetched from there.
const NEAR: usize = 4096;

/// Has a text's length and the beginning of what follows brought that far.
#[inline(always)]
fn fetch_near(object: *const ffi::PyObject) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: this reads nothing that anybody sees, whatever the address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T1>(object.wrapping_add(2).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = object;
}

/// The documents of a list that was read.
struct Listed<'a> {
    keys: Keys<'a>,
    scores: &'a [f64],
    /// The judged documents of the list, numbers and scores, if they are known.
    asked: Option<&'a [(u32, f64)]>,
    judged: Judged<'a>,
}

impl Listed<'_> {
    /// The line of a document that has a score: that which has it alone, or
    /// whose id it is.
    fn line(&self, number: u32, score: f64) -> Option<u32> {
        let id = self.judged.topic.docs().key(number);
        let alike = (0..).zip(self.scores).filter(|(_, other)| **other == score);
        let mut alike = alike.map(|(line, _)| line);
        only_line(self.scores, score).or_else(|| alike.find(|&line| self.keys.id(line) == id))
    }
}

impl Source for Listed<'_> {
    // A dict has each of its keys once.
    const DISTINCT: bool = true;

    fn len(&self) -> usize {
        self.scores.len()
    }

    fn scaled_scores(&self) -> &[f64] {
        self.scores
    }

    #[inline(always)]
    fn with_id<T>(&self, line: u32, then: impl FnOnce(&[u8]) -> T) -> T {
        then(self.keys.id(line))
    }

    #[inline(always)]
    fn hash(&self, line: u32, seed: u64) -> u64 {
        hash(seed, self.keys.next_id(line))
    }

    #[inline(always)]
    fn seek(&self, line: u32, scan: impl Scan, finder: Finder<'_>, hash: u64) -> Option<u32> {
        finder.find(scan, hash, self.keys.id(line))
    }

    fn look_up(&self, target: JoinTarget<'_>, scratch: &mut Scratch) {
        let Some(asked) = self.asked else { return look_up(self, target, scratch) };
        let lines =
            asked.iter().filter_map(|&(number, score)| Some((self.line(number, score)?, number)));
        let found = scratch.found();
        found.extend(lines);
        found.sort_unstable();
    }
}
