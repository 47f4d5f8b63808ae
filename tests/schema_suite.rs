//! The official JSON Schema Test Suite as yardstick for [`validate_arguments`].
//!
//! No package registry has it in full, so it is not fetched here: `JSON_SCHEMA_TEST_SUITE` names a checkout of
//! `json-schema-org/JSON-Schema-Test-Suite` at the commit [`COMMIT`]; without it the test says so and does nothing.
//!
//! Arguments are objects. A test about an object is run as it stands; of any other value an object is made,
//! `{"value": …}`, and of the schema one for that property, which gets an `$id` where it refers to itself.

#![cfg(feature = "validate")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test")]

use std::path::Path;

use mcp_working_set::{NotChecked, validate_arguments};
use serde_json::{Value, json};

/// The checkout that the numbers below are of.
const COMMIT: &str = "44401e0c046704b476ec9d2e2fccdaee618f259d";

/// Folder, and what `$schema` says where a test does not say it.
const DRAFTS: [(&str, &str); 5] = [
    ("draft4", "http://json-schema.org/draft-04/schema#"),
    ("draft6", "http://json-schema.org/draft-06/schema#"),
    ("draft7", "http://json-schema.org/draft-07/schema#"),
    ("draft2019-09", "https://json-schema.org/draft/2019-09/schema"),
    ("draft2020-12", "https://json-schema.org/draft/2020-12/schema"),
];

/// Folder, tests that come out right, tests that no arguments can be made of, tests that are not checked since their
/// schema refers to another document. None comes out wrong, and none is unchecked for another reason.
const EXPECTED: [(&str, usize, usize, usize); 10] = [
    ("draft4", 597, 8, 13),
    ("draft4/optional", 100, 0, 0),
    ("draft6", 812, 10, 17),
    ("draft6/optional", 106, 0, 0),
    ("draft7", 900, 10, 17),
    ("draft7/optional", 116, 0, 2),
    ("draft2019-09", 1219, 0, 40),
    ("draft2019-09/optional", 155, 0, 3),
    ("draft2020-12", 1246, 0, 53),
    ("draft2020-12/optional", 157, 0, 5),
];

/// The schema and the arguments that a test comes to; nothing where it cannot be made one about arguments.
fn about_arguments(schema: &Value, instance: &Value, dialect: &str) -> Option<(Value, Value)> {
    let with_dialect = |mut schema: Value| {
        schema.as_object_mut()?.entry("$schema").or_insert_with(|| dialect.into());
        Some(schema)
    };
    if schema.is_object() && instance.is_object() {
        return Some((with_dialect(schema.clone())?, instance.clone()));
    }
    let mut inner = schema.clone();
    let mut outer = json!({});
    if let Some(keywords) = inner.as_object_mut() {
        if let Some(said) = keywords.shift_remove("$schema") {
            outer["$schema"] = said;
        }
        let old = ["draft-04", "draft-06", "draft-07"].iter().any(|draft| dialect.contains(draft));
        let id = if dialect.contains("draft-04") { "id" } else { "$id" };
        let refers =
            ["\"$ref\"", "\"$dynamicRef\"", "\"$recursiveRef\""].iter().any(|key| schema.to_string().contains(key));
        if refers && !keywords.contains_key(id) {
            // There everything beside a reference is ignored, an `$id` too.
            if old && keywords.contains_key("$ref") {
                return None;
            }
            keywords.insert(id.to_owned(), "https://schema.test/value".into());
        }
    }
    outer["properties"] = json!({"value": inner});
    Some((with_dialect(outer)?, json!({"value": instance})))
}

/// Whether a schema refers to a document there, or is of a dialect that is described there.
fn reaches(schema: &Value, host: &str) -> bool {
    let known = |uri: &str| DRAFTS.iter().any(|(_, dialect)| *dialect == uri);
    match schema {
        Value::Object(keywords) => keywords.iter().any(|(keyword, value)| match (keyword.as_str(), value) {
            ("$ref" | "$id" | "id", Value::String(uri)) => uri.contains(host),
            ("$schema", Value::String(uri)) => !known(uri) && uri.contains(host),
            _ => reaches(value, host),
        }),
        Value::Array(items) => items.iter().any(|item| reaches(item, host)),
        _ => false,
    }
}

#[derive(Default)]
struct Tally {
    right: usize,
    not_about_arguments: usize,
    remote: usize,
    wrong: Vec<String>,
}

fn run(folder: &Path, dialect: &str) -> Tally {
    let mut tally = Tally::default();
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect();
    files.sort();
    for file in files {
        let groups: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        for group in groups {
            for test in group["tests"].as_array().unwrap() {
                let Some((schema, arguments)) = about_arguments(&group["schema"], &test["data"], dialect) else {
                    tally.not_about_arguments += 1;
                    continue;
                };
                let check = validate_arguments(&schema.to_string(), &arguments.to_string());
                match check.unchecked {
                    // The suite's own documents are at this address, the meta-schemas at the other.
                    Some(NotChecked::RemoteReference)
                        if ["localhost:1234", "json-schema.org/"]
                            .iter()
                            .any(|host| reaches(&group["schema"], host)) =>
                    {
                        tally.remote += 1;
                    }
                    None if check.violations.is_empty() == test["valid"].as_bool().unwrap() => tally.right += 1,
                    unchecked => tally.wrong.push(format!(
                        "{}: {}: {}: {unchecked:?}",
                        file.display(),
                        group["description"].as_str().unwrap(),
                        test["description"].as_str().unwrap()
                    )),
                }
            }
        }
    }
    tally
}

#[test]
fn the_official_suite_comes_to_what_the_documentation_says() {
    let Ok(suite) = std::env::var("JSON_SCHEMA_TEST_SUITE") else {
        return println!("skipped: JSON_SCHEMA_TEST_SUITE names no checkout of the JSON Schema Test Suite");
    };
    let mut found = Vec::new();
    for (folder, ..) in EXPECTED {
        let draft = folder.split('/').next().unwrap();
        let (_, dialect) = DRAFTS.iter().find(|(name, _)| *name == draft).unwrap();
        let Tally { right, not_about_arguments, remote, wrong } =
            run(&Path::new(&suite).join("tests").join(folder), dialect);
        println!(
            "{folder}: {right} right, {not_about_arguments} not about arguments, {remote} remote, wrong: {wrong:#?}"
        );
        assert!(wrong.is_empty(), "{folder}: {wrong:#?}");
        found.push((folder, right, not_about_arguments, remote));
    }
    assert_eq!(found, EXPECTED, "the numbers are those of the commit {COMMIT}");
}
