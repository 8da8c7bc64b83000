//! Numbers in text, correctly rounded: one takes the short exact path when its digits fit into
//! the integers that a double holds.

use cranfield_scan::{DIGITS, Decimal, Scan, decimal, eight_digits};

/// Powers of ten that a double holds exactly.
pub const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// A decimal number, correctly rounded; `None` when the text is anything
/// else. Infinities and NaN come back as such, so that the caller can say
/// that they are not finite rather than that they are no numbers.
#[inline]
pub fn number(text: &[u8]) -> Option<f64> {
    if let [digit @ b'0'..=b'9'] = text {
        return Some(f64::from(digit - b'0'));
    }
    match decimal(text) {
        Some(Decimal { negative, digits, decimals }) => {
            // One correctly rounded division of two exact numbers: exact.
            let value = digits as f64 / POWERS[decimals as usize];
            Some(if negative { -value } else { value })
        }
        None => long_number(text).or_else(|| slow_number(text)),
    }
}

/// Powers of five below 2^63.
const FIVES: [u64; 28] = {
    let mut fives = [1; 28];
    let mut i = 1;
    while i < fives.len() {
        fives[i] = 5 * fives[i - 1];
        i += 1;
    }
    fives
};

/// One divided by each of them, as a word with its highest bit set: rounded down, so that
/// it is less than one too low.
const INVERSES: [u64; 28] = {
    let mut inverses = [u64::MAX; 28];
    let mut i = 1;
    while i < inverses.len() {
        inverses[i] = ((1_u128 << (64 + FIVES[i].ilog2())) / FIVES[i] as u128) as u64;
        i += 1;
    }
    inverses
};

/// Digits that a word holds, whatever they are.
const WORD_DIGITS: usize = 19;

/// A number with an exponent or with more digits than a register holds,
/// correctly rounded; `None` if it is not a number, or one that takes more
/// than a division.
pub fn long_number(text: &[u8]) -> Option<f64> {
    let negative = text.first() == Some(&b'-');
    let text = &text[usize::from(negative || text.first() == Some(&b'+'))..];
    // An exponent worth reading here has at most a sign and two digits.
    let tail = text.len().saturating_sub(4);
    let (digits, exponent) = match text[tail..].iter().position(|byte| byte | 0x20 == b'e') {
        Some(at) => (&text[..tail + at], small_exponent(&text[tail + at + 1..])?),
        None => (text, 0),
    };
    let point = digits.iter().position(|&byte| byte == b'.').unwrap_or(digits.len());
    let whole = &digits[..point];
    let mut fraction = digits.get(point + 1..).unwrap_or_default();
    // Trailing zeros do not change the value.
    while whole.len() + fraction.len() >= WORD_DIGITS + 8
        && let Some(rest) = fraction.strip_suffix(b"00000000")
    {
        fraction = rest;
    }
    while whole.len() + fraction.len() > WORD_DIGITS {
        fraction = fraction.strip_suffix(b"0")?;
    }
    if whole.len() + fraction.len() == 0 {
        return None;
    }
    let digits = append_digits(append_digits(0, whole)?, fraction)?;
    let value = scaled(digits, exponent - fraction.len() as i32)?;
    Some(if negative { -value } else { value })
}

/// A number that is too long to be read by its form alone: it has an exponent of a
/// sign and two digits, as C prints them, or up to 19 digits followed by zeros. Its
/// beginning is read by the form, with as many decimals as it has. `first` is
/// the beginning of the text. Correctly rounded; `None` if it is not such a number, or one
/// that takes more work.
#[inline(always)]
pub fn formed_number<S: Scan>(
    scan: S,
    form: &mut S::Form,
    first: &[u8; 16],
    text: &[u8],
) -> Option<f64> {
    let (before, exponent) = match text.split_last_chunk() {
        Some((before, &[mark, sign @ (b'+' | b'-'), tens, ones])) if mark | 0x20 == b'e' => {
            let (tens, ones) = (tens.wrapping_sub(b'0'), ones.wrapping_sub(b'0'));
            if tens > 9 || ones > 9 {
                return None;
            }
            let exponent = i32::from(tens) * 10 + i32::from(ones);
            (before, if sign == b'-' { -exponent } else { exponent })
        }
        _ => (text, 0),
    };
    let Decimal { negative, digits, decimals } = if before.len() <= first.len() {
        scan.scaled(form, first, before.len())?
    } else {
        many_digits(scan, form, before)?
    };
    let value = scaled(digits, exponent - decimals as i32)?;
    Some(if negative { -value } else { value })
}

