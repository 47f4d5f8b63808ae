//! From what a host sends to a set. Every choice is made by content, never by position.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;
use std::sync::atomic::AtomicUsize;

use super::{ServerEntry, Standing, ToolEntry, Unavailable, WorkingSet, fingerprint};
use crate::model::wire::{Text, WireConnectionError, WireServer, WireTool};
use crate::model::{Annotations, Warning, WarningCode};
use crate::names::{self, MAX_NAME_BYTES};

pub(super) fn assemble<'a>(
    servers: impl Iterator<Item = WireServer<'a>>,
    tools: impl Iterator<Item = WireTool<'a>>,
    errors: impl Iterator<Item = WireConnectionError<'a>>,
) -> WorkingSet {
    let mut warnings = Warnings::default();
    let mut servers = Servers::new(servers, &mut warnings);
    servers.mark_unavailable(errors, &mut warnings);
    servers.give_addresses(&mut warnings);
    servers.take_tools(tools, &mut warnings);
    let mut servers = servers.entries;
    for server in &mut servers {
        keep_one_of_each(server, &mut warnings);
        settle(server, &mut warnings);
    }
    let addresses = servers.iter().enumerate().map(|(index, server)| (server.address().into(), index)).collect();
    mark_ambiguous_names(&mut servers, &addresses, &mut warnings);
    WorkingSet {
        servers,
        addresses,
        warnings: warnings.sorted(),
        sections: [const { OnceLock::new() }; 2],
        fingerprint: OnceLock::new(),
        kept_nodes: AtomicUsize::new(0),
    }
}

#[derive(Default)]
struct Warnings(Vec<Warning>);

impl Warnings {
    fn add(&mut self, code: WarningCode, server: Option<&str>, tool: Option<&str>, message: &str) {
        self.0.push(Warning::new(code, server, tool, message));
    }

    fn sorted(mut self) -> Vec<Warning> {
        self.0.sort_unstable();
        self.0.dedup();
        self.0
    }
}

/// The name if it can be used, otherwise a text to show for it.
fn usable_name(name: Text<'_>) -> Result<Box<str>, String> {
    match name.0 {
        Ok(name) if !name.is_empty() && name.len() <= MAX_NAME_BYTES => Ok(name.into()),
        Ok(name) => Err(name.into_owned()),
        Err(lossy) => Err(lossy),
    }
}

const DROPPED_NAME: &str = "the name is empty, longer than 256 bytes or not valid Unicode; the entry was dropped";

/// Servers by (name, id), and where to find them.
struct Servers {
    entries: Vec<ServerEntry>,
    /// Non-zero ids only.
    by_id: BTreeMap<i64, usize>,
}

