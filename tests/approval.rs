//! Approval against the public interface: the whole product of inputs, the order of levels, every reason, and what is
//! said about stored rules.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test")]

use std::collections::{BTreeMap, BTreeSet};

use mcp_working_set::{
    ApprovalRequest, CallContext, Decision, ExecutionMode, Locale, MAX_RULE_VALUE, MatchedRule, Outcome,
    PermissionLevel, Plan, Rule, RuleId, RuleRequest, RuleScope, RuleVerdict, Trust, WorkingSet, decide_approval,
    effective_tool_name, lint_rules, match_rules,
};
use serde_json::{Map, Value, json};

// ---- The product ------------------------------------------------------------------------------------------------

/// The axes of the product, slowest first.
const AXES: [&str; 8] = ["level", "mode", "call", "kind", "trust", "readOnlyHint", "destructiveHint", "rule"];

/// `tests/vectors/product/approval.json`; its format is described beside it.
struct Product(Value);

impl Product {
    fn read() -> Self {
        Self(serde_json::from_str(include_str!("vectors/product/approval.json")).unwrap())
    }

    fn axis(&self, name: &str) -> &[Value] {
        self.0["axes"][name].as_array().unwrap()
    }

    /// The letters of all points in the order of the axes. Panics where one is missing, repeated or unknown.
    fn letters(&self) -> Vec<char> {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let mut rows = BTreeMap::new();
        for block in self.0["points"].as_array().unwrap() {
            for row in block["rows"].as_array().unwrap() {
                let mut words = row.as_str().unwrap().split_whitespace().map(str::to_owned);
                let names = [(); 3].map(|()| words.next().unwrap());
                let key = (text(&block["level"]), text(&block["mode"]), names);
                let repeated = rows.insert(key.clone(), words.collect::<Vec<_>>());
                assert_eq!(repeated, None, "{key:?} stands there twice");
            }
        }
        let hints = self.axis("readOnlyHint").len() * self.axis("destructiveHint").len();
        let mut letters = Vec::new();
        for level in self.axis("level") {
            for mode in self.axis("mode") {
                for call in self.axis("call") {
                    for kind in self.axis("kind") {
                        for trust in self.axis("trust") {
                            let [level, mode, call, kind, trust] =
                                [level, mode, call, kind, trust].map(|v| text(&v["name"]));
                            let key = (level, mode, [call, kind, trust]);
                            let words = rows.remove(&key).unwrap_or_else(|| panic!("{key:?} is missing"));
                            assert_eq!(words.len(), hints, "{key:?}");
                            for word in words {
                                assert_eq!(word.chars().count(), self.axis("rule").len(), "{key:?}");
                                letters.extend(word.chars());
                            }
                        }
                    }
                }
            }
        }
        assert!(rows.is_empty(), "{:?} are no points", rows.keys());
        assert!(letters.iter().all(|&letter| self.0["answers"].get(letter.to_string()).is_some()));
        letters
    }

    /// The document of a set: the kind's, with both hints in every tool.
    fn document(&self, kind: &Value, hints: [&Value; 2]) -> String {
        let mut document = kind["document"].clone();
        for tool in document["tools"].as_array_mut().unwrap() {
            tool["annotations"] = annotations(hints);
        }
        document.to_string()
    }

    /// What the values of some axes and the common context say together.
    fn together(&self, values: &[&Value]) -> Map<String, Value> {
        let mut together = self.0["context"].as_object().unwrap().clone();
        for value in values {
            together.extend(value.as_object().unwrap().clone());
        }
        together
    }
}

fn annotations(hints: [&Value; 2]) -> Value {
    hints.iter().flat_map(|hint| hint["annotations"].as_object().unwrap().clone()).collect()
}

/// What a letter stands for, taken from a decision.
fn answer(decision: &Decision) -> Value {
    let json: Value = serde_json::from_str(&decision.to_json()).unwrap();
    assert_eq!(json["needApproval"], json["outcome"] != "allow");
    assert!(!decision.reason.is_empty() && !decision.reason.contains('\n'));
    json!({
        "outcome": json["outcome"], "basis": json["basis"], "rulesApply": json["rulesApply"],
        "ruleId": json.get("ruleId"), "hint": decision.hint.is_some(),
    })
}

fn planned(plan: &Plan<'_, '_>) -> (Value, Decision) {
    let (mut answer, more, decision) = match plan {
        Plan::Execute(call) => (answer(&call.decision), json!({"kind": "execute"}), call.decision.clone()),
        Plan::Refuse(refusal) => {
            let (code, name) = (refusal.code.as_str(), &refusal.full_tool_name);
            let more = json!({"kind": "refuse", "code": code, "fullToolName": name});
            (answer(&refusal.decision), more, refusal.decision.clone())
        }
    };
    answer.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    (answer, decision)
}

#[test]
fn the_product_is_complete() {
    let product = Product::read();
    let sizes = AXES.map(|axis| product.axis(axis).len());
    assert_eq!(sizes, [7, 2, 6, 3, 2, 4, 3, 7]);
    for axis in AXES {
        let names: BTreeSet<_> = product.axis(axis).iter().map(|value| value["name"].as_str().unwrap()).collect();
        assert_eq!(names.len(), product.axis(axis).len(), "the values of {axis} have names of their own");
    }
    assert_eq!(product.letters().len(), sizes.iter().product::<usize>());
}

