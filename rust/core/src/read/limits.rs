//! Limits on input, by name.

use crate::error::{Error, Interface, Kind};

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

/// How much data of one source has expanded, and that of all sources of its call.
#[derive(Clone, Copy, Debug, Default)]
pub struct Expanded {
    /// Bytes that were taken from the source.
    pub taken: u64,
    /// Bytes that they expanded to.
    pub delivered: u64,
    /// Bytes that all sources expanded to.
    pub of_call: u64,
}

impl Limits {
    /// The error for data (of gzip, of Parquet) that expands beyond a limit, if it does.
    pub fn exceeded(&self, data: &str, expanded: Expanded) -> Option<Error> {
        let Expanded { taken, delivered, of_call } = expanded;
        let Limits { decompression_ratio: ratio, decompression_free: free, .. } = *self;
        if delivered > self.decompressed_bytes {
            return Some(self.too_much(data, "decompressed_bytes", "", self.decompressed_bytes));
        }
        if of_call > self.decompressed_call_bytes {
            let limit = self.decompressed_call_bytes;
            return Some(self.too_much(data, "decompressed_call_bytes", " of all runs", limit));
        }
        if delivered <= free || delivered <= ratio.saturating_mul(taken) {
            return None;
        }
        Some(Error::for_each(Kind::Limit, |to| {
            let limit = self.beyond(to, "decompression_ratio", &ratio.to_string());
            format!(
                "{taken} bytes of {data} data expand to {delivered} bytes and more, {limit} if you \
                 trust this file"
            )
        }))
    }

    /// The error for more decompressed bytes than a limit allows.
    #[cold]
    fn too_much(&self, data: &str, name: &str, of: &str, limit: u64) -> Error {
        Error::for_each(Kind::Limit, |to| {
            let limit = self.beyond(to, name, &format!("{limit} bytes"));
            format!("the {data} data{of} expands {limit} if you trust it")
        })
    }

    /// Which limit was passed, and what to do about it.
    #[cold]
    fn beyond(&self, to: Interface, name: &str, limit: &str) -> String {
        if self.can_be_set {
            format!("beyond the limit `{}` of {limit}; raise it", to.option(name))
        } else {
            format!("beyond the limit of {limit}; unpack it first")
        }
    }
}
