//! Laws of approval, with a machine looking for counter-examples: whatever the names, the rules and the text of a call.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice, reason = "a test")]

use std::collections::BTreeSet;

use mcp_working_set::{
    ApprovalRequest, Basis, CallContext, Decision, Execution, ExecutionMode, Outcome, PermissionLevel, Plan, Repair,
    Rule, RuleId, RuleRequest, RuleScope, ToolCall, Trust, WorkingSet, decide_approval, effective_tool_name,
    full_tool_name, match_rules, restore_full_tool_name,
};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Map, Value, json};

// ---- What is generated ------------------------------------------------------------------------------------------

/// Pieces of names that readers are known to mix up: the separator and its halves, case, width, confusables of other
/// scripts, marks that cannot be seen, aliases, and prefixes of each other.
const PIECES: [&str; 26] = [
    "a", "a", "b", "A", "_", "_", "__", "-", " ", ".", "/", ":", "#2", "ａ", "а", "K", "K", "İ", "ﬁ", "é", "e\u{301}",
    "\u{200B}", "\u{202E}", "mcp__", "mcp", "ab",
];

fn name() -> impl Strategy<Value = String> {
    prop::collection::vec(select(&PIECES[..]), 1..4).prop_map(|pieces| pieces.concat())
}

/// A tool of the model of a set: server by index, name, hints.
#[derive(Debug, Clone)]
struct ToolModel {
    server: usize,
    name: String,
    read_only: Option<bool>,
    destructive: Option<bool>,
}

/// What a set is built from.
#[derive(Debug, Clone)]
struct SetModel {
    servers: Vec<String>,
    tools: Vec<ToolModel>,
    unavailable: Option<usize>,
}

impl SetModel {
    fn build(&self) -> WorkingSet {
        self.build_ordered(&[])
    }

    /// The same content, with servers and tools in another order.
    fn build_ordered(&self, order: &[Index]) -> WorkingSet {
        let id = |server: usize| server + 1;
        let mut servers: Vec<_> =
            self.servers.iter().enumerate().map(|(index, name)| json!({"id": id(index), "name": name})).collect();
        let tool = |tool: &ToolModel| {
            let hints = json!({"readOnlyHint": tool.read_only, "destructiveHint": tool.destructive});
            json!({"serverId": id(tool.server), "toolName": tool.name, "annotations": hints})
        };
        let mut tools: Vec<_> = self.tools.iter().map(tool).collect();
        let errors: Vec<_> =
            self.unavailable.iter().map(|&server| json!({"serverId": id(server), "reason": "down"})).collect();
        for index in order {
            let places = (index.index(servers.len()), index.index(tools.len()));
            servers.swap(0, places.0);
            tools.swap(0, places.1);
        }
        let document = json!({"servers": servers, "tools": tools, "connectionErrors": errors});
        WorkingSet::from_json(document.to_string().as_bytes()).unwrap()
    }
}

fn set() -> impl Strategy<Value = SetModel> {
    let hint = || prop_oneof![2 => Just(Some(true)), 1 => Just(Some(false)), 2 => Just(None)];
    let servers = prop::collection::vec(name(), 1..4);
    let tools = prop::collection::vec((any::<Index>(), name(), hint(), hint()), 1..7);
    // A full name can be read in several ways, and chance alone finds no two tools that share one.
    let shared = prop::option::weighted(0.3, (name(), name(), name(), hint(), hint()));
    let unavailable = prop::option::weighted(0.2, any::<Index>());
    (servers, tools, shared, unavailable).prop_map(|(mut servers, tools, shared, unavailable)| {
        let tool = |(server, name, read_only, destructive): (Index, String, _, _)| ToolModel {
            server: server.index(servers.len()),
            name,
            read_only,
            destructive,
        };
        let mut tools: Vec<_> = tools.into_iter().map(tool).collect();
        if let Some((a, b, c, one, other)) = shared {
            let server = servers.len();
            servers.extend([a.clone(), format!("{a}__{b}")]);
            tools.push(ToolModel { server, name: format!("{b}__{c}"), read_only: one, destructive: None });
            tools.push(ToolModel { server: server + 1, name: c, read_only: other, destructive: None });
        }
        SetModel { unavailable: unavailable.map(|index| index.index(servers.len())), tools, servers }
    })
}

