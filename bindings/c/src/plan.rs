//! What to do with a call.

use mcp_working_set::{Execution, Plan, Refusal, RefusalCode};

use crate::approval::mws_decision;
use crate::context::mws_execution_mode;
use crate::ffi::look_up;
use crate::text::mws_str;

/// What to do with a call.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum mws_kind {
    /// There is no plan: what is said of NULL.
    #[default]
    None = 0,
    /// Ask as the decision says, then run it.
    Execute = 1,
    /// Run nothing; give the model the result.
    Refuse = 2,
}

/// Why a call is not executed. A number never gets another meaning; new ones may be added.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum mws_refusal {
    /// It is executed, or there is no plan.
    #[default]
    None = 0,
    /// The text is not JSON.
    InvalidJson = 1,
    /// The JSON does not have the form of a call.
    InvalidArguments = 2,
    /// The session has no such server.
    UnknownServer = 3,
    /// The server has no such tool.
    UnknownTool = 4,
    /// Several tools fit the name.
    AmbiguousName = 5,
    /// The server is not available in this session.
    ServerUnavailable = 6,
    /// The session's tool list is empty because synchronising it failed.
    EmptyToolList = 7,
    /// The desktop would route the full name to another tool.
    UnroutableName = 8,
    /// The arguments break the tool's schema.
    SchemaViolation = 9,
    /// A reason that is newer than this list; mws_plan_refusal_code() tells it.
    Other = 255,
}

impl From<RefusalCode> for mws_refusal {
    fn from(code: RefusalCode) -> Self {
        match code {
            RefusalCode::InvalidJson => Self::InvalidJson,
            RefusalCode::InvalidArguments => Self::InvalidArguments,
            RefusalCode::UnknownServer => Self::UnknownServer,
            RefusalCode::UnknownTool => Self::UnknownTool,
            RefusalCode::AmbiguousName => Self::AmbiguousName,
            RefusalCode::ServerUnavailable => Self::ServerUnavailable,
            RefusalCode::EmptyToolList => Self::EmptyToolList,
            RefusalCode::UnroutableName => Self::UnroutableName,
            RefusalCode::SchemaViolation => Self::SchemaViolation,
            _ => Self::Other,
        }
    }
}

/// What to do with one call. It holds what it says: the set, the context and the text it was made from may be freed
/// before it. Immutable: any number of threads may read one at once.
pub struct mws_plan {
    kind: Kind,
    full_tool_name: Option<String>,
    decision: mws_decision,
}

enum Kind {
    Execute(Box<Call>),
    Refuse(Refused),
}

struct Call {
    route: mws_execution_mode,
    server: String,
    tool: String,
    server_id: i64,
    tool_name: String,
    arguments_json: String,
    checked: bool,
    unchecked: Option<&'static str>,
    repairs: Vec<String>,
}

struct Refused {
    code: RefusalCode,
    result_json: String,
}

impl From<Plan<'_, '_>> for mws_plan {
    fn from(plan: Plan<'_, '_>) -> Self {
        match plan {
            Plan::Execute(call) => Self {
                full_tool_name: Some(call.full_tool_name()),
                decision: call.decision.clone().into(),
                kind: Kind::Execute(Box::new(call.into())),
            },
            Plan::Refuse(Refusal { code, result_json, full_tool_name, decision }) => {
                Self { kind: Kind::Refuse(Refused { code, result_json }), full_tool_name, decision: decision.into() }
            }
        }
    }
}

impl From<Execution<'_, '_>> for Call {
    fn from(call: Execution<'_, '_>) -> Self {
        Self {
            route: call.route.into(),
            server: call.server.address().to_owned(),
            tool: call.tool.name().to_owned(),
            server_id: call.server.id(),
            tool_name: call.tool_name().into_owned(),
            checked: call.checked,
            unchecked: call.unchecked.map(|why| why.as_str()),
            repairs: call.repairs.iter().map(ToString::to_string).collect(),
            arguments_json: call.arguments_json.into_owned(),
        }
    }
}

impl mws_plan {
    fn call(&self) -> Option<&Call> {
        match &self.kind {
            Kind::Execute(call) => Some(call),
            Kind::Refuse(_) => None,
        }
    }

    fn refusal(&self) -> Option<&Refused> {
        match &self.kind {
            Kind::Execute(_) => None,
            Kind::Refuse(refusal) => Some(refusal),
        }
    }
}

/// What the call of a plan says; of a plan that refuses, and of none, the answer that says nothing.
fn of_call<'p, T: Default>(plan: Option<&'p mws_plan>, look: impl FnOnce(&'p Call) -> T) -> T {
    look_up(plan.and_then(mws_plan::call), look)
}

/// Frees a plan. NULL is ignored. Its decision and the texts borrowed from it are gone with it.
#[unsafe(no_mangle)]
pub extern "C" fn mws_plan_free(plan: Option<Box<mws_plan>>) {
    drop(plan);
}

