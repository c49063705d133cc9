//! Reading entry points, opaque types and attributes.

use super::lex::Kind;
use super::{Read, Reader};
use crate::syntax::*;
use fehu_base::prim::ScalarType;
use fehu_base::Symbol;

impl Reader<'_> {
    /// Attributes of a statement or a function.
    pub fn attrs(&mut self) -> Read<Vec<Attr>> {
        let mut attrs = vec![];
        while self.try_punct('#') {
            self.punct('[')?;
            attrs.push(self.attr()?);
            self.punct(']')?;
        }
        Ok(attrs)
    }

    fn attr(&mut self) -> Read<Attr> {
        if matches!(self.peek().kind, Kind::Num(_)) {
            return Ok(Attr::Int(self.number()?));
        }
        let symbol = self.symbol()?;
        if self.at('(') {
            return Ok(Attr::Comp(symbol, self.list('(', ')', Self::attr)?));
        }
        Ok(Attr::Atom(symbol))
    }

    /// A word or a string.
    pub fn symbol(&mut self) -> Read<Symbol> {
        if let Kind::Word(w) = self.peek().kind {
            self.take();
            return Ok(Symbol::new(w));
        }
        Ok(Symbol::new(&self.string()?))
    }

    /// The face of an entry point, if there is one.
    pub fn entry(&mut self) -> Read<Option<EntryPoint>> {
        let doc = if self.try_word("doc") { Some(self.string()?) } else { None };
        if !self.try_word("entry") {
            return if doc.is_some() { self.expected("an entry point") } else { Ok(None) };
        }
        let name = self.symbol()?;
        self.word("sizes")?;
        let size_params = self.number()?;
        let size_results = self.number()?;
        let params = self.list('(', ')', |r| {
            let unique = r.try_punct('*');
            let name = if r.peek2().is_punct(':') {
                let name = r.symbol()?;
                r.punct(':')?;
                Some(name)
            } else {
                None
            };
            Ok(EntryParam { name, ty: r.entry_type()?, unique })
        })?;
        self.punct(':')?;
        let unique = self.try_punct('*');
        let result = EntryResult { ty: self.entry_type()?, unique };
        Ok(Some(EntryPoint { name, doc, params, result, size_params, size_results }))
    }

    fn entry_type(&mut self) -> Read<EntryType> {
        if self.try_word("opaque") {
            self.punct('(')?;
            let name = self.string()?;
            self.punct(')')?;
            return Ok(EntryType::Opaque(name));
        }
        let (t, rank) = self.ranked()?;
        Ok(EntryType::Transparent(t, rank))
    }

    fn ranked(&mut self) -> Read<(ScalarType, usize)> {
        let mut rank = 0;
        while self.try_punct('[') {
            self.punct(']')?;
            rank += 1;
        }
        Ok((self.scalar_type()?, rank))
    }

    fn values(&mut self) -> Read<Vec<(ScalarType, usize)>> {
        self.list('(', ')', Self::ranked)
    }

    fn fields(&mut self) -> Read<Vec<(Symbol, EntryType)>> {
        self.list('{', '}', |r| {
            let name = r.symbol()?;
            r.punct(':')?;
            Ok((name, r.entry_type()?))
        })
    }

    /// Declarations of opaque types.
    pub fn opaques(&mut self) -> Read<OpaqueTypes> {
        let mut types = vec![];
        while self.try_word("opaque") {
            let name = self.string()?;
            self.punct('=')?;
            types.push((name, self.opaque()?));
        }
        Ok(OpaqueTypes { types })
    }

    fn opaque(&mut self) -> Read<OpaqueType> {
        if self.try_word("plain") {
            return Ok(OpaqueType::Plain(self.values()?));
        }
        if self.try_word("record") {
            return Ok(OpaqueType::Record(self.fields()?));
        }
        if self.try_word("sum") {
            let values = self.values()?;
            let variants = self.list('{', '}', |r| {
                let name = r.symbol()?;
                Ok((name, r.list('(', ')', |r| Ok((r.entry_type()?, r.perm()?)))?))
            })?;
            let sizes = match self.try_word("sizes") {
                true => self.list('{', '}', |r| {
                    let (value, dim) = (r.number()?, r.number()?);
                    Ok((
                        value,
                        dim,
                        match r.try_word("as") {
                            true => SumSize::Same(r.number()?, r.number()?),
                            false => SumSize::Constant(r.number()?),
                        },
                    ))
                })?,
                false => vec![],
            };
            return Ok(OpaqueType::Sum { values, variants, sizes });
        }
        let of_records = self.try_word("record_array");
        if !of_records {
            self.word("array")?;
        }
        let elem = self.entry_type()?;
        self.word("rank")?;
        let rank = self.number()?;
        Ok(if of_records {
            OpaqueType::RecordArray { elem, rank, fields: self.fields()? }
        } else {
            OpaqueType::Array { elem, rank, values: self.values()? }
        })
    }
}
