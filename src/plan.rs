//! What to do with a call: execute it, where and with which arguments, or refuse it with what the model should hear.
//!
//! A plan is a value; making one runs nothing. The call is read once, by [`ToolCall`]: the decision, the route, the check
//! and the arguments of a plan are about the same server, tool and text. It knows nothing of transports.

use std::borrow::Cow;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::approval::rules::{MatchedRule, Rule, RuleBook, WireRule};
use crate::approval::{Decision, ExecutionMode, PermissionLevel, Question, Subject, Trust, decide, decide_refused};
use crate::document;
use crate::error::{Error, ErrorCode};
use crate::locale::Locale;
use crate::names::{full_tool_name, same_but_for_spelling};
use crate::refusal::{Answer, RefusalCode};
use crate::schema::compact::{DEFAULT_BUDGET, compact_schema};
#[cfg(feature = "validate")]
use crate::schema::repair::repair_arguments;
use crate::schema::validate::{NotChecked, Read, Violation};
use crate::section;
use crate::suggest::nearest;
use crate::text::{one_line, push_json_string, range_of};
use crate::tools::call::{CallError, DEFAULT_MAX_CALL_BYTES, Repair, ToolCall};
use crate::working_set::resolve::{Resolved, Unresolved};
use crate::working_set::{ServerEntry, Standing, ToolEntry, WorkingSet};

/// Names in an answer are listed up to this many; the number of those left out is said.
const MAX_LISTED: usize = 50;
/// Names that are suggested.
const MAX_SUGGESTED: usize = 5;
/// A name is quoted in a sentence up to this many grapheme clusters.
const MAX_QUOTED: usize = 80;

/// What a host knows when a call comes in.
#[derive(Debug, Clone)]
pub struct CallContext {
    /// Where the session runs its tools.
    pub execution_mode: ExecutionMode,
    /// How much the user lets the agent do.
    pub permission_level: PermissionLevel,
    /// The rule the host found in its database.
    pub matched_rule: Option<MatchedRule>,
    /// Rules the host has at hand.
    pub rules: Vec<Rule>,
    /// Tokens that void rules and hints.
    pub deny_tokens: Vec<String>,
    /// The session, for rules that count in one session only.
    pub session_id: Option<String>,
    /// Which servers are trusted to say that a tool only reads.
    pub trust: Trust,
    /// Whether arguments are checked against the tool's schema.
    pub validate: bool,
    /// The language of what the model and people read.
    pub locale: Locale,
    /// The largest text of a call that is read, in bytes.
    pub max_call_bytes: usize,
}

impl CallContext {
    /// A context with nothing in a call's favour: level `READ_ONLY`, no rules, all servers trusted, arguments checked.
    #[must_use]
    pub fn new(execution_mode: ExecutionMode) -> Self {
        Self {
            execution_mode,
            permission_level: PermissionLevel::default(),
            matched_rule: None,
            rules: Vec::new(),
            deny_tokens: Vec::new(),
            session_id: None,
            trust: Trust::default(),
            validate: true,
            locale: Locale::default(),
            max_call_bytes: DEFAULT_MAX_CALL_BYTES,
        }
    }

