//! Document ids that are integers, found without writing their digits.
//!
//! An array has the integer 7 where a file has the text `7`. A judged id is
//! that integer if it is its canonical decimal text: `07`, `+7` and `-0` are
//! not integers but names.

use cranfield_scan::{Filter, Integer, MOST_COMPARED, find_few};

/// The ids of a topic that are integers, with their numbers in its table.
#[derive(Clone, Debug)]
pub struct Integers {
    few: [u64; MOST_COMPARED],
    few_numbers: [u32; MOST_COMPARED],
    count: usize,
    /// Only if there are more than [`MOST_COMPARED`].
    many: Option<Box<Many>>,
}

#[derive(Clone, Debug)]
struct Many {
    filter: Filter,
    known: PackedIntegers,
    /// The number of each of these; none if they are numbered as they stand, since all ids of
    /// the topic are integers.
    numbers: Option<Vec<u32>>,
    /// An open-addressing table whose size is a power of two, at most half full:
    /// the position of an integer in `known`, from 1, or 0 for an empty slot.
    /// The integers of all topics together should fit into the cache.
    slots: Slots,
}

/// Integers of 64 bits, in the half of the memory if their upper bits are zero.
#[derive(Clone, Debug)]
enum PackedIntegers {
    Narrow(Vec<u32>),
    Wide(Vec<u64>),
}

#[derive(Clone, Debug)]
enum Slots {
    Narrow(Vec<u16>),
    Wide(Vec<u32>),
}

/// Buffers that are reused from list to list.
#[derive(Debug, Default)]
pub struct IntegerScratch {
    maybe: Vec<u32>,
    last: Vec<u32>,
}

