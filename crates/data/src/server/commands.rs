//! The commands, with the types of what they take and give.

use super::{Server, ServerError};
use std::fmt;
use std::io::{BufRead, Write};

/// What calling an entry point printed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallReport {
    /// How long the call took, in microseconds, if the server says.
    pub runtime_us: Option<u64>,
    /// Every other line, such as traces and logs.
    pub log: Vec<String>,
}

/// The type of an argument or a result of an entry point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ServerType {
    /// Whether the argument is consumed, or the result free of aliases.
    pub unique: bool,
    /// The name of the type, such as `[]i32`.
    pub name: String,
}

impl fmt::Display for ServerType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.unique { "*" } else { "" }, self.name)
    }
}

/// What can be done with the values of a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A scalar.
    Primitive,
    /// An array, of scalars or of anything else.
    Array,
    /// A record or a tuple.
    Record,
    /// A sum type.
    Sum,
    /// Nothing but to pass them on.
    Opaque,
}

/// A constructor of a sum type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// The types of its payload.
    pub payload: Vec<String>,
}

/// General commands.
impl<R: BufRead, W: Write> Server<R, W> {
    /// The names of the types.
    pub fn types(&mut self) -> Result<Vec<String>, ServerError> {
        self.command(&["types"])
    }

    /// The names of the entry points.
    pub fn entry_points(&mut self) -> Result<Vec<String>, ServerError> {
        self.command(&["entry_points"])
    }

    /// Calls an entry point; the result goes to a new variable. (Programs of
    /// older compilers want one variable for each component of a tuple.)
    pub fn call(
        &mut self,
        entry: &str,
        outputs: &[&str],
        inputs: &[&str],
    ) -> Result<CallReport, ServerError> {
        let lines = self.command(&[&["call", entry], outputs, inputs].concat())?;
        let mut report = CallReport { runtime_us: None, log: Vec::new() };
        for line in lines {
            match line.strip_prefix("runtime:").and_then(|n| n.trim().parse().ok()) {
                Some(runtime) => report.runtime_us = Some(runtime),
                None => report.log.push(line),
            }
        }
        Ok(report)
    }

    /// Loads values from a data file into new variables of given types.
    pub fn restore(&mut self, file: &str, variables: &[(&str, &str)]) -> Result<(), ServerError> {
        let mut words = vec!["restore", file];
        words.extend(variables.iter().flat_map(|&(name, t)| [name, t]));
        self.command(&words).map(drop)
    }

    /// Writes variables to a data file.
    pub fn store(&mut self, file: &str, variables: &[&str]) -> Result<(), ServerError> {
        self.command(&[&["store", file], variables].concat()).map(drop)
    }

    /// Deletes variables; also those that a call has consumed.
    pub fn free(&mut self, variables: &[&str]) -> Result<(), ServerError> {
        self.command(&[&["free"], variables].concat()).map(drop)
    }

    /// Renames a variable.
    pub fn rename(&mut self, old: &str, new: &str) -> Result<(), ServerError> {
        self.command(&["rename", old, new]).map(drop)
    }

    /// The types of an entry point's arguments.
    pub fn inputs(&mut self, entry: &str) -> Result<Vec<ServerType>, ServerError> {
        Ok(self.command(&["inputs", entry])?.iter().map(|line| server_type(line)).collect())
    }

    /// The type of an entry point's result.
    pub fn output(&mut self, entry: &str) -> Result<ServerType, ServerError> {
        Ok(server_type(&self.one_line(&["output", entry])?))
    }

    /// The types of the components of an entry point's result: what programs
    /// of older compilers offer instead of [`Server::output`].
    pub fn outputs(&mut self, entry: &str) -> Result<Vec<ServerType>, ServerError> {
        Ok(self.command(&["outputs", entry])?.iter().map(|line| server_type(line)).collect())
    }

    /// Clears all caches and counters.
    pub fn clear(&mut self) -> Result<(), ServerError> {
        self.command(&["clear"]).map(drop)
    }

