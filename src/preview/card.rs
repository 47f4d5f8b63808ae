//! Lays a call out for the person who is to approve it.
//!
//! Decides which arguments come first, how much of each is shown, and what is masked. People must see what they
//! allow: every character that could hide or reorder text is written as an escape, nothing is left out without saying
//! so, and what is read is what [`ToolCall`] reads, so what is seen is what runs. It refuses to know whether the call
//! is dangerous.
//!
//! ```
//! use mcp_working_set::{CardOptions, Locale, call_preview};
//! let call = r#"{"server":"fs","tool":"write_file","arguments":{"mode":420,"api_key":"x","path":"/a\u202eb"}}"#;
//! let card = call_preview(call, &CardOptions { locale: Locale::En, ..CardOptions::default() });
//! assert_eq!(card.title, "fs.write_file");
//! assert_eq!(card.lines, [r#"path: "/a\u202eb""#, "mode: 420", "api_key: ***"]);
//! assert_eq!(card.omitted, 0);
//! ```

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use unicode_segmentation::UnicodeSegmentation;

use super::Called;
use super::secrets::{MASK, is_secret, mask};
use crate::MCP_CALL;
use crate::locale::Locale;
use crate::model::wire::Text;
use crate::names::parse_full_tool_name;
use crate::refusal::RefusalCode;
use crate::text::{SCALARS_PER_CLUSTER, is_unsafe_in_line, push_json_char};
use crate::tools::call::ToolCall;

/// A server's or tool's name in the title is cut to this many grapheme clusters.
const TITLE_NAME: usize = 128;
/// A string or key inside an array or object is cut to this many grapheme clusters.
const NESTED_STRING: usize = 40;
/// Arrays and objects deeper than this below a line's own value are folded.
const NESTED_DEPTH: usize = 3;

/// Keys in the order of how much they tell a person, in lower case without `_` and `-`.
const TELLING_KEYS: [&str; 42] = [
    "path",
    "filepath",
    "file",
    "filename",
    "directory",
    "dir",
    "folder",
    "cwd",
    "source",
    "src",
    "destination",
    "dest",
    "target",
    "from",
    "to",
    "url",
    "uri",
    "endpoint",
    "host",
    "command",
    "cmd",
    "args",
    "script",
    "code",
    "sql",
    "query",
    "search",
    "pattern",
    "id",
    "name",
    "title",
    "method",
    "action",
    "operation",
    "owner",
    "repo",
    "branch",
    "channel",
    "recipient",
    "subject",
    "message",
    "text",
];

/// How a [`CallCard`] is laid out.
#[derive(Debug, Clone)]
pub struct CardOptions<'a> {
    /// The tool that is called: `mcp_call` and `mcp_describe` name the real one in their arguments; of any other tool
    /// the text is the arguments themselves. Give the plan's full tool name with the plan's arguments to show real
    /// names where a call was repaired. Default `mcp_call`.
    pub tool_name: &'a str,
    /// The most lines, at least 1 and at most 100. Default 12.
    pub max_lines: usize,
    /// The longest line in grapheme clusters, at least 40 and at most 400. Default 100.
    pub max_width: usize,
    /// The language of the few words that are not the call's own. Default `zh-CN`.
    pub locale: Locale,
}

impl Default for CardOptions<'_> {
    fn default() -> Self {
        Self { tool_name: MCP_CALL, max_lines: 12, max_width: 100, locale: Locale::default() }
    }
}

/// A call as text for an approval dialog. Every line is safe to print anywhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CallCard {
    /// `server.tool`. A name that holds a hidden character, unusual white space or a leading quote, and a server with
    /// a dot, are written as JSON string literals.
    pub title: String,
    /// `key: value`, the most telling keys first, others in the order of the call. Where arguments were left out the
    /// last line says how many.
    pub lines: Vec<String>,
    /// How many arguments have no line.
    pub omitted: usize,
}

impl CallCard {
    /// The card in its JSON form, `{title, lines, omitted}`.
    #[must_use]
    pub fn to_json(&self) -> String {
        crate::document::to_json(self)
    }
}

