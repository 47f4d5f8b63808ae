//! The C library: its header, its installation, and the programs that prove it.
//!
//! The programs need nothing but a C compiler. What else is there is used, and what is missing is said: a second
//! compiler, a C++ compiler, sanitizers, valgrind, pkg-config, Python.

mod install;
mod programs;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

pub(crate) use install::install;
use install::{LIBRARY, Profile, install_to, shared_library, target, write};
use programs::{FOUND, Program, Run, Runner, catalog, programs};

use crate::process::{Failure, cargo, command, output, root, run};

const PACKAGE: [&str; 3] = ["-p", "mcp-working-set-c", "--locked"];

/// Writes the header from the sources.
pub(crate) fn header() -> Result<(), Failure> {
    run(cargo().arg("test").args(PACKAGE).args(["--test", "header"]).env("MWS_WRITE_HEADER", "1"))
}

/// A compiler and the language it is to take programs for.
struct Compiler {
    program: PathBuf,
    language: &'static [&'static str],
    cpp: bool,
}

const C99: &[&str] = &["-x", "c", "-std=c99"];
const CPP11: &[&str] = &["-x", "c++", "-std=c++11"];

/// Every compiler there is, once, whatever names it has.
fn compilers() -> Vec<Compiler> {
    let mut found: Vec<(PathBuf, Compiler)> = Vec::new();
    let names = [("cc", false), ("gcc", false), ("clang", false), ("c++", true), ("g++", true), ("clang++", true)];
    for (name, cpp) in names {
        let Some(program) = find(name) else { continue };
        let real = fs::canonicalize(&program).unwrap_or_else(|_| program.clone());
        if !found.iter().any(|(other, compiler)| *other == real && compiler.cpp == cpp) {
            found.push((real, Compiler { program, language: if cpp { CPP11 } else { C99 }, cpp }));
        }
    }
    found.into_iter().map(|(_, compiler)| compiler).collect()
}

/// The program of this name that a shell would start.
fn find(name: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?).map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// What a program is built against, and where it is put.
struct Workshop {
    prefix: PathBuf,
    programs: PathBuf,
}

impl Workshop {
    /// Compiles a program and links it with the shared library; where it is put.
    fn compile(&self, compiler: &Compiler, source: &str, name: &str, more: &[&str]) -> Result<PathBuf, Failure> {
        const STRICT: [&str; 5] = ["-g", "-Wall", "-Wextra", "-Wpedantic", "-Werror"];
        let stem = Path::new(source).file_stem().unwrap_or_default().to_string_lossy();
        let program = self.programs.join(format!("{stem}-{name}"));
        let lib = self.prefix.join("lib");
        let mut cc = command(&compiler.program.to_string_lossy());
        cc.args(STRICT).args(more).arg("-I").arg(self.prefix.join("include"));
        cc.args(compiler.language).arg(source).args(["-x", "none", "-o"]).arg(&program);
        cc.arg("-L").arg(&lib).arg(format!("-l{LIBRARY}")).arg(format!("-Wl,-rpath,{}", lib.display())).arg("-pthread");
        output(&mut cc)?;
        Ok(program)
    }

    /// Whether a tool works on this machine: it finds nothing where nothing is, and a leak where one is.
    fn works(&self, tool: &Runner, compiler: &Compiler, name: &str, flags: &[&str]) -> Result<bool, Failure> {
        const LEAKS: &str = "#include <stdlib.h>\nint main(int argc, char **argv) {\n    char *volatile text = \
                             (char *)malloc(1);\n    (void)argv;\n    if (argc == 1) {\n        free(text);\n    }\n    \
                             text = NULL;\n    return 0;\n}\n";
        let source = self.programs.join(format!("leaks_{name}.c"));
        write(&source, LEAKS)?;
        let Ok(program) = self.compile(compiler, &source.to_string_lossy(), name, flags) else {
            return Ok(false);
        };
        let ends = |arguments: &[&str]| {
            let mut command = tool.command(&program);
            command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
            command.status().ok().and_then(|status| status.code())
        };
        Ok(ends(&[]) == Some(0) && ends(&["leak"]) == Some(FOUND))
    }
}

const SANITIZERS: [&str; 2] = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

/// Leaks are what nothing points to any more. The tables of the schema compiler are made once for the life of a program,
/// and what they hold is also reached through pointers into its middle, which valgrind calls possibly lost.
const MEMCHECK: [&str; 6] = [
    "valgrind",
    "--quiet",
    "--leak-check=full",
    "--show-leak-kinds=definite,indirect",
    "--errors-for-leak-kinds=definite,indirect",
    "--error-exitcode=99",
];

