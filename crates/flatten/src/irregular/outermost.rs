//! Operations of the host that no kernel can run, and that have no flat version so far, are flattened.
//!
//! [`super::PASS`] makes versions of maps with inner operations of different widths. Other operations may
//! need memory that no kernel can have, too: those whose operator is irregular, and maps with a loop that
//! changes the size of an array by slices and concatenation alone. Only when their kernels were refused is
//! that known.
//!
//! Before: a program over `Soacs`, and the places of kernels that were refused. After: the same program, in
//! which operations of the host with one of these places in them are flat, if there are rules for all that is
//! in them. The operation is a statement at the only point of a nest:
//!
//! ```text
//! reduce op ne xs      =>      the flat version of  (map (\_ -> reduce op ne xs) (iota 1))[0]
//! ```
//!
//! What comes out has the attribute [`FLAT`]: if a kernel of it is refused as well, it is not flattened again.

use super::forms::{Form, Stays};
use super::functions::Functions;
use super::value::Points;
use super::Nests;
use crate::gpu::steer::Steer;
use fehu_analysis::Constants;
use fehu_base::{NameSource, Symbol};
use fehu_ir::alias::Classes;
use fehu_ir::build::nested_body;
use fehu_ir::soac::Soac;
use fehu_ir::subst::rename_body;
use fehu_ir::types::{body_types, prog_types};
use fehu_ir::visit::{deep, for_each_body, for_each_stm, map_bodies};
use fehu_ir::{mark, Attr, Basic, Body, Builder, DimIndex, Exp, Loc, Prog, Soacs, Stm, SubExp};
use rustc_hash::FxHashSet;

/// The attribute of what is flat.
const FLAT: &str = "flat";

/// A program in which refused operations are flat.
#[derive(Debug)]
pub struct Flattened {
    /// The program.
    pub prog: Prog<Soacs>,
    /// Whether any operation could be flattened.
    pub any: bool,
    /// Those that could not, and why.
    pub stays: Vec<Stays>,
}

/// Flattens the operations of the host in which these places are.
pub fn flattened(mut prog: Prog<Soacs>, refused: &[Loc]) -> Flattened {
    let mut b = Builder::new(std::mem::replace(&mut prog.names, NameSource::new()));
    b.types = prog_types(&prog);
    let nests = Nests::new(b, &prog, Functions::of(&prog));
    let mut outermost = Outermost { nests, refused, any: false, stays: vec![] };
    outermost.host(&mut prog.consts);
    let constants = Constants::of(&prog.consts);
    for fun in &mut prog.funs {
        if outermost.is_refused(&fun.body.stms) {
            outermost.nests.classes =
                Classes::of_fun(&outermost.nests.signatures, &constants.used_by(fun), fun);
            outermost.host(&mut fun.body);
        }
    }
    let Outermost { nests, any, stays, .. } = outermost;
    prog.names = nests.b.names;
    prog.funs.extend(nests.functions.lifted().map(|mut fun| {
        mark_flat(&mut fun.body);
        fun
    }));
    if any {
        mark::mark(&mut prog);
    }
    Flattened { prog, any, stays }
}

struct Outermost<'a> {
    nests: Nests,
    refused: &'a [Loc],
    any: bool,
    stays: Vec<Stays>,
}

impl Outermost<'_> {
    /// Code of the host.
    fn host(&mut self, body: &mut Body<Soacs>) {
        deep(|| {
            let mut stms = vec![];
            for mut stm in std::mem::take(&mut body.stms) {
                let flat = match &mut stm.exp {
                    Exp::Op(_) | Exp::WithAcc(_) => self.flat(&stm),
                    Exp::If(..) | Exp::Loop(_) => {
                        map_bodies(&mut stm.exp, &mut |inner| self.host(inner));
                        None
                    }
                    Exp::Basic(_) | Exp::Call(..) => None,
                };
                match flat {
                    Some(flat) => stms.extend(flat),
                    None => stms.push(stm),
                }
            }
            body.stms = stms;
        });
    }

    /// Whether one of the places is in some statements.
    fn is_refused(&self, stms: &[Stm<Soacs>]) -> bool {
        let mut any = false;
        let here = |s: &Stm<Soacs>| self.refused.contains(&s.loc);
        for stm in stms {
            any |= here(stm);
            for_each_body(&stm.exp, &mut |b| for_each_stm(b, &mut |s| any |= here(s)));
        }
        any
    }

    /// The flat version of a refused statement.
    fn flat(&mut self, stm: &Stm<Soacs>) -> Option<Vec<Stm<Soacs>>> {
        if !self.is_refused(std::slice::from_ref(stm)) {
            return None;
        }
        let steer = Steer::of(&stm.attrs);
        self.nests.stays = None;
        if steer.sequential || (steer.no_inner && steer.no_intra) {
            self.nests.stays = Some((Form::Attribute, stm.loc.clone()));
        } else if !stm.attrs.iter().any(|a| is_atom(a, FLAT)) {
            if let Some(mut body) = self.nests.one_statement(stm) {
                mark_flat(&mut body);
                self.any = true;
                return Some(body.stms);
            }
        }
        let (form, at) = self.nests.stays.take().unwrap_or((Form::of(stm), stm.loc.clone()));
        self.stays.push(Stays { nest: stm.loc.clone(), form, at });
        None
    }
}

