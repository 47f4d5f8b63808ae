//! How a JSON document of the host is read, and what it is told when that fails.
//!
//! Decides the code and the place of every mistake: not UTF-8, not JSON, JSON of another shape. It knows no shape
//! itself; the readers of sets, reports and contexts bring theirs. Line and column are where the reader stopped: at the
//! mistake or right before it.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::error::Category;

use crate::error::{Error, ErrorCode, Place};
use crate::model::wire::Text;
use crate::text::one_line;

/// The largest document that is read, in bytes.
pub(crate) const MAX_DOCUMENT_BYTES: usize = u32::MAX as usize;

/// What a reader says about a mistake may quote the document; it is cut to this many grapheme clusters.
const SHOWN_MESSAGE: usize = 200;

/// A path holds keys of the document; it is cut likewise.
const SHOWN_PATH: usize = 200;

/// Reads a document that is one JSON object, borrowing from it where `T` does.
///
/// # Errors
/// `too_large`, `invalid_utf8`, `invalid_json` or `invalid_document`; but for the first with the place.
pub(crate) fn read<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T, Error> {
    let text = text(bytes, MAX_DOCUMENT_BYTES)?;
    serde_json::from_str(text).map(|Object(document)| document).map_err(|error| {
        let root = text.trim_ascii_start();
        if root.starts_with('{') {
            return failure(text, &error);
        }
        match serde_json::from_str::<IgnoredAny>(text) {
            Ok(_) => invalid(bytes, root, "", "the document is not an object"),
            Err(error) => failure(text, &error),
        }
    })
}

/// Reads a document that is one JSON array; otherwise like [`read`].
///
/// # Errors
/// As [`read`].
pub(crate) fn read_list<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<Vec<T>, Error> {
    let text = text(bytes, MAX_DOCUMENT_BYTES)?;
    let list: Vec<Object<T>> = serde_json::from_str(text).map_err(|error| failure(text, &error))?;
    Ok(list.into_iter().map(|Object(element)| element).collect())
}

/// A `T` that is read from a JSON object only, whatever the keys it does not know are.
///
/// What serde derives reads arrays as well, which is no documented shape, and fails as a whole at a key that is not
/// Unicode (`"\ud800"`), so that one server could take down all others.
pub(crate) struct Object<T>(pub(crate) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ObjectVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
            type Value = Object<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::deserialize(MapAccessDeserializer::new(AnyKeys(map))).map(Object)
            }
        }
        deserializer.deserialize_map(ObjectVisitor(PhantomData))
    }
}

/// Hands keys over as text, or as bytes where they are not Unicode.
struct AnyKeys<A>(A);

impl<'de, A: MapAccess<'de>> MapAccess<'de> for AnyKeys<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        self.0.next_key_seed(KeySeed(seed))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.0.next_value_seed(seed)
    }
}

struct KeySeed<K>(K);

impl<'de, K: DeserializeSeed<'de>> DeserializeSeed<'de> for KeySeed<K> {
    type Value = K::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<K::Value, D::Error> {
        self.0.deserialize(Key(deserializer))
    }
}

