//! Content hashes: one of a tool's definition, one of a whole set.
//!
//! Each is SHA-256 over a sequence of parts, every part preceded by its length, so that no two contents share a
//! sequence. Schemas are hashed by meaning: object keys in UTF-8 byte order, strings without escapes, numbers as IEEE 754
//! doubles, as RFC 8785 reads them; so white space, order of keys and spelling change nothing. Keys that stand twice
//! all count. A schema that cannot be read that way (nested deeper than serde_json reads, lone surrogates, numbers out
//! of range) is hashed byte for byte.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use sha2::{Digest, Sha256};

use super::WorkingSet;
use crate::locale::Locale;
use crate::model::{Annotations, Hint};
use crate::section;

struct Hash(Sha256);

impl Hash {
    /// A hash of one kind of thing; the kinds never share a sequence.
    fn new(kind: &str) -> Self {
        let mut hash = Self(Sha256::new());
        hash.part(kind.as_bytes());
        hash
    }

    fn part(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_be_bytes());
        self.0.update(bytes);
    }

    fn text(&mut self, text: &str) {
        self.part(text.as_bytes());
    }

    fn finish(self) -> [u8; 32] {
        self.0.finalize().into()
    }
}

pub(super) fn of_definition(name: &str, description: &str, schema: &str, annotations: Annotations) -> [u8; 32] {
    let mut hash = Hash::new("tool");
    hash.text(name);
    hash.text(description);
    match serde_json::from_str::<Meaning<'_>>(schema) {
        Ok(meaning) => meaning.add_to(&mut hash),
        Err(_) => {
            hash.text("raw");
            hash.text(schema);
        }
    }
    let Annotations { read_only_hint, destructive_hint, idempotent_hint, open_world_hint } = annotations;
    hash.part(&[read_only_hint, destructive_hint, idempotent_hint, open_world_hint].map(|hint| match hint {
        Hint::NotSaid => b'-',
        Hint::False => b'0',
        Hint::True => b'1',
    }));
    hash.finish()
}

/// Of one tool that was given in copies that differ.
pub(super) fn of_copies(definitions: &BTreeSet<&[u8; 32]>) -> [u8; 32] {
    let mut hash = Hash::new("copies");
    for definition in definitions {
        hash.part(*definition);
    }
    hash.finish()
}

pub(super) fn of_set(set: &WorkingSet) -> String {
    let mut hash = Hash::new("set");
    for server in set.servers() {
        hash.text("server");
        // The address is what the model sees, the name what the desktop routes by.
        hash.text(server.address());
        hash.text(server.name());
        hash.text(&server.description().map(section::description).unwrap_or_default());
        match server.unavailable() {
            // A reason is never empty.
            None => hash.text(""),
            Some(why) => hash.text(&section::reason(why, Locale::ZhCn)),
        }
        if server.disputed {
            hash.text("disputed");
        }
        for tool in server.tools() {
            hash.part(tool.fingerprint_bytes());
        }
    }
    hex(&hash.finish())
}

pub(super) fn hex(bytes: &[u8; 32]) -> String {
    let digit = |value: u8| if value < 10 { b'0' + value } else { b'a' + value - 10 };
    let hex: Vec<u8> = bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect();
    String::from_utf8(hex).unwrap_or_default()
}

/// A JSON value without its spelling.
enum Meaning<'a> {
    Null,
    Bool(bool),
    Number(f64),
    Text(Cow<'a, str>),
    Array(Vec<Meaning<'a>>),
    Object(Vec<(Cow<'a, str>, Meaning<'a>)>),
}

impl Meaning<'_> {
    fn add_to(&self, hash: &mut Hash) {
        match self {
            Self::Null => hash.text("null"),
            Self::Bool(value) => hash.text(if *value { "true" } else { "false" }),
            Self::Number(value) => {
                hash.text("number");
                // -0 and 0 are one number.
                hash.part(&(value + 0.0).to_bits().to_be_bytes());
            }
            Self::Text(text) => {
                hash.text("string");
                hash.text(text);
            }
            Self::Array(items) => {
                hash.text("array");
                hash.part(&(items.len() as u64).to_be_bytes());
                items.iter().for_each(|item| item.add_to(hash));
            }
            Self::Object(members) => {
                hash.text("object");
                hash.part(&(members.len() as u64).to_be_bytes());
                for (key, value) in members {
                    hash.text(key);
                    value.add_to(hash);
                }
            }
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Meaning<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(MeaningVisitor)
    }
}

struct MeaningVisitor;

impl<'de> Visitor<'de> for MeaningVisitor {
    type Value = Meaning<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Meaning::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Meaning::Bool(value))
    }

    #[allow(clippy::cast_precision_loss, reason = "RFC 8785 reads every number as a double")]
    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Meaning::Number(value as f64))
    }

    #[allow(clippy::cast_precision_loss, reason = "RFC 8785 reads every number as a double")]
    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Meaning::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Meaning::Number(value))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Meaning::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Meaning::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Meaning::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members: Vec<(Cow<'de, str>, Meaning<'de>)> = Vec::new();
        while let Some(key) = map.next_key()? {
            members.push((key, map.next_value()?));
        }
        // Stable, so that values of one key keep their order.
        members.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(Meaning::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(schema: &str) -> [u8; 32] {
        of_definition("t", "d", schema, Annotations::default())
    }

    #[test]
    fn spelling_does_not_count() {
        let plain = hash(r#"{"a":[1,-0,100],"b":"é"}"#);
        assert_eq!(plain, hash(" { \"b\" : \"\\u00e9\",\n \"a\": [1.0, 0, 1e2] } "));
    }

    #[test]
    fn everything_else_does() {
        let texts = [
            r#"{"a":1}"#,
            r#"{"a":2}"#,
            r#"{"a":"1"}"#,
            r#"{"a":[1]}"#,
            r#"{"a":[]}"#,
            r#"{"a":{}}"#,
            r#"{"a":null}"#,
            r#"{"a":1,"a":2}"#,
            r#"{"a":2,"a":1}"#,
            r#"{"a":"\ud800"}"#,
            r#"{"a":1e999}"#,
            r#"{"a":1e998}"#,
            "[]",
            "{}",
        ];
        let hashes: BTreeSet<_> = texts.iter().map(|text| hash(text)).collect();
        assert_eq!(hashes.len(), texts.len());
    }

    #[test]
    fn depth_is_no_danger() {
        let deep = |levels| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert_ne!(hash(&deep(100_000)), hash(&deep(100_001)));
    }
}
