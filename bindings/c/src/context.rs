//! What a host knows when a call comes in.

use std::ffi::c_int;
use std::mem::MaybeUninit;

use mcp_working_set::{CallContext, ErrorCode, ExecutionMode, PermissionLevel};

use crate::error::{Mistake, mws_error};
use crate::ffi::{Bytes, Choice, answer, choice};
use crate::locale::{locale as read_locale, mws_locale};
use crate::status::mws_status;

/// Where a session runs its tools.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum mws_execution_mode {
    /// Nowhere: the route of a plan that executes nothing. Not to be handed over.
    #[default]
    None = 0,
    /// The desktop runs the tool.
    Local = 1,
    /// The backend runs the tool.
    Cloud = 2,
}

impl Choice for mws_execution_mode {
    const ALL: &'static [Self] = &[Self::Local, Self::Cloud];

    fn number(self) -> c_int {
        self as c_int
    }

    fn mistake(number: c_int) -> Mistake {
        Mistake::Number { code: ErrorCode::InvalidExecutionMode, what: "execution mode of a session", number }
    }
}

impl From<ExecutionMode> for mws_execution_mode {
    fn from(mode: ExecutionMode) -> Self {
        match mode {
            ExecutionMode::Local => Self::Local,
            ExecutionMode::Cloud => Self::Cloud,
        }
    }
}

/// How much the user lets the agent do.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum mws_permission_level {
    /// Only what reads; a boundary that no rule crosses.
    #[default]
    ReadOnly = 0,
    /// What reads runs, what writes asks.
    ReadWrite = 1,
    /// Every MCP call asks the user, or a rule of the user's.
    Smart = 2,
    /// Every MCP call asks the approval model, or a rule of the user's.
    Proxy = 3,
    /// Everything runs.
    Full = 4,
}

impl Choice for mws_permission_level {
    const ALL: &'static [Self] = &[Self::ReadOnly, Self::ReadWrite, Self::Smart, Self::Proxy, Self::Full];

    fn number(self) -> c_int {
        self as c_int
    }

    fn mistake(number: c_int) -> Mistake {
        Mistake::Number { code: ErrorCode::InvalidArgument, what: "permission level", number }
    }
}

impl From<mws_permission_level> for PermissionLevel {
    fn from(level: mws_permission_level) -> Self {
        match level {
            mws_permission_level::ReadOnly => Self::ReadOnly,
            mws_permission_level::ReadWrite => Self::ReadWrite,
            mws_permission_level::Smart => Self::Smart,
            mws_permission_level::Proxy => Self::Proxy,
            mws_permission_level::Full => Self::Full,
        }
    }
}

/// What a host knows when a call comes in: where the session runs, what the user allows, stored rules. Made once and
/// used for as many calls as it is true for. Immutable: any number of threads may read one at once.
pub struct mws_call_context(pub(crate) CallContext);

/// Makes a context with nothing in a call's favour but the permission level: no rules, no deny tokens; the read-only
/// hints of all servers are trusted, arguments are checked against the tool's schema.
///
/// Writes it to `out`. Free it with mws_call_context_free(). MWS_STATUS_INVALID_EXECUTION_MODE,
/// MWS_STATUS_INVALID_LOCALE or, for the level, MWS_STATUS_INVALID_ARGUMENT for a number that stands for nothing. Any
/// thread.
#[unsafe(no_mangle)]
pub extern "C" fn mws_call_context_new(
    execution_mode: MaybeUninit<mws_execution_mode>,
    permission_level: MaybeUninit<mws_permission_level>,
    locale: MaybeUninit<mws_locale>,
    out: Option<&mut MaybeUninit<Option<Box<mws_call_context>>>>,
    error: Option<&mut MaybeUninit<Option<Box<mws_error>>>>,
) -> mws_status {
    answer(out, error, || {
        let execution_mode = match choice(execution_mode)? {
            mws_execution_mode::Cloud => ExecutionMode::Cloud,
            mws_execution_mode::Local | mws_execution_mode::None => ExecutionMode::Local,
        };
        let permission_level = choice(permission_level)?.into();
        let locale = read_locale(locale)?;
        let context = CallContext { permission_level, locale, ..CallContext::new(execution_mode) };
        Ok(Some(Box::new(mws_call_context(context))))
    })
}

/// Makes a context from its JSON form:
///
///     {"executionMode": "LOCAL" | "CLOUD",
///      "permissionLevel"?: "READ_ONLY" | "READ_WRITE" | "SMART" | "PROXY" | "FULL",   anything else is READ_ONLY
///      "matchedRule"?: {"ruleId", "ruleValue", "toolFingerprint"?},         the rule found in a database
///      "rules"?: [{"id", "scope": "SESSION" | "USER", "sessionId"?, "ruleType": "MCP_TOOL", "ruleValue",
///                  "enabled", "toolFingerprint"?}],
///      "denyTokens"?: [text],                            tokens that void rules and hints
///      "sessionId"?: text,                               for rules that count in one session only
///      "trust"?: "all" | "none" | [server ids],          whose read-only hints are believed; "all"
///      "validate"?: boolean,                             check arguments against the schema; true
///      "locale"?: "zh-CN" | "en",                        "zh-CN"
///      "maxCallBytes"?: number}                          the largest text of a call that is read; 4 MiB
///
/// Writes it to `out`. Free it with mws_call_context_free(). MWS_STATUS_INVALID_JSON, MWS_STATUS_INVALID_DOCUMENT or
/// MWS_STATUS_INVALID_UTF8 with the place, MWS_STATUS_INVALID_EXECUTION_MODE, MWS_STATUS_INVALID_LOCALE,
/// MWS_STATUS_INVALID_ARGUMENT. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn mws_call_context_from_json(
    context_json: Bytes<'_>,
    context_json_len: usize,
    out: Option<&mut MaybeUninit<Option<Box<mws_call_context>>>>,
    error: Option<&mut MaybeUninit<Option<Box<mws_error>>>>,
) -> mws_status {
    answer(out, error, || {
        let context = CallContext::from_json(context_json.bytes(context_json_len, "context_json")?)?;
        Ok(Some(Box::new(mws_call_context(context))))
    })
}

/// Frees a context. NULL is ignored. Plans made with it stay as they are.
#[unsafe(no_mangle)]
pub extern "C" fn mws_call_context_free(context: Option<Box<mws_call_context>>) {
    drop(context);
}
