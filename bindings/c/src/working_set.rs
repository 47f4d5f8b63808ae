//! The servers and tools of one session.

use std::mem::MaybeUninit;

use mcp_working_set::WorkingSet;

use crate::context::mws_call_context;
use crate::error::mws_error;
use crate::ffi::{Bytes, answer, choice, given, look_up};
use crate::load_mode::mws_load_mode;
use crate::locale::{locale as read_locale, mws_locale};
use crate::plan::mws_plan;
use crate::status::mws_status;
use crate::text::{mws_str, mws_string};

/// The servers and tools of one session; the same for every order of the input. Immutable: any number of threads may
/// read one at once. It takes about as much memory as its document; that of the section, of fingerprints and of compiled
/// schemas is added when they are first asked for.
pub struct mws_working_set(WorkingSet);

/// A section of the system prompt. All texts are borrowed from the set.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct mws_section {
    /// MWS_SECTION_KEY.
    key: mws_str,
    /// MWS_SECTION_LABEL.
    label: mws_str,
    /// The text, ending with one line break; nothing when the set is empty.
    text: mws_str,
    /// The host's estimate for the text; see mws_estimate_tokens().
    tokens: usize,
}

/// Builds a set from one JSON document of at most 4 GiB:
///
///     {"servers": [{"id"?, "name", "description"?}],
///      "tools": [{"serverId"?, "serverName"?, "toolName", "description"?, "inputSchema"?, "annotations"?}],
///      "connectionErrors"?: [{"serverId"?, "serverName"?, "reason"?, "kind"?: "failed" | "cancelled" | "not_reported"}]}
///
/// Ids are integers within ±(2^53 - 1). Other keys are ignored. The document may be freed at once.
/// Writes the set to `out`. Free it with mws_working_set_free(). MWS_STATUS_INVALID_JSON,
/// MWS_STATUS_INVALID_DOCUMENT or MWS_STATUS_INVALID_UTF8 with the place, MWS_STATUS_TOO_LARGE. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn mws_working_set_from_json(
    document_json: Bytes<'_>,
    document_json_len: usize,
    out: Option<&mut MaybeUninit<Option<Box<mws_working_set>>>>,
    error: Option<&mut MaybeUninit<Option<Box<mws_error>>>>,
) -> mws_status {
    answer(out, error, || {
        let set = WorkingSet::from_json(document_json.bytes(document_json_len, "document_json")?)?;
        Ok(Some(Box::new(mws_working_set(set))))
    })
}

/// Frees a set, from any thread, once no other reads it. NULL is ignored. Texts borrowed from it are gone with it; plans
/// stay as they are.
#[unsafe(no_mangle)]
pub extern "C" fn mws_working_set_free(set: Option<Box<mws_working_set>>) {
    drop(set);
}

/// True when there is neither a server nor a connection error: then there is no section and no tool is defined. True
/// for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mws_working_set_is_empty(set: Option<&mws_working_set>) -> bool {
    set.is_none_or(|set| set.0.is_empty())
}

/// How many servers are listed, unavailable ones among them; 0 for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mws_working_set_server_count(set: Option<&mws_working_set>) -> usize {
    look_up(set, |set| set.0.servers().len())
}

/// How many tools all servers have together; 0 for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mws_working_set_tool_count(set: Option<&mws_working_set>) -> usize {
    look_up(set, |set| set.0.tool_count())
}

/// SHA-256, in hex, of what the model sees and what decides; equal across processes, languages and input orders.
/// Computed once and kept. Borrowed from the set; nothing for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mws_working_set_fingerprint(set: Option<&mws_working_set>) -> mws_str {
    look_up(set, |set| set.0.fingerprint().into())
}

/// What a person should know about the input: an array of `{"code", "server"?, "tool"?, "message"}`.
///
/// Writes it to `out`. Free it with mws_string_free(). Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn mws_working_set_warnings(
    set: Option<&mws_working_set>,
    out: Option<&mut MaybeUninit<mws_string>>,
    error: Option<&mut MaybeUninit<Option<Box<mws_error>>>>,
) -> mws_status {
    answer(out, error, || Ok(given(set, "set")?.0.warnings_json().into()))
}

