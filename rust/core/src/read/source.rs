//! The way in: files, standard input and readers of the host language, all
//! as a [`Source`] of decompressed bytes.
//!
//! There is no other way to open input, so that no path escapes the limits.
//! Compression is recognised by content, because suffixes lie: downloads get
//! renamed, and a `.gz` that a browser has unpacked already is common.
//!
//! The decoders pull from a [`Feed`] of our own, which counts the bytes that
//! they *took* rather than those that were read ahead for them: a small
//! archive that expands without end cannot hide behind the bytes that follow
//! it.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufRead, Read};
use std::mem;
use std::path::Path;

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::GzDecoder;
use lzma_rust2::XzReader;
use zstd::stream::read::Decoder as ZstdDecoder;

use crate::error::{Error, Kind, Result, nearest, quote};

/// Named limits on input; settable, because what is a bomb to one user is a
/// log file of zeros to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many times larger than its archive decompressed data may be. Real
    /// runs stay below 6, bombs start at 1000.
    pub decompression_ratio: u64,
    /// Decompressed bytes that are free before the ratio counts: nobody is
    /// harmed by them, and short files may well be very regular.
    pub decompression_free: u64,
    /// The longest line that the line reader accepts, in bytes.
    pub line_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { decompression_ratio: 200, decompression_free: 16 << 20, line_bytes: 1 << 20 }
    }
}

/// What the bytes of a source were packed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// gzip, of one or several members.
    Gzip,
    /// Zstandard, of one or several frames.
    Zstd,
    /// bzip2, of one or several streams.
    Bzip2,
    /// xz, of one or several streams.
    Xz,
}

impl Compression {
    /// The name for messages.
    pub fn name(self) -> &'static str {
        match self {
            Compression::None => "plain",
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
            Compression::Bzip2 => "bzip2",
            Compression::Xz => "xz",
        }
    }

    /// Recognises a format by the first bytes of a file.
    ///
    /// bzip2 alone begins with letters that a topic's name could begin with,
    /// so its block header, ten bytes in all, has to be there too.
    fn of(head: &[u8]) -> Self {
        match head {
            [0x1F, 0x8B, ..] => Compression::Gzip,
            // The second is a skippable frame, which may come first.
            [0x28, 0xB5, 0x2F, 0xFD, ..] | [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] => Compression::Zstd,
            [b'B', b'Z', b'h', b'1'..=b'9', block @ ..]
                if block.starts_with(b"1AY&SY")
                    || block.starts_with(b"\x17\x72\x45\x38\x50\x90") =>
            {
                Compression::Bzip2
            }
            [0xFD, b'7', b'z', b'X', b'Z', 0, ..] => Compression::Xz,
            _ => Compression::None,
        }
    }
}

/// The longest beginning that [`Compression::of`] looks at.
const HEAD: usize = 10;

/// What a decoder gets to read from at a time.
const FEED: usize = 128 << 10;

/// What a decoder may put out before the ratio is looked at again: it bounds
/// by how much a bomb overshoots, however large the caller's buffer is.
const STEP: usize = 256 << 10;

/// The window that a zstd frame or an xz block may ask for, as a power of two:
/// memory is taken as soon as a header says so, whatever follows. Both tools
/// stay below it unless told to go beyond.
const WINDOW_LOG: u32 = 27;

/// The same for the xz decoder, which counts its own needs in KiB too.
const XZ_MEMORY_KIB: u32 = (1 << (WINDOW_LOG - 10)) + 1024;

/// A named stream of decompressed bytes, whatever its compression; every way
/// into the program goes through it, so limits hold on every path.
pub struct Source {
    name: String,
    limits: Limits,
    compression: Compression,
    stream: Stream,
    /// Decompressed bytes handed out.
    delivered: u64,
    /// Set at the end of the data, which is not asked for twice: a terminal
    /// would wait for more.
    ended: bool,
    /// What went wrong; it stays, so that a caller who tries again does not
    /// see a decoder in a broken state and take its silence for the end.
    failure: Option<Error>,
}

impl Source {
    /// Opens a file. The path `-` is a file of that name here; whether it
    /// means standard input is for the caller to say.
    pub fn open(path: &Path, limits: &Limits) -> Result<Source> {
        let name = path.display().to_string();
        let file = match File::open(path) {
            Ok(file) => file,
            // Not every system refuses to open a folder, nor with one code.
            Err(_) if path.is_dir() => return Err(directory(&name)),
            Err(e)
                if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
            {
                return Err(missing(path, &name));
            }
            Err(e) => return Err(io_error(&name, "open this file", &e)),
        };
        match file.metadata() {
            Ok(metadata) if metadata.is_dir() => Err(directory(&name)),
            _ => Source::from_reader(name, Box::new(file), limits),
        }
    }

