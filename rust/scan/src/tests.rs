//! Both kinds of operations against the definitions, on random bytes.

use super::*;
use proptest::prelude::*;

/// Bytes among which special ones are frequent.
fn window() -> impl Strategy<Value = [u8; WINDOW]> {
    let byte = prop_oneof![
        4 => prop::sample::select(b"\n\r\t \x0b\x0c\x00\x1f!.09:/-\x7f\x80\xff".to_vec()),
        2 => any::<u8>(),
    ];
    prop::collection::vec(byte, WINDOW).prop_map(|bytes| bytes.try_into().unwrap())
}

fn bits(window: &[u8; WINDOW], is: impl Fn(u8) -> bool) -> u64 {
    window.iter().enumerate().map(|(i, &byte)| u64::from(is(byte)) << i).sum()
}

fn number(text: &[u8]) -> Option<Decimal> {
    let text = std::str::from_utf8(text).ok()?;
    let (negative, text) = text.strip_prefix('-').map_or((false, text), |text| (true, text));
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = format!("{whole}{fraction}");
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let plain = plain && !text.ends_with('.') && digits.len() <= DIGITS;
    let decimals = fraction.len() as u32;
    plain.then(|| Decimal { negative, digits: digits.parse().unwrap(), decimals })
}

/// The number with this many decimals, or as many as fit.
fn scaled(text: &str, decimals: u32) -> Option<Decimal> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let before = whole.trim_start_matches('-').len();
    let room = DIGITS.checked_sub(before).filter(|_| before > 0)?;
    let decimals = if decimals > 0 { decimals as usize } else { room };
    if decimals > room || fraction.len() > decimals || fraction.contains('.') {
        return None;
    }
    let zeros = "0".repeat(decimals - fraction.len());
    let scaled = number(format!("{whole}{fraction}{zeros}").as_bytes())?;
    Some(Decimal { decimals: decimals as u32, ..scaled })
}

/// Runs a check with both kinds of operations.
fn each(check: impl Fn(&dyn Operations)) {
    struct Both<F>(F);
    impl<F: Fn(&dyn Operations)> Task for Both<F> {
        type Output = ();
        fn run<S: Scan>(self, scan: S) {
            (self.0)(&scan);
        }
    }
    Both(&check).run(Portable);
    run(Both(&check));
}

/// The operations behind a trait object.
trait Operations {
    fn windows(&self, window: &[u8; WINDOW]) -> (u64, u64);
    fn few_gaps(&self, window: &[u8; WINDOW / 2]) -> u32;
    fn scaled(&self, decimals: u32, text: &[u8; 16], length: usize) -> Option<Decimal>;
    fn same(&self, a: &[u8; 16], b: &[u8; 16], mask: &[u8; 16]) -> bool;
    fn tags(&self, tags: &[u8; 16], wanted: u8) -> (u32, u32);
    fn multiply_add(&self, a: f32, b: f32, c: f32) -> f32;
}

impl<S: Scan> Operations for S {
    fn windows(&self, window: &[u8; WINDOW]) -> (u64, u64) {
        (self.line_feeds(window), self.gaps(window))
    }

    fn few_gaps(&self, window: &[u8; WINDOW / 2]) -> u32 {
        Scan::few_gaps(*self, window)
    }

    fn scaled(&self, decimals: u32, text: &[u8; 16], length: usize) -> Option<Decimal> {
        // The form of the previous number does not affect the result.
        let mut form = self.form(decimals);
        let fresh = Scan::scaled(*self, &mut form.clone(), text, length);
        let others =
            [(b"1234.56780000000", 9), (b"0.00000000000000", 16), (b"-123.45670000000", 9)];
        for (other, its) in [others[0], others[1], others[2], (text, length)] {
            Scan::scaled(*self, &mut form, other, its);
            assert_eq!(Scan::scaled(*self, &mut form.clone(), text, length), fresh);
        }
        fresh
    }

    fn same(&self, a: &[u8; 16], b: &[u8; 16], mask: &[u8; 16]) -> bool {
        Scan::same(*self, a, b, mask)
    }

    fn tags(&self, tags: &[u8; 16], wanted: u8) -> (u32, u32) {
        Scan::tags(*self, tags, wanted)
    }

    fn multiply_add(&self, a: f32, b: f32, c: f32) -> f32 {
        Scan::multiply_add(*self, a, b, c)
    }
}