    /// What can be done with values of the type.
    pub fn kind(&mut self, type_name: &str) -> Result<Kind, ServerError> {
        self.parsed(&["kind", type_name], |answer| match answer {
            "primitive" => Some(Kind::Primitive),
            "array" => Some(Kind::Array),
            "record" => Some(Kind::Record),
            "sum" => Some(Kind::Sum),
            "opaque" => Some(Kind::Opaque),
            _ => None,
        })
    }

    /// The type of a variable.
    pub fn type_of(&mut self, variable: &str) -> Result<String, ServerError> {
        self.one_line(&["type", variable])
    }

    /// Stops collecting profiling information.
    pub fn pause_profiling(&mut self) -> Result<(), ServerError> {
        self.command(&["pause_profiling"]).map(drop)
    }

    /// Collects profiling information again.
    pub fn unpause_profiling(&mut self) -> Result<(), ServerError> {
        self.command(&["unpause_profiling"]).map(drop)
    }

    /// The profiling report.
    pub fn report(&mut self) -> Result<Vec<String>, ServerError> {
        self.command(&["report"])
    }

    /// Sets a tuning parameter.
    pub fn set_tuning_param(&mut self, param: &str, value: i64) -> Result<(), ServerError> {
        self.command(&["set_tuning_param", param, &value.to_string()]).map(drop)
    }

    /// The tuning parameters that matter to an entry point, and their
    /// classes.
    pub fn tuning_params(&mut self, entry: &str) -> Result<Vec<(String, String)>, ServerError> {
        self.pairs(&["tuning_params", entry])
    }

    /// The class of a tuning parameter.
    pub fn tuning_param_class(&mut self, param: &str) -> Result<String, ServerError> {
        self.one_line(&["tuning_param_class", param])
    }

    /// The attributes of an entry point, without brackets.
    pub fn attributes(&mut self, entry: &str) -> Result<Vec<String>, ServerError> {
        self.command(&["attributes", entry])
    }
}

/// Commands on arrays.
impl<R: BufRead, W: Write> Server<R, W> {
    /// The number of dimensions of an array type.
    pub fn rank(&mut self, type_name: &str) -> Result<usize, ServerError> {
        self.parsed(&["rank", type_name], |answer| answer.parse().ok())
    }

    /// The element type of an array type.
    pub fn elemtype(&mut self, type_name: &str) -> Result<String, ServerError> {
        self.one_line(&["elemtype", type_name])
    }

    /// Makes an array of a type and shape from variables for its elements, in
    /// row-major order.
    pub fn new_array(
        &mut self,
        to: &str,
        type_name: &str,
        shape: &[usize],
        elements: &[&str],
    ) -> Result<(), ServerError> {
        let sizes = numbers(shape);
        let sizes: Vec<&str> = sizes.iter().map(String::as_str).collect();
        self.command(&[&["new_array", to, type_name], &sizes[..], elements].concat()).map(drop)
    }

    /// Replaces an element of an array in place.
    pub fn set(&mut self, array: &str, element: &str, index: &[usize]) -> Result<(), ServerError> {
        let index = numbers(index);
        let index: Vec<&str> = index.iter().map(String::as_str).collect();
        self.command(&[&["set", array, element], &index[..]].concat()).map(drop)
    }

    /// The size of each dimension of an array.
    pub fn shape(&mut self, variable: &str) -> Result<Vec<usize>, ServerError> {
        let words = ["shape", variable];
        let lines = self.command(&words)?;
        let sizes: Option<Vec<usize>> = lines.iter().map(|line| line.trim().parse().ok()).collect();
        sizes.ok_or_else(|| nonsense(&words, &lines))
    }

    /// Copies an element of an array to a new variable.
    pub fn index(&mut self, to: &str, array: &str, index: &[usize]) -> Result<(), ServerError> {
        let index = numbers(index);
        let index: Vec<&str> = index.iter().map(String::as_str).collect();
        self.command(&[&["index", to, array], &index[..]].concat()).map(drop)
    }

    /// Makes an array of records from an array for each field.
    pub fn zip(&mut self, to: &str, type_name: &str, fields: &[&str]) -> Result<(), ServerError> {
        self.command(&[&["zip", to, type_name], fields].concat()).map(drop)
    }

