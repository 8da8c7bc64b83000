//! Spans and chunks in files: TSV and CSV with a header, JSON Lines.

use std::borrow::Cow;

use super::gold::{Gold, GoldBuilder};
use super::list::{Chunk, ChunkOrder, ChunkRun, ChunkRunBuilder};
use crate::error::{Advice, Error, Kind, Result, nearest, quote};
use crate::interrupt::Steps;
use crate::numbers::number;
use crate::read::json::{Node, Object, Text, Value};
use crate::read::lines::LineReader;
use crate::read::tables::columns::plain_name;
use crate::read::tables::{Records, Role, content};
use crate::read::{Limits, Source};

/// What a column of spans can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Topics.
    Topic,
    /// Documents.
    Document,
    /// Where a span begins.
    Start,
    /// Where it ends.
    End,
    /// How long it is.
    Length,
    /// The first line of a part.
    FirstLine,
    /// Its last line.
    LastLine,
    /// The page that it is.
    Page,
    /// The grade of a span.
    Grade,
    /// The group of alternatives that it is in.
    Group,
    /// The score of a chunk.
    Score,
    /// Its rank.
    Rank,
    /// How many tokens it has.
    Tokens,
    /// What it costs.
    Cost,
    /// The call that returned it.
    Call,
    /// Its name.
    Chunk,
}

/// All of them, in the order of declaration.
const FIELDS: [Field; 16] = [
    Field::Topic,
    Field::Document,
    Field::Start,
    Field::End,
    Field::Length,
    Field::FirstLine,
    Field::LastLine,
    Field::Page,
    Field::Grade,
    Field::Group,
    Field::Score,
    Field::Rank,
    Field::Tokens,
    Field::Cost,
    Field::Call,
    Field::Chunk,
];

impl Field {
    /// The word for it in options and messages.
    fn name(self) -> &'static str {
        match self {
            Field::Topic => "topic",
            Field::Document => "doc",
            Field::Start => "start",
            Field::End => "end",
            Field::Length => "length",
            Field::FirstLine => "start_line",
            Field::LastLine => "end_line",
            Field::Page => "page",
            Field::Grade => "grade",
            Field::Group => "group",
            Field::Score => "score",
            Field::Rank => "rank",
            Field::Tokens => "tokens",
            Field::Cost => "cost",
            Field::Call => "call",
            Field::Chunk => "chunk",
        }
    }

    /// Whether a plain name is one of its usual names.
    fn is_called(self, name: &str) -> bool {
        let role = match self {
            Field::Topic => Some(Role::Topic),
            Field::Document => Some(Role::Document),
            Field::Score => Some(Role::Score),
            Field::Rank => Some(Role::Rank),
            // A score is none here.
            Field::Grade => return name != "score" && Role::Grade.usual().contains(&name),
            _ => None,
        };
        let more: &[&str] = match self {
            Field::Document => &["source", "source_id", "ref_doc_id", "file_name"],
            Field::Start => {
                &["start", "start_index", "start_char_idx", "split_idx_start", "begin", "offset"]
            }
            Field::End => &["end", "end_index", "end_char_idx"],
            Field::Tokens => &["tokens", "n_tokens", "token_count"],
            Field::Call => &["call", "hop", "step"],
            Field::Chunk => &["chunk", "chunk_id"],
            Field::Topic | Field::Score | Field::Rank => &[],
            _ => return name == self.name(),
        };
        more.contains(&name) || role.is_some_and(|role| role.usual().contains(&name))
    }

    /// What a column is, by its name or by what it is said to be.
    pub fn of(name: &str, given: &[(String, String)]) -> Option<Field> {
        if let Some((kind, _)) = given.iter().find(|(_, column)| column == name) {
            return FIELDS.into_iter().find(|field| field.name() == kind);
        }
        let plain = plain_name(name);
        let said = |field: Field| given.iter().any(|(kind, _)| kind == field.name());
        FIELDS.into_iter().find(|&field| field.is_called(&plain) && !said(field))
    }
}

/// The cells of a row, by [`Field`].
type Cells<'a> = [Option<Cow<'a, [u8]>>; FIELDS.len()];

/// What rows become.
enum Target {
    Gold(GoldBuilder),
    Run(ChunkRunBuilder),
    /// Chunks by name, as a run with a topic for each.
    Chunks(ChunkRunBuilder),
}

