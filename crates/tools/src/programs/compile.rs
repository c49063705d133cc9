//! Checking and compiling programs, with our own compiler or another program that has its command line.

use crate::threads;
use fehu_base::diagnostic::Colour;
use fehu_base::{Diagnostic, Severity, SourceMap};
use fehu_driver::compile::{compile, Failure, Product, Settings};
use fehu_driver::files::argument;
use fehu_driver::front::{check_file, Front};
use fehu_driver::structure::{structure, Stage};
use fehu_driver::target::Target;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

/// What checks and compiles programs.
#[derive(Clone, Debug)]
pub(crate) enum Compiler {
    /// This one.
    Own(Target),
    /// Another program, run as `PROGRAM BACKEND OPTIONS --server FILE -o SERVER` and `PROGRAM check OPTIONS FILE`.
    Program {
        /// Where it is.
        program: PathBuf,
        /// The name of the back end.
        backend: String,
        /// Options to pass to it.
        options: Vec<String>,
    },
}

/// What became of a program that was checked or compiled.
pub(crate) struct Compiled {
    /// What the compiler warns of.
    pub(crate) warnings: String,
    /// What a back end says about a program that it compiled, such as what will not run in parallel.
    pub(crate) remarks: Vec<String>,
    /// Why there is no result.
    pub(crate) result: Result<(), String>,
}

impl Compiler {
    /// The compiler for a back end; `program` is another compiler, if one was asked for.
    pub(crate) fn new(backend: &str, program: Option<&Path>, options: &[String]) -> Result<Compiler, String> {
        let backend_of = |program: PathBuf| Compiler::Program {
            program,
            backend: backend.to_owned(),
            options: options.to_vec(),
        };
        if let Some(program) = program {
            return Ok(backend_of(program.to_owned()));
        }
        let target = Target::named(backend)?;
        if options.is_empty() {
            return Ok(Compiler::Own(target));
        }
        // Options are for a command line, so we are called by it.
        let own = std::env::current_exe().map_err(|e| format!("could not find the compiler: {e}"))?;
        Ok(backend_of(own))
    }

    /// The same compiler for another back end.
    pub(crate) fn for_backend(&self, target: Target) -> Compiler {
        match self {
            Compiler::Own(_) => Compiler::Own(target),
            Compiler::Program { program, options, .. } => Compiler::Program {
                program: program.clone(),
                backend: target.name().to_owned(),
                options: options.clone(),
            },
        }
    }

    /// Checks a program.
    pub(crate) fn check(&self, file: &Path) -> Compiled {
        match self {
            Compiler::Own(_) => {
                let front = check_file(file);
                let result = if front.failed() { Err(messages(&front, Severity::Error)) } else { Ok(()) };
                Compiled { warnings: messages(&front, Severity::Warning), remarks: vec![], result }
            }
            Compiler::Program { program, options, .. } => {
                let mut command = Command::new(program);
                command.arg("check").args(options).arg(argument(file));
                finished(program, command)
            }
        }
    }

    /// Checks a program and turns it into the core IR; other compilers only check.
    pub(crate) fn lower(&self, file: &Path, entry_points: &[String]) -> Compiled {
        match self {
            Compiler::Own(target) => {
                let front = check_file(file);
                let settings = Settings {
                    entry_points: entry_points.to_vec(),
                    ..Settings::executable(*target, PathBuf::new())
                };
                let lowered = structure(&front, &settings, Stage::Internalised);
                let result = lowered.map(drop).map_err(|errors| rendered(&errors, &front.sources));
                Compiled { warnings: messages(&front, Severity::Warning), remarks: vec![], result }
            }
            Compiler::Program { .. } => self.check(file),
        }
    }

    /// Compiles a program to an executable or a server.
    pub(crate) fn compile(
        &self,
        product: Product,
        file: &Path,
        entry_points: &[String],
        output: &Path,
    ) -> Compiled {
        match self {
            Compiler::Own(target) => {
                let settings = Settings {
                    product,
                    entry_points: entry_points.to_vec(),
                    stays_here: true,
                    ..Settings::executable(*target, output.to_owned())
                };
                own(file, &settings)
            }
            Compiler::Program { program, backend, options } => {
                let mut command = Command::new(program);
                command.arg(backend).args(options);
                command.args(match product {
                    Product::Executable => &[] as &[&str],
                    Product::Server => &["--server"],
                    Product::Library => &["--library"],
                });
                for entry in entry_points {
                    command.args(["-e", entry]);
                }
                command.arg(argument(file)).arg("-o").arg(argument(output));
                finished(program, command)
            }
        }
    }

    /// Compiles a program to a server; what went wrong as text.
    pub(crate) fn server(&self, file: &Path, entry_points: &[String], output: &Path) -> Result<(), String> {
        self.compile(Product::Server, file, entry_points, output).result
    }
}

fn own(file: &Path, settings: &Settings) -> Compiled {
    let (front, result) = compile(file, settings);
    let warnings = messages(&front, Severity::Warning);
    let remarks = front.remarks.iter().map(|d| d.render(&front.sources, Colour::Never)).collect();
    let result = match result {
        Ok(()) => Ok(()),
        Err(Failure::Outside(message)) => Err(message),
        Err(Failure::Program(_)) if front.failed() => Err(messages(&front, Severity::Error)),
        Err(Failure::Program(errors)) => Err(rendered(&errors, &front.sources)),
    };
    Compiled { warnings, remarks, result }
}

/// What the front end and a back end have to say of this severity.
fn messages(front: &Front, severity: Severity) -> String {
    let all = front.diagnostics.iter().chain(&front.remarks).filter(|d| d.severity == severity);
    all.map(|d| d.render(&front.sources, Colour::Never)).collect::<Vec<_>>().join("\n")
}

/// Errors as text.
pub(crate) fn rendered(errors: &[Diagnostic], sources: &SourceMap) -> String {
    let texts: Vec<String> = errors
        .iter()
        .filter(|d| d.severity == Severity::Error)
        .map(|d| d.render(sources, Colour::Never))
        .collect();
    texts.join("\n")
}

/// Runs another compiler.
fn finished(program: &Path, mut command: Command) -> Compiled {
    let output = match command.output() {
        Ok(output) => output,
        Err(e) => {
            let result = Err(format!("could not run {}: {e}", program.display()));
            return Compiled { warnings: String::new(), remarks: vec![], result };
        }
    };
    let said = String::from_utf8_lossy(&output.stderr).trim_end().to_owned();
    let result = match output.status.success() {
        true => Ok(()),
        false if said.is_empty() => Err(format!("{} failed without saying why", program.display())),
        false => Err(said.clone()),
    };
    Compiled { warnings: said, remarks: vec![], result }
}

/// Does something to all items, some of them at a time; the results are in the order of the items.
pub(crate) fn in_parallel<T: Sync, R: Send>(
    items: &[T],
    concurrency: usize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, R)>> = Mutex::new(vec![]);
    threads::workers(concurrency.clamp(1, items.len().max(1)), || loop {
        let at = next.fetch_add(1, Ordering::Relaxed);
        let Some(item) = items.get(at) else { return };
        let result = work(item);
        results.lock().unwrap_or_else(|e| e.into_inner()).push((at, result));
    });
    let mut results = results.into_inner().unwrap_or_else(|e| e.into_inner());
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}
