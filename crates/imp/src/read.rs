//! The reader: the text that [`crate::print`] writes, back to an imperative program.
//!
//! It trusts nothing: bad text gives a [`ReadError`] with its line. It does not check what the program means;
//! that is for [`crate::validate`]. Comments begin with `--`.

#[cfg(test)]
mod arbitrary;
mod code;
mod expr;
mod ops;
#[cfg(test)]
pub(crate) mod tests;

use crate::declared::Declared;
use crate::syntax::{
    Check, CheckPart, Code, DeviceFunction, Entry, EntryValue, Function, Kernel, Loc, Param, Program,
    Qualifier, Space, TuningParam,
};
use fehu_base::prim::PrimType;
use fehu_base::Name;
pub use fehu_ir::read::ReadError;
use fehu_ir::read::{Read, Reader};
use indexmap::IndexMap;

/// Reads a program. The first line is `imp`.
pub fn read_program(text: &str) -> Result<Program, ReadError> {
    let mut text = Text { r: Reader::new(text)?, declared: Declared::default() };
    text.program()
}

/// A text and how far it is read, and what is declared in it so far.
struct Text<'a> {
    r: Reader<'a>,
    declared: Declared,
}

impl Text<'_> {
    /// Things with commas between them, between two marks.
    fn list<T>(&mut self, open: char, close: char, f: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        self.r.punct(open)?;
        self.items(close, f)
    }

    /// The rest of a list, its end included.
    fn items<T>(&mut self, close: char, mut f: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        let mut items = vec![];
        while !self.r.at(close) {
            if !items.is_empty() {
                self.r.punct(',')?;
            }
            items.push(f(self)?);
        }
        self.r.punct(close)?;
        Ok(items)
    }

    fn program(&mut self) -> Read<Program> {
        self.r.word("imp")?;
        let opaques = self.r.opaques()?;
        let mut params = vec![];
        while self.r.try_word("param") {
            params.push(self.tuning_param()?);
        }
        let mut checks = vec![];
        while self.r.try_word("check") {
            checks.push(Check { message: self.list('(', ')', Self::check_part)?, loc: Loc::none() });
        }
        let mut globals = vec![];
        while self.r.try_word("global") {
            globals.push(self.param()?);
        }
        let init = if self.r.try_word("init") { self.scope()? } else { Code::Seq(vec![]) };
        let (mut functions, mut device_functions, mut kernels) = (vec![], vec![], vec![]);
        while !self.r.at_end() {
            if self.r.try_word("kernel") {
                kernels.push(self.kernel()?);
            } else if self.r.try_word("device") {
                let (name, inputs, outputs) = self.signature()?;
                device_functions.push(DeviceFunction { name, outputs, inputs, body: self.scope()? });
            } else {
                functions.push(self.function()?);
            }
        }
        Ok(Program {
            globals,
            init,
            functions,
            device_functions,
            kernels,
            opaques,
            params,
            checks,
            names: self.r.name_source(),
        })
    }

    fn tuning_param(&mut self) -> Read<TuningParam> {
        let name = self.r.symbol()?;
        self.r.word("class")?;
        let class = self.r.string()?;
        let default = if self.r.try_word("default") { Some(self.r.number()?) } else { None };
        let thread_bytes = if self.r.try_word("thread_bytes") { Some(self.r.number()?) } else { None };
        Ok(TuningParam { name, class, default, thread_bytes })
    }

    fn check_part(&mut self) -> Read<CheckPart> {
        if self.r.at_string() {
            return Ok(CheckPart::Text(self.r.string()?));
        }
        Ok(CheckPart::Value(self.r.scalar_type()?))
    }

    fn function(&mut self) -> Read<Function> {
        let entry = self.entry()?;
        let (name, inputs, outputs) = self.signature()?;
        let body = self.scope()?;
        Ok(Function { name, outputs, inputs, body, entry })
    }

    /// The head of a function: its name, its inputs, its outputs.
    fn signature(&mut self) -> Read<(Name, Vec<Param>, Vec<Param>)> {
        self.r.word("fun")?;
        let name = self.r.name()?;
        let inputs = self.params()?;
        self.arrow()?;
        Ok((name, inputs, self.params()?))
    }

    fn entry(&mut self) -> Read<Option<Entry>> {
        let Some(face) = self.r.entry()? else { return Ok(None) };
        self.r.word("takes")?;
        let params = self.list('(', ')', Self::entry_values)?;
        self.r.word("gives")?;
        let result = self.entry_values()?;
        let attrs = if self.r.try_word("with") { self.r.attrs()? } else { vec![] };
        Ok(Some(Entry { face, params, result, attrs }))
    }

    fn entry_values(&mut self) -> Read<Vec<EntryValue>> {
        self.list('(', ')', |t| {
            let array = t.r.try_word("array");
            let name = t.r.name()?;
            t.r.punct(':')?;
            if !array {
                return Ok(EntryValue::Scalar { var: name, ty: t.r.scalar_type()? });
            }
            let mut shape = vec![];
            while t.r.try_punct('[') {
                shape.push(t.expr()?);
                t.r.punct(']')?;
            }
            Ok(EntryValue::Array { mem: name, shape, elem: t.r.scalar_type()? })
        })
    }

    fn kernel(&mut self) -> Read<Kernel> {
        let name = self.r.name()?;
        let label = self.r.symbol()?;
        let params = self.params()?;
        let shared = if self.r.try_word("shared") {
            self.list('(', ')', |t| {
                let m = t.r.name()?;
                t.declared.block(m, &Space::Shared);
                Ok(m)
            })?
        } else {
            vec![]
        };
        let block_size = if self.r.try_word("block") { Some(self.expr()?) } else { None };
        let resident = if self.r.try_word("resident") { Some(self.r.number()?) } else { None };
        let mut qualifiers = IndexMap::new();
        while !self.r.at('{') {
            let qualifier = if self.r.try_word("only_read") {
                Qualifier::OnlyRead
            } else {
                self.r.word("unaliased")?;
                Qualifier::Unaliased
            };
            qualifiers.insert(self.r.name()?, qualifier);
        }
        let body = self.scope()?;
        Ok(Kernel { name, label, params, shared, block_size, resident, qualifiers, body, loc: Loc::none() })
    }

    fn params(&mut self) -> Read<Vec<Param>> {
        self.list('(', ')', Self::param)
    }

    /// The declaration of a variable.
    fn param(&mut self) -> Read<Param> {
        let name = self.r.name()?;
        self.r.punct(':')?;
        self.declaration(name)
    }

    /// What a variable is declared as.
    fn declaration(&mut self, name: Name) -> Read<Param> {
        let param = if self.r.try_word("mem") {
            let space = if self.r.at('(') { self.r.space_in_parens()? } else { Space::Default };
            Param::Mem(name, space)
        } else {
            Param::Scalar(name, self.r.prim_type()?)
        };
        self.declared.param(&param);
        Ok(param)
    }

    /// A name that becomes an `i64` variable.
    fn index(&mut self) -> Read<Name> {
        let x = self.r.name()?;
        self.declared.scalar(x, PrimType::I64);
        Ok(x)
    }

    fn arrow(&mut self) -> Read<()> {
        self.r.punct('-')?;
        self.r.punct('>')
    }

    /// The space that a block is used in: as declared, unless the text says otherwise.
    fn space_of(&mut self, m: Name) -> Read<Space> {
        if self.r.try_punct('@') {
            return self.r.space_in_parens();
        }
        Ok(self.declared.space(m))
    }
}
