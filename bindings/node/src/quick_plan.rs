//! Plans of the most frequent kind, each said as one number.
//!
//! Most calls come in a context of few words and need nothing put right. Then a plan is the same each time for a tool and
//! a context, but for the arguments, which stand in the text that the host has; so it is enough to say which tool, and
//! from where to where. That saves making, passing and parsing a text, and takes less time than an object would.

use std::sync::Arc;

use mcp_working_set::{CallContext, ExecutionMode, Locale, PermissionLevel, WorkingSet};

/// Bits for the start and the end of the arguments in the number; 16 are left for the tool.
const OFFSET_BITS: u32 = 18;

/// Plans calls of one set.
pub(crate) struct QuickPlanner {
    set: Arc<WorkingSet>,
    /// For each server, how many tools stand before its own.
    first_tools: Vec<usize>,
}

impl QuickPlanner {
    pub(crate) fn new(set: Arc<WorkingSet>) -> Self {
        let first_tools = set
            .servers()
            .iter()
            .scan(0, |before, server| Some(std::mem::replace(before, *before + server.tools().len())))
            .collect();
        Self { set, first_tools }
    }

    /// Which tool, and where in the text its arguments stand, in UTF-16 units; `index.js` takes the number apart. Nothing
    /// where there is more to say.
    pub(crate) fn plan(&self, arguments_json: &str, context: u32) -> Option<f64> {
        let call = self.set.understand_call(arguments_json, &read(context)?).ok()?;
        if !call.repairs.is_empty() || call.unchecked.is_some() {
            return None;
        }
        let (server, tool) = call.position;
        let ordinal = self.first_tools.get(server)? + tool;
        let (start, end) = match call.arguments_range(arguments_json) {
            Some(range) => {
                let start = utf16_length(arguments_json.get(..range.start)?);
                (start, start + utf16_length(&call.arguments_json))
            }
            // No arguments were given.
            None if call.arguments_json == "{}" => (0, 0),
            None => return None,
        };
        let number =
            |value: usize, bits: u32| u32::try_from(value).ok().filter(|value| *value < 1 << bits).map(f64::from);
        let shift = f64::from(1_u32 << OFFSET_BITS);
        Some((number(ordinal, 16)? * shift + number(start, OFFSET_BITS)?) * shift + number(end, OFFSET_BITS)?)
    }
}

/// The context that `index.js` put in bits.
fn read(bits: u32) -> Option<CallContext> {
    let mut context = CallContext::new(if bits & 1 == 0 { ExecutionMode::Local } else { ExecutionMode::Cloud });
    context.permission_level = match bits >> 1 & 7 {
        0 => PermissionLevel::ReadOnly,
        1 => PermissionLevel::ReadWrite,
        2 => PermissionLevel::Smart,
        3 => PermissionLevel::Proxy,
        4 => PermissionLevel::Full,
        _ => return None,
    };
    context.locale = if bits >> 4 & 1 == 0 { Locale::ZhCn } else { Locale::En };
    context.validate = bits >> 5 & 1 == 1;
    Some(context)
}

fn utf16_length(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.encode_utf16().count() }
}
