//! Tables as text: CSV, TSV, JSON and JSON Lines to runs and judgments.
//!
//! `columns` knows what columns are called, `form` how each form begins; `separated` and
//! `objects` read rows, of which `rows` makes runs and judgments.

pub mod columns;
mod form;
mod objects;
pub mod rows;
mod separated;

use std::collections::HashSet;

use crate::error::{Error, Kind, Result};
use crate::memory;
use crate::qrels::Qrels;
use crate::rank::Run;
use crate::read::json::Text;
use crate::read::lines::LineReader;
use crate::read::{Limits, Source};

pub use columns::{Given, Role};
pub use form::form_of;
use objects::Objects;
use rows::Rows;
use separated::Separated;

/// The fields of a table with a header, row by row, whatever its columns are called.
pub struct Records(Separated);

impl Records {
    /// The fields of what is separated by a byte.
    pub fn new(source: Source, separator: u8, limits: &Limits) -> Self {
        Records(Separated::new(source, separator, &Vec::new(), Role::Score, limits))
    }

    /// Reads the next row; whether there was one. A blank line is a row without fields.
    pub fn more(&mut self) -> Result<bool> {
        self.0.next_record()
    }

    /// How many fields the row has.
    pub fn width(&self) -> usize {
        self.0.width()
    }

    /// A field of the row.
    pub fn field(&self, place: usize) -> &[u8] {
        self.0.field(place)
    }

    /// The number of its line.
    pub fn line(&self) -> u64 {
        self.0.line()
    }

    /// An error where a field of the row stands.
    pub fn placed(&self, error: Error, field: Option<usize>) -> Error {
        match field {
            Some(field) => self.0.placed(error, field),
            None => error.at_line(self.line()),
        }
    }
}

/// How many rows of whole topics are handed over at a time.
const AT_ONCE: usize = if cfg!(fuzzing) { 2 } else { 1 << 12 };

/// After how many rows without a run a table has no column of runs.
const WITHOUT_RUNS: usize = 1 << 16;

/// How much of a document is read at a time.
const CHUNK: usize = 1 << 20;

/// A table in one of the forms that are text, read once.
pub struct TextTable {
    reader: Reader,
    rows: Rows,
}

/// What reads rows.
enum Reader {
    Separated(Separated),
    Lines(LineReader, Objects),
    /// A document of JSON, until it is read.
    Document(Option<Source>, Objects),
}

impl TextTable {
    /// A table in a form, as `run_layout` calls it, with the scores or grades of documents. None
    /// for a form that is no text.
    pub fn new(
        source: Source,
        form: &str,
        given: &Given,
        value: Role,
        limits: &Limits,
    ) -> Option<Self> {
        let separated = |source, separator| {
            Reader::Separated(Separated::new(source, separator, given, value, limits))
        };
        let reader = match form {
            "csv" => separated(source, b','),
            "tsv" => separated(source, b'\t'),
            "json" => Reader::Document(Some(source), Objects::new(given, value)),
            "jsonl" => Reader::Lines(LineReader::new(source, limits), Objects::new(given, value)),
            _ => return None,
        };
        Some(TextTable { reader, rows: Rows::default() })
    }

    /// The same of one of the runs in its column of runs.
    #[must_use]
    pub fn of_run(mut self, run: Option<Vec<u8>>) -> Self {
        self.rows.selected = run;
        self
    }

    /// Reads on; whether there was more.
    fn more(&mut self) -> Result<bool> {
        match &mut self.reader {
            Reader::Separated(separated) => separated.more(&mut self.rows),
            Reader::Lines(lines, objects) => loop {
                let number = lines.number() + 1;
                let Some(line) = lines.next_line()? else { return Ok(false) };
                if !line.trim_ascii().is_empty() {
                    objects.add_line(&Text::new(line, number)?, &mut self.rows)?;
                    return Ok(true);
                }
            },
            Reader::Document(source, objects) => {
                let Some(mut source) = source.take() else { return Ok(false) };
                let content = content(&mut source)?;
                objects.add_document(&Text::new(&content, 1)?, &mut self.rows)?;
                Ok(true)
            }
        }
    }

    /// A run of the next whole topics, if the rows of each topic stand together; none at the end.
    pub fn next_topics(&mut self) -> Result<Option<Run>> {
        while self.rows.before_last_topic() < AT_ONCE {
            if !self.more()? {
                return self.run_of_rows();
            }
        }
        self.rows.take_whole_topics()?.run().map(Some)
    }

    /// The whole run; none without a row.
    pub fn run(&mut self) -> Result<Option<Run>> {
        while self.more()? {}
        self.run_of_rows()
    }

    fn run_of_rows(&mut self) -> Result<Option<Run>> {
        let rows = std::mem::take(&mut self.rows);
        (rows.len() > 0).then(|| rows.run()).transpose()
    }

    /// The judgments; none without a row.
    pub fn judgments(&mut self, docs_in_collection: Option<u64>) -> Result<Option<Qrels>> {
        while self.more()? {}
        let rows = &self.rows;
        (rows.len() > 0).then(|| rows.judgments(docs_in_collection)).transpose()
    }

    /// The runs in the column of runs, in the order of the rows; none without such a column, for
    /// the sake of which no file is read to its end.
    pub fn run_names(&mut self) -> Result<Vec<Vec<u8>>> {
        let (mut all, mut named) = (0, 0);
        let mut names = Vec::new();
        let mut known = HashSet::new();
        while (named > 0 || all < WITHOUT_RUNS) && self.more()? {
            all += self.rows.len();
            for run in self.rows.runs() {
                named += 1;
                if !known.contains(run) {
                    known.insert(run.to_vec());
                    names.push(run.to_vec());
                }
            }
            self.rows.clear();
        }
        if named > 0 && named < all {
            let message = "expected a run in every row or in none, found both";
            return Err(Error::new(Kind::Fields, message));
        }
        Ok(names)
    }
}

/// All bytes of a source.
pub(crate) fn content(source: &mut Source) -> Result<Vec<u8>> {
    let mut content = Vec::new();
    loop {
        let filled = content.len();
        memory::reserve(&mut content, filled + CHUNK)?;
        content.resize(filled + CHUNK, 0);
        let read = source.read(&mut content[filled..])?;
        content.truncate(filled + read);
        if read == 0 {
            return Ok(content);
        }
    }
}
