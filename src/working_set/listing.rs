//! The set as JSON, for hosts that show it and for bindings: the same bytes in every language.

use serde::ser::{Serialize, SerializeSeq, SerializeStruct, Serializer};

use super::{ServerEntry, Standing, ToolEntry, WorkingSet};
use crate::document;
use crate::load_mode::LoadMode;
use crate::locale::Locale;
use crate::section;
use crate::tools::definitions::ToolDefinition;

impl WorkingSet {
    /// The servers in order, as a JSON array of `{id, name, address, description, available, kind, reason, tools}`;
    /// each tool is `{name, description, readOnly, hint, fullToolName, routable, fingerprint}`, where `hint` is what
    /// the tool says of itself: `read_only`, `writable`, or `unknown` when it says nothing or contradicts itself.
    #[must_use]
    pub fn servers_json(&self) -> String {
        document::to_json(&self.servers)
    }

    /// The warnings, as a JSON array of `{code, server?, tool?, message}`.
    #[must_use]
    pub fn warnings_json(&self) -> String {
        document::to_json(&self.warnings)
    }

    /// [`schema_warnings`](Self::schema_warnings), in the same form.
    #[must_use]
    pub fn schema_warnings_json(&self) -> String {
        document::to_json(&self.schema_warnings())
    }

    /// [`section`](Self::section) as JSON, `{key, label, text, tokens}` or `null`.
    #[must_use]
    pub fn section_json(&self, locale: Locale) -> String {
        document::to_json(&self.section(locale))
    }

    /// [`tool_definitions`](Self::tool_definitions) as a JSON array.
    #[must_use]
    pub fn tool_definitions_json(&self, locale: Locale, mode: LoadMode) -> String {
        array(&self.tool_definitions(locale, mode))
    }

    /// [`full_tool_definitions`](Self::full_tool_definitions) as a JSON array.
    #[must_use]
    pub fn full_tool_definitions_json(&self) -> String {
        array(&self.full_tool_definitions())
    }
}

fn array(definitions: &[ToolDefinition]) -> String {
    let definitions: Vec<String> = definitions.iter().map(ToolDefinition::to_json).collect();
    format!("[{}]", definitions.join(","))
}

impl Serialize for ServerEntry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut server = serializer.serialize_struct("ServerEntry", 8)?;
        server.serialize_field("id", &self.id)?;
        server.serialize_field("name", &self.name)?;
        server.serialize_field("address", self.address())?;
        server.serialize_field("description", &self.description)?;
        server.serialize_field("available", &self.unavailable.is_none())?;
        server.serialize_field("kind", &self.unavailable.as_ref().map(|why| why.kind))?;
        let reason = self.unavailable.as_ref().map(|why| section::reason(why, Locale::default()));
        server.serialize_field("reason", &reason)?;
        server.serialize_field("tools", &ToolsOf(self))?;
        server.end()
    }
}

struct ToolsOf<'s>(&'s ServerEntry);

impl Serialize for ToolsOf<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut tools = serializer.serialize_seq(Some(self.0.tools.len()))?;
        for tool in &self.0.tools {
            tools.serialize_element(&ToolOf(self.0, tool))?;
        }
        tools.end()
    }
}

struct ToolOf<'s>(&'s ServerEntry, &'s ToolEntry);

impl Serialize for ToolOf<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(server, entry) = self;
        let hint = match Standing::of_hints(entry.annotations) {
            Standing::ReadOnly => "read_only",
            Standing::Writable => "writable",
            _ => "unknown",
        };
        let mut tool = serializer.serialize_struct("ToolEntry", 7)?;
        tool.serialize_field("name", &entry.name)?;
        tool.serialize_field("description", &entry.description)?;
        tool.serialize_field("readOnly", &entry.is_read_only())?;
        tool.serialize_field("hint", hint)?;
        tool.serialize_field("fullToolName", &server.full_tool_name(entry))?;
        tool.serialize_field("routable", &server.is_routable())?;
        tool.serialize_field("fingerprint", &entry.fingerprint())?;
        tool.end()
    }
}
