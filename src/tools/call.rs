//! The one reader of `mcp_call` and `mcp_describe` arguments.
//!
//! Approval, restored name, dispatch, summary and preview all use what [`ToolCall::parse`] returns: what is approved
//! is what runs. It knows the shape of a call and nothing of sets, names that exist, or schemas.
//!
//! ```
//! use mcp_working_set::ToolCall;
//! let call = ToolCall::parse(r#"{"server":"fs","tool":"read_file","arguments":{"path":"/a", "n":1.10}}"#)?;
//! assert_eq!((call.server(), call.tool()), ("fs", "read_file"));
//! assert_eq!(call.arguments(), r#"{"path":"/a", "n":1.10}"#);
//! # Ok::<(), mcp_working_set::CallError>(())
//! ```

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::locale::Locale;
use crate::model::wire::Text;
use crate::names::full_tool_name;
use crate::refusal::RefusalCode;
use crate::text::{one_line, push_json_string, range_of};

/// The largest text of a call that is read unless the host says otherwise, in bytes.
pub const DEFAULT_MAX_CALL_BYTES: usize = 4 << 20;

/// The deepest nesting of arrays and objects in the text of a call.
pub const MAX_CALL_DEPTH: usize = 128;

/// A nested shape shown to a model is shortened beyond this many bytes.
const MAX_SHAPE_BYTES: usize = 2_000;

/// A call as the model meant it: names, and the tool's own arguments as raw JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall<'a> {
    server: Cow<'a, str>,
    tool: Cow<'a, str>,
    arguments: Cow<'a, str>,
    repairs: Vec<Repair>,
}

/// Something in a call that was put right before it was used.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Repair {
    /// The whole text was wrapped once more as a JSON string.
    UnwrappedJsonString,
    /// The whole text stood in a Markdown code fence.
    UnwrappedCodeFence,
    /// `arguments` was a string that holds exactly one JSON object.
    ParsedArgumentsString,
    /// Keys beside `server`, `tool` and `arguments` have no meaning and were left out.
    IgnoredKeys(Vec<String>),
    /// The tool was given by its full name.
    ResolvedFullName,
    /// The tool was given as `server.tool`, `server/tool` or `server:tool`.
    ResolvedQualifiedName,
    /// The server's name was spelt otherwise.
    RespelledServer,
    /// The tool's name was spelt otherwise.
    RespelledTool,
    /// A value of the arguments was put right to satisfy the tool's schema; the text is the code and place.
    Schema(String),
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnwrappedJsonString => "unwrapped_json_string",
            Self::UnwrappedCodeFence => "unwrapped_code_fence",
            Self::ParsedArgumentsString => "parsed_arguments_string",
            Self::IgnoredKeys(keys) => return write!(f, "ignored_keys:{}", keys.join(",")),
            Self::ResolvedFullName => "resolved_full_name",
            Self::ResolvedQualifiedName => "resolved_qualified_name",
            Self::RespelledServer => "respelled_server",
            Self::RespelledTool => "respelled_tool",
            Self::Schema(repair) => repair,
        })
    }
}

