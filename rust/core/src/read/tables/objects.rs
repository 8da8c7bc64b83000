//! The rows of JSON: of objects, each of a document or of a topic with its results, and of
//! nested objects by topic.

use std::borrow::Cow;

use super::columns::COSTS;
use super::columns::{Given, Places, Role, check, listed, places_there};
use super::form::RESULTS;
use super::rows::{Row, Rows};
use crate::costs::Unit;
use crate::error::{Error, Kind, Result, quote};
use crate::read::json::{Node, Object, Text, Value};

/// Turns objects of JSON into rows.
pub(super) struct Objects {
    given: Vec<(Role, String)>,
    value: Role,
    known: KnownKeys,
    /// Whether topics are text, and whether documents are, once there are any.
    are_texts: [Option<bool>; 2],
}

/// The keys of the object that came last, and what they are: most objects have the same.
#[derive(Default)]
struct KnownKeys {
    keys: Vec<Vec<u8>>,
    places: Places,
}

/// The topic and the run of some hits.
#[derive(Clone, Copy)]
struct Of<'a> {
    topic: &'a [u8],
    run: Option<&'a [u8]>,
}

impl Objects {
    pub(super) fn new(given: &Given, value: Role) -> Self {
        Objects { given: given.to_vec(), value, known: KnownKeys::default(), are_texts: [None; 2] }
    }

    /// Adds the object of a line: a document of a topic, or a topic with its results.
    pub(super) fn add_line(&mut self, text: &Text<'_>, rows: &mut Rows) -> Result<()> {
        let node = text.parsed()?;
        let Value::Object(record) = &node.value else {
            let found = text.shown(&node);
            let message = format!("expected an object on each line, found {found}");
            return Err(wrong(text, &node, message));
        };
        self.add(text, &node, record, rows)
    }

    /// Adds what one document of JSON holds: {topic: {doc: score}}, {run: {topic: {doc: score}}},
    /// a list of objects, {topic: [hit, ...]}, or one object with the results of a topic.
    pub(super) fn add_document(&mut self, text: &Text<'_>, rows: &mut Rows) -> Result<()> {
        let node = text.parsed()?;
        match &node.value {
            Value::List(records) => records.iter().try_for_each(|record| {
                if let Value::Object(object) = &record.value {
                    return self.add(text, record, object, rows);
                }
                let found = text.shown(record);
                Err(wrong(text, record, format!("expected a list of objects, found {found}")))
            }),
            Value::Object(content) if self.is_record(content)? => {
                self.add(text, &node, content, rows)
            }
            Value::Object(content) if self.value == Role::Score && is_deep(content) => content
                .iter()
                .try_for_each(|(run, topics)| self.add_topics(text, topics, Some(run), rows)),
            Value::Object(_) => self.add_topics(text, &node, None, rows),
            _ => {
                let found = text.shown(&node);
                let message = format!("expected an object or a list, found {found}");
                Err(wrong(text, &node, message))
            }
        }
    }

    /// Whether an object is a record: one that names its topic.
    fn is_record(&mut self, object: &Object<'_>) -> Result<bool> {
        let topic = self.places(object)?[Role::Topic as usize];
        let is_nested = |at: usize| matches!(object[at].1.value, Value::List(_) | Value::Object(_));
        Ok(topic.is_some_and(|at| !is_nested(at)))
    }

    /// The places of what is wanted among the keys of an object.
    fn places(&mut self, object: &Object<'_>) -> Result<Places> {
        let KnownKeys { keys, places } = &self.known;
        let mut pairs = keys.iter().zip(object);
        if keys.len() == object.len() && pairs.all(|(known, (key, _))| **known == **key) {
            return Ok(*places);
        }
        let places = places_there(&names(object), &self.given, self.value)?;
        let keys = object.iter().map(|(key, _)| key.to_vec()).collect();
        self.known = KnownKeys { keys, places };
        Ok(places)
    }

