//! The Node binding of `mcp-working-set`: it translates and decides nothing.
//!
//! JavaScript hands over strings, bytes and small numbers; what comes back is a string (JSON where it is structured),
//! because a JavaScript object made here costs more than one that JavaScript makes itself. `node/index.js` turns both
//! into the documented API.

#![allow(missing_docs, reason = "the documented API is node/index.d.ts")]

mod preview;
mod quick_plan;
mod set;

use std::borrow::Cow;

use encoding_rs::mem::{convert_utf16_to_str_partial, utf16_valid_up_to};
use mcp_working_set::{
    ApprovalRequest, CardOptions, Error, ExpectedServer, LoadMode, Locale, call_preview,
    cloud_connect_result_from_json, decide_approval, effective_tool_name, estimate_tokens, full_tool_name,
    normalize_input_schema, parse_full_tool_name, parse_load_mode, parse_local_report, resolve_load_mode,
    restore_full_tool_name, summarize, tool_display_name, tool_input_preview, validate_arguments,
};
use napi::bindgen_prelude::{Either, Uint8Array, Utf16String};
use napi_derive::napi;

/// A failure as JavaScript gets it: the code, and a message that is JSON for `index.js` to unpack.
type Failure = napi::Error<String>;

fn failure(error: &Error) -> Failure {
    let place = error
        .place()
        .map(|place| serde_json::json!({ "path": place.path, "line": place.line, "column": place.column }));
    let message = serde_json::json!({ "message": error.to_string(), "place": place });
    napi::Error::new(error.code().as_str().to_owned(), message.to_string())
}

fn locale(text: Option<String>) -> Result<Locale, Failure> {
    text.map_or(Ok(Locale::default()), |text| Locale::parse(&text).map_err(|error| failure(&error)))
}

/// The text of a JavaScript string; nothing where it holds half a surrogate pair.
///
/// V8 copies a string that it is asked for in UTF-16. Asked for UTF-8 it goes through it twice and unit by unit, which for
/// a document with a character beyond Latin-1 takes longer than building the set.
fn text(string: &[u16]) -> Option<String> {
    // Most texts hold no pair either, which is seen many units at a time.
    let is_paired = |piece: &[u16]| piece.iter().fold(false, |found, unit| found | (unit & 0xF800 == 0xD800));
    if string.chunks(128).any(is_paired) && utf16_valid_up_to(string) < string.len() {
        return None;
    }
    // First with room for ASCII, which most texts are; what is left, with room for anything.
    let mut text = "\0".repeat(string.len());
    let (read, written) = convert_utf16_to_str_partial(string, &mut text);
    text.truncate(written);
    let rest = string.get(read..)?;
    if !rest.is_empty() {
        text.push_str(&"\0".repeat(3 * rest.len()));
        let (read, more) = convert_utf16_to_str_partial(rest, text.get_mut(written..)?);
        debug_assert_eq!(read, rest.len());
        text.truncate(written + more);
    }
    Some(text)
}

/// The JSON text of a JavaScript string. Half a surrogate pair has no bytes, so it is written as `JSON.stringify` does.
fn json_text(string: &[u16]) -> String {
    if let Some(text) = text(string) {
        return text;
    }
    let mut json = String::with_capacity(string.len());
    let mut escaped = false;
    for unit in char::decode_utf16(string.iter().copied()) {
        match unit {
            Ok(char) => {
                json.push(char);
                escaped = char == '\\' && !escaped;
            }
            // After a backslash it is no JSON; written out it would become some.
            Err(_) if escaped => {
                json.push(char::REPLACEMENT_CHARACTER);
                escaped = false;
            }
            Err(half) => json.push_str(&format!("\\u{:x}", half.unpaired_surrogate())),
        }
    }
    json
}

/// See `restoreFullToolName` in `index.d.ts`, likewise for the functions below.
#[napi(js_name = "restoreFullToolName")]
pub fn restore_name(arguments_json: Utf16String) -> Option<String> {
    restore_full_tool_name(&json_text(&arguments_json))
}

#[napi(js_name = "effectiveToolName")]
pub fn effective_name(tool_name: String, arguments_json: Utf16String) -> Option<String> {
    effective_tool_name(&tool_name, &json_text(&arguments_json)).map(|name| name.into_owned())
}

#[napi(js_name = "fullToolName")]
pub fn full_name(server: String, tool: String) -> String {
    full_tool_name(&server, &tool)
}