/// Reads rows under names of columns.
struct SpanRows<'g> {
    target: Target,
    given: &'g [(String, String)],
    /// What offsets count, once a row says so.
    unit: Option<&'static str>,
    steps: Steps,
}

/// An error, and which field of the row it is about.
pub(super) type Wrong = (Option<Field>, Error);

/// What text of a unit is called where nothing is said.
const CODEPOINTS: &str = "codepoints";

/// Reads judgments of spans. `given` has columns of other than the usual names: what they are,
/// and what they are called.
pub fn read_gold(source: Source, given: &[(String, String)], limits: &Limits) -> Result<Gold> {
    let mut rows = SpanRows::new(Target::Gold(GoldBuilder::default()), given);
    let name_of_file = source.name().to_string();
    rows.read(source, limits)?;
    let unit = rows.unit.unwrap_or(CODEPOINTS);
    let Target::Gold(builder) = rows.target else { return Ok(Gold::default()) };
    Ok(Gold { unit: unit.into(), ..builder.finish().map_err(|error| error.in_file(name_of_file))? })
}

/// Reads a run of chunks, in the same way.
pub fn read_run(
    source: Source,
    name: &str,
    order: ChunkOrder,
    given: &[(String, String)],
    limits: &Limits,
) -> Result<ChunkRun> {
    let mut rows = SpanRows::new(Target::Run(ChunkRunBuilder::default()), given);
    let name_of_file = source.name().to_string();
    rows.read(source, limits)?;
    let unit = rows.unit.unwrap_or(CODEPOINTS);
    let Target::Run(builder) = rows.target else { return Ok(ChunkRun::default()) };
    Ok(ChunkRun {
        unit: unit.into(),
        ..builder.finish(name, order).map_err(|error| error.in_file(name_of_file))?
    })
}

/// Reads where chunks are: a run with a topic for each chunk, called as it is.
pub fn read_chunks(
    source: Source,
    given: &[(String, String)],
    limits: &Limits,
) -> Result<ChunkRun> {
    let mut rows = SpanRows::new(Target::Chunks(ChunkRunBuilder::default()), given);
    rows.read(source, limits)?;
    let unit = rows.unit.unwrap_or(CODEPOINTS);
    let Target::Chunks(builder) = rows.target else { return Ok(ChunkRun::default()) };
    Ok(ChunkRun { unit: unit.into(), ..builder.finish("chunks", ChunkOrder::Rows)? })
}

impl<'g> SpanRows<'g> {
    fn new(target: Target, given: &'g [(String, String)]) -> Self {
        SpanRows { target, given, unit: None, steps: Steps::default() }
    }

    fn read(&mut self, mut source: Source, limits: &Limits) -> Result<()> {
        let name = source.name().to_string();
        let content = content(&mut source).map_err(|error| error.in_file(&name))?;
        self.read_content(&name, content, limits).map_err(|error| error.in_file(name))
    }

