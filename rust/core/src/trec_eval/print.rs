//! The lines of the output.

use std::io::{self, Write};

/// The width of a name, and of a number.
const NAME_WIDTH: usize = 22;
const NUMBER_WIDTH: usize = 6;

/// The most decimals that are written here: ten to their power is below 2^64.
const MOST_DECIMALS: usize = 19;

/// Where lines go, and whether their names get the Z of z-scores.
pub struct Printer<'a> {
    out: &'a mut dyn Write,
    standardised: bool,
    digits: usize,
    /// The line that is being written, and its number.
    text: Vec<u8>,
    number: Vec<u8>,
}

impl<'a> Printer<'a> {
    /// A printer of values, or of z-scores, with this many decimals.
    pub fn new(out: &'a mut dyn Write, standardised: bool, digits: usize) -> Self {
        Printer { out, standardised, digits, text: Vec::new(), number: Vec::new() }
    }

    /// A line with a number.
    pub fn real(&mut self, name: &str, topic: &[u8], value: f64) -> io::Result<()> {
        let mut number = std::mem::take(&mut self.number);
        number.clear();
        if value.is_nan() {
            let sign = if value.is_sign_negative() { "-" } else { "" };
            write!(number, "{:>NUMBER_WIDTH$}", format!("{sign}nan"))?;
        } else if !push_fixed(value, self.digits, &mut number) {
            write!(number, "{value:NUMBER_WIDTH$.0$}", self.digits)?;
        }
        let written = self.line(name, topic, &number);
        self.number = number;
        written
    }

    /// A line with an integer, of z-scores with a number.
    pub fn integer(&mut self, name: &str, topic: &[u8], value: f64) -> io::Result<()> {
        if self.standardised {
            return self.real(name, topic, value);
        }
        self.line(name, topic, (value as i64).to_string().as_bytes())
    }

    /// A line with a text, which is never standardised.
    pub fn text(&mut self, name: &str, topic: &[u8], text: &[u8]) -> io::Result<()> {
        self.text.clear();
        self.push(name, topic, text)
    }

    fn line(&mut self, name: &str, topic: &[u8], value: &[u8]) -> io::Result<()> {
        self.text.clear();
        if self.standardised {
            self.text.push(b'Z');
        }
        self.push(name, topic, value)
    }

    fn push(&mut self, name: &str, topic: &[u8], value: &[u8]) -> io::Result<()> {
        let start = self.text.len();
        self.text.extend_from_slice(name.as_bytes());
        let padding = NAME_WIDTH.saturating_sub(name.chars().count());
        self.text.resize(start + name.len() + padding, b' ');
        for part in [b"\t", topic, b"\t", value, b"\n"] {
            self.text.extend_from_slice(part);
        }
        self.out.write_all(&self.text)
    }
}

/// Writes a number as C's `%6.*f` does, half to even; false if it is too large for that.
///
/// A number is a whole one times a power of two, so its decimals are a product of whole numbers
/// that is shifted, and what is shifted out says how to round.
fn push_fixed(value: f64, decimals: usize, out: &mut Vec<u8>) -> bool {
    const MANTISSA: u32 = f64::MANTISSA_DIGITS - 1;
    let exponent = (value.to_bits() >> MANTISSA & 0x7FF) as u32;
    // 1075 is the exponent of a whole number; the smallest ones have no leading bit.
    let Some(shift) = 1075u32.checked_sub(exponent.max(1)) else { return false };
    if decimals > MOST_DECIMALS {
        return false;
    }
    let leading = if exponent == 0 { 0 } else { 1 << MANTISSA };
    let mantissa = value.to_bits() & ((1 << MANTISSA) - 1) | leading;
    let scaled = u128::from(mantissa) * 10u128.pow(decimals as u32);
    let mut whole = scaled.checked_shr(shift).unwrap_or(0);
    let rest = scaled - whole.checked_shl(shift).unwrap_or(0);
    let half = 1u128.checked_shl(shift).map_or(u128::MAX, |one| one / 2);
    if shift > 0 && (rest > half || rest == half && whole % 2 == 1) {
        whole += 1;
    }
    let mut digits = [b'0'; 64];
    let mut at = digits.len();
    let mut rest = whole as u64;
    if u128::from(rest) != whole {
        return false;
    }
    let mut place = 0;
    while rest > 0 || place <= decimals {
        if place == decimals && decimals > 0 {
            at -= 1;
            digits[at] = b'.';
        }
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        (rest, place) = (rest / 10, place + 1);
    }
    if value.is_sign_negative() {
        at -= 1;
        digits[at] = b'-';
    }
    out.resize(out.len() + NUMBER_WIDTH.saturating_sub(digits.len() - at), b' ');
    out.extend_from_slice(&digits[at..]);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::stir;

    #[test]
    fn numbers_are_written_as_by_the_standard_library() {
        let halves = (0..4000).map(|n| f64::from(n) / 32.0);
        let any = (0..20000).map(|n| f64::from_bits(stir(n)));
        let unit: Vec<f64> =
            any.clone().map(|value| value.to_bits() as f64 / 2f64.powi(64)).collect();
        let special =
            [0.0, -0.0, 0.5, 1.5, 9.99995, 0.99995, 5e-324, 2f64.powi(53), 1e300, f64::INFINITY];
        for value in halves.chain(any).chain(unit).chain(special).filter(|value| !value.is_nan()) {
            for decimals in [0, 1, 4, 6, 9, 15, 19, 20] {
                let mut out = Vec::new();
                if push_fixed(value, decimals, &mut out) {
                    let expected = format!("{value:6.decimals$}");
                    assert_eq!(String::from_utf8(out).unwrap(), expected, "{value:e}");
                } else {
                    assert!(decimals == 20 || value.abs() * 10f64.powi(decimals as i32) > 1e15);
                }
            }
        }
    }
}
