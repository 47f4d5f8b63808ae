//! The laws of schemas: what normalising keeps, what is never fetched, what work is bounded, what repairs leave alone.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test")]

use mcp_working_set::normalize_input_schema;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

/// Keywords that hold schemas, and in what form.
const ONE: &[&str] = &["not", "if", "then", "else", "contains", "propertyNames", "additionalProperties", "items"];
const LISTS: &[&str] = &["anyOf", "oneOf", "allOf"];
const MAPS: &[&str] = &["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];

/// Values of `type`, right and wrong ones, with null and without.
fn kind(with_null: bool) -> BoxedStrategy<Value> {
    let sound = [json!("string"), json!("integer"), json!("object"), json!("array"), json!(["string", "integer"])];
    let nulls = [
        json!("null"),
        json!(null),
        json!(["string", "null"]),
        json!(["null"]),
        json!([null, "null"]),
        json!(["null", "object", "boolean"]),
        json!([]),
    ];
    if with_null {
        prop_oneof![select(sound.to_vec()), select(nulls.to_vec())].boxed()
    } else {
        select(sound.to_vec()).boxed()
    }
}

/// A keyword that holds no schema, with a value.
fn plain(with_null: bool) -> impl Strategy<Value = (String, Value)> {
    let others = [
        ("required", json!(["a"])),
        ("enum", json!([1, "a", {"type": null}])),
        ("minimum", json!(1.0)),
        ("minLength", json!(1)),
        ("minProperties", json!(1)),
        ("default", json!({"type": null})),
        ("x-own", json!({"properties": [], "type": [null]})),
    ];
    let of_kind = kind(with_null).prop_map(|kind| ("type".to_owned(), kind));
    prop_oneof![3 => of_kind, 2 => select(others.to_vec()).prop_map(|(key, value)| (key.to_owned(), value))]
}

/// Schemas, of these keywords where they hold other schemas.
fn schema(nesting: Vec<&'static str>, with_null: bool) -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        4 => vec(plain(with_null), 0..3).prop_map(object),
        1 => any::<bool>().prop_map(Value::Bool),
    ];
    leaf.prop_recursive(4, 24, 3, move |inner| {
        let name = select(vec!["a", "b", "type", "properties"]);
        let holding = (select(nesting.clone()), vec((name, inner), 1..3)).prop_map(|(keyword, held)| {
            let value = if ONE.contains(&keyword) {
                held[0].1.clone()
            } else if LISTS.contains(&keyword) {
                held.into_iter().map(|(_, schema)| schema).collect()
            } else {
                object(held.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect())
            };
            (keyword.to_owned(), value)
        });
        vec(prop_oneof![2 => holding, 1 => plain(with_null)], 1..4).prop_map(object)
    })
}

fn any_schema() -> impl Strategy<Value = Value> {
    schema([ONE, LISTS, MAPS].concat(), true)
}

fn object(members: Vec<(String, Value)>) -> Value {
    Value::Object(members.into_iter().collect())
}

/// Any JSON, with keys that mean something in a schema.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        select(vec![json!(null), json!(true), json!(0.1), json!("null"), json!("object"), json!("\u{2028}\"")]),
        any::<i64>().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 48, 4, |inner| {
        let key = select([ONE, LISTS, MAPS, &["type", "$ref", "enum"]].concat());
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((key.prop_map(str::to_owned), inner), 0..4).prop_map(object)
        ]
    })
}

fn normalized(schema: &Value) -> Value {
    serde_json::from_str(&normalize_input_schema(&schema.to_string())).unwrap()
}

fn keys(object: &Map<String, Value>) -> Vec<&String> {
    object.keys().collect()
}

