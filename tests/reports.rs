//! Reports of local clients and outcomes of the cloud, through the public API.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test")]

use mcp_working_set::{
    Annotations, CloudConnectResult, ConnectStatus, ConnectionError, ConnectionErrorKind, ErrorCode, ExpectedServer,
    Hint, LocalReport, Locale, Server, ServerOutcome, Tool, Warning, WarningCode, WorkingSet, cloud_connect_result,
    cloud_connect_result_from_json, parse_local_report,
};
use proptest::prelude::*;
use serde_json::{Value, json};

fn expected(servers: &[(i64, &str)]) -> Vec<ExpectedServer> {
    servers.iter().map(|&(id, name)| ExpectedServer { id, name: name.to_owned() }).collect()
}

fn local(report: &Value, servers: &[(i64, &str)]) -> LocalReport {
    parse_local_report(report.to_string().as_bytes(), &expected(servers)).unwrap()
}

fn entries(servers: Value) -> LocalReport {
    local(&json!({ "servers": servers }), &[])
}

fn cloud(servers: Value, outcomes: Value) -> CloudConnectResult {
    let document = json!({ "servers": servers, "outcomes": outcomes }).to_string();
    cloud_connect_result_from_json(document.as_bytes()).unwrap()
}

fn tool_names(tools: &[Tool]) -> Vec<&str> {
    tools.iter().map(|tool| &*tool.tool_name).collect()
}

fn error(server_id: Option<i64>, name: &str, reason: &str, kind: ConnectionErrorKind) -> ConnectionError {
    ConnectionError { server_id, server_name: name.to_owned(), reason: reason.to_owned(), kind }
}

fn failed(name: &str, reason: &str) -> ConnectionError {
    error(None, name, reason, ConnectionErrorKind::Failed)
}

/// Every warning is an `invalid_entry` and names the place.
fn assert_noted(warnings: &[Warning], places: &[&str]) {
    assert_eq!(warnings.len(), places.len(), "{warnings:#?}");
    for (warning, place) in warnings.iter().zip(places) {
        assert_eq!(warning.code, WarningCode::InvalidEntry);
        assert!(warning.message.contains(&format!("`{place}`")), "{warning:?} does not name {place}");
    }
}

mod the_five_sources {
    //! Annotations, description and schema come through whoever wrote the tool down.
    use super::*;

    fn assert_is_the_tool(tools: &[Tool], server_id: i64) {
        let [tool] = tools else { panic!("{tools:#?}") };
        assert_eq!((tool.server_id, &*tool.server_name, &*tool.tool_name), (server_id, "a", "x"));
        assert_eq!(tool.description, "Does x.");
        assert_eq!(tool.input_schema.get(), r#"{"type":"object","properties":{"p":{"type":"string"}}}"#);
        let annotations = Annotations {
            read_only_hint: Hint::True,
            destructive_hint: Hint::False,
            idempotent_hint: Hint::NotSaid,
            open_world_hint: Hint::True,
        };
        assert_eq!(tool.annotations, annotations);
    }

    fn schema() -> Value {
        json!({"type": "object", "properties": {"p": {"type": "string"}}})
    }

    fn hints() -> Value {
        json!({"title": "X", "readOnlyHint": true, "destructiveHint": false, "idempotentHint": "true", "openWorldHint": true})
    }

    #[test]
    fn mcp_sdk() {
        let tool = json!({"name": "x", "title": "X", "description": "Does x.", "inputSchema": schema(),
            "outputSchema": {"type": "object"}, "annotations": hints(), "_meta": {}});
        let outcomes = json!([{"serverId": 1, "status": "connected", "tools": [tool]}]);
        assert_is_the_tool(&cloud(json!([{"id": 1, "name": "a"}]), outcomes).tools, 1);
    }

    #[test]
    fn desktop_report() {
        let tool = json!({"name": "x", "description": "Does x.", "schema": schema(), "annotations": hints()});
        let frame = json!({"type": "mcp_tools_report", "sessionId": 7, "syncId": "s",
            "servers": [{"name": "a", "connected": true, "tools": [tool], "error": null}]});
        assert_is_the_tool(&local(&frame, &[(3, "a")]).tools, 3);
    }

    #[test]
    fn cli_report() {
        // An older frame: `inputSchema`, and no word on being connected.
        let tool = json!({"name": "x", "description": "Does x.", "inputSchema": schema(), "annotations": hints()});
        assert_is_the_tool(&local(&json!({"servers": [{"name": "a", "tools": [tool]}]}), &[]).tools, 0);
    }

    fn reference() -> Value {
        json!({"serverId": 9, "serverName": "elsewhere", "toolName": "x", "description": "Does x.",
            "inputSchema": schema(), "annotations": hints(), "fullToolName": "mcp__a__x"})
    }

    #[test]
    fn container_transport() {
        let outcomes = json!([{"serverId": 1, "status": "connected", "tools": [reference()]}]);
        assert_is_the_tool(&cloud(json!([{"id": 1, "name": "a"}]), outcomes).tools, 1);
    }

    #[test]
    fn persisted_references() {
        let outcomes = json!([{"serverName": "a", "status": "connected", "tools": [reference()]}]);
        let result = cloud(json!([{"id": 1, "name": "a"}]), outcomes);
        assert_is_the_tool(&result.tools, 1);
        // And back: what a result gives is what a set reads.
        let stored: Value = serde_json::from_str(&result.to_json()).unwrap();
        let document = json!({"servers": [{"id": 1, "name": "a"}], "tools": stored["tools"]}).to_string();
        let set = WorkingSet::from_json(document.as_bytes()).unwrap();
        let [server] = set.servers() else { panic!() };
        assert!(server.tools()[0].is_read_only());
        assert_eq!(server.tools()[0].input_schema(), schema().to_string());
    }
}

mod local_reports {
    use super::*;