impl Nests {
    /// The flat version of a statement: not of an accumulator. How much a filter keeps is known only after
    /// it, so that its predicate is a map before it.
    fn one_statement(&mut self, stm: &Stm<Soacs>) -> Option<Body<Soacs>> {
        if matches!(stm.exp, Exp::WithAcc(_)) {
            return None;
        }
        if !matches!(stm.exp, Exp::Op(Soac::Filter(_))) {
            return self.at_only_point(stm);
        }
        let (map, rest) = self.split(stm)?;
        let mut body = self.at_only_point(&map)?;
        body.stms.push(rest);
        Some(body)
    }

    /// The flat version of a statement that is all there is at the only point of a nest.
    fn at_only_point(&mut self, stm: &Stm<Soacs>) -> Option<Body<Soacs>> {
        let mut inner = stm.clone();
        inner.attrs = vec![];
        let result = stm.pat.iter().map(|p| p.name.into()).collect();
        let body = rename_body(&mut self.b.names, &Body { stms: vec![inner], result });
        self.b.types.extend(body_types(&body));
        let types: Vec<_> = stm.pat.iter().map(|p| p.ty.clone()).collect();
        let functions = self.functions.count();
        let outer = (std::mem::replace(&mut self.b.loc, stm.loc.clone()), std::mem::take(&mut self.b.attrs));
        let mut fine = true;
        let mut flat = nested_body(
            self,
            |n| &mut n.b,
            |n| {
                let mut lift = n.lift();
                let level = lift.add_level(SubExp::i64(1), Points::Outermost);
                // What is code of single points would only run at another one.
                let flat = !lift.are_pointwise(&body, &FxHashSet::default());
                let done = flat.then(|| lift.code(level, body)).flatten();
                let done = done.and_then(|result| lift.all_each(level, &result, &types));
                fine = done.is_some();
                for (p, all) in stm.pat.iter().zip(done.unwrap_or_default()) {
                    let whole = p.ty.shape().iter().map(|n| DimIndex::Slice {
                        start: SubExp::i64(0),
                        len: *n,
                        stride: SubExp::i64(1),
                    });
                    let only = std::iter::once(DimIndex::Fix(SubExp::i64(0))).chain(whole).collect();
                    n.b.bind_names(vec![(p.name, p.ty.clone())], Exp::Basic(Basic::Index(all, only)));
                }
                vec![]
            },
        );
        match fine {
            true => self.own_bindings(functions, &stm.pat, &mut flat),
            false => self.functions.truncate(functions),
        }
        (self.b.loc, self.b.attrs) = outer;
        fine.then_some(flat)
    }
}

/// Says of all operations of the host in a body that they are flat.
fn mark_flat(body: &mut Body<Soacs>) {
    deep(|| {
        for stm in &mut body.stms {
            match &mut stm.exp {
                Exp::Op(_) => stm.attrs.push(Attr::Atom(Symbol::new(FLAT))),
                Exp::If(..) | Exp::Loop(_) => map_bodies(&mut stm.exp, &mut mark_flat),
                Exp::Basic(_) | Exp::Call(..) | Exp::WithAcc(_) => {}
            }
        }
    });
}

/// Whether an attribute is this word.
fn is_atom(attr: &Attr, word: &str) -> bool {
    matches!(attr, Attr::Atom(name) if name.as_str() == word)
}
