//! The version in the name under which programs look for the shared library when they start.
//!
//! Shared by `build.rs`, which tells the linker, and by `cargo xtask install-c`, which makes files of that name.

/// The part of the version that changes when programs have to be built again: the major one, and the minor one too while
/// the major one is 0.
pub(crate) fn abi_version(major: &str, minor: &str) -> String {
    match major {
        "0" => format!("0.{minor}"),
        major => major.to_owned(),
    }
}
