//! What a person sees of a call, while its arguments still stream in and when it is to be approved.
//!
//! [`CallPreview`] takes the pieces of a stream; [`call_preview`](card::call_preview) lays a complete call out for an
//! approval dialog. Both refuse to know which servers and tools exist.
//!
//! ```
//! use mcp_working_set::{CallPreview, Locale};
//! let mut preview = CallPreview::new("mcp_call");
//! preview.push(br#"{"server":"github","tool":"delete_re"#);
//! assert_eq!(preview.preview(Locale::En), "github");
//! preview.push(br#"po","arguments":{"server":"other"#);
//! assert_eq!(preview.preview(Locale::En), "github.delete_repo");
//! assert_eq!(preview.summary(Locale::En).as_deref(), Some("Call MCP tool github.delete_repo"));
//! ```

pub(crate) mod card;
mod reader;
mod secrets;

use crate::locale::Locale;
use crate::names::parse_full_tool_name;
use crate::tools::call::ToolCall;
use crate::{MCP_CALL, MCP_DESCRIBE};
use reader::CallReader;
pub(crate) use reader::Name;

#[cfg(doctest)]
#[doc = include_str!("../docs/display.md")]
struct DisplayPage;

/// Which of the tools this library speaks for a name is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Called {
    /// `mcp_call`: the arguments name the tool.
    Call,
    /// `mcp_describe`: likewise.
    Describe,
    /// An MCP tool by its full name.
    Direct(Name, Name),
    /// None of them.
    Other,
}

impl Called {
    pub(crate) fn by_name(tool_name: &str) -> Self {
        match (tool_name, parse_full_tool_name(tool_name)) {
            (MCP_CALL, _) => Self::Call,
            (MCP_DESCRIBE, _) => Self::Describe,
            (_, Some((server, tool))) => Self::Direct(Name::new(server), Name::new(tool)),
            (_, None) => Self::Other,
        }
    }
}

/// `server.tool`, `server` while only that is known, else empty.
pub(crate) fn dotted(server: Option<&Name>, tool: Option<&Name>) -> String {
    match (server, tool) {
        (Some(server), Some(tool)) => [server.shown().as_str(), ".", tool.shown().as_str()].concat(),
        (Some(server), None) => server.shown(),
        (None, _) => String::new(),
    }
}

/// What the text of a call names, as [`dotted`]: what [`ToolCall`] reads where the text is a call, so that what is
/// seen is what runs, and what can be read so far where it is not, or not yet.
pub(crate) fn dotted_names(arguments_json: &str) -> String {
    if let Ok(call) = ToolCall::parse(arguments_json) {
        return dotted(Some(&Name::new(call.server())), Some(&Name::new(call.tool())));
    }
    let mut reader = CallReader::default();
    reader.push(arguments_json.as_bytes());
    dotted(reader.server(), reader.tool())
}

/// The preview of one call whose arguments arrive in pieces.
///
/// Pieces may be cut anywhere: inside an escape, a character or a surrogate pair. Each byte is looked at once and the
/// arguments are not kept: a preview takes a few kilobytes at most, whatever the length of the call. However a text is
/// cut into pieces, the preview ends up as [`tool_input_preview`](crate::tool_input_preview) of the whole.
#[derive(Debug)]
pub struct CallPreview {
    pub(crate) called: Called,
    reader: CallReader,
    /// The first half of a surrogate pair that ended the last piece.
    first_half: Option<u16>,
}

impl CallPreview {
    /// The preview of a call of this tool, before any of its arguments. For tools other than `mcp_call` and
    /// `mcp_describe` it stays empty.
    #[must_use]
    pub fn new(tool_name: &str) -> Self {
        Self { called: Called::by_name(tool_name), reader: CallReader::default(), first_half: None }
    }

    /// Takes the next piece of the arguments, as UTF-8.
    pub fn push(&mut self, piece: &[u8]) {
        if matches!(self.called, Called::Call | Called::Describe) {
            self.reader.push(piece);
        }
    }

    /// Takes the next piece of the arguments, as UTF-16. For hosts whose strings may be cut inside a surrogate pair.
    pub fn push_utf16(&mut self, piece: &[u16]) {
        // A little at a time, so that the piece is never copied as a whole.
        for units in piece.chunks(256) {
            let (units, half) = match units.split_last() {
                Some((&last, before)) if matches!(last, 0xD800..=0xDBFF) => (before, Some(last)),
                _ => (units, None),
            };
            let pending = std::mem::replace(&mut self.first_half, half);
            let text: String = char::decode_utf16(pending.into_iter().chain(units.iter().copied()))
                .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
                .collect();
            self.push(text.as_bytes());
        }
    }

    /// What [`tool_input_preview`](crate::tool_input_preview) says of the arguments so far: `server.tool`, `server`
    /// while only that has been read to its end, else empty.
    #[must_use]
    pub fn preview(&self, _locale: Locale) -> String {
        dotted(self.reader.server(), self.reader.tool())
    }

    /// The server, once its name has been read to its end: the name itself, not made safe for display. Nothing for a
    /// name of more than 1024 bytes.
    #[must_use]
    pub fn server(&self) -> Option<&str> {
        self.reader.server()?.whole()
    }

    /// The tool, likewise.
    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        self.reader.tool()?.whole()
    }
}
