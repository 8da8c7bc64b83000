//! Atomic output: files that are either complete or not there.
//!
//! A result that was cut off by a full disk or a `kill` looks like a complete
//! one. So everything is written to a file without a name in the target's folder,
//! forced to the disk and only then given its name, at once. Where the system has no
//! such files, they have a hidden name meanwhile.

use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, IsTerminal, Write};
#[cfg(unix)]
use std::os::fd::AsFd;
#[cfg(unix)]
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bzip2::write::BzEncoder;
use flate2::write::GzEncoder;
use lzma_rust2::{XzOptions, XzWriter};
#[cfg(unix)]
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
#[cfg(unix)]
use rustix::io::Errno;
use zstd::stream::write::Encoder as ZstdEncoder;

use crate::error::{Error, Kind, Result, quote};
use crate::interrupt;
use crate::read::Compression;
use crate::read::file_errors::{directory, folder_of, io_error};
use crate::terminal::{Escapes, Shown};

/// The size of the pieces that the compressors and the system get.
const BUFFER: usize = 64 << 10;

/// What an error says could not be done.
pub(crate) const WRITE: &str = "write this file";

/// The level of xz, its own default; above it only memory grows.
const XZ_PRESET: u32 = 6;

/// How many links in a chain are followed, as on Linux.
const LINKS: u32 = 40;

/// Writes a file so that it is either complete or not there: a temporary file,
/// fsync, then rename. Compression is chosen by the suffix (`.gz`, `.zst`,
/// `.bz2`, `.xz`).
///
/// Dropping it without [`commit`](Output::commit) removes what was written. An
/// existing target keeps its permissions and, where the system lets it, its owner; a
/// write-protected one is not replaced. Links are followed, so that the file which a link points
/// to is replaced, not the link. A target that is not a regular file
/// (`/dev/null`, a pipe, `/dev/stdout`) is written directly, because it cannot
/// be replaced.
///
/// The same text has the same bytes, however it was split into writes: the
/// output of compressors, above all gzip's, depends on the pieces they get, so
/// they get pieces of one size. For the same reason flushing passes on only
/// uncompressed data.
pub struct Output {
    name: String,
    /// Data not yet passed to the encoder, less than [`BUFFER`].
    pending: Vec<u8>,
    /// Absent once committed.
    encoder: Option<Encoder>,
    /// The hidden file; declared after the encoder, so that the encoder closes
    /// it first.
    temp: Option<TempFile>,
    /// The first error in writing: after it, nothing may be committed.
    failure: Option<Error>,
}

impl Output {
    /// Starts a file; nothing is visible under its name before
    /// [`commit`](Output::commit).
    pub fn create(path: &Path) -> Result<Output> {
        Output::packed(path, compression_of(path))
    }

    /// The same for bytes that are written as they are, whatever the suffix.
    pub fn of_bytes(path: &Path) -> Result<Output> {
        Output::packed(path, Compression::None)
    }

    fn packed(path: &Path, compression: Compression) -> Result<Output> {
        let name = path.display().to_string();
        let (file, temp) = open(path, &name)?;
        let file = BufWriter::with_capacity(BUFFER, Asking(file));
        let sink = Sink { file, closed: false };
        let encoder = Encoder::new(compression, sink)
            .map_err(|e| io_error(&name, "start the compression", &e))?;
        let pending = Vec::with_capacity(BUFFER);
        Ok(Output { name, pending, encoder: Some(encoder), temp, failure: None })
    }

    /// The name as the user gave it, for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Finishes the file and gives it its name. Fails if any earlier write has
    /// failed, even if the caller ignored that.
    pub fn commit(mut self) -> Result<()> {
        if let Some(e) = self.failure.take() {
            return Err(e);
        }
        let written = self.push().and_then(|()| self.finish());
        written.map_err(|e| failed(&self.name, WRITE, &e))
    }

    /// The steps of a commit. If one of them fails, the hidden file is removed.
    fn finish(&mut self) -> io::Result<()> {
        let Some(encoder) = self.encoder.take() else { return Ok(()) };
        let sink = encoder.finish()?;
        let Asking(file) = sink.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        if let Some(temp) = self.temp.take() {
            file.sync_all()?;
            temp.rename(&file)?;
        }
        Ok(())
    }

