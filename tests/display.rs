//! What people see, against the public interface: laws that must hold however a call is spelt and wherever it is cut.

#![allow(
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test may stop where it finds a fault"
)]

use std::ops::Range;

use mcp_working_set::{
    CallPreview, CardOptions, Locale, ToolCall, call_preview, full_tool_name, summarize, tool_display_name,
    tool_input_preview,
};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};
use unicode_segmentation::UnicodeSegmentation;

const ZH: Locale = Locale::ZhCn;

fn preview(text: &str) -> String {
    tool_input_preview("mcp_call", Some(text), ZH)
}

/// What is shown for a call of these names, taken from its plainest spelling.
fn shown(server: &str, tool: &str) -> String {
    preview(&json!({"server": server, "tool": tool}).to_string())
}

/// What is shown for a call of which only the server is known.
fn shown_server(server: &str) -> String {
    preview(&json!({"server": server}).to_string())
}

fn streamed(pieces: &[&[u8]]) -> CallPreview {
    let mut preview = CallPreview::new("mcp_call");
    pieces.iter().for_each(|piece| preview.push(piece));
    preview
}

fn streamed_utf16(pieces: &[&[u16]]) -> CallPreview {
    let mut preview = CallPreview::new("mcp_call");
    pieces.iter().for_each(|piece| preview.push_utf16(piece));
    preview
}

/// Cuts into pieces at the given places.
fn pieces<'a, T>(whole: &'a [T], places: &[Index]) -> Vec<&'a [T]> {
    let mut cuts: Vec<usize> = places.iter().map(|place| place.index(whole.len() + 1)).collect();
    cuts.extend([0, whole.len()]);
    cuts.sort_unstable();
    cuts.windows(2).map(|cut| &whole[cut[0]..cut[1]]).collect()
}

/// A JSON string literal; `how` picks, for each character in turn, its escape or the character itself.
fn spell(text: &str, how: u32) -> String {
    let mut literal = String::from("\"");
    for (index, c) in text.chars().enumerate() {
        if how >> (index % 32) & 1 == 1 || c < ' ' || matches!(c, '"' | '\\') {
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| literal.push_str(&format!("\\u{unit:04X}")));
        } else {
            literal.push(c);
        }
    }
    literal + "\""
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z_]{1,12}", "\\PC{1,8}", any::<String>().prop_filter("a name has a character", |s| !s.is_empty())]
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        Just(Value::from(r#"{"server":"evil","tool":"evil"}"#)),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let key = prop_oneof![Just("server".to_owned()), Just("tool".to_owned()), any::<String>()];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..4).prop_map(|members| members.into_iter().collect::<Value>()),
        ]
    })
}

fn any_object() -> impl Strategy<Value = Value> {
    prop::collection::vec((any::<String>(), any_json()), 0..5).prop_map(|members| members.into_iter().collect())
}

/// The text of a call that can be run, with its names: keys in any order, spelt in any way, wrapped or not.
fn call() -> impl Strategy<Value = (String, String, String)> {
    let order = Just(vec![0, 1, 2, 3]).prop_shuffle();
    (name(), name(), any_object(), any_json(), order, any::<u32>(), "[ \n\t]{0,2}", 0..5_u8).prop_map(
        |(server, tool, arguments, other, order, how, space, wrapping)| {
            let members = [
                format!("{}{space}:{space}{}", spell("server", how), spell(&server, how.rotate_left(3))),
                format!("{}{space}:{space}{}", spell("tool", how.rotate_left(7)), spell(&tool, how.rotate_left(11))),
                format!("\"arguments\"{space}:{space}{arguments}"),
                format!("\"reason\"{space}:{space}{other}"),
            ];
            let members: Vec<&str> = order.iter().map(|place: &usize| members[*place].as_str()).collect();
            let object = format!("{space}{{{space}{}{space}}}{space}", members.join(&format!("{space},{space}")));
            let text = match wrapping {
                0 => spell(&object, how),
                1 => format!("{space}```json\n{object}```{space}"),
                _ => object,
            };
            (text, server, tool)
        },
    )
}

