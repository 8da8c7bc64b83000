//! The operations in portable Rust, eight bytes at a time.

use crate::{DIGITS, Decimal, Scan, WINDOW};

/// The operations for any processor.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

const ONES: u64 = 0x0101_0101_0101_0101;
const LOW: u64 = ONES * 0x7F;
const TOP: u64 = ONES * 0x80;

impl Scan for Portable {
    #[inline(always)]
    fn line_feeds(self, window: &[u8; WINDOW]) -> u64 {
        each_word(window, |word| equal(word, b'\n'))
    }

    #[inline(always)]
    fn gaps(self, window: &[u8; WINDOW]) -> u64 {
        each_word(window, not_above_space)
    }

    #[inline(always)]
    fn few_gaps(self, window: &[u8; WINDOW / 2]) -> u32 {
        each_word(window, not_above_space) as u32
    }

    #[inline(always)]
    fn same(self, a: &[u8; 16], b: &[u8; 16], mask: &[u8; 16]) -> bool {
        let word = |bytes: &[u8; 16]| u128::from_le_bytes(*bytes);
        (word(a) ^ word(b)) & word(mask) == 0
    }

    #[inline(always)]
    fn tags(self, tags: &[u8; 16], wanted: u8) -> (u32, u32) {
        let bits = |byte: u8| {
            let (words, _) = tags.as_chunks::<8>();
            let marks = |word: &[u8; 8]| gather(equal(u64::from_le_bytes(*word), byte)) as u32;
            marks(&words[0]) | marks(&words[1]) << 8
        };
        (bits(wanted), bits(0))
    }

    #[inline(always)]
    fn multiply_add(self, a: f32, b: f32, c: f32) -> f32 {
        a * b + c
    }

    type Form = u32;

    #[inline(always)]
    fn form(self, decimals: u32) -> u32 {
        decimals
    }

    #[inline(always)]
    fn scaled(self, form: &mut u32, text: &[u8; 16], length: usize) -> Option<Decimal> {
        let text = text.get(..length)?;
        let bare = text.strip_suffix(b".");
        let text = bare.unwrap_or(text);
        let written = decimal(text).filter(|number| bare.is_none() || number.decimals == 0)?;
        let point = usize::from(written.decimals > 0);
        let before = text.len() - usize::from(written.negative) - point;
        let before = (before as u32 - written.decimals).checked_sub(1)? + 1;
        let room = (DIGITS as u32).checked_sub(before)?;
        let decimals = if *form > 0 { *form } else { room };
        let more = decimals.checked_sub(written.decimals).filter(|_| decimals <= room)?;
        Some(Decimal { digits: written.digits * 10_u64.pow(more), decimals, ..written })
    }
}

/// The number of a text of up to 16 bytes, if all of it is a number: an optional
/// minus, and from 1 to 15 digits with at most one point, which is not the last
/// byte.
pub fn decimal(text: &[u8]) -> Option<Decimal> {
    const WIDE: u128 = u128::MAX / 0xFF;
    let negative = text.first() == Some(&b'-');
    let number = &text[usize::from(negative)..];
    let mut last = [0; 16];
    last[16_usize.checked_sub(number.len())?..].copy_from_slice(number);
    let word = u128::from_le_bytes(last);
    let unlike = word ^ (WIDE * u128::from(b'.'));
    let points = !(((unlike & (WIDE * 0x7F)) + WIDE * 0x7F) | unlike) & (WIDE * 0x80);
    // The bytes before the point move over it by one.
    let (moved, decimals) = if points == 0 {
        (word, 0)
    } else {
        let at = points.trailing_zeros() / 8;
        let front = word & ((1 << (8 * at)) - 1);
        let behind = word.unbounded_shr(8 * (at + 1)).unbounded_shl(8 * (at + 1));
        (behind | front << 8, 15 - at)
    };
    let digits = number.len() - usize::from(points != 0);
    if !(1..=DIGITS).contains(&digits) || last[15] == b'.' {
        return None;
    }
    let inside = u128::MAX << (8 * (16 - digits));
    let values = moved ^ ((WIDE * u128::from(b'0')) & inside);
    let beyond_nine = ((values & (WIDE * 0x7F)) + WIDE * (0x7F - 9)) | values;
    if beyond_nine & (WIDE * 0x80) != 0 {
        return None;
    }
    let (high, low) = (joined(values as u64), joined((values >> 64) as u64));
    Some(Decimal { negative, digits: high * 100_000_000 + low, decimals })
}

/// The top bit of each byte that is not above a space.
#[inline(always)]
fn not_above_space(word: u64) -> u64 {
    let above = ((word & LOW) + ONES * (0x7F - 0x20)) | word;
    !above & TOP
}

/// The marks that a function sets in the top bits of the bytes of up to eight words.
#[inline(always)]
fn each_word(window: &[u8], f: impl Fn(u64) -> u64) -> u64 {
    let (words, _) = window.as_chunks::<8>();
    let marks = |word: &[u8; 8]| gather(f(u64::from_le_bytes(*word)));
    words.iter().rev().fold(0, |all, word| all << 8 | marks(word))
}

/// The top bits of eight bytes as one byte, by halves.
#[inline(always)]
fn gather(marks: u64) -> u64 {
    let bits = marks >> 7;
    let pairs = (bits | bits >> 7) & 0x0003_0003_0003_0003;
    let fours = (pairs | pairs >> 14) & 0x0000_000F_0000_000F;
    (fours | fours >> 28) & 0xFF
}

/// The top bit of each byte that is this one. Exact for every byte: the sum
/// cannot carry into the next.
#[inline(always)]
fn equal(word: u64, byte: u8) -> u64 {
    let unlike = word ^ (ONES * u64::from(byte));
    !(((unlike & LOW) + LOW) | unlike) & TOP
}

/// The number of a text of eight digits, or `None` if it is anything else.
#[inline(always)]
pub fn eight_digits(text: &[u8; 8]) -> Option<u64> {
    let values = u64::from_le_bytes(*text) ^ (ONES * u64::from(b'0'));
    // Only a byte that is already marked can cause a carry.
    let beyond_nine = values.wrapping_add(ONES * (0x7F - 9)) | values;
    (beyond_nine & TOP == 0).then(|| joined(values))
}

/// The number of eight digits, the first in the lowest byte: first pairs, then
/// fours, then all.
#[inline(always)]
fn joined(values: u64) -> u64 {
    let pairs = (values * 10 + (values >> 8)) & 0x00FF_00FF_00FF_00FF;
    let fours = (pairs * 100 + (pairs >> 16)) & 0x0000_FFFF_0000_FFFF;
    (fours * 10_000 + (fours >> 32)) & 0xFFFF_FFFF
}
