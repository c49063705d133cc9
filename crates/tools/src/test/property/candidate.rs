//! Candidates: values of any type that the server can build from its parts, or what a program's generator gives.
//!
//! All dimensions of generated arrays have the size of the candidate, so arrays of records with arrays in them are
//! regular. An array of records is built from an array for each field.

use super::declaration::Declaration;
use super::Tester;
use crate::programs::{transparent_type, Connection, Trouble};
use fehu_data::binary::write_binary;
use fehu_data::generate::{Arbitrary, Magnitude};
use fehu_data::server::{Kind, ServerError};
use fehu_data::{Value, ValueType};
use fehu_driver::files::write_with_mode;
use std::path::Path;

/// What a candidate depends on.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) size: i64,
    pub(super) seed: u64,
    /// How far from zero its numbers are; means nothing to generators of programs.
    pub(super) magnitude: Magnitude,
}

impl Tester<'_> {
    /// A variable with a candidate.
    pub(super) fn generate(&mut self, d: &Declaration, c: &Candidate) -> Result<String, Trouble> {
        let mut named = self.named;
        let made = self.talk(|server, transfer| {
            let mut builder = Builder {
                server,
                transfer,
                named: &mut named,
                size: usize::try_from(c.size).unwrap_or(0),
                arbitrary: Arbitrary::new(c.seed, c.magnitude),
            };
            match &d.generator {
                Some(generator) => builder.call(generator, c).map(Ok),
                None => match builder.value(&d.argument) {
                    Ok(variable) => Ok(Ok(variable)),
                    Err(NoValue::Server(e)) => Err(e),
                    Err(NoValue::Impossible(why)) => Ok(Err(why)),
                },
            }
        });
        self.named = named;
        made?.map_err(|why| {
            Trouble::Failed(format!("Property {} needs a generator, #[prop(gen(f))]: {why}", d.property))
        })
    }

    /// A variable with a number.
    pub(super) fn number(&mut self, value: &Value) -> Result<String, Trouble> {
        let to = self.fresh();
        self.talk(|server, transfer| send(server, transfer, value, &to))?;
        Ok(to)
    }
}

/// Why there is no candidate.
enum NoValue {
    Server(ServerError),
    /// There is no way to make values of a type, or memory cannot hold them.
    Impossible(String),
}

impl From<ServerError> for NoValue {
    fn from(e: ServerError) -> NoValue {
        NoValue::Server(e)
    }
}

struct Builder<'a> {
    server: &'a mut Connection,
    transfer: &'a Path,
    named: &'a mut usize,
    size: usize,
    arbitrary: Arbitrary,
}

impl Builder<'_> {
    /// What a program's own generator gives.
    fn call(&mut self, generator: &str, c: &Candidate) -> Result<String, ServerError> {
        let (size, seed, to) = (self.fresh(), self.fresh(), self.fresh());
        send(self.server, self.transfer, &Value::scalar(c.size), &size)?;
        send(self.server, self.transfer, &Value::scalar(c.seed), &seed)?;
        let called = self.server.call(generator, &[&to], &[&size, &seed]);
        self.server.free(&[&size, &seed])?;
        called.map(|_| to)
    }

    /// A value of a type.
    fn value(&mut self, t: &str) -> Result<String, NoValue> {
        if let Some((rank, elem)) = transparent_type(t) {
            let value = self.arbitrary.value(&ValueType { shape: vec![self.size; rank], elem });
            let to = self.fresh();
            send(self.server, self.transfer, &value.map_err(NoValue::Impossible)?, &to)?;
            return Ok(to);
        }
        match self.server.kind(t)? {
            Kind::Record => {
                let fields = self.server.fields(t)?;
                let parts = fields.iter().map(|(_, t)| self.value(t)).collect::<Result<Vec<_>, _>>()?;
                self.made(parts, |server, to, parts| server.new_record(to, t, parts))
            }
            Kind::Array => match self.server.fields(t) {
                Ok(fields) if !fields.is_empty() => {
                    let parts = fields.iter().map(|(_, t)| self.value(t)).collect::<Result<Vec<_>, _>>()?;
                    self.made(parts, |server, to, parts| server.zip(to, t, parts))
                }
                Ok(_) | Err(ServerError::Failure { .. }) => self.array_of_elements(t),
                Err(e) => Err(e.into()),
            },
            Kind::Sum => {
                let variants = self.server.variants(t)?;
                let chosen = &variants[self.arbitrary.pick(variants.len())];
                let parts = chosen.payload.iter().map(|t| self.value(t)).collect::<Result<Vec<_>, _>>()?;
                self.made(parts, |server, to, parts| server.construct(to, t, &chosen.name, parts))
            }
            Kind::Primitive | Kind::Opaque => {
                Err(NoValue::Impossible(format!("there is no way to make a value of type {t}")))
            }
        }
    }

    fn array_of_elements(&mut self, t: &str) -> Result<String, NoValue> {
        let (elem, rank) = (self.server.elemtype(t)?, self.server.rank(t)?);
        let shape = vec![self.size; rank];
        let count = shape.iter().product();
        let parts = (0..count).map(|_| self.value(&elem)).collect::<Result<Vec<_>, _>>()?;
        self.made(parts, |server, to, parts| server.new_array(to, t, &shape, parts))
    }

    /// A variable made from others, which go.
    fn made(
        &mut self,
        parts: Vec<String>,
        make: impl FnOnce(&mut Connection, &str, &[&str]) -> Result<(), ServerError>,
    ) -> Result<String, NoValue> {
        let to = self.fresh();
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        make(self.server, &to, &parts)?;
        if !parts.is_empty() {
            self.server.free(&parts)?;
        }
        Ok(to)
    }

    fn fresh(&mut self) -> String {
        *self.named += 1;
        format!("v{}", self.named)
    }
}

/// Puts a value into a new variable.
fn send(server: &mut Connection, transfer: &Path, value: &Value, to: &str) -> Result<(), ServerError> {
    let mut bytes = vec![];
    write_binary(value, &mut bytes);
    write_with_mode(transfer, &bytes, 0o600)?;
    let t = format!("{}{}", "[]".repeat(value.rank()), value.scalar_type());
    server.restore(&transfer.display().to_string(), &[(to, &t)])
}
