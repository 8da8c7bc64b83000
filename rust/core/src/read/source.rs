//! The way in: files, standard input and readers of the host language, all
//! as a [`Source`] of decompressed bytes.
//!
//! There is no other way to open input, so that no path escapes the limits.
//! Compression is recognised by content, because suffixes lie: downloads get
//! renamed, and a `.gz` that a browser has unpacked already is common.
//!
//! The decoders pull from a [`Feed`], which counts the bytes that
//! they *took* rather than those that were read ahead for them: a small
//! archive that expands without end cannot hide behind the bytes that follow
//! it.

use std::fmt;
#[cfg(not(unix))]
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::mem;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::GzDecoder;
use lzma_rust2::XzReader;
use zstd::stream::read::Decoder as ZstdDecoder;

use super::feed::Feed;
use super::file_errors::{directory, io_error, missing};
use super::limits::{Expanded, Limits};
#[cfg(unix)]
use super::waiting::{Waiting, open};
use super::whole::{MOST_PACKED, unpacked};
use crate::error::{Error, Kind, Result};
use crate::interrupt;

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
    pub fn of(head: &[u8]) -> Self {
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

/// What a decoder may put out before the ratio is looked at again: it bounds
/// by how much a bomb overshoots, however large the caller's buffer is.
const DECODED_AT_ONCE: usize = 256 << 10;

/// The window that a zstd frame or an xz block may ask for, as a power of two:
/// memory is taken as soon as a header says so, whatever follows. Both tools
/// stay below it unless an option says otherwise.
const WINDOW_LOG: u32 = 27;

/// The same for the xz decoder, which counts its own needs in KiB too.
const XZ_MEMORY_KIB: u32 = (1 << (WINDOW_LOG - 10)) + 1024;

/// A named stream of decompressed bytes; every way into the program goes
/// through it, so limits hold on every path.
pub struct Source {
    name: String,
    limits: Limits,
    compression: Compression,
    stream: Stream,
    /// Decompressed bytes handed out.
    delivered: u64,
    /// Decompressed bytes of all sources of the call.
    of_call: Arc<AtomicU64>,
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
        let file = match open(path) {
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
            #[cfg(unix)]
            Ok(metadata) if !metadata.is_file() => {
                Source::from_reader(name, Box::new(Waiting(file)), limits)
            }
            Ok(metadata) if metadata.len() <= MOST_PACKED => {
                Source::of(name, Box::new(file), metadata.len(), limits)
            }
            _ => Source::from_reader(name, Box::new(file), limits),
        }
    }

    /// Standard input, named `<stdin>`. Waits for its first bytes.
    pub fn stdin(limits: &Limits) -> Result<Source> {
        let name = "<stdin>";
        #[cfg(unix)]
        let input = Waiting::stdin().map_err(|e| io_error(name, "read", &e))?;
        #[cfg(not(unix))]
        let input = io::stdin();
        Source::from_reader(name, Box::new(input), limits)
    }

    /// Any other reader, for instance a file object of the host language.
    pub fn from_reader(
        name: impl Into<String>,
        reader: Box<dyn Read + Send>,
        limits: &Limits,
    ) -> Result<Source> {
        Source::of(name.into(), reader, 0, limits)
    }

    /// A reader of this many bytes that may be read at once.
    fn of(
        name: String,
        mut reader: Box<dyn Read + Send>,
        at_once: u64,
        limits: &Limits,
    ) -> Result<Source> {
        let mut head = Vec::with_capacity(HEAD);
        // `read_to_end` on a `take` goes on after short reads and interrupts.
        if let Err(e) = reader.by_ref().take(HEAD as u64).read_to_end(&mut head) {
            interrupt::check()?;
            return Err(io_error(&name, "read", &e));
        }
        if head.len() < HEAD {
            // The end has been seen; a terminal would wait for another one.
            reader = Box::new(io::empty());
        }
        let compression = Compression::of(&head);
        let stream = match compression {
            Compression::None => Stream::Plain { head, taken: 0, reader },
            Compression::Gzip => gzip_stream(head, reader, at_once, limits),
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
            of_call: Arc::default(),
            ended: false,
            failure: None,
        })
    }

    /// The same source, whose decompressed bytes count together with those of others.
    #[must_use]
    pub fn counted(mut self, of_call: &Arc<AtomicU64>) -> Self {
        self.of_call = Arc::clone(of_call);
        self
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
            self.failure = interrupt::check().err();
            if self.failure.is_some() {
                break;
            }
            match self.stream.read(room) {
                Ok(0) => self.ended = true,
                Ok(n) => {
                    let n = n.min(room.len());
                    filled += n;
                    self.delivered += n as u64;
                    self.failure = self.bomb(n as u64);
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => {
                    self.failure =
                        Some(interrupt::check().err().unwrap_or_else(|| self.explain(&e)));
                }
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
        match &self.stream {
            Stream::Unpacked { packed, .. } => *packed,
            stream => stream.feed().map_or(self.delivered, |feed| feed.taken),
        }
    }

    /// The error for data that expands beyond a limit with these bytes.
    fn bomb(&self, more: u64) -> Option<Error> {
        if self.compression == Compression::None {
            return None;
        }
        let of_call = self.of_call.fetch_add(more, Ordering::Relaxed) + more;
        let (taken, delivered) = (self.raw_bytes(), self.delivered);
        let expanded = Expanded { taken, delivered, of_call };
        let error = self.limits.exceeded(self.compression.name(), expanded)?;
        Some(error.in_file(&*self.name))
    }

    /// What a decoder's complaint means: the file could not be read, is not
    /// complete, is damaged, or asks for too much memory.
    #[cold]
    fn explain(&self, error: &io::Error) -> Error {
        let feed = self.stream.feed();
        // A decoder would pass on an error from below in words of its own.
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

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// The ways from raw bytes to text.
enum Stream {
    Plain {
        head: Vec<u8>,
        taken: usize,
        reader: Box<dyn Read + Send>,
    },
    /// This many packed bytes whose content is in memory.
    Unpacked {
        packed: u64,
        content: Cursor<Vec<u8>>,
    },
    Gzip(Box<GzDecoder<Feed>>),
    Zstd(Box<ZstdDecoder<'static, Feed>>),
    Bzip2(Box<MultiBzDecoder<Feed>>),
    Xz(Box<XzReader<Feed>>),
}

impl Stream {
    /// One read: of any size from a plain file, straight into the caller's
    /// buffer, of at most [`DECODED_AT_ONCE`] from a decoder.
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let step = buf.len().min(DECODED_AT_ONCE);
        match self {
            Stream::Plain { head, taken, reader } => {
                let n = head.get(*taken..).unwrap_or_default().read(buf)?;
                *taken += n;
                if n > 0 { Ok(n) } else { reader.read(buf) }
            }
            Stream::Unpacked { content, .. } => content.read(&mut buf[..step]),
            Stream::Gzip(decoder) => read_members(decoder, &mut buf[..step]),
            Stream::Zstd(decoder) => decoder.read(&mut buf[..step]),
            Stream::Bzip2(decoder) => decoder.read(&mut buf[..step]),
            Stream::Xz(decoder) => decoder.read(&mut buf[..step]),
        }
    }

    /// What lies below the decoder, if there is one.
    fn feed(&self) -> Option<&Feed> {
        match self {
            Stream::Plain { .. } | Stream::Unpacked { .. } => None,
            Stream::Gzip(decoder) => Some(decoder.get_ref()),
            Stream::Zstd(decoder) => Some(decoder.get_ref()),
            Stream::Bzip2(decoder) => Some(decoder.get_ref()),
            Stream::Xz(decoder) => Some(decoder.inner()),
        }
    }
}

/// A gzip file, unpacked at once if it is short enough and has one member.
fn gzip_stream(
    mut packed: Vec<u8>,
    mut reader: Box<dyn Read + Send>,
    at_once: u64,
    limits: &Limits,
) -> Stream {
    if at_once > 0 {
        let rest = at_once.saturating_sub(packed.len() as u64);
        packed.reserve_exact(rest as usize + 1);
        // The file may have grown. What fails is read again, by the stream.
        let read = reader.by_ref().take(rest + 1).read_to_end(&mut packed);
        let is_whole = read.is_ok() && packed.len() as u64 == at_once;
        if let Some(content) = is_whole.then(|| unpacked(&packed, limits)).flatten() {
            return Stream::Unpacked { packed: at_once, content: Cursor::new(content) };
        }
    }
    Stream::Gzip(Box::new(GzDecoder::new(Feed::new(packed, reader))))
}

/// Reads through all members of a gzip file.
///
/// Zeros after a member are padding, as gzip(1) has it. Anything else that is
/// no further member is an error, where gzip(1) warns and drops it: a library
/// has no one to warn, and what was lost might have been half of the run.
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
                let reason = "its end is followed by bytes that are not gzip data";
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

#[cfg(test)]
mod tests;