pub(crate) fn test() -> Result<(), Failure> {
    // Chosen from the whole workspace, so that it is what the step `rust` has built; with the package alone dependencies
    // have other features and would be built once more.
    run(cargo().args(["test", "--workspace", "--locked", "--test", "header"]))?;
    if cfg!(windows) {
        println!("the C programs are not built: their commands are those of Unix compilers");
        return Ok(());
    }
    let work = target().join("c");
    let workshop = Workshop { prefix: work.join("installed"), programs: work.join("programs") };
    fs::create_dir_all(&workshop.programs).map_err(|error| Failure(format!("`{}`: {error}", work.display())))?;
    install_to(&workshop.prefix, &workshop.prefix, Profile::Debug)?;

    let compilers = compilers();
    let Some(first) = compilers.iter().find(|compiler| !compiler.cpp) else {
        return Err(Failure("there is no C compiler: none of cc, gcc and clang".to_owned()));
    };
    let programs = programs();
    for (cpp, name) in [(false, "clang"), (true, "g++"), (true, "clang++")] {
        if !compilers.iter().any(|compiler| compiler.cpp == cpp && is_named(compiler, name)) {
            println!("not compiled with {name}: it is not installed");
        }
    }
    for compiler in &compilers {
        let name = compiler.program.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for program in takes(compiler, &programs) {
            let built = workshop.compile(compiler, &program.source, &name, &[])?;
            Runner::alone().exercise(&built, &program.runs)?;
        }
        println!(
            "{name}: {} programs compile without a warning and do what they should",
            takes(compiler, &programs).count()
        );
    }
    under_tools(&workshop, first, &programs)?;
    readme_programs(&workshop, first)?;
    through_pkg_config(&workshop, first)?;
    from_python(&workshop)
}

fn is_named(compiler: &Compiler, name: &str) -> bool {
    let real = fs::canonicalize(&compiler.program).unwrap_or_default();
    let names = [compiler.program.file_name(), real.file_name()];
    names.iter().flatten().any(|file| {
        let file = file.to_string_lossy();
        // `x86_64-linux-gnu-g++-12` is `g++`; `clang++` is not, nor is it `clang`.
        file.split('-').any(|part| part == name)
    })
}

/// The programs of its language: C++ takes those of C too.
fn takes<'p>(compiler: &Compiler, programs: &'p [Program]) -> impl Iterator<Item = &'p Program> {
    let cpp = compiler.cpp;
    programs.iter().filter(move |program| cpp || !program.source.ends_with(".cpp"))
}

fn under_tools(workshop: &Workshop, compiler: &Compiler, programs: &[Program]) -> Result<(), Failure> {
    let sanitizers = Runner { name: "AddressSanitizer and UndefinedBehaviorSanitizer", before: vec![], slow: false };
    let valgrind = Runner { name: "valgrind", before: MEMCHECK.to_vec(), slow: true };
    under_tool(workshop, compiler, programs, &sanitizers, "sanitized", &SANITIZERS)?;
    under_tool(workshop, compiler, programs, &valgrind, "valgrind", &[])?;
    without_races(workshop, compiler)
}

/// Runs all programs under a tool, where it is installed.
fn under_tool(
    workshop: &Workshop,
    compiler: &Compiler,
    programs: &[Program],
    tool: &Runner,
    name: &str,
    flags: &[&str],
) -> Result<(), Failure> {
    if !workshop.works(tool, compiler, name, flags)? {
        println!("not run under {}: it is not installed, or sees no leaks here", tool.name);
        return Ok(());
    }
    // All at once: this takes most of the time of the step.
    std::thread::scope(|scope| {
        let exercise = |program: &Program| {
            tool.exercise(&workshop.compile(compiler, &program.source, name, flags)?, &program.runs)
        };
        let running: Vec<_> = takes(compiler, programs).map(|program| scope.spawn(move || exercise(program))).collect();
        running.into_iter().try_for_each(|program| {
            program.join().unwrap_or_else(|_| Err(Failure("a thread that runs a program panicked".to_owned())))
        })
    })?;
    println!("{}: no error and no leak", tool.name);
    Ok(())
}

/// Looks for races. No detector sees how threads wait for each other inside the library when something is
/// made at its first use, so here everything is made beforehand, and nothing may write any more.
fn without_races(workshop: &Workshop, compiler: &Compiler) -> Result<(), Failure> {
    const SOURCE: &str = "bindings/c/tests/threads.c";
    let warm = [Run::with(&["warm"])];
    let valgrind = ["valgrind", "--quiet", "--tool=helgrind", "--error-exitcode=99"];
    let helgrind = Runner { name: "helgrind", before: valgrind.to_vec(), slow: true };
    let sanitizer = Runner { name: "ThreadSanitizer", before: vec![], slow: true };
    if find("valgrind").is_some() {
        let built = workshop.compile(compiler, SOURCE, "helgrind", &[])?;
        helgrind.exercise(&built, &warm)?;
        println!("helgrind: no race");
    } else if let Ok(built) = workshop.compile(compiler, SOURCE, "raced", &["-fsanitize=thread"]) {
        sanitizer.exercise(&built, &warm)?;
        println!("ThreadSanitizer: no race");
    } else {
        println!("not run under helgrind or ThreadSanitizer: neither is installed");
    }
    Ok(())
}

