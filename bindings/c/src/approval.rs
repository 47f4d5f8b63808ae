//! Which calls ask a person, and why.

use std::mem::MaybeUninit;

use mcp_working_set::{ApprovalRequest, Basis, Decision, Outcome, RuleId, decide_approval, match_rules_json};

use crate::error::mws_error;
use crate::ffi::{Bytes, answer, given, look_up};
use crate::status::mws_status;
use crate::text::{mws_str, mws_string};

/// What happens to a call. The number of zeroed memory never lets one run.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum mws_outcome {
    /// A person is asked.
    #[default]
    AskUser = 0,
    /// The approval model is asked; if it is unavailable, a person.
    AskModel = 1,
    /// It runs.
    Allow = 2,
}

impl From<Outcome> for mws_outcome {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::AskUser => Self::AskUser,
            Outcome::AskModel => Self::AskModel,
            Outcome::Allow => Self::Allow,
        }
    }
}

/// What a decision rests on.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum mws_basis {
    /// Nothing allows it.
    #[default]
    Default = 0,
    /// The permission level alone.
    Level = 1,
    /// The tool counts as read-only.
    Annotation = 2,
    /// A rule of the user's.
    Rule = 3,
    /// The session runs in the cloud.
    Cloud = 4,
    /// It is no MCP tool.
    NotMcp = 5,
    /// The tool's name cannot be restored.
    Unrestorable = 6,
}

impl From<Basis> for mws_basis {
    fn from(basis: Basis) -> Self {
        match basis {
            Basis::Default => Self::Default,
            Basis::Level => Self::Level,
            Basis::Annotation => Self::Annotation,
            Basis::Rule => Self::Rule,
            Basis::Cloud => Self::Cloud,
            Basis::NotMcp => Self::NotMcp,
            Basis::Unrestorable => Self::Unrestorable,
        }
    }
}

/// Whether a call may run, and why. Immutable: any number of threads may read one at once.
pub struct mws_decision {
    decision: Decision,
    /// The rule's id as text.
    rule_id: Option<String>,
}

impl From<Decision> for mws_decision {
    fn from(decision: Decision) -> Self {
        let rule_id = decision.rule_id.as_ref().map(|id| match id {
            RuleId::Number(number) => number.to_string(),
            RuleId::Text(text) => text.clone(),
        });
        Self { decision, rule_id }
    }
}

/// Decides for a host with a dispatcher of its own; mws_working_set_plan_call() does this itself. The request:
///
///     {"executionMode", "permissionLevel"?, "toolName": text | null, "source"?: text, "annotations"?: object,
///      "trusted"?: boolean, "toolFingerprint"?: text, "matchedRule"?, "rules"?, "denyTokens"?, "sessionId"?, "locale"?}
///
/// `toolName` is the effective name, see mws_effective_tool_name(), null when there is none; `source` "mcp" makes a tool
/// an MCP tool whatever its name; the others are those of mws_call_context_from_json().
///
/// Writes the decision to `out`. Free it with mws_decision_free(). MWS_STATUS_INVALID_JSON,
/// MWS_STATUS_INVALID_DOCUMENT or MWS_STATUS_INVALID_UTF8 with the place, MWS_STATUS_INVALID_EXECUTION_MODE,
/// MWS_STATUS_INVALID_LOCALE. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn mws_decide_approval(
    request_json: Bytes<'_>,
    request_json_len: usize,
    out: Option<&mut MaybeUninit<Option<Box<mws_decision>>>>,
    error: Option<&mut MaybeUninit<Option<Box<mws_error>>>>,
) -> mws_status {
    answer(out, error, || {
        let request = ApprovalRequest::from_json(request_json.bytes(request_json_len, "request_json")?)?;
        Ok(Some(Box::new(decide_approval(&request).into())))
    })
}

/// Frees a decision of mws_decide_approval(). NULL is ignored. The decision of a plan is freed with the plan, and not
/// with this.
#[unsafe(no_mangle)]
pub extern "C" fn mws_decision_free(decision: Option<Box<mws_decision>>) {
    drop(decision);
}

/// What happens to the call; MWS_OUTCOME_ASK_USER for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mws_decision_outcome(decision: Option<&mws_decision>) -> mws_outcome {
    look_up(decision, |decision| decision.decision.outcome.into())
}

