//! The immutable set of servers and tools of one session; everything else is asked of it.
//!
//! What it decides when it is built: which tool belongs to which server, the one order everything is shown in, how
//! servers are addressed, which tools count as read-only, and what a person should be warned about. The same input in
//! any order gives the same set. It knows nothing of permissions, modes or languages.
//!
//! ```
//! use mcp_working_set::{Locale, WorkingSet};
//! let set = WorkingSet::from_json(br#"{
//!     "servers": [{"id": 1, "name": "fs", "description": "Local files"}],
//!     "tools": [{"serverId": 1, "serverName": "fs", "toolName": "read_file", "description": "Reads a file",
//!                "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}}],
//!     "connectionErrors": []
//! }"#)?;
//! let section = set.section(Locale::En).ok_or("the set is empty")?;
//! assert!(section.text.ends_with("### fs (1 read-only / 0 writable)\nPurpose: Local files\n- read_file [read-only]\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod build;
mod fingerprint;
mod listing;
pub(crate) mod resolve;

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use serde::Deserialize;

use crate::document::{self, Object};
use crate::error::Error;
use crate::locale::Locale;
use crate::model::wire::{WireConnectionError, WireServer, WireTool};
use crate::model::{Annotations, ConnectionError, ConnectionErrorKind, Hint, Server, Tool, Warning, WarningCode};
use crate::names;
use crate::schema::validate::{NotChecked, Read, Validator, Violation};
use crate::section::{Section, render};

/// The servers and tools of one session. Cheap to share behind an `Arc`; safe to read from many threads at once.
#[derive(Debug)]
pub struct WorkingSet {
    servers: Vec<ServerEntry>,
    /// Every server's address, and its place in `servers`.
    addresses: BTreeMap<Box<str>, usize>,
    warnings: Vec<Warning>,
    sections: [OnceLock<Option<Section>>; 2],
    fingerprint: OnceLock<String>,
    /// The size of the compiled schemas that tools keep.
    kept_nodes: AtomicUsize,
}

/// A set keeps compiled schemas up to so many nodes in all, the first that calls need (those of thousands of ordinary
/// tools); others are compiled for each call.
const MAX_KEPT_NODES: usize = 100_000;

/// A server of a set, with its tools in order.
#[derive(Debug)]
pub struct ServerEntry {
    id: i64,
    name: Box<str>,
    /// Only where it is not the name.
    alias: Option<Box<str>>,
    description: Option<Box<str>>,
    unavailable: Option<Unavailable>,
    /// Its id was given with another name as well: whose tools these are cannot be told.
    disputed: bool,
    tools: Vec<ToolEntry>,
}

/// Why a server is unavailable.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unavailable {
    /// How it came to be.
    pub kind: ConnectionErrorKind,
    /// What the host said; may be empty and may hold anything.
    pub reason: String,
}

/// A tool of a set.
#[derive(Debug)]
pub struct ToolEntry {
    name: Box<str>,
    description: Box<str>,
    input_schema: Box<str>,
    annotations: Annotations,
    standing: Standing,
    /// Set at build for a tool that was given in differing copies: then it covers all of them.
    fingerprint: OnceLock<[u8; 32]>,
    /// The compiled schema, made at the first call.
    validator: OnceLock<Box<Result<Validator, NotChecked>>>,
}

/// Whether a tool counts as read-only, or what speaks against it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Standing {
    /// It says that it only reads, and nothing speaks against it.
    ReadOnly,
    /// It says that it writes.
    Writable,
    /// It does not say whether it only reads.
    NotSaid,
    /// It says both that it only reads and that it destroys.
    Contradictory,
    /// It was given in copies that differ.
    DifferingCopies,
    /// Its full name is another tool's as well.
    AmbiguousName,
    /// Its server's id was given with another name as well.
    DisputedServer,
    /// Its server is not available.
    Unavailable,
    /// Its server is not trusted to say so.
    Untrusted,
}

