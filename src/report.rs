//! What connecting to a session's servers came to, as those who connected report it.
//!
//! [`local`] reads the report of a desktop or terminal client, [`cloud`] the outcomes of a backend that connects
//! itself. Both give tools and connection errors, ready for a [`WorkingSet`](crate::WorkingSet). Here is what they
//! share: the one reader of tool entries, whoever wrote them.
//!
//! | source | name | schema |
//! |---|---|---|
//! | MCP SDK, `tools/list` | `name` | `inputSchema` |
//! | desktop and terminal report | `name` | `schema`, in older ones `inputSchema` |
//! | container transport, persisted references | `toolName` | `inputSchema` |
//!
//! All of them say `description` and `annotations`. A reader of reports puts up with everything: a bad entry costs
//! itself and leaves a warning with its place. Whether a name can be used, and which of two copies of a tool stays,
//! is for the set to decide.

pub(crate) mod cloud;
pub(crate) mod local;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::locale::Locale;
use crate::model::wire::{Fields, WireAnnotations, elements, fields, string};
use crate::model::{ConnectionError, ConnectionErrorKind, MAX_REASON, Tool, Warning, WarningCode};
use crate::text::one_line;

/// The most notes on the tools of one server: what it lists is its own affair, and hosts show notes to the model.
const MAX_NOTES: usize = 20;

/// Notes on entries that could not be read, in the order they stand in.
#[derive(Default)]
struct Notes(Vec<Warning>);

impl Notes {
    fn add(&mut self, server: Option<&str>, tool: Option<&str>, message: String) {
        self.0.push(Warning::new(WarningCode::InvalidEntry, server, tool, message));
    }
}

/// The server whose entry lists the tools. They belong to it, whatever they say themselves.
#[derive(Clone, Copy)]
struct Owner<'a> {
    id: i64,
    name: &'a str,
}

/// Appends the tools of the array at `place`; `null` means none.
fn read_tools(list: &RawValue, place: &str, owner: Owner<'_>, tools: &mut Vec<Tool>, notes: &mut Notes) {
    let Some(entries) = elements(list) else {
        if list.get() == "null" {
            return;
        }
        notes.add(Some(owner.name), None, format!("`{place}` is not an array; the server counts as having no tools"));
        return;
    };
    let first_note = notes.0.len();
    tools.reserve(entries.len());
    for (index, entry) in entries.into_iter().enumerate() {
        tools.extend(read_tool(entry, &format!("{place}[{index}]"), owner, notes));
    }
    let left_out = notes.0.len().saturating_sub(first_note + MAX_NOTES);
    if left_out > 0 {
        notes.0.truncate(first_note + MAX_NOTES);
        notes.add(Some(owner.name), None, format!("{left_out} more notes on entries of `{place}` were left out"));
    }
}

fn read_tool(entry: &RawValue, place: &str, owner: Owner<'_>, notes: &mut Notes) -> Option<Tool> {
    let mut drop = |shown: Option<&str>, why: &str| -> Option<Tool> {
        notes.add(Some(owner.name), shown, format!("`{place}` was dropped: {why}"));
        None
    };
    let keys = ["name", "toolName", "description", "schema", "inputSchema", "annotations"];
    let Some(Fields { values: [name, tool_name, description, schema, input_schema, annotations], repeated }) =
        fields(entry, keys)
    else {
        return drop(None, "it is not an object");
    };
    let Some(name) = name.or(tool_name).and_then(string) else {
        return drop(None, "it has no name that is a string");
    };
    let name = match name.0 {
        Ok(name) if !name.is_empty() => name,
        Ok(_) => return drop(None, "its name is empty"),
        Err(shown) => return drop(Some(&shown), "its name is not valid Unicode"),
    };
    // Which tool would be called, and what it would say of itself, must not depend on the reader.
    if let Some(key) = repeated {
        return drop(Some(&name), &format!("its key `{key}` stands there twice"));
    }
    if tool_name.and_then(string).is_some_and(|other| other.0.as_deref() != Ok(&*name)) {
        return drop(Some(&name), "its keys `name` and `toolName` differ");
    }
    if let (Some(input_schema), Some(schema)) = (input_schema, schema)
        && !same_json(input_schema, schema)
    {
        let message = format!("`{place}` has an `inputSchema` and a `schema` that differ; the `inputSchema` counts");
        notes.add(Some(owner.name), Some(&name), message);
    }
    let description = description.and_then(|description| {
        let text = string(description);
        if text.is_none() {
            let message = format!("`{place}.description` is not a string; the tool counts as having none");
            notes.add(Some(owner.name), Some(&name), message);
        }
        text
    });
    Some(Tool {
        server_id: owner.id,
        server_name: owner.name.to_owned(),
        tool_name: name.into_owned(),
        description: description.map(|text| text.lossy().into_owned()).unwrap_or_default(),
        input_schema: input_schema.or(schema).map_or_else(no_schema, ToOwned::to_owned),
        annotations: annotations
            .and_then(|said| serde_json::from_str::<WireAnnotations>(said.get()).ok())
            .unwrap_or_default()
            .0,
    })
}