/// Why a text is not a call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CallError {
    /// Not JSON, or cut off; with what the JSON reader says.
    NotJson(String),
    /// Longer than this many bytes.
    TooLarge(usize),
    /// Nested deeper than [`MAX_CALL_DEPTH`].
    TooDeep,
    /// JSON, but no object.
    NotAnObject,
    /// A key that stands there twice: readers disagree on which one wins.
    RepeatedKey(&'static str),
    /// A required key is absent.
    MissingKey(&'static str),
    /// The name under this key is not a string, is empty, or is not valid Unicode.
    InvalidName(&'static str),
    /// `arguments` is neither an object nor a string that holds exactly one.
    ArgumentsNotAnObject,
    /// The tool's own parameters stand beside `server` and `tool`; with the shape they should have.
    FlatArguments(String),
}

impl CallError {
    /// `invalid_json` or `invalid_arguments`.
    #[must_use]
    pub fn code(&self) -> RefusalCode {
        match self {
            Self::NotJson(_) => RefusalCode::InvalidJson,
            Self::TooLarge(_)
            | Self::TooDeep
            | Self::NotAnObject
            | Self::RepeatedKey(_)
            | Self::MissingKey(_)
            | Self::InvalidName(_)
            | Self::ArgumentsNotAnObject
            | Self::FlatArguments(_) => RefusalCode::InvalidArguments,
        }
    }

    /// One sentence for the model.
    #[must_use]
    pub fn message(&self, locale: Locale) -> String {
        match (self, locale) {
            (Self::NotJson(detail), Locale::ZhCn) => {
                format!("参数不是合法的 JSON,未执行任何调用:{detail}。请重新给出完整的 JSON 对象。")
            }
            (Self::NotJson(detail), Locale::En) => {
                format!(
                    "the arguments are not valid JSON and nothing was called: {detail}; send the whole JSON object again"
                )
            }
            (Self::TooLarge(limit), Locale::ZhCn) => format!("参数超过 {limit} 字节的上限,未执行。"),
            (Self::TooLarge(limit), Locale::En) => format!("the arguments exceed the limit of {limit} bytes"),
            (Self::TooDeep, Locale::ZhCn) => format!("参数嵌套超过 {MAX_CALL_DEPTH} 层,未执行。"),
            (Self::TooDeep, Locale::En) => format!("the arguments are nested deeper than {MAX_CALL_DEPTH} levels"),
            (Self::NotAnObject, Locale::ZhCn) => format!("参数必须是一个 JSON 对象:{SHAPE}"),
            (Self::NotAnObject, Locale::En) => format!("the arguments must be one JSON object: {SHAPE}"),
            (Self::RepeatedKey(key), Locale::ZhCn) => format!("键 {key} 出现了两次,无法确定以哪个为准,未执行。"),
            (Self::RepeatedKey(key), Locale::En) => format!("the key {key} stands there twice, so nothing was called"),
            (Self::MissingKey(key), Locale::ZhCn) => format!("缺少 {key}。应为:{SHAPE}"),
            (Self::MissingKey(key), Locale::En) => format!("{key} is missing; expected: {SHAPE}"),
            (Self::InvalidName(key), Locale::ZhCn) => format!("{key} 必须是非空字符串。应为:{SHAPE}"),
            (Self::InvalidName(key), Locale::En) => format!("{key} must be a non-empty string; expected: {SHAPE}"),
            (Self::ArgumentsNotAnObject, Locale::ZhCn) => format!("arguments 必须是一个 JSON 对象。应为:{SHAPE}"),
            (Self::ArgumentsNotAnObject, Locale::En) => format!("arguments must be one JSON object; expected: {SHAPE}"),
            (Self::FlatArguments(shape), Locale::ZhCn) => format!("工具自身的参数要放在 arguments 里。应为:{shape}"),
            (Self::FlatArguments(shape), Locale::En) => {
                format!("the tool's own parameters belong inside arguments; expected: {shape}")
            }
        }
    }
}

/// The shape of a call, for a model that missed it.
const SHAPE: &str = r#"{"server":"…","tool":"…","arguments":{…}}"#;

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message(Locale::En))
    }
}

impl std::error::Error for CallError {}

impl<'a> ToolCall<'a> {
    /// Reads the arguments of a call of at most [`DEFAULT_MAX_CALL_BYTES`].
    ///
    /// # Errors
    /// A [`CallError`] for every text that is not exactly one call. Text that was cut off is never completed.
    pub fn parse(arguments_json: &'a str) -> Result<Self, CallError> {
        Self::parse_within(arguments_json, DEFAULT_MAX_CALL_BYTES)
    }

