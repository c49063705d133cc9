//! Plots by a script for `gnuplot`: each data set is a file with a column for each array, and a variable of
//! the script with its name.

use super::outside;
use fehu_driver::files::write;
use std::fmt::Write as _;
use std::path::Path;

/// A data set: its name, and its columns.
pub(crate) struct DataSet {
    pub(crate) name: String,
    pub(crate) columns: Vec<Vec<f64>>,
}

const WITHOUT: &str = "`:plot2d` needs no other program";

/// Runs a script, which writes a PNG file unless it says otherwise.
pub(crate) fn run(sets: &[DataSet], script: &str, scratch: &Path, to: &Path) -> Result<(), String> {
    let mut text = format!("set terminal png enhanced\nset output {}\n", quoted(to));
    for (i, set) in sets.iter().enumerate() {
        if set.name.contains('\'') {
            return Err(format!("a variable of gnuplot cannot be named {}", set.name));
        }
        let file = scratch.join(format!("plot{i}.txt"));
        write(&file, table(&set.columns))?;
        text += &format!("{}={}\n", set.name, quoted(&file));
    }
    text += script;
    text.push('\n');
    outside::run("gnuplot", &[], text.as_bytes(), WITHOUT).map(drop)
}

/// Lines with one element of each column.
fn table(columns: &[Vec<f64>]) -> String {
    let mut text = String::new();
    for row in 0..columns.iter().map(Vec::len).max().unwrap_or(0) {
        for column in columns {
            match column.get(row) {
                // Writing to a string does not fail.
                Some(x) => _ = write!(text, "{x} "),
                None => text += "? ",
            }
        }
        text.push('\n');
    }
    text
}

/// A path as gnuplot reads it.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_and_quotes() {
        assert_eq!(table(&[vec![1.0, 2.5], vec![3.0]]), "1 3 \n2.5 ? \n");
        assert_eq!(quoted(Path::new("a'b")), "'a''b'");
    }
}
