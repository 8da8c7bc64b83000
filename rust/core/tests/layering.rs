//! Data flows one way: a module imports only modules that stand above it in
//! the order of `lib.rs`, no files import each other in a circle, and the naive
//! twins see nothing of the fast code. No two types of a crate have the same name.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Files by the path of their module: `["read", "lines"]`.
type Modules = BTreeMap<Vec<String>, String>;

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

/// The modules below a folder.
fn modules(source: &Path) -> Modules {
    let module = |path: PathBuf| {
        let relative = path.strip_prefix(source).unwrap().with_extension("");
        let mut names: Vec<String> =
            relative.iter().map(|name| name.to_str().unwrap().to_string()).collect();
        if matches!(names.last().map(String::as_str), Some("mod" | "lib")) {
            names.pop();
        }
        (names, fs::read_to_string(path).unwrap())
    };
    rust_files(source).into_iter().map(module).collect()
}

/// The code without comments, texts and what is compiled for tests only.
fn code(text: &str) -> String {
    let lines = text.lines().map(|line| match line.find("//") {
        Some(at) if !line[..at].contains('"') => &line[..at],
        _ => line,
    });
    let mut rest: &str = &lines.collect::<Vec<_>>().join("\n");
    let mut kept = String::new();
    while let Some(at) = rest.find("#[cfg(test)]") {
        kept.push_str(&rest[..at]);
        rest = behind_item(&rest[at + "#[cfg(test)]".len()..]);
    }
    kept + rest
}

/// What is behind the item or statement that a text begins with.
fn behind_item(text: &str) -> &str {
    let mut depth = 0;
    for (at, character) in text.char_indices() {
        match character {
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => {
                depth -= 1;
                if depth < 0 {
                    return &text[at..];
                }
                if depth == 0 && character == '}' {
                    return &text[at + 1..];
                }
            }
            ';' | ',' if depth == 0 => return &text[at + 1..],
            _ => {}
        }
    }
    ""
}

/// The paths of a tree of imports: `a::{b, c as d}` is `a::b` and `a::c`.
fn spread(tree: &str) -> Vec<Vec<String>> {
    let tree = tree.trim();
    let Some((head, rest)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap();
        return vec![path.split("::").map(|name| name.trim().to_string()).collect()];
    };
    let head: Vec<String> = head
        .split("::")
        .filter(|name| !name.trim().is_empty())
        .map(|name| name.trim().into())
        .collect();
    let (mut depth, mut start, mut found) = (0, 0, Vec::new());
    let inner = &rest[..rest.rfind('}').unwrap()];
    let mut parts = Vec::new();
    for (at, character) in inner.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&inner[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inner[start..]);
    for part in parts.into_iter().filter(|part| !part.trim().is_empty()) {
        found.extend(spread(part).into_iter().map(|path| [head.clone(), path].concat()));
    }
    found
}

/// A `use` statement: whether it exports again, and its paths.
fn uses(code: &str) -> Vec<(bool, Vec<Vec<String>>)> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("use ") {
        let before = code[..at].rsplit('\n').next().unwrap().trim();
        if before.is_empty() || before.starts_with("pub") {
            let end = code[at..].find(';').map_or(code.len(), |end| at + end);
            found.push((!before.is_empty(), spread(&code[at + "use ".len()..end])));
        }
    }
    found
}

/// Paths in the code that begin with `crate`, `super` or `self`.
fn paths(code: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for root in ["crate::", "super::", "self::"] {
        for (at, _) in code.match_indices(root) {
            let before = code[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
                continue;
            }
            let path = code[at..].split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
            let path = path.into_iter().next().unwrap().trim_end_matches(':');
            found.push(path.split("::").map(str::to_string).collect());
        }
    }
    found
}

