//! Which calls ask a person, and why.
//!
//! [`decide`] is one total function of its [`Question`]: no input is looked up elsewhere, nothing is remembered. What
//! is missing, contradictory or unreadable asks. It knows nothing of how a call is read or routed.
//!
//! | level (LOCAL, MCP tool) | counts as read-only | otherwise |
//! |---|---|---|
//! | `READ_ONLY` | allow (annotation) | ask the user; rules never apply |
//! | `READ_WRITE` | allow (annotation) | a rule allows, else ask the user |
//! | `SMART` | a rule allows, else ask the user | the same |
//! | `PROXY` | a rule allows, else ask the approval model | the same |
//! | `FULL` | allow (level) | allow (level) |
//!
//! In CLOUD sessions every call of an MCP tool is allowed: the backend has no approval there. A call whose name cannot
//! be restored asks at every level but `FULL`, wherever it would run.
//!
//! More permission never gives a stricter outcome, where `ask_user` is stricter than `ask_model`, and that than `allow`,
//! and "more" is the partial order `READ_ONLY` ≤ `READ_WRITE` ≤ `FULL` and `SMART` ≤ `PROXY` ≤ `FULL`. The two chains
//! cannot be joined: for a tool that counts as read-only, `READ_ONLY` and `READ_WRITE` believe the annotation while
//! `SMART` and `PROXY` ask. For every other call the levels are totally ordered, `READ_ONLY` ≤ `READ_WRITE` ≤ `SMART` ≤
//! `PROXY` ≤ `FULL`.

pub(crate) mod lint;
mod reason;
pub(crate) mod rules;

use serde::{Deserialize, Serialize};

use crate::document;
use crate::error::{Error, ErrorCode};
use crate::locale::Locale;
use crate::model::Annotations;
use crate::model::wire::WireAnnotations;
use crate::names::{FULL_NAME_PREFIX, parse_full_tool_name};
use crate::text::one_line;
use crate::working_set::Standing;
use crate::{MCP_CALL, MCP_DESCRIBE};
use reason::Reason;
use rules::{MatchedRule, Rule, RuleBook, RuleHint, RuleId, RuleVerdict, WireRule};

#[cfg(doctest)]
#[doc = include_str!("../docs/approval.md")]
struct ApprovalGuide;

/// Where a session runs its tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum ExecutionMode {
    /// The desktop runs the tool.
    Local,
    /// The backend runs the tool.
    Cloud,
}

impl ExecutionMode {
    /// Reads `LOCAL` or `CLOUD`, exactly.
    ///
    /// # Errors
    /// `invalid_execution_mode` for every other text.
    pub fn parse(text: &str) -> Result<Self, Error> {
        match text {
            "LOCAL" => Ok(Self::Local),
            "CLOUD" => Ok(Self::Cloud),
            _ => Err(Error::new(
                ErrorCode::InvalidExecutionMode,
                format!("unknown execution mode `{}`, expected `LOCAL` or `CLOUD`", one_line(text, 40)),
            )),
        }
    }

    /// `"LOCAL"` or `"CLOUD"`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Local => "LOCAL",
            Self::Cloud => "CLOUD",
        }
    }
}

/// How much the user lets the agent do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum PermissionLevel {
    /// Only what reads; a boundary that no rule crosses.
    #[default]
    ReadOnly,
    /// What reads runs, what writes asks.
    ReadWrite,
    /// Every MCP call asks the user, or a rule of the user's.
    Smart,
    /// Every MCP call asks the approval model, or a rule of the user's.
    Proxy,
    /// Everything runs.
    Full,
}

impl PermissionLevel {
    /// Reads a level, exactly; everything else, and nothing, is `READ_ONLY`.
    #[must_use]
    pub fn parse(text: Option<&str>) -> Self {
        match text {
            Some("READ_WRITE") => Self::ReadWrite,
            Some("SMART") => Self::Smart,
            Some("PROXY") => Self::Proxy,
            Some("FULL") => Self::Full,
            Some(_) | None => Self::ReadOnly,
        }
    }

    /// The level as text: `"READ_ONLY"`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ReadOnly => "READ_ONLY",
            Self::ReadWrite => "READ_WRITE",
            Self::Smart => "SMART",
            Self::Proxy => "PROXY",
            Self::Full => "FULL",
        }
    }
}

