//! Tests of atomic output.

use super::*;
use crate::read::{Limits, Source};
use crate::temporary_folder::TemporaryFolder;

fn write(path: &Path, text: &[u8]) -> Result<()> {
    let mut output = Output::create(path)?;
    output.write_all(text).unwrap();
    output.commit()
}

fn read(path: &Path) -> (Compression, Vec<u8>) {
    let mut source = Source::open(path, &Limits::default()).unwrap();
    let (mut out, mut buf) = (Vec::new(), vec![0; 1 << 16]);
    loop {
        match source.read(&mut buf).unwrap() {
            0 => return (source.compression(), out),
            n => out.extend_from_slice(&buf[..n]),
        }
    }
}

fn lines(n: u32) -> Vec<u8> {
    let mut out = Vec::new();
    for i in 0..n {
        writeln!(out, "{} Q0 d{} {i} 0.{} run", i / 100, i.wrapping_mul(2_654_435_761), i).unwrap();
    }
    out
}

const SUFFIXES: [(&str, Compression); 7] = [
    ("txt", Compression::None),
    ("gz", Compression::Gzip),
    ("GZ", Compression::Gzip),
    ("zst", Compression::Zstd),
    ("bz2", Compression::Bzip2),
    ("xz", Compression::Xz),
    ("", Compression::None),
];

#[test]
fn what_is_written_is_read_again() {
    let folder = TemporaryFolder::new();
    for (suffix, compression) in SUFFIXES {
        let path = folder.0.join("out.run").with_extension(suffix);
        for text in [&b"one\n"[..], &lines(10_000)] {
            write(&path, text).unwrap();
            let (found, out) = read(&path);
            assert_eq!(found, compression, "{suffix}");
            assert!(out == text, "{suffix}");
        }
        write(&path, b"").unwrap();
        assert_eq!(read(&path), (compression, Vec::new()), "{suffix}");
    }
}

#[test]
fn bytes_depend_on_the_text_alone() {
    let folder = TemporaryFolder::new();
    let text = lines(5000);
    for (suffix, _) in SUFFIXES {
        let (a, b) =
            (folder.0.join("a").with_extension(suffix), folder.0.join("b").with_extension(suffix));
        write(&a, &text).unwrap();
        let mut output = Output::create(&b).unwrap();
        for line in text.split_inclusive(|&b| b == b'\n') {
            output.write_all(line).unwrap();
            output.flush().unwrap();
        }
        output.commit().unwrap();
        assert_eq!(read(&a), read(&b));
        assert!(fs::read(&a).unwrap() == fs::read(&b).unwrap(), "{suffix}");
    }
    let packed = fs::read(folder.0.join("a.gz")).unwrap();
    assert_eq!(packed[..10], [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]);
}

#[test]
fn nothing_is_seen_before_the_commit_nor_left_behind() {
    let folder = TemporaryFolder::new();
    for (suffix, _) in SUFFIXES {
        let path = folder.0.join("out").with_extension(suffix);
        let mut output = Output::create(&path).unwrap();
        output.write_all(&lines(10_000)).unwrap();
        assert!(!path.exists());
        // Where the system has no files without a name, it is a hidden one.
        let names = folder.names();
        assert!(names.iter().all(|name| name.starts_with(".cranfield-")), "{names:?}");
        drop(output);
        assert_eq!(folder.names(), [""; 0]);
    }
}

#[test]
fn a_commit_replaces() {
    let folder = TemporaryFolder::new();
    let path = folder.0.join("out.run");
    write(&path, b"old, and longer").unwrap();
    let mut output = Output::create(&path).unwrap();
    output.write_all(b"new").unwrap();
    output.flush().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"old, and longer");
    output.commit().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(folder.names(), ["out.run"]);
}

#[test]
fn what_killed_calls_left_is_gone_after_the_next() {
    let folder = TemporaryFolder::new();
    let path = |name: &str| folder.0.join(name);
    let others = [
        (".cranfield-1-0.tmp", 3600),
        (".cranfield-2-0.tmp", 1),
        (".cranfield-4-0.new", 1),
        ("mine.tmp", 3600),
    ];
    for (name, age) in others {
        fs::write(path(name), b"half").unwrap();
        let file = fs::OpenOptions::new().write(true).open(path(name)).unwrap();
        let modified = std::time::SystemTime::now() - std::time::Duration::from_secs(age);
        file.set_modified(modified).unwrap();
    }
    let held = path(".cranfield-3-0.tmp");
    fs::write(&held, b"half").unwrap();
    let file = fs::OpenOptions::new().write(true).open(&held).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    file.try_lock().unwrap();
    write(&path("out"), b"whole").unwrap();
    // What may be growing, is held by its writer or has another name stays.
    let mut names = folder.names();
    names.sort();
    assert_eq!(names, [".cranfield-2-0.tmp", ".cranfield-3-0.tmp", "mine.tmp", "out"]);
}

