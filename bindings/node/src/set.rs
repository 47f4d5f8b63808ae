//! The working set behind a JavaScript handle.

use std::sync::Arc;

use mcp_working_set::{CallContext, LoadMode, WorkingSet, parse_load_mode};
use napi::Env;
use napi::bindgen_prelude::{FnArgs, Function, ObjectFinalize, Uint8Array, Utf16String};
use napi_derive::napi;

use crate::quick_plan::QuickPlanner;
use crate::{Failure, failure, json_text, text};

/// A set; `index.js` keeps what it is asked for.
#[napi(custom_finalize)]
pub struct NativeWorkingSet {
    set: Arc<WorkingSet>,
    /// What V8 was told that the set holds.
    bytes: i64,
}

impl ObjectFinalize for NativeWorkingSet {
    fn finalize(self, env: Env) -> napi::Result<()> {
        env.adjust_external_memory(-self.bytes).map(drop)
    }
}

impl NativeWorkingSet {
    /// A set takes about as much memory as its document, which V8 cannot see: it is told, or it would collect sets too
    /// late.
    fn build(env: Env, document: &[u8]) -> Result<Self, Failure> {
        let set = WorkingSet::from_json(document).map_err(|error| failure(&error))?;
        let bytes = i64::try_from(document.len()).unwrap_or(i64::MAX);
        env.adjust_external_memory(bytes).map_err(|error| Failure::new("internal".to_owned(), error.reason))?;
        Ok(Self { set: Arc::new(set), bytes })
    }
}

#[napi]
impl NativeWorkingSet {
    /// From one JSON document as bytes.
    #[napi(factory)]
    pub fn from_bytes(env: Env, document: Uint8Array) -> Result<Self, Failure> {
        Self::build(env, &document)
    }

    /// From one JSON document as a string.
    #[napi(factory)]
    pub fn from_text(env: Env, document: Utf16String) -> Result<Self, Failure> {
        Self::build(env, json_text(&document).as_bytes())
    }

    #[napi(getter)]
    pub fn server_count(&self) -> u32 {
        count(self.set.servers().len())
    }

    #[napi(getter)]
    pub fn tool_count(&self) -> u32 {
        count(self.set.tool_count())
    }

    #[napi]
    pub fn fingerprint(&self) -> &str {
        self.set.fingerprint()
    }

    #[napi]
    pub fn warnings(&self) -> String {
        self.set.warnings_json()
    }

    #[napi]
    pub fn schema_warnings(&self) -> String {
        self.set.schema_warnings_json()
    }

    #[napi]
    pub fn servers(&self) -> String {
        self.set.servers_json()
    }

    #[napi]
    pub fn section(&self, locale: Option<String>) -> Result<String, Failure> {
        Ok(self.set.section_json(crate::locale(locale)?))
    }

    #[napi]
    pub fn tool_definitions(&self, locale: Option<String>, mode: Option<String>) -> Result<String, Failure> {
        let mode =
            mode.map_or(Ok(LoadMode::default()), |mode| parse_load_mode(&mode)).map_err(|error| failure(&error))?;
        Ok(self.set.tool_definitions_json(crate::locale(locale)?, mode))
    }

    #[napi]
    pub fn full_tool_definitions(&self) -> String {
        self.set.full_tool_definitions_json()
    }

    #[napi]
    pub fn describe(&self, arguments_json: Utf16String, locale: Option<String>) -> Result<String, Failure> {
        Ok(self.set.describe(&json_text(&arguments_json), crate::locale(locale)?))
    }

    #[napi]
    pub fn describe_compact(&self, arguments_json: Utf16String, locale: Option<String>) -> Result<String, Failure> {
        Ok(self.set.describe_compact(&json_text(&arguments_json), crate::locale(locale)?))
    }

    #[napi]
    pub fn plan_call(&self, arguments_json: Utf16String, context_json: String) -> Result<String, Failure> {
        let context = CallContext::from_json(context_json.as_bytes()).map_err(|error| failure(&error))?;
        Ok(self.set.plan_call(&json_text(&arguments_json), &context).to_json())
    }

    /// `(argumentsJson, context) => number`: a plan as [`QuickPlanner`] says it, or −1. A function that holds the set is
    /// called in a fraction of the time that a method takes to find out whose it is.
    #[napi]
    pub fn quick_planner<'env>(&self, env: &'env Env) -> napi::Result<Function<'env, FnArgs<(Utf16String, u32)>, f64>> {
        let planner = QuickPlanner::new(Arc::clone(&self.set));
        env.create_function_from_closure("planQuickly", move |call| {
            let (arguments_json, context) = call.args::<(Utf16String, u32)>()?;
            Ok(text(&arguments_json).and_then(|json| planner.plan(&json, context)).unwrap_or(-1.0))
        })
    }

    #[napi]
    pub fn lint_rules(&self, document: String) -> Result<String, Failure> {
        self.set.lint_rules_json(document.as_bytes()).map_err(|error| failure(&error))
    }
}

fn count(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
