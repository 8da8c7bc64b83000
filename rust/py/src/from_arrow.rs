//! Arrow streams to judgments and runs.
//!
//! Ids and scores stay in their Arrow columns, whatever the type of text. The rows of a topic
//! that are not consecutive in one batch are copied together.

use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    DecimalType, Float16Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Float64Array, GenericStringArray, LargeStringArray,
    OffsetSizeTrait, PrimitiveArray, RecordBatch, StringArray, StringViewArray,
};
use arrow_schema::DataType;
use cranfield_core::error::{Kind, Result};
use cranfield_core::qrels::{Builder, Qrels};
use cranfield_core::rank::arrays::{Check, Column, List, Texts};
use cranfield_core::read::qrels::again;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use pyo3_arrow::PyRecordBatchReader;

use crate::columns::{
    ColumnRun, Columns, Documents, Rows, Scores, Strings, integers, score_column,
};
use crate::errors::{OrRaise, fail, instead, not_finite};
use crate::from_rows::check_rank;

/// The columns of a batch, by position.
struct BatchColumns<'a> {
    batch: &'a RecordBatch,
}

impl BatchColumns<'_> {
    fn wanted(&self, place: usize) -> String {
        let schema = self.batch.schema_ref();
        schema
            .fields()
            .get(place)
            .map_or_else(String::new, |field| format!("column {}", field.name()))
    }

    fn column(&self, place: usize) -> PyResult<&ArrayRef> {
        let none = || format!("expected {} columns at least, found fewer", place + 1);
        self.batch.columns().get(place).ok_or_else(|| fail(Kind::Type, none()))
    }

    fn ids(&self, position: usize) -> PyResult<Documents> {
        let array = self.column(position)?;
        let wanted = self.wanted(position);
        // Codes without an entry in the dictionary have to be found before the first look-up.
        if !is_sound(array) {
            let message =
                format!("expected ids in {wanted}, found offsets or codes out of their range");
            return Err(fail(Kind::Type, message));
        }
        if array.logical_nulls().is_some_and(|nulls| nulls.null_count() > 0) {
            return Err(fail(Kind::Type, format!("expected ids in {wanted}, found nulls")));
        }
        let found = ids(array).ok_or_else(|| {
            let kind = array.data_type();
            let why = if kind.is_floating() { GAPS } else { "" };
            let message = format!("expected text or whole numbers in {wanted}, found {kind}{why}");
            fail(Kind::Type, message)
        })?;
        Ok(found)
    }

    /// Numbers; a null stands for NaN, as data frames write it.
    fn numbers(&self, position: usize) -> PyResult<ArrayRef> {
        let array = self.column(position)?;
        numbers(array).ok_or_else(|| {
            let (wanted, kind) = (self.wanted(position), array.data_type());
            fail(Kind::Type, format!("expected numbers in {wanted}, found {kind}"))
        })
    }
}

/// What an error says of ids that are floating-point numbers.
pub const GAPS: &str = ": whole numbers become such where some are missing; make them text or whole numbers again, as 12 and 12.0 would be two ids";

/// The numbers of a column in single or double precision, if it holds numbers.
fn numbers(array: &ArrayRef) -> Option<ArrayRef> {
    match array.data_type() {
        DataType::Float32 | DataType::Float64 => Some(array.clone()),
        DataType::Float16 => {
            let halves = array.as_primitive::<Float16Type>();
            Some(Arc::new(halves.unary::<_, Float64Type>(f64::from)))
        }
        _ => decimals(array).or_else(|| whole_numbers(array)),
    }
}

/// The numbers of such a column as doubles; a null is NaN.
fn doubles(numbers: &ArrayRef) -> Vec<f64> {
    let values = score_column(numbers);
    let value = |row| if numbers.is_null(row) { f64::NAN } else { values.get(row) };
    (0..numbers.len()).map(value).collect()
}

/// The numbers of a column of decimals, if it is one.
fn decimals(array: &ArrayRef) -> Option<ArrayRef> {
    fn of<T: DecimalType>(array: &ArrayRef) -> Option<ArrayRef> {
        let decimals: &PrimitiveArray<T> = array.as_primitive_opt()?;
        let value = |row| {
            let text = (!decimals.is_null(row)).then(|| decimals.value_as_string(row))?;
            text.parse::<f64>().ok()
        };
        Some(Arc::new((0..decimals.len()).map(value).collect::<Float64Array>()))
    }
    (of::<Decimal128Type>(array).or_else(|| of::<Decimal256Type>(array)))
        .or_else(|| of::<Decimal32Type>(array))
        .or_else(|| of::<Decimal64Type>(array))
}

