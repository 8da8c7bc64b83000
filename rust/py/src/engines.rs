//! Judgments from the ratings of search engines and of tools beside them, and runs from answers.

use cranfield_core::error::Kind;
use cranfield_core::score_files::{CsvRows, is_space};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyMapping, PySequence, PyString};

use crate::checks::{Any, kind_of, shown};
use crate::errors::fail;
use crate::ids::text;

/// What ratings can be.
const KNOWN: &str = "requests of _rank_eval (requests), judgments of the Search Relevance \
                     Workbench (judgmentRatings), or ratings of RRE (topics or query_groups)";

/// How a cell begins that spreadsheets take for a formula; Quepid writes something before it.
const GUARDED: [u8; 4] = [b'=', b'+', b'-', b'@'];

fn wrong<T>(kind: Kind, message: impl Into<String>) -> PyResult<T> {
    Err(fail(kind, message))
}

fn is_mapping(value: &Any<'_>) -> bool {
    value.cast::<PyMapping>().is_ok()
}

/// What a mapping has under a key; `None` if it has nothing, or is no mapping.
fn get<'py>(record: &Any<'py>, key: &str) -> PyResult<Any<'py>> {
    let none = || record.py().None().into_bound(record.py());
    match record.cast::<PyMapping>() {
        Ok(mapping) if mapping.contains(key)? => mapping.get_item(key),
        _ => Ok(none()),
    }
}

/// The keys of a record for a message.
fn keys_of(record: &Any<'_>, most: usize) -> PyResult<String> {
    if !is_mapping(record) {
        return shown(record);
    }
    let mut keys = Vec::new();
    for key in record.try_iter()?.take(most) {
        keys.push(key?.str()?.to_string_lossy().into_owned());
    }
    Ok(if keys.is_empty() { "no key".into() } else { keys.join(", ") })
}

/// A value under a key, which has to be there.
fn field<'py>(record: &Any<'py>, key: &str, place: &str) -> PyResult<Any<'py>> {
    let found = get(record, key)?;
    if found.is_none() {
        let there = keys_of(record, usize::MAX)?;
        return wrong(Kind::Fields, format!("{place}: expected the key {key}, found {there}"));
    }
    Ok(found)
}

/// The list under a key.
fn list<'py>(record: &Any<'py>, key: &str, place: &str) -> PyResult<Bound<'py, PyList>> {
    get(record, key)?.cast_into::<PyList>().or_else(|raised| {
        let found = shown(&raised.into_inner())?;
        wrong(Kind::Fields, format!("{place}: expected a list as {key}, found {found}"))
    })
}

/// {topic: {document: grade}}, where a document is rated once.
struct Rated<'py> {
    found: Bound<'py, PyDict>,
    /// Where each topic is.
    places: Bound<'py, PyDict>,
}

impl<'py> Rated<'py> {
    /// Adds a topic that may come once.
    fn once(&self, topic: &Any<'py>, place: &str) -> PyResult<()> {
        if let Some(earlier) = self.places.get_item(topic)? {
            let topic = shown(topic)?;
            let message = format!(
                "{place}: expected each topic once, found {topic}, as in {}",
                earlier.str()?
            );
            return wrong(Kind::Duplicate, message);
        }
        self.places.set_item(topic, place)
    }