proptest! {
    #[test]
    fn windows_are_read_as_defined(window in window()) {
        let expected = (bits(&window, |b| b == b'\n'), bits(&window, |b| b <= b' '));
        each(|scan| assert_eq!(scan.windows(&window), expected));
        let half = window.first_chunk().unwrap();
        each(|scan| assert_eq!(scan.few_gaps(half), expected.1 as u32));
    }

    #[test]
    fn a_product_is_added_with_at_most_two_roundings(
        a in -1e3f32..1e3,
        b in -1e3f32..1e3,
        c in -1e3f32..1e3,
    ) {
        let exact = f64::from(a) * f64::from(b) + f64::from(c);
        let bound = f64::from(f32::EPSILON) * (f64::from(a * b).abs() + exact.abs()) / 1.9;
        each(|scan| assert!((f64::from(scan.multiply_add(a, b, c)) - exact).abs() <= bound));
    }

    #[test]
    fn numbers_are_read_as_defined(
        text in "-?[0-9]{0,16}\\.?[0-9]{0,16}|-?[0-9]{1,4}\\.[0-9]{0,9}|[0-9.:/e+-]{0,16}",
        behind in "[ 0-9.\n-]{16}",
        decimals in 0u32..16,
    ) {
        let text = &text[..text.len().min(16)];
        prop_assert_eq!(decimal(text.as_bytes()), number(text.as_bytes()), "{}", text);
        let all = format!("{text}{behind}");
        let first: [u8; 16] = *all.as_bytes().first_chunk().unwrap();
        let expected = scaled(text, decimals);
        each(|scan| assert_eq!(scan.scaled(decimals, &first, text.len()), expected, "{text}"));
    }

    #[test]
    fn eight_bytes_are_digits_or_not(window in window(), digits in "[0-9]{8}", place in 0usize..8) {
        let mut text: [u8; 8] = digits.as_bytes().try_into().unwrap();
        prop_assert_eq!(eight_digits(&text), digits.parse().ok());
        text[place] = window[place];
        let expected = text.iter().all(u8::is_ascii_digit).then(|| number(&text).unwrap().digits);
        prop_assert_eq!(eight_digits(&text), expected);
    }

    #[test]
    fn any_bytes_are_numbers_or_not(window in window(), length in 1usize..=16) {
        let text = window.first_chunk::<16>().unwrap();
        prop_assert_eq!(decimal(&text[..length]), number(&text[..length]));
        let expected = std::str::from_utf8(&text[..length]).ok().and_then(|text| scaled(text, 0));
        each(|scan| assert_eq!(scan.scaled(0, text, length), expected));
    }

    #[test]
    fn words_are_the_same_where_the_mask_says(a in window(), b in window(), mask in any::<u16>()) {
        let mask: [u8; 16] = std::array::from_fn(|i| if mask >> i & 1 == 1 { 0xFF } else { 0 });
        let (a, b) = (a.first_chunk().unwrap(), b.first_chunk::<16>().unwrap());
        let mixed: [u8; 16] = std::array::from_fn(|i| if mask[i] > 0 { a[i] } else { b[i] });
        let expected = (0..16).all(|i| mask[i] == 0 || a[i] == b[i]);
        each(|scan| assert_eq!((scan.same(a, b, &mask), scan.same(a, &mixed, &mask)), (expected, true)));
    }

    #[test]
    fn tags_are_found(window in window(), wanted: u8, place in 0usize..16) {
        let tags = window.first_chunk().unwrap();
        for wanted in [wanted, tags[place]] {
            let marks = |byte| bits(&window, |b| b == byte) as u32 & 0xFFFF;
            each(|scan| assert_eq!(scan.tags(tags, wanted), (marks(wanted), marks(0))));
        }
    }

    #[test]
    fn line_ends_are_the_line_feeds(text in prop::collection::vec(prop::sample::select(b"\n\nx \xff".to_vec()), 0..300)) {
        let expected: Vec<u32> = (0..).zip(&text).filter(|(_, b)| **b == b'\n').map(|(i, _)| i).collect();
        let mut ends = Vec::new();
        let count = line_ends(&text, &mut ends);
        prop_assert_eq!(&ends[..count], &expected[..]);
        let count = LineEnds { text: &text, ends: &mut ends }.run(Portable);
        prop_assert_eq!(&ends[..count], &expected[..]);
    }
}

#[test]
fn every_byte_in_every_place() {
    for byte in 0..=255 {
        for place in 0..WINDOW {
            let mut window = [b'x'; WINDOW];
            window[place] = byte;
            let at = |is: bool| u64::from(is) << place;
            let expected = (at(byte == b'\n'), at(byte <= b' '));
            each(|scan| assert_eq!(scan.windows(&window), expected, "{byte} at {place}"));
            if place < 16 {
                let mut text = [b'1'; 16];
                text[place] = byte;
                text[3] = if place == 3 { byte } else { b'.' };
                let expected = std::str::from_utf8(&text).ok().and_then(|text| scaled(text, 0));
                each(|scan| {
                    assert_eq!(scan.scaled(0, &text, 16), expected, "{byte} at {place}");
                });
            }
        }
    }
}
