//! What providers accept as the schema of a tool's input.
//!
//! | where | rule |
//! |---|---|
//! | root not an object | `{"type":"object","properties":{}}` |
//! | root `type` missing, null or `"null"` | `"object"` |
//! | any node with `type` null or `"null"` | `"object"` if it has properties, else `"string"` |
//! | `type` a list | null and `"null"` are dropped; one left stands alone; none left: the row above |
//! | root `properties` missing or not an object | `{}` |
//!
//! The rules go into every place where a schema holds schemas, in draft-07, 2019-09 and 2020-12. Everything else stays
//! as it is: order of keys, spelling of numbers, keywords nobody knows. It refuses to know what a schema means.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::Holds;
use crate::model::wire::Text;
use crate::text::push_json_string;

/// Schemas nested deeper than this in schemas are left as they are.
const MAX_DEPTH: usize = 64;

const EMPTY: &str = r#"{"type":"object","properties":{}}"#;

/// The schema as providers accept it, as compact JSON. Never fails: what is not a JSON object becomes the schema of no
/// properties. Applied twice it changes nothing more. Schemas nested more than 64 deep in each other are left as they
/// are, and so is a node with a key that is not Unicode; of a key that stands there twice the last value counts.
///
/// ```
/// use mcp_working_set::normalize_input_schema;
/// let schema = r#"{"type": null, "properties": {"a": {"type": ["string", "null"]}, "b": {"type": "null"}}}"#;
/// assert_eq!(
///     normalize_input_schema(schema),
///     r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}}"#
/// );
/// ```
#[must_use]
pub fn normalize_input_schema(schema: &str) -> String {
    let Ok(raw) = serde_json::from_str::<&RawValue>(schema) else { return EMPTY.to_owned() };
    if !raw.get().starts_with('{') {
        return EMPTY.to_owned();
    }
    let mut out = String::with_capacity(schema.len() + EMPTY.len());
    push_schema(&mut out, raw.get(), Place::Root, 0);
    out
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Root,
    Nested,
}

fn push_schema(out: &mut String, raw: &str, place: Place, depth: usize) {
    let members = match serde_json::from_str::<Members<'_>>(raw) {
        Ok(Members { entries: Some(members), .. }) if depth < MAX_DEPTH => members,
        // A boolean schema, something that is none, or one that cannot be taken apart.
        _ => return push_compact(out, raw),
    };
    let value_of = |wanted: &str| members.iter().find(|(key, _)| key == wanted).map(|(_, value)| value.get());
    let has_properties = value_of("properties").is_some_and(|value| value.starts_with('{'));
    let fallback = if place == Place::Root || has_properties { "\"object\"" } else { "\"string\"" };

    out.push('{');
    let mut first = true;
    let mut key = |out: &mut String, key: &str| {
        if !std::mem::take(&mut first) {
            out.push(',');
        }
        push_json_string(out, key);
        out.push(':');
    };
    for (name, value) in &members {
        key(out, name);
        match (&**name, value.get()) {
            ("type", value) => push_type(out, value, fallback),
            ("properties", value) if place == Place::Root && !value.starts_with('{') => out.push_str("{}"),
            (name, value) => push_value(out, &Holds::of(name), value, depth),
        }
    }
    if place == Place::Root {
        if value_of("type").is_none() {
            key(out, "type");
            out.push_str(fallback);
        }
        if value_of("properties").is_none() {
            key(out, "properties");
            out.push_str("{}");
        }
    }
    out.push('}');
}

/// The value of a keyword that is neither `type` nor the root's missing `properties`.
fn push_value(out: &mut String, holds: &Holds, value: &str, depth: usize) {
    match (holds, value.as_bytes().first()) {
        (Holds::Schema | Holds::SchemaOrList, Some(b'{')) => push_schema(out, value, Place::Nested, depth + 1),
        (Holds::List | Holds::SchemaOrList, Some(b'[')) => {
            let schemas: Vec<&RawValue> = serde_json::from_str(value).unwrap_or_default();
            out.push('[');
            for (index, schema) in schemas.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                push_schema(out, schema.get(), Place::Nested, depth + 1);
            }
            out.push(']');
        }
        (Holds::Map, Some(b'{')) => match serde_json::from_str::<Members<'_>>(value) {
            Ok(Members { entries: Some(schemas), .. }) => {
                out.push('{');
                for (index, (name, schema)) in schemas.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    push_json_string(out, name);
                    out.push(':');
                    push_schema(out, schema.get(), Place::Nested, depth + 1);
                }
                out.push('}');
            }
            _ => push_compact(out, value),
        },
        _ => push_compact(out, value),
    }
}

fn push_type(out: &mut String, value: &str, fallback: &str) {
    let is_null =
        |kind: &str| kind == "null" || Text::of_literal(kind).is_some_and(|text| text.0.as_deref() == Ok("null"));
    if is_null(value) {
        return out.push_str(fallback);
    }
    let Ok(types) = serde_json::from_str::<Vec<&RawValue>>(value) else { return push_compact(out, value) };
    let kept: Vec<&str> = types.iter().map(|kind| kind.get()).filter(|kind| !is_null(kind)).collect();
    match kept.as_slice() {
        [] => out.push_str(fallback),
        // A list in the list is no type, and stays where it is.
        [one] if one.starts_with('"') => push_compact(out, one),
        several => {
            out.push('[');
            push_compact(out, &several.join(","));
            out.push(']');
        }
    }
}