    /// Standard input, named `<stdin>`. Waits for its first bytes.
    pub fn stdin(limits: &Limits) -> Result<Source> {
        Source::from_reader("<stdin>", Box::new(io::stdin()), limits)
    }

    /// Any other reader, for instance a file object of the host language.
    pub fn from_reader(
        name: impl Into<String>,
        mut reader: Box<dyn Read + Send>,
        limits: &Limits,
    ) -> Result<Source> {
        let name = name.into();
        let mut head = Vec::with_capacity(HEAD);
        // `read_to_end` on a `take` goes on after short reads and interrupts.
        if let Err(e) = reader.by_ref().take(HEAD as u64).read_to_end(&mut head) {
            return Err(io_error(&name, "read", &e));
        }
        if head.len() < HEAD {
            // The end has been seen; a terminal would wait for another one.
            reader = Box::new(io::empty());
        }
        let compression = Compression::of(&head);
        let stream = match compression {
            Compression::None => Stream::Plain { head, taken: 0, reader },
            Compression::Gzip => Stream::Gzip(Box::new(GzDecoder::new(Feed::new(head, reader)))),
            Compression::Bzip2 => {
                Stream::Bzip2(Box::new(MultiBzDecoder::new(Feed::new(head, reader))))
            }
            Compression::Xz => Stream::Xz(Box::new(XzReader::new_mem_limit(
                Feed::new(head, reader),
                true,
                XZ_MEMORY_KIB,
            ))),
            Compression::Zstd => match zstd_decoder(Feed::new(head, reader)) {
                Ok(decoder) => Stream::Zstd(Box::new(decoder)),
                Err(e) => return Err(io_error(&name, "start the zstd decoder", &e)),
            },
        };
        Ok(Source {
            name,
            limits: *limits,
            compression,
            stream,
            delivered: 0,
            ended: false,
            failure: None,
        })
    }

    /// The name as the user gave it, for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What was recognised.
    pub fn compression(&self) -> Compression {
        self.compression
    }

