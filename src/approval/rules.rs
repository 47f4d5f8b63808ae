//! Rules a user stored with "always allow", and when one covers a call.
//!
//! A rule covers a call only if its value *equals* the full name. Rules of one session come before rules of the user;
//! a disabled rule, one of another session, or one bound to a definition that has changed covers nothing; and a deny
//! token in the name voids them all.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::document;
use crate::error::Error;
use crate::locale::Locale;
use crate::text::{json_string, one_line};

/// The only type of rule that is about MCP tools.
pub const MCP_TOOL_RULE: &str = "MCP_TOOL";

/// A full name longer than this, in UTF-16 units, is never offered as a rule: stores cut it, and a cut name would be
/// another tool's.
pub const MAX_RULE_VALUE: usize = 200;

/// The host's id of a rule: a number or a text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RuleId {
    /// A number.
    Number(i64),
    /// A text.
    Text(String),
}

/// How far a rule reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum RuleScope {
    /// One session.
    Session,
    /// All sessions of the user.
    User,
}

/// A stored rule for one MCP tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// The host's id.
    pub id: RuleId,
    /// How far it reaches.
    pub scope: RuleScope,
    /// The session it was made in. It bounds session rules only; one without it counts wherever the host brings it.
    pub session_id: Option<String>,
    /// The full name it allows.
    pub rule_value: String,
    /// False when the user switched it off.
    pub enabled: bool,
    /// The definition it was made for; then it covers no other.
    pub tool_fingerprint: Option<String>,
}

/// A rule that the host found in its database.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MatchedRule {
    /// The host's id.
    pub rule_id: RuleId,
    /// The full name it allows; it counts only where it equals the name of the call.
    pub rule_value: String,
    /// The definition it was made for, where the host stored it.
    #[serde(default)]
    pub tool_fingerprint: Option<String>,
    /// A rule that is switched off covers nothing; for hosts that pass on what they stored.
    #[serde(default)]
    pub enabled: Option<bool>,
}

/// The wire form of a rule. Rules of other types and scopes are not about MCP tools and are passed over.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WireRule {
    id: RuleId,
    scope: Option<String>,
    session_id: Option<String>,
    rule_type: Option<String>,
    rule_value: Option<String>,
    enabled: Option<bool>,
    tool_fingerprint: Option<String>,
}

impl Rule {
    pub(crate) fn from_wire(rules: Vec<WireRule>) -> Vec<Self> {
        rules.into_iter().filter_map(Self::read).collect()
    }

    fn read(wire: WireRule) -> Option<Self> {
        let scope = match wire.scope.as_deref() {
            Some("SESSION") => RuleScope::Session,
            Some("USER") => RuleScope::User,
            _ => return None,
        };
        (wire.rule_type.as_deref() == Some(MCP_TOOL_RULE)).then_some(())?;
        Some(Self {
            id: wire.id,
            scope,
            session_id: wire.session_id,
            rule_value: wire.rule_value?,
            enabled: wire.enabled == Some(true),
            tool_fingerprint: wire.tool_fingerprint,
        })
    }
}

/// What "always allow" would store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleHint {
    /// Always [`MCP_TOOL_RULE`].
    pub rule_type: &'static str,
    /// The full name.
    pub rule_value: String,
    /// One line for the button.
    pub label: String,
}

impl RuleHint {
    /// `{ruleType, ruleValue, label}`: with an `id`, a `scope` and `enabled` it is a rule in its JSON form.
    #[must_use]
    pub fn to_json(&self) -> String {
        document::to_json(self)
    }
}

/// Why a rule covers a call, or why none does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RuleVerdict {
    /// No rule has this value.
    NoRule,
    /// A rule has it, but is switched off.
    Disabled,
    /// A rule has it, but belongs to another session.
    OtherSession,
    /// A rule has it and is bound to a definition, but that of the tool is not known here.
    DefinitionNotKnown,
    /// A rule has it, but was made for another definition of the tool.
    DefinitionChanged,
    /// A deny token stands in the name.
    Denied,
    /// A rule of the session covers the call.
    SessionRule,
    /// A rule of the user covers the call.
    UserRule,
}