/// Lays a call out for the person who is to approve it.
///
/// - A string stands as it is when it is plain; else as a JSON string literal: when it has a hidden character, a line
///   break or unusual white space, when it is empty or could be taken for something else (`"true"`, `"{}"`).
/// - What is longer than the line is cut in the middle, with its length in characters: `aaa…zzz (2000 chars)`.
/// - Arrays and objects are compact JSON, their strings cut to 40 clusters, what is deeper than three levels folded to
///   `[…]` and `{…}`; one longer than the line is cut at its end, with the number of its items.
/// - Secrets are `***`: by key (`token`, `password`, `api_key`, `authorization` …) or by well-known form, also inside a
///   longer text (`ghp_***`, `Bearer ***`, `password=***`).
///
/// All lines together have at most `max_lines × max_width` grapheme clusters of at most four scalar values on
/// average. A text that is no call has a general title and one line that says so, with the code of the refusal.
#[must_use]
pub fn call_preview(arguments_json: &str, options: &CardOptions<'_>) -> CallCard {
    let (title, arguments) = match Called::by_name(options.tool_name) {
        Called::Call | Called::Describe => match ToolCall::parse(arguments_json) {
            Ok(call) => (title(call.server(), call.tool()), Cow::Owned(call.into_parts().0.into_owned())),
            Err(error) => return unreadable(error.code(), options),
        },
        // A blank text counts as no arguments, as it does where the call is run.
        Called::Direct(..) | Called::Other if arguments_json.trim().is_empty() => {
            (direct_title(options.tool_name), Cow::Borrowed("{}"))
        }
        Called::Direct(..) | Called::Other => (direct_title(options.tool_name), Cow::Borrowed(arguments_json)),
    };
    match serde_json::from_str::<Members<'_>>(&arguments) {
        Ok(members) => lay_out(title, members, options),
        Err(error) if error.is_data() => unreadable(RefusalCode::InvalidArguments, options),
        Err(_) => unreadable(RefusalCode::InvalidJson, options),
    }
}

fn lay_out(title: String, Members(mut members): Members<'_>, options: &CardOptions<'_>) -> CallCard {
    let max_lines = options.max_lines.clamp(1, 100);
    let max_width = options.max_width.clamp(40, 400);
    members.sort_by_cached_key(|(key, _)| rank(key));
    let shown = if members.len() <= max_lines { members.len() } else { max_lines - 1 };
    let omitted = members.len() - shown;
    let mut lines: Vec<String> = members
        .iter()
        .take(shown)
        .map(|(key, raw)| line(key, &label(key, &members), raw.get(), max_width, options.locale))
        .collect();
    if omitted > 0 {
        lines.push(match options.locale {
            Locale::ZhCn => format!("… 另有 {omitted} 项未显示"),
            Locale::En => format!("… {omitted} more not shown"),
        });
    }
    CallCard { title, lines, omitted }
}

fn unreadable(code: RefusalCode, options: &CardOptions<'_>) -> CallCard {
    let title = options.locale.pick("调用 MCP 工具", "Call MCP tool").to_owned();
    let line = options.locale.pick("参数无法读取,不会执行", "the arguments cannot be read and nothing will run");
    CallCard { title, lines: vec![format!("{line} ({})", code.as_str())], omitted: 0 }
}

fn title(server: &str, tool: &str) -> String {
    // With a dot in the server nobody could tell where the tool begins.
    let server = plain_or_literal(server, server.contains('.') || must_be_literal(server));
    [server.fit(TITLE_NAME, "").as_str(), ".", &name_text(tool)].concat()
}

fn direct_title(tool_name: &str) -> String {
    match parse_full_tool_name(tool_name) {
        Some((server, tool)) => title(server, tool),
        None => name_text(tool_name),
    }
}

fn name_text(name: &str) -> String {
    plain_or_literal(name, must_be_literal(name)).fit(TITLE_NAME, "")
}

/// Most telling first; keys that end in a telling word behind those that are one.
fn rank(key: &str) -> usize {
    let folded: String = key.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase).collect();
    let place = |key: &str| TELLING_KEYS.iter().position(|telling| *telling == key);
    place(&folded)
        .or_else(|| place(&last_word(key)).map(|at| TELLING_KEYS.len() + at))
        .unwrap_or(TELLING_KEYS.len() * 2)
}

