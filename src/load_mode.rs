//! Temporary
/// Mode
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadMode {
    /// a
    WorkingSet,
    /// b
    Full,
}
