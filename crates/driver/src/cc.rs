//! The C compiler: found through `CC` and `CFLAGS`, as users expect.

use std::path::Path;
use std::process::Command;

/// Why no executable came out.
#[derive(Debug)]
pub enum CcError {
    /// The compiler could not be started.
    NotStarted(String, std::io::Error),
    /// It refused the text we generated, which is our mistake.
    Refused(String),
}

impl std::fmt::Display for CcError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CcError::NotStarted(cc, e) => {
                write!(f, "Could not run the C compiler `{cc}`: {e}. Set CC to the one to use.")
            }
            CcError::Refused(text) => write!(
                f,
                "The C compiler refused the generated code. This is a bug in fehu; please report it \
                 together with the program.\n{text}"
            ),
        }
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
    Err(CcError::Refused(String::from_utf8_lossy(&result.stderr).into_owned()))
}
