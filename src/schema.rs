//! JSON Schemas of tools: what providers accept ([`normalize`]), what arguments must satisfy ([`validate`]), what can be
//! put right without guessing ([`repair`]), and a form short enough for a refusal ([`compact`]); and whether a schema is
//! small enough for all that ([`extent`]). It knows nothing of servers, sets or calls.

pub(crate) mod compact;
#[cfg(feature = "validate")]
pub(crate) mod extent;
pub(crate) mod normalize;
#[cfg(feature = "validate")]
pub(crate) mod repair;
pub(crate) mod validate;
#[cfg(feature = "validate")]
pub(crate) mod value;

use serde_json::Value;

/// What the value of a keyword holds.
pub(crate) enum Holds {
    Schema,
    /// One schema, or a list of them.
    SchemaOrList,
    List,
    /// An object of which every value is a schema.
    Map,
    Other,
}

impl Holds {
    pub(crate) fn of(keyword: &str) -> Self {
        match keyword {
            "additionalProperties"
            | "additionalItems"
            | "unevaluatedProperties"
            | "unevaluatedItems"
            | "propertyNames"
            | "contains"
            | "contentSchema"
            | "not"
            | "if"
            | "then"
            | "else" => Self::Schema,
            "items" => Self::SchemaOrList,
            "anyOf" | "oneOf" | "allOf" | "prefixItems" => Self::List,
            "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" | "dependencies" => {
                Self::Map
            }
            _ => Self::Other,
        }
    }
}

/// References to references are followed this far.
pub(crate) const MAX_REFERENCES: usize = 16;

/// The schema that a schema stands for: itself, or what its local `$ref` leads to. Nothing for a reference that leads
/// out of the document, nowhere, or round in a circle.
pub(crate) fn resolve<'s>(mut schema: &'s Value, root: &'s Value) -> Option<&'s Value> {
    for _ in 0..MAX_REFERENCES {
        let Some(reference) = schema.get("$ref").and_then(Value::as_str) else { return Some(schema) };
        schema = root.pointer(reference.strip_prefix('#')?)?;
    }
    None
}
