//! `tests/vectors/product/approval.json`: what every combination of inputs must be decided to be.
//!
//! The expectations are written out from the specification's table, which stands here as data. Nothing of the core is
//! used: its answers are what the file judges.

use std::fmt::Write as _;

use crate::process::{Failure, root};

const FILE: &str = "tests/vectors/product/approval.json";

/// The order of the columns of [`DECISIONS`] and of every word in the file.
const RULES: [&str; 7] = ["none", "session", "user", "disabled", "other-name", "outdated", "denied"];

/// The table of the specification. A word has one letter for each of [`RULES`]; the letters are explained in the file.
/// level, mode, then the word of a tool that counts as read-only, of any other, and of one with an ambiguous full name.
const DECISIONS: [[&str; 5]; 10] = [
    ["READ_ONLY", "LOCAL", "AAAAAAA", "nnnnnnn", "nnnnnnn"],
    ["READ_WRITE", "LOCAL", "AAAAAAA", "qSUqqqn", "nnnnnnn"],
    ["SMART", "LOCAL", "qSUqqqn", "qSUqqqn", "nnnnnnn"],
    ["PROXY", "LOCAL", "mSUmmmo", "mSUmmmo", "ooooooo"],
    ["FULL", "LOCAL", "LLLLLLL", "LLLLLLL", "LLLLLLL"],
    ["READ_ONLY", "CLOUD", "CCCCCCC", "CCCCCCC", "CCCCCCC"],
    ["READ_WRITE", "CLOUD", "CCCCCCC", "CCCCCCC", "CCCCCCC"],
    ["SMART", "CLOUD", "CCCCCCC", "CCCCCCC", "CCCCCCC"],
    ["PROXY", "CLOUD", "CCCCCCC", "CCCCCCC", "CCCCCCC"],
    ["FULL", "CLOUD", "CCCCCCC", "CCCCCCC", "CCCCCCC"],
];

/// Each level as a host may say it, and the row of the table it comes to.
const LEVELS: [[&str; 2]; 7] = [
    ["READ_ONLY", "READ_ONLY"],
    ["READ_WRITE", "READ_WRITE"],
    ["SMART", "SMART"],
    ["PROXY", "PROXY"],
    ["FULL", "FULL"],
    ["unknown", "READ_ONLY"],
    ["null", "READ_ONLY"],
];

/// Each call, and the letter of its refusal; none for the one that is planned.
const CALLS: [(&str, Option<&str>); 6] = [
    ("restorable", None),
    ("broken-json", Some("j")),
    ("not-an-object", Some("a")),
    ("double-key", Some("a")),
    ("unknown-tool", Some("t")),
    ("unavailable", Some("x")),
];

const KINDS: [&str; 3] = ["plain", "duplicate", "ambiguous"];
const TRUST: [&str; 2] = ["trusted", "untrusted"];
const READ_ONLY_HINTS: [&str; 4] = ["true", "false", "not-said", "not-a-boolean"];
const DESTRUCTIVE_HINTS: [&str; 3] = ["true", "false", "not-said"];

/// All that makes a tool count as read-only: kind, trust, `readOnlyHint`, `destructiveHint`.
const COUNTS_AS_READ_ONLY: [[&str; 4]; 2] =
    [["plain", "trusted", "true", "false"], ["plain", "trusted", "true", "not-said"]];

/// Writes the file.
pub(crate) fn write() -> Result<(), Failure> {
    std::fs::write(root().join(FILE), text())
        .map_err(|error| Failure(format!("`{FILE}` could not be written: {error}")))
}

