//! What JSON may hold, wherever it is parsed.
//!
//! Parsers recurse where values are nested, and integers of thousands of digits are no numbers
//! to what computes with doubles. So both are refused beforehand, with their place.

use memchr::{memchr_iter, memchr2, memrchr};

use crate::error::{Error, Kind, Result};

/// How deeply arrays and objects may be nested.
const DEPTH: usize = 100;

/// How many digits may stand together: integers of so many are below the largest double.
const DIGITS: usize = 308;

/// An error (kind "limit") with line and column if a text has what no JSON may have here.
pub fn check(text: &[u8]) -> Result<()> {
    let (mut depth, mut digits, mut at) = (0_usize, 0_usize, 0);
    while let Some(&byte) = text.get(at) {
        digits = if byte.is_ascii_digit() { digits + 1 } else { 0 };
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            b'"' => at = end_of_string(text, at + 1),
            _ => {}
        }
        if depth > DEPTH {
            return Err(refused(
                &format!("arrays and objects in at most {DEPTH} others"),
                text,
                at,
            ));
        }
        if digits > DIGITS {
            return Err(refused(&format!("numbers of at most {DIGITS} digits"), text, at));
        }
        at += 1;
    }
    Ok(())
}

/// Where the quotation mark is that ends a string, or the end of the text.
fn end_of_string(text: &[u8], mut at: usize) -> usize {
    while let Some(found) = text.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        at += found;
        if text[at] == b'"' {
            return at;
        }
        at += 2;
    }
    text.len()
}

#[cold]
fn refused(expected: &str, text: &[u8], at: usize) -> Error {
    let before = &text[..at];
    let line = memchr_iter(b'\n', before).count() as u64 + 1;
    let start = memrchr(b'\n', before).map_or(0, |end| end + 1);
    let message = format!("expected JSON with {expected}, found more");
    Error::new(Kind::Limit, message).at(line, &text[start..], at - start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str) -> Option<(u64, u64)> {
        let error = check(text.as_bytes()).err()?;
        assert_eq!(error.kind(), Kind::Limit);
        Some((error.place().line?, error.place().column?))
    }

    #[test]
    fn what_is_nested_too_deeply_has_a_place() {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let nested = |depth| format!("{}1{}", open.repeat(depth), close.repeat(depth));
            assert_eq!(place(&nested(DEPTH)), None);
            let column = (open.len() * DEPTH + 1) as u64;
            assert_eq!(place(&nested(DEPTH + 1)), Some((1, column)));
            assert_eq!(place(&format!("[1,\n 2,\n é{}", nested(DEPTH))), {
                // The array around it is one more.
                let column = 2 + (open.len() * (DEPTH - 1)) as u64 + 1;
                Some((3, column))
            });
            assert_eq!(place(&format!("[{}]", vec![nested(DEPTH - 1); 50].join(","))), None);
        }
    }

    #[test]
    fn strings_count_for_nothing() {
        let deep = "[".repeat(DEPTH + 1) + &"9".repeat(DIGITS + 1);
        for text in [format!("\"{deep}\""), format!("\"\\\"{deep}\\\\\""), format!("\"{deep}")] {
            assert_eq!(place(&text), None, "{text}");
        }
        assert!(place(&format!("\"\\\\\"{deep}")).is_some());
    }

    #[test]
    fn long_numbers_have_a_place() {
        assert_eq!(place(&"9".repeat(DIGITS)), None);
        assert!("9".repeat(DIGITS).parse::<f64>().unwrap().is_finite());
        assert_eq!(place(&"9".repeat(DIGITS + 1)), Some((1, DIGITS as u64 + 1)));
        assert_eq!(place(&format!("[1,\n-{}]", "9".repeat(5000))), Some((2, DIGITS as u64 + 2)));
        assert_eq!(place(&["12345"; 1000].join(",")), None);
    }
}
