//! The condition that led to a decision, in words.
//!
//! Each condition that [`decide`](super::decide) tells apart has a sentence of its own, so that a person knows what
//! would have to change. It decides nothing.

use super::rules::{MAX_RULE_VALUE, RuleVerdict};
use crate::locale::Locale;
use crate::text::one_line;
use crate::working_set::Standing;

/// A full name in a reason is shown up to this many grapheme clusters.
const SHOWN_NAME: usize = MAX_RULE_VALUE;

/// Why a call runs or asks.
#[derive(Clone, Copy)]
pub(super) enum Reason<'a> {
    /// It is `mcp_describe`.
    Describe,
    /// The tool's name cannot be restored.
    Unrestorable,
    /// It is no MCP tool.
    NotMcp,
    /// The session runs in the cloud.
    Cloud,
    /// The level lets everything run.
    Full,
    /// The tool counts as read-only, and the level believes it.
    CountsAsReadOnly,
    /// A rule with this full name covers it.
    Rule(&'a str),
    /// The level is a boundary, and this is what puts the tool beyond it.
    BeyondReadOnly(Standing),
    /// The level asks, because of this.
    ReadWriteAsks(Standing),
    /// The level asks a person about every MCP tool.
    SmartAsks(Standing),
    /// The level asks the approval model about every MCP tool.
    ProxyAsks(Standing),
}

impl Reason<'_> {
    pub(super) fn text(self, locale: Locale) -> String {
        match self {
            Self::Describe => locale
                .pick("mcp_describe 只查询本会话的工具清单", "mcp_describe only reads the session's own list")
                .into(),
            Self::Unrestorable => locale
                .pick(
                    "无法确定要调用的 MCP 工具,需要用户确认",
                    "which MCP tool is meant cannot be determined, so a person must confirm",
                )
                .into(),
            Self::NotMcp => locale
                .pick("不是 MCP 工具,由宿主自行判定", "not an MCP tool, so this is the host's own decision")
                .into(),
            Self::Cloud => locale.pick("云端会话的工具调用不需要审批", "cloud sessions have no approval").into(),
            Self::Full => locale.pick("FULL 级别放行所有调用", "FULL lets every call run").into(),
            Self::CountsAsReadOnly => locale.pick("只读工具,无需确认", "the tool counts as read-only").into(),
            Self::Rule(full_name) => {
                let mut text = String::from(locale.pick("规则放行：", "allowed by the rule "));
                // The name is the server's text, and this one goes to people and logs.
                text.push_str(&one_line(full_name, SHOWN_NAME));
                text
            }
            Self::BeyondReadOnly(standing) => {
                let level = locale.pick("READ_ONLY 级别只放行只读工具", "READ_ONLY lets only read-only tools run");
                because(level, [against(standing, locale)], locale)
            }
            Self::ReadWriteAsks(standing) => because(asks_user(locale), [against(standing, locale)], locale),
            Self::SmartAsks(standing) => {
                let level = locale.pick("SMART 级别不自动评估 MCP 工具", "SMART does not assess MCP tools");
                because(asks_user(locale), [Some(level), against_rules(standing, locale)], locale)
            }
            Self::ProxyAsks(standing) => {
                let model =
                    locale.pick("MCP 工具调用由审批模型判定", "an MCP tool call is decided by the approval model");
                because(model, [against_rules(standing, locale)], locale)
            }
        }
    }

    /// The reason of a call that asks because no rule covers it: also why none does, and why none can be remembered.
    pub(super) fn with_rules(self, why_not: RuleVerdict, can_be_remembered: bool, locale: Locale) -> String {
        let mut text = self.text(locale);
        let mut add = |more: &str| text.extend([locale.pick(";", "; "), more]);
        if why_not != RuleVerdict::NoRule {
            add(why_not.text(locale));
        }
        if !can_be_remembered && why_not != RuleVerdict::Denied {
            add(locale.pick(
                "全名超过 200 个字符,不能记住为规则",
                "its full name is longer than 200 characters, so no rule can be remembered for it",
            ));
        }
        text
    }
}

fn asks_user(locale: Locale) -> &'static str {
    locale.pick("MCP 工具调用需要用户确认", "an MCP tool call needs the user's consent")
}

/// `what: cause; cause`.
fn because<const N: usize>(what: &str, causes: [Option<&str>; N], locale: Locale) -> String {
    let mut text = String::with_capacity(128);
    text.push_str(what);
    let mut separator = locale.pick(":", ": ");
    for cause in causes.into_iter().flatten() {
        text.extend([separator, cause]);
        separator = locale.pick(";", "; ");
    }
    text
}

/// What speaks against a tool's counting as read-only.
fn against(standing: Standing, locale: Locale) -> Option<&'static str> {
    Some(match standing {
        Standing::ReadOnly => return None,
        Standing::Writable => locale.pick("该工具声明会写入", "the tool says that it writes"),
        Standing::NotSaid => locale.pick("该工具未声明只读", "the tool does not say that it only reads"),
        Standing::Contradictory => {
            locale.pick("该工具同时声明只读和破坏性", "the tool says both that it only reads and that it destroys")
        }
        Standing::DifferingCopies => {
            locale.pick("该工具存在内容不同的重复定义", "the tool was given in copies that differ")
        }
        Standing::AmbiguousName => locale
            .pick("该全名对应多个工具,规则不适用", "its full name is another tool's as well, so no rule covers it"),
        Standing::DisputedServer => {
            locale.pick("该 server 的 id 对应多个名称", "the id of its server was given with another name as well")
        }
        Standing::Unavailable => locale.pick("该 server 当前不可用", "its server is not available"),
        Standing::Untrusted => {
            locale.pick("该 server 的只读声明不受信任", "its server is not trusted to say that it only reads")
        }
    })
}

/// What speaks against rules, for levels at which being read-only would not help.
fn against_rules(standing: Standing, locale: Locale) -> Option<&'static str> {
    (standing == Standing::AmbiguousName).then(|| against(standing, locale)).flatten()
}
