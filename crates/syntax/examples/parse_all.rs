//! Parses every `.fut` file under the given directories and prints what fails.

use fehu_base::{diagnostic::Colour, SourceMap};
use std::path::{Path, PathBuf};

fn main() {
    let mut files = vec![];
    for arg in std::env::args().skip(1) {
        collect(Path::new(&arg), &mut files);
    }
    files.sort();
    let (mut bad, mut bytes) = (0, 0);
    let start = std::time::Instant::now();
    for path in &files {
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        bytes += text.len();
        let mut sources = SourceMap::default();
        let file = sources.add(path.clone(), text.clone());
        let parsed = fehu_syntax::parse(file, &text);
        if !parsed.errors.is_empty() {
            bad += 1;
            println!("BAD {}", path.display());
            for e in &parsed.errors {
                println!("{}", e.render(&sources, Colour::Never));
            }
        }
    }
    println!("{} files, {bytes} bytes, {bad} with errors, {:?}", files.len(), start.elapsed());
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
            collect(&entry.path(), files);
        }
    } else if path.extension().is_some_and(|e| e == "fut") {
        files.push(path.to_owned());
    }
}
