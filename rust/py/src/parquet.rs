//! The headers of Parquet for Python, which reads the files.

use cranfield_core::read::parquet;
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
    let parquet::Page { header, unpacked, packed, values, is_dictionary, is_chained } = page;
    Some((header, unpacked, packed, values, is_dictionary, is_chained))
}

#[doc = stub!("longest_text")]
#[pyfunction]
#[pyo3(signature = (dictionary, /))]
pub fn longest_text(dictionary: &[u8]) -> usize {
    parquet::longest_text(dictionary)
}