/// Which servers are trusted to say that a tool only reads.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Trust {
    /// Every server.
    #[default]
    All,
    /// No server.
    None,
    /// The servers with these ids. Id 0 means "no id" and is never among them.
    Servers(Vec<i64>),
}

impl Trust {
    pub(crate) fn covers(&self, server_id: i64) -> bool {
        match self {
            Self::All => true,
            Self::None => false,
            // Servers without an id all bear 0: a list that holds it would trust every one of them.
            Self::Servers(ids) => server_id != 0 && ids.contains(&server_id),
        }
    }
}

/// What happens to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It runs.
    Allow,
    /// A person is asked.
    AskUser,
    /// The approval model is asked; if it is unavailable, a person.
    AskModel,
}

/// What a decision rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// The permission level alone.
    Level,
    /// The tool counts as read-only.
    Annotation,
    /// A rule of the user's.
    Rule,
    /// The session runs in the cloud.
    Cloud,
    /// It is no MCP tool.
    NotMcp,
    /// Nothing allows it.
    Default,
    /// The tool's name cannot be restored.
    Unrestorable,
}

/// A decision, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Decision {
    /// What happens to the call.
    pub outcome: Outcome,
    /// True unless the outcome is `allow`.
    pub need_approval: bool,
    /// What it rests on.
    pub basis: Basis,
    /// One sentence for the person who is asked, or for the log.
    pub reason: String,
    /// True when rules of the user's count for this call: a host that keeps them in a database asks it only then.
    pub rules_apply: bool,
    /// The rule that allowed the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule_id: Option<RuleId>,
    /// The rule that "always allow" would store; none where none may be offered.
    pub hint: Option<RuleHint>,
    /// The definition that is approved, to be stored with a rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_fingerprint: Option<String>,
}

/// What is asked.
pub(crate) struct Question<'a> {
    pub(crate) mode: ExecutionMode,
    pub(crate) level: PermissionLevel,
    pub(crate) subject: Subject<'a>,
    pub(crate) rules: RuleBook<'a>,
    pub(crate) locale: Locale,
}

/// What the call is about.
#[derive(Clone, Copy)]
pub(crate) enum Subject<'a> {
    /// `mcp_describe`.
    Describe,
    /// A tool that is no MCP tool: the host's own business.
    Other,
    /// An MCP tool whose name cannot be restored.
    Unrestorable,
    /// An MCP tool.
    Mcp { full_name: &'a str, standing: Standing, fingerprint: Option<&'a str> },
}

/// The decision for a question.
pub(crate) fn decide(question: &Question<'_>) -> Decision {
    use ExecutionMode::{Cloud, Local};
    use PermissionLevel::{Full, Proxy, ReadOnly, ReadWrite, Smart};
    use Standing::ReadOnly as CountsAsReadOnly;

    let &Question { mode, level, subject, ref rules, locale } = question;
    let allow = |basis, reason: Reason| Decision::new(Outcome::Allow, basis, reason.text(locale));
    let ask_user = |basis, reason: Reason| Decision::new(Outcome::AskUser, basis, reason.text(locale));
    match (subject, mode, level) {
        // mcp_describe only reads the session's own list.
        (Subject::Describe, Local | Cloud, ReadOnly | ReadWrite | Smart | Proxy | Full) => {
            allow(Basis::NotMcp, Reason::Describe)
        }

        // Nothing is known of what would run.
        (Subject::Unrestorable, Local | Cloud, ReadOnly | ReadWrite | Smart | Proxy) => {
            ask_user(Basis::Unrestorable, Reason::Unrestorable)
        }
        (Subject::Unrestorable, Local | Cloud, Full) => allow(Basis::Level, Reason::Full),

        // Not an MCP tool: the host's own rules decide, this is only the cautious answer.
        (Subject::Other, Local, ReadOnly | ReadWrite | Smart | Proxy) => ask_user(Basis::NotMcp, Reason::NotMcp),
        (Subject::Other, Local, Full) => allow(Basis::Level, Reason::Full),

        // READ_ONLY: what reads runs; everything else asks, and no rule crosses that boundary.
        (Subject::Mcp { standing: CountsAsReadOnly, .. }, Local, ReadOnly) => {
            allow(Basis::Annotation, Reason::CountsAsReadOnly)
        }
        (Subject::Mcp { standing, .. }, Local, ReadOnly) => ask_user(Basis::Default, Reason::BeyondReadOnly(standing)),

        // READ_WRITE: what reads runs; else a rule, else the user.
        (Subject::Mcp { standing: CountsAsReadOnly, .. }, Local, ReadWrite) => {
            allow(Basis::Annotation, Reason::CountsAsReadOnly)
        }
        (Subject::Mcp { full_name, standing, fingerprint }, Local, ReadWrite) => by_rule(
            full_name,
            standing,
            fingerprint,
            rules,
            (Outcome::AskUser, Reason::ReadWriteAsks(standing)),
            locale,
        ),

        // SMART: a rule, else the user, even for what reads. There is no AI assessment of MCP tools.
        (Subject::Mcp { full_name, standing, fingerprint }, Local, Smart) => {
            by_rule(full_name, standing, fingerprint, rules, (Outcome::AskUser, Reason::SmartAsks(standing)), locale)
        }

        // PROXY: a rule, else the approval model, even for what reads.
        (Subject::Mcp { full_name, standing, fingerprint }, Local, Proxy) => {
            by_rule(full_name, standing, fingerprint, rules, (Outcome::AskModel, Reason::ProxyAsks(standing)), locale)
        }

        // FULL: everything runs.
        (Subject::Mcp { .. }, Local, Full) => allow(Basis::Level, Reason::Full),

        // CLOUD: the backend has no approval.
        (Subject::Other | Subject::Mcp { .. }, Cloud, ReadOnly | ReadWrite | Smart | Proxy | Full) => {
            allow(Basis::Cloud, Reason::Cloud)
        }
    }
    .about(subject)
}

