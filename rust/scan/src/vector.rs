//! The operations with AVX2. All unsafe code of the crate is here.

use std::arch::x86_64::{
    __m128i, __m256i, _mm_cmpeq_epi8, _mm_cvtsi128_si64, _mm_loadu_si128, _mm_madd_epi16,
    _mm_maddubs_epi16, _mm_movemask_epi8, _mm_packus_epi32, _mm_set1_epi8, _mm_set1_epi16,
    _mm_set1_epi32, _mm_setzero_si128, _mm_shuffle_epi8, _mm_subs_epu8, _mm_testz_si128,
    _mm_xor_si128, _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_min_epu8, _mm256_movemask_epi8,
    _mm256_set1_epi8,
};

use crate::{DIGITS, Decimal, Scan, Task, WINDOW};

/// Proof that this processor has AVX2 and the instructions that came with it:
/// only [`Vector::detect`] makes one.
#[derive(Clone, Copy, Debug)]
pub struct Vector(());

impl Vector {
    /// Asks the processor; the answer is remembered by the standard library.
    #[inline]
    pub fn detect() -> Option<Vector> {
        let has = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        has.then_some(Vector(()))
    }

    /// Runs a task compiled for this processor.
    #[inline]
    pub fn run<T: Task>(self, task: T) -> T::Output {
        // SAFETY: `self` exists, so the processor has these features.
        unsafe { run(task, self) }
    }
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn run<T: Task>(task: T, vector: Vector) -> T::Output {
    task.run(vector)
}

impl Scan for Vector {
    #[inline(always)]
    fn line_feeds(self, window: &[u8; WINDOW]) -> u64 {
        // SAFETY: the processor has AVX2, for `self` exists.
        unsafe {
            let (low, high) = halves(window);
            let feed = _mm256_set1_epi8(b'\n'.cast_signed());
            bits(_mm256_cmpeq_epi8(low, feed), _mm256_cmpeq_epi8(high, feed))
        }
    }

