//! Texts that go out: lent by a handle, or given away.

use std::ffi::c_char;
use std::ptr;

pub use crate::ffi::mws_string;

/// A text that belongs to a handle, or to the library for ever.
///
/// UTF-8, `len` bytes from `data` on; no NUL byte follows: print it with `"%.*s", (int)text.len, text.data`. `data` is
/// NULL when there is no text, which is not the same as an empty one. It stays as it is until its owner is freed.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct mws_str {
    /// The first byte, or NULL.
    data: *const c_char,
    /// How many bytes.
    len: usize,
}

impl Default for mws_str {
    fn default() -> Self {
        Self { data: ptr::null(), len: 0 }
    }
}

impl From<&str> for mws_str {
    fn from(text: &str) -> Self {
        Self { data: text.as_ptr().cast(), len: text.len() }
    }
}

impl From<Option<&str>> for mws_str {
    fn from(text: Option<&str>) -> Self {
        text.map(Self::from).unwrap_or_default()
    }
}

/// Frees a text and sets its fields to NULL and 0, so that freeing it again does nothing. NULL is ignored, and so is a
/// text without data.
#[unsafe(no_mangle)]
pub extern "C" fn mws_string_free(text: Option<&mut mws_string>) {
    if let Some(text) = text {
        text.take_back();
    }
}