/// All full names of a set with the (address, tool) that bear them, in order.
fn full_names(set: &WorkingSet) -> Vec<(String, (String, String))> {
    let of = |server: &mcp_working_set::ServerEntry, tool: &mcp_working_set::ToolEntry| {
        (server.full_tool_name(tool), (server.address().to_owned(), tool.name().to_owned()))
    };
    set.servers().iter().flat_map(|server| server.tools().iter().map(move |tool| of(server, tool))).collect()
}

/// A rule for a name of the set, or for one that is nearly that.
#[derive(Debug, Clone)]
struct RuleModel {
    of: Index,
    spelling: u8,
    session: bool,
    enabled: bool,
    bound_to: Option<Index>,
}

fn rule() -> impl Strategy<Value = RuleModel> {
    let bound_to = prop::option::weighted(0.3, any::<Index>());
    (any::<Index>(), 0..26_u8, any::<bool>(), prop::bool::weighted(0.9), bound_to)
        .prop_map(|(of, spelling, session, enabled, bound_to)| RuleModel { of, spelling, session, enabled, bound_to })
}

/// Another name, which a careless comparison takes for the same; from 13 on the name itself.
fn misspell(name: &str, how: u8) -> String {
    match how {
        0 => name[..name.char_indices().last().map_or(0, |(at, _)| at)].to_owned(),
        1 => format!("{name}_"),
        2 => format!("{name}a"),
        3 => name.to_lowercase(),
        4 => name.to_uppercase(),
        5 => name.replace('_', "-"),
        6 => name.replacen("__", "_", 2),
        7 => name.replace('a', "а"),
        8 => name.replace('a', "ａ"),
        9 => format!("{name}\u{200B}"),
        10 => format!(" {name} "),
        11 => format!("{}*", &name[..name.len().min(5)]),
        12 => name.replace("\u{200B}", ""),
        _ => name.to_owned(),
    }
}

fn rules_of(models: &[RuleModel], set: &WorkingSet) -> Vec<Rule> {
    let names = full_names(set);
    let fingerprints: Vec<String> =
        set.servers().iter().flat_map(|server| server.tools().iter().map(|tool| tool.fingerprint())).collect();
    let rule = |(id, model): (usize, &RuleModel)| Rule {
        id: RuleId::Number(id as i64),
        scope: if model.session { RuleScope::Session } else { RuleScope::User },
        session_id: None,
        rule_value: misspell(&names[model.of.index(names.len())].0, model.spelling),
        enabled: model.enabled,
        tool_fingerprint: model.bound_to.map(|index| fingerprints[index.index(fingerprints.len())].clone()),
    };
    models.iter().enumerate().map(rule).collect()
}

fn any_level() -> impl Strategy<Value = PermissionLevel> {
    use PermissionLevel::{Full, Proxy, ReadOnly, ReadWrite, Smart};
    select(vec![ReadOnly, ReadWrite, Smart, Proxy, Full])
}

fn any_mode() -> impl Strategy<Value = ExecutionMode> {
    prop_oneof![4 => Just(ExecutionMode::Local), 1 => Just(ExecutionMode::Cloud)]
}

/// A context without rules.
fn context() -> impl Strategy<Value = CallContext> {
    let trust = prop_oneof![
        3 => Just(Trust::All),
        1 => Just(Trust::None),
        2 => prop::collection::vec(0..4_i64, 0..3).prop_map(Trust::Servers),
    ];
    (any_mode(), any_level(), trust).prop_map(|(mode, level, trust)| CallContext {
        permission_level: level,
        trust,
        ..CallContext::new(mode)
    })
}

/// A call of a tool of the set, rightly spelt or nearly; the names may also be anything.
fn call_text(set: &WorkingSet, of: Index, spelling: u8, other: &Option<(String, String)>) -> String {
    let names = full_names(set);
    let (server, tool) = other.clone().unwrap_or_else(|| names[of.index(names.len())].1.clone());
    let (server, tool) = match spelling {
        0 => (server.to_uppercase(), tool),
        1 => (server, tool.replace('_', "-")),
        2 => (server.clone(), full_tool_name(&server, &tool)),
        3 => (server.clone(), format!("{server}.{tool}")),
        _ => (server, tool),
    };
    json!({"server": server, "tool": tool, "arguments": {"x": 1}}).to_string()
}