    /// Passes pending data to the encoder.
    fn push(&mut self) -> io::Result<()> {
        // A compressor may take long without writing anything.
        interrupt::check().map_err(io::Error::other)?;
        if let Some(encoder) = &mut self.encoder {
            encoder.write_all(&self.pending)?;
        }
        self.pending.clear();
        Ok(())
    }

    /// Writes unless that has failed before, and keeps the first error so that
    /// a commit cannot follow it.
    fn watch(&mut self, write: impl FnOnce(&mut Self) -> io::Result<()>) -> io::Result<()> {
        if let Some(e) = &self.failure {
            return Err(io::Error::other(e.clone()));
        }
        let written = write(self);
        if let Err(e) = &written {
            self.failure = Some(failed(&self.name, WRITE, e));
        }
        written
    }
}

/// The error for a file that could not be written, or whose writing was stopped.
#[cold]
pub(crate) fn failed(name: &str, action: &str, error: &io::Error) -> Error {
    interrupt::check().err().unwrap_or_else(|| io_error(name, action, error))
}

impl Write for Output {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let n = buf.len().min(BUFFER - self.pending.len());
        self.watch(|this| {
            this.pending.extend_from_slice(&buf[..n]);
            if this.pending.len() < BUFFER { Ok(()) } else { this.push() }
        })?;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.watch(|this| {
            if let Some(Encoder::Plain(_)) = this.encoder {
                this.push()?;
            }
            this.encoder.as_mut().map_or(Ok(()), Write::flush)
        })
    }
}

impl Drop for Output {
    /// Compressors finish their stream when they are dropped. That would make
    /// half a result look complete to the reader of a pipe.
    fn drop(&mut self) {
        if let Some(encoder) = &mut self.encoder {
            encoder.sink().closed = true;
        }
    }
}

impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Output")
            .field("name", &self.name)
            .field("temp", &self.temp)
            .field("failure", &self.failure)
            .finish_non_exhaustive()
    }
}

/// The compression of a suffix.
fn compression_of(path: &Path) -> Compression {
    let suffix = path.extension().map(OsStr::to_ascii_lowercase);
    match suffix.as_deref().and_then(OsStr::to_str) {
        Some("gz") => Compression::Gzip,
        Some("zst") => Compression::Zstd,
        Some("bz2") => Compression::Bzip2,
        Some("xz") => Compression::Xz,
        _ => Compression::None,
    }
}

/// A file that asks at each write whether to stop. A write that waits for the reader of a
/// pipe is tried again after a signal, and asks again.
struct Asking(File);

impl Write for Asking {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        interrupt::check().map_err(io::Error::other)?;
        self.0.write(buf)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Standard output, as one that can be left while nobody reads it. A terminal and a log get
/// nothing that controls them.
pub fn stdout() -> io::Result<Box<dyn Write>> {
    #[cfg(unix)]
    let out = Asking(io::stdout().as_fd().try_clone_to_owned()?.into());
    #[cfg(not(unix))]
    let out = io::stdout().lock();
    let out = BufWriter::with_capacity(BUFFER, out);
    Ok(shown(out, &io::stdout()))
}

/// Standard error, likewise.
pub fn stderr() -> Box<dyn Write> {
    shown(io::stderr(), &io::stderr())
}

/// What is written to a standard stream, with the escapes that it needs.
#[cfg(unix)]
fn shown(out: impl Write + 'static, stream: &(impl IsTerminal + AsFd)) -> Box<dyn Write> {
    let file = stream.as_fd().try_clone_to_owned().and_then(|fd| File::from(fd).metadata());
    escaped(out, Escapes::of(stream.is_terminal(), file.is_ok_and(|found| found.is_file())))
}

#[cfg(not(unix))]
fn shown(out: impl Write + 'static, stream: &impl IsTerminal) -> Box<dyn Write> {
    escaped(out, Escapes::of(stream.is_terminal(), false))
}

fn escaped(out: impl Write + 'static, escapes: Escapes) -> Box<dyn Write> {
    if escapes.is_empty() { Box::new(out) } else { Box::new(Shown::new(out, escapes)) }
}

/// The file below a compressor.
struct Sink {
    file: BufWriter<Asking>,
    /// Nothing more is written, see the `Drop` of [`Output`].
    closed: bool,
}

impl Write for Sink {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        if self.closed {
            return Ok(buf.len());
        }
        // Not every compressor continues after an interrupt or a short write.
        self.file.write_all(buf)?;
        Ok(buf.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.closed { Ok(()) } else { self.file.flush() }
    }
}

/// The five encodings of the output.
enum Encoder {
    Plain(Sink),
    Gzip(Box<GzEncoder<Sink>>),
    Zstd(Box<ZstdEncoder<'static, Sink>>),
    Bzip2(Box<BzEncoder<Sink>>),
    Xz(Box<XzWriter<Sink>>),
}

impl Encoder {
    fn new(compression: Compression, sink: Sink) -> io::Result<Self> {
        Ok(match compression {
            Compression::None => Encoder::Plain(sink),
            Compression::Gzip => {
                // Neither the time nor the system goes into the header: the
                // same result has the same bytes everywhere.
                let header = flate2::GzBuilder::new().mtime(0).operating_system(255);
                Encoder::Gzip(Box::new(header.write(sink, flate2::Compression::default())))
            }
            Compression::Zstd => {
                let mut encoder = ZstdEncoder::new(sink, zstd::DEFAULT_COMPRESSION_LEVEL)?;
                encoder.include_checksum(true)?;
                Encoder::Zstd(Box::new(encoder))
            }
            Compression::Bzip2 => {
                Encoder::Bzip2(Box::new(BzEncoder::new(sink, bzip2::Compression::best())))
            }
            Compression::Xz => {
                Encoder::Xz(Box::new(XzWriter::new(sink, XzOptions::with_preset(XZ_PRESET))?))
            }
        })
    }

