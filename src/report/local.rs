//! The report of a desktop or terminal client, frame `mcp_tools_report`.
//!
//! Decides which of the reported servers are connected, and that no failure vanishes: a server that is not connected,
//! has no usable name, or was expected and is not in the report becomes a connection error.
//!
//! - Connected is what says `true`, `null` or nothing. Any other value is not a "yes", so the server counts as not
//!   connected.
//! - The tools of a server that is not connected are kept: the set lists them and refuses to call them.
//! - Ids come from the expected servers, by exact name. Of several with one name the smallest id counts, and one entry
//!   of that name is an answer for all of them: the client cannot tell them apart.
//! - A server reported twice keeps the tools and the errors of both entries.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{Notes, Owner, connection_error, read_tools, reason, shown_reason};
use crate::document;
use crate::error::Error;
use crate::model::wire::{Fields, WireServer, fields, string};
use crate::model::{ConnectionError, ConnectionErrorKind, Tool, Warning};

/// A server that the client was asked to connect to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExpectedServer {
    /// The host's id; 0 when it has none.
    pub id: i64,
    /// Its name, as the report gives it.
    pub name: String,
}

impl ExpectedServer {
    /// Reads a JSON array of `{id, name}`.
    ///
    /// # Errors
    /// `invalid_utf8`, `invalid_json` or `invalid_document`, with the place.
    pub fn list_from_json(json: &[u8]) -> Result<Vec<Self>, Error> {
        let servers = document::read_list::<WireServer<'_>>(json)?.into_iter();
        Ok(servers.map(|server| Self { id: server.id.0, name: server.name.lossy().into_owned() }).collect())
    }
}

/// What a client's report comes to.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LocalReport {
    /// The tools, in the order of the report.
    pub tools: Vec<Tool>,
    /// The servers that are not connected, in the order of the report, then those that are not in it.
    pub connection_errors: Vec<ConnectionError>,
    /// What could not be read, code `invalid_entry`, in the order of the report.
    pub warnings: Vec<Warning>,
}

impl LocalReport {
    /// `{"tools", "connectionErrors", "warnings"}`; the first two as [`WorkingSet::from_json`] reads them.
    ///
    /// [`WorkingSet::from_json`]: crate::WorkingSet::from_json
    #[must_use]
    pub fn to_json(&self) -> String {
        document::to_json(self)
    }
}

#[derive(Deserialize)]
struct Frame<'a> {
    #[serde(borrow)]
    servers: Vec<&'a RawValue>,
}

/// Reads `{"servers": [{"name", "connected"?, "tools"?: [{"name", "description"?, "schema" | "inputSchema",
/// "annotations"?}], "error"?}]}`; further keys, such as `sessionId` and `syncId`, are ignored.
///
/// Without `expected_servers` no server has an id and none is missing.
///
/// ```
/// use mcp_working_set::{ConnectionErrorKind, ExpectedServer, parse_local_report};
/// let expected = [ExpectedServer { id: 1, name: "fs".into() }, ExpectedServer { id: 2, name: "git".into() }];
/// let report = parse_local_report(
///     br#"{"servers": [{"name": "fs", "connected": true, "error": null, "tools": [
///         {"name": "read", "description": "", "schema": {}, "annotations": {"readOnlyHint": true}}]}]}"#,
///     &expected,
/// )?;
/// assert_eq!((report.tools[0].server_id, &*report.tools[0].tool_name), (1, "read"));
/// assert_eq!(report.connection_errors[0].server_id, Some(2));
/// assert_eq!(report.connection_errors[0].kind, ConnectionErrorKind::NotReported);
/// # Ok::<(), mcp_working_set::Error>(())
/// ```
///
/// # Errors
/// `invalid_utf8`, `invalid_json`, or `invalid_document` when it is not an object with an array `servers`; with the
/// place. Whatever is wrong inside the array is a warning.
pub fn parse_local_report(report: &[u8], expected_servers: &[ExpectedServer]) -> Result<LocalReport, Error> {
    let frame: Frame<'_> = document::read(report)?;
    let mut ids = BTreeMap::new();
    for server in expected_servers {
        let id = ids.entry(&*server.name).or_insert(server.id);
        *id = server.id.min(*id);
    }
    let mut reader = Reader { ids, ..Reader::default() };
    for (index, entry) in frame.servers.into_iter().enumerate() {
        reader.read(entry, &format!("servers[{index}]"));
    }
    for server in expected_servers.iter().filter(|server| !reader.reported.contains(&server.name)) {
        reader.errors.push(connection_error(
            Owner { id: server.id, name: &server.name },
            None,
            ConnectionErrorKind::NotReported,
        ));
    }
    Ok(LocalReport { tools: reader.tools, connection_errors: reader.errors, warnings: reader.notes.0 })
}

#[derive(Default)]
struct Reader<'a> {
    ids: BTreeMap<&'a str, i64>,
    reported: BTreeSet<String>,
    tools: Vec<Tool>,
    errors: Vec<ConnectionError>,
    notes: Notes,
}

impl Reader<'_> {
    fn read(&mut self, entry: &RawValue, place: &str) {
        let keys = ["name", "connected", "tools", "error"];
        let Some(Fields { values: [name, connected, tools, said], repeated }) = fields(entry, keys) else {
            self.notes.add(None, None, format!("`{place}` was dropped: it is not an object"));
            return;
        };
        let said = reason(said);
        let name = match name.and_then(string).map(|name| name.0) {
            Some(Ok(name)) if !name.is_empty() => name.into_owned(),
            unusable => {
                // Nobody could call its tools, but that it is there must not vanish.
                let shown = unusable.and_then(Result::err).unwrap_or_default();
                let message = format!("`{place}` has no name that can be used; its tools were left out");
                self.notes.add((!shown.is_empty()).then_some(&shown), None, message);
                self.errors.push(connection_error(Owner { id: 0, name: &shown }, said, ConnectionErrorKind::Failed));
                return;
            }
        };
        if let Some(key) = repeated {
            let message = format!("the key `{key}` of `{place}` stands there twice; its last value counts");
            self.notes.add(Some(&name), None, message);
        }
        let owner = Owner { id: self.ids.get(&*name).copied().unwrap_or(0), name: &name };
        read_tools(tools.unwrap_or(RawValue::NULL), &format!("{place}.tools"), owner, &mut self.tools, &mut self.notes);
        match (connected.map(RawValue::get), said) {
            (None | Some("true"), None) => {}
            (None | Some("true"), Some(said)) => {
                let message =
                    format!("`{place}` counts as connected, yet it reports an error: {}", shown_reason(&said));
                self.notes.add(Some(&name), None, message);
            }
            (Some("false"), said) => self.errors.push(connection_error(owner, said, ConnectionErrorKind::Failed)),
            (Some(_), said) => {
                let message = format!("`{place}.connected` is not a boolean; the server counts as not connected");
                self.notes.add(Some(&name), None, message);
                self.errors.push(connection_error(owner, said, ConnectionErrorKind::Failed));
            }
        }
        if !self.reported.insert(name.clone()) {
            self.notes.add(Some(&name), None, format!("`{place}` reports the server once more; all its entries count"));
        }
    }
}
