//! How a JSON document of the host is read, and what it is told when that fails.
//!
//! Decides the code and the place of every mistake: not UTF-8, not JSON, JSON of another shape. It knows no shape
//! itself; the readers of sets, reports and contexts bring theirs. Line and column are where the reader stopped: at the
//! mistake or right before it.
//!
//! The path of a mistake costs time to keep track of, so it is found by reading a second time, once there is one.

use serde::{Deserialize, Serialize};
use serde_json::error::Category;

use crate::error::{Error, ErrorCode, Place};
use crate::text::one_line;

/// The largest document that is read, in bytes.
pub(crate) const MAX_DOCUMENT_BYTES: usize = u32::MAX as usize;

/// What a reader says about a mistake may quote the document; it is cut to this many grapheme clusters.
const SHOWN_MESSAGE: usize = 200;

/// A path holds keys of the document; it is cut likewise.
const SHOWN_PATH: usize = 200;

/// Reads a document that is one JSON object, borrowing from it where `T` does.
///
/// # Errors
/// `too_large`, `invalid_utf8`, `invalid_json` or `invalid_document`; but for the first with the place.
pub(crate) fn read<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T, Error> {
    let text = text(bytes, MAX_DOCUMENT_BYTES)?;
    let is_object = text.trim_ascii_start().starts_with('{');
    match serde_json::from_str(text) {
        // Structs can be read from arrays too, but that is not a documented shape.
        Ok(document) if is_object => Ok(document),
        Err(error) if is_object || !error.is_data() => Err(failure::<T>(text, error)),
        Ok(_) | Err(_) => Err(invalid(bytes, text.trim_ascii_start(), "", "the document is not an object")),
    }
}

/// Reads a document that is one JSON array; otherwise like [`read`].
///
/// # Errors
/// As [`read`].
pub(crate) fn read_list<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<Vec<T>, Error> {
    let text = text(bytes, MAX_DOCUMENT_BYTES)?;
    serde_json::from_str(text).map_err(|error| failure::<Vec<T>>(text, error))
}

/// The shortest JSON text of a value whose serialisation cannot fail.
pub(crate) fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// The mistake that `part`, a slice of `document`, has another shape than documented.
pub(crate) fn invalid(document: &[u8], part: &str, path: impl Into<String>, message: impl Into<String>) -> Error {
    let offset = part.as_ptr().addr().saturating_sub(document.as_ptr().addr());
    Error::new(ErrorCode::InvalidDocument, message).at(place(document, offset, path))
}

fn text(bytes: &[u8], limit: usize) -> Result<&str, Error> {
    if bytes.len() > limit {
        return Err(Error::new(ErrorCode::TooLarge, format!("the document is larger than {limit} bytes")));
    }
    str::from_utf8(bytes).map_err(|error| {
        let place = place(bytes, error.valid_up_to(), "");
        Error::new(ErrorCode::InvalidUtf8, "the document is not UTF-8").at(place)
    })
}

#[cold]
fn failure<'de, T: Deserialize<'de>>(text: &'de str, error: serde_json::Error) -> Error {
    let mut reader = serde_json::Deserializer::from_str(text);
    let path = match serde_path_to_error::deserialize::<_, T>(&mut reader) {
        Err(error) => error.path().to_string(),
        // The document itself was read: what follows it is at fault.
        Ok(_) => String::new(),
    };
    // `.` is how the tracker writes the document itself.
    let path = if path == "." { String::new() } else { one_line(&path, SHOWN_PATH) };
    let code = match error.classify() {
        Category::Data => ErrorCode::InvalidDocument,
        Category::Syntax | Category::Eof | Category::Io => ErrorCode::InvalidJson,
    };
    let (line, column) = (error.line(), error.column());
    let message = error.to_string();
    let message = message.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&message);
    let (line, column) = (line.max(1), column.max(1));
    Error::new(code, one_line(message, SHOWN_MESSAGE)).at(Place { path, line, column })
}