    fn sink(&mut self) -> &mut Sink {
        match self {
            Encoder::Plain(sink) => sink,
            Encoder::Gzip(encoder) => encoder.get_mut(),
            Encoder::Zstd(encoder) => encoder.get_mut(),
            Encoder::Bzip2(encoder) => encoder.get_mut(),
            Encoder::Xz(encoder) => encoder.inner_mut(),
        }
    }

    /// Writes what the format has at its end.
    fn finish(self) -> io::Result<Sink> {
        match self {
            Encoder::Plain(sink) => Ok(sink),
            Encoder::Gzip(encoder) => encoder.finish(),
            Encoder::Zstd(encoder) => encoder.finish(),
            Encoder::Bzip2(encoder) => encoder.finish(),
            Encoder::Xz(encoder) => encoder.finish(),
        }
    }
}

impl Write for Encoder {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        match self {
            Encoder::Plain(sink) => sink.write(buf),
            Encoder::Gzip(encoder) => encoder.write(buf),
            Encoder::Zstd(encoder) => encoder.write(buf),
            Encoder::Bzip2(encoder) => encoder.write(buf),
            Encoder::Xz(encoder) => encoder.write(buf),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Encoder::Plain(sink) => sink.flush(),
            _ => Ok(()),
        }
    }
}

/// A file in the target's folder that has no name yet or, where the system has no such files,
/// a hidden one; it is gone unless it was renamed.
#[derive(Debug)]
struct TempFile {
    /// Empty while the file has no name.
    temporary: PathBuf,
    target: PathBuf,
}

impl TempFile {
    fn create(target: PathBuf) -> io::Result<(File, Self)> {
        #[cfg(target_os = "linux")]
        if let Ok(file) = unnamed::create(folder_of(&target)) {
            return Ok((file, TempFile { temporary: PathBuf::new(), target }));
        }
        loop {
            let temporary = hidden(&target, GROWING);
            match OpenOptions::new().write(true).create_new(true).open(&temporary) {
                Ok(file) => {
                    // Held as long as it is written, so that nobody takes it for a remnant.
                    let _ = file.try_lock();
                    return Ok((file, TempFile { temporary, target }));
                }
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
            }
        }
    }

    /// Gives the file its name.
    fn rename(mut self, file: &File) -> io::Result<()> {
        #[cfg(target_os = "linux")]
        if self.temporary.as_os_str().is_empty() {
            if unnamed::link(file, &self.target).is_ok() {
                self.settle();
                return Ok(());
            }
            // Something has this name; only a file with a name can replace it. From its first
            // moment that is held, so that nobody takes it for a remnant.
            let _ = file.try_lock();
            self.temporary = loop {
                let name = hidden(&self.target, WHOLE_SUFFIX);
                match unnamed::link(file, &name) {
                    Ok(()) => break name,
                    Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                    Err(e) => return Err(e),
                }
            };
        }
        let _ = file;
        fs::rename(&self.temporary, &self.target)?;
        self.settle();
        Ok(())
    }