    fn read_content(&mut self, name: &str, content: Vec<u8>, limits: &Limits) -> Result<()> {
        let text = content.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&content).trim_ascii_start();
        if text.is_empty() {
            let message = "expected spans, found an empty file";
            return Err(Error::new(Kind::Empty, message));
        }
        if text.starts_with(b"[") {
            let text = Text::new(&content, 1)?;
            let Value::List(items) = text.parsed()?.value else { return Ok(()) };
            return items.iter().try_for_each(|item| self.add_object(&text, item));
        }
        let (head, is_json) = (text.split(|&byte| byte == b'\n').next(), text.starts_with(b"{"));
        let head = head.unwrap_or_default();
        let separator = if head.contains(&b'\t') { b'\t' } else { b',' };
        if !is_json && !head.contains(&separator) {
            let message = format!(
                "expected a header with columns between tabs or commas, or objects of JSON, found {}",
                quote(head)
            );
            return Err(Error::new(Kind::Fields, message).at_line(1));
        }
        let source = Source::from_reader(name, Box::new(std::io::Cursor::new(content)), limits)?;
        if !is_json {
            return self.add_records(Records::new(source, separator, limits));
        }
        let mut lines = LineReader::new(source, limits);
        loop {
            let number = lines.number() + 1;
            let Some(line) = lines.next_line()? else { return Ok(()) };
            if !line.trim_ascii().is_empty() {
                let text = Text::new(line, number)?;
                self.add_object(&text, &text.parsed()?)?;
            }
        }
    }

    fn add_records(&mut self, mut records: Records) -> Result<()> {
        records.more()?;
        let width = records.width();
        let names: Vec<String> = (0..width)
            .map(|place| String::from_utf8_lossy(records.field(place)).trim().to_string())
            .collect();
        let mut places: Vec<(usize, Field)> = Vec::new();
        for (place, name) in names.iter().enumerate() {
            let Some(field) = Field::of(name, self.given) else { continue };
            if let Some((first, _)) = places.iter().find(|(_, known)| *known == field) {
                // Of the usual names of documents several may be there; the first is meant.
                if plain_name(&names[*first]) != plain_name(name) {
                    continue;
                }
                let message = format!("expected one column {}, found two", field.name());
                return Err(Error::new(Kind::Duplicate, message).at_line(1));
            }
            places.push((place, field));
        }
        for (kind, column) in self.given {
            if !names.contains(column) {
                let message =
                    format!("expected a column {column} for {kind}, found {}", names.join(", "));
                return Err(Error::new(Kind::Fields, message).at_line(1));
            }
        }
        self.check(|field| places.iter().any(|(_, known)| *known == field), &names)
            .map_err(|error| error.at_line(1))?;
        while records.more()? {
            if records.width() == 0 {
                continue;
            }
            if records.width() != width {
                let found = records.width();
                let message = format!("expected {width} fields as in the header, found {found}");
                return Err(Error::new(Kind::Fields, message).at_line(records.line()));
            }
            let mut cells = Cells::default();
            for &(place, field) in &places {
                let text = records.field(place).trim_ascii();
                if !text.is_empty() {
                    cells[field as usize] = Some(Cow::Borrowed(text));
                }
            }
            self.add(&cells, records.line()).map_err(|(field, error)| {
                let place = places.iter().find(|(_, known)| Some(*known) == field);
                records.placed(error, place.map(|(place, _)| *place))
            })?;
        }
        Ok(())
    }

    /// An error if what every row needs is not there.
    fn check(&self, has: impl Fn(Field) -> bool, names: &[String]) -> Result<()> {
        let mut missing: Vec<&str> = Vec::new();
        let first =
            if matches!(self.target, Target::Chunks(_)) { Field::Chunk } else { Field::Topic };
        missing.extend((!has(first)).then(|| first.name()));
        missing.extend((!has(Field::Document)).then_some("doc"));
        let by_offset = has(Field::Start) && (has(Field::End) || has(Field::Length));
        let by_line = has(Field::FirstLine) && has(Field::LastLine);
        if !(by_offset || by_line || has(Field::Page)) {
            missing.extend((!has(Field::Start)).then_some("start"));
            missing.extend((!has(Field::End)).then_some("end (or length)"));
        }
        if missing.is_empty() {
            return Ok(());
        }
        let near = names.iter().find_map(|name| {
            let known = [
                "start",
                "start_index",
                "start_char_idx",
                "end",
                "end_index",
                "doc",
                "topic",
                "chunk_id",
            ];
            nearest(name, known.into_iter()).filter(|near| *near != name.as_str())
        });
        let near = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        let (missing, found) = (missing.join(", "), names.join(", "));
        Err(Error::for_each(Kind::Fields, |to| {
            let advice = to.advice(Advice::Columns);
            format!("expected columns for {missing}, found {found}{near}; {advice}")
        }))
    }

    /// Adds an object: a row, or a topic with its rows.
    fn add_object(&mut self, text: &Text<'_>, node: &Node<'_>) -> Result<()> {
        let line = text.line(node.place.start);
        let Value::Object(object) = &node.value else {
            let message = format!("expected an object, found {}", text.shown(node));
            return Err(Error::new(Kind::Type, message).at_line(line));
        };
        let shared = self.cells_of(text, object)?;
        let lists = object.iter().filter(|(key, value)| {
            LISTS.contains(&&**key) && matches!(value.value, Value::List(_))
        });
        let lists: Vec<&Node<'_>> = lists.map(|(_, value)| value).collect();
        if lists.is_empty() {
            return self.add_checked(&shared, line, object);
        }
        if let Some(topic) = &shared[Field::Topic as usize] {
            match &mut self.target {
                Target::Gold(builder) => builder.topic(topic).map(|_| ()),
                Target::Run(builder) => builder.topic(topic).map(|_| ()),
                Target::Chunks(_) => Ok(()),
            }?;
        }
        for list in lists {
            let Value::List(items) = &list.value else { continue };
            for item in items {
                let line = text.line(item.place.start);
                let Value::Object(inner) = &item.value else {
                    let message = format!(
                        "expected an object with doc, start and end, found {}",
                        text.shown(item)
                    );
                    return Err(Error::new(Kind::Type, message).at_line(line));
                };
                let mut cells = self.cells_of(text, inner)?;
                for (cell, shared) in cells.iter_mut().zip(&shared) {
                    if cell.is_none() {
                        cell.clone_from(shared);
                    }
                }
                self.add_checked(&cells, line, inner)?;
            }
        }
        Ok(())
    }

    fn add_checked(&mut self, cells: &Cells<'_>, line: u64, object: &Object<'_>) -> Result<()> {
        let names = || object.iter().map(|(key, _)| String::from_utf8_lossy(key).into_owned());
        self.check(|field| cells[field as usize].is_some(), &names().collect::<Vec<_>>())
            .and_then(|()| self.add(cells, line).map_err(|(_, error)| error))
            .map_err(|error| error.at_line(line))
    }

    fn cells_of<'a>(&self, text: &Text<'_>, object: &'a Object<'_>) -> Result<Cells<'a>> {
        let mut cells = Cells::default();
        for (key, node) in object {
            let Some(field) = Field::of(&String::from_utf8_lossy(key), self.given) else {
                continue;
            };
            let found = match &node.value {
                Value::Text(text) => Cow::Borrowed(&**text),
                Value::Number(digits) => Cow::Borrowed(digits.as_bytes()),
                Value::Null if matches!(field, Field::Start | Field::End) => {
                    return Err(without_offset(field, "null").at_line(text.line(node.place.start)));
                }
                Value::Null => continue,
                _ => {
                    let message = format!(
                        "expected text or a number as {}, found {}",
                        field.name(),
                        text.shown(node)
                    );
                    return Err(
                        Error::new(Kind::Type, message).at_line(text.line(node.place.start))
                    );
                }
            };
            if cells[field as usize].is_none() && !found.is_empty() {
                cells[field as usize] = Some(found);
            }
        }
        Ok(cells)
    }

    /// Adds a row.
    fn add(&mut self, cells: &Cells<'_>, line: u64) -> std::result::Result<(), Wrong> {
        self.steps.step().map_err(|error| (None, error))?;
        let cell = |field: Field| cells[field as usize].as_deref();
        let (span, unit) = span_of(&cell)?;
        match self.unit {
            Some(known) if known != unit => {
                let message = format!("expected offsets in one unit, found {known} and {unit}");
                return Err((None, Error::new(Kind::Needs, message)));
            }
            _ => self.unit = Some(unit),
        }
        let named = |field: Field| {
            cell(field).ok_or_else(|| {
                let message =
                    format!("expected a {} in each row, found an empty field", field.name());
                (Some(field), Error::new(Kind::Fields, message))
            })
        };
        let document = named(Field::Document)?;
        let value = |field: Field| cell(field).map(|text| finite(field, text)).transpose();
        let of_span = |error: Error| (Some(Field::End), error);
        if let Target::Gold(builder) = &mut self.target {
            let topic = named(Field::Topic)?;
            let grade = value(Field::Grade)?.unwrap_or(1.0);
            let added = builder.add(topic, document, span, grade, cell(Field::Group), line);
            return added.map_err(of_span);
        }
        let call = cell(Field::Call).map(|text| whole(Field::Call, text)).transpose()?;
        let chunk = Chunk {
            document: 0,
            start: 0,
            end: 0,
            call: call.map_or(1, |call| call.min(u64::from(u32::MAX)) as u32),
            score: value(Field::Score)?.unwrap_or(f64::NAN),
            tokens: amount(Field::Tokens, value(Field::Tokens)?)?,
            cost: amount(Field::Cost, value(Field::Cost)?)?,
        };
        let rank = value(Field::Rank)?;
        match &mut self.target {
            Target::Chunks(builder) => {
                let name = named(Field::Chunk)?;
                let before = builder.rows;
                let place = builder.topic(name).map_err(|error| (None, error))?;
                if (place as u64) < before {
                    let message = format!("the chunk {} is given twice", quote(name));
                    return Err((Some(Field::Chunk), Error::new(Kind::Duplicate, message)));
                }
                builder.add(name, document, span, rank, chunk).map_err(of_span)
            }
            Target::Run(builder) => {
                builder.add(named(Field::Topic)?, document, span, rank, chunk).map_err(of_span)
            }
            Target::Gold(_) => Ok(()),
        }
    }
}

