//! Temporary
pub(crate) fn normalize_input_schema(s: &str) -> String {
    s.to_owned()
}
