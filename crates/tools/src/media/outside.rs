//! Running another program: bytes go in, bytes come out. No shell is involved.
//!
//! ```text
//! let png = outside::run("convert", &["-", "png:-"], &jpeg, "PNG files need no other program")?;
//! ```

use crate::threads;
use std::io::{self, Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;

/// A program that takes its input bit by bit.
pub(crate) struct Running {
    name: String,
    child: Child,
    output: Option<JoinHandle<Vec<u8>>>,
    complaints: Option<JoinHandle<Vec<u8>>>,
}

/// Runs a program on all of its input; what it prints. `without` says what to do if it is not installed.
pub(crate) fn run(program: &str, args: &[&str], input: &[u8], without: &str) -> Result<Vec<u8>, String> {
    let mut running = start(program, args, without)?;
    running.write(input)?;
    running.finish()
}

/// Starts a program.
pub(crate) fn start(program: &str, args: &[&str], without: &str) -> Result<Running, String> {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|e| match e.kind() == io::ErrorKind::NotFound {
        true => format!("{program} is not installed; {without}"),
        false => format!("could not run {program}: {e}"),
    })?;
    let output = child.stdout.take().map(drain).transpose()?;
    let complaints = child.stderr.take().map(drain).transpose()?;
    Ok(Running { name: program.to_owned(), child, output, complaints })
}

impl Running {
    /// Hands over some of the input.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), String> {
        let Some(stdin) = &mut self.child.stdin else { return Ok(()) };
        match stdin.write_all(bytes) {
            // A program that has ended says why in `finish`.
            Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
                Err(format!("could not write to {}: {e}", self.name))
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Ends the input; what the program printed.
    pub(crate) fn finish(mut self) -> Result<Vec<u8>, String> {
        drop(self.child.stdin.take());
        let status = self.child.wait().map_err(|e| format!("could not wait for {}: {e}", self.name))?;
        let text =
            |thread: Option<JoinHandle<Vec<u8>>>| thread.and_then(|t| t.join().ok()).unwrap_or_default();
        let (output, complaints) = (text(self.output.take()), text(self.complaints.take()));
        match status.success() {
            true => Ok(output),
            false => {
                let said = String::from_utf8_lossy(&complaints);
                Err(format!("{} failed ({status}):\n{}", self.name, said.trim_end()))
            }
        }
    }
}

/// Reads everything while the program runs, so that it does not wait for a reader.
fn drain(mut from: impl Read + Send + 'static) -> Result<JoinHandle<Vec<u8>>, String> {
    threads::waiting(move || {
        let mut bytes = vec![];
        // What came before a failure is all that there is.
        let _ = from.read_to_end(&mut bytes);
        bytes
    })
}
