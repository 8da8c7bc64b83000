//! Arrow streams to judgments and runs.
//!
//! Ids and scores stay in their Arrow columns, whatever the type of text. The rows of a topic
//! that are not consecutive in one batch are copied together.

use std::collections::HashMap;
use std::fmt::Debug;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::ArrowArrayStreamReader;
use arrow_array::types::{
    ArrowDictionaryKeyType, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    DecimalType, Float16Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, DictionaryArray, Float64Array, GenericStringArray, LargeStringArray,
    OffsetSizeTrait, PrimitiveArray, RecordBatch, RecordBatchReader, StringArray, StringViewArray,
};
use arrow_schema::DataType;
use cranfield_core::costs::Unit;
use cranfield_core::error::{Kind, Result};
use cranfield_core::interrupt::{self, Steps};
use cranfield_core::memory;
use cranfield_core::qrels::{Builder, Qrels};
use cranfield_core::rank::Run;
use cranfield_core::rank::arrays::{Check, IdColumn, ListArrays, Promise, Texts};
use cranfield_core::read::qrels::again;
use cranfield_core::read::tables::columns::COSTS;
use cranfield_core::read::tables::rows::{RunRows, check_rank};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::columns::{
    ColumnRun, ColumnScores, Columns, Documents, Rows, Strings, integers, score_column,
};
use crate::errors::{OrRaise, fail, instead, not_finite};

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
            let found = "found offsets or codes out of their range";
            return Err(fail(
                Kind::Type,
                format!("expected sound Arrow data in {wanted}, {found}"),
            ));
        }
        // Numbers may become wider ones, or texts.
        memory::room_for(2 * size_of::<u64>() * array.len()).or_raise()?;
        if array.logical_nulls().is_some_and(|nulls| nulls.null_count() > 0) {
            return Err(fail(Kind::Type, format!("expected ids in {wanted}, found nulls")));
        }
        ids(array).or_raise()?.ok_or_else(|| {
            let kind = array.data_type();
            let why = if kind.is_floating() { GAPS } else { "" };
            let message = format!("expected text or whole numbers in {wanted}, found {kind}{why}");
            fail(Kind::Type, message)
        })
    }

    fn topics(&self, position: usize) -> PyResult<Box<dyn Texts + Send>> {
        match self.ids(position)? {
            Documents::Text(texts) => Ok(texts),
            numbers => written(column(&numbers), self.batch.num_rows()).or_raise(),
        }
    }

    /// The column of ranks, if there is one and it has numbers.
    fn ranks(&self, position: Option<usize>) -> PyResult<Option<Vec<f64>>> {
        let Some(position) = position else { return Ok(None) };
        Ok(numbers(self.column(position)?).as_ref().map(doubles))
    }

    /// Numbers; a null stands for NaN, as data frames write it.
    fn numbers(&self, position: usize) -> PyResult<ArrayRef> {
        let array = self.column(position)?;
        memory::room_for(2 * size_of::<f64>() * array.len()).or_raise()?;
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
/// dictionary. Producers of Arrow data do not have to check that. Arrow's C interface has no
/// sizes: a text ends where the last offset says, so pyarrow's own columns are validated before.
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
fn ids(array: &ArrayRef) -> Result<Option<Documents>> {
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
        _ => return Ok(texts(array)?.map(Documents::Text)),
    };
    Ok(Some(Documents::Arrow(wide)))
}

/// A column of texts, or of ids in a dictionary encoding.
fn texts(array: &ArrayRef) -> Result<Option<Box<dyn Texts + Send>>> {
    match array.data_type() {
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
        _ => Ok(plain_texts(array)),
    }
}

fn plain_texts(array: &ArrayRef) -> Option<Box<dyn Texts + Send>> {
    match array.data_type() {
        DataType::Utf8 => Some(Box::new(Utf8(array.as_string::<i32>().clone()))),
        DataType::LargeUtf8 => Some(Box::new(LargeUtf8(array.as_string::<i64>().clone()))),
        DataType::Utf8View => Some(Box::new(Utf8View(array.as_string_view().clone()))),
        _ => None,
    }
}

/// Ids in a dictionary encoding; a dictionary of dictionaries has none.
fn coded<K: ArrowDictionaryKeyType + Debug>(
    array: &ArrayRef,
) -> Result<Option<Box<dyn Texts + Send>>> {
    let Some(array) = array.as_dictionary_opt::<K>() else { return Ok(None) };
    let values = match array.values() {
        values if values.data_type().is_integer() => match ids(values)? {
            Some(numbers) => Some(written(column(&numbers), values.len())?),
            None => None,
        },
        values => plain_texts(values),
    };
    Ok(values.map(|values| Box::new(Coded { codes: array.clone(), values }) as _))
}

