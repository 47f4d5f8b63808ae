#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod approval;
mod display;
mod document;
mod error;
mod load_mode;
mod locale;
mod model;
mod names;
mod plan;
mod preview;
mod refusal;
mod report;
mod schema;
mod section;
mod suggest;
mod summary;
mod text;
mod tokens;
mod tools;
mod working_set;

pub use approval::lint::{RuleFinding, RuleFindingCode, lint_rules};
pub use approval::rules::{
    MAX_RULE_VALUE, MCP_TOOL_RULE, MatchedRule, Rule, RuleHint, RuleId, RuleRequest, RuleScope, RuleVerdict,
    match_rules, match_rules_json,
};
pub use approval::{ApprovalRequest, Basis, Decision, ExecutionMode, Outcome, PermissionLevel, Trust, decide_approval};
pub use display::{tool_display_name, tool_input_preview};
pub use error::{Error, ErrorCode, Place};
pub use load_mode::{LoadMode, LoadModeSource, ResolvedLoadMode, parse_load_mode, resolve_load_mode};
pub use locale::Locale;
pub use model::{Annotations, ConnectionError, ConnectionErrorKind, Hint, Server, Tool, Warning, WarningCode};
pub use names::{FULL_NAME_PREFIX, MAX_NAME_BYTES, full_tool_name, parse_full_tool_name};
#[doc(hidden)]
pub use plan::UnderstoodCall;
pub use plan::{CallContext, Execution, Plan, Refusal};
pub use preview::CallPreview;
pub use preview::card::{CallCard, CardOptions, call_preview};
pub use refusal::RefusalCode;
pub use report::cloud::{
    CloudConnectResult, ConnectStatus, ServerOutcome, UnconnectedServer, cloud_connect_result,
    cloud_connect_result_from_json,
};
pub use report::local::{ExpectedServer, LocalReport, parse_local_report};
pub use schema::normalize::normalize_input_schema;
pub use schema::validate::{
    ArgumentsCheck, MAX_SCHEMA_BYTES, MAX_VIOLATIONS, NotChecked, Violation, validate_arguments,
};
pub use section::{SECTION_KEY, SECTION_LABEL, Section};
pub use summary::summarize;
pub use tokens::estimate_tokens;
pub use tools::call::{
    CallError, DEFAULT_MAX_CALL_BYTES, MAX_CALL_DEPTH, Repair, ToolCall, effective_tool_name, restore_full_tool_name,
};
pub use tools::definitions::ToolDefinition;
pub use working_set::{ServerEntry, Standing, ToolEntry, Unavailable, WorkingSet};

/// Name of the tool through which every MCP tool is called.
pub const MCP_CALL: &str = "mcp_call";
/// Name of the tool that returns the schema of an MCP tool.
pub const MCP_DESCRIBE: &str = "mcp_describe";
