//! Files of scores that evaluators print: lines of fields, and CSV or TSV with a header.
//!
//! A file is taken apart to records: a run, a topic, a measure and a value, each with its line.
//! White space is what Python takes for it, since most of these files are written by Python.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use crate::error::{Error, Kind, Result};
use crate::grammar;
use crate::read::tables::Role;

/// What tables call all topics together.
pub const ALL: &[u8] = b"all";

/// What `trec_eval` prints that is text.
const TEXTS: [&[u8]; 2] = [b"runid", b"relstring"];

/// The usual names of columns of runs, measures and values; those of topics are a role's.
pub const RUN: [&str; 6] = ["run", "run_id", "runid", "system", "name", "tag"];
/// See [`RUN`].
pub const MEASURE: [&str; 3] = ["measure", "metric", "measure_id"];
/// See [`RUN`].
pub const VALUE: [&str; 2] = ["value", "score"];

/// What the numbers of rows are called that pandas writes beside a frame, and reads again.
pub const INDEX: [&str; 4] = ["", "Unnamed: 0", "__index_level_0__", "index"];

/// The first columns of what is written of groups of topics.
const GROUPED: [&str; 2] = ["group", "topics"];

/// The longest field of CSV, in characters.
const LONGEST_FIELD: usize = 131_072;

/// A line and its number.
pub type NumberedLine<'a> = (u64, &'a [u8]);

/// What a field holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ScoreField {
    Run,
    Topic,
    Measure,
    Value,
    Other(&'static str),
}

impl ScoreField {
    fn name(self) -> &'static str {
        match self {
            ScoreField::Run => "run",
            ScoreField::Topic => "topic",
            ScoreField::Measure => "measure",
            ScoreField::Value => "value",
            ScoreField::Other(name) => name,
        }
    }
}

/// The formats that are lines of fields, with what these are.
const FORMS: [(&str, &[ScoreField]); 5] = [
    ("trec_eval", &[ScoreField::Measure, ScoreField::Topic, ScoreField::Value]),
    ("ir_measures_cli", &[ScoreField::Topic, ScoreField::Measure, ScoreField::Value]),
    ("ir_measures", &[ScoreField::Run, ScoreField::Topic, ScoreField::Measure, ScoreField::Value]),
    ("tot", &[ScoreField::Run, ScoreField::Measure, ScoreField::Topic, ScoreField::Value]),
    (
        "ranking",
        &[
            ScoreField::Topic,
            ScoreField::Other("Q0"),
            ScoreField::Run,
            ScoreField::Other("rank"),
            ScoreField::Value,
            ScoreField::Measure,
        ],
    ),
];

type LineForm = (&'static str, &'static [ScoreField]);

fn place_in(form: LineForm, field: ScoreField) -> Option<usize> {
    form.1.iter().position(|own| *own == field)
}

/// A value with its labels, as they are written.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoreRecord {
    /// The number of its line.
    pub line: u64,
    /// The run.
    pub run: String,
    /// The topic.
    pub topic: Vec<u8>,
    /// The measure.
    pub measure: String,
    /// The number; none where a table has nothing.
    pub value: Option<Vec<u8>>,
    /// Whether the topic is one whatever it is called.
    pub is_of_topic: bool,
}

/// The records of a file, and the measures that were left out, in a sentence.
#[derive(Debug, Default)]
pub struct ScoreRecords {
    /// The records.
    pub records: Vec<ScoreRecord>,
    /// What was left out.
    pub left_out: Option<String>,
}

/// A file of scores, and what is known of it.
#[derive(Clone, Copy, Debug)]
pub struct ScoreFile<'a> {
    /// What its run is called where it names none.
    pub run: &'a str,
    /// Whether that is a name from its user.
    pub is_named: bool,
    /// Whether rows without topics sum up runs.
    pub sums_up: bool,
}

