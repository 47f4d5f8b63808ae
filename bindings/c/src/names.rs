//! Full tool names: `mcp__{server}__{tool}`.

use std::mem::MaybeUninit;

use mcp_working_set::{effective_tool_name, full_tool_name, parse_full_tool_name, restore_full_tool_name};

use crate::error::mws_error;
use crate::ffi::{Bytes, answer, write_optional};
use crate::status::mws_status;
use crate::text::{mws_str, mws_string};

/// The full name of the tool that a call of mcp_call means, from its arguments alone; no set is needed.
///
/// Writes the name to `out`, or nothing when the text is no call. Free it with mws_string_free(). Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn mws_restore_full_tool_name(
    arguments_json: Bytes<'_>,
    arguments_json_len: usize,
    out: Option<&mut MaybeUninit<mws_string>>,
    error: Option<&mut MaybeUninit<Option<Box<mws_error>>>>,
) -> mws_status {
    answer(out, error, || Ok(restore_full_tool_name(arguments_json.text(arguments_json_len, "arguments_json")?).into()))
}

/// The name that approval is about: for mcp_call the restored full name or nothing, for every other tool its own name,
/// unchanged.
///
/// Writes it to `out`. Free it with mws_string_free(). Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn mws_effective_tool_name(
    tool_name: Bytes<'_>,
    tool_name_len: usize,
    arguments_json: Bytes<'_>,
    arguments_json_len: usize,
    out: Option<&mut MaybeUninit<mws_string>>,
    error: Option<&mut MaybeUninit<Option<Box<mws_error>>>>,
) -> mws_status {
    answer(out, error, || {
        let tool_name = tool_name.text(tool_name_len, "tool_name")?;
        let arguments_json = arguments_json.text(arguments_json_len, "arguments_json")?;
        Ok(effective_tool_name(tool_name, arguments_json).map(|name| name.into_owned()).into())
    })
}

/// Builds `mcp__{server}__{tool}`.
///
/// Writes it to `out`. Free it with mws_string_free(). Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn mws_full_tool_name(
    server: Bytes<'_>,
    server_len: usize,
    tool: Bytes<'_>,
    tool_len: usize,
    out: Option<&mut MaybeUninit<mws_string>>,
    error: Option<&mut MaybeUninit<Option<Box<mws_error>>>>,
) -> mws_status {
    answer(out, error, || Ok(full_tool_name(server.text(server_len, "server")?, tool.text(tool_len, "tool")?).into()))
}

/// Takes a full name apart at the first `__` after the prefix, as the desktop does.
///
/// Writes the server to `server` and, where that is not NULL, the tool to `tool`; nothing to both when `name` is no
/// full name. Both lie inside `name` and live as long as that does. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn mws_parse_full_tool_name(
    name: Bytes<'_>,
    name_len: usize,
    server: Option<&mut MaybeUninit<mws_str>>,
    tool: Option<&mut MaybeUninit<mws_str>>,
    error: Option<&mut MaybeUninit<Option<Box<mws_error>>>>,
) -> mws_status {
    let mut tool_part = mws_str::default();
    let status = answer(server, error, || {
        let parts = parse_full_tool_name(name.text(name_len, "name")?);
        tool_part = parts.map(|(_, tool)| tool).into();
        Ok(parts.map(|(server, _)| server).into())
    });
    write_optional(tool, tool_part);
    status
}
