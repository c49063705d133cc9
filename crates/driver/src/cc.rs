//! The C compiler: found through `CC` and `CFLAGS`, as users expect.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Why no executable came out.
#[derive(Debug)]
pub enum CcError {
    /// The compiler could not be started.
    NotStarted(String, std::io::Error),
    /// It refused the text we generated, which is our mistake, unless the user's settings are to blame.
    Refused {
        /// The variables that the user has set.
        settings: Vec<String>,
        /// What it said.
        text: String,
    },
    /// There is something else where the executable should be.
    Occupied(PathBuf, &'static str),
}

#[expect(clippy::wildcard_enum_match_arm, reason = "a few of many kinds of errors are asked for")]
impl std::fmt::Display for CcError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CcError::NotStarted(cc, e) => {
                let why = match e.kind() {
                    // The second is for something in PATH that is no folder.
                    std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => {
                        "there is no such program".to_owned()
                    }
                    _ => e.to_string(),
                };
                write!(
                    f,
                    "Could not run the C compiler `{cc}`: {why}. Install gcc or clang, or set CC to the one to use; \
                     `fehu run -i` and `fehu repl` need none."
                )
            }
            CcError::Refused { settings, text } if settings.is_empty() => write!(
                f,
                "The C compiler refused the generated code. This is a bug in fehu; please report it \
                 together with the program.\n{text}"
            ),
            CcError::Refused { settings, text } => write!(
                f,
                "The C compiler refused the generated code. It was run with {}; if it refuses without, this is a \
                 bug in fehu.\n{text}",
                settings.join(" and ")
            ),
            CcError::Occupied(path, what) => write!(f, "Could not write {}: {what}.", path.display()),
        }
    }
}

/// Whether an executable can be written to a place: to nothing or a file, but not over a folder or a device.
pub fn check_output(output: &Path) -> Result<(), CcError> {
    match std::fs::metadata(output) {
        Ok(meta) if meta.is_dir() => Err(CcError::Occupied(output.to_owned(), "it is a folder")),
        Ok(meta) if !meta.is_file() => Err(CcError::Occupied(output.to_owned(), "it is not a regular file")),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Compiles and links one C file.
pub fn compile(source: &Path, output: &Path, libraries: &[&str]) -> Result<(), CcError> {
    let cc = std::env::var("CC").ok().filter(|s| !s.trim().is_empty()).unwrap_or_else(|| "cc".into());
    let flags = std::env::var("CFLAGS").unwrap_or_else(|_| "-O3 -std=c11".into());
    let mut words = cc.split_whitespace();
    let program = words.next().unwrap_or("cc");
    let result = Command::new(program)
        .args(words)
        .args(flags.split_whitespace())
        .arg(source)
        .arg("-o")
        .arg(output)
        .args(libraries)
        .output()
        .map_err(|e| CcError::NotStarted(cc.clone(), e))?;
    if result.status.success() {
        return Ok(());
    }
    let shown = |name: &str| std::env::var(name).ok().map(|value| format!("{name}={value}"));
    let settings = ["CC", "CFLAGS"].into_iter().filter_map(shown).collect();
    Err(CcError::Refused { settings, text: String::from_utf8_lossy(&result.stderr).into_owned() })
}
