//! `fehu datacmp`: whether two files hold the same values.

use fehu_data::{compare, read_values, Tolerance};
use fehu_driver::files::read_data;
use std::path::Path;

/// All differences between two files, as text.
pub fn datacmp(a: &Path, b: &Path) -> Result<Vec<String>, String> {
    let values = |path: &Path| {
        let bytes = read_data(path).map_err(|e| format!("could not read {}: {e}", path.display()))?;
        read_values(&bytes).map_err(|e| format!("{}: {e}", path.display()))
    };
    let (a, b) = (values(a)?, values(b)?);
    Ok(compare(&a, &b, Tolerance::default(), usize::MAX).iter().map(ToString::to_string).collect())
}