    /// Makes an array for each field from an array of records.
    pub fn unzip(&mut self, from: &str, fields: &[&str]) -> Result<(), ServerError> {
        self.command(&[&["unzip", from], fields].concat()).map(drop)
    }
}

/// Commands on records and sums.
impl<R: BufRead, W: Write> Server<R, W> {
    /// The fields of a record type and their types, in the order in which
    /// [`Server::new_record`] wants them.
    pub fn fields(&mut self, type_name: &str) -> Result<Vec<(String, String)>, ServerError> {
        self.pairs(&["fields", type_name])
    }

    /// Makes a record from variables for its fields.
    pub fn new_record(&mut self, to: &str, type_name: &str, fields: &[&str]) -> Result<(), ServerError> {
        self.command(&[&["new", to, type_name], fields].concat()).map(drop)
    }

    /// Copies a field of a record to a new variable.
    pub fn project(&mut self, to: &str, from: &str, field: &str) -> Result<(), ServerError> {
        self.command(&["project", to, from, field]).map(drop)
    }

    /// The constructors of a sum type.
    pub fn variants(&mut self, type_name: &str) -> Result<Vec<Variant>, ServerError> {
        let words = ["variants", type_name];
        let lines = self.command(&words)?;
        let mut variants: Vec<Variant> = Vec::new();
        for line in &lines {
            match (line.strip_prefix("- "), variants.last_mut()) {
                (None, _) => variants.push(Variant { name: line.clone(), payload: Vec::new() }),
                (Some(t), Some(variant)) => variant.payload.push(t.to_string()),
                (Some(_), None) => return Err(nonsense(&words, &lines)),
            }
        }
        Ok(variants)
    }

    /// Makes a value of a sum type from variables for the payload.
    pub fn construct(
        &mut self,
        to: &str,
        type_name: &str,
        variant: &str,
        payload: &[&str],
    ) -> Result<(), ServerError> {
        self.command(&[&["construct", to, type_name, variant], payload].concat()).map(drop)
    }

    /// Copies the payload of a value of a sum type to new variables.
    pub fn destruct(&mut self, from: &str, payload: &[&str]) -> Result<(), ServerError> {
        self.command(&[&["destruct", from], payload].concat()).map(drop)
    }

    /// The constructor of a value of a sum type.
    pub fn variant(&mut self, variable: &str) -> Result<String, ServerError> {
        self.one_line(&["variant", variable])
    }
}

/// Shapes of answers.
impl<R: BufRead, W: Write> Server<R, W> {
    /// An answer of exactly one line.
    fn one_line(&mut self, words: &[&str]) -> Result<String, ServerError> {
        let mut lines = self.command(words)?;
        match (lines.pop(), lines.is_empty()) {
            (Some(line), true) => Ok(line),
            (last, _) => {
                lines.extend(last);
                Err(nonsense(words, &lines))
            }
        }
    }

    /// An answer of one line that means something.
    fn parsed<T>(&mut self, words: &[&str], parse: impl Fn(&str) -> Option<T>) -> Result<T, ServerError> {
        let line = self.one_line(words)?;
        parse(line.trim()).ok_or_else(|| nonsense(words, &[line]))
    }

    /// An answer of lines that are each a word, a space and the rest.
    fn pairs(&mut self, words: &[&str]) -> Result<Vec<(String, String)>, ServerError> {
        let lines = self.command(words)?;
        let pair = |line: &String| line.split_once(' ').map(|(a, b)| (a.to_string(), b.to_string()));
        let pairs: Option<Vec<(String, String)>> = lines.iter().map(pair).collect();
        pairs.ok_or_else(|| nonsense(words, &lines))
    }
}

fn server_type(line: &str) -> ServerType {
    match line.strip_prefix('*') {
        Some(name) => ServerType { unique: true, name: name.to_string() },
        None => ServerType { unique: false, name: line.to_string() },
    }
}

fn numbers(numbers: &[usize]) -> Vec<String> {
    numbers.iter().map(usize::to_string).collect()
}

fn nonsense(words: &[&str], lines: &[String]) -> ServerError {
    ServerError::Protocol { command: words.join(" "), answer: lines.join("\n") }
}
