//! The C programs, what they must do, and the ways they are run.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::process::{Failure, command, root};

/// A program that is built and run, and what it must then do.
pub(super) struct Program {
    pub(super) source: String,
    pub(super) runs: Vec<Run>,
}

/// One run of a program. Paths are in the folder of the checkout.
#[derive(Default)]
pub(super) struct Run {
    arguments: Vec<&'static str>,
    input: &'static str,
    /// How it must end.
    code: i32,
    /// What it must print, each as often as said.
    says: Vec<(String, usize)>,
    /// Too much for a tool that runs programs fifty times slower.
    heavy: bool,
}

pub(super) const SESSION: &str = "bindings/c/examples/session.json";
const CALLS: &str = "bindings/c/examples/calls.txt";

impl Run {
    pub(super) fn with(arguments: &[&'static str]) -> Self {
        Self { arguments: arguments.to_vec(), ..Self::default() }
    }
}

/// Texts that must be printed once each.
fn once(texts: &[&str]) -> Vec<(String, usize)> {
    texts.iter().map(|text| ((*text).to_owned(), 1)).collect()
}

fn program(source: &str, runs: Vec<Run>) -> Program {
    Program { source: format!("bindings/c/{source}"), runs }
}

/// The example that prints a section.
pub(super) fn catalog() -> Program {
    let runs = vec![
        Run {
            arguments: vec![SESSION],
            says: once(&["## MCP working set\n", "### notes (1 read-only / 2 writable)\n", "- add_note [writable]\n"]),
            ..Run::default()
        },
        Run { arguments: vec![SESSION, "zh-CN"], says: once(&["\n### github(当前不可用:"]), ..Run::default() },
        Run { arguments: vec![SESSION, "fr"], code: 1, says: once(&["catalog: fr: "]), ..Run::default() },
        Run { arguments: vec![CALLS], code: 1, says: once(&["calls.txt:1:1: "]), ..Run::default() },
    ];
    program("examples/catalog.c", runs)
}

/// All of them.
pub(super) fn programs() -> Vec<Program> {
    // The first note is allowed once, the second from now on: the third asks nobody. Nothing is deleted.
    let mut dispatched = once(&[
        r#"{"notes":[{"text":"buy milk"},{"text":"call Ann","tags":["today"]},{"text":"pay the rent"}]}"#,
        "put right: respelled_tool\n",
        r#"{"error":"the user did not allow this call"}"#,
        r#""code":"schema_violation""#,
        r#""code":"server_unavailable""#,
        r#""suggestions":["list_notes""#,
    ]);
    dispatched.extend([("Run it?".to_owned(), 3), (r#"{"added":true}"#.to_owned(), 3)]);
    let dispatch = vec![
        Run { arguments: vec![SESSION, CALLS], input: "y\na\nn\n", says: dispatched, ..Run::default() },
        Run {
            arguments: vec![SESSION, "-", "READ_ONLY", "CLOUD"],
            input: "mcp_call {\"server\":\"notes\",\"tool\":\"add_note\",\"arguments\":{\"text\":\"x\"}}\n\
                    mcp_call {\"server\":\"notes\",\"tool\":\"list_notes\"}",
            says: once(&[r#"{"notes":[{"text":"x"}]}"#]),
            ..Run::default()
        },
    ];
    const CALL: &str = r#"{"server":"notes","tool":"add_note","arguments":{"text":"x"}}"#;
    let raii = vec![
        Run {
            arguments: vec![SESSION, CALL],
            says: once(&["## MCP working set\n", "ask, then run mcp__notes__add_note {\"text\":\"x\"}\n"]),
            ..Run::default()
        },
        Run { arguments: vec![CALLS], code: 1, says: once(&["(status 3)"]), ..Run::default() },
    ];
    let mut programs = vec![
        catalog(),
        program("examples/dispatch.c", dispatch),
        program("examples/raii.cpp", raii),
        program("tests/abi.c", vec![Run::default()]),
        program("tests/ownership.c", vec![Run::default()]),
        program("tests/threads.c", vec![Run { heavy: true, ..Run::default() }, Run::with(&["warm"])]),
    ];
    let conformance = program("tests/conformance.c", vec![]);
    if root().join(&conformance.source).is_file() {
        let counts = fs::read_to_string(root().join("tests/vectors/COUNT")).unwrap_or_default();
        let says = counts.lines().map(|line| (format!("\n{line}\n"), 1)).collect();
        let runs = vec![Run { arguments: vec!["tests/vectors"], says, ..Run::default() }];
        programs.push(Program { runs, ..conformance });
    }
    programs
}

/// A way to run a program, alone or under a tool that looks for mistakes.
pub(super) struct Runner {
    pub(super) name: &'static str,
    /// The tool and its options.
    pub(super) before: Vec<&'static str>,
    /// It makes programs many times slower.
    pub(super) slow: bool,
}

/// How a tool ends a program in which it found something; no program ends so by itself.
pub(super) const FOUND: i32 = 99;

impl Runner {
    pub(super) fn alone() -> Self {
        Self { name: "alone", before: vec![], slow: false }
    }

    pub(super) fn command(&self, program: &Path) -> Command {
        let mut command = match self.before.as_slice() {
            [] => command(&program.to_string_lossy()),
            [tool, options @ ..] => {
                let mut command = command(tool);
                command.args(options).arg(program);
                command
            }
        };
        for options in ["ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS"] {
            command.env(options, format!("exitcode={FOUND}"));
        }
        command
    }

    /// Runs a program each way it is to be run.
    pub(super) fn exercise(&self, program: &Path, runs: &[Run]) -> Result<(), Failure> {
        for each in runs.iter().filter(|each| !(each.heavy && self.slow)) {
            let mut command = self.command(program);
            command.args(&each.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let what = format!("{} {} ({})", program.display(), each.arguments.join(" "), self.name);
            let failed = |error: std::io::Error| Failure(format!("{what}: {error}"));
            let mut child = command.spawn().map_err(failed)?;
            if let Some(mut stdin) = child.stdin.take() {
                // A program that reads none of it closes its end first.
                let _ = stdin.write_all(each.input.as_bytes());
            }
            let done = child.wait_with_output().map_err(failed)?;
            let [stdout, stderr] = [&done.stdout, &done.stderr].map(|bytes| String::from_utf8_lossy(bytes));
            // Every line stands between two line breaks.
            let said = format!("\n{stdout}{stderr}");
            if done.status.code() != Some(each.code) {
                return Err(Failure(format!("{what} ended with {}:\n{said}", done.status)));
            }
            for (text, times) in &each.says {
                let found = said.matches(text.as_str()).count();
                if found != *times {
                    return Err(Failure(format!("{what} said {text:?} {found} times and not {times}:\n{said}")));
                }
            }
        }
        Ok(())
    }
}
