//! The Node package: building it, checking it, and the demo that runs on it.

use std::process::Command;

use crate::process::{Failure, command, root, run};

/// npm, in the folder of the package.
fn npm() -> Command {
    let mut npm = command(if cfg!(windows) { "npm.cmd" } else { "npm" });
    npm.current_dir(root().join("node"));
    npm
}

/// Installs what the package needs and builds the native library.
fn build() -> Result<(), Failure> {
    run(npm().args(["ci", "--no-audit", "--no-fund"]))?;
    run(npm().args(["run", "--silent", "build"]))
}

pub(crate) fn test() -> Result<(), Failure> {
    build()?;
    run(npm().args(["test", "--silent"]))
}

pub(crate) fn demo(rest: &[&str]) -> Result<(), Failure> {
    build()?;
    run(npm().args(["run", "--silent", "demo", "--"]).args(rest))
}

pub(crate) fn bench(rest: &[&str]) -> Result<(), Failure> {
    build()?;
    run(npm().args(["run", "--silent", "bench", "--"]).args(rest))
}
