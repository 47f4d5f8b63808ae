//! A schema in few words, for a model that is to mend a call.
//!
//! `read_file(path*: string, mode: "text" | "binary" = "text", options: {depth*: integer})`: required ones first and with
//! a star, nested to two levels, cut to a budget. It is no substitute for the schema and leaves out what it cannot say
//! in a word.

use std::collections::BTreeSet;

use serde_json::Value;

use super::resolve;
use crate::text::{is_unsafe_in_line, one_line, push_json_string};

/// Tokens that a compact schema takes at most, by the host's estimate of four bytes each.
pub(crate) const DEFAULT_BUDGET: usize = 200;

/// Objects within objects are written out this deep.
const MAX_DEPTH: usize = 2;
/// Values of an enumeration that are written out.
const MAX_OPTIONS: usize = 8;
/// A value is written out up to this many grapheme clusters.
const SHOWN_VALUE: usize = 40;

/// The compact form of a schema's text; only the name where the schema cannot be read.
pub(crate) fn compact_schema(tool: &str, schema: &str, budget: usize) -> String {
    let bytes = budget.saturating_mul(4);
    let mut out = one_line(tool, 80);
    out.push('(');
    if let Ok(root) = serde_json::from_str::<Value>(schema) {
        push_members(&mut out, resolve(&root, &root).unwrap_or(&Value::Null), &root, 0, bytes.saturating_sub(2));
    }
    out.push(')');
    out
}

fn push_members(out: &mut String, object: &Value, root: &Value, depth: usize, bytes: usize) {
    let Some(properties) = object.get("properties").and_then(Value::as_object) else { return };
    let names = object.get("required").and_then(Value::as_array).into_iter().flatten();
    let required: BTreeSet<&str> = names.filter_map(Value::as_str).collect();
    let (first, then): (Vec<_>, Vec<_>) = properties.iter().partition(|(name, _)| required.contains(name.as_str()));
    for (index, (name, schema)) in first.into_iter().chain(then).enumerate() {
        let mut member = String::new();
        if index > 0 {
            member.push_str(", ");
        }
        push_name(&mut member, name);
        if required.contains(name.as_str()) {
            member.push('*');
        }
        member.push_str(": ");
        let left = bytes.saturating_sub(out.len() + member.len());
        push_kind(&mut member, schema, root, depth, left);
        if let Some(default) = schema.get("default") {
            member.push_str(" = ");
            member.push_str(&one_line(&default.to_string(), SHOWN_VALUE));
        }
        if out.len() + member.len() + ", …".len() > bytes {
            out.push_str(if index > 0 { ", …" } else { "…" });
            return;
        }
        out.push_str(&member);
    }
}

fn push_kind(out: &mut String, schema: &Value, root: &Value, depth: usize, bytes: usize) {
    let Some(schema) = resolve(schema, root) else { return out.push_str("any") };
    let is_object = schema.get("properties").is_some_and(Value::is_object);
    if is_object && depth < MAX_DEPTH {
        out.push('{');
        push_members(out, schema, root, depth + 1, bytes);
        out.push('}');
    } else if let Some(items) = schema.get("items").filter(|items| items.is_object() && depth < MAX_DEPTH) {
        push_kind(out, items, root, depth + 1, bytes);
        out.push_str("[]");
    } else {
        out.push_str(&type_label(schema));
    }
}

/// What a value must be, in a word or two; references are not followed.
pub(crate) fn type_label(schema: &Value) -> String {
    if let Some(options) = schema.get("enum").and_then(Value::as_array) {
        let mut shown: Vec<String> =
            options.iter().take(MAX_OPTIONS).map(|option| one_line(&option.to_string(), SHOWN_VALUE)).collect();
        if options.len() > MAX_OPTIONS {
            shown.push("…".to_owned());
        }
        return shown.join(" | ");
    }
    if let Some(constant) = schema.get("const") {
        return one_line(&constant.to_string(), SHOWN_VALUE);
    }
    match schema.get("type") {
        Some(Value::String(kind)) => one_line(kind, SHOWN_VALUE),
        Some(Value::Array(kinds)) => {
            let kinds: Vec<&str> = kinds.iter().filter_map(Value::as_str).collect();
            one_line(&kinds.join(" | "), SHOWN_VALUE)
        }
        _ => union_label(schema).unwrap_or_else(|| "any".to_owned()),
    }
}

/// The kinds of the branches of a union, one level deep.
fn union_label(schema: &Value) -> Option<String> {
    let branches = schema.get("anyOf").or_else(|| schema.get("oneOf"))?.as_array()?;
    let mut labels: Vec<String> = Vec::new();
    for branch in branches.iter().take(MAX_OPTIONS) {
        let label = match branch.get("type").and_then(Value::as_str) {
            Some(kind) => one_line(kind, SHOWN_VALUE),
            None => "any".to_owned(),
        };
        if !labels.contains(&label) {
            labels.push(label);
        }
    }
    Some(labels.join(" | "))
}

/// A property's name: as it is where nothing in it can be taken for something else.
fn push_name(out: &mut String, name: &str) {
    let plain = !name.is_empty()
        && name.chars().count() <= 64
        && !name.contains(|c: char| is_unsafe_in_line(c) || " \"`*:,=(){}[]|".contains(c));
    if plain {
        out.push_str(name);
    } else {
        push_json_string(out, &one_line(name, 64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_model_needs_fits_on_a_line() {
        let schema = r##"{"type":"object","required":["path","opts"],"properties":{
            "mode":{"enum":["text","binary"],"default":"text"},"path":{"type":"string"},
            "tags":{"type":"array","items":{"type":"string"}},"limit":{"type":["integer","null"]},
            "opts":{"$ref":"#/$defs/o"},"id":{"anyOf":[{"type":"integer"},{"type":"string"}]}},
            "$defs":{"o":{"type":"object","required":["deep"],"properties":{"deep":{"type":"object","properties":
            {"deeper":{"type":"object","properties":{"x":{}}}}}}}}}"##;
        assert_eq!(
            compact_schema("read", schema, DEFAULT_BUDGET),
            "read(path*: string, opts*: {deep*: {deeper: object}}, mode: \"text\" | \"binary\" = \"text\", tags: string[], limit: \
             integer | null, id: integer | string)"
        );
    }

    #[test]
    fn any_input_is_bounded_and_on_one_line() {
        let many: Vec<String> =
            (0..5_000).map(|n| format!(r#""p\n{n}":{{"type":"string","default":"{n}"}}"#)).collect();
        let schema = format!(r#"{{"properties":{{{}}}}}"#, many.join(","));
        let compact = compact_schema("t\n", &schema, 50);
        assert!(compact.len() <= 200 + 2, "{}", compact.len());
        assert!(compact.ends_with(", …)") && !compact.contains('\n'), "{compact}");
        for schema in [
            "",
            "[]",
            "{}",
            "true",
            r#"{"properties":5}"#,
            r##"{"$ref":"#"}"##,
            r##"{"properties":{"a":{"$ref":"http://x"}}}"##,
        ] {
            assert!(compact_schema("t", schema, 50).starts_with("t("));
        }
    }
}
