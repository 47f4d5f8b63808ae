//! Tells the linker under which name programs look for the shared library when they start.
//!
//! Without it a program remembers the path it was linked with.

#[path = "soname.rs"]
mod soname;

use std::env::var;

fn main() {
    let part = |name: &str| var(format!("CARGO_PKG_VERSION_{name}")).unwrap_or_default();
    let version = soname::abi_version(&part("MAJOR"), &part("MINOR"));
    let of_target = |name: &str| var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    match (of_target("FAMILY").as_str(), of_target("VENDOR").as_str()) {
        ("unix", "apple") => {
            println!("cargo::rustc-link-arg-cdylib=-Wl,-install_name,@rpath/libmcp_working_set.{version}.dylib");
        }
        ("unix", _) => println!("cargo::rustc-link-arg-cdylib=-Wl,-soname,libmcp_working_set.so.{version}"),
        // Windows looks a library up by the name of its file.
        _ => {}
    }
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=soname.rs");
}
