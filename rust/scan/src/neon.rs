//! The operations with NEON, which every 64-bit ARM processor has.

use std::arch::aarch64::{
    uint8x16_t, uint16x8_t, uint32x4_t, vandq_u8, vceqq_u8, vceqzq_u8, vcleq_u8, vdupq_n_u8,
    veorq_u8, vgetq_lane_u32, vgetq_lane_u64, vld1q_u8, vld1q_u16, vld1q_u32, vmaxvq_u8, vmulq_u8,
    vmulq_u16, vmulq_u32, vpaddlq_u8, vpaddlq_u16, vpaddlq_u32, vpaddq_u8, vqsubq_u8, vqtbl1q_u8,
    vreinterpretq_u32_u8, vreinterpretq_u64_u8,
};
use std::sync::LazyLock;

use crate::forms::{BYTES, ORDERS};
use crate::{DIGITS, Decimal, Portable, Scan, Task, WINDOW, is_portable_wanted};

/// The operations of this processor, unless the portable ones are wanted.
#[derive(Clone, Copy, Debug)]
pub struct Neon(());

impl Neon {
    /// The operations, unless the portable ones are wanted: asked once per process.
    #[inline]
    pub fn detect() -> Option<Neon> {
        static HAS: LazyLock<bool> = LazyLock::new(|| !is_portable_wanted());
        HAS.then_some(Neon(()))
    }

    /// Runs a task with these operations.
    #[inline]
    pub fn run<T: Task>(self, task: T) -> T::Output {
        task.run(self)
    }
}

impl Scan for Neon {
    #[inline(always)]
    fn line_feeds(self, window: &[u8; WINDOW]) -> u64 {
        // SAFETY: NEON is always there.
        unsafe {
            let feed = vdupq_n_u8(b'\n');
            marks(window.as_chunks::<16>().0, |bytes| vceqq_u8(bytes, feed))
        }
    }

    #[inline(always)]
    fn gaps(self, window: &[u8; WINDOW]) -> u64 {
        // SAFETY: NEON is always there.
        unsafe {
            let space = vdupq_n_u8(b' ');
            marks(window.as_chunks::<16>().0, |bytes| vcleq_u8(bytes, space))
        }
    }

    #[inline(always)]
    fn few_gaps(self, window: &[u8; WINDOW / 2]) -> u32 {
        // SAFETY: NEON is always there.
        unsafe {
            let (space, (words, _)) = (vdupq_n_u8(b' '), window.as_chunks::<16>());
            let gap = |word| one_bit_each(vcleq_u8(load(word), space));
            let eights = vpaddq_u8(gap(&words[0]), gap(&words[1]));
            let fours = vpaddq_u8(eights, eights);
            vgetq_lane_u32::<0>(vreinterpretq_u32_u8(vpaddq_u8(fours, fours)))
        }
    }

    #[inline(always)]
    fn same(self, a: &[u8; 16], b: &[u8; 16], mask: &[u8; 16]) -> bool {
        // Two words of 64 bits each are sooner compared than one vector is tested.
        Portable.same(a, b, mask)
    }

    #[inline(always)]
    fn tags(self, tags: &[u8; 16], wanted: u8) -> (u32, u32) {
        // SAFETY: NEON is always there.
        let both = unsafe {
            let tags = load(tags);
            let found = one_bit_each(vceqq_u8(tags, vdupq_n_u8(wanted)));
            let eights = vpaddq_u8(found, one_bit_each(vceqzq_u8(tags)));
            let fours = vpaddq_u8(eights, eights);
            vgetq_lane_u32::<0>(vreinterpretq_u32_u8(vpaddq_u8(fours, fours)))
        };
        (both & 0xFFFF, both >> 16)
    }

    #[inline(always)]
    fn multiply_add(self, a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }

    type Form = NeonForm;

    #[inline(always)]
    fn form(self, decimals: u32) -> NeonForm {
        NeonForm { wanted: decimals, least: usize::MAX, spare: 0, ..NeonForm::of(false, 0, 0) }
    }

    #[inline(always)]
    fn scaled(self, form: &mut NeonForm, text: &[u8; 16], length: usize) -> Option<Decimal> {
        let alike = form.has_room(length) && form.fits(form.values(text, length));
        if !alike && !form.renew(text, length) {
            return None;
        }
        // SAFETY: NEON is always there.
        let eights = unsafe {
            // Computed again, since the form may have changed.
            let values = vqtbl1q_u8(form.values(text, length), form.order);
            let pairs: uint16x8_t = vpaddlq_u8(vmulq_u8(values, load(&TENS)));
            let fours: uint32x4_t = vpaddlq_u16(vmulq_u16(pairs, vld1q_u16(HUNDREDS.as_ptr())));
            vpaddlq_u32(vmulq_u32(fours, vld1q_u32(TEN_THOUSANDS.as_ptr())))
        };
        // SAFETY: NEON is always there.
        let (high, low) = unsafe { (vgetq_lane_u64::<0>(eights), vgetq_lane_u64::<1>(eights)) };
        let digits = high * 100_000_000 + low;
        Some(Decimal { negative: form.negative, digits, decimals: form.decimals })
    }
}