    /// Adds {topic: {doc: value}} or {topic: [hit, ...]}.
    fn add_topics(
        &mut self,
        text: &Text<'_>,
        topics: &Node<'_>,
        run: Option<&[u8]>,
        rows: &mut Rows,
    ) -> Result<()> {
        let Value::Object(by_topic) = &topics.value else {
            let (run, found) = (quote(run.unwrap_or_default()), text.shown(topics));
            let message = format!("expected {{topic: ...}} for run {run}, found {found}");
            return Err(wrong(text, topics, message));
        };
        for (topic, hits) in by_topic {
            let of = Of { topic: self.key(text, hits, topic, Role::Topic)?, run };
            match &hits.value {
                Value::Object(values) => self.add_values(text, of, values, rows)?,
                Value::List(list) => self.add_hits(text, of, list, rows)?,
                _ => {
                    let (what, topic) = (self.value.name(), quote(topic));
                    let found = text.shown(hits);
                    let message = format!(
                        "expected {{document: {what}}} or a list of hits for topic {topic}, found {found}"
                    );
                    return Err(wrong(text, hits, message));
                }
            }
        }
        Ok(())
    }

    /// Adds an object: a document of a topic, or a topic with its results.
    fn add(
        &mut self,
        text: &Text<'_>,
        node: &Node<'_>,
        record: &Object<'_>,
        rows: &mut Rows,
    ) -> Result<()> {
        let is_list = |(key, found): &&(Cow<'_, [u8]>, Node<'_>), wanted: &[u8]| {
            **key == *wanted && matches!(found.value, Value::List(_) | Value::Object(_))
        };
        let results =
            RESULTS.iter().find_map(|wanted| record.iter().find(|item| is_list(item, wanted)));
        let Some((called, results)) = results else {
            return self.add_hit(text, None, node, record, rows);
        };
        let places = self.places(record)?;
        let Some(topic) = places[Role::Topic as usize] else {
            let (called, there) = (String::from_utf8_lossy(called), listed(&names(record)));
            let message = format!("expected a topic beside {called}, found {there}");
            return Err(wrong(text, node, message));
        };
        let topic = self.label(text, &record[topic].1, Role::Topic)?;
        let run = places[Role::Run as usize].map(|run| run_name(text, &record[run].1));
        let run = run.transpose()?.flatten();
        let of = Of { topic: &topic, run: run.as_deref() };
        match &results.value {
            Value::Object(values) => self.add_values(text, of, values, rows),
            Value::List(hits) => self.add_hits(text, of, hits, rows),
            _ => Ok(()),
        }
    }

    /// Adds {doc: value} of a topic.
    fn add_values(
        &mut self,
        text: &Text<'_>,
        of: Of<'_>,
        values: &Object<'_>,
        rows: &mut Rows,
    ) -> Result<()> {
        for (document, value) in values {
            let document = self.key(text, value, document, Role::Document)?;
            self.add_value(text, of, document, value, rows)?;
        }
        Ok(())
    }

    fn add_value(
        &self,
        text: &Text<'_>,
        Of { topic, run }: Of<'_>,
        document: &[u8],
        value: &Node<'_>,
        rows: &mut Rows,
    ) -> Result<()> {
        let line = text.line(value.place.start);
        let value = Some(number_as(self.value, text, value, topic, document)?);
        rows.add(Row { topic, document, run, value, rank: None, costs: [None; COSTS], line })
    }