impl RuleVerdict {
    /// The verdict in words.
    #[must_use]
    pub fn text(self, locale: Locale) -> &'static str {
        match self {
            Self::NoRule => locale.pick("没有匹配的规则", "no rule has this full name"),
            Self::Disabled => locale.pick("规则已停用", "the rule is disabled"),
            Self::OtherSession => locale.pick("规则属于其他会话", "the rule belongs to another session"),
            Self::DefinitionNotKnown => locale.pick(
                "规则限定了工具定义,但此处不知道该工具的定义",
                "the rule is bound to a definition, and that of the tool is not known here",
            ),
            Self::DefinitionChanged => locale
                .pick("工具定义在批准之后已变更,规则不再生效", "the tool's definition changed since it was approved"),
            Self::Denied => locale.pick("名称命中禁用词,规则不生效", "a deny token in the name voids rules"),
            Self::SessionRule => locale.pick("会话规则放行", "a rule of this session allows it"),
            Self::UserRule => locale.pick("用户规则放行", "a rule of the user allows it"),
        }
    }
}

/// What is asked of a list of rules.
#[derive(Debug, Clone, Copy, Default)]
pub struct RuleRequest<'a> {
    /// The full name of the tool.
    pub full_tool_name: &'a str,
    /// The fingerprint of its definition, where it is known.
    pub tool_fingerprint: Option<&'a str>,
    /// The session.
    pub session_id: Option<&'a str>,
    /// Tokens that void rules.
    pub deny_tokens: &'a [String],
}

/// The rule that covers a call, if any, and why.
///
/// ```
/// use mcp_working_set::{Rule, RuleId, RuleRequest, RuleScope, RuleVerdict, match_rules};
/// let rules = [Rule {
///     id: RuleId::Number(1), scope: RuleScope::User, session_id: None, rule_value: "mcp__s__get".to_owned(),
///     enabled: true, tool_fingerprint: None,
/// }];
/// let verdict = |name| match_rules(&rules, &RuleRequest { full_tool_name: name, ..RuleRequest::default() }).1;
/// assert_eq!(verdict("mcp__s__get"), RuleVerdict::UserRule);
/// assert_eq!(verdict("mcp__s__get_all"), RuleVerdict::NoRule);
/// ```
#[must_use]
pub fn match_rules<'r>(rules: &'r [Rule], request: &RuleRequest<'_>) -> (Option<&'r Rule>, RuleVerdict) {
    if has_deny_token(request.full_tool_name, request.deny_tokens) {
        return (None, RuleVerdict::Denied);
    }
    let verdict = |rule: &Rule| {
        if !rule.enabled {
            return RuleVerdict::Disabled;
        }
        let elsewhere = rule.session_id.is_some() && rule.session_id.as_deref() != request.session_id;
        if rule.scope == RuleScope::Session && elsewhere {
            return RuleVerdict::OtherSession;
        }
        match (is_for_definition(rule.tool_fingerprint.as_deref(), request.tool_fingerprint), rule.scope) {
            (Err(why_not), RuleScope::Session | RuleScope::User) => why_not,
            (Ok(()), RuleScope::Session) => RuleVerdict::SessionRule,
            (Ok(()), RuleScope::User) => RuleVerdict::UserRule,
        }
    };
    let of_this_name = rules.iter().filter(|rule| rule.rule_value == request.full_tool_name);
    let judged: Vec<_> = of_this_name.map(|rule| (rule, verdict(rule))).collect();
    for covering in [RuleVerdict::SessionRule, RuleVerdict::UserRule] {
        if let Some((rule, verdict)) = judged.iter().find(|(_, verdict)| *verdict == covering) {
            return (Some(rule), *verdict);
        }
    }
    (None, judged.iter().map(|(_, verdict)| *verdict).max().unwrap_or(RuleVerdict::NoRule))
}

