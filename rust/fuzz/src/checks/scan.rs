//! The loops over bytes and integers: both kinds of operations, on bytes at any alignment, give
//! what the definitions say.

use cranfield_scan::{
    DIGITS, Decimal, Filter, Portable, Scan, Task, WINDOW, decimal, eight_digits, find_few,
    line_ends, run,
};

/// The most bytes of an input.
const MOST: usize = 512;

#[repr(align(64))]
struct Aligned([u8; MOST + 2 * WINDOW]);

/// Everything that the operations say of a text and the bytes behind it.
struct All<'a> {
    text: &'a [u8],
    decimals: u32,
    wanted: u8,
}

#[derive(Debug, Default, PartialEq)]
struct Said {
    bits: Vec<(u64, u64, u32, bool, u32, u32)>,
    numbers: Vec<Option<Decimal>>,
}

impl Task for All<'_> {
    type Output = Said;

    #[inline(always)]
    fn run<S: Scan>(self, scan: S) -> Said {
        let mut said = Said::default();
        let mut above = [b' '; 16];
        for window in self.text.windows(WINDOW).step_by(16) {
            let window: &[u8; WINDOW] = window.try_into().unwrap();
            let word = window.first_chunk::<16>().unwrap();
            let mask = word.map(|byte| if byte & 1 == 0 { 0xFF } else { 0 });
            let (found, empty) = scan.tags(word, self.wanted);
            said.bits.push((
                scan.line_feeds(window),
                scan.gaps(window),
                scan.few_gaps(window.first_chunk().unwrap()),
                scan.same(word, &above, &mask),
                found,
                empty,
            ));
            above = *word;
        }
        // The form of one number is that of the next, whatever was between.
        let mut form = scan.form(self.decimals);
        let mut from = 0;
        while let Some(word) = self.text.get(from..from + 16) {
            let word: &[u8; 16] = word.try_into().unwrap();
            let length = word.iter().position(|byte| *byte <= b' ').unwrap_or(16);
            said.numbers.push(scan.scaled(&mut form, word, length));
            from += length + 1;
        }
        said
    }
}

/// The bits by their definition.
fn defined(text: &[u8], wanted: u8) -> Vec<(u64, u64, u32, bool, u32, u32)> {
    let marks = |bytes: &[u8], is: &dyn Fn(u8) -> bool| {
        bytes.iter().enumerate().map(|(at, byte)| u64::from(is(*byte)) << at).sum::<u64>()
    };
    let mut above = [b' '; 16];
    let windows = text.windows(WINDOW).step_by(16);
    let said = windows.map(|window| {
        let word: [u8; 16] = *window.first_chunk().unwrap();
        let same = (0..16).all(|at| word[at] & 1 == 1 || word[at] == above[at]);
        above = word;
        (
            marks(window, &|byte| byte == b'\n'),
            marks(window, &|byte| byte <= b' '),
            marks(&window[..32], &|byte| byte <= b' ') as u32,
            same,
            marks(&word, &|byte| byte == wanted) as u32,
            marks(&word, &|byte| byte == 0) as u32,
        )
    });
    said.collect()
}

/// The number of a text by its definition.
fn number(text: &[u8]) -> Option<Decimal> {
    let (negative, rest) = text.strip_prefix(b"-").map_or((false, text), |rest| (true, rest));
    let (mut digits, mut count, mut decimals) = (0_u64, 0, None);
    for byte in rest {
        match byte {
            b'0'..=b'9' if count < DIGITS => {
                digits = digits * 10 + u64::from(byte - b'0');
                count += 1;
                decimals = decimals.map(|decimals| decimals + 1);
            }
            b'.' if decimals.is_none() => decimals = Some(0),
            _ => return None,
        }
    }
    let whole = count > 0 && decimals != Some(0);
    whole.then(|| Decimal { negative, digits, decimals: decimals.unwrap_or(0) })
}

fn integers(text: &[u8], wanted: u8) {
    let ids: Vec<i32> = text.iter().map(|byte| i32::from(*byte) - 64).collect();
    let wanted: Vec<i32> = (0..i32::from(wanted % 5)).map(|k| i32::from(wanted) - 64 + k).collect();
    let mut found = Vec::new();
    find_few(&ids, &wanted, &mut found);
    let expected = (0..).zip(&ids).filter_map(|(at, id)| {
        wanted.iter().position(|one| one == id).map(|place| (at, place as u32))
    });
    assert!(expected.eq(found.iter().copied()));
    let mut filter = Filter::new(wanted.len(), 7);
    for one in &wanted {
        filter.insert(i64::from(*one) as u64);
    }
    let mut maybe = Vec::new();
    let count = filter.sieve(&ids, &mut maybe);
    let passed = &maybe[..count];
    assert!(found.iter().all(|(at, _)| passed.binary_search(at).is_ok()));
}

/// Panics if an input does not keep what has to hold.
pub fn check(bytes: &[u8]) {
    let [at, choices, wanted, text @ ..] = bytes else { return };
    let text = &text[..text.len().min(MOST)];
    let mut place = Aligned([b'\n'; MOST + 2 * WINDOW]);
    let start = usize::from(*at) % WINDOW;
    place.0[start..start + text.len()].copy_from_slice(text);
    let all = &place.0[start..start + text.len() + WINDOW];
    let task = || All { text: all, decimals: u32::from(choices % 16), wanted: *wanted };
    let portable = Portable;
    let said = task().run(portable);
    assert_eq!(run(task()), said);
    assert_eq!(said.bits, defined(all, *wanted));
    for word in text.split(|byte| *byte <= b' ').filter(|word| word.len() <= 16) {
        assert_eq!(decimal(word), number(word), "{word:?}");
        if let Ok(eight) = word.try_into() {
            let plain = word.iter().all(u8::is_ascii_digit);
            assert_eq!(eight_digits(eight), number(word).filter(|_| plain).map(|n| n.digits));
        }
    }
    let mut ends = Vec::new();
    let count = line_ends(text, &mut ends);
    let expected = (0..).zip(text).filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at);
    assert!(expected.eq(ends[..count].iter().copied()));
    integers(text, *wanted);
}
