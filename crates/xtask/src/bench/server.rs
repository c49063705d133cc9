//! A contestant's program that runs as a server: it starts once, and is then asked for one data set after the other.
//!
//! On a GPU that is the only sensible way to measure: starting means compiling kernels, and data travels slowly.

use fehu_data::server::{Server, ServerError};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{channel, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

type Connection = Server<BufReader<ChildStdout>, ChildStdin>;

/// How a server gives a tuple.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Results {
    /// As one value.
    Whole,
    /// As one value for each component, as older compilers do.
    Components,
}

/// A running server; dropping it ends it.
pub(crate) struct Running {
    child: Arc<Mutex<Child>>,
    connection: Option<Connection>,
    limit: Duration,
    results: Results,
    errors: std::path::PathBuf,
}

impl Running {
    /// Start an executable that was built as a server. No single command may take longer than the limit.
    pub(crate) fn start(exe: &Path, results: Results, limit: Duration) -> Result<Running, String> {
        let errors = exe.with_extension("stderr");
        let log = File::create(&errors).map_err(|e| format!("{}: {e}", errors.display()))?;
        let exe = std::fs::canonicalize(exe).map_err(|e| format!("{}: {e}", exe.display()))?;
        let mut child = Command::new(&exe)
            .arg("--cache-file")
            .arg(exe.with_extension("cache"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::from(log))
            .spawn()
            .map_err(|e| format!("does not start: {e}"))?;
        let (Some(stdout), Some(stdin)) = (child.stdout.take(), child.stdin.take()) else {
            return Err("does not answer".into());
        };
        let child = Arc::new(Mutex::new(child));
        let mut running = Running { child: Arc::clone(&child), connection: None, limit, results, errors };
        match watched(&child, limit, || Server::new(BufReader::new(stdout), stdin)) {
            Some(Ok(connection)) => running.connection = Some(connection),
            Some(Err(why)) => return Err(running.explain(&why)),
            None => return Err(running.late()),
        }
        Ok(running)
    }

    /// Load a case's arguments into the variables `in0`, `in1`, ...
    pub(crate) fn load(&mut self, entry: &str, file: &Path) -> Result<usize, String> {
        let file = path_text(file);
        self.transfer(|server| {
            let types = server.inputs(entry)?;
            let names = names("in", types.len());
            let pairs: Vec<_> =
                names.iter().zip(&types).map(|(n, t)| (n.as_str(), t.name.as_str())).collect();
            server.restore(&file, &pairs)?;
            Ok(types.len())
        })
    }

    /// Call an entry point once and throw the result away; the time in microseconds.
    pub(crate) fn time(&mut self, entry: &str, inputs: usize) -> Result<f64, String> {
        let results = self.results;
        self.talk(|server| {
            let (outs, time) = call(server, results, entry, inputs)?;
            server.free(&words(&outs))?;
            Ok(time)
        })
    }

    /// Call an entry point and keep its result, in the variables that are named, for `store`; the time in microseconds.
    pub(crate) fn first(&mut self, entry: &str, inputs: usize) -> Result<(f64, Vec<String>), String> {
        let results = self.results;
        self.talk(|server| call(server, results, entry, inputs).map(|(outs, time)| (time, outs)))
    }

    /// Write a result to a file, if one is given, and free it.
    pub(crate) fn store(&mut self, entry: &str, outs: &[String], to: Option<&Path>) -> Result<(), String> {
        let results = self.results;
        self.transfer(|server| {
            if let Some(to) = to {
                let fields = match results {
                    Results::Whole => {
                        let whole = server.output(entry)?.name;
                        if whole.starts_with('(') {
                            server.fields(&whole)?
                        } else {
                            Vec::new()
                        }
                    }
                    Results::Components => Vec::new(),
                };
                let parts = names("part", fields.len());
                for (part, (field, _)) in parts.iter().zip(&fields) {
                    server.project(part, &outs[0], field)?;
                }
                server.store(&path_text(to), &words(if parts.is_empty() { outs } else { &parts }))?;
                if !parts.is_empty() {
                    server.free(&words(&parts))?;
                }
            }
            server.free(&words(outs))
        })
    }

    /// Whether it can be asked for more.
    pub(crate) fn is_alive(&self) -> bool {
        self.connection.is_some()
    }

    /// Free the arguments.
    pub(crate) fn unload(&mut self, inputs: usize) -> Result<(), String> {
        self.talk(|server| server.free(&words(&names("in", inputs))))
    }

    fn talk<T>(&mut self, what: impl FnOnce(&mut Connection) -> Result<T, ServerError>) -> Result<T, String> {
        self.talk_within(self.limit, what)
    }

    /// Files may be large, and disks slow: that is not held against a contestant.
    fn transfer<T>(
        &mut self,
        what: impl FnOnce(&mut Connection) -> Result<T, ServerError>,
    ) -> Result<T, String> {
        self.talk_within(self.limit + Duration::from_secs(60), what)
    }

    fn talk_within<T>(
        &mut self,
        limit: Duration,
        what: impl FnOnce(&mut Connection) -> Result<T, ServerError>,
    ) -> Result<T, String> {
        let Some(mut connection) = self.connection.take() else { return Err("has ended before".into()) };
        let result = watched(&self.child, limit, || what(&mut connection));
        match result {
            None => Err(self.late()),
            Some(Ok(value)) => {
                self.connection = Some(connection);
                Ok(value)
            }
            Some(Err(why)) => Err(self.explain(&why)),
        }
    }

    fn late(&self) -> String {
        format!("takes more than {} s", self.limit.as_secs_f64())
    }

    fn explain(&self, why: &ServerError) -> String {
        let said = std::fs::read_to_string(&self.errors).unwrap_or_default();
        let lines: Vec<&str> = said.lines().map(str::trim).filter(|l| !l.is_empty()).take(4).collect();
        format!("fails: {} {}", why.to_string().replace('\n', " / "), lines.join(" / "))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.connection = None;
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// Do something that waits for a process, and end the process if it takes too long.
fn watched<T>(child: &Mutex<Child>, limit: Duration, what: impl FnOnce() -> T) -> Option<T> {
    std::thread::scope(|scope| {
        let (done, wait) = channel::<()>();
        let dog = scope.spawn(move || {
            let late = wait.recv_timeout(limit) == Err(RecvTimeoutError::Timeout);
            if late {
                let _ = child.lock().unwrap_or_else(PoisonError::into_inner).kill();
            }
            late
        });
        let result = what();
        drop(done);
        matches!(dog.join(), Ok(false)).then_some(result)
    })
}

fn call(
    server: &mut Connection,
    results: Results,
    entry: &str,
    inputs: usize,
) -> Result<(Vec<String>, f64), ServerError> {
    let count = match results {
        Results::Whole => 1,
        Results::Components => server.outputs(entry)?.len(),
    };
    let outs = names("out", count);
    let report = server.call(entry, &words(&outs), &words(&names("in", inputs)))?;
    Ok((outs, report.runtime_us.unwrap_or_default() as f64))
}

fn names(stem: &str, count: usize) -> Vec<String> {
    (0..count).map(|i| format!("{stem}{i}")).collect()
}

fn words(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

fn path_text(path: &Path) -> String {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf()).display().to_string()
}