    /// Reads a context from its JSON form.
    ///
    /// # Errors
    /// `invalid_json` or `invalid_document` with the place, `invalid_execution_mode`, `invalid_locale`,
    /// `invalid_argument`.
    pub fn from_json(json: &[u8]) -> Result<Self, Error> {
        let wire: WireContext = document::read(json)?;
        Ok(Self {
            execution_mode: ExecutionMode::parse(&wire.execution_mode)?,
            permission_level: PermissionLevel::parse(wire.permission_level.as_deref()),
            matched_rule: wire.matched_rule,
            rules: Rule::from_wire(wire.rules.unwrap_or_default()),
            deny_tokens: wire.deny_tokens.unwrap_or_default(),
            session_id: wire.session_id,
            trust: match wire.trust {
                None => Trust::All,
                Some(WireTrust::Servers(ids)) => Trust::Servers(ids),
                Some(WireTrust::Word(word)) => match word.as_str() {
                    "all" => Trust::All,
                    "none" => Trust::None,
                    _ => {
                        let message = "trust must be `all`, `none` or a list of server ids";
                        return Err(Error::new(ErrorCode::InvalidArgument, message));
                    }
                },
            },
            validate: wire.validate.unwrap_or(true),
            locale: wire.locale.as_deref().map(Locale::parse).transpose()?.unwrap_or_default(),
            max_call_bytes: wire.max_call_bytes.unwrap_or(DEFAULT_MAX_CALL_BYTES),
        })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireContext {
    execution_mode: String,
    permission_level: Option<String>,
    matched_rule: Option<MatchedRule>,
    rules: Option<Vec<WireRule>>,
    deny_tokens: Option<Vec<String>>,
    session_id: Option<String>,
    trust: Option<WireTrust>,
    validate: Option<bool>,
    locale: Option<String>,
    max_call_bytes: Option<usize>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum WireTrust {
    Word(String),
    Servers(Vec<i64>),
}

/// What to do with a call.
#[derive(Debug)]
pub enum Plan<'s, 'a> {
    /// Ask as the decision says, then run it.
    Execute(Execution<'s, 'a>),
    /// Run nothing; give the model the result.
    Refuse(Refusal),
}

/// A call that can run: everything of a plan but the decision.
#[doc(hidden)]
#[derive(Debug)]
pub struct UnderstoodCall<'s, 'a> {
    pub server: &'s ServerEntry,
    pub tool: &'s ToolEntry,
    /// Where the two stand: the server among [`servers`](WorkingSet::servers), the tool among its tools.
    pub position: (usize, usize),
    pub arguments_json: Cow<'a, str>,
    pub unchecked: Option<NotChecked>,
    pub repairs: Vec<Repair>,
}

impl UnderstoodCall<'_, '_> {
    /// Where in the text that was planned the arguments stand, in bytes; nothing when they do not stand there as they
    /// are.
    #[must_use]
    pub fn arguments_range(&self, planned: &str) -> Option<Range<usize>> {
        range_of(planned, &self.arguments_json)
    }
}

/// A call that can run once its decision is heeded.
#[derive(Debug)]
pub struct Execution<'s, 'a> {
    /// Where it runs.
    pub route: ExecutionMode,
    /// The server.
    pub server: &'s ServerEntry,
    /// The tool.
    pub tool: &'s ToolEntry,
    /// The tool's own arguments: the text of one JSON object.
    pub arguments_json: Cow<'a, str>,
    /// True when the arguments were found to satisfy the tool's schema.
    pub checked: bool,
    /// Why they could not be checked, where that was asked for. That does not block a call.
    pub unchecked: Option<NotChecked>,
    /// Whether it may run, and why.
    pub decision: Decision,
    /// What was put right to understand the call.
    pub repairs: Vec<Repair>,
}

impl Execution<'_, '_> {
    /// `mcp__{server}__{tool}`, with the real names.
    #[must_use]
    pub fn full_tool_name(&self) -> String {
        self.server.full_tool_name(self.tool)
    }

    /// What the executor is given: in CLOUD the tool's own name, in LOCAL the full name.
    #[must_use]
    pub fn tool_name(&self) -> Cow<'_, str> {
        match self.route {
            ExecutionMode::Cloud => Cow::Borrowed(self.tool.name()),
            ExecutionMode::Local => Cow::Owned(self.full_tool_name()),
        }
    }
}

/// A call that does not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Why.
    pub code: RefusalCode,
    /// What the model gets: one JSON object with `error`, `code` and more.
    pub result_json: String,
    /// The full name of the tool that was meant, where it can be restored.
    pub full_tool_name: Option<String>,
    /// Always one that asks: nothing a host does with a refused call may run unasked.
    pub decision: Decision,
}

impl Plan<'_, '_> {
    /// The plan in its JSON form.
    #[must_use]
    pub fn to_json(&self) -> String {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase", tag = "kind")]
        enum Wire<'p> {
            #[serde(rename_all = "camelCase")]
            Execute {
                route: ExecutionMode,
                server: &'p str,
                tool: &'p str,
                server_id: i64,
                tool_name: Cow<'p, str>,
                full_tool_name: String,
                arguments_json: &'p str,
                checked: bool,
                #[serde(skip_serializing_if = "Option::is_none")]
                unchecked: Option<NotChecked>,
                decision: &'p Decision,
                repairs: Vec<String>,
            },
            #[serde(rename_all = "camelCase")]
            Refuse { code: &'p str, result_json: &'p str, full_tool_name: Option<&'p str>, decision: &'p Decision },
        }
        let wire = match self {
            Self::Execute(execution) => Wire::Execute {
                route: execution.route,
                server: execution.server.address(),
                tool: execution.tool.name(),
                server_id: execution.server.id(),
                tool_name: execution.tool_name(),
                full_tool_name: execution.full_tool_name(),
                arguments_json: &execution.arguments_json,
                checked: execution.checked,
                unchecked: execution.unchecked,
                decision: &execution.decision,
                repairs: execution.repairs.iter().map(ToString::to_string).collect(),
            },
            Self::Refuse(refusal) => Wire::Refuse {
                code: refusal.code.as_str(),
                result_json: &refusal.result_json,
                full_tool_name: refusal.full_tool_name.as_deref(),
                decision: &refusal.decision,
            },
        };
        document::to_json(&wire)
    }
}

