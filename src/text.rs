//! Text that is safe to put on one line of a prompt, a log or a terminal.
//!
//! Everything a server says is somebody else's text. This module decides which characters may not reach a line as
//! they are, how a text becomes one line, where it may be cut, and how JSON strings are written so that nothing hides
//! in them. It refuses to know what the text is for.

use std::fmt::Write as _;
use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

/// Appended where a text was cut.
pub(crate) const ELLIPSIS: char = '…';

/// At most this many Unicode scalar values for each grapheme cluster that is allowed, so that a stack of ten
/// thousand accents on one letter is still bounded.
pub(crate) const SCALARS_PER_CLUSTER: usize = 4;

/// True for a character that has no place in a line: control characters, everything that reorders text (bidi), and
/// everything that is invisible by definition (Unicode's `Default_Ignorable_Code_Point`: zero-width characters, tags,
/// variation selectors, fillers), the interlinear annotation marks and the line and paragraph separators.
pub(crate) fn is_hidden(c: char) -> bool {
    match c {
        ' '..='~' => false,
        _ => {
            c.is_control()
                || matches!(c,
                    '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}'
                    | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
                    | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}'
                    | '\u{FFF0}'..='\u{FFFB}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}'
                    | '\u{E0000}'..='\u{E0FFF}')
        }
    }
}

/// True for a character that a line may not hold as it is: hidden, or white space other than the ordinary space.
pub(crate) fn is_unsafe_in_line(c: char) -> bool {
    c != ' ' && (is_hidden(c) || c.is_whitespace())
}

/// The text on one line: each run of white space becomes one space, hidden characters vanish, the ends are trimmed,
/// and what is longer than `limit` grapheme clusters is cut to that many, the last one being `…`.
pub(crate) fn one_line(text: &str, limit: usize) -> String {
    if text.len() <= limit && is_plain_line(text) {
        return text.to_owned();
    }
    let mut line = String::with_capacity(text.len().min(limit.saturating_mul(4)));
    // A text far longer than the limit need not be read to its end; what is left out cannot be seen anyway.
    let enough = limit.saturating_add(1).saturating_mul(SCALARS_PER_CLUSTER);
    let mut scalars = 0;
    let mut space = false;
    for c in text.chars() {
        if c.is_whitespace() {
            space = !line.is_empty();
        } else if !is_hidden(c) {
            if std::mem::take(&mut space) {
                line.push(' ');
                scalars += 1;
            }
            line.push(c);
            scalars += 1;
            if scalars > enough {
                break;
            }
        }
    }
    cut(&mut line, limit);
    line
}

/// True for texts that a line takes as they are, as most names are.
fn is_plain_line(text: &str) -> bool {
    let mut before = b' ';
    for byte in text.bytes() {
        if !(b' '..=b'~').contains(&byte) || (before == b' ' && byte == b' ') {
            return false;
        }
        before = byte;
    }
    before != b' '
}

/// Cuts to at most `limit` grapheme clusters (and [`SCALARS_PER_CLUSTER`] times as many scalar values), the last one
/// being `…` where something was cut. A cluster is never cut in two.
pub(crate) fn cut(line: &mut String, limit: usize) {
    if line.len() <= limit {
        return;
    }
    let most_scalars = limit.saturating_mul(SCALARS_PER_CLUSTER);
    let (mut clusters, mut scalars) = (0, 0);
    let mut end_before_ellipsis = 0;
    for (start, cluster) in line.grapheme_indices(true) {
        clusters += 1;
        scalars += cluster.chars().count();
        if clusters > limit || scalars > most_scalars {
            line.truncate(end_before_ellipsis);
            line.truncate(line.trim_end().len());
            line.push(ELLIPSIS);
            return;
        }
        if clusters < limit {
            end_before_ellipsis = start + cluster.len();
        }
    }
}

/// Appends `text` as a JSON string literal. Hidden characters and white space other than the ordinary space are
/// written as escapes, so that the literal can be seen, stays on one line and reads back to the same text.
pub(crate) fn push_json_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        push_json_char(out, c);
    }
    out.push('"');
}

/// Appends one character of a JSON string literal; see [`push_json_string`].
pub(crate) fn push_json_char(out: &mut String, c: char) {
    match c {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c if is_unsafe_in_line(c) => push_unicode_escape(out, c),
        c => out.push(c),
    }
}

/// Appends `\uXXXX`, as a surrogate pair beyond the basic plane.
pub(crate) fn push_unicode_escape(out: &mut String, c: char) {
    for unit in c.encode_utf16(&mut [0; 2]) {
        // Writing to a String cannot fail.
        let _ = write!(out, "\\u{unit:04x}");
    }
}

/// Where in `whole` its slice `part` stands, in bytes; nothing when it is no slice of it, as an owned copy is not.
pub(crate) fn range_of(whole: &str, part: &str) -> Option<Range<usize>> {
    let start = part.as_ptr().addr().checked_sub(whole.as_ptr().addr())?;
    let end = start.checked_add(part.len())?;
    (end <= whole.len() && whole.is_char_boundary(start)).then_some(start..end)
}

/// The text as a JSON string literal; see [`push_json_string`].
pub(crate) fn json_string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    push_json_string(&mut out, text);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_folds_white_space_and_drops_what_cannot_be_seen() {
        assert_eq!(one_line("  a\r\n\t b\u{2028}c  ", 50), "a b c");
        assert_eq!(one_line("a\u{202E}b\u{200B}c\u{E0041}", 50), "abc");
        assert_eq!(one_line("\u{1b}[31mred\u{1b}[0m", 50), "[31mred[0m");
        assert_eq!(one_line("\u{200B} \n", 50), "");
    }

    #[test]
    fn cutting_keeps_clusters_whole_and_counts_the_ellipsis() {
        assert_eq!(one_line("abcdef", 6), "abcdef");
        assert_eq!(one_line("abcdefg", 6), "abcde…");
        assert_eq!(one_line("e\u{301}e\u{301}e\u{301}", 2), "e\u{301}…");
        assert_eq!(one_line("abcd efgh", 6), "abcd…");
        let zalgo = format!("a{}", "\u{301}".repeat(10_000));
        assert!(one_line(&zalgo, 10).chars().count() <= 10 * SCALARS_PER_CLUSTER);
    }

    #[test]
    fn json_strings_show_what_hides_and_read_back() {
        let hostile = "a\"\\\n\u{7f}\u{202E}\u{E0041}\u{A0}中";
        let literal = json_string(hostile);
        assert_eq!(literal, "\"a\\\"\\\\\\n\\u007f\\u202e\\udb40\\udc41\\u00a0中\"");
        assert_eq!(serde_json::from_str::<String>(&literal).unwrap(), hostile);
    }
}
