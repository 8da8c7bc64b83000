//! Which column of a table holds what: the usual names of each, and names that are given.

use std::fmt::Write;

use crate::costs::Unit;
use crate::error::{Advice, Error, Kind, Result};

/// What a column can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Topics.
    Topic,
    /// Documents.
    Document,
    /// Scores of documents.
    Score,
    /// Ranks of documents.
    Rank,
    /// Grades of documents.
    Grade,
    /// The runs that rows belong to.
    Run,
    /// How many characters documents have.
    Chars,
    /// How many tokens documents have.
    Tokens,
    /// What documents cost.
    Cost,
    /// The calls of a retriever that rows came from.
    Call,
}

impl Role {
    /// All of them, in the order of declaration.
    pub const ALL: [Role; 10] = [
        Role::Topic,
        Role::Document,
        Role::Score,
        Role::Rank,
        Role::Grade,
        Role::Run,
        Role::Chars,
        Role::Tokens,
        Role::Cost,
        Role::Call,
    ];

    /// What counts in a unit.
    pub fn of(unit: Unit) -> Role {
        match unit {
            Unit::Chars => Role::Chars,
            Unit::Tokens => Role::Tokens,
            Unit::Cost => Role::Cost,
            Unit::Calls => Role::Call,
        }
    }

    /// The word for it in options and messages.
    pub fn name(self) -> &'static str {
        match self {
            Role::Topic => "topic",
            Role::Document => "doc",
            Role::Score => "score",
            Role::Rank => "rank",
            Role::Grade => "grade",
            Role::Run => "run",
            Role::Chars => "chars",
            Role::Tokens => "tokens",
            Role::Cost => "cost",
            Role::Call => "call",
        }
    }

    /// What is called so.
    pub fn named(name: &str) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.name() == name)
    }

    /// The usual names of its column. Of several in a table the earliest here is meant:
    /// `PyTerrier` has a separate `docid` beside `docno`.
    pub fn usual(self) -> &'static [&'static str] {
        match self {
            Role::Topic => &[
                "topic",
                "query_id",
                "qid",
                "query",
                "q_id",
                "topic_id",
                "request_id",
                "narrative_id",
                "question_id",
            ],
            Role::Document => &[
                "doc",
                "doc_id",
                "docno",
                "docid",
                "did",
                "document",
                "document_id",
                "corpus_id",
                "pid",
            ],
            Role::Score => &["score", "sim", "similarity"],
            Role::Rank => &["rank", "ranking", "position", "pos"],
            Role::Grade => &["grade", "relevance", "rel", "label", "judgment", "score", "rating"],
            Role::Run => &["run"],
            Role::Chars => &["chars", "n_chars", "char_count"],
            Role::Tokens => &["tokens", "n_tokens", "token_count"],
            Role::Cost => &["cost"],
            Role::Call => &["call", "hop", "step"],
        }
    }
}

/// The place of the column of each role that a table has, by the order of [`Role::ALL`].
pub type Places = [Option<usize>; Role::ALL.len()];

/// Columns that have other than the usual names.
pub type Given = [(Role, String)];

/// A name as names are compared.
pub fn plain_name(name: &str) -> String {
    name.to_lowercase().replace(['-', ' '], "_")
}

/// The place of a column that is given by name, or has a usual name of its role. An error (kind
/// "type") if there is none of the given name, of kind "duplicate" if there are several.
pub fn place(names: &[String], given: Option<&str>, role: Role) -> Result<Option<usize>> {
    if let Some(given) = given {
        let meant: Vec<bool> = names.iter().map(|name| name == given).collect();
        if !meant.contains(&true) {
            let message = format!("expected a column {given}, found none");
            return Err(Error::new(Kind::Type, message));
        }
        return once(names, &meant).map(Some);
    }
    let plain: Vec<String> = names.iter().map(|name| plain_name(name)).collect();
    let first = role.usual().iter().find(|usual| plain.iter().any(|name| name == *usual));
    let Some(first) = first else { return Ok(None) };
    let meant: Vec<bool> = plain.iter().map(|name| name == first).collect();
    once(names, &meant).map(Some)
}

