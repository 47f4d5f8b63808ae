//! Which known names are near a name that is not known.
//!
//! Two names are near when few letters differ or when they share words (`filePath` and `path`); case never counts. It
//! only ranks: a suggestion is for the model to read and never stands in for the name that was given.

use std::cmp::Reverse;

/// Of a longer name only this many characters are compared, so that the work is bounded.
const MAX_COMPARED: usize = 64;

/// No name is longer, in bytes, and so none is near a longer text.
const MAX_NAME_BYTES: usize = 256;

/// As many names are compared closely: of more, those whose letters differ least.
const MAX_CANDIDATES: usize = 500;

/// The least likeness, in thousandths, at which a name is worth suggesting.
const PLAUSIBLE: usize = 500;

/// At most `limit` of the candidates, the nearest first; names that are as near as each other in UTF-8 byte order.
pub(crate) fn nearest<'a>(given: &str, candidates: impl Iterator<Item = &'a str>, limit: usize) -> Vec<&'a str> {
    if given.len() > MAX_NAME_BYTES {
        return Vec::new();
    }
    let mut candidates: Vec<&str> = candidates.collect();
    if candidates.len() > MAX_CANDIDATES {
        let wanted = letters(given);
        candidates.select_nth_unstable_by_key(MAX_CANDIDATES, |name| ((letters(name) ^ wanted).count_ones(), *name));
        candidates.truncate(MAX_CANDIDATES);
    }
    let given = Spelling::of(given);
    let mut ranked: Vec<(Reverse<usize>, &str)> = candidates
        .into_iter()
        .map(|candidate| (Reverse(given.likeness(&Spelling::of(candidate))), candidate))
        .filter(|(Reverse(likeness), _)| *likeness >= PLAUSIBLE)
        .collect();
    ranked.sort_unstable();
    ranked.dedup();
    ranked.into_iter().take(limit).map(|(_, candidate)| candidate).collect()
}

/// Which letters and digits there are, case aside, one bit each; all else shares some.
fn letters(name: &str) -> u64 {
    name.bytes().take(MAX_COMPARED).fold(0, |bits, byte| {
        bits | 1
            << match byte {
                b'a'..=b'z' => byte - b'a',
                b'A'..=b'Z' => byte - b'A',
                b'0'..=b'9' => 26 + byte - b'0',
                b'_' | b'-' | b' ' | b'.' | b'/' => 36,
                _ => 37 + byte % 27,
            }
    })
}

struct Spelling {
    lower: Vec<char>,
    words: Vec<String>,
}

impl Spelling {
    fn of(name: &str) -> Self {
        let name: Vec<char> = name.chars().take(MAX_COMPARED).collect();
        let mut words = vec![String::new()];
        let mut before = ' ';
        for &c in &name {
            if c.is_uppercase() && before.is_lowercase() || !c.is_alphanumeric() {
                words.push(String::new());
            }
            if c.is_alphanumeric()
                && let Some(word) = words.last_mut()
            {
                word.extend(c.to_lowercase());
            }
            before = c;
        }
        words.retain(|word| !word.is_empty());
        words.sort_unstable();
        words.dedup();
        Self { lower: name.into_iter().flat_map(char::to_lowercase).collect(), words }
    }

    /// From 0 to 1000: the better of what the letters and what the words say. The words come second where both say the
    /// same, since a name that shares words with another may mean something else.
    fn likeness(&self, other: &Self) -> usize {
        let longer = self.lower.len().max(other.lower.len()).max(1);
        let edits = strsim::generic_damerau_levenshtein(&self.lower, &other.lower);
        let letters = 1000 * longer.saturating_sub(edits) / longer;
        let shared = self.words.iter().filter(|word| other.words.contains(word)).count();
        let words = 1000 * 2 * shared / (self.words.len() + other.words.len()).max(1);
        letters.max(words.saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near<'a>(given: &str, candidates: &[&'a str]) -> Vec<&'a str> {
        nearest(given, candidates.iter().copied(), 3)
    }

    #[test]
    fn few_different_letters_or_shared_words_are_near() {
        assert_eq!(near("raed_file", &["write_file", "list", "read_file"]), ["read_file", "write_file"]);
        assert_eq!(near("filePath", &["path", "content", "encoding"]), ["path"]);
        assert_eq!(near("READ-FILE", &["read_file"]), ["read_file"]);
        assert_eq!(near("createIssue", &["create_issue", "issue_write"]), ["create_issue"]);
        assert_eq!(near("delete_repo", &["create_issue", "list"]), Vec::<&str>::new());
    }

    #[test]
    fn equal_names_come_once_and_order_does_not_count() {
        assert_eq!(near("ab", &["ac", "aa", "ac"]), near("ab", &["aa", "ac"]));
        assert_eq!(near("", &["", "a"]), [""]);
    }

    #[test]
    fn of_many_names_the_nearest_are_found_in_any_order() {
        let mut names: Vec<String> = (0..20_000).map(|n| format!("tool_number_{n}")).collect();
        names.push("read_file".to_owned());
        names.push("read_files".to_owned());
        let near = |names: &[String]| {
            let found = nearest("raed_file", names.iter().map(String::as_str), 3);
            found.into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        let found = near(&names);
        assert_eq!(found, ["read_file", "read_files"]);
        names.reverse();
        assert_eq!(near(&names), found);
    }

    #[test]
    fn a_huge_name_is_no_danger() {
        let huge = "x_".repeat(1_000_000);
        assert!(near(&huge, &["read_file"]).is_empty());
    }
}