impl WorkingSet {
    /// Plans a call of `mcp_call` from its arguments as the model wrote them.
    ///
    /// ```
    /// use mcp_working_set::{CallContext, ExecutionMode, Plan, WorkingSet};
    /// # let document = br#"{"servers":[{"id":1,"name":"fs"}],"tools":[{"serverId":1,"toolName":"read_file"}]}"#;
    /// let set = WorkingSet::from_json(document)?;
    /// let context = CallContext::new(ExecutionMode::Local);
    /// match set.plan_call(r#"{"server":"fs","tool":"read_file","arguments":{"path":"/a"}}"#, &context) {
    ///     Plan::Execute(call) => {
    ///         assert_eq!(call.tool_name(), "mcp__fs__read_file");
    ///         assert_eq!(call.arguments_json, r#"{"path":"/a"}"#);
    ///         assert!(call.decision.need_approval);
    ///     }
    ///     Plan::Refuse(refusal) => panic!("{}", refusal.result_json),
    /// }
    /// # Ok::<(), mcp_working_set::Error>(())
    /// ```
    #[must_use]
    pub fn plan_call<'s, 'a>(&'s self, arguments_json: &'a str, context: &CallContext) -> Plan<'s, 'a> {
        match self.understand_call(arguments_json, context) {
            Ok(call) => Plan::Execute(decided(call, context)),
            Err(refusal) => Plan::Refuse(*refusal),
        }
    }

    /// Reads, resolves and checks a call, as [`plan_call`](Self::plan_call) does before it decides. For bindings that
    /// remember the decision, which depends on the tool and the context alone.
    ///
    /// # Errors
    /// The refusal that the plan would be.
    #[doc(hidden)]
    pub fn understand_call<'s, 'a>(
        &'s self,
        arguments_json: &'a str,
        context: &CallContext,
    ) -> Result<UnderstoodCall<'s, 'a>, Box<Refusal>> {
        let locale = context.locale;
        let read = if context.validate {
            ToolCall::parse_with(arguments_json, context.max_call_bytes)
        } else {
            ToolCall::parse_within(arguments_json, context.max_call_bytes).map(|call| (call, None))
        };
        let (call, read) = read.map_err(|error| refuse(unread(&error, locale), None, locale))?;
        let Resolved { server, tool, position, repairs: name_repairs } =
            self.resolve(call.server(), call.tool()).map_err(|unresolved| {
                refuse(self.unresolved(&unresolved, &call, locale), Some(call.full_tool_name()), locale)
            })?;
        if context.execution_mode == ExecutionMode::Local && !server.is_routable() {
            return Err(refuse(unroutable(server, tool, locale), Some(server.full_tool_name(tool)), locale));
        }
        let (mut arguments_json, mut repairs) = call.into_parts();
        repairs.extend(name_repairs);
        let mut unchecked = None;
        if context.validate {
            unchecked = self.settle_arguments(tool, &mut arguments_json, read, &mut repairs).map_err(|violations| {
                refuse(violated(server, tool, &violations, locale), Some(server.full_tool_name(tool)), locale)
            })?;
        }
        Ok(UnderstoodCall { server, tool, position, arguments_json, unchecked, repairs })
    }

