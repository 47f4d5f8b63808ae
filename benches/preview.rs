//! The cost of watching a call stream in: `cargo bench --bench preview`.
//!
//! The arguments of a call arrive in deltas of 20 bytes, and after each the preview is asked for, as a tool card does.
//! The time per byte must not depend on the length of the call. For comparison, what a host pays that reads the
//! collected text anew after each delta.

use std::hint::black_box;
use std::time::{Duration, Instant};

use mcp_working_set::{CallPreview, CardOptions, Locale, call_preview, tool_input_preview};

const DELTA: usize = 20;
const ROUNDS: usize = 15;
const SMALL: usize = 100_000;
const LARGE: usize = 1_000_000;

/// A call that writes a file of this many bytes, names first as models write them.
fn call(bytes: usize) -> String {
    let line = r#"let text = \"{\\\"server\\\": \\\"x\\\"}\"; // 文件\n"#;
    let content = line.repeat(bytes / line.len());
    format!(r#"{{"server":"fs","tool":"write_file","arguments":{{"path":"/a","content":"{content}"}}}}"#)
}

fn incremental(call: &str) -> Duration {
    let start = Instant::now();
    let mut preview = CallPreview::new("mcp_call");
    for delta in call.as_bytes().chunks(DELTA) {
        preview.push(black_box(delta));
        black_box(preview.preview(Locale::En));
    }
    let took = start.elapsed();
    assert_eq!(preview.preview(Locale::En), "fs.write_file");
    took
}

fn anew_each_time(call: &str) -> Duration {
    let start = Instant::now();
    let mut seen = 0;
    for end in (0..call.len()).step_by(DELTA) {
        if let Some(text) = call.get(..end) {
            black_box(tool_input_preview("mcp_call", Some(black_box(text)), Locale::En));
            seen += 1;
        }
    }
    assert!(seen > 0);
    start.elapsed()
}

fn card(call: &str) -> Duration {
    let start = Instant::now();
    assert_eq!(call_preview(black_box(call), &CardOptions::default()).lines.len(), 2);
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn per_byte(time: Duration, call: &str) -> f64 {
    time.as_secs_f64() * 1e9 / call.len() as f64
}

fn main() {
    let (small, large) = (call(SMALL), call(LARGE));
    // Interleaved, so that a slow moment of the machine hits both.
    let (small_times, large_times) = (0..ROUNDS).map(|_| (incremental(&small), incremental(&large))).unzip();
    let (small_time, large_time) = (median(small_times), median(large_times));
    let deltas = small.len().div_ceil(DELTA);
    println!("deltas of {DELTA} bytes, preview after each; median of {ROUNDS}");
    println!("  100 KB  {small_time:>10.2?}  {:>6.2} ns/byte", per_byte(small_time, &small));
    println!("    1 MB  {large_time:>10.2?}  {:>6.2} ns/byte", per_byte(large_time, &large));
    println!(
        "  ratio per byte, 1 MB to 100 KB: {:.2} (1 is linear)",
        per_byte(large_time, &large) / per_byte(small_time, &small)
    );
    let (small_cards, large_cards) = (0..ROUNDS).map(|_| (card(&small), card(&large))).unzip();
    let (small_card, large_card) = (median(small_cards), median(large_cards));
    println!("approval card of the whole call");
    println!("  100 KB  {small_card:>10.2?}  {:>6.2} ns/byte", per_byte(small_card, &small));
    println!("    1 MB  {large_card:>10.2?}  {:>6.2} ns/byte", per_byte(large_card, &large));
    let anew = anew_each_time(&small);
    println!(
        "  100 KB read anew after each of {deltas} deltas: {anew:.2?}, {:.0} times as long",
        anew.as_secs_f64() / small_time.as_secs_f64()
    );
}