/// Server and tool, or nothing.
#[napi(js_name = "parseFullToolName")]
pub fn parse_full_name(name: String) -> Option<Vec<String>> {
    parse_full_tool_name(&name).map(|(server, tool)| vec![server.to_owned(), tool.to_owned()])
}

#[napi(js_name = "estimateTokens")]
pub fn estimate(text: String) -> u32 {
    u32::try_from(estimate_tokens(&text)).unwrap_or(u32::MAX)
}

#[napi(js_name = "decideApproval")]
pub fn decide(request_json: String) -> Result<String, Failure> {
    let request = ApprovalRequest::from_json(request_json.as_bytes()).map_err(|error| failure(&error))?;
    Ok(decide_approval(&request).to_json())
}

#[napi(js_name = "summarize")]
pub fn summary(
    tool_name: Option<String>,
    arguments_json: Option<String>,
    result: Option<String>,
    locale: Option<String>,
) -> Result<Option<String>, Failure> {
    let locale = crate::locale(locale)?;
    Ok(summarize(tool_name.as_deref(), arguments_json.as_deref(), result.as_deref(), locale))
}

#[napi(js_name = "toolDisplayName")]
pub fn display_name(name: String, locale: Option<String>) -> Result<Option<String>, Failure> {
    Ok(tool_display_name(&name, crate::locale(locale)?))
}

#[napi(js_name = "toolInputPreview")]
pub fn input_preview(name: String, input: Option<String>, locale: Option<String>) -> Result<String, Failure> {
    Ok(tool_input_preview(&name, input.as_deref(), crate::locale(locale)?))
}

#[napi(js_name = "matchRules")]
pub fn match_rules(document: String) -> Result<String, Failure> {
    mcp_working_set::match_rules_json(document.as_bytes()).map_err(|error| failure(&error))
}

/// The card of a call as JSON; the options are those of `callPreview` in `index.d.ts`.
#[napi(js_name = "callPreview")]
pub fn card(
    arguments_json: Utf16String,
    tool_name: Option<String>,
    max_lines: Option<u32>,
    max_width: Option<u32>,
    locale: Option<String>,
) -> Result<String, Failure> {
    let default = CardOptions::default();
    let options = CardOptions {
        tool_name: tool_name.as_deref().unwrap_or(default.tool_name),
        max_lines: max_lines.map_or(default.max_lines, |lines| lines as usize),
        max_width: max_width.map_or(default.max_width, |width| width as usize),
        locale: crate::locale(locale)?,
    };
    Ok(call_preview(&json_text(&arguments_json), &options).to_json())
}

#[napi(js_name = "resolveLoadMode")]
pub fn resolve_mode(user: Option<String>, global: Option<String>) -> String {
    resolve_load_mode(user.as_deref(), global.as_deref()).to_json()
}

#[napi(js_name = "parseLoadMode")]
pub fn parse_mode(value: String) -> Result<&'static str, Failure> {
    parse_load_mode(&value).map(LoadMode::as_str).map_err(|error| failure(&error))
}

#[napi(js_name = "parseLocalReport")]
pub fn local_report(report: Either<Uint8Array, Utf16String>, expected_servers: String) -> Result<String, Failure> {
    let expected = ExpectedServer::list_from_json(expected_servers.as_bytes()).map_err(|error| failure(&error))?;
    let report = match &report {
        Either::A(bytes) => Cow::Borrowed(&**bytes),
        Either::B(text) => Cow::Owned(json_text(text).into_bytes()),
    };
    parse_local_report(&report, &expected).map(|report| report.to_json()).map_err(|error| failure(&error))
}

#[napi(js_name = "cloudConnectResult")]
pub fn cloud_result(document: String) -> Result<String, Failure> {
    let result = cloud_connect_result_from_json(document.as_bytes()).map_err(|error| failure(&error))?;
    Ok(result.to_json())
}

#[napi(js_name = "normalizeInputSchema")]
pub fn normalize_schema(schema: String) -> String {
    normalize_input_schema(&schema)
}

#[napi(js_name = "validateArguments")]
pub fn check_arguments(schema: String, arguments: Utf16String) -> String {
    validate_arguments(&schema, &json_text(&arguments)).to_json()
}

#[napi]
pub const SECTION_KEY: &str = mcp_working_set::SECTION_KEY;
#[napi]
pub const SECTION_LABEL: &str = mcp_working_set::SECTION_LABEL;
#[napi]
pub const MCP_CALL: &str = mcp_working_set::MCP_CALL;
#[napi]
pub const MCP_DESCRIBE: &str = mcp_working_set::MCP_DESCRIBE;