    /// As [`parse`](Self::parse), with a limit in bytes of the host's choice.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn parse_within(arguments_json: &'a str, max_bytes: usize) -> Result<Self, CallError> {
        Self::parse_with::<IgnoredAny>(arguments_json, max_bytes).map(|(call, _)| call)
    }

    /// As [`parse_within`](Self::parse_within), with what `arguments` was read as on the way; nothing where its text does
    /// not stand there as it is, or cannot be read so.
    pub(crate) fn parse_with<A: Deserialize<'a>>(
        arguments_json: &'a str,
        max_bytes: usize,
    ) -> Result<(Self, Option<A>), CallError> {
        if arguments_json.len() > max_bytes {
            return Err(CallError::TooLarge(max_bytes));
        }
        let text = arguments_json.trim_matches(JSON_SPACE);
        if text.starts_with('{') {
            Self::from_object(text)
        } else if let Some(inner) = strip_code_fence(text) {
            if inner.starts_with('{') {
                let (call, value) = Self::from_object(inner)?;
                return Ok((call.repaired_first(Repair::UnwrappedCodeFence), value));
            }
            Err(not_an_object(inner))
        } else if text.starts_with('"') {
            let inner: String = serde_json::from_str(text).map_err(|error| CallError::NotJson(error.to_string()))?;
            let inner = inner.trim_matches(JSON_SPACE);
            if inner.starts_with('{') {
                let (call, _) = ToolCall::from_object::<IgnoredAny>(inner)?;
                return Ok((call.into_owned().repaired_first(Repair::UnwrappedJsonString), None));
            }
            Err(not_an_object(inner))
        } else {
            Err(not_an_object(text))
        }
    }

    fn from_object<A: Deserialize<'a>>(text: &'a str) -> Result<(Self, Option<A>), CallError> {
        match serde_json::from_str(text) {
            Ok(keys) => Self::from_keys(text, keys),
            // What is no call is none however it is read; but what cannot be read as an `A` may well be skipped.
            Err(_) => {
                let keys = serde_json::from_str(text).map_err(|error| CallError::NotJson(error.to_string()))?;
                Self::from_keys::<IgnoredAny>(text, keys).map(|(call, _)| (call, None))
            }
        }
    }

    fn from_keys<A>(text: &'a str, keys: TopLevel<'a, A>) -> Result<(Self, Option<A>), CallError> {
        if is_deeper_than(text, MAX_CALL_DEPTH) {
            return Err(CallError::TooDeep);
        }
        if let Some(key) = keys.repeated {
            return Err(CallError::RepeatedKey(key));
        }
        let server = name("server", keys.server)?;
        let tool = name("tool", keys.tool)?;
        let mut repairs = Vec::new();
        let raw =
            keys.arguments.as_ref().map(|read| read.text(text).ok_or(CallError::ArgumentsNotAnObject)).transpose()?;
        let arguments = match raw {
            None | Some("null" | "\"\"") if keys.others.is_empty() => Cow::Borrowed("{}"),
            None | Some("null" | "\"\"") => {
                return Err(CallError::FlatArguments(nested_shape(&keys)));
            }
            Some(object) if object.starts_with('{') => Cow::Borrowed(object),
            Some(string) if string.starts_with('"') => {
                repairs.push(Repair::ParsedArgumentsString);
                Cow::Owned(object_in_string(string)?)
            }
            Some(_) => return Err(CallError::ArgumentsNotAnObject),
        };
        let value = keys.arguments.map(|read| read.value).filter(|_| raw.is_some_and(|raw| raw.starts_with('{')));
        if !keys.others.is_empty() {
            repairs.push(Repair::IgnoredKeys(keys.others.iter().map(|(key, _)| one_line(key, 40)).collect()));
        }
        Ok((Self { server, tool, arguments, repairs }, value))
    }

    /// The server as the model names it.
    #[must_use]
    pub fn server(&self) -> &str {
        &self.server
    }

    /// The tool as the model names it.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The tool's own arguments: the text of one JSON object, byte for byte as it came in.
    #[must_use]
    pub fn arguments(&self) -> &str {
        &self.arguments
    }

    /// Where in the text that was parsed [`arguments`](Self::arguments) stands, in bytes; nothing when it does not
    /// stand there as it is.
    #[must_use]
    pub fn arguments_range(&self, parsed: &str) -> Option<Range<usize>> {
        range_of(parsed, &self.arguments)
    }

    /// What was put right, in the order it was done.
    #[must_use]
    pub fn repairs(&self) -> &[Repair] {
        &self.repairs
    }

    /// `mcp__{server}__{tool}`, with the names as the model gave them.
    #[must_use]
    pub fn full_tool_name(&self) -> String {
        full_tool_name(&self.server, &self.tool)
    }

    pub(crate) fn into_parts(self) -> (Cow<'a, str>, Vec<Repair>) {
        (self.arguments, self.repairs)
    }

    fn repaired_first(mut self, repair: Repair) -> Self {
        self.repairs.insert(0, repair);
        self
    }

    fn into_owned(self) -> ToolCall<'static> {
        ToolCall {
            server: Cow::Owned(self.server.into_owned()),
            tool: Cow::Owned(self.tool.into_owned()),
            arguments: Cow::Owned(self.arguments.into_owned()),
            repairs: self.repairs,
        }
    }
}