fn executes<'s, 'a>(plan: Plan<'s, 'a>) -> Option<Execution<'s, 'a>> {
    match plan {
        Plan::Execute(execution) => Some(execution),
        Plan::Refuse(_) => None,
    }
}

fn decision_of(plan: Plan<'_, '_>) -> Decision {
    match plan {
        Plan::Execute(execution) => execution.decision,
        Plan::Refuse(refusal) => refusal.decision,
    }
}

fn strictness(decision: &Decision) -> u8 {
    match decision.outcome {
        Outcome::Allow => 0,
        Outcome::AskModel => 1,
        Outcome::AskUser => 2,
    }
}

// ---- Laws -------------------------------------------------------------------------------------------------------

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// More permission never gives a stricter outcome, along both chains; and along one chain where nothing is believed.
    #[test]
    fn more_permission_is_never_stricter(
        model in set(), rules in prop::collection::vec(rule(), 0..4), context in context(), of: Index, spelling in 0..12_u8,
    ) {
        use PermissionLevel::{Full, Proxy, ReadOnly, ReadWrite, Smart};
        let set = model.build();
        let text = call_text(&set, of, spelling, &None);
        let rules = rules_of(&rules, &set);
        let at = |permission_level, trust: &Trust| {
            let context =
                CallContext { permission_level, trust: trust.clone(), rules: rules.clone(), ..context.clone() };
            strictness(&decision_of(set.plan_call(&text, &context)))
        };
        for chain in [vec![ReadOnly, ReadWrite, Full], vec![Smart, Proxy, Full]] {
            let outcomes: Vec<_> = chain.iter().map(|level| at(*level, &context.trust)).collect();
            prop_assert!(outcomes.is_sorted_by(|less, more| less >= more), "{chain:?}: {outcomes:?}");
        }
        let outcomes = [ReadOnly, ReadWrite, Smart, Proxy, Full].map(|level| at(level, &Trust::None));
        prop_assert!(outcomes.is_sorted_by(|less, more| less >= more), "{outcomes:?}");
    }

    /// A call that a rule allows is allowed by a rule of exactly this tool, whose name no other tool has.
    #[test]
    fn a_rule_allows_no_other_tool(
        model in set(), rules in prop::collection::vec(rule(), 1..6), context in context(), of: Index, spelling in 0..12_u8,
        other in prop::option::weighted(0.2, (name(), name())),
    ) {
        let set = model.build();
        let text = call_text(&set, of, spelling, &other);
        let context = CallContext { rules: rules_of(&rules, &set), ..context };
        let Some(call) = executes(set.plan_call(&text, &context)) else { return Ok(()) };
        let full_name = call.full_tool_name();
        let decision = &call.decision;
        if decision.basis == Basis::Rule {
            let rule = context.rules.iter().find(|rule| Some(&rule.id) == decision.rule_id.as_ref()).unwrap();
            prop_assert!(rule.enabled && rule.rule_value == full_name);
            prop_assert!(rule.tool_fingerprint.as_ref().is_none_or(|approved| *approved == call.tool.fingerprint()));
            let bearers: Vec<_> = full_names(&set).into_iter().filter(|(name, _)| *name == full_name).collect();
            prop_assert_eq!(bearers.len(), 1, "{}", full_name);
        }
        // Rules of other names change nothing at all, and neither does their order.
        let rules = context.rules.iter().filter(|rule| rule.rule_value == full_name).cloned().collect();
        let own = decision_of(set.plan_call(&text, &CallContext { rules, ..context.clone() }));
        prop_assert_eq!(&own, decision);
        let rules = context.rules.iter().rev().cloned().collect();
        let reversed = decision_of(set.plan_call(&text, &CallContext { rules, ..context.clone() }));
        prop_assert_eq!((reversed.outcome, reversed.basis), (decision.outcome, decision.basis));
    }

    /// The rule that a hint offers allows the call it was offered for, and no call of another tool.
    #[test]
    fn a_hint_allows_its_own_tool_only(model in set(), context in context(), of: Index) {
        let set = model.build();
        let text = call_text(&set, of, u8::MAX, &None);
        let Some(call) = executes(set.plan_call(&text, &context)) else { return Ok(()) };
        let Some(hint) = call.decision.hint.clone() else {
            let may_be_remembered = call.decision.need_approval && call.decision.rules_apply;
            prop_assert!(!may_be_remembered, "{:?}", call.decision);
            return Ok(());
        };
        prop_assert_eq!(&hint.rule_value, &call.full_tool_name());
        let rule = Rule {
            id: RuleId::Number(1), scope: RuleScope::User, session_id: None, rule_value: hint.rule_value, enabled: true,
            tool_fingerprint: call.decision.tool_fingerprint.clone(),
        };
        let with_rule = CallContext { rules: vec![rule], ..context.clone() };
        for (_, (server, tool)) in full_names(&set) {
            let text = json!({"server": server, "tool": tool}).to_string();
            let before = set.plan_call(&text, &context);
            let after = decision_of(set.plan_call(&text, &with_rule));
            match executes(before) {
                Some(other) if (other.server.address(), other.tool.name()) == (call.server.address(), call.tool.name()) => {
                    prop_assert_eq!(after.basis, Basis::Rule);
                }
                Some(other) => prop_assert_eq!(after, other.decision),
                None => prop_assert!(after.need_approval),
            }
        }
    }

    /// What a tool says of itself changes the decisions about no other tool.
    #[test]
    fn an_annotation_affects_no_other_tool(model in set(), context in context(), changed: Index) {
        let set = model.build();
        let mut other = model.clone();
        let changed = changed.index(other.tools.len());
        other.tools[changed].read_only = Some(true);
        other.tools[changed].destructive = Some(false);
        let bearer = (&model.servers[model.tools[changed].server], &model.tools[changed].name);
        let other = other.build();
        for (_, (server, tool)) in full_names(&set) {
            let text = json!({"server": server, "tool": tool}).to_string();
            let Some(before) = executes(set.plan_call(&text, &context)) else { continue };
            if (before.server.name(), before.tool.name()) == (bearer.0.as_str(), bearer.1.as_str()) {
                continue;
            }
            prop_assert_eq!(decision_of(other.plan_call(&text, &context)), before.decision);
        }
    }

    /// The same decision whenever, wherever and in whatever order it is asked: nothing but the inputs counts.
    #[test]
    fn a_decision_depends_on_nothing_but_its_inputs(
        model in set(), rules in prop::collection::vec(rule(), 0..4), context in context(),
        calls in prop::collection::vec((any::<Index>(), 0..12_u8), 1..5), order in prop::collection::vec(any::<Index>(), 0..6),
    ) {
        let (set, again) = (model.build(), model.build_ordered(&order));
        let context = CallContext { rules: rules_of(&rules, &set), ..context };
        let texts: Vec<_> = calls.iter().map(|(of, spelling)| call_text(&set, *of, *spelling, &None)).collect();
        let plans: Vec<_> = texts.iter().map(|text| set.plan_call(text, &context).to_json()).collect();
        // Another set of the same content, other calls before, from another thread.
        let others: Vec<_> = std::thread::scope(|scope| {
            let plan = |text: &String| again.plan_call(text, &context).to_json();
            let texts = &texts;
            scope.spawn(move || texts.iter().rev().map(plan).collect()).join().unwrap()
        });
        let others: Vec<String> = others.into_iter().rev().collect();
        prop_assert_eq!(plans, others);
    }

    /// Both ways to ask come to the same: by the plan, and by the real name of what the plan would run.
    #[test]
    fn a_dispatcher_of_the_host_gets_the_decision_of_the_plan(
        model in set(), rules in prop::collection::vec(rule(), 0..4), context in context(), of: Index, spelling in 0..12_u8,
    ) {
        let set = model.build();
        let text = call_text(&set, of, spelling, &None);
        let context = CallContext { rules: rules_of(&rules, &set), ..context };
        let Some(call) = executes(set.plan_call(&text, &context)) else { return Ok(()) };
        let full_name = call.full_tool_name();
        let unique = full_names(&set).iter().filter(|(name, _)| *name == full_name).count() == 1;
        let differing = model.tools.iter().filter(|tool| {
            (&*model.servers[tool.server], &*tool.name) == (call.server.name(), call.tool.name())
        });
        if !unique || differing.count() > 1 {
            // A host without a set cannot know; the guide says what it passes then.
            return Ok(());
        }
        let trusted = match &context.trust {
            Trust::All => true,
            Trust::None => false,
            Trust::Servers(ids) => call.server.id() != 0 && ids.contains(&call.server.id()),
        };
        let request = ApprovalRequest {
            permission_level: context.permission_level, source: Some("mcp".into()), annotations: call.tool.annotations(),
            trusted, tool_fingerprint: Some(call.tool.fingerprint()), rules: context.rules.clone(),
            ..ApprovalRequest::new(context.execution_mode, Some(full_name.clone()))
        };
        if mcp_working_set::parse_full_tool_name(&full_name).is_none() {
            prop_assert_eq!(decide_approval(&request).basis == Basis::Unrestorable, context.permission_level != PermissionLevel::Full);
        } else {
            prop_assert_eq!(decide_approval(&request), call.decision);
        }
    }

    /// Equality of names is equality of bytes.
    #[test]
    fn a_rule_matches_its_own_bytes_only(a in name(), b in name(), how in 0..14_u8) {
        let full_name = full_tool_name(&a, &b);
        for value in [misspell(&full_name, how), full_tool_name(&b, &a), b, full_name.clone()] {
            let rule = Rule {
                id: RuleId::Number(1), scope: RuleScope::User, session_id: None, rule_value: value.clone(), enabled: true,
                tool_fingerprint: None,
            };
            let request = RuleRequest { full_tool_name: &full_name, ..RuleRequest::default() };
            prop_assert_eq!(match_rules(&[rule], &request).0.is_some(), value.as_bytes() == full_name.as_bytes());
        }
    }
}

