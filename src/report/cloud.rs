//! What came of connecting to a session's servers, where the backend connects itself.
//!
//! Decides which server an outcome belongs to and how each kind of failure is told: failed and cancelled apart, and a
//! server without any outcome is not passed over. Results follow the order of the servers, not the order in which the
//! outcomes came in.
//!
//! - An outcome belongs to the server with its non-zero id, else to the one with exactly its name. One that belongs to
//!   none is reported all the same, as it came.
//! - A server with several outcomes keeps the tools and the errors of all of them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{Notes, Owner, connection_error, read_tools, reason, shown_reason, visible};
use crate::document;
use crate::error::Error;
use crate::model::wire::{Fields, Id, WireServer, fields, string};
use crate::model::{ConnectionError, ConnectionErrorKind, Server, Tool};
use crate::names::MAX_NAME_BYTES;
use crate::text::one_line;

/// What came of connecting to one server.
#[derive(Debug, Clone)]
pub struct ServerOutcome<'a> {
    /// Id of the server; 0 when it has none, then the name counts.
    pub server_id: i64,
    /// Name of the server; may be empty where the id is known.
    pub server_name: Cow<'a, str>,
    /// How it ended.
    pub status: ConnectStatus<'a>,
}

/// How connecting to a server ended.
#[derive(Debug, Clone)]
pub enum ConnectStatus<'a> {
    /// The server listed its tools.
    Connected {
        /// A JSON array of tools as the MCP SDK gives them, `{name, description?, inputSchema, annotations?}`, or with
        /// `toolName` as a container or a store passes them on.
        tools: &'a RawValue,
    },
    /// Connecting or listing failed.
    Failed {
        /// What went wrong; a default text when empty.
        reason: Cow<'a, str>,
    },
    /// Connecting was cancelled.
    Cancelled,
}

/// A server that is not connected, as a host shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UnconnectedServer {
    /// Id of the server, when it has one.
    pub server_id: Option<i64>,
    /// Name of the server.
    pub server_name: String,
    /// What went wrong, or a default text in Chinese.
    pub reason: String,
}

/// What connecting to all servers came to.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CloudConnectResult {
    /// The tools of the servers that are connected.
    pub tools: Vec<Tool>,
    /// All servers that are not, for the set: failed, cancelled, and those without an outcome.
    pub connection_errors: Vec<ConnectionError>,
    /// The servers that failed, and no others.
    pub failed_servers: Vec<UnconnectedServer>,
    /// The servers whose connecting was cancelled.
    pub cancelled_servers: Vec<UnconnectedServer>,
    /// Lines for people: `{name}: {reason}` for each connection error, then `{name}: …` for each entry that could not
    /// be read, with its place.
    pub warnings: Vec<String>,
}

impl CloudConnectResult {
    /// `{"tools", "connectionErrors", "failedServers", "cancelledServers", "warnings"}`; the first two as
    /// [`WorkingSet::from_json`] reads them.
    ///
    /// [`WorkingSet::from_json`]: crate::WorkingSet::from_json
    #[must_use]
    pub fn to_json(&self) -> String {
        document::to_json(self)
    }
}

#[derive(Deserialize)]
struct Document<'a> {
    #[serde(borrow)]
    servers: Vec<WireServer<'a>>,
    #[serde(borrow)]
    outcomes: Vec<&'a RawValue>,
}

