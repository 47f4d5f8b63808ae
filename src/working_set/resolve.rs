//! From the names a model sends to the one tool of the set they mean.
//!
//! Exact names first. Then names that differ only in spelling, and a tool given by a qualified name, but only where
//! exactly one tool of the set fits. Nothing else is ever guessed.

use super::{ServerEntry, ToolEntry, WorkingSet};
use crate::names::{full_tool_name, same_but_for_spelling};
use crate::tools::call::Repair;

/// A tool of the set, with what had to be read differently to find it.
pub(crate) struct Resolved<'s> {
    pub(crate) server: &'s ServerEntry,
    pub(crate) tool: &'s ToolEntry,
    /// Where the two stand: among the servers, and among the server's tools.
    pub(crate) position: (usize, usize),
    pub(crate) repairs: Vec<Repair>,
}

/// Why the names mean no tool that can be called.
pub(crate) enum Unresolved<'s> {
    UnknownServer,
    ServerUnavailable(&'s ServerEntry),
    EmptyToolList(&'s ServerEntry),
    UnknownTool(&'s ServerEntry),
    /// Several servers fit, and none of them has a tool that fits.
    AmbiguousServer(Vec<&'s ServerEntry>),
    AmbiguousTool(Vec<(&'s ServerEntry, &'s ToolEntry)>),
}

impl WorkingSet {
    pub(crate) fn resolve(&self, server: &str, tool: &str) -> Result<Resolved<'_>, Unresolved<'_>> {
        let exact = self.server_at(server);
        if let Some((server_index, server)) = exact {
            if server.unavailable().is_some() {
                return Err(Unresolved::ServerUnavailable(server));
            }
            if let Some((tool_index, tool)) = server.tool_named(tool) {
                let position = (server_index, tool_index);
                return Ok(Resolved { server, tool, position, repairs: Vec::new() });
            }
        }
        let exact = exact.map(|(_, server)| server);
        let fits = |(_, entry): &(usize, &ServerEntry)| same_but_for_spelling(server, entry.address());
        let servers: Vec<(usize, &ServerEntry)> = self.servers().iter().enumerate().filter(fits).collect();
        let tools_of = |&(index, server): &(usize, _)| {
            let tools: &[ToolEntry] = ServerEntry::tools(server);
            tools.iter().enumerate().map(move |(tool_index, tool)| ((index, tool_index), server, tool))
        };
        let fitting: Vec<_> = servers
            .iter()
            .flat_map(tools_of)
            .filter_map(|(at, server, entry)| {
                Some((server, entry, (at, reading(tool, server.address(), entry.name())?)))
            })
            .collect();
        let servers: Vec<&ServerEntry> = servers.into_iter().map(|(_, server)| server).collect();
        match (fitting.as_slice(), servers.as_slice(), exact) {
            ([(found, ..)], _, _) if found.unavailable().is_some() => Err(Unresolved::ServerUnavailable(found)),
            (&[(found, entry, (position, reading))], _, _) => {
                let respelled = (found.address() != server).then_some(Repair::RespelledServer);
                Ok(Resolved {
                    server: found,
                    tool: entry,
                    position,
                    repairs: respelled.into_iter().chain(reading.repair()).collect(),
                })
            }
            ([_, _, ..], _, _) => {
                Err(Unresolved::AmbiguousTool(fitting.iter().map(|&(server, tool, _)| (server, tool)).collect()))
            }
            ([], [], _) => Err(Unresolved::UnknownServer),
            ([], _, Some(server)) | ([], &[server], None) => Err(self.without_tool(server)),
            ([], [_, _, ..], None) => Err(Unresolved::AmbiguousServer(servers)),
        }
    }

    fn server_at(&self, address: &str) -> Option<(usize, &ServerEntry)> {
        let index = *self.addresses.get(address)?;
        Some((index, self.servers.get(index)?))
    }

    fn without_tool<'s>(&'s self, server: &'s ServerEntry) -> Unresolved<'s> {
        if server.unavailable().is_some() {
            Unresolved::ServerUnavailable(server)
        } else if self.tool_count() == 0 {
            Unresolved::EmptyToolList(server)
        } else {
            Unresolved::UnknownTool(server)
        }
    }
}

impl ServerEntry {
    fn tool_named(&self, name: &str) -> Option<(usize, &ToolEntry)> {
        let index = self.tools.binary_search_by(|tool| (*tool.name).cmp(name)).ok()?;
        Some((index, self.tools.get(index)?))
    }
}

/// How a given text means a tool's name.
#[derive(Clone, Copy)]
enum Reading {
    Exact,
    Respelled,
    FullName,
    Qualified,
}

impl Reading {
    fn repair(self) -> Option<Repair> {
        match self {
            Self::Exact => None,
            Self::Respelled => Some(Repair::RespelledTool),
            Self::FullName => Some(Repair::ResolvedFullName),
            Self::Qualified => Some(Repair::ResolvedQualifiedName),
        }
    }
}

/// How `given` means this tool of this server; nothing when it does not.
fn reading(given: &str, server: &str, tool: &str) -> Option<Reading> {
    if given == tool {
        Some(Reading::Exact)
    } else if same_but_for_spelling(given, tool) {
        Some(Reading::Respelled)
    } else if same_but_for_spelling(given, &full_tool_name(server, tool)) {
        Some(Reading::FullName)
    } else {
        let qualified =
            ['.', '/', ':'].iter().any(|separator| same_but_for_spelling(given, &format!("{server}{separator}{tool}")));
        qualified.then_some(Reading::Qualified)
    }
}