    #[test]
    fn the_whole_frame_as_json() {
        let report = local(
            &json!({"sessionId": 1, "syncId": "x", "servers": [
                {"name": "a", "connected": true, "tools": [{"name": "x", "description": "d", "schema": {"type": "object"}}]},
                {"name": "b", "connected": false, "tools": [], "error": "spawn ENOENT"},
            ]}),
            &[(1, "a"), (2, "b"), (3, "c")],
        );
        let json: Value = serde_json::from_str(&report.to_json()).unwrap();
        assert_eq!(
            json,
            json!({
                "tools": [{"serverId": 1, "serverName": "a", "toolName": "x", "description": "d",
                    "inputSchema": {"type": "object"}, "annotations": {}}],
                "connectionErrors": [
                    {"serverId": 2, "serverName": "b", "reason": "spawn ENOENT", "kind": "failed"},
                    {"serverId": 3, "serverName": "c", "reason": "未上报", "kind": "not_reported"},
                ],
                "warnings": [],
            })
        );
    }

    #[test]
    fn without_expected_servers_none_has_an_id_and_none_is_missing() {
        let report = entries(json!([{"name": "a", "tools": [{"name": "x"}]}, {"name": "b", "connected": false}]));
        assert_eq!(report.tools[0].server_id, 0);
        assert_eq!(report.connection_errors, [failed("b", "连接失败")]);
    }

    #[test]
    fn what_counts_as_connected() {
        for yes in [json!({}), json!({"connected": true}), json!({"connected": null})] {
            let mut entry = yes.clone();
            entry["name"] = json!("a");
            let report = entries(json!([entry]));
            assert!(report.connection_errors.is_empty() && report.warnings.is_empty(), "{yes}: {report:?}");
        }
        for no in [json!("false"), json!("true"), json!(0), json!(1), json!([]), json!({})] {
            let report = entries(json!([{"name": "a", "connected": no, "tools": [{"name": "x"}]}]));
            assert_eq!(report.connection_errors, [failed("a", "连接失败")], "{no}");
            assert_noted(&report.warnings, &["servers[0].connected"]);
        }
    }

    #[test]
    fn tools_of_a_server_that_is_not_connected_are_kept_and_cannot_be_called() {
        let report = entries(json!([{"name": "a", "connected": false, "tools": [{"name": "x"}], "error": "gone"}]));
        assert_eq!(tool_names(&report.tools), ["x"]);
        let set = WorkingSet::build(&[], &report.tools, &report.connection_errors);
        let [server] = set.servers() else { panic!() };
        assert_eq!((server.unavailable().map(|why| &*why.reason), server.tools().len()), (Some("gone"), 1));
    }