/// Valid JSON without the white space between its tokens.
fn push_compact(out: &mut String, json: &str) {
    let (mut in_string, mut escaped) = (false, false);
    out.extend(json.chars().filter(|&c| {
        if in_string {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => in_string = false,
                _ => {}
            }
            return true;
        }
        in_string = c == '"';
        !matches!(c, ' ' | '\t' | '\n' | '\r')
    }));
}

/// The members of an object, as `JSON.parse` keeps them: a key stands where it stood first, with its last value.
pub(super) struct Members<'a> {
    /// Nothing when a key is not Unicode.
    pub(super) entries: Option<Vec<(Cow<'a, str>, &'a RawValue)>>,
    /// Whether a key stands there twice.
    #[cfg_attr(not(feature = "validate"), allow(dead_code, reason = "repairs ask for it"))]
    pub(super) repeated: bool,
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct MembersVisitor;
        impl<'de> Visitor<'de> for MembersVisitor {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = indexmap::IndexMap::new();
                let (mut readable, mut repeated) = (true, false);
                while let Some(Text(key)) = map.next_key()? {
                    let value: &RawValue = map.next_value()?;
                    match key {
                        Ok(key) => repeated |= members.insert(key, value).is_some(),
                        Err(_) => readable = false,
                    }
                }
                Ok(Members { entries: readable.then(|| members.into_iter().collect()), repeated })
            }
        }
        deserializer.deserialize_map(MembersVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn becomes(schema: &str, expected: &str) {
        let once = normalize_input_schema(schema);
        assert_eq!(once, expected);
        assert_eq!(normalize_input_schema(&once), once, "applied twice");
    }

    #[test]
    fn the_table_row_by_row() {
        for nothing in ["", "null", "5", "[]", "\"object\"", "true", "{", "{} {}"] {
            becomes(nothing, EMPTY);
        }
        becomes("{}", EMPTY);
        for kind in ["null", "\"null\"", "[null]", "[\"null\", null]", "[]"] {
            becomes(&format!(r#"{{"type": {kind}, "properties": {{}}}}"#), EMPTY);
            becomes(
                &format!(
                    r#"{{"properties": {{"a": {{"type": {kind}}}, "b": {{"type": {kind}, "properties": {{}}}}}}}}"#
                ),
                r#"{"properties":{"a":{"type":"string"},"b":{"type":"object","properties":{}}},"type":"object"}"#,
            );
        }
        becomes(r#"{"type":["null","object"],"properties":[]}"#, EMPTY);
        becomes(r#"{"type":"n\u0075ll","properties":{}}"#, EMPTY);
        becomes(r#"{"type":["\u006eull","object"],"properties":{}}"#, EMPTY);
        becomes(r#"{"type":[["null"]],"properties":null}"#, r#"{"type":[["null"]],"properties":{}}"#);
        becomes(r#"{"type":[[null],null],"properties":{}}"#, r#"{"type":[[null]],"properties":{}}"#);
        becomes(
            r#"{"type":"object","properties":{"a":{"type":["string",null,"number"]},"b":{}}}"#,
            r#"{"type":"object","properties":{"a":{"type":["string","number"]},"b":{}}}"#,
        );
    }

    #[test]
    fn schemas_are_reached_wherever_they_nest() {
        for keyword in
            ["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "contentSchema"]
        {
            becomes(
                &format!(r#"{{"type":"object","properties":{{}},"{keyword}":{{"type":null}}}}"#),
                &format!(r#"{{"type":"object","properties":{{}},"{keyword}":{{"type":"string"}}}}"#),
            );
        }
        for keyword in ["anyOf", "oneOf", "allOf", "prefixItems", "items"] {
            becomes(
                &format!(r#"{{"type":"object","properties":{{}},"{keyword}":[{{"type":null}},true]}}"#),
                &format!(r#"{{"type":"object","properties":{{}},"{keyword}":[{{"type":"string"}},true]}}"#),
            );
        }
        for keyword in ["patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"] {
            becomes(
                &format!(r#"{{"type":"object","properties":{{}},"{keyword}":{{"type":{{"type":null}},"b":["a"]}}}}"#),
                &format!(
                    r#"{{"type":"object","properties":{{}},"{keyword}":{{"type":{{"type":"string"}},"b":["a"]}}}}"#
                ),
            );
        }
    }

    #[test]
    fn everything_else_stays() {
        becomes(
            r#"{ "x-b": [1.0, 1e2, 12345678901234567890, "a b"], "type": "object", "const": {"type": null}, "properties":
            {"type": {"enum": [null]}, "z": {"default": null}} }"#,
            r#"{"x-b":[1.0,1e2,12345678901234567890,"a b"],"type":"object","const":{"type":null},"properties":{"type":{"enum":[null]},"z":{"default":null}}}"#,
        );
    }

    #[test]
    fn odd_keys_and_great_depth_are_no_danger() {
        becomes(r#"{"type":"a","type":null,"properties":{}}"#, EMPTY);
        becomes(r#"{"type":null,"\ud800":1}"#, r#"{"type":null,"\ud800":1}"#);
        let deep = format!("{}{}{}", r#"{"not":"#.repeat(50_000), "{}", "}".repeat(50_000));
        assert!(normalize_input_schema(&deep).len() >= deep.len());
    }
}