impl ScoreFile<'_> {
    /// An error (kind "option") if a run is named for a file that names its runs.
    pub fn reject_run(&self) -> Result<()> {
        if self.is_named {
            let message = "run= is for files that name no run, and this one does";
            return Err(Error::new(Kind::Option, message));
        }
        Ok(())
    }

    /// The records of lines of a format of this name, which is detected if there is none.
    pub fn of_lines(&self, lines: &[NumberedLine<'_>], form: Option<&str>) -> Result<ScoreRecords> {
        let rows = fields_of(lines);
        let known = FORMS.into_iter().find(|(name, _)| Some(*name) == form);
        let form = known.map_or_else(|| form_of(&rows), Ok)?;
        if let Some((number, fields)) = rows.iter().find(|row| row.1.len() != form.1.len()) {
            let names: Vec<&str> = form.1.iter().map(|field| field.name()).collect();
            let (names, width, found) = (names.join(" "), form.1.len(), fields.len());
            let message = format!("expected {width} fields ({names}), found {found}");
            return Err(Error::new(Kind::Fields, message).at_line(*number));
        }
        let place = |field| place_in(form, field).unwrap_or_default();
        let owners: Vec<String> = if place_in(form, ScoreField::Run).is_some() {
            self.reject_run()?;
            rows.iter().map(|(_, fields)| readable(fields[place(ScoreField::Run)])).collect()
        } else if form.0 == "trec_eval" {
            self.owners(&rows)?
        } else {
            vec![self.run.to_owned(); rows.len()]
        };
        let (topic, measure, value) =
            (place(ScoreField::Topic), place(ScoreField::Measure), place(ScoreField::Value));
        let cells = rows.iter().map(|(_, fields)| (fields[measure], fields[value]));
        let (texts, left_out) = texts_among(cells);
        let mut records: Vec<ScoreRecord> = owners
            .into_iter()
            .zip(&rows)
            .filter(|(_, (_, fields))| !texts.contains(fields[measure]))
            .map(|(run, (line, fields))| ScoreRecord {
                line: *line,
                run,
                topic: fields[topic].to_vec(),
                measure: readable(fields[measure]),
                value: Some(fields[value].to_vec()),
                is_of_topic: false,
            })
            .collect();
        // Of several outputs of one run, each has its summaries.
        if rows.iter().filter(|(_, fields)| fields[measure] == TEXTS[0]).count() == 1 {
            find_topic_all(&mut records);
        }
        Ok(ScoreRecords { records, left_out })
    }

    /// The run of each line of `trec_eval`'s output, of which a file may have several. Each of
    /// them ends with its summaries, among which is the `runid`.
    fn owners(&self, rows: &[(u64, Vec<&[u8]>)]) -> Result<Vec<String>> {
        let tags: BTreeSet<&[u8]> =
            rows.iter().filter(|row| row.1[0] == TEXTS[0]).map(|row| row.1[2]).collect();
        if tags.len() < 2 {
            let tag = tags.first().filter(|_| !self.is_named);
            let own = tag.map_or_else(|| self.run.to_owned(), |tag| readable(tag));
            return Ok(vec![own; rows.len()]);
        }
        self.reject_run()?;
        let mut owners: Vec<String> = Vec::with_capacity(rows.len());
        for (place, (number, fields)) in rows.iter().enumerate() {
            let follows = rows.get(place + 1).map(|row| row.1[1]);
            if follows.is_none_or(|topic| fields[1] == ALL && topic != ALL) {
                let output = &rows[owners.len()..=place];
                let mut own = output.iter().filter(|row| row.1[0] == TEXTS[0]);
                let (Some(tag), None) = (own.next(), own.next()) else {
                    let message =
                        "expected the summaries of a run with its runid at the end of its topics";
                    return Err(Error::new(Kind::Fields, message).at_line(*number));
                };
                let name = readable(tag.1[2]);
                owners.extend(std::iter::repeat_n(name, output.len()));
            }
        }
        Ok(owners)
    }

    /// The records of rows under a header: long, or with a column for each measure.
    pub fn of_table(&self, text: &[u8]) -> Result<ScoreRecords> {
        self.reject_run()?;
        let first = numbered_lines(text).first().map_or(&[][..], |line| line.1);
        let mut rows = CsvRows::new(text, delimiter_of(first), false);
        let mut found = None;
        while let Some(row) = next_row(&mut rows)? {
            if row.iter().any(|field| !field.is_empty()) {
                found = Some(row);
                break;
            }
        }
        let found = found.unwrap_or_default();
        let mut header: Vec<String> = found.iter().map(|field| readable(trimmed(field))).collect();
        let is_grouped = is_grouped(&header);
        if is_grouped {
            header.drain(..GROUPED.len());
        }
        let has_topics = header.iter().any(|name| is_of(name, Role::Topic.usual()));
        let is_summary = self.sums_up && !has_topics;
        if is_summary {
            header.push("topic".into());
        }
        let columns = score_columns(&header).map_err(|error| {
            Error::new(Kind::Fields, error.message().to_owned()).at_line(rows.line())
        })?;
        let mut cells = Vec::new();
        while let Some(row) = next_row(&mut rows)? {
            let Some(row) = own_row(row, is_grouped, is_summary) else { continue };
            if row.len() != header.len() {
                let without = usize::from(is_summary);
                let (wanted, found) = (header.len() - without, row.len() - without);
                let message = format!("expected {wanted} fields, found {found}");
                return Err(Error::new(Kind::Fields, message).at_line(rows.line()));
            }
            columns.add(&header, &row, rows.line(), &mut cells);
        }
        let known = cells.iter().filter(|cell| !cell.value.is_empty());
        let (texts, left_out) = texts_among(known.map(|cell| (&*cell.measure, &*cell.value)));
        let texts: HashSet<Vec<u8>> = texts.into_iter().map(<[u8]>::to_vec).collect();
        let kept = cells.into_iter().filter(|cell| !texts.contains(&cell.measure));
        let mut records: Vec<ScoreRecord> = kept.map(ScoreCell::record).collect();
        if !is_summary {
            find_topic_all(&mut records);
        }
        Ok(ScoreRecords { records, left_out })
    }
}

