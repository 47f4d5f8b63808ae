//! The wire form of the model (camelCase JSON), read leniently where the specification says so.
//!
//! - Unknown fields are ignored, of any size and depth.
//! - A text may hold escapes of lone surrogates: the document stays readable, the text says that it is not Unicode.
//! - Hints count only as JSON booleans; an `annotations` that is not an object says nothing.
//! - Everything else of the wrong type is an error.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, Unexpected, Visitor};
use serde_json::value::RawValue;

use super::{Annotations, ConnectionError, ConnectionErrorKind, Hint, Server, Tool};

/// The largest id that every JSON reader understands alike, 2⁵³ − 1 (RFC 8259 §6).
const MAX_ID: i64 = (1 << 53) - 1;

/// A server as it stands in a document.
#[derive(Deserialize)]
#[serde(expecting = "a server")]
pub(crate) struct WireServer<'a> {
    #[serde(default)]
    pub(crate) id: Id,
    #[serde(borrow)]
    pub(crate) name: Text<'a>,
    #[serde(default, borrow)]
    pub(crate) description: Option<Text<'a>>,
}

/// A tool as it stands in a document.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "a tool")]
pub(crate) struct WireTool<'a> {
    #[serde(default)]
    pub(crate) server_id: Id,
    #[serde(default, borrow)]
    pub(crate) server_name: Option<Text<'a>>,
    #[serde(borrow)]
    pub(crate) tool_name: Text<'a>,
    #[serde(default, borrow)]
    pub(crate) description: Option<Text<'a>>,
    #[serde(default, borrow)]
    pub(crate) input_schema: Raw<'a>,
    #[serde(default)]
    pub(crate) annotations: WireAnnotations,
}

/// A connection error as it stands in a document.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "a connection error")]
pub(crate) struct WireConnectionError<'a> {
    #[serde(default)]
    pub(crate) server_id: Id,
    #[serde(default, borrow)]
    pub(crate) server_name: Option<Text<'a>>,
    #[serde(default, borrow)]
    pub(crate) reason: Option<Text<'a>>,
    #[serde(default)]
    pub(crate) kind: WireKind,
}

impl<'a> From<&'a Server> for WireServer<'a> {
    fn from(server: &'a Server) -> Self {
        Self {
            id: Id(server.id),
            name: Text::from(&server.name),
            description: server.description.as_ref().map(Text::from),
        }
    }
}

impl<'a> From<&'a Tool> for WireTool<'a> {
    fn from(tool: &'a Tool) -> Self {
        Self {
            server_id: Id(tool.server_id),
            server_name: Some(Text::from(&tool.server_name)),
            tool_name: Text::from(&tool.tool_name),
            description: Some(Text::from(&tool.description)),
            input_schema: Raw(tool.input_schema.get()),
            annotations: WireAnnotations(tool.annotations),
        }
    }
}

impl<'a> From<&'a ConnectionError> for WireConnectionError<'a> {
    fn from(error: &'a ConnectionError) -> Self {
        Self {
            server_id: Id(error.server_id.unwrap_or(0)),
            server_name: Some(Text::from(&error.server_name)),
            reason: Some(Text::from(&error.reason)),
            kind: WireKind(error.kind),
        }
    }
}

impl<'a> From<&'a String> for Text<'a> {
    fn from(text: &'a String) -> Self {
        Self(Ok(Cow::Borrowed(text)))
    }
}

/// An integer id; `null` and absence mean 0, "none".
#[derive(Clone, Copy, Default)]
pub(crate) struct Id(pub(crate) i64);

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Option::<i64>::deserialize(deserializer)? {
            Some(id) if !(-MAX_ID..=MAX_ID).contains(&id) => Err(D::Error::custom("an id must lie within ±(2^53 - 1)")),
            id => Ok(Self(id.unwrap_or(0))),
        }
    }
}

/// A JSON string. `Err` when it holds the escape of a lone surrogate, and so is not Unicode; then with U+FFFD in
/// the place of each such escape.
pub(crate) struct Text<'a>(pub(crate) Result<Cow<'a, str>, String>);

