//! Errors for files that cannot be opened, with what helps to find the slip.

use std::fs;
use std::io;
use std::path::Path;

use crate::error::{Advice, Error, Interface, Kind, nearest, quote};

/// An error for one of the operating system: `cannot {doing}: {error}`.
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
pub(super) fn missing(path: &Path, name: &str) -> Error {
    let message = if name.is_empty() {
        String::from("the file's name is empty")
    } else if is_address(name) {
        let what = "this is a URL, and only files can be read here: download it first, or";
        let message = |to: Interface| format!("{what} {}", to.advice(Advice::OpenFile));
        return Error::for_each(Kind::Missing, message).in_file(name);
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
                None => format!("there is no such file{}", dataset(path, name)),
            }
        } else {
            let folder = quote(folder.as_os_str().as_encoded_bytes());
            format!("no such file, and no folder {folder}{}", dataset(path, name))
        }
    };
    Error::new(Kind::Missing, message).in_file(name)
}

/// How a dataset of `ir_datasets` would be asked for, if the path may be the id of one.
fn dataset(path: &Path, name: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_/.".contains(&b);
    if path.extension().is_some() || !name.bytes().all(plain) || name.starts_with(['/', '.']) {
        return String::new();
    }
    format!("; if it is a dataset of ir_datasets, write ir_datasets:{name}")
}

/// The folder that a path's last part is in, `.` for a bare name.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}