fn place(document: &[u8], offset: usize, path: impl Into<String>) -> Place {
    let before = document.get(..offset).unwrap_or(document);
    let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
    let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
    Place { path: path.into(), line, column: before.len() - line_start + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::wire::{WireServer, WireTool};

    #[derive(Deserialize)]
    struct Document<'a> {
        #[serde(borrow)]
        servers: Vec<WireServer<'a>>,
        #[serde(default, borrow)]
        tools: Option<Vec<WireTool<'a>>>,
    }

    fn mistake(document: impl AsRef<[u8]>) -> (ErrorCode, String, usize, usize, String) {
        let error = read::<Document<'_>>(document.as_ref()).err().expect("a mistake");
        let place = error.place().expect("a place");
        (error.code(), place.path.clone(), place.line, place.column, error.message().to_owned())
    }

    const TOOL: &str = r#"{"toolName":"a","inputSchema":{"a":[{}]},"annotations":{"readOnlyHint":true}}"#;

    #[test]
    fn a_document_is_read() {
        let document = format!(r#" {{"servers":[{{"name":"a"}}],"tools":[{TOOL}],"more":[[]]}} "#);
        let document: Document<'_> = read(document.as_bytes()).unwrap();
        assert_eq!((document.servers.len(), document.tools.map(|tools| tools.len())), (1, Some(1)));
    }

    #[test]
    fn a_value_of_the_wrong_type_has_its_path() {
        let document = format!("{{\"servers\": [],\n \"tools\": [{TOOL},\n  {{\"toolName\": 5}}]}}");
        let (code, path, line, column, message) = mistake(document);
        assert_eq!((code, &*path, line, column), (ErrorCode::InvalidDocument, "tools[1].toolName", 3, 16));
        assert_eq!(message, "invalid type: integer `5`, expected a string");
        let (code, path, .., message) = mistake(r#"{"servers":[{"id":9007199254740992,"name":"a"}]}"#);
        assert_eq!((code, &*path), (ErrorCode::InvalidDocument, "servers[0].id"));
        assert_eq!(message, "an id must lie within ±(2^53 - 1)");
    }

    #[test]
    fn a_missing_field_has_the_path_of_its_object() {
        let (code, path, .., message) = mistake(r#"{"servers":[],"tools":[{"description":"d"}]}"#);
        assert_eq!((code, &*path, &*message), (ErrorCode::InvalidDocument, "tools[0]", "missing field `toolName`"));
        let (code, path, line, column, _) = mistake("{}");
        assert_eq!((code, &*path, line, column), (ErrorCode::InvalidDocument, "", 1, 2));
    }

    #[test]
    fn what_is_not_json_has_line_and_column() {
        assert_eq!(mistake(""), (ErrorCode::InvalidJson, String::new(), 1, 1, "EOF while parsing a value".to_owned()));
        let (code, path, line, column, _) = mistake("{\"servers\":\n[tru]}");
        assert_eq!((code, &*path, line, column), (ErrorCode::InvalidJson, "servers[0]", 2, 5));
        let (code, path, line, column, _) = mistake("{\"servers\":[]}\n]");
        assert_eq!((code, &*path, line, column), (ErrorCode::InvalidJson, "", 2, 1));
    }

    #[test]
    fn what_is_not_utf8_has_line_and_column() {
        let (code, path, line, column, _) = mistake(b"{\n\"a\xFF");
        assert_eq!((code, &*path, line, column), (ErrorCode::InvalidUtf8, "", 2, 3));
    }

    #[test]
    fn a_message_quotes_little_and_on_one_line() {
        let long = format!(r#"{{"servers":"\n\u202e at line 7 column 9 {}"}}"#, "x".repeat(100_000));
        let (code, path, .., message) = mistake(long);
        assert_eq!((code, &*path), (ErrorCode::InvalidDocument, "servers"));
        assert!(message.starts_with("invalid type: string") && message.contains("at line 7"), "{message}");
        assert!(message.chars().count() <= SHOWN_MESSAGE && !message.contains(['\n', '\u{202e}']));
    }

    #[test]
    fn a_document_that_is_too_large_is_not_read() {
        assert_eq!(text(b"[1]", 2).unwrap_err().code(), ErrorCode::TooLarge);
        assert_eq!(text(b"[1]", 3).unwrap(), "[1]");
    }

    #[test]
    fn a_document_that_is_no_object_is_none() {
        for document in ["\n [[]]", "\n 5", "\n \"servers\"", "\n [[], []]", "\n null"] {
            let (code, path, line, column, message) = mistake(document);
            assert_eq!((code, &*path, line, column), (ErrorCode::InvalidDocument, "", 2, 2), "{document}");
            assert_eq!(message, "the document is not an object");
        }
        assert_eq!(mistake("[[], []").0, ErrorCode::InvalidJson);
    }

    #[test]
    fn a_list_is_read_with_the_path_of_a_mistake() {
        assert_eq!(read_list::<i64>(b"[1, 2]").unwrap(), [1, 2]);
        let error = read_list::<i64>(b"[1, true]").unwrap_err();
        assert_eq!(error.to_string(), "invalid type: boolean `true`, expected i64 at `[1]` (line 1, column 8)");
        assert_eq!(read_list::<i64>(b"{}").unwrap_err().code(), ErrorCode::InvalidDocument);
    }
}