/// The integer with this decimal text, as 64 bits.
fn integer(text: &[u8], signed: bool) -> Option<u64> {
    let digits = text.strip_prefix(b"-").filter(|_| signed).unwrap_or(text);
    let plain = match digits {
        [b'0'] => digits.len() == text.len(),
        [b'1'..=b'9', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    let text = std::str::from_utf8(text).ok().filter(|_| plain)?;
    if signed { text.parse().ok().map(i64::cast_unsigned) } else { text.parse().ok() }
}

impl Integers {
    /// Those of some ids that are integers of 64 bits.
    pub fn new<'a>(ids: impl Iterator<Item = &'a [u8]>, signed: bool, seed: u64) -> Integers {
        let found: Vec<(u64, u32)> = (0..)
            .zip(ids)
            .filter_map(|(number, id)| integer(id, signed).map(|bits| (bits, number)))
            .collect();
        let mut integers = Integers {
            few: [0; MOST_COMPARED],
            few_numbers: [0; MOST_COMPARED],
            count: found.len(),
            many: None,
        };
        if found.len() > MOST_COMPARED {
            integers.many = Some(Box::new(Many::new(&found, seed)));
        } else {
            for (place, (bits, number)) in found.into_iter().enumerate() {
                (integers.few[place], integers.few_numbers[place]) = (bits, number);
            }
        }
        integers
    }

    /// Writes the lines whose document is known, with its number.
    pub fn find<T: Integer>(
        &self,
        ids: &[T],
        scratch: &mut IntegerScratch,
        found: &mut Vec<(u32, u32)>,
    ) {
        let Some(many) = &self.many else {
            return self.find_few(ids, found);
        };
        found.clear();
        let count = many.filter.sieve(ids, &mut scratch.maybe);
        many.find(ids, &scratch.maybe[..count], found);
    }

    fn find_few<T: Integer>(&self, ids: &[T], found: &mut Vec<(u32, u32)>) {
        let (mut wanted, mut numbers, mut count) =
            ([T::ZERO; MOST_COMPARED], [0; MOST_COMPARED], 0);
        for (&bits, &number) in self.few[..self.count].iter().zip(&self.few_numbers) {
            // An id that this type cannot represent is in no list of the type.
            if let Some(id) = T::of(bits) {
                (wanted[count], numbers[count]) = (id, number);
                count += 1;
            }
        }
        find_few(ids, &wanted[..count], found);
        for (_, place) in found {
            *place = numbers[*place as usize];
        }
    }
}

impl Many {
    fn new(found: &[(u64, u32)], seed: u64) -> Many {
        let mut filter = Filter::new(found.len(), seed);
        let places = (found.len() * 2).next_power_of_two();
        let mut slots = vec![0u32; places];
        for (stands, &(bits, _)) in (1..).zip(found) {
            filter.insert(bits);
            let mut slot = filter.hash(bits) as usize >> slot_shift(places);
            while slots[slot] != 0 {
                slot = (slot + 1) & (places - 1);
            }
            slots[slot] = stands;
        }
        let narrow: Result<_, _> = found.iter().map(|&(bits, _)| u32::try_from(bits)).collect();
        let known = match narrow {
            Ok(known) => PackedIntegers::Narrow(known),
            Err(_) => PackedIntegers::Wide(found.iter().map(|&(bits, _)| bits).collect()),
        };
        let is_plain = (0..).zip(found).all(|(stands, &(_, number))| stands == number);
        let numbers = (!is_plain).then(|| found.iter().map(|&(_, number)| number).collect());
        let slots = if u16::try_from(found.len()).is_ok() {
            Slots::Narrow(slots.into_iter().map(|stands| stands as u16).collect())
        } else {
            Slots::Wide(slots)
        };
        Many { filter, known, numbers, slots }
    }

    /// Writes those of some lines whose document is known, with its number.
    fn find<T: Integer>(&self, ids: &[T], lines: &[u32], found: &mut Vec<(u32, u32)>) {
        match (&self.slots, &self.known) {
            (Slots::Narrow(slots), PackedIntegers::Narrow(known)) => {
                self.find_in(slots, known, ids, lines, found);
            }
            (Slots::Narrow(slots), PackedIntegers::Wide(known)) => {
                self.find_in(slots, known, ids, lines, found);
            }
            (Slots::Wide(slots), PackedIntegers::Narrow(known)) => {
                self.find_in(slots, known, ids, lines, found);
            }
            (Slots::Wide(slots), PackedIntegers::Wide(known)) => {
                self.find_in(slots, known, ids, lines, found);
            }
        }
        if let Some(numbers) = &self.numbers {
            for (_, number) in found {
                *number = numbers[*number as usize];
            }
        }
    }

    /// The same with the position among the integers instead of the number.
    #[inline(always)]
    fn find_in<T: Integer, S: Copy + Into<u32>, K: Copy + Into<u64>>(
        &self,
        slots: &[S],
        known: &[K],
        ids: &[T],
        lines: &[u32],
        found: &mut Vec<(u32, u32)>,
    ) {
        let shift = slot_shift(slots.len());
        for &line in lines {
            let bits = ids[line as usize].bits();
            let mut slot = self.filter.hash(bits) as usize >> shift;
            while let Some(stands) = slots[slot].into().checked_sub(1) {
                if known[stands as usize].into() == bits {
                    found.push((line, stands));
                    break;
                }
                slot = (slot + 1) & (slots.len() - 1);
            }
        }
    }
}

/// How far a hash is shifted to be a slot of a table of this size.
#[inline]
fn slot_shift(places: usize) -> u32 {
    64 - places.trailing_zeros()
}

/// The first line that repeats a document, preceded by the line that it
/// repeats.
pub fn first_repeated<T: Integer>(
    ids: &[T],
    seed: u64,
    scratch: &mut IntegerScratch,
) -> Option<(usize, usize)> {
    let places = (ids.len() * 2).next_power_of_two().max(2);
    scratch.last.clear();
    scratch.last.resize(places, 0);
    let filter = Filter::new(0, seed);
    for (line, &id) in ids.iter().enumerate() {
        let mut slot = filter.hash(id.bits()) as usize >> slot_shift(places);
        while scratch.last[slot] != 0 {
            let earlier = scratch.last[slot] as usize - 1;
            if ids[earlier] == id {
                return Some((earlier, line));
            }
            slot = (slot + 1) & (places - 1);
        }
        scratch.last[slot] = line as u32 + 1;
    }
    None
}

/// The first line among those found that repeats a document, preceded by the
/// line that it repeats.
pub fn first_found_again(
    found: &[(u32, u32)],
    scratch: &mut IntegerScratch,
) -> Option<(usize, usize)> {
    if found.len() <= 2 * MOST_COMPARED {
        let again = |(i, &(_, number)): (usize, &(u32, u32))| {
            found[..i].iter().find(|&&(_, earlier)| earlier == number).map(|&(line, _)| line)
        };
        return found
            .iter()
            .enumerate()
            .find_map(|(i, line)| Some((again((i, line))? as usize, line.0 as usize)));
    }
    let highest = found.iter().map(|&(_, number)| number).max()?;
    scratch.last.clear();
    scratch.last.resize(highest as usize + 1, 0);
    for &(line, number) in found {
        let earlier = std::mem::replace(&mut scratch.last[number as usize], line + 1);
        if earlier != 0 {
            return Some((earlier as usize - 1, line as usize));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    #[test]
    fn integers_are_plain_decimal_text() {
        let signed = |text: &str| integer(text.as_bytes(), true).map(u64::cast_signed);
        let unsigned = |text: &str| integer(text.as_bytes(), false);
        assert_eq!([signed("0"), signed("-7"), signed("12")], [Some(0), Some(-7), Some(12)]);
        for name in ["", "-", "-0", "07", "+7", " 7", "7 ", "7a", "0x1", "1_0", "٣"] {
            assert_eq!((signed(name), unsigned(name)), (None, None), "{name}");
        }
        assert_eq!((unsigned("-7"), signed("9223372036854775808")), (None, None));
        assert_eq!(signed("-9223372036854775808"), Some(i64::MIN));
        assert_eq!(unsigned("18446744073709551615"), Some(u64::MAX));
        assert_eq!(unsigned("18446744073709551616"), None);
    }

    /// More documents than two bytes can number.
    #[test]
    fn many_documents_are_found() {
        for (names, first) in [(0, 0), (2, 0), (0, 1_i64 << 40), (2, -1000)] {
            // Names before the integers, which then are numbered otherwise.
            let texts: Vec<String> = (0..names)
                .map(|name| format!("d{name}"))
                .chain((0..70_000).map(|id| (first + 3 * id).to_string()))
                .collect();
            let integers = Integers::new(texts.iter().map(String::as_bytes), true, 5);
            let ids: Vec<i64> = (first..first + 210_000).collect();
            let mut found = Vec::new();
            integers.find(&ids, &mut IntegerScratch::default(), &mut found);
            assert!(found.into_iter().eq((0..70_000).map(|id| (3 * id, names + id))));
        }
    }

    proptest! {
        #[test]
        fn documents_are_found_as_their_texts_are(
            judged in prop::collection::btree_set(-40i64..40, 0..60),
            few: bool,
            ids in prop::collection::vec(-60i64..60, 0..200),
            seed: u64,
        ) {
            let judged: Vec<i64> = judged.into_iter().take(if few { MOST_COMPARED } else { 60 }).collect();
            let texts: Vec<String> = judged.iter().map(ToString::to_string).collect();
            let mut map: HashMap<i64, u32> = HashMap::new();
            map.extend((0..).zip(&judged).map(|(number, &id)| (id, number)));
            let expected: Vec<(u32, u32)> = (0..)
                .zip(&ids)
                .filter_map(|(line, id)| map.get(id).map(|&number| (line, number)))
                .collect();
            let integers = Integers::new(texts.iter().map(String::as_bytes), true, seed);
            let (mut scratch, mut found) = (IntegerScratch::default(), Vec::new());
            integers.find(&ids, &mut scratch, &mut found);
            prop_assert_eq!(&found, &expected);

            let mut seen: HashMap<i64, usize> = HashMap::new();
            let mut repeated = None;
            let mut judged_again = None;
            for (line, id) in ids.iter().enumerate() {
                if let Some(earlier) = seen.insert(*id, line) {
                    repeated = repeated.or(Some((earlier, line)));
                    judged_again = judged_again.or(map.contains_key(id).then_some((earlier, line)));
                }
            }
            prop_assert_eq!(first_repeated(&ids, seed, &mut scratch), repeated);
            prop_assert_eq!(first_found_again(&found, &mut scratch), judged_again);
        }
    }
}
