//! The operations with AVX2.

use std::arch::x86_64::{
    __m128i, __m256i, _mm_and_si128, _mm_cmpeq_epi8, _mm_cvtsi128_si64, _mm_loadu_si128,
    _mm_madd_epi16, _mm_maddubs_epi16, _mm_min_epu8, _mm_movemask_epi8, _mm_packus_epi32,
    _mm_set1_epi8, _mm_set1_epi16, _mm_set1_epi32, _mm_setzero_si128, _mm_shuffle_epi8,
    _mm_sub_epi8, _mm_subs_epu8, _mm_testz_si128, _mm_xor_si128, _mm256_cmpeq_epi8,
    _mm256_loadu_si256, _mm256_min_epu8, _mm256_movemask_epi8, _mm256_set1_epi8,
};
use std::sync::LazyLock;

use crate::forms::{BYTES, ORDERS};
use crate::{DIGITS, Decimal, Scan, Task, WINDOW, is_portable_wanted};

/// Proof that this processor has AVX2 and the instructions that came with it,
/// since only [`Avx2::detect`] constructs it.
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

impl Avx2 {
    /// Detects the features, once per process: lists may be short, and each of
    /// them calls this several times.
    #[inline]
    pub fn detect() -> Option<Avx2> {
        static HAS: LazyLock<bool> = LazyLock::new(|| {
            !is_portable_wanted()
                && is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt")
        });
        HAS.then_some(Avx2(()))
    }

    /// Runs a task compiled for this processor.
    #[inline]
    pub fn run<T: Task>(self, task: T) -> T::Output {
        // SAFETY: `detect` makes a `Avx2` only if the processor has these features.
        unsafe { run(task, self) }
    }
}

#[target_feature(enable = "avx2,bmi1,bmi2,fma,lzcnt,popcnt")]
fn run<T: Task>(task: T, vector: Avx2) -> T::Output {
    task.run(vector)
}

impl Scan for Avx2 {
    #[inline(always)]
    fn line_feeds(self, window: &[u8; WINDOW]) -> u64 {
        // SAFETY: `detect` makes a `Avx2` only if the processor has AVX2.
        unsafe {
            let (low, high) = halves(window);
            let feed = _mm256_set1_epi8(b'\n'.cast_signed());
            bits(_mm256_cmpeq_epi8(low, feed), _mm256_cmpeq_epi8(high, feed))
        }
    }

    #[inline(always)]
    fn gaps(self, window: &[u8; WINDOW]) -> u64 {
        // SAFETY: `detect` makes a `Avx2` only if the processor has AVX2.
        unsafe {
            let (low, high) = halves(window);
            let space = _mm256_set1_epi8(b' '.cast_signed());
            let gap = |bytes| _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, space), bytes);
            bits(gap(low), gap(high))
        }
    }

    #[inline(always)]
    fn few_gaps(self, window: &[u8; WINDOW / 2]) -> u32 {
        // SAFETY: `detect` makes a `Avx2` only if the processor has AVX2. The load is of the
        // 32 bytes of an array.
        unsafe {
            let bytes = _mm256_loadu_si256(window.as_ptr().cast());
            let space = _mm256_set1_epi8(b' '.cast_signed());
            let gaps = _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, space), bytes);
            _mm256_movemask_epi8(gaps).cast_unsigned()
        }
    }

    #[inline(always)]
    fn same(self, a: &[u8; 16], b: &[u8; 16], mask: &[u8; 16]) -> bool {
        // SAFETY: `detect` makes a `Avx2` only if the processor has AVX2. Every load is of
        // the 16 bytes of an array.
        unsafe {
            let [a, b, mask] = [a, b, mask].map(|word| _mm_loadu_si128(word.as_ptr().cast()));
            _mm_testz_si128(_mm_xor_si128(a, b), mask) != 0
        }
    }

    #[inline(always)]
    fn tags(self, tags: &[u8; 16], wanted: u8) -> (u32, u32) {
        // SAFETY: `detect` makes a `Avx2` only if the processor has AVX2. The load is of
        // the 16 bytes of an array.
        unsafe {
            let tags = _mm_loadu_si128(tags.as_ptr().cast());
            let found = _mm_cmpeq_epi8(tags, _mm_set1_epi8(wanted.cast_signed()));
            let empty = _mm_cmpeq_epi8(tags, _mm_setzero_si128());
            let [found, empty] = [found, empty].map(|bytes| _mm_movemask_epi8(bytes));
            (found.cast_unsigned(), empty.cast_unsigned())
        }
    }

    #[inline(always)]
    fn multiply_add(self, a: f32, b: f32, c: f32) -> f32 {
        a.mul_add(b, c)
    }

    type Form = Form;

    #[inline(always)]
    fn form(self, decimals: u32) -> Form {
        Form::none(decimals)
    }

    #[inline(always)]
    fn scaled(self, form: &mut Form, text: &[u8; 16], length: usize) -> Option<Decimal> {
        // SAFETY: `detect` makes a `Avx2` only if the processor has AVX2. `values` needs a
        // length of at most 16: `has_room` implies it for every form, and
        // otherwise the condition checks it.
        unsafe {
            let alike = form.has_room(length) && form.fits(form.values(text, length));
            if !alike && (length > 16 || !form.renew(text, length)) {
                return None;
            }
            // Computed again, since the form may have changed.
            let values = _mm_shuffle_epi8(form.values(text, length), form.order);
            let pairs = _mm_maddubs_epi16(values, _mm_set1_epi16(0x010A));
            let fours = _mm_madd_epi16(pairs, _mm_set1_epi32(0x0001_0064));
            let fours = _mm_packus_epi32(fours, fours);
            let eights = _mm_madd_epi16(fours, _mm_set1_epi32(0x0001_2710));
            let eights = _mm_cvtsi128_si64(eights).cast_unsigned();
            let digits = (eights & 0xFFFF_FFFF) * 100_000_000 + (eights >> 32);
            Some(Decimal { negative: form.negative, digits, decimals: form.decimals })
        }
    }
}