    /// Checks the arguments against the tool's schema, and puts right what can be put right without guessing. Gives the
    /// reason why they were not checked, or what is wrong with them. `read` is what they were read as already.
    fn settle_arguments(
        &self,
        tool: &ToolEntry,
        arguments_json: &mut Cow<'_, str>,
        read: Option<Read<'_>>,
        repairs: &mut Vec<Repair>,
    ) -> Result<Option<NotChecked>, Vec<Violation>> {
        let violations = match self.check_arguments(tool, arguments_json, read) {
            Ok(violations) if violations.is_empty() => return Ok(None),
            Ok(violations) => violations,
            Err(reason) => return Ok(Some(reason)),
        };
        #[cfg(feature = "validate")]
        if let Some(repaired) = repair_arguments(tool.input_schema(), arguments_json)
            && self.check_arguments(tool, &repaired.arguments, None).is_ok_and(|left| left.is_empty())
        {
            *arguments_json = Cow::Owned(repaired.arguments);
            repairs.extend(repaired.repairs.into_iter().map(Repair::Schema));
            return Ok(None);
        }
        #[cfg(not(feature = "validate"))]
        let _ = repairs;
        Err(violations)
    }

    /// Answers a call of `mcp_describe`: `{"server", "tool", "description", "inputSchema"}` with the schema exactly as
    /// the session has it, or what a refused call would get.
    #[must_use]
    pub fn describe(&self, arguments_json: &str, locale: Locale) -> String {
        self.describe_with(arguments_json, locale, |json, tool| {
            json.push_str(",\"inputSchema\":");
            json.push_str(tool.input_schema());
        })
    }

    /// As [`describe`](Self::describe), with `schema`, a text of about 200 tokens at most, in place of `inputSchema`.
    #[must_use]
    pub fn describe_compact(&self, arguments_json: &str, locale: Locale) -> String {
        self.describe_with(arguments_json, locale, |json, tool| {
            json.push_str(",\"schema\":");
            push_json_string(json, &compact_schema(tool.name(), tool.input_schema(), DEFAULT_BUDGET));
        })
    }

    fn describe_with(&self, arguments_json: &str, locale: Locale, push_schema: fn(&mut String, &ToolEntry)) -> String {
        let call = match ToolCall::parse(arguments_json) {
            Ok(call) => call,
            Err(error) => return unread(&error, locale).into_json(),
        };
        let Resolved { server, tool, .. } = match self.resolve(call.server(), call.tool()) {
            Ok(resolved) => resolved,
            Err(unresolved) => return self.unresolved(&unresolved, &call, locale).into_json(),
        };
        let mut json = String::with_capacity(tool.input_schema().len() + tool.description().len() + 128);
        json.push_str("{\"server\":");
        push_json_string(&mut json, server.address());
        json.push_str(",\"tool\":");
        push_json_string(&mut json, tool.name());
        json.push_str(",\"description\":");
        push_json_string(&mut json, tool.description());
        push_schema(&mut json, tool);
        json.push('}');
        json
    }

