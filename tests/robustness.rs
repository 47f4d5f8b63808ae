//! No text panics: every text of the conformance vectors, cut at every byte and with every byte replaced by `"`, `{`,
//! `\`, 0xFF and NUL, goes through everything that reads it. Nothing that is cut off is ever executed.
//!
//! A text longer than [`POSITIONS`] bytes is cut and changed at that many positions only, spread evenly over it from the
//! first byte to the last; which ones depends on nothing but its length, so texts of many lengths are hit in many
//! places. Equal texts are tried once. Texts of more than [`LONGEST`] bytes, about depth and size, are left out here.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test")]

#[path = "vectors/reader.rs"]
#[allow(dead_code, reason = "only the inputs are wanted here")]
mod reader;

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;

use mcp_working_set::{
    ApprovalRequest, CallContext, CallPreview, CardOptions, ExecutionMode, ExpectedServer, LoadMode, Locale, Plan,
    ToolCall, WorkingSet, call_preview, cloud_connect_result_from_json, decide_approval, estimate_tokens,
    match_rules_json, normalize_input_schema, parse_full_tool_name, parse_load_mode, parse_local_report,
    resolve_load_mode, restore_full_tool_name, summarize, tool_display_name, tool_input_preview,
};
use reader::{Input, files, input, vectors};
use serde_json::json;

/// Positions tried in one text.
const POSITIONS: usize = 16;

/// Longer texts are about size.
const LONGEST: usize = 20_000;

const BYTES: [u8; 5] = [b'"', b'{', b'\\', 0xFF, 0];

/// The inputs of all vectors, those of `same` and `different` one by one.
static INPUTS: LazyLock<Vec<Input>> = LazyLock::new(|| {
    let mut inputs = Vec::new();
    for vector in files().iter().flat_map(|(_, file)| vectors(file)) {
        match vector.input.values.get("inputs") {
            Some(several) => inputs.extend(several.as_array().unwrap().iter().map(|each| input(each, &json!({})))),
            None => inputs.push(vector.input),
        }
    }
    inputs
});

/// The texts under these keys, as they are handed over.
fn texts(keys: &[&str]) -> BTreeSet<Vec<u8>> {
    let mut texts = BTreeSet::new();
    for input in &*INPUTS {
        let given = keys.iter().filter_map(|key| input.values.get(*key));
        texts.extend(given.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned).into_bytes()));
        if matches!(keys, ["document" | "report"]) {
            texts.extend(input.text.clone());
        }
    }
    texts.retain(|text| text.len() <= LONGEST);
    assert!(texts.len() > 1, "{keys:?}: there must be something to try");
    texts
}

/// The text cut, and changed, at its positions.
fn mutants(text: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let count = text.len().min(POSITIONS);
    let positions = (0..count).map(move |index| if count == 1 { 0 } else { index * (text.len() - 1) / (count - 1) });
    positions.flat_map(move |position| {
        let cut = text[..position].to_vec();
        let changed = BYTES.into_iter().map(move |byte| {
            let mut changed = text.to_vec();
            changed[position] = byte;
            changed
        });
        std::iter::once(cut).chain(changed)
    })
}

/// Gives every mutant of every text to a reader.
fn torture(keys: &[&str], reads: impl Fn(&[u8])) {
    for text in texts(keys) {
        for mutant in mutants(&text) {
            catch_unwind(AssertUnwindSafe(|| reads(&mutant)))
                .unwrap_or_else(|_| panic!("panics on {:?}", String::from_utf8_lossy(&mutant)));
        }
    }
}

#[test]
fn documents() {
    let context = CallContext::new(ExecutionMode::Local);
    torture(&["document"], |document| {
        let Ok(set) = WorkingSet::from_json(document) else { return };
        for locale in [Locale::ZhCn, Locale::En] {
            assert_eq!(set.section(locale).is_none(), set.is_empty());
            assert_eq!(set.tool_definitions(locale, LoadMode::WorkingSet).is_empty(), set.is_empty());
        }
        assert_eq!(set.fingerprint().len(), 64);
        let _ = (set.servers_json(), set.warnings_json(), set.full_tool_definitions_json());
        if let Some(server) = set.servers().iter().find(|server| !server.tools().is_empty()) {
            let call = json!({"server": server.address(), "tool": server.tools()[0].name()}).to_string();
            let _ = (set.plan_call(&call, &context).to_json(), set.describe(&call, Locale::En));
        }
    });
}

