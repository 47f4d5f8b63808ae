//! How fast a set is built and a call is planned, and what they allocate: `cargo bench --bench core`.
//!
//! Times are medians of interleaved runs in one process; the build is given as a share of the speed at which
//! `serde_json` can merely skip over the same bytes. `MWS_CORPUS=DIR` adds the documents `DIR/sets/*.json`.

#![allow(missing_docs, reason = "a program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a program")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt::Write as _;
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

use mcp_working_set::{CallContext, ExecutionMode, Locale, PermissionLevel, Plan, WorkingSet};
use serde::de::IgnoredAny;

/// Counts what is allocated.
struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);
static LIVE_BYTES: AtomicUsize = AtomicUsize::new(0);

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        LIVE_BYTES.fetch_add(layout.size(), Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE_BYTES.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A document of so many tools, 50 a server, with schemas of the size that public servers have.
fn document(tools: usize) -> String {
    let mut json = String::from("{\"servers\":[");
    for server in 0..tools.div_ceil(50) {
        let comma = if server > 0 { "," } else { "" };
        write!(
            json,
            "{comma}{{\"id\":{},\"name\":\"server-{server}\",\"description\":\"Number {server}\"}}",
            server + 1
        )
        .unwrap();
    }
    json.push_str("],\"tools\":[");
    for tool in 0..tools {
        let server = tool / 50;
        let comma = if tool > 0 { "," } else { "" };
        write!(
            json,
            "{comma}{{\"serverId\":{},\"serverName\":\"server-{server}\",\"toolName\":\"tool_{tool}\",\"description\":\
             \"Reads item {tool} of the collection.\\nUse it when the item is known by its path.\",\"inputSchema\":\
             {{\"type\":\"object\",\"properties\":{{",
            server + 1
        )
        .unwrap();
        for property in 0..2 + tool % 5 {
            let comma = if property > 0 { "," } else { "" };
            write!(
                json,
                "{comma}\"property_{property}\":{{\"type\":\"string\",\"description\":\"The value of property \
                 {property}, as the server documents it for its callers\",\"minLength\":1,\"enum\":[\"one\",\"two\"]}}"
            )
            .unwrap();
        }
        write!(json, "}},\"required\":[\"property_0\"]}},\"annotations\":{{\"readOnlyHint\":{}}}}}", tool % 2 == 0)
            .unwrap();
    }
    json.push_str("],\"connectionErrors\":[]}");
    json
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Median seconds of each of two pieces of work, in turn. What they make is dropped outside the time taken.
fn interleaved<A, B>(rounds: usize, mut a: impl FnMut() -> A, mut b: impl FnMut() -> B) -> (f64, f64) {
    let (mut times_a, mut times_b) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        times_a.push(seconds(&mut a));
        times_b.push(seconds(&mut b));
    }
    (median(times_a), median(times_b))
}

fn seconds<T>(work: &mut impl FnMut() -> T) -> f64 {
    let start = Instant::now();
    let made = black_box(work());
    let elapsed = start.elapsed().as_secs_f64();
    drop(made);
    elapsed
}

fn building(name: &str, json: &str) {
    let rounds = (20_000_000 / json.len()).clamp(7, 400);
    let (skip, build) = interleaved(
        rounds,
        || serde_json::from_slice::<IgnoredAny>(black_box(json.as_bytes())).unwrap(),
        || WorkingSet::from_json(black_box(json.as_bytes())).unwrap(),
    );
    let (before, live) = (ALLOCATIONS.load(Relaxed), LIVE_BYTES.load(Relaxed));
    let set = WorkingSet::from_json(json.as_bytes()).unwrap();
    let (allocations, kept) = (ALLOCATIONS.load(Relaxed) - before, LIVE_BYTES.load(Relaxed) - live);
    let tools = set.tool_count();
    println!(
        "build {name}: {tools} tools, {:.0} KB: {:.0} µs, {:.2} GB/s, {:.0} % of skipping; {:.1} allocations and {:.0} \
         bytes a tool kept, {:.2} × the input",
        json.len() as f64 / 1e3,
        build * 1e6,
        json.len() as f64 / build / 1e9,
        100.0 * skip / build,
        allocations as f64 / tools as f64,
        kept as f64 / tools as f64,
        kept as f64 / json.len() as f64,
    );
    let first = Instant::now();
    let length = set.section(Locale::ZhCn).unwrap().text.len();
    let first = first.elapsed();
    let again = Instant::now();
    assert_eq!(black_box(&set).section(Locale::ZhCn).unwrap().text.len(), length);
    println!("      section: {:.0} µs at first, {} ns again", first.as_secs_f64() * 1e6, again.elapsed().as_nanos());
}

fn planning(bytes: usize) {
    let set = WorkingSet::from_json(document(1_500).as_bytes()).unwrap();
    let filler = "x".repeat(bytes.saturating_sub(60));
    let call = format!(
        r#"{{"server":"server-7","tool":"tool_351","arguments":{{"property_0":"one","property_9":"{filler}"}}}}"#
    );
    for level in [PermissionLevel::Full, PermissionLevel::ReadWrite] {
        let mut context = CallContext::new(ExecutionMode::Local);
        context.permission_level = level;
        for validate in [false, true] {
            context.validate = validate;
            let plan = || match black_box(&set).plan_call(black_box(&call), &context) {
                Plan::Execute(execution) => drop(black_box(execution)),
                Plan::Refuse(refusal) => panic!("{}", refusal.result_json),
            };
            plan();
            let before = ALLOCATIONS.load(Relaxed);
            plan();
            let allocations = ALLOCATIONS.load(Relaxed) - before;
            let times = (0..51).map(|_| {
                let start = Instant::now();
                (0..1_000).for_each(|_| plan());
                start.elapsed().as_secs_f64() / 1e3
            });
            println!(
                "plan {} bytes, {}, validation {}: {:.2} µs, {allocations} allocations",
                call.len(),
                level.as_str(),
                if validate { "on" } else { "off" },
                median(times.collect()) * 1e6
            );
        }
    }
}

fn main() {
    for tools in [30, 200, 1_500, 15_000] {
        building("generated", &document(tools));
    }
    match std::env::var("MWS_CORPUS") {
        Ok(folder) => {
            for entry in std::fs::read_dir(format!("{folder}/sets")).expect("MWS_CORPUS has a folder sets") {
                let path = entry.unwrap().path();
                let name = path.file_stem().unwrap().to_string_lossy().into_owned();
                building(&name, &std::fs::read_to_string(&path).unwrap());
            }
        }
        Err(_) => println!("real tool lists skipped: MWS_CORPUS is not set"),
    }
    for bytes in [100, 300, 10_000] {
        planning(bytes);
    }
}
