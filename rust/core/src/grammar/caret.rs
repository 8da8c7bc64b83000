//! Errors that show a text with a caret under the part that is wrong.

use crate::error::{Error, Kind, quote};

/// An error that shows the text with a caret under the part that is wrong.
#[cold]
pub(super) fn point(
    kind: Kind,
    text: &str,
    from: usize,
    to: usize,
    sentence: &str,
    suggestion: &str,
) -> Error {
    let width = |text: Option<&str>| text.map_or(0, |t| t.chars().count());
    let indent = " ".repeat(width(text.get(..from)));
    let carets = "^".repeat(width(text.get(from..to)).max(1));
    let hint = if suggestion.is_empty() { String::new() } else { format!("; {suggestion}") };
    let message = format!("{sentence}: {}{hint}", quote(text));
    // A caret does not help in a text that does not fit on a line.
    if text.chars().count() > SHOWN || text.chars().any(char::is_control) {
        return Error::new(kind, message);
    }
    Error::new(kind, format!("{message}\n  {text}\n  {indent}{carets}"))
}

/// The longest text that an error shows with a caret or as a value.
pub(super) const SHOWN: usize = 100;

/// The error of a spelling of ours that another text stands for.
pub(super) fn of_text(error: &Error, text: &str) -> Error {
    let (sentence, picture) = error.message().split_once('\n').unwrap_or((error.message(), ""));
    let picture = if picture.is_empty() { String::new() } else { format!("\n{picture}") };
    Error::new(error.kind(), format!("{sentence} in {}{picture}", quote(text)))
}
