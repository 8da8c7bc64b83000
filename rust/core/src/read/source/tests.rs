use super::super::feed::FEED;
use super::*;
use crate::temporary_folder::TemporaryFolder;
use std::fs;
use std::io::Write;

const PACKED: [Compression; 4] =
    [Compression::Gzip, Compression::Zstd, Compression::Bzip2, Compression::Xz];

fn pack(compression: Compression, bytes: &[u8]) -> Vec<u8> {
    match compression {
        Compression::None => bytes.to_vec(),
        Compression::Gzip => {
            let mut e = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
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
    let folder = TemporaryFolder::new();
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
        assert_eq!(drain(&mut source(&packed)), (b"one\ntwo\n".to_vec(), None), "{compression:?}");
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
        for garbage in
            ["x", "garbage", "\x1f\x1f\x1f\x1f\x1f\x1f\x1f\x1f\x1f\x1f", "BZh9xxxxxxxxxxxxxxxxx"]
        {
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
            let expected =
                format!("the {} data ends early, after {} decomp", compression.name(), out.len());
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
    let allowed = limits.decompression_free.max(limits.decompression_ratio * source.raw_bytes());
    assert!(total > allowed && total <= allowed + DECODED_AT_ONCE as u64, "{total} {allowed}");
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
    let folder = TemporaryFolder::new();
    folder.file("bm25.run", b"");
    let open = |name: &str| Source::open(&folder.0.join(name), &Limits::default()).unwrap_err();
    let message = |name: &str| {
        let error = open(name);
        assert_eq!(error.kind(), Kind::Missing);
        error.message().to_owned()
    };
    assert_eq!(message("bm25.rnu"), "there is no such file; did you mean `bm25.run`?");
    assert_eq!(message("something"), "there is no such file");
    assert!(message("else/a.run").starts_with("no such file, and no folder `"));
    assert!(message("bm25.run/a.run").starts_with("no such file, and no folder `"));
    assert_eq!(Source::open(Path::new(""), &Limits::default()).unwrap_err().kind(), Kind::Missing);
    assert_eq!(open("").kind(), Kind::Directory);
    assert_eq!(open("nul\0").kind(), Kind::Io);
    assert_eq!(Source::open(&folder.0, &Limits::default()).unwrap_err().kind(), Kind::Directory);
}

#[cfg(unix)]
#[test]
fn links_and_permissions_are_told() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = TemporaryFolder::new();
    let link = folder.0.join("link");
    symlink("nowhere", &link).unwrap();
    let error = Source::open(&link, &Limits::default()).unwrap_err();
    assert_eq!(error.message(), "this is a link to `nowhere`, which does not exist");
    let path = folder.file("secret", b"x");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::File::open(&path).is_err() {
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

/// What a source has, with the error that it ends in.
fn outcome(source: Result<Source>) -> (Vec<u8>, Option<String>) {
    let mut content = Vec::new();
    let mut source = match source {
        Ok(source) => source,
        Err(error) => return (content, Some(error.to_string())),
    };
    let mut piece = vec![0; 1000];
    loop {
        match source.read(&mut piece) {
            Ok(0) => return (content, None),
            Ok(read) => content.extend_from_slice(&piece[..read]),
            Err(error) => return (content, Some(error.to_string())),
        }
    }
}

#[test]
fn a_small_file_has_what_a_stream_of_its_bytes_has() {
    let folder = TemporaryFolder::new();
    let text: Vec<u8> = (0..300)
        .flat_map(|i| format!("1 Q0 d{} {i} {} x\n", i * i, 1000 - i).into_bytes())
        .collect();
    let packed = pack(Compression::Gzip, &text);
    let checked = {
        let header = flate2::GzBuilder::new().filename("a.run").extra(vec![1, 2, 3]);
        let mut e = header.write(Vec::new(), flate2::Compression::fast());
        e.write_all(&text).unwrap();
        e.finish().unwrap()
    };
    let end = &packed[packed.len() - 8..];
    let mut files = vec![
        packed.clone(),
        checked,
        [&*packed, &packed].concat(),
        [&*packed, &[0; 20]].concat(),
        [&*packed, b"garbage"].concat(),
        [&*packed, end].concat(),
        [&*pack(Compression::Gzip, b""), &packed].concat(),
        pack(Compression::Gzip, b""),
    ];
    files.extend((2..packed.len()).step_by(7).map(|length| packed[..length].to_vec()));
    files.extend((0..packed.len()).step_by(11).chain(packed.len() - 8..packed.len()).map(|at| {
        let mut other = packed.clone();
        other[at] ^= 1 << (at % 8);
        other
    }));
    files.push({
        // A header with a wrong checksum of its own.
        let mut other = packed.clone();
        other[3] |= 2;
        other.splice(10..10, [0, 0]);
        other
    });
    for limits in [
        Limits::default(),
        Limits { decompression_free: 100, decompression_ratio: 2, ..Limits::default() },
    ] {
        for (i, bytes) in files.iter().enumerate() {
            let path = folder.file("small.run.gz", bytes);
            let name = path.display().to_string();
            let reader = Box::new(io::Cursor::new(bytes.clone()));
            let expected = outcome(Source::from_reader(name, reader, &limits));
            let found = outcome(Source::open(&path, &limits));
            assert_eq!(found, expected, "file {i}, limits {limits:?}");
        }
    }
    assert!(matches!(
        Source::open(&folder.file("a", &packed), &Limits::default()).unwrap().stream,
        Stream::Unpacked { .. }
    ));
}