    /// What is left to do when the file has its name.
    fn settle(&mut self) {
        // Nothing is left to remove.
        self.temporary = PathBuf::new();
        let folder = folder_of(&self.target);
        remove_remnants(folder);
        // The new name should survive a power cut, too. Some file systems cannot
        // synchronise folders; the file is complete even so.
        #[cfg(unix)]
        if let Ok(folder) = File::open(folder) {
            let _ = folder.sync_all();
        }
    }
}

/// How hidden files begin.
const HIDDEN: &str = ".cranfield-";

/// How those end that have the name while they are written.
const GROWING: &str = ".tmp";

/// How those end that were whole, and held, before they had a name.
const WHOLE_SUFFIX: &str = ".new";

/// A hidden name beside a target. The process id is not enough for a new one if containers
/// share a folder, so names that exist are skipped by the caller.
fn hidden(target: &Path, end: &str) -> PathBuf {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let n = COUNTER.fetch_add(1, Ordering::Relaxed);
    folder_of(target).join(format!("{HIDDEN}{}-{n}{end}", std::process::id()))
}

/// How old a file that has its name while it is written is before it can be a remnant: until
/// then it may be about to be held, or be held on another machine that shares the folder.
const REMNANT: Duration = Duration::from_mins(1);

/// Removes hidden files that nobody holds from a folder: a call that was killed left them.
pub fn remove_remnants(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|name| name.starts_with(HIDDEN)) else { continue };
        let is_old = || {
            let modified = entry.metadata().ok()?.modified().ok()?;
            Some(modified.elapsed().ok()? > REMNANT)
        };
        if (name.ends_with(WHOLE_SUFFIX) || name.ends_with(GROWING) && is_old() == Some(true))
            && entry.file_type().is_ok_and(|kind| kind.is_file())
            && File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok())
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Files without a name, which are gone when the process ends, however it ends.
#[cfg(target_os = "linux")]
mod unnamed {
    use std::fs::File;
    use std::io;
    use std::os::fd::AsRawFd;
    use std::path::Path;

    use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, open};

    /// An error where the file system has none, or where it could not get a name.
    pub(super) fn create(folder: &Path) -> io::Result<File> {
        let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
        let file = File::from(open(folder, flags, Mode::from_raw_mode(0o666))?);
        std::fs::metadata(path(&file))?;
        Ok(file)
    }

    pub(super) fn link(file: &File, name: &Path) -> io::Result<()> {
        Ok(linkat(CWD, path(file), CWD, name, AtFlags::SYMLINK_FOLLOW)?)
    }

    fn path(file: &File) -> String {
        format!("/proc/self/fd/{}", file.as_raw_fd())
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        if !self.temporary.as_os_str().is_empty() {
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// Opens the file to write to: the target itself if it cannot be replaced, else
/// a temporary file in its folder.
fn open(path: &Path, name: &str) -> Result<(File, Option<TempFile>)> {
    let refused = |e: &io::Error| failed(name, WRITE, e);
    let ends_in_separator = path
        .as_os_str()
        .as_encoded_bytes()
        .last()
        .is_some_and(|&b| std::path::is_separator(b.into()));
    let existing = match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => return Err(directory(name)),
        _ if ends_in_separator => return Err(directory(name)),
        Ok(metadata) => Some(metadata),
        Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            None
        }
        Err(e) => return Err(refused(&e)),
    };
    let (target, is_descriptor) = follow(path).map_err(|e| refused(&e))?;
    if is_descriptor || existing.as_ref().is_some_and(|m| !m.is_file()) {
        let file = open_directly(&target, is_descriptor).map_err(|e| refused(&e))?;
        return Ok((file, None));
    }
    let folder = folder_of(&target);
    if target.file_name().is_none() || !folder.is_dir() {
        return Err(no_folder(&target, folder).in_file(name));
    }
    if existing.is_some() {
        // Replacing the file would bypass its write protection.
        OpenOptions::new().write(true).open(&target).map_err(|e| refused(&e))?;
    }
    let (file, temp) = TempFile::create(target).map_err(|e| refused(&e))?;
    if let Some(metadata) = existing {
        // Before the first byte is written, since they may restrict who reads it. To give a file
        // away takes rights that a writer need not have, and takes some permissions away.
        #[cfg(unix)]
        let _ = std::os::unix::fs::fchown(&file, Some(metadata.uid()), Some(metadata.gid()));
        file.set_permissions(metadata.permissions()).map_err(|e| refused(&e))?;
    }
    Ok((file, Some(temp)))
}