fn no_schema() -> Box<RawValue> {
    RawValue::from_string("{}".to_owned()).unwrap_or_default()
}

/// True when the two differ at most in how they are written.
fn same_json(a: &RawValue, b: &RawValue) -> bool {
    let value = |raw: &RawValue| serde_json::from_str::<Value>(raw.get()).ok();
    a.get() == b.get() || value(a).is_some_and(|a| value(b) == Some(a))
}

/// What an `error` or `reason` says: a text, an object's `message`, or the JSON text of anything else that is more
/// than yes or no. Nothing when there is nothing to be seen in it.
fn reason(said: Option<&RawValue>) -> Option<String> {
    let said = said?;
    let message = fields(said, ["message"]).and_then(|Fields { values: [message], .. }| message);
    let text = match (string(said).or_else(|| string(message?)), said.get()) {
        (Some(text), _) => text.lossy(),
        (None, "true" | "false" | "null" | "{}" | "[]") => return None,
        (None, json) => json.into(),
    };
    visible(&text)
}

/// The text, unless there is nothing to be seen in it.
fn visible(text: &str) -> Option<String> {
    (!one_line(text, 1).is_empty()).then(|| text.to_owned())
}

/// The reason on one line, for a message.
fn shown_reason(reason: &str) -> String {
    one_line(reason, MAX_REASON)
}

/// A connection error with its reason, or the default one of its kind.
fn connection_error(owner: Owner<'_>, reason: Option<String>, kind: ConnectionErrorKind) -> ConnectionError {
    ConnectionError {
        server_id: (owner.id != 0).then_some(owner.id),
        server_name: owner.name.to_owned(),
        reason: reason.unwrap_or_else(|| kind.default_reason(Locale::default()).to_owned()),
        kind,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason_of(json: &str) -> Option<String> {
        reason(Some(serde_json::from_str(json).unwrap()))
    }

    #[test]
    fn a_reason_is_found_in_whatever_was_said() {
        assert_eq!(reason(None), None);
        assert_eq!(reason_of(r#""timed out""#).as_deref(), Some("timed out"));
        assert_eq!(reason_of(r#"{"code": 1, "message": "timed out"}"#).as_deref(), Some("timed out"));
        assert_eq!(reason_of(r#"{"code": 1}"#).as_deref(), Some(r#"{"code": 1}"#));
        assert_eq!(reason_of("[1]").as_deref(), Some("[1]"));
        for nothing in ["null", "true", "false", "{}", "[]", r#""""#, r#"" \u200b\n""#, r#"{"message": ""}"#] {
            assert_eq!(reason_of(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn schemas_are_the_same_however_they_are_written() {
        let same = |a: &str, b: &str| same_json(serde_json::from_str(a).unwrap(), serde_json::from_str(b).unwrap());
        assert!(same(r#"{"a":1,"b":[]}"#, r#"{ "b": [], "\u0061": 1 }"#));
        assert!(!same(r#"{"a":1}"#, r#"{"a":2}"#));
    }
}
