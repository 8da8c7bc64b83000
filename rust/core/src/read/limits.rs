//! Limits on input, by name.

/// Named limits on input; settable, because what is a bomb to one user is a
/// log file of zeros to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many times larger than its archive decompressed data may be. Real
    /// runs stay below 6, bombs start at 1000.
    pub decompression_ratio: u64,
    /// Decompressed bytes that are allowed before the ratio counts: so few do
    /// no harm, and short files may well be very regular.
    pub decompression_free: u64,
    /// Decompressed bytes of one source, whatever the ratio.
    pub decompressed_bytes: u64,
    /// Decompressed bytes of all runs that one call reads.
    pub decompressed_call_bytes: u64,
    /// The longest line that the line reader accepts, in bytes.
    pub line_bytes: usize,
    /// Whether who reads can set them: errors name the option then.
    pub can_be_set: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            decompression_ratio: 200,
            decompression_free: 16 << 20,
            decompressed_bytes: 64 << 30,
            decompressed_call_bytes: 1 << 40,
            line_bytes: 1 << 20,
            can_be_set: true,
        }
    }
}