    /// The documents of a topic, to add more.
    fn of(&self, topic: &Any<'py>) -> PyResult<Bound<'py, PyDict>> {
        if let Some(known) = self.found.get_item(topic)? {
            return Ok(known.cast_into::<PyDict>()?);
        }
        let graded = PyDict::new(topic.py());
        self.found.set_item(topic, &graded)?;
        Ok(graded)
    }

    fn add(
        &self,
        topic: &Any<'py>,
        document: &Any<'py>,
        rating: &Any<'py>,
        place: &str,
    ) -> PyResult<()> {
        if document.is_none() || document.cast::<PyString>().is_ok_and(|text| text == "") {
            let found = shown(document)?;
            return wrong(Kind::Fields, format!("{place}: expected a document, found {found}"));
        }
        let grade = number(rating, place)?;
        let graded = self.of(topic)?;
        if graded.contains(document)? {
            let what = format!("{} again for topic {}", shown(document)?, shown(topic)?);
            let message = format!("{place}: expected one rating of a document, found {what}");
            return wrong(Kind::Duplicate, message);
        }
        graded.set_item(document, grade)
    }

    fn of_requests(&self, body: &Any<'py>) -> PyResult<()> {
        let mut rated = Vec::new();
        let (mut first, mut are_several) = (None, false);
        for (at, request) in list(body, "requests", "the request")?.iter().enumerate() {
            let place = format!("request {}", at + 1);
            let topic = field(&request, "id", &place)?;
            self.once(&topic, &place)?;
            let mut own = Vec::new();
            for (at, one) in list(&request, "ratings", &place)?.iter().enumerate() {
                let place = format!("rating {} of {place}", at + 1);
                let index = field(&one, "_index", &place)?;
                let document = field(&one, "_id", &place)?;
                are_several |= !first.get_or_insert_with(|| index.clone()).eq(&index)?;
                own.push((place, index, document, get(&one, "rating")?));
            }
            rated.push((topic, own));
        }
        for (topic, own) in rated {
            self.of(&topic)?;
            for (place, index, document, rating) in own {
                let document = if are_several {
                    PyString::new(topic.py(), &format!("{}/{}", index.str()?, document.str()?))
                        .into_any()
                } else {
                    document
                };
                self.add(&topic, &document, &rating, &place)?;
            }
        }
        Ok(())
    }

    fn of_workbench(&self, body: &Any<'py>) -> PyResult<()> {
        let judged = list(body, "judgmentRatings", "the judgments")?;
        for (at, judged) in judged.iter().enumerate() {
            let place = format!("query {}", at + 1);
            let topic = field(&judged, "query", &place)?;
            self.once(&topic, &place)?;
            let mut own = Vec::new();
            for (at, one) in list(&judged, "ratings", &place)?.iter().enumerate() {
                let place = format!("rating {} of {place}", at + 1);
                own.push((field(&one, "docId", &place)?, get(&one, "rating")?, place));
            }
            self.of(&topic)?;
            for (document, rating, place) in own {
                self.add(&topic, &document, &rating, &place)?;
            }
        }
        Ok(())
    }

    /// The queries of the Rated Ranking Evaluator: each has the documents of its group.
    fn of_rre(&self, body: &Any<'py>) -> PyResult<()> {
        let py = body.py();
        let placeholder = get(body, "query_placeholder")?;
        let placeholder =
            if placeholder.is_truthy()? { placeholder.str()?.to_string() } else { "$query".into() };
        let topics = get(body, "topics")?;
        let topics = if topics.is_truthy()? { topics } else { PyList::new(py, [body])?.into_any() };
        let seen = PyDict::new(py);
        for topic in topics.try_iter()? {
            for group in list(&topic?, "query_groups", "a topic")? {
                let name = if is_mapping(&group) { get(&group, "name")? } else { group.clone() };
                let place = format!("query group {}", shown(&name)?);
                let own = with_gains(&get(&group, "relevant_documents")?, &place)?;
                for query in list(&group, "queries", &place)? {
                    let Some(text) = placed(&query, &placeholder)? else {
                        let found = shown(&query)?;
                        let message =
                            format!("{place}: expected {placeholder} in each query, found {found}");
                        return wrong(Kind::Fields, message);
                    };
                    let Some(known) = seen.get_item(&text)? else {
                        seen.set_item(&text, &own)?;
                        self.of(&text)?;
                        for pair in own.iter() {
                            let (document, gain) = pair.extract::<(Any<'py>, Any<'py>)>()?;
                            self.add(&text, &document, &gain, &place)?;
                        }
                        continue;
                    };
                    if !known.eq(&own)? {
                        let message = format!(
                            "{place}: expected one list of documents for query {}, found two",
                            shown(&text)?
                        );
                        return wrong(Kind::Conflict, message);
                    }
                }
            }
        }
        Ok(())
    }

    /// The rows of a CSV file of Quepid; a query alone in its row has no judgments.
    fn of_quepid(&self, py: Python<'py>, csv: &[u8]) -> PyResult<()> {
        let mut rows = CsvRows::new(csv, b',', true);
        let mut next = || -> PyResult<Option<(u64, Vec<Vec<u8>>)>> {
            rows.next_row().map(|row| row.map(|row| (rows.line(), row))).map_err(|why| {
                fail(Kind::Fields, format!("line {}: expected CSV: {why}", rows.line()))
            })
        };
        let header = next()?.map_or_else(Vec::new, |(_, row)| row);
        let header: Vec<String> = header
            .iter()
            .map(|name| String::from_utf8_lossy(name).trim_matches(is_space).to_lowercase())
            .collect();
        if header != ["query", "docid", "rating"] {
            let found: String = header.join(", ").chars().take(200).collect();
            let found = if found.is_empty() { "nothing".into() } else { found };
            let message = format!("expected CSV with the header query,docid,rating, found {found}");
            return wrong(Kind::Fields, message);
        }
        while let Some((line, row)) = next()? {
            let cell = |at: usize| row.get(at).map_or(&b""[..], |cell| &**cell);
            let (query, document, rating) = (cell(0), cell(1), cell(2));
            if query.is_empty() && document.is_empty() {
                continue;
            }
            let has_more = row.iter().skip(3).any(|cell| !cell.is_empty());
            let place = format!("line {line}");
            if has_more || query.is_empty() || (!rating.is_empty() && document.is_empty()) {
                let cells = row.iter().map(|cell| text(py, cell)).collect::<PyResult<Vec<_>>>()?;
                let found = shown(PyList::new(py, cells)?.as_any())?;
                let what = "expected a query, a document and a rating";
                return wrong(Kind::Fields, format!("{place}: {what}, found {found}"));
            }
            let topic = text(py, unguarded(query))?.into_any();
            self.of(&topic)?;
            // Without a rating a document is not judged.
            if !rating.is_empty() {
                let document = text(py, unguarded(document))?.into_any();
                self.add(&topic, &document, text(py, rating)?.as_any(), &place)?;
            }
        }
        Ok(())
    }
}

/// A cell without what guards it from spreadsheets.
fn unguarded(cell: &[u8]) -> &[u8] {
    match cell {
        [b'\'' | b' ', next, ..] if GUARDED.contains(next) => &cell[1..],
        _ => cell,
    }
}

/// A rating as a number; the Search Relevance Workbench writes text.
fn number<'py>(rating: &Any<'py>, place: &str) -> PyResult<Any<'py>> {
    let is_plain = rating.is_instance_of::<PyInt>() || rating.is_instance_of::<PyFloat>();
    if is_plain && !rating.is_instance_of::<PyBool>() {
        return Ok(rating.clone());
    }
    if let Ok(text) = rating.cast::<PyString>()
        && let Ok(text) = text.to_str()
        && text.is_ascii()
        && let Ok(number) = text.trim_matches(is_space).parse::<f64>()
    {
        return Ok(PyFloat::new(rating.py(), number).into_any());
    }
    let found = shown(rating)?;
    wrong(Kind::Number, format!("{place}: expected a number as rating, found {found}"))
}