fn next_row(rows: &mut CsvRows<'_>) -> Result<Option<CsvRow>> {
    rows.next_row().map_err(|why| {
        Error::new(Kind::Fields, format!("expected rows of fields: {why}")).at_line(rows.line())
    })
}

/// A row of a table of all topics, with what is not written in it; none for any other.
fn own_row(mut row: Vec<Vec<u8>>, is_grouped: bool, is_summary: bool) -> Option<Vec<Vec<u8>>> {
    let group = row.first()?;
    if is_grouped {
        if group != ALL {
            return None;
        }
        row.drain(..GROUPED.len().min(row.len()));
    }
    if is_summary {
        row.push(ALL.to_vec());
    }
    Some(row)
}

/// A cell of a table.
struct ScoreCell {
    line: u64,
    run: Vec<u8>,
    topic: Vec<u8>,
    measure: Vec<u8>,
    value: Vec<u8>,
}

impl ScoreCell {
    fn record(self) -> ScoreRecord {
        ScoreRecord {
            line: self.line,
            run: readable(&self.run),
            topic: self.topic,
            measure: readable(&self.measure),
            value: Some(self.value).filter(|value| !value.is_empty()),
            is_of_topic: false,
        }
    }
}

/// Where the columns of a table are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoreColumns {
    /// That of runs.
    pub run: usize,
    /// That of topics.
    pub topic: usize,
    /// Those of measures and values; none if each measure has a column of its own.
    pub long: Option<(usize, usize)>,
}

