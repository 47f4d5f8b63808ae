//! Stored rules that do not do what whoever stored them expects.
//!
//! A rule is an exact full name, so it dies silently when a server or tool is renamed, and may never have been alive.
//! This says which rules of a list cannot cover a call in a set as it is now, or do so on shaky ground, and which name
//! of the set is nearest. It changes nothing and is never asked when a call is decided. Switched-off rules are judged
//! as if they were on: that they are off is the user's own wish.
//!
//! ```
//! use mcp_working_set::{Locale, Rule, RuleFindingCode, RuleId, RuleScope, WorkingSet, lint_rules};
//! let set = WorkingSet::from_json(br#"{"servers":[{"id":1,"name":"fs"}],"tools":[{"serverId":1,"toolName":"read_file"}]}"#)?;
//! let rule = Rule {
//!     id: RuleId::Number(7), scope: RuleScope::User, session_id: None, rule_value: "mcp__fs__read_fil".to_owned(),
//!     enabled: true, tool_fingerprint: None,
//! };
//! let findings = lint_rules(&[rule], &set, &[], Locale::En);
//! assert_eq!(findings[0].code, RuleFindingCode::UnknownTool);
//! assert_eq!(findings[0].nearest.as_deref(), Some("mcp__fs__read_file"));
//! # Ok::<(), mcp_working_set::Error>(())
//! ```

use std::collections::BTreeMap;
use std::ops::Bound;

use serde::{Deserialize, Serialize};

use super::rules::{MAX_RULE_VALUE, Rule, RuleId, WireRule, has_deny_token, is_too_long_to_remember};
use crate::document;
use crate::error::Error;
use crate::locale::Locale;
use crate::names::parse_full_tool_name;
use crate::suggest::nearest;
use crate::text::one_line;
use crate::working_set::{ServerEntry, ToolEntry, WorkingSet};

/// A full name in a message is cut to this many grapheme clusters.
const SHOWN_NAME: usize = 120;

/// Something about a rule that its owner should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RuleFinding {
    /// The host's id of the rule.
    pub rule_id: RuleId,
    /// The rule's value, byte for byte.
    pub rule_value: String,
    /// What is the matter.
    pub code: RuleFindingCode,
    /// The full name of the set that is nearest to the value, or was cut to it; the value itself where it is one.
    pub nearest: Option<String>,
    /// One sentence for a person.
    pub message: String,
}

/// The stable name of a [`RuleFinding`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RuleFindingCode {
    /// The value is no full name, `mcp__{server}__{tool}`: it can never cover anything.
    InvalidName,
    /// The set has no server of that name.
    UnknownServer,
    /// The server has no tool of that name.
    UnknownTool,
    /// The value may be a longer full name that a store cut: the rule covers another tool than was approved, or none.
    CutName,
    /// The value is longer than [`MAX_RULE_VALUE`]: no such rule is offered, and stores cut it.
    TooLong,
    /// Two tools of the set have this full name: the rule covers neither.
    AmbiguousName,
    /// LOCAL calls to this server are refused, and in CLOUD nothing asks: the rule never counts.
    UnroutableName,
    /// The server is unavailable in this session.
    ServerUnavailable,
    /// The tool's definition changed since it was approved: the rule covers it no longer.
    DefinitionChanged,
    /// A deny token in the name voids the rule.
    Denied,
}