/// A column of whole numbers as doubles, if it is one.
fn whole_numbers(array: &ArrayRef) -> Option<ArrayRef> {
    macro_rules! doubles {
        ($($kind:ident $numbers:ty;)*) => {
            match array.data_type() {
                $(DataType::$kind => {
                    array.as_primitive::<$numbers>().unary::<_, Float64Type>(|n| n as f64)
                })*
                _ => return None,
            }
        };
    }
    #[allow(clippy::cast_lossless, reason = "some lose nothing")]
    let doubles = doubles! {
        Int8 Int8Type; Int16 Int16Type; Int32 Int32Type; Int64 Int64Type;
        UInt8 UInt8Type; UInt16 UInt16Type; UInt32 UInt32Type; UInt64 UInt64Type;
    };
    Some(Arc::new(doubles))
}

/// Whether the offsets of a column of ids are within its text and its codes within its
/// dictionary. Producers of Arrow data do not have to check that.
fn is_sound(array: &ArrayRef) -> bool {
    fn rise<T: OffsetSizeTrait>(text: &GenericStringArray<T>) -> bool {
        let (offsets, end) = (text.value_offsets(), text.value_data().len());
        let rise = offsets.windows(2).all(|pair| pair[0] <= pair[1]);
        let first = offsets.first().is_none_or(|first| *first >= T::default());
        rise && first && offsets.last().is_none_or(|last| last.as_usize() <= end)
    }
    fn views(text: &StringViewArray) -> bool {
        text.views().iter().all(|&view| {
            // Length and prefix; then, unless the text is short, the buffer and the offset.
            let [length, _, buffer, offset] =
                [0, 32, 64, 96].map(|shift| (view >> shift) as u32 as usize);
            let buffer = text.data_buffers().get(buffer);
            length <= 12 || buffer.is_some_and(|buffer| offset + length <= buffer.len())
        })
    }
    fn codes<K: ArrowDictionaryKeyType>(array: &ArrayRef) -> bool {
        let array: Option<&DictionaryArray<K>> = array.as_dictionary_opt();
        array.is_some_and(|array| {
            let values = array.values();
            let known = |row| array.key(row).is_none_or(|code| code < values.len());
            (0..array.len()).all(known) && is_sound(values)
        })
    }
    match array.data_type() {
        DataType::Utf8 => rise(array.as_string::<i32>()),
        DataType::LargeUtf8 => rise(array.as_string::<i64>()),
        DataType::Utf8View => views(array.as_string_view()),
        DataType::Dictionary(keys, _) => match **keys {
            DataType::Int8 => codes::<Int8Type>(array),
            DataType::Int16 => codes::<Int16Type>(array),
            DataType::Int32 => codes::<Int32Type>(array),
            DataType::Int64 => codes::<Int64Type>(array),
            DataType::UInt8 => codes::<UInt8Type>(array),
            DataType::UInt16 => codes::<UInt16Type>(array),
            DataType::UInt32 => codes::<UInt32Type>(array),
            _ => codes::<UInt64Type>(array),
        },
        _ => true,
    }
}

/// A column of ids, if it is one.
fn ids(array: &ArrayRef) -> Option<Documents> {
    let wide: ArrayRef = match array.data_type() {
        DataType::Int32 | DataType::Int64 | DataType::UInt32 | DataType::UInt64 => array.clone(),
        DataType::Int8 => {
            Arc::new(array.as_primitive::<Int8Type>().unary::<_, Int64Type>(i64::from))
        }
        DataType::Int16 => {
            Arc::new(array.as_primitive::<Int16Type>().unary::<_, Int64Type>(i64::from))
        }
        DataType::UInt8 => {
            Arc::new(array.as_primitive::<UInt8Type>().unary::<_, UInt64Type>(u64::from))
        }
        DataType::UInt16 => {
            Arc::new(array.as_primitive::<UInt16Type>().unary::<_, UInt64Type>(u64::from))
        }
        _ => return texts(array).map(Documents::Text),
    };
    Some(Documents::Arrow(wide))
}

