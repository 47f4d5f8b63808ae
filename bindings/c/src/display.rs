//! What a person sees of a call.

use std::mem::MaybeUninit;

use mcp_working_set::{
    CallCard, CallPreview, CardOptions, Locale, call_preview, summarize, tool_display_name, tool_input_preview,
};

use crate::error::mws_error;
use crate::ffi::{Bytes, answer, given, look_up};
use crate::locale::{locale as read_locale, mws_locale};
use crate::status::mws_status;
use crate::text::{mws_str, mws_string};

/// One line for a log or a history: which tool, and how it went.
///
/// `tool_name` is NULL when it is not known. `arguments_json` is whole, or cut off anywhere while it streams in; NULL
/// for none. `result` is NULL while there is none; an object whose `error` is not null is an error.
/// Writes the line to `out`, or nothing for tools that are not MCP tools. Free it with mws_string_free(). Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn mws_summarize(
    tool_name: Bytes<'_>,
    tool_name_len: usize,
    arguments_json: Bytes<'_>,
    arguments_json_len: usize,
    result: Bytes<'_>,
    result_len: usize,
    locale: MaybeUninit<mws_locale>,
    out: Option<&mut MaybeUninit<mws_string>>,
    error: Option<&mut MaybeUninit<Option<Box<mws_error>>>>,
) -> mws_status {
    answer(out, error, || {
        let tool_name = tool_name.optional_text(tool_name_len, "tool_name")?;
        let arguments_json = arguments_json.optional_text_so_far(arguments_json_len, "arguments_json")?;
        let result = result.optional_text(result_len, "result")?;
        Ok(summarize(tool_name, arguments_json, result, read_locale(locale)?).into())
    })
}

/// The name on a tool card.
///
/// Writes it to `out`, or nothing for tools that are not MCP tools. Free it with mws_string_free(). Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn mws_tool_display_name(
    tool_name: Bytes<'_>,
    tool_name_len: usize,
    locale: MaybeUninit<mws_locale>,
    out: Option<&mut MaybeUninit<mws_string>>,
    error: Option<&mut MaybeUninit<Option<Box<mws_error>>>>,
) -> mws_status {
    answer(out, error, || {
        Ok(tool_display_name(tool_name.text(tool_name_len, "tool_name")?, read_locale(locale)?).into())
    })
}

/// One line for the arguments of mcp_call and mcp_describe: `server.tool`, `server` while only that can be read, else
/// empty. A half-read name never shows as if it were whole.
///
/// `arguments_json` is whole, or cut off anywhere; NULL for none. Writes the line to `out`. Free it with
/// mws_string_free(). Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn mws_tool_input_preview(
    tool_name: Bytes<'_>,
    tool_name_len: usize,
    arguments_json: Bytes<'_>,
    arguments_json_len: usize,
    locale: MaybeUninit<mws_locale>,
    out: Option<&mut MaybeUninit<mws_string>>,
    error: Option<&mut MaybeUninit<Option<Box<mws_error>>>>,
) -> mws_status {
    answer(out, error, || {
        let tool_name = tool_name.text(tool_name_len, "tool_name")?;
        let input = arguments_json.optional_text_so_far(arguments_json_len, "arguments_json")?;
        Ok(tool_input_preview(tool_name, input, read_locale(locale)?).into())
    })
}

/// Lays a whole call out for the person who is to approve it: safe to print, secrets masked, nothing left out unsaid.
///
/// `tool_name` is NULL for mcp_call; give the plan's full tool name with the plan's arguments to show real names after a
/// repair. `max_lines` is 1 to 100, 0 for 12; `max_width` is 40 to 400 grapheme clusters, 0 for 100.
/// Writes `{"title", "lines", "omitted"}` to `out`. Free it with mws_string_free(). Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn mws_call_card(
    arguments_json: Bytes<'_>,
    arguments_json_len: usize,
    tool_name: Bytes<'_>,
    tool_name_len: usize,
    max_lines: usize,
    max_width: usize,
    locale: MaybeUninit<mws_locale>,
    out: Option<&mut MaybeUninit<mws_string>>,
    error: Option<&mut MaybeUninit<Option<Box<mws_error>>>>,
) -> mws_status {
    answer(out, error, || {
        let tool_name = tool_name.optional_text(tool_name_len, "tool_name")?;
        let arguments_json = arguments_json.text(arguments_json_len, "arguments_json")?;
        Ok(card(arguments_json, tool_name, max_lines, max_width, read_locale(locale)?).to_json().into())
    })
}

