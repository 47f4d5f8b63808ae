//! Temporary
use crate::error::{Error, ErrorCode};
use serde::Deserialize;
pub(crate) fn read<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T, Error> {
    let text = str::from_utf8(bytes).map_err(|_| Error::new(ErrorCode::InvalidUtf8, "the document is not UTF-8"))?;
    serde_json::from_str(text).map_err(|e| Error::new(ErrorCode::InvalidDocument, e.to_string()))
}
pub(crate) fn to_json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
