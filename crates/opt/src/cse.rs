//! Common subexpressions: what was computed already is not computed again.
//!
//! Before: any valid program. After: no expression that is computed around a
//! place is computed there again. Scalars, checks and views always; arrays in
//! memory of their own only if neither copy is ever consumed.
//!
//! ```text
//! let (a) = add(x, y)   let (c) = assert(ok)          let (a) = add(x, y)   let (c) = assert(ok)
//! let (b) = add(y, x)   let (d) = assert(ok)    =>
//! let (e) = <d> xs[b]                                 let (e) = <c> xs[a]
//! ```

use crate::inline::statements;
use crate::shallow::{self, Replaced};
use fehu_analysis::Constants;
use fehu_base::ops::{BinOp, CmpOp, ConvOp, PrimFn, UnOp};
use fehu_base::prim::IntType;
use fehu_base::Name;
use fehu_ir::alias::{Classes, Signatures};
use fehu_ir::op::RepOp;
use fehu_ir::soac::Soac;
use fehu_ir::visit::{change, deep, map_bodies, Mutator};
use fehu_ir::{Basic, Body, Exp, Kernels, Loc, Prog, Rep, Shape, Slice, Soacs, Stm, SubExp, Type};
use fehu_pass::{Need, Pass};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use std::mem::discriminant;
use std::rc::Rc;

/// CSE as a pass over combinators.
pub static SOACS: Pass<Prog<Soacs>> = Pass { name: "cse", need: Need::Optional, run: cse };

/// The same over segmented operations.
pub static KERNELS: Pass<Prog<Kernels>> = Pass { name: "cse", need: Need::Optional, run: cse };

/// Combinators with more statements are not compared.
const MAX_COMPARED: usize = 100;

/// Removes common subexpressions.
pub fn cse<R: Rep<Dec = ()>>(prog: &mut Prog<R>) {
    let sigs = Signatures::of_prog(prog);
    let constants = Constants::of(&prog.consts);
    for fun in &mut prog.funs {
        let classes = Classes::of_fun(&sigs, &constants.used_by(fun), fun);
        let mut c = Cse { classes, known: FxHashMap::default(), replaced: Replaced::default() };
        c.body(&mut fun.body);
    }
}

/// An expression, such that equal ones have equal keys; combinators as `C`.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Key<C> {
    /// Another name for an operand, which depends on certificates.
    Same(SubExp),
    UnOp(UnOp, SubExp),
    BinOp(BinOp, SubExp, SubExp),
    CmpOp(CmpOp, SubExp, SubExp),
    Conv(ConvOp, SubExp),
    PrimFn(PrimFn, Vec<SubExp>),
    Assert(SubExp, bool),
    Index(Name, Slice),
    FlatIndex(Name, SubExp, Vec<(SubExp, SubExp)>),
    Rearrange(Vec<usize>, Name),
    Reshape(Shape, Name),
    ArrayLit(Vec<SubExp>, Type),
    Iota(SubExp, SubExp, SubExp, IntType),
    Replicate(Shape, SubExp),
    Copy(Name),
    Concat(usize, Vec<Name>),
    Combinator(C),
}

/// Whether the result of an expression is memory of its own.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Memory {
    Own,
    Shared,
}

/// What an expression was bound to, and the certificates it depends on.
struct Known {
    names: Vec<Name>,
    certs: Vec<Name>,
}

struct Cse<R: Rep> {
    classes: Classes,
    known: FxHashMap<Key<Numbered<R>>, Known>,
    replaced: Replaced,
}

impl<R: Rep<Dec = ()>> Cse<R> {
    fn body(&mut self, body: &mut Body<R>) {
        deep(|| {
            let mut here = vec![];
            let mut kept = Vec::with_capacity(body.stms.len());
            for mut stm in std::mem::take(&mut body.stms) {
                shallow::substitute(&self.replaced, &mut stm);
                map_bodies(&mut stm.exp, &mut |b| self.body(b));
                if matches!(stm.exp, Exp::Op(_)) {
                    // Where a segmented operation writes is computed in its body, but stands outside of it.
                    shallow::substitute(&self.replaced, &mut stm);
                }
                if let Some(stm) = self.stm(stm, &mut here) {
                    kept.push(stm);
                }
            }
            body.stms = kept;
            for e in &mut body.result {
                *e = shallow::operand(&self.replaced, *e);
            }
            for key in here {
                self.known.remove(&key);
            }
        })
    }

    /// The statement, unless what it binds is known.
    fn stm(&mut self, mut stm: Stm<R>, here: &mut Vec<Key<Numbered<R>>>) -> Option<Stm<R>> {
        if !stm.attrs.is_empty() {
            return Some(stm);
        }
        let Some((key, memory)) = key(&stm.exp) else { return Some(stm) };
        let Some(known) = self.known.get(&key) else {
            let names = stm.pat.iter().map(|p| p.name).collect();
            self.known.insert(key.clone(), Known { names, certs: stm.certs.clone() });
            here.push(key);
            return Some(stm);
        };
        let consumed = |n: &Name| self.classes.is_consumed(*n);
        let shared = memory == Memory::Shared
            || !(known.names.iter().any(consumed) || stm.pat.iter().any(|p| consumed(&p.name)));
        if !shared || known.names.len() != stm.pat.len() {
            return Some(stm);
        }
        if stm.certs.iter().all(|c| known.certs.contains(c)) {
            for (p, n) in stm.pat.iter().zip(&known.names) {
                self.replaced.insert(p.name, (*n).into());
            }
            return None;
        }
        if let (false, [n]) = (matches!(key, Key::Same(_)), known.names.as_slice()) {
            stm.exp = Exp::Basic(Basic::SubExp((*n).into()));
        }
        Some(stm)
    }
}