impl<'a> Text<'a> {
    /// The text, with U+FFFD where it is not Unicode.
    pub(crate) fn lossy(self) -> Cow<'a, str> {
        self.0.unwrap_or_else(Cow::Owned)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // First as raw text: only that way control characters are refused *and* lone surrogates are let through.
        let literal = <&RawValue>::deserialize(deserializer)?.get();
        Self::of_literal(literal).ok_or_else(|| D::Error::invalid_type(kind_of(literal), &"a string"))
    }
}

impl<'a> Text<'a> {
    /// The text of a valid JSON string literal; nothing for another JSON value.
    pub(crate) fn of_literal(literal: &'a str) -> Option<Self> {
        let inside = literal.strip_prefix('"')?.strip_suffix('"')?;
        if !inside.contains('\\') {
            return Some(Self(Ok(Cow::Borrowed(inside))));
        }
        serde_json::from_str(literal).ok().map(|Unescaped(text)| Self(text.map(Cow::Owned)))
    }
}

/// What a JSON value that is no string is, for an error.
fn kind_of(json: &str) -> Unexpected<'_> {
    match json.as_bytes().first() {
        Some(b't') => Unexpected::Bool(true),
        Some(b'f') => Unexpected::Bool(false),
        Some(b'n') => Unexpected::Unit,
        Some(b'[') => Unexpected::Seq,
        Some(b'{') => Unexpected::Map,
        _ => match (json.parse(), json.parse()) {
            (Ok(number), _) => Unexpected::Signed(number),
            (Err(_), Ok(number)) => Unexpected::Float(number),
            (Err(_), Err(_)) => Unexpected::Other("a number"),
        },
    }
}

/// A JSON string without its escapes, as [`Text`].
struct Unescaped(Result<String, String>);

impl<'de> Deserialize<'de> for Unescaped {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BytesVisitor;
        impl Visitor<'_> for BytesVisitor {
            type Value = Unescaped;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
                Ok(Unescaped(str::from_utf8(bytes).map(str::to_owned).map_err(|_| lossy(bytes))))
            }
        }
        // As bytes: serde_json then hands lone surrogates over (as WTF-8) instead of failing.
        deserializer.deserialize_bytes(BytesVisitor)
    }
}

/// Surrogates in WTF-8 take three bytes each; `from_utf8_lossy` would make three replacement characters of one.
fn lossy(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if chunk.invalid().first() == Some(&0xED) {
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
    text
}

/// Any JSON value as its raw text; `{}` when absent.
pub(crate) struct Raw<'a>(pub(crate) &'a str);

impl Default for Raw<'_> {
    fn default() -> Self {
        Self("{}")
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Raw<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <&RawValue>::deserialize(deserializer).map(|raw| Self(raw.get()))
    }
}

/// The values under some keys of a JSON object, for readers that put up with everything. Other keys are ignored, and
/// `null` is as good as absent.
pub(crate) struct Fields<'a, const N: usize> {
    pub(crate) values: [Option<&'a RawValue>; N],
    /// A key that stands there twice: of its values the last one counts, as in `JSON.parse`.
    pub(crate) repeated: Option<&'static str>,
}

/// The values under `keys`; nothing when the value is not an object.
pub(crate) fn fields<'a, const N: usize>(object: &'a RawValue, keys: [&'static str; N]) -> Option<Fields<'a, N>> {
    struct FieldsVisitor<const N: usize>([&'static str; N]);
    impl<'de, const N: usize> Visitor<'de> for FieldsVisitor<N> {
        type Value = Fields<'de, N>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut fields = Fields { values: [None; N], repeated: None };
            while let Some(Text(key)) = map.next_key()? {
                let value: &RawValue = map.next_value()?;
                let slot = self.0.iter().zip(&mut fields.values).find(|(known, _)| key.as_deref() == Ok(**known));
                if let Some((known, slot)) = slot
                    && slot.replace(value).is_some()
                {
                    fields.repeated = Some(known);
                }
            }
            fields.values = fields.values.map(|value| value.filter(|value| value.get() != "null"));
            Ok(fields)
        }
    }
    serde_json::Deserializer::from_str(object.get()).deserialize_map(FieldsVisitor(keys)).ok()
}

/// The elements of a JSON array; nothing when the value is not one.
pub(crate) fn elements(array: &RawValue) -> Option<Vec<&RawValue>> {
    serde_json::from_str(array.get()).ok()
}

/// The text of a JSON string; nothing when the value is not one.
pub(crate) fn string(value: &RawValue) -> Option<Text<'_>> {
    Text::of_literal(value.get())
}

/// Annotations of which only the booleans count.
#[derive(Clone, Copy, Default)]
pub(crate) struct WireAnnotations(pub(crate) Annotations);

impl<'de> Deserialize<'de> for WireAnnotations {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?.get();
        // A value that is not an object says nothing, and neither does a hint that is not a boolean.
        Ok(Self(serde_json::from_str::<HintsOnly>(raw).map(|hints| hints.0).unwrap_or_default()))
    }
}