impl RuleFindingCode {
    /// The code as text, in snake_case.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidName => "invalid_name",
            Self::UnknownServer => "unknown_server",
            Self::UnknownTool => "unknown_tool",
            Self::CutName => "cut_name",
            Self::TooLong => "too_long",
            Self::AmbiguousName => "ambiguous_name",
            Self::UnroutableName => "unroutable_name",
            Self::ServerUnavailable => "server_unavailable",
            Self::DefinitionChanged => "definition_changed",
            Self::Denied => "denied",
        }
    }

    fn sentence(self, locale: Locale) -> &'static str {
        match self {
            Self::InvalidName => {
                locale.pick("不是 mcp__{server}__{tool} 形式的全名", "it is no full name, mcp__{server}__{tool}")
            }
            Self::UnknownServer => locale.pick("没有该名称的 server", "there is no server of that name"),
            Self::UnknownTool => locale.pick("该 server 没有该名称的工具", "the server has no tool of that name"),
            Self::CutName => locale.pick(
                "可能是被截断的更长全名,批准的是另一个工具",
                "it may be a longer name that was cut, so another tool was approved",
            ),
            Self::TooLong => {
                locale.pick("超过 200 个字符,存储时会被截断", "it is longer than 200 characters, and stores cut it")
            }
            Self::AmbiguousName => {
                locale.pick("该全名对应多个工具,规则不适用", "several tools have this full name, so it covers none")
            }
            Self::UnroutableName => locale.pick(
                "该 server 的名称在本地会话中无法路由,规则不会用到",
                "calls to this server cannot be routed in local sessions, so it never counts",
            ),
            Self::ServerUnavailable => locale.pick("该 server 当前不可用", "the server is unavailable now"),
            Self::DefinitionChanged => locale.pick(
                "工具定义在批准之后已变更,需要重新批准",
                "the tool's definition changed since it was approved, so it must be approved again",
            ),
            Self::Denied => locale.pick("名称命中禁用词,规则不生效", "a deny token in the name voids it"),
        }
    }
}

/// What is the matter with these rules in this set: rule by rule in the given order, for each in the order of the codes.
/// A sound rule has no finding, a rule may have several.
#[must_use]
pub fn lint_rules(rules: &[Rule], set: &WorkingSet, deny_tokens: &[String], locale: Locale) -> Vec<RuleFinding> {
    let names = FullNames::of(set);
    let mut findings = Vec::new();
    for rule in rules {
        let (codes, nearest) = names.judge(rule, deny_tokens);
        findings.extend(codes.into_iter().map(|code| RuleFinding {
            rule_id: rule.id.clone(),
            rule_value: rule.rule_value.clone(),
            code,
            nearest: nearest.map(str::to_owned),
            message: message(&rule.rule_value, code, nearest, locale),
        }));
    }
    findings
}

fn message(value: &str, code: RuleFindingCode, nearest: Option<&str>, locale: Locale) -> String {
    let shown = one_line(value, SHOWN_NAME);
    let mut text = locale.pick(format!("规则 {shown}:"), format!("the rule {shown}: "));
    text.push_str(code.sentence(locale));
    if let Some(nearest) = nearest.filter(|nearest| *nearest != value) {
        let nearest = one_line(nearest, SHOWN_NAME);
        text.push_str(&locale.pick(format!(";最接近的是 {nearest}"), format!("; the nearest is {nearest}")));
    }
    text
}

/// All full names of a set, in order, each with the tools that bear it.
struct FullNames<'s> {
    set: &'s WorkingSet,
    tools: BTreeMap<String, Vec<(&'s ServerEntry, &'s ToolEntry)>>,
}

impl<'s> FullNames<'s> {
    fn of(set: &'s WorkingSet) -> Self {
        let mut tools: BTreeMap<String, Vec<_>> = BTreeMap::new();
        for server in set.servers() {
            for tool in server.tools() {
                tools.entry(server.full_tool_name(tool)).or_default().push((server, tool));
            }
        }
        Self { set, tools }
    }