/// True when somebody is asked before the call runs, a person or the approval model; true for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mws_decision_need_approval(decision: Option<&mws_decision>) -> bool {
    decision.is_none_or(|decision| decision.decision.need_approval)
}

/// What the decision rests on; MWS_BASIS_DEFAULT for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mws_decision_basis(decision: Option<&mws_decision>) -> mws_basis {
    look_up(decision, |decision| decision.decision.basis.into())
}

/// True when rules of the user's count for this call: a host that keeps them in a database asks it only then. False for
/// NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mws_decision_rules_apply(decision: Option<&mws_decision>) -> bool {
    look_up(decision, |decision| decision.decision.rules_apply)
}

/// One sentence for the person who is asked, or for the log. Borrowed from the decision; nothing for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mws_decision_reason(decision: Option<&mws_decision>) -> mws_str {
    look_up(decision, |decision| decision.decision.reason.as_str().into())
}

/// The id of the rule that allowed the call, a number in decimal. Borrowed from the decision; nothing when no rule did,
/// and for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mws_decision_rule_id(decision: Option<&mws_decision>) -> mws_str {
    look_up(decision, |decision| decision.rule_id.as_deref().into())
}

/// The definition that is approved, to be stored with a rule: SHA-256 in hex. Borrowed from the decision; nothing when
/// the call is of no known tool, and for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mws_decision_tool_fingerprint(decision: Option<&mws_decision>) -> mws_str {
    look_up(decision, |decision| decision.decision.tool_fingerprint.as_deref().into())
}

/// One line for the button "always allow". Borrowed from the decision; nothing when no rule may be offered, and for
/// NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mws_decision_hint_label(decision: Option<&mws_decision>) -> mws_str {
    look_up(decision, |decision| decision.decision.hint.as_ref().map(|hint| hint.label.as_str()).into())
}

/// The full name that a rule of "always allow" would hold. Borrowed from the decision; nothing when no rule may be
/// offered, and for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mws_decision_hint_rule_value(decision: Option<&mws_decision>) -> mws_str {
    look_up(decision, |decision| decision.decision.hint.as_ref().map(|hint| hint.rule_value.as_str()).into())
}

/// What "always allow" would store: `{"ruleType", "ruleValue", "label"}`. With an `id`, a `scope` and `enabled` added it
/// is one of the `rules` of mws_call_context_from_json().
///
/// Writes it to `out`, or nothing when no rule may be offered. Free it with mws_string_free(). Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn mws_decision_hint_json(
    decision: Option<&mws_decision>,
    out: Option<&mut MaybeUninit<mws_string>>,
    error: Option<&mut MaybeUninit<Option<Box<mws_error>>>>,
) -> mws_status {
    answer(out, error, || {
        let decision = &given(decision, "decision")?.decision;
        Ok(decision.hint.as_ref().map(mcp_working_set::RuleHint::to_json).into())
    })
}

/// The whole decision: `{"outcome", "needApproval", "basis", "reason", "rulesApply", "ruleId"?, "hint",
/// "toolFingerprint"?}`.
///
/// Writes it to `out`. Free it with mws_string_free(). Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn mws_decision_json(
    decision: Option<&mws_decision>,
    out: Option<&mut MaybeUninit<mws_string>>,
    error: Option<&mut MaybeUninit<Option<Box<mws_error>>>>,
) -> mws_status {
    answer(out, error, || Ok(given(decision, "decision")?.decision.to_json().into()))
}

/// Finds the stored rule that covers a call: `{"rules", "request": {"fullToolName", "toolFingerprint"?, "sessionId"?,
/// "denyTokens"?, "locale"?}}`.
///
/// Writes `{"rule", "why", "code"}` to `out`: the rule as it was given, or null; why it covers the call, or why none
/// does, in words and as a code. Free it with mws_string_free(). MWS_STATUS_INVALID_JSON,
/// MWS_STATUS_INVALID_DOCUMENT or MWS_STATUS_INVALID_UTF8 with the place, MWS_STATUS_INVALID_LOCALE. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn mws_match_rules(
    document_json: Bytes<'_>,
    document_json_len: usize,
    out: Option<&mut MaybeUninit<mws_string>>,
    error: Option<&mut MaybeUninit<Option<Box<mws_error>>>>,
) -> mws_status {
    answer(out, error, || Ok(match_rules_json(document_json.bytes(document_json_len, "document_json")?)?.into()))
}
