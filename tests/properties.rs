//! The laws of a working set, for arbitrary names, descriptions and reasons.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test"
)]

use std::collections::{BTreeMap, BTreeSet};

use mcp_working_set::{
    Annotations, CallContext, ConnectionError, ConnectionErrorKind, ExecutionMode, Hint, LoadMode, Locale,
    PermissionLevel, Plan, Server, Tool, ToolCall, WorkingSet, full_tool_name, parse_full_tool_name,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use unicode_segmentation::UnicodeSegmentation;

/// Pieces of text that have broken lines, marks, headings or readers somewhere.
const NASTY: &[&str] = &[
    "\n",
    "\r\n",
    "\r",
    "\u{b}",
    "\u{c}",
    "\u{85}",
    "\u{2028}",
    "\u{2029}",
    "\t",
    " ",
    "  ",
    "\u{a0}",
    "\u{3000}",
    "\0",
    "\u{1b}[31m",
    "\u{7f}",
    "\u{200b}",
    "\u{200d}",
    "\u{202e}",
    "\u{2066}",
    "\u{feff}",
    "\u{e0041}",
    "\u{fe0f}",
    "\u{ad}",
    "\u{fff9}",
    "`",
    "```",
    "[",
    "]",
    " [只读]",
    " [writable]",
    "\"",
    "\\",
    "\\u0041",
    "(",
    ")",
    "(",
    ")",
    "### ",
    "- ",
    "用途:",
    "Purpose: ",
    "(无可用工具)",
    "(no tools)",
    "(当前不可用:x)",
    " (unavailable: x)",
    "(只读工具 1 个 / 可写工具 0 个)",
    " (1 read-only / 0 writable)",
    "#2",
    "a",
    "b",
    "A",
    "_",
    "__",
    "-",
    ".",
    "/",
    ":",
    "mcp__",
    "é",
    "e\u{301}",
    "中",
    "🇩🇪",
    "👩\u{200d}👩\u{200d}👧",
    "😀",
    "…",
    "{",
    "}",
    "**",
    "<b>",
    "\u{300}\u{301}\u{302}",
];

/// A text of nasty pieces and any characters.
fn text(pieces: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    let piece = prop_oneof![4 => select(NASTY).prop_map(str::to_owned), 1 => any::<char>().prop_map(String::from)];
    vec(piece, pieces).prop_map(|pieces| pieces.concat())
}

/// A name that can be used: not empty, at most 256 bytes.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![8 => text(1..6), 1 => text(30..60)].prop_map(|mut text| {
        while text.len() > 256 {
            text.pop();
        }
        text
    })
}

/// A description or a reason, sometimes of 10,000 characters.
fn prose() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => text(0..12),
        2 => text(60..200),
        1 => (text(1..3), 1..40_usize).prop_map(|(unit, extra)| unit.repeat(10_000 / unit.chars().count() + extra)),
    ]
}

fn hint() -> impl Strategy<Value = Hint> {
    select(&[Hint::NotSaid, Hint::False, Hint::True][..])
}

prop_compose! {
    fn annotations()(read_only_hint in hint(), destructive_hint in hint()) -> Annotations {
        Annotations { read_only_hint, destructive_hint, ..Annotations::default() }
    }
}

fn kind() -> impl Strategy<Value = ConnectionErrorKind> {
    use ConnectionErrorKind::{Cancelled, Failed, NotReported};
    select(&[Failed, Cancelled, NotReported][..])
}

