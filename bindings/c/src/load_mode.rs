//! Whether a session shows its MCP tools as a working set or injects them all.

use std::ffi::c_int;
use std::mem::MaybeUninit;

use mcp_working_set::{ErrorCode, LoadMode, LoadModeSource, parse_load_mode, resolve_load_mode};

use crate::error::{Mistake, mws_error};
use crate::ffi::{Bytes, Choice, answer, write_optional};
use crate::status::mws_status;
use crate::text::mws_string;

/// How the MCP tools of a session reach the model.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum mws_load_mode {
    /// As one section of the system prompt and two tools.
    #[default]
    WorkingSet = 0,
    /// Every tool with its schema.
    Full = 1,
}

impl Choice for mws_load_mode {
    const ALL: &'static [Self] = &[Self::WorkingSet, Self::Full];

    fn number(self) -> c_int {
        self as c_int
    }

    fn mistake(number: c_int) -> Mistake {
        Mistake::Number { code: ErrorCode::InvalidLoadMode, what: "load mode", number }
    }
}

impl From<mws_load_mode> for LoadMode {
    fn from(mode: mws_load_mode) -> Self {
        match mode {
            mws_load_mode::WorkingSet => Self::WorkingSet,
            mws_load_mode::Full => Self::Full,
        }
    }
}

impl From<LoadMode> for mws_load_mode {
    fn from(mode: LoadMode) -> Self {
        match mode {
            LoadMode::WorkingSet => Self::WorkingSet,
            LoadMode::Full => Self::Full,
        }
    }
}

/// Who chose the load mode.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum mws_load_mode_source {
    /// Neither: nothing valid was set.
    #[default]
    Default = 0,
    /// The user.
    User = 1,
    /// The global setting.
    Global = 2,
}

impl From<LoadModeSource> for mws_load_mode_source {
    fn from(source: LoadModeSource) -> Self {
        match source {
            LoadModeSource::User => Self::User,
            LoadModeSource::Global => Self::Global,
            LoadModeSource::Default => Self::Default,
        }
    }
}

/// Reads a load mode: `WORKING_SET` or `FULL`, exactly.
///
/// Writes it to `out`. MWS_STATUS_INVALID_LOAD_MODE for every other text. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn mws_parse_load_mode(
    text: Bytes<'_>,
    text_len: usize,
    out: Option<&mut MaybeUninit<mws_load_mode>>,
    error: Option<&mut MaybeUninit<Option<Box<mws_error>>>>,
) -> mws_status {
    answer(out, error, || Ok(parse_load_mode(text.text(text_len, "text")?)?.into()))
}

/// Which load mode is in force: the user's value if it is valid, else the global setting (`working_set` or `full` in
/// any case, with white space around it), else MWS_LOAD_MODE_WORKING_SET. A value that is not valid is passed over.
///
/// NULL for `user` or `global` means that nothing was set. Writes the mode to `out`, and where they are not NULL who
/// chose it to `source`, and to `warning` one sentence in English about what was passed over, or nothing; free that
/// with mws_string_free(). Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn mws_resolve_load_mode(
    user: Bytes<'_>,
    user_len: usize,
    global: Bytes<'_>,
    global_len: usize,
    out: Option<&mut MaybeUninit<mws_load_mode>>,
    source: Option<&mut MaybeUninit<mws_load_mode_source>>,
    warning: Option<&mut MaybeUninit<mws_string>>,
    error: Option<&mut MaybeUninit<Option<Box<mws_error>>>>,
) -> mws_status {
    let (mut chosen_by, mut passed_over) = (mws_load_mode_source::default(), mws_string::default());
    let status = answer(out, error, || {
        let resolved =
            resolve_load_mode(user.optional_text(user_len, "user")?, global.optional_text(global_len, "global")?);
        chosen_by = resolved.source.into();
        if warning.is_some() {
            passed_over = resolved.warning.into();
        }
        Ok(resolved.mode.into())
    });
    write_optional(source, chosen_by);
    write_optional(warning, passed_over);
    status
}
