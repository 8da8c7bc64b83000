//! The inner loops over bytes behind cranfield: where lines end, where fields
//! end, what number digits make; and those over columns of integers.
//!
//! Each is written twice: portably, and with vectors for processors that have
//! AVX2, which is asked when the program runs. Both give the same bits, which
//! the tests compare. This crate is the only one with `unsafe` below the
//! boundary to Python, and all of it is in `vector.rs`.
//!
//! A caller's loop is a [`Task`]: [`run`] compiles it once for each kind of
//! processor, so that what is small here disappears into the loop.

mod integers;
mod portable;
#[cfg(target_arch = "x86_64")]
mod vector;

pub use integers::{FEW, Filter, Integer, Level, find_few, widen};
pub use portable::{Portable, decimal, eight_digits};
#[cfg(target_arch = "x86_64")]
pub use vector::Vector;

/// How many bytes are looked at as a whole.
pub const WINDOW: usize = 64;

/// The operations that depend on the processor.
pub trait Scan: Copy {
    /// A bit for each byte that is a line feed.
    fn line_feeds(self, window: &[u8; WINDOW]) -> u64;

    /// A bit for each byte that is not above a space: white space, line feeds
    /// and control characters.
    fn gaps(self, window: &[u8; WINDOW]) -> u64;

    /// The same for half as many bytes.
    fn few_gaps(self, window: &[u8; WINDOW / 2]) -> u32;

    /// Whether two words are the same where the mask has ones.
    fn same(self, a: &[u8; 16], b: &[u8; 16], mask: &[u8; 16]) -> bool;

    /// A bit for each byte that is the wanted one, and for each that is zero.
    fn tags(self, tags: &[u8; 16], wanted: u8) -> (u32, u32);

    /// What numbers that are written alike have in common.
    type Form: Copy;

    /// The form of no number yet: numbers are wanted with so many decimals, or
    /// with as many as there is room for if that is 0.
    fn form(self, decimals: u32) -> Self::Form;

    /// The number in the first so many bytes of a text, with as many decimals as
    /// the form says, zeros behind those that are written. `None` unless it has
    /// up to 16 bytes: perhaps a minus, one digit or more, perhaps a point and
    /// digits; nor if a [`Decimal`] has no room for its digits and these
    /// decimals. The form is that of the number before, which saves work if this
    /// one has as many digits before its point.
    fn scaled(self, form: &mut Self::Form, text: &[u8; 16], length: usize) -> Option<Decimal>;
}

/// A number of up to 15 decimal digits. So the digits are a double without
/// rounding, and what they are a part of is one correctly rounded division away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    /// Whether there is a minus before it.
    pub negative: bool,
    /// All digits as one whole number.
    pub digits: u64,
    /// How many of them are behind the point.
    pub decimals: u32,
}

/// The most digits that a [`Decimal`] has.
pub const DIGITS: usize = 15;

/// A loop over bytes. `run` and what is hot in it is to be `inline(always)`:
/// only what is compiled into the vectors' own function may use them.
pub trait Task {
    /// What comes of it.
    type Output;

    /// Runs with the operations of a processor.
    fn run<S: Scan>(self, scan: S) -> Self::Output;
}

/// Runs a task with the best operations that this processor has.
#[inline]
pub fn run<T: Task>(task: T) -> T::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(vector) = Vector::detect() {
        return vector.run(task);
    }
    task.run(Portable)
}

/// Writes where the line feeds of a text are and returns how many there are.
/// `ends` grows as needed; what it holds behind them means nothing.
pub fn line_ends(text: &[u8], ends: &mut Vec<u32>) -> usize {
    run(LineEnds { text, ends })
}

struct LineEnds<'a> {
    text: &'a [u8],
    ends: &'a mut Vec<u32>,
}

/// So many positions are written for each window, whether there are as many
/// or not, since a branch for each line feed could not be foreseen.
const AT_ONCE: usize = 2;

impl Task for LineEnds<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Scan>(self, scan: S) -> usize {
        let LineEnds { text, ends } = self;
        let (windows, rest) = text.as_chunks::<WINDOW>();
        let (mut count, mut base) = (0, 0);
        for windows in windows.chunks(STRETCH) {
            make_room(ends, count + windows.len() * WINDOW);
            for window in windows {
                count += write(scan.line_feeds(window), base, &mut ends[count..]);
                base += WINDOW as u32;
            }
        }
        make_room(ends, count + WINDOW);
        let mut last = [b' '; WINDOW];
        last[..rest.len()].copy_from_slice(rest);
        count + write(scan.line_feeds(&last), base, &mut ends[count..])
    }
}

/// So many windows are looked at before room for more places is asked for.
const STRETCH: usize = 16;

/// Makes room for so many places at least.
#[inline(always)]
fn make_room(ends: &mut Vec<u32>, places: usize) {
    if ends.len() < places {
        ends.resize(2 * places, 0);
    }
}

/// Writes the places of marks and returns how many there are.
#[inline(always)]
fn write(mut marks: u64, base: u32, places: &mut [u32]) -> usize {
    let count = marks.count_ones() as usize;
    for room in places.as_chunks_mut::<AT_ONCE>().0 {
        for place in room {
            *place = base + marks.trailing_zeros();
            marks &= marks.wrapping_sub(1);
        }
        if marks == 0 {
            break;
        }
    }
    count
}

#[cfg(test)]
mod tests;
