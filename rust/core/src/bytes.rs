//! Fields and ids in lines of bytes.
//!
//! Runs and judgments are text in columns, and reading them is where an
//! evaluator spends its time, so nothing here copies or decodes: a field is a
//! slice of its line, and an id is bytes.

/// What separates fields: spaces and tabs. A carriage return belongs to the end of its line.
#[inline]
pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// White space of the C locale without the line feed, which ends lines.
#[inline]
pub fn is_white_space(byte: u8) -> bool {
    byte == b' ' || (byte.wrapping_sub(b'\t') < 5 && byte != b'\n')
}

/// The next field of a line: its first byte and the byte after its last.
#[inline]
pub fn field(line: &[u8], from: usize) -> Option<(usize, usize)> {
    field_between(line, from, is_space)
}

/// The same, where other bytes separate fields; none of them is above a space.
#[inline]
pub fn field_between(
    line: &[u8],
    from: usize,
    separates: impl Fn(u8) -> bool + Copy,
) -> Option<(usize, usize)> {
    let start = from + line.get(from..)?.iter().position(|&b| !separates(b))?;
    Some((start, field_end(line, start, separates)))
}

/// The end of the field that a position is in, eight bytes at a time; a line
/// feed ends it too.
#[inline]
pub fn field_end(text: &[u8], mut at: usize, separates: impl Fn(u8) -> bool + Copy) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let ends = |byte: u8| separates(byte) || byte == b'\n';
    while let Some(chunk) = text.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let word = u64::from_le_bytes(*chunk);
        // The lowest marked byte is the first one not above a space.
        let marks = word.wrapping_sub(ONES * 0x21) & !word & (ONES * 0x80);
        if marks == 0 {
            at += 8;
            continue;
        }
        at += marks.trailing_zeros() as usize / 8;
        if ends(text[at]) {
            return at;
        }
        at += 1;
    }
    text[at..].iter().position(|&b| ends(b)).map_or(text.len(), |n| at + n)
}

/// All fields of a line, for the paths where speed does not matter.
pub fn fields(line: &[u8]) -> Vec<(usize, usize)> {
    let mut spans = Vec::new();
    fields_into(line, &mut spans);
    spans
}

/// As [`fields`], into a reused buffer.
pub fn fields_into(line: &[u8], spans: &mut Vec<(usize, usize)>) {
    fields_between(line, is_space, spans);
}

/// The same, where other bytes separate fields; none of them is above a space.
pub fn fields_between(
    line: &[u8],
    separates: impl Fn(u8) -> bool + Copy,
    spans: &mut Vec<(usize, usize)>,
) {
    spans.clear();
    let mut at = 0;
    while let Some(span) = field_between(line, at, separates) {
        spans.push(span);
        at = span.1;
    }
}

/// Whether two ids are the same, without a call for the short ones.
#[inline]
pub fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    if a.len() <= 16 {
        if let (Some(a_first), Some(b_first)) = (a.first_chunk::<8>(), b.first_chunk::<8>())
            && let (Some(a_last), Some(b_last)) = (a.last_chunk::<8>(), b.last_chunk::<8>())
        {
            return a_first == b_first && a_last == b_last;
        }
        return short_words(a) == short_words(b);
    }
    a == b
}

/// The first sixteen bytes as a number, padded with zeros: different numbers are in the
/// byte order of their texts.
#[inline(always)]
pub fn beginning(id: &[u8]) -> u128 {
    let id = &id[..id.len().min(16)];
    let length = id.len() as u32;
    let (high, low) = if let Some((first, last)) = id.first_chunk().zip(id.last_chunk()) {
        let last = u64::from_be_bytes(*last).unbounded_shl(8 * (16 - length));
        (u64::from_be_bytes(*first), last)
    } else {
        let word = id.iter().fold(0, |word, &byte| word << 8 | u64::from(byte));
        (word.unbounded_shl(8 * (8 - length)), 0)
    };
    u128::from(high) << 64 | u128::from(low)
}

/// Up to seven bytes as two overlapping words; with the length they are unique.
#[inline]
pub(crate) fn short_words(id: &[u8]) -> (u64, u64) {
    match (id.first_chunk::<4>(), id.last_chunk::<4>()) {
        (Some(a), Some(b)) => (u32::from_le_bytes(*a).into(), u32::from_le_bytes(*b).into()),
        _ => (id.iter().fold(0, |word, &b| word << 8 | u64::from(b)), 0),
    }
}

#[cfg(test)]
mod tests;
