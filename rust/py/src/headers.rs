//! The headers of Parquet and Arrow IPC, read from files through a function of Python.

use cranfield_core::read::{arrow, parquet};
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

create_exception!(cranfield._core, DamagedHeaderError, PyException, "Bytes that are no header.");

/// Reads so many bytes of a file from a place on, or fewer at its end.
pub struct ReadAt<'py>(Bound<'py, PyAny>);

impl ReadAt<'_> {
    fn read(&self, place: i64, length: i64) -> PyResult<PyBackedBytes> {
        Ok(self.0.call1((place, length))?.extract()?)
    }

    fn number<const SIZE: usize>(&self, place: i64) -> PyResult<Option<[u8; SIZE]>> {
        Ok(self.read(place, SIZE as i64)?.first_chunk().copied())
    }
}

impl<'py> FromPyObject<'_, 'py> for ReadAt<'py> {
    type Error = PyErr;

    fn extract(read: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(ReadAt(read.to_owned()))
    }
}

fn damaged() -> PyErr {
    DamagedHeaderError::new_err(())
}

/// A column: place, bytes, values, compression, type.
type Chunk = (i64, i64, i64, i32, i32);

#[doc = stub!("parquet_row_groups")]
#[pyfunction]
#[pyo3(signature = (read, size, /))]
pub fn parquet_row_groups(read: ReadAt<'_>, size: i64) -> PyResult<Vec<(i64, Vec<Chunk>)>> {
    let length = i64::from(read.number((size - 8).max(0))?.map_or(0, u32::from_le_bytes));
    let footer = read.read((size - 8 - length).max(0), length)?;
    let chunk = |chunk: parquet::ColumnChunk| {
        (chunk.place, chunk.packed, chunk.values, chunk.codec, chunk.kind)
    };
    let groups = parquet::row_groups(&footer).ok_or_else(damaged)?.into_iter();
    let columns = |chunks: Vec<parquet::ColumnChunk>| chunks.into_iter().map(chunk).collect();
    Ok(groups.map(|(rows, chunks)| (rows.max(0), columns(chunks))).collect())
}

/// What the pages of a column unpack to, its dictionary, and its longest page of texts that
/// begin as the one before; then where the dictionary is, and its bytes.
type Pages = (i64, i64, i64, (i64, i64));

fn parquet_pages(read: &ReadAt<'_>, chunk: Chunk) -> PyResult<Pages> {
    let (mut place, packed, mut values, ..) = chunk;
    let end = place.saturating_add(packed);
    let (mut unpacked, mut coded, mut chained, mut dictionary) = (0, 0, 0, (0, 0));
    // Nothing is read behind the last value.
    while place < end && values > 0 {
        let page = page(read, place)?;
        let (header, own, packed) = (page.header as i64, page.unpacked.into(), page.packed.into());
        unpacked += own;
        if page.is_dictionary {
            (coded, dictionary) = (own, (place + header, packed));
        }
        if page.is_chained {
            chained = chained.max(own);
        }
        values = values.saturating_sub(page.values.into());
        place += header + packed;
    }
    Ok((unpacked, coded, chained, dictionary))
}

/// How many bytes of a header are read at first, since statistics can make it longer, and how
/// many at most.
const SHORT_HEADER: i64 = 1 << 7;
const LONGEST_HEADER: i64 = 1 << 24;

fn page(read: &ReadAt<'_>, place: i64) -> PyResult<parquet::PageHeader> {
    let mut size = SHORT_HEADER;
    loop {
        let data = read.read(place, size)?;
        match parquet::page(&data) {
            Some(page) if page.unpacked < 0 || page.packed < 0 => return Err(damaged()),
            Some(page) => return Ok(page),
            None if (data.len() as i64) < size || size >= LONGEST_HEADER => return Err(damaged()),
            None => size *= 16,
        }
    }
}

/// How many rows of Parquet are read at a time.
const ROWS: i64 = 1 << 17;

/// How many bytes a column may have in the rows that are read at a time.
const AT_ONCE: i64 = 64 << 20;

/// The number of Parquet's type of text.
const TEXT: i32 = 6;

#[doc = stub!("parquet_rows")]
#[pyfunction]
#[pyo3(signature = (read, chunks, rows, say, unpack, /))]
#[expect(clippy::needless_pass_by_value, reason = "made for the call")]
pub fn parquet_rows(
    read: ReadAt<'_>,
    chunks: Vec<Chunk>,
    rows: i64,
    say: &Bound<'_, PyAny>,
    unpack: &Bound<'_, PyAny>,
) -> PyResult<i64> {
    let mut longest = 1;
    for chunk in chunks {
        let (pages, mut coded, chained, dictionary) = parquet_pages(&read, chunk)?;
        say.call1((pages,))?;
        if coded.saturating_mul(rows.min(ROWS)) > AT_ONCE {
            coded = longest_of(&read, chunk, coded, dictionary, unpack)?;
        }
        longest = longest.max(coded).max(chained);
    }
    Ok((AT_ONCE / longest).clamp(1, ROWS))
}