    /// Adds the hits of a topic: objects, pairs, or documents in the order of their ranks.
    fn add_hits(
        &mut self,
        text: &Text<'_>,
        of: Of<'_>,
        hits: &[Node<'_>],
        rows: &mut Rows,
    ) -> Result<()> {
        for (place, hit) in hits.iter().enumerate() {
            match &hit.value {
                Value::Object(object) => self.add_hit(text, Some(of), hit, object, rows)?,
                Value::List(pair) if pair.len() == 2 => {
                    let document = self.label(text, &pair[0], Role::Document)?;
                    self.add_value(text, of, &document, &pair[1], rows)?;
                }
                Value::Text(_) | Value::Number(_) if is_id(hit) => {
                    let document = self.label(text, hit, Role::Document)?;
                    let line = text.line(hit.place.start);
                    // Only listed, a document has the grade 1, or a rank.
                    let (value, rank) = match self.value {
                        Role::Grade => (Some(1.0), None),
                        _ => (None, Some((place + 1) as f64)),
                    };
                    let Of { topic, run } = of;
                    let costs = [None; COSTS];
                    rows.add(Row { topic, document: &document, run, value, rank, costs, line })?;
                }
                _ => {
                    let (what, topic) = (self.value.name(), quote(of.topic));
                    let found = text.shown(hit);
                    let message = format!(
                        "expected hits as objects, as [document, {what}] or as documents for topic {topic}, found {found}"
                    );
                    return Err(wrong(text, hit, message));
                }
            }
        }
        Ok(())
    }

    /// Adds one hit; it may name its topic itself.
    fn add_hit(
        &mut self,
        text: &Text<'_>,
        of: Option<Of<'_>>,
        node: &Node<'_>,
        hit: &Object<'_>,
        rows: &mut Rows,
    ) -> Result<()> {
        let places = self.places(hit)?;
        let named = |role: Role| places[role as usize].map(|at| &hit[at].1);
        let by_id = || hit.iter().find(|(key, found)| **key == *b"id" && is_id(found));
        let document = named(Role::Document)
            .or_else(|| of.and_then(|_| by_id()).map(|(_, document)| document));
        let has = |role: Role| match role {
            Role::Topic => of.is_some() || named(role).is_some(),
            Role::Document => document.is_some(),
            _ => named(role).is_some(),
        };
        let line = text.line(node.place.start);
        check(has, &names(hit), &[], self.value).map_err(|error| error.at_line(line))?;
        let topic = match (of, named(Role::Topic)) {
            (Some(of), _) => Cow::Borrowed(of.topic),
            (None, Some(topic)) => self.label(text, topic, Role::Topic)?,
            (None, None) => Cow::default(),
        };
        let document =
            document.map(|document| self.label(text, document, Role::Document)).transpose()?;
        let document = document.unwrap_or_default();
        let own = named(Role::Run).map(|run| run_name(text, run)).transpose()?.flatten();
        let run = match named(Role::Run) {
            Some(_) => own.as_deref(),
            None => of.and_then(|of| of.run),
        };
        let number = |role: Role, node| number_as(role, text, node, &topic, &document);
        let value = named(self.value).map(|value| number(self.value, value)).transpose()?;
        let rank = match (named(Role::Rank), value) {
            (None, _) => None,
            (Some(rank), None) => Some(number(Role::Rank, rank)?),
            // Beside a score one that is no number is left out.
            (Some(rank), Some(_)) => Some(number(Role::Rank, rank).unwrap_or(f64::NAN)),
        };
        let costs = Unit::ALL.map(|unit| named(Role::of(unit)).map(any_number));
        rows.add(Row { topic: &topic, document: &document, run, value, rank, costs, line })
    }

    /// A topic or a document as text: a text that is not empty, or a whole number. An error if
    /// there were others before: 1 and "1" would become one document.
    fn label<'n>(
        &mut self,
        text: &Text<'_>,
        node: &'n Node<'_>,
        role: Role,
    ) -> Result<Cow<'n, [u8]>> {
        match &node.value {
            Value::Text(label) => self.key(text, node, label, role).map(Cow::Borrowed),
            Value::Number(digits) if is_id(node) => {
                self.expect(text, node, role, false)?;
                Ok(Cow::Borrowed(if *digits == "-0" { b"0" } else { digits.as_bytes() }))
            }
            _ => {
                let (what, found) = (name_of(role), text.shown(node));
                let message = format!("expected text or a whole number as {what}, found {found}");
                Err(Error::new(Kind::Type, message).at_line(text.line(node.place.start)))
            }
        }
    }

    /// A topic or a document that is text; `node` is where an error is.
    fn key<'n>(
        &mut self,
        text: &Text<'_>,
        node: &Node<'_>,
        label: &'n [u8],
        role: Role,
    ) -> Result<&'n [u8]> {
        if label.is_empty() {
            let message = "expected a topic and a document for each score, found an empty text";
            return Err(wrong(text, node, message));
        }
        if has_half_pair(label) {
            let message = format!("expected an id that is text, found {}", quote(label));
            return Err(Error::new(Kind::Type, message).at_line(text.line(node.place.start)));
        }
        self.expect(text, node, role, true)?;
        Ok(label)
    }

    fn expect(
        &mut self,
        text: &Text<'_>,
        node: &Node<'_>,
        role: Role,
        is_text: bool,
    ) -> Result<()> {
        let known = self.are_texts[role as usize].get_or_insert(is_text);
        if *known == is_text {
            return Ok(());
        }
        let found = text.shown(node);
        let message =
            format!("expected ids that are all text or all whole numbers, found both: {found}");
        Err(Error::new(Kind::Type, message).at_line(text.line(node.place.start)))
    }
}

