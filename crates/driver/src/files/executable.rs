//! Starting an executable that has just been written.
//!
//! As long as a process has a file open for writing, no process can execute it. While this process writes one
//! executable, another of its threads may start a program: between its `fork` and its `exec` the child has the
//! file open, too, also when it is complete and closed here. That ends by itself within milliseconds, so the
//! start is tried again.

use std::io;
use std::time::{Duration, Instant};

/// How long an executable may be open for writing elsewhere.
const BUSY_LIMIT: Duration = Duration::from_secs(2);

/// The pause between two attempts.
const BUSY_PAUSE: Duration = Duration::from_millis(5);

/// Starts a program by `start`, again as long as its file is open for writing.
///
/// # Errors
///
/// Those of `start`.
pub fn start_when_closed<T>(mut start: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    let begin = Instant::now();
    loop {
        match start() {
            Err(e) if e.kind() == io::ErrorKind::ExecutableFileBusy && begin.elapsed() < BUSY_LIMIT => {
                std::thread::sleep(BUSY_PAUSE);
            }
            result => return result,
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::fs::OpenOptions;
    use std::process::Command;

    #[test]
    fn a_file_that_is_still_open_for_writing_is_started_once_it_is_closed() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let program = folder.path().join("program");
        std::fs::copy("/bin/true", &program).expect("/bin/true can be copied");
        let writer = OpenOptions::new().append(true).open(&program).expect("it can be written");
        let first = Command::new(&program).status().expect_err("it is busy");
        assert_eq!(first.kind(), io::ErrorKind::ExecutableFileBusy);
        let closer = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            drop(writer);
        });
        let status = start_when_closed(|| Command::new(&program).status()).expect("it starts");
        assert!(status.success());
        closer.join().expect("it ends");
    }
}
