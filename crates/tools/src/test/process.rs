//! Running a process with an input and a time limit.

use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How a process ended.
pub(super) enum Ended {
    /// By itself.
    Normally {
        /// Whether with exit code 0.
        success: bool,
        /// What it printed.
        stdout: Vec<u8>,
        /// What it complained about.
        stderr: String,
    },
    /// Killed by a signal: it crashed.
    BySignal,
    /// Killed by us.
    TooLate,
}

/// Runs a command on an input.
pub(super) fn run_limited(mut command: Command, input: &[u8], limit: Duration) -> std::io::Result<Ended> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let mut stdin = child.stdin.take();
    let mut stdout = child.stdout.take();
    let mut stderr = child.stderr.take();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if let Some(stdin) = &mut stdin {
                // A process that does not read all of its input closes the pipe.
                let _ = stdin.write_all(input);
            }
        });
        let out = scope.spawn(move || read_all(&mut stdout));
        let err = scope.spawn(move || read_all(&mut stderr));
        let start = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if start.elapsed() > limit {
                child.kill()?;
                child.wait()?;
                return Ok(Ended::TooLate);
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        let stdout = out.join().unwrap_or_default();
        let stderr = String::from_utf8_lossy(&err.join().unwrap_or_default()).into_owned();
        if status.code().is_none() {
            return Ok(Ended::BySignal);
        }
        Ok(Ended::Normally { success: status.success(), stdout, stderr })
    })
}

fn read_all(from: &mut Option<impl Read>) -> Vec<u8> {
    let mut bytes = vec![];
    if let Some(from) = from {
        let _ = from.read_to_end(&mut bytes);
    }
    bytes
}
