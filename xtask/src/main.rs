//! The project's commands. `cargo xtask test` is the whole gate, the same here and in CI.

mod approval_product;
mod c;
mod node;
mod process;
mod rust;

use std::process::ExitCode;
use std::time::Instant;

use process::Failure;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  test [STEP …]   run every check, or only the named steps
  demo            build what it needs and run the main job on real MCP servers
  bench           measure, in Rust and in Node
  vectors         write out the vectors that are made from tables
  header          write out the C header
  install-c --prefix FOLDER
                  build the C library and install it with header and pkg-config file

steps of `test`, in order:";

/// A part of the gate: its name, what it checks, and how.
struct Step {
    name: &'static str,
    about: &'static str,
    run: fn() -> Result<(), Failure>,
}

const STEPS: &[Step] = &[
    Step { name: "format", about: "source text is formatted", run: rust::format },
    Step { name: "lint", about: "no warning, with and without features", run: rust::lint },
    Step { name: "rust", about: "unit tests, laws, vectors and documentation examples", run: rust::test },
    Step { name: "small", about: "the core without the `validate` feature", run: rust::test_small },
    Step { name: "wasm", about: "the core compiles for the browser", run: rust::wasm },
    Step { name: "docs", about: "documentation builds without a warning", run: rust::docs },
    Step { name: "c", about: "the C library: header, programs, sanitizers, installation", run: c::test },
    Step { name: "node", about: "the Node package: build, types, vectors, command line", run: node::test },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["test", steps @ ..] => test(steps),
        ["demo", rest @ ..] => node::demo(rest),
        ["bench", rest @ ..] => bench(rest),
        ["vectors"] => approval_product::write(),
        ["header"] => c::header(),
        ["install-c", rest @ ..] => c::install(rest),
        _ => {
            eprintln!("{USAGE}");
            for step in STEPS {
                eprintln!("  {:<8} {}", step.name, step.about);
            }
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("xtask: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn test(names: &[&str]) -> Result<(), Failure> {
    if let Some(unknown) = names.iter().find(|name| !STEPS.iter().any(|step| step.name == **name)) {
        return Err(Failure(format!("there is no step `{unknown}`")));
    }
    let chosen: Vec<&Step> = STEPS.iter().filter(|step| names.is_empty() || names.contains(&step.name)).collect();
    let start = Instant::now();
    for step in &chosen {
        println!("== {}: {}", step.name, step.about);
        let begun = Instant::now();
        (step.run)().map_err(|failure| Failure(format!("step `{}`: {failure}", step.name)))?;
        println!("== {}: ok, {:.0} s", step.name, begun.elapsed().as_secs_f32());
    }
    println!("all {} steps passed in {:.0} s", chosen.len(), start.elapsed().as_secs_f32());
    Ok(())
}

fn bench(rest: &[&str]) -> Result<(), Failure> {
    rust::bench(rest)?;
    node::bench(rest)
}