    #[test]
    fn an_error_may_be_anything() {
        for (said, reason) in [
            (json!("timed out"), "timed out"),
            (json!({"message": "timed out", "code": -32001}), "timed out"),
            (json!({"code": -32001}), r#"{"code":-32001}"#),
            (json!({"message": 5}), r#"{"message":5}"#),
            (json!(["a", "b"]), r#"["a","b"]"#),
            (json!(137), "137"),
            (json!(" \n\u{200b}"), "连接失败"),
            (json!({"message": ""}), "连接失败"),
            (json!(null), "连接失败"),
            (json!(true), "连接失败"),
            (json!(false), "连接失败"),
            (json!({}), "连接失败"),
        ] {
            let report = entries(json!([{"name": "a", "connected": false, "error": said}]));
            assert_eq!(report.connection_errors, [failed("a", reason)], "{said}");
        }
    }

    #[test]
    fn a_default_reason_is_told_in_the_locale_of_the_section() {
        let report = local(&json!({"servers": [{"name": "b", "connected": false}]}), &[(1, "a"), (2, "b")]);
        let set = WorkingSet::build(&[], &report.tools, &report.connection_errors);
        let section = |locale| set.section(locale).unwrap().text.clone();
        assert!(section(Locale::ZhCn).contains("### a(当前不可用:未上报)"), "{}", section(Locale::ZhCn));
        assert!(section(Locale::En).contains("### a (unavailable: not reported)"), "{}", section(Locale::En));
        assert!(section(Locale::En).contains("### b (unavailable: connection failed)"));
    }

    #[test]
    fn an_entry_without_a_usable_name_does_not_vanish() {
        for name in [json!(null), json!(""), json!(5), json!(["a"])] {
            let report = entries(json!([{"name": name, "tools": [{"name": "x"}], "error": "boom"}]));
            assert_eq!(report.connection_errors, [failed("", "boom")], "{name}");
            assert!(report.tools.is_empty());
            assert_noted(&report.warnings, &["servers[0]"]);
        }
        let report = entries(json!([{"tools": []}]));
        assert_eq!(report.connection_errors, [failed("", "连接失败")]);
    }

    #[test]
    fn lone_surrogates_cost_what_holds_them() {
        let report = parse_local_report(
            br#"{"servers": [
                {"name": "a\ud800", "tools": [{"name": "x"}]},
                {"name": "b", "error": "\udc00!", "connected": false},
                {"name": "c", "\ud800": 1, "tools": [{"name": "\udead"}, {"name": "y", "description": "\ud800.", "\ud800": {}}]}
            ]}"#,
            &[],
        )
        .unwrap();
        assert_eq!(report.connection_errors, [failed("a\u{FFFD}", "连接失败"), failed("b", "\u{FFFD}!")]);
        assert_eq!(tool_names(&report.tools), ["y"]);
        assert_eq!(report.tools[0].description, "\u{FFFD}.");
        assert_noted(&report.warnings, &["servers[0]", "servers[2].tools[0]"]);
        assert_eq!(report.warnings[1].tool.as_deref(), Some("\u{FFFD}"));
    }

    #[test]
    fn a_bad_entry_costs_itself() {
        let report = entries(json!([
            null,
            {"name": "a", "tools": [7, {"name": "x"}, {}, {"name": ""}, {"name": 1}, {"name": "y", "description": 5}]},
            "b",
            {"name": "c", "tools": {"name": "x"}},
            {"name": "d", "connected": false, "tools": [{"name": "z"}]},
        ]));
        assert_eq!(tool_names(&report.tools), ["x", "y", "z"]);
        assert_eq!(report.connection_errors, [failed("d", "连接失败")]);
        assert_noted(
            &report.warnings,
            &[
                "servers[0]",
                "servers[1].tools[0]",
                "servers[1].tools[2]",
                "servers[1].tools[3]",
                "servers[1].tools[4]",
                "servers[1].tools[5].description",
                "servers[2]",
                "servers[3].tools",
            ],
        );
        assert_eq!(report.warnings[5].server.as_deref(), Some("a"));
        assert_eq!(report.warnings[5].tool.as_deref(), Some("y"));
    }

    #[test]
    fn a_flood_of_bad_tools_does_not_become_a_flood_of_warnings() {
        let mut tools = vec![json!({"name": ""}); 5_000];
        tools.push(json!({"name": "x"}));
        let report = entries(json!([{"name": "a", "tools": tools}, {"name": "b", "tools": [0]}]));
        assert_eq!(tool_names(&report.tools), ["x"]);
        let places: Vec<_> = (0..20).map(|index| format!("servers[0].tools[{index}]")).collect();
        let mut places: Vec<_> = places.iter().map(String::as_str).collect();
        places.extend(["servers[0].tools", "servers[1].tools[0]"]);
        assert_noted(&report.warnings, &places);
        assert_eq!(report.warnings[20].message, "4980 more notes on entries of `servers[0].tools` were left out");
    }

    #[test]
    fn which_schema_counts() {
        for (tool, schema, notes) in [
            (json!({"name": "x"}), "{}", 0),
            (json!({"name": "x", "schema": null, "inputSchema": null}), "{}", 0),
            (json!({"name": "x", "schema": {"a": 1}, "inputSchema": null}), r#"{"a":1}"#, 0),
            (json!({"name": "x", "schema": {"a": 1, "b": 2}, "inputSchema": {"b": 2, "a": 1}}), r#"{"b":2,"a":1}"#, 0),
            (json!({"name": "x", "schema": {"a": 1}, "inputSchema": {"a": 2}}), r#"{"a":2}"#, 1),
            // Not ours to judge: the set keeps it as it is, and normalising repairs it.
            (json!({"name": "x", "schema": "text"}), r#""text""#, 0),
        ] {
            let report = entries(json!([{"name": "a", "tools": [tool]}]));
            assert_eq!((report.tools[0].input_schema.get(), report.warnings.len()), (schema, notes), "{tool}");
        }
    }

    #[test]
    fn schemas_are_kept_byte_for_byte() {
        let schema = r#"{ "z" : 1.0e2, "a":"\u4e2d", "z":[ ] }"#;
        let report = format!(r#"{{"servers":[{{"name":"a","tools":[{{"name":"x","schema":{schema}}}]}}]}}"#);
        let report = parse_local_report(report.as_bytes(), &[]).unwrap();
        assert_eq!(report.tools[0].input_schema.get(), schema);
        assert!(report.to_json().contains(schema));
    }

    #[test]
    fn a_tool_that_readers_would_take_for_different_ones_is_dropped() {
        let report = parse_local_report(
            br#"{"servers": [{"name": "a", "tools": [
                {"name": "x", "name": "y"},
                {"name": "x", "annotations": {"readOnlyHint": false}, "annotations": {"readOnlyHint": true}},
                {"name": "x", "toolName": "y"},
                {"name": "x", "toolName": "x", "other": 1, "other": 2}
            ]}]}"#,
            &[],
        )
        .unwrap();
        assert_eq!(tool_names(&report.tools), ["x"]);
        assert_noted(&report.warnings, &["servers[0].tools[0]", "servers[0].tools[1]", "servers[0].tools[2]"]);
    }

    #[test]
    fn of_a_repeated_key_of_a_server_the_last_value_counts() {
        let report =
            parse_local_report(br#"{"servers": [{"name": "a", "connected": true, "connected": false}]}"#, &[]).unwrap();
        assert_eq!(report.connection_errors, [failed("a", "连接失败")]);
        assert_noted(&report.warnings, &["servers[0]"]);
    }

    #[test]
    fn two_entries_of_one_server_both_count() {
        let report = local(
            &json!({"servers": [
                {"name": "a", "connected": true, "tools": [{"name": "x"}]},
                {"name": "a", "connected": false, "error": "gone"},
            ]}),
            &[(7, "a"), (4, "a")],
        );
        assert_eq!(tool_names(&report.tools), ["x"]);
        assert_eq!(report.tools[0].server_id, 4);
        assert_eq!(report.connection_errors, [error(Some(4), "a", "gone", ConnectionErrorKind::Failed)]);
        assert_noted(&report.warnings, &["servers[1]"]);
    }

    #[test]
    fn an_error_beside_a_connection_is_noted() {
        let report = entries(json!([{"name": "a", "tools": [{"name": "x"}], "error": "slow\nstart"}]));
        assert!(report.connection_errors.is_empty());
        assert_noted(&report.warnings, &["servers[0]"]);
        assert!(report.warnings[0].message.ends_with(": slow start"));
    }

    #[test]
    fn deep_nesting_is_carried_and_never_followed() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let report = format!(
            r#"{{"x":{deep},"servers":[{deep},{{"name":"a","x":{deep},"tools":[{{"name":"x","schema":{deep},"inputSchema":{deep}}}]}},
               {{"name":"b","connected":false,"error":{{"message":{deep}}}}}]}}"#
        );
        let report = parse_local_report(report.as_bytes(), &[]).unwrap();
        assert_eq!(report.tools[0].input_schema.get(), deep);
        assert_eq!(report.connection_errors.len(), 1);
    }

