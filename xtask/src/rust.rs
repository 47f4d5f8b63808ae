//! Checks of the Rust side.

use std::path::Path;

use crate::process::{Failure, cargo, command, output, run};

/// Crates that reach for the system; the core must come without them wherever it runs in a browser.
const NOT_FOR_BROWSERS: [&str; 6] = ["getrandom", "libc", "mio", "socket2", "tokio", "windows-sys"];

pub(crate) fn format() -> Result<(), Failure> {
    run(cargo().args(["fmt", "--all", "--check"]))
}

pub(crate) fn lint() -> Result<(), Failure> {
    run(cargo().args(["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"]))?;
    let small = ["clippy", "-p", "mcp-working-set", "--no-default-features", "--all-targets", "--locked", "--"];
    run(cargo().args(small).args(["-D", "warnings"]))
}

pub(crate) fn test() -> Result<(), Failure> {
    run(cargo().args(["test", "--workspace", "--locked"]))
}

pub(crate) fn test_small() -> Result<(), Failure> {
    run(cargo().args(["test", "-p", "mcp-working-set", "--no-default-features", "--locked"]))
}

/// Compiles for the browser where that target is installed; everywhere, looks at what the core depends on there.
pub(crate) fn wasm() -> Result<(), Failure> {
    const TARGET: [&str; 2] = ["--target", "wasm32-unknown-unknown"];
    let core = ["-p", "mcp-working-set", "--no-default-features", "--locked"];
    let tree = ["tree", "--prefix", "none", "--edges", "normal,build", "--format", "{p}"];
    let dependencies = output(cargo().args(tree).args(core).args(TARGET))?;
    let names = dependencies.lines().filter_map(|line| line.split(' ').next());
    if let Some(name) = names.into_iter().find(|name| NOT_FOR_BROWSERS.contains(name)) {
        return Err(Failure(format!("the core depends on `{name}`, which a browser cannot serve")));
    }
    let library = output(command("rustc").args(["--print", "target-libdir"]).args(TARGET))?;
    if Path::new(library.trim()).is_dir() {
        run(cargo().arg("check").args(core).args(TARGET))
    } else {
        println!("not compiled for wasm32-unknown-unknown: the target is not installed; its dependencies are in order");
        Ok(())
    }
}

pub(crate) fn docs() -> Result<(), Failure> {
    run(cargo().args(["doc", "--no-deps", "-p", "mcp-working-set", "--locked"]).env("RUSTDOCFLAGS", "-D warnings"))
}

pub(crate) fn bench(rest: &[&str]) -> Result<(), Failure> {
    run(cargo().args(["bench", "-p", "mcp-working-set", "--locked", "--"]).args(rest))
}
