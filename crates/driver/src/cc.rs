//! The C compiler: found through `CC` and `CFLAGS`, as users expect.
//!
//! In: C text. Out: an executable, and the text beside it for people who want to look; if there is no
//! executable, there is no text either.

use crate::files::{argument, not_written, write, Kept, Unfinished};
use crate::target::Target;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus};

/// How many lines of what a compiler says are shown if they are not about the text.
const LAST_LINES: usize = 20;

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
    /// It failed without a word about the text: it was killed, memory or disk is full, a library is missing.
    Failed {
        /// Its name, or the variables that the user has set.
        cc: String,
        /// How it ended.
        status: ExitStatus,
        /// What it said last.
        text: String,
    },
    /// A file could not be written: why, with its name.
    NotWritten(String),
}

#[expect(clippy::wildcard_enum_match_arm, reason = "a few of many kinds of errors are asked for")]
impl std::fmt::Display for CcError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CcError::NotStarted(cc, e) => match e.kind() {
                // The second is for something in PATH that is no folder.
                std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => write!(
                    f,
                    "Could not run the C compiler `{cc}`: there is no such program. Install gcc or clang, or set CC to \
                     the one to use; `fehu run -i` and `fehu repl` need none."
                ),
                _ => write!(f, "Could not run the C compiler `{cc}`: {e}."),
            },
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
            CcError::Failed { cc, status, text } => {
                match status.signal() {
                    Some(_) => write!(f, "The C compiler ({cc}) was ended by a {status}")?,
                    None => write!(f, "The C compiler ({cc}) failed with {status}")?,
                }
                match text.is_empty() {
                    true => f.write_str(", and said nothing."),
                    false => write!(f, ", and said:\n{text}"),
                }
            }
            CcError::NotWritten(why) => f.write_str(why),
        }
    }
}

/// Whether an executable can be written to a place: to nothing or a file, but not over a folder or a device.
pub fn check_output(output: &Path) -> Result<(), CcError> {
    let occupied =
        |what: &str| Err(CcError::NotWritten(format!("could not write {}: {what}", output.display())));
    match std::fs::metadata(output) {
        Ok(meta) if meta.is_dir() => occupied("it is a folder"),
        Ok(meta) if !meta.is_file() => occupied("it is not a regular file"),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// The options by which a text has no code but for the processor that this program runs on.
pub fn this_processor() -> &'static [&'static str] {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        if has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("avx512vl") {
            return &["-DVECTOR_BITS=512"];
        }
        if has!("avx2") {
            return &["-DVECTOR_BITS=256"];
        }
    }
    &[]
}

/// Writes a C file, and makes an executable of it. The options are added to those that the user has set.
pub fn build(
    text: &str,
    source: &Path,
    output: &Path,
    target: Target,
    options: &[&str],
) -> Result<(), CcError> {
    write(source, text).map_err(CcError::NotWritten)?;
    let source = Kept::if_finished(source).map_err(|e| CcError::NotWritten(not_written(source, &e)))?;
    let failed = |e: std::io::Error| CcError::NotWritten(not_written(output, &e));
    let executable = Unfinished::new(output.to_owned(), EXECUTABLE).map_err(failed)?;
    compile(source.path(), executable.path(), target, options)?;
    executable.finish().map_err(failed)?;
    source.finish().map_err(failed)
}

/// The permissions of an executable, of which the user's mask takes some away.
const EXECUTABLE: u32 = 0o777;

/// Compiles and links one C file.
fn compile(source: &Path, output: &Path, target: Target, options: &[&str]) -> Result<(), CcError> {
    let cc = std::env::var("CC").ok().filter(|s| !s.trim().is_empty()).unwrap_or_else(|| "cc".into());
    let flags = std::env::var("CFLAGS").unwrap_or_else(|_| default_flags(target).into());
    let source = argument(source);
    let mut words = cc.split_whitespace();
    let program = words.next().unwrap_or("cc");
    let result = Command::new(program)
        .args(words)
        .args(flags.split_whitespace())
        .args(options)
        .arg(&source)
        .arg("-o")
        .arg(argument(output))
        .args(target.libraries())
        // What it says is looked at, and shown beside our English.
        .env("LC_ALL", "C")
        .output()
        .map_err(|e| CcError::NotStarted(cc.clone(), e))?;
    if result.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&result.stderr).trim_end().to_owned();
    let shown = |name: &str| std::env::var(name).ok().map(|value| format!("{name}={value}"));
    let settings: Vec<String> = ["CC", "CFLAGS"].into_iter().filter_map(shown).collect();
    if result.status.signal().is_none() && is_about(&text, &source) {
        return Err(CcError::Refused { settings, text });
    }
    let lines: Vec<&str> = text.lines().collect();
    let text = lines[lines.len().saturating_sub(LAST_LINES)..].join("\n");
    let cc = if settings.is_empty() { cc } else { settings.join(" and ") };
    Err(CcError::Failed { cc, status: result.status, text })
}

/// On GPUs the text of the host launches kernels, and is not worth much time.
fn default_flags(target: Target) -> &'static str {
    match target {
        Target::C | Target::Multicore => "-O3 -std=c11",
        Target::OpenCl | Target::Cuda => "-O1 -std=c11",
    }
}

/// Whether a compiler complains about the text: `prog.c:10:3: error: ...`, or a function that the text calls
/// and that is not there.
fn is_about(said: &str, source: &Path) -> bool {
    let name = format!("{}:", source.display());
    said.lines().any(|line| {
        line.contains("undefined reference")
            || line.contains("undefined symbol")
            || line.strip_prefix(&name).is_some_and(|rest| {
                let what = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':');
                what.trim_start().starts_with("error:")
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_host_is_optimised_a_little() {
        let flags = Target::ALL.map(default_flags);
        assert_eq!(flags, ["-O3 -std=c11", "-O3 -std=c11", "-O1 -std=c11", "-O1 -std=c11"]);
    }

    #[test]
    fn errors_of_the_text_are_told_from_those_of_the_compiler() {
        let about = |said: &str| is_about(said, Path::new("./-p.c"));
        assert!(about("./-p.c: In function 'main':\n./-p.c:10:3: error: 'x' undeclared"));
        assert!(about("./-p.c:10: error: ';' expected"));
        assert!(about(
            "/usr/bin/ld: /tmp/x.o: in function `main':\np.c:(.text+0x9): undefined reference to `f'"
        ));
        assert!(!about("cc1: out of memory allocating 65536 bytes"));
        assert!(!about("./-p.c:10:3: internal compiler error: Segmentation fault"));
        assert!(!about("./-p.c:1:10: fatal error: math.h: No such file or directory"));
        assert!(!about("cc: fatal error: Killed signal terminated program cc1\ncompilation terminated."));
        assert!(!about("/usr/bin/ld: cannot find -lOpenCL: No such file or directory"));
    }
}