/// A number of more than 16 bytes, whose digits may be more than a [`Decimal`] else has.
#[inline(always)]
fn many_digits<S: Scan>(scan: S, form: &mut S::Form, text: &[u8]) -> Option<Decimal> {
    let negative = text.first() == Some(&b'-');
    let text = &text[usize::from(negative)..];
    let first: &[u8; 16] = text.first_chunk()?;
    let head = scan.scaled(form, first, first.len())?;
    // Without decimals the point may be behind, or nowhere.
    if head.negative || head.decimals == 0 {
        return None;
    }
    let more = (text.len() - first.len()).min(WORD_DIGITS - DIGITS);
    let (digits, zeros) = text.split_at(first.len() + more);
    // The last eight bytes of the digits, with zeros in place of those that were read.
    let behind = u64::MAX.unbounded_shl(8 * (8 - more as u32));
    let last = u64::from_le_bytes(*digits.last_chunk()?) & behind | ZEROS & !behind;
    let last = eight_digits(&last.to_le_bytes())?;
    let rest = match (zeros.first_chunk(), zeros.last_chunk()) {
        (Some(first), Some(last)) if zeros.len() <= 16 => {
            u64::from_le_bytes(*first) == ZEROS && u64::from_le_bytes(*last) == ZEROS
        }
        _ => zeros.iter().all(|&byte| byte == b'0'),
    };
    if !rest {
        return None;
    }
    let digits = head.digits * TENS[more] + last;
    Some(Decimal { negative, digits, decimals: head.decimals + more as u32 })
}

/// Factors that shift a word's digits to make room for more.
static TENS: [u64; WORD_DIGITS - DIGITS + 1] = [1, 10, 100, 1000, 10_000];

/// Eight digits that are zeros.
const ZEROS: u64 = u64::from_le_bytes([b'0'; 8]);

fn small_exponent(text: &[u8]) -> Option<i32> {
    let negative = text.first() == Some(&b'-');
    let digits = &text[usize::from(negative || text.first() == Some(&b'+'))..];
    let value = append_digits(0, digits).filter(|_| !digits.is_empty())? as i32;
    Some(if negative { -value } else { value })
}

/// A number followed by further digits; together they must fit into a word.
#[inline]
fn append_digits(mut value: u64, text: &[u8]) -> Option<u64> {
    let (eights, rest) = text.as_chunks::<8>();
    for eight in eights {
        value = value * 100_000_000 + eight_digits(eight)?;
    }
    for byte in rest {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + u64::from(digit);
    }
    Some(value)
}

/// A whole number times a power of ten, correctly rounded.
#[inline(always)]
fn scaled(digits: u64, exponent: i32) -> Option<f64> {
    let power = exponent.unsigned_abs() as usize;
    if digits <= 1 << 53 && power < POWERS.len() {
        // One operation on two exact numbers.
        let (digits, power) = (digits as f64, POWERS[power]);
        return Some(if exponent < 0 { digits / power } else { digits * power });
    }
    let five = *FIVES.get(power).filter(|_| exponent < 0 && digits > 0)?;
    let twos = five.ilog2() + power as u32;
    // The product with the inverse is less than two below the quotient, and mostly both
    // are rounded to the same.
    if let Some(left) = digits.leading_zeros().checked_sub(2) {
        let product = u128::from(digits << left) * u128::from(INVERSES[power]);
        let least = (product >> 64) as i64;
        let (low, high) = (least as f64, (least + 2) as f64);
        if low.to_bits() == high.to_bits() {
            return Some(low * half_to(twos + left));
        }
    }
    Some(divided(digits, five, twos))
}