/// What the first of each two digits is worth, and so on with two and four digits.
static TENS: [u8; 16] = [10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1];
static HUNDREDS: [u16; 8] = [100, 1, 100, 1, 100, 1, 100, 1];
static TEN_THOUSANDS: [u32; 4] = [10_000, 1, 10_000, 1];

/// The sign of a number and the number of digits before its point, as vectors; see `avx2.rs`.
#[derive(Clone, Copy, Debug)]
pub struct NeonForm {
    /// The requested decimals; 0 for as many as fit.
    wanted: u32,
    decimals: u32,
    negative: bool,
    /// The number of bytes before the point, and how many may follow.
    least: usize,
    spare: usize,
    /// The bytes to subtract: `0` for digits, and the point and the sign.
    zeros: uint8x16_t,
    /// The highest value of a byte: 9, and 0 for point and sign.
    most: uint8x16_t,
    /// The shuffle that closes the gap of the point and pads with zeros to the
    /// number of decimals.
    order: uint8x16_t,
}

impl NeonForm {
    /// The form of numbers with `whole` digits before the point, scaled to
    /// `decimals`.
    #[inline(always)]
    fn of(negative: bool, whole: usize, decimals: usize) -> NeonForm {
        let (whole, decimals) = (whole % 16, decimals % 16);
        let [zeros, most] = &BYTES[usize::from(negative)][whole];
        let order = &ORDERS[usize::from(negative)][whole][decimals];
        let [zeros, most, order] = [zeros, most, order].map(load);
        let least = usize::from(negative) + whole;
        let spare = (1 + decimals).min(16 - least);
        NeonForm {
            wanted: 0,
            decimals: decimals as u32,
            negative,
            least,
            spare,
            zeros,
            most,
            order,
        }
    }

    /// Changes to the form of the number in the first `length` bytes, if it has
    /// one. Not inlined into the loop, for which it is too rare.
    #[cold]
    #[inline(never)]
    fn renew(&mut self, text: &[u8; 16], length: usize) -> bool {
        if !(1..=16).contains(&length) {
            return false;
        }
        let negative = text[0] == b'-';
        let own = &text[usize::from(negative)..length];
        let whole = own.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let Some(room) = DIGITS.checked_sub(whole).filter(|_| whole > 0) else { return false };
        let decimals = if self.wanted > 0 { self.wanted as usize } else { room };
        let form = NeonForm { wanted: self.wanted, ..NeonForm::of(negative, whole, decimals) };
        let fits =
            decimals <= room && form.has_room(length) && form.fits(form.values(text, length));
        if fits {
            *self = form;
        }
        fits
    }

    /// Whether numbers of the form may have this length, which is at most 16.
    #[inline(always)]
    fn has_room(&self, length: usize) -> bool {
        length.wrapping_sub(self.least) <= self.spare
    }

    /// The values of the first `length` bytes, at most 16, and zeros.
    #[inline(always)]
    fn values(&self, text: &[u8; 16], length: usize) -> uint8x16_t {
        /// A load that starts `length` bytes before the middle keeps that many bytes.
        static MASKS: [u8; 32] = {
            let mut masks = [0; 32];
            let mut place = 0;
            while place < 16 {
                masks[place] = 0xFF;
                place += 1;
            }
            masks
        };
        let mask = MASKS[16 - length..].first_chunk().map_or(self.zeros, load);
        // SAFETY: NEON is always there.
        unsafe { vandq_u8(veorq_u8(load(text), self.zeros), mask) }
    }

    /// Whether these are the values of a number of the form.
    #[inline(always)]
    fn fits(&self, values: uint8x16_t) -> bool {
        // SAFETY: NEON is always there.
        unsafe { vmaxvq_u8(vqsubq_u8(values, self.most)) == 0 }
    }
}

#[inline(always)]
fn load(bytes: &[u8; 16]) -> uint8x16_t {
    // SAFETY: the load is of the 16 bytes of an array.
    unsafe { vld1q_u8(bytes.as_ptr()) }
}

/// In bytes that are all ones or zero, the bit of the byte's place among eight.
#[inline(always)]
fn one_bit_each(marks: uint8x16_t) -> uint8x16_t {
    static PLACES: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
    // SAFETY: NEON is always there.
    unsafe { vandq_u8(marks, load(&PLACES)) }
}

/// A bit for each of 64 bytes that a comparison sets to ones.
#[inline(always)]
fn marks(words: &[[u8; 16]], is: impl Fn(uint8x16_t) -> uint8x16_t) -> u64 {
    let bits = |place: usize| one_bit_each(is(load(&words[place])));
    // SAFETY: NEON is always there.
    unsafe {
        let halves = vpaddq_u8(vpaddq_u8(bits(0), bits(1)), vpaddq_u8(bits(2), bits(3)));
        vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(halves, halves)))
    }
}