    /// Fills `buf` as far as possible and returns the number of bytes, 0 at
    /// the end. A smaller number than asked for is not the end yet: what could
    /// be read before an error is handed out first. Errors carry the source's
    /// name and are repeated if one reads on.
    pub fn read(&mut self, buf: &mut [u8]) -> Result<usize> {
        let mut filled = 0;
        while !self.ended && self.failure.is_none() {
            let Some(room) = buf.get_mut(filled..).filter(|room| !room.is_empty()) else { break };
            match self.stream.read(room) {
                Ok(0) => self.ended = true,
                Ok(n) => {
                    let n = n.min(room.len());
                    filled += n;
                    self.delivered += n as u64;
                    self.failure = self.bomb();
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => self.failure = Some(self.explain(&e)),
            }
        }
        match &self.failure {
            Some(e) if filled == 0 => Err(e.clone()),
            _ => Ok(filled),
        }
    }

    /// Bytes taken so far from below the decompressor, to be compared with a
    /// file's size for progress.
    pub fn raw_bytes(&self) -> u64 {
        self.stream.feed().map_or(self.delivered, |feed| feed.taken)
    }

    /// The error for data that expands beyond the limit.
    fn bomb(&self) -> Option<Error> {
        let taken = self.stream.feed()?.taken;
        let Limits { decompression_ratio: ratio, decompression_free: free, .. } = self.limits;
        if self.delivered <= free || self.delivered <= ratio.saturating_mul(taken) {
            return None;
        }
        let error = Error::for_each(Kind::Limit, |to| {
            format!(
                "{taken} bytes of {} data expand to {} bytes and more, beyond the limit \
                 `{}` of {ratio}; set it higher if you trust this file",
                self.compression.name(),
                self.delivered,
                to.option("decompression_ratio"),
            )
        });
        Some(error.in_file(&*self.name))
    }

    /// What a decoder's complaint means: the file could not be read, is not
    /// complete, is damaged, or asks for too much memory.
    #[cold]
    fn explain(&self, error: &io::Error) -> Error {
        let feed = self.stream.feed();
        // Below a decoder the error comes through in its words, not in ours.
        let Some(feed) = feed.filter(|feed| feed.failure.is_none()) else {
            return io_error(
                &self.name,
                "read",
                feed.and_then(|f| f.failure.as_ref()).unwrap_or(error),
            );
        };
        let (packed, delivered) = (self.compression.name(), self.delivered);
        let reason = error.to_string();
        let (kind, message) =
            if error.kind() == io::ErrorKind::OutOfMemory || reason.contains("too much memory") {
                let mebibytes = 1_u32 << (WINDOW_LOG - 20);
                let message = format!(
                    "the {packed} data needs a window of more than {mebibytes} MiB to unpack; \
                     pack it again with a lower level, or unpack it first"
                );
                (Kind::Limit, message)
            } else if feed.starved || error.kind() == io::ErrorKind::UnexpectedEof {
                let message = format!(
                    "the {packed} data ends early, after {delivered} decompressed bytes; \
                     the file is not complete, copy or download it again"
                );
                (Kind::Archive, message)
            } else {
                let message = format!(
                    "the {packed} data is damaged after {delivered} decompressed bytes ({reason})"
                );
                (Kind::Archive, message)
            };
        Error::new(kind, message).in_file(&*self.name)
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source")
            .field("name", &self.name)
            .field("compression", &self.compression)
            .field("delivered", &self.delivered)
            .field("failure", &self.failure)
            .finish_non_exhaustive()
    }
}

/// The five ways from raw bytes to text.
enum Stream {
    Plain { head: Vec<u8>, taken: usize, reader: Box<dyn Read + Send> },
    Gzip(Box<GzDecoder<Feed>>),
    Zstd(Box<ZstdDecoder<'static, Feed>>),
    Bzip2(Box<MultiBzDecoder<Feed>>),
    Xz(Box<XzReader<Feed>>),
}

impl Stream {
    /// One read: of any size from a plain file, straight into the caller's
    /// buffer, of at most [`STEP`] from a decoder.
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let step = buf.len().min(STEP);
        match self {
            Stream::Plain { head, taken, reader } => {
                let n = head.get(*taken..).unwrap_or_default().read(buf)?;
                *taken += n;
                if n > 0 { Ok(n) } else { reader.read(buf) }
            }
            Stream::Gzip(decoder) => read_members(decoder, &mut buf[..step]),
            Stream::Zstd(decoder) => decoder.read(&mut buf[..step]),
            Stream::Bzip2(decoder) => decoder.read(&mut buf[..step]),
            Stream::Xz(decoder) => decoder.read(&mut buf[..step]),
        }
    }

    /// What lies below the decoder, if there is one.
    fn feed(&self) -> Option<&Feed> {
        match self {
            Stream::Plain { .. } => None,
            Stream::Gzip(decoder) => Some(decoder.get_ref()),
            Stream::Zstd(decoder) => Some(decoder.get_ref()),
            Stream::Bzip2(decoder) => Some(decoder.get_ref()),
            Stream::Xz(decoder) => Some(decoder.inner()),
        }
    }
}

/// Reads through all members of a gzip file.
///
/// Zeros after a member are padding, as gzip(1) has it. Anything else that is
/// no further member is an error, where gzip(1) warns and drops it: a library
/// has nobody to warn, and what was lost might have been half of the run.
fn read_members(decoder: &mut GzDecoder<Feed>, buf: &mut [u8]) -> io::Result<usize> {
    loop {
        let n = decoder.read(buf)?;
        if n > 0 {
            return Ok(n);
        }
        match decoder.get_mut().skip_zeros()? {
            None => return Ok(0),
            Some(0x1F) => {
                let feed = mem::take(decoder.get_mut());
                decoder.reset(feed);
            }
            Some(_) => {
                let reason = "its end is followed by bytes that are no gzip data";
                return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
            }
        }
    }
}

/// A zstd decoder that goes on from frame to frame.
fn zstd_decoder(feed: Feed) -> io::Result<ZstdDecoder<'static, Feed>> {
    let mut decoder = ZstdDecoder::with_buffer(feed)?;
    decoder.window_log_max(WINDOW_LOG)?;
    Ok(decoder)
}

/// The buffer between a reader and a decoder. It counts what the decoder
/// took, and keeps the reader's own error, which decoders wrap or replace.
struct Feed {
    reader: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Bytes that the decoder took.
    taken: u64,
    /// The reader has no more.
    done: bool,
    /// The decoder asked for more than there was, which tells a file that was
    /// cut from one that was changed. At a proper end no error follows.
    starved: bool,
    /// The reader's error.
    failure: Option<io::Error>,
}