impl ScoreColumns {
    fn add(&self, header: &[String], row: &[Vec<u8>], line: u64, cells: &mut Vec<ScoreCell>) {
        let cell = |measure: &[u8], value: usize| ScoreCell {
            line,
            run: row[self.run].clone(),
            topic: row[self.topic].clone(),
            measure: measure.to_vec(),
            value: row[value].clone(),
        };
        if let Some((measure, value)) = self.long {
            cells.push(cell(&row[measure], value));
            return;
        }
        for (place, label) in header.iter().enumerate() {
            let is_label = place == self.run || place == self.topic;
            if !is_label && !INDEX.contains(&&**label) && !is_beside(label, header) {
                cells.push(cell(label.as_bytes(), place));
            }
        }
    }
}

/// The columns of a table with these names; an error (kind "type") without runs or topics.
pub fn score_columns(names: &[String]) -> Result<ScoreColumns> {
    let lower: Vec<String> = names.iter().map(|name| name.to_lowercase()).collect();
    let place =
        |known: &[&str]| known.iter().find_map(|usual| lower.iter().position(|name| name == usual));
    let (run, topic) = (place(&RUN), place(Role::Topic.usual()));
    let (measure, value) = (place(&MEASURE), place(&VALUE));
    if let (Some(run), Some(topic)) = (run, topic)
        && measure.is_some() == value.is_some()
    {
        return Ok(ScoreColumns { run, topic, long: measure.zip(value) });
    }
    let found = if names.is_empty() { "none".into() } else { names.join(", ") };
    let mut message = format!("expected columns run, topic, measure and value, found {found}");
    if run.is_some() && topic.is_none() {
        message += "; cranfield eval --per-topic writes a row for each topic";
    }
    Err(Error::new(Kind::Type, message))
}

/// Whether a table has the scores of each group of topics, and of all topics.
pub fn is_grouped(names: &[String]) -> bool {
    names.len() >= GROUPED.len()
        && names.iter().zip(GROUPED).all(|(name, known)| name.to_lowercase() == known)
}

fn is_of(name: &str, known: &[&str]) -> bool {
    known.contains(&&*name.to_lowercase())
}

/// Whether a column belongs to that of a measure: its bounds, interval or tier.
fn is_beside(label: &str, header: &[String]) -> bool {
    label.match_indices(' ').any(|(end, _)| header.iter().any(|name| *name == label[..end]))
}

/// Whether a line names the columns of a table of scores.
pub fn is_header(line: &[u8]) -> bool {
    let delimiter = delimiter_of(line);
    let name = |field| readable(trimmed(field)).trim_matches('"').to_owned();
    let mut names: Vec<String> = line.split(|byte| *byte == delimiter).map(name).collect();
    if is_grouped(&names) {
        names.drain(..GROUPED.len());
    }
    if names.len() == 1 || !names.iter().any(|name| is_of(name, &RUN)) {
        return false;
    }
    // Without topics it is the header of summaries, unless the first line is `runid all name`.
    let own = || names[1..].iter().filter(|name| !is_beside(name, &names)).map(String::as_bytes);
    delimiter == b','
        || names.iter().any(|name| is_of(name, Role::Topic.usual()))
        || are_measures(own())
}

fn delimiter_of(line: &[u8]) -> u8 {
    if line.contains(&b'\t') { b'\t' } else { b',' }
}

/// Whether all labels name measures.
pub fn are_measures<'a>(labels: impl Iterator<Item = &'a [u8]>) -> bool {
    let mut seen = HashSet::new();
    labels
        .filter(|label| !TEXTS.contains(label))
        .filter(|label| seen.insert(*label))
        .all(|label| std::str::from_utf8(label).is_ok_and(|label| grammar::parse(label).is_ok()))
}

/// Whether all labels are integers.
pub fn are_integers<'a>(mut labels: impl Iterator<Item = &'a [u8]>) -> bool {
    labels.all(|label| {
        let text = std::str::from_utf8(label).unwrap_or_default();
        !text.is_empty() && text.chars().all(char::is_numeric)
    })
}