/// What to do with the call; MWS_KIND_NONE for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mws_plan_kind(plan: Option<&mws_plan>) -> mws_kind {
    look_up(plan, |plan| match plan.kind {
        Kind::Execute(_) => mws_kind::Execute,
        Kind::Refuse(_) => mws_kind::Refuse,
    })
}

/// Whether the call may run, and why. Of a plan that refuses it is always one that asks: nothing a host does with a
/// refused call may run unasked. Borrowed from the plan and freed with it; NULL for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mws_plan_decision(plan: Option<&mws_plan>) -> Option<&mws_decision> {
    plan.map(|plan| &plan.decision)
}

/// `mcp__{server}__{tool}`, with the real names where the call is executed; of a refused call the tool that was meant,
/// where it can be restored. Borrowed from the plan; nothing where there is none, and for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mws_plan_full_tool_name(plan: Option<&mws_plan>) -> mws_str {
    look_up(plan, |plan| plan.full_tool_name.as_deref().into())
}

/// Where the call runs; MWS_EXECUTION_MODE_NONE unless the plan executes.
#[unsafe(no_mangle)]
pub extern "C" fn mws_plan_route(plan: Option<&mws_plan>) -> mws_execution_mode {
    of_call(plan, |call| call.route)
}

/// What the executor is given: in CLOUD the tool's own name, in LOCAL the full name. Borrowed from the plan; nothing
/// unless it executes.
#[unsafe(no_mangle)]
pub extern "C" fn mws_plan_tool_name(plan: Option<&mws_plan>) -> mws_str {
    of_call(plan, |call| call.tool_name.as_str().into())
}

/// The tool's own arguments: the text of one JSON object, byte for byte as the model wrote it unless a repair says
/// otherwise. Borrowed from the plan; nothing unless it executes.
#[unsafe(no_mangle)]
pub extern "C" fn mws_plan_arguments_json(plan: Option<&mws_plan>) -> mws_str {
    of_call(plan, |call| call.arguments_json.as_str().into())
}

/// The server, as the model addresses it. Borrowed from the plan; nothing unless it executes.
#[unsafe(no_mangle)]
pub extern "C" fn mws_plan_server(plan: Option<&mws_plan>) -> mws_str {
    of_call(plan, |call| call.server.as_str().into())
}

/// The host's id of the server; 0 when it has none, and unless the plan executes.
#[unsafe(no_mangle)]
pub extern "C" fn mws_plan_server_id(plan: Option<&mws_plan>) -> i64 {
    of_call(plan, |call| call.server_id)
}

/// The name the server gave the tool. Borrowed from the plan; nothing unless it executes.
#[unsafe(no_mangle)]
pub extern "C" fn mws_plan_tool(plan: Option<&mws_plan>) -> mws_str {
    of_call(plan, |call| call.tool.as_str().into())
}

/// True when the arguments were found to satisfy the tool's schema; false unless the plan executes.
#[unsafe(no_mangle)]
pub extern "C" fn mws_plan_checked(plan: Option<&mws_plan>) -> bool {
    of_call(plan, |call| call.checked)
}

/// Why the arguments could not be checked, as a code; that blocks no call. Borrowed from the plan; nothing when they
/// were, when that was not asked for, and unless the plan executes.
#[unsafe(no_mangle)]
pub extern "C" fn mws_plan_unchecked(plan: Option<&mws_plan>) -> mws_str {
    of_call(plan, |call| call.unchecked.into())
}

/// How many things were put right to understand the call; 0 unless the plan executes.
#[unsafe(no_mangle)]
pub extern "C" fn mws_plan_repair_count(plan: Option<&mws_plan>) -> usize {
    of_call(plan, |call| call.repairs.len())
}

/// One of the things that were put right, counted from 0: a code in snake_case, some with a detail after a colon.
/// Borrowed from the plan; nothing for a number that is too high.
#[unsafe(no_mangle)]
pub extern "C" fn mws_plan_repair(plan: Option<&mws_plan>, index: usize) -> mws_str {
    of_call(plan, |call| call.repairs.get(index).map(String::as_str).into())
}

/// Why the call is refused; MWS_REFUSAL_NONE unless it is.
#[unsafe(no_mangle)]
pub extern "C" fn mws_plan_refusal(plan: Option<&mws_plan>) -> mws_refusal {
    look_up(plan.and_then(mws_plan::refusal), |refusal| refusal.code.into())
}

/// The same as text, such as `unknown_tool`. Borrowed from the plan; nothing unless it refuses.
#[unsafe(no_mangle)]
pub extern "C" fn mws_plan_refusal_code(plan: Option<&mws_plan>) -> mws_str {
    look_up(plan.and_then(mws_plan::refusal), |refusal| refusal.code.as_str().into())
}

/// What the model gets as the result of a refused call: `{"error", "code", …}`. Borrowed from the plan; nothing unless
/// it refuses.
#[unsafe(no_mangle)]
pub extern "C" fn mws_plan_result_json(plan: Option<&mws_plan>) -> mws_str {
    look_up(plan.and_then(mws_plan::refusal), |refusal| refusal.result_json.as_str().into())
}