fn tool(server_id: i64, server_name: &str, tool_name: &str, annotations: Annotations) -> Tool {
    Tool {
        server_id,
        server_name: server_name.to_owned(),
        tool_name: tool_name.to_owned(),
        description: String::new(),
        input_schema: RawValue::from_string(r#"{"type":"object"}"#.to_owned()).unwrap(),
        annotations,
    }
}

/// What a set is built from.
#[derive(Debug, Clone, Default)]
struct Given {
    servers: Vec<Server>,
    tools: Vec<Tool>,
    errors: Vec<ConnectionError>,
}

impl Given {
    fn build(&self) -> WorkingSet {
        WorkingSet::build(&self.servers, &self.tools, &self.errors)
    }

    fn document(&self) -> String {
        // Written piece by piece: the raw text of a schema must stay as it is.
        let written = |key: &str, list: serde_json::Result<String>| format!("\"{key}\":{}", list.unwrap());
        let servers = written("servers", serde_json::to_string(&self.servers));
        let tools = written("tools", serde_json::to_string(&self.tools));
        format!("{{{servers},{tools},{}}}", written("connectionErrors", serde_json::to_string(&self.errors)))
    }
}

/// Servers with names and ids of their own, each with tools of different names: nothing needs to be sorted out.
fn orderly() -> impl Strategy<Value = Given> {
    let tools = || proptest::collection::btree_map(name(), annotations(), 0..5);
    let server = (proptest::option::of(prose()), proptest::option::weighted(0.25, prose()), tools());
    proptest::collection::btree_map(name(), server, 0..5).prop_map(|servers| {
        let mut given = Given::default();
        for (id, (name, (description, reason, tools))) in (1..).zip(servers) {
            given.tools.extend(tools.iter().map(|(tool_name, hints)| tool(id, &name, tool_name, *hints)));
            given.errors.extend(reason.map(|reason| ConnectionError {
                server_id: Some(id),
                server_name: name.clone(),
                reason,
                kind: ConnectionErrorKind::Failed,
            }));
            given.servers.push(Server { id, name, description });
        }
        given
    })
}

/// Anything: few names and ids, so that they collide, shared full names, copies, errors of nobody.
fn disorderly() -> impl Strategy<Value = Given> {
    let names = || prop_oneof![6 => short_name(), 1 => name()];
    let server = (-1..4_i64, names(), proptest::option::of(text(0..3))).prop_map(|(id, name, description)| Server {
        id,
        name,
        description,
    });
    let tool = (-1..5_i64, names(), names(), text(0..2), annotations(), select(SCHEMAS)).prop_map(
        |(server_id, server_name, tool_name, description, annotations, schema)| Tool {
            description,
            input_schema: RawValue::from_string(schema.to_owned()).unwrap(),
            ..tool(server_id, &server_name, &tool_name, annotations)
        },
    );
    let error = (proptest::option::of(-1..5_i64), names(), text(0..3), kind())
        .prop_map(|(server_id, server_name, reason, kind)| ConnectionError { server_id, server_name, reason, kind });
    (vec(server, 0..7), vec(tool, 0..12), vec(error, 0..3)).prop_map(|(servers, tools, errors)| Given {
        servers,
        tools,
        errors,
    })
}

/// Names that are spelt alike, meet in full names, or are what an alias would be.
fn short_name() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &["a", "A", "b", "_", "__", "-", " ", ".", "a__b", "mcp__", "#1", "#2"];
    vec(select(PIECES), 0..4).prop_map(|pieces| pieces.concat())
}