/// `mcp__{server}__{tool}` of the call that this text is; nothing when it is no call.
///
/// ```
/// use mcp_working_set::restore_full_tool_name;
/// assert_eq!(restore_full_tool_name(r#"{"server":"fs","tool":"read_file"}"#).as_deref(), Some("mcp__fs__read_file"));
/// assert_eq!(restore_full_tool_name(r#"{"server":"fs","to"#), None);
/// ```
#[must_use]
pub fn restore_full_tool_name(arguments_json: &str) -> Option<String> {
    Some(ToolCall::parse(arguments_json).ok()?.full_tool_name())
}

/// The name a tool call is really about: for `mcp_call` the restored name, or nothing when it cannot be restored; for
/// every other tool the name itself, unchanged.
#[must_use]
pub fn effective_tool_name<'a>(tool_name: &'a str, arguments_json: &str) -> Option<Cow<'a, str>> {
    if tool_name == crate::MCP_CALL {
        restore_full_tool_name(arguments_json).map(Cow::Owned)
    } else {
        Some(Cow::Borrowed(tool_name))
    }
}

const JSON_SPACE: [char; 4] = [' ', '\t', '\n', '\r'];

/// The top level of a call. Values stay raw text, so nothing of them can change; `arguments` is read as `A` besides.
struct TopLevel<'a, A> {
    server: Option<&'a RawValue>,
    tool: Option<&'a RawValue>,
    arguments: Option<Arguments<'a, A>>,
    others: Vec<(Cow<'a, str>, &'a RawValue)>,
    repeated: Option<&'static str>,
}

/// The value under `arguments`, and the literals of the keys between which its text stands.
struct Arguments<'a, A> {
    value: A,
    key: &'a str,
    next_key: Option<&'a str>,
}

impl<'a, A> Arguments<'a, A> {
    /// The text of the value. `object`, which was read, starts and ends with its braces.
    fn text(&self, object: &'a str) -> Option<&'a str> {
        let start = range_of(object, self.key)?.end;
        let (end, separator) = match self.next_key {
            Some(next) => (range_of(object, next)?.start, ','),
            None => (object.len(), '}'),
        };
        let value = object.get(start..end)?.trim_matches(JSON_SPACE).strip_prefix(':')?.strip_suffix(separator)?;
        Some(value.trim_matches(JSON_SPACE))
    }
}

impl<'de: 'a, 'a, A: Deserialize<'de>> Deserialize<'de> for TopLevel<'a, A> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TopLevelVisitor<A>(PhantomData<A>);
        impl<'de, A: Deserialize<'de>> Visitor<'de> for TopLevelVisitor<A> {
            type Value = TopLevel<'de, A>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut keys =
                    TopLevel { server: None, tool: None, arguments: None, others: Vec::new(), repeated: None };
                let mut next = map.next_key::<&RawValue>()?;
                while let Some(key) = next {
                    let text = Text::of_literal(key.get());
                    let repeated = match text.as_ref().map(|text| text.0.as_deref()) {
                        Some(Ok("server")) => keys.server.replace(map.next_value()?).map(|_| "server"),
                        Some(Ok("tool")) => keys.tool.replace(map.next_value()?).map(|_| "tool"),
                        Some(Ok("arguments")) => {
                            let value = map.next_value()?;
                            next = map.next_key()?;
                            let arguments = Arguments { value, key: key.get(), next_key: next.map(RawValue::get) };
                            if keys.arguments.replace(arguments).is_some() {
                                keys.repeated = Some("arguments");
                            }
                            continue;
                        }
                        _ => {
                            keys.others.push((text.map(Text::lossy).unwrap_or_default(), map.next_value()?));
                            None
                        }
                    };
                    keys.repeated = repeated.or(keys.repeated);
                    next = map.next_key()?;
                }
                Ok(keys)
            }
        }
        deserializer.deserialize_map(TopLevelVisitor(PhantomData))
    }
}

fn name<'a>(key: &'static str, value: Option<&'a RawValue>) -> Result<Cow<'a, str>, CallError> {
    let raw = value.ok_or(CallError::MissingKey(key))?.get();
    match Text::of_literal(raw) {
        Some(Text(Ok(name))) if !name.is_empty() => Ok(name),
        _ => Err(CallError::InvalidName(key)),
    }
}

