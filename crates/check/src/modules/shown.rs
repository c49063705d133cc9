//! How the types of entry points are named for the outside.
//!
//! ```text
//! type point = {x: f32, y: f32}
//! entry f [n] (p: (point, [n]i32)) = ...      -- p is a `(point, []i32)`, whose first component is a `point`
//! ```
//!
//! Names follow what the user wrote, without sizes. What an abbreviation stands for is found in the text of
//! the program, so that the parts of its values have the names that the user gave them.

use super::unit::SourceUnit;
use crate::tast::Shown;
use crate::type_exp::show_type_exp;
use fehu_base::Symbol;
use fehu_syntax::ast::{Dec, ModExp, QualName, TypeArg, TypeBind, TypeExp};
use rustc_hash::FxHashMap;

/// Where the units define types, for those who ask often.
#[derive(Debug)]
pub(super) struct TypeDefs<'a> {
    units: &'a [SourceUnit],
    /// Declarations of types and modules, by name, in order.
    named: FxHashMap<Symbol, Vec<Position>>,
    /// Opened modules, which may define any name, in order.
    opened: Vec<Position>,
}

/// A unit, and a declaration in it.
type Position = (usize, usize);

impl<'a> TypeDefs<'a> {
    /// Those of the units.
    pub(super) fn new(units: &'a [SourceUnit]) -> Self {
        let mut defs = TypeDefs { units, named: FxHashMap::default(), opened: vec![] };
        for (u, unit) in units.iter().enumerate() {
            for (d, dec) in unit.prog.decs.iter().enumerate() {
                let mut dec = dec;
                while let Dec::Local(inner, _) = dec {
                    dec = inner;
                }
                match dec {
                    Dec::Type(b) => defs.named.entry(b.name.name).or_default().push((u, d)),
                    Dec::Mod(b) => defs.named.entry(b.name.name).or_default().push((u, d)),
                    Dec::Open(..) => defs.opened.push((u, d)),
                    Dec::Local(..) | Dec::Val(_) | Dec::ModType(_) | Dec::Import(..) => {}
                }
            }
        }
        defs
    }

    /// The name of a type that is written in the last unit. Abbreviations may stand for themselves by mistake, so
    /// only so many are looked through.
    pub(super) fn written(&self, t: &TypeExp) -> Shown {
        self.shown(t, 20)
    }

    fn shown(&self, t: &TypeExp, depth: usize) -> Shown {
        let all = |ts: &[TypeExp]| ts.iter().map(|t| self.shown(t, depth)).collect();
        match t {
            TypeExp::Unique(t, _) | TypeExp::Exists(_, t, _) | TypeExp::Parens(t, _) => self.shown(t, depth),
            TypeExp::Array(_, t, _) => Shown::Array(Box::new(self.shown(t, depth))),
            TypeExp::Tuple(ts, _) => Shown::Tuple(all(ts)),
            TypeExp::Record(fs, _) => {
                let mut fields: Vec<_> = fs.iter().map(|(f, t)| (f.name, self.shown(t, depth))).collect();
                fields.sort_by(|a, b| crate::types::field_order(a.0, b.0));
                Shown::Record(fields)
            }
            TypeExp::Sum(cs, _) => {
                let mut constrs: Vec<_> = cs.iter().map(|(c, ts)| (c.name, all(ts))).collect();
                constrs.sort_by_key(|(c, _)| c.as_str());
                Shown::Sum(constrs)
            }
            TypeExp::Var(q) => self.abbreviation(q, String::new(), depth),
            TypeExp::Apply(..) => {
                // Sizes are no part of the name.
                let (mut args, mut head) = (vec![], t);
                while let TypeExp::Apply(f, arg, _) = head {
                    args.push(match arg {
                        TypeArg::Size(_) => String::new(),
                        TypeArg::Type(t) => format!(" {}", self.shown(t, depth).text()),
                    });
                    head = f;
                }
                let args: String = args.into_iter().rev().collect();
                if let TypeExp::Var(q) = head {
                    self.abbreviation(q, args, depth)
                } else {
                    Shown::Name(format!("{}{args}", show_type_exp(head)), None)
                }
            }
            TypeExp::Arrow { .. } => Shown::Name(show_type_exp(t), None),
        }
    }

    fn abbreviation(&self, q: &QualName, args: String, depth: usize) -> Shown {
        let path: Vec<Symbol> = q.quals.iter().chain([&q.name]).map(|i| i.name).collect();
        let name = path.iter().map(|s| s.as_str()).collect::<Vec<_>>().join(".");
        // What parameters stand for would have to be put in.
        let def = if args.is_empty() && depth > 0 { self.find(&path) } else { None };
        Shown::Name(name + &args, def.map(|b| Box::new(self.shown(&b.def, depth - 1))))
    }

    /// The definition of a type: the last one of this name in this file, or else in another.
    fn find(&self, path: &[Symbol]) -> Option<&TypeBind> {
        let mut named = self.named.get(path.first()?).map_or(&[][..], |ps| ps);
        let mut opened = &self.opened[..];
        loop {
            let from = if opened.last() > named.last() { &mut opened } else { &mut named };
            let (&(unit, dec), rest) = from.split_last()?;
            *from = rest;
            let found = in_decs(std::slice::from_ref(&self.units[unit].prog.decs[dec]), path);
            if found.is_some() {
                return found;
            }
        }
    }
}

fn in_decs<'a>(decs: &'a [Dec], path: &[Symbol]) -> Option<&'a TypeBind> {
    let (first, rest) = path.split_first()?;
    decs.iter().rev().find_map(|dec| match dec {
        Dec::Type(b) if rest.is_empty() && b.name.name == *first => Some(&**b),
        Dec::Mod(b) if !rest.is_empty() && b.name.name == *first => in_module(&b.body, rest),
        Dec::Open(m, _) => in_module(m, path),
        Dec::Local(d, _) => in_decs(std::slice::from_ref(d), path),
        Dec::Type(_) | Dec::Mod(_) | Dec::Val(_) | Dec::ModType(_) | Dec::Import(..) => None,
    })
}

fn in_module<'a>(m: &'a ModExp, path: &[Symbol]) -> Option<&'a TypeBind> {
    match m {
        ModExp::Decs(decs, _) => in_decs(decs, path),
        ModExp::Parens(m, _) => in_module(m, path),
        // What stands behind a signature is hidden.
        ModExp::Ascript(..)
        | ModExp::Var(_)
        | ModExp::Import(..)
        | ModExp::Apply(..)
        | ModExp::Lambda(..) => None,
    }
}
