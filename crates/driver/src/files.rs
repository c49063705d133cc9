//! Reading files that the user named: what is no file is refused, and what has no end is cut short.
//! `writing` has how files are written, `temporary` those that are gone in the end.
//!
//! In: a path, such as `prog.fut`, `/dev/stdin` or `/dev/fd/63` (what a shell gives for `<(command)`). Out: the text
//! or the bytes, or a sentence about why not. Named pipes are refused, because opening one waits until a process
//! writes to it, and that may be never; devices and open pipes are read up to a limit.
//!
//! ```text
//! read_source("/dev/zero")  ==>  Err("it is larger than 16 MiB, the limit for source files")
//! ```

mod executable;
mod temporary;
mod writing;

pub use executable::start_when_closed;
pub(crate) use temporary::FILE_PREFIX;
pub use temporary::{unless_ending, TempFolder};
pub use writing::{argument, write, write_with_mode, Batch};
pub(crate) use writing::{not_written, Kept, Unfinished};

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The largest source file, and the largest file of test blocks or tuning parameters.
pub const MAX_SOURCE_BYTES: u64 = 16 << 20;

/// The largest result of `fehu bench --json`, with profiles.
pub const MAX_RESULT_BYTES: u64 = 1 << 30;

/// The most that is read of data that comes from a pipe or a device. Regular files have an end, and no limit.
pub const MAX_STREAM_BYTES: u64 = 1 << 30;

/// A source text: UTF-8, at most [`MAX_SOURCE_BYTES`]. A byte order mark is no part of it.
pub fn read_source(path: &Path) -> Result<String, String> {
    let text = read_text(path, MAX_SOURCE_BYTES, "source files")?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// A text with a limit; `kind` says what has this limit.
pub fn read_text(path: &Path, limit: u64, kind: &str) -> Result<String, String> {
    let bytes = read_limited(open(path)?, limit, kind)?;
    String::from_utf8(bytes).map_err(|e| {
        let valid = e.utf8_error().valid_up_to();
        let line = e.as_bytes()[..valid].iter().filter(|b| **b == b'\n').count() + 1;
        format!("it is not UTF-8 text (see line {line})")
    })
}

/// The bytes of a data file.
pub fn read_data(path: &Path) -> Result<Vec<u8>, String> {
    read_values_of(open(path)?)
}

/// The bytes of standard input.
pub fn read_stdin() -> Result<Vec<u8>, String> {
    use std::os::fd::AsFd;
    let stdin = io::stdin().as_fd().try_clone_to_owned().map_err(|e| e.to_string())?;
    read_values_of(File::from(stdin))
}

/// Regular files are read whole, anything else up to the limit.
fn read_values_of(file: File) -> Result<Vec<u8>, String> {
    let regular = file.metadata().is_ok_and(|m| m.is_file());
    let limit = if regular { u64::MAX - 1 } else { MAX_STREAM_BYTES };
    read_limited(file, limit, "data from pipes and devices; larger data must be in a file")
}

/// Opens what may be read without waiting for a writer that is not there yet.
fn open(path: &Path) -> Result<File, String> {
    let meta = std::fs::metadata(path).map_err(|e| why(&e))?;
    if meta.is_dir() {
        return Err("it is a folder".into());
    }
    if is_pipe(&meta) && !is_descriptor(path) {
        return Err("it is a named pipe; use a file, or /dev/stdin".into());
    }
    File::open(path).map_err(|e| why(&e))
}

fn is_pipe(meta: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    meta.file_type().is_fifo()
}

/// Whether a path stands for something that this process has open already.
fn is_descriptor(path: &Path) -> bool {
    path == Path::new("/dev/stdin") || path.starts_with("/dev/fd") || path.starts_with("/proc/self/fd")
}

fn read_limited(file: File, limit: u64, kind: &str) -> Result<Vec<u8>, String> {
    let mut bytes = vec![];
    file.take(limit + 1).read_to_end(&mut bytes).map_err(|e| why(&e))?;
    if bytes.len() as u64 > limit {
        return Err(format!("it is larger than {} MiB, the limit for {kind}", limit >> 20));
    }
    Ok(bytes)
}

#[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
fn why(e: &io::Error) -> String {
    match e.kind() {
        io::ErrorKind::NotFound => "no such file".to_owned(),
        _ => e.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_text_is_refused() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let file = dir.path().join("x.fut");
        std::fs::write(&file, b"let x = 1\n\xff").expect("written");
        assert_eq!(read_source(&file), Err("it is not UTF-8 text (see line 2)".into()));
        assert_eq!(read_source(dir.path()), Err("it is a folder".into()));
        assert_eq!(read_source(&dir.path().join("none")), Err("no such file".into()));
        assert_eq!(
            read_source(Path::new("/dev/zero")),
            Err("it is larger than 16 MiB, the limit for source files".into())
        );
        assert_eq!(read_source(Path::new("/dev/null")), Ok(String::new()));
        std::fs::write(&file, "\u{feff}let x = 1").expect("written");
        assert_eq!(read_source(&file), Ok("let x = 1".into()));
    }

    #[test]
    fn a_file_at_the_limit_is_read() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let file = dir.path().join("x");
        std::fs::write(&file, "123").expect("written");
        assert_eq!(read_text(&file, 3, "tests"), Ok("123".into()));
        assert!(read_text(&file, 2, "tests").is_err());
    }

    #[test]
    fn nobody_waits_for_a_named_pipe() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let pipe = dir.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs");
        assert!(made.success());
        assert!(read_source(&pipe).is_err_and(|why| why.contains("named pipe")));
        assert!(read_data(&pipe).is_err());
    }
}