#[test]
fn several_outputs_at_once_do_not_meet() {
    let folder = TemporaryFolder::new();
    let path = folder.0.join("out");
    // Left by a process of the same number that was killed.
    for n in 0..50 {
        let name = format!(".cranfield-{}-{n}.tmp", std::process::id());
        fs::write(folder.0.join(name), b"left").unwrap();
    }
    std::thread::scope(|scope| {
        for i in 0..8_u8 {
            let path = &path;
            scope.spawn(move || write(path, &vec![b'a' + i; 100_000]).unwrap());
        }
    });
    let text = fs::read(&path).unwrap();
    assert!(text.len() == 100_000 && text.iter().all(|&b| b == text[0]));
    assert_eq!(folder.names().len(), 51);
}

#[test]
fn missing_folders_are_errors() {
    let folder = TemporaryFolder::new();
    let kind = |path: &Path| Output::create(path).unwrap_err().kind();
    assert_eq!(kind(&folder.0), Kind::Directory);
    assert_eq!(kind(&folder.0.join("new/")), Kind::Directory);
    assert_eq!(kind(Path::new("..")), Kind::Directory);
    assert_eq!(kind(Path::new("")), Kind::Missing);
    let error = Output::create(&folder.0.join("none/out")).unwrap_err();
    assert_eq!(error.kind(), Kind::Missing);
    assert!(error.message().starts_with("cannot write this file: there is no folder `"), "{error}");
    write(&folder.0.join("file"), b"").unwrap();
    let error = Output::create(&folder.0.join("file/out")).unwrap_err();
    assert_eq!(error.kind(), Kind::Missing);
    assert!(error.message().ends_with("is not a folder"), "{error}");
    assert_eq!(folder.names(), ["file"]);
}

#[test]
fn a_bare_name_is_in_the_current_folder() {
    assert_eq!(folder_of(Path::new("out")), Path::new("."));
    assert_eq!(follow(Path::new("no such file")).unwrap().0, Path::new("no such file"));
}

