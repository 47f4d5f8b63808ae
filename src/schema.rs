//! JSON Schemas of tools: what providers accept ([`normalize`]), what arguments must satisfy ([`validate`]), what can be
//! put right without guessing ([`repair`]), and a form short enough for a refusal ([`compact`]). It knows nothing of
//! servers, sets or calls.

pub(crate) mod compact;
pub(crate) mod normalize;
#[cfg(feature = "validate")]
pub(crate) mod repair;
pub(crate) mod validate;

use serde_json::Value;

/// References to references are followed this far.
const MAX_REFERENCES: usize = 16;

/// The schema that a schema stands for: itself, or what its local `$ref` leads to. Nothing for a reference that leads
/// out of the document, nowhere, or round in a circle.
pub(crate) fn resolve<'s>(mut schema: &'s Value, root: &'s Value) -> Option<&'s Value> {
    for _ in 0..MAX_REFERENCES {
        let Some(reference) = schema.get("$ref").and_then(Value::as_str) else { return Some(schema) };
        schema = root.pointer(reference.strip_prefix('#')?)?;
    }
    None
}
