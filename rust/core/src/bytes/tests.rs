use super::*;
use proptest::prelude::*;

#[test]
fn fields_are_split_at_spaces_and_tabs() {
    let line = b" \t401 Q0\tdoc-1\x0b\x0c 3\r";
    let texts: Vec<&[u8]> = fields(line).into_iter().map(|(a, b)| &line[a..b]).collect();
    assert_eq!(texts, [&b"401"[..], b"Q0", b"doc-1\x0b\x0c", b"3"]);
    let mut spans = Vec::new();
    fields_between(line, is_white_space, &mut spans);
    assert_eq!(spans.last(), Some(&(17, 18)));
    assert_eq!(fields(b"  \r"), []);
}

#[test]
fn the_end_of_a_field_is_found_in_any_alignment() {
    for length in 0..40 {
        for tail in ["", " ", "\t1", "\r", "\u{b}z"] {
            let line =
                format!("{}{tail}", "é\u{1}x".chars().cycle().take(length).collect::<String>());
            let end = line.len() - tail.len();
            assert_eq!(field_end(line.as_bytes(), 0, is_white_space), end, "{line:?}");
        }
    }
}

proptest! {
    #[test]
    fn sameness_is_equality(a in "[ab]{0,20}", b in "[ab]{0,20}") {
        prop_assert!(same(a.as_bytes(), a.clone().as_bytes()));
        prop_assert_eq!(same(a.as_bytes(), b.as_bytes()), a == b);
    }

    #[test]
    fn beginnings_are_in_the_order_of_bytes(a in "[\0ab]{0,20}", b in "[\0ab]{0,20}") {
        let order = beginning(a.as_bytes()).cmp(&beginning(b.as_bytes()));
        prop_assert!(order == a.cmp(&b) || order.is_eq());
        prop_assert!(order.is_ne() || a == b || a.len().max(b.len()) > 16 || (a + &b).contains('\0'));
    }
}
