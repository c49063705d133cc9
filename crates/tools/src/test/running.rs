//! A program under test that keeps running: one server for all data sets, properties and scripts of a program.
//!
//! Starting a process for each data set would cost more than most of them, above all on GPUs, where a context
//! and kernels are made first. A server that crashed, ended or took too long is started again for the next
//! data set, so that one failure does not hide others.
//!
//! ```text
//! let mut running = Running::new(server, runner, &options, limit);
//! running.talk(|server| server.types())?;    // starts it
//! ```

use crate::programs::{Connection, ServerProcess, Trouble};
use fehu_data::server::ServerError;
use std::path::PathBuf;
use std::time::Duration;

/// A compiled program, and the process that it runs in if there is one.
pub(super) struct Running {
    server: PathBuf,
    runner: Option<String>,
    options: Vec<String>,
    /// The longest that a conversation may take.
    pub(super) limit: Duration,
    process: Option<ServerProcess>,
}

impl Running {
    /// A server with its options, and the program that runs it if there is one; starts nothing yet.
    pub(super) fn new(
        server: PathBuf,
        runner: Option<String>,
        options: Vec<String>,
        limit: Duration,
    ) -> Running {
        Running { server, runner, options, limit, process: None }
    }

    /// Talks to the program, which is started first if it does not run.
    pub(super) fn talk<T>(
        &mut self,
        what: impl FnOnce(&mut Connection) -> Result<T, ServerError>,
    ) -> Result<T, Trouble> {
        let mut process = match self.process.take() {
            Some(mut process) => {
                // What was said before has nothing to do with what goes wrong now.
                process.take_stderr();
                process
            }
            None => ServerProcess::start_within(
                Some(self.limit),
                &self.server,
                self.runner.as_deref(),
                &self.options,
            )?,
        };
        let result = process.talk(Some(self.limit), what);
        match &result {
            Ok(_) | Err(Trouble::Failed(_)) => self.process = Some(process),
            Err(Trouble::Exited(_) | Trouble::Dead(_) | Trouble::TooLate) => {}
        }
        result
    }

    /// Ends the process, with all of its variables; the next conversation starts another.
    pub(super) fn end(&mut self) {
        self.process = None;
    }
}
