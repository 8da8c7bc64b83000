//! What the headers of a Parquet file say that its pages unpack to.
//!
//! The readers of Parquet make room for as much as a header says, so that is looked at before.
//! Nothing else of the format is known here. Headers are structures of Thrift's compact
//! protocol. They are read as the C++ library reads them, also where they are wrong: of a field
//! that comes twice the last counts, and one of an unexpected type is none.

/// A column in a row group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ColumnChunk {
    /// Where its first page begins.
    pub place: i64,
    /// The bytes of its pages in the file.
    pub packed: i64,
    /// The number of its values.
    pub values: i64,
    /// What its pages are compressed with, by number.
    pub codec: i32,
    /// The type of its values, by number.
    pub kind: i32,
}

/// A row group: the number of its rows, and its columns.
pub type RowGroup = (i64, Vec<ColumnChunk>);

/// The header of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageHeader {
    /// The bytes of the header.
    pub header: usize,
    /// The bytes of the page as it is in memory.
    pub unpacked: i32,
    /// The bytes of the page in the file.
    pub packed: i32,
    /// The number of values, none in a dictionary.
    pub values: i32,
    /// Whether it is a dictionary.
    pub is_dictionary: bool,
    /// Whether a text in it may begin as the one before.
    pub is_chained: bool,
}

const DICTIONARY_PAGE: i32 = 2;
const DELTA_BYTE_ARRAY: i32 = 7;

/// The row groups by the footer of a file, if it can be read.
pub fn row_groups(footer: &[u8]) -> Option<Vec<RowGroup>> {
    let mut groups = Vec::new();
    Compact::new(footer).each_field(0, &mut |file, number, kind, depth| match (number, kind) {
        (4, LIST) => {
            groups.clear();
            file.each_item(depth, &mut |file, depth| {
                groups.push(row_group(file, depth)?);
                Some(())
            })
        }
        _ => file.skip(kind, depth),
    })?;
    Some(groups)
}

fn row_group(file: &mut Compact<'_>, depth: usize) -> Option<RowGroup> {
    let (mut rows, mut chunks) = (0, Vec::new());
    file.each_field(depth, &mut |file, number, kind, depth| match (number, kind) {
        (1, LIST) => {
            chunks.clear();
            file.each_item(depth, &mut |file, depth| {
                chunks.push(chunk(file, depth)?);
                Some(())
            })
        }
        (3, I64) => file.integer().map(|found| rows = found),
        _ => file.skip(kind, depth),
    })?;
    Some((rows, chunks))
}

fn chunk(file: &mut Compact<'_>, depth: usize) -> Option<ColumnChunk> {
    let mut chunk = ColumnChunk::default();
    let mut dictionary = 0;
    file.each_field(depth, &mut |file, number, kind, depth| match (number, kind) {
        (3, STRUCT) => file.each_field(depth, &mut |file, number, kind, depth| {
            match (number, kind) {
                (1, I32) => chunk.kind = file.integer()? as i32,
                (4, I32) => chunk.codec = file.integer()? as i32,
                (5, I64) => chunk.values = file.integer()?,
                (7, I64) => chunk.packed = file.integer()?,
                (9, I64) => chunk.place = file.integer()?,
                (11, I64) => dictionary = file.integer()?,
                _ => file.skip(kind, depth)?,
            }
            Some(())
        }),
        _ => file.skip(kind, depth),
    })?;
    if 0 < dictionary && dictionary < chunk.place {
        chunk.place = dictionary;
    }
    Some(chunk)
}

/// The header that bytes begin with, unless it is damaged or they end before it does.
pub fn page(bytes: &[u8]) -> Option<PageHeader> {
    let mut page = PageHeader::default();
    let mut compact = Compact::new(bytes);
    let mut kind_of_page = 0;
    compact.each_field(0, &mut |file, number, kind, depth| {
        match (number, kind) {
            (1, I32) => kind_of_page = file.integer()? as i32,
            (2, I32) => page.unpacked = file.integer()? as i32,
            (3, I32) => page.packed = file.integer()? as i32,
            (5 | 8, STRUCT) => {
                let encoding = if number == 5 { 2 } else { 4 };
                file.each_field(depth, &mut |file, number, kind, depth| {
                    match (number, kind) {
                        (1, I32) => page.values = file.integer()? as i32,
                        (field, I32) if field == encoding => {
                            page.is_chained |= file.integer()? as i32 == DELTA_BYTE_ARRAY;
                        }
                        _ => file.skip(kind, depth)?,
                    }
                    Some(())
                })?;
            }
            _ => file.skip(kind, depth)?,
        }
        Some(())
    })?;
    page.header = compact.place;
    page.is_dictionary = kind_of_page == DICTIONARY_PAGE;
    Some(page)
}

/// The bytes of the longest text of a dictionary, each behind its length.
pub fn longest_text(mut dictionary: &[u8]) -> usize {
    let mut longest = 0;
    while let Some((length, rest)) = dictionary.split_first_chunk::<4>() {
        let length = u32::from_le_bytes(*length) as usize;
        let Some(rest) = rest.get(length..) else { break };
        longest = longest.max(length);
        dictionary = rest;
    }
    longest
}

const I32: u8 = 5;
const I64: u8 = 6;
const LIST: u8 = 9;
const STRUCT: u8 = 12;
/// Structures in structures that are read.
const DEEP: usize = 32;