/// The decision for a call that is refused: nothing runs, and if it did, a person would have been asked.
pub(crate) fn decide_refused(full_name: Option<&str>, why: &str) -> Decision {
    let basis = if full_name.is_some() { Basis::Default } else { Basis::Unrestorable };
    Decision::new(Outcome::AskUser, basis, why.to_owned())
}

/// A rule allows the call, or it asks; then with the rule that would allow it from now on.
fn by_rule(
    full_name: &str,
    standing: Standing,
    fingerprint: Option<&str>,
    rules: &RuleBook<'_>,
    (outcome, asks): (Outcome, Reason<'_>),
    locale: Locale,
) -> Decision {
    if standing == Standing::AmbiguousName {
        // A rule names a full name, and this one does not say which tool is meant.
        return Decision::new(outcome, Basis::Default, asks.text(locale));
    }
    match rules.find(full_name, fingerprint) {
        Ok(rule_id) => Decision {
            rules_apply: true,
            rule_id: Some(rule_id),
            ..Decision::new(Outcome::Allow, Basis::Rule, Reason::Rule(full_name).text(locale))
        },
        Err(why_not) => {
            let hint = rules.hint(full_name, locale);
            let reason = asks.with_rules(why_not, hint.is_some(), locale);
            let rules_apply = why_not != RuleVerdict::Denied;
            Decision { rules_apply, hint, ..Decision::new(outcome, Basis::Default, reason) }
        }
    }
}

impl Decision {
    fn new(outcome: Outcome, basis: Basis, reason: String) -> Self {
        Self {
            outcome,
            need_approval: outcome != Outcome::Allow,
            basis,
            reason,
            rules_apply: false,
            rule_id: None,
            hint: None,
            tool_fingerprint: None,
        }
    }

    /// The decision in its JSON form.
    #[must_use]
    pub fn to_json(&self) -> String {
        document::to_json(self)
    }

    fn about(mut self, subject: Subject<'_>) -> Self {
        if let Subject::Mcp { fingerprint, .. } = subject {
            self.tool_fingerprint = fingerprint.map(str::to_owned);
        }
        self
    }
}

/// What a host with a dispatcher of its own asks: it has a tool name, a descriptor and annotations, but no set.
#[derive(Debug, Clone)]
pub struct ApprovalRequest {
    /// Where the call would run.
    pub execution_mode: ExecutionMode,
    /// How much the user lets the agent do.
    pub permission_level: PermissionLevel,
    /// The effective name (see [`effective_tool_name`](crate::effective_tool_name)); nothing when it could not be
    /// restored.
    pub tool_name: Option<String>,
    /// Where the tool's descriptor says it comes from; `mcp` makes it an MCP tool whatever its name.
    pub source: Option<String>,
    /// What the tool says about itself.
    pub annotations: Annotations,
    /// Whether its server is trusted to say so.
    pub trusted: bool,
    /// The fingerprint of its definition, where the host has one.
    pub tool_fingerprint: Option<String>,
    /// The rule the host found in its database.
    pub matched_rule: Option<MatchedRule>,
    /// Rules the host has at hand.
    pub rules: Vec<Rule>,
    /// Tokens that void rules and hints.
    pub deny_tokens: Vec<String>,
    /// The session, for rules that count in one session only.
    pub session_id: Option<String>,
    /// The language of the reason.
    pub locale: Locale,
}

impl ApprovalRequest {
    /// A request about this tool with nothing in its favour.
    #[must_use]
    pub fn new(execution_mode: ExecutionMode, tool_name: Option<String>) -> Self {
        Self {
            execution_mode,
            permission_level: PermissionLevel::default(),
            tool_name,
            source: None,
            annotations: Annotations::default(),
            trusted: true,
            tool_fingerprint: None,
            matched_rule: None,
            rules: Vec::new(),
            deny_tokens: Vec::new(),
            session_id: None,
            locale: Locale::default(),
        }
    }

    /// Reads a request from its JSON form.
    ///
    /// # Errors
    /// `invalid_json` or `invalid_document` with the place, `invalid_execution_mode`, `invalid_locale`.
    pub fn from_json(json: &[u8]) -> Result<Self, Error> {
        let wire: WireRequest = document::read(json)?;
        Ok(Self {
            execution_mode: ExecutionMode::parse(&wire.execution_mode)?,
            permission_level: PermissionLevel::parse(wire.permission_level.as_deref()),
            tool_name: wire.tool_name,
            source: wire.source,
            annotations: wire.annotations.0,
            trusted: wire.trusted.unwrap_or(true),
            tool_fingerprint: wire.tool_fingerprint,
            matched_rule: wire.matched_rule,
            rules: Rule::from_wire(wire.rules.unwrap_or_default()),
            deny_tokens: wire.deny_tokens.unwrap_or_default(),
            session_id: wire.session_id,
            locale: wire.locale.as_deref().map(Locale::parse).transpose()?.unwrap_or_default(),
        })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireRequest {
    execution_mode: String,
    permission_level: Option<String>,
    tool_name: Option<String>,
    source: Option<String>,
    #[serde(default)]
    annotations: WireAnnotations,
    trusted: Option<bool>,
    tool_fingerprint: Option<String>,
    matched_rule: Option<MatchedRule>,
    rules: Option<Vec<WireRule>>,
    deny_tokens: Option<Vec<String>>,
    session_id: Option<String>,
    locale: Option<String>,
}

/// Decides for a host with a dispatcher of its own.
///
/// ```
/// use mcp_working_set::{ApprovalRequest, Basis, ExecutionMode, Outcome, decide_approval};
/// let request = ApprovalRequest::new(ExecutionMode::Local, Some("mcp__fs__write_file".to_owned()));
/// let decision = decide_approval(&request);
/// assert_eq!((decision.outcome, decision.basis), (Outcome::AskUser, Basis::Default));
/// ```
#[must_use]
pub fn decide_approval(request: &ApprovalRequest) -> Decision {
    let standing = match Standing::of_hints(request.annotations) {
        Standing::ReadOnly if !request.trusted => Standing::Untrusted,
        standing => standing,
    };
    let mcp = |full_name| Subject::Mcp { full_name, standing, fingerprint: request.tool_fingerprint.as_deref() };
    let subject = match request.tool_name.as_deref() {
        None | Some("" | MCP_CALL) => Subject::Unrestorable,
        Some(MCP_DESCRIBE) => Subject::Describe,
        Some(name) if name.starts_with(FULL_NAME_PREFIX) => match parse_full_tool_name(name) {
            Some(_) => mcp(name),
            None => Subject::Unrestorable,
        },
        Some(name) if request.source.as_deref() == Some("mcp") => mcp(name),
        Some(_) => Subject::Other,
    };
    decide(&Question {
        mode: request.execution_mode,
        level: request.permission_level,
        subject,
        rules: RuleBook {
            rules: &request.rules,
            matched: request.matched_rule.as_ref(),
            deny_tokens: &request.deny_tokens,
            session_id: request.session_id.as_deref(),
        },
        locale: request.locale,
    })
}
