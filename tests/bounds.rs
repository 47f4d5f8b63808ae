//! No schema of a server's and no arguments of a model's take their host's time or memory, whatever comes of the check.

#![cfg(feature = "validate")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mcp_working_set::{CallContext, ExecutionMode, Plan, WorkingSet};
use serde_json::{Value, json};

/// Knows how much was held at most.
struct Watching;

static HELD: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

unsafe impl GlobalAlloc for Watching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        MOST.fetch_max(HELD.fetch_add(layout.size(), Relaxed) + layout.size(), Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Watching = Watching;

/// What is held is everybody's, so one test at a time.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One call, in an unoptimised build on a machine that does other work; without bounds these take minutes.
const TIME: Duration = Duration::from_secs(5);
/// Beside the set, the text of the call and the values that are made of it.
const MEMORY: usize = 200 << 20;
const MEMORY_PER_BYTE: usize = 32;
/// What a set may keep for one tool, and its schema is short.
const KEPT: usize = 16 << 20;

/// Plans a call of the one tool with this schema for its property `a`, and gives the code of what comes of it.
#[track_caller]
fn outcome(of: &str, schema: &Value, a: &Value) -> &'static str {
    let schema = json!({"properties": {"a": schema}});
    let document = json!({"servers": [{"id": 1, "name": "s"}], "tools": [{"serverId": 1, "toolName": "t", "inputSchema": schema}]});
    let set = WorkingSet::from_json(document.to_string().as_bytes()).unwrap();
    let call = json!({"server": "s", "tool": "t", "arguments": {"a": a}}).to_string();
    let context = CallContext::new(ExecutionMode::Local);
    let before = HELD.load(Relaxed);
    let mut result = "";
    // The first call compiles the schema, the second has what was kept.
    for _ in 0..2 {
        MOST.store(HELD.load(Relaxed), Relaxed);
        let start = Instant::now();
        let plan = set.plan_call(&call, &context);
        let (elapsed, most) = (start.elapsed(), MOST.load(Relaxed) - before);
        result = match &plan {
            Plan::Execute(call) => call.unchecked.map_or("executed", |reason| reason.as_str()),
            Plan::Refuse(refusal) => refusal.code.as_str(),
        };
        println!("{of}: {result} in {elapsed:?}, {} MB at most", most >> 20);
        assert!(elapsed < TIME, "{of}: {elapsed:?}");
        assert!(most < MEMORY + MEMORY_PER_BYTE * call.len(), "{of}: {} MB", most >> 20);
    }
    let kept = HELD.load(Relaxed) - before;
    assert!(kept < KEPT, "{of}: {} MB are kept", kept >> 20);
    result
}

fn list(keyword: &str, count: usize, schema: impl Fn(usize) -> Value) -> Value {
    json!({keyword: (0..count).map(schema).collect::<Value>()})
}

#[test]
fn telling_what_is_wrong_copies_no_values() {
    let _alone = alone();
    let zeros = |count: usize| json!(vec![0; count]);
    for (of, schema, a) in [
        ("two kinds", list("anyOf", 2, |i| json!({"type": (["string", "object"][i])})), zeros(1_500_000)),
        ("many lengths", list("anyOf", 100, |i| json!({"type": "string", "maxLength": i})), zeros(1_500_000)),
        ("constants", list("anyOf", 400, |i| json!({"const": [i, 1]})), zeros(200_000)),
        ("one of many", list("oneOf", 400, |i| json!({"const": [i, 1]})), zeros(200_000)),
        ("sizes", list("allOf", 200, |i| json!({"maxItems": i})), zeros(200_000)),
        ("left over", list("allOf", 200, |i| json!({"maxItems": i, "unevaluatedItems": false})), zeros(20_000)),
        ("items", json!({"items": {"type": "string"}}), zeros(200_000)),
        (
            "items of kinds",
            json!({"items": list("anyOf", 3, |i| json!({"type": "string", "maxLength": i}))}),
            zeros(60_000),
        ),
        ("a long text", list("anyOf", 400, |i| json!({"const": i})), json!("x".repeat(3_000_000))),
        ("a long text of none", list("allOf", 400, |i| json!({"maxLength": i})), json!("x".repeat(3_000_000))),
    ] {
        outcome(of, &schema, &a);
    }
}