/// That everything but the values of `type`, and of the root's `properties`, is in `after` as it is in `before`, in the
/// same order; what the root lacked stands at its end.
fn assert_kept(before: &Value, after: &Value, root: bool) {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            let mut expected = keys(before);
            let (kind, properties) = ("type".to_owned(), "properties".to_owned());
            if root {
                expected.extend([&kind, &properties].into_iter().filter(|key| !before.contains_key(*key)));
            }
            assert_eq!(keys(after), expected);
            for (key, value) in before {
                match key.as_str() {
                    "type" if !value.is_object() => {}
                    "properties" if root && !value.is_object() => assert_eq!(after[key], json!({})),
                    _ => assert_kept(value, &after[key], false),
                }
            }
        }
        (Value::Array(before), Value::Array(after)) => {
            assert_eq!(before.len(), after.len());
            before.iter().zip(after).for_each(|(before, after)| assert_kept(before, after, false));
        }
        _ => assert_eq!(before, after),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn normalising_comes_to_an_end_at_once(schema in prop_oneof![any_schema(), any_json()]) {
        let once = normalize_input_schema(&schema.to_string());
        prop_assert_eq!(&normalize_input_schema(&once), &once);
        prop_assert_eq!(normalize_input_schema(&serde_json::to_string_pretty(&schema).unwrap()), once);
    }

    #[test]
    fn any_text_becomes_an_object_schema(text in prop_oneof![any::<String>(), any_json().prop_map(|json| json.to_string())]) {
        let schema: Value = serde_json::from_str(&normalize_input_schema(&text)).unwrap();
        prop_assert!(schema["properties"].is_object(), "{}", schema);
        prop_assert!(!matches!(schema["type"], Value::Null), "{}", schema);
        prop_assert_ne!(&schema["type"], "null");
    }

    #[test]
    fn only_types_change(schema in prop_oneof![any_schema(), any_json()]) {
        if schema.is_object() {
            assert_kept(&schema, &normalized(&schema), true);
        }
    }
}

/// The one way in which normalising narrows a schema: providers want a type at the root, and where something in it
/// refers to the root, that type is wanted there too.
#[test]
fn a_root_without_a_type_becomes_an_object_for_those_who_refer_to_it() {
    let tree = json!({"properties": {"child": {"$ref": "#"}}});
    assert_eq!(normalized(&tree), json!({"properties": {"child": {"$ref": "#"}}, "type": "object"}));
}

/// The depth that the documentation of `normalize_input_schema` states.
const STATED_DEPTH: usize = 64;