/// The sign of a number and the number of digits before its point, as vectors:
/// numbers with the same form are read without testing either, whatever their
/// number of decimals.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// The requested decimals; 0 for as many as fit.
    wanted: u32,
    decimals: u32,
    negative: bool,
    /// The number of bytes before the point, and how many may follow.
    least: usize,
    spare: usize,
    /// The bytes to subtract: `0` for digits, and the point and the sign.
    zeros: __m128i,
    /// The highest value of a byte: 9, and 0 for point and sign.
    most: __m128i,
    /// The shuffle that closes the gap of the point and pads with zeros to the
    /// number of decimals.
    order: __m128i,
}

impl Form {
    /// The form of no number: every length is too short for it.
    #[inline(always)]
    fn none(wanted: u32) -> Form {
        Form { wanted, least: usize::MAX, spare: 0, ..Form::of(false, 0, 0) }
    }

    /// The form of numbers with `whole` digits before the point, scaled to
    /// `decimals`.
    #[inline(always)]
    fn of(negative: bool, whole: usize, decimals: usize) -> Form {
        let (whole, decimals) = (whole % 16, decimals % 16);
        let [zeros, most] = &BYTES[usize::from(negative)][whole];
        let order = &ORDERS[usize::from(negative)][whole][decimals];
        // SAFETY: the loads are of the 16 bytes of arrays; SSE2 is always there.
        let [zeros, most, order] =
            [zeros, most, order].map(|bytes| unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) });
        let least = usize::from(negative) + whole;
        let spare = (1 + decimals).min(16 - least);
        Form { wanted: 0, decimals: decimals as u32, negative, least, spare, zeros, most, order }
    }

    /// Changes to the form of the number in the first `length` bytes, if it has
    /// one. Not inlined into the loop, where it would make the compiler spill
    /// the vectors of the form for each number.
    #[cold]
    #[inline(never)]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn renew(&mut self, text: &[u8; 16], length: usize) -> bool {
        if !(1..=16).contains(&length) {
            return false;
        }
        // An exponent is the most common reason not to fit.
        if text[length.saturating_sub(4)] | 0x20 == b'e' {
            return false;
        }
        let negative = text[0] == b'-';
        // SAFETY: the load is of the 16 bytes of an array.
        let bytes = unsafe { _mm_loadu_si128(text.as_ptr().cast()) };
        let values = _mm_sub_epi8(bytes, _mm_set1_epi8(b'0'.cast_signed()));
        let digits = _mm_cmpeq_epi8(_mm_min_epu8(values, _mm_set1_epi8(9)), values);
        let digits = _mm_movemask_epi8(digits).cast_unsigned() >> u32::from(negative);
        let whole = (digits.trailing_ones() as usize).min(length - usize::from(negative));
        let Some(room) = DIGITS.checked_sub(whole).filter(|_| whole > 0) else { return false };
        let decimals = if self.wanted > 0 { self.wanted as usize } else { room };
        let form = Form { wanted: self.wanted, ..Form::of(negative, whole, decimals) };
        // SAFETY: callers of this function have its target features, and `length`
        // was checked to be at most 16.
        let fits = decimals <= room
            && form.has_room(length)
            && unsafe { form.fits(form.values(text, length)) };
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
    unsafe fn values(&self, text: &[u8; 16], length: usize) -> __m128i {
        /// A load that starts `length` bytes before the middle keeps that many bytes.
        static MASKS: [[u8; 16]; 2] = [[0xFF; 16], [0; 16]];
        // SAFETY: the loads are of the 16 bytes of an array and, as the length is
        // 16 at most, of 16 of 32; the callers have AVX2.
        unsafe {
            let start = MASKS.as_ptr().cast::<u8>().add(16 - length);
            let [bytes, mask] = [text.as_ptr(), start].map(|bytes| _mm_loadu_si128(bytes.cast()));
            _mm_and_si128(_mm_xor_si128(bytes, self.zeros), mask)
        }
    }

    /// Whether these are the values of a number of the form.
    #[inline(always)]
    unsafe fn fits(&self, values: __m128i) -> bool {
        // SAFETY: the callers have AVX2.
        unsafe {
            let beyond = _mm_subs_epu8(values, self.most);
            _mm_testz_si128(beyond, beyond) != 0
        }
    }
}

#[inline(always)]
unsafe fn halves(window: &[u8; WINDOW]) -> (__m256i, __m256i) {
    let start = window.as_ptr();
    // SAFETY: two halves of 32 bytes are the 64 of the window; the callers
    // have AVX2.
    unsafe { (_mm256_loadu_si256(start.cast()), _mm256_loadu_si256(start.add(32).cast())) }
}

/// The top bits of 64 bytes.
#[inline(always)]
unsafe fn bits(low: __m256i, high: __m256i) -> u64 {
    // SAFETY: the callers have AVX2.
    let (low, high) = unsafe { (_mm256_movemask_epi8(low), _mm256_movemask_epi8(high)) };
    u64::from(low.cast_unsigned()) | u64::from(high.cast_unsigned()) << 32
}
