//! JSON Schemas of tools.

use std::mem::MaybeUninit;

use mcp_working_set::{estimate_tokens, normalize_input_schema, validate_arguments};

use crate::error::mws_error;
use crate::ffi::{Bytes, answer, write_optional};
use crate::status::mws_status;
use crate::text::mws_string;

/// What checking arguments came to.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum mws_check {
    /// They could not be checked: the schema cannot be used, or this build checks nothing. That blocks no call.
    #[default]
    NotChecked = 0,
    /// They satisfy the schema.
    Satisfied = 1,
    /// They break it.
    Violated = 2,
}

/// Rewrites a tool's `inputSchema` to what model providers accept: an object type with `properties`, no null types.
///
/// Every text gives a schema, be it no JSON at all. Writes its JSON to `out`. Free it with mws_string_free(). Any
/// thread.
#[unsafe(no_mangle)]
pub extern "C" fn mws_normalize_input_schema(
    schema_json: Bytes<'_>,
    schema_json_len: usize,
    out: Option<&mut MaybeUninit<mws_string>>,
    error: Option<&mut MaybeUninit<Option<Box<mws_error>>>>,
) -> mws_status {
    answer(out, error, || Ok(normalize_input_schema(schema_json.text(schema_json_len, "schema_json")?).into()))
}

/// Checks the arguments of a tool against its schema. For a tool of a set mws_working_set_plan_call() does this itself,
/// and keeps the compiled schema.
///
/// Writes `{"checked", "unchecked"?, "violations": [{"path", "message", "expected", "got", "suggestion"?}]}` to `out`,
/// and where it is not NULL the answer in one word to `check`. Free the text with mws_string_free(). Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn mws_validate_arguments(
    schema_json: Bytes<'_>,
    schema_json_len: usize,
    arguments_json: Bytes<'_>,
    arguments_json_len: usize,
    out: Option<&mut MaybeUninit<mws_string>>,
    check: Option<&mut MaybeUninit<mws_check>>,
    error: Option<&mut MaybeUninit<Option<Box<mws_error>>>>,
) -> mws_status {
    let mut word = mws_check::default();
    let status = answer(out, error, || {
        let schema_json = schema_json.text(schema_json_len, "schema_json")?;
        let result = validate_arguments(schema_json, arguments_json.text(arguments_json_len, "arguments_json")?);
        word = match (result.checked, result.violations.is_empty()) {
            (false, _) => mws_check::NotChecked,
            (true, true) => mws_check::Satisfied,
            (true, false) => mws_check::Violated,
        };
        Ok(result.to_json().into())
    });
    write_optional(check, word);
    status
}

/// The host's estimate of the tokens of a text: a quarter of its bytes, rounded up.
///
/// Writes it to `out`. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn mws_estimate_tokens(
    text: Bytes<'_>,
    text_len: usize,
    out: Option<&mut MaybeUninit<usize>>,
    error: Option<&mut MaybeUninit<Option<Box<mws_error>>>>,
) -> mws_status {
    answer(out, error, || Ok(estimate_tokens(text.text(text_len, "text")?)))
}
