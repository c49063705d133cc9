//! Compiling programs to servers, with our own compiler or another program that has its command line.

use fehu_base::diagnostic::Colour;
use fehu_base::Severity;
use fehu_driver::compile::{compile, Failure, Product, Settings};
use fehu_driver::target::Target;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

/// What turns programs into servers.
#[derive(Clone, Debug)]
pub(crate) enum Compiler {
    /// This one.
    Own(Target),
    /// Another program, run as `PROGRAM BACKEND OPTIONS --server FILE -o SERVER`.
    Program {
        /// Where it is.
        program: PathBuf,
        /// The name of the back end.
        backend: String,
        /// Options to pass to it.
        options: Vec<String>,
    },
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

    /// Compiles a program to a server; what went wrong as text.
    pub(crate) fn server(&self, file: &Path, entry_points: &[String], output: &Path) -> Result<(), String> {
        match self {
            Compiler::Own(target) => own(*target, file, entry_points, output),
            Compiler::Program { program, backend, options } => {
                let mut command = Command::new(program);
                command.arg(backend).args(options).arg("--server").arg(file).arg("-o").arg(output);
                let result =
                    command.output().map_err(|e| format!("could not run {}: {e}", program.display()))?;
                if result.status.success() {
                    Ok(())
                } else {
                    Err(String::from_utf8_lossy(&result.stderr).trim_end().to_owned())
                }
            }
        }
    }
}

fn own(target: Target, file: &Path, entry_points: &[String], output: &Path) -> Result<(), String> {
    let settings = Settings {
        product: Product::Server,
        entry_points: entry_points.to_vec(),
        ..Settings::executable(target, output.to_owned())
    };
    let (front, result) = compile(file, &settings);
    match result {
        Ok(()) => Ok(()),
        Err(Failure::Outside(message)) => Err(message),
        Err(Failure::Program(errors)) => {
            let all = if front.failed() { &front.diagnostics } else { &errors };
            let texts: Vec<String> = all
                .iter()
                .filter(|d| d.severity == Severity::Error)
                .map(|d| d.render(&front.sources, Colour::Never))
                .collect();
            Err(texts.join("\n"))
        }
    }
}

/// Does something to all items, some of them at a time; the results are in the order of the items.
pub(crate) fn in_parallel<T: Sync, R: Send>(
    items: &[T],
    concurrency: usize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, R)>> = Mutex::new(vec![]);
    std::thread::scope(|scope| {
        for _ in 0..concurrency.clamp(1, items.len().max(1)) {
            let worker = || loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(item) = items.get(at) else { return };
                let result = work(item);
                results.lock().unwrap_or_else(|e| e.into_inner()).push((at, result));
            };
            // The compiler recurses over programs.
            let _ = std::thread::Builder::new().stack_size(256 << 20).spawn_scoped(scope, worker);
        }
    });
    let mut results = results.into_inner().unwrap_or_else(|e| e.into_inner());
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}
