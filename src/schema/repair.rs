//! Values that a model wrote as text although their schema allows one other type only.
//!
//! Put right where nothing is guessed: JSON text where an object or a list is required, a number or boolean written as
//! a string where only that type is allowed. Every other byte of the arguments stays as it came. Where a schema leaves a
//! choice (several types, `anyOf`, a reference that leads nowhere or has company) or the arguments do (a key that stands
//! there twice) nothing is touched: what is put right was wrong for certain.

use std::ops::Range;

use serde_json::value::RawValue;
use serde_json::{Number, Value};

use super::MAX_REFERENCES;
use crate::model::wire::Text;
use crate::schema::normalize::Members;
use crate::text::range_of;

/// Values nested deeper than this are not looked at.
const MAX_DEPTH: usize = 16;

/// Arguments put right.
pub(crate) struct Repaired {
    pub(crate) arguments: String,
    /// `parsed_value:`, `read_number:` or `read_boolean:`, each with the JSON Pointer of the value.
    pub(crate) repairs: Vec<String>,
}

/// The arguments with all such values put right; nothing when there is none. Whether they satisfy the schema now is for
/// the caller to check.
pub(crate) fn repair_arguments(schema: &str, arguments: &str) -> Option<Repaired> {
    let root: Value = serde_json::from_str(schema).ok()?;
    if has_resources(&root) {
        return None;
    }
    let mut edits = Vec::new();
    find(arguments, &root, &root, arguments, &mut String::new(), 0, &mut edits);
    if edits.is_empty() {
        return None;
    }
    let mut text = String::with_capacity(arguments.len());
    let mut repairs = Vec::new();
    let mut end = 0;
    for edit in edits {
        text.push_str(arguments.get(end..edit.place.start)?);
        text.push_str(&edit.value);
        end = edit.place.end;
        repairs.push(edit.repair);
    }
    text.push_str(arguments.get(end..)?);
    Some(Repaired { arguments: text, repairs })
}

/// One value that is replaced.
struct Edit {
    place: Range<usize>,
    value: String,
    repair: String,
}

fn find(
    value: &str,
    schema: &Value,
    root: &Value,
    whole: &str,
    pointer: &mut String,
    depth: usize,
    edits: &mut Vec<Edit>,
) {
    let Some(schema) = only(schema, root).filter(|_| depth <= MAX_DEPTH) else { return };
    let kind = schema.get("type").and_then(Value::as_str);
    match (value.as_bytes().first(), kind) {
        (Some(b'{'), Some("object")) => {
            let Ok(Members { entries: Some(members), repeated: false }) = serde_json::from_str(value) else { return };
            for (name, member) in members {
                if let Some(schema) = schema.get("properties").and_then(|properties| properties.get(&*name)) {
                    let length = pointer.len();
                    pointer.push('/');
                    pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
                    find(member.get(), schema, root, whole, pointer, depth + 1, edits);
                    pointer.truncate(length);
                }
            }
        }
        (Some(b'['), Some("array")) => {
            let (Some(items), Ok(values)) = (every_item(schema), serde_json::from_str::<Vec<&RawValue>>(value)) else {
                return;
            };
            for (index, item) in values.into_iter().enumerate() {
                let length = pointer.len();
                pointer.push_str(&format!("/{index}"));
                find(item.get(), items, root, whole, pointer, depth + 1, edits);
                pointer.truncate(length);
            }
        }
        (Some(b'"'), Some(kind)) => {
            let Ok(Text(Ok(text))) = serde_json::from_str::<Text<'_>>(value) else { return };
            let (Some((code, meant)), Some(place)) = (meant(&text, kind), range_of(whole, value)) else { return };
            edits.push(Edit { place, value: meant.to_owned(), repair: format!("{code}:{pointer}") });
        }
        _ => {}
    }
}

/// What the text says as a value of this type, as JSON; nothing when it does not say one.
fn meant<'t>(text: &'t str, kind: &str) -> Option<(&'static str, &'t str)> {
    match kind {
        "object" | "array" => {
            let opening = if kind == "object" { '{' } else { '[' };
            let json: &RawValue = serde_json::from_str(text).ok()?;
            json.get().starts_with(opening).then_some(("parsed_value", json.get()))
        }
        "number" | "integer" => {
            let number: Number = serde_json::from_str(text).ok()?;
            let exact = !text.starts_with(char::is_whitespace) && !text.ends_with(char::is_whitespace);
            (exact && (kind == "number" || !number.is_f64())).then_some(("read_number", text))
        }
        "boolean" => matches!(text, "true" | "false").then_some(("read_boolean", text)),
        _ => None,
    }
}

/// Keywords that may stand beside a `$ref` without a say in what is valid.
const SILENT: [&str; 14] = [
    "$ref",
    "$schema",
    "$id",
    "$comment",
    "$defs",
    "definitions",
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "$anchor",
];

/// The one schema that a value must keep to: this one, or what its reference leads to. Nothing where more than one has a
/// say.
fn only<'s>(mut schema: &'s Value, root: &'s Value) -> Option<&'s Value> {
    for _ in 0..MAX_REFERENCES {
        let Some(reference) = schema.get("$ref") else { return Some(schema).filter(|schema| !leaves_a_choice(schema)) };
        if !schema.as_object()?.keys().all(|key| SILENT.contains(&key.as_str())) {
            return None;
        }
        schema = root.pointer(reference.as_str()?.strip_prefix('#')?)?;
    }
    None
}