#[test]
fn outputs_may_change_threads() {
    fn check<T: Send>() {}
    check::<Output>();
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    #[test]
    fn permissions_of_the_target_are_kept() {
        let folder = TemporaryFolder::new();
        let (path, other) = (folder.0.join("out"), folder.0.join("other"));
        let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
        write(&path, b"old").unwrap();
        File::create(&other).unwrap();
        assert_eq!(mode(&path), mode(&other));
        for wanted in [0o600, 0o640, 0o666] {
            fs::set_permissions(&path, fs::Permissions::from_mode(wanted)).unwrap();
            write(&path, b"new").unwrap();
            assert_eq!(mode(&path), wanted);
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
        if OpenOptions::new().write(true).open(&path).is_err() {
            assert_eq!(write(&path, b"newer").unwrap_err().kind(), Kind::Io);
            assert_eq!(fs::read(&path).unwrap(), b"new");
        }
        fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o555)).unwrap();
        if File::create(folder.0.join("probe")).is_err() {
            assert_eq!(write(&folder.0.join("more"), b"").unwrap_err().kind(), Kind::Io);
        }
        fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn links_stay() {
        let folder = TemporaryFolder::new();
        fs::create_dir(folder.0.join("sub")).unwrap();
        let (link, target) = (folder.0.join("link.gz"), folder.0.join("sub/target"));
        symlink("sub/middle", &link).unwrap();
        symlink("target", folder.0.join("sub/middle")).unwrap();
        for text in ["through a link that hangs", "through a link"] {
            write(&link, text.as_bytes()).unwrap();
            assert_eq!(read(&target), (Compression::Gzip, text.as_bytes().to_vec()));
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        }
        symlink("circle", folder.0.join("circle")).unwrap();
        assert_eq!(write(&folder.0.join("circle"), b"").unwrap_err().kind(), Kind::Io);
    }

    #[test]
    fn devices_are_written_directly() {
        let text = lines(10_000);
        write(Path::new("/dev/null"), &text).unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        drop(Output::create(Path::new("/dev/null")).unwrap());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_an_error_even_if_writes_are_unchecked() {
        let full = Path::new("/dev/full");
        assert_eq!(write(full, b"little").unwrap_err().kind(), Kind::Io);
        let mut output = Output::create(full).unwrap();
        let mut ignored = 0;
        for _ in 0..10 {
            ignored += usize::from(output.write_all(&lines(3000)).is_err());
        }
        assert!(ignored > 0);
        let error = output.commit().unwrap_err();
        assert_eq!(error.kind(), Kind::Io);
        assert!(error.to_string().starts_with("/dev/full: cannot write this file: "), "{error}");
        // The compressors pass it on as well.
        let folder = TemporaryFolder::new();
        for (suffix, _) in SUFFIXES {
            let link = folder.0.join("full").with_extension(suffix);
            symlink(full, &link).unwrap();
            assert_eq!(write(&link, b"little").unwrap_err().kind(), Kind::Io, "{suffix}");
        }
    }

    #[test]
    fn an_open_file_is_appended_to() {
        let folder = TemporaryFolder::new();
        let path = folder.0.join("redirected");
        let mut shell = OpenOptions::new().append(true).create(true).open(&path).unwrap();
        shell.write_all(b"first\n").unwrap();
        let descriptor = PathBuf::from(format!("/dev/fd/{}", shell.as_raw_fd()));
        write(&descriptor, b"second\n").unwrap();
        shell.write_all(b"third\n").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"first\nsecond\nthird\n");
        assert_eq!(folder.names(), ["redirected"]);
    }

    #[test]
    fn an_open_file_keeps_its_content_under_each_of_its_names() {
        let folder = TemporaryFolder::new();
        let path = folder.0.join("redirected");
        let shell = File::create(&path).unwrap();
        symlink("/dev/fd", folder.0.join("folder")).unwrap();
        let number = shell.as_raw_fd();
        symlink(format!("/proc/self/fd/{number}"), folder.0.join("link")).unwrap();
        let names = [
            PathBuf::from(format!("/dev/fd/{number}")),
            PathBuf::from(format!("/dev/../dev/fd/{number}")),
            PathBuf::from(format!("/proc/self/fd/{number}")),
            PathBuf::from(format!("/proc/{}/fd/{number}", std::process::id())),
            folder.0.join("folder").join(number.to_string()),
            folder.0.join("link"),
        ];
        for (count, name) in names.iter().enumerate() {
            write(name, b"line\n").unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"line\n".repeat(count + 1), "{name:?}");
        }
    }

    #[test]
    fn a_path_through_proc_is_no_open_file() {
        let folder = TemporaryFolder::new();
        fs::write(folder.0.join("out"), b"old, and longer").unwrap();
        let root = Path::new("/proc/self/root");
        let path = root.join(folder.0.strip_prefix("/").unwrap()).join("out");
        write(&path, b"new").unwrap();
        assert_eq!(fs::read(folder.0.join("out")).unwrap(), b"new");
    }

    #[test]
    fn bytes_are_written_as_they_are_whatever_the_suffix() {
        let folder = TemporaryFolder::new();
        for (suffix, _) in SUFFIXES {
            let path = folder.0.join("out").with_extension(suffix);
            let mut output = Output::of_bytes(&path).unwrap();
            output.write_all(b"as it is").unwrap();
            output.commit().unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"as it is", "{suffix}");
        }
    }

    #[test]
    fn a_pipe_without_a_reader_can_be_left() {
        let folder = TemporaryFolder::new();
        let pipe = folder.0.join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let start = std::time::Instant::now();
        let stop = move || start.elapsed() > Duration::from_millis(60);
        let made = interrupt::with(std::sync::Arc::new(stop), || Output::create(&pipe));
        assert_eq!(made.unwrap_err().kind(), Kind::Cancelled);
        assert!(start.elapsed() < Duration::from_millis(500));
    }

    #[test]
    fn the_owner_is_kept_where_the_system_lets_one() {
        let folder = TemporaryFolder::new();
        let path = folder.0.join("out");
        write(&path, b"old").unwrap();
        if std::os::unix::fs::chown(&path, Some(12345), Some(54321)).is_err() {
            return;
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        write(&path, b"new").unwrap();
        let found = fs::metadata(&path).unwrap();
        assert_eq!((found.uid(), found.gid(), found.mode() & 0o7777), (12345, 54321, 0o640));
    }

    #[test]
    fn half_a_result_in_a_pipe_does_not_look_whole() {
        let folder = TemporaryFolder::new();
        for (suffix, compression) in SUFFIXES {
            let pipe = folder.0.join("pipe").with_extension(suffix);
            let made = std::process::Command::new("mkfifo").arg(&pipe).status();
            if !made.is_ok_and(|s| s.success()) {
                continue;
            }
            for whole in [true, false] {
                let reader = std::thread::spawn({
                    let pipe = pipe.clone();
                    move || {
                        let mut source = Source::open(&pipe, &Limits::default()).unwrap();
                        let (mut total, mut buf) = (0, vec![0; 4096]);
                        loop {
                            match source.read(&mut buf) {
                                Ok(0) => return Ok(total),
                                Ok(n) => total += n,
                                Err(e) => return Err(e.kind()),
                            }
                        }
                    }
                });
                let text = lines(10_000);
                let mut output = Output::create(&pipe).unwrap();
                output.write_all(&text).unwrap();
                if whole {
                    output.commit().unwrap();
                } else {
                    drop(output);
                }
                let seen = reader.join().unwrap();
                match (whole, compression) {
                    (true, _) => assert_eq!(seen, Ok(text.len()), "{suffix}"),
                    (false, Compression::None) => assert!(seen.is_ok()),
                    // Nothing at all, while bzip2 gathers its first block.
                    (false, _) => {
                        assert!(matches!(seen, Ok(0) | Err(Kind::Archive)), "{suffix} {seen:?}");
                    }
                }
            }
        }
    }
}