impl Standing {
    /// What the hints alone say.
    pub(crate) fn of_hints(annotations: Annotations) -> Self {
        match (annotations.read_only_hint, annotations.destructive_hint) {
            (Hint::True, Hint::True) => Self::Contradictory,
            (Hint::True, Hint::False | Hint::NotSaid) => Self::ReadOnly,
            (Hint::False, _) => Self::Writable,
            (Hint::NotSaid, _) => Self::NotSaid,
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    #[serde(borrow)]
    servers: Vec<Object<WireServer<'a>>>,
    #[serde(borrow)]
    tools: Vec<Object<WireTool<'a>>>,
    #[serde(default, borrow)]
    connection_errors: Option<Vec<Object<WireConnectionError<'a>>>>,
}

impl WorkingSet {
    /// Builds a set from typed values.
    #[must_use]
    pub fn build(servers: &[Server], tools: &[Tool], connection_errors: &[ConnectionError]) -> Self {
        build::assemble(
            servers.iter().map(WireServer::from),
            tools.iter().map(WireTool::from),
            connection_errors.iter().map(WireConnectionError::from),
        )
    }

    /// Builds a set from one JSON document, `{servers, tools, connectionErrors}`, of at most 4 GiB.
    ///
    /// # Errors
    /// `invalid_utf8`, `invalid_json` or `invalid_document`, with the place.
    pub fn from_json(document: &[u8]) -> Result<Self, Error> {
        let document: Document<'_> = document::read(document)?;
        Ok(build::assemble(
            document.servers.into_iter().map(|Object(server)| server),
            document.tools.into_iter().map(|Object(tool)| tool),
            document.connection_errors.into_iter().flatten().map(|Object(error)| error),
        ))
    }

    /// True when there is neither a server nor a connection error: then nothing is shown and no tool is defined.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.servers.is_empty()
    }

    /// The servers, by name, then id.
    #[must_use]
    pub fn servers(&self) -> &[ServerEntry] {
        &self.servers
    }

    /// How many tools all servers have together.
    #[must_use]
    pub fn tool_count(&self) -> usize {
        self.servers.iter().map(|server| server.tools.len()).sum()
    }

    /// What a person should know about the input.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// SHA-256, in hex, of what the model sees and what decides; equal across processes, languages and input orders.
    #[must_use]
    pub fn fingerprint(&self) -> &str {
        self.fingerprint.get_or_init(|| fingerprint::of_set(self))
    }

    /// The section for the system prompt; nothing when the set is empty. Made once per locale and kept.
    #[must_use]
    pub fn section(&self, locale: Locale) -> Option<&Section> {
        let [zh_cn, en] = &self.sections;
        locale.pick(zh_cn, en).get_or_init(|| render(self, locale)).as_ref()
    }
}

impl WorkingSet {
    /// What is wrong with the arguments of a tool of this set, which may have been read already.
    pub(crate) fn check_arguments(
        &self,
        tool: &ToolEntry,
        arguments: &str,
        read: Option<Read<'_>>,
    ) -> Result<Vec<Violation>, NotChecked> {
        let check = |validator: &Result<Validator, NotChecked>| match validator {
            Ok(validator) => validator.check(tool.input_schema(), arguments, read),
            Err(reason) => Err(*reason),
        };
        if let Some(kept) = tool.validator.get() {
            return check(kept);
        }
        let compiled = Box::new(Validator::compile(tool.input_schema()));
        let result = check(&compiled);
        let nodes = compiled.as_ref().as_ref().map_or(1, Validator::nodes);
        // Several threads may come here at once; one of them keeps what it made.
        let has_room = self.kept_nodes.fetch_add(nodes, Relaxed).saturating_add(nodes) <= MAX_KEPT_NODES;
        if !has_room || tool.validator.set(compiled).is_err() {
            self.kept_nodes.fetch_sub(nodes, Relaxed);
        }
        result
    }

