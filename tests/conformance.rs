//! The vectors of `tests/vectors/`, through the public API. Node runs the same files: `node/test/conformance.test.mjs`.
//!
//! `VECTOR=names/ cargo test --test conformance` runs the vectors whose id holds that text.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test")]

#[path = "vectors/reader.rs"]
mod reader;

use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};

use mcp_working_set::{
    ApprovalRequest, CallContext, CallPreview, CardOptions, Error, ExpectedServer, LoadMode, Locale, MCP_CALL,
    MCP_DESCRIBE, SECTION_KEY, SECTION_LABEL, WorkingSet, call_preview, cloud_connect_result_from_json,
    decide_approval, effective_tool_name, estimate_tokens, full_tool_name, match_rules_json, normalize_input_schema,
    parse_full_tool_name, parse_load_mode, parse_local_report, resolve_load_mode, restore_full_tool_name, summarize,
    tool_display_name, tool_input_preview, validate_arguments,
};
use reader::{Input, Vector, files, folder, input, matches, vectors};
use serde_json::{Value, json};

/// Runs an operation by its name in the Node API, on its arguments by theirs.
fn run(operation: &str, given: &Input) -> Result<Value, Error> {
    let needed = |key: &str| given.text(key).unwrap_or_else(|| panic!("`{key}` is missing"));
    let json_of = |key: &str| given.values[key].to_string();
    let locale = || given.text("locale").map_or(Ok(Locale::default()), Locale::parse);
    let set = || WorkingSet::from_json(&given.document());
    Ok(match operation {
        "section" => read(&set()?.section_json(locale()?)),
        "toolDefinitions" => {
            let mode = given.text("mode").map_or(Ok(LoadMode::default()), parse_load_mode)?;
            read(&set()?.tool_definitions_json(locale()?, mode))
        }
        "fullToolDefinitions" => read(&set()?.full_tool_definitions_json()),
        "describe" => json!(set()?.describe(needed("argumentsJson"), locale()?)),
        "planCall" => {
            let context = CallContext::from_json(json_of("context").as_bytes())?;
            read(&set()?.plan_call(needed("argumentsJson"), &context).to_json())
        }
        "servers" => read(&set()?.servers_json()),
        "warnings" => read(&set()?.warnings_json()),
        "schemaWarnings" => read(&set()?.schema_warnings_json()),
        "fingerprint" => json!(set()?.fingerprint()),
        "counts" => {
            let set = set()?;
            json!({"isEmpty": set.is_empty(), "serverCount": set.servers().len(), "toolCount": set.tool_count()})
        }
        "lintRules" => {
            let request = Value::Object(given.values.clone()).to_string();
            read(&set()?.lint_rules_json(request.as_bytes())?)
        }
        "restoreFullToolName" => json!(restore_full_tool_name(needed("argumentsJson"))),
        "effectiveToolName" => json!(effective_tool_name(needed("toolName"), needed("argumentsJson"))),
        "fullToolName" => json!(full_tool_name(needed("server"), needed("tool"))),
        "parseFullToolName" => parse_full_tool_name(needed("name"))
            .map_or(Value::Null, |(server, tool)| json!({"server": server, "tool": tool})),
        "decideApproval" => {
            read(&decide_approval(&ApprovalRequest::from_json(json_of("request").as_bytes())?).to_json())
        }
        "matchRules" => read(&match_rules_json(Value::Object(given.values.clone()).to_string().as_bytes())?),
        "summarize" => {
            json!(summarize(given.text("toolName"), given.text("argumentsJson"), given.text("result"), locale()?))
        }
        "toolDisplayName" => json!(tool_display_name(needed("name"), locale()?)),
        "toolInputPreview" => {
            let value = match &given.values["input"] {
                Value::Null => None,
                Value::String(text) => Some(text.clone()),
                value => Some(value.to_string()),
            };
            json!(tool_input_preview(needed("name"), value.as_deref(), locale()?))
        }
        "callPreview" => {
            let default = CardOptions::default();
            let number = |key: &str, default| {
                given.values.get(key).map_or(default, |value| usize::try_from(value.as_u64().unwrap()).unwrap())
            };
            let options = CardOptions {
                tool_name: given.text("toolName").unwrap_or(default.tool_name),
                max_lines: number("maxLines", default.max_lines),
                max_width: number("maxWidth", default.max_width),
                locale: locale()?,
            };
            read(&call_preview(needed("argumentsJson"), &options).to_json())
        }
        "streamedPreview" => {
            let mut preview = CallPreview::new(needed("toolName"));
            let locale = locale()?;
            let pieces = given.values["pieces"].as_array().unwrap().iter();
            pieces
                .map(|piece| {
                    preview.push(piece.as_str().unwrap().as_bytes());
                    Value::String(preview.preview(locale))
                })
                .collect()
        }
        "resolveLoadMode" => read(&resolve_load_mode(given.text("user"), given.text("global")).to_json()),
        "parseLoadMode" => match &given.values["value"] {
            Value::String(text) => json!(parse_load_mode(text)?),
            value => json!(parse_load_mode(&value.to_string())?),
        },
        "parseLocalReport" => {
            let report = given.text.clone().unwrap_or_else(|| json_of("report").into_bytes());
            let expected = given.values.get("expectedServers").map_or("[]".to_owned(), Value::to_string);
            read(&parse_local_report(&report, &ExpectedServer::list_from_json(expected.as_bytes())?)?.to_json())
        }
        "cloudConnectResult" => {
            let document = Value::Object(given.values.clone()).to_string();
            read(&cloud_connect_result_from_json(document.as_bytes())?.to_json())
        }
        "normalizeInputSchema" => read(&normalize_input_schema(&json_of("schema"))),
        "validateArguments" => {
            let arguments = match &given.values["args"] {
                Value::String(text) => text.clone(),
                value => value.to_string(),
            };
            read(&validate_arguments(&json_of("schema"), &arguments).to_json())
        }
        "estimateTokens" => json!(estimate_tokens(needed("text"))),
        "constants" => json!({
            "SECTION_KEY": SECTION_KEY, "SECTION_LABEL": SECTION_LABEL, "MCP_CALL": MCP_CALL, "MCP_DESCRIBE": MCP_DESCRIBE,
        }),
        other => panic!("no operation `{other}`"),
    })
}