#[test]
fn schemas_are_put_right_down_to_the_stated_depth_and_no_deeper() {
    for (open, close) in [(r#"{"not":"#, "}"), (r#"{"anyOf":["#, "]}"), (r#"{"properties":{"p":"#, "}}")] {
        for depth in 1..=200 {
            let nested = |kind: &str| format!("{}{{\"type\":{kind}}}{}", open.repeat(depth), close.repeat(depth));
            let put_right = normalize_input_schema(&nested("null"));
            // Deeper than JSON is read, the root alone is put right.
            let expected = nested(if depth < STATED_DEPTH { "\"string\"" } else { "null" });
            assert!(put_right.starts_with(expected.strip_suffix('}').unwrap()), "{depth}: {put_right}");
        }
    }
}

#[cfg(feature = "validate")]
mod validated {
    use std::io::ErrorKind;
    use std::net::TcpListener;
    use std::sync::Barrier;
    use std::time::{Duration, Instant};

    use mcp_working_set::{CallContext, ExecutionMode, NotChecked, Plan, Server, Tool, WorkingSet, validate_arguments};
    use serde_json::value::RawValue;

    use super::*;

    /// Those of them with which a schema accepts more when what they hold accepts more.
    const MONOTONE: &[&str] = &["additionalProperties", "items", "anyOf", "allOf", "properties"];

    /// A value as arguments hold them, without null.
    fn value() -> impl Strategy<Value = Value> {
        let leaf = select(vec![json!(0), json!(2), json!(1.5), json!("a"), json!(""), json!(true)]);
        leaf.prop_recursive(3, 12, 3, |inner| {
            let name = select(vec!["a", "b", "type", "properties"]);
            prop_oneof![
                vec(inner.clone(), 0..3).prop_map(Value::from),
                vec((name.prop_map(str::to_owned), inner), 0..3).prop_map(object)
            ]
        })
    }

    fn accepts(schema: &Value, instance: &Value) -> bool {
        jsonschema::validator_for(schema).unwrap().is_valid(instance)
    }

    fn is_sound(schema: &Value) -> bool {
        jsonschema::meta::is_valid(schema)
    }

    const DIALECTS: [&str; 3] = [
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft/2019-09/schema",
        "https://json-schema.org/draft/2020-12/schema",
    ];

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_was_a_schema_stays_one(schema in any_schema(), dialect in select(&DIALECTS[..])) {
            let mut schema = schema;
            if let Some(keywords) = schema.as_object_mut() {
                keywords.insert("$schema".to_owned(), dialect.into());
            }
            prop_assume!(is_sound(&schema));
            prop_assert!(is_sound(&normalized(&schema)), "{}", normalized(&schema));
        }

        /// Where no null is put right, arguments fit the normalised schema exactly when they fitted before.
        #[test]
        fn without_null_arguments_mean_what_they_meant(
            schema in schema([ONE, LISTS, MAPS].concat(), false), arguments in vec((select(vec!["a", "b"]), value()), 0..3),
        ) {
            let arguments = object(arguments.into_iter().map(|(key, value)| (key.to_owned(), value)).collect());
            // A root that is no object becomes the schema of no properties: `false` then accepts more.
            prop_assume!(schema != json!(false) && is_sound(&schema));
            prop_assert_eq!(accepts(&schema, &arguments), accepts(&normalized(&schema), &arguments));
        }

        /// Where null is put right, what was accepted and has no null in it still is, unless a schema says what must
        /// not be.
        #[test]
        fn null_repairs_refuse_nothing_but_null(
            schema in schema(MONOTONE.to_vec(), true), arguments in vec((select(vec!["a", "b"]), value()), 0..3),
        ) {
            let arguments = object(arguments.into_iter().map(|(key, value)| (key.to_owned(), value)).collect());
            prop_assume!(is_sound(&schema) && accepts(&schema, &arguments));
            prop_assert!(accepts(&normalized(&schema), &arguments), "{}", normalized(&schema));
        }
    }

    /// What an own property of some arguments is.
    #[derive(Debug, Clone, Copy)]
    enum Member {
        /// As it is: the schema of it, its text.
        Fits(&'static str, &'static str),
        /// As text: the schema, the text that came, the value that is meant.
        Mended(&'static str, &'static str, &'static str),
    }

    const MEMBERS: [Member; 18] = [
        Member::Fits(r#"{"type":"number"}"#, "1.0"),
        Member::Fits(r#"{"type":"number"}"#, "12345678901234567890.50e+1"),
        Member::Fits(r#"{"type":"integer"}"#, "-0"),
        Member::Fits(r#"{"type":"string"}"#, r#""1""#),
        Member::Fits(r#"{"type":"string"}"#, r#""{\"a\": 1}""#),
        Member::Fits(r#"{"type":["string","integer"]}"#, r#""1""#),
        Member::Fits(r#"{"anyOf":[{"type":"integer"},{"type":"string"}]}"#, r#""1""#),
        Member::Fits("{}", r#"{ "b" : [ 1 , 2.50 ], "a" : "\u0041\/" }"#),
        Member::Fits("true", r#""true""#),
        Member::Fits(r#"{"type":"object"}"#, "{\"z\":1,\n\t\"a\":{}}"),
        Member::Fits(r#"{"type":"string"}"#, r#""工作集 \ud83d\ude00""#),
        Member::Mended(r#"{"type":"integer"}"#, r#""12""#, "12"),
        Member::Mended(r#"{"type":"number"}"#, r#""-1.50""#, "-1.50"),
        Member::Mended(r#"{"type":"number"}"#, r#""\u0031""#, "1"),
        Member::Mended(r#"{"type":"boolean"}"#, r#""true""#, "true"),
        Member::Mended(r#"{"type":"object"}"#, r#""{\"a\" : 1.0}""#, r#"{"a" : 1.0}"#),
        Member::Mended(r#"{"type":"array"}"#, r#""[1, \"2\"]""#, r#"[1, "2"]"#),
        Member::Mended(
            r#"{"type":"object","properties":{"n":{"type":"integer"}}}"#,
            r#"{ "n":  "7" ,"m":"7"}"#,
            r#"{ "n":  7 ,"m":"7"}"#,
        ),
    ];

    fn set_of(schemas: impl IntoIterator<Item = String>) -> WorkingSet {
        let tools: Vec<Tool> = (0..)
            .zip(schemas)
            .map(|(n, schema)| Tool {
                server_id: 1,
                server_name: "s".to_owned(),
                tool_name: format!("t{n}"),
                description: String::new(),
                input_schema: RawValue::from_string(schema).unwrap(),
                annotations: mcp_working_set::Annotations::default(),
            })
            .collect();
        let server = Server { id: 1, name: "s".to_owned(), description: None };
        WorkingSet::build(&[server], &tools, &[])
    }

    fn context() -> CallContext {
        CallContext::new(ExecutionMode::Cloud)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn repairs_change_the_values_they_name_and_no_other_byte(
            members in vec((select(&MEMBERS[..]), select(vec!["", " ", "\n  ", "\t"])), 1..8),
        ) {
            let (mut came, mut meant, mut schemas, mut repaired) = (String::new(), String::new(), String::new(), 0);
            for (n, (member, space)) in members.into_iter().enumerate() {
                let comma = if n == 0 { "" } else { "," };
                let (schema, as_it_came, as_it_is) = match member {
                    Member::Fits(schema, text) => (schema, text, text),
                    Member::Mended(schema, text, value) => {
                        repaired += 1;
                        (schema, text, value)
                    }
                };
                schemas += &format!(r#"{comma}"p{n}":{schema}"#);
                came += &format!(r#"{comma}{space}"p{n}"{space}:{as_it_came}{space}"#);
                meant += &format!(r#"{comma}{space}"p{n}"{space}:{as_it_is}{space}"#);
            }
            let set = set_of([format!(r#"{{"type":"object","properties":{{{schemas}}}}}"#)]);
            let call = format!(r#"{{"server":"s","tool":"t0","arguments":{{{came}}}}}"#);
            match set.plan_call(&call, &context()) {
                Plan::Execute(execution) => {
                    prop_assert_eq!(&*execution.arguments_json, format!("{{{meant}}}"));
                    prop_assert_eq!(execution.repairs.len(), repaired);
                    prop_assert_eq!((execution.checked, execution.unchecked), (true, None));
                }
                Plan::Refuse(refusal) => prop_assert!(false, "{}", refusal.result_json),
            }
        }

        /// Values that a repair would not make fit are refused as they came.
        #[test]
        fn what_a_repair_does_not_mend_is_refused(member in select(&MEMBERS[..])) {
            let (Member::Fits(schema, text) | Member::Mended(schema, text, _)) = member;
            let schema = format!(r#"{{"type":"object","properties":{{"p":{schema},"q":{{"type":"integer"}}}}}}"#);
            let call = format!(r#"{{"server":"s","tool":"t0","arguments":{{"p":{text},"q":"one"}}}}"#);
            let set = set_of([schema]);
            let plan = set.plan_call(&call, &context());
            let Plan::Refuse(refusal) = plan else { panic!("`one` is no integer") };
            prop_assert_eq!(refusal.code.as_str(), "schema_violation");
            let result: Value = serde_json::from_str(&refusal.result_json).unwrap();
            prop_assert!(result["violations"].as_array().unwrap().iter().any(|violation| violation["path"] == "/q"));
        }
    }

    /// Every way in which a schema can name another document.
    fn naming(uri: &str) -> Vec<Value> {
        let (base, name) = uri.rsplit_once('/').unwrap();
        vec![
            json!({"$ref": uri}),
            json!({"properties": {"a": {"$ref": uri}}}),
            json!({"properties": {"a": {"$ref": format!("{uri}#/properties/a")}}}),
            json!({"$id": format!("{base}/"), "properties": {"a": {"$ref": name}}}),
            json!({"$id": format!("{base}/"), "properties": {"a": {"$dynamicRef": format!("{name}#node")}}}),
            json!({"allOf": [{"$ref": "#/$defs/d"}], "$defs": {"d": {"items": {"$ref": uri}}}}),
            json!({"$schema": DIALECTS[0], "definitions": {"d": {"$ref": uri}}, "properties": {"a": {"$ref": "#/definitions/d"}}}),
            json!({"$schema": DIALECTS[1], "properties": {"a": {"$recursiveRef": uri}, "b": {"$ref": uri}}}),
            json!({"$schema": uri, "properties": {"a": {"type": "integer"}}}),
        ]
    }

    /// All of them are not checked, and never block a call.
    fn assert_not_followed(uri: &str) {
        for schema in naming(uri) {
            let check = validate_arguments(&schema.to_string(), r#"{"a":"no integer"}"#);
            assert_eq!(check.unchecked, Some(NotChecked::RemoteReference), "{schema}");
            assert!(!check.checked && check.violations.is_empty());
            let set = set_of([schema.to_string()]);
            match set.plan_call(r#"{"server":"s","tool":"t0","arguments":{"a":"no integer"}}"#, &context()) {
                Plan::Execute(execution) => {
                    assert_eq!((execution.checked, execution.unchecked), (false, Some(NotChecked::RemoteReference)));
                }
                Plan::Refuse(refusal) => panic!("{schema}: {}", refusal.result_json),
            }
        }
    }

    #[test]
    fn nothing_is_fetched_from_the_network() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let port = listener.local_addr().unwrap().port();
        for scheme in ["http", "https", "ftp", "ws"] {
            assert_not_followed(&format!("{scheme}://127.0.0.1:{port}/schema.json"));
            assert_not_followed(&format!("{scheme}://localhost:{port}/schema.json"));
        }
        // A connection that was begun would be waiting here.
        std::thread::sleep(Duration::from_millis(50));
        assert_eq!(listener.accept().map(|_| ()).unwrap_err().kind(), ErrorKind::WouldBlock);
        std::net::TcpStream::connect(("127.0.0.1", port)).unwrap();
        while listener.accept().is_err() {} // the listener does see one
    }

    #[test]
    fn nothing_is_read_from_disk() {
        // Were the file read, `no integer` would break the schema in it.
        let path = std::env::temp_dir().join(format!("mcp-working-set-{}.json", std::process::id()));
        std::fs::write(&path, r#"{"$anchor":"node","type":"integer","properties":{"a":{"type":"integer"}}}"#).unwrap();
        let shown = path.to_str().unwrap().replace('\\', "/");
        for uri in [format!("file://{shown}"), format!("file://localhost{shown}"), shown.clone()] {
            assert_not_followed(&uri);
        }
        std::fs::remove_file(&path).unwrap();
        assert_not_followed(&format!("file://{shown}"));
    }

    /// Patterns that take exponential or high polynomial time in engines that go back and try again, or much memory.
    const PATTERNS: &[&str] = &[
        "(a+)+$",
        "^(a|a)*$",
        "^(a|aa)+$",
        "^(([a-z])+.)+[A-Z]([a-z])+$",
        "(.*a){25}$",
        "^(a*)*b",
        "(x+x+)+y",
        "(a*)*\\1b",
        "^(a+)+\\1$",
        "^(\\w+\\s?)*\\1$",
        "(a+)+(?!a)\\1b",
        "((a?){40}){40}a{40}$",
        "(a{1,1000}){1,1000}$",
        "((((a{1,99}){1,99}){1,99}){1,99}){1,99}",
        "[\\p{L}]{1000}{1000}",
    ];

    /// Patterns that look ahead or behind from every place in a text.
    const LOOKING_AROUND: &[&str] = &[
        "^(?=(a+)+$)b",
        "^(?!(a+)+$)b",
        "(?:(?:a*)*)*(?=b)",
        "(?=(a|a)+$)b",
        "(?<=^(a|a)+)b",
        "(?<!b.*)c",
        "a(?=.*c)b",
    ];

    /// One call, in an unoptimised build on a machine that does other work; most of the patterns would run for years.
    const BOUND: Duration = Duration::from_secs(2);

    fn assert_bounded(pattern: &str, texts: &[String]) {
        for schema in [
            json!({"properties": {"p": {"pattern": pattern}}}),
            json!({"properties": {"p": {"anyOf": [{"not": {"pattern": pattern}}, {"pattern": pattern}, {"const": 1}]}}}),
            json!({"patternProperties": {pattern: {"type": "integer"}}}),
            json!({"propertyNames": {"pattern": pattern}}),
            json!({"properties": {"l": {"items": {"pattern": pattern}}}}),
        ] {
            for text in texts {
                let arguments = json!({"p": text, text: 1, "l": [text, text, text]});
                let start = Instant::now();
                let check = validate_arguments(&schema.to_string(), &arguments.to_string());
                let elapsed = start.elapsed();
                assert!(elapsed < BOUND, "{elapsed:?} for {schema} and {} bytes", text.len());
                let given_up = [NotChecked::PatternTooSlow, NotChecked::TooComplex, NotChecked::SchemaUnusable];
                assert!(check.unchecked.is_none_or(|reason| given_up.contains(&reason)), "{check:?}");
            }
        }
    }

    #[test]
    fn no_pattern_runs_for_long() {
        let texts = ["a".repeat(5_000), format!("{}!", "a".repeat(60)), format!("{}!", "a ".repeat(500))];
        for pattern in PATTERNS {
            assert_bounded(pattern, &texts);
        }
        for pattern in LOOKING_AROUND {
            assert_bounded(pattern, &["a".repeat(300), format!("{}!", "a ".repeat(150))]);
        }
    }

    #[test]
    fn no_pattern_looks_around_for_long() {
        for pattern in LOOKING_AROUND {
            assert_bounded(pattern, &["a".repeat(5_000), "a".repeat(200_000)]);
        }
    }

    /// Without a `b` there is no match; whether that is found out or given up depends on the length alone, and what is
    /// given up is neither a match nor none.
    #[test]
    fn giving_up_is_never_told_as_a_violation() {
        let given_up = |schema: &Value, violated: bool, length: usize| {
            let text = "a".repeat(length);
            let check = validate_arguments(&schema.to_string(), &json!({&text: text}).to_string());
            match check.unchecked {
                None => assert_eq!(check.violations.is_empty(), !violated, "{schema}: {check:?}"),
                reason => assert_eq!(reason, Some(NotChecked::PatternTooSlow), "{schema}"),
            }
            !check.checked
        };
        const PATTERN: &str = r"^(a*)*\1b";
        let pattern = json!({"pattern": PATTERN});
        let (names, values) = (|names: Value| names, |values: Value| json!({"additionalProperties": values}));
        for (schema, violated) in [
            (values(pattern.clone()), true),
            (values(json!({"not": pattern})), false),
            (values(json!({"not": {"not": pattern}})), true),
            (values(json!({"allOf": [{"not": pattern}]})), false),
            (values(json!({"anyOf": [pattern, {"type": "integer"}]})), true),
            (values(json!({"oneOf": [pattern, {"minLength": 1}]})), false),
            (values(json!({"if": pattern, "then": false})), false),
            (values(json!({"if": pattern, "else": false})), true),
            (names(json!({"propertyNames": pattern})), true),
            (names(json!({"propertyNames": {"not": pattern}})), false),
            (names(json!({"patternProperties": {PATTERN: false}})), false),
            (names(json!({"patternProperties": {PATTERN: true}, "additionalProperties": false})), true),
            (names(json!({"allOf": [{"patternProperties": {PATTERN: true}}], "unevaluatedProperties": false})), true),
        ] {
            assert!(!given_up(&schema, violated, 3), "{schema}");
            assert!(given_up(&schema, violated, 40), "{schema}");
        }
    }

    fn outcome(plan: Plan<'_, '_>) -> String {
        plan.to_json()
    }

    #[test]
    fn threads_that_are_first_together_get_one_answer() {
        const THREADS: usize = 8;
        let schemas = || {
            (0..24).map(|n| match n % 6 {
                0 => json!({"$ref": "https://example.com/x"}).to_string(),
                1 => json!({"properties": {"a": {"pattern": "^(?:(a+)+b|\\1c)$"}}}).to_string(),
                2 => json!({"type": "nonsense"}).to_string(),
                _ => {
                    let properties: Map<_, _> =
                        (0..40).map(|p| (format!("p{p}"), json!({"type": "string", "maxLength": n}))).collect();
                    json!({"properties": properties, "required": ["a", format!("p{n}")]}).to_string()
                }
            })
        };
        let call = |n: usize| {
            let arguments = json!({"a": "a".repeat(40), "p1": 5, format!("p{n}"): "x".repeat(30)});
            json!({"server": "s", "tool": format!("t{n}"), "arguments": arguments}).to_string()
        };
        let alone = set_of(schemas());
        let expected: Vec<String> = (0..24).map(|n| outcome(alone.plan_call(&call(n), &context()))).collect();
        let (together, barrier) = (set_of(schemas()), Barrier::new(THREADS));
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    for (n, expected) in expected.iter().enumerate() {
                        barrier.wait();
                        assert_eq!(&outcome(together.plan_call(&call(n), &context())), expected);
                    }
                });
            }
        });
    }
}
