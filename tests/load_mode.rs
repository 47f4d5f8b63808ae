//! Which load mode is in force, through the public API.

use mcp_working_set::{ErrorCode, LoadMode, LoadModeSource, parse_load_mode, resolve_load_mode};
use proptest::prelude::*;

/// (user, global) → (mode, source, texts the warning names; none: no warning).
type Row = (Option<&'static str>, Option<&'static str>, LoadMode, LoadModeSource, &'static [&'static str]);

const ROWS: &[Row] = {
    use LoadMode::{Full, WorkingSet};
    use LoadModeSource::{Default, Global, User};
    &[
        (None, None, WorkingSet, Default, &[]),
        (Some("FULL"), None, Full, User, &[]),
        (Some("WORKING_SET"), Some("full"), WorkingSet, User, &[]),
        (Some("FULL"), Some("nonsense"), Full, User, &[]),
        (None, Some("full"), Full, Global, &[]),
        (None, Some("working_set"), WorkingSet, Global, &[]),
        (None, Some("\t Working_SET\n"), WorkingSet, Global, &[]),
        (Some("working"), Some(" Full "), Full, Global, &["the user's", "`working`"]),
        // The user's value comes from a column that only ever holds two values; it is not read leniently.
        (Some("full"), None, WorkingSet, Default, &["the user's", "`full`"]),
        (Some(" FULL"), Some("full"), Full, Global, &["the user's", "`FULL`"]),
        (Some(""), Some("full"), Full, Global, &["the user's", "``"]),
        (None, Some(""), WorkingSet, Default, &["the global", "``"]),
        (None, Some("working set"), WorkingSet, Default, &["the global", "`working set`"]),
        (Some("x"), Some("y"), WorkingSet, Default, &["the user's", "`x`", "the global", "`y`"]),
    ]
};

#[test]
fn the_first_valid_value_counts_and_invalid_ones_are_named() {
    for &(user, global, mode, source, named) in ROWS {
        let resolved = resolve_load_mode(user, global);
        assert_eq!((resolved.mode, resolved.source), (mode, source), "{user:?}, {global:?}");
        let warning = resolved.warning.unwrap_or_default();
        assert_eq!(warning.is_empty(), named.is_empty(), "{user:?}, {global:?}: {warning}");
        assert!(named.iter().all(|text| warning.contains(text)), "{user:?}, {global:?}: {warning}");
    }
}

#[test]
fn the_json_form_is_that_of_the_specification() {
    assert_eq!(resolve_load_mode(None, None).to_json(), r#"{"mode":"WORKING_SET","source":"default"}"#);
    assert_eq!(
        resolve_load_mode(Some("x"), Some("FULL")).to_json(),
        r#"{"mode":"FULL","source":"global","warning":"the user's load mode is passed over: unknown load mode `x`, expected `WORKING_SET` or `FULL`"}"#,
    );
}

#[test]
fn parsing_is_strict() {
    assert_eq!(parse_load_mode("WORKING_SET").unwrap(), LoadMode::WorkingSet);
    assert_eq!(parse_load_mode("FULL").unwrap(), LoadMode::Full);
    for value in ["", "full", "Full", "FULL ", "WORKING-SET", "\u{FEFF}FULL", "null"] {
        let error = parse_load_mode(value).unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidLoadMode, "{value:?}");
    }
    assert_eq!(
        parse_load_mode("a\nb\u{202E}").unwrap_err().to_string(),
        "unknown load mode `a b`, expected `WORKING_SET` or `FULL`",
    );
}

#[test]
fn names_and_json_agree() {
    for mode in [LoadMode::WorkingSet, LoadMode::Full] {
        assert_eq!(serde_json::to_value(mode).unwrap(), mode.as_str());
        assert_eq!(parse_load_mode(mode.as_str()).unwrap(), mode);
    }
    for source in [LoadModeSource::User, LoadModeSource::Global, LoadModeSource::Default] {
        assert_eq!(serde_json::to_value(source).unwrap(), source.as_str());
    }
}

proptest! {
    /// The source says whose value it is, and a warning appears exactly where a value that was needed is not valid.
    #[test]
    fn the_answer_explains_itself(user in value(), global in value()) {
        let resolved = resolve_load_mode(user.as_deref(), global.as_deref());
        let user = user.map(|user| parse_load_mode(&user));
        let setting = |text: String| match text.trim().to_ascii_lowercase().as_str() {
            "working_set" => Some(LoadMode::WorkingSet),
            "full" => Some(LoadMode::Full),
            _ => None,
        };
        let passed_over_user = matches!(user, Some(Err(_)));
        let expected = match (user, global.clone().and_then(setting)) {
            (Some(Ok(mode)), _) => (mode, LoadModeSource::User, false),
            (_, Some(mode)) => (mode, LoadModeSource::Global, passed_over_user),
            (_, None) => (LoadMode::WorkingSet, LoadModeSource::Default, passed_over_user || global.is_some()),
        };
        prop_assert_eq!((resolved.mode, resolved.source, resolved.warning.is_some()), expected);
    }
}

fn value() -> impl Strategy<Value = Option<String>> {
    let word = prop_oneof!["FULL", "WORKING_SET", "[Ff][uU][Ll]L", "(working|WORKING)_?(set|SET)", ".{0,60}"];
    proptest::option::of(("[ \t\n]?", word, "[ \n]?").prop_map(|(before, word, after)| before + &word + &after))
}
