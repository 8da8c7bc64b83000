use super::*;
use proptest::prelude::*;

#[test]
fn odd_numbers() {
    assert_eq!(number(b"-.5"), Some(-0.5));
    assert_eq!(number(b"5."), Some(5.0));
    assert_eq!(number(b"+1e-3"), Some(0.001));
    assert_eq!(number(b"1e400"), Some(f64::INFINITY));
    assert!(number(b"nan").is_some_and(f64::is_nan));
    for text in ["", ".", "-", "1x", "0x10", "1,5", "--1"] {
        assert_eq!(number(text.as_bytes()), None, "{text}");
    }
    assert_eq!(lenient_number(b"3x"), 3.0);
    assert_eq!(lenient_number(b"abc"), 0.0);
    assert_eq!(lenient_number(b"-.5e"), -0.5);
    assert_eq!(lenient_number(b"1e2.5"), 100.0);
    assert_eq!(lenient_number(b"-INFINITY"), f64::NEG_INFINITY);
    assert_eq!(lenient_number(b"."), 0.0);
    assert_eq!(lenient_number(b"-0x1.8p3x"), -12.0);
}

/// Reads two texts in turn; the form of the first makes no difference.
struct Formed<'a>([([u8; 16], &'a str); 2]);

impl cranfield_scan::Task for Formed<'_> {
    type Output = [Option<f64>; 2];

    #[inline(always)]
    fn run<S: Scan>(self, scan: S) -> Self::Output {
        let mut form = scan.form(0);
        self.0.map(|(first, text)| formed_number(scan, &mut form, &first, text.as_bytes()))
    }
}

proptest! {
    #[test]
    fn numbers_are_those_of_the_standard_library(text in "[-+]?[0-9]{0,20}(\\.[0-9]{0,12})?(e-?[0-9]{1,3})?") {
        prop_assert_eq!(number(text.as_bytes()).map(f64::to_bits), text.parse::<f64>().ok().map(f64::to_bits));
    }

    #[test]
    fn long_numbers_are_those_of_the_standard_library(
        text in "[-+]?[0-9]{0,3}(\\.[0-9]{0,22}0{0,20})?([eE][+-]?[0-9]{1,3})?",
    ) {
        if let Some(number) = long_number(text.as_bytes()) {
            prop_assert_eq!(Some(number.to_bits()), text.parse::<f64>().ok().map(f64::to_bits));
        }
    }

    #[test]
    fn formed_numbers_are_those_of_the_standard_library(
        text in "-?[0-9]{1,17}(\\.[0-9]{1,20}0{0,20})?([eE][+-][0-9]{2})?|[-+0-9.eE]{4,40}",
        usual in "-?[0-9]\\.[0-9]{1,13}e[+-]0[0-8]|-?[1-9]\\.[0-9]{14,17}0{0,16}",
    ) {
        let first = |text: &str| *format!("{text:\n<16}").as_bytes().first_chunk().unwrap();
        let (text, usual) = ((first(&text), &*text), (first(&usual), &*usual));
        for texts in [[text, usual], [usual, text]] {
            for (found, (_, text)) in cranfield_scan::run(Formed(texts)).iter().zip(texts) {
                let bits = found.map(f64::to_bits);
                prop_assert!(bits.is_none() || bits == text.parse::<f64>().ok().map(f64::to_bits), "{}", text);
                prop_assert!(bits.is_some() || text != usual.1, "{}", text);
            }
        }
    }

    #[test]
    fn numbers_close_to_half_way_are_rounded(bits: u64, digits in 15usize..20, power in -26i32..0) {
        // Half-way between two neighbouring doubles, as far as decimals can express it.
        let value = f64::from_bits((bits >> 12) | 1023 << 52) * 10f64.powi(power);
        let text = format!("{value:.digits$e}");
        let expected = text.parse::<f64>().unwrap();
        prop_assert_eq!(number(text.as_bytes()).map(f64::to_bits), Some(expected.to_bits()));
    }
}
