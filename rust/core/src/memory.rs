//! Memory whose size follows from input.
//!
//! A vector that cannot grow ends the process. So whatever is about to need much asks for the
//! room first, and a refusal is an error (kind "memory") that leaves all as it was.

use std::hint::black_box;

use crate::error::{Error, Kind, Result};

/// Less than this many bytes are not asked for: they are what any call needs.
pub const SMALL: usize = 1 << 16;

/// An error if the system would refuse this many bytes.
#[inline]
pub fn room_for(bytes: usize) -> Result<()> {
    if bytes < SMALL { Ok(()) } else { ask(bytes) }
}

/// Room for this many items in all, as for those that are to be pushed one by one.
#[inline]
pub fn reserve<T>(items: &mut Vec<T>, all: usize) -> Result<()> {
    if all <= items.capacity() {
        return Ok(());
    }
    let more = all - items.len();
    items.try_reserve(more).map_err(|_| refused(all.saturating_mul(size_of::<T>())))
}

#[cold]
fn ask(bytes: usize) -> Result<()> {
    let mut room = Vec::<u8>::new();
    let asked = room.try_reserve_exact(bytes);
    // An allocation that nobody sees may be left out by the compiler.
    black_box(&room);
    asked.map_err(|_| refused(bytes))
}

#[cold]
fn refused(bytes: usize) -> Error {
    let megabytes = bytes.div_ceil(1 << 20);
    Error::new(Kind::Memory, format!("not enough memory: could not allocate {megabytes} MB"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_machine_has_is_refused() {
        room_for(100 << 20).unwrap();
        let error = room_for(isize::MAX as usize).unwrap_err();
        assert_eq!(error.kind(), Kind::Memory);
        let mut items = vec![1_u64, 2];
        reserve(&mut items, 1000).unwrap();
        assert!(items.capacity() >= 1000);
        assert_eq!(reserve(&mut items, usize::MAX / 8).unwrap_err().kind(), Kind::Memory);
        assert_eq!(items, [1, 2]);
    }
}