/// Documents and their gains, of {document: {"gain": gain}} or {gain: [document, ...]}.
fn with_gains<'py>(documents: &Any<'py>, place: &str) -> PyResult<Bound<'py, PyList>> {
    let own = PyList::empty(documents.py());
    if !documents.is_truthy()? {
        return Ok(own);
    }
    let Ok(mapping) = documents.cast::<PyMapping>() else {
        let found = shown(documents)?;
        let message = format!("{place}: expected relevant_documents, found {found}");
        return wrong(Kind::Fields, message);
    };
    for item in mapping.items()?.iter() {
        let (key, value) = item.extract::<(Any<'py>, Any<'py>)>()?;
        if let Ok(documents) = value.cast::<PyList>() {
            for document in documents.iter() {
                own.append((document, &key))?;
            }
        } else {
            let gain = field(&value, "gain", &format!("{place}: document {}", shown(&key)?))?;
            own.append((key, gain))?;
        }
    }
    Ok(own)
}

/// The text of a query, wherever its placeholder is.
fn placed<'py>(query: &Any<'py>, placeholder: &str) -> PyResult<Option<Any<'py>>> {
    let Ok(mapping) = query.cast::<PyMapping>() else { return Ok(None) };
    let own = get(query, placeholder)?;
    if own.cast::<PyString>().is_ok() {
        return Ok(Some(own));
    }
    for value in mapping.values()?.iter() {
        if let Some(found) = placed(&value, placeholder)?
            && found.is_truthy()?
        {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The judgments themselves, also where a search or a look-up returned them.
fn source_of(body: Any<'_>) -> PyResult<Any<'_>> {
    let mut body = body;
    let hits = get(&body, "hits")?;
    if let Ok(several) = get(&hits, "hits")?.cast::<PyList>() {
        if several.len() != 1 {
            let mut names = Vec::new();
            for one in several.iter().take(5) {
                names.push(shown(&get(&get(&one, "_source")?, "name")?)?);
            }
            let found = if names.is_empty() {
                "found none".into()
            } else {
                format!("found {}: {}", several.len(), names.join(", "))
            };
            let message = format!("expected one list of judgments, {found}; pass one of the hits");
            return wrong(Kind::Fields, message);
        }
        body = several.get_item(0)?;
    }
    let inner = get(&body, "_source")?;
    Ok(if is_mapping(&inner) { inner } else { body })
}

#[doc = stub!("rated")]
#[pyfunction]
#[pyo3(signature = (given, /))]
pub fn rated<'py>(given: &Any<'py>) -> PyResult<Bound<'py, PyDict>> {
    let py = given.py();
    let rated = Rated { found: PyDict::new(py), places: PyDict::new(py) };
    if let Ok(csv) = given.cast::<PyString>() {
        let bytes = crate::ids::encoded(csv, "surrogatepass")?;
        rated.of_quepid(py, bytes.as_bytes())?;
        return Ok(rated.found);
    }
    let mut body = given.getattr_opt("body")?.unwrap_or_else(|| given.clone());
    if let Ok(several) = body.cast::<PyList>()
        && !several.is_empty()
        && several.iter().all(|one| is_mapping(&one))
    {
        let is_request = several.get_item(0)?.contains("id")?;
        let wrapped = PyDict::new(py);
        wrapped.set_item(if is_request { "requests" } else { "judgmentRatings" }, &body)?;
        body = wrapped.into_any();
    }
    if !is_mapping(&body) {
        let kind = kind_of(given);
        let message = format!("expected {KNOWN}, or the path of a file, found a {kind}");
        return wrong(Kind::Type, message);
    }
    let body = source_of(body)?;
    if body.contains("requests")? {
        rated.of_requests(&body)?;
    } else if body.contains("judgmentRatings")? {
        rated.of_workbench(&body)?;
    } else if body.contains("topics")? || body.contains("query_groups")? {
        rated.of_rre(&body)?;
    } else if body.contains("metric_score")? {
        let message = "expected ratings, found an answer of _rank_eval: pass its request";
        return wrong(Kind::Type, message);
    } else {
        let there = keys_of(&body, 20)?;
        return wrong(Kind::Fields, format!("expected {KNOWN}, found {there}"));
    }
    Ok(rated.found)
}

/// What to do with answers that have no topics.
const ZIP: &str = "; of several answers in the order of topics make dict(zip(topics, answers))";

/// Topics, documents and scores, a row for each hit.
pub type HitRows<'py> = [Vec<Any<'py>>; 3];