/// [`match_rules`] in its JSON form: `{rules, request: {fullToolName, toolFingerprint?, sessionId?, denyTokens?,
/// locale?}}` gives `{rule, why, code}` with the covering rule as it was given, or null, and the verdict in words and as
/// a code.
///
/// # Errors
/// `invalid_json` or `invalid_document` with the place, `invalid_locale`.
pub fn match_rules_json(document: &[u8]) -> Result<String, Error> {
    let WireMatch { rules: raw_rules, request } = document::read(document)?;
    let locale = request.locale.as_deref().map(Locale::parse).transpose()?.unwrap_or_default();
    let mut rules = Vec::new();
    let mut sources = Vec::new();
    for (index, raw) in raw_rules.iter().enumerate() {
        let wire: WireRule = serde_json::from_str(raw.get())
            .map_err(|error| document::invalid(document, raw.get(), format!("rules[{index}]"), error.to_string()))?;
        if let Some(rule) = Rule::read(wire) {
            rules.push(rule);
            sources.push(raw.get());
        }
    }
    let deny_tokens = request.deny_tokens.unwrap_or_default();
    let (rule, verdict) = match_rules(
        &rules,
        &RuleRequest {
            full_tool_name: &request.full_tool_name,
            tool_fingerprint: request.tool_fingerprint.as_deref(),
            session_id: request.session_id.as_deref(),
            deny_tokens: &deny_tokens,
        },
    );
    let source = rule.and_then(|found| rules.iter().zip(sources).find(|(rule, _)| std::ptr::eq(*rule, found)));
    let why = json_string(verdict.text(locale));
    let code = document::to_json(&verdict);
    Ok(format!("{{\"rule\":{},\"why\":{why},\"code\":{code}}}", source.map_or("null", |(_, source)| source)))
}

#[derive(Deserialize)]
struct WireMatch<'a> {
    #[serde(borrow)]
    rules: Vec<&'a RawValue>,
    request: WireMatchRequest,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireMatchRequest {
    full_tool_name: String,
    tool_fingerprint: Option<String>,
    session_id: Option<String>,
    deny_tokens: Option<Vec<String>>,
    locale: Option<String>,
}

/// All that can let a call pass: rules at hand, a rule the host found, and what voids them.
pub(crate) struct RuleBook<'a> {
    pub(crate) rules: &'a [Rule],
    pub(crate) matched: Option<&'a MatchedRule>,
    pub(crate) deny_tokens: &'a [String],
    pub(crate) session_id: Option<&'a str>,
}

impl RuleBook<'_> {
    /// The id of the rule that covers the call, or why none does.
    pub(crate) fn find(&self, full_tool_name: &str, tool_fingerprint: Option<&str>) -> Result<RuleId, RuleVerdict> {
        let &Self { rules, matched, deny_tokens, session_id } = self;
        let request = RuleRequest { full_tool_name, tool_fingerprint, session_id, deny_tokens };
        let why_not = match match_rules(rules, &request) {
            (Some(rule), _) => return Ok(rule.id.clone()),
            (None, RuleVerdict::Denied) => return Err(RuleVerdict::Denied),
            (None, why_not) => why_not,
        };
        match matched.filter(|matched| matched.rule_value == full_tool_name && matched.enabled != Some(false)) {
            None => Err(why_not),
            Some(matched) => is_for_definition(matched.tool_fingerprint.as_deref(), tool_fingerprint)
                .map(|()| matched.rule_id.clone())
                .map_err(|changed| changed.max(why_not)),
        }
    }

    /// What "always allow" would store for a call that asks.
    pub(crate) fn hint(&self, full_name: &str, locale: Locale) -> Option<RuleHint> {
        if is_too_long_to_remember(full_name) || has_deny_token(full_name, self.deny_tokens) {
            return None;
        }
        let shown = one_line(full_name, MAX_RULE_VALUE);
        let (before, after) = locale.pick(("本会话总是允许调用 ", ""), ("Always allow ", " in this session"));
        let label = [before, &shown, after].concat();
        Some(RuleHint { rule_type: MCP_TOOL_RULE, rule_value: full_name.to_owned(), label })
    }
}

/// Whether a rule made for one definition covers another; a rule that is not bound to one covers them all.
fn is_for_definition(of_rule: Option<&str>, of_tool: Option<&str>) -> Result<(), RuleVerdict> {
    match (of_rule, of_tool) {
        (None, _) => Ok(()),
        (Some(approved), Some(current)) if approved == current => Ok(()),
        (Some(_), Some(_)) => Err(RuleVerdict::DefinitionChanged),
        (Some(_), None) => Err(RuleVerdict::DefinitionNotKnown),
    }
}

/// True when a store would cut the full name.
pub(super) fn is_too_long_to_remember(full_name: &str) -> bool {
    full_name.encode_utf16().count() > MAX_RULE_VALUE
}

/// True when one of the tokens of the value, split at white space and `; | & > <`, is a deny token.
pub(super) fn has_deny_token(value: &str, deny_tokens: &[String]) -> bool {
    !deny_tokens.is_empty()
        && value
            .split(|c: char| c.is_whitespace() || matches!(c, ';' | '|' | '&' | '>' | '<'))
            .any(|token| !token.is_empty() && deny_tokens.iter().any(|denied| denied == token))
}
