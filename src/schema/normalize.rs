//! Temporary
/// x
pub fn normalize_input_schema(s: &str) -> String {
    s.to_owned()
}
