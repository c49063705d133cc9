//! Who takes part, how a contestant's executable is built, and how it is run on a data set.
//!
//! Hand-written programs take the same options as compiled ones (see `bench/c/fut.h`), so that nothing below the
//! building distinguishes them.

use super::makers;
use super::suite::Case;
use super::values::{self, Value};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Someone who runs the programs.
#[derive(Clone, Debug)]
pub(crate) enum Contestant {
    /// The C version in the suite.
    Hand,
    /// A compiler with one of its back ends.
    Compiler {
        /// `fehu` or `reference`.
        name: String,
        /// The compiler's executable.
        binary: PathBuf,
        /// `c`, `multicore`, `cuda`, ...
        backend: String,
    },
}

impl Contestant {
    /// The name in tables and on the command line.
    pub(crate) fn label(&self) -> String {
        match self {
            Contestant::Hand => "hand".into(),
            Contestant::Compiler { name, backend, .. } => format!("{name}-{backend}"),
        }
    }
}

/// Folders and settings that building and running share.
pub(crate) struct Workshop {
    /// Where the programs are.
    pub(crate) suite: PathBuf,
    /// Where executables and data go.
    pub(crate) work: PathBuf,
    /// The published data, if it is there.
    pub(crate) published: Option<PathBuf>,
    /// Options of the C compiler.
    pub(crate) cflags: String,
    /// Seconds for one execution.
    pub(crate) timeout: f64,
    /// Seconds for the hand-written program to give the right answer.
    pub(crate) patience: f64,
    /// Whether executables may be built here, or only used.
    pub(crate) build: bool,
    /// Whether compilers make servers rather than programs that run once.
    pub(crate) servers: bool,
}

impl Workshop {
    /// The executable of a program, built now unless it is there and newer than its source.
    pub(crate) fn build(&self, program: &str, contestant: &Contestant) -> Result<PathBuf, String> {
        let folder = match contestant {
            Contestant::Compiler { .. } if self.servers => format!("{}-server", contestant.label()),
            Contestant::Compiler { .. } | Contestant::Hand => contestant.label(),
        };
        let exe = self.work.join("bin").join(folder).join(program);
        if !self.build {
            return if exe.exists() { Ok(exe) } else { Err("was not packed".into()) };
        }
        create_parent(&exe)?;
        let mut command = match contestant {
            Contestant::Hand => {
                let find = |folder: &str| self.suite.join(folder).join(format!("{program}.c"));
                let source = [find("c"), find("reference")].into_iter().find(|p| p.exists());
                let source = source.ok_or("there is no hand-written version")?;
                if newer(&exe, &[&source, &self.suite.join("c/fut.h")]) {
                    return Ok(exe);
                }
                let mut command = Command::new(std::env::var("CC").unwrap_or_else(|_| "cc".into()));
                command.args(["-std=c11", "-D_POSIX_C_SOURCE=199309L", "-I"]).arg(self.suite.join("c"));
                command.args(self.cflags.split_whitespace()).arg(source).arg("-o").arg(&exe).arg("-lm");
                command
            }
            Contestant::Compiler { binary, backend, .. } => {
                let source = self.suite.join(format!("{program}.fut"));
                if newer(&exe, &[&source, binary]) {
                    return Ok(exe);
                }
                let mut command = Command::new(binary);
                command.arg(backend).arg("-w").arg(source).arg("-o").arg(&exe).env("CFLAGS", &self.cflags);
                if self.servers {
                    command.arg("--server");
                }
                command
            }
        };
        let output =
            command.output().map_err(|e| format!("{}: {e}", command.get_program().to_string_lossy()))?;
        if output.status.success() {
            Ok(exe)
        } else {
            Err(format!("does not compile: {}", first_lines(&output.stderr)))
        }
    }

    /// The file with a case's input, made now unless it is there.
    pub(crate) fn data(&self, case: &Case) -> Result<PathBuf, String> {
        let path = self.work.join("data").join(&case.program).join(format!("{}.in", case.set));
        let stamp = path.with_extension("words");
        let recipe = case.words.join(" ");
        let made = fs::read_to_string(&stamp).is_ok_and(|s| s == recipe);
        if made && path.exists() {
            return Ok(path);
        }
        create_parent(&path)?;
        let mut bytes = Vec::new();
        for value in self.input_values(case)? {
            values::write(&value, &mut bytes);
        }
        fs::write(&path, bytes).map_err(|e| format!("{}: {e}", path.display()))?;
        let _ = fs::remove_file(path.with_extension("out"));
        fs::write(&stamp, recipe).map_err(|e| e.to_string())?;
        Ok(path)
    }

