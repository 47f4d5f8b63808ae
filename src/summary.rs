//! One line for a call in a log or a history: which tool, and how it went.
//!
//! Speaks only for MCP tools; for every other tool the host has its own sentence. What a result means is decided here
//! by one rule: an object whose `error` is not null is an error, everything else is not.
//!
//! ```
//! use mcp_working_set::{Locale, summarize};
//! let call = Some(r#"{"server":"fs","tool":"read_file"}"#);
//! let summary = |result| summarize(Some("mcp_call"), call, result, Locale::ZhCn).unwrap();
//! assert_eq!(summary(None), "调用 MCP 工具 fs.read_file");
//! assert_eq!(summary(Some("text")), "调用 MCP 工具 fs.read_file (成功)");
//! assert_eq!(summary(Some(r#"{"error":"no such file"}"#)), "调用 MCP 工具 fs.read_file (错误)");
//! ```

use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

use crate::locale::Locale;
use crate::names::FULL_NAME_PREFIX;
use crate::preview::{CallPreview, Called, dotted, dotted_names};

/// What happened in one call, on one line; nothing for tools that are not MCP tools.
///
/// | tool | text |
/// |---|---|
/// | `mcp_call`, `mcp__…` | `调用 MCP 工具 {server}.{tool}`, then ` (成功)` or ` (错误)` once there is a result |
/// | `mcp_describe` | `查询 MCP 工具 {server}.{tool}` |
///
/// In English `Call MCP tool …`, ` (ok)`, ` (error)` and `Query MCP tool …`. The tool is recognised whatever the case
/// of its name. While the arguments are incomplete the names stand there as far as they can be read, see
/// [`tool_input_preview`](crate::tool_input_preview).
#[must_use]
pub fn summarize(
    tool_name: Option<&str>,
    arguments_json: Option<&str>,
    result: Option<&str>,
    locale: Locale,
) -> Option<String> {
    sentence(&recognise(tool_name?), || arguments_json.map(dotted_names).unwrap_or_default(), result, locale)
}

impl CallPreview {
    /// What [`summarize`] says of the arguments so far, without a result.
    #[must_use]
    pub fn summary(&self, locale: Locale) -> Option<String> {
        sentence(&self.called, || self.preview(locale), None, locale)
    }
}

/// Only the part that tells the tool is read in lower case: a server or tool keeps its own spelling.
fn recognise(tool_name: &str) -> Called {
    match tool_name.split_at_checked(FULL_NAME_PREFIX.len()) {
        Some((prefix, names)) if prefix.eq_ignore_ascii_case(FULL_NAME_PREFIX) => {
            Called::by_name(&[FULL_NAME_PREFIX, names].concat())
        }
        _ => Called::by_name(&tool_name.to_ascii_lowercase()),
    }
}

/// The sentence; `named` are the names that the arguments give so far.
fn sentence(called: &Called, named: impl FnOnce() -> String, result: Option<&str>, locale: Locale) -> Option<String> {
    let names = match called {
        Called::Call | Called::Describe => named(),
        Called::Direct(server, tool) => dotted(Some(server), Some(tool)),
        Called::Other => return None,
    };
    let (verb, outcome) = match (called, result.map(is_error)) {
        (Called::Describe, _) => (locale.pick("查询 MCP 工具", "Query MCP tool"), ""),
        (_, None) => (locale.pick("调用 MCP 工具", "Call MCP tool"), ""),
        (_, Some(true)) => (locale.pick("调用 MCP 工具", "Call MCP tool"), locale.pick(" (错误)", " (error)")),
        (_, Some(false)) => (locale.pick("调用 MCP 工具", "Call MCP tool"), locale.pick(" (成功)", " (ok)")),
    };
    let space = if names.is_empty() { "" } else { " " };
    Some([verb, space, &names, outcome].concat())
}

/// True for a JSON object with an `error` that is not null. A result may be long; nothing of it is kept.
fn is_error(result: &str) -> bool {
    struct ErrorKey;
    impl<'de> Visitor<'de> for ErrorKey {
        type Value = bool;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<bool, A::Error> {
            let mut found = false;
            while let Some(key) = map.next_key::<crate::model::wire::Text<'de>>()? {
                if key.0.is_ok_and(|key| key == "error") {
                    found |= map.next_value::<Option<IgnoredAny>>()?.is_some();
                } else {
                    map.next_value::<IgnoredAny>()?;
                }
            }
            Ok(found)
        }
    }
    let mut reader = serde_json::Deserializer::from_str(result);
    reader.deserialize_map(ErrorKey).is_ok_and(|found| found && reader.end().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALL: Option<&str> = Some(r#"{"server":"fs","tool":"read_file"}"#);

    #[test]
    fn the_table_in_both_locales() {
        let result = Some(r#"{"ok":1}"#);
        for (tool, arguments, zh_cn, en) in [
            ("mcp_call", CALL, "调用 MCP 工具 fs.read_file (成功)", "Call MCP tool fs.read_file (ok)"),
            ("MCP_Call", CALL, "调用 MCP 工具 fs.read_file (成功)", "Call MCP tool fs.read_file (ok)"),
            ("mcp_call", Some(r#"{"server":"fs","to"#), "调用 MCP 工具 fs (成功)", "Call MCP tool fs (ok)"),
            ("mcp_call", None, "调用 MCP 工具 (成功)", "Call MCP tool (ok)"),
            ("mcp_describe", CALL, "查询 MCP 工具 fs.read_file", "Query MCP tool fs.read_file"),
            ("mcp_describe", Some("{"), "查询 MCP 工具", "Query MCP tool"),
            ("mcp__Fs__Read", None, "调用 MCP 工具 Fs.Read (成功)", "Call MCP tool Fs.Read (ok)"),
            ("MCP__Fs__Read", None, "调用 MCP 工具 Fs.Read (成功)", "Call MCP tool Fs.Read (ok)"),
        ] {
            assert_eq!(summarize(Some(tool), arguments, result, Locale::ZhCn).as_deref(), Some(zh_cn));
            assert_eq!(summarize(Some(tool), arguments, result, Locale::En).as_deref(), Some(en));
        }
        for tool in [Some("shell"), Some("mcp__fs"), Some("mcp_ca"), Some("中文"), Some(""), None] {
            assert_eq!(summarize(tool, CALL, result, Locale::ZhCn), None, "{tool:?}");
        }
    }

    #[test]
    fn an_error_is_an_object_that_says_error() {
        let deep = format!(r#"{{"x":{}{},"error":"e"}}"#, "[".repeat(10_000), "]".repeat(10_000));
        for result in [r#"{"error":"x"}"#, r#" {"a":"\ud800","error":false} "#, r#"{"error":"x","error":null}"#, &deep]
        {
            assert!(is_error(result), "{result}");
        }
        for result in [
            "",
            "error",
            "null",
            r#"{"error":null}"#,
            r#"{"a":{"error":"x"}}"#,
            r#"[{"error":"x"}]"#,
            r#"{"error":"x""#,
            r#"{"error":"x"} and more"#,
            r#""{\"error\":1}""#,
        ] {
            assert!(!is_error(result), "{result}");
        }
    }
}
