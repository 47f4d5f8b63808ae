//! Facts received from hosts: servers, tools, annotations, connection errors, and the warnings about them.
//!
//! Nothing here decides anything. The lenient reading of the wire form lives in [`wire`].

pub(crate) mod wire;

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::locale::Locale;
use crate::names::MAX_NAME_BYTES;
use crate::text::one_line;

/// Longest reason why a server is unavailable that is shown, in grapheme clusters with the `…`.
pub(crate) const MAX_REASON: usize = 120;

/// An MCP server loaded for one session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Server {
    /// The host's id, within ±(2⁵³ − 1); 0 when the host has none.
    pub id: i64,
    /// The name people gave it.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
}

/// One tool of a server, as the host received it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Tool {
    /// Id of the server it belongs to; 0 when not known, then `server_name` counts.
    pub server_id: i64,
    /// Name of the server it belongs to.
    pub server_name: String,
    /// The name the server gave it.
    pub tool_name: String,
    /// What it does; empty when not said.
    pub description: String,
    /// The JSON Schema of its arguments, as raw text.
    pub input_schema: Box<RawValue>,
    /// What the server says about its behaviour.
    pub annotations: Annotations,
}

/// One behaviour hint of an MCP tool. Only the JSON booleans say anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Hint {
    /// Absent, `null`, or something that is not a boolean.
    #[default]
    NotSaid,
    /// `false`.
    False,
    /// `true`.
    True,
}

impl Hint {
    pub(crate) fn is_said(&self) -> bool {
        *self != Self::NotSaid
    }

    fn is_not_said(&self) -> bool {
        !self.is_said()
    }
}

impl From<Option<bool>> for Hint {
    fn from(said: Option<bool>) -> Self {
        match said {
            None => Self::NotSaid,
            Some(false) => Self::False,
            Some(true) => Self::True,
        }
    }
}

impl Serialize for Hint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::NotSaid => serializer.serialize_none(),
            Self::False => serializer.serialize_bool(false),
            Self::True => serializer.serialize_bool(true),
        }
    }
}

/// MCP `ToolAnnotations`, three states a hint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Annotations {
    /// The tool does not change its environment.
    #[serde(skip_serializing_if = "Hint::is_not_said")]
    pub read_only_hint: Hint,
    /// The tool may destroy something.
    #[serde(skip_serializing_if = "Hint::is_not_said")]
    pub destructive_hint: Hint,
    /// Calling it again with the same arguments changes nothing more.
    #[serde(skip_serializing_if = "Hint::is_not_said")]
    pub idempotent_hint: Hint,
    /// The tool reaches an open world of entities.
    #[serde(skip_serializing_if = "Hint::is_not_said")]
    pub open_world_hint: Hint,
}

/// How a server came to be unavailable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ConnectionErrorKind {
    /// Connecting or listing failed.
    #[default]
    Failed,
    /// Connecting was cancelled.
    Cancelled,
    /// The client that should have reported it did not.
    NotReported,
}

impl ConnectionErrorKind {
    /// What is shown for it when nobody said more.
    pub(crate) fn default_reason(self, locale: Locale) -> &'static str {
        match self {
            Self::Failed => locale.pick("连接失败", "connection failed"),
            Self::Cancelled => locale.pick("连接已取消", "connecting was cancelled"),
            Self::NotReported => locale.pick("未上报", "not reported"),
        }
    }
}

/// Why a server is unavailable in this session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ConnectionError {
    /// Id of the server, when it has one.
    pub server_id: Option<i64>,
    /// Name of the server.
    pub server_name: String,
    /// What went wrong; empty when nobody said.
    pub reason: String,
    /// How it came to be unavailable.
    pub kind: ConnectionErrorKind,
}

/// Something in the input that a person should know about. The code is the contract; the message is for a log.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Warning {
    /// What happened.
    pub code: WarningCode,
    /// The server concerned, shown on one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The tool concerned, shown on one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// One sentence in English.
    pub message: String,
}

impl Warning {
    pub(crate) fn new(code: WarningCode, server: Option<&str>, tool: Option<&str>, message: impl Into<String>) -> Self {
        let shown = |name: &str| one_line(name, MAX_NAME_BYTES);
        Self { code, server: server.map(shown), tool: tool.map(shown), message: message.into() }
    }
}

/// The stable name of a [`Warning`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum WarningCode {
    /// A name is empty, too long or not valid Unicode; what bears it was dropped.
    InvalidName,
    /// A tool names no server of the session; it was dropped.
    UnknownServer,
    /// One server id stands for two names; one of them was dropped.
    DuplicateServerId,
    /// One server was given twice with different content; one stays.
    DuplicateServer,
    /// Two servers share a name; one is addressed as `name#id`.
    DuplicateServerName,
    /// One tool was given twice with different content; one stays and does not count as read-only.
    DuplicateTool,
    /// Two tools share a full name; neither counts as read-only and no rule covers them.
    AmbiguousFullName,
    /// The desktop would take the full names of this server's tools apart wrongly; it is refused in LOCAL sessions.
    UnroutableName,
    /// `readOnlyHint` and `destructiveHint` are both true; the tool does not count as read-only.
    ContradictoryHints,
    /// An entry of a report could not be read, in whole or in part.
    InvalidEntry,
    /// Arguments of this tool cannot be checked: see [`WorkingSet::schema_warnings`](crate::WorkingSet::schema_warnings).
    SchemaNotChecked,
}

impl WarningCode {
    /// The code as text, in snake_case.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidName => "invalid_name",
            Self::UnknownServer => "unknown_server",
            Self::DuplicateServerId => "duplicate_server_id",
            Self::DuplicateServer => "duplicate_server",
            Self::DuplicateServerName => "duplicate_server_name",
            Self::DuplicateTool => "duplicate_tool",
            Self::AmbiguousFullName => "ambiguous_full_name",
            Self::UnroutableName => "unroutable_name",
            Self::ContradictoryHints => "contradictory_hints",
            Self::InvalidEntry => "invalid_entry",
            Self::SchemaNotChecked => "schema_not_checked",
        }
    }
}