#[test]
fn long_names_are_not_told_over_and_over() {
    let _alone = alone();
    let name = "n".repeat(2_000_000);
    for (of, schema, a) in [
        ("below it", json!({"additionalProperties": {"items": {"type": "string"}}}), json!({&name: vec![0; 1_000]})),
        (
            "unknown",
            list("allOf", 200, |i| json!({"additionalProperties": false, "maxProperties": i + 1})),
            json!({&name: 0}),
        ),
        ("names", list("allOf", 200, |i| json!({"propertyNames": {"maxLength": i}})), json!({&name: 0})),
        ("required", json!({"items": {"required": ["r".repeat(100_000)]}}), json!(vec![json!({}); 100_000])),
        ("a pattern", json!({"items": {"pattern": "p".repeat(100_000)}}), json!(vec![""; 100_000])),
        ("a constant", json!({"items": {"const": "c".repeat(100_000)}}), json!(vec![0; 100_000])),
        (
            "dependent",
            json!({"items": {"dependentRequired": {"a": ["r".repeat(100_000)]}}}),
            json!(vec![json!({"a": 0}); 100_000]),
        ),
    ] {
        outcome(of, &schema, &a);
    }
}

#[test]
fn values_are_compared_with_bounded_work() {
    let _alone = alone();
    let ones = json!(vec![1; 200_000]);
    let objects = json!((0..20_000).map(|i| (format!("k{i}"), json!(i))).collect::<serde_json::Map<_, _>>());
    let options =
        |count: usize, option: &dyn Fn(usize) -> Value| json!({"enum": (0..count).map(option).collect::<Value>()});
    for (of, schema, a) in [
        ("lists", options(1_000, &|i| json!([i + 2])), &ones),
        ("lists that begin alike", options(10, &|i| json!([vec![1; 2_000], vec![i; 1]].concat())), &ones),
        ("objects", options(400, &|i| json!({"q": i})), &objects),
        ("items", json!({"items": options(1_000, &|i| json!([i]))}), &json!(vec![json!([0.5]); 60_000])),
        (
            "unique items",
            list("allOf", 100, |_| json!({"uniqueItems": true})),
            &json!((0..100_000).collect::<Vec<_>>()),
        ),
        ("lengths", list("allOf", 1_000, |i| json!({"maxLength": 1_500_000 + i})), &json!("é".repeat(1_400_000))),
    ] {
        outcome(of, &schema, a);
    }
}

#[test]
fn a_pattern_counts_as_what_it_stands_for() {
    let _alone = alone();
    let text: String = (0..7_000_usize).map(|i| if (i * i) % 7 < 3 { 'a' } else { 'b' }).collect();
    let repeated = |i: usize| json!({"pattern": format!("^(?:[ab]*a[ab]{{{}}})+$", 3_000 + i)});
    let nested = |i: usize| json!({"pattern": format!("^(?:(?:(?:[ab]a?){{20}}){{20}}){{{}}}$", 5 + i)});
    let classes = |i: usize| json!({"pattern": format!("^[\\p{{L}}\\p{{N}}]{{1,{}}}$", 30 + i)});
    for count in [1, 5, 30, 250] {
        outcome("repeated", &list("allOf", count, repeated), &json!(text));
        outcome("nested", &list("allOf", count, nested), &json!(text));
        outcome("classes", &list("allOf", count, classes), &json!(text));
    }
}

#[test]
fn what_is_ordinary_is_told() {
    let _alone = alone();
    let item = json!({"type": "object", "properties": {"n": {"type": "integer"}, "s": {"type": "string", "pattern": "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"}}});
    let items = |count: usize| json!(vec![json!({"n": 1, "s": "123e4567-e89b-12d3-a456-426614174000"}); count]);
    let mut wrong = items(1_000);
    *wrong.pointer_mut("/999/n").unwrap() = json!("one");
    assert_eq!(outcome("a list", &json!({"items": item}), &items(1_000)), "executed");
    assert_eq!(outcome("a list with a fault", &json!({"items": item}), &wrong), "schema_violation");
    assert_eq!(
        outcome("a long text", &json!({"type": "string", "minLength": 1}), &json!("x".repeat(3_000_000))),
        "executed"
    );
    assert_eq!(
        outcome("a long text, not a number", &json!({"type": "integer"}), &json!("x".repeat(3_000_000))),
        "schema_violation"
    );
    let path = list("anyOf", 3, |i| json!({"type": (["string", "null", "integer"][i])}));
    assert_eq!(outcome("a union", &path, &json!(vec![0; 1_000])), "schema_violation");
}
