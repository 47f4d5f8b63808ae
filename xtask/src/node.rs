//! The Node package: building it, checking it, and the demo that runs on it.

use std::process::Command;

use crate::process::{Failure, command, root, run};

/// npm, in the folder of the package.
fn npm() -> Command {
    let mut npm = command(if cfg!(windows) { "npm.cmd" } else { "npm" });
    npm.current_dir(root().join("node"));
    npm
}

/// Installs what the package needs and builds the native library: without optimisation, which is much faster and shares
/// what the Rust tests have built, or as it is published.
fn build(profile: Profile) -> Result<(), Failure> {
    run(npm().args(["ci", "--no-audit", "--no-fund"]))?;
    let arguments: &[&str] = match profile {
        Profile::Debug => &["--", "--debug"],
        Profile::Release => &[],
    };
    run(npm().args(["run", "--silent", "build"]).args(arguments))
}

enum Profile {
    Debug,
    Release,
}

pub(crate) fn test() -> Result<(), Failure> {
    build(Profile::Debug)?;
    run(npm().args(["test", "--silent"]))
}

pub(crate) fn demo(rest: &[&str]) -> Result<(), Failure> {
    build(Profile::Debug)?;
    run(npm().args(["run", "--silent", "demo", "--"]).args(rest))
}

pub(crate) fn bench(rest: &[&str]) -> Result<(), Failure> {
    build(Profile::Release)?;
    run(npm().args(["run", "--silent", "bench", "--"]).args(rest))
}
