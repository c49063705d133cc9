//! The arguments and expected results of data sets.

use fehu_data::generate::{Bounds, Rng};
use fehu_data::spec::Input;
use fehu_data::{read_values, Value};
use std::path::{Path, PathBuf};

/// The arguments as bytes; those of a script must be computed by the program.
pub(crate) fn input_bytes(program: &Path, input: &Input) -> Result<Vec<u8>, String> {
    let binary = |values: &[Value]| {
        let mut out = vec![];
        values.iter().for_each(|v| fehu_data::binary::write_binary(v, &mut out));
        out
    };
    match input {
        Input::Values(vs) => Ok(binary(vs)),
        Input::File(name) => {
            let path = beside(program, name);
            std::fs::read(&path).map_err(|e| format!("could not read {}: {e}", path.display()))
        }
        Input::Random(generators) => {
            let mut rng = Rng::new(42);
            let bounds = Bounds::default();
            let values: Result<Vec<_>, _> = generators.iter().map(|g| g.value(&bounds, &mut rng)).collect();
            Ok(binary(&values?))
        }
        Input::Script(_) | Input::ScriptFile(_) => {
            Err("its arguments are computed by a script, which can not be run yet".into())
        }
    }
}

/// The values in a data file, whose name is relative to the program.
pub(crate) fn file_values(program: &Path, name: &str) -> Result<Vec<Value>, String> {
    let path = beside(program, name);
    let bytes = std::fs::read(&path).map_err(|e| format!("could not read {}: {e}", path.display()))?;
    read_values(&bytes).map_err(|e| format!("{}: {e}", path.display()))
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

/// The arguments of a data set in a file: the program's own, or one made in a folder.
pub(crate) fn arguments_file(program: &Path, input: &Input, dir: &Path) -> Result<ArgumentsFile, String> {
    if let Input::File(name) = input {
        let path = beside(program, name);
        if !path.is_file() {
            return Err(format!("there is no file {}", path.display()));
        }
        return Ok(ArgumentsFile { name: path.display().to_string(), made: None });
    }
    let bytes = input_bytes(program, input)?;
    let path = dir.join("arguments");
    std::fs::write(&path, bytes).map_err(|e| format!("could not write {}: {e}", path.display()))?;
    Ok(ArgumentsFile { name: path.display().to_string(), made: Some(path) })
}
