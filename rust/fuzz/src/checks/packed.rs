//! Packed sources: whole ones are unpacked, damaged ones never give another text.

use std::io::{Cursor, Write};

use super::input::text;
use cranfield_core::error::Result;
use cranfield_core::read::{Compression, Limits, Source};

fn packed(compression: Compression, text: &[u8]) -> Vec<u8> {
    match compression {
        Compression::None => text.to_vec(),
        Compression::Gzip => {
            let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            out.write_all(text).unwrap();
            out.finish().unwrap()
        }
        Compression::Zstd => {
            let mut out = zstd::Encoder::new(Vec::new(), 1).unwrap();
            out.include_checksum(true).unwrap();
            out.write_all(text).unwrap();
            out.finish().unwrap()
        }
        Compression::Bzip2 => {
            let mut out = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
            out.write_all(text).unwrap();
            out.finish().unwrap()
        }
        Compression::Xz => {
            let options = lzma_rust2::XzOptions::with_preset(0);
            let mut out = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
            out.write_all(text).unwrap();
            out.finish().unwrap()
        }
    }
}

fn unpacked(bytes: Vec<u8>) -> (Compression, Result<Vec<u8>>) {
    let limits = Limits { decompression_free: 1 << 16, ..Limits::default() };
    let mut source = match Source::from_reader("x", Box::new(Cursor::new(bytes)), &limits) {
        Ok(source) => source,
        Err(error) => return (Compression::None, Err(error)),
    };
    let (mut text, mut block) = (Vec::new(), vec![0; 1 << 12]);
    let read = loop {
        match source.read(&mut block) {
            Ok(0) => break Ok(text),
            Ok(n) => text.extend_from_slice(&block[..n]),
            Err(error) => break Err(error),
        }
        assert!(text.len() < 1 << 28, "the limits hold");
    };
    (source.compression(), read)
}

const KINDS: [Compression; 4] =
    [Compression::Gzip, Compression::Zstd, Compression::Bzip2, Compression::Xz];

/// Panics if an input does not keep what has to hold.
pub fn check(bytes: &[u8]) {
    let [choices, a, b, c, bytes @ ..] = bytes else { return };
    if choices & 0x80 != 0 {
        // As they stand: no encoder makes most of these.
        let _ = unpacked(bytes.to_vec());
        return;
    }
    let compression = KINDS[usize::from(*choices) % 4];
    let text = text(bytes, &[6]);
    let mut data = packed(compression, &text);
    let place = (usize::from(*a) << 8 | usize::from(*b)) % data.len();
    match (choices >> 2) % 4 {
        0 => {
            let (found, read) = unpacked(data);
            assert_eq!((found, read.unwrap()), (compression, text));
        }
        1 => {
            data.truncate(place);
            let (found, read) = unpacked(data.clone());
            // What is cut off within its first bytes is not taken for an archive.
            assert!(found != compression || read.is_err());
        }
        2 => {
            data[place] ^= 1 << (c % 8);
            if let (found, Ok(read)) = unpacked(data)
                && found == compression
            {
                assert_eq!(read, text);
            }
        }
        _ => {
            let twice = [data.clone(), data].concat();
            let (found, read) = unpacked(twice);
            assert_eq!((found, read.unwrap()), (compression, text.repeat(2)));
        }
    }
}
