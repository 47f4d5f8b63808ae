//! What a call came to, as a number.

use mcp_working_set::ErrorCode;

/// What a call came to. Every other number than 0 is a mistake of the program, never something a model or a person
/// should hear: that is always part of an answer. A number never gets another meaning; new ones may be added.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum mws_status {
    /// It worked.
    Ok = 0,
    /// A pointer is NULL that must not be.
    NullPointer = 1,
    /// Bytes that should be text are not UTF-8.
    InvalidUtf8 = 2,
    /// The text is not JSON.
    InvalidJson = 3,
    /// The JSON does not have the documented shape.
    InvalidDocument = 4,
    /// The input is larger than the stated limit.
    TooLarge = 5,
    /// A locale that is not one of ::mws_locale, or not `zh-CN` or `en`.
    InvalidLocale = 6,
    /// A load mode that is not one of ::mws_load_mode, or not `WORKING_SET` or `FULL`.
    InvalidLoadMode = 7,
    /// An execution mode other than LOCAL and CLOUD.
    InvalidExecutionMode = 8,
    /// Some other argument is not of the documented form.
    InvalidArgument = 9,
    /// A fault of this library. Whatever handles it was given can still be freed.
    Internal = 10,
}

impl From<ErrorCode> for mws_status {
    fn from(code: ErrorCode) -> Self {
        match code {
            ErrorCode::InvalidUtf8 => Self::InvalidUtf8,
            ErrorCode::InvalidJson => Self::InvalidJson,
            ErrorCode::InvalidDocument => Self::InvalidDocument,
            ErrorCode::TooLarge => Self::TooLarge,
            ErrorCode::InvalidLocale => Self::InvalidLocale,
            ErrorCode::InvalidLoadMode => Self::InvalidLoadMode,
            ErrorCode::InvalidExecutionMode => Self::InvalidExecutionMode,
            // A code that is newer than this binding is about some argument, too.
            _ => Self::InvalidArgument,
        }
    }
}