/// The bytes of the longest text of a dictionary, which is unpacked for that.
fn longest_of(
    read: &ReadAt<'_>,
    (.., codec, kind): Chunk,
    coded: i64,
    (place, packed): (i64, i64),
    unpack: &Bound<'_, PyAny>,
) -> PyResult<i64> {
    if kind != TEXT {
        return Ok(0);
    }
    // What pyarrow calls Parquet's compressions.
    let name = match codec {
        0 => None,
        1 => Some("snappy"),
        2 => Some("gzip"),
        4 => Some("brotli"),
        6 => Some("zstd"),
        7 => Some("lz4_raw"),
        _ => return Ok(coded),
    };
    let page = read.read(place, packed)?;
    let Some(name) = name else { return Ok(parquet::longest_text(&page) as i64) };
    let page: PyBackedBytes = unpack.call1((name, page, coded))?.extract()?;
    Ok(parquet::longest_text(&page) as i64)
}

/// Where each message begins, and the bytes of its header.
type Blocks = Vec<(i64, i64)>;

#[doc = stub!("arrow_blocks")]
#[pyfunction]
#[pyo3(signature = (read, size, /))]
pub fn arrow_blocks(read: ReadAt<'_>, size: i64) -> PyResult<(Blocks, Blocks)> {
    let length = read.number((size - 10).max(0))?.map_or(0, i32::from_le_bytes);
    let length = i64::from(length);
    let footer = read.read((size - 10 - length).max(0), length.max(0))?;
    let arrow::Footer { dictionaries, batches } = arrow::footer(&footer).ok_or_else(damaged)?;
    Ok((dictionaries, batches))
}

#[doc = stub!("arrow_unpacked")]
#[pyfunction]
#[pyo3(signature = (read, place, header, /))]
pub fn arrow_unpacked(read: ReadAt<'_>, place: i64, header: i64) -> PyResult<i64> {
    Ok(message(&read, place, place.saturating_add(header))?.1)
}

#[doc = stub!("arrow_next_batch")]
#[pyfunction]
#[pyo3(signature = (read, place, /))]
pub fn arrow_next_batch(read: ReadAt<'_>, mut place: i64) -> PyResult<Option<(i64, i64)>> {
    let mut total: i64 = 0;
    while let Some(header) = header(&read, place)? {
        let body = place.saturating_add(header);
        let (is_batch, unpacked, size) = message(&read, place, body)?;
        total = total.saturating_add(unpacked);
        place = body.saturating_add(size);
        if is_batch {
            return Ok(Some((total, place)));
        }
    }
    Ok(None)
}

/// What a message begins with, but for the oldest files.
const CONTINUED: [u8; 4] = [0xff; 4];

/// The bytes before the body of a message, if there is one.
fn header(read: &ReadAt<'_>, place: i64) -> PyResult<Option<i64>> {
    let head = read.read(place, 8)?;
    let first = if head.starts_with(&CONTINUED) { 8 } else { 4 };
    let length = head.get(first - 4..first).and_then(|length| length.first_chunk());
    let length = length.map_or(0, |length| i32::from_le_bytes(*length));
    Ok((length != 0).then(|| first as i64 + i64::from(length.max(0))))
}

/// Whether a message has rows, what its body unpacks to, and the size of the body.
fn message(read: &ReadAt<'_>, place: i64, body: i64) -> PyResult<(bool, i64, i64)> {
    let length = header(read, place)?.ok_or_else(damaged)?;
    let first = if read.number(place)? == Some(CONTINUED) { 8 } else { 4 };
    let found = read.read(place.saturating_add(first), length - first)?;
    let arrow::Message { is_batch, body: size, packed } =
        arrow::message(&found).ok_or_else(damaged)?;
    let mut unpacked: i64 = 0;
    for (start, buffer) in packed {
        if buffer >= 8 && start >= 0 {
            // The first bytes say what the rest unpacks to, unless it is not packed.
            let claimed = read.number(body.saturating_add(start))?.map_or(0, i64::from_le_bytes);
            unpacked = unpacked.saturating_add(if claimed >= 0 { claimed } else { buffer });
        }
    }
    Ok((is_batch, unpacked, size))
}
