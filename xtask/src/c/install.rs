//! Building the C library and putting it where C programs look for it.

use std::fs;
use std::path::{Path, PathBuf};

use super::PACKAGE;
use crate::process::{Failure, cargo, command, output, root, run};

#[path = "../../../bindings/c/soname.rs"]
mod soname;

const HEADER: &str = "include/mcp_working_set.h";
pub(super) const LIBRARY: &str = "mcp_working_set";
const VERSION: &str = env!("CARGO_PKG_VERSION");

#[derive(Clone, Copy)]
pub(super) enum Profile {
    /// Shares what the Rust tests have built.
    Debug,
    Release,
}

impl Profile {
    fn folder(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Release => "release",
        }
    }
}

/// `install-c --prefix P`: the library as it is published. `DESTDIR` is put before every path that is written, and is
/// not part of what the pkg-config file says.
pub(crate) fn install(rest: &[&str]) -> Result<(), Failure> {
    let ["--prefix", prefix] = rest else {
        return Err(Failure("usage: cargo xtask install-c --prefix FOLDER".to_owned()));
    };
    let prefix = std::path::absolute(prefix).map_err(|error| Failure(format!("`{prefix}` is no folder: {error}")))?;
    let staged = match std::env::var_os("DESTDIR").filter(|folder| !folder.is_empty()) {
        Some(folder) => PathBuf::from(folder).join(prefix.strip_prefix("/").unwrap_or(&prefix)),
        None => prefix.clone(),
    };
    install_to(&prefix, &staged, Profile::Release)?;
    println!("installed in {}", staged.display());
    Ok(())
}

/// Builds both libraries and puts them, the header and the pkg-config file into `staged`, to be used from `prefix`.
pub(super) fn install_to(prefix: &Path, staged: &Path, profile: Profile) -> Result<(), Failure> {
    if cfg!(windows) {
        return Err(Failure(
            "on Windows take the libraries from where Cargo puts them, see `bindings/c/README.md`".to_owned(),
        ));
    }
    let private = build(profile)?;
    let built = target().join(profile.folder());
    let (include, lib) = (staged.join("include"), staged.join("lib"));
    for folder in [&include, &lib.join("pkgconfig")] {
        fs::create_dir_all(folder).map_err(|error| Failure(format!("`{}`: {error}", folder.display())))?;
    }
    copy(&root().join(HEADER), &include.join("mcp_working_set.h"))?;
    put_library(&built.join(format!("lib{LIBRARY}.a")), &lib.join(format!("lib{LIBRARY}.a")), profile)?;

    let abi = soname::abi_version(env!("CARGO_PKG_VERSION_MAJOR"), env!("CARGO_PKG_VERSION_MINOR"));
    put_library(&built.join(shared_library("")), &lib.join(shared_library(VERSION)), profile)?;
    link(&shared_library(VERSION), &lib.join(shared_library(&abi)))?;
    link(&shared_library(&abi), &lib.join(shared_library("")))?;

    let description = format!(
        "prefix={}\nincludedir=${{prefix}}/include\nlibdir=${{prefix}}/lib\n\nName: {LIBRARY}\n\
         Description: One short prompt section and two tools in place of the JSON Schema of every MCP tool\n\
         Version: {VERSION}\nCflags: -I${{includedir}}\nLibs: -L${{libdir}} -l{LIBRARY}\nLibs.private: {private}\n",
        prefix.display()
    );
    write(&lib.join("pkgconfig").join(format!("{LIBRARY}.pc")), &description)
}

/// The file name of the shared library, with a version in it or without.
pub(super) fn shared_library(version: &str) -> String {
    match (cfg!(target_vendor = "apple"), version) {
        (true, "") => format!("lib{LIBRARY}.dylib"),
        (true, version) => format!("lib{LIBRARY}.{version}.dylib"),
        (false, "") => format!("lib{LIBRARY}.so"),
        (false, version) => format!("lib{LIBRARY}.so.{version}"),
    }
}

/// Builds both libraries; what a program needs besides the static one.
fn build(profile: Profile) -> Result<String, Failure> {
    // Kept beside the library, because the compiler says it only when it has something to do.
    let note = target().join(profile.folder()).join("native-static-libs");
    if !note.is_file() {
        run(cargo().args(["clean", "--quiet", "-p", "mcp-working-set-c"]))?;
    }
    let mut cargo = cargo();
    cargo.args(["rustc", "--lib"]).args(PACKAGE);
    if matches!(profile, Profile::Release) {
        cargo.arg("--release");
    }
    run(cargo.arg("--").arg("--print").arg(format!("native-static-libs={}", note.display())))?;
    let needed = fs::read_to_string(&note).map_err(|error| Failure(format!("`{}`: {error}", note.display())))?;
    // A compiler links its own run-time and C library anyway, and knows which form of them; named here they would be in
    // the way of `-static`.
    let needed = needed.split_whitespace().filter(|library| !matches!(*library, "-lc" | "-lgcc_s"));
    Ok(needed.collect::<Vec<_>>().join(" "))
}

/// Cargo's folder for what is built; Cargo is started in the folder of the checkout.
pub(super) fn target() -> PathBuf {
    root().join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

/// Copies a library; one of the debug profile without its hundreds of megabytes of debug information where that can be
/// taken off, so that programs link and start in less than a second.
fn put_library(from: &Path, to: &Path, profile: Profile) -> Result<(), Failure> {
    let stripped =
        matches!(profile, Profile::Debug) && output(command("strip").arg("-S").arg("-o").arg(to).arg(from)).is_ok();
    if stripped { Ok(()) } else { copy(from, to) }
}

fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    fs::copy(from, to).map_err(|error| Failure(format!("`{}` to `{}`: {error}", from.display(), to.display())))?;
    Ok(())
}

pub(super) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text).map_err(|error| Failure(format!("`{}` could not be written: {error}", path.display())))
}

/// Makes `link` a name of the file `name` beside it.
fn link(name: &str, link: &Path) -> Result<(), Failure> {
    if link.symlink_metadata().is_ok() {
        fs::remove_file(link).map_err(|error| Failure(format!("`{}`: {error}", link.display())))?;
    }
    #[cfg(unix)]
    let made = std::os::unix::fs::symlink(name, link);
    #[cfg(not(unix))]
    let made = fs::copy(link.with_file_name(name), link).map(|_| ());
    made.map_err(|error| Failure(format!("`{}`: {error}", link.display())))
}
