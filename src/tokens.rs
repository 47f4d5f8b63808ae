//! The host's token estimate: a quarter of the UTF-8 bytes, rounded up. No tokenizer is carried.

/// `ceil(utf8 bytes / 4)`.
///
/// ```
/// assert_eq!(mcp_working_set::estimate_tokens(""), 0);
/// assert_eq!(mcp_working_set::estimate_tokens("12345"), 2);
/// assert_eq!(mcp_working_set::estimate_tokens("工具"), 2);
/// ```
#[must_use]
pub fn estimate_tokens(text: &str) -> usize {
    text.len().div_ceil(4)
}