impl Servers {
    fn new<'a>(servers: impl Iterator<Item = WireServer<'a>>, warnings: &mut Warnings) -> Self {
        let mut entries = Vec::new();
        for server in servers {
            match usable_name(server.name) {
                Ok(name) => {
                    let description = server.description.map(|text| Box::from(text.lossy()));
                    entries.push(entry(server.id.0, name, description));
                }
                Err(shown) => warnings.add(WarningCode::InvalidName, Some(&shown), None, DROPPED_NAME),
            }
        }
        // The identity of a server is its id, or its name where it has none. Of several with one identity the
        // smallest stays; one that says what it is for is preferred to one that does not.
        entries.sort_unstable_by(|a, b| {
            let text = |entry: &ServerEntry| entry.description.is_none();
            (a.id, &a.name, text(a), &a.description).cmp(&(b.id, &b.name, text(b), &b.description))
        });
        entries.dedup_by(|other, kept| {
            if other.id != kept.id || (other.id == 0 && other.name != kept.name) {
                return false;
            }
            if other.name != kept.name {
                let message = "its id belongs to another server as well, which stays in its place; none of its tools counts as read-only";
                warnings.add(WarningCode::DuplicateServerId, Some(&other.name), None, message);
                kept.disputed = true;
            } else if other.description != kept.description {
                let message = "given twice with different descriptions; one of them stays";
                warnings.add(WarningCode::DuplicateServer, Some(&other.name), None, message);
            }
            true
        });
        let mut servers = Self { entries, by_id: BTreeMap::new() };
        servers.put_in_order();
        servers
    }

    fn put_in_order(&mut self) {
        self.entries.sort_unstable_by(|a, b| (&a.name, a.id).cmp(&(&b.name, b.id)));
        let ids = self.entries.iter().enumerate().filter(|(_, entry)| entry.id != 0);
        self.by_id = ids.map(|(index, entry)| (entry.id, index)).collect();
    }

    /// The server with this id, else the one that keeps this name.
    fn find(&self, id: i64, name: Option<&str>) -> Option<usize> {
        self.by_id.get(&id).copied().or_else(|| {
            let name = name?;
            let first = self.entries.partition_point(|entry| *entry.name < *name);
            self.entries.get(first).is_some_and(|entry| *entry.name == *name).then_some(first)
        })
    }

    fn mark_unavailable<'a>(&mut self, errors: impl Iterator<Item = WireConnectionError<'a>>, warnings: &mut Warnings) {
        // Errors with an id come first, so that the servers they add can be found by name by those without one.
        let (with_id, without_id): (Vec<_>, Vec<_>) = errors.partition(|error| error.server_id.0 != 0);
        for errors in [with_id, without_id] {
            let mut unlisted = Vec::new();
            for error in errors {
                let id = error.server_id.0;
                let name = error.server_name.map_or_else(|| Err(String::new()), usable_name);
                let reason = error.reason.map(|text| text.lossy().into_owned()).unwrap_or_default();
                let why = Unavailable { kind: error.kind.0, reason };
                match (self.find(id, name.as_deref().ok()), name) {
                    (Some(index), _) => {
                        if let Some(server) = self.entries.get_mut(index) {
                            server.fail(why);
                        }
                    }
                    (None, Ok(name)) => unlisted.push((id, name, why)),
                    (None, Err(shown)) => warnings.add(WarningCode::InvalidName, Some(&shown), None, DROPPED_NAME),
                }
            }
            // A failed server that nobody listed is shown all the same.
            unlisted.sort_unstable();
            for (id, name, why) in unlisted {
                match self.entries.last_mut() {
                    Some(last) if last.id == id && (id != 0 || last.name == name) => last.fail(why),
                    _ => {
                        let mut server = entry(id, name, None);
                        server.fail(why);
                        self.entries.push(server);
                    }
                }
            }
            self.put_in_order();
        }
    }

    /// Of servers with one name the first, which has the smallest id, keeps it.
    fn give_addresses(&mut self, warnings: &mut Warnings) {
        if !self.entries.windows(2).any(|pair| matches!(pair, [a, b] if a.name == b.name)) {
            return;
        }
        let mut taken: BTreeSet<Box<str>> = self.entries.iter().map(|entry| entry.name.clone()).collect();
        let mut name: Option<Box<str>> = None;
        for entry in &mut self.entries {
            if name.as_ref() != Some(&entry.name) {
                name = Some(entry.name.clone());
                continue;
            }
            let suffix = format!("#{}", entry.id);
            let mut alias = format!("{}{suffix}", entry.name);
            while taken.contains(alias.as_str()) {
                alias.push_str(&suffix);
            }
            let message = "another server has the same name and a smaller id; this one is addressed by name and id";
            warnings.add(WarningCode::DuplicateServerName, Some(&alias), None, message);
            taken.insert(alias.as_str().into());
            entry.alias = Some(alias.into());
        }
    }

    fn take_tools<'a>(&mut self, tools: impl Iterator<Item = WireTool<'a>>, warnings: &mut Warnings) {
        for tool in tools {
            let server_name = tool.server_name.map(|name| name.0);
            let known_name = server_name.as_ref().and_then(|name| name.as_deref().ok());
            let index = self.find(tool.server_id.0, known_name);
            let name = usable_name(tool.tool_name);
            let Some(server) = index.and_then(|index| self.entries.get_mut(index)) else {
                let shown = match &server_name {
                    Some(Ok(name)) => Some(&**name),
                    Some(Err(lossy)) => Some(lossy.as_str()),
                    None => None,
                };
                let tool_name = name.as_deref().unwrap_or_else(|shown| shown);
                let message = "it belongs to no server of this session and was dropped";
                warnings.add(WarningCode::UnknownServer, shown, Some(tool_name), message);
                continue;
            };
            match name {
                Ok(name) => server.tools.push(ToolEntry {
                    name,
                    description: tool.description.map(|text| text.lossy().into()).unwrap_or_default(),
                    input_schema: tool.input_schema.0.into(),
                    annotations: tool.annotations.0,
                    standing: Standing::of_hints(tool.annotations.0),
                    fingerprint: OnceLock::new(),
                    validator: OnceLock::new(),
                }),
                Err(shown) => {
                    warnings.add(WarningCode::InvalidName, Some(server.address()), Some(&shown), DROPPED_NAME);
                }
            }
        }
    }
}

fn entry(id: i64, name: Box<str>, description: Option<Box<str>>) -> ServerEntry {
    ServerEntry { id, name, alias: None, description, unavailable: None, disputed: false, tools: Vec::new() }
}