/// Every point is planned; where the host can know as much, its own dispatcher gets the same decision.
#[test]
fn every_point_is_decided_as_the_table_says() {
    let product = Product::read();
    let (letters, subject) = (product.letters(), &product.0["subject"]);
    let mut sets = Vec::new();
    for kind in product.axis("kind") {
        for read_only in product.axis("readOnlyHint") {
            for destructive in product.axis("destructiveHint") {
                sets.push(WorkingSet::from_json(product.document(kind, [read_only, destructive]).as_bytes()).unwrap());
            }
        }
    }
    let answers: BTreeMap<char, &Value> = product.0["answers"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(letter, answer)| (letter.chars().next().unwrap(), answer))
        .collect();
    let mut points = letters.iter();
    let mut own_dispatcher = 0;
    for level in product.axis("level") {
        for mode in product.axis("mode") {
            for call in product.axis("call") {
                let text = call["argumentsJson"].as_str().unwrap();
                let full_name = effective_tool_name("mcp_call", text);
                for (kind, sets) in product.axis("kind").iter().zip(sets.chunks(12)) {
                    for trust in product.axis("trust") {
                        let contexts: Vec<_> = product
                            .axis("rule")
                            .iter()
                            .map(|rule| product.together(&[level, mode, trust, rule]))
                            .map(|json| CallContext::from_json(Value::from(json).to_string().as_bytes()).unwrap())
                            .collect();
                        let hints = product.axis("readOnlyHint").iter().flat_map(|read_only| {
                            product.axis("destructiveHint").iter().map(move |destructive| [read_only, destructive])
                        });
                        for (hints, set) in hints.zip(sets) {
                            for (context, rule) in contexts.iter().zip(product.axis("rule")) {
                                let letter = *points.next().unwrap();
                                let at = || {
                                    let names = [level, mode, call, kind, trust, hints[0], hints[1], rule];
                                    format!("{letter} at {:?}", names.map(|value| value["name"].as_str().unwrap()))
                                };
                                let plan = set.plan_call(text, context);
                                let (answer, decision) = planned(&plan);
                                assert_eq!(&answer, answers[&letter], "{}", at());
                                if let Some(hint) = &decision.hint {
                                    assert_eq!(subject["fullToolName"], hint.rule_value, "{}", at());
                                }
                                if let Plan::Execute(call) = &plan {
                                    let runs = json!({
                                        "server": call.server.address(), "tool": call.tool.name(),
                                        "serverId": call.server.id(), "fullToolName": call.full_tool_name(),
                                        "argumentsJson": call.arguments_json,
                                    });
                                    assert_eq!(&runs, subject, "{}", at());
                                    assert_eq!(decision.tool_fingerprint, Some(call.tool.fingerprint()), "{}", at());
                                }
                                if kind["name"] == "plain" && call["name"] == "restorable" {
                                    own_dispatcher += 1;
                                    let mut request = product.together(&[level, mode, trust, rule]);
                                    request.insert("toolName".into(), json!(full_name));
                                    request.insert("annotations".into(), annotations(hints));
                                    request.insert("toolFingerprint".into(), json!(decision.tool_fingerprint));
                                    let request = Value::from(request).to_string();
                                    let request = ApprovalRequest::from_json(request.as_bytes()).unwrap();
                                    assert_eq!(decide_approval(&request), decision, "{}", at());
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    assert_eq!((points.next(), own_dispatcher), (None, 7 * 2 * 2 * 12 * 7));
}

#[test]
fn a_call_without_a_name_asks_at_every_level_but_full() {
    let product = Product::read();
    let mut seen = 0;
    for block in product.0["points"].as_array().unwrap() {
        let named = |axis: &str| product.axis(axis).iter().find(|value| value["name"] == block[axis]).unwrap();
        let mut expected = product.0["answers"][block["unnamed"].as_str().unwrap()].clone();
        expected.as_object_mut().unwrap().remove("kind");
        for call in product.axis("call") {
            let text = call["argumentsJson"].as_str().unwrap();
            if effective_tool_name("mcp_call", text).is_some() {
                continue;
            }
            for name in [None, Some("mcp_call"), Some(""), Some("mcp__"), Some("mcp__a"), Some("mcp__a__")] {
                for rule in product.axis("rule") {
                    let mut request = product.together(&[named("level"), named("mode"), rule]);
                    request.insert("toolName".into(), json!(name));
                    request.insert("source".into(), json!("mcp"));
                    request.insert("annotations".into(), json!({"readOnlyHint": true}));
                    request.insert("matchedRule".into(), json!({"ruleId": 1, "ruleValue": name.unwrap_or_default()}));
                    let request = ApprovalRequest::from_json(Value::from(request).to_string().as_bytes()).unwrap();
                    assert_eq!(answer(&decide_approval(&request)), expected, "{block} {name:?}");
                    seen += 1;
                }
            }
        }
    }
    assert_eq!(seen, 7 * 2 * 3 * 6 * 7);
}

/// How strict an answer is; what is refused runs at no level.
fn strictness(answer: &Value) -> u8 {
    match answer["outcome"].as_str().unwrap() {
        _ if answer["kind"] == "refuse" => 3,
        "ask_user" => 2,
        "ask_model" => 1,
        "allow" => 0,
        other => panic!("{other} is no outcome"),
    }
}

/// "More permission never gives a stricter outcome", over all points; and where levels cannot be compared, why not.
#[test]
fn levels_are_ordered_exactly_as_documented() {
    let product = Product::read();
    let (letters, levels) = (product.letters(), product.axis("level"));
    let strictness = |letter: char| strictness(&product.0["answers"][letter.to_string()]);
    let of_level = |name: &str| {
        let index = levels.iter().position(|level| level["name"] == name).unwrap();
        letters.chunks(letters.len() / levels.len()).nth(index).unwrap()
    };
    let chain = ["READ_ONLY", "READ_WRITE", "SMART", "PROXY", "FULL"];
    for (index, less) in chain.iter().enumerate() {
        for more in &chain[index + 1..] {
            // Only these chains hold for every call; across them, exactly the calls that an annotation lets run.
            let across = ["READ_ONLY", "READ_WRITE"].contains(less) && ["SMART", "PROXY"].contains(more);
            let mut exceptions = 0;
            for (&letter_less, &letter_more) in of_level(less).iter().zip(of_level(more)) {
                let stricter = strictness(letter_more) > strictness(letter_less);
                // A rule allows at the higher level what the annotation allows at the lower.
                let believed = letter_less == 'A' && !['S', 'U'].contains(&letter_more);
                assert_eq!(stricter, across && believed, "{less} {letter_less}, {more} {letter_more}");
                exceptions += usize::from(stricter);
            }
            assert_eq!(exceptions > 0, across, "{less}, {more}");
        }
    }
    for other in ["unknown", "null"] {
        assert_eq!(of_level(other), of_level("READ_ONLY"));
    }
}

/// In every other input, too, what speaks for a call never makes its outcome stricter.
#[test]
fn trust_rules_and_hints_never_make_an_outcome_stricter() {
    let product = Product::read();
    let letters = product.letters();
    let sizes = AXES.map(|axis| product.axis(axis).len());
    let place = |axis: &str, name: &str| {
        let axis = AXES.iter().position(|other| *other == axis).unwrap();
        (axis, product.axis(AXES[axis]).iter().position(|value| value["name"] == name).unwrap())
    };
    let better: Vec<_> = [
        ("trust", "untrusted", "trusted"),
        ("rule", "none", "session"),
        ("rule", "none", "user"),
        ("rule", "denied", "session"),
        ("rule", "disabled", "user"),
        ("rule", "outdated", "user"),
        ("kind", "duplicate", "plain"),
        ("kind", "ambiguous", "plain"),
        ("readOnlyHint", "false", "not-said"),
        ("readOnlyHint", "not-said", "true"),
        ("readOnlyHint", "not-a-boolean", "true"),
        ("destructiveHint", "true", "not-said"),
        ("destructiveHint", "not-said", "false"),
        ("call", "unavailable", "restorable"),
    ]
    .iter()
    .map(|(axis, less, more)| (place(axis, less), place(axis, more).1))
    .collect();
    let strictness: Vec<u8> =
        letters.iter().map(|letter| strictness(&product.0["answers"][letter.to_string()])).collect();
    for (index, less_strictness) in strictness.iter().enumerate() {
        for &((axis, less), more) in &better {
            let step: usize = sizes[axis + 1..].iter().product();
            if index / step % sizes[axis] == less {
                let with_more = index - less * step + more * step;
                assert!(strictness[with_more] <= *less_strictness, "{} from {less} to {more} at {index}", AXES[axis]);
            }
        }
    }
}

// ---- Reasons ----------------------------------------------------------------------------------------------------

fn user_rule(id: i64, value: &str) -> Rule {
    Rule {
        id: RuleId::Number(id),
        scope: RuleScope::User,
        session_id: None,
        rule_value: value.to_owned(),
        enabled: true,
        tool_fingerprint: None,
    }
}

const SUBJECT: &str = "mcp__s__t";

/// One server `s` (id 1) with one tool `t`, and whatever else a condition needs.
fn set_of(tool: &Value, more_tools: &[Value], more_servers: &[Value]) -> WorkingSet {
    let base = |tool: &Value| {
        let mut base = json!({"serverId": 1, "serverName": "s", "toolName": "t"});
        base.as_object_mut().unwrap().extend(tool.as_object().unwrap().clone());
        base
    };
    let tools: Vec<_> = std::iter::once(tool).chain(more_tools).map(base).collect();
    let mut servers = vec![json!({"id": 1, "name": "s"})];
    servers.extend_from_slice(more_servers);
    WorkingSet::from_json(json!({"servers": servers, "tools": tools}).to_string().as_bytes()).unwrap()
}

/// What is asked about: everything that a decision tells apart, one condition each, with the sentence it must give.
fn conditions() -> Vec<(&'static str, Decision, Decision, &'static str, &'static str)> {
    use ExecutionMode::{Cloud, Local};
    use PermissionLevel::{Full, Proxy, ReadOnly, ReadWrite, Smart};
    let mut conditions = Vec::new();
    let mut named = |name: &'static str, mode, level, tool_name: Option<&str>, zh_cn, en| {
        let [zh, english] = [Locale::ZhCn, Locale::En].map(|locale| {
            let mut request = ApprovalRequest::new(mode, tool_name.map(str::to_owned));
            request.permission_level = level;
            request.locale = locale;
            decide_approval(&request)
        });
        conditions.push((name, zh, english, zh_cn, en));
    };
    named(
        "describe",
        Local,
        ReadOnly,
        Some("mcp_describe"),
        "mcp_describe 只查询本会话的工具清单",
        "mcp_describe only reads the session's own list",
    );
    named(
        "unrestorable",
        Local,
        Smart,
        None,
        "无法确定要调用的 MCP 工具,需要用户确认",
        "which MCP tool is meant cannot be determined, so a person must confirm",
    );
    named(
        "not mcp",
        Local,
        Smart,
        Some("shell"),
        "不是 MCP 工具,由宿主自行判定",
        "not an MCP tool, so this is the host's own decision",
    );
    named("full", Local, Full, Some(SUBJECT), "FULL 级别放行所有调用", "FULL lets every call run");
    named("cloud", Cloud, Smart, Some(SUBJECT), "云端会话的工具调用不需要审批", "cloud sessions have no approval");

    let call = r#"{"server":"s","tool":"t"}"#;
    let mut planned = |name: &'static str, set: &WorkingSet, call: &str, context: &CallContext, zh_cn, en| {
        let [zh, english] = [Locale::ZhCn, Locale::En].map(|locale| {
            match set.plan_call(call, &CallContext { locale, ..context.clone() }) {
                Plan::Execute(call) => call.decision,
                Plan::Refuse(refusal) => refusal.decision,
            }
        });
        conditions.push((name, zh, english, zh_cn, en));
    };
    let at = |level| CallContext { permission_level: level, ..CallContext::new(Local) };
    let read_only = json!({"annotations": {"readOnlyHint": true}});
    let says = |annotations: Value| json!({ "annotations": annotations });
    let plain = set_of(&json!({}), &[], &[]);
    planned(
        "counts as read-only",
        &set_of(&read_only, &[], &[]),
        call,
        &at(ReadWrite),
        "只读工具,无需确认",
        "the tool counts as read-only",
    );

    // What takes a tool beyond READ_ONLY, and makes READ_WRITE ask.
    let other_server = [json!({"id": 2, "name": "s__t"})];
    let ambiguous = set_of(
        &json!({"toolName": "t__u", "annotations": {"readOnlyHint": true}}),
        &[json!({"serverId": 2, "serverName": "s__t", "toolName": "u"})],
        &other_server,
    );
    let ambiguous_call = r#"{"server":"s","tool":"t__u"}"#;
    let standings: [(&'static str, WorkingSet, &str, Trust, [&'static str; 4]); 6] = [
        (
            "not said",
            set_of(&json!({}), &[], &[]),
            call,
            Trust::All,
            [
                "READ_ONLY 级别只放行只读工具:该工具未声明只读",
                "READ_ONLY lets only read-only tools run: the tool does not say that it only reads",
                "MCP 工具调用需要用户确认:该工具未声明只读",
                "an MCP tool call needs the user's consent: the tool does not say that it only reads",
            ],
        ),
        (
            "writable",
            set_of(&says(json!({"readOnlyHint": false})), &[], &[]),
            call,
            Trust::All,
            [
                "READ_ONLY 级别只放行只读工具:该工具声明会写入",
                "READ_ONLY lets only read-only tools run: the tool says that it writes",
                "MCP 工具调用需要用户确认:该工具声明会写入",
                "an MCP tool call needs the user's consent: the tool says that it writes",
            ],
        ),
        (
            "contradictory",
            set_of(&says(json!({"readOnlyHint": true, "destructiveHint": true})), &[], &[]),
            call,
            Trust::All,
            [
                "READ_ONLY 级别只放行只读工具:该工具同时声明只读和破坏性",
                "READ_ONLY lets only read-only tools run: the tool says both that it only reads and that it destroys",
                "MCP 工具调用需要用户确认:该工具同时声明只读和破坏性",
                "an MCP tool call needs the user's consent: the tool says both that it only reads and that it destroys",
            ],
        ),
        (
            "differing copies",
            set_of(&read_only, &[json!({"description": "other", "annotations": {"readOnlyHint": true}})], &[]),
            call,
            Trust::All,
            [
                "READ_ONLY 级别只放行只读工具:该工具存在内容不同的重复定义",
                "READ_ONLY lets only read-only tools run: the tool was given in copies that differ",
                "MCP 工具调用需要用户确认:该工具存在内容不同的重复定义",
                "an MCP tool call needs the user's consent: the tool was given in copies that differ",
            ],
        ),
        (
            "untrusted",
            set_of(&read_only, &[], &[]),
            call,
            Trust::None,
            [
                "READ_ONLY 级别只放行只读工具:该 server 的只读声明不受信任",
                "READ_ONLY lets only read-only tools run: its server is not trusted to say that it only reads",
                "MCP 工具调用需要用户确认:该 server 的只读声明不受信任",
                "an MCP tool call needs the user's consent: its server is not trusted to say that it only reads",
            ],
        ),
        (
            "ambiguous",
            set_of(
                &json!({"toolName": "t__u", "annotations": {"readOnlyHint": true}}),
                &[json!({"serverId": 2, "serverName": "s__t", "toolName": "u"})],
                &other_server,
            ),
            ambiguous_call,
            Trust::All,
            [
                "READ_ONLY 级别只放行只读工具:该全名对应多个工具,规则不适用",
                "READ_ONLY lets only read-only tools run: its full name is another tool's as well, so no rule covers it",
                "MCP 工具调用需要用户确认:该全名对应多个工具,规则不适用",
                "an MCP tool call needs the user's consent: its full name is another tool's as well, so no rule covers it",
            ],
        ),
    ];
    for (name, set, call, trust, [zh_ro, en_ro, zh_rw, en_rw]) in &standings {
        planned(name, set, call, &CallContext { trust: trust.clone(), ..at(ReadOnly) }, zh_ro, en_ro);
        planned(name, set, call, &CallContext { trust: trust.clone(), ..at(ReadWrite) }, zh_rw, en_rw);
    }

    // Levels at which being read-only does not help.
    let quiet = set_of(&read_only, &[], &[]);
    planned(
        "smart",
        &quiet,
        call,
        &at(Smart),
        "MCP 工具调用需要用户确认:SMART 级别不自动评估 MCP 工具",
        "an MCP tool call needs the user's consent: SMART does not assess MCP tools",
    );
    planned(
        "smart, ambiguous",
        &ambiguous,
        ambiguous_call,
        &at(Smart),
        "MCP 工具调用需要用户确认:SMART 级别不自动评估 MCP 工具;该全名对应多个工具,规则不适用",
        "an MCP tool call needs the user's consent: SMART does not assess MCP tools; its full name is another tool's as well, so no rule covers it",
    );
    planned(
        "proxy",
        &quiet,
        call,
        &at(Proxy),
        "MCP 工具调用由审批模型判定",
        "an MCP tool call is decided by the approval model",
    );
    planned(
        "proxy, ambiguous",
        &ambiguous,
        ambiguous_call,
        &at(Proxy),
        "MCP 工具调用由审批模型判定:该全名对应多个工具,规则不适用",
        "an MCP tool call is decided by the approval model: its full name is another tool's as well, so no rule covers it",
    );

    // Rules: the one that allows, and each way in which none does.
    let with = |rule: Rule| CallContext { rules: vec![rule], ..at(Proxy) };
    planned("rule", &plain, call, &with(user_rule(1, SUBJECT)), "规则放行：mcp__s__t", "allowed by the rule mcp__s__t");
    planned(
        "disabled rule",
        &plain,
        call,
        &with(Rule { enabled: false, ..user_rule(1, SUBJECT) }),
        "MCP 工具调用由审批模型判定;规则已停用",
        "an MCP tool call is decided by the approval model; the rule is disabled",
    );
    let session_rule = Rule { scope: RuleScope::Session, session_id: Some("1".into()), ..user_rule(1, SUBJECT) };
    planned(
        "other session",
        &plain,
        call,
        &with(session_rule),
        "MCP 工具调用由审批模型判定;规则属于其他会话",
        "an MCP tool call is decided by the approval model; the rule belongs to another session",
    );
    planned(
        "definition changed",
        &plain,
        call,
        &with(Rule { tool_fingerprint: Some("00".into()), ..user_rule(1, SUBJECT) }),
        "MCP 工具调用由审批模型判定;工具定义在批准之后已变更,规则不再生效",
        "an MCP tool call is decided by the approval model; the tool's definition changed since it was approved",
    );
    planned(
        "denied",
        &plain,
        call,
        &CallContext { deny_tokens: vec![SUBJECT.into()], ..with(user_rule(1, SUBJECT)) },
        "MCP 工具调用由审批模型判定;名称命中禁用词,规则不生效",
        "an MCP tool call is decided by the approval model; a deny token in the name voids rules",
    );
    let long = "t".repeat(MAX_RULE_VALUE);
    planned(
        "too long to remember",
        &set_of(&json!({ "toolName": long }), &[], &[]),
        &json!({"server": "s", "tool": long}).to_string(),
        &at(Proxy),
        "MCP 工具调用由审批模型判定;全名超过 200 个字符,不能记住为规则",
        "an MCP tool call is decided by the approval model; its full name is longer than 200 characters, so no rule can be remembered for it",
    );

    // Refusals.
    let twins = set_of(&json!({}), &[json!({"toolName": "a-b"}), json!({"toolName": "a_b"})], &[]);
    let no_tools = br#"{"servers":[{"id":1,"name":"s"}],"tools":[]}"#;
    let no_tools = WorkingSet::from_json(no_tools).unwrap();
    let down = br#"{"servers":[{"id":1,"name":"s"}],"tools":[],"connectionErrors":[{"serverId":1,"reason":"x"}]}"#;
    let down = WorkingSet::from_json(down).unwrap();
    let refusals: [(&'static str, &WorkingSet, &str, &'static str, &'static str); 8] = [
        ("invalid json", &plain, "{", "参数不是合法的 JSON,不会执行", "the arguments are not JSON, so nothing runs"),
        (
            "invalid arguments",
            &plain,
            "{}",
            "参数不符合 mcp_call 的结构,不会执行",
            "the arguments are not those of a call, so nothing runs",
        ),
        (
            "unknown server",
            &plain,
            r#"{"server":"x","tool":"t"}"#,
            "本会话没有该 MCP server,不会执行",
            "the session has no such MCP server, so nothing runs",
        ),
        (
            "unknown tool",
            &plain,
            r#"{"server":"s","tool":"x"}"#,
            "该 MCP server 没有该工具,不会执行",
            "the MCP server has no such tool, so nothing runs",
        ),
        (
            "ambiguous spelling",
            &twins,
            r#"{"server":"s","tool":"a b"}"#,
            "名称与多个工具相符,不会执行",
            "the name fits several tools, so nothing runs",
        ),
        (
            "unavailable",
            &down,
            call,
            "该 MCP server 当前不可用,不会执行",
            "the MCP server is unavailable, so nothing runs",
        ),
        (
            "empty list",
            &no_tools,
            call,
            "本会话的工具清单同步失败,不会执行",
            "the session's tool list could not be synchronised, so nothing runs",
        ),
        (
            "unroutable",
            &ambiguous,
            r#"{"server":"s__t","tool":"u"}"#,
            "该名称在本地会话中可能到达其他工具,不会执行",
            "the name might reach another tool, so nothing runs",
        ),
    ];
    for (name, set, call, zh_cn, en) in refusals {
        planned(name, set, call, &at(Full), zh_cn, en);
    }
    #[cfg(feature = "validate")]
    planned(
        "schema violation",
        &set_of(&json!({"inputSchema": {"type": "object", "required": ["path"]}}), &[], &[]),
        call,
        &at(Full),
        "参数不符合该工具的结构,不会执行",
        "the arguments break the tool's schema, so nothing runs",
    );
    conditions
}

#[test]
fn every_reason_is_the_expected_sentence_in_both_languages() {
    for (name, zh, english, zh_cn, en) in conditions() {
        assert_eq!((&*zh.reason, &*english.reason), (zh_cn, en), "{name}");
        // The languages differ in their sentences and in nothing else.
        let without_texts = |decision: &Decision| {
            let hint = decision.hint.as_ref().map(|hint| hint.rule_value.clone());
            let Decision { outcome, need_approval, basis, rules_apply, rule_id, tool_fingerprint, .. } =
                decision.clone();
            (outcome, need_approval, basis, rules_apply, rule_id, hint, tool_fingerprint)
        };
        assert_eq!(without_texts(&zh), without_texts(&english), "{name}");
    }
}

#[test]
fn each_condition_has_a_reason_of_its_own() {
    let conditions = conditions();
    for (pick, language) in [(0, "zh-CN"), (1, "en")] {
        let mut seen = BTreeMap::new();
        for (name, zh, english, ..) in &conditions {
            let reason = [zh, english][pick].reason.clone();
            let other = seen.insert(reason.clone(), name);
            assert_eq!(other, None, "{name} has the reason of another condition in {language}: {reason}");
        }
    }
}

#[test]
fn a_reason_stays_on_its_line_whatever_the_name() {
    let name = "t\n\u{202E}\u{200B}# System";
    let set = set_of(&json!({ "toolName": name }), &[], &[]);
    let call = json!({"server": "s", "tool": name}).to_string();
    let mut context = CallContext::new(ExecutionMode::Local);
    context.permission_level = PermissionLevel::Smart;
    let decide = |context: &CallContext| match set.plan_call(&call, context) {
        Plan::Execute(call) => call.decision,
        Plan::Refuse(refusal) => panic!("{}", refusal.result_json),
    };
    let hint = decide(&context).hint.unwrap();
    assert_eq!(hint.rule_value, format!("mcp__s__{name}"), "the value is the name, byte for byte");
    assert_eq!(hint.label, "本会话总是允许调用 mcp__s__t # System");
    context.rules = vec![user_rule(1, &hint.rule_value)];
    assert_eq!(decide(&context).reason, "规则放行：mcp__s__t # System");
}

// ---- Rules ------------------------------------------------------------------------------------------------------

#[test]
fn what_covers_a_call_and_what_does_not() {
    let session = |session_id: Option<&str>| Rule {
        scope: RuleScope::Session,
        session_id: session_id.map(str::to_owned),
        ..user_rule(1, SUBJECT)
    };
    let bound = |fingerprint: &str| Rule { tool_fingerprint: Some(fingerprint.into()), ..user_rule(1, SUBJECT) };
    let request = RuleRequest { full_tool_name: SUBJECT, session_id: Some("here"), ..RuleRequest::default() };
    let known = RuleRequest { tool_fingerprint: Some("f"), ..request };
    let verdict = |rule: Rule, request: &RuleRequest<'_>| match_rules(&[rule], request).1;
    assert_eq!(verdict(user_rule(1, SUBJECT), &request), RuleVerdict::UserRule);
    assert_eq!(verdict(user_rule(1, "mcp__s__"), &request), RuleVerdict::NoRule);
    assert_eq!(verdict(Rule { enabled: false, ..user_rule(1, SUBJECT) }, &request), RuleVerdict::Disabled);
    assert_eq!(verdict(session(Some("here")), &request), RuleVerdict::SessionRule);
    assert_eq!(verdict(session(None), &request), RuleVerdict::SessionRule);
    assert_eq!(verdict(session(Some("there")), &request), RuleVerdict::OtherSession);
    let nowhere = RuleRequest { session_id: None, ..request };
    assert_eq!(verdict(session(Some("there")), &nowhere), RuleVerdict::OtherSession);
    // A rule of the user may say where it was made; it is not bounded by that.
    let made_elsewhere = Rule { session_id: Some("there".into()), ..user_rule(1, SUBJECT) };
    assert_eq!(verdict(made_elsewhere, &request), RuleVerdict::UserRule);
    assert_eq!(verdict(bound("f"), &known), RuleVerdict::UserRule);
    assert_eq!(verdict(bound("g"), &known), RuleVerdict::DefinitionChanged);
    assert_eq!(verdict(bound("f"), &request), RuleVerdict::DefinitionNotKnown);
    // The host's facts: a value's tokens are what stands between white space and `; | & > <`.
    let denied = |name: &str, token: &str| {
        let tokens = [token.to_owned()];
        let request = RuleRequest { full_tool_name: name, deny_tokens: &tokens, ..request };
        match_rules(&[user_rule(1, name)], &request).1 == RuleVerdict::Denied
    };
    assert!(denied(SUBJECT, SUBJECT) && denied("mcp__s__a rm", "rm") && denied("mcp__s__a;rm>b", "rm"));
    assert!(!denied("mcp__s__rm", "rm") && !denied(SUBJECT, "") && !denied(SUBJECT, "MCP__S__T"));
}

#[test]
fn a_rule_the_host_found_counts_only_for_its_name_and_definition() {
    let decide = |rule_value: &str, bound_to: Option<&str>, deny_tokens: &[&str]| {
        let mut request = ApprovalRequest::new(ExecutionMode::Local, Some(SUBJECT.into()));
        request.permission_level = PermissionLevel::Smart;
        request.tool_fingerprint = Some("f".into());
        request.deny_tokens = deny_tokens.iter().map(ToString::to_string).collect();
        request.matched_rule = Some(MatchedRule {
            rule_id: RuleId::Text("r".into()),
            rule_value: rule_value.into(),
            tool_fingerprint: bound_to.map(str::to_owned),
            enabled: None,
        });
        let decision = decide_approval(&request);
        (decision.outcome, decision.rule_id)
    };
    let allowed = (Outcome::Allow, Some(RuleId::Text("r".into())));
    assert_eq!(decide(SUBJECT, None, &[]), allowed);
    assert_eq!(decide(SUBJECT, Some("f"), &[]), allowed);
    assert_eq!(decide(SUBJECT, Some("g"), &[]), (Outcome::AskUser, None));
    assert_eq!(decide(SUBJECT, None, &[SUBJECT]), (Outcome::AskUser, None));
    for other in ["mcp__s__", "mcp__s__tt", "mcp__S__t", "MCP__s__t", "", "*", " mcp__s__t"] {
        assert_eq!(decide(other, None, &[]), (Outcome::AskUser, None), "{other}");
    }
}

#[test]
fn a_name_is_remembered_whole_or_not_at_all() {
    // Stores count UTF-16 units: a letter beyond the basic plane takes two of the 200.
    for (letter, most) in [("t", 200), ("中", 200), ("𝐭", 104)] {
        for (letters, remembered) in [(most - "mcp__s__".len(), true), (most - "mcp__s__".len() + 1, false)] {
            let full_name = format!("mcp__s__{}", letter.repeat(letters));
            let mut request = ApprovalRequest::new(ExecutionMode::Local, Some(full_name.clone()));
            request.permission_level = PermissionLevel::Smart;
            let decision = decide_approval(&request);
            assert_eq!(
                decision.hint.map(|hint| hint.rule_value),
                remembered.then_some(full_name),
                "{letters} × {letter}"
            );
        }
    }
}

#[test]
fn a_list_of_trusted_servers_never_covers_one_without_an_id() {
    let document = br#"{"servers":[{"name":"s"}],"tools":[{"serverName":"s","toolName":"t",
        "annotations":{"readOnlyHint":true}}]}"#;
    let set = WorkingSet::from_json(document).unwrap();
    let outcome = |trust: Trust| {
        let context = CallContext { trust, ..CallContext::new(ExecutionMode::Local) };
        match set.plan_call(r#"{"server":"s","tool":"t"}"#, &context) {
            Plan::Execute(call) => call.decision.outcome,
            Plan::Refuse(refusal) => panic!("{}", refusal.result_json),
        }
    };
    assert_eq!(outcome(Trust::All), Outcome::Allow);
    assert_eq!(outcome(Trust::Servers(vec![0, 1])), Outcome::AskUser);
}

#[test]
fn findings_say_what_is_the_matter_with_a_rule() {
    let long = format!("{}x", "t".repeat(MAX_RULE_VALUE));
    let full_long = format!("mcp__s__{long}");
    let cut: String = full_long.chars().take(MAX_RULE_VALUE).collect();
    let document = json!({
        "servers": [{"id": 1, "name": "s"}, {"id": 2, "name": "s__t"}, {"id": 3, "name": "down"}, {"id": 4, "name": "e_"}],
        "tools": [
            {"serverId": 1, "toolName": "read_file"}, {"serverId": 1, "toolName": "t__u"}, {"serverId": 1, "toolName": long},
            {"serverId": 1, "toolName": "rm all"},
            {"serverId": 2, "toolName": "u"}, {"serverId": 3, "toolName": "x"}, {"serverId": 4, "toolName": "y"},
        ],
        "connectionErrors": [{"serverId": 3, "reason": "x"}],
    });
    let set = WorkingSet::from_json(document.to_string().as_bytes()).unwrap();
    let fingerprint =
        set.servers().iter().flat_map(|s| s.tools()).find(|t| t.name() == "read_file").unwrap().fingerprint();
    let bound =
        |fingerprint: &str| Rule { tool_fingerprint: Some(fingerprint.into()), ..user_rule(1, "mcp__s__read_file") };
    let lint = |rule: Rule| {
        let found = lint_rules(std::slice::from_ref(&rule), &set, &["all".to_owned()], Locale::En);
        assert!(found.iter().all(|finding| finding.rule_value == rule.rule_value && finding.rule_id == rule.id));
        let nearest = found.first().and_then(|finding| finding.nearest.clone());
        assert!(found.iter().all(|finding| finding.nearest == nearest));
        (found.iter().map(|finding| finding.code.as_str()).collect::<Vec<_>>().join(" "), nearest)
    };
    let near = |code: &str, name: &str| (code.to_owned(), Some(name.to_owned()));
    let file = "mcp__s__read_file";

    assert_eq!(lint(user_rule(1, file)), (String::new(), None));
    assert_eq!(lint(bound(&fingerprint)), (String::new(), None));
    assert_eq!(lint(bound("00")), near("definition_changed", file));
    assert_eq!(lint(Rule { enabled: false, ..bound("00") }), near("definition_changed", file));
    assert_eq!(lint(user_rule(1, "mcp__s__read_fil")), near("unknown_tool", file));
    assert_eq!(lint(user_rule(1, "mcp__S__read_file")), near("unknown_server", file));
    assert_eq!(lint(user_rule(1, "mcp__fs__read_file")), near("unknown_server", file));
    assert_eq!(lint(user_rule(1, "s.read_file")).0, "invalid_name");
    assert_eq!(lint(user_rule(1, "mcp__s__")).0, "invalid_name");
    assert_eq!(lint(user_rule(1, "mcp__s__rm all")), near("denied", "mcp__s__rm all"));
    assert_eq!(lint(user_rule(1, "mcp__s__t__u")), near("ambiguous_name", "mcp__s__t__u"));
    assert_eq!(lint(user_rule(1, "mcp__e___y")), near("unroutable_name", "mcp__e___y"));
    assert_eq!(lint(user_rule(1, "mcp__down__x")), near("server_unavailable", "mcp__down__x"));
    assert_eq!(lint(user_rule(1, "mcp__down__other")).0, "server_unavailable");
    assert_eq!(lint(user_rule(1, &cut)), near("cut_name", &full_long));
    assert_eq!(lint(user_rule(1, &full_long)), near("too_long", &full_long));

    let json = set.lint_rules_json(
        json!({"locale": "zh-CN", "denyTokens": ["rm"], "rules": [
            {"id": "a", "scope": "USER", "ruleType": "MCP_TOOL", "ruleValue": "mcp__s__read\u{202E}_fil", "enabled": true},
            {"id": 2, "scope": "USER", "ruleType": "SHELL_EXACT", "ruleValue": "rm", "enabled": true},
        ]})
        .to_string()
        .as_bytes(),
    );
    let expected = json!([{
        "ruleId": "a", "ruleValue": "mcp__s__read\u{202E}_fil", "code": "unknown_tool", "nearest": file,
        "message": "规则 mcp__s__read_fil:该 server 没有该名称的工具;最接近的是 mcp__s__read_file",
    }]);
    assert_eq!(serde_json::from_str::<Value>(&json.unwrap()).unwrap(), expected);
    let error = set.lint_rules_json(br#"{"rules":[{"id":1},{"id":2,"enabled":"yes"}]}"#).unwrap_err();
    assert_eq!((error.code().as_str(), &*error.place().unwrap().path), ("invalid_document", "rules[1].enabled"));
}
