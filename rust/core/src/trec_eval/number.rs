//! Numbers as the C library reads them: the longest numeric beginning, and 0
//! when there is none.

use crate::bytes::is_white_space;
use crate::numbers::lenient_number;

/// C's `atof`.
pub fn atof(text: &[u8]) -> f64 {
    lenient_number(behind_space(text))
}

/// C's `atol`, saturating at the ends of 64 bits.
pub fn atol(text: &[u8]) -> i64 {
    let text = behind_space(text);
    let (negative, digits) = match text.first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    let mut value: i64 = 0;
    for digit in digits.iter().take_while(|byte| byte.is_ascii_digit()) {
        let digit = i64::from(digit - b'0');
        let signed = if negative { -digit } else { digit };
        let ten = value.checked_mul(10).and_then(|value| value.checked_add(signed));
        value = ten.unwrap_or(if negative { i64::MIN } else { i64::MAX });
    }
    value
}

/// Whether a text is an integer with nothing after it.
pub fn is_integer(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

fn behind_space(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|&byte| !is_white_space(byte) && byte != b'\n');
    &text[start.unwrap_or(text.len())..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_read_as_far_as_they_go() {
        let read: Vec<i64> =
            ["1.7", "abc", " -3x", "+5", "", "9223372036854775808", "-99999999999999999999"]
                .iter()
                .map(|text| atol(text.as_bytes()))
                .collect();
        assert_eq!(read, [1, 0, -3, 5, 0, i64::MAX, i64::MIN]);
    }

    #[test]
    fn reals_are_read_as_far_as_they_go() {
        for (text, value) in [("0x1p3", 8.0), (" .5x", 0.5), ("1e400", f64::INFINITY), ("x", 0.0)] {
            assert_eq!(atof(text.as_bytes()), value, "{text}");
        }
        assert!(atof(b"nan").is_nan());
    }
}