/// The rows of a run that answers hold; `document` makes the id of a hit.
pub fn hit_rows<'py>(answers: &Any<'py>, document: Option<&Any<'py>>) -> PyResult<HitRows<'py>> {
    if let Some(found) = document.filter(|document| !document.is_callable()) {
        let found = shown(found)?;
        let expected = "expected document= as a function from a hit to its id";
        return wrong(Kind::Type, format!("{expected}, found {found}"));
    }
    let [mut topics, mut documents, mut numbers] = HitRows::default();
    for (topic, answer) in answers_of(answers)? {
        let place = format!("topic {}", shown(&topic)?);
        let hits = hits_of(&answer, &place)?;
        let mut scores = Vec::new();
        for (at, hit) in hits.iter().enumerate() {
            scores.push(score_of(hit, &format!("hit {} of {place}", at + 1))?);
        }
        // Sorted by something else than the score: the order is all there is.
        let is_unscored = scores.iter().all(Option::is_none);
        for (at, (hit, score)) in hits.iter().zip(scores).enumerate() {
            let place = format!("hit {} of {place}", at + 1);
            let ranked = || PyFloat::new(hit.py(), -(at as f64)).into_any();
            let Some(score) = score.or_else(|| is_unscored.then(ranked)) else {
                let message = format!("expected a score for {place}, found none");
                return wrong(Kind::Type, message);
            };
            topics.push(topic.clone());
            numbers.push(score);
            documents.push(match document {
                Some(document) => document.call1((hit,))?,
                None => document_of(hit, &place)?,
            });
        }
    }
    Ok([topics, documents, numbers])
}

