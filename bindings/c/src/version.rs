//! Which version of the library a program runs with.

use crate::text::mws_str;

/// The version of the library the program runs with, such as `0.1.0`. It was built against MWS_VERSION. Never freed.
/// Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn mws_version() -> mws_str {
    env!("CARGO_PKG_VERSION").into()
}