fn text() -> String {
    let mut blocks = Vec::new();
    for [level, meant] in LEVELS {
        for [_, mode, read_only, otherwise, ambiguous] in DECISIONS.iter().filter(|row| row[0] == meant) {
            let mut rows = Vec::new();
            for (call, refusal) in CALLS {
                for kind in KINDS {
                    for trust in TRUST {
                        let mut row = format!("{call:<13} {kind:<9} {trust:<9} ");
                        for hint in READ_ONLY_HINTS {
                            for destructive in DESTRUCTIVE_HINTS {
                                let word = match (refusal, kind) {
                                    (Some(letter), _) => letter.repeat(RULES.len()),
                                    (None, "ambiguous") => (*ambiguous).to_owned(),
                                    (None, _) if COUNTS_AS_READ_ONLY.contains(&[kind, trust, hint, destructive]) => {
                                        (*read_only).to_owned()
                                    }
                                    (None, _) => (*otherwise).to_owned(),
                                };
                                let _ = write!(row, " {word}");
                            }
                        }
                        rows.push(format!("        \"{row}\""));
                    }
                }
            }
            // A call whose name cannot be restored asks at every level but FULL, wherever it runs.
            let unnamed = if meant == "FULL" { "L" } else { "r" };
            blocks.push(format!(
                "    {{\n      \"level\": \"{level}\",\n      \"mode\": \"{mode}\",\n      \"unnamed\": \"{unnamed}\",\n      \"rows\": [\n{}\n      ]\n    }}",
                rows.join(",\n")
            ));
        }
    }
    format!("{HEAD}{}\n  ]\n}}\n", blocks.join(",\n"))
}