/// The programs that documentation shows are compiled and run as they stand there.
fn readme_programs(workshop: &Workshop, compiler: &Compiler) -> Result<(), Failure> {
    for (file, name) in [("README.md", "readme"), ("bindings/c/README.md", "binding_readme")] {
        let text = fs::read_to_string(root().join(file)).map_err(|error| Failure(format!("`{file}`: {error}")))?;
        let shown: Vec<&str> = text
            .split("```c\n")
            .skip(1)
            .filter_map(|rest| rest.split_once("```"))
            .map(|(program, _)| program)
            .collect();
        if shown.is_empty() {
            return Err(Failure(format!("`{file}` shows no C program")));
        }
        for (number, program) in shown.iter().enumerate() {
            let source = workshop.programs.join(format!("{name}_{number}.c"));
            write(&source, program)?;
            let built = workshop.compile(compiler, &source.to_string_lossy(), "shown", &[])?;
            Runner::alone().exercise(&built, &[Run::default()])?;
        }
    }
    println!("the C programs of the documentation run");
    Ok(())
}

/// An example compiled with what pkg-config says and nothing else, with the shared library and with the static one.
fn through_pkg_config(workshop: &Workshop, compiler: &Compiler) -> Result<(), Failure> {
    let Some(pkg_config) = find("pkg-config").or_else(|| find("pkgconf")) else {
        println!("not compiled through pkg-config: it is not installed");
        return Ok(());
    };
    let lib = workshop.prefix.join("lib");
    let flags = |options: &[&str]| -> Result<Vec<String>, Failure> {
        let mut pkg_config = command(&pkg_config.to_string_lossy());
        pkg_config.args(options).args(["--cflags", "--libs", LIBRARY]).env("PKG_CONFIG_PATH", lib.join("pkgconfig"));
        Ok(output(&mut pkg_config)?.split_whitespace().map(str::to_owned).collect())
    };
    let example = catalog();
    let compile = |name: &str, before: &[&str], flags: &[String]| -> Result<PathBuf, Failure> {
        let program = workshop.programs.join(name);
        let mut cc = command(&compiler.program.to_string_lossy());
        output(cc.args(before).arg(&example.source).arg("-o").arg(&program).args(flags))?;
        Ok(program)
    };

    let shared = compile("catalog-shared", &[], &flags(&[])?)?;
    let path = if cfg!(target_vendor = "apple") { "DYLD_LIBRARY_PATH" } else { "LD_LIBRARY_PATH" };
    // Programs look for the name with the version in it; the other one is for compilers.
    let unversioned = lib.join(shared_library(""));
    let aside = lib.join("aside");
    let moved = |from, to| fs::rename(from, to).map_err(|error| Failure(format!("`{}`: {error}", lib.display())));
    moved(&unversioned, &aside)?;
    let started = output(command(&shared.to_string_lossy()).arg(programs::SESSION).env(path, &lib));
    moved(&aside, &unversioned)?;
    started?;

    let private = flags(&["--static"])?;
    match compile("catalog-static", &["-static"], &private) {
        Ok(program) => {
            Runner::alone().exercise(&program, &example.runs)?;
            println!("pkg-config: an example runs with the shared library and with the static one");
        }
        // Some systems have no static C library; then the program is static as far as this library goes.
        Err(_) => {
            let archive = lib.join(format!("lib{LIBRARY}.a")).to_string_lossy().into_owned();
            let named =
                private.into_iter().map(|flag| if flag == format!("-l{LIBRARY}") { archive.clone() } else { flag });
            let program = compile("catalog-static", &[], &named.collect::<Vec<_>>())?;
            Runner::alone().exercise(&program, &example.runs)?;
            println!(
                "pkg-config: an example runs with the shared library and, the C library apart, with the static one"
            );
        }
    }
    Ok(())
}

fn from_python(workshop: &Workshop) -> Result<(), Failure> {
    if find("python3").is_none() {
        println!("not used from Python: python3 is not installed");
        return Ok(());
    }
    let mut python = command("python3");
    python.arg("bindings/c/tests/smoke.py").arg(workshop.prefix.join("lib").join(shared_library("")));
    output(python.arg("bindings/c/examples/session.json"))?;
    println!("Python: ctypes can use it");
    Ok(())
}