/// `path` of `repoPath`, `repo_path` and `repo-path`, in lower case.
fn last_word(key: &str) -> String {
    let mut start = 0;
    let mut before = ' ';
    for (at, c) in key.char_indices() {
        if matches!(before, '_' | '-' | '.') || (c.is_uppercase() && !before.is_uppercase()) {
            start = at;
        }
        before = c;
    }
    key.get(start..).unwrap_or_default().to_lowercase()
}

fn line(key: &str, label: &str, raw: &str, max_width: usize, locale: Locale) -> String {
    let shown_key = plain_or_literal(key, key.contains(':') || must_be_literal(key)).fit(max_width / 3, "");
    let mut line = shown_key;
    line.push_str(": ");
    let width = max_width - line.graphemes(true).count().min(max_width);
    line.push_str(&value(label, raw, width, locale));
    line
}

fn value(label: &str, raw: &str, width: usize, locale: Locale) -> String {
    if is_secret(label, raw) {
        return MASK.to_owned();
    }
    match raw.as_bytes().first() {
        Some(b'"') => {
            let text = decoded(raw);
            let length = text.chars().count();
            let masked = mask(&text);
            let literal = must_be_literal(&masked) || reads_as_another_value(&masked);
            let unit = locale.pick("字符", "chars");
            plain_or_literal(&masked, literal).fit(width, &format!(" ({length} {unit})"))
        }
        Some(b'{' | b'[') => {
            let mut json = Nested { out: String::new(), limit: width * SCALARS_PER_CLUSTER, scalars: 0 };
            json.value(raw, 0);
            let unit = locale.pick("项", "items");
            let count = members(raw).map_or_else(|| items(raw).len(), |members| members.len());
            plain_or_literal(&json.out, false).fit_start(width, &format!(" ({count} {unit})"))
        }
        // Numbers keep the spelling that runs.
        _ => plain_or_literal(raw, false).fit(width, &format!(" ({} {})", raw.len(), locale.pick("字符", "chars"))),
    }
}

/// What a value is called: by its key, or in a pair of name and value by the name.
fn label<'m>(key: &'m str, members: &'m [(Cow<'_, str>, &RawValue)]) -> Cow<'m, str> {
    let is_name = |key: &str| ["name", "key", "header"].iter().any(|name| key.eq_ignore_ascii_case(name));
    if !key.eq_ignore_ascii_case("value") {
        return key.into();
    }
    let name = members.iter().find(|(key, raw)| is_name(key) && raw.get().starts_with('"'));
    name.map_or(key.into(), |(_, raw)| decoded(raw.get()))
}

/// A JSON string's text, with U+FFFD where it is not Unicode.
fn decoded(raw: &str) -> Cow<'_, str> {
    serde_json::from_str::<Text<'_>>(raw).map(Text::lossy).unwrap_or(Cow::Borrowed(raw))
}

/// True when a text does not show itself as it is.
fn must_be_literal(text: &str) -> bool {
    text.is_empty()
        || text.starts_with(['"', ' '])
        || text.ends_with(' ')
        || text == MASK
        || text.chars().any(is_unsafe_in_line)
}

/// True when a string without its quotes could be taken for a number, a word of JSON, an array or an object.
fn reads_as_another_value(text: &str) -> bool {
    text.starts_with(['{', '['])
        || (text.starts_with(['-', 't', 'f', 'n', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
            && serde_json::from_str::<IgnoredAny>(text).is_ok())
}

fn plain_or_literal(text: &str, literal: bool) -> Shown<'_> {
    Shown { text, literal }
}

/// A text that is to be shown, as it is or as a JSON string literal.
struct Shown<'a> {
    text: &'a str,
    literal: bool,
}

