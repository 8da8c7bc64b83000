//! What the fast paths of runs and of judgments share: a line is looked at in
//! windows of a fixed size, and compared with what lines have in common.

use cranfield_scan::{Scan, WINDOW};

use super::lines::PADDING;

/// Bytes that are compared at once.
pub(super) const WORD: usize = 16;

/// The longest beginning or end that lines have in common.
pub(super) const AFFIX: usize = 64;

/// The bytes of a line from its document on that are looked at where they are
/// few.
pub(super) const NARROW: usize = WINDOW / 2;

/// And where they are many.
pub(super) const WINDOWS: usize = 2 * WINDOW;

/// The bytes from the beginning of a line that are looked at.
pub(super) const SPAN: usize = 2 * AFFIX + WINDOWS;

const _: () = assert!(SPAN <= PADDING);

/// Bytes to be compared with; those that fit into it as one word.
#[derive(Debug, Default)]
pub(super) struct Affix {
    pub(super) bytes: Vec<u8>,
    pub(super) word: [u8; WORD],
    pub(super) mask: [u8; WORD],
}

impl Affix {
    /// Remembers bytes.
    pub(super) fn set(&mut self, bytes: &[u8]) {
        self.bytes.clear();
        self.bytes.extend_from_slice(bytes);
        (self.word, self.mask) = ([0; WORD], [0; WORD]);
        if bytes.len() <= WORD {
            self.word[..bytes.len()].copy_from_slice(bytes);
            self.mask[..bytes.len()].fill(0xFF);
        }
    }
}

/// Copies the first this many bytes to a place, if there is room for all of them.
#[inline(always)]
pub(super) fn put<const WIDTH: usize>(arena: &mut [u8], at: usize, bytes: &[u8; WINDOWS]) -> bool {
    let room = arena.get_mut(at..).and_then(<[u8]>::first_chunk_mut::<WIDTH>);
    room.zip(bytes.first_chunk()).map(|(room, bytes)| *room = *bytes).is_some()
}

/// A bit for each of this many bytes that is a gap.
pub(super) struct Marks<const WIDTH: usize>(u64, u64);

impl<const WIDTH: usize> Marks<WIDTH> {
    #[inline(always)]
    pub(super) fn gaps(scan: impl Scan, windows: &[u8; WINDOWS]) -> Self {
        let (first, second) = windows.split_at(WINDOW);
        let (first, second) = (first.first_chunk(), second.first_chunk());
        match (WIDTH, windows.first_chunk(), first, second) {
            (WINDOWS, _, Some(first), Some(second)) => Marks(scan.gaps(first), scan.gaps(second)),
            (WINDOW, _, Some(first), _) => Marks(scan.gaps(first), 0),
            (_, Some(half), ..) => Marks(scan.few_gaps(half).into(), 0),
            _ => unreachable!("a window is as long as it says"),
        }
    }

    /// Takes the first mark away and says where it was; behind all bytes if
    /// there is none.
    #[inline(always)]
    pub(super) fn next(&mut self) -> usize {
        if WIDTH == NARROW {
            let marks = self.0 as u32;
            self.0 = (marks & marks.wrapping_sub(1)).into();
            return marks.trailing_zeros() as usize;
        }
        if WIDTH == WINDOW {
            let at = self.0.trailing_zeros();
            self.0 &= self.0.wrapping_sub(1);
            return at as usize;
        }
        let all = u128::from(self.0) | u128::from(self.1) << WINDOW;
        let rest = all & all.wrapping_sub(1);
        *self = Marks(rest as u64, (rest >> WINDOW) as u64);
        all.trailing_zeros() as usize
    }
}
