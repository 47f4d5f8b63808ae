//! Which module of the core may use which: those in the layers below its own, and its neighbours in the same layer.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use std::fs;
use std::path::{Path, PathBuf};

/// Lowest first. Only modules that cannot be told apart share a layer: a set keeps the section and the definitions that
/// are made of it.
const LAYERS: &[&[&str]] = &[
    &["error"],
    &["text"],
    &["suggest"],
    &["tokens"],
    &["locale"],
    &["names"],
    &["refusal"],
    &["model"],
    &["document"],
    &["schema"],
    &["load_mode"],
    &["tools::call"],
    &["report"],
    &["working_set", "section", "tools::definitions"],
    &["approval"],
    &["preview"],
    &["display", "summary"],
    &["plan"],
];

fn layer(module: &str) -> Option<usize> {
    let within = |name: &&str| module == *name || module.starts_with(&format!("{name}::"));
    LAYERS.iter().position(|layer| layer.iter().any(within))
}

/// The modules of the crate that a line of code names: what follows each `crate::`, constants and types of its root
/// left out. Modules are used one by one; a list of them in braces is in no layer, and so is a fault.
fn used(line: &str) -> impl Iterator<Item = &str> {
    let code = if line.trim_start().starts_with("//") { "" } else { line };
    let paths = code
        .split("crate::")
        .skip(1)
        .map(|path| path.split(|c: char| !c.is_alphanumeric() && !"_:{".contains(c)).next().unwrap_or_default());
    paths.filter(|path| path.trim_start_matches('{').starts_with(|c: char| c.is_lowercase()))
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { sources(&path, found) } else { found.push(path) }
    }
}

#[test]
fn modules_use_only_what_is_below_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut faults = Vec::new();
    let mut uses = 0;
    for file in files {
        let module = file.strip_prefix(&root).unwrap().with_extension("").to_str().unwrap().replace(['/', '\\'], "::");
        // They only say which modules there are.
        if module == "lib" || module == "tools" {
            continue;
        }
        let own = layer(&module).unwrap_or_else(|| panic!("`{module}` is in no layer"));
        for (number, line) in (1..).zip(fs::read_to_string(&file).unwrap().lines()) {
            for path in used(line) {
                uses += 1;
                if layer(path).is_none_or(|layer| layer > own) {
                    faults.push(format!("{}:{number}: `{module}` uses `{path}`", file.display()));
                }
            }
        }
    }
    assert!(uses > 50, "{uses} uses are too few: the reader of them is broken");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