/// What the rows of a topic are called in JSON.
const LISTS: [&[u8]; 9] = [
    b"evidence",
    b"spans",
    b"references",
    b"results",
    b"hits",
    b"chunks",
    b"retrieved",
    b"nodes",
    b"documents",
];

/// The span of a row and what its offsets count.
fn span_of<'a>(
    cell: &impl Fn(Field) -> Option<&'a [u8]>,
) -> std::result::Result<((u64, u64), &'static str), Wrong> {
    if let (None, Some(page)) = (cell(Field::Start), cell(Field::Page)) {
        let page = whole(Field::Page, page)?;
        return Ok(((page, page + 1), "pages"));
    }
    if let (None, Some(first), Some(last)) =
        (cell(Field::Start), cell(Field::FirstLine), cell(Field::LastLine))
    {
        // The last line is part of it.
        return Ok(((whole(Field::FirstLine, first)?, whole(Field::LastLine, last)? + 1), "lines"));
    }
    let empty = |field| (Some(field), without_offset(field, "nothing"));
    let start = whole(Field::Start, cell(Field::Start).ok_or_else(|| empty(Field::Start))?)?;
    let end = match (cell(Field::End), cell(Field::Length)) {
        (Some(end), _) => whole(Field::End, end)?,
        (None, Some(length)) => start + whole(Field::Length, length)?,
        (None, None) => return Err(empty(Field::End)),
    };
    Ok(((start, end), CODEPOINTS))
}