/// An object with any of the keys of a call, any number of times, and values of any type; mostly no call.
fn nearly_a_call() -> impl Strategy<Value = String> {
    let key = prop_oneof![3 => Just("server"), 3 => Just("tool"), 1 => Just("arguments"), 1 => Just("x")];
    let value = prop_oneof![
        4 => name().prop_map(Value::from),
        1 => any_json(),
        1 => Just(json!("")),
        1 => Just(json!({"server": "evil", "tool": "evil"})),
    ];
    prop::collection::vec((key, value, any::<u32>()), 0..5).prop_map(|members| {
        let members: Vec<String> =
            members.iter().map(|(key, value, how)| format!("{}:{value}", spell(key, *how))).collect();
        format!("{{{}}}", members.join(","))
    })
}

/// A call with a stretch of it left out or repeated, or pieces of JSON in any order, or nearly a call.
fn damaged_call() -> impl Strategy<Value = String> {
    let damaged = (call(), any::<Index>(), any::<Index>(), any::<bool>()).prop_map(|((text, ..), from, to, twice)| {
        let mut chars: Vec<char> = text.chars().collect();
        let (from, to) = (from.index(chars.len()), to.index(chars.len()));
        let stretch: Range<usize> = from.min(to)..from.max(to);
        if twice {
            let copy = chars[stretch.clone()].to_vec();
            chars.splice(stretch.end..stretch.end, copy);
        } else {
            chars.drain(stretch);
        }
        chars.into_iter().collect()
    });
    const PIECES: [&str; 20] = [
        "{",
        "{",
        "}",
        "}",
        "[",
        "]",
        ":",
        ",",
        "\"server\":\"a\"",
        "\"tool\":\"b\"",
        "\"arguments\":",
        "\"x\"",
        "\"",
        "\\",
        "\\\"",
        "\\ud83d",
        "1",
        "null",
        " ",
        "```",
    ];
    let soup = prop::collection::vec(select(&PIECES[..]), 0..16).prop_map(|pieces| pieces.concat());
    prop_oneof![damaged, soup, nearly_a_call()]
}

/// The members of a valid JSON object, a key as often as it stands there.
fn members(text: &str) -> Option<Vec<(String, Value)>> {
    struct Members(Vec<(String, Value)>);
    impl<'de> serde::Deserialize<'de> for Members {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct MembersVisitor;
            impl<'de> serde::de::Visitor<'de> for MembersVisitor {
                type Value = Members;
                fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.write_str("an object")
                }
                fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                    let mut members = Vec::new();
                    while let Some(member) = map.next_entry()? {
                        members.push(member);
                    }
                    Ok(Members(members))
                }
            }
            deserializer.deserialize_map(MembersVisitor)
        }
    }
    serde_json::from_str::<Members>(text).ok().map(|members| members.0)
}