    #[inline(always)]
    fn gaps(self, window: &[u8; WINDOW]) -> u64 {
        // SAFETY: the processor has AVX2, for `self` exists.
        unsafe {
            let (low, high) = halves(window);
            let space = _mm256_set1_epi8(b' '.cast_signed());
            let gap = |bytes| _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, space), bytes);
            bits(gap(low), gap(high))
        }
    }

    #[inline(always)]
    fn few_gaps(self, window: &[u8; WINDOW / 2]) -> u32 {
        // SAFETY: the processor has AVX2, for `self` exists. The load is of the
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
        // SAFETY: the processor has AVX2, for `self` exists. Every load is of
        // the 16 bytes of an array.
        unsafe {
            let [a, b, mask] = [a, b, mask].map(|word| _mm_loadu_si128(word.as_ptr().cast()));
            _mm_testz_si128(_mm_xor_si128(a, b), mask) != 0
        }
    }

    #[inline(always)]
    fn tags(self, tags: &[u8; 16], wanted: u8) -> (u32, u32) {
        // SAFETY: the processor has AVX2, for `self` exists. The load is of
        // the 16 bytes of an array.
        unsafe {
            let tags = _mm_loadu_si128(tags.as_ptr().cast());
            let found = _mm_cmpeq_epi8(tags, _mm_set1_epi8(wanted.cast_signed()));
            let empty = _mm_cmpeq_epi8(tags, _mm_setzero_si128());
            let [found, empty] = [found, empty].map(|bytes| _mm_movemask_epi8(bytes));
            (found.cast_unsigned(), empty.cast_unsigned())
        }
    }

    type Form = Form;

    #[inline(always)]
    fn form(self) -> Form {
        Form::of(false, 1, 15)
    }

    #[inline(always)]
    fn decimal(self, form: &mut Form, text: &[u8; 16], length: usize) -> Option<Decimal> {
        // SAFETY: the processor has AVX2, for `self` exists. The load is of
        // the 16 bytes of an array.
        unsafe {
            let bytes = _mm_loadu_si128(text.as_ptr().cast());
            if (length != form.length || !form.fits(bytes)) && !form.renew(text, length) {
                return None;
            }
            let values = _mm_shuffle_epi8(_mm_xor_si128(bytes, form.zeros), form.order);
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

/// The sign and the length of a number and the place of its point, as vectors:
/// numbers that are written alike are read without asking for any of these.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    negative: bool,
    /// With the sign and the point.
    length: usize,
    decimals: u32,
    /// What the bytes are without their value: `0`, or the point or the sign.
    zeros: __m128i,
    /// The highest value of a byte: 9, nothing for point and sign, anything in
    /// front of the number.
    most: __m128i,
    /// The digits without a gap between them, zeros in front of them.
    order: __m128i,
}

impl Form {
    /// The form of numbers in the last so many of 16 bytes, with a point at a
    /// place that is not the last one, or none.
    #[inline(always)]
    fn of(negative: bool, length: usize, point: usize) -> Form {
        let vectors = &FORMS[usize::from(negative)][length % 17][point % 16];
        // SAFETY: the loads are of the 16 bytes of arrays; SSE2 is always there.
        let [zeros, most, order] =
            vectors.each_ref().map(|bytes| unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) });
        Form { negative, length, decimals: 15 - point as u32, zeros, most, order }
    }

    /// Takes the form of a number in the last so many bytes, if it has one. Not
    /// a part of the loop that asks for it, which would move the vectors of the
    /// form about for each number.
    #[cold]
    #[inline(never)]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn renew(&mut self, text: &[u8; 16], length: usize) -> bool {
        if !(1..=16).contains(&length) {
            return false;
        }
        let number = &text[16 - length..];
        // A point behind all digits is taken for a digit, and is none.
        let point = number.iter().position(|&byte| byte == b'.').unwrap_or(length);
        let point = 15.min(16 - length + point);
        let negative = number[0] == b'-';
        let digits = length - usize::from(negative) - usize::from(point < 15);
        let form = Form::of(negative, length, point);
        // SAFETY: the load is of the 16 bytes of an array.
        let fits = unsafe { form.fits(_mm_loadu_si128(text.as_ptr().cast())) };
        let has = (1..=DIGITS).contains(&digits) && fits;
        if has {
            *self = form;
        }
        has
    }

    /// Whether a number of the length has the form.
    #[inline(always)]
    unsafe fn fits(&self, bytes: __m128i) -> bool {
        // SAFETY: the callers have AVX2.
        unsafe {
            let beyond = _mm_subs_epu8(_mm_xor_si128(bytes, self.zeros), self.most);
            _mm_testz_si128(beyond, beyond) != 0
        }
    }
}

/// The vectors of the [`Form`]s without and with a sign, by the length and the
/// place of the point; the last place stands for none.
static FORMS: [[Forms; 17]; 2] = [forms(false), forms(true)];

type Forms = [[[u8; 16]; 3]; 16];

const fn forms(negative: bool) -> [Forms; 17] {
    let mut all = [[[[0; 16]; 3]; 16]; 17];
    let mut length = 0;
    while length <= 16 {
        let mut point = 0;
        while point < 16 {
            let [zeros, most, order] = &mut all[length][point];
            let first = 16 - length;
            let first_digit = first + negative as usize;
            let mut i = 0;
            while i < 16 {
                let is_sign = negative && i == first;
                let is_point = i == point && point < 15;
                zeros[i] = match (is_sign, is_point) {
                    (true, _) => b'-',
                    (_, true) => b'.',
                    _ => b'0',
                };
                most[i] = if i < first { 0xFF } else { 9 * !(is_sign || is_point) as u8 };
                // The digits in front of the point move into its place.
                let from = if point < 15 && i <= point { i.wrapping_sub(1) } else { i };
                // What has its top bit set stands for a zero.
                order[i] = if from < 16 && from >= first_digit { from as u8 } else { 0x80 };
                i += 1;
            }
            point += 1;
        }
        length += 1;
    }
    all
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
