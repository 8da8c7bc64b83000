//! The headers of Parquet and Arrow IPC for Python, which reads the files.

use cranfield_core::read::{arrow, parquet};
use pyo3::prelude::*;

/// A column: place, bytes, values, compression, type.
type Chunk = (i64, i64, i64, i32, i32);

#[doc = stub!("parquet_row_groups")]
#[pyfunction]
#[pyo3(signature = (footer, /))]
pub fn parquet_row_groups(footer: &[u8]) -> Option<Vec<(i64, Vec<Chunk>)>> {
    let chunk =
        |chunk: parquet::Chunk| (chunk.place, chunk.packed, chunk.values, chunk.codec, chunk.kind);
    let groups = parquet::row_groups(footer)?.into_iter();
    Some(groups.map(|(rows, chunks)| (rows, chunks.into_iter().map(chunk).collect())).collect())
}

#[doc = stub!("parquet_page")]
#[pyfunction]
#[pyo3(signature = (beginning, /))]
pub fn parquet_page(beginning: &[u8]) -> Option<(usize, i32, i32, i32, bool, bool)> {
    let page = parquet::page(beginning)?;
    let parquet::PageHeader { header, unpacked, packed, values, is_dictionary, is_chained } = page;
    Some((header, unpacked, packed, values, is_dictionary, is_chained))
}

#[doc = stub!("longest_text")]
#[pyfunction]
#[pyo3(signature = (dictionary, /))]
pub fn longest_text(dictionary: &[u8]) -> usize {
    parquet::longest_text(dictionary)
}

/// Where each message begins, and the bytes of its header.
type Blocks = Vec<(i64, i64)>;

/// Where each buffer of a message begins, and its bytes.
type Buffers = Vec<(i64, i64)>;

#[doc = stub!("arrow_footer")]
#[pyfunction]
#[pyo3(signature = (footer, /))]
pub fn arrow_footer(footer: &[u8]) -> Option<(Blocks, Blocks)> {
    let arrow::Footer { dictionaries, batches } = arrow::footer(footer)?;
    Some((dictionaries, batches))
}

#[doc = stub!("arrow_message")]
#[pyfunction]
#[pyo3(signature = (header, /))]
pub fn arrow_message(header: &[u8]) -> Option<(bool, i64, Buffers)> {
    let arrow::Message { is_batch, body, packed } = arrow::message(header)?;
    Some((is_batch, body, packed))
}
