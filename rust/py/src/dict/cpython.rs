//! Dicts and their items as `CPython` lays them out.

use std::os::raw::c_int;
use std::slice;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyFloat};

/// A key of a dict and its value, which the dict lends.
#[repr(C)]
#[derive(Clone, Copy, PartialEq)]
pub struct Entry {
    pub key: *mut ffi::PyObject,
    pub value: *mut ffi::PyObject,
}

/// The entries of a dict in order, where they lie or copied. `None` if a key
/// is no text.
pub fn entries<'a>(dict: &'a Bound<'_, PyDict>, copied: &'a mut Vec<Entry>) -> Option<&'a [Entry]> {
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
pub unsafe fn place(dict: &Bound<'_, PyDict>) -> Option<(*mut Entry, usize)> {
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
pub fn layout_is_known(py: Python<'_>) -> bool {
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

/// The number that an object is, if it is told without running Python code.
///
/// # Safety
///
/// It is an object of this interpreter, and the thread is attached.
#[inline(always)]
pub unsafe fn number_of(object: *mut ffi::PyObject) -> Option<f64> {
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

/// The text of a key that is plain.
#[inline(always)]
pub fn plain(entry: &Entry) -> Option<&[u8]> {
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

/// Has a text's length and the beginning of what follows brought that far.
#[inline(always)]
pub fn fetch_near(object: *const ffi::PyObject) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: this reads nothing that anybody sees, whatever the address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T1>(object.wrapping_add(2).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = object;
}