impl Feed {
    /// A feed that begins with the bytes read for recognition.
    fn new(head: Vec<u8>, reader: Box<dyn Read + Send>) -> Self {
        let (end, mut buffer) = (head.len(), head);
        buffer.resize(FEED, 0);
        Feed { reader, buffer, start: 0, end, taken: 0, done: false, starved: false, failure: None }
    }

    /// Passes over zeros to the next other byte, which is not taken.
    fn skip_zeros(&mut self) -> io::Result<Option<u8>> {
        loop {
            let available = self.fill_buf()?;
            let zeros = available.iter().take_while(|&&b| b == 0).count();
            let next = available.get(zeros).copied();
            let end = available.is_empty();
            self.consume(zeros);
            if end || next.is_some() {
                return Ok(next);
            }
        }
    }
}

impl Default for Feed {
    /// An empty feed, to hold the place of one that is moved.
    fn default() -> Self {
        Feed {
            reader: Box::new(io::empty()),
            buffer: Vec::new(),
            start: 0,
            end: 0,
            taken: 0,
            done: true,
            starved: false,
            failure: None,
        }
    }
}

impl BufRead for Feed {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.start == self.end && !self.done {
            match self.reader.read(&mut self.buffer) {
                Ok(0) => self.done = true,
                Ok(n) => (self.start, self.end) = (0, n.min(self.buffer.len())),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => {
                    let kind = e.kind();
                    self.failure = Some(e);
                    return Err(kind.into());
                }
            }
        }
        self.starved |= self.start == self.end;
        Ok(self.buffer.get(self.start..self.end).unwrap_or_default())
    }

    fn consume(&mut self, n: usize) {
        let n = n.min(self.end - self.start);
        self.start += n;
        self.taken += n as u64;
    }
}

impl Read for Feed {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.fill_buf()?.read(buf)?;
        self.consume(n);
        Ok(n)
    }
}

/// An error of the operating system as ours: `cannot {doing}: {error}`.
#[cold]
pub(crate) fn io_error(name: &str, doing: &str, error: &io::Error) -> Error {
    let kind = match error.kind() {
        io::ErrorKind::NotFound => Kind::Missing,
        io::ErrorKind::IsADirectory => Kind::Directory,
        _ => Kind::Io,
    };
    Error::new(kind, format!("cannot {doing}: {error}")).in_file(name)
}

/// The error for a folder in the place of a file, for reading and writing.
#[cold]
pub(crate) fn directory(name: &str) -> Error {
    Error::new(Kind::Directory, "this is a folder; expected a file").in_file(name)
}

/// How many names of a folder are compared with one that is not there.
const NEIGHBOURS: usize = 1000;

/// Whether a name is that of something on the network, such as `s3://bucket/run`.
fn is_address(name: &str) -> bool {
    let scheme = name.split_once("://").map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| {
        !scheme.is_empty()
            && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
    })
}

/// The error for a file that is not there, with what helps to find the slip:
/// the folder that is not there either, or the name that was probably meant.
#[cold]
fn missing(path: &Path, name: &str) -> Error {
    let message = if name.is_empty() {
        String::from("the file's name is empty")
    } else if is_address(name) {
        String::from(
            "this is an address, and only files are read: download it first, or pipe it in as `-`; \
             in Python pass an open file, such as fsspec.open gives",
        )
    } else if let Ok(target) = fs::read_link(path) {
        format!(
            "this is a link to {}, which does not exist",
            quote(target.as_os_str().as_encoded_bytes())
        )
    } else {
        let folder = folder_of(path);
        if folder.is_dir() {
            let names: Vec<String> = fs::read_dir(folder)
                .into_iter()
                .flatten()
                .take(NEIGHBOURS)
                .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
                .collect();
            let written = path.file_name().map(|n| n.to_string_lossy()).unwrap_or_default();
            match nearest(&written, names.iter().map(String::as_str)) {
                Some(near) => format!("there is no such file; did you mean {}?", quote(near)),
                None => String::from("there is no such file"),
            }
        } else {
            let folder = quote(folder.as_os_str().as_encoded_bytes());
            format!("there is no such file, nor a folder {folder}")
        }
    };
    Error::new(Kind::Missing, message).in_file(name)
}

