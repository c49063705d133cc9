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

/// Where a type is written: its names are of what comes before the end. So a definition never sees itself:
/// `type i32 = (i32, i32)` is about another `i32`.
#[derive(Clone, Copy)]
struct Inside {
    end: Position,
    /// How many abbreviations may still be looked through.
    depth: usize,
}

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

    /// The name of a type that is written in the last unit. Parts may double with each abbreviation, so only so
    /// many are looked through.
    pub(super) fn written(&self, t: &TypeExp) -> Shown {
        self.shown(t, Inside { end: (self.units.len(), 0), depth: 20 })
    }

    fn shown(&self, t: &TypeExp, inside: Inside) -> Shown {
        let all = |ts: &[TypeExp]| ts.iter().map(|t| self.shown(t, inside)).collect();
        match t {
            TypeExp::Unique(t, _) | TypeExp::Exists(_, t, _) | TypeExp::Parens(t, _) => self.shown(t, inside),
            TypeExp::Array(_, t, _) => Shown::Array(Box::new(self.shown(t, inside))),
            TypeExp::Tuple(ts, _) => Shown::Tuple(all(ts)),
            TypeExp::Record(fs, _) => {
                let mut fields: Vec<_> = fs.iter().map(|(f, t)| (f.name, self.shown(t, inside))).collect();
                fields.sort_by(|a, b| crate::types::field_order(a.0, b.0));
                Shown::Record(fields)
            }
            TypeExp::Sum(cs, _) => {
                let mut constrs: Vec<_> = cs.iter().map(|(c, ts)| (c.name, all(ts))).collect();
                constrs.sort_by_key(|(c, _)| c.as_str());
                Shown::Sum(constrs)
            }
            TypeExp::Var(q) => self.abbreviation(q, String::new(), inside),
            TypeExp::Apply(..) => {
                // Sizes are no part of the name.
                let (mut args, mut head) = (vec![], t);
                while let TypeExp::Apply(f, arg, _) = head {
                    args.push(match arg {
                        TypeArg::Size(_) => String::new(),
                        TypeArg::Type(t) => format!(" {}", self.shown(t, inside).text()),
                    });
                    head = f;
                }
                let args: String = args.into_iter().rev().collect();
                if let TypeExp::Var(q) = head {
                    self.abbreviation(q, args, inside)
                } else {
                    Shown::Name(format!("{}{args}", show_type_exp(head)), None)
                }
            }
            TypeExp::Arrow { .. } => Shown::Name(show_type_exp(t), None),
        }
    }

    fn abbreviation(&self, q: &QualName, args: String, inside: Inside) -> Shown {
        let path: Vec<Symbol> = q.quals.iter().chain([&q.name]).map(|i| i.name).collect();
        let name = path.iter().map(|s| s.as_str()).collect::<Vec<_>>().join(".");
        // What parameters stand for would have to be put in.
        let def = if args.is_empty() && inside.depth > 0 { self.find(&path, inside.end) } else { None };
        let shown =
            |(b, end): (&TypeBind, Position)| self.shown(&b.def, Inside { end, depth: inside.depth - 1 });
        Shown::Name(name + &args, def.map(|d| Box::new(shown(d))))
    }

    /// The definition of a type, and where it is: the last one of this name before a place.
    fn find(&self, path: &[Symbol], end: Position) -> Option<(&TypeBind, Position)> {
        fn before(all: &[Position], end: Position) -> &[Position] {
            &all[..all.partition_point(|p| *p < end)]
        }
        let mut named = before(self.named.get(path.first()?).map_or(&[][..], |ps| ps), end);
        let mut opened = before(&self.opened, end);
        loop {
            let from = if opened.last() > named.last() { &mut opened } else { &mut named };
            let (&(unit, dec), rest) = from.split_last()?;
            *from = rest;
            let found = in_decs(std::slice::from_ref(&self.units[unit].prog.decs[dec]), path);
            if let Some(found) = found {
                return Some((found, (unit, dec)));
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
