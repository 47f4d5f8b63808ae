//! The two languages texts come in. Codes, names and JSON keys are the same in both.

use crate::error::{Error, ErrorCode};

/// The language of a text for a model or a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Locale {
    /// `zh-CN`, the default.
    #[default]
    ZhCn,
    /// `en`.
    En,
}

impl Locale {
    /// Reads `zh-CN` or `en`, exactly.
    ///
    /// # Errors
    /// `invalid_locale` for every other text.
    pub fn parse(text: &str) -> Result<Self, Error> {
        match text {
            "zh-CN" => Ok(Self::ZhCn),
            "en" => Ok(Self::En),
            _ => Err(Error::new(
                ErrorCode::InvalidLocale,
                format!("unknown locale `{}`, expected `zh-CN` or `en`", crate::text::one_line(text, 40)),
            )),
        }
    }

    /// `"zh-CN"` or `"en"`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ZhCn => "zh-CN",
            Self::En => "en",
        }
    }

    /// Picks one of two texts.
    pub(crate) fn pick<T>(self, zh_cn: T, en: T) -> T {
        match self {
            Self::ZhCn => zh_cn,
            Self::En => en,
        }
    }
}
