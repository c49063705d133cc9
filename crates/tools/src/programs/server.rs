//! A program running as a server process, with limits on how long it may take.
//!
//! ```text
//! let mut process = ServerProcess::start(&executable, None, &options)?;
//! let entries = process.talk(Some(limit), |server| server.entry_points())?;
//! ```

use crate::threads;
use fehu_data::server::{Server, ServerError};
use fehu_driver::files::start_when_closed;
use std::fmt;
use std::io::{BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{channel, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// What one says to a running server.
pub type Connection = Server<BufReader<ChildStdout>, ChildStdin>;

/// A program running as a server. Dropping it ends it.
pub struct ServerProcess {
    child: Arc<Mutex<Child>>,
    /// Gone when the process is being ended.
    connection: Option<Connection>,
    /// Gathers what the process says on its standard error.
    complaints: Option<JoinHandle<()>>,
    stderr: Arc<Mutex<Vec<u8>>>,
}

/// Why a server has no answer.
#[derive(Debug)]
pub enum Trouble {
    /// The command failed; the server waits for the next.
    Failed(String),
    /// The server ended by itself with an exit code: when, how, and what it said.
    Exited(String),
    /// The server crashed (when, how, and what it said), or its answers make no sense.
    Dead(String),
    /// It took too long, and was ended.
    TooLate,
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Failed(message) | Trouble::Exited(message) | Trouble::Dead(message) => {
                f.write_str(message)
            }
            Trouble::TooLate => f.write_str("it took longer than the time limit"),
        }
    }
}

/// How long a server may take to end by itself.
const PATIENCE: Duration = Duration::from_secs(1);

/// How many lines of a dead server's standard error are shown: an abort of a driver's compiler prints its stack.
const LAST_LINES: usize = 40;

impl ServerProcess {
    /// Starts a server (through another program, if there is one) and waits until it is ready.
    pub fn start(
        executable: &Path,
        runner: Option<&str>,
        options: &[String],
    ) -> Result<ServerProcess, String> {
        ServerProcess::start_within(None, executable, runner, options).map_err(|trouble| trouble.to_string())
    }

    /// Like [`ServerProcess::start`], but ends a process that takes longer than the limit to be ready: it computes the
    /// program's constants first.
    pub fn start_within(
        limit: Option<Duration>,
        executable: &Path,
        runner: Option<&str>,
        options: &[String],
    ) -> Result<ServerProcess, Trouble> {
        let executable = reachable(executable);
        let mut command = match runner {
            Some(runner) => {
                let mut c = Command::new(runner);
                c.arg(&executable);
                c
            }
            None => Command::new(&executable),
        };
        command.args(options).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = start_when_closed(|| command.spawn())
            .map_err(|e| Trouble::Dead(format!("could not run {}: {e}", executable.display())))?;
        let stderr = Arc::new(Mutex::new(vec![]));
        let (Some(stdout), Some(stdin)) = (child.stdout.take(), child.stdin.take()) else {
            return Err(Trouble::Dead(format!("could not connect to {}", executable.display())));
        };
        let errors = child.stderr.take();
        let child = Arc::new(Mutex::new(child));
        let mut process = ServerProcess { child, connection: None, complaints: None, stderr };
        let read = |mut from: ChildStderr| {
            let to = Arc::clone(&process.stderr);
            threads::waiting(move || {
                let mut piece = [0; 4096];
                while let Ok(n @ 1..) = from.read(&mut piece) {
                    lock(&to).extend_from_slice(&piece[..n]);
                }
            })
        };
        process.complaints = errors.map(read).transpose().map_err(Trouble::Dead)?;
        let connected = within(limit, &process.child, || Server::new(BufReader::new(stdout), stdin))?;
        process.connection = Some(process.judged(connected)?);
        Ok(process)
    }

