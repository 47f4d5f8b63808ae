//! Errors of the API itself: mistakes of the host, never something a model or a person should hear.
//!
//! What a model should hear is a [`Refusal`](crate::Refusal), what a person should hear is a
//! [`Warning`](crate::Warning): both are values. An [`Error`] means that the host handed over something that cannot
//! be worked with at all. It is opaque: branch on [`Error::code`], show its `Display`.

use std::fmt;

/// The stable name of a mistake. New codes may be added; a code never changes its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorCode {
    /// The bytes are not UTF-8.
    InvalidUtf8,
    /// The text is not JSON.
    InvalidJson,
    /// The JSON does not have the documented shape.
    InvalidDocument,
    /// The input is larger than the stated limit.
    TooLarge,
    /// A locale other than `zh-CN` and `en`.
    InvalidLocale,
    /// A load mode other than `WORKING_SET` and `FULL`.
    InvalidLoadMode,
    /// An execution mode other than `LOCAL` and `CLOUD`.
    InvalidExecutionMode,
    /// Some other argument of a call is not of the documented form.
    InvalidArgument,
}

impl ErrorCode {
    /// The code as text, in snake_case: `"invalid_json"`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidUtf8 => "invalid_utf8",
            Self::InvalidJson => "invalid_json",
            Self::InvalidDocument => "invalid_document",
            Self::TooLarge => "too_large",
            Self::InvalidLocale => "invalid_locale",
            Self::InvalidLoadMode => "invalid_load_mode",
            Self::InvalidExecutionMode => "invalid_execution_mode",
            Self::InvalidArgument => "invalid_argument",
        }
    }
}

/// Where in the input a mistake is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The path of the value, such as `tools[3].toolName`; empty for the whole document.
    pub path: String,
    /// Line, counted from 1; 0 when the input is not text.
    pub line: usize,
    /// Column in bytes, counted from 1; 0 when the input is not text.
    pub column: usize,
}

/// A mistake of the host: branch on its code, show its `Display`. What a model or a person should hear is never one.
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<Inner>);

#[derive(Clone, PartialEq, Eq)]
struct Inner {
    code: ErrorCode,
    message: String,
    place: Option<Place>,
}

impl Error {
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self(Box::new(Inner { code, message: message.into(), place: None }))
    }

    pub(crate) fn at(mut self, place: Place) -> Self {
        self.0.place = Some(place);
        self
    }

    /// The stable code to branch on.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        self.0.code
    }

    /// One sentence in lower case, without the place.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Where the mistake is, when there is such a place.
    #[must_use]
    pub fn place(&self) -> Option<&Place> {
        self.0.place.as_ref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        let Some(place) = &self.0.place else { return Ok(()) };
        if !place.path.is_empty() {
            write!(f, " at `{}`", place.path)?;
        }
        if place.line > 0 {
            write!(f, " (line {}, column {})", place.line, place.column)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({}: {self})", self.0.code.as_str())
    }
}

impl std::error::Error for Error {}