// ---- What is approved is what runs ------------------------------------------------------------------------------

/// A JSON string literal; `how` picks, for each character in turn, its escape or the character itself.
fn spell(text: &str, how: u32) -> String {
    let mut literal = String::from("\"");
    for (index, c) in text.chars().enumerate() {
        if how >> (index % 32) & 1 == 1 || c < ' ' || matches!(c, '"' | '\\') {
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| literal.push_str(&format!("\\u{unit:04x}")));
        } else {
            literal.push(c);
        }
    }
    literal + "\""
}

/// Names of the one set that these calls are about; what one reader takes for another's stands beside it.
const NAMES: [&str; 7] = ["a", "b", "a__b", "b__c", "c", "mcp_call", "server"];

fn small_set() -> WorkingSet {
    let servers: Vec<_> = NAMES.iter().enumerate().map(|(id, name)| json!({"id": id + 1, "name": name})).collect();
    let tools = NAMES.iter().enumerate().flat_map(|(id, _)| {
        NAMES.iter().map(move |tool| json!({"serverId": id + 1, "toolName": tool, "description": id.to_string()}))
    });
    let document = json!({"servers": servers, "tools": tools.collect::<Vec<_>>()});
    WorkingSet::from_json(document.to_string().as_bytes()).unwrap()
}

