//! The allocator of the extension.

// Under a sanitizer, its own allocator is the one that sees faults.
#[cfg(not(fuzzing))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[cfg(not(fuzzing))]
unsafe extern "C" {
    safe fn mi_collect(force: bool);
}

/// Gives memory that is free back to the system, which the allocator by itself does only when it
/// is asked for more. Takes milliseconds.
pub fn give_back() {
    #[cfg(not(fuzzing))]
    mi_collect(true);
}