/// Each topic and its answer, also from one answer of `_rank_eval`.
fn answers_of<'py>(answers: &Any<'py>) -> PyResult<Vec<(Any<'py>, Any<'py>)>> {
    let is_several = answers.cast::<PySequence>().is_ok() && answers.cast::<PyString>().is_err();
    let Ok(mapping) = answers.cast::<PyMapping>() else {
        let (found, many) = (kind_of(answers), if is_several { ZIP } else { "" });
        let expected = "expected {topic: answer} or an answer of _rank_eval";
        let message = format!("{expected}, found an object of type {found}{many}");
        return wrong(Kind::Type, message);
    };
    let details = get(answers, "details")?;
    if mapping.contains("metric_score")? && is_mapping(&details) {
        let failed = get(answers, "failures")?;
        if failed.is_truthy()?
            && let Some(topic) = failed.try_iter()?.next()
        {
            let topic = topic?;
            let why = failed.get_item(&topic)?;
            let message = format!("the search for topic {} failed: {why}", shown(&topic)?);
            return wrong(Kind::Type, message);
        }
        return pairs_of(&details)?
            .into_iter()
            .map(|(topic, detail)| {
                let hits = PyList::empty(detail.py());
                for entry in detail.get_item("hits")?.try_iter()? {
                    hits.append(entry?.get_item("hit")?)?;
                }
                Ok((topic, hits.into_any()))
            })
            .collect();
    }
    let has_several = mapping.contains("responses")?;
    if has_several || mapping.contains("hits")? || mapping.contains("root")? {
        let many = if has_several { ZIP } else { "" };
        let message =
            format!("expected {{topic: answer}}, found an answer without its topic{many}");
        return wrong(Kind::Type, message);
    }
    pairs_of(answers)
}

/// The items of a mapping.
fn pairs_of<'py>(mapping: &Any<'py>) -> PyResult<Vec<(Any<'py>, Any<'py>)>> {
    mapping.cast::<PyMapping>()?.items()?.iter().map(|item| item.extract()).collect()
}

/// The hits of one answer: of Elasticsearch and OpenSearch, of Vespa, or a list of either.
fn hits_of<'py>(answer: &Any<'py>, place: &str) -> PyResult<Vec<Any<'py>>> {
    let mut answer = answer.clone();
    if !is_mapping(&answer) {
        // The clients' objects: of Elasticsearch, and of Vespa.
        for name in ["body", "json"] {
            if let Some(body) = answer.getattr_opt(name)?.filter(is_mapping) {
                answer = body;
                break;
            }
        }
    }
    let hits = if is_mapping(&answer) { inner_hits(&answer, place)? } else { Some(answer.clone()) };
    let hits =
        hits.filter(|hits| hits.cast::<PySequence>().is_ok() && hits.cast::<PyString>().is_err());
    let Some(hits) = hits else {
        let kind = kind_of(&answer);
        let expected = format!("expected an answer with hits or a list of hits for {place}");
        return wrong(Kind::Type, format!("{expected}, found an object of type {kind}"));
    };
    let hits = hits.try_iter()?.collect::<PyResult<Vec<_>>>()?;
    if let Some(at) = hits.iter().position(|hit| !is_mapping(hit)) {
        let kind = kind_of(&hits[at]);
        let expected = format!("expected hit {} of {place} as a dict", at + 1);
        return wrong(Kind::Type, format!("{expected}, found an object of type {kind}"));
    }
    Ok(hits)
}