struct HintsOnly(Annotations);

impl<'de> Deserialize<'de> for HintsOnly {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct HintsVisitor;
        impl<'de> Visitor<'de> for HintsVisitor {
            type Value = HintsOnly;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("tool annotations")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let (mut read_only, mut destructive, mut idempotent, mut open_world) = (None, None, None, None);
                while let Some(Text(key)) = map.next_key()? {
                    let hint = match map.next_value::<&RawValue>()?.get() {
                        "true" => Hint::True,
                        "false" => Hint::False,
                        _ => Hint::NotSaid,
                    };
                    // Readers disagree on which of two equal keys wins, so the less soothing one does.
                    match key.as_deref() {
                        Ok("readOnlyHint") => read_only = Some(read_only.map_or(hint, |said: Hint| said.min(hint))),
                        Ok("idempotentHint") => idempotent = Some(idempotent.map_or(hint, |said: Hint| said.min(hint))),
                        Ok("destructiveHint") => destructive = destructive.max(Some(hint)),
                        Ok("openWorldHint") => open_world = open_world.max(Some(hint)),
                        _ => {}
                    }
                }
                Ok(HintsOnly(Annotations {
                    read_only_hint: read_only.unwrap_or_default(),
                    destructive_hint: destructive.unwrap_or_default(),
                    idempotent_hint: idempotent.unwrap_or_default(),
                    open_world_hint: open_world.unwrap_or_default(),
                }))
            }
        }
        deserializer.deserialize_map(HintsVisitor)
    }
}

/// The kind of a connection error; whatever is not one of the other two names is a failure.
#[derive(Clone, Copy, Default)]
pub(crate) struct WireKind(pub(crate) ConnectionErrorKind);

impl<'de> Deserialize<'de> for WireKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(match <&RawValue>::deserialize(deserializer)?.get() {
            "\"cancelled\"" => ConnectionErrorKind::Cancelled,
            "\"not_reported\"" => ConnectionErrorKind::NotReported,
            _ => ConnectionErrorKind::Failed,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values<const N: usize>(
        json: &str,
        keys: [&'static str; N],
    ) -> Option<([Option<String>; N], Option<&'static str>)> {
        let fields = fields(serde_json::from_str(json).unwrap(), keys)?;
        Some((fields.values.map(|value| Some(value?.get().to_owned())), fields.repeated))
    }

    #[test]
    fn fields_are_found_among_anything() {
        let json = r#"{"b": [ 1.0 ], "\ud800": {}, "\u0061": null, "c": {}, "other": 1, "other": 2}"#;
        assert_eq!(values(json, ["a", "b"]), Some(([None, Some("[ 1.0 ]".to_owned())], None)));
        assert_eq!(values(r#"{"a": 1, "a": null}"#, ["a"]), Some(([None], Some("a"))));
        assert_eq!(values(r#"{"a": null, "a": 2}"#, ["a"]), Some(([Some("2".to_owned())], Some("a"))));
        assert_eq!(values("{}", ["a"]), Some(([None], None)));
        for json in ["[]", "null", "5", r#""{}""#] {
            assert_eq!(values(json, ["a"]), None, "{json}");
        }
    }
}