/// Sorts out what came of connecting to `servers`.
#[must_use]
pub fn cloud_connect_result(servers: &[Server], outcomes: &[ServerOutcome<'_>]) -> CloudConnectResult {
    let outcomes = outcomes.iter().enumerate().collect();
    settle(servers.iter().map(|server| Owner { id: server.id, name: &server.name }), outcomes, Notes::default())
}

/// The same from one JSON document: `{"servers": [{"id", "name"}], "outcomes": [{"serverId", "serverName"?, "status":
/// "connected" | "failed" | "cancelled", "tools"?, "reason"?}]}`.
///
/// ```
/// use mcp_working_set::cloud_connect_result_from_json;
/// let result = cloud_connect_result_from_json(br#"{
///     "servers": [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}],
///     "outcomes": [{"serverId": 1, "status": "failed", "reason": "ECONNREFUSED"},
///                  {"serverId": 2, "status": "cancelled"}]
/// }"#)?;
/// assert_eq!(result.failed_servers.len(), 1);
/// assert_eq!(result.warnings[0], "a: ECONNREFUSED");
/// assert_eq!(result.cancelled_servers[0].server_name, "b");
/// # Ok::<(), mcp_working_set::Error>(())
/// ```
///
/// An outcome that is not an object is left out, one of another status counts as failed; both leave a warning.
///
/// # Errors
/// `invalid_utf8`, `invalid_json` or `invalid_document`, with the place. Whatever is wrong with an outcome is a
/// warning.
pub fn cloud_connect_result_from_json(document: &[u8]) -> Result<CloudConnectResult, Error> {
    let document: Document<'_> = document::read(document)?;
    let servers: Vec<(i64, Cow<'_, str>)> =
        document.servers.into_iter().map(|server| (server.id.0, server.name.lossy())).collect();
    let mut notes = Notes::default();
    let outcomes: Vec<_> = document
        .outcomes
        .into_iter()
        .enumerate()
        .filter_map(|(index, entry)| Some((index, read_outcome(entry, &format!("outcomes[{index}]"), &mut notes)?)))
        .collect();
    let outcomes = outcomes.iter().map(|(index, outcome)| (*index, outcome)).collect();
    Ok(settle(servers.iter().map(|(id, name)| Owner { id: *id, name }), outcomes, notes))
}

fn read_outcome<'a>(entry: &'a RawValue, place: &str, notes: &mut Notes) -> Option<ServerOutcome<'a>> {
    let keys = ["serverId", "serverName", "status", "tools", "reason"];
    let Some(Fields { values: [id, name, status, tools, said], repeated }) = fields(entry, keys) else {
        notes.add(None, None, format!("`{place}` was dropped: it is not an object"));
        return None;
    };
    let server_name = name.and_then(string).map(|name| name.lossy()).unwrap_or_default();
    let mut note = |message: String| notes.add((!server_name.is_empty()).then_some(&server_name), None, message);
    if let Some(key) = repeated {
        note(format!("the key `{key}` of `{place}` stands there twice; its last value counts"));
    }
    let server_id = id.map_or(Some(0), |id| serde_json::from_str::<Id>(id.get()).ok().map(|id| id.0));
    if server_id.is_none() {
        note(format!("`{place}.serverId` is not an id; the server is looked up by name"));
    }
    let failed = || ConnectStatus::Failed { reason: reason(said).unwrap_or_default().into() };
    let status = match status.map(RawValue::get) {
        Some("\"connected\"") => ConnectStatus::Connected { tools: tools.unwrap_or(RawValue::NULL) },
        Some("\"failed\"") => failed(),
        Some("\"cancelled\"") => ConnectStatus::Cancelled,
        _ => {
            note(format!("`{place}.status` is none of `connected`, `failed` and `cancelled`; it counts as failed"));
            failed()
        }
    };
    Some(ServerOutcome { server_id: server_id.unwrap_or(0), server_name, status })
}