/// The hits in a dict; an error for a search that is not complete.
fn inner_hits<'py>(answer: &Any<'py>, place: &str) -> PyResult<Option<Any<'py>>> {
    let empty = || PyList::empty(answer.py()).into_any();
    let or_empty = |found: Any<'py>, has: bool| if has { found } else { empty() };
    let hits = get(answer, "hits")?;
    if answer.contains("root")? {
        let root = answer.get_item("root")?;
        let errors = get(&root, "errors")?;
        if errors.is_truthy()? {
            let message = format!("the search for {place} failed: {errors}");
            return wrong(Kind::Type, message);
        }
        check_covered(&get(&root, "coverage")?, place)?;
        return Ok(Some(or_empty(get(&root, "children")?, root.contains("children")?)));
    }
    if is_mapping(&hits) {
        let failed = get(&get(answer, "_shards")?, "failed")?;
        let has_failed = failed.is_truthy()?;
        if has_failed || get(answer, "timed_out")?.is_truthy()? {
            let what =
                if has_failed { format!("{failed} shards failed") } else { "it timed out".into() };
            let message = format!("the search for {place} is not complete: {what}");
            return wrong(Kind::Type, message);
        }
        return Ok(Some(or_empty(get(&hits, "hits")?, hits.contains("hits")?)));
    }
    if hits.cast::<PySequence>().is_ok() {
        return Ok(Some(hits));
    }
    if answer.contains("error")? {
        let why = answer.get_item("error")?;
        return wrong(Kind::Type, format!("the search for {place} failed: {why}"));
    }
    Ok(None)
}

/// An error unless Vespa searched all documents, or as few as the ranking asks for.
fn check_covered(coverage: &Any<'_>, place: &str) -> PyResult<()> {
    let full = get(coverage, "full")?;
    let mut degraded = Vec::new();
    let reasons = get(coverage, "degraded")?;
    if is_mapping(&reasons) {
        for (reason, is_so) in pairs_of(&reasons)? {
            if is_so.is_truthy()? {
                degraded.push(reason.str()?.to_string_lossy().into_owned());
            }
        }
    }
    let is_full = (is_mapping(coverage) && !coverage.contains("full")?) || full.is_truthy()?;
    if coverage.is_none() || is_full || degraded == ["match-phase"] {
        return Ok(());
    }
    let covered = get(coverage, "coverage")?;
    let share = if covered.is_none() { "0".into() } else { covered.to_string() };
    let why = degraded.join(", ");
    let why = if why.is_empty() { why } else { format!(" ({why})") };
    wrong(Kind::Type, format!("the search for {place} is not complete: it covered {share}%{why}"))
}

fn score_of<'py>(hit: &Any<'py>, place: &str) -> PyResult<Option<Any<'py>>> {
    for key in ["_score", "relevance"] {
        if !hit.contains(key)? {
            continue;
        }
        let score = hit.get_item(key)?;
        let is_number = score.is_instance_of::<PyInt>() || score.is_instance_of::<PyFloat>();
        if !score.is_none() && !is_number {
            let found = shown(&score)?;
            let message = format!("expected a number as {key} of {place}, found {found}");
            return wrong(Kind::Type, message);
        }
        return Ok(Some(score).filter(|score| !score.is_none()));
    }
    Ok(None)
}

/// `_id`, or what follows the last `::` of a Vespa document id.
fn document_of<'py>(hit: &Any<'py>, place: &str) -> PyResult<Any<'py>> {
    if hit.contains("_id")? {
        return Ok(hit.get_item("_id")?.str()?.into_any());
    }
    let id = get(hit, "id")?;
    for found in [get(&get(hit, "fields")?, "documentid")?, id.clone()] {
        if let Ok(found) = found.cast::<PyString>()
            && found.to_string_lossy().starts_with("id:")
            && found.contains("::")?
        {
            return found.call_method1("partition", ("::",))?.get_item(2);
        }
    }
    let message = format!(
        "expected _id, or a Vespa id such as id:space:type::name, in {place}, found {}; pass \
         document=, a function from a hit to its id",
        shown(&id)?
    );
    wrong(Kind::Type, message)
}