    /// One warning, `schema_not_checked`, for each tool whose schema cannot be used to check arguments, with the reason.
    ///
    /// Such a tool is called all the same, and its plans say why in [`Execution::unchecked`](crate::Execution). This is
    /// for telling somebody once. Every schema is compiled for it, which takes some hundred microseconds each, and none
    /// is kept. Without the feature `validate` nothing is checked and nothing warned of.
    #[must_use]
    pub fn schema_warnings(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        for server in &self.servers {
            for tool in &server.tools {
                let Err(reason) = Validator::compile(tool.input_schema()) else { continue };
                if reason != NotChecked::NoValidation {
                    let message = format!("its arguments are not checked: {}", reason.as_str());
                    let (server, tool) = (Some(server.address()), Some(tool.name()));
                    warnings.push(Warning::new(WarningCode::SchemaNotChecked, server, tool, &message));
                }
            }
        }
        warnings.sort_unstable();
        warnings
    }
}

impl ServerEntry {
    /// The host's id; 0 when it has none.
    #[must_use]
    pub fn id(&self) -> i64 {
        self.id
    }

    /// The real name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the model calls it: the name, or `name#id` where another server keeps the name.
    #[must_use]
    pub fn address(&self) -> &str {
        self.alias.as_deref().unwrap_or(&self.name)
    }

    /// What it is for, as the host said it.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// Why it cannot be called; nothing when it can.
    #[must_use]
    pub fn unavailable(&self) -> Option<&Unavailable> {
        self.unavailable.as_ref()
    }

    /// Its tools, by name.
    #[must_use]
    pub fn tools(&self) -> &[ToolEntry] {
        &self.tools
    }

    /// True when the desktop takes the full names of this server's tools apart into this server and the same tool.
    #[must_use]
    pub fn is_routable(&self) -> bool {
        self.alias.is_none() && names::is_routable(&self.name)
    }

    /// `mcp__{address}__{tool}`.
    #[must_use]
    pub fn full_tool_name(&self, tool: &ToolEntry) -> String {
        names::full_tool_name(self.address(), &tool.name)
    }
}

impl ToolEntry {
    /// The name the server gave it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it does, as the server said it; empty when it did not.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The JSON Schema of its arguments, as raw text.
    #[must_use]
    pub fn input_schema(&self) -> &str {
        &self.input_schema
    }

    /// What the server says about its behaviour.
    #[must_use]
    pub fn annotations(&self) -> Annotations {
        self.annotations
    }

    /// Whether it counts as read-only for a host that trusts its server, or what speaks against it.
    #[must_use]
    pub fn standing(&self) -> Standing {
        self.standing
    }

    /// True when it counts as read-only for a host that trusts its server.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.standing == Standing::ReadOnly
    }

    /// SHA-256, in hex, of its definition: name, description, schema, annotations. JSON that differs only in white
    /// space, order of keys, escapes or spelling of numbers has one fingerprint. Computed once and kept.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        fingerprint::hex(self.fingerprint_bytes())
    }

    fn fingerprint_bytes(&self) -> &[u8; 32] {
        self.fingerprint.get_or_init(|| {
            fingerprint::of_definition(&self.name, &self.description, &self.input_schema, self.annotations)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorCode;

    #[test]
    fn one_hostile_tool_does_not_take_the_others_down() {
        let document = br#"{"servers":[{"id":1,"name":"s","\ud800":1}],"\udfff":0,
            "tools":[{"serverId":1,"toolName":"x","\ud800":{"a":1e999}},{"serverId":1,"toolName":"y","annotations":"\ud800"}]}"#;
        assert_eq!(WorkingSet::from_json(document).unwrap().tool_count(), 2);
    }

    #[test]
    fn an_entry_is_an_object_with_an_id_that_every_reader_understands() {
        let code = |document: &str| WorkingSet::from_json(document.as_bytes()).map(drop).map_err(|error| error.code());
        assert_eq!(code(r#"{"servers":[],"tools":[[1,"a","x"]]}"#), Err(ErrorCode::InvalidDocument));
        for id in ["9007199254740992", "-9007199254740992", "-9223372036854775808", "1e3", "\"1\""] {
            let document = format!(r#"{{"servers":[{{"id":{id},"name":"s"}}],"tools":[]}}"#);
            assert_eq!(code(&document), Err(ErrorCode::InvalidDocument), "{id}");
        }
        assert_eq!(code(r#"{"servers":[{"id":-9007199254740991,"name":"s"}],"tools":[]}"#), Ok(()));
    }
}
