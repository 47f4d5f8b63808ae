//! The preview of a call whose arguments stream in.

use mcp_working_set::CallPreview;
use napi_derive::napi;

use crate::Failure;

/// See `CallPreview` in `index.d.ts`.
#[napi(js_name = "CallPreview")]
pub struct NativeCallPreview(CallPreview);

#[napi]
impl NativeCallPreview {
    #[napi(constructor)]
    pub fn new(tool_name: String) -> Self {
        Self(CallPreview::new(&tool_name))
    }

    /// Takes the next piece, as UTF-16: a JavaScript string may end inside a surrogate pair.
    #[napi]
    pub fn push(&mut self, piece: napi::bindgen_prelude::Utf16String) {
        self.0.push_utf16(&piece);
    }

    #[napi]
    pub fn preview(&self, locale: Option<String>) -> Result<String, Failure> {
        Ok(self.0.preview(crate::locale(locale)?))
    }

    #[napi]
    pub fn summary(&self, locale: Option<String>) -> Result<Option<String>, Failure> {
        Ok(self.0.summary(crate::locale(locale)?))
    }

    #[napi(getter)]
    pub fn server(&self) -> Option<&str> {
        self.0.server()
    }

    #[napi(getter)]
    pub fn tool(&self) -> Option<&str> {
        self.0.tool()
    }
}