/// A set in which the calls of most vectors find something.
fn set() -> WorkingSet {
    let tool =
        |server: &str, tool: &str| json!({"serverName": server, "toolName": tool, "inputSchema": {"type": "object"}});
    let tools = [tool("fs", "read_file"), tool("fs", "write_file"), tool("s", "x"), tool("g", "x")];
    let document = json!({"servers": [{"name": "fs"}, {"name": "s"}, {"name": "g"}], "tools": tools});
    WorkingSet::from_json(document.to_string().as_bytes()).unwrap()
}

#[test]
fn calls() {
    let set = set();
    let context = CallContext::new(ExecutionMode::Cloud);
    torture(&["argumentsJson", "input"], |bytes| {
        let mut preview = CallPreview::new("mcp_call");
        preview.push(bytes);
        let _ = (preview.preview(Locale::En), preview.summary(Locale::ZhCn));
        // Invalid UTF-8 cannot reach these; what it is replaced by can.
        let text = &String::from_utf8_lossy(bytes);
        let planned = set.plan_call(text, &context);
        let restored = restore_full_tool_name(text);
        match &planned {
            Plan::Execute(_) => assert!(restored.is_some(), "executed, but has no name: {text}"),
            Plan::Refuse(refusal) => assert!(refusal.decision.need_approval, "refused, but allowed: {text}"),
        }
        let _ = (planned.to_json(), set.describe(text, Locale::En));
        let _ = call_preview(text, &CardOptions::default());
        for name in ["mcp_call", "mcp_describe", "mcp__fs__x"] {
            let _ = (
                summarize(Some(name), Some(text), Some(text), Locale::En),
                tool_input_preview(name, Some(text), Locale::En),
            );
        }
    });
}

#[test]
fn a_call_that_was_cut_off_is_never_read_as_one() {
    for text in texts(&["argumentsJson"]) {
        let Ok(text) = String::from_utf8(text) else { continue };
        if ToolCall::parse(&text).is_err() {
            continue;
        }
        let whole = text.trim_end().len();
        for cut in (0..whole).filter_map(|end| text.get(..end)) {
            assert!(ToolCall::parse(cut).is_err(), "read: {cut}");
        }
    }
}

#[test]
fn reports_and_outcomes() {
    let expected = [ExpectedServer { id: 1, name: "a".to_owned() }];
    torture(&["report"], |report| {
        let _ = parse_local_report(report, &expected).map(|report| report.to_json());
    });
    torture(&["outcomes"], |outcomes| {
        let document = [br#"{"servers":[{"id":1,"name":"a"}],"outcomes":"#, outcomes, b"}"].concat();
        let _ = cloud_connect_result_from_json(&document).map(|result| result.to_json());
    });
    torture(&["expectedServers"], |servers| {
        let _ = ExpectedServer::list_from_json(servers);
    });
}

#[test]
fn contexts_requests_and_rules() {
    let set = set();
    torture(&["context"], |context| {
        if let Ok(context) = CallContext::from_json(context) {
            let _ = set.plan_call(r#"{"server":"s","tool":"x"}"#, &context).to_json();
        }
    });
    torture(&["request"], |request| {
        if let Ok(request) = ApprovalRequest::from_json(request) {
            let _ = decide_approval(&request).to_json();
        }
    });
    torture(&["rules"], |rules| {
        let document =
            [br#"{"rules":"#, rules, br#","request":{"fullToolName":"mcp__s__x","sessionId":"a"}}"#].concat();
        let _ = match_rules_json(&document);
    });
}

#[test]
fn schemas() {
    torture(&["schema"], |schema| {
        let normal = normalize_input_schema(&String::from_utf8_lossy(schema));
        assert_eq!(normalize_input_schema(&normal), normal, "normalised twice differs");
    });
}

#[test]
fn names_and_plain_texts() {
    torture(&["name", "toolName", "server", "tool", "text", "user", "global", "value", "result", "locale"], |bytes| {
        let text = &String::from_utf8_lossy(bytes);
        let _ = (parse_full_tool_name(text), tool_display_name(text, Locale::En), estimate_tokens(text));
        let _ = (parse_load_mode(text), resolve_load_mode(Some(text), Some(text)), Locale::parse(text));
        let _ = summarize(Some("mcp_call"), None, Some(text), Locale::En);
    });
}