/// The module that a path leads to, through what modules export again; none
/// for what is outside the crate.
fn target(modules: &Modules, from: &[String], path: &[String]) -> Option<Vec<String>> {
    let mut at = match path[0].as_str() {
        "crate" => Vec::new(),
        "super" => from[..from.len().checked_sub(1)?].to_vec(),
        "self" => from.to_vec(),
        name => [from, &[name.to_string()]].concat(),
    };
    if !modules.contains_key(&at) {
        return None;
    }
    let mut rest = &path[1..];
    while let Some((name, behind)) = rest.split_first() {
        if name == "super" {
            at.pop();
        } else {
            let inner = [&at[..], std::slice::from_ref(name)].concat();
            if !modules.contains_key(&inner) {
                break;
            }
            at = inner;
        }
        rest = behind;
    }
    let Some(item) = rest.first() else { return Some(at) };
    let exported = uses(&code(&modules[&at])).into_iter().filter(|(again, _)| *again);
    let exported = exported.flat_map(|(_, paths)| paths).find(|path| path.last() == Some(item));
    let onward = exported.and_then(|path| target(modules, &at, &path));
    Some(onward.filter(|onward| *onward != at).unwrap_or(at))
}

/// Which modules each module imports from.
fn imports(modules: &Modules) -> BTreeMap<Vec<String>, BTreeSet<Vec<String>>> {
    let of = |(module, text): (&Vec<String>, &String)| {
        let code = code(text);
        let plain = uses(&code).into_iter().filter(|(again, _)| !again);
        let exported: BTreeSet<Vec<String>> = uses(&code)
            .into_iter()
            .filter(|(again, _)| *again)
            .flat_map(|(_, paths)| paths)
            .collect();
        let named = paths(&code).into_iter().filter(|path| !exported.contains(path));
        let all = plain.flat_map(|(_, paths)| paths).chain(named);
        let all = all.filter_map(|path| target(modules, module, &path));
        (module.clone(), all.filter(|found| found != module).collect())
    };
    modules.iter().map(of).collect()
}

/// Groups of modules each of which leads to all others of its group.
fn circles(modules: &Modules) -> Vec<Vec<String>> {
    let imports = imports(modules);
    let reached: BTreeMap<_, _> =
        imports.keys().map(|module| (module, from(&imports, module))).collect();
    let group = |module: &Vec<String>| -> Vec<String> {
        let mutual = reached[module].iter().filter(|other| reached[*other].contains(module));
        mutual.map(|module| module.join("::")).collect()
    };
    let groups: BTreeSet<Vec<String>> = imports.keys().map(group).collect();
    groups.into_iter().filter(|group| !group.is_empty()).collect()
}

