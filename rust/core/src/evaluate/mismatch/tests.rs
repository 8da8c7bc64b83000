use super::*;

/// What is said of ids separated by spaces (`~` is a space in an id).
fn said(found: &str, expected: &str) -> String {
    let ids = |text: &str| -> Vec<Vec<u8>> {
        text.split(' ').map(|id| id.replace('~', " ").into_bytes()).collect()
    };
    let (found, expected) = (ids(found), ids(expected));
    let slices = |ids: &[Vec<u8>]| ids.iter().map(|id| id.clone().leak() as &[u8]).collect();
    let (found, expected): (Vec<&[u8]>, Vec<&[u8]>) = (slices(&found), slices(&expected));
    hint(&found, &expected).unwrap().unwrap_or_default()
}

#[test]
fn a_simple_change_is_named() {
    for (found, expected, what) in [
        ("0012 0013", "12 13", "without leading zeros, 2 of 2"),
        ("12 13", "0012 0014", "without leading zeros, 1 of 2"),
        ("doc-007 doc-008", "doc-7 doc-8", "without leading zeros, 2 of 2"),
        ("0 1", "00 01", "without leading zeros, 2 of 2"),
        ("10.0 11.0", "10 11", "without `.0` at the end, 2 of 2"),
        ("10 11", "10.0 11.00", "without `.0` at the end, 2 of 2"),
        ("Ft-1 FT-2", "ft-1 ft-2", "regardless of case, 2 of 2"),
        ("É1", "é1", "regardless of case, 1 of 1"),
        ("12~ ~13", "12 13", "without white space, 2 of 2"),
        ("b'12' b'13'", "12 13", "without quotation marks, 2 of 2"),
        ("12 13", "\"12\" \"13\"", "without quotation marks, 2 of 2"),
        ("doc12 doc3", "12 3", "without the prefix `doc` of the run, 2 of 2"),
        ("12 3", "D12 D3", "without the prefix `D` of the judgments, 2 of 2"),
        ("a.txt b.txt", "a b", "without the suffix `.txt` of the run, 2 of 2"),
        ("a b", "a_0 b_0", "without the suffix `_0` of the judgments, 2 of 2"),
        (
            "MS012 MS013",
            "12 13",
            "without leading zeros and without the prefix `MS` of the run, 2 of 2",
        ),
        ("d1#3 d2#14", "d1 d2", "without what follows the last `#` in the run, 2 of 2"),
        ("x/a yy/b", "a b", "without what precedes the last `/` in the run, 2 of 2"),
    ] {
        assert_eq!(said(found, expected), format!("{what} would match"), "{found} {expected}");
    }
}

#[test]
fn what_no_simple_change_joins_has_no_hint() {
    // A prefix of a number is none: 112 is not 12.
    for (found, expected) in [("112 113", "12 13"), ("a b", "c d"), ("a", "1"), ("x~", "y")] {
        assert_eq!(said(found, expected), "", "{found} {expected}");
    }
}