fn key<R: Rep<Dec = ()>>(exp: &Exp<R>) -> Option<(Key<Numbered<R>>, Memory)> {
    let shared = |k| Some((k, Memory::Shared));
    let own = |k| Some((k, Memory::Own));
    match exp {
        Exp::Basic(Basic::UnOp(op, x)) => shared(Key::UnOp(*op, *x)),
        Exp::Basic(Basic::BinOp(op, x, y)) => {
            let (x, y) = if op.is_commutative() { ordered(*x, *y) } else { (*x, *y) };
            shared(Key::BinOp(*op, x, y))
        }
        Exp::Basic(Basic::CmpOp(op @ CmpOp::Eq(_), x, y)) => {
            let (x, y) = ordered(*x, *y);
            shared(Key::CmpOp(*op, x, y))
        }
        Exp::Basic(Basic::CmpOp(op, x, y)) => shared(Key::CmpOp(*op, *x, *y)),
        Exp::Basic(Basic::Conv(op, x)) => shared(Key::Conv(*op, *x)),
        Exp::Basic(Basic::PrimFn(f, xs)) => shared(Key::PrimFn(*f, xs.clone())),
        Exp::Basic(Basic::Assert(c @ SubExp::Var(_), _, purpose)) => shared(Key::Assert(*c, purpose.stays())),
        Exp::Basic(Basic::Index(a, slice)) => shared(Key::Index(*a, slice.clone())),
        Exp::Basic(Basic::FlatIndex(a, offset, dims)) => shared(Key::FlatIndex(*a, *offset, dims.clone())),
        Exp::Basic(Basic::Rearrange(perm, a)) => shared(Key::Rearrange(perm.clone(), *a)),
        Exp::Basic(Basic::Reshape(shape, a)) => shared(Key::Reshape(shape.clone(), *a)),
        Exp::Basic(Basic::ArrayLit(es, t)) => own(Key::ArrayLit(es.clone(), t.clone())),
        Exp::Basic(Basic::Iota { n, start, step, ty }) => own(Key::Iota(*n, *start, *step, *ty)),
        Exp::Basic(Basic::Replicate(shape, e)) => own(Key::Replicate(shape.clone(), *e)),
        Exp::Basic(Basic::Copy(a)) => own(Key::Copy(*a)),
        Exp::Basic(Basic::Concat { dim, arrays, .. }) => own(Key::Concat(*dim, arrays.clone())),
        Exp::Op(op) => match op.as_soac() {
            Some(Soac::Screma(s)) if statements(&s.map.body) <= MAX_COMPARED => {
                own(Key::Combinator(Numbered::of(exp)))
            }
            Some(Soac::Filter(f)) if statements(&f.lambda.body) <= MAX_COMPARED => {
                own(Key::Combinator(Numbered::of(exp)))
            }
            Some(Soac::Screma(_) | Soac::Hist(_) | Soac::Scatter(_) | Soac::Filter(_) | Soac::Ad(_))
            | None => None,
        },
        Exp::Basic(Basic::SubExp(e)) => shared(Key::Same(*e)),
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) => None,
    }
}

/// Operands that may be exchanged, in one order.
fn ordered(x: SubExp, y: SubExp) -> (SubExp, SubExp) {
    match (x, y) {
        (SubExp::Const(_), SubExp::Var(_)) => (y, x),
        (SubExp::Var(a), SubExp::Var(b)) if b < a => (y, x),
        _ => (x, y),
    }
}

/// An expression in which bound names are numbered in the order of their bindings and places in the source
/// are gone, and the hash of it.
struct Numbered<R: Rep> {
    exp: Rc<Exp<R>>,
    hash: u64,
}

impl<R: Rep> Numbered<R> {
    fn of(exp: &Exp<R>) -> Self {
        let mut exp = exp.clone();
        let mut numbers = Numbers::default();
        numbers.exp(&mut exp);
        Numbered { exp: Rc::new(exp), hash: numbers.hash.finish() }
    }
}

impl<R: Rep> Clone for Numbered<R> {
    fn clone(&self) -> Self {
        Numbered { exp: self.exp.clone(), hash: self.hash }
    }
}

impl<R: Rep> PartialEq for Numbered<R> {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash && self.exp == other.exp
    }
}

impl<R: Rep> Eq for Numbered<R> {}

impl<R: Rep> Hash for Numbered<R> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

/// Numbers bound names from the end, where no name is. What it meets goes into the hash: names, constants and
/// kinds of expressions are enough to distinguish most combinators.
#[derive(Default)]
struct Numbers {
    names: FxHashMap<Name, Name>,
    hash: FxHasher,
}

impl<R: Rep> Mutator<R> for Numbers {
    fn bound(&mut self, n: &mut Name) {
        let number = Name(u32::MAX - self.names.len() as u32);
        *n = *self.names.entry(*n).or_insert(number);
    }
    fn name(&mut self, n: &mut Name) {
        if let Some(by) = self.names.get(n) {
            *n = *by;
        }
        n.hash(&mut self.hash);
    }
    fn operand(&mut self, e: &mut SubExp) {
        match e {
            SubExp::Var(n) => Mutator::<R>::name(self, n),
            SubExp::Const(v) => v.hash(&mut self.hash),
        }
    }
    fn stm(&mut self, stm: &mut Stm<R>) {
        stm.loc = Loc::none();
        change::stm(self, stm);
    }
    fn exp(&mut self, exp: &mut Exp<R>) {
        discriminant(exp).hash(&mut self.hash);
        if let Exp::Basic(b) = exp {
            discriminant(b).hash(&mut self.hash);
        }
        change::exp(self, exp);
    }
}