    #[test]
    fn a_document_of_another_shape_is_an_error_with_its_place() {
        for (report, code, path, line, column) in [
            (&b"{\"servers\": [\xFF]}"[..], ErrorCode::InvalidUtf8, "", 1, 14),
            (b"", ErrorCode::InvalidJson, "", 1, 1),
            (b"{\"servers\": [{}\n}", ErrorCode::InvalidJson, "servers[0]", 2, 1),
            (b"{\"servers\": []} x", ErrorCode::InvalidJson, "", 1, 17),
            (b"[[]]", ErrorCode::InvalidDocument, "", 1, 1),
            (b"null", ErrorCode::InvalidDocument, "", 1, 1),
            (b"{}", ErrorCode::InvalidDocument, "", 1, 2),
            (b"{\"servers\":\n null}", ErrorCode::InvalidDocument, "servers", 2, 5),
            (b"{\"servers\": {}}", ErrorCode::InvalidDocument, "servers", 1, 12),
            (b"{\"servers\": [], \"servers\": []}", ErrorCode::InvalidDocument, "", 1, 25),
        ] {
            let error = parse_local_report(report, &[]).unwrap_err();
            let place = error.place().unwrap();
            let found = (error.code(), &*place.path, place.line, place.column);
            assert_eq!(found, (code, path, line, column), "{} {error}", String::from_utf8_lossy(report));
        }
    }