/// The members of a call in any number and order, each key and name spelt in any way: mostly no call.
fn members() -> impl Strategy<Value = Vec<(String, String)>> {
    let key = select(vec!["server", "server", "tool", "tool", "arguments", "Server", "tool ", "x"]);
    let inner =
        prop::collection::vec((select(&["server", "tool", "k"][..]), select(&NAMES[..])), 0..4).prop_map(|inner| {
            let inner: Vec<_> = inner.iter().map(|(key, name)| format!("\"{key}\" : \"{name}\"")).collect();
            format!("{{ {} }}", inner.join(","))
        });
    let value = (select(&NAMES[..]), inner, 0..12_u8, any::<u32>()).prop_map(|(name, inner, kind, how)| match kind {
        0 => "null".to_owned(),
        1 => "7".to_owned(),
        2 | 3 => inner,
        4 => spell(&inner, how),
        5 => format!("[{inner}]"),
        _ => spell(name, how),
    });
    prop::collection::vec((key, any::<u32>(), value), 0..6)
        .prop_map(|members| members.into_iter().map(|(key, how, value)| (spell(key, how), value)).collect())
}

/// A text that might be a call, in any wrapping, whole or damaged.
fn text() -> impl Strategy<Value = String> {
    let good =
        (select(&NAMES[..]), select(&NAMES[..]), any::<u32>(), members()).prop_map(|(server, tool, how, others)| {
            let mut members = vec![
                (spell("server", how), spell(server, how >> 3)),
                (spell("tool", how >> 7), spell(tool, how >> 11)),
            ];
            members.extend(others.into_iter().filter(|_| how % 3 == 0));
            members
        });
    let damage = prop::option::weighted(0.3, (any::<Index>(), any::<Index>(), any::<bool>()));
    (prop_oneof![good, members()], 0..8_u8, any::<u32>(), damage).prop_map(|(members, wrapping, how, damage)| {
        let members: Vec<_> = members.iter().map(|(key, value)| format!("{key}:{value}")).collect();
        let object = format!("{{{}}}", members.join(" , "));
        let mut text = match wrapping {
            0 => spell(&object, how),
            1 => format!("```json\n{object}\n```"),
            2 => spell(&spell(&object, 0), how),
            3 => format!("{object} {object}"),
            _ => object,
        };
        if let Some((from, to, twice)) = damage {
            let mut chars: Vec<char> = text.chars().collect();
            let (from, to) = (from.index(chars.len()), to.index(chars.len()));
            let stretch = from.min(to)..from.max(to);
            if twice {
                let copy = chars[stretch.clone()].to_vec();
                chars.splice(stretch.end..stretch.end, copy);
            } else {
                chars.drain(stretch);
            }
            text = chars.into_iter().collect();
        }
        text
    })
}

