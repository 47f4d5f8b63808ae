//! Temporary
pub(crate) fn nearest<'a>(given: &str, candidates: impl Iterator<Item = &'a str>, limit: usize) -> Vec<&'a str> {
    let mut ranked: Vec<_> =
        candidates.map(|c| (strsim::osa_distance(given, c), c)).filter(|(d, c)| *d * 2 <= c.len()).collect();
    ranked.sort();
    ranked.into_iter().map(|(_, c)| c).take(limit).collect()
}
