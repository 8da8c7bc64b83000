//! Files that one waits for: pipes, terminals, sockets.
//!
//! A read that waits inside the system hears of no interrupt, and neither does the
//! opening of a pipe that nobody writes to. So nothing here blocks for longer than
//! [`POLL_WAIT`], after which the thread asks whether it is to stop.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::io::Errno;

use crate::interrupt;

/// How long a wait lasts: 50 ms.
const POLL_WAIT: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// Opens a file for reading without waiting for a writer. It makes no difference to
/// a regular file.
pub(super) fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(path)
}

/// An open file that may have nothing to read yet.
pub(super) struct Waiting(pub File);

impl Waiting {
    /// Standard input.
    pub(super) fn stdin() -> io::Result<Waiting> {
        Ok(Waiting(File::from(io::stdin().as_fd().try_clone_to_owned()?)))
    }
}

impl Read for Waiting {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            interrupt::check().map_err(io::Error::other)?;
            match poll(&mut [PollFd::new(&self.0, PollFlags::IN)], Some(&POLL_WAIT)) {
                Ok(0) | Err(Errno::INTR) => continue,
                Ok(_) => {}
                Err(e) => return Err(e.into()),
            }
            match self.0.read(buf) {
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => {}
                done => return done,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::process::Command;
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use super::*;
    use crate::error::Kind;
    use crate::read::{Limits, Source};

    fn pipe(name: &str) -> std::path::PathBuf {
        let path = std::env::temp_dir().join(format!("{}-{name}", std::process::id()));
        let made = Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
        path
    }

    #[test]
    fn a_pipe_without_a_writer_can_be_left() {
        let path = pipe("left");
        let start = Instant::now();
        let stop = move || start.elapsed() > Duration::from_millis(60);
        let error = interrupt::with(Arc::new(stop), || Source::open(&path, &Limits::default()));
        std::fs::remove_file(&path).unwrap();
        assert_eq!(error.unwrap_err().kind(), Kind::Cancelled);
        assert!(start.elapsed() < Duration::from_millis(500));
    }

    #[test]
    fn what_a_slow_writer_sends_is_read_whole() {
        let path = pipe("slow");
        let target = path.clone();
        let writer = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(120));
            let mut pipe = OpenOptions::new().write(true).open(target).unwrap();
            for part in ["1 Q0 a 1 2", " x\n1 Q0 b 2", " 1 x\n"] {
                pipe.write_all(part.as_bytes()).unwrap();
                std::thread::sleep(Duration::from_millis(70));
            }
        });
        let mut source = Source::open(&path, &Limits::default()).unwrap();
        let mut text = [0; 100];
        let read = source.read(&mut text).unwrap();
        writer.join().unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(&text[..read], b"1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n");
    }
}