impl Shown<'_> {
    /// The text in at most `width` clusters: whole if it fits, else cut in the middle and followed by `note`.
    fn fit(&self, width: usize, note: &str) -> String {
        self.cut(width, note, |room| room / 3)
    }

    /// As [`fit`](Self::fit), cut at the end.
    fn fit_start(&self, width: usize, note: &str) -> String {
        self.cut(width, note, |_| 0)
    }

    fn cut(&self, width: usize, note: &str, tail_of: impl Fn(usize) -> usize) -> String {
        let quotes = if self.literal { 2 } else { 0 };
        let (whole, end) = self.head(width.saturating_sub(quotes));
        if end == self.text.len() {
            return self.quoted(&whole, "", "", "");
        }
        let room = width.saturating_sub(quotes + 1 + note.chars().count());
        let tail_room = tail_of(room);
        let (head, end) = self.head(room - tail_room);
        let tail = self.tail(tail_room, self.text.get(end..).unwrap_or_default());
        self.quoted(&head, "…", &tail, note)
    }

    fn quoted(&self, head: &str, dots: &str, tail: &str, note: &str) -> String {
        let quote = if self.literal { "\"" } else { "" };
        [quote, head, dots, tail, quote, note].concat()
    }

    /// As many clusters from the beginning as there is room for, and where they end in the text.
    fn head(&self, room: usize) -> (String, usize) {
        let mut head = String::new();
        let mut budget = Budget::new(room);
        let mut end = 0;
        for cluster in self.text.graphemes(true) {
            let shown = self.cluster(cluster);
            if !budget.spend(&shown) {
                break;
            }
            head.push_str(&shown);
            end += cluster.len();
        }
        (head, end)
    }

    /// As many clusters from the end of `rest` as there is room for.
    fn tail(&self, room: usize, rest: &str) -> String {
        // Only so much of a long text can be seen; the first cluster of this piece may not be whole.
        let scalars = (room + 1) * SCALARS_PER_CLUSTER;
        let start = rest.char_indices().rev().nth(scalars).map_or(0, |(at, _)| at);
        let piece = rest.get(start..).unwrap_or_default();
        let first = if start == 0 { 0 } else { piece.graphemes(true).next().map_or(0, str::len) };
        let mut budget = Budget::new(room);
        let mut clusters = Vec::new();
        for cluster in piece.get(first..).unwrap_or_default().graphemes(true).rev() {
            let shown = self.cluster(cluster);
            if !budget.spend(&shown) {
                break;
            }
            clusters.push(shown);
        }
        clusters.iter().rev().map(|cluster| cluster.as_ref()).collect()
    }

    fn cluster<'c>(&self, cluster: &'c str) -> Cow<'c, str> {
        if !self.literal {
            return Cow::Borrowed(cluster);
        }
        let mut shown = String::new();
        cluster.chars().for_each(|c| push_json_char(&mut shown, c));
        Cow::Owned(shown)
    }
}

/// Room for so many clusters, and for so many scalar values that a cluster cannot be a heap of accents.
struct Budget {
    clusters: usize,
    scalars: usize,
}

impl Budget {
    fn new(clusters: usize) -> Self {
        Self { clusters, scalars: clusters * SCALARS_PER_CLUSTER }
    }

    fn spend(&mut self, shown: &str) -> bool {
        let (clusters, scalars) = (shown.graphemes(true).count(), shown.chars().count());
        let fits = clusters <= self.clusters && scalars <= self.scalars;
        if fits {
            self.clusters -= clusters;
            self.scalars -= scalars;
        }
        fits
    }
}

/// Writes an array or object as compact JSON until it is longer than can be seen.
struct Nested {
    out: String,
    limit: usize,
    scalars: usize,
}

impl Nested {
    fn value(&mut self, raw: &str, depth: usize) {
        match raw.as_bytes().first() {
            Some(b'{') if depth < NESTED_DEPTH => self.object(raw, depth),
            Some(b'[') if depth < NESTED_DEPTH => self.array(raw, depth),
            Some(b'{') => self.push("{…}"),
            Some(b'[') => self.push("[…]"),
            Some(b'"') => self.string(&mask(&decoded(raw))),
            _ => self.push(&plain_or_literal(raw, false).fit(NESTED_STRING, "")),
        }
    }

    fn object(&mut self, raw: &str, depth: usize) {
        self.push("{");
        let members = members(raw).unwrap_or_default();
        for (index, (key, raw)) in members.iter().enumerate() {
            if self.is_full() {
                return;
            }
            self.push(if index == 0 { "" } else { "," });
            self.string(key);
            self.push(":");
            if is_secret(&label(key, &members), raw.get()) {
                self.string(MASK);
            } else {
                self.value(raw.get(), depth + 1);
            }
        }
        self.push("}");
    }