/// The place of a column; an error if several are meant.
fn once(names: &[String], meant: &[bool]) -> Result<usize> {
    let all: Vec<&str> =
        names.iter().zip(meant).filter(|(_, meant)| **meant).map(|(name, _)| &**name).collect();
    if let [first, _, ..] = all[..] {
        let (number, all) = (all.len(), all.join(", "));
        let message = format!("expected one column {first}, found {number}: {all}");
        return Err(Error::new(Kind::Duplicate, message));
    }
    Ok(meant.iter().position(|&meant| meant).unwrap_or_default())
}

/// The place of the column of a role in a table that may lack it, be it given by name or not.
fn place_if_there(names: &[String], role: Role, given: &Given) -> Result<Option<usize>> {
    let name = given.iter().find(|(known, _)| *known == role).map(|(_, name)| &**name);
    match name {
        Some(name) if !names.iter().any(|known| known == name) => Ok(None),
        name => place(names, name, role),
    }
}

/// The roles of columns that runs have, or judgments: those whose documents have this value.
fn wanted(value: Role) -> &'static [Role] {
    match value {
        Role::Grade => &[Role::Topic, Role::Document, Role::Grade],
        _ => &[
            Role::Topic,
            Role::Document,
            Role::Score,
            Role::Rank,
            Role::Run,
            Role::Chars,
            Role::Tokens,
            Role::Cost,
            Role::Call,
        ],
    }
}

/// The places of the columns of judgments ([`Role::Grade`]) or of a run ([`Role::Score`]) that
/// are there.
pub fn places_there(names: &[String], given: &Given, value: Role) -> Result<Places> {
    let mut places = Places::default();
    for &role in wanted(value) {
        places[role as usize] = place_if_there(names, role, given)?;
    }
    Ok(places)
}

/// The same of a file with one header; an error (kind "fields") for a column that is not there.
/// One that was given need not be in judgments: the option is about the runs too.
pub fn places_of(names: &[String], given: &Given, value: Role) -> Result<Places> {
    let places = places_there(names, given, value)?;
    check(|role| places[role as usize].is_some(), names, given, value)?;
    Ok(places)
}

/// How many names of columns a message repeats.
const SHOWN: usize = 20;

/// How many characters of a name a message repeats.
const SHOWN_CHARACTERS: usize = 60;

/// An error (kind "fields") for a column that is missing in a file, or a key in an object.
pub(super) fn check(
    has: impl Fn(Role) -> bool,
    names: &[String],
    given: &Given,
    value: Role,
) -> Result<()> {
    let shown = || listed(names);
    for (role, column) in given {
        let is_needed = value != Role::Grade && wanted(value).contains(role);
        if is_needed && !names.contains(column) {
            let message = format!("expected a column {column}, found {}", shown());
            return Err(Error::new(Kind::Fields, message));
        }
    }
    let has_value = has(value) || (value == Role::Score && has(Role::Rank));
    let lacking: Vec<Role> =
        [Role::Topic, Role::Document].into_iter().filter(|&role| !has(role)).collect();
    if lacking.is_empty() && has_value {
        return Ok(());
    }
    let mut missing: Vec<&str> = lacking.iter().map(|role| role.name()).collect();
    if !has_value {
        missing.push(if value == Role::Score { "score or rank" } else { value.name() });
    }
    let mut known: Vec<Role> = lacking;
    if value != Role::Score && !has_value {
        known.push(value);
    }
    if !has(Role::Score) {
        known.push(Role::Score);
    }
    let usual = |role: &Role| format!("{}: {}", role.name(), role.usual().join(" "));
    let known: Vec<String> = known.iter().map(usual).collect();
    let (missing, found, known) = (missing.join(", "), shown(), known.join("; "));
    Err(Error::for_each(Kind::Fields, |to| {
        let advice = to.advice(Advice::Columns);
        format!("expected columns for {missing}, found {found}; {advice}; known names are {known}")
    }))
}

