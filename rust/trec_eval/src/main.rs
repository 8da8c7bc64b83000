//! The program `trec_eval`: its options, what it prints and its exit codes, to the byte.

use std::env;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use cranfield_core::trec_eval;
use cranfield_core::write::{stderr, stdout};

/// The system's hands out memory page by page, which took half of the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    end_at_closed_pipes();
    let arguments: Vec<_> = env::args_os().skip(1).map(OsString::into_encoded_bytes).collect();
    let Ok(mut out) = stdout() else { return ExitCode::FAILURE };
    let mut err = stderr();
    let code = trec_eval::run(&arguments, &mut out, &mut err);
    // If this fails, there is no way left to report it.
    let _ = err.flush();
    ExitCode::from(code)
}

/// Lets a closed pipe end the process at once, as it ends `trec_eval`: Rust's start ignores the signal.
fn end_at_closed_pipes() {
    #[cfg(unix)]
    // SAFETY: no other thread runs yet, and the default action is always valid.
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
    }
}