/// All that a module leads to.
fn from(
    imports: &BTreeMap<Vec<String>, BTreeSet<Vec<String>>>,
    module: &Vec<String>,
) -> BTreeSet<Vec<String>> {
    let (mut found, mut waiting) = (BTreeSet::new(), vec![module]);
    while let Some(next) = waiting.pop() {
        waiting.extend(imports[next].iter().filter(|imported| found.insert((*imported).clone())));
    }
    found
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

#[test]
fn imports_point_upwards() {
    let modules = modules(&source());
    let library = &modules[&Vec::new()];
    let order: Vec<&str> = library
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'))
        .collect();
    assert!(order.len() > 10, "{order:?}");
    let place = |module: &[String]| order.iter().position(|name| *name == module[0]);
    let mut checked = 0;
    for (module, imported) in imports(&modules) {
        for imported in imported.iter().filter(|_| !module.is_empty()) {
            let names = (module.join("::"), imported.join("::"));
            assert!(!imported.is_empty(), "{} imports from lib.rs", names.0);
            assert!(
                place(imported) <= place(&module),
                "{} imports {}, which stands below it",
                names.0,
                names.1
            );
            checked += 1;
        }
    }
    assert!(checked > 100, "{checked}");
}

/// The names of the types that a file defines, in functions too. What the types of a trait are
/// called is up to the trait.
fn type_names(text: &str) -> Vec<String> {
    let name = |line: &str| {
        let item = line.trim_start();
        let is_associated = item != line && item.starts_with("type ");
        let item = match item.strip_prefix("pub") {
            Some(rest) if rest.starts_with('(') => rest.split_once(") ")?.1,
            Some(rest) => rest.trim_start(),
            None => item,
        };
        let (keyword, rest) = item.split_once(' ')?;
        let is_type = matches!(keyword, "struct" | "enum" | "trait" | "type" | "union");
        let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
        (is_type && !is_associated).then(|| name.to_string())
    };
    code(text).lines().filter_map(name).collect()
}

/// The names that more than one type has.
fn repeated_names(modules: &Modules) -> BTreeSet<String> {
    let names: Vec<String> = modules.values().flat_map(|text| type_names(text)).collect();
    let mut seen = BTreeSet::new();
    names.into_iter().filter(|name| !seen.insert(name.clone())).collect()
}

/// Names that several types share: what families count, and terms of formats of files that are
/// terms of measures, too.
const SHARED: [&str; 4] = ["Record", "Seen", "Table", "Value"];

#[test]
fn a_name_is_that_of_one_type() {
    for (folder, shared) in [("../scan/src", &[][..]), ("../py/src", &[]), ("src", &SHARED)] {
        let modules = modules(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
        let repeated = repeated_names(&modules);
        let new: Vec<&String> =
            repeated.iter().filter(|name| !shared.contains(&name.as_str())).collect();
        assert!(new.is_empty(), "{new:?}");
    }
    let twice = [
        (
            "",
            "pub(super) struct Line<'a>(&'a str);\nimpl Iterator for Line {\n    type Item = u8;\n}",
        ),
        ("a", "fn f() {\n    enum Line { A }\n}\nimpl X for Y {\n    type Item = u8;\n}"),
    ];
    assert!(repeated_names(&planted(&twice)).into_iter().eq(["Line".to_string()]));
}

/// Circles that are still there, by folder; a new one fails.
const LEFT: [(&str, &[&[&str]]); 3] = [("../scan/src", &[]), ("../py/src", &[]), ("src", &[])];

#[test]
fn no_new_circle_among_files() {
    for (folder, left) in LEFT {
        let modules = modules(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
        assert!(modules.len() > 2, "{folder}");
        assert_eq!(circles(&modules), left, "{folder}");
    }
}

/// The files of a small crate.
fn planted(files: &[(&str, &str)]) -> Modules {
    let module = |(name, text): &(&str, &str)| {
        let names = name.split("::").filter(|name| !name.is_empty());
        (names.map(str::to_string).collect(), (*text).to_string())
    };
    files.iter().map(module).collect()
}

#[test]
fn planted_circles_are_found() {
    let siblings = [("", ""), ("a", ""), ("a::b", "use super::c::C;"), ("a::c", "use super::b;")];
    assert_eq!(circles(&planted(&siblings)), [["a::b", "a::c"]]);
    let parent = [("", ""), ("a", "use b::B;\npub struct A;"), ("a::b", "use super::A;")];
    assert_eq!(circles(&planted(&parent)), [["a", "a::b"]]);
    let paths = [("", ""), ("a", "fn f() { crate::b::g() }"), ("b", "use crate::{a::{self, f}};")];
    assert_eq!(circles(&planted(&paths)), [["a", "b"]]);
    let exported = [
        ("", ""),
        ("a", "mod b;\nmod c;\npub use b::B;\npub use c::C;"),
        ("a::b", "use super::C;"),
        ("a::c", "#[cfg(test)]\nmod tests {\n    use super::super::B;\n}\npub struct C;"),
    ];
    assert!(circles(&planted(&exported)).is_empty());
    let hidden = [exported[0], exported[1], exported[2], ("a::c", "fn f(_: &super::B) {}")];
    assert_eq!(circles(&planted(&hidden)), [["a::b", "a::c"]]);
}

#[test]
fn twins_are_blind() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/naive");
    for file in rust_files(&folder) {
        let text = fs::read_to_string(&file).unwrap();
        assert!(!text.contains("cranfield_core"), "{} sees the fast code", file.display());
    }
}