    fn input_values(&self, case: &Case) -> Result<Vec<Value>, String> {
        let make = |(i, word): (usize, &str)| makers::make(word, &case.seed(i));
        let Some((file, replaced)) = case.published_file() else {
            return case.words.iter().map(String::as_str).enumerate().map(make).collect();
        };
        let folder = self.published.as_ref().ok_or("the published data is missing (--published)")?;
        let mut all = read_values(&folder.join(file))?;
        for (i, word) in replaced.into_iter().enumerate() {
            *all.get_mut(i).ok_or("more replacements than values")? = make((i, word))?;
        }
        Ok(all)
    }

    /// The file with a case's right answer, computed by the hand-written program unless it is there.
    pub(crate) fn answer(&self, case: &Case) -> Result<PathBuf, String> {
        self.answer_within(case, self.patience)
    }

    /// The same, with a limit of its own in seconds.
    pub(crate) fn answer_within(&self, case: &Case, limit: f64) -> Result<PathBuf, String> {
        let input = self.data(case)?;
        let path = input.with_extension("out");
        let exe = self.build(&case.program, &Contestant::Hand)?;
        if !newer(&path, &[&input, &exe]) {
            // An answer that was cut short is none.
            let part = path.with_extension("part");
            let done = self.execute(&exe, &["-b".into()], &input, &part, limit);
            let kept = done.and_then(|()| fs::rename(&part, &path).map_err(|e| e.to_string()));
            kept.inspect_err(|_| drop(fs::remove_file(&part)))?;
        }
        Ok(path)
    }

    /// Compare a contestant's answer with the right one, which is in a file; the time it took, in microseconds.
    pub(crate) fn check(
        &self,
        case: &Case,
        entry: &str,
        contestant: &Contestant,
        right: &Path,
    ) -> Result<f64, String> {
        let exe = self.build(&case.program, contestant)?;
        let input = self.data(case)?;
        let got = self.work.join("data").join(format!("{}.got", contestant.label()));
        let result = self
            .timed(&exe, &["-b", "-e", entry], &input, &got)
            .and_then(|times| self.compare(case, right, &got).map(|()| fehu_data::stats::median(&times)));
        let _ = fs::remove_file(got);
        result
    }

    /// The published answer to a case, if there is one.
    pub(crate) fn published_answer(&self, case: &Case) -> Option<PathBuf> {
        let (file, replaced) = case.published_file()?;
        let path = self.published.as_ref()?.join(file).with_extension("out");
        (replaced.is_empty() && path.exists()).then_some(path)
    }

    /// Compare the hand-written program's answer with the published one.
    pub(crate) fn check_published(&self, case: &Case, published: &Path) -> Result<(), String> {
        self.compare(case, published, &self.answer(case)?)
    }

    /// Run an executable some times and return the times, in microseconds.
    pub(crate) fn time(
        &self,
        exe: &Path,
        entry: &str,
        input: &Path,
        runs: usize,
    ) -> Result<Vec<f64>, String> {
        self.timed(exe, &["-n", "-e", entry, "-r", &runs.to_string()], input, Path::new("/dev/null"))
    }

    /// Execute and return the times that were written, in microseconds.
    fn timed(&self, exe: &Path, options: &[&str], input: &Path, output: &Path) -> Result<Vec<f64>, String> {
        let times = exe.with_extension("times");
        let mut options: Vec<String> = options.iter().map(|s| s.to_string()).collect();
        options.extend(["-t".into(), times.display().to_string()]);
        self.execute(exe, &options, input, output, self.timeout)?;
        let text = fs::read_to_string(&times).map_err(|e| format!("no times were written: {e}"))?;
        let _ = fs::remove_file(&times);
        text.lines().map(|l| l.trim().parse().map_err(|_| format!("not a time: {l}"))).collect()
    }

