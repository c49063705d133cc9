//! Property tests: a search for an argument on which an entry point gives `false`.
//!
//! ```text
//! -- ==
//! -- property: never_negative
//! #[prop(gen(numbers), shrink(fewer), size(10))]
//! entry never_negative (xs: []i32) : bool = i32.sum xs >= 0
//! ```
//!
//! In: the names that a program's blocks call properties, and the program as a running server. Out: one message for
//! each property that fails. First the types of properties, generators and shrinkers are checked
//! ([`declaration`]); then each property is called on candidates ([`candidate`]), and the first counterexample is
//! made smaller ([`shrink`]) and printed.
//!
//! A candidate depends on nothing but its size and its seed. The first candidate of each property has the seed of the
//! whole run, so `--seed` with the seed that a failure reports begins with the counterexample.

mod candidate;
mod declaration;
mod shrink;

use super::built::Built;
use super::running::Running;
use crate::programs::{show, Connection, Trouble};
use candidate::Candidate;
use declaration::{declarations, Declaration};
use fehu_data::generate::{Magnitude, Rng};
use fehu_data::server::ServerError;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How many candidates a property is called on.
const CANDIDATES: u64 = 100;

/// Tests properties, in this order, each of which holds or fails for a reason; if the types of some are
/// wrong, only says so.
pub(super) fn test_properties(names: &[&String], built: &mut Built, seed: u64) -> Vec<Result<(), String>> {
    let transfer = built.scratch().join("candidate");
    let mut tester = Tester { running: built.tested(), seed, transfer, named: 0 };
    match tester.talk(|server, _| declarations(server, names)) {
        Ok(Ok(declared)) => declared.iter().map(|d| tester.test(d)).collect(),
        Ok(Err(mistakes)) => mistakes.into_iter().map(Err).collect(),
        Err(trouble) => vec![Err(trouble.to_string())],
    }
}

/// Calls entry points of a program.
struct Tester<'a> {
    running: &'a mut Running,
    /// Where random numbers start.
    seed: u64,
    /// A file for values on their way to and from the server.
    transfer: PathBuf,
    /// How many variables were named.
    named: usize,
}

impl Tester<'_> {
    /// Talks to the server, with a file for values on their way.
    fn talk<T>(
        &mut self,
        what: impl FnOnce(&mut Connection, &Path) -> Result<T, ServerError>,
    ) -> Result<T, Trouble> {
        let transfer = &self.transfer;
        self.running.talk(|server| what(server, transfer))
    }

    /// Tests a property; why it fails.
    fn test(&mut self, d: &Declaration) -> Result<(), String> {
        let mut seeds = Rng::new(self.seed);
        let mut seed = self.seed;
        for number in 1..=CANDIDATES {
            let candidate = Candidate { size: d.size, seed, magnitude: Magnitude::FULL };
            let result = self.candidate(d, &candidate, number);
            result?;
            seed = seeds.next_u64();
        }
        Ok(())
    }

    /// Calls a property on its candidate of this number.
    fn candidate(&mut self, d: &Declaration, candidate: &Candidate, number: u64) -> Result<(), String> {
        let variable = self.generate(d, candidate).map_err(|trouble| match &d.generator {
            Some(generator) => format!(
                "User Generator {generator} failed with size={} and seed={} with error: {}",
                candidate.size,
                candidate.seed,
                runtime_error(&trouble, self.running.limit)
            ),
            None => trouble.to_string(),
        })?;
        match self.holds(d, &variable) {
            Ok(true) => self.free(&variable).map_err(|t| t.to_string()),
            Ok(false) => Err(self.counterexample(d, candidate, variable, number)),
            Err(trouble) => {
                let name = &d.property;
                let error = runtime_error(&trouble, self.running.limit);
                // A server that is gone cannot show its values.
                let shown = match &trouble {
                    Trouble::Failed(_) => self.show(d, &variable),
                    Trouble::Exited(_) | Trouble::Dead(_) | Trouble::TooLate => {
                        self.shown_again(d, candidate)
                    }
                };
                Err(format!("Property {name} failed with candidate={shown} with error: {name} has {error}"))
            }
        }
    }

    /// What is printed for a counterexample, after making it smaller.
    fn counterexample(
        &mut self,
        d: &Declaration,
        candidate: &Candidate,
        variable: String,
        number: u64,
    ) -> String {
        let mut lines = vec![format!(
            "Property {} (size={}, seed={}) failed after {number} tests:",
            d.property, candidate.size, candidate.seed
        )];
        let smallest = self.shrink(d, candidate, variable, &mut lines);
        let shown = match smallest {
            Ok(variable) => self.show(d, &variable),
            Err(trouble) => format!("(it cannot be shown: {trouble})"),
        };
        lines.push(format!("Counterexample: {shown}"));
        lines.join("\n")
    }

    /// Whether a property holds for what is in a variable, which stays as it is.
    fn holds(&mut self, d: &Declaration, variable: &str) -> Result<bool, Trouble> {
        let argument = match d.consumes {
            true => self.copy(d, variable)?,
            false => variable.to_owned(),
        };
        let result = self.fresh();
        let consumes = d.consumes;
        self.talk(|server, transfer| {
            let called = server.call(&d.property, &[&result], &[&argument]);
            if consumes {
                server.free(&[&argument])?;
            }
            called?;
            let held = show::stored(server, transfer, &result)?;
            server.free(&[&result])?;
            Ok(held == "true")
        })
    }

    /// A value like that of a variable.
    fn copy(&mut self, d: &Declaration, variable: &str) -> Result<String, Trouble> {
        let to = self.fresh();
        self.talk(|server, transfer| {
            let file = transfer.display().to_string();
            server.store(&file, &[variable])?;
            server.restore(&file, &[(&to, &d.argument)])
        })?;
        Ok(to)
    }

    /// The text of a value.
    fn show(&mut self, d: &Declaration, variable: &str) -> String {
        let mut named = self.named;
        let shown = self.talk(|server, transfer| {
            show::Printer { server, transfer, named: &mut named, equals: " = " }.value(variable, &d.argument)
        });
        self.named = named;
        shown.unwrap_or_else(|trouble| format!("(it cannot be shown: {trouble})"))
    }

    /// The text of a candidate, made once more.
    fn shown_again(&mut self, d: &Declaration, candidate: &Candidate) -> String {
        match self.generate(d, candidate) {
            Ok(variable) => self.show(d, &variable),
            Err(trouble) => format!("(it cannot be made again: {trouble})"),
        }
    }

    fn free(&mut self, variable: &str) -> Result<(), Trouble> {
        self.talk(|server, _| server.free(&[variable]))
    }

    fn fresh(&mut self) -> String {
        self.named += 1;
        format!("v{}", self.named)
    }
}

/// An error of a running program as one line: its lines as a list of strings.
fn runtime_error(trouble: &Trouble, limit: Duration) -> String {
    match trouble {
        Trouble::Failed(message) => {
            let lines: Vec<String> = message.split('\n').map(|line| format!("{line:?}")).collect();
            format!("Runtime error: [{}]", lines.join(","))
        }
        Trouble::Exited(message) => format!("ended: {message}"),
        Trouble::Dead(message) => format!("crashed: {message}"),
        Trouble::TooLate => format!("been stopped after {} s", limit.as_secs()),
    }
}
