//! What there is to say about a call that failed.

use std::any::Any;

use mcp_working_set::{Error, ErrorCode, Place};

use crate::ffi::look_up;
use crate::status::mws_status;
use crate::text::mws_str;

/// A mistake of the program, or a fault of this library.
#[derive(Debug)]
pub(crate) enum Mistake {
    /// What the core says of its input.
    Input(Error),
    /// An argument is NULL.
    Null(&'static str),
    /// An argument is longer than anything in memory.
    Length { argument: &'static str, len: usize },
    /// An argument is not text.
    NotUtf8 { argument: &'static str, valid_up_to: usize },
    /// A number stands for no value.
    Number { code: ErrorCode, what: &'static str, number: i32 },
    /// A panic, with its message.
    Panic(String),
}

impl Mistake {
    /// The mistake that a panic is.
    pub(crate) fn of_panic(payload: &(dyn Any + Send)) -> Self {
        let text = payload.downcast_ref::<&str>().copied();
        Self::Panic(text.or(payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("unknown").to_owned())
    }

    pub(crate) fn status(&self) -> mws_status {
        match self {
            Self::Input(error) => error.code().into(),
            Self::Null(_) => mws_status::NullPointer,
            Self::Length { .. } => mws_status::TooLarge,
            Self::NotUtf8 { .. } => mws_status::InvalidUtf8,
            Self::Number { code, .. } => (*code).into(),
            Self::Panic(_) => mws_status::Internal,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::Input(error) => error.code().as_str(),
            Self::Null(_) => "null_pointer",
            Self::Length { .. } => ErrorCode::TooLarge.as_str(),
            Self::NotUtf8 { .. } => ErrorCode::InvalidUtf8.as_str(),
            Self::Number { code, .. } => code.as_str(),
            Self::Panic(_) => "internal",
        }
    }

    fn message(&self) -> String {
        match self {
            Self::Input(error) => error.message().to_owned(),
            Self::Null(argument) => format!("`{argument}` is NULL"),
            Self::Length { argument, len } => format!("`{argument}` cannot have {len} bytes"),
            Self::NotUtf8 { argument, valid_up_to } => format!("`{argument}` is not UTF-8 after byte {valid_up_to}"),
            Self::Number { what, number, .. } => format!("{number} is no {what}"),
            Self::Panic(what) => format!("a fault of this library: {what}"),
        }
    }
}

impl From<Error> for Mistake {
    fn from(error: Error) -> Self {
        Self::Input(error)
    }
}

/// What there is to say about a call that failed: a code, a sentence, and a place where there is one.
///
/// Made by every function with an `error` argument when it fails and the argument is not NULL; belongs to the caller.
/// Immutable.
#[derive(Debug)]
pub struct mws_error {
    status: mws_status,
    code: &'static str,
    message: String,
    place: Option<Place>,
}

impl mws_error {
    #[cfg(test)]
    pub(crate) fn message(&self) -> &str {
        &self.message
    }
}

impl From<Mistake> for mws_error {
    fn from(mistake: Mistake) -> Self {
        let place = match &mistake {
            Mistake::Input(error) => error.place().cloned(),
            _ => None,
        };
        Self { status: mistake.status(), code: mistake.code(), message: mistake.message(), place }
    }
}

/// Frees an error. NULL is ignored. Texts borrowed from it are gone with it.
#[unsafe(no_mangle)]
pub extern "C" fn mws_error_free(error: Option<Box<mws_error>>) {
    drop(error);
}

/// The status of the call that failed; MWS_STATUS_OK for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mws_error_status(error: Option<&mws_error>) -> mws_status {
    error.map_or(mws_status::Ok, |error| error.status)
}

/// The stable code, in snake_case and the same in all languages, such as `invalid_document`; in C also `null_pointer`
/// and `internal`. Borrowed from the error; nothing for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mws_error_code(error: Option<&mws_error>) -> mws_str {
    look_up(error, |error| error.code.into())
}

/// One sentence in lower case, without the place. Borrowed from the error; nothing for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mws_error_message(error: Option<&mws_error>) -> mws_str {
    look_up(error, |error| error.message.as_str().into())
}

/// The path of the value in the document, such as `tools[3].toolName`; empty for the document as a whole. Borrowed from
/// the error; nothing when there is no place, and for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mws_error_path(error: Option<&mws_error>) -> mws_str {
    look_up(error, |error| error.place.as_ref().map(|place| place.path.as_str()).into())
}

/// The line in the document, counted from 1; 0 when there is none, and for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mws_error_line(error: Option<&mws_error>) -> usize {
    look_up(error, |error| error.place.as_ref().map_or(0, |place| place.line))
}

/// The column in bytes, counted from 1; 0 when there is none, and for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn mws_error_column(error: Option<&mws_error>) -> usize {
    look_up(error, |error| error.place.as_ref().map_or(0, |place| place.column))
}