/// Opens what cannot be replaced: a device, a pipe, an open file of a process.
fn open_directly(target: &Path, is_descriptor: bool) -> io::Result<File> {
    #[cfg(unix)]
    if is_descriptor && let Some(file) = own_stream(target) {
        return file;
    }
    // Appending, so that a file to which a shell has redirected an output keeps its content.
    let mut options = OpenOptions::new();
    options.append(true);
    #[cfg(unix)]
    if fs::metadata(target)?.file_type().is_fifo() {
        return open_pipe(target, options, is_descriptor);
    }
    options.open(target)
}

/// Standard output or standard error of this process, which go on where they stand, also if they
/// are sockets.
#[cfg(unix)]
fn own_stream(target: &Path) -> Option<io::Result<File>> {
    let folder = folder_of(target);
    let own = Path::new("/proc").join(std::process::id().to_string());
    if !folder.starts_with(own) && folder != Path::new(DESCRIPTORS) {
        return None;
    }
    let copied = match target.file_name()?.to_str()? {
        "1" => io::stdout().as_fd().try_clone_to_owned(),
        "2" => io::stderr().as_fd().try_clone_to_owned(),
        _ => return None,
    };
    Some(copied.map(File::from))
}

/// Opens a pipe when somebody reads from it; asks meanwhile whether to stop. One that is open
/// already has lost its reader if nobody does.
#[cfg(unix)]
fn open_pipe(target: &Path, mut options: OpenOptions, is_open: bool) -> io::Result<File> {
    options.custom_flags(OFlags::NONBLOCK.bits() as i32);
    loop {
        match options.open(target) {
            Err(e) if Errno::from_io_error(&e) == Some(Errno::NXIO) => {
                if is_open {
                    return Err(Errno::PIPE.into());
                }
                interrupt::check().map_err(io::Error::other)?;
                std::thread::sleep(READER_WAIT);
            }
            opened => {
                let file = opened?;
                fcntl_setfl(&file, fcntl_getfl(&file)? - OFlags::NONBLOCK)?;
                return Ok(file);
            }
        }
    }
}

/// How long a pipe without a reader is left alone.
#[cfg(unix)]
const READER_WAIT: Duration = Duration::from_millis(50);

/// The folder of the files that this process has open.
const DESCRIPTORS: &str = "/dev/fd";

/// Follows links to where a file is or would be. The second value is true if
/// the chain passes through an open file of a process, such as
/// `/dev/stdout`: then that file is written to, whatever its other names.
fn follow(path: &Path) -> io::Result<(PathBuf, bool)> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        if let (Ok(folder), Some(name)) = (fs::canonicalize(folder_of(&path)), path.file_name()) {
            let of_process = folder.starts_with("/proc") && folder.ends_with("fd");
            if of_process || folder == Path::new(DESCRIPTORS) {
                return Ok((folder.join(name), true));
            }
        }
        match fs::read_link(&path) {
            Ok(link) => path = folder_of(&path).join(link),
            Err(_) => return Ok((path, false)),
        }
    }
    Err(io::Error::other("too many symbolic links in a chain"))
}

/// The error for a target in a folder that is not there.
#[cold]
fn no_folder(target: &Path, folder: &Path) -> Error {
    let shown = quote(folder.as_os_str().as_encoded_bytes());
    let message = if target.file_name().is_none() {
        String::from("this is not a file name")
    } else if folder.exists() {
        format!("cannot write this file: {shown} is not a folder")
    } else {
        format!("cannot write this file: there is no folder {shown}; create it first")
    };
    Error::new(Kind::Missing, message)
}

#[cfg(test)]
mod tests;