/// Characters that must never reach a line, by a rule of this test's own.
fn hides(c: char) -> bool {
    c.is_control()
        || (c.is_whitespace() && c != ' ')
        || matches!(c, '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}'
            | '\u{E0000}'..='\u{E0FFF}' | '\u{AD}' | '\u{61C}' | '\u{FE00}'..='\u{FE0F}')
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn what_is_seen_is_what_runs((text, server, tool) in call()) {
        let call = ToolCall::parse(&text).unwrap();
        prop_assert_eq!((call.server(), call.tool()), (server.as_str(), tool.as_str()));
        prop_assert_eq!(preview(&text), shown(&server, &tool));
        let streamed = streamed(&[text.as_bytes()]);
        prop_assert_eq!(streamed.preview(ZH), shown(&server, &tool));
        prop_assert_eq!((streamed.server(), streamed.tool()), (Some(server.as_str()), Some(tool.as_str())));
        // Old rows show the same, where their name comes apart at all.
        if !server.contains("__") && !server.ends_with('_') {
            prop_assert_eq!(tool_display_name(&full_tool_name(&server, &tool), ZH), Some(shown(&server, &tool)));
        }
    }

    #[test]
    fn pieces_do_not_matter(text in prop_oneof![call().prop_map(|call| call.0), damaged_call()],
        places in prop::collection::vec(any::<Index>(), 0..12)) {
        let whole = streamed(&[text.as_bytes()]);
        let in_pieces = streamed(&pieces(text.as_bytes(), &places));
        let units: Vec<u16> = text.encode_utf16().collect();
        let in_utf16 = streamed_utf16(&pieces(&units, &places));
        for other in [&in_pieces, &in_utf16] {
            prop_assert_eq!((other.server(), other.tool()), (whole.server(), whole.tool()));
            prop_assert_eq!(other.preview(ZH), preview(&text));
        }
    }

    #[test]
    fn a_text_that_is_no_call_names_only_what_it_says_once(text in damaged_call()) {
        let seen = preview(&text);
        match (ToolCall::parse(&text), members(&text)) {
            (Ok(call), _) => prop_assert_eq!(seen, shown(call.server(), call.tool())),
            (Err(_), Some(members)) => {
                let only = |key| {
                    let mut values = members.iter().filter(|member| member.0 == key).map(|member| &member.1);
                    values.next().filter(|_| values.next().is_none())?.as_str().filter(|name| !name.is_empty())
                };
                let expected = match (only("server"), only("tool")) {
                    (Some(server), Some(tool)) => shown(server, tool),
                    (Some(server), None) => shown_server(server),
                    (None, _) => String::new(),
                };
                prop_assert_eq!(seen, expected);
            }
            (Err(_), None) => {}
        }
    }

    #[test]
    fn no_prefix_names_what_a_refused_text_does_not(text in nearly_a_call()) {
        let members = members(&text).unwrap();
        for end in 0..=text.len() {
            let stream = streamed(&[&text.as_bytes()[..end]]);
            for (key, name) in [("server", stream.server()), ("tool", stream.tool())] {
                let said = members.iter().any(|(k, value)| k == key && value.as_str() == name);
                prop_assert!(name.is_none() || said, "{key} {name:?} of {text}");
            }
        }
    }

    #[test]
    fn everything_shown_is_one_line_of_bounded_length(text in damaged_call(), name in any::<String>()) {
        let full_name = format!("mcp__{name}");
        for line in [
            preview(&text),
            summarize(Some("mcp_call"), Some(&text), Some(&text), ZH).unwrap(),
            tool_display_name(&full_name, ZH).unwrap_or_default(),
            summarize(Some(&full_name), None, None, ZH).unwrap_or_default(),
        ] {
            prop_assert!(!line.chars().any(hides), "{line:?}");
            prop_assert!(line.graphemes(true).count() <= 2 * 128 + 1 + 20);
        }
    }

    #[test]
    fn cards_are_bounded_and_nothing_hides_in_them(arguments in any_object(), names in (name(), name()),
        max_lines in 0..8_usize, max_width in 0..120_usize) {
        let call = json!({"server": names.0, "tool": names.1, "arguments": arguments}).to_string();
        let options = CardOptions { max_lines, max_width, ..CardOptions::default() };
        let card = call_preview(&call, &options);
        let members = arguments.as_object().unwrap().len();
        prop_assert!(card.lines.len() <= max_lines.max(1));
        prop_assert_eq!(card.lines.len() - usize::from(card.omitted > 0) + card.omitted, members);
        prop_assert!(card.title.graphemes(true).count() <= 2 * 128 + 1);
        prop_assert!(!card.title.chars().any(hides), "{:?}", card.title);
        for line in &card.lines {
            prop_assert!(!line.chars().any(hides), "{line:?}");
            prop_assert!(line.graphemes(true).count() <= max_width.max(40), "{line:?}");
        }
        // The same call by its full name, as the plan has it.
        if !names.0.contains("__") && !names.0.ends_with('_') {
            let full_name = full_tool_name(&names.0, &names.1);
            let direct = CardOptions { tool_name: &full_name, ..options };
            prop_assert_eq!(call_preview(&arguments.to_string(), &direct), card);
        }
    }

    #[test]
    fn no_secret_is_shown_at_any_depth(secret in "[a-zA-Z0-9]{12,40}", arguments in any_json(),
        key in select(&["token", "password", "api_key", "Authorization", "clientSecret"][..])) {
        let hidden = json!({ key: secret });
        let text = json!({"server": "s", "tool": "t", "arguments": {
            key: secret, "nested": {"list": [hidden, arguments]}, "note": format!("{key}={secret}"),
        }}).to_string();
        let card = call_preview(&text, &CardOptions { max_width: 400, ..CardOptions::default() });
        prop_assert_eq!(card.lines.len(), 3);
        prop_assert!(!card.lines.iter().any(|line| line.contains(&secret)), "{:?}", card.lines);
    }
}

