//! Small gzip files, unpacked at once: a decoder that sees all of its input and has room for all
//! of its output takes half the time of one that goes by pieces.

use libdeflater::Decompressor;
use memchr::{memchr, memmem};

use super::limits::Limits;
use crate::memory;

/// The largest packed file that is read at once.
pub(super) const MOST_PACKED: u64 = 16 << 20;

/// The largest content, unless the limits are lower.
const MOST_UNPACKED: u64 = 64 << 20;

/// The flag of a header with a checksum of its own, which this decoder does not look at.
const CHECKED_HEADER: u8 = 2;

/// The flag of a header with bytes of any kind, and those of its texts: a name and a comment.
const EXTRA: u8 = 4;
const TEXTS: [u8; 2] = [8, 16];

/// The longest text that the decoder that goes by pieces takes.
const LONGEST_TEXT: usize = 65535;

/// Whether the texts of a header are such as both decoders take.
fn is_usual(packed: &[u8]) -> Option<bool> {
    let flags = *packed.get(3)?;
    let mut rest = packed.get(10..)?;
    if flags & EXTRA != 0 {
        let (length, after) = rest.split_first_chunk::<2>()?;
        rest = after.get(u16::from_le_bytes(*length).into()..)?;
    }
    for text in TEXTS {
        if flags & text != 0 {
            let end = memchr(0, rest).filter(|&end| end <= LONGEST_TEXT)?;
            rest = &rest[end + 1..];
        }
    }
    Some(flags & CHECKED_HEADER == 0)
}

/// The content of a gzip file of one member, if that may be unpacked without counting. `None` for
/// any other, and for one that is damaged: a decoder that goes by pieces knows what comes before
/// the damage, and what is wrong.
pub(super) fn unpacked(packed: &[u8], limits: &Limits) -> Option<Vec<u8>> {
    // A member ends with a checksum of its content and its size.
    let (rest, trailer) = packed.split_last_chunk::<8>()?;
    let [.., a, b, c, d] = *trailer;
    let size = u32::from_le_bytes([a, b, c, d]);
    let most = MOST_UNPACKED.min(limits.decompression_free).min(limits.decompressed_bytes);
    let allowed = u64::from(size) <= most;
    if !allowed || !is_usual(packed)? {
        return None;
    }
    // The decoder that goes by pieces needs no such room.
    memory::room_for(size as usize).ok()?;
    let mut content = vec![0; size as usize];
    let written = Decompressor::new().gzip_decompress(packed, &mut content).ok()?;
    // The decoder passes over what follows a member. The trailer that it compared would then stand
    // before the end.
    let is_whole = written == content.len()
        && trailer[..4] == libdeflater::crc32(&content).to_le_bytes()
        && memmem::find(packed, trailer) == Some(rest.len());
    is_whole.then_some(content)
}
