//! Data flows one way: a module imports only modules that stand above it in
//! the order of `lib.rs`, and the naive twins see nothing of the fast code.

use std::fs;
use std::path::{Path, PathBuf};

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    files
}

/// What a file imports from the crate, tests aside.
fn imports(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]").next().unwrap_or(text);
    let mut found = Vec::new();
    for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
        for (at, _) in line.match_indices("crate::") {
            let rest = &line[at + "crate::".len()..];
            found.push(
                rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap().to_string(),
            );
        }
    }
    found
}

#[test]
fn imports_point_upwards() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let library = fs::read_to_string(source.join("lib.rs")).unwrap();
    let order: Vec<&str> = library
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'))
        .collect();
    assert!(order.len() > 10, "{order:?}");
    let mut checked = 0;
    for file in rust_files(&source) {
        let relative = file.strip_prefix(&source).unwrap();
        let first = relative.iter().next().unwrap().to_str().unwrap();
        let module = first.strip_suffix(".rs").unwrap_or(first);
        let Some(place) = order.iter().position(|name| *name == module) else { continue };
        for import in imports(&fs::read_to_string(&file).unwrap()) {
            let imported = order.iter().position(|name| *name == import);
            let imported =
                imported.unwrap_or_else(|| panic!("{}: unknown module {import}", file.display()));
            assert!(
                imported <= place,
                "{} imports {import}, which stands below it",
                file.display()
            );
            checked += 1;
        }
    }
    assert!(checked > 30);
}

#[test]
fn twins_are_blind() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/naive");
    for file in rust_files(&folder) {
        let text = fs::read_to_string(&file).unwrap();
        assert!(!text.contains("cranfield_core"), "{} sees the fast code", file.display());
    }
}
