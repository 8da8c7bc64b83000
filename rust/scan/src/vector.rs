//! The operations with AVX2. All unsafe code of the crate is here.

use std::arch::x86_64::{
    __m128i, __m256i, _mm_and_si128, _mm_andnot_si128, _mm_blendv_epi8, _mm_cmpeq_epi8,
    _mm_cvtsi128_si64, _mm_loadu_si128, _mm_madd_epi16, _mm_maddubs_epi16, _mm_min_epu8,
    _mm_movemask_epi8, _mm_packus_epi32, _mm_set1_epi8, _mm_set1_epi16, _mm_set1_epi32,
    _mm_setzero_si128, _mm_slli_si128, _mm_sub_epi8, _mm_testz_si128, _mm_xor_si128,
    _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_min_epu8, _mm256_movemask_epi8, _mm256_set1_epi8,
};

use crate::{Scan, Task, WINDOW};

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

/// Bytes of ones between bytes of zeros: a load from the right place is a mask
/// of the first or the last bytes.
static MASKS: [u8; 48] = {
    let mut masks = [0; 48];
    let mut i = 16;
    while i < 32 {
        masks[i] = 0xFF;
        i += 1;
    }
    masks
};

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
        Form { length: 1, inside: mask(1), points: 0, front: mask(32), decimals: 0 }
    }

    #[inline(always)]
    fn decimal(self, form: &mut Form, text: &[u8; 16], length: usize) -> Option<(u64, u32)> {
        // SAFETY: the processor has AVX2, for `self` exists. Every load is of
        // the 16 bytes of an array.
        unsafe {
            if length != form.length {
                if !(1..=16).contains(&length) {
                    return None;
                }
                (form.length, form.inside) = (length, mask(length));
            }
            let bytes = _mm_loadu_si128(text.as_ptr().cast());
            let is_point = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'.'.cast_signed()));
            let is_point = _mm_and_si128(is_point, form.inside);
            let points = _mm_movemask_epi8(is_point).cast_unsigned();
            if points != form.points {
                form.place(points)?;
            }
            let values = _mm_sub_epi8(bytes, _mm_set1_epi8(b'0'.cast_signed()));
            let values = _mm_andnot_si128(is_point, _mm_and_si128(values, form.inside));
            let digits = _mm_cmpeq_epi8(_mm_min_epu8(values, _mm_set1_epi8(9)), values);
            if _mm_movemask_epi8(digits) != 0xFFFF || (length == 1 && points != 0) {
                return None;
            }
            // The digits in front of the point move into its place.
            let values = _mm_blendv_epi8(values, _mm_slli_si128::<1>(values), form.front);
            let pairs = _mm_maddubs_epi16(values, _mm_set1_epi16(0x010A));
            let fours = _mm_madd_epi16(pairs, _mm_set1_epi32(0x0001_0064));
            let fours = _mm_packus_epi32(fours, fours);
            let eights = _mm_madd_epi16(fours, _mm_set1_epi32(0x0001_2710));
            let eights = _mm_cvtsi128_si64(eights).cast_unsigned();
            Some(((eights & 0xFFFF_FFFF) * 100_000_000 + (eights >> 32), form.decimals))
        }
    }
}

/// The length of a number and the place of its point, as masks.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    length: usize,
    /// The bytes of the number.
    inside: __m128i,
    /// A bit for each point, of which there is one at most.
    points: u32,
    /// The point and what is in front of it.
    front: __m128i,
    decimals: u32,
}

impl Form {
    /// Remembers where the point is, unless there are several.
    #[inline(always)]
    fn place(&mut self, points: u32) -> Option<()> {
        if points & points.wrapping_sub(1) != 0 {
            return None;
        }
        // 16 if there is none.
        let at = (points | 1 << 16).trailing_zeros();
        let front = if at == 16 { mask(32) } else { mask(31 - at as usize) };
        (self.points, self.front) = (points, front);
        self.decimals = if at == 16 { 0 } else { 15 - at };
        Some(())
    }
}

/// The 16 bytes of [`MASKS`] from a place on, which is at most 32.
#[inline(always)]
fn mask(from: usize) -> __m128i {
    let bytes: &[u8; 16] = MASKS[from..].first_chunk().unwrap_or(&[0; 16]);
    // SAFETY: the load is of the 16 bytes of an array; SSE2 is always there.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
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