/// Another reader of calls, which knows nothing of the library's: members in order, doubled ones included.
fn other_reader(text: &str) -> Option<Vec<(String, Value)>> {
    struct Members(Vec<(String, Value)>);
    impl<'de> serde::Deserialize<'de> for Members {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct InOrder;
            impl<'de> serde::de::Visitor<'de> for InOrder {
                type Value = Members;
                fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.write_str("an object")
                }
                fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                    let mut members = Vec::new();
                    while let Some(member) = map.next_entry()? {
                        members.push(member);
                    }
                    Ok(Members(members))
                }
            }
            deserializer.deserialize_map(InOrder)
        }
    }
    let text = text.trim();
    let unwrapped = match serde_json::from_str::<String>(text) {
        Ok(inner) => inner,
        Err(_) if text.starts_with("```") => text[text.find('{')?..=text.rfind('}')?].to_owned(),
        Err(_) => text.to_owned(),
    };
    serde_json::from_str::<Members>(unwrapped.trim()).ok().map(|members| members.0)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, ..ProptestConfig::default() })]

    /// Approval, restored name and executor see one server, one tool and one text of arguments, and it is what every
    /// other reader of JSON sees. Where readers could disagree nothing runs.
    #[test]
    fn what_is_approved_is_what_runs(text in text(), level in any_level()) {
        let set = small_set_once();
        let context = CallContext { permission_level: level, ..CallContext::new(ExecutionMode::Cloud) };
        let restored = restore_full_tool_name(&text);
        prop_assert_eq!(effective_tool_name("mcp_call", &text).map(|name| name.into_owned()), restored.clone());
        let call = ToolCall::parse(&text);
        prop_assert_eq!(call.as_ref().ok().map(ToolCall::full_tool_name), restored.clone());
        let plan = set.plan_call(&text, &context);
        let Plan::Execute(execution) = plan else {
            let decision = decision_of(plan);
            prop_assert!(decision.outcome == Outcome::AskUser && !decision.rules_apply && decision.hint.is_none());
            prop_assert_eq!(decision.basis == Basis::Unrestorable, restored.is_none());
            return Ok(());
        };
        let call = call.unwrap();
        let members = other_reader(&text).unwrap_or_else(|| panic!("only one reader understands {text}"));
        let said = |key: &str| members.iter().filter(|(other, _)| other == key).map(|(_, value)| value).collect::<Vec<_>>();
        prop_assert_eq!(said("server"), vec![call.server()]);
        prop_assert_eq!(said("tool"), vec![call.tool()]);
        // Damage can leave a name that is spelt otherwise; then the plan says so, and decides about the real one.
        let respelled = |repair: &Repair| matches!(repair, Repair::RespelledServer | Repair::RespelledTool);
        let real = (execution.server.address(), execution.tool.name());
        prop_assert_eq!((call.server(), call.tool()) != real, execution.repairs.iter().any(respelled));
        prop_assert_eq!(restored.unwrap().to_lowercase().replace(['-', ' '], "_"), execution.full_tool_name());
        prop_assert_eq!(execution.decision.tool_fingerprint.clone(), Some(execution.tool.fingerprint()));
        let arguments: Map<String, Value> = serde_json::from_str(&execution.arguments_json).unwrap();
        match said("arguments").as_slice() {
            [] | [Value::Null] => prop_assert!(arguments.is_empty()),
            [Value::String(inner)] if inner.is_empty() => prop_assert!(arguments.is_empty()),
            [Value::String(inner)] => prop_assert_eq!(&*execution.arguments_json, inner.trim()),
            [Value::Object(inner)] => {
                prop_assert_eq!(&arguments, inner);
                // Byte for byte, unless the whole text was wrapped in a string.
                prop_assert!(text.trim_start().starts_with('"') || text.contains(&*execution.arguments_json));
            }
            other => panic!("{other:?} ran as {arguments:?}"),
        }
    }

    /// A key that stands there twice, however it is spelt and wherever the second stands, is never guessed about.
    #[test]
    fn a_doubled_key_never_runs(
        server in select(&NAMES[..]), tool in select(&NAMES[..]), again in select(&["server", "tool", "arguments"][..]),
        name in select(&NAMES[..]), how: u32, place: Index, level in any_level(), wrap in 0..3_u8,
    ) {
        let mut members = vec![
            format!("\"server\":{}", spell(server, how)), format!("{}:\"{tool}\"", spell("tool", how)),
            "\"arguments\":{}".to_owned(),
        ];
        let value = if again == "arguments" { "{}".to_owned() } else { spell(name, how) };
        members.insert(place.index(4), format!("{}:{value}", spell(again, how >> 5)));
        let object = format!("{{{}}}", members.join(","));
        let text = match wrap {
            0 => spell(&object, how),
            1 => format!("```\n{object}\n```"),
            _ => object,
        };
        let context = CallContext { permission_level: level, ..CallContext::new(ExecutionMode::Local) };
        match small_set_once().plan_call(&text, &context) {
            Plan::Refuse(refusal) => prop_assert_eq!(refusal.code.as_str(), "invalid_arguments"),
            Plan::Execute(call) => panic!("{text} ran {}", call.full_tool_name()),
        }
        prop_assert_eq!(restore_full_tool_name(&text), None);
    }
}

