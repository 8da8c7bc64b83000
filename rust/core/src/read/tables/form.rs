//! In which form a table is, by its first bytes.

use memchr::memchr;

use super::columns::{Given, Role, plain_name};
use super::rows::number;

/// How a stream of Arrow's begins.
const CONTINUED: &[u8] = b"\xFF\xFF\xFF\xFF";

/// What the list of a topic's documents is called in JSON.
pub(super) const RESULTS: [&[u8]; 5] = [b"results", b"hits", b"docs", b"documents", b"ranking"];

/// The form of what begins with these bytes, as `run_layout` calls it; none if it is no table.
/// CSV and TSV are recognised by a header with columns for topics and documents.
pub fn form_of(head: &[u8], given: &Given) -> Option<&'static str> {
    if head.starts_with(b"PAR1") {
        return Some("parquet");
    }
    if head.starts_with(b"ARROW1") || head.starts_with(CONTINUED) {
        return Some("arrow");
    }
    let text = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
    if matches!(text.first(), Some(b'{' | b'[')) {
        return json_form(text);
    }
    let line = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    for (form, separator) in [("tsv", b'\t'), ("csv", b',')] {
        let fields = || line.split(|&byte| byte == separator);
        if line.contains(&separator) && is_header(fields(), given) {
            return Some(form);
        }
    }
    None
}

/// Whether fields are names of columns, of which some are known and none is a number.
fn is_header<'a>(fields: impl Iterator<Item = &'a [u8]>, given: &Given) -> bool {
    let name = |field| String::from_utf8_lossy(field).trim().trim_matches('"').to_string();
    let names: Vec<String> = fields.map(name).collect();
    if given.iter().any(|(_, column)| names.contains(column)) {
        return true;
    }
    let plain: Vec<String> = names.iter().map(|name| plain_name(name)).collect();
    let has = |role: Role| plain.iter().any(|name| role.usual().contains(&&**name));
    match [Role::Topic, Role::Document].into_iter().filter(|&role| has(role)).count() {
        2 => true,
        1 => names.len() > 2 && !names.iter().any(|name| number(name.as_bytes()).is_some()),
        _ => false,
    }
}

/// Lines of objects, or one document of JSON; none for what only begins like JSON.
fn json_form(text: &[u8]) -> Option<&'static str> {
    let inner = text[1..].trim_ascii_start();
    if text[0] == b'[' {
        return matches!(inner.first(), Some(b'{' | b'[' | b']')).then_some("json");
    }
    let Some((key, value)) = first_item(inner) else {
        return (inner.first() == Some(&b'}')).then_some("json");
    };
    if value == b'{' || (value == b'[' && !RESULTS.contains(&key)) {
        return Some("json");
    }
    let is_whole = |end: usize| text[..end].trim_ascii_end().ends_with(b"}");
    Some(if memchr(b'\n', text).is_none_or(is_whole) { "jsonl" } else { "json" })
}

/// The first key of an object, and the byte that its value begins with.
fn first_item(inner: &[u8]) -> Option<(&[u8], u8)> {
    let rest = inner.strip_prefix(b"\"")?;
    let mut end = 0;
    while *rest.get(end)? != b'"' {
        end += if rest[end] == b'\\' { 2 } else { 1 };
    }
    let behind = rest[end + 1..].trim_ascii_start().strip_prefix(b":")?;
    Some((&rest[..end], *behind.trim_ascii_start().first()?))
}
