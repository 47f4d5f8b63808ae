//! The section of the system prompt that lists what can be called.
//!
//! Nothing from a server, a tool or an error can break out of its line. What is rendered can be read back; this is the
//! grammar, with the words of `zh-CN` (those of `en` in parentheses), every line ending with one `\n`:
//!
//! ```text
//! section   = preamble server+
//! preamble  = four fixed lines
//! server    = "### " name [ counts | reason ] "\n" [ purpose ] ( tool+ | empty )
//! counts    = "(只读工具 " n " 个 / 可写工具 " n " 个)"      ( " (" n " read-only / " n " writable)" )
//! reason    = "(当前不可用:" line ")"                      ( " (unavailable: " line ")" )
//! purpose   = "用途:" line "\n"                             ( "Purpose: " line "\n" )
//! tool      = "- " name [ mark ] "\n"
//! mark      = " [只读]" | " [可写]"                          ( " [read-only]" | " [writable]" )
//! empty     = "(无可用工具)\n"                              ( "(no tools)\n" )
//! name      = bare | JSON string literal
//! line      = any text without hidden characters, on one line, not empty
//! ```
//!
//! A `bare` name holds no hidden character, no white space but single spaces inside, no backtick and no `[` or `]`, and
//! does not begin with `"`; a server's bare name holds no `(` either, nor its wide form U+FF08, so that no name can forge
//! what follows it. Every other name is a JSON string literal in which whatever hides is an escape. The name a model
//! sends is always the real one, which is what the literal reads as.

use serde::Serialize;

use crate::locale::Locale;
use crate::model::{Hint, MAX_REASON};
use crate::text::{is_unsafe_in_line, one_line, push_json_string};
use crate::tokens::estimate_tokens;
use crate::working_set::{ServerEntry, ToolEntry, Unavailable, WorkingSet};

/// Key of the section in a manifest of prompt sections.
pub const SECTION_KEY: &str = "mcp-workingset";
/// Label of the section in such a manifest, in every locale.
pub const SECTION_LABEL: &str = "MCP 工作集";

/// Longest description of a server, in grapheme clusters with the `…`.
const MAX_DESCRIPTION: usize = 200;

const PREAMBLE_ZH_CN: &str = "## MCP 工作集
以下 MCP 工具按「server → tool」两级寻址,统一通过 mcp_call 调用。
调用前若不确定参数结构,先用 mcp_describe 查询该工具的完整 schema。
被标注为「当前不可用」的 server 请勿调用。
";

const PREAMBLE_EN: &str = "## MCP working set
The MCP tools below are addressed in two levels, server → tool, and are all called through mcp_call.
If you are not sure of a tool's parameters, query its full schema with mcp_describe first.
Do not call servers marked \"unavailable\".
";

/// The rendered section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Section {
    /// Always [`SECTION_KEY`].
    pub key: &'static str,
    /// Always [`SECTION_LABEL`].
    pub label: &'static str,
    /// The text, ending with one line break.
    pub text: String,
    /// The host's estimate for the text; see [`estimate_tokens`].
    pub tokens: usize,
}

pub(crate) fn render(set: &WorkingSet, locale: Locale) -> Option<Section> {
    if set.is_empty() {
        return None;
    }
    let mut text = String::from(locale.pick(PREAMBLE_ZH_CN, PREAMBLE_EN));
    for server in set.servers() {
        push_server(&mut text, server, locale);
    }
    let tokens = estimate_tokens(&text);
    Some(Section { key: SECTION_KEY, label: SECTION_LABEL, text, tokens })
}

fn push_server(text: &mut String, server: &ServerEntry, locale: Locale) {
    text.push_str("### ");
    push_name(text, server.address(), &['(', '\u{FF08}']);
    let tools = server.tools();
    if let Some(why) = server.unavailable() {
        let reason = reason(why, locale);
        text.push_str(&locale.pick(format!("(当前不可用:{reason})"), format!(" (unavailable: {reason})")));
    } else if tools.iter().any(|tool| tool.annotations().read_only_hint.is_said()) {
        let read_only = tools.iter().filter(|tool| tool.is_read_only()).count();
        let writable = tools.len() - read_only;
        text.push_str(&locale.pick(
            format!("(只读工具 {read_only} 个 / 可写工具 {writable} 个)"),
            format!(" ({read_only} read-only / {writable} writable)"),
        ));
    }
    text.push('\n');
    let purpose = server.description().map(description).unwrap_or_default();
    if !purpose.is_empty() {
        text.push_str(locale.pick("用途:", "Purpose: "));
        text.push_str(&purpose);
        text.push('\n');
    }
    for tool in tools {
        text.push_str("- ");
        push_name(text, tool.name(), &[]);
        text.push_str(mark(tool, locale));
        text.push('\n');
    }
    if tools.is_empty() {
        text.push_str(locale.pick("(无可用工具)\n", "(no tools)\n"));
    }
}

fn mark(tool: &ToolEntry, locale: Locale) -> &'static str {
    if tool.is_read_only() {
        locale.pick(" [只读]", " [read-only]")
    } else if tool.annotations().read_only_hint == Hint::False {
        locale.pick(" [可写]", " [writable]")
    } else {
        ""
    }
}

/// A server's description as the model sees it.
pub(crate) fn description(text: &str) -> String {
    one_line(text, MAX_DESCRIPTION)
}

/// Why a server is unavailable, as the model sees it; never empty.
pub(crate) fn reason(why: &Unavailable, locale: Locale) -> String {
    let said = one_line(&why.reason, MAX_REASON);
    // A report gives the default text in the default locale to hosts that read it themselves; here it is translated.
    if said.is_empty() || said == why.kind.default_reason(Locale::default()) {
        return why.kind.default_reason(locale).to_owned();
    }
    said
}

/// The name as the model sees it: bare where that cannot be misread, otherwise as a JSON string literal.
fn push_name(text: &mut String, name: &str, also_quoted: &[char]) {
    let misread = name.starts_with(['"', ' '])
        || name.ends_with(' ')
        || name.contains("  ")
        || name.contains(|c| matches!(c, '`' | '[' | ']') || is_unsafe_in_line(c) || also_quoted.contains(&c));
    if misread {
        push_json_string(text, name);
    } else {
        text.push_str(name);
    }
}