/// The format of lines: by how many fields they have, and what is in them.
fn form_of(rows: &[(u64, Vec<&[u8]>)]) -> Result<LineForm> {
    let Some((number, first)) = rows.first() else { return Ok(FORMS[0]) };
    let width = first.len();
    let forms: Vec<LineForm> = FORMS.into_iter().filter(|form| form.1.len() == width).collect();
    if forms.is_empty() {
        if width == 2 {
            let message = "expected the scores of topics, found lines of a measure and a value: a \
                           summary only";
            return Err(Error::new(Kind::Empty, message));
        }
        let message = format!("expected lines of 3, 4 or 6 fields, found {width}");
        return Err(Error::new(Kind::Fields, message).at_line(*number));
    }
    let last = || rows.iter().filter_map(|row| row.1.last().copied());
    if forms[0].0 == "ranking" && !are_measures(last()) {
        let message =
            "these lines look like a run, which read_run reads; say format=\"ranking\" if not";
        return Err(Error::new(Kind::Option, message));
    }
    if let [form] = forms[..] {
        return Ok(form);
    }
    let mut second = rows.iter().filter_map(|row| row.1.get(1));
    if width == 4 && second.all(|field| matches!(*field, b"0" | b"Q0")) {
        let message = "these lines look like judgments, which read_qrels reads; say \
                       format=\"ir_measures\" if not";
        return Err(Error::new(Kind::Option, message));
    }
    let column = |form: &LineForm, field: ScoreField| {
        let place = place_in(*form, field).unwrap_or_default();
        rows.iter().filter(|row| row.1.len() == width).map(move |row| row.1[place])
    };
    let has_all = |form: &LineForm| column(form, ScoreField::Topic).any(|topic| topic == ALL);
    let has_measures = |form: &LineForm| are_measures(column(form, ScoreField::Measure));
    let has_numbers = |form: &LineForm| are_integers(column(form, ScoreField::Topic));
    let matches: [&dyn Fn(&LineForm) -> bool; 3] = [&has_all, &has_measures, &has_numbers];
    for matches in matches {
        let found: Vec<&LineForm> = forms.iter().filter(|form| matches(form)).collect();
        if let [form] = found[..] {
            return Ok(*form);
        }
    }
    let known: Vec<String> = forms.iter().map(|form| format!("format=\"{}\"", form.0)).collect();
    let known = known.join(" or ");
    let message = format!("cannot tell which column holds topics and which measures; say {known}");
    Err(Error::new(Kind::Option, message))
}

/// The measures of which no value is a number, and what to say of them: they are texts, and left
/// out.
fn texts_among<'a>(
    cells: impl Iterator<Item = (&'a [u8], &'a [u8])>,
) -> (HashSet<&'a [u8]>, Option<String>) {
    let (mut order, mut numeric) = (Vec::new(), HashMap::new());
    for (measure, value) in cells {
        let known = numeric.entry(measure).or_insert_with(|| {
            order.push(measure);
            false
        });
        *known = *known || is_number(value);
    }
    order.retain(|measure| !numeric[measure]);
    let unusual: Vec<String> =
        order.iter().filter(|label| !TEXTS.contains(label)).map(|label| readable(label)).collect();
    let left_out = (!unusual.is_empty()).then(|| {
        let shown = unusual[..unusual.len().min(10)].join(" ");
        let more = unusual.len().saturating_sub(10);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("left out, no value is a number: {shown}{more}")
    });
    (order.into_iter().collect(), left_out)
}

/// Whether Python's `float` takes a text.
fn is_number(text: &[u8]) -> bool {
    let text = trimmed(text);
    let is_digit =
        |at: Option<usize>| at.and_then(|at| text.get(at)).is_some_and(u8::is_ascii_digit);
    let mut plain = Vec::with_capacity(text.len());
    for (at, byte) in text.iter().enumerate() {
        if *byte != b'_' {
            plain.push(*byte);
        } else if !is_digit(at.checked_sub(1)) || !is_digit(Some(at + 1)) {
            return false;
        }
    }
    std::str::from_utf8(&plain).is_ok_and(|text| text.parse::<f64>().is_ok())
}

