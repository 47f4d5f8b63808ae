//! Whether a session shows its MCP tools as a working set or injects them all.
//!
//! Decides which of the user's choice and the global setting is in force, and says why. Where the two are stored, and
//! for how long an answer is kept, is the host's business.
//!
//! ```
//! use mcp_working_set::{LoadMode, LoadModeSource, resolve_load_mode};
//! let resolved = resolve_load_mode(Some("working"), Some(" Full "));
//! assert_eq!((resolved.mode, resolved.source), (LoadMode::Full, LoadModeSource::Global));
//! assert!(resolved.warning.is_some());
//! ```

use serde::Serialize;

use crate::document;
use crate::error::{Error, ErrorCode};
use crate::text::one_line;

/// A value in a message is cut to this many grapheme clusters.
const SHOWN_VALUE: usize = 40;

/// How the MCP tools of a session reach the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum LoadMode {
    /// As one section of the system prompt and two tools; the default.
    #[default]
    WorkingSet,
    /// Every tool with its schema.
    Full,
}

impl LoadMode {
    /// `"WORKING_SET"` or `"FULL"`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::WorkingSet => "WORKING_SET",
            Self::Full => "FULL",
        }
    }
}

/// Who chose the load mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LoadModeSource {
    /// The user.
    User,
    /// The global setting.
    Global,
    /// Neither: nothing valid was set.
    Default,
}

impl LoadModeSource {
    /// `"user"`, `"global"` or `"default"`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Global => "global",
            Self::Default => "default",
        }
    }
}

/// The load mode in force, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ResolvedLoadMode {
    /// The mode in force.
    pub mode: LoadMode,
    /// Who chose it.
    pub source: LoadModeSource,
    /// One sentence in English about every value that was passed over because it is not valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

impl ResolvedLoadMode {
    /// `{"mode", "source", "warning"?}`.
    #[must_use]
    pub fn to_json(&self) -> String {
        document::to_json(self)
    }
}

/// Reads `WORKING_SET` or `FULL`, exactly.
///
/// # Errors
/// `invalid_load_mode` for every other text.
pub fn parse_load_mode(value: &str) -> Result<LoadMode, Error> {
    match value {
        "WORKING_SET" => Ok(LoadMode::WorkingSet),
        "FULL" => Ok(LoadMode::Full),
        _ => Err(invalid(value, "`WORKING_SET` or `FULL`")),
    }
}

/// The user's value if it is valid, else the global setting's, else [`LoadMode::WorkingSet`].
///
/// The user's value is valid as [`parse_load_mode`] reads it. The global setting is written by hand: `working_set` or
/// `full` in any case, white space around it ignored. `None` means that nothing was set, which is no reason for a
/// warning. What is not needed is not looked at: beside a valid choice of the user the setting may be anything.
#[must_use]
pub fn resolve_load_mode(user: Option<&str>, global: Option<&str>) -> ResolvedLoadMode {
    let (mode, source, passed_over) = match (user.map(parse_load_mode), global.map(parse_setting)) {
        (Some(Ok(mode)), _) => (mode, LoadModeSource::User, [None, None]),
        (Some(Err(user)), Some(Ok(mode))) => (mode, LoadModeSource::Global, [Some(user), None]),
        (None, Some(Ok(mode))) => (mode, LoadModeSource::Global, [None, None]),
        (Some(Err(user)), Some(Err(global))) => {
            (LoadMode::default(), LoadModeSource::Default, [Some(user), Some(global)])
        }
        (Some(Err(user)), None) => (LoadMode::default(), LoadModeSource::Default, [Some(user), None]),
        (None, Some(Err(global))) => (LoadMode::default(), LoadModeSource::Default, [None, Some(global)]),
        (None, None) => (LoadMode::default(), LoadModeSource::Default, [None, None]),
    };
    let warnings: Vec<String> = ["the user's load mode", "the global load mode"]
        .iter()
        .zip(passed_over)
        .filter_map(|(whose, error)| Some(format!("{whose} is passed over: {}", error?.message())))
        .collect();
    ResolvedLoadMode { mode, source, warning: (!warnings.is_empty()).then(|| warnings.join("; ")) }
}

fn parse_setting(value: &str) -> Result<LoadMode, Error> {
    let setting = value.trim();
    [LoadMode::WorkingSet, LoadMode::Full]
        .into_iter()
        .find(|mode| setting.eq_ignore_ascii_case(mode.as_str()))
        .ok_or_else(|| invalid(value, "`working_set` or `full`"))
}

fn invalid(value: &str, expected: &str) -> Error {
    let message = format!("unknown load mode `{}`, expected {expected}", one_line(value, SHOWN_VALUE));
    Error::new(ErrorCode::InvalidLoadMode, message)
}