    /// Talks to the server; if that takes longer than the limit, ends the process.
    pub fn talk<T>(
        &mut self,
        limit: Option<Duration>,
        what: impl FnOnce(&mut Connection) -> Result<T, ServerError>,
    ) -> Result<T, Trouble> {
        let Some(connection) = &mut self.connection else {
            return Err(Trouble::Dead("the program has ended".into()));
        };
        let result = within(limit, &self.child, || what(connection))?;
        self.judged(result)
    }

    /// What a conversation led to. A process that gave no answer is ended.
    fn judged<T>(&mut self, result: Option<Result<T, ServerError>>) -> Result<T, Trouble> {
        match result {
            Some(Ok(value)) => Ok(value),
            Some(Err(ServerError::Failure { message, .. })) => Err(Trouble::Failed(message)),
            Some(Err(e)) => {
                let status = self.end();
                let message = self.explain(&e, status);
                Err(match status.and_then(|s| s.code()) {
                    Some(_) => Trouble::Exited(message),
                    None => Trouble::Dead(message),
                })
            }
            None => {
                self.end();
                Err(Trouble::TooLate)
            }
        }
    }

    /// What the process has said on its standard error since the last time.
    pub fn take_stderr(&mut self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut *lock(&self.stderr))).into_owned()
    }

    /// What is wrong with a server that has ended: during which command, how, and what it said last, as
    /// it cannot be asked again.
    fn explain(&mut self, error: &ServerError, status: Option<ExitStatus>) -> String {
        let mut message = error.to_string();
        if matches!(error, ServerError::Closed { .. } | ServerError::Io(_)) {
            message += &match status {
                Some(status) => format!("\nIt ended with {status}."),
                None => "\nIt did not end by itself.".to_owned(),
            };
        }
        let stderr = self.take_stderr();
        let lines: Vec<&str> = stderr.trim_end().lines().collect();
        let last = &lines[lines.len().saturating_sub(LAST_LINES)..];
        if !last.is_empty() {
            let left_out = if last.len() < lines.len() { " last" } else { "" };
            message += &format!("\nOn its standard error it said{left_out}:\n{}", last.join("\n"));
        }
        message
    }

    /// Ends the process, which ends by itself when its input ends. How it ended; `None` if it
    /// had to be killed.
    fn end(&mut self) -> Option<ExitStatus> {
        self.connection = None;
        let start = Instant::now();
        let status = loop {
            let mut child = lock(&self.child);
            if let Ok(Some(status)) = child.try_wait() {
                break Some(status);
            }
            if start.elapsed() > PATIENCE {
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
            drop(child);
            std::thread::sleep(Duration::from_millis(1));
        };
        if let Some(thread) = self.complaints.take() {
            let _ = thread.join();
        }
        status
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        self.end();
    }
}

/// The result of a conversation with a process, which is killed if it takes longer than the limit; `None` if it did.
fn within<T>(
    limit: Option<Duration>,
    child: &Mutex<Child>,
    what: impl FnOnce() -> T,
) -> Result<Option<T>, Trouble> {
    let Some(limit) = limit else { return Ok(Some(what())) };
    let late = AtomicBool::new(false);
    let result = std::thread::scope(|scope| {
        let (done, wait) = channel::<()>();
        let late = &late;
        let watch = move || {
            if wait.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                late.store(true, Ordering::SeqCst);
                // It may have ended in this moment.
                let _ = lock(child).kill();
            }
        };
        let watching = std::thread::Builder::new().spawn_scoped(scope, watch);
        watching.map_err(|e| Trouble::Dead(threads::refused(&e)))?;
        let result = what();
        drop(done);
        Ok(result)
    })?;
    Ok((!late.load(Ordering::SeqCst)).then_some(result))
}

/// A file name without a folder would be looked for among the commands of the system.
pub(super) fn reachable(executable: &Path) -> std::path::PathBuf {
    if executable.components().count() == 1 {
        Path::new(".").join(executable)
    } else {
        executable.to_owned()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|e| e.into_inner())
}