/// Of a file, in which a topic may be called as its summaries are, the topic's record comes first.
pub fn find_topic_all(records: &mut [ScoreRecord]) {
    let sums = || -> HashMap<(String, String), u32> {
        let mut sums = HashMap::new();
        for record in records.iter().filter(|record| record.topic == ALL) {
            *sums.entry((record.run.clone(), record.measure.clone())).or_default() += 1;
        }
        sums
    };
    let mut sums = sums();
    for record in records.iter_mut().filter(|record| record.topic == ALL) {
        let key = (record.run.clone(), record.measure.clone());
        if let Some(count) = sums.get_mut(&key).filter(|count| **count == 2) {
            *count = 1;
            record.is_of_topic = true;
        }
    }
}

/// The lines that are not blank. Other characters at which Python splits may be in a label.
pub fn numbered_lines(text: &[u8]) -> Vec<NumberedLine<'_>> {
    let mut found = Vec::new();
    let (mut rest, mut number) = (text, 0);
    while !rest.is_empty() {
        let (line, behind) = first_line(rest);
        rest = behind;
        number += 1;
        if !words(line).is_empty() {
            found.push((number, line));
        }
    }
    found
}

/// The first line of a text without its end, and what is behind it.
fn first_line(text: &[u8]) -> (&[u8], &[u8]) {
    let Some(end) = memchr::memchr2(b'\n', b'\r', text) else { return (text, &[]) };
    let behind = if text[end..].starts_with(b"\r\n") { end + 2 } else { end + 1 };
    (&text[..end], &text[behind..])
}

/// The fields of lines: between tabs if all lines have as many of them, else between spaces.
fn fields_of<'a>(lines: &[NumberedLine<'a>]) -> Vec<(u64, Vec<&'a [u8]>)> {
    let tabs: BTreeSet<usize> =
        lines.iter().map(|(_, line)| memchr::memchr_iter(b'\t', line).count()).collect();
    let by_tabs = tabs.len() == 1 && !tabs.contains(&0);
    let fields = |line: &'a [u8]| -> Vec<&'a [u8]> {
        if by_tabs {
            return line.split(|byte| *byte == b'\t').map(trimmed).collect();
        }
        words(line).into_iter().map(|place| &line[place]).collect()
    };
    lines.iter().map(|(number, line)| (*number, fields(line))).collect()
}

/// Whether a character is white space to Python.
pub fn is_space(character: char) -> bool {
    character.is_whitespace() || ('\x1C'..='\x1F').contains(&character)
}

/// Where the words of a line are, between white space; bytes that are not UTF-8 are of a word.
fn words(line: &[u8]) -> Vec<Range<usize>> {
    let (mut found, mut start, mut at) = (Vec::new(), None, 0);
    for chunk in line.utf8_chunks() {
        for (offset, character) in chunk.valid().char_indices() {
            if !is_space(character) {
                start.get_or_insert(at + offset);
            } else if let Some(start) = start.take() {
                found.push(start..at + offset);
            }
        }
        at += chunk.valid().len();
        if !chunk.invalid().is_empty() {
            start.get_or_insert(at);
            at += chunk.invalid().len();
        }
    }
    found.extend(start.map(|start| start..line.len()));
    found
}

/// A text without the white space around it.
fn trimmed(text: &[u8]) -> &[u8] {
    let words = words(text);
    match (words.first(), words.last()) {
        (Some(first), Some(last)) => &text[first.start..last.end],
        _ => &[],
    }
}

/// A text in which each byte that is not UTF-8 is replaced.
pub fn readable(text: &[u8]) -> String {
    let mut found = String::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        found.push_str(chunk.valid());
        found.extend(std::iter::repeat_n(char::REPLACEMENT_CHARACTER, chunk.invalid().len()));
    }
    found
}

/// The fields of a row.
pub type CsvRow = Vec<Vec<u8>>;

