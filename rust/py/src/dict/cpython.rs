//! Dicts, text and numbers as `CPython` lays them out in memory.

use std::os::raw::c_int;
use std::slice;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::sync::critical_section::with_critical_section;
use pyo3::types::{PyDict, PyFloat, PyString};

/// A key of a dict and its value, borrowed from the dict.
///
/// Entries come from [`entries`] only, whose caller keeps the dict unchanged
/// while they are used. So both pointers are to live objects, and the key is a
/// `str` or of a class derived from it.
#[repr(C)]
#[derive(Clone, Copy, PartialEq)]
pub struct Entry {
    key: *mut ffi::PyObject,
    value: *mut ffi::PyObject,
}

impl Entry {
    /// The text of the key, if it is ASCII and exactly a `str`.
    #[inline(always)]
    pub fn text(&self) -> Option<&[u8]> {
        let key = self.key;
        // SAFETY: the key is a live `str` (see `Entry`), so it has the header that
        // both functions read. Plain text directly follows that header, has as many
        // bytes as the header says, and never changes.
        unsafe {
            is_plain(key).then(|| {
                let length = (*key.cast::<ffi::PyASCIIObject>()).length;
                let text = key.cast::<ffi::PyASCIIObject>().add(1).cast();
                slice::from_raw_parts(text, length as usize)
            })
        }
    }

    /// The value as a number, if reading it runs no Python code.
    #[inline(always)]
    pub fn number(&self) -> Option<f64> {
        // SAFETY: the value is a live object (see `Entry`), and entries are neither
        // `Send` nor `Sync`, so the thread that holds them is the attached one.
        unsafe { number_of(self.value) }
    }

    /// Whether the value is of the class `int`.
    pub fn is_int(&self) -> bool {
        // SAFETY: the value is a live object (see `Entry`). Only its type is read.
        unsafe { ffi::PyLong_CheckExact(self.value) != 0 }
    }

    /// Prefetches the key into the first-level cache.
    #[inline(always)]
    pub fn prefetch_key(&self) {
        prefetch(self.key);
    }

    /// Prefetches the length of the key's text and the beginning of what follows into
    /// the second-level cache.
    #[inline(always)]
    pub fn prefetch_key_l2(&self) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a prefetch is a hint. It reads nothing that the program can observe and
        // faults at no address; `wrapping_add` may leave the object.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T1>(self.key.wrapping_add(2).cast());
        }
    }
}

/// Prefetches one line of the cache.
#[inline(always)]
fn prefetch_line(address: *const u8) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch is a hint. It reads nothing that the program can observe and
    // faults at no address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// A text as a `str`.
#[inline(always)]
pub fn new_text<'py>(py: Python<'py>, text: &str) -> Bound<'py, PyString> {
    // Texts of up to one character are shared.
    if text.len() < 2 || !text.is_ascii() {
        return PyString::new(py, text);
    }
    // SAFETY: `PyUnicode_New` makes a `str` with space for as many bytes as asked for, directly
    // behind its header, since its largest character is below 128. Nobody else knows of it
    // yet. If there is no memory, it is null, at which `from_owned_ptr` panics.
    unsafe {
        let length = text.len() as ffi::Py_ssize_t;
        let made = Bound::from_owned_ptr(py, ffi::PyUnicode_New(length, 0x7f));
        let bytes = made.as_ptr().cast::<ffi::PyASCIIObject>().add(1).cast::<u8>();
        std::ptr::copy_nonoverlapping(text.as_ptr(), bytes, text.len());
        made.cast_into_unchecked()
    }
}

/// Prefetches an object: a text's length, and what follows, which may be in another
/// line of the cache.
#[inline(always)]
pub fn prefetch(object: *const ffi::PyObject) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch is a hint. It reads nothing that the program can observe and
    // faults at no address; `wrapping_add` may leave the object.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(object.wrapping_add(1).cast());
        _mm_prefetch::<_MM_HINT_T0>(object.wrapping_add(4).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = object;
}

/// Prefetches the table of a dict, which itself is near.
pub fn prefetch_table(list: &Bound<'_, PyAny>) {
    let Ok(dict) = list.cast_exact::<PyDict>() else { return };
    if layout_is_known(dict.py()) {
        // SAFETY: the dict is live and has this layout.
        let keys = unsafe { (*dict.as_ptr().cast::<Layout>()).keys };
        let lines = [0, 1, 2, 3].map(|line| keys.cast::<u8>().wrapping_add(64 * line));
        lines.into_iter().for_each(prefetch_line);
    }
}

/// Prefetches the keys and values of a dict of a few items, whose table is near.
pub fn prefetch_few(list: &Bound<'_, PyAny>) {
    let Ok(dict) = list.cast_exact::<PyDict>() else { return };
    if !layout_is_known(dict.py()) {
        return;
    }
    // SAFETY: the layout is known, and nothing changes the dict here.
    let entries = unsafe { entries_in_place(dict) };
    for entry in entries.filter(|entries| entries.len() <= PREFETCHED).into_iter().flatten() {
        prefetch_line(entry.value.cast());
        entry.prefetch_key();
    }
}