/// Outcomes come with their index among all outcomes, for the places in notes.
fn settle<'a>(
    servers: impl Iterator<Item = Owner<'a>>,
    outcomes: Vec<(usize, &'a ServerOutcome<'a>)>,
    notes: Notes,
) -> CloudConnectResult {
    let mut owners: Vec<(Owner<'a>, Vec<(usize, &ServerOutcome<'a>)>)> = Vec::new();
    let mut by_id = BTreeMap::new();
    // Of several servers with one name the smallest id keeps it, as in the set.
    let mut by_name: BTreeMap<&str, (i64, usize)> = BTreeMap::new();
    for server in servers {
        // A server given twice is one server: its id says so, or its name where it has no id.
        let key = (server.id, if server.id == 0 { server.name } else { "" });
        if let Entry::Vacant(new) = by_id.entry(key) {
            let index = *new.insert(owners.len());
            let holder = by_name.entry(server.name).or_insert((server.id, index));
            *holder = (server.id, index).min(*holder);
            owners.push((server, Vec::new()));
        }
    }
    let mut strangers = Vec::new();
    for (index, outcome) in outcomes {
        let by_id = if outcome.server_id == 0 { None } else { by_id.get(&(outcome.server_id, "")).copied() };
        let owner = by_id.or_else(|| by_name.get(&*outcome.server_name).map(|&(_, owner)| owner));
        match owner.and_then(|owner| owners.get_mut(owner)) {
            Some((_, outcomes)) => outcomes.push((index, outcome)),
            None => strangers.push((index, outcome)),
        }
    }
    let mut result = Collector { notes, ..Collector::default() };
    for (owner, outcomes) in owners {
        if outcomes.is_empty() {
            result.errors.push(connection_error(owner, None, ConnectionErrorKind::NotReported));
        }
        if outcomes.len() > 1 {
            result.notes.add(Some(&label(owner)), None, "it has several outcomes; all of them count".to_owned());
        }
        for (index, outcome) in outcomes {
            result.take(owner, index, &outcome.status);
        }
    }
    for (index, outcome) in strangers {
        let owner = Owner { id: outcome.server_id, name: &outcome.server_name };
        result.notes.add(Some(&label(owner)), None, format!("`outcomes[{index}]` is about none of the servers"));
        result.take(owner, index, &outcome.status);
    }
    result.finish()
}

#[derive(Default)]
struct Collector {
    tools: Vec<Tool>,
    errors: Vec<ConnectionError>,
    notes: Notes,
}

impl Collector {
    fn take(&mut self, owner: Owner<'_>, index: usize, status: &ConnectStatus<'_>) {
        let (reason, kind) = match status {
            ConnectStatus::Connected { tools } => {
                let place = format!("outcomes[{index}].tools");
                return read_tools(tools, &place, owner, &mut self.tools, &mut self.notes);
            }
            ConnectStatus::Failed { reason } => (visible(reason), ConnectionErrorKind::Failed),
            ConnectStatus::Cancelled => (None, ConnectionErrorKind::Cancelled),
        };
        self.errors.push(connection_error(owner, reason, kind));
    }

    fn finish(self) -> CloudConnectResult {
        let of_kind = |kind: ConnectionErrorKind| {
            let errors = self.errors.iter().filter(move |error| error.kind == kind);
            let server = |error: &ConnectionError| UnconnectedServer {
                server_id: error.server_id,
                server_name: error.server_name.clone(),
                reason: error.reason.clone(),
            };
            errors.map(server).collect()
        };
        let failures = self.errors.iter().map(|error| {
            let owner = Owner { id: error.server_id.unwrap_or(0), name: &error.server_name };
            format!("{}: {}", label(owner), shown_reason(&error.reason))
        });
        let notes = self.notes.0.iter().map(|note| match &note.server {
            Some(server) => format!("{server}: {}", note.message),
            None => note.message.clone(),
        });
        CloudConnectResult {
            failed_servers: of_kind(ConnectionErrorKind::Failed),
            cancelled_servers: of_kind(ConnectionErrorKind::Cancelled),
            warnings: failures.chain(notes).collect(),
            tools: self.tools,
            connection_errors: self.errors,
        }
    }
}

/// What people know the server by.
fn label(owner: Owner<'_>) -> String {
    let name = one_line(owner.name, MAX_NAME_BYTES);
    if name.is_empty() { format!("#{}", owner.id) } else { name }
}