/// The error for a chunk that its splitter did not place.
#[cold]
pub fn without_offset(field: Field, found: &str) -> Error {
    let message = format!(
        "expected a whole number of at least 0 as {}, found {found}; LangChain's splitters write -1, and \
         LlamaIndex's nodes have None, where they could not find a chunk in its document: split with \
         add_start_index=True and without changing the text, or give the texts so that it is located",
        field.name()
    );
    Error::new(Kind::Number, message)
}

/// A whole number of at least 0.
pub(super) fn whole(field: Field, text: &[u8]) -> std::result::Result<u64, Wrong> {
    if text.len() < 19 && text.iter().all(u8::is_ascii_digit) {
        return Ok(text.iter().fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0')));
    }
    let known = number(text).filter(|known| known.fract() == 0.0 && *known >= 0.0);
    if let Some(known) = known {
        return Ok(known.min(1e18) as u64);
    }
    if matches!(field, Field::Start | Field::End) && matches!(text, b"-1" | b"-1.0" | b"None") {
        return Err((Some(field), without_offset(field, &String::from_utf8_lossy(text))));
    }
    let message =
        format!("expected a whole number of at least 0 as {}, found {}", field.name(), quote(text));
    Err((Some(field), Error::new(Kind::Number, message)))
}

/// A finite number.
pub(super) fn finite(field: Field, text: &[u8]) -> std::result::Result<f64, Wrong> {
    let found = number(text).filter(|found| found.is_finite());
    found.ok_or_else(|| {
        let message =
            format!("expected a finite number as {}, found {}", field.name(), quote(text));
        (Some(field), Error::new(Kind::Number, message))
    })
}

/// What a chunk costs, which is not less than nothing; NaN if nothing is said.
fn amount(field: Field, found: Option<f64>) -> std::result::Result<f64, Wrong> {
    match found {
        Some(found) if found < 0.0 => {
            let message =
                format!("expected a number of at least 0 as {}, found {found}", field.name());
            Err((Some(field), Error::new(Kind::Number, message)))
        }
        found => Ok(found.unwrap_or(f64::NAN)),
    }
}