/// The keys and values of this many items fit into the first-level cache beside what is read.
const PREFETCHED: usize = 32;

/// Space for the entries of a dict that cannot be read where they are.
#[derive(Default)]
pub struct Copied(Vec<Entry>);

/// The entries of a dict in order, read in place or copied. `None` if a key
/// is not text.
///
/// # Safety
///
/// Until the last use of the entries, or of anything borrowed from them, the
/// thread stays attached and nothing changes the dict: it is locked, and no
/// Python code runs.
pub unsafe fn entries<'a>(
    dict: &'a Bound<'_, PyDict>,
    copied: &'a mut Copied,
) -> Option<&'a [Entry]> {
    if layout_is_known(dict.py()) {
        // SAFETY: the layout is known, and the caller keeps the dict unchanged.
        let in_place = unsafe { entries_in_place(dict) };
        if in_place.is_some() {
            return in_place;
        }
    }
    // SAFETY: `dict` is a dict. The call may raise, which is cleared, and that
    // comes before the first entry is read.
    if unsafe { ffi::PyArg_ValidateKeywordArguments(dict.as_ptr()) } == 0 {
        drop(PyErr::take(dict.py()));
        return None;
    }
    copy_entries(dict, &mut copied.0);
    Some(&copied.0)
}

/// Walks a dict in the way that every interpreter offers.
fn copy_entries(dict: &Bound<'_, PyDict>, copied: &mut Vec<Entry>) {
    copied.clear();
    let (mut place, mut key, mut value) = (0, std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: `dict` is a live dict, and the thread is attached. The loop runs
    // no Python code, so the dict does not change during the walk.
    while unsafe { ffi::PyDict_Next(dict.as_ptr(), &raw mut place, &raw mut key, &raw mut value) }
        != 0
    {
        copied.push(Entry { key, value });
    }
}

/// The items of a dict at one moment: no other thread changes it meanwhile.
pub fn items<'py>(dict: &Bound<'py, PyDict>) -> Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let py = dict.py();
    let mut copied = Vec::with_capacity(dict.len());
    // pyo3's iterator locks for each item, which can give up a lock that is held around it.
    with_critical_section(dict, || {
        copy_entries(dict, &mut copied);
        // SAFETY: the dict is locked and keeps its keys and values alive.
        let owned = |object| unsafe { Bound::from_borrowed_ptr(py, object) };
        copied.iter().map(|entry| (owned(entry.key), owned(entry.value))).collect()
    })
}

/// Which value of a dict is looked for: questions that run no Python code.
#[derive(Clone, Copy)]
pub enum Wanted {
    /// The first.
    First,
    /// The first that is not an empty dict.
    NotEmptyDict,
}

impl Wanted {
    fn is(self, value: &Bound<'_, PyAny>) -> bool {
        match self {
            Wanted::First => true,
            Wanted::NotEmptyDict => {
                !value.cast_exact::<PyDict>().is_ok_and(PyDictMethods::is_empty)
            }
        }
    }
}

/// The value of a dict that is wanted, found at one moment as [`items`] are.
pub fn find_value<'py>(dict: &Bound<'py, PyDict>, wanted: Wanted) -> Option<Bound<'py, PyAny>> {
    with_critical_section(dict, || {
        let (mut place, mut value) = (0, std::ptr::null_mut());
        let key = std::ptr::null_mut();
        // SAFETY: `dict` is a live dict, the thread is attached, and no key is asked for. The
        // dict is locked and a question runs no Python code, so it does not change during the walk.
        while unsafe { ffi::PyDict_Next(dict.as_ptr(), &raw mut place, key, &raw mut value) } != 0 {
            // SAFETY: the locked dict keeps its value alive until this is a reference of ours.
            let value = unsafe { Bound::from_borrowed_ptr(dict.py(), value) };
            if wanted.is(&value) {
                return Some(value);
            }
        }
        None
    })
}

/// The layout of a dict in `CPython` 3.11 to 3.14 (`Include/cpython/dictobject.h`).
#[repr(C)]
struct Layout {
    object: ffi::PyObject,
    used: ffi::Py_ssize_t,
    version: u64,
    keys: *const KeysLayout,
    /// Where the values are if the keys are shared between dicts.
    values: *const (),
}

/// The layout of its keys (`Include/internal/pycore_dict.h`). An index
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

/// The kind of keys that are all exactly `str`: their entries have no hash.
const ALL_TEXT: u8 = 1;

/// A copy of a dict of text. Its values are the given ones, except where the computed
/// ones differ from those; there are as many of each as the dict has items.
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
    // SAFETY: the layout is known.
    let Some((first, count)) = layout_is_known(py).then(|| unsafe { table(&dict) }).flatten()
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
        // SAFETY: `item` is one of the `count` entries from `first` on, all of them in
        // use. Nothing else refers to the copy yet, and dropping a float runs no Python
        // code, so the table stays where it is. The entry owned a reference to its old
        // value, which is dropped here, and now owns the one to the new value.
        unsafe {
            let place = &raw mut (*first.add(item)).value;
            drop(Bound::from_owned_ptr(py, place.replace(value)));
        }
    }
    Ok(dict)
}