/// Names of columns for a message.
pub(super) fn listed(names: &[String]) -> String {
    let mut text = String::new();
    for name in names.iter().take(SHOWN) {
        let separator = if text.is_empty() { "" } else { ", " };
        let _ = match name.char_indices().nth(SHOWN_CHARACTERS) {
            Some((end, _)) => write!(text, "{separator}{}...", &name[..end]),
            None => write!(text, "{separator}{name}"),
        };
    }
    if text.is_empty() { "none".into() } else { text }
}

/// The places of topic, document and grade in an object with columns, of which some are given by
/// name. An error (kind "type") if one of them is not there.
pub fn qrels_columns(names: &[String], given: [Option<&str>; 3]) -> Result<[Option<usize>; 3]> {
    three(names, given, Role::Grade)
}

/// The places of topic, document, score, rank and costs. A table without scores has ranks, and most have
/// no ranks. An error (kind "type") if one of the others is not there.
pub fn run_columns(names: &[String], given: RunColumns<&str>) -> Result<RunColumns<usize>> {
    let [topic, document, score, rank, costs @ ..] = given;
    let mut places = [None; COSTS];
    for ((place, name), unit) in places.iter_mut().zip(costs).zip(Unit::ALL) {
        *place = self::place(names, name, Role::of(unit))?;
    }
    let [chars, tokens, cost, call] = places;
    let [topic, document, score, rank] = ranked_columns(names, [topic, document, score, rank])?;
    Ok([topic, document, score, rank, chars, tokens, cost, call])
}

/// How many columns say what documents cost, or from which call they are.
pub const COSTS: usize = Unit::ALL.len();

/// Something for the columns of a run: topic, document, score, rank, and those of the costs.
pub type RunColumns<T> = [Option<T>; 4 + COSTS];

/// Those of a run but for the costs.
fn ranked_columns(names: &[String], given: [Option<&str>; 4]) -> Result<[Option<usize>; 4]> {
    let [topic, document, score, rank] = given;
    let ranks = place(names, rank, Role::Rank)?;
    if score.is_none() && ranks.is_some() {
        let is_named = rank.is_some_and(|name| !name.is_empty());
        if is_named || place(names, None, Role::Score)?.is_none() {
            let [topic, document, _] = three(names, [topic, document, rank], Role::Rank)?;
            return Ok([topic, document, None, ranks]);
        }
    }
    let [topic, document, score] = three(names, [topic, document, score], Role::Score)?;
    Ok([topic, document, score, ranks])
}

/// The places of topic, document and a value. Of three columns several without a known name are
/// taken in order. One alone could be what is missing or something else.
fn three(names: &[String], given: [Option<&str>; 3], value: Role) -> Result<[Option<usize>; 3]> {
    let mut found = [None; 3];
    for ((found, given), role) in
        found.iter_mut().zip(given).zip([Role::Topic, Role::Document, value])
    {
        *found = place(names, given, role)?;
    }
    // pandas hands over its index as one more column.
    let names: Vec<&str> = names
        .iter()
        .map(|name| &**name)
        .filter(|name| !name.starts_with("__index_level_"))
        .collect();
    let free: Vec<usize> = (0..names.len()).filter(|&at| !found.contains(&Some(at))).collect();
    if names.len() == 3 && free.len() > 1 {
        let unnamed = found.iter_mut().filter(|found| found.is_none());
        unnamed.zip(&free).for_each(|(found, &at)| *found = Some(at));
    }
    let Some(missing) = found.iter().position(Option::is_none) else { return Ok(found) };
    let what = value.name();
    let all = if names.is_empty() { "none".into() } else { names.join(", ") };
    let mut message = format!("expected columns for topic, doc and {what}, found {all}");
    if let [other, ..] = free[..]
        && names.len() == 3
    {
        let value = if value == Role::Score { "score or rank" } else { what };
        let kind = ["topic", "doc", value][missing];
        let column = names[other];
        let _ = write!(message, "; rename {column}, or name it as {kind} with from_arrow");
    }
    Err(Error::new(Kind::Type, message))
}