/// Tools whose arguments cannot be checked against their schema, and why: an array of `{"code": "schema_not_checked",
/// "server", "tool", "message"}`. They can be called all the same; this is for telling somebody once. Compiles every
/// schema of the set, which takes some hundred microseconds each, and keeps none.
///
/// Writes it to `out`. Free it with mws_string_free(). Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn mws_working_set_schema_warnings(
    set: Option<&mws_working_set>,
    out: Option<&mut MaybeUninit<mws_string>>,
    error: Option<&mut MaybeUninit<Option<Box<mws_error>>>>,
) -> mws_status {
    answer(out, error, || Ok(given(set, "set")?.0.schema_warnings_json().into()))
}

/// The servers by name, then id, each with its tools by name: an array of `{"id", "name", "address", "description",
/// "available", "kind", "reason", "tools": [{"name", "description", "readOnly", "hint", "fullToolName", "routable",
/// "fingerprint"}]}`.
///
/// Writes it to `out`. Free it with mws_string_free(). Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn mws_working_set_servers(
    set: Option<&mws_working_set>,
    out: Option<&mut MaybeUninit<mws_string>>,
    error: Option<&mut MaybeUninit<Option<Box<mws_error>>>>,
) -> mws_status {
    answer(out, error, || Ok(given(set, "set")?.0.servers_json().into()))
}

/// The section for the system prompt. Rendered once per locale and kept.
///
/// Writes it to `out`; its texts are borrowed from the set, and all of it is nothing when the set is empty.
/// MWS_STATUS_INVALID_LOCALE. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn mws_working_set_section(
    set: Option<&mws_working_set>,
    locale: MaybeUninit<mws_locale>,
    out: Option<&mut MaybeUninit<mws_section>>,
    error: Option<&mut MaybeUninit<Option<Box<mws_error>>>>,
) -> mws_status {
    answer(out, error, || {
        let section = given(set, "set")?.0.section(read_locale(locale)?);
        Ok(section.map_or_else(mws_section::default, |section| mws_section {
            key: section.key.into(),
            label: section.label.into(),
            text: section.text.as_str().into(),
            tokens: section.tokens,
        }))
    })
}

/// The definitions of mcp_call and mcp_describe, in that order: an array of `{"name", "description", "inputSchema"}`,
/// empty when the set is empty or the mode is MWS_LOAD_MODE_FULL.
///
/// Writes it to `out`. Free it with mws_string_free(). MWS_STATUS_INVALID_LOCALE, MWS_STATUS_INVALID_LOAD_MODE. Any
/// thread.
#[unsafe(no_mangle)]
pub extern "C" fn mws_working_set_tool_definitions(
    set: Option<&mws_working_set>,
    locale: MaybeUninit<mws_locale>,
    mode: MaybeUninit<mws_load_mode>,
    out: Option<&mut MaybeUninit<mws_string>>,
    error: Option<&mut MaybeUninit<Option<Box<mws_error>>>>,
) -> mws_status {
    answer(out, error, || {
        let set = &given(set, "set")?.0;
        Ok(set.tool_definitions_json(read_locale(locale)?, choice(mode)?.into()).into())
    })
}

/// What MWS_LOAD_MODE_FULL injects: every tool under its full name, with its schema as providers accept it, in the form
/// of mws_working_set_tool_definitions().
///
/// Writes it to `out`. Free it with mws_string_free(). Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn mws_working_set_full_tool_definitions(
    set: Option<&mws_working_set>,
    out: Option<&mut MaybeUninit<mws_string>>,
    error: Option<&mut MaybeUninit<Option<Box<mws_error>>>>,
) -> mws_status {
    answer(out, error, || Ok(given(set, "set")?.0.full_tool_definitions_json().into()))
}

/// The result of a call of mcp_describe: `{"server", "tool", "description", "inputSchema"}` with the schema exactly as
/// the session has it, or what a refused call gets.
///
/// Writes it to `out`. Free it with mws_string_free(). MWS_STATUS_INVALID_LOCALE; whatever is wrong with the text of
/// the call is told in the result. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn mws_working_set_describe(
    set: Option<&mws_working_set>,
    arguments_json: Bytes<'_>,
    arguments_json_len: usize,
    locale: MaybeUninit<mws_locale>,
    out: Option<&mut MaybeUninit<mws_string>>,
    error: Option<&mut MaybeUninit<Option<Box<mws_error>>>>,
) -> mws_status {
    answer(out, error, || {
        let set = &given(set, "set")?.0;
        let arguments_json = arguments_json.text(arguments_json_len, "arguments_json")?;
        Ok(set.describe(arguments_json, read_locale(locale)?).into())
    })
}