fn read(json: &str) -> Value {
    serde_json::from_str(json).unwrap()
}

fn error_value(error: &Error) -> Value {
    let place = error.place();
    json!({
        "code": error.code().as_str(),
        "path": place.map(|place| &place.path),
        "line": place.map(|place| place.line),
        "column": place.map(|place| place.column),
    })
}

/// The text of each output, or of the part of it that is picked.
fn outputs(vector: &Vector) -> Vec<String> {
    let operation = vector.input.text("operation").unwrap();
    let none = json!({});
    let inputs = vector.input.values["inputs"].as_array().unwrap();
    assert!(inputs.len() > 1, "one output compares with nothing");
    let pick = |output: Value| output.pointer(&vector.pick).unwrap_or_else(|| panic!("nothing to pick")).to_string();
    inputs.iter().map(|each| pick(run(operation, &input(each, &none)).unwrap())).collect()
}

fn check(vector: &Vector) -> Result<(), String> {
    match vector.operation.as_str() {
        comparison @ ("same" | "different") => {
            let outputs = outputs(vector);
            let distinct = outputs.iter().collect::<BTreeSet<_>>().len();
            let holds = distinct == if comparison == "same" { 1 } else { outputs.len() };
            if holds { Ok(()) } else { Err(format!("not {comparison}: {}", outputs.join("\n    "))) }
        }
        operation => match (run(operation, &vector.input), &vector.expect, &vector.error) {
            (Ok(got), Some(expect), None) => matches(expect, &got, ""),
            (Err(error), None, Some(expect)) => matches(expect, &error_value(&error), "error"),
            (Ok(got), ..) => Err(format!("an error was expected, got {got}")),
            (Err(error), ..) => Err(format!("error {error:?}")),
        },
    }
}

/// True when this build can run a vector.
fn can_run(vector: &Vector) -> bool {
    match vector.requires.as_deref() {
        None => true,
        Some("validate") => cfg!(feature = "validate"),
        Some(other) => panic!("{}: nothing is called `{other}`", vector.id),
    }
}

#[test]
fn every_vector_holds() {
    let wanted = std::env::var("VECTOR").unwrap_or_default();
    let mut ids = BTreeSet::new();
    let mut failures = Vec::new();
    let mut counts = String::new();
    for (name, file) in files() {
        let vectors = vectors(&file);
        counts += &format!("{name} {}\n", vectors.len());
        for vector in vectors {
            assert!(vector.id.starts_with(&format!("{name}/")), "{} is in {name}", vector.id);
            assert!(ids.insert(vector.id.clone()), "{} is there twice", vector.id);
            if can_run(&vector) && vector.id.contains(&wanted) {
                let result = catch_unwind(AssertUnwindSafe(|| check(&vector))).unwrap_or(Err("a panic".to_owned()));
                failures.extend(result.err().map(|why| format!("{}: {why}", vector.id)));
            }
        }
    }
    counts += &format!("total {}\n", ids.len());
    print!("{counts}");
    assert_eq!(
        fs::read_to_string(folder().join("COUNT")).unwrap(),
        counts,
        "tests/vectors/COUNT, kept for all runners"
    );
    assert!(failures.is_empty(), "{} of {} vectors fail:\n{}", failures.len(), ids.len(), failures.join("\n"));
}

/// The files keep to `schema.json`.
#[cfg(feature = "validate")]
#[test]
fn every_file_has_the_shape_of_the_schema() {
    let schema = fs::read_to_string(folder().join("schema.json")).unwrap();
    let validator = jsonschema::validator_for(&read(&schema)).unwrap();
    for (name, file) in files() {
        let errors: Vec<_> = validator.iter_errors(&file).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(errors.is_empty(), "{name}.json: {}", errors.join("\n"));
    }
}