    fn array(&mut self, raw: &str, depth: usize) {
        self.push("[");
        for (index, raw) in items(raw).iter().enumerate() {
            if self.is_full() {
                return;
            }
            self.push(if index == 0 { "" } else { "," });
            self.value(raw.get(), depth + 1);
        }
        self.push("]");
    }

    fn string(&mut self, text: &str) {
        self.push(&plain_or_literal(text, true).fit(NESTED_STRING, ""));
    }

    fn push(&mut self, text: &str) {
        self.scalars += text.chars().count();
        self.out.push_str(text);
    }

    fn is_full(&self) -> bool {
        self.scalars > self.limit
    }
}

/// The members of an object in their order, the same key as often as it stands there.
struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MembersVisitor;
        impl<'de> Visitor<'de> for MembersVisitor {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some((key, raw)) = map.next_entry::<Text<'de>, &'de RawValue>()? {
                    members.push((key.lossy(), raw));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(MembersVisitor)
    }
}

fn members(raw: &str) -> Option<Vec<(Cow<'_, str>, &RawValue)>> {
    serde_json::from_str::<Members<'_>>(raw).ok().map(|Members(members)| members)
}

fn items(raw: &str) -> Vec<&RawValue> {
    serde_json::from_str(raw).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card(arguments: &str) -> CallCard {
        let call = format!(r#"{{"server":"s","tool":"t","arguments":{arguments}}}"#);
        call_preview(&call, &CardOptions { locale: Locale::En, max_width: 60, ..CardOptions::default() })
    }

    fn lines(arguments: &str) -> Vec<String> {
        card(arguments).lines
    }

    #[test]
    fn telling_keys_come_first_and_equal_ones_keep_their_order() {
        let order =
            lines(r#"{"b":1,"a":2,"userId":3,"repo-path":4,"name":5,"query":6,"url":7,"PATH":8,"path":9,"id":0}"#);
        assert_eq!(
            order,
            [
                "PATH: 8",
                "path: 9",
                "url: 7",
                "query: 6",
                "id: 0",
                "name: 5",
                "repo-path: 4",
                "userId: 3",
                "b: 1",
                "a: 2"
            ]
        );
        assert_eq!(lines("{}"), [""; 0]);
    }

    #[test]
    fn a_value_shows_what_it_is() {
        for (value, shown) in [
            (r#""plain text""#, "plain text"),
            (r#""C:\\x \"y\" 中""#, r#"C:\x "y" 中"#),
            (r#""a\nb\u001b[31m""#, r#""a\nb\u001b[31m""#),
            (r#""\u202e\u200b\udb40\udc41""#, r#""\u202e\u200b\udb40\udc41""#),
            (r#""\ud800""#, "\u{FFFD}"),
            (r#""""#, r#""""#),
            (r#"" a""#, r#"" a""#),
            (r#""\"a""#, r#""\"a""#),
            (r#""true""#, r#""true""#),
            (r#""12""#, r#""12""#),
            (r#""12 apples""#, "12 apples"),
            (r#""{}""#, r#""{}""#),
            (r#""***""#, r#""***""#),
            ("12345678901234567890123", "12345678901234567890123"),
            ("1.10", "1.10"),
            ("null", "null"),
            (r#"{ "a" : [ 1, "x\u200b" ] , "token": "abc" }"#, r#"{"a":[1,"x\u200b"],"token":"***"}"#),
            (r#"[[[[1]]],{"a":{"b":{"c":1}}}]"#, r#"[[[[…]]],{"a":{"b":{…}}}]"#),
        ] {
            assert_eq!(lines(&format!(r#"{{"k":{value}}}"#)), [format!("k: {shown}")]);
        }
        assert_eq!(lines(r#"{"a: b":1,"":2,"k\u200b":3}"#), [r#""a: b": 1"#, r#""": 2"#, r#""k\u200b": 3"#]);
        assert_eq!(lines(r#"{"k":1,"k":2}"#), ["k: 1", "k: 2"]);
    }

    #[test]
    fn long_values_are_cut_and_say_so() {
        let text = format!("{}{}", "a".repeat(500), "z".repeat(500));
        let line = &lines(&format!(r#"{{"k":"{text}"}}"#))[0];
        assert_eq!(line, &format!("k: {}…{} (1000 chars)", "a".repeat(29), "z".repeat(14)));
        let line = &lines(&format!(r#"{{"k":"{}"}}"#, r"\n".repeat(500)))[0];
        assert_eq!(line, &format!("k: \"{}…{}\" (500 chars)", r"\n".repeat(14), r"\n".repeat(7)));
        let line = &lines(&format!(r#"{{"k":[{}1]}}"#, "1,".repeat(999)))[0];
        assert_eq!(line, &format!("k: [{}… (1000 items)", "1,".repeat(21)));
        let line = &lines(&format!(r#"{{"k":{{"a":"{text}"}}}}"#))[0];
        assert_eq!(line, &format!(r#"k: {{"a":"{}…{}"}}"#, "a".repeat(25), "z".repeat(12)));
    }

    #[test]
    fn arguments_without_a_line_are_counted() {
        let many: Vec<String> = (0..30).map(|n| format!(r#""k{n}":{n}"#)).collect();
        let card = card(&format!("{{{}}}", many.join(",")));
        assert_eq!((card.lines.len(), card.omitted), (12, 19));
        assert_eq!(card.lines.last().unwrap(), "… 19 more not shown");
    }

    #[test]
    fn secrets_are_masked_before_anything_is_cut() {
        let key = ["ghp_", &"a1B2".repeat(10)].concat();
        assert_eq!(
            lines(&format!(r#"{{"command":"git push {key}","password":"{key}","auth":{{"x":1}}}}"#)),
            ["command: git push ghp_***", "password: ***", "auth: ***"]
        );
        for pair in [
            r#"{"name":"Authorization","value":"hunter2"}"#,
            r#"{"value":"hunter2","key":"db\u005fpassword"}"#,
            r#"{"env":[{"Name":"API_KEY","Value":"hunter2"}]}"#,
        ] {
            let shown = lines(pair).join("\n");
            assert!(shown.contains("***") && !shown.contains("hunter2"), "{shown}");
        }
        assert_eq!(lines(r#"{"name":"colour","value":"red"}"#), ["name: colour", "value: red"]);
        for width in 0..70 {
            let text = format!("{} {key} {}", "b".repeat(width), "c".repeat(1000));
            assert!(!lines(&format!(r#"{{"k":"{text}"}}"#))[0].contains("a1B2"));
            assert!(!lines(&format!(r#"{{"k":["{text}"]}}"#))[0].contains("a1B2"));
        }
    }

    #[test]
    fn titles_tell_server_and_tool_apart() {
        let title = |server: &str, tool: &str| {
            let call = serde_json::json!({"server": server, "tool": tool}).to_string();
            call_preview(&call, &CardOptions::default()).title
        };
        assert_eq!(title("fs", "read.file"), "fs.read.file");
        assert_eq!(title("a.b", "c"), r#""a.b".c"#);
        assert_eq!(title("f\u{200b}s", "read\n"), r#""f\u200bs"."read\n""#);
        assert_eq!(title(&"a".repeat(500), "t").chars().count(), TITLE_NAME + 2);
    }

    #[test]
    fn other_tools_have_their_arguments_directly() {
        let card = |tool_name, text| {
            call_preview(text, &CardOptions { tool_name, locale: Locale::En, ..CardOptions::default() })
        };
        let direct = card("mcp__github#7__get", r#"{"server":"x","tool":"y"}"#);
        assert_eq!((direct.title.as_str(), direct.lines), ("github#7.get", vec!["server: x".into(), "tool: y".into()]));
        assert_eq!(card("shell", r#"{"command":"ls"}"#).lines, ["command: ls"]);
        assert_eq!(card("shell", " ").title, "shell");
        assert_eq!(
            card("shell", "[]").lines,
            ["the arguments cannot be read and nothing will run (invalid_arguments)"]
        );
        assert_eq!(card("shell", "{").lines, ["the arguments cannot be read and nothing will run (invalid_json)"]);
        let cut = card("mcp_call", r#"{"server":"s","tool":"t","arguments":{"path":"/a"#);
        assert_eq!(cut.title, "Call MCP tool");
        assert_eq!(cut.lines, ["the arguments cannot be read and nothing will run (invalid_json)"]);
    }
}