impl ServerEntry {
    /// Of several reasons the smallest stays.
    fn fail(&mut self, why: Unavailable) {
        self.unavailable = Some(match self.unavailable.take() {
            Some(earlier) => earlier.min(why),
            None => why,
        });
    }
}

impl ToolEntry {
    fn content(&self) -> (&str, &str, &str, Annotations) {
        (&self.name, &self.description, &self.input_schema, self.annotations)
    }
}

/// Puts a server's tools in order and keeps one of each name. Where copies differ, the one that stays does not count
/// as read-only, and its fingerprint covers them all.
fn keep_one_of_each(server: &mut ServerEntry, warnings: &mut Warnings) {
    server.tools.sort_unstable_by(|a, b| a.content().cmp(&b.content()));
    let mut differing = BTreeMap::new();
    for copies in server.tools.chunk_by(|a, b| a.name == b.name) {
        if let [tool, _, ..] = copies {
            let definitions: BTreeSet<_> = copies.iter().map(ToolEntry::fingerprint_bytes).collect();
            if definitions.len() > 1 {
                differing.insert(tool.name.clone(), fingerprint::of_copies(&definitions));
            }
        }
    }
    server.tools.dedup_by(|copy, kept| copy.name == kept.name);
    if differing.is_empty() {
        return;
    }
    let address = server.alias.as_deref().unwrap_or(&server.name);
    for tool in &mut server.tools {
        if let Some(fingerprint) = differing.remove(&tool.name) {
            tool.standing = Standing::DifferingCopies;
            tool.fingerprint = OnceLock::from(fingerprint);
            let message = "given twice with different content; one of them stays and does not count as read-only";
            warnings.add(WarningCode::DuplicateTool, Some(address), Some(&tool.name), message);
        }
    }
}

/// Says what speaks against a server's tools, and against calling them through the desktop.
fn settle(server: &mut ServerEntry, warnings: &mut Warnings) {
    if !server.is_routable() && !server.tools.is_empty() {
        let message = "the desktop would take its tools' full names apart wrongly; LOCAL calls to it are refused";
        warnings.add(WarningCode::UnroutableName, Some(server.address()), None, message);
    }
    let address = server.alias.as_deref().unwrap_or(&server.name);
    for tool in &mut server.tools {
        if Standing::of_hints(tool.annotations) == Standing::Contradictory {
            let message = "it says both that it only reads and that it destroys; it does not count as read-only";
            warnings.add(WarningCode::ContradictoryHints, Some(address), Some(&tool.name), message);
        }
        if tool.standing == Standing::ReadOnly && server.disputed {
            tool.standing = Standing::DisputedServer;
        }
        if tool.standing == Standing::ReadOnly && server.unavailable.is_some() {
            tool.standing = Standing::Unavailable;
        }
    }
}

/// Finds the tools whose full names are the same text. Taken apart, a full name gives one pair only, so at least one
/// of two such tools is on a server whose names do not come apart rightly; the other is on one too, or is that pair.
fn mark_ambiguous_names(servers: &mut [ServerEntry], addresses: &BTreeMap<Box<str>, usize>, warnings: &mut Warnings) {
    let mut full_names: Vec<(String, usize, usize)> = Vec::new();
    for (server_index, server) in servers.iter().enumerate() {
        if names::is_routable(server.address()) {
            continue;
        }
        for (tool_index, tool) in server.tools.iter().enumerate() {
            let full_name = server.full_tool_name(tool);
            let other = names::parse_full_tool_name(&full_name).and_then(|(address, name)| {
                let other = *addresses.get(address)?;
                let tools = &servers.get(other)?.tools;
                Some((other, tools.binary_search_by(|tool| (*tool.name).cmp(name)).ok()?))
            });
            if let Some((other_server, other_tool)) = other {
                full_names.push((full_name.clone(), other_server, other_tool));
            }
            full_names.push((full_name, server_index, tool_index));
        }
    }
    full_names.sort_unstable();
    full_names.dedup();
    for sharing in full_names.chunk_by(|a, b| a.0 == b.0).filter(|sharing| sharing.len() > 1) {
        for &(_, server, tool) in sharing {
            let Some(server) = servers.get_mut(server) else { continue };
            let address = server.alias.as_deref().unwrap_or(&server.name);
            let Some(tool) = server.tools.get_mut(tool) else { continue };
            tool.standing = Standing::AmbiguousName;
            let message =
                "its full name is another tool's as well; it does not count as read-only and no rule covers it";
            warnings.add(WarningCode::AmbiguousFullName, Some(address), Some(&tool.name), message);
        }
    }
}