/// The folder that a path's last part is in, `.` for a bare name.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicU32, Ordering};

    const PACKED: [Compression; 4] =
        [Compression::Gzip, Compression::Zstd, Compression::Bzip2, Compression::Xz];

    /// A folder of its own for each test, gone at its end.
    struct Folder(PathBuf);

    impl Folder {
        fn new() -> Self {
            static COUNTER: AtomicU32 = AtomicU32::new(0);
            let n = COUNTER.fetch_add(1, Ordering::Relaxed);
            let path =
                std::env::temp_dir().join(format!("cranfield-open-{}-{n}", std::process::id()));
            fs::create_dir_all(&path).unwrap();
            Folder(path)
        }

        fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
            let path = self.0.join(name);
            fs::write(&path, bytes).unwrap();
            path
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn pack(compression: Compression, bytes: &[u8]) -> Vec<u8> {
        match compression {
            Compression::None => bytes.to_vec(),
            Compression::Gzip => {
                let mut e =
                    flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
                e.write_all(bytes).unwrap();
                e.finish().unwrap()
            }
            Compression::Zstd => {
                let mut e = zstd::Encoder::new(Vec::new(), 3).unwrap();
                e.include_checksum(true).unwrap();
                e.write_all(bytes).unwrap();
                e.finish().unwrap()
            }
            Compression::Bzip2 => {
                let mut e = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::best());
                e.write_all(bytes).unwrap();
                e.finish().unwrap()
            }
            Compression::Xz => {
                let options = lzma_rust2::XzOptions::with_preset(1);
                let mut e = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
                e.write_all(bytes).unwrap();
                e.finish().unwrap()
            }
        }
    }

    /// Gives a byte at a time, and an interrupt before each.
    struct Drops(Vec<u8>, usize, bool);

    impl Read for Drops {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            self.2 = !self.2;
            if self.2 {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let n = self.0[self.1..].len().min(1).min(buf.len());
            buf[..n].copy_from_slice(&self.0[self.1..self.1 + n]);
            self.1 += n;
            Ok(n)
        }
    }

    /// Gives its bytes, then an error.
    struct Broken(Vec<u8>);

    impl Read for Broken {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                return Err(io::Error::other("the cable is loose"));
            }
            let n = self.0.len().min(buf.len());
            buf[..n].copy_from_slice(&self.0[..n]);
            self.0.drain(..n);
            Ok(n)
        }
    }

    fn source(bytes: &[u8]) -> Source {
        let reader = Box::new(io::Cursor::new(bytes.to_vec()));
        Source::from_reader("test", reader, &Limits::default()).unwrap()
    }

    /// Reads all with a buffer of the given size: the data, and the error.
    fn drain_by(source: &mut Source, size: usize) -> (Vec<u8>, Option<Error>) {
        let (mut out, mut buf) = (Vec::new(), vec![0; size]);
        loop {
            match source.read(&mut buf) {
                Ok(0) => {
                    assert_eq!(source.read(&mut buf), Ok(0));
                    return (out, None);
                }
                Ok(n) => out.extend_from_slice(&buf[..n]),
                Err(e) => {
                    assert_eq!(source.read(&mut buf), Err(e.clone()), "errors stay");
                    assert_eq!(e.place().file.as_deref(), Some(source.name()));
                    return (out, Some(e));
                }
            }
        }
    }

    fn drain(source: &mut Source) -> (Vec<u8>, Option<Error>) {
        drain_by(source, 64 << 10)
    }

    fn text(lines: u32) -> Vec<u8> {
        let mut out = Vec::new();
        let mut state = 1_u32;
        for i in 0..lines {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            writeln!(out, "{} Q0 d{} {i} 0.{} run", i / 100, state >> 8, state).unwrap();
        }
        out
    }

    fn noise(n: usize) -> Vec<u8> {
        let mut state = 7_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 56) as u8
        };
        (0..n).map(|_| next()).collect()
    }

    #[test]
    fn each_compression_is_read_whatever_the_suffix_and_the_buffer() {
        let folder = Folder::new();
        let text = text(12_000);
        for compression in PACKED.into_iter().chain([Compression::None]) {
            let packed = pack(compression, &text);
            let path = folder.file("lies.txt", &packed);
            for size in [1 << 22, 4096, 997] {
                let mut source = Source::open(&path, &Limits::default()).unwrap();
                assert_eq!(source.compression(), compression);
                let (out, error) = drain_by(&mut source, size);
                assert_eq!(error, None, "{compression:?}");
                assert!(out == text, "{compression:?} {size}");
                assert_eq!(source.raw_bytes(), packed.len() as u64, "{compression:?}");
            }
        }
    }

    #[test]
    fn buffers_are_filled() {
        for compression in PACKED.into_iter().chain([Compression::None]) {
            let text = text(12_000);
            let mut buf = vec![0; text.len() + 1];
            assert_eq!(
                source(&pack(compression, &text)).read(&mut buf),
                Ok(text.len()),
                "{compression:?}"
            );
        }
    }

    #[test]
    fn a_pipe_may_give_single_bytes_and_interrupts() {
        let text = text(500);
        for compression in PACKED.into_iter().chain([Compression::None]) {
            let mut packed = pack(compression, &text);
            packed.extend(pack(compression, &text));
            let reader = Box::new(Drops(packed, 0, false));
            let mut source = Source::from_reader("pipe", reader, &Limits::default()).unwrap();
            let (out, error) = drain(&mut source);
            assert_eq!(error, None, "{compression:?}");
            assert!(out == text.repeat(2), "{compression:?}");
        }
    }

    /// Gives its bytes and one end; who asks again would wait for ever.
    struct Terminal(Vec<u8>, bool);

    impl Read for Terminal {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            assert!(!self.1, "read after the end");
            self.1 = self.0.is_empty();
            let n = self.0.len().min(buf.len());
            buf[..n].copy_from_slice(&self.0[..n]);
            self.0.drain(..n);
            Ok(n)
        }
    }

    #[test]
    fn the_end_is_asked_for_once() {
        for compression in PACKED.into_iter().chain([Compression::None]) {
            for text in [&b""[..], b"short", &text(500)] {
                let reader = Box::new(Terminal(pack(compression, text), false));
                let mut source = Source::from_reader("tty", reader, &Limits::default()).unwrap();
                assert_eq!(drain(&mut source), (text.to_vec(), None));
            }
        }
    }

    #[test]
    fn several_members_are_one_text() {
        for compression in PACKED {
            let mut packed = pack(compression, b"");
            for part in ["one\n", "", "two\n"] {
                packed.extend(pack(compression, part.as_bytes()));
            }
            assert_eq!(
                drain(&mut source(&packed)),
                (b"one\ntwo\n".to_vec(), None),
                "{compression:?}"
            );
        }
        // Frames that are to be skipped, in front and between.
        let skip = b"\x5A\x2A\x4D\x18\x03\0\0\0abc";
        let one = pack(Compression::Zstd, b"one\n");
        let frames = [&skip[..], &one, skip, &one, skip].concat();
        assert_eq!(drain(&mut source(&frames)), (b"one\none\n".to_vec(), None));
        assert_eq!(drain(&mut source(skip)), (Vec::new(), None));
    }

    #[test]
    fn padding_is_accepted_and_other_bytes_are_not() {
        for zeros in [1, 511, FEED, 3 * FEED] {
            let mut packed = pack(Compression::Gzip, b"one\n");
            packed.resize(packed.len() + zeros, 0);
            assert_eq!(drain(&mut source(&packed)), (b"one\n".to_vec(), None));
            packed.extend(pack(Compression::Gzip, b"two\n"));
            assert_eq!(drain(&mut source(&packed)), (b"one\ntwo\n".to_vec(), None));
        }
        for compression in PACKED {
            for garbage in [
                "x",
                "garbage",
                "\x1f\x1f\x1f\x1f\x1f\x1f\x1f\x1f\x1f\x1f",
                "BZh9xxxxxxxxxxxxxxxxx",
            ] {
                let mut packed = pack(compression, b"one\n");
                packed.extend_from_slice(garbage.as_bytes());
                let (out, error) = drain(&mut source(&packed));
                assert_eq!(out, b"one\n", "{compression:?} {garbage:?}");
                assert_eq!(error.unwrap().kind(), Kind::Archive, "{compression:?} {garbage:?}");
            }
        }
    }

    #[test]
    fn one_layer_only() {
        let inner = pack(Compression::Gzip, b"one\n");
        for compression in PACKED {
            assert_eq!(drain(&mut source(&pack(compression, &inner))), (inner.clone(), None));
        }
    }

    #[test]
    fn archives_that_end_early_are_told() {
        let text = text(3000);
        for compression in PACKED {
            let packed = pack(compression, &text);
            let n = packed.len();
            let cuts = (HEAD..40).chain([n / 4, n / 2, n / 2 + 1]).chain(n - 40..n);
            for cut in cuts {
                let (out, error) = drain(&mut source(&packed[..cut]));
                let error = error.unwrap_or_else(|| panic!("{compression:?} cut at {cut} of {n}"));
                assert_eq!(error.kind(), Kind::Archive);
                assert!(text.starts_with(&out));
                let expected = format!(
                    "the {} data ends early, after {} decomp",
                    compression.name(),
                    out.len()
                );
                assert!(error.message().starts_with(&expected), "{compression:?} {cut}: {error}");
            }
        }
    }

    #[test]
    fn the_second_member_may_end_early_too() {
        for compression in PACKED {
            let (one, two) = (pack(compression, b"one\n"), pack(compression, b"two\n"));
            for cut in 1..two.len() {
                let packed = [&one[..], &two[..cut]].concat();
                let error = drain(&mut source(&packed)).1;
                assert_eq!(error.map(|e| e.kind()), Some(Kind::Archive), "{compression:?} {cut}");
            }
        }
    }

    #[test]
    fn damaged_archives_are_told() {
        let text = text(3000);
        for compression in PACKED {
            let packed = pack(compression, &text);
            for at in (HEAD..packed.len()).step_by(packed.len() / 100) {
                let mut packed = packed.clone();
                packed[at] ^= 0x55;
                let (out, error) = drain(&mut source(&packed));
                match error {
                    Some(e) if e.kind() == Kind::Archive => {
                        assert!(e.message().contains(compression.name()), "{e}");
                    }
                    // A block header of xz may ask for a large window then.
                    Some(e) => assert_eq!(e.kind(), Kind::Limit, "{compression:?} {at}: {e}"),
                    // Some bytes mean nothing, but the text must be right.
                    None => assert!(out == text, "{compression:?} {at}"),
                }
            }
        }
    }

    #[test]
    fn noise_after_a_magic_never_panics() {
        let noise = noise(1 << 14);
        for compression in PACKED {
            let packed = pack(compression, b"some text");
            for keep in 10..packed.len() {
                for from in (0..noise.len() - 200).step_by(331) {
                    let bytes = [&packed[..keep], &noise[from..from + 200]].concat();
                    let error = drain(&mut source(&bytes)).1;
                    assert!(error.is_some(), "{compression:?} {keep} {from}");
                }
            }
        }
    }

    #[test]
    fn short_files_are_text() {
        let packed = PACKED.map(|c| pack(c, b"x"));
        for bytes in &packed {
            for n in 0..6 {
                let mut source = source(&bytes[..n]);
                let short = match source.compression() {
                    Compression::None => true,
                    Compression::Gzip => n < 2,
                    Compression::Zstd => n < 4,
                    Compression::Bzip2 | Compression::Xz => false,
                };
                let (out, error) = drain(&mut source);
                if short {
                    assert_eq!((&out[..], error), (&bytes[..n], None));
                } else {
                    assert_eq!(error.unwrap().kind(), Kind::Archive);
                }
            }
        }
        let topic = b"BZh91A Q0 d1 1 0.5 run\n";
        assert_eq!(drain(&mut source(topic)), (topic.to_vec(), None));
    }

    /// The least output that must be let through, the most that may be.
    fn stops_at(packed: Vec<u8>, limits: &Limits) {
        let mut source =
            Source::from_reader("bomb", Box::new(io::Cursor::new(packed)), limits).unwrap();
        let (mut total, mut buf) = (0, vec![0; 1 << 20]);
        let error = loop {
            match source.read(&mut buf) {
                Ok(n) => total += n as u64,
                Err(e) => break e,
            }
        };
        assert_eq!(error.kind(), Kind::Limit, "{error}");
        assert!(error.message().contains("`decompression_ratio` of"), "{error}");
        let allowed =
            limits.decompression_free.max(limits.decompression_ratio * source.raw_bytes());
        assert!(total > allowed && total <= allowed + STEP as u64, "{total} {allowed}");
    }

    #[test]
    fn bombs_are_stopped() {
        let zeros = vec![0; 8 << 20];
        for compression in PACKED {
            let bomb = pack(compression, &zeros);
            // Regular but small: that is no bomb.
            let (out, error) = drain(&mut source(&bomb));
            assert_eq!((out.len(), error), (zeros.len(), None));
            // 256 MiB in many members, under the limits as they are.
            stops_at(bomb.repeat(32), &Limits::default());
            // What follows a bomb, and was read ahead, is no excuse for it.
            let tight = Limits { decompression_free: 1 << 20, ..Limits::default() };
            stops_at([bomb.clone(), noise(FEED)].concat(), &tight);
            // Who raises the limit gets all.
            let wide = Limits { decompression_ratio: u64::MAX, ..Limits::default() };
            let reader = Box::new(io::Cursor::new(bomb.repeat(4)));
            let (out, error) = drain(&mut Source::from_reader("x", reader, &wide).unwrap());
            assert_eq!((out.len(), error), (4 * zeros.len(), None));
        }
        // Without compression there is nothing to expand.
        let tight = Limits { decompression_ratio: 0, decompression_free: 0, ..Limits::default() };
        let reader = Box::new(io::Cursor::new(zeros));
        assert_eq!(drain(&mut Source::from_reader("x", reader, &tight).unwrap()).1, None);
    }

    #[test]
    fn windows_beyond_the_limit_are_refused() {
        let mut e = zstd::Encoder::new(Vec::new(), 1).unwrap();
        e.window_log(28).unwrap();
        e.write_all(b"text").unwrap();
        let error = drain(&mut source(&e.finish().unwrap())).1.unwrap();
        assert_eq!(error.kind(), Kind::Limit, "{error}");

        // The block header of xz: size, flags, filter, size of its property,
        // the dictionary's size, padding, then a checksum of all that.
        let mut packed = pack(Compression::Xz, b"text");
        assert_eq!(packed[14..16], [0x21, 1]);
        packed[16] = 39;
        let mut crc = flate2::Crc::new();
        crc.update(&packed[12..20]);
        packed[20..24].copy_from_slice(&crc.sum().to_le_bytes());
        let error = drain(&mut source(&packed)).1.unwrap();
        assert_eq!(error.kind(), Kind::Limit, "{error}");
        assert!(error.message().contains("128 MiB"), "{error}");
    }

    #[test]
    fn errors_of_the_reader_are_no_damage() {
        for compression in PACKED.into_iter().chain([Compression::None]) {
            let packed = pack(compression, &text(3000));
            for cut in [0, 5, 12, 30, packed.len() / 2, packed.len() - 2] {
                let reader = Box::new(Broken(packed[..cut].to_vec()));
                let error = match Source::from_reader("disk", reader, &Limits::default()) {
                    Ok(mut source) => drain(&mut source).1.unwrap(),
                    Err(e) => e,
                };
                assert_eq!(
                    error.to_string(),
                    "disk: cannot read: the cable is loose",
                    "{compression:?} {cut}"
                );
                assert_eq!(error.kind(), Kind::Io);
            }
        }
    }

    #[test]
    fn missing_files_are_told_with_what_helps() {
        let folder = Folder::new();
        folder.file("bm25.run", b"");
        let open = |name: &str| Source::open(&folder.0.join(name), &Limits::default()).unwrap_err();
        let message = |name: &str| {
            let error = open(name);
            assert_eq!(error.kind(), Kind::Missing);
            error.message().to_owned()
        };
        assert_eq!(message("bm25.rnu"), "there is no such file; did you mean `bm25.run`?");
        assert_eq!(message("something"), "there is no such file");
        assert!(message("else/a.run").starts_with("there is no such file, nor a folder `"));
        assert!(message("bm25.run/a.run").starts_with("there is no such file, nor a folder `"));
        assert_eq!(
            Source::open(Path::new(""), &Limits::default()).unwrap_err().kind(),
            Kind::Missing
        );
        assert_eq!(open("").kind(), Kind::Directory);
        assert_eq!(open("nul\0").kind(), Kind::Io);
        assert_eq!(
            Source::open(&folder.0, &Limits::default()).unwrap_err().kind(),
            Kind::Directory
        );
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_are_told() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = Folder::new();
        let link = folder.0.join("link");
        symlink("nowhere", &link).unwrap();
        let error = Source::open(&link, &Limits::default()).unwrap_err();
        assert_eq!(error.message(), "this is a link to `nowhere`, which does not exist");
        let path = folder.file("secret", b"x");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
        if File::open(&path).is_err() {
            let error = Source::open(&path, &Limits::default()).unwrap_err();
            assert_eq!(error.kind(), Kind::Io);
            assert!(error.message().starts_with("cannot open this file: "), "{error}");
        }
    }

    #[test]
    fn sources_may_change_threads() {
        fn check<T: Send>(_: &T) {}
        check(&source(b"x"));
    }
}