    #[test]
    fn expected_servers_can_be_read_from_json() {
        let list = ExpectedServer::list_from_json(br#"[{"id": 1, "name": "a", "type": "STDIO"}, {"name": "b"}]"#);
        assert_eq!(list.unwrap(), expected(&[(1, "a"), (0, "b")]));
        let error =
            ExpectedServer::list_from_json(br#"[{"id": 1, "name": "a"}, {"id": "2", "name": "b"}]"#).unwrap_err();
        assert_eq!((error.code(), &*error.place().unwrap().path), (ErrorCode::InvalidDocument, "[1].id"));
    }
}

mod cloud_results {
    use super::*;

    fn servers() -> Value {
        json!([{"id": 1, "name": "a"}, {"id": 2, "name": "b"}, {"id": 3, "name": "c"}, {"id": 4, "name": "d"}])
    }

    #[test]
    fn failed_and_cancelled_are_kept_apart_and_none_is_passed_over() {
        let outcomes = json!([
            {"serverId": 3, "status": "cancelled"},
            {"serverId": 2, "status": "failed", "reason": "ECONNREFUSED"},
            {"serverId": 1, "status": "connected", "tools": [{"name": "x", "inputSchema": {"type": "object"}}]},
        ]);
        let json: Value = serde_json::from_str(&cloud(servers(), outcomes).to_json()).unwrap();
        assert_eq!(
            json,
            json!({
                "tools": [{"serverId": 1, "serverName": "a", "toolName": "x", "description": "",
                    "inputSchema": {"type": "object"}, "annotations": {}}],
                "connectionErrors": [
                    {"serverId": 2, "serverName": "b", "reason": "ECONNREFUSED", "kind": "failed"},
                    {"serverId": 3, "serverName": "c", "reason": "连接已取消", "kind": "cancelled"},
                    {"serverId": 4, "serverName": "d", "reason": "未上报", "kind": "not_reported"},
                ],
                "failedServers": [{"serverId": 2, "serverName": "b", "reason": "ECONNREFUSED"}],
                "cancelledServers": [{"serverId": 3, "serverName": "c", "reason": "连接已取消"}],
                "warnings": ["b: ECONNREFUSED", "c: 连接已取消", "d: 未上报"],
            })
        );
    }

    #[test]
    fn typed_values_give_the_same_as_json() {
        let list = |id: i64, name: &str| Server { id, name: name.to_owned(), description: None };
        let servers = [list(1, "a"), list(2, "b"), list(3, "c")];
        let tools = serde_json::value::to_raw_value(&json!([{"name": "x"}, 5])).unwrap();
        let outcomes = [
            ServerOutcome { server_id: 1, server_name: "".into(), status: ConnectStatus::Connected { tools: &tools } },
            ServerOutcome {
                server_id: 0,
                server_name: "b".into(),
                status: ConnectStatus::Failed { reason: " ".into() },
            },
            ServerOutcome { server_id: 3, server_name: "".into(), status: ConnectStatus::Cancelled },
        ];
        let from_json = cloud(
            json!([{"id": 1, "name": "a"}, {"id": 2, "name": "b"}, {"id": 3, "name": "c"}]),
            json!([
                {"serverId": 1, "status": "connected", "tools": [{"name": "x"}, 5]},
                {"serverName": "b", "status": "failed", "reason": null},
                {"serverId": 3, "status": "cancelled"},
            ]),
        );
        assert_eq!(cloud_connect_result(&servers, &outcomes).to_json(), from_json.to_json());
        assert_eq!(from_json.failed_servers[0].reason, "连接失败");
    }

    #[test]
    fn a_bad_entry_costs_itself_and_is_told() {
        let outcomes = json!([
            "x",
            {"serverId": 1, "status": "connected", "tools": [{"name": "x"}, {"name": 7}]},
            {"serverId": 2, "status": "Connected", "tools": [{"name": "y"}]},
            {"serverId": "3", "serverName": "c", "status": "failed", "reason": {"message": "boom"}},
            {"serverId": 4, "status": "connected", "tools": "none"},
        ]);
        let result = cloud(servers(), outcomes);
        assert_eq!(tool_names(&result.tools), ["x"]);
        let failed: Vec<_> =
            result.failed_servers.iter().map(|server| (&*server.server_name, &*server.reason)).collect();
        assert_eq!(failed, [("b", "连接失败"), ("c", "boom")]);
        assert_eq!(
            result.warnings,
            [
                "b: 连接失败",
                "c: boom",
                "`outcomes[0]` was dropped: it is not an object",
                "`outcomes[2].status` is none of `connected`, `failed` and `cancelled`; it counts as failed",
                "c: `outcomes[3].serverId` is not an id; the server is looked up by name",
                "a: `outcomes[1].tools[1]` was dropped: it has no name that is a string",
                "d: `outcomes[4].tools` is not an array; the server counts as having no tools",
            ]
        );
    }

    #[test]
    fn an_outcome_about_none_of_the_servers_is_told_all_the_same() {
        let outcomes = json!([
            {"serverId": 9, "serverName": "z", "status": "failed", "reason": "gone"},
            {"serverId": 8, "status": "cancelled"},
            {"status": "failed"},
        ]);
        let result = cloud(json!([]), outcomes);
        assert_eq!(
            result.connection_errors,
            [
                error(Some(9), "z", "gone", ConnectionErrorKind::Failed),
                error(Some(8), "", "连接已取消", ConnectionErrorKind::Cancelled),
                error(None, "", "连接失败", ConnectionErrorKind::Failed),
            ]
        );
        assert_eq!(
            result.warnings,
            [
                "z: gone",
                "#8: 连接已取消",
                "#0: 连接失败",
                "z: `outcomes[0]` is about none of the servers",
                "#8: `outcomes[1]` is about none of the servers",
                "#0: `outcomes[2]` is about none of the servers",
            ]
        );
    }

    #[test]
    fn an_outcome_is_matched_by_id_then_by_name() {
        let outcomes = json!([
            // The id counts, whatever the name.
            {"serverId": 1, "serverName": "b", "status": "connected", "tools": [{"name": "x"}]},
            // An unknown id does not.
            {"serverId": 99, "serverName": "b", "status": "connected", "tools": [{"name": "y"}]},
            // Of two servers with one name the smallest id keeps it.
            {"serverName": "twin", "status": "connected", "tools": [{"name": "z"}]},
        ]);
        let servers = json!([{"id": 1, "name": "a"}, {"id": 2, "name": "b"}, {"id": 7, "name": "twin"},
            {"id": 5, "name": "twin"}, {"id": 1, "name": "a"}, {"name": ""}]);
        let result = cloud(servers, outcomes);
        let owners: Vec<_> =
            result.tools.iter().map(|tool| (tool.server_id, &*tool.server_name, &*tool.tool_name)).collect();
        assert_eq!(owners, [(1, "a", "x"), (2, "b", "y"), (5, "twin", "z")]);
        let missing: Vec<_> = result.connection_errors.iter().map(|error| error.server_id).collect();
        assert_eq!(missing, [Some(7), None]);
    }

    #[test]
    fn several_outcomes_of_one_server_all_count() {
        let outcomes = json!([
            {"serverId": 1, "status": "failed", "reason": "gone"},
            {"serverId": 1, "status": "connected", "tools": [{"name": "x"}]},
        ]);
        let result = cloud(json!([{"id": 1, "name": "a"}]), outcomes);
        assert_eq!((tool_names(&result.tools), result.failed_servers.len()), (vec!["x"], 1));
        assert_eq!(result.warnings, ["a: gone", "a: it has several outcomes; all of them count"]);
    }

    #[test]
    fn warnings_are_one_line_each() {
        let outcomes = json!([{"serverId": 1, "status": "failed", "reason": format!("x\n{}", "y".repeat(500))}]);
        let result = cloud(json!([{"id": 1, "name": "a\u{202E}\nb"}]), outcomes);
        assert_eq!(result.warnings, [format!("a b: x {}…", "y".repeat(117))]);
        assert_eq!(result.failed_servers[0].reason.len(), 502);
    }

    #[test]
    fn a_document_of_another_shape_is_an_error_with_its_place() {
        for (document, code, path) in [
            (&b"\xFF"[..], ErrorCode::InvalidUtf8, ""),
            (b"{\"servers\": [", ErrorCode::InvalidJson, "servers"),
            (b"[]", ErrorCode::InvalidDocument, ""),
            (b"{\"servers\": []}", ErrorCode::InvalidDocument, ""),
            (b"{\"servers\": [{\"id\": 1}], \"outcomes\": []}", ErrorCode::InvalidDocument, "servers[0]"),
            (b"{\"servers\": [5], \"outcomes\": []}", ErrorCode::InvalidDocument, "servers[0]"),
            (b"{\"servers\": [], \"outcomes\": {}}", ErrorCode::InvalidDocument, "outcomes"),
        ] {
            let error = cloud_connect_result_from_json(document).unwrap_err();
            assert_eq!((error.code(), &*error.place().unwrap().path), (code, path), "{error}");
        }
    }
}

mod laws {
    use super::*;

    const REPORT: &str = r#"{"sessionId": 5, "servers": [{"name": "a\u00e9", "connected": true, "tools": [{"name": "x",
        "description": "d\n", "schema": {"type": "object", "a": [1.5e3, null]}, "annotations": {"readOnlyHint": true}},
        {"name": "y", "inputSchema": {}}], "error": null}, {"name": "b", "connected": false, "error": {"message": "m"}}]}"#;
    const OUTCOMES: &str = r#"{"servers": [{"id": 1, "name": "a"}, {"id": 2, "name": "b\u00e9"}], "outcomes": [{"serverId": 1,
        "status": "connected", "tools": [{"name": "x", "inputSchema": {"a": [true]}, "annotations": {"readOnlyHint": true}}]},
        {"serverId": 2, "serverName": "b", "status": "failed", "reason": "r"}, {"serverId": -1, "status": "cancelled"}]}"#;

    /// A mistake is one of four codes, with a place; a result is JSON that a set can be built from.
    fn feed(bytes: &[u8]) {
        let results = [
            parse_local_report(bytes, &expected(&[(1, "aé"), (3, "c")])).map(|report| report.to_json()),
            cloud_connect_result_from_json(bytes).map(|result| result.to_json()),
            ExpectedServer::list_from_json(bytes).map(|_| r#"{"tools":[],"connectionErrors":[]}"#.to_owned()),
        ];
        for result in results {
            match result {
                Ok(json) => {
                    let mut document: Value = serde_json::from_str(&json).unwrap();
                    document["servers"] = json!([]);
                    WorkingSet::from_json(document.to_string().as_bytes()).unwrap();
                }
                Err(error) => {
                    let code = error.code();
                    use ErrorCode::{InvalidDocument, InvalidJson, InvalidUtf8};
                    assert!(matches!(code, InvalidUtf8 | InvalidJson | InvalidDocument), "{error:?}");
                    assert!(error.place().is_some_and(|place| place.line > 0 && place.column > 0), "{error:?}");
                }
            }
        }
    }

    #[test]
    fn every_cut_and_every_replaced_byte_gives_a_result_or_an_error() {
        for document in [REPORT, OUTCOMES, r#"[{"id": 1, "name": "a"}]"#] {
            feed(document.as_bytes());
            for at in 0..document.len() {
                feed(&document.as_bytes()[..at]);
                for byte in [b'"', b'{', b'\\', 0xFF, 0] {
                    let mut bytes = document.as_bytes().to_vec();
                    bytes[at] = byte;
                    feed(&bytes);
                }
            }
        }
    }

    /// Any JSON, with the keys that readers look for.
    fn anything() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-3i64..4).prop_map(Value::from),
            "[a-c]".prop_map(Value::from),
            ".{0,8}".prop_map(Value::from),
            "(connected|failed|cancelled)".prop_map(Value::from),
        ];
        let key = prop_oneof![
            "(name|toolName|connected|tools|error|description|schema|inputSchema|annotations|message|readOnlyHint)",
            "(serverId|serverName|status|reason)",
            ".{0,3}",
        ];
        leaf.prop_recursive(4, 40, 6, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::btree_map(key.clone(), inner, 0..7)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    fn server_entry() -> impl Strategy<Value = Value> {
        (prop_oneof![3 => "[a-d]".prop_map(Value::from), 1 => anything()], anything(), anything(), anything()).prop_map(
            |(name, connected, tools, error)| json!({"name": name, "connected": connected, "tools": tools, "error": error}),
        )
    }

    fn outcome() -> impl Strategy<Value = Value> {
        let status = prop_oneof![3 => "(connected|failed|cancelled)".prop_map(Value::from), 1 => anything()];
        (0i64..5, prop_oneof![anything(), "[a-d]".prop_map(Value::from)], status, anything(), anything()).prop_map(
            |(id, name, status, tools, reason)| {
                json!({"serverId": id, "serverName": name, "status": status, "tools": tools, "reason": reason})
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn no_server_of_a_report_vanishes(entries in prop::collection::vec(prop_oneof![3 => server_entry(), 1 => anything()], 0..6)) {
            let servers = [(1, "a"), (2, "b"), (3, "z")];
            let report = local(&json!({ "servers": entries }), &servers);
            let failed = |name: &str| report.connection_errors.iter().any(|error| error.server_name == name);
            for entry in entries.iter().filter(|entry| entry.is_object()) {
                let name = entry["name"].as_str().unwrap_or_default();
                let connected = matches!(entry.get("connected"), None | Some(Value::Null | Value::Bool(true)));
                prop_assert!(failed(name) || connected && !name.is_empty(), "{entry} vanished");
                let tools = entry["tools"].as_array().into_iter().flatten();
                for tool in tools.filter(|_| !name.is_empty()) {
                    let tool_name = tool["name"].as_str().or(tool["toolName"].as_str().filter(|_| tool["name"].is_null()));
                    let kept = report.tools.iter().any(|kept| kept.server_name == name && Some(&*kept.tool_name) == tool_name);
                    prop_assert!(kept || report.warnings.iter().any(|warning| warning.server.is_some()), "{tool} vanished");
                }
            }
            for (id, name) in servers {
                let reported = entries.iter().any(|entry| entry["name"] == name);
                let missing = report.connection_errors.iter().filter(|error| error.kind == ConnectionErrorKind::NotReported);
                let missing: Vec<_> = missing.filter(|error| error.server_name == name).map(|error| error.server_id).collect();
                prop_assert_eq!(missing, if reported { vec![] } else { vec![Some(id)] });
            }
        }

        #[test]
        fn no_server_of_the_cloud_vanishes(outcomes in prop::collection::vec(prop_oneof![3 => outcome(), 1 => anything()], 0..6)) {
            let servers = json!([{"id": 1, "name": "a"}, {"id": 2, "name": "b"}, {"id": 3, "name": "c"}]);
            let result = cloud(servers, json!(outcomes));
            for (id, name) in [(1, "a"), (2, "b"), (3, "c")] {
                let errors = result.connection_errors.iter().filter(|error| error.server_id == Some(id)).count();
                let connected = outcomes.iter().any(|outcome| {
                    let outcome_id = outcome["serverId"].as_i64().unwrap_or(0);
                    let mine = outcome_id == id || !(1..=3).contains(&outcome_id) && outcome["serverName"] == name;
                    mine && outcome["status"] == "connected"
                });
                prop_assert!(errors > 0 || connected, "{} vanished", name);
            }
            let objects = outcomes.iter().filter(|outcome| outcome.is_object());
            let unconnected = objects.filter(|outcome| outcome["status"] != "connected").count();
            let of_kind = |kind| result.connection_errors.iter().filter(|error| error.kind == kind).count();
            prop_assert_eq!(of_kind(ConnectionErrorKind::Failed), result.failed_servers.len());
            prop_assert_eq!(of_kind(ConnectionErrorKind::Cancelled), result.cancelled_servers.len());
            prop_assert_eq!(result.failed_servers.len() + result.cancelled_servers.len(), unconnected);
            prop_assert!(result.warnings.len() >= result.connection_errors.len());
        }

        /// The order in which servers answered does not show.
        #[test]
        fn outcomes_in_any_order_give_the_same(
            outcomes in prop::collection::vec(outcome(), 3).prop_map(|mut outcomes| {
                for (outcome, id) in outcomes.iter_mut().zip(1..) {
                    outcome["serverId"] = json!(id);
                    outcome["serverName"] = json!("");
                    outcome["tools"] = json!([{"name": format!("t{id}")}]);
                    outcome["status"] = outcome["status"].as_str().map_or(json!("failed"), |status| json!(status));
                }
                outcomes
            }),
        ) {
            let servers = json!([{"id": 3, "name": "c"}, {"id": 1, "name": "a"}, {"id": 2, "name": "b"}]);
            let mut reversed = outcomes.clone();
            reversed.reverse();
            let (one, other) = (cloud(servers.clone(), json!(outcomes)), cloud(servers, json!(reversed)));
            prop_assert_eq!(one.connection_errors, other.connection_errors);
            prop_assert_eq!(tool_names(&one.tools), tool_names(&other.tools));
        }

        #[test]
        fn any_json_is_read(document in anything()) {
            feed(document.to_string().as_bytes());
        }
    }
}
