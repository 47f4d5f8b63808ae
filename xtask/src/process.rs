//! Running programs and saying what failed.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Why a command of the project failed, in one sentence.
pub(crate) struct Failure(pub(crate) String);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The folder of the checkout.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// Cargo, the one that runs this.
pub(crate) fn cargo() -> Command {
    command(std::env::var("CARGO").as_deref().unwrap_or("cargo"))
}

/// A program, to run in the folder of the checkout.
pub(crate) fn command(program: &str) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    command
}

/// Runs it to its end, with its output going where ours goes.
pub(crate) fn run(command: &mut Command) -> Result<(), Failure> {
    let shown = shown(command);
    println!("$ {shown}");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Failure(format!("`{shown}` ended with {status}"))),
        Err(error) => Err(Failure(format!("`{shown}` could not be started: {error}"))),
    }
}

/// Runs it to its end and returns what it printed.
pub(crate) fn output(command: &mut Command) -> Result<String, Failure> {
    let shown = shown(command);
    match command.output() {
        Ok(output) if output.status.success() => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        Ok(output) => {
            Err(Failure(format!("`{shown}` ended with {}: {}", output.status, String::from_utf8_lossy(&output.stderr))))
        }
        Err(error) => Err(Failure(format!("`{shown}` could not be started: {error}"))),
    }
}

fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy().into_owned();
    command.get_args().fold(program, |shown, argument| format!("{shown} {}", argument.to_string_lossy()))
}
