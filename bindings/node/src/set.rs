//! The working set behind a JavaScript handle.

use mcp_working_set::{CallContext, ExecutionMode, LoadMode, Locale, PermissionLevel, WorkingSet, parse_load_mode};
use napi::Env;
use napi::bindgen_prelude::{ObjectFinalize, Uint8Array};
use napi_derive::napi;

use crate::{Failure, failure};

/// A set; `index.js` keeps what it is asked for.
#[napi(custom_finalize)]
pub struct NativeWorkingSet {
    set: WorkingSet,
    /// For each server, how many tools stand before its own.
    first_tools: Vec<usize>,
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
        let first_tools = set
            .servers()
            .iter()
            .scan(0, |before, server| Some(std::mem::replace(before, *before + server.tools().len())))
            .collect();
        Ok(Self { set, first_tools, bytes })
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
    pub fn from_text(env: Env, document: String) -> Result<Self, Failure> {
        Self::build(env, document.as_bytes())
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
    pub fn describe(&self, arguments_json: String, locale: Option<String>) -> Result<String, Failure> {
        Ok(self.set.describe(&arguments_json, crate::locale(locale)?))
    }

    #[napi]
    pub fn describe_compact(&self, arguments_json: String, locale: Option<String>) -> Result<String, Failure> {
        Ok(self.set.describe_compact(&arguments_json, crate::locale(locale)?))
    }

    #[napi]
    pub fn plan_call(&self, arguments_json: String, context_json: String) -> Result<String, Failure> {
        let context = CallContext::from_json(context_json.as_bytes()).map_err(|error| failure(&error))?;
        Ok(self.set.plan_call(&arguments_json, &context).to_json())
    }

    /// The plan of a call in a context of these few things, as one number that `index.js` takes apart: which tool, and
    /// where in the text its arguments stand. −1 where there is more to say; then `planCall` says it. For the most
    /// frequent case this saves making, passing and parsing a text that is mostly the same each time.
    #[napi]
    pub fn plan_quickly(&self, arguments_json: String, context: u32) -> f64 {
        self.quick_plan(&arguments_json, context).unwrap_or(-1.0)
    }

    #[napi]
    pub fn lint_rules(&self, document: String) -> Result<String, Failure> {
        self.set.lint_rules_json(document.as_bytes()).map_err(|error| failure(&error))
    }
}

/// Bits for the start and the end of the arguments in the number of a quick plan; 16 are left for the tool.
const OFFSET_BITS: u32 = 18;

impl NativeWorkingSet {
    fn quick_plan(&self, arguments_json: &str, bits: u32) -> Option<f64> {
        let mut context = CallContext::new(if bits & 1 == 0 { ExecutionMode::Local } else { ExecutionMode::Cloud });
        context.permission_level = match bits >> 1 & 7 {
            0 => PermissionLevel::ReadOnly,
            1 => PermissionLevel::ReadWrite,
            2 => PermissionLevel::Smart,
            3 => PermissionLevel::Proxy,
            4 => PermissionLevel::Full,
            _ => return None,
        };
        context.locale = if bits >> 4 & 1 == 0 { Locale::ZhCn } else { Locale::En };
        context.validate = bits >> 5 & 1 == 1;
        let call = self.set.understand_call(arguments_json, &context).ok()?;
        if !call.repairs.is_empty() || call.unchecked.is_some() {
            return None;
        }
        let (server, tool) = call.position;
        let ordinal = self.first_tools.get(server)? + tool;
        let (start, end) = match call.arguments_range(arguments_json) {
            Some(range) => {
                let before = arguments_json.get(..range.start)?;
                let start = utf16_length(before);
                (start, start + utf16_length(&call.arguments_json))
            }
            // No arguments were given.
            None if call.arguments_json == "{}" => (0, 0),
            None => return None,
        };
        let number =
            |value: usize, bits: u32| u32::try_from(value).ok().filter(|value| *value < 1 << bits).map(f64::from);
        let shift = f64::from(1_u32 << OFFSET_BITS);
        Some((number(ordinal, 16)? * shift + number(start, OFFSET_BITS)?) * shift + number(end, OFFSET_BITS)?)
    }
}

fn utf16_length(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.encode_utf16().count() }
}

fn count(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
