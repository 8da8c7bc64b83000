//! The inner loops over bytes of cranfield: ends of lines, ends of fields,
//! digits to numbers; and those over columns of integers.
//!
//! Each is written portably, with AVX2 for processors that have it, which is
//! detected at run time, and with NEON for 64-bit ARM. All give the same bits, which
//! the tests compare, but for [`Scan::multiply_add`]. This crate is the only one with `unsafe` below the
//! boundary to Python, and all of it is in `avx2.rs` and `neon.rs`.
//!
//! A caller's loop is a [`Task`]: [`run`] compiles it once for each kind of
//! processor, so that the small operations here are inlined into the loop.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod forms;
mod integers;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;

#[cfg(target_arch = "x86_64")]
pub use avx2::Avx2 as Vector;
pub use integers::{Filter, Integer, Level, MOST_COMPARED, find_few, widen};
#[cfg(target_arch = "aarch64")]
pub use neon::Neon as Vector;
pub use portable::{Portable, decimal, eight_digits};

/// The golden ratio as a fraction of a word: the step of `SplitMix64`, and the start value of
/// hashes for sampling.
pub const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// How many bytes are read at once.
pub const WINDOW: usize = 64;

/// The operations that depend on the processor.
pub trait Scan: Copy {
    /// A bit for each byte that is a line feed.
    fn line_feeds(self, window: &[u8; WINDOW]) -> u64;

    /// A bit for each byte that is not above a space: white space, line feeds
    /// and control characters.
    fn gaps(self, window: &[u8; WINDOW]) -> u64;

    /// The same for half of the bytes.
    fn few_gaps(self, window: &[u8; WINDOW / 2]) -> u32;

    /// Whether two words are equal where the mask has ones.
    fn same(self, a: &[u8; 16], b: &[u8; 16], mask: &[u8; 16]) -> bool;

    /// A bit for each byte that is the wanted one, and for each that is zero.
    fn tags(self, tags: &[u8; 16], wanted: u8) -> (u32, u32);

    /// a * b + c, rounded once or twice: for sums that a bound of error goes with.
    fn multiply_add(self, a: f32, b: f32, c: f32) -> f32;

    /// The form that similarly written numbers share.
    type Form: Copy;

    /// The form before any number was read. Numbers are scaled to this many
    /// decimals, or to as many as fit if it is 0.
    fn form(self, decimals: u32) -> Self::Form;

    /// The number in the first `length` bytes of a text, with as many decimals as
    /// the form says, padded with zeros. `None` unless it has up to 16 bytes: an
    /// optional minus, one digit or more, optionally a point and digits; and if
    /// its digits with these decimals do not fit into a [`Decimal`]. The form is
    /// that of the previous number, which saves work if this one has the same
    /// number of digits before its point.
    fn scaled(self, form: &mut Self::Form, text: &[u8; 16], length: usize) -> Option<Decimal>;
}

/// A number of up to 15 decimal digits. So the digits fit into a double exactly,
/// and one correctly rounded division gives the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    /// Whether there is a minus before it.
    pub negative: bool,
    /// All digits as one whole number.
    pub digits: u64,
    /// How many of them are after the point.
    pub decimals: u32,
}

/// The most digits that a [`Decimal`] has.
pub const DIGITS: usize = 15;

/// A loop over bytes. `run` and the hot code in it must be `inline(always)`:
/// only code that is inlined into the function for AVX2 is compiled for AVX2.
pub trait Task {
    /// The result.
    type Output;

    /// Runs with the operations of a processor.
    fn run<S: Scan>(self, scan: S) -> Self::Output;
}

/// Runs a task with the best operations that this processor has.
#[inline]
pub fn run<T: Task>(task: T) -> T::Output {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    if let Some(vector) = Vector::detect() {
        return vector.run(task);
    }
    task.run(Portable)
}

/// The name of the operations that [`run`] takes: `avx2`, `neon` or `portable`.
pub fn operations() -> &'static str {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    if Vector::detect().is_some() {
        return if cfg!(target_arch = "x86_64") { "avx2" } else { "neon" };
    }
    "portable"
}

/// Whether the variable `CRANFIELD_SCAN` is `portable`: for measuring what vectors gain.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn is_portable_wanted() -> bool {
    std::env::var_os("CRANFIELD_SCAN").is_some_and(|wanted| wanted == "portable")
}

/// Writes where the line feeds of a text are and returns how many there are.
/// `ends` grows as needed; its contents after them are meaningless.
pub fn line_ends(text: &[u8], ends: &mut Vec<u32>) -> usize {
    run(LineEnds { text, ends })
}

struct LineEnds<'a> {
    text: &'a [u8],
    ends: &'a mut Vec<u32>,
}

/// How many positions are always written for a window, even if it has fewer,
/// since a branch for each line feed would be unpredictable.
const AT_ONCE: usize = 2;

impl Task for LineEnds<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Scan>(self, scan: S) -> usize {
        let LineEnds { text, ends } = self;
        let (windows, rest) = text.as_chunks::<WINDOW>();
        let (mut count, mut base) = (0, 0);
        for windows in windows.chunks(WINDOWS_AT_ONCE) {
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

/// How many windows are read before more space is reserved.
const WINDOWS_AT_ONCE: usize = 16;

/// Reserves space for at least this many positions.
#[inline(always)]
fn make_room(ends: &mut Vec<u32>, places: usize) {
    if ends.len() < places {
        ends.resize(2 * places, 0);
    }
}

/// Writes the positions of marks and returns how many there are.
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