/// A column of texts, or of ids in a dictionary encoding.
fn texts(array: &ArrayRef) -> Option<Box<dyn Texts + Send>> {
    match array.data_type() {
        DataType::Utf8 => Some(Box::new(Utf8(array.as_string::<i32>().clone()))),
        DataType::LargeUtf8 => Some(Box::new(LargeUtf8(array.as_string::<i64>().clone()))),
        DataType::Utf8View => Some(Box::new(Utf8View(array.as_string_view().clone()))),
        DataType::Dictionary(keys, _) => match **keys {
            DataType::Int8 => coded::<Int8Type>(array),
            DataType::Int16 => coded::<Int16Type>(array),
            DataType::Int32 => coded::<Int32Type>(array),
            DataType::Int64 => coded::<Int64Type>(array),
            DataType::UInt8 => coded::<UInt8Type>(array),
            DataType::UInt16 => coded::<UInt16Type>(array),
            DataType::UInt32 => coded::<UInt32Type>(array),
            _ => coded::<UInt64Type>(array),
        },
        kind if kind.is_integer() => {
            let (documents, mut texts) = (ids(array)?, Strings::default());
            for row in 0..array.len() as u32 {
                column(&documents).with_id(row, |id| texts.push(id));
            }
            Some(Box::new(texts))
        }
        _ => None,
    }
}

fn coded<K: ArrowDictionaryKeyType + Debug>(array: &ArrayRef) -> Option<Box<dyn Texts + Send>> {
    let array: &DictionaryArray<K> = array.as_dictionary_opt()?;
    let values = texts(array.values())?;
    Some(Box::new(Coded { codes: array.clone(), values }))
}

#[derive(Debug)]
struct Utf8(StringArray);

#[derive(Debug)]
struct LargeUtf8(LargeStringArray);

#[derive(Debug)]
struct Utf8View(StringViewArray);

/// Dictionary-encoded ids.
#[derive(Debug)]
struct Coded<K: ArrowDictionaryKeyType> {
    codes: DictionaryArray<K>,
    values: Box<dyn Texts + Send>,
}

impl Texts for Utf8 {
    fn text(&self, row: usize) -> &[u8] {
        self.0.value(row).as_bytes()
    }
}

impl Texts for LargeUtf8 {
    fn text(&self, row: usize) -> &[u8] {
        self.0.value(row).as_bytes()
    }
}

impl Texts for Utf8View {
    fn text(&self, row: usize) -> &[u8] {
        self.0.value(row).as_bytes()
    }
}

impl<K: ArrowDictionaryKeyType + Debug> Texts for Coded<K> {
    fn text(&self, row: usize) -> &[u8] {
        self.codes.key(row).map_or(&[], |code| self.values.text(code))
    }
}

/// Calls a function with the topics, documents and numbers of each batch of a stream, by the
/// positions of their columns. A number that is not finite is an error.
fn each_batch(
    stream: PyRecordBatchReader,
    columns: [usize; 3],
    what: &str,
    mut on_batch: impl FnMut(&BatchColumns<'_>, &dyn Texts, Documents, ArrayRef) -> PyResult<()>,
) -> PyResult<()> {
    let used = |raised| {
        Python::attach(|py| {
            let message = "expected an Arrow stream, found one that was read already";
            instead(py, raised, || fail(Kind::Type, message))
        })
    };
    for batch in stream.into_reader().map_err(used)? {
        let batch =
            batch.map_err(|e| fail(Kind::Type, format!("cannot read the Arrow stream: {e}")))?;
        let batch = BatchColumns { batch: &batch };
        batch.ids(columns[0])?;
        let topics = texts(batch.column(columns[0])?)
            .ok_or_else(|| fail(Kind::Type, "expected text or whole numbers as topics"))?;
        let (documents, values) = (batch.ids(columns[1])?, batch.numbers(columns[2])?);
        let numbers = score_column(&values);
        let wrong =
            (0..values.len()).find(|&row| values.is_null(row) || !numbers.get(row).is_finite());
        if let Some(row) = wrong {
            let value = if values.is_null(row) { f64::NAN } else { numbers.get(row) };
            let message = column(&documents).with_id(row as u32, |document| {
                not_finite(what, value, document, topics.text(row))
            });
            return Err(fail(Kind::Number, message));
        }
        on_batch(&batch, &*topics, documents, values)?;
    }
    Ok(())
}

/// A whole column of ids from Arrow.
fn column(documents: &Documents) -> Column<'_> {
    match documents {
        Documents::Arrow(array) => integers(array),
        Documents::Text(texts) => Column::Text(&**texts, 0),
        _ => Column::I64(&[]),
    }
}

/// Judgments from a stream.
pub fn qrels_from_arrow(
    stream: PyRecordBatchReader,
    columns: [usize; 3],
    docs_in_collection: Option<u64>,
) -> PyResult<Qrels> {
    let mut builder = Builder::new(&[]);
    let mut rows = 0;
    each_batch(stream, columns, "grade", |_, topics, documents, grades| {
        let (documents, scores) = (column(&documents), score_column(&grades));
        let list = List { documents, scores, ranks: None, padded: false };
        list.each(|row, document, grade| -> Result<()> {
            let (topic, line) = (topics.text(row), rows + row as u64 + 1);
            builder.make_room(1, document.len())?;
            let added = builder.add(topic, document, grade, &[], line);
            added.map_err(|clash| again(clash, topic, document, grade).at_line(line))
        })
        .or_raise()?;
        rows += grades.len() as u64;
        Ok(())
    })?;
    Ok(builder.finish(docs_in_collection))
}