type OnField<'f, 'a> = dyn FnMut(&mut Compact<'a>, i16, u8, usize) -> Option<()> + 'f;
type OnItem<'f, 'a> = dyn FnMut(&mut Compact<'a>, usize) -> Option<()> + 'f;

/// A reader of the compact protocol.
struct Compact<'a> {
    data: &'a [u8],
    place: usize,
}

impl<'a> Compact<'a> {
    fn new(data: &'a [u8]) -> Self {
        Compact { data, place: 0 }
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = *self.data.get(self.place)?;
        self.place += 1;
        Some(byte)
    }

    fn unsigned(&mut self) -> Option<u64> {
        let mut found = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            found |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Some(found);
            }
        }
        None
    }

    /// An integer; a shorter one is cut from it, which its sign does not notice.
    fn integer(&mut self) -> Option<i64> {
        let found = self.unsigned()?;
        Some((found >> 1).cast_signed() ^ -(found & 1).cast_signed())
    }

    fn pass(&mut self, bytes: u64) -> Option<()> {
        let rest = (self.data.len() - self.place) as u64;
        (bytes <= rest).then(|| self.place += bytes as usize)
    }

    /// Calls a function with the number and the type of each field, which reads or skips it.
    fn each_field(&mut self, depth: usize, on_field: &mut OnField<'_, 'a>) -> Option<()> {
        if depth > DEEP {
            return None;
        }
        let mut number = 0_i16;
        loop {
            let head = self.byte()?;
            let kind = head & 15;
            if kind == 0 {
                return Some(());
            }
            number = match head >> 4 {
                0 => self.integer()? as i16,
                more => number.wrapping_add(i16::from(more)),
            };
            on_field(self, number, if kind == 10 { LIST } else { kind }, depth + 1)?;
        }
    }

    /// Calls a function for each structure of a list; items of other types are skipped.
    fn each_item(&mut self, depth: usize, on_item: &mut OnItem<'_, 'a>) -> Option<()> {
        let head = self.byte()?;
        let count = match head >> 4 {
            15 => self.unsigned()?,
            count => u64::from(count),
        };
        for _ in 0..count {
            match head & 15 {
                STRUCT => on_item(self, depth)?,
                // A boolean has a byte of its own here.
                1 | 2 => self.pass(1)?,
                kind => self.skip(kind, depth)?,
            }
        }
        Some(())
    }

    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        match kind {
            1 | 2 => Some(()),
            3 => self.pass(1),
            4..=6 => self.unsigned().map(drop),
            7 => self.pass(8),
            8 => {
                let length = self.unsigned()?;
                self.pass(length)
            }
            9 | 10 => self.each_item(depth, &mut |this: &mut Self, depth| this.skip(STRUCT, depth)),
            11 => self.skip_map(depth),
            STRUCT => self
                .each_field(depth, &mut |this: &mut Self, _, kind, depth| this.skip(kind, depth)),
            13 => self.pass(16),
            _ => None,
        }
    }

    fn skip_map(&mut self, depth: usize) -> Option<()> {
        let count = self.unsigned()?;
        let kinds = if count > 0 { self.byte()? } else { 0 };
        for _ in 0..count {
            for kind in [kinds >> 4, kinds & 15] {
                if kind <= 2 { self.pass(1)? } else { self.skip(kind, depth + 1)? }
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: type 2 (4), 300 bytes unpacked (zigzag 600), 200 packed, dictionary with 5.
    const DICTIONARY: [u8; 15] =
        [0x15, 4, 0x15, 0xD8, 4, 0x15, 0x90, 3, 0x4C, 0x15, 10, 0x15, 0, 0, 0];

    #[test]
    fn a_header_says_how_long_its_page_is() {
        let found = page(&DICTIONARY).unwrap();
        assert_eq!((found.unpacked, found.packed, found.header), (300, 200, 15));
        assert!(found.is_dictionary && !found.is_chained);
        for end in 0..DICTIONARY.len() {
            assert_eq!(page(&DICTIONARY[..end]), None);
        }
    }

    #[test]
    fn the_last_of_a_field_counts_and_other_types_do_not() {
        // 1 byte unpacked, then field 2 again (by its number): 9 bytes, then 5 as 64 bits.
        let twice = [0x15, 0, 0x15, 2, 0x05, 4, 18, 0x06, 4, 10, 0];
        assert_eq!(page(&twice).unwrap().unpacked, 9);
    }

    #[test]
    fn nothing_overflows_and_nothing_is_deep() {
        assert_eq!(page(&[0x1C; 1000]), None);
        assert_eq!(page(&[0x19, 0xFC, 255, 255, 255, 255, 255, 255, 255, 255, 127]), None);
        assert_eq!(page(&[0x18, 255, 255, 255, 255, 255, 255, 255, 255, 127]), None);
        assert_eq!(row_groups(&[0]), Some(Vec::new()));
    }

    #[test]
    fn the_longest_text_of_a_dictionary() {
        assert_eq!(longest_text(b"\x01\0\0\0a\x03\0\0\0bcd\x02\0\0\0ef"), 3);
        assert_eq!(longest_text(b"\x01\0\0\0a\xff\xff\xff\xffbcd"), 1);
    }
}