#[cold]
fn wrong(text: &Text<'_>, node: &Node<'_>, message: impl Into<String>) -> Error {
    Error::new(Kind::Fields, message).at_line(text.line(node.place.start))
}

/// What messages call a topic or a document.
fn name_of(role: Role) -> &'static str {
    if role == Role::Document { "document" } else { role.name() }
}

fn names(object: &Object<'_>) -> Vec<String> {
    object.iter().map(|(key, _)| String::from_utf8_lossy(key).into_owned()).collect()
}

/// Whether an object is {run: {topic: {doc: score}}}.
fn is_deep(content: &Object<'_>) -> bool {
    for (_, topics) in content {
        let Value::Object(topics) = &topics.value else { return false };
        if let Some((_, hits)) = topics.first() {
            return matches!(hits.value, Value::Object(_) | Value::List(_));
        }
    }
    false
}

/// Whether a value can be an id: text or a whole number.
fn is_id(node: &Node<'_>) -> bool {
    match &node.value {
        Value::Text(_) => true,
        Value::Number(digits) => digits.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit()),
        _ => false,
    }
}

/// Whether a text has half of a pair of units, which no text can be written with.
fn has_half_pair(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_err()
        && text.windows(2).any(|pair| pair[0] == 0xED && pair[1] >= 0xA0)
}

/// The name of a run; none for `null`.
fn run_name<'n>(text: &Text<'_>, node: &'n Node<'_>) -> Result<Option<Cow<'n, [u8]>>> {
    Ok(Some(Cow::Borrowed(match &node.value {
        Value::Null => return Ok(None),
        Value::Boolean(is_so) => {
            if *is_so {
                b"True"
            } else {
                b"False"
            }
        }
        Value::Text(name) => name,
        Value::Number(number) => number.as_bytes(),
        Value::List(_) | Value::Object(_) => {
            let found = text.shown(node);
            let message = format!("expected text or a whole number as run, found {found}");
            return Err(Error::new(Kind::Type, message).at_line(text.line(node.place.start)));
        }
    })))
}

/// A value as a number; NaN for anything else.
fn any_number(node: &Node<'_>) -> f64 {
    match &node.value {
        Value::Number(digits) => digits.parse().unwrap_or(f64::NAN),
        _ => f64::NAN,
    }
}

/// A value as a finite number.
fn number_as(
    role: Role,
    text: &Text<'_>,
    node: &Node<'_>,
    topic: &[u8],
    document: &[u8],
) -> Result<f64> {
    let (expected, found) = match &node.value {
        Value::Number(digits) => match digits.parse::<f64>() {
            Ok(number) if number.is_finite() => return Ok(number),
            Ok(number) if number == f64::INFINITY => ("a finite number", "Infinity".into()),
            Ok(number) if number == f64::NEG_INFINITY => ("a finite number", "-Infinity".into()),
            _ => ("a finite number", "NaN".into()),
        },
        Value::Null => ("a number", "null".into()),
        Value::Boolean(is_so) => ("a number", is_so.to_string()),
        _ => ("a number", text.shown(node)),
    };
    let (what, document, topic) = (role.name(), quote(document), quote(topic));
    let message = format!(
        "expected {expected} as {what}, found {found} for document {document} of topic {topic}"
    );
    Err(Error::new(Kind::Number, message).at_line(text.line(node.place.start)))
}