/// Like mws_working_set_describe(), with the schema as a text of about 200 tokens at most, for hosts that must save:
/// `{"server", "tool", "description", "schema"}`.
///
/// Writes it to `out`. Free it with mws_string_free(). MWS_STATUS_INVALID_LOCALE. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn mws_working_set_describe_compact(
    set: Option<&mws_working_set>,
    arguments_json: Bytes<'_>,
    arguments_json_len: usize,
    locale: MaybeUninit<mws_locale>,
    out: Option<&mut MaybeUninit<mws_string>>,
    error: Option<&mut MaybeUninit<Option<Box<mws_error>>>>,
) -> mws_status {
    answer(out, error, || {
        let set = &given(set, "set")?.0;
        let arguments_json = arguments_json.text(arguments_json_len, "arguments_json")?;
        Ok(set.describe_compact(arguments_json, read_locale(locale)?).into())
    })
}

/// Plans a call of mcp_call from its arguments as the model wrote them. Runs nothing.
///
/// Writes the plan to `out`. Free it with mws_plan_free(). Whatever is wrong with the call is part of the plan; a text
/// that is not UTF-8 is the host's mistake, MWS_STATUS_INVALID_UTF8. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn mws_working_set_plan_call(
    set: Option<&mws_working_set>,
    arguments_json: Bytes<'_>,
    arguments_json_len: usize,
    context: Option<&mws_call_context>,
    out: Option<&mut MaybeUninit<Option<Box<mws_plan>>>>,
    error: Option<&mut MaybeUninit<Option<Box<mws_error>>>>,
) -> mws_status {
    answer(out, error, || {
        let (set, context) = (given(set, "set")?, given(context, "context")?);
        let arguments_json = arguments_json.text(arguments_json_len, "arguments_json")?;
        Ok(Some(Box::new(set.0.plan_call(arguments_json, &context.0).into())))
    })
}

/// Plans a call like mws_working_set_plan_call(), as JSON, for hosts that hand the plan on: `{"kind": "execute", "route",
/// "server", "tool", "serverId", "toolName", "fullToolName", "argumentsJson", "checked", "unchecked"?, "decision",
/// "repairs"}` or `{"kind": "refuse", "code", "resultJson", "fullToolName", "decision"}`.
///
/// Writes it to `out`. Free it with mws_string_free(). Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn mws_working_set_plan_call_json(
    set: Option<&mws_working_set>,
    arguments_json: Bytes<'_>,
    arguments_json_len: usize,
    context: Option<&mws_call_context>,
    out: Option<&mut MaybeUninit<mws_string>>,
    error: Option<&mut MaybeUninit<Option<Box<mws_error>>>>,
) -> mws_status {
    answer(out, error, || {
        let (set, context) = (given(set, "set")?, given(context, "context")?);
        let arguments_json = arguments_json.text(arguments_json_len, "arguments_json")?;
        Ok(set.0.plan_call(arguments_json, &context.0).to_json().into())
    })
}

/// Which stored rules cannot cover a call in this set, and what they were probably meant for: `{"rules", "denyTokens"?,
/// "locale"?}`.
///
/// Writes an array of `{"ruleId", "ruleValue", "code", "nearest", "message"}` to `out`. Free it with
/// mws_string_free(). MWS_STATUS_INVALID_JSON, MWS_STATUS_INVALID_DOCUMENT or MWS_STATUS_INVALID_UTF8 with the place,
/// MWS_STATUS_INVALID_LOCALE. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn mws_working_set_lint_rules(
    set: Option<&mws_working_set>,
    document_json: Bytes<'_>,
    document_json_len: usize,
    out: Option<&mut MaybeUninit<mws_string>>,
    error: Option<&mut MaybeUninit<Option<Box<mws_error>>>>,
) -> mws_status {
    answer(out, error, || {
        let set = &given(set, "set")?.0;
        Ok(set.lint_rules_json(document_json.bytes(document_json_len, "document_json")?)?.into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::approval::mws_decision;

    #[test]
    fn what_threads_may_share_can_be_shared() {
        fn shared<T: Send + Sync>() {}
        shared::<mws_working_set>();
        shared::<mws_call_context>();
        shared::<mws_plan>();
        shared::<mws_decision>();
        shared::<mws_error>();
    }
}