/// How each value of each axis is realised, and what the letters mean.
const HEAD: &str = r#"{
  "about": "Every combination of inputs of a decision, one letter each; see README.md. Written by `cargo xtask vectors` from the table of the specification.",
  "context": {"sessionId": "s1", "validate": true, "locale": "zh-CN"},
  "subject": {"server": "a", "tool": "b__c", "serverId": 1, "fullToolName": "mcp__a__b__c", "argumentsJson": "{\"k\":1}"},
  "axes": {
    "level": [
      {"name": "READ_ONLY", "permissionLevel": "READ_ONLY"},
      {"name": "READ_WRITE", "permissionLevel": "READ_WRITE"},
      {"name": "SMART", "permissionLevel": "SMART"},
      {"name": "PROXY", "permissionLevel": "PROXY"},
      {"name": "FULL", "permissionLevel": "FULL"},
      {"name": "unknown", "permissionLevel": "full"},
      {"name": "null", "permissionLevel": null}
    ],
    "mode": [
      {"name": "LOCAL", "executionMode": "LOCAL"},
      {"name": "CLOUD", "executionMode": "CLOUD"}
    ],
    "call": [
      {"name": "restorable", "argumentsJson": "{\"server\":\"a\",\"tool\":\"b__c\",\"arguments\":{\"k\":1}}"},
      {"name": "broken-json", "argumentsJson": "{\"server\":\"a\",\"tool\":\"b__c\",\"arguments\":{\"k\":1}"},
      {"name": "not-an-object", "argumentsJson": "[{\"server\":\"a\",\"tool\":\"b__c\",\"arguments\":{\"k\":1}}]"},
      {"name": "double-key", "argumentsJson": "{\"server\":\"a\",\"tool\":\"b__c\",\"t\\u006fol\":\"b__c\",\"arguments\":{\"k\":1}}"},
      {"name": "unknown-tool", "argumentsJson": "{\"server\":\"a\",\"tool\":\"b__d\",\"arguments\":{\"k\":1}}"},
      {"name": "unavailable", "argumentsJson": "{\"server\":\"down\",\"tool\":\"b__c\",\"arguments\":{\"k\":1}}"}
    ],
    "kind": [
      {"name": "plain", "document": {
        "servers": [{"id": 1, "name": "a"}, {"id": 3, "name": "down"}],
        "tools": [
          {"serverId": 1, "serverName": "a", "toolName": "b__c", "description": "", "inputSchema": {}},
          {"serverId": 3, "serverName": "down", "toolName": "b__c", "description": "", "inputSchema": {}}
        ],
        "connectionErrors": [{"serverId": 3, "serverName": "down", "reason": "timeout"}]
      }},
      {"name": "duplicate", "document": {
        "servers": [{"id": 1, "name": "a"}, {"id": 3, "name": "down"}],
        "tools": [
          {"serverId": 1, "serverName": "a", "toolName": "b__c", "description": "", "inputSchema": {}},
          {"serverId": 1, "serverName": "a", "toolName": "b__c", "description": "another", "inputSchema": {}},
          {"serverId": 3, "serverName": "down", "toolName": "b__c", "description": "", "inputSchema": {}}
        ],
        "connectionErrors": [{"serverId": 3, "serverName": "down", "reason": "timeout"}]
      }},
      {"name": "ambiguous", "document": {
        "servers": [{"id": 1, "name": "a"}, {"id": 2, "name": "a__b"}, {"id": 3, "name": "down"}],
        "tools": [
          {"serverId": 1, "serverName": "a", "toolName": "b__c", "description": "", "inputSchema": {}},
          {"serverId": 2, "serverName": "a__b", "toolName": "c", "description": "", "inputSchema": {}},
          {"serverId": 3, "serverName": "down", "toolName": "b__c", "description": "", "inputSchema": {}}
        ],
        "connectionErrors": [{"serverId": 3, "serverName": "down", "reason": "timeout"}]
      }}
    ],
    "trust": [
      {"name": "trusted", "trust": [1, 2, 3], "trusted": true},
      {"name": "untrusted", "trust": [0, 9], "trusted": false}
    ],
    "readOnlyHint": [
      {"name": "true", "annotations": {"readOnlyHint": true}},
      {"name": "false", "annotations": {"readOnlyHint": false}},
      {"name": "not-said", "annotations": {}},
      {"name": "not-a-boolean", "annotations": {"readOnlyHint": "true"}}
    ],
    "destructiveHint": [
      {"name": "true", "annotations": {"destructiveHint": true}},
      {"name": "false", "annotations": {"destructiveHint": false}},
      {"name": "not-said", "annotations": {}}
    ],
    "rule": [
      {"name": "none", "rules": [], "denyTokens": ["rm"]},
      {"name": "session", "denyTokens": ["rm", "b__c", "mcp__"], "rules": [
        {"id": 2, "scope": "USER", "ruleType": "MCP_TOOL", "ruleValue": "mcp__a__b__c", "enabled": true},
        {"id": 1, "scope": "SESSION", "sessionId": "s1", "ruleType": "MCP_TOOL", "ruleValue": "mcp__a__b__c", "enabled": true}
      ]},
      {"name": "user", "denyTokens": [], "rules": [
        {"id": 1, "scope": "SESSION", "sessionId": "s2", "ruleType": "MCP_TOOL", "ruleValue": "mcp__a__b__c", "enabled": true},
        {"id": 2, "scope": "USER", "ruleType": "MCP_TOOL", "ruleValue": "mcp__a__b__c", "enabled": true}
      ]},
      {"name": "disabled", "denyTokens": [], "rules": [
        {"id": 1, "scope": "SESSION", "sessionId": "s1", "ruleType": "MCP_TOOL", "ruleValue": "mcp__a__b__c", "enabled": false},
        {"id": 2, "scope": "USER", "ruleType": "MCP_TOOL", "ruleValue": "mcp__a__b__c"}
      ]},
      {"name": "other-name", "denyTokens": [], "rules": [
        {"id": 3, "scope": "SESSION", "sessionId": "s1", "ruleType": "MCP_TOOL", "ruleValue": "mcp__a__b__", "enabled": true},
        {"id": 4, "scope": "USER", "ruleType": "MCP_TOOL", "ruleValue": "mcp__a__b__cc", "enabled": true},
        {"id": 5, "scope": "USER", "ruleType": "MCP_TOOL", "ruleValue": "mcp__A__b__c", "enabled": true},
        {"id": 6, "scope": "USER", "ruleType": "MCP_TOOL", "ruleValue": "mcp__ａ__b__c", "enabled": true},
        {"id": 7, "scope": "USER", "ruleType": "MCP_TOOL", "ruleValue": "mcp__down__b__c", "enabled": true},
        {"id": 8, "scope": "USER", "ruleType": "MCP_TOOL", "ruleValue": "mcp__a__*", "enabled": true},
        {"id": 9, "scope": "USER", "ruleType": "MCP_TOOL", "ruleValue": "b__c", "enabled": true},
        {"id": 10, "scope": "USER", "ruleType": "MCP_TOOL", "ruleValue": "mcp_call", "enabled": true},
        {"id": 11, "scope": "USER", "ruleType": "SHELL_EXACT", "ruleValue": "mcp__a__b__c", "enabled": true}
      ]},
      {"name": "outdated", "denyTokens": [], "rules": [
        {"id": 1, "scope": "SESSION", "sessionId": "s1", "ruleType": "MCP_TOOL", "ruleValue": "mcp__a__b__c", "enabled": true, "toolFingerprint": "00"},
        {"id": 2, "scope": "USER", "ruleType": "MCP_TOOL", "ruleValue": "mcp__a__b__c", "enabled": true, "toolFingerprint": ""}
      ]},
      {"name": "denied", "denyTokens": ["rm", "mcp__a__b__c"], "rules": [
        {"id": 1, "scope": "SESSION", "sessionId": "s1", "ruleType": "MCP_TOOL", "ruleValue": "mcp__a__b__c", "enabled": true},
        {"id": 2, "scope": "USER", "ruleType": "MCP_TOOL", "ruleValue": "mcp__a__b__c", "enabled": true}
      ]}
    ]
  },
  "answers": {
    "A": {"kind": "execute", "outcome": "allow", "basis": "annotation", "rulesApply": false, "ruleId": null, "hint": false},
    "L": {"kind": "execute", "outcome": "allow", "basis": "level", "rulesApply": false, "ruleId": null, "hint": false},
    "C": {"kind": "execute", "outcome": "allow", "basis": "cloud", "rulesApply": false, "ruleId": null, "hint": false},
    "S": {"kind": "execute", "outcome": "allow", "basis": "rule", "rulesApply": true, "ruleId": 1, "hint": false},
    "U": {"kind": "execute", "outcome": "allow", "basis": "rule", "rulesApply": true, "ruleId": 2, "hint": false},
    "q": {"kind": "execute", "outcome": "ask_user", "basis": "default", "rulesApply": true, "ruleId": null, "hint": true},
    "m": {"kind": "execute", "outcome": "ask_model", "basis": "default", "rulesApply": true, "ruleId": null, "hint": true},
    "n": {"kind": "execute", "outcome": "ask_user", "basis": "default", "rulesApply": false, "ruleId": null, "hint": false},
    "o": {"kind": "execute", "outcome": "ask_model", "basis": "default", "rulesApply": false, "ruleId": null, "hint": false},
    "j": {"kind": "refuse", "code": "invalid_json", "fullToolName": null, "outcome": "ask_user", "basis": "unrestorable", "rulesApply": false, "ruleId": null, "hint": false},
    "a": {"kind": "refuse", "code": "invalid_arguments", "fullToolName": null, "outcome": "ask_user", "basis": "unrestorable", "rulesApply": false, "ruleId": null, "hint": false},
    "t": {"kind": "refuse", "code": "unknown_tool", "fullToolName": "mcp__a__b__d", "outcome": "ask_user", "basis": "default", "rulesApply": false, "ruleId": null, "hint": false},
    "x": {"kind": "refuse", "code": "server_unavailable", "fullToolName": "mcp__down__b__c", "outcome": "ask_user", "basis": "default", "rulesApply": false, "ruleId": null, "hint": false},
    "r": {"kind": null, "outcome": "ask_user", "basis": "unrestorable", "rulesApply": false, "ruleId": null, "hint": false}
  },
  "points": [
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_file_is_what_the_table_says() {
        let committed = std::fs::read_to_string(root().join(FILE)).unwrap();
        assert!(committed == text(), "`{FILE}` is not what the table says; run `cargo xtask vectors`");
    }
}
