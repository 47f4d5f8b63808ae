//! Full tool names, and which names count as "the same but for spelling".
//!
//! A full name is `mcp__{server}__{tool}`; nothing is escaped. The desktop takes everything up to the first `__` after
//! the prefix as the server, so not every pair survives the round trip: [`is_routable`] tells which do.
//!
//! ```
//! use mcp_working_set::{full_tool_name, parse_full_tool_name};
//! assert_eq!(full_tool_name("fs", "read_file"), "mcp__fs__read_file");
//! assert_eq!(parse_full_tool_name("mcp__fs__read_file"), Some(("fs", "read_file")));
//! assert_eq!(parse_full_tool_name("mcp__a__b__c"), Some(("a", "b__c")));
//! assert_eq!(parse_full_tool_name("mcp__fs__"), None);
//! ```

/// What every full tool name begins with.
pub const FULL_NAME_PREFIX: &str = "mcp__";

/// The longest name of a server or tool, in bytes.
pub const MAX_NAME_BYTES: usize = 256;

const SEPARATOR: &str = "__";

/// `mcp__{server}__{tool}`.
#[must_use]
pub fn full_tool_name(server: &str, tool: &str) -> String {
    [FULL_NAME_PREFIX, server, SEPARATOR, tool].concat()
}

/// Takes a full name apart the desktop's way, at the first `__` after the prefix; nothing when it is not such a name
/// or one of the two parts would be empty.
#[must_use]
pub fn parse_full_tool_name(name: &str) -> Option<(&str, &str)> {
    let (server, tool) = name.strip_prefix(FULL_NAME_PREFIX)?.split_once(SEPARATOR)?;
    (!server.is_empty() && !tool.is_empty()).then_some((server, tool))
}

/// True when a full name built with this server name comes apart into the same server and tool, whatever the tool.
pub(crate) fn is_routable(server: &str) -> bool {
    !server.contains(SEPARATOR) && !server.ends_with('_')
}

/// True when the two names differ at most in case and in `-`, `_` and space.
pub(crate) fn same_but_for_spelling(given: &str, name: &str) -> bool {
    given == name || folded(given).eq(folded(name))
}

fn folded(name: &str) -> impl Iterator<Item = char> {
    name.chars().flat_map(char::to_lowercase).map(|c| if matches!(c, '-' | ' ') { '_' } else { c })
}
