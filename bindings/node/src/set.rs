//! The working set behind a JavaScript handle.

use mcp_working_set::{CallContext, LoadMode, WorkingSet};
use napi::bindgen_prelude::Uint8Array;
use napi_derive::napi;

use crate::{Failure, failure};

/// A set; `index.js` keeps what it is asked for.
#[napi]
pub struct NativeWorkingSet(WorkingSet);

#[napi]
impl NativeWorkingSet {
    /// From one JSON document as bytes.
    #[napi(factory)]
    pub fn from_bytes(document: Uint8Array) -> Result<Self, Failure> {
        WorkingSet::from_json(&document).map(Self).map_err(|error| failure(&error))
    }

    /// From one JSON document as a string.
    #[napi(factory)]
    pub fn from_text(document: String) -> Result<Self, Failure> {
        WorkingSet::from_json(document.as_bytes()).map(Self).map_err(|error| failure(&error))
    }

    #[napi(getter)]
    pub fn server_count(&self) -> u32 {
        count(self.0.servers().len())
    }

    #[napi(getter)]
    pub fn tool_count(&self) -> u32 {
        count(self.0.tool_count())
    }

    #[napi]
    pub fn fingerprint(&self) -> &str {
        self.0.fingerprint()
    }

    #[napi]
    pub fn warnings(&self) -> String {
        self.0.warnings_json()
    }

    #[napi]
    pub fn servers(&self) -> String {
        self.0.servers_json()
    }

    #[napi]
    pub fn section(&self, locale: Option<String>) -> Result<String, Failure> {
        Ok(self.0.section_json(crate::locale(locale)?))
    }

    #[napi]
    pub fn tool_definitions(&self, locale: Option<String>) -> Result<String, Failure> {
        Ok(self.0.tool_definitions_json(crate::locale(locale)?, LoadMode::WorkingSet))
    }

    #[napi]
    pub fn full_tool_definitions(&self) -> String {
        self.0.full_tool_definitions_json()
    }

    #[napi]
    pub fn describe(&self, arguments_json: String, locale: Option<String>) -> Result<String, Failure> {
        Ok(self.0.describe(&arguments_json, crate::locale(locale)?))
    }

    #[napi]
    pub fn plan_call(&self, arguments_json: String, context_json: String) -> Result<String, Failure> {
        let context = CallContext::from_json(context_json.as_bytes()).map_err(|error| failure(&error))?;
        Ok(self.0.plan_call(&arguments_json, &context).to_json())
    }
}

fn count(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