/// The first entry of a dict of exact `str` keys from which nothing was deleted, and the number of
/// entries.
///
/// # Safety
///
/// The layout is known ([`layout_is_known`]).
unsafe fn table(dict: &Bound<'_, PyDict>) -> Option<(*mut Entry, usize)> {
    // SAFETY: the dict is live and has this layout, and it keeps its keys alive.
    // The index behind them has `1 << log2_index_bytes` bytes. `entries` counts the
    // entries that were ever used; if that is the number of items, all are in use.
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

/// These entries as a slice.
///
/// # Safety
///
/// The layout is known ([`layout_is_known`]), and the dict is not changed while the slice
/// is used.
unsafe fn entries_in_place<'a>(dict: &'a Bound<'_, PyDict>) -> Option<&'a [Entry]> {
    // SAFETY: the layout is known, so the table has that many entries in use. They
    // stay where they are until the dict changes. Without entries the table may begin
    // anywhere, and a slice may not.
    unsafe {
        table(dict).map(|(first, count)| match count {
            0 => &[],
            _ => slice::from_raw_parts(first, count),
        })
    }
}

/// Whether all keys of a dict are known to be exactly `str`, or nothing is known of
/// the layout.
pub fn may_have_plain_keys(dict: &Bound<'_, PyDict>) -> bool {
    // SAFETY: the layout is known where `table` is called.
    !layout_is_known(dict.py()) || unsafe { table(dict) }.is_some()
}

/// Whether dicts are read where they lie in memory; otherwise item by item, with the same result.
#[pyfunction]
pub fn reads_dicts_in_place(py: Python<'_>) -> bool {
    layout_is_known(py)
}

/// Whether dicts of this interpreter have the layout above: its version is one
/// of those named, and two dicts are checked.
fn layout_is_known(py: Python<'_>) -> bool {
    static KNOWN: PyOnceLock<bool> = PyOnceLock::new();
    *KNOWN.get_or_init(py, || {
        let version = py.version_info();
        let named = (3, 11) <= (version.major, version.minor)
            && (version.major, version.minor) <= (3, 14)
            && size_of::<ffi::PyObject>() == 2 * size_of::<usize>()
            && implementation(py).is_ok_and(|name| name == "cpython");
        named && [1, 200].into_iter().all(|items| has_layout(py, items).unwrap_or(false))
    })
}

fn implementation(py: Python<'_>) -> PyResult<String> {
    py.import("sys")?.getattr("implementation")?.getattr("name")?.extract()
}

/// Whether the entries of a dict with this number of items are where the layout says.
fn has_layout(py: Python<'_>, items: i32) -> PyResult<bool> {
    let dict = PyDict::new(py);
    for item in 0..items {
        dict.set_item(item.to_string(), item)?;
    }
    let mut copied = Vec::new();
    copy_entries(&dict, &mut copied);
    // SAFETY: the interpreter is CPython 3.11 to 3.14, whose headers have this layout.
    // No other code has a reference to the dict.
    Ok(unsafe { entries_in_place(&dict) } == Some(copied.as_slice()))
}

/// The number that an object is, if reading it runs no Python code.
#[inline]
pub fn number_in(object: &Bound<'_, PyAny>) -> Option<f64> {
    // SAFETY: a `Bound` is a live object of an attached thread.
    unsafe { number_of(object.as_ptr()) }
}

/// The number that an object is, if reading it runs no Python code.
///
/// # Safety
///
/// It is a live object of this interpreter, and the thread is attached.
#[inline(always)]
unsafe fn number_of(object: *mut ffi::PyObject) -> Option<f64> {
    // SAFETY: the object is live, and its value is read only if it is a `float`.
    unsafe {
        if ffi::PyFloat_CheckExact(object) != 0 {
            return Some(ffi::PyFloat_AS_DOUBLE(object));
        }
        other_number_of(object)
    }
}

/// The same for everything but an exact `float`.
///
/// # Safety
///
/// As for [`number_of`].
#[inline(never)]
unsafe fn other_number_of(object: *mut ffi::PyObject) -> Option<f64> {
    // SAFETY: an object of a class derived from `float` begins as a `float` does,
    // and Python reads its value from there as well. For an exact `int` the function
    // calls no method and raises nothing: it reports an overflow in `overflow`.
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

/// Whether text is ASCII and exactly a `str`: only then it directly follows its
/// header. The object's type is not read, since it often is in another line of
/// the cache.
///
/// # Safety
///
/// It is a live `str` of this interpreter, or of a class derived from it, and
/// the thread is attached.
#[inline(always)]
unsafe fn is_plain(text: *mut ffi::PyObject) -> bool {
    // SAFETY: `text` has the header of a `str`.
    unsafe { ffi::PyUnicode_DATA(text) == text.cast::<ffi::PyASCIIObject>().add(1).cast() }
}