    /// What is the matter with a rule, and the name it comes nearest to.
    fn judge(&self, rule: &Rule, deny_tokens: &[String]) -> (Vec<RuleFindingCode>, Option<&str>) {
        let value = rule.rule_value.as_str();
        let cut_from = self.cut_to(value);
        let mut codes: Vec<RuleFindingCode> = Vec::new();
        let near = if let Some((name, bearers)) = self.tools.get_key_value(value) {
            codes.extend(obstacles(rule, bearers));
            Some(name.as_str())
        } else {
            let servers = self.servers_named_in(value);
            codes.push(match servers.as_slice() {
                _ if parse_full_tool_name(value).is_none() => RuleFindingCode::InvalidName,
                _ if cut_from.is_some() => RuleFindingCode::CutName,
                [] => RuleFindingCode::UnknownServer,
                // What an unavailable server would offer is not known.
                servers if servers.iter().any(|server| server.unavailable().is_some()) => {
                    RuleFindingCode::ServerUnavailable
                }
                _ => RuleFindingCode::UnknownTool,
            });
            nearest(value, self.tools.keys().map(String::as_str), 1).first().copied()
        };
        codes.extend(cut_from.map(|_| RuleFindingCode::CutName));
        codes.extend(is_too_long_to_remember(value).then_some(RuleFindingCode::TooLong));
        codes.extend(has_deny_token(value, deny_tokens).then_some(RuleFindingCode::Denied));
        codes.sort_unstable();
        codes.dedup();
        (codes, cut_from.or(near))
    }

    /// The first longer full name of the set that a store may have cut to this value.
    fn cut_to(&self, value: &str) -> Option<&str> {
        // In UTF-16 units a text is never shorter than in characters, so this serves stores that count either.
        if value.encode_utf16().count() < MAX_RULE_VALUE {
            return None;
        }
        // Whatever begins with the value follows it at once.
        let (longer, _) = self.tools.range::<str, _>((Bound::Excluded(value), Bound::Unbounded)).next()?;
        longer.starts_with(value).then_some(longer.as_str())
    }

    /// The servers that may be meant: a full name can be read in as many ways as there are `__` in it.
    fn servers_named_in(&self, value: &str) -> Vec<&'s ServerEntry> {
        let named = |server: &&ServerEntry| {
            let rest = value.strip_prefix(crate::FULL_NAME_PREFIX).and_then(|rest| rest.strip_prefix(server.address()));
            rest.and_then(|rest| rest.strip_prefix("__")).is_some_and(|tool| !tool.is_empty())
        };
        self.set.servers().iter().filter(named).collect()
    }
}

/// What keeps a rule from covering the tools that bear its name; mostly that is one tool.
fn obstacles(rule: &Rule, bearers: &[(&ServerEntry, &ToolEntry)]) -> impl Iterator<Item = RuleFindingCode> {
    let all = |is: &dyn Fn(&ServerEntry, &ToolEntry) -> bool| bearers.iter().all(|(server, tool)| is(server, tool));
    let changed = |approved: &String| {
        all(&|_, tool| *approved != tool.fingerprint()).then_some(RuleFindingCode::DefinitionChanged)
    };
    [
        (bearers.len() > 1).then_some(RuleFindingCode::AmbiguousName),
        all(&|server, _| !server.is_routable()).then_some(RuleFindingCode::UnroutableName),
        all(&|server, _| server.unavailable().is_some()).then_some(RuleFindingCode::ServerUnavailable),
        rule.tool_fingerprint.as_ref().and_then(changed),
    ]
    .into_iter()
    .flatten()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireLint {
    rules: Vec<WireRule>,
    deny_tokens: Option<Vec<String>>,
    locale: Option<String>,
}

impl WorkingSet {
    /// [`lint_rules`] in its JSON form: `{rules, denyTokens?, locale?}` gives an array of `{ruleId, ruleValue, code,
    /// nearest, message}`. Rules of other types are passed over.
    ///
    /// # Errors
    /// `invalid_utf8`, `invalid_json` or `invalid_document` with the place, `invalid_locale`.
    pub fn lint_rules_json(&self, document: &[u8]) -> Result<String, Error> {
        let WireLint { rules, deny_tokens, locale } = document::read(document)?;
        let locale = locale.as_deref().map(Locale::parse).transpose()?.unwrap_or_default();
        let rules = Rule::from_wire(rules);
        Ok(document::to_json(&lint_rules(&rules, self, &deny_tokens.unwrap_or_default(), locale)))
    }
}
