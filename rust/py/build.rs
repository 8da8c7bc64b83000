//! Takes the docstrings out of the stubs, where editors look for them, so that
//! `help` shows the same: one file each, called `Class` or `Class.method`.

use std::path::Path;
use std::{env, fs};

const STUBS: &str = "../../python/cranfield/_core.pyi";

fn main() {
    println!("cargo::rerun-if-changed={STUBS}");
    let stubs = fs::read_to_string(STUBS).expect("the stubs can be read");
    let folder = env::var("OUT_DIR").expect("cargo says where to write");
    for (name, text) in docstrings(&stubs) {
        fs::write(Path::new(&folder).join(name), text).expect("docstrings can be written");
    }
}

/// Names and docstrings, without what they are indented by.
fn docstrings(stubs: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let (mut class, mut member) = ("", "");
    let mut lines = stubs.lines();
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("class ") {
            (class, member) = (word(name), "");
        } else if let Some(name) = line.strip_prefix("def ") {
            (class, member) = ("", word(name));
        } else if let Some(name) = line.strip_prefix("    def ") {
            member = word(name);
        }
        let Some((indent, mut rest)) = line.split_once("\"\"\"") else { continue };
        let mut text = String::new();
        while !rest.contains("\"\"\"") {
            text += rest.strip_prefix(indent).unwrap_or(rest);
            text.push('\n');
            rest = lines.next().expect("a docstring ends");
        }
        text += rest.trim_start().trim_end_matches("\"\"\"");
        let name = [class, member].into_iter().filter(|part| !part.is_empty());
        let name = name.collect::<Vec<_>>().join(".");
        // The first is of the stubs themselves.
        if !name.is_empty() {
            found.push((name, text.trim_end().to_owned()));
        }
    }
    found
}

/// What stands before the first sign that is not of a name.
fn word(text: &str) -> &str {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("")
}