    /// What the model hears when the names of its call mean no tool that can be called.
    fn unresolved(&self, unresolved: &Unresolved<'_>, call: &ToolCall<'_>, locale: Locale) -> Answer {
        let (server_given, tool_given) = (one_line(call.server(), MAX_QUOTED), one_line(call.tool(), MAX_QUOTED));
        match unresolved {
            Unresolved::UnknownServer => {
                let error = locale.pick(
                    format!("本会话没有名为 {server_given} 的 MCP server。"),
                    format!("this session has no MCP server named {server_given}"),
                );
                let addresses = || self.servers().iter().map(ServerEntry::address);
                listed(Answer::new(RefusalCode::UnknownServer, &error), "servers", call.server(), addresses)
            }
            Unresolved::ServerUnavailable(server) => {
                let address = one_line(server.address(), MAX_QUOTED);
                let reason = server.unavailable().map(|why| section::reason(why, locale)).unwrap_or_default();
                let error = locale.pick(
                    format!("MCP server {address} 当前不可用:{reason}。本轮不要再次调用它。"),
                    format!("the MCP server {address} is unavailable: {reason}; do not call it again in this turn"),
                );
                Answer::new(RefusalCode::ServerUnavailable, &error)
                    .text("server", server.address())
                    .text("reason", &reason)
            }
            Unresolved::EmptyToolList(server) => {
                let error = locale.pick(
                    "本会话的 MCP 工具清单为空:工具同步失败,并非工具不存在。现在不要重试。",
                    "the session's MCP tool list is empty because synchronising it failed, not because the tool does not exist; do not retry now",
                );
                Answer::new(RefusalCode::EmptyToolList, error).text("server", server.address())
            }
            Unresolved::UnknownTool(server) => {
                let address = one_line(server.address(), MAX_QUOTED);
                let error = locale.pick(
                    format!("MCP server {address} 没有名为 {tool_given} 的工具。请从 tools 中选择,参数结构可用 mcp_describe 查询。"),
                    format!("the MCP server {address} has no tool named {tool_given}; choose one of tools, and query its parameters with mcp_describe"),
                );
                let answer = Answer::new(RefusalCode::UnknownTool, &error).text("server", server.address());
                let given = unqualified(call.tool(), server.address());
                listed(answer, "tools", given, || server.tools().iter().map(ToolEntry::name))
            }
            Unresolved::AmbiguousServer(servers) => {
                let error = locale.pick(
                    format!("{server_given} 与多个 MCP server 的名称相符,未执行。请使用其中一个的准确名称。"),
                    format!(
                        "{server_given} fits several MCP servers, so nothing was called; use the exact name of one"
                    ),
                );
                let addresses = servers.iter().map(|server| server.address()).take(MAX_LISTED);
                Answer::new(RefusalCode::AmbiguousName, &error).texts("servers", addresses)
            }
            Unresolved::AmbiguousTool(candidates) => {
                let error = locale.pick(
                    format!("{tool_given} 与多个工具的名称相符,未执行。请使用其中一个的准确名称。"),
                    format!("{tool_given} fits several tools, so nothing was called; use the exact names of one"),
                );
                let names: Vec<_> =
                    candidates.iter().map(|(server, tool)| format!("{}.{}", server.address(), tool.name())).collect();
                Answer::new(RefusalCode::AmbiguousName, &error)
                    .texts("candidates", names.iter().map(String::as_str).take(MAX_LISTED))
            }
        }
    }
}

fn decided<'s, 'a>(call: UnderstoodCall<'s, 'a>, context: &CallContext) -> Execution<'s, 'a> {
    let UnderstoodCall { server, tool, arguments_json, unchecked, repairs, .. } = call;
    let decision = decide(&Question {
        mode: context.execution_mode,
        level: context.permission_level,
        subject: Subject::Mcp {
            full_name: &server.full_tool_name(tool),
            standing: match tool.standing() {
                Standing::ReadOnly if !context.trust.covers(server.id()) => Standing::Untrusted,
                standing => standing,
            },
            fingerprint: Some(&tool.fingerprint()),
        },
        rules: RuleBook {
            rules: &context.rules,
            matched: context.matched_rule.as_ref(),
            deny_tokens: &context.deny_tokens,
            session_id: context.session_id.as_deref(),
        },
        locale: context.locale,
    });
    let (route, checked) = (context.execution_mode, context.validate && unchecked.is_none());
    Execution { route, server, tool, arguments_json, checked, unchecked, decision, repairs }
}

