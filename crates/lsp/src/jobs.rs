//! Work that takes long or may fail badly, in processes of its own: evaluation of comments, tests.
//!
//! In: arguments for the compiler's own executable, and what it reads. Out, through a channel: what it
//! printed. Messages of the editor are answered meanwhile, and a program that runs out of memory does not end
//! the server.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long an evaluation may take.
pub(crate) const EVALUATION: Duration = Duration::from_secs(15);
/// How long tests may take.
pub(crate) const TESTS: Duration = Duration::from_secs(600);

/// What to run.
pub(crate) struct Job {
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<String>,
    pub(crate) input: String,
    pub(crate) limit: Duration,
}

/// How a job ended.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) success: bool,
    /// What it printed, to standard output and then to standard error.
    pub(crate) text: String,
}

impl Job {
    /// Runs the job in a thread, and hands the outcome to `done`.
    pub(crate) fn start(self, done: impl FnOnce(Outcome) + Send + 'static) {
        let run = move || {
            let outcome = self.run().unwrap_or_else(|e| failed(format!("{}: {e}", self.program.display())));
            done(outcome);
        };
        // Without a thread nothing is evaluated, and the editor gets no answer; the session goes on.
        drop(std::thread::Builder::new().name("job".into()).spawn(run));
    }

    fn run(&self) -> std::io::Result<Outcome> {
        let mut child = Command::new(&self.program)
            .args(&self.args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        if let Some(mut input) = child.stdin.take() {
            // A program that does not read its input is not wrong.
            drop(input.write_all(self.input.as_bytes()));
        }
        let output = reader(child.stdout.take());
        let errors = reader(child.stderr.take());
        let success = match wait(&mut child, self.limit)? {
            Some(success) => success,
            None => return Ok(failed(format!("stopped after {} seconds", self.limit.as_secs()))),
        };
        let text = |thread: Option<std::thread::JoinHandle<String>>| thread.and_then(|t| t.join().ok());
        let text = text(output).unwrap_or_default() + &text(errors).unwrap_or_default();
        Ok(Outcome { success, text })
    }
}

fn failed(text: String) -> Outcome {
    Outcome { success: false, text }
}

/// Reads everything, in a thread, so that the child never waits for a reader.
fn reader(pipe: Option<impl Read + Send + 'static>) -> Option<std::thread::JoinHandle<String>> {
    let mut pipe = pipe?;
    let read = move || {
        let mut bytes = vec![];
        // What came before a failure is still worth showing.
        drop(pipe.read_to_end(&mut bytes));
        String::from_utf8_lossy(&bytes).into_owned()
    };
    std::thread::Builder::new().spawn(read).ok()
}

/// Waits for a child; `None` if it had to be ended.
fn wait(child: &mut Child, limit: Duration) -> std::io::Result<Option<bool>> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status.success()));
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}