struct Key<D>(D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Key<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        match Text::deserialize(self.0)?.0 {
            Ok(Cow::Borrowed(key)) => visitor.visit_borrowed_str(key),
            Ok(Cow::Owned(key)) => visitor.visit_string(key),
            Err(lossy) => visitor.visit_byte_buf(lossy.into_bytes()),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// The shortest JSON text of a value whose serialisation cannot fail.
pub(crate) fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// The mistake that `part`, a slice of `document`, has another shape than documented.
pub(crate) fn invalid(document: &[u8], part: &str, path: impl Into<String>, message: impl Into<String>) -> Error {
    let offset = part.as_ptr().addr().saturating_sub(document.as_ptr().addr());
    Error::new(ErrorCode::InvalidDocument, message).at(place(document, offset, path))
}

fn text(bytes: &[u8], limit: usize) -> Result<&str, Error> {
    if bytes.len() > limit {
        return Err(Error::new(ErrorCode::TooLarge, format!("the document is larger than {limit} bytes")));
    }
    simdutf8::compat::from_utf8(bytes).map_err(|error| {
        let place = place(bytes, error.valid_up_to(), "");
        Error::new(ErrorCode::InvalidUtf8, "the document is not UTF-8").at(place)
    })
}

#[cold]
fn failure(text: &str, error: &serde_json::Error) -> Error {
    let code = match error.classify() {
        Category::Data => ErrorCode::InvalidDocument,
        Category::Syntax | Category::Eof | Category::Io => ErrorCode::InvalidJson,
    };
    let (line, column) = (error.line(), error.column());
    let message = error.to_string();
    let message = message.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&message);
    let (line, column) = (line.max(1), column.max(1));
    let before: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
    let mut end = before + column - 1;
    if message.starts_with("invalid type: sequence") || message.starts_with("invalid type: map") {
        // Told before the value is read: what stands there belongs to the value before, or opens the list.
        let here = text.as_bytes().get(end..end.saturating_add(2));
        end += usize::from(matches!(here, Some([b'[' | b',', b'[' | b'{'])));
    }
    let path = one_line(&path_at(text, end, message.starts_with("missing field")), SHOWN_PATH);
    Error::new(code, one_line(message, SHOWN_MESSAGE)).at(Place { path, line, column })
}

/// The path of the value that ends at `offset` or holds it, such as `tools[3].toolName`; empty for the whole document.
/// A mistake about a whole object is found at its end, after its last value. What stands before the offset must be JSON.
fn path_at(text: &str, offset: usize, whole_object: bool) -> String {
    enum Inside<'a> {
        /// The literal of the key whose value is being read.
        Object(Option<&'a str>),
        Array(usize),
    }
    let mut path: Vec<Inside<'_>> = Vec::new();
    let mut string_start = None;
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().take(offset) {
        if let Some(start) = string_start {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => {
                    string_start = None;
                    if let Some(Inside::Object(key @ None)) = path.last_mut() {
                        *key = text.get(start..=at);
                    }
                }
                _ => {}
            }
            continue;
        }
        match (byte, path.last_mut()) {
            (b'"', _) => string_start = Some(at),
            (b'{', _) => path.push(Inside::Object(None)),
            (b'[', _) => path.push(Inside::Array(0)),
            (b'}' | b']', _) => drop(path.pop()),
            (b',', Some(Inside::Object(key))) => *key = None,
            (b',', Some(Inside::Array(index))) => *index += 1,
            _ => {}
        }
    }
    if let (true, Some(Inside::Object(key))) = (whole_object, path.last_mut()) {
        *key = None;
    }
    let mut shown = String::new();
    for inside in path {
        match inside {
            Inside::Array(index) => shown.push_str(&format!("[{index}]")),
            Inside::Object(None) => {}
            Inside::Object(Some(key)) => {
                if !shown.is_empty() {
                    shown.push('.');
                }
                shown.push_str(&serde_json::from_str::<Text<'_>>(key).map_or(Cow::Borrowed(key), Text::lossy));
            }
        }
    }
    shown
}

fn place(document: &[u8], offset: usize, path: impl Into<String>) -> Place {
    let before = document.get(..offset).unwrap_or(document);
    let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
    let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
    Place { path: path.into(), line, column: before.len() - line_start + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::wire::{WireServer, WireTool};

    #[derive(Deserialize)]
    struct Document<'a> {
        #[serde(borrow)]
        servers: Vec<WireServer<'a>>,
        #[serde(default, borrow)]
        tools: Option<Vec<WireTool<'a>>>,
    }

    fn mistake(document: impl AsRef<[u8]>) -> (ErrorCode, String, usize, usize, String) {
        let error = read::<Document<'_>>(document.as_ref()).err().expect("a mistake");
        let place = error.place().expect("a place");
        (error.code(), place.path.clone(), place.line, place.column, error.message().to_owned())
    }

    const TOOL: &str = r#"{"toolName":"a","inputSchema":{"a":[{}]},"annotations":{"readOnlyHint":true}}"#;

    #[test]
    fn a_document_is_read() {
        let document = format!(r#" {{"servers":[{{"name":"a"}}],"tools":[{TOOL}],"more":[[]]}} "#);
        let document: Document<'_> = read(document.as_bytes()).unwrap();
        assert_eq!((document.servers.len(), document.tools.map(|tools| tools.len())), (1, Some(1)));
    }

    #[test]
    fn a_value_of_the_wrong_type_has_its_path() {
        let document = format!("{{\"servers\": [],\n \"tools\": [{TOOL},\n  {{\"toolName\": 5}}]}}");
        let (code, path, line, column, message) = mistake(document);
        assert_eq!((code, &*path, line, column), (ErrorCode::InvalidDocument, "tools[1].toolName", 3, 17));
        assert_eq!(message, "invalid type: integer `5`, expected a string");
        let (code, path, .., message) = mistake(r#"{"servers":[{"id":9007199254740992,"name":"a"}]}"#);
        assert_eq!((code, &*path), (ErrorCode::InvalidDocument, "servers[0].id"));
        assert_eq!(message, "an id must lie within ±(2^53 - 1)");
    }

    #[test]
    fn a_missing_field_has_the_path_of_its_object() {
        let (code, path, .., message) = mistake(r#"{"servers":[],"tools":[{"description":"d"}]}"#);
        assert_eq!((code, &*path, &*message), (ErrorCode::InvalidDocument, "tools[0]", "missing field `toolName`"));
        let (code, path, line, column, _) = mistake("{}");
        assert_eq!((code, &*path, line, column), (ErrorCode::InvalidDocument, "", 1, 2));
    }

    #[test]
    fn what_is_not_json_has_line_and_column() {
        assert_eq!(mistake(""), (ErrorCode::InvalidJson, String::new(), 1, 1, "EOF while parsing a value".to_owned()));
        let (code, path, line, column, _) = mistake("{\"servers\":\n[tru]}");
        assert_eq!((code, &*path, line, column), (ErrorCode::InvalidJson, "servers[0]", 2, 5));
        let (code, path, line, column, _) = mistake("{\"servers\":[]}\n]");
        assert_eq!((code, &*path, line, column), (ErrorCode::InvalidJson, "", 2, 1));
    }

    #[test]
    fn what_is_not_utf8_has_line_and_column() {
        let (code, path, line, column, _) = mistake(b"{\n\"a\xFF");
        assert_eq!((code, &*path, line, column), (ErrorCode::InvalidUtf8, "", 2, 3));
    }

    #[test]
    fn a_message_quotes_little_and_on_one_line() {
        let long = format!(r#"{{"servers":"\n\u202e at line 7 column 9 {}"}}"#, "x".repeat(100_000));
        let (code, path, .., message) = mistake(long);
        assert_eq!((code, &*path), (ErrorCode::InvalidDocument, "servers"));
        assert!(message.starts_with("invalid type: string") && message.contains("at line 7"), "{message}");
        assert!(message.chars().count() <= SHOWN_MESSAGE && !message.contains(['\n', '\u{202e}']));
    }

    #[test]
    fn a_document_that_is_too_large_is_not_read() {
        assert_eq!(text(b"[1]", 2).unwrap_err().code(), ErrorCode::TooLarge);
        assert_eq!(text(b"[1]", 3).unwrap(), "[1]");
    }

    #[test]
    fn a_document_that_is_no_object_is_none() {
        for document in ["\n [[]]", "\n 5", "\n \"servers\"", "\n [[], []]", "\n null"] {
            let (code, path, line, column, message) = mistake(document);
            assert_eq!((code, &*path, line, column), (ErrorCode::InvalidDocument, "", 2, 2), "{document}");
            assert_eq!(message, "the document is not an object");
        }
        assert_eq!(mistake("[[], []").0, ErrorCode::InvalidJson);
    }

    #[test]
    fn a_list_is_read_with_the_path_of_a_mistake() {
        let read = |json| read_list::<WireServer<'_>>(json).map(|servers| servers.len());
        assert_eq!(read(br#"[{"name":"a"},{"name":"b"}]"#), Ok(2));
        let error = read(br#"[{"name":"a"}, {"name":true}]"#).unwrap_err();
        let expected = "invalid type: boolean `true`, expected a string at `[1].name` (line 1, column 28)";
        assert_eq!(error.to_string(), expected);
        assert_eq!(read(b"{}").unwrap_err().code(), ErrorCode::InvalidDocument);
    }
}