/// What mws_call_card() says, ready to be printed: the title and then the lines, each ended by a line break.
///
/// Arguments as there. Writes the text to `out`. Free it with mws_string_free(). Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn mws_call_card_text(
    arguments_json: Bytes<'_>,
    arguments_json_len: usize,
    tool_name: Bytes<'_>,
    tool_name_len: usize,
    max_lines: usize,
    max_width: usize,
    locale: MaybeUninit<mws_locale>,
    out: Option<&mut MaybeUninit<mws_string>>,
    error: Option<&mut MaybeUninit<Option<Box<mws_error>>>>,
) -> mws_status {
    answer(out, error, || {
        let tool_name = tool_name.optional_text(tool_name_len, "tool_name")?;
        let arguments_json = arguments_json.text(arguments_json_len, "arguments_json")?;
        let CallCard { title, lines, .. } = card(arguments_json, tool_name, max_lines, max_width, read_locale(locale)?);
        Ok(lines.iter().fold(title + "\n", |text, line| text + line + "\n").into())
    })
}

fn card(json: &str, tool_name: Option<&str>, max_lines: usize, max_width: usize, locale: Locale) -> CallCard {
    let default = CardOptions::default();
    let options = CardOptions {
        tool_name: tool_name.unwrap_or(default.tool_name),
        max_lines: if max_lines == 0 { default.max_lines } else { max_lines },
        max_width: if max_width == 0 { default.max_width } else { max_width },
        locale,
    };
    call_preview(json, &options)
}

/// The preview of one call whose arguments arrive in pieces. Takes a few kilobytes, however long the call.
///
/// Used by one thread at a time: mws_call_preview_push() changes it.
pub struct mws_call_preview(CallPreview);

/// Starts the preview of a call of this tool, before any of its arguments. For tools other than mcp_call and
/// mcp_describe it stays empty.
///
/// Writes it to `out`. Free it with mws_call_preview_free(). Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn mws_call_preview_new(
    tool_name: Bytes<'_>,
    tool_name_len: usize,
    out: Option<&mut MaybeUninit<Option<Box<mws_call_preview>>>>,
    error: Option<&mut MaybeUninit<Option<Box<mws_error>>>>,
) -> mws_status {
    answer(out, error, || {
        let preview = CallPreview::new(tool_name.text(tool_name_len, "tool_name")?);
        Ok(Some(Box::new(mws_call_preview(preview))))
    })
}

/// Frees a preview. NULL is ignored. Texts borrowed from it are gone with it.
#[unsafe(no_mangle)]
pub extern "C" fn mws_call_preview_free(preview: Option<Box<mws_call_preview>>) {
    drop(preview);
}

/// Takes the next piece of the arguments: UTF-8 that may be cut anywhere, also inside a character. The piece is not
/// kept. Texts borrowed from the preview before are no longer valid. One thread at a time.
#[unsafe(no_mangle)]
pub extern "C" fn mws_call_preview_push(
    preview: Option<&mut mws_call_preview>,
    piece: Bytes<'_>,
    piece_len: usize,
    error: Option<&mut MaybeUninit<Option<Box<mws_error>>>>,
) -> mws_status {
    answer(Some(&mut MaybeUninit::uninit()), error, || {
        given(preview, "preview")?.0.push(piece.bytes(piece_len, "piece")?);
        Ok(())
    })
}

/// What mws_tool_input_preview() says of the arguments so far.
///
/// Writes it to `out`. Free it with mws_string_free(). One thread at a time.
#[unsafe(no_mangle)]
pub extern "C" fn mws_call_preview_text(
    preview: Option<&mws_call_preview>,
    locale: MaybeUninit<mws_locale>,
    out: Option<&mut MaybeUninit<mws_string>>,
    error: Option<&mut MaybeUninit<Option<Box<mws_error>>>>,
) -> mws_status {
    answer(out, error, || Ok(given(preview, "preview")?.0.preview(read_locale(locale)?).into()))
}

/// What mws_summarize() says of the arguments so far.
///
/// Writes it to `out`, or nothing for tools that are not MCP tools. Free it with mws_string_free(). One thread
/// at a time.
#[unsafe(no_mangle)]
pub extern "C" fn mws_call_preview_summary(
    preview: Option<&mws_call_preview>,
    locale: MaybeUninit<mws_locale>,
    out: Option<&mut MaybeUninit<mws_string>>,
    error: Option<&mut MaybeUninit<Option<Box<mws_error>>>>,
) -> mws_status {
    answer(out, error, || Ok(given(preview, "preview")?.0.summary(read_locale(locale)?).into()))
}

/// The server, once its name was read to its end: the name itself, not made safe for display. Borrowed from the preview
/// until the next piece; nothing before, and for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mws_call_preview_server(preview: Option<&mws_call_preview>) -> mws_str {
    look_up(preview, |preview| preview.0.server().into())
}

/// The tool, likewise.
#[unsafe(no_mangle)]
pub extern "C" fn mws_call_preview_tool(preview: Option<&mws_call_preview>) -> mws_str {
    look_up(preview, |preview| preview.0.tool().into())
}