/// A run from a stream. Without a column of scores, the ranks decide the order.
pub fn run_from_arrow(
    stream: PyRecordBatchReader,
    [topic, document]: [usize; 2],
    score: Option<usize>,
    rank: Option<usize>,
) -> PyResult<ColumnRun> {
    let Some(value) = score.or(rank) else {
        return Err(fail(Kind::Type, "expected a column of scores or ranks, found neither"));
    };
    let decides = score.is_none();
    let (columns, what) = ([topic, document, value], if decides { "rank" } else { "score" });
    let mut parts: Vec<Columns> = Vec::new();
    let mut topics: Vec<(Box<[u8]>, Vec<Rows>)> = Vec::new();
    let mut index: HashMap<Box<[u8]>, usize> = HashMap::new();
    each_batch(stream, columns, what, |batch, ids, documents, values| {
        let (scores, ranks) = if decides {
            let ranks = doubles(&values);
            for (row, &rank) in ranks.iter().enumerate() {
                let checked = column(&documents)
                    .with_id(row as u32, |document| check_rank(rank, document, ids.text(row)));
                checked.or_raise()?;
            }
            (Scores::Owned(ranks.iter().map(|rank| -rank).collect()), Some(ranks))
        } else {
            let ranks = rank.and_then(|place| batch.batch.columns().get(place)).and_then(numbers);
            (Scores::Arrow(values), ranks.as_ref().map(doubles))
        };
        let rows = batch.batch.num_rows();
        let mut start = 0;
        while start < rows {
            let topic = ids.text(start);
            let same = (start + 1..rows).take_while(|&row| ids.text(row) == topic).count();
            let end = start + 1 + same;
            let position = index.get(topic).copied().unwrap_or_else(|| {
                index.insert(topic.into(), topics.len());
                topics.push((topic.into(), Vec::new()));
                topics.len() - 1
            });
            topics[position].1.push(Rows { columns: parts.len(), row: 0, start, end });
            start = end;
        }
        parts.push(Columns { documents, scores, ranks, width: 0 });
        Ok(())
    })?;
    let mut strings = Strings::default();
    let (mut scores, mut ranks) = (Vec::new(), Vec::new());
    let together = parts.len();
    let mut whole = |pieces: &[Rows]| {
        if let [stretch] = pieces {
            return *stretch;
        }
        let start = scores.len();
        for piece in pieces {
            let part = &parts[piece.columns];
            let ids = column(&part.documents);
            for row in piece.start..piece.end {
                ids.with_id(row as u32, |id| strings.push(id));
            }
            let rows = piece.start..piece.end;
            match &part.scores {
                Scores::Arrow(array) => {
                    let values = score_column(array);
                    scores.extend(rows.clone().map(|row| values.get(row)));
                }
                Scores::Owned(own) => scores.extend_from_slice(&own[rows.clone()]),
                _ => {}
            }
            let rank = |row: usize| part.ranks.as_ref().map_or(f64::NAN, |ranks| ranks[row]);
            ranks.extend(rows.map(rank));
        }
        Rows { columns: together, row: 0, start, end: scores.len() }
    };
    let topics = topics.into_iter().map(|(topic, pieces)| (topic, whole(&pieces))).collect();
    parts.push(Columns {
        documents: Documents::Text(Box::new(strings)),
        scores: Scores::Owned(scores),
        ranks: Some(ranks),
        width: 0,
    });
    Ok(ColumnRun { topics, parts, check: Check::Full, padded: false })
}

/// The positions of the columns of a stream. Columns that are not named are found by their usual
/// names, by a function of `cranfield.columns`.
pub fn places<const COLUMNS: usize>(
    py: Python<'_>,
    stream: &PyRecordBatchReader,
    find: &str,
    named: [Option<&str>; COLUMNS],
) -> PyResult<[Option<usize>; COLUMNS]> {
    let schema = stream.schema_ref()?;
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    let mut arguments = vec![names.into_pyobject(py)?];
    for name in named {
        arguments.push(name.into_pyobject(py)?);
    }
    let find = py.import("cranfield.inputs.columns")?.getattr(find)?;
    find.call1(PyTuple::new(py, arguments)?)?.extract()
}