/// The rows of CSV or TSV, read as Python's `csv` does: forgivingly, unless strictly.
pub struct CsvRows<'a> {
    rest: &'a [u8],
    delimiter: u8,
    is_strict: bool,
    line: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CsvState {
    Start,
    Plain,
    Quoted,
    /// Behind a quotation mark that ends the quoted part, unless another one follows.
    Closed,
}

impl<'a> CsvRows<'a> {
    /// The rows of a text.
    pub fn new(text: &'a [u8], delimiter: u8, is_strict: bool) -> Self {
        CsvRows { rest: text, delimiter, is_strict, line: 0 }
    }

    /// The number of the line read last.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The next row, without fields if its line is empty, or what is wrong with it.
    pub fn next_row(&mut self) -> std::result::Result<Option<CsvRow>, String> {
        let (mut row, mut field, mut state) = (CsvRow::new(), Vec::new(), CsvState::Start);
        if self.rest.is_empty() {
            return Ok(None);
        }
        while !self.rest.is_empty() {
            let before = self.rest;
            let (line, behind) = first_line(before);
            self.rest = behind;
            self.line += 1;
            if line.is_empty() && row.is_empty() && state == CsvState::Start {
                return Ok(Some(row));
            }
            for &byte in line {
                state = self.step(byte, state, &mut field, &mut row)?;
            }
            let is_long =
                |one: &Vec<u8>| one.len() > LONGEST_FIELD && characters(one) > LONGEST_FIELD;
            if is_long(&field) || row.iter().any(is_long) {
                return Err(format!("field larger than field limit ({LONGEST_FIELD})"));
            }
            if state != CsvState::Quoted {
                break;
            }
            field.extend_from_slice(&before[line.len()..before.len() - behind.len()]);
        }
        if self.is_strict && state == CsvState::Quoted {
            return Err("unexpected end of data".into());
        }
        row.push(field);
        Ok(Some(row))
    }

    fn step(
        &self,
        byte: u8,
        state: CsvState,
        field: &mut Vec<u8>,
        row: &mut CsvRow,
    ) -> std::result::Result<CsvState, String> {
        Ok(match (state, byte) {
            (CsvState::Start, b'"') => CsvState::Quoted,
            (CsvState::Quoted, b'"') => CsvState::Closed,
            (CsvState::Start | CsvState::Plain | CsvState::Closed, _) if byte == self.delimiter => {
                row.push(std::mem::take(field));
                CsvState::Start
            }
            (CsvState::Closed, b'"') | (CsvState::Quoted, _) => {
                field.push(byte);
                CsvState::Quoted
            }
            (CsvState::Closed, _) if self.is_strict => {
                return Err(format!("'{}' expected after '\"'", char::from(self.delimiter)));
            }
            (CsvState::Start | CsvState::Plain | CsvState::Closed, _) => {
                field.push(byte);
                CsvState::Plain
            }
        })
    }
}