/// The text of the one JSON object that a JSON string holds.
fn object_in_string(literal: &str) -> Result<String, CallError> {
    let text: String = serde_json::from_str(literal).map_err(|_| CallError::ArgumentsNotAnObject)?;
    let object = text.trim_matches(JSON_SPACE);
    if !object.starts_with('{') || serde_json::from_str::<&RawValue>(object).is_err() {
        return Err(CallError::ArgumentsNotAnObject);
    }
    if is_deeper_than(object, MAX_CALL_DEPTH - 1) {
        return Err(CallError::TooDeep);
    }
    Ok(object.to_owned())
}

/// The inside of a Markdown code fence that spans the whole text, without its language word.
fn strip_code_fence(text: &str) -> Option<&str> {
    let inside = text.strip_prefix("```")?.strip_suffix("```")?;
    Some(
        inside.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_').trim_matches(JSON_SPACE),
    )
}

fn not_an_object(text: &str) -> CallError {
    match serde_json::from_str::<IgnoredAny>(text) {
        Ok(_) => CallError::NotAnObject,
        Err(error) => CallError::NotJson(error.to_string()),
    }
}

/// True when arrays and objects nest deeper than `limit`. The text must be valid JSON.
fn is_deeper_than(json: &str, limit: usize) -> bool {
    // Most texts do not even hold that many brackets, and counting those is much faster than telling them apart.
    // (Added up in small pieces, since processors add many bytes at a time but few large numbers.)
    let brackets = |piece: &[u8]| usize::from(piece.iter().map(|byte| u8::from(byte | 0x20 == b'{')).sum::<u8>());
    if json.as_bytes().chunks(128).map(brackets).sum::<usize>() <= limit {
        return false;
    }
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for byte in json.bytes() {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
        } else {
            match byte {
                b'"' => in_string = true,
                b'{' | b'[' => {
                    depth += 1;
                    if depth > limit {
                        return true;
                    }
                }
                b'}' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
    }
    false
}

/// The call with the keys that stand beside `server` and `tool` moved into `arguments`.
fn nested_shape<A>(keys: &TopLevel<'_, A>) -> String {
    let shape = |value: fn(&RawValue) -> &str| {
        let mut shape = String::from("{\"server\":");
        shape.push_str(keys.server.map_or("…", value));
        shape.push_str(",\"tool\":");
        shape.push_str(keys.tool.map_or("…", value));
        shape.push_str(",\"arguments\":{");
        for (index, (key, raw)) in keys.others.iter().enumerate() {
            if index > 0 {
                shape.push(',');
            }
            push_json_string(&mut shape, key);
            shape.push(':');
            shape.push_str(value(raw));
        }
        shape.push_str("}}");
        shape
    };
    let whole = shape(RawValue::get);
    if whole.len() <= MAX_SHAPE_BYTES {
        return whole;
    }
    // The model knows its values; where they are long, only their places are shown.
    let mut short = shape(|raw| if raw.get().len() <= 100 { raw.get() } else { "…" });
    crate::text::cut(&mut short, MAX_SHAPE_BYTES);
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (String, String, String, Vec<String>) {
        let call = ToolCall::parse(text).unwrap();
        (
            call.server().to_owned(),
            call.tool().to_owned(),
            call.arguments().to_owned(),
            call.repairs().iter().map(ToString::to_string).collect(),
        )
    }

    fn fails(text: &str) -> CallError {
        ToolCall::parse(text).unwrap_err()
    }

    #[test]
    fn arguments_come_out_byte_for_byte() {
        let arguments = r#"{"id":12345678901234567890123,"x":1.10, "b":1,"a":2,"a":"\ud800"}"#;
        let text = format!(r#" {{"tool":"t","arguments":{arguments},"server":"s"}} "#);
        let call = ToolCall::parse(&text).unwrap();
        assert_eq!(call.arguments(), arguments);
        assert_eq!(text.get(call.arguments_range(&text).unwrap()), Some(arguments));
    }

    #[test]
    fn absent_null_and_empty_arguments_are_an_empty_object() {
        for arguments in ["", r#","arguments":null"#, r#","arguments":"""#] {
            let text = format!(r#"{{"server":"s","tool":"t"{arguments}}}"#);
            assert_eq!(read(&text), ("s".into(), "t".into(), "{}".into(), vec![]));
            assert_eq!(ToolCall::parse(&text).unwrap().arguments_range(&text), None);
        }
    }

    #[test]
    fn one_wrapping_is_taken_off_and_recorded() {
        let plain = r#"{"server":"s","tool":"t","arguments":{"a":1}}"#;
        let expect = |repair: &str| ("s".into(), "t".into(), r#"{"a":1}"#.into(), vec![repair.to_owned()]);
        assert_eq!(read(&serde_json::to_string(plain).unwrap()), expect("unwrapped_json_string"));
        assert_eq!(read(&format!("```json\n{plain}\n```")), expect("unwrapped_code_fence"));
        assert_eq!(read(&format!("```{plain}```")), expect("unwrapped_code_fence"));
        assert_eq!(read(r#"{"server":"s","tool":"t","arguments":" {\"a\":1}\n"}"#), expect("parsed_arguments_string"));
        let twice = serde_json::to_string(&serde_json::to_string(plain).unwrap()).unwrap();
        assert_eq!(fails(&twice), CallError::NotAnObject);
    }

    #[test]
    fn what_is_not_one_object_is_never_guessed() {
        assert!(matches!(fails(""), CallError::NotJson(_)));
        assert!(matches!(fails("```json\n{\"server\":\"s\""), CallError::NotJson(_)));
        assert!(matches!(fails(r#"{"server":"s","tool":"t"} {}"#), CallError::NotJson(_)));
        for raw in
            ["{\"server\":\"a\tb\",\"tool\":\"t\"}", "{\"server\":\"s\",\"tool\":\"t\",\"a\nb\":1,\"arguments\":{}}"]
        {
            assert!(matches!(fails(raw), CallError::NotJson(_)), "{raw}");
        }
        assert_eq!(fails("[]"), CallError::NotAnObject);
        assert_eq!(fails(r#"{"server":"s","tool":"t","arguments":[1]}"#), CallError::ArgumentsNotAnObject);
        assert_eq!(fails(r#"{"server":"s","tool":"t","arguments":"{} {}"}"#), CallError::ArgumentsNotAnObject);
        assert_eq!(fails(r#"{"server":"s","tool":7}"#), CallError::InvalidName("tool"));
        assert_eq!(fails(r#"{"server":"\ud800","tool":"t"}"#), CallError::InvalidName("server"));
        assert_eq!(fails(r#"{"server":"s","tool":"a","t\u006fol":"b"}"#), CallError::RepeatedKey("tool"));
    }

    #[test]
    fn flat_parameters_are_shown_in_their_place() {
        let error = fails(r#"{"server":"fs","path":"/a","tool":"read_file"}"#);
        let shape = r#"{"server":"fs","tool":"read_file","arguments":{"path":"/a"}}"#;
        assert_eq!(error, CallError::FlatArguments(shape.to_owned()));
        let long = format!(r#"{{"server":"fs","tool":"w","text":"{}"}}"#, "x".repeat(100_000));
        assert!(fails(&long).message(Locale::En).len() < 3_000);
        assert_eq!(
            read(r#"{"server":"s","tool":"t","arguments":{},"why":"x"}"#).3,
            vec!["ignored_keys:why".to_owned()]
        );
    }

    #[test]
    fn depth_and_size_are_bounded() {
        let nested = |levels: usize| {
            let (open, close) = ("[".repeat(levels), "]".repeat(levels));
            format!(r#"{{"server":"s","tool":"t","arguments":{{"a":{open}{close}}}}}"#)
        };
        assert!(ToolCall::parse(&nested(126)).is_ok());
        assert_eq!(fails(&nested(127)), CallError::TooDeep);
        assert_eq!(fails(&nested(100_000)), CallError::TooDeep);
        let string = serde_json::to_string(&format!("{{\"a\":{}{}}}", "[".repeat(127), "]".repeat(127))).unwrap();
        assert_eq!(fails(&format!(r#"{{"server":"s","tool":"t","arguments":{string}}}"#)), CallError::TooDeep);
        assert_eq!(ToolCall::parse_within("{}", 1), Err(CallError::TooLarge(1)));
    }
}
