//! Checking entry points.

use super::{some_memory, Checker};
use crate::op::Dec;
use crate::rep::Rep;
use crate::syntax::*;

impl<R: Rep> Checker<'_, R> {
    pub(super) fn entry(&mut self, fun: &FunDef<R>, entry: &EntryPoint) {
        let params = entry.params.iter().map(|p| self.values(&p.ty)).sum::<Option<usize>>();
        let results = self.values(&entry.result.ty);
        let (Some(params), Some(results)) = (params, results) else {
            self.error("an opaque type of this entry point is not described");
            return;
        };
        if entry.size_params > fun.params.len() || entry.size_results > fun.ret.len() {
            self.error("fewer parameters or results than sizes");
            return;
        }
        if fun.params.iter().take(entry.size_params).any(|p| p.ty != Type::I64) {
            self.error("a size parameter of this entry point is not of type i64");
        }
        // With memory, blocks and layouts are parameters and results too.
        if R::Dec::from_memory(some_memory()).is_some() {
            return;
        }
        if fun.params.len() != entry.size_params + params {
            self.error(format!(
                "an entry point of {params} values and {} sizes has {} parameters",
                entry.size_params,
                fun.params.len()
            ));
        }
        if fun.ret.len() != entry.size_results + results {
            self.error(format!(
                "an entry point returning {results} values and {} sizes has {} results",
                entry.size_results,
                fun.ret.len()
            ));
        }
    }

    /// How many values a type is made of.
    fn values(&self, ty: &EntryType) -> Option<usize> {
        let name = match ty {
            EntryType::Transparent(..) => return Some(1),
            EntryType::Opaque(name) => name,
        };
        // A type is described before those made of it, so this ends.
        let position = self.prog.opaques.types.iter().position(|(n, _)| n == name)?;
        self.values_of(position)
    }

    fn values_of(&self, position: usize) -> Option<usize> {
        let earlier = |ty: &EntryType| match ty {
            EntryType::Transparent(..) => Some(1),
            EntryType::Opaque(name) => {
                let known = &self.prog.opaques.types[..position];
                self.values_of(known.iter().position(|(n, _)| n == name)?)
            }
        };
        match &self.prog.opaques.types[position].1 {
            OpaqueType::Plain(values) | OpaqueType::Sum { values, .. } | OpaqueType::Array { values, .. } => {
                Some(values.len())
            }
            OpaqueType::Record(fields) if fields.is_empty() => Some(1),
            OpaqueType::Record(fields) | OpaqueType::RecordArray { fields, .. } => {
                fields.iter().map(|(_, t)| earlier(t)).sum()
            }
        }
    }
}