fn characters(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte & 0xC0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: ScoreFile<'_> = ScoreFile { run: "own", is_named: false, sums_up: false };

    fn shown(found: Result<ScoreRecords>) -> Vec<String> {
        let text = |bytes: &[u8]| readable(bytes);
        let records = found.unwrap().records.into_iter().map(|one| {
            let value = one.value.map_or("-".into(), |value| text(&value));
            let mark = if one.is_of_topic { "!" } else { "" };
            format!("{} {} {}{mark} {} {value}", one.line, one.run, text(&one.topic), one.measure)
        });
        records.collect()
    }

    fn lines(text: &str) -> Result<ScoreRecords> {
        FILE.of_lines(&numbered_lines(text.as_bytes()), None)
    }

    #[test]
    fn lines_are_told_apart_by_their_fields() {
        assert_eq!(shown(lines("map\t1\t.5\n\nrunid\tall\tx\n")), ["1 x 1 map .5"]);
        assert_eq!(shown(lines("1 map .5\r2 map .6\n")), ["1 own 1 map .5", "2 own 2 map .6"]);
        assert_eq!(shown(lines("r 1 map .5\r\nr all map .6")), ["1 r 1 map .5", "2 r all map .6"]);
        assert_eq!(shown(lines("r map 1 .5")), ["1 r 1 map .5"]);
        assert_eq!(shown(lines("1 Q0 r 3 .5 map")), ["1 r 1 map .5"]);
        let twice = "map all .5\nmap z 1\nrunid all x\nmap all .75\n";
        assert_eq!(shown(lines(twice)), ["1 x all! map .5", "2 x z map 1", "4 x all map .75"]);
    }

    #[test]
    fn what_cannot_be_told_apart_is_an_error() {
        let kind = |text| lines(text).unwrap_err().kind();
        assert_eq!(kind("map .5"), Kind::Empty);
        assert_eq!(kind("a b c d e"), Kind::Fields);
        assert_eq!(kind("one two three"), Kind::Option);
        assert_eq!(kind("1 0 d 1"), Kind::Option);
        assert_eq!(kind("1 Q0 d 1 2 tag"), Kind::Option);
        let error = lines("r 1 map .5\nr 2 map").unwrap_err();
        assert_eq!(
            error.to_string(),
            "line 2: expected 4 fields (run topic measure value), found 3"
        );
    }

    #[test]
    fn rows_are_read_as_python_reads_them() {
        let text = b"a,\"b\"\"c\r\nd\"x,e\"f\n\n\"\n";
        let mut rows = CsvRows::new(text, b',', false);
        let row = rows.next_row().unwrap().unwrap();
        assert_eq!(row, [&b"a"[..], b"b\"c\r\ndx", b"e\"f"]);
        assert_eq!((rows.line(), rows.next_row().unwrap()), (2, Some(Vec::new())));
        assert_eq!(rows.next_row().unwrap().unwrap(), [b"\n"]);
        assert_eq!(rows.next_row().unwrap(), None);
        let why = |text: &[u8]| CsvRows::new(text, b',', true).next_row().unwrap_err();
        assert_eq!(why(b"\"a\"b"), "',' expected after '\"'");
        assert_eq!(why(b"\"a"), "unexpected end of data");
    }

    #[test]
    fn tables_are_long_or_wide() {
        let table = |text: &str| shown(FILE.of_table(text.as_bytes()));
        assert_eq!(table("run,topic,measure,value\nr,1,AP,\n"), ["2 r 1 AP -"]);
        assert_eq!(table("run\ttopic\tAP\tAP low\nr\t1\t.5\t.4\n"), ["2 r 1 AP .5"]);
        let grouped = "group,topics,run,topic,AP\na,2,r,1,.4\nall,3,r,1,.5\n";
        assert_eq!(table(grouped), ["3 r 1 AP .5"]);
        let sums = ScoreFile { sums_up: true, ..FILE };
        assert_eq!(shown(sums.of_table(b"run,AP\nr,.5\n")), ["2 r all AP .5"]);
        assert!(is_header(b"run,AP") && is_header(b"run\tAP") && !is_header(b"runid\tall\tx"));
    }

    #[test]
    fn measures_without_a_number_are_left_out() {
        let found = lines("r 1 AP 1_0\nr 1 color red\nr all AP 1\n").unwrap();
        assert_eq!(found.left_out.unwrap(), "left out, no value is a number: color");
        assert_eq!(found.records.len(), 2);
        for (text, is_one) in [("1_0", true), ("_1", false), (" nan ", true), ("1__0", false)] {
            assert_eq!(is_number(text.as_bytes()), is_one, "{text}");
        }
    }

    #[test]
    fn odd_bytes_and_spaces_stay_in_labels() {
        assert_eq!(words(b"a\xFF\xA0b \xC2\xA0c\x1Cd").len(), 3);
        assert_eq!(readable(b"\xFFa\xC3"), "\u{FFFD}a\u{FFFD}");
        assert_eq!(trimmed(b" \xFF "), b"\xFF");
    }
}