// Every prefix of a text is read from its beginning, so fewer texts.
proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn no_prefix_shows_a_name_that_the_whole_does_not((text, server, tool) in call()) {
        let allowed = [String::new(), shown_server(&server), shown(&server, &tool)];
        let mut before = 0;
        let mut stream = CallPreview::new("mcp_call");
        for end in 0..=text.len() {
            let seen = stream.preview(ZH);
            // More is shown as more is read, and never again less.
            let stage = allowed.iter().rposition(|allowed| *allowed == seen);
            prop_assert!(stage.is_some_and(|stage| stage >= before), "{seen} for {:?}", text.get(..end));
            before = stage.unwrap_or_default();
            if let Some(prefix) = text.get(..end) {
                prop_assert_eq!(&preview(prefix), &seen);
                prop_assert_eq!(summarize(Some("mcp_call"), Some(prefix), None, ZH), stream.summary(ZH));
            }
            if let Some(byte) = text.as_bytes().get(end..end + 1) {
                stream.push(byte);
            }
        }
        prop_assert_eq!(stream.preview(ZH), shown(&server, &tool));

        let mut stream = CallPreview::new("mcp_call");
        let units: Vec<u16> = text.encode_utf16().collect();
        for (end, unit) in units.iter().enumerate() {
            let seen = stream.preview(ZH);
            prop_assert!(allowed.contains(&seen), "{seen}");
            // A host that cuts its string inside a pair hands over a replacement character.
            prop_assert_eq!(preview(&String::from_utf16_lossy(&units[..end])), seen);
            stream.push_utf16(&[*unit]);
        }
        prop_assert_eq!(stream.preview(ZH), shown(&server, &tool));
    }
}

#[test]
fn a_summary_grows_with_its_call() {
    let mut stream = CallPreview::new("mcp_describe");
    let mut seen = Vec::new();
    for piece in [r#"{"ser"#, r#"ver":"g"#, r#"it","to"#, r#"ol":"log"#, r#""}"#] {
        stream.push(piece.as_bytes());
        seen.push(stream.summary(Locale::En).unwrap());
    }
    assert_eq!(
        seen,
        ["Query MCP tool", "Query MCP tool", "Query MCP tool git", "Query MCP tool git", "Query MCP tool git.log"]
    );
}

#[test]
fn tools_of_the_host_stay_its_own() {
    let mut stream = CallPreview::new("shell");
    stream.push(br#"{"server":"a","tool":"b"}"#);
    assert_eq!((stream.preview(ZH), stream.summary(ZH), stream.server()), (String::new(), None, None));
    let mut old_row = CallPreview::new("mcp__fs__read_file");
    old_row.push(br#"{"server":"a","tool":"b"}"#);
    assert_eq!(old_row.preview(ZH), "");
    assert_eq!(old_row.summary(ZH).as_deref(), Some("调用 MCP 工具 fs.read_file"));
}
