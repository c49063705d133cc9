//! Calling an entry point of a server again and again on the same arguments.
//!
//! ```text
//! let mut call = Call::load(server, "main", "ten.in")?;
//! let report = call.run(server)?;          // as often as one likes
//! call.store(server, "result.out")?;
//! call.unload(server)?;
//! ```

use super::server::Connection;
use fehu_base::prim::ScalarType;
use fehu_data::server::{CallReport, Kind, ServerError};

/// Arguments that are loaded, and an entry point that takes them.
pub struct Call {
    entry: String,
    /// Where the arguments come from; `None` if the caller has loaded them.
    file: Option<String>,
    /// Variables and their types.
    inputs: Vec<(String, String)>,
    /// Whether a run leaves arguments that cannot be used again.
    consumes: bool,
    outputs: Vec<String>,
    /// The type of the result; `None` if the server gives each component of a tuple a variable.
    result_type: Option<String>,
    has_run: bool,
}

impl Call {
    /// Loads the arguments of an entry point from a data file.
    pub fn load(server: &mut Connection, entry: &str, file: &str) -> Result<Call, ServerError> {
        let types = server.inputs(entry)?;
        let inputs = types.into_iter().enumerate().map(|(i, t)| (format!("in{i}"), t.name)).collect();
        let call = Call { file: Some(file.to_owned()), ..Call::with_arguments(server, entry, inputs)? };
        call.restore(server)?;
        Ok(call)
    }

    /// An entry point with arguments that are in these variables, of these types. If it consumes some,
    /// it can be run only once.
    pub fn with_arguments(
        server: &mut Connection,
        entry: &str,
        inputs: Vec<(String, String)>,
    ) -> Result<Call, ServerError> {
        let consumes = server.inputs(entry)?.iter().any(|t| t.unique);
        let (outputs, result_type) = match server.output(entry) {
            Ok(t) => (vec!["out0".to_owned()], Some(t.name)),
            // Servers of older compilers.
            Err(ServerError::Failure { .. }) => {
                let count = server.outputs(entry)?.len();
                ((0..count).map(|i| format!("out{i}")).collect(), None)
            }
            Err(e) => return Err(e),
        };
        let entry = entry.to_owned();
        Ok(Call { entry, file: None, consumes, inputs, outputs, result_type, has_run: false })
    }

    /// Calls the entry point; the result of the run before is gone.
    pub fn run(&mut self, server: &mut Connection) -> Result<CallReport, ServerError> {
        self.forget_result(server)?;
        let inputs: Vec<&str> = self.inputs.iter().map(|(v, _)| v.as_str()).collect();
        let report = server.call(&self.entry, &names(&self.outputs), &inputs)?;
        self.has_run = true;
        Ok(report)
    }

    /// Writes the components of the last result to a file; `false` if it has some that files cannot hold.
    pub fn store(&self, server: &mut Connection, file: &str) -> Result<bool, ServerError> {
        let Some(t) = &self.result_type else {
            server.store(file, &names(&self.outputs))?;
            return Ok(true);
        };
        if transparent_type(t).is_some() {
            server.store(file, &names(&self.outputs))?;
            return Ok(true);
        }
        let mut fields = match server.kind(t)? {
            Kind::Record => server.fields(t)?,
            Kind::Primitive | Kind::Array | Kind::Sum | Kind::Opaque => return Ok(false),
        };
        // Only tuples can be written in a test block; their tenth component is not their second.
        fields.sort_by_key(|(name, _)| name.parse::<usize>().unwrap_or(usize::MAX));
        let numbered = fields.iter().enumerate().all(|(i, (name, _))| *name == i.to_string());
        if !numbered || !fields.iter().all(|(_, t)| transparent_type(t).is_some()) {
            return Ok(false);
        }
        let parts: Vec<String> = (0..fields.len()).map(|i| format!("part{i}")).collect();
        for (part, (field, _)) in parts.iter().zip(&fields) {
            server.project(part, &self.outputs[0], field)?;
        }
        let stored = server.store(file, &names(&parts));
        server.free(&names(&parts))?;
        stored.map(|()| true)
    }

    /// Frees everything.
    pub fn unload(mut self, server: &mut Connection) -> Result<(), ServerError> {
        // Arguments are there also after a run that failed.
        self.forget_outputs(server)?;
        self.free_inputs(server)
    }

    /// Frees the result of the last run, and loads arguments again that it consumed.
    fn forget_result(&mut self, server: &mut Connection) -> Result<(), ServerError> {
        let again = self.has_run && self.consumes;
        self.forget_outputs(server)?;
        if again && self.file.is_some() {
            self.free_inputs(server)?;
            self.restore(server)?;
        }
        Ok(())
    }

    fn forget_outputs(&mut self, server: &mut Connection) -> Result<(), ServerError> {
        if std::mem::take(&mut self.has_run) {
            server.free(&names(&self.outputs))?;
        }
        Ok(())
    }

    fn free_inputs(&self, server: &mut Connection) -> Result<(), ServerError> {
        let inputs: Vec<&str> = self.inputs.iter().map(|(v, _)| v.as_str()).collect();
        server.free(&inputs)
    }

    fn restore(&self, server: &mut Connection) -> Result<(), ServerError> {
        let inputs: Vec<(&str, &str)> = self.inputs.iter().map(|(v, t)| (v.as_str(), t.as_str())).collect();
        match &self.file {
            Some(file) => server.restore(file, &inputs),
            None => Ok(()),
        }
    }
}

/// The rank and the element type, if the server's name for a type says that it is an array of scalars, or a scalar.
pub(crate) fn transparent_type(name: &str) -> Option<(usize, ScalarType)> {
    let (mut rest, mut rank) = (name, 0);
    while let Some(inner) = rest.strip_prefix("[]") {
        (rest, rank) = (inner, rank + 1);
    }
    ScalarType::named(rest).map(|elem| (rank, elem))
}

fn names(variables: &[String]) -> Vec<&str> {
    variables.iter().map(String::as_str).collect()
}
