//! The header: that it is the one the sources give, that its versions are those of the manifest, that programs call all
//! of it, and that unsafe code stands in one file.
//!
//! `MWS_WRITE_HEADER=1 cargo test -p mcp-working-set-c --test header` writes it; so does `cargo xtask header`.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use cbindgen::{Builder, Config};
use mcp_working_set::{MCP_CALL, MCP_DESCRIBE, MCP_TOOL_RULE, SECTION_KEY, SECTION_LABEL};

fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn header_path() -> PathBuf {
    folder().join("../../include/mcp_working_set.h")
}

/// What stands in the manifest and in the core, as macros.
fn macros() -> String {
    let mut text = String::from("\n");
    let mut define = |about: &str, name: &str, value: &str| {
        if !about.is_empty() {
            writeln!(text, "\n/** {about} */").unwrap();
        }
        writeln!(text, "#define {name} {value}").unwrap();
    };
    let quoted = |value: &str| format!("\"{value}\"");
    define(
        "The version this header belongs to; mws_version() tells that of the library.",
        "MWS_VERSION",
        &quoted(env!("CARGO_PKG_VERSION")),
    );
    define("", "MWS_VERSION_MAJOR", env!("CARGO_PKG_VERSION_MAJOR"));
    define("", "MWS_VERSION_MINOR", env!("CARGO_PKG_VERSION_MINOR"));
    define("", "MWS_VERSION_PATCH", env!("CARGO_PKG_VERSION_PATCH"));
    define("The tool through which a model calls every MCP tool.", "MWS_MCP_CALL", &quoted(MCP_CALL));
    define("The tool that tells a model the schema of an MCP tool.", "MWS_MCP_DESCRIBE", &quoted(MCP_DESCRIBE));
    define("The type of the rules that are about MCP tools.", "MWS_MCP_TOOL_RULE", &quoted(MCP_TOOL_RULE));
    define("The key of the section in a prompt manifest.", "MWS_SECTION_KEY", &quoted(SECTION_KEY));
    define("The label of the section in a prompt manifest, in UTF-8.", "MWS_SECTION_LABEL", &quoted(SECTION_LABEL));
    text
}

#[test]
fn the_header_is_the_one_the_sources_give() {
    let mut config = Config::from_file(folder().join("cbindgen.toml")).unwrap();
    config.after_includes = Some(macros().trim_end().to_owned());
    let mut made = Vec::new();
    Builder::new().with_crate(folder()).with_config(config).generate().unwrap().write(&mut made);
    let made = String::from_utf8(made).unwrap().replace("const char * ", "const char *");
    if std::env::var_os("MWS_WRITE_HEADER").is_some() {
        fs::write(header_path(), &made).unwrap();
    }
    let committed = fs::read_to_string(header_path()).unwrap_or_default().replace("\r\n", "\n");
    let line = made.lines().zip(committed.lines()).position(|(made, committed)| made != committed);
    assert!(made == committed, "include/mcp_working_set.h is stale at line {line:?}: run `cargo xtask header`");
}

#[test]
fn every_function_is_called_by_a_program() {
    let header = fs::read_to_string(header_path()).unwrap();
    let programs: String = ["tests", "examples"]
        .iter()
        .flat_map(|place| fs::read_dir(folder().join(place)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    let declared = header.lines().filter(|line| !line.starts_with([' ', '#', '/', '}'])).filter_map(|line| {
        let name = line.split_once('(')?.0.rsplit([' ', '*']).next()?;
        name.starts_with("mws_").then_some(name)
    });
    let declared: Vec<&str> = declared.collect();
    assert!(declared.len() > 60, "{}", declared.len());
    for name in declared {
        assert!(programs.contains(&format!("{name}(")), "no program calls {name}()");
    }
}

#[test]
fn unsafe_code_stands_in_one_file() {
    for entry in fs::read_dir(folder().join("src")).unwrap() {
        let path = entry.unwrap().path();
        let source = fs::read_to_string(&path).unwrap();
        let holds = source.lines().any(|line| {
            let code = line.split("//").next().unwrap();
            code.contains("unsafe {") || code.contains("unsafe fn") || code.contains("unsafe impl")
        });
        assert_eq!(holds, path.ends_with("ffi.rs"), "{}", path.display());
    }
}
