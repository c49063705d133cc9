//! The arguments and expected results of data sets.

use super::script::{arguments, Places, ScriptError, Store};
use super::server::ServerProcess;
use fehu_data::generate::{Bounds, Rng};
use fehu_data::gzip::gunzip;
use fehu_data::script::parse_script;
use fehu_data::spec::Input;
use fehu_data::{read_values, Value};
use fehu_driver::files::{read_data, read_source, write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The arguments as bytes; those of a script must be computed by the program.
pub(crate) fn input_bytes(program: &Path, input: &Input) -> Result<Vec<u8>, String> {
    let binary = |values: &[Value]| {
        let mut out = vec![];
        values.iter().for_each(|v| fehu_data::binary::write_binary(v, &mut out));
        out
    };
    match input {
        Input::Values(vs) => Ok(binary(vs)),
        Input::File(name) => data_file(&beside(program, name)),
        Input::Random(generators) => {
            let mut rng = Rng::new(42);
            let bounds = Bounds::default();
            let values: Result<Vec<_>, _> = generators.iter().map(|g| g.value(&bounds, &mut rng)).collect();
            Ok(binary(&values?))
        }
        Input::Script(_) | Input::ScriptFile(_) => {
            Err("its arguments are computed by a script, for which the program must run".into())
        }
    }
}

/// The values in a data file, whose name is relative to the program.
pub(crate) fn file_values(program: &Path, name: &str) -> Result<Vec<Value>, String> {
    let path = beside(program, name);
    let bytes = data_file(&path)?;
    read_values(&bytes).map_err(|e| format!("{}: {e}", path.display()))
}

/// The bytes of a data file, which is compressed if its name ends in `.gz`.
pub(crate) fn data_file(path: &Path) -> Result<Vec<u8>, String> {
    let bytes = read_data(path).map_err(|e| format!("could not read {}: {e}", path.display()))?;
    match is_compressed(path) {
        true => gunzip(&bytes).map_err(|e| format!("could not read {}: {e}", path.display())),
        false => Ok(bytes),
    }
}

fn is_compressed(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "gz")
}

/// A file named by a program.
pub(crate) fn beside(program: &Path, name: &str) -> PathBuf {
    program.parent().unwrap_or(Path::new("")).join(name)
}

/// A file with the arguments of a data set. One that was made for it is gone when this is.
pub(crate) struct ArgumentsFile {
    /// Its name, for servers.
    pub(crate) name: String,
    made: Option<PathBuf>,
}

impl Drop for ArgumentsFile {
    fn drop(&mut self) {
        if let Some(path) = &self.made {
            // The whole folder goes in the end.
            let _ = std::fs::remove_file(path);
        }
    }
}

/// A program that computes arguments for itself.
pub(crate) struct Maker<'a> {
    /// Its source.
    pub(crate) program: &'a Path,
    /// It, compiled to a server.
    pub(crate) server: &'a Path,
    /// What runs it.
    pub(crate) runner: Option<&'a str>,
    /// Options for it.
    pub(crate) options: &'a [String],
    /// The longest that it may take.
    pub(crate) limit: Option<Duration>,
}

impl Maker<'_> {
    /// The arguments of a data set in a file: the program's own, or one made in a folder.
    pub(crate) fn arguments(&self, entry: &str, input: &Input, dir: &Path) -> Result<ArgumentsFile, String> {
        let path = dir.join("arguments");
        match input {
            Input::File(name) => {
                let file = beside(self.program, name);
                if !file.is_file() {
                    return Err(format!("there is no file {}", file.display()));
                }
                if !is_compressed(&file) {
                    return Ok(ArgumentsFile { name: file.display().to_string(), made: None });
                }
                write(&path, data_file(&file)?)?;
            }
            Input::Values(_) | Input::Random(_) => write(&path, input_bytes(self.program, input)?)?,
            Input::Script(script) => self.store_script(entry, script, dir, &path)?,
            Input::ScriptFile(name) => {
                let file = beside(self.program, name);
                let script =
                    read_source(&file).map_err(|e| format!("could not read {}: {e}", file.display()))?;
                self.store_script(entry, &script, dir, &path)?;
            }
        }
        Ok(ArgumentsFile { name: path.display().to_string(), made: Some(path) })
    }

    /// Runs a script on a server of its own, so that nothing is left over where time is measured.
    fn store_script(&self, entry: &str, script: &str, scratch: &Path, to: &Path) -> Result<(), String> {
        let script = parse_script(script).map_err(|e| format!("the script cannot be read: {e}"))?;
        let mut process = ServerProcess::start(self.server, self.runner, self.options)?;
        let places = Places { program: self.program, scratch, store: Store::Below };
        let stored = process.talk(self.limit, |server| match arguments(server, &places, entry, &script) {
            Ok(made) => {
                let names: Vec<&str> = made.iter().map(|(name, _)| name.as_str()).collect();
                server.store(&to.display().to_string(), &names).map(Ok)
            }
            Err(ScriptError::Script(message)) => Ok(Err(message)),
            Err(ScriptError::Server(e)) => Err(e),
        });
        match stored {
            Ok(Ok(())) => Ok(()),
            Ok(Err(message)) => Err(format!("the script is wrong: {message}")),
            Err(trouble) => Err(format!("the script failed: {trouble}")),
        }
    }
}
