//! What the headers of Arrow IPC say, before any library obeys them.
//!
//! They are tables of flatbuffers: each begins with the distance back to the offsets of its
//! fields. Everything read here is bounded by the bytes that are there.

/// A batch of rows, or of the entries of a dictionary, among other messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Whether it has rows.
    pub is_batch: bool,
    /// The bytes behind the header.
    pub body: i64,
    /// Where in the body each buffer begins and how long it is, if buffers are compressed.
    pub packed: Vec<(i64, i64)>,
}

/// What the footer of a file says: where each message begins, and the bytes of its header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footer {
    /// The messages of dictionaries.
    pub dictionaries: Vec<(i64, i64)>,
    /// The messages of rows.
    pub batches: Vec<(i64, i64)>,
}

/// The kinds of messages that have buffers.
const DICTIONARY: u8 = 2;
const BATCH: u8 = 3;

/// How the oldest files name their compression.
const EXPERIMENTAL: &[u8] = b"experimental_compression";

/// The header of a message; none if it is damaged.
pub fn message(header: &[u8]) -> Option<Message> {
    let message = Table::root(header)?;
    let [kind] = message.number(1)?.unwrap_or([0]);
    let body = i64::from_le_bytes(message.number(3)?.unwrap_or_default()).max(0);
    let content = match (kind, message.table(2)?) {
        (DICTIONARY, Some(dictionary)) => dictionary.table(1)?,
        (BATCH, batch) => batch,
        _ => None,
    };
    let mut packed = Vec::new();
    if let Some(rows) = content {
        let is_old = || memchr::memmem::find(header, EXPERIMENTAL).is_some();
        if rows.table(3)?.is_some() || is_old() {
            let number = |buffer: &[u8; 16], at: usize| long(&buffer[at..]);
            let buffers = rows.structures(2)?.into_iter();
            packed = buffers.map(|buffer| (number(buffer, 0), number(buffer, 8))).collect();
        }
    }
    Some(Message { is_batch: kind == BATCH, body, packed })
}

/// The footer of a file; none if it is damaged.
pub fn footer(footer: &[u8]) -> Option<Footer> {
    let footer = Table::root(footer)?;
    let blocks = |field| -> Option<Vec<(i64, i64)>> {
        let blocks: Vec<&[u8; 24]> = footer.structures(field)?;
        let header = |block: &[u8]| {
            let length = block[8..12].try_into().map(i32::from_le_bytes);
            i64::from(length.unwrap_or_default())
        };
        Some(blocks.into_iter().map(|block| (long(block), header(block))).collect())
    };
    Some(Footer { dictionaries: blocks(2)?, batches: blocks(3)? })
}

fn long(bytes: &[u8]) -> i64 {
    bytes.first_chunk().map_or(0, |bytes| i64::from_le_bytes(*bytes))
}

/// A table of a flatbuffer. What reads it gives nothing where that is out of its bytes.
#[derive(Clone, Copy)]
struct Table<'a> {
    data: &'a [u8],
    place: usize,
    /// Where the offsets of its fields are, and the bytes that they take.
    offsets: usize,
    size: usize,
}

impl<'a> Table<'a> {
    /// The table that a buffer holds.
    fn root(data: &'a [u8]) -> Option<Self> {
        let place = u32::from_le_bytes(*data.first_chunk()?);
        Table::at(data, place as usize)
    }

    fn at(data: &'a [u8], place: usize) -> Option<Self> {
        let back = i32::from_le_bytes(bytes(data, place)?);
        let offsets = usize::try_from(i64::try_from(place).ok()? - i64::from(back)).ok()?;
        let size = u16::from_le_bytes(bytes(data, offsets)?).into();
        Some(Table { data, place, offsets, size })
    }

    /// The place of a field, if it is there.
    #[expect(clippy::option_option, reason = "damaged, or not there")]
    fn field(&self, number: usize) -> Option<Option<usize>> {
        let at = 4 + 2 * number;
        if at + 2 > self.size {
            return Some(None);
        }
        let offset = u16::from_le_bytes(bytes(self.data, self.offsets + at)?);
        Some((offset > 0).then_some(self.place + usize::from(offset)))
    }

    /// The bytes of a number, if it is there.
    #[expect(clippy::option_option, reason = "damaged, or not there")]
    fn number<const SIZE: usize>(&self, field: usize) -> Option<Option<[u8; SIZE]>> {
        match self.field(field)? {
            Some(place) => bytes(self.data, place).map(Some),
            None => Some(None),
        }
    }

    /// A table inside, if it is there.
    #[expect(clippy::option_option, reason = "damaged, or not there")]
    fn table(&self, field: usize) -> Option<Option<Table<'a>>> {
        match self.field(field)? {
            Some(place) => Table::at(self.data, self.pointed(place)?).map(Some),
            None => Some(None),
        }
    }

    /// The structures of a vector.
    fn structures<const SIZE: usize>(&self, field: usize) -> Option<Vec<&'a [u8; SIZE]>> {
        let Some(place) = self.field(field)? else { return Some(Vec::new()) };
        let start = self.pointed(place)?;
        let count = u32::from_le_bytes(bytes(self.data, start)?) as usize;
        let rest = self.data.get(start + 4..)?.get(..count.checked_mul(SIZE)?)?;
        Some(rest.chunks_exact(SIZE).filter_map(|chunk| chunk.first_chunk()).collect())
    }

    fn pointed(&self, place: usize) -> Option<usize> {
        Some(place + u32::from_le_bytes(bytes(self.data, place)?) as usize)
    }
}

fn bytes<const SIZE: usize>(data: &[u8], place: usize) -> Option<[u8; SIZE]> {
    data.get(place..)?.first_chunk().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A root with the fields 1 (a byte) and 3 (eight bytes) of a message, its offsets first.
    fn header(kind: u8, body: i64) -> Vec<u8> {
        let offsets: [u16; 6] = [12, 24, 0, 4, 0, 8];
        let mut data = 16_u32.to_le_bytes().to_vec();
        data.extend(offsets.iter().flat_map(|offset| offset.to_le_bytes()));
        data.extend(12_i32.to_le_bytes());
        data.extend([kind, 0, 0, 0]);
        data.extend(body.to_le_bytes());
        data
    }

    #[test]
    fn a_header_has_its_kind_and_the_size_of_its_body() {
        let expected = |is_batch, body| Some(Message { is_batch, body, packed: Vec::new() });
        assert_eq!(message(&header(BATCH, 77)), expected(true, 77));
        assert_eq!(message(&header(1, -5)), expected(false, 0));
    }

    #[test]
    fn damage_is_noticed_at_every_byte() {
        let whole = header(BATCH, 77);
        for length in 0..whole.len() {
            assert_eq!(message(&whole[..length]), None);
        }
        assert_eq!(message(&[0xFF; 64]), None);
        assert_eq!(footer(&[0xFF; 64]), None);
        assert_eq!(footer(&whole), None);
    }
}
