//! The two languages texts come in.

use std::ffi::c_int;
use std::mem::MaybeUninit;

use mcp_working_set::{ErrorCode, Locale};

use crate::error::{Mistake, mws_error};
use crate::ffi::{Bytes, Choice, answer};
use crate::status::mws_status;

/// The language of a text for a model or a person. Codes, names and JSON keys are the same in both.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum mws_locale {
    /// `zh-CN`.
    #[default]
    ZhCn = 0,
    /// `en`.
    En = 1,
}

impl Choice for mws_locale {
    const ALL: &'static [Self] = &[Self::ZhCn, Self::En];

    fn number(self) -> c_int {
        self as c_int
    }

    fn mistake(number: c_int) -> Mistake {
        Mistake::Number { code: ErrorCode::InvalidLocale, what: "locale", number }
    }
}

impl From<mws_locale> for Locale {
    fn from(locale: mws_locale) -> Self {
        match locale {
            mws_locale::ZhCn => Self::ZhCn,
            mws_locale::En => Self::En,
        }
    }
}

impl From<Locale> for mws_locale {
    fn from(locale: Locale) -> Self {
        match locale {
            Locale::ZhCn => Self::ZhCn,
            Locale::En => Self::En,
        }
    }
}

/// The locale that a number of C stands for.
pub(crate) fn locale(given: MaybeUninit<mws_locale>) -> Result<Locale, Mistake> {
    crate::ffi::choice(given).map(Locale::from)
}

/// Reads a locale: `zh-CN` or `en`, exactly.
///
/// Writes it to `out`. MWS_STATUS_INVALID_LOCALE for every other text. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn mws_parse_locale(
    text: Bytes<'_>,
    text_len: usize,
    out: Option<&mut MaybeUninit<mws_locale>>,
    error: Option<&mut MaybeUninit<Option<Box<mws_error>>>>,
) -> mws_status {
    answer(out, error, || Ok(Locale::parse(text.text(text_len, "text")?)?.into()))
}
