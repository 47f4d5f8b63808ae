//! What checking arguments costs: `cargo bench --bench validate`.
//!
//! A tool as public servers have them (a browser's search form: a dozen properties, nested lists and objects, unions,
//! enumerations), called with 300 bytes and with 10 KB. Compiled once, checking 300 bytes is to take less than 5 µs. Times
//! are medians of interleaved runs.

#![allow(missing_docs, reason = "a program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a program")]

use std::hint::black_box;
use std::time::Instant;

use mcp_working_set::{CallContext, ExecutionMode, PermissionLevel, Plan, WorkingSet, validate_arguments};

const SCHEMA: &str = r##"{
    "$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "additionalProperties": false,
    "required": ["query", "repository", "filters"],
    "properties": {
        "query": {"type": "string", "minLength": 1, "maxLength": 20000, "description": "What to look for"},
        "repository": {"type": "string", "pattern": "^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$"},
        "filters": {
            "type": "object", "additionalProperties": false, "required": ["state"],
            "properties": {
                "state": {"type": "string", "enum": ["open", "closed", "all"], "default": "open"},
                "labels": {"type": "array", "items": {"type": "string", "minLength": 1}, "maxItems": 100},
                "since": {"anyOf": [{"type": "string", "format": "date-time"}, {"type": "integer"}]},
                "assignee": {"$ref": "#/definitions/user"}
            }
        },
        "sort": {"type": "string", "enum": ["created", "updated", "comments"]},
        "order": {"type": "string", "enum": ["asc", "desc"]},
        "page": {"type": "integer", "minimum": 1},
        "perPage": {"type": "integer", "minimum": 1, "maximum": 100},
        "includeBody": {"type": "boolean"},
        "fields": {"type": "array", "items": {"type": "string", "enum": ["title", "body", "labels", "comments"]}}
    },
    "definitions": {
        "user": {"type": ["object", "null"], "required": ["login"], "properties": {
            "login": {"type": "string"}, "team": {"type": "boolean"}}}
    }
}"##;

/// Arguments that fit, of so many bytes.
fn arguments(bytes: usize) -> String {
    let with = |query: &str| {
        format!(
            r#"{{"query":"{query}","repository":"example/working-set","filters":{{"state":"open","labels":["bug","good first issue"],"since":"2026-01-01T00:00:00Z","assignee":{{"login":"someone","team":false}}}},"sort":"updated","order":"desc","page":1,"perPage":50,"includeBody":true}}"#
        )
    };
    with(&"x".repeat(bytes - with("").len()))
}

/// Median seconds of one run of each, in turn.
fn interleaved<const N: usize>(work: [&dyn Fn(); N]) -> [f64; N] {
    const RUNS: usize = 1_000;
    let mut times = [const { Vec::new() }; N];
    for _ in 0..51 {
        for (work, times) in work.iter().zip(&mut times) {
            let start = Instant::now();
            (0..RUNS).for_each(|_| work());
            times.push(start.elapsed().as_secs_f64() / RUNS as f64);
        }
    }
    times.map(|mut times| {
        times.sort_unstable_by(f64::total_cmp);
        times[times.len() / 2]
    })
}

fn main() {
    let document = format!(
        r#"{{"servers":[{{"id":1,"name":"hub"}}],"tools":[{{"serverId":1,"serverName":"hub","toolName":"search","description":"","inputSchema":{SCHEMA}}}]}}"#
    );
    let set = WorkingSet::from_json(document.as_bytes()).unwrap();
    for bytes in [300, 10_000] {
        let arguments = arguments(bytes);
        let misspelt = arguments.replacen("repository", "repo", 1);
        let call = |arguments: &str| format!(r#"{{"server":"hub","tool":"search","arguments":{arguments}}}"#);
        let (call, wrong) = (call(&arguments), call(&misspelt));
        let plan = |call: &str, validate: bool| {
            let mut context = CallContext::new(ExecutionMode::Local);
            context.permission_level = PermissionLevel::Full;
            context.validate = validate;
            match set.plan_call(black_box(call), &context) {
                Plan::Execute(execution) => assert_eq!(black_box(execution).checked, validate),
                Plan::Refuse(refusal) => assert!(validate && black_box(refusal).result_json.contains("/repository")),
            }
        };
        let [off, on, refused] =
            interleaved([&|| plan(&call, false), &|| plan(&call, true), &|| plan(&wrong, true)]).map(|s| s * 1e6);
        println!(
            "{} bytes: planned in {off:.2} µs without checking, {on:.2} µs with: {:.2} µs for checking; refused in \
             {refused:.2} µs",
            arguments.len(),
            on - off
        );
    }
    let arguments = arguments(300);
    let [compiled] = interleaved([&|| assert!(black_box(validate_arguments(SCHEMA, &arguments)).checked)]);
    println!("compiling the schema and checking once: {:.0} µs", compiled * 1e6);
}