/// The same set for all cases: building it is most of the work.
fn small_set_once() -> &'static WorkingSet {
    static SET: std::sync::OnceLock<WorkingSet> = std::sync::OnceLock::new();
    SET.get_or_init(small_set)
}

/// The generators reach what they are about; without this a law could hold for want of a case.
#[test]
fn the_laws_are_about_something() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let (mut ambiguous, mut by_rule, mut executed, mut refused) = (0, 0, 0, BTreeSet::new());
    let cases = (set(), prop::collection::vec(rule(), 1..6), any::<Index>(), text());
    for _ in 0..3_000 {
        let (model, rules, of, text) = cases.new_tree(&mut runner).unwrap().current();
        let set = model.build();
        ambiguous += usize::from(set.warnings().iter().any(|warning| warning.code.as_str() == "ambiguous_full_name"));
        let context = CallContext {
            permission_level: PermissionLevel::Smart,
            rules: rules_of(&rules, &set),
            ..CallContext::new(ExecutionMode::Local)
        };
        let call = call_text(&set, of, u8::MAX, &None);
        by_rule += usize::from(decision_of(set.plan_call(&call, &context)).basis == Basis::Rule);
        match small_set_once().plan_call(&text, &CallContext::new(ExecutionMode::Cloud)) {
            Plan::Execute(_) => executed += 1,
            Plan::Refuse(refusal) => drop(refused.insert(refusal.code.as_str())),
        }
    }
    assert!(ambiguous > 500 && by_rule > 200 && executed > 300, "{ambiguous} {by_rule} {executed}");
    assert!(refused.len() > 2, "{refused:?}");
}
