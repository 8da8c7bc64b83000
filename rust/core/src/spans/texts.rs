//! Where quotes stand in texts: as they are, with any white space, or but for their typography.
//!
//! Texts are code points, which offsets count. Halves of pairs, which Python's text can have, are
//! no characters of Rust.

use crate::score_files::is_space;

/// A place in a text: the first code point, and the one behind the last.
pub type TextPlace = (usize, usize);

/// Where a quote stands as it is.
pub fn exact(text: &[u32], quote: &[u32]) -> Vec<TextPlace> {
    let starts = (0..=text.len()).filter(|&start| text[start..].starts_with(quote));
    starts.map(|start| (start, start + quote.len())).collect()
}

/// Where a quote stands if any white space between two words is as good as another.
pub fn spaced(text: &[u32], quote: &[u32]) -> Vec<TextPlace> {
    let words: Vec<&[u32]> =
        quote.split(|letter| is_white(*letter)).filter(|word| !word.is_empty()).collect();
    if words.is_empty() {
        return Vec::new();
    }
    let places = (0..text.len()).map(|start| Some((start, end_of(text, start, &words)?)));
    places.flatten().collect()
}

/// Where words end that begin at a place, if they stand there.
fn end_of(text: &[u32], start: usize, words: &[&[u32]]) -> Option<usize> {
    let mut at = start;
    for (number, word) in words.iter().enumerate() {
        if number > 0 {
            let spaces = text[at..].iter().take_while(|letter| is_white(**letter)).count();
            if spaces == 0 {
                return None;
            }
            at += spaces;
        }
        if !text[at..].starts_with(word) {
            return None;
        }
        at += word.len();
    }
    Some(at)
}

fn is_white(letter: u32) -> bool {
    char::from_u32(letter).is_some_and(is_space)
}

/// A text without case, compatibility forms and kinds of marks, and where each letter was.
#[derive(Clone, Debug, Default)]
pub struct Folded {
    letters: Vec<u32>,
    places: Vec<usize>,
}

impl Folded {
    /// The text of code points; `fold` leaves out the case and the forms of one.
    pub fn of<E>(
        text: &[u32],
        mut fold: impl FnMut(u32) -> Result<Vec<u32>, E>,
    ) -> Result<Self, E> {
        let mut folded = Folded::default();
        for (place, &letter) in text.iter().enumerate() {
            if letter < 0x80 {
                folded.letters.push(u32::from((letter as u8).to_ascii_lowercase()));
                folded.places.push(place);
                continue;
            }
            for one in fold(letter)? {
                folded.letters.push(without_kind(one));
                folded.places.push(place);
            }
        }
        Ok(folded)
    }

    /// Where a quote stands in the text that this is of.
    pub fn spaced(&self, quote: &Folded) -> Vec<TextPlace> {
        let found = spaced(&self.letters, &quote.letters).into_iter();
        found.map(|(start, end)| (self.places[start], self.places[end - 1] + 1)).collect()
    }
}

/// The plain one of a kind of quotation marks or dashes; any other letter as it is.
fn without_kind(letter: u32) -> u32 {
    match letter {
        0x2018..=0x201B | 0x2032 => u32::from(b'\''),
        0x201C..=0x201F | 0x2033 => u32::from(b'"'),
        0x2010..=0x2015 | 0x2212 => u32::from(b'-'),
        _ => letter,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(text: &str) -> Vec<u32> {
        text.chars().map(u32::from).collect()
    }

    #[test]
    fn quotes_are_found_at_every_place() {
        assert_eq!(exact(&points("aXaXa"), &points("aXa")), [(0, 3), (2, 5)]);
        assert_eq!(exact(&points("ab"), &[]), [(0, 0), (1, 1), (2, 2)]);
        let text = points("the \u{a0} cat\nthe cat");
        assert_eq!(spaced(&text, &points(" the\tcat ")), [(0, 9), (10, 17)]);
        assert_eq!(spaced(&text, &points("  ")), []);
        assert_eq!(spaced(&text, &points("thecat")), []);
    }

    #[test]
    fn folded_letters_know_where_they_were() {
        let fold = |letter| Ok::<_, ()>(vec![letter, u32::from(b'!')]);
        let folded = |text: &str| Folded::of(&points(text), fold).unwrap();
        let text = folded("A\u{201c}b\u{201c}");
        assert_eq!(text.spaced(&folded("a\u{201d}B")), [(0, 3)]);
    }
}