const SCHEMAS: &[&str] = &["{}", r#"{"type":"object"}"#, r#"{ "type" : "object" }"#, r#"{"required":["a","b"]}"#];

// The section, read by the grammar of `src/section.rs` alone.

/// A server as the section tells it.
#[derive(Debug, PartialEq, Eq)]
struct ReadServer {
    name: String,
    counts: Option<(usize, usize)>,
    reason: Option<String>,
    purpose: Option<String>,
    /// Each with its mark.
    tools: Vec<(String, Option<bool>)>,
}

/// The fixed words of a locale.
struct Words {
    preamble: &'static str,
    counts: [&'static str; 3],
    reason: &'static str,
    purpose: &'static str,
    marks: [&'static str; 2],
    empty: &'static str,
}

const ZH_CN: Words = Words {
    preamble: "## MCP 工作集
以下 MCP 工具按「server → tool」两级寻址,统一通过 mcp_call 调用。
调用前若不确定参数结构,先用 mcp_describe 查询该工具的完整 schema。
被标注为「当前不可用」的 server 请勿调用。
",
    counts: ["(只读工具 ", " 个 / 可写工具 ", " 个)"],
    reason: "(当前不可用:",
    purpose: "用途:",
    marks: [" [只读]", " [可写]"],
    empty: "(无可用工具)",
};

const EN: Words = Words {
    preamble: "## MCP working set
The MCP tools below are addressed in two levels, server → tool, and are all called through mcp_call.
If you are not sure of a tool's parameters, query its full schema with mcp_describe first.
Do not call servers marked \"unavailable\".
",
    counts: [" (", " read-only / ", " writable)"],
    reason: " (unavailable: ",
    purpose: "Purpose: ",
    marks: [" [read-only]", " [writable]"],
    empty: "(no tools)",
};

fn read_section(text: &str, words: &Words) -> Vec<ReadServer> {
    let body = text.strip_prefix(words.preamble).expect("the preamble comes first");
    let mut lines = body.strip_suffix('\n').expect("the last line ends").split('\n').peekable();
    let mut servers = Vec::new();
    while let Some(heading) = lines.next() {
        let heading = heading.strip_prefix("### ").unwrap_or_else(|| panic!("a heading, not {heading:?}"));
        // In English a space belongs to what follows the name; no bare name ends with one.
        let (name, rest) = read_name(heading, |bare| bare.find('(').map(|at| bare[..at].trim_end_matches(' ').len()));
        let counts = read_counts(rest, words);
        let reason = rest.strip_prefix(words.reason).filter(|_| counts.is_none());
        let reason = reason.map(|reason| line(reason.strip_suffix(')').expect("a closed reason")));
        assert!(rest.is_empty() || counts.is_some() || reason.is_some(), "after a server's name: {rest:?}");
        let purpose = lines.next_if(|line| line.starts_with(words.purpose));
        let purpose = purpose.map(|purpose| line(&purpose[words.purpose.len()..]));
        let mut tools = Vec::new();
        if lines.next_if_eq(&words.empty).is_none() {
            while let Some(tool) = lines.next_if(|line| line.starts_with("- ")) {
                let (name, mark) = read_name(&tool[2..], |bare| bare.find(" ["));
                let [read_only, writable] = words.marks;
                let mark = match mark {
                    "" => None,
                    mark if mark == read_only => Some(true),
                    mark if mark == writable => Some(false),
                    other => panic!("no mark: {other:?}"),
                };
                tools.push((name, mark));
            }
            assert!(!tools.is_empty(), "{name:?} has neither tools nor the line that says so");
        }
        servers.push(ReadServer { name, counts, reason, purpose, tools });
    }
    servers
}

/// A bare name up to where it ends, or a JSON string literal; and what follows.
fn read_name(text: &str, bare_end: impl Fn(&str) -> Option<usize>) -> (String, &str) {
    if text.starts_with('"') {
        let mut literals = serde_json::Deserializer::from_str(text).into_iter::<String>();
        let name = literals.next().unwrap().expect("a JSON string literal");
        return (name, &text[literals.byte_offset()..]);
    }
    let (name, rest) = text.split_at(bare_end(text).unwrap_or(text.len()));
    assert!(!name.contains(['`', '[', ']']) && line(name) == name, "a bare name: {name:?}");
    (name.to_owned(), rest)
}

fn read_counts(text: &str, words: &Words) -> Option<(usize, usize)> {
    let [before, between, after] = words.counts;
    let (read_only, writable) = text.strip_prefix(before)?.strip_suffix(after)?.split_once(between)?;
    Some((read_only.parse().ok()?, writable.parse().ok()?))
}

/// The text of a `line`, which is held to what the grammar says of it.
fn line(text: &str) -> String {
    assert!(!text.is_empty() && text.trim() == text && !text.contains("  "), "a line: {text:?}");
    assert!(!text.chars().any(|c| is_hidden(c) || (c.is_whitespace() && c != ' ')), "nothing hidden: {text:?}");
    text.to_owned()
}

/// Control characters, Unicode's Default_Ignorable_Code_Point, bidi controls, separators and interlinear marks.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(u32::from(c),
            0xAD | 0x34F | 0x61C | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x180B..=0x180F | 0x200B..=0x200F
            | 0x2028..=0x202E | 0x2060..=0x206F | 0x3164 | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFFB
            | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A | 0xE0000..=0xE0FFF)
}

/// What a text looks like on one line: the rule of the specification in its plainest form. Nothing where a text has so
/// many marks on its letters that it is cut by another limit.
fn on_one_line(text: &str, limit: usize) -> Option<String> {
    let visible: String = text.chars().filter(|c| c.is_whitespace() || !is_hidden(*c)).collect();
    let line = visible.split_whitespace().collect::<Vec<_>>().join(" ");
    let clusters: Vec<_> = line.graphemes(true).collect();
    if clusters.len() <= limit {
        return (line.chars().count() <= limit * 4).then_some(line);
    }
    let kept = clusters[..limit - 1].concat();
    (kept.chars().count() < (limit - 1) * 4).then(|| kept.trim_end().to_owned() + "…")
}

/// What the section must tell, from what the set was built of and nothing else.
fn expected(given: &Given) -> Vec<ReadServer> {
    let mut full_names = BTreeMap::new();
    for tool in &given.tools {
        *full_names.entry(full_tool_name(&tool.server_name, &tool.tool_name)).or_insert(0) += 1;
    }
    let mut servers: Vec<_> = given.servers.iter().collect();
    servers.sort_by_key(|server| &server.name);
    servers
        .into_iter()
        .map(|server| {
            let mut tools: Vec<_> = given.tools.iter().filter(|tool| tool.server_id == server.id).collect();
            tools.sort_by_key(|tool| &tool.tool_name);
            let error = given.errors.iter().find(|error| error.server_id == Some(server.id));
            let mark = |tool: &Tool| match tool.annotations.read_only_hint {
                Hint::True => {
                    let ambiguous = full_names[&full_tool_name(&tool.server_name, &tool.tool_name)] > 1;
                    let contradictory = tool.annotations.destructive_hint == Hint::True;
                    (!ambiguous && !contradictory && error.is_none()).then_some(true)
                }
                Hint::False => Some(false),
                Hint::NotSaid => None,
            };
            let tools: Vec<_> = tools.into_iter().map(|tool| (tool, mark(tool))).collect();
            let read_only = tools.iter().filter(|(_, mark)| *mark == Some(true)).count();
            let said = tools.iter().any(|(tool, _)| tool.annotations.read_only_hint != Hint::NotSaid);
            ReadServer {
                name: server.name.clone(),
                counts: (said && error.is_none()).then(|| (read_only, tools.len() - read_only)),
                reason: error.map(|error| error.reason.clone()),
                purpose: server.description.clone(),
                tools: tools.into_iter().map(|(tool, mark)| (tool.tool_name.clone(), mark)).collect(),
            }
        })
        .collect()
}

/// Puts in for descriptions and reasons what is shown of them.
fn shown(mut server: ReadServer, read: &ReadServer) -> ReadServer {
    let show = |text: &str, limit, read: Option<&String>| match on_one_line(text, limit) {
        Some(line) => Some(line).filter(|line| !line.is_empty()),
        // Cut by the other limit: all that is said of it is that it is bounded.
        None => read.filter(|read| read.graphemes(true).count() <= limit && read.chars().count() <= limit * 4).cloned(),
    };
    server.purpose = server.purpose.and_then(|text| show(&text, 200, read.purpose.as_ref()));
    // A reason that shows nothing is told in default words.
    server.reason = server.reason.map(|text| show(&text, 120, read.reason.as_ref()).or(read.reason.clone()).unwrap());
    server
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    /// Rendering and then reading by the grammar gives back the set, whatever its names and texts.
    #[test]
    fn the_section_reads_back_as_the_set(given in orderly()) {
        let set = given.build();
        for (locale, words) in [(Locale::ZhCn, &ZH_CN), (Locale::En, &EN)] {
            let Some(section) = set.section(locale) else {
                prop_assert!(given.servers.is_empty());
                continue;
            };
            let read = read_section(&section.text, words);
            let expected = expected(&given).into_iter().zip(&read).map(|(server, read)| shown(server, read));
            prop_assert_eq!(&expected.collect::<Vec<_>>(), &read);
            prop_assert_eq!(read.len(), given.servers.len());
            prop_assert_eq!(section.tokens, section.text.len().div_ceil(4));
        }
    }

    /// The same for sets in which something had to be sorted out: every line is accounted for.
    #[test]
    fn the_section_reads_back_as_the_servers(given in disorderly()) {
        let set = given.build();
        for (locale, words) in [(Locale::ZhCn, &ZH_CN), (Locale::En, &EN)] {
            let read = set.section(locale).map(|section| read_section(&section.text, words)).unwrap_or_default();
            let names = |server: &ReadServer| (server.name.clone(), server.tools.iter().map(|tool| tool.0.clone()).collect());
            let read: Vec<(_, Vec<_>)> = read.iter().map(names).collect();
            let servers = set.servers().iter().map(|server| {
                (server.address().to_owned(), server.tools().iter().map(|tool| tool.name().to_owned()).collect())
            });
            prop_assert_eq!(read, servers.collect::<Vec<_>>());
        }
    }

    /// Order and repetition of the input change nothing.
    #[test]
    fn any_permutation_gives_identical_bytes(given in disorderly(), turned in disorderly_order()) {
        let one = outputs(&given.build());
        let other = outputs(&turned.apply(&given).build());
        prop_assert_eq!(one, other);
    }

    /// Typed values and the JSON document come to the same.
    #[test]
    fn typed_and_json_come_to_the_same(given in disorderly()) {
        let read = WorkingSet::from_json(given.document().as_bytes()).unwrap();
        prop_assert_eq!(outputs(&given.build()), outputs(&read));
    }

    /// Addresses are unique, names are kept, ids too.
    #[test]
    fn every_server_has_an_address_of_its_own(given in disorderly()) {
        let set = given.build();
        let addresses: BTreeSet<_> = set.servers().iter().map(|server| server.address()).collect();
        prop_assert_eq!(addresses.len(), set.servers().len());
        for server in set.servers() {
            let alias = format!("{}#{}", server.name(), server.id());
            prop_assert!(server.address() == server.name() || server.address().starts_with(&alias));
            prop_assert!(given.servers.iter().any(|one| one.name == server.name()) || given.errors.iter().any(|one| one.server_name == server.name()));
        }
    }

    /// Nothing at all comes of an empty set.
    #[test]
    fn the_empty_set_yields_nothing(tools in disorderly()) {
        let set = Given { servers: vec![], errors: vec![], ..tools }.build();
        prop_assert!(set.is_empty() && set.servers().is_empty());
        prop_assert_eq!(set.section(Locale::ZhCn), None);
        prop_assert_eq!(set.section_json(Locale::En), "null");
        prop_assert_eq!(set.tool_definitions_json(Locale::ZhCn, LoadMode::WorkingSet), "[]");
        prop_assert_eq!(set.full_tool_definitions_json(), "[]");
    }

    /// The bytes of an object of arguments come out as they went in, wherever in the call they stand.
    #[test]
    fn arguments_pass_unchanged(
        arguments in json_object(),
        space in white_space(),
        around in white_space(),
        key in select(&[r#""arguments""#, r#""\u0061rg\u0075ments""#][..]),
        (other, at) in (proptest::option::of((json_string(), json_value())), 0_usize..3),
        turn in 0_usize..4,
    ) {
        let set = Given { servers: vec![Server { id: 1, name: "s".into(), description: None }], tools: vec![tool(1, "s", "x", Annotations::default())], errors: vec![] }.build();
        let mut fields = vec![(r#""server""#, r#""s""#), (r#""tool""#, r#""x""#), (key, arguments.as_str())];
        let known = |key: &str| serde_json::from_str::<String>(key).is_ok_and(|key| ["server", "tool", "arguments"].contains(&&*key));
        let other = other.filter(|(key, _)| !known(key));
        if let Some((key, value)) = &other {
            fields.insert(at, (key, value));
        }
        let turn = turn % fields.len();
        fields.rotate_left(turn);
        let fields: Vec<_> = fields.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
        let call = format!("{around}{}{around}", object(&fields, &space));
        let mut context = CallContext::new(ExecutionMode::Cloud);
        for validate in [true, false] {
            context.validate = validate;
            let planned: Value = serde_json::from_str(&set.plan_call(&call, &context).to_json()).unwrap();
            prop_assert_eq!(&planned["argumentsJson"], &json!(arguments), "{}", call);
            prop_assert_eq!(planned["repairs"].as_array().map(Vec::len), Some(usize::from(other.is_some())));
        }
        let range = ToolCall::parse(&call).unwrap().arguments_range(&call).unwrap();
        prop_assert_eq!(&call[range], &arguments);

        // In a string they pass unchanged as well, and that is recorded.
        let call = json!({"server": "s", "tool": "x", "arguments": arguments}).to_string();
        let planned: Value = serde_json::from_str(&set.plan_call(&call, &context).to_json()).unwrap();
        prop_assert_eq!(&planned["argumentsJson"], &json!(arguments), "{}", call);
        prop_assert_eq!(&planned["repairs"], &json!(["parsed_arguments_string"]));
    }

    /// Whatever is executed is in the set and available, and the desktop reaches exactly that tool.
    #[test]
    fn what_is_executed_exists_and_can_be_reached(given in disorderly(), asked in asked(), local in any::<bool>()) {
        let set = given.build();
        let mut calls = vec![asked];
        for server in set.servers() {
            for tool in server.tools() {
                calls.extend(spellings(server.address(), tool.name()));
            }
        }
        let mode = if local { ExecutionMode::Local } else { ExecutionMode::Cloud };
        let context = CallContext { permission_level: PermissionLevel::Full, validate: false, ..CallContext::new(mode) };
        for (server, tool) in calls {
            let call = json!({"server": server, "tool": tool}).to_string();
            let parsed = ToolCall::parse(&call).ok();
            let plan = set.plan_call(&call, &context);
            let value: Value = serde_json::from_str(&plan.to_json()).unwrap();
            let Plan::Execute(execution) = plan else {
                prop_assert!(value["decision"]["needApproval"] == true);
                continue;
            };
            let parsed = parsed.expect("what is executed was read");
            prop_assert_eq!((parsed.server(), parsed.tool()), (server.as_str(), tool.as_str()));
            let (planned_server, planned_tool) = (value["server"].as_str().unwrap(), value["tool"].as_str().unwrap());
            let found = set.servers().iter().find(|one| one.address() == planned_server).expect("a server of the set");
            prop_assert!(found.unavailable().is_none());
            prop_assert_eq!(&value["serverId"], &json!(found.id()));
            prop_assert!(found.tools().iter().any(|one| one.name() == planned_tool));
            prop_assert_eq!(execution.full_tool_name(), full_tool_name(planned_server, planned_tool));
            if (planned_server, planned_tool) != (server.as_str(), tool.as_str()) {
                prop_assert!(value["repairs"].as_array().is_some_and(|repairs| !repairs.is_empty()));
                let exact = set.servers().iter().any(|one| one.address() == server && one.tools().iter().any(|one| one.name() == tool));
                prop_assert!(!exact, "an exact name was not taken");
                prop_assert_eq!(fits(&set, &server, &tool), vec![(planned_server.to_owned(), planned_tool.to_owned())]);
            }
            if local {
                let name = value["toolName"].as_str().unwrap();
                prop_assert_eq!(parse_full_tool_name(name), Some((planned_server, planned_tool)), "{}", name);
                prop_assert_eq!(found.name(), planned_server, "the desktop knows no alias");
            }
        }
    }

    /// Building a full name and taking it apart is identity exactly for names the desktop can route.
    #[test]
    fn full_names_come_apart_where_they_are_routable(server in short_name(), tool in short_name()) {
        let full = full_tool_name(&server, &tool);
        let routable = !server.is_empty() && !tool.is_empty() && !server.contains("__") && !server.ends_with('_');
        prop_assert_eq!(parse_full_tool_name(&full) == Some((server.as_str(), tool.as_str())), routable, "{}", full);
    }
}

/// Everything a set says, as bytes.
fn outputs(set: &WorkingSet) -> Vec<String> {
    let mut outputs =
        vec![set.servers_json(), set.warnings_json(), set.fingerprint().to_owned(), set.full_tool_definitions_json()];
    for locale in [Locale::ZhCn, Locale::En] {
        outputs.push(set.section_json(locale));
        outputs.push(set.tool_definitions_json(locale, LoadMode::WorkingSet));
    }
    let context = CallContext::new(ExecutionMode::Local);
    for server in set.servers() {
        for tool in server.tools() {
            let call = json!({"server": server.address(), "tool": tool.name()}).to_string();
            outputs.extend([set.describe(&call, Locale::En), set.plan_call(&call, &context).to_json()]);
        }
    }
    outputs.push(set.describe(r#"{"server":"a","tool":"nobody has this"}"#, Locale::ZhCn));
    outputs
}

/// How an input is turned: keys to sort by.
#[derive(Debug)]
struct Order(Vec<u32>);

fn disorderly_order() -> impl Strategy<Value = Order> {
    vec(any::<u32>(), 12).prop_map(Order)
}

impl Order {
    fn apply(&self, given: &Given) -> Given {
        Given { servers: self.turn(&given.servers), tools: self.turn(&given.tools), errors: self.turn(&given.errors) }
    }

    fn turn<T: Clone>(&self, items: &[T]) -> Vec<T> {
        let mut turned: Vec<_> = self.0.iter().zip(items).collect();
        assert_eq!(turned.len(), items.len());
        turned.sort_by_key(|(key, _)| **key);
        turned.into_iter().map(|(_, item)| item.clone()).collect()
    }
}

/// Names that a model might ask for.
fn asked() -> impl Strategy<Value = (String, String)> {
    (short_name(), prop_oneof![short_name(), (short_name(), short_name()).prop_map(|(s, t)| full_tool_name(&s, &t))])
}

/// Ways to write one tool: all but the last two are what the specification lets pass where nothing else fits.
fn spellings(server: &str, tool: &str) -> Vec<(String, String)> {
    let loose = |text: &str| text.replace(['_', ' '], "-").to_uppercase();
    vec![
        (server.to_owned(), tool.to_owned()),
        (loose(server), tool.to_owned()),
        (server.to_owned(), loose(tool)),
        (server.to_owned(), full_tool_name(server, tool)),
        (server.to_owned(), format!("{server}.{tool}")),
        (loose(server), format!("{server}/{tool}")),
        (server.to_owned(), loose(&format!("{server}:{tool}"))),
        (server.to_owned(), format!("{tool}s")),
        (format!("{server}2"), tool.to_owned()),
    ]
}

/// All tools that a spelling fits: case and `-`, `_`, space aside, alone or qualified.
fn fits(set: &WorkingSet, server: &str, tool: &str) -> Vec<(String, String)> {
    let fold = |text: &str| text.to_lowercase().replace(['_', ' '], "-");
    let mut found = Vec::new();
    for one in set.servers() {
        for other in one.tools() {
            let (s, t) = (fold(one.address()), fold(other.name()));
            let forms =
                [t.clone(), format!("mcp--{s}--{t}"), format!("{s}.{t}"), format!("{s}/{t}"), format!("{s}:{t}")];
            if s == fold(server) && forms.contains(&fold(tool)) {
                found.push((one.address().to_owned(), other.name().to_owned()));
            }
        }
    }
    found
}

// JSON objects in all spellings.

fn white_space() -> impl Strategy<Value = String> {
    vec(select(&[" ", "\n", "\t", "\r"][..]), 0..3).prop_map(|pieces| pieces.concat())
}

fn json_string() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "a",
        "server",
        "tool",
        "arguments",
        "é",
        "中",
        "😀",
        "\u{202e}",
        "\u{2028}",
        "\\n",
        "\\\"",
        "\\\\",
        "\\/",
        "\\u0041",
        "\\u0000",
        "\\ud83d\\ude00",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "```",
        "'",
        " ",
        "\u{7f}",
    ];
    vec(select(PIECES), 0..6).prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

fn json_value() -> impl Strategy<Value = String> {
    const NUMBERS: &[&str] =
        &["0", "-0", "1.10", "1e5", "1E+05", "-12.5e-3", "12345678901234567890123", "1e999", "0.0"];
    let leaf = prop_oneof![
        select(NUMBERS).prop_map(str::to_owned),
        select(&["true", "false", "null", "{}", "[ ]"][..]).prop_map(str::to_owned),
        json_string(),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let array = (vec(inner.clone(), 1..4), white_space())
            .prop_map(|(items, space)| format!("[{space}{}]", items.join(&format!("{space},"))));
        let object =
            (vec((json_string(), inner), 1..4), white_space()).prop_map(|(fields, space)| object(&fields, &space));
        prop_oneof![array, object]
    })
}

fn json_object() -> impl Strategy<Value = String> {
    (vec((json_string(), json_value()), 0..5), white_space()).prop_map(|(fields, space)| object(&fields, &space))
}

fn object(fields: &[(String, String)], space: &str) -> String {
    let fields: Vec<_> = fields.iter().map(|(key, value)| format!("{space}{key}{space}:{space}{value}")).collect();
    format!("{{{}{space}}}", fields.join(&format!("{space},")))
}