fn leaves_a_choice(schema: &Value) -> bool {
    ["anyOf", "oneOf", "allOf", "not", "if", "$dynamicRef", "$recursiveRef"].iter().any(|key| schema.get(key).is_some())
}

/// The schema of all items of a list alike.
fn every_item(schema: &Value) -> Option<&Value> {
    schema.get("items").filter(|items| items.is_object() && schema.get("prefixItems").is_none())
}

/// Whether something in the schema has a URI of its own: then a `#/…` in it does not start at the root.
fn has_resources(root: &Value) -> bool {
    fn within(value: &Value) -> bool {
        let has_uri = |value: &Value| ["$id", "id"].iter().any(|key| value.get(key).is_some_and(Value::is_string));
        let members = value.as_object().into_iter().flat_map(|members| members.values());
        members.chain(value.as_array().into_iter().flatten()).any(|part| has_uri(part) || within(part))
    }
    within(root)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = r##"{"type":"object","properties":{"n":{"type":"integer"},"x":{"type":"number"},"b":{"type":"boolean"},
        "o":{"type":"object","properties":{"n":{"type":"integer"}}},"l":{"type":"array","items":{"type":"integer"}},
        "s":{"type":"string"},"u":{"type":["string","integer"]},"c":{"anyOf":[{"type":"integer"}]},
        "r":{"$ref":"#/$defs/i"},"e":{"$ref":"http://example.org/i"},"a/b~c":{"type":"boolean"}},
        "$defs":{"i":{"type":"integer"}}}"##;

    #[track_caller]
    fn repaired(arguments: &str) -> Option<(String, Vec<String>)> {
        repair_arguments(SCHEMA, arguments).map(|repaired| (repaired.arguments, repaired.repairs))
    }

    #[test]
    fn only_the_values_change() {
        let (arguments, repairs) = repaired(
            r#"{ "s":"1", "n" : "12345678901234567890" ,"x":"1.50","b":"true","o":"{\"n\": 1.0 }","l":["1", 2],"r":"7","a/b~c":"false" }"#,
        )
        .unwrap();
        assert_eq!(
            arguments,
            r#"{ "s":"1", "n" : 12345678901234567890 ,"x":1.50,"b":true,"o":{"n": 1.0 },"l":[1, 2],"r":7,"a/b~c":false }"#
        );
        assert_eq!(
            repairs,
            [
                "read_number:/n",
                "read_number:/x",
                "read_boolean:/b",
                "parsed_value:/o",
                "read_number:/l/0",
                "read_number:/r",
                "read_boolean:/a~1b~0c"
            ]
        );
    }

    #[test]
    fn nothing_is_guessed() {
        for arguments in [
            r#"{"n":"1.5"}"#,
            r#"{"n":" 1"}"#,
            r#"{"n":"1e3"}"#,
            r#"{"n":"one"}"#,
            r#"{"n":""}"#,
            r#"{"n":"0x1"}"#,
            r#"{"n":"01"}"#,
            r#"{"b":"True"}"#,
            r#"{"b":"1"}"#,
            r#"{"o":"[]"}"#,
            r#"{"o":"{} {}"}"#,
            r#"{"l":"{}"}"#,
            r#"{"l":"1"}"#,
            r#"{"s":"{}"}"#,
            r#"{"u":"1"}"#,
            r#"{"c":"1"}"#,
            r#"{"e":"1"}"#,
            r#"{"z":"1"}"#,
            r#"{"n":1}"#,
            r#"{"n":"x","n":"2"}"#,
            r#"{"n":"1","b":"true","n":"2"}"#,
            "[]",
            "{",
            r#"{"x":"\ud800"}"#,
        ] {
            assert_eq!(repaired(arguments), None, "{arguments}");
        }
    }

    #[test]
    fn what_more_than_one_schema_may_say_is_left_alone() {
        for (schema, arguments) in [
            // `#/$defs/t` is that of `p`, not that of the root.
            (
                r##"{"type":"object","properties":{"p":{"$id":"http://e/x","type":"object","properties":{"v":{"$ref":"#/$defs/t"}},
                    "$defs":{"t":{"type":["string","integer"]}}},"n":{"type":"integer"}},"$defs":{"t":{"type":"integer"}}}"##,
                r#"{"p":{"v":"5"},"n":"6"}"#,
            ),
            (
                r#"{"type":"object","properties":{"l":{"type":"array","prefixItems":[{}],"items":{"type":"integer"}}}}"#,
                r#"{"l":["5","6"]}"#,
            ),
            (
                r##"{"type":"object","properties":{"t":{"$ref":"#/$defs/u","anyOf":[{}]}},"$defs":{"u":{"type":"integer"}}}"##,
                r#"{"t":"5"}"#,
            ),
        ] {
            assert!(repair_arguments(schema, arguments).is_none(), "{schema}");
        }
        let schema = r##"{"$schema":"http://json-schema.org/draft-07/schema#","$id":"http://e/","$ref":"#/definitions/a",
            "definitions":{"a":{"type":"object","properties":{"id":{"$ref":"#/definitions/i","description":"d"}}},"i":{"type":"integer"}}}"##;
        let repaired = repair_arguments(schema, r#"{"id":"5"}"#).map(|repaired| repaired.arguments);
        assert_eq!(repaired.as_deref(), Some(r#"{"id":5}"#));
    }
}