/// Numbers in text.
fn written(numbers: IdColumn<'_>, rows: usize) -> Result<Box<dyn Texts + Send>> {
    let (mut texts, mut steps) = (Strings::default(), Steps::default());
    for row in 0..rows {
        steps.step()?;
        numbers.with_id(row as u32, |id| texts.push(id))?;
    }
    Ok(Box::new(texts))
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
    mut batches: ArrowArrayStreamReader,
    columns: [usize; 3],
    what: &str,
    mut on_batch: impl FnMut(&BatchColumns<'_>, &dyn Texts, Documents, ArrayRef) -> PyResult<()>,
) -> PyResult<()> {
    while let Some(batch) = sound(|| batches.next())? {
        interrupt::check().or_raise()?;
        let batch =
            batch.map_err(|e| fail(Kind::Type, format!("cannot read the Arrow stream: {e}")))?;
        let batch = BatchColumns { batch: &batch };
        let topics = batch.topics(columns[0])?;
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

/// What a part of Arrow's own code finds, which may panic where the structures of a producer
/// break Arrow's rules.
pub fn sound<T>(work: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| {
        let message = "expected sound Arrow data, found structures that break its rules";
        fail(Kind::Type, message)
    })
}

/// What reads the stream that an object exports by Arrow's PyCapsule interface.
fn reader(given: &Bound<'_, PyAny>) -> PyResult<ArrowArrayStreamReader> {
    if !given.hasattr("__arrow_c_stream__")? {
        let message = "Expected an object with dunder __arrow_c_stream__";
        return Err(PyValueError::new_err(message));
    }
    let capsule = given.call_method0("__arrow_c_stream__")?.cast_into::<PyCapsule>()?;
    let stream = capsule.pointer_checked(Some(c"arrow_array_stream"))?.cast();
    // SAFETY: by the interface a capsule of this name holds a stream, which is moved out of it:
    // one that is released stays there, so that neither the capsule nor a second reader uses it.
    let reader = unsafe { ArrowArrayStreamReader::from_raw(stream.as_ptr()) };
    reader.map_err(|error| PyValueError::new_err(error.to_string()))
}

/// A whole column of ids from Arrow.
fn column(documents: &Documents) -> IdColumn<'_> {
    match documents {
        Documents::Arrow(array) => integers(array),
        Documents::Text(texts) => IdColumn::Text(&**texts, 0),
        _ => IdColumn::I64(&[]),
    }
}

/// Judgments from a stream.
pub fn qrels_from_arrow(
    stream: ArrowArrayStreamReader,
    columns: [usize; 3],
    docs_in_collection: Option<u64>,
) -> PyResult<Qrels> {
    let mut builder = Builder::new(&[]);
    let (mut rows, mut steps) = (0, Steps::default());
    each_batch(stream, columns, "grade", |_, topics, documents, grades| {
        let (documents, scores) = (column(&documents), score_column(&grades));
        let list = ListArrays {
            documents,
            scores,
            ranks: None,
            padded: false,
            promise: Promise::default(),
        };
        list.each(|row, document, grade| -> Result<()> {
            steps.step()?;
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

/// The topics of a run in columns, each with its stretches of rows.
#[derive(Default)]
struct Stretches {
    topics: Vec<(Box<[u8]>, Vec<Rows>)>,
    index: HashMap<Box<[u8]>, usize>,
}

impl Stretches {
    /// Adds the rows of a part.
    fn add(&mut self, part: usize, ids: &dyn Texts, rows: usize) -> Result<()> {
        let (mut start, mut steps) = (0, Steps::default());
        for end in 1..=rows {
            steps.step()?;
            let topic = ids.text(start);
            if end < rows && ids.text(end) == topic {
                continue;
            }
            let position = match self.index.get(topic) {
                Some(&position) => position,
                None => self.new_topic(topic)?,
            };
            self.topics[position].1.push(Rows { columns: part, row: 0, start, end });
            start = end;
        }
        Ok(())
    }

    fn new_topic(&mut self, topic: &[u8]) -> Result<usize> {
        memory::room_for(2 * topic.len())?;
        self.index.insert(topic.into(), self.topics.len());
        self.topics.push((topic.into(), Vec::new()));
        Ok(self.topics.len() - 1)
    }
}

/// The rows of topics in pieces, copied together.
#[derive(Default)]
struct Together {
    documents: Strings,
    scores: Vec<f64>,
    ranks: Vec<f64>,
    steps: Steps,
}

impl Together {
    fn add(&mut self, part: &Columns, rows: Range<usize>) -> Result<()> {
        let ids = column(&part.documents);
        for row in rows.clone() {
            self.steps.step()?;
            ids.with_id(row as u32, |id| self.documents.push(id))?;
        }
        let all = self.scores.len() + rows.len();
        memory::reserve(&mut self.scores, all)?;
        memory::reserve(&mut self.ranks, all)?;
        match &part.scores {
            ColumnScores::Arrow(array) => {
                let values = score_column(array);
                self.scores.extend(rows.clone().map(|row| values.get(row)));
            }
            ColumnScores::Owned(own) => self.scores.extend_from_slice(&own[rows.clone()]),
            _ => {}
        }
        let rank = |row: usize| part.ranks.as_ref().map_or(f64::NAN, |ranks| ranks[row]);
        self.ranks.extend(rows.map(rank));
        Ok(())
    }
}

/// A run from a stream that says what documents cost, or which call they came from; as
/// [`run_from_arrow`], but in lines.
pub fn run_with_costs(
    stream: ArrowArrayStreamReader,
    [topic, document]: [usize; 2],
    [score, rank]: [Option<usize>; 2],
    costs: [Option<usize>; COSTS],
) -> PyResult<Run> {
    let Some(value) = score.or(rank) else {
        return Err(fail(Kind::Type, "expected a column of scores or ranks, found neither"));
    };
    let what = if score.is_none() { "rank" } else { "score" };
    let (mut found, mut steps) = (RunRows::default(), Steps::default());
    each_batch(stream, [topic, document, value], what, |batch, ids, documents, values| {
        let values = doubles(&values);
        let ranks = if score.is_none() { Some(values.clone()) } else { batch.ranks(rank)? };
        let mut columns = Vec::new();
        for (unit, place) in Unit::ALL.into_iter().zip(costs) {
            // A column of other things has no number for any row.
            let none = || vec![f64::NAN; values.len()];
            if place.is_some() {
                columns.push((unit, batch.ranks(place)?.unwrap_or_else(none)));
            }
        }
        let add = |row: usize, document: &[u8]| -> Result<()> {
            steps.step()?;
            let rank = ranks.as_ref().map_or(f64::NAN, |ranks| ranks[row]);
            if score.is_none() {
                check_rank(rank, document, ids.text(row))?;
            }
            let value = if score.is_none() { -rank } else { values[row] };
            found.add(ids.text(row), document, value, rank)?;
            for (unit, costs) in &columns {
                found.cost(*unit, costs[row]);
            }
            Ok(())
        };
        let (mut add, documents) = (add, column(&documents));
        (0..values.len())
            .try_for_each(|row| documents.with_id(row as u32, |document| add(row, document)))
            .or_raise()
    })?;
    Ok(found.run)
}

/// A run from a stream. Without a column of scores, the ranks decide the order.
pub fn run_from_arrow(
    stream: ArrowArrayStreamReader,
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
    let mut stretches = Stretches::default();
    each_batch(stream, columns, what, |batch, ids, documents, values| {
        let (scores, ranks) = if decides {
            let ranks = doubles(&values);
            for (row, &rank) in ranks.iter().enumerate() {
                let checked = column(&documents)
                    .with_id(row as u32, |document| check_rank(rank, document, ids.text(row)));
                checked.or_raise()?;
            }
            (ColumnScores::Owned(ranks.iter().map(|rank| -rank).collect()), Some(ranks))
        } else {
            (ColumnScores::Arrow(values), batch.ranks(rank)?)
        };
        stretches.add(parts.len(), ids, batch.batch.num_rows()).or_raise()?;
        parts.push(Columns { documents, scores, ranks, width: 0 });
        Ok(())
    })?;
    let mut together = Together::default();
    let mut topics = Vec::new();
    for (topic, pieces) in stretches.topics {
        let rows = if let [stretch] = pieces[..] {
            stretch
        } else {
            let start = together.scores.len();
            for piece in &pieces {
                together.add(&parts[piece.columns], piece.start..piece.end).or_raise()?;
            }
            Rows { columns: parts.len(), row: 0, start, end: together.scores.len() }
        };
        topics.push((topic, rows));
    }
    parts.push(Columns {
        documents: Documents::Text(Box::new(together.documents)),
        scores: ColumnScores::Owned(together.scores),
        ranks: Some(together.ranks),
        width: 0,
    });
    Ok(ColumnRun { check: Check::Full, ..ColumnRun::of(topics, parts) })
}

/// An Arrow stream and the positions of its columns, by a function of `cranfield._io.columns`
/// for those that are not named. An exception of other code becomes the cause of the error.
pub fn opened<const COLUMNS: usize>(
    given: &Bound<'_, PyAny>,
    find: &str,
    named: [Option<&str>; COLUMNS],
) -> PyResult<(ArrowArrayStreamReader, [Option<usize>; COLUMNS])> {
    let py = given.py();
    let columns = py.import("cranfield._io.columns")?;
    let mut arguments = Vec::new();
    for name in named {
        arguments.push(name.into_pyobject(py)?);
    }
    let names = PyTuple::new(py, arguments)?;
    let find = columns.getattr(find)?;
    // What Arrow's C interface hands over has no sizes of buffers, so pyarrow looks first.
    let sound_arrow = columns.call_method1("sound_arrow", (given, &find, &names));
    let stream = sound_arrow.and_then(|given| sound(|| reader(&given))?);
    let stream: ArrowArrayStreamReader = stream.map_err(|raised: PyErr| {
        let why = raised.to_string();
        instead(py, raised, || {
            fail(Kind::Type, format!("expected an Arrow stream, found none: {why}"))
        })
    })?;
    let schema = stream.schema();
    let fields: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    let arguments = PyTuple::new(py, [fields.into_pyobject(py)?.into_any()])?;
    let arguments = arguments.as_sequence().concat(names.as_sequence())?.to_tuple()?;
    let places = find.call1(arguments)?.extract()?;
    Ok((stream, places))
}
