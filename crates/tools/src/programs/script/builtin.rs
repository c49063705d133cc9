//! The built-in functions of scripts, `$loaddata` and friends: all but `$store` read a file beside the program.

use super::{wrong, Evaluator, Res, ScriptError, Store, Val};
use crate::media::{audio, image};
use fehu_data::{read_values, Value};
use fehu_driver::files::{read_data, write};
use std::path::{Path, PathBuf};

impl Evaluator<'_> {
    pub(super) fn builtin(&mut self, name: &str, args: &[Val]) -> Res<Val> {
        if name == "store" && self.places.store != Store::Nowhere {
            let [file, value] = args else { return wrong("$store takes the name of a file and a value") };
            let (name, bytes) = (self.string(file)?, self.binary(value)?);
            let path = self.file(&name);
            if self.places.store == Store::Below && !self.is_below(&path) {
                return wrong(format!("$store writes only below the folder of the program, not to {name}"));
            }
            return write(&path, bytes).map(|()| Val::Tuple(vec![])).map_err(ScriptError::Script);
        }
        if !["loadbytes", "loaddata", "loadimg", "loadaudio", "restore"].contains(&name) {
            return wrong(format!("there is no built-in function ${name} here"));
        }
        let texts: Vec<String> = args.iter().map(|v| self.string(v)).collect::<Res<_>>()?;
        let path = |file: &str| self.file(file);
        let read = |file: &str| {
            let path = path(file);
            read_data(&path)
                .map_err(|e| ScriptError::Script(format!("could not read {}: {e}", path.display())))
        };
        match (name, texts.as_slice()) {
            ("loadbytes", [file]) => Ok(Val::Data(Value::vector(read(file)?))),
            ("loaddata", [file]) => {
                let mut values = match read_values(&read(file)?) {
                    Ok(values) => values,
                    Err(e) => return wrong(format!("{file}: {e}")),
                };
                if values.len() == 1 {
                    return Ok(Val::Data(values.remove(0)));
                }
                Ok(Val::Tuple(values.into_iter().map(Val::Data).collect()))
            }
            ("loadimg", [file]) => media(image::load(&path(file))),
            ("loadaudio", [file]) => media(audio::load(&path(file))),
            ("restore", [type_name, file]) => {
                let (file, var) = (path(file).display().to_string(), self.fresh());
                self.server.restore(&file, &[(&var, type_name)])?;
                Ok(Val::Var(var, type_name.clone()))
            }
            ("loadbytes" | "loaddata" | "loadimg" | "loadaudio", _) => {
                wrong(format!("${name} takes the name of a file"))
            }
            _ => wrong("$restore takes a type and the name of a file"),
        }
    }

    /// Whether a file is below the folder of the program, wherever links lead.
    fn is_below(&self, path: &Path) -> bool {
        let real = |path: &Path| match path.as_os_str().is_empty() {
            true => Path::new(".").canonicalize(),
            false => path.canonicalize(),
        };
        let folder = |path: &Path| real(path.parent().unwrap_or(Path::new("")));
        let place = real(path).or_else(|_| folder(path));
        matches!((place, folder(self.places.program)), (Ok(place), Ok(own)) if place.starts_with(&own))
    }

    /// A file that a script names is beside the program.
    fn file(&self, name: &str) -> PathBuf {
        self.places.program.parent().unwrap_or(Path::new("")).join(name)
    }
}

/// Data that was read from a picture or a sound.
fn media(loaded: Result<Value, String>) -> Res<Val> {
    loaded.map(Val::Data).map_err(ScriptError::Script)
}