    /// Compare two files with answers.
    pub(crate) fn compare(&self, case: &Case, expected: &Path, got: &Path) -> Result<(), String> {
        if same_bytes(expected, got).unwrap_or(false) {
            return Ok(());
        }
        match values::difference(&read_values(expected)?, &read_values(got)?, case.tolerance) {
            None => Ok(()),
            Some(what) => Err(what),
        }
    }

    fn execute(
        &self,
        exe: &Path,
        options: &[String],
        input: &Path,
        output: &Path,
        limit: f64,
    ) -> Result<(), String> {
        let open = |p: &Path| File::open(p).map_err(|e| format!("{}: {e}", p.display()));
        let create = |p: &Path| File::create(p).map_err(|e| format!("{}: {e}", p.display()));
        let errors = output_log(exe, output);
        let exe = fs::canonicalize(exe).map_err(|e| format!("{}: {e}", exe.display()))?;
        let mut child = Command::new(exe)
            .args(options)
            .stdin(Stdio::from(open(input)?))
            .stdout(Stdio::from(create(output)?))
            .stderr(Stdio::from(create(&errors)?))
            .spawn()
            .map_err(|e| format!("does not start: {e}"))?;
        let start = Instant::now();
        let status = loop {
            match child.try_wait().map_err(|e| e.to_string())? {
                Some(status) => break status,
                None if start.elapsed().as_secs_f64() > limit => {
                    let _ = child.kill();
                    let _ = child.wait();
                    return Err(format!("takes more than {limit} s"));
                }
                None => std::thread::sleep(Duration::from_millis(2)),
            }
        };
        let said = fs::read(&errors).unwrap_or_default();
        let _ = fs::remove_file(&errors);
        if status.success() {
            Ok(())
        } else {
            Err(format!("fails ({status}): {}", first_lines(&said)))
        }
    }
}

/// Where an execution's complaints go: several of one program may run at once, for different data.
fn output_log(exe: &Path, output: &Path) -> PathBuf {
    match output.extension() {
        Some(extension) if extension == "part" => output.with_extension("stderr"),
        Some(_) | None => exe.with_extension("stderr"),
    }
}

fn read_values(path: &Path) -> Result<Vec<Value>, String> {
    let bytes = fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
    values::read_all(&bytes).map_err(|e| format!("{}: {e}", path.display()))
}

/// Whether two files are the same. They may be large: neither is read as a whole.
fn same_bytes(a: &Path, b: &Path) -> std::io::Result<bool> {
    let (mut a, mut b) = (File::open(a)?, File::open(b)?);
    let mut left = a.metadata()?.len();
    if left != b.metadata()?.len() {
        return Ok(false);
    }
    let (mut xs, mut ys) = (vec![0; 1 << 20], vec![0; 1 << 20]);
    while left > 0 {
        let n = left.min(1 << 20) as usize;
        a.read_exact(&mut xs[..n])?;
        b.read_exact(&mut ys[..n])?;
        if xs[..n] != ys[..n] {
            return Ok(false);
        }
        left -= n as u64;
    }
    Ok(true)
}

fn create_parent(path: &Path) -> Result<(), String> {
    let parent = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent).map_err(|e| format!("{}: {e}", parent.display()))
}

/// Whether a file is there and newer than all it was made from.
fn newer(made: &Path, from: &[&Path]) -> bool {
    let age = |p: &Path| fs::metadata(p).and_then(|m| m.modified()).ok();
    let Some(made) = age(made) else { return false };
    from.iter().all(|p| age(p).is_none_or(|t| t <= made))
}

fn first_lines(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|l| !l.is_empty()).take(3).collect();
    lines.join(" / ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_the_same_or_not() {
        let folder = std::env::temp_dir().join(format!("fehu-bench-same-{}", std::process::id()));
        let file = |name: &str, bytes: &[u8]| {
            let path = folder.join(name);
            fs::write(&path, bytes).map(|()| path)
        };
        let answers = fs::create_dir_all(&folder).and_then(|()| {
            let (a, b, c) = (file("a", b"one")?, file("b", b"one")?, file("c", b"two")?);
            let long = file("long", b"one more")?;
            Ok([same_bytes(&a, &b)?, same_bytes(&a, &c)?, same_bytes(&a, &long)?])
        });
        let _ = fs::remove_dir_all(&folder);
        assert!(matches!(answers, Ok([true, false, false])), "{answers:?}");
    }
}