/// A whole number divided by a power of five and one of two, correctly rounded.
#[cold]
fn divided(digits: u64, five: u64, twos: u32) -> f64 {
    // The quotient has 62 bits or more, so the bit that stands for the
    // remainder only decides cases that are not exactly half-way.
    let left = digits.leading_zeros();
    let dividend = u128::from(digits << left) << five.ilog2();
    let quotient = (dividend / u128::from(five)) as u64;
    let rest = u64::from(!dividend.is_multiple_of(u128::from(five)));
    (quotient | rest) as f64 * half_to(twos + left)
}

/// One half to a power.
#[inline(always)]
fn half_to(power: u32) -> f64 {
    f64::from_bits(u64::from(1023 - power) << 52)
}

/// The general case: exponents, many digits, infinities.
#[cold]
fn slow_number(text: &[u8]) -> Option<f64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// The decimal number that C's `atof` reads: the longest numeric prefix, 0
/// if there is none. This is what "lenient" means for a field.
#[cold]
pub fn lenient_number(text: &[u8]) -> f64 {
    let digits = |from: usize| {
        let rest = text.get(from..).unwrap_or_default();
        from + rest.iter().position(|b| !b.is_ascii_digit()).unwrap_or(rest.len())
    };
    let is = |at: usize, wanted: &[u8]| text.get(at).is_some_and(|b| wanted.contains(b));
    let start = usize::from(is(0, b"+-"));
    let rest = text[start..].to_ascii_lowercase();
    if rest.starts_with(b"0x") {
        let value = hexadecimal(&rest[2..]);
        return if text[0] == b'-' { -value } else { value };
    }
    if rest.starts_with(b"inf") || rest.starts_with(b"nan") {
        return number(&text[..start + 3]).unwrap_or(0.0);
    }
    let mut end = digits(start);
    if is(end, b".") {
        end = digits(end + 1);
    }
    if is(end, b"eE") {
        let exponent = end + 1 + usize::from(is(end + 1, b"+-"));
        let after = digits(exponent);
        end = if after > exponent { after } else { end };
    }
    number(&text[..end]).unwrap_or(0.0)
}

/// A hexadecimal number in C's syntax, after its `0x`, in lower case.
#[cold]
fn hexadecimal(text: &[u8]) -> f64 {
    let (mut value, mut scale, mut point, mut at) = (0.0, 1.0, false, 0);
    while let Some(&byte) = text.get(at) {
        match (byte as char).to_digit(16) {
            Some(digit) => {
                value = value * 16.0 + f64::from(digit);
                scale *= if point { 16.0 } else { 1.0 };
            }
            None if byte == b'.' && !point => point = true,
            None => break,
        }
        at += 1;
    }
    let exponent = text.get(at..).and_then(|rest| rest.strip_prefix(b"p"));
    value / scale * exponent.map_or(0.0, lenient_number).trunc().exp2()
}

/// Sums of so many numbers are in one piece.
const SUMMED: usize = 128;

/// The sum of numbers in the order in which numpy adds them, so that it has the same bits.
pub fn pairwise_sum(values: &[f64]) -> f64 {
    if values.len() > SUMMED {
        let half = values.len() / 2;
        let (first, second) = values.split_at(half - half % 8);
        return pairwise_sum(first) + pairwise_sum(second);
    }
    let (eights, rest) = values.as_chunks::<8>();
    let Some((first, others)) = eights.split_first() else {
        return rest.iter().fold(0.0, |sum, value| sum + value);
    };
    let mut sums = *first;
    for eight in others {
        sums.iter_mut().zip(eight).for_each(|(sum, value)| *sum += value);
    }
    let [a, b, c, d, e, f, g, h] = sums;
    rest.iter().fold(((a + b) + (c + d)) + ((e + f) + (g + h)), |sum, value| sum + value)
}

#[cfg(test)]
mod tests;