// Boxed, so that calls which are not refused need not make room for it.
fn refuse(answer: Answer, full_tool_name: Option<String>, locale: Locale) -> Box<Refusal> {
    Box::new(Refusal {
        code: answer.code,
        decision: decide_refused(full_tool_name.as_deref(), answer.code.reason(locale)),
        result_json: answer.into_json(),
        full_tool_name,
    })
}

fn unread(error: &CallError, locale: Locale) -> Answer {
    Answer::new(error.code(), &error.message(locale))
}

fn unroutable(server: &ServerEntry, tool: &ToolEntry, locale: Locale) -> Answer {
    let address = one_line(server.address(), MAX_QUOTED);
    let error = locale.pick(
        format!("MCP server {address} 的名称无法在本地会话中唯一路由,调用可能到达其他工具,未执行。"),
        format!("calls to the MCP server {address} cannot be routed by name in a local session and might reach another tool, so nothing was called"),
    );
    Answer::new(RefusalCode::UnroutableName, &error).text("server", server.address()).text("tool", tool.name())
}

fn violated(server: &ServerEntry, tool: &ToolEntry, violations: &[Violation], locale: Locale) -> Answer {
    let name = one_line(tool.name(), MAX_QUOTED);
    let error = locale.pick(
        format!("参数不符合 {name} 的 schema,未执行。请按 violations 修正后重试。"),
        format!(
            "the arguments break the schema of {name}, so nothing was called; mend what violations say and call again"
        ),
    );
    let told = violations.iter().map(|violation| {
        [
            ("path", Some(violation.path.as_str())),
            ("expected", Some(violation.expected.as_str())),
            ("got", Some(violation.got.as_str())),
            ("suggestion", violation.suggestion.as_deref()),
        ]
    });
    Answer::new(RefusalCode::SchemaViolation, &error)
        .text("server", server.address())
        .text("tool", tool.name())
        .objects("violations", told)
        .text("schema", &compact_schema(tool.name(), tool.input_schema(), DEFAULT_BUDGET))
}

/// The tool's own part of a name that may be qualified with its server, for ranking suggestions.
fn unqualified<'n>(given: &'n str, address: &str) -> &'n str {
    let full = full_tool_name(address, "");
    let qualified = [".", "/", ":"].map(|separator| format!("{address}{separator}"));
    let prefix = std::iter::once(&full)
        .chain(&qualified)
        .find(|prefix| given.get(..prefix.len()).is_some_and(|start| same_but_for_spelling(start, prefix)));
    prefix.and_then(|prefix| given.get(prefix.len()..)).filter(|rest| !rest.is_empty()).unwrap_or(given)
}

/// Adds names to choose from: those nearest to what was given first, then the others in order, up to the limit.
fn listed<'n, I: Iterator<Item = &'n str>>(answer: Answer, key: &str, given: &str, names: impl Fn() -> I) -> Answer {
    let suggestions = nearest(given, names(), MAX_SUGGESTED);
    let others = names().filter(|name| !suggestions.contains(name));
    let shown: Vec<&str> = suggestions.iter().copied().chain(others).take(MAX_LISTED).collect();
    let omitted = names().count() - shown.len();
    let mut answer = answer;
    if !suggestions.is_empty() {
        answer = answer.texts("suggestions", suggestions.iter().copied());
    }
    answer = answer.texts(key, shown);
    if omitted > 0 { answer.number("omitted", omitted) } else { answer }
}
