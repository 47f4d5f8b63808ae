//! What a tool card shows: a name for the tool, and one line for its arguments.
//!
//! Speaks only for MCP tools, in the form new rows have (`mcp_call`) and in the form old rows have (`mcp__…`). For
//! every other tool the host has its own names.
//!
//! ```
//! use mcp_working_set::{Locale, tool_display_name, tool_input_preview};
//! assert_eq!(tool_display_name("mcp_call", Locale::En).as_deref(), Some("Call MCP tool"));
//! assert_eq!(tool_display_name("mcp__fs__read_file", Locale::En).as_deref(), Some("fs.read_file"));
//! assert_eq!(tool_display_name("shell", Locale::En), None);
//!
//! let input = r#"{"server":"fs","tool":"read_file","arguments":{"path":"/a"}}"#;
//! assert_eq!(tool_input_preview("mcp_call", Some(input), Locale::En), "fs.read_file");
//! assert_eq!(tool_input_preview("mcp_call", Some(r#"{"server":"fs","tool":"read_"#), Locale::En), "fs");
//! ```

use crate::locale::Locale;
use crate::preview::{Called, dotted, dotted_names};

/// The name a person sees: `调用 MCP 工具` for `mcp_call`, `查询 MCP 工具参数` for `mcp_describe`, `{server}.{tool}` for
/// `mcp__…`, nothing for other tools. One line; each of the two names is cut to 128 grapheme clusters.
#[must_use]
pub fn tool_display_name(name: &str, locale: Locale) -> Option<String> {
    match Called::by_name(name) {
        Called::Call => Some(locale.pick("调用 MCP 工具", "Call MCP tool").to_owned()),
        Called::Describe => Some(locale.pick("查询 MCP 工具参数", "Query MCP tool parameters").to_owned()),
        Called::Direct(server, tool) => Some(dotted(Some(&server), Some(&tool))),
        Called::Other => None,
    }
}

/// One line for the arguments of `mcp_call` and `mcp_describe`: `{server}.{tool}`, `{server}` while only that can be
/// read, else empty; empty for every other tool. Each of the two names is cut to 128 grapheme clusters. Names are the
/// same in both locales.
///
/// `input` is JSON text, whole or cut anywhere. A name that was not read to its end is not shown, and neither is one
/// of which nobody could say that it is meant: a key that stands there twice, more text behind the call.
#[must_use]
pub fn tool_input_preview(name: &str, input: Option<&str>, _locale: Locale) -> String {
    match Called::by_name(name) {
        Called::Call | Called::Describe => input.map(dotted_names).unwrap_or_default(),
        Called::Direct(..) | Called::Other => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_generations_of_rows_have_a_name() {
        for (name, zh_cn, en) in [
            ("mcp_call", Some("调用 MCP 工具"), Some("Call MCP tool")),
            ("mcp_describe", Some("查询 MCP 工具参数"), Some("Query MCP tool parameters")),
            ("mcp__fs__read_file", Some("fs.read_file"), Some("fs.read_file")),
            ("mcp__a__b__c", Some("a.b__c"), Some("a.b__c")),
            ("mcp__f\u{202e}s__\u{1b}[31mx\n", Some("fs.[31mx"), Some("fs.[31mx")),
            ("mcp__fs", None, None),
            ("mcp____x", None, None),
            ("mcp_calls", None, None),
            ("read_file", None, None),
            ("", None, None),
        ] {
            assert_eq!(tool_display_name(name, Locale::ZhCn).as_deref(), zh_cn, "{name}");
            assert_eq!(tool_display_name(name, Locale::En).as_deref(), en, "{name}");
        }
    }

    #[test]
    fn the_arguments_are_the_names_and_never_the_shell() {
        let preview = |name, input| tool_input_preview(name, input, Locale::ZhCn);
        let call = r#"{"arguments":{"server":"evil","tool":"x"},"server":"good","tool":"y"}"#;
        assert_eq!(preview("mcp_call", Some(call)), "good.y");
        assert_eq!(preview("mcp_describe", Some(call)), "good.y");
        assert_eq!(preview("mcp_call", Some(r#"{"tool":"y"}"#)), "");
        assert_eq!(preview("mcp_call", Some("nonsense")), "");
        assert_eq!(preview("mcp_call", None), "");
        assert_eq!(preview("mcp__fs__read_file", Some(call)), "");
        assert_eq!(preview("shell", Some(call)), "");
    }
}
