//! Copies before arrays are consumed that are used later.
//!
//! Before: a program that is right but for consumption: arrays may be consumed although they, or views of
//! them, are used afterwards, or although they belong to code around. After: one that is right. What is dead
//! is removed first, for it needs no copy.
//!
//! ```text
//! let (ys) = xs with [0] = a          let (xs2) = copy xs
//! let (b) = xs[0]              =>     let (ys) = xs2 with [0] = a
//!                                     let (b) = xs[0]
//! ```
//!
//! Reverse mode reads in its return sweep what the function consumed, and updates adjoints in place that are
//! also other things. It leaves it to this to find out where that needs a copy.

use fehu_base::{Name, NameSource};
use fehu_ir::alias::{Aliases, Signatures};
use fehu_ir::consume::consumed_directly;
use fehu_ir::free::{free_in_body, free_in_lambda, free_in_stm};
use fehu_ir::mark::mark;
use fehu_ir::soac::Soac;
use fehu_ir::types::{body_types, fun_types, Types};
use fehu_ir::visit::{deep, for_each_body, for_each_lambda, for_each_operand};
use fehu_ir::{
    Basic, Body, Exp, FunDef, Lambda, Loop, Param, PatElem, Prog, RetType, Soacs, Stm, SubExp, Type,
};
use fehu_opt::dce;
use rustc_hash::FxHashSet;

/// Copies of copies are needed when branches in branches consume what others return, but not this often.
const MOST_ROUNDS: usize = 50;

/// Makes a program legal.
pub(crate) fn legal(prog: &mut Prog<Soacs>) {
    for fun in &mut prog.funs {
        dce::fun(fun, dce::Checks::Results);
    }
    mark(prog);
    let signatures = Signatures::of_prog(prog);
    // No function may overwrite constants of the program.
    let constants = body_types(&prog.consts);
    for fun in &mut prog.funs {
        // A copy changes what shares memory with what.
        let mut rounds = 0;
        while in_function(&signatures, &constants, &mut prog.names, fun) {
            rounds += 1;
            if rounds > MOST_ROUNDS {
                fehu_base::bug!("copies of {} make more copies necessary", prog.names.show(fun.name))
            }
        }
    }
    mark(prog);
}

/// Copies what a function needs. Whether there was anything.
fn in_function(
    signatures: &Signatures,
    constants: &Types,
    names: &mut NameSource,
    fun: &mut FunDef<Soacs>,
) -> bool {
    let mut types = fun_types(fun);
    types.extend(constants.iter().map(|(n, ty)| (*n, ty.clone())));
    let aliases = Aliases::of_body(signatures, &fun.body);
    let nothing = names.fresh_str("nothing");
    let mut walk = Walk { signatures, names, types, aliases, copied: false, nothing };
    let own = fun.params.iter().filter(|p| p.consumed).map(|p| p.name).collect();
    let unique = |r: &fehu_ir::FunRet<Soacs>| matches!(r.ty, RetType::Array { unique: true, .. });
    let unique: Vec<bool> = fun.ret.iter().map(unique).collect();
    walk.repeated(&mut fun.body, own, &unique);
    walk.copied
}

type Set = FxHashSet<Name>;

struct Walk<'a> {
    signatures: &'a Signatures,
    names: &'a mut NameSource,
    types: Types,
    aliases: Aliases,
    copied: bool,
    /// A name of nothing.
    nothing: Name,
}

impl Walk<'_> {
    /// A body that may run many times, which owns some names, and must own some of its results.
    fn repeated(&mut self, body: &mut Body<Soacs>, mut own: Set, unique: &[bool]) {
        own.extend(body.stms.iter().flat_map(|s| &s.pat).map(|p| p.name));
        let mut seen = Set::default();
        for (e, unique) in body.result.iter_mut().zip(unique) {
            let SubExp::Var(n) = *e else { continue };
            let all = self.aliases.of(n);
            let shared = *unique && all.iter().any(|a| seen.contains(a) || !own.contains(a));
            if shared && self.is_array(n) {
                let stm = self.copy(n);
                *e = stm.pat[0].name.into();
                own.insert(stm.pat[0].name);
                body.stms.push(stm);
            } else {
                seen.extend(all);
            }
        }
        let mut live = Set::default();
        self.body(body, &own, &mut live);
    }

    /// A body, and what is used after it. What it uses is added to that.
    fn body(&mut self, body: &mut Body<Soacs>, own: &Set, live: &mut Set) {
        deep(|| {
            let mut own = own.clone();
            own.extend(body.stms.iter().flat_map(|s| &s.pat).map(|p| p.name));
            self.uses(live, body.result.iter().filter_map(|e| e.name()));
            let mut stms = vec![];
            for mut stm in std::mem::take(&mut body.stms).into_iter().rev() {
                let copies = self.stm(&mut stm, &own, live);
                self.uses(live, free_in_stm(&stm));
                stms.push(stm);
                for copy in copies {
                    self.uses(live, free_in_stm(&copy));
                    stms.push(copy);
                }
            }
            stms.reverse();
            body.stms = stms;
        });
    }

    fn uses(&self, live: &mut Set, names: impl IntoIterator<Item = Name>) {
        for n in names {
            if !matches!(self.types.get(&n), Some(Type::Prim(_))) {
                live.extend(self.aliases.of(n));
            }
        }
    }

    fn is_array(&self, n: Name) -> bool {
        self.types.get(&n).is_some_and(Type::is_array)
    }

    fn copy(&mut self, n: Name) -> Stm<Soacs> {
        self.copied = true;
        let Some(ty) = self.types.get(&n).cloned() else { fehu_base::bug!("a copy of no array") };
        let name = self.names.fresh_like(n);
        self.types.insert(name, ty.clone());
        let exp = Exp::Basic(Basic::Copy(n));
        Stm {
            pat: vec![PatElem { name, ty, dec: () }],
            certs: vec![],
            attrs: vec![],
            loc: fehu_ir::Loc::none(),
            exp,
        }
    }

    /// What is copied before a statement, given what is used after it.
    fn stm(&mut self, stm: &mut Stm<Soacs>, own: &Set, live: &Set) -> Vec<Stm<Soacs>> {
        self.inside(&mut stm.exp, own, live);
        let consumed = consumed_directly(self.signatures, &stm.exp);
        if consumed.is_empty() {
            return vec![];
        }
        let mut used = live.clone();
        let mut within = FxHashSet::default();
        for_each_body(&stm.exp, &mut |b| within.extend(free_in_body(b)));
        for_each_lambda(&stm.exp, &mut |l| within.extend(free_in_lambda(l)));
        self.uses(&mut used, within);
        // Operands that are read, not those that are consumed.
        let mut operands = vec![];
        let mut rest = stm.exp.clone();
        consuming(self.signatures, &mut rest, &mut |n| *n = self.nothing);
        for_each_operand(&rest, &mut |e| operands.extend(e.name().filter(|n| *n != self.nothing)));
        if matches!(stm.exp, Exp::Call(..) | Exp::Op(_) | Exp::Loop(_)) {
            self.uses(&mut used, operands);
        }
        let mut copies = vec![];
        let loc = stm.loc.clone();
        consuming(self.signatures, &mut stm.exp, &mut |n| {
            let all = self.aliases.of(*n);
            if self.is_array(*n) && all.iter().any(|a| used.contains(a) || !own.contains(a)) {
                let copy = Stm { loc: loc.clone(), ..self.copy(*n) };
                *n = copy.pat[0].name;
                copies.push(copy);
            } else {
                used.extend(all);
            }
        });
        copies
    }

    /// The bodies and lambdas in an expression.
    fn inside(&mut self, exp: &mut Exp<Soacs>, own: &Set, live: &Set) {
        match exp {
            Exp::If(_, yes, no) => {
                self.body(yes, own, &mut live.clone());
                self.body(no, own, &mut live.clone());
            }
            Exp::Loop(l) => self.loop_(l),
            Exp::WithAcc(w) => {
                for (op, _) in w.inputs.iter_mut().filter_map(|i| i.op.as_mut()) {
                    self.lambda(op);
                }
                let mut own = own.clone();
                own.extend(w.lambda.params.iter().map(|p| p.name));
                self.body(&mut w.lambda.body, &own, &mut live.clone());
            }
            Exp::Op(op) => self.soac(op),
            Exp::Basic(_) | Exp::Call(..) => {}
        }
    }

    fn loop_(&mut self, l: &mut Loop<Soacs>) {
        let owned = |p: &Param<Soacs>| p.consumed && p.ty.is_array();
        let unique: Vec<bool> = l.params.iter().map(|(p, _)| owned(p)).collect();
        let own = l.params.iter().filter(|(p, _)| p.consumed).map(|(p, _)| p.name).collect();
        self.repeated(&mut l.body, own, &unique);
    }

    fn lambda(&mut self, lambda: &mut Lambda<Soacs>) {
        let own = lambda.params.iter().filter(|p| p.consumed).map(|p| p.name).collect();
        self.repeated(&mut lambda.body, own, &[]);
    }

    fn soac(&mut self, soac: &mut Soac<Soacs>) {
        match soac {
            Soac::Screma(s) => {
                self.lambda(&mut s.map);
                s.scans.iter_mut().for_each(|scan| self.lambda(&mut scan.op));
                s.reds.iter_mut().for_each(|red| self.lambda(&mut red.op));
            }
            Soac::Hist(h) => {
                self.lambda(&mut h.lambda);
                h.ops.iter_mut().for_each(|op| self.lambda(&mut op.op));
            }
            Soac::Scatter(s) => self.lambda(&mut s.lambda),
            Soac::Filter(f) => self.lambda(&mut f.lambda),
            Soac::Ad(ad) => self.lambda(&mut ad.lambda),
        }
    }
}

/// Does something to each name that an expression itself consumes, where it consumes it.
fn consuming(signatures: &Signatures, exp: &mut Exp<Soacs>, f: &mut dyn FnMut(&mut Name)) {
    match exp {
        Exp::Basic(Basic::Update(a, ..) | Basic::FlatUpdate(a, ..)) => f(a),
        Exp::Basic(_) | Exp::If(..) => {}
        Exp::Call(callee, args) => {
            let Some(signature) = signatures.get(*callee) else { return };
            for (i, arg) in args.iter_mut().enumerate() {
                if let (true, SubExp::Var(n)) = (signature.consumes(i), arg) {
                    f(n);
                }
            }
        }
        Exp::Loop(l) => {
            for (_, init) in l.params.iter_mut().filter(|(p, _)| p.consumed) {
                if let SubExp::Var(n) = init {
                    f(n);
                }
            }
        }
        Exp::WithAcc(w) => w.inputs.iter_mut().flat_map(|i| &mut i.arrays).for_each(f),
        Exp::Op(Soac::Screma(s)) => rows(&s.map, &mut s.arrays, f),
        Exp::Op(Soac::Filter(s)) => rows(&s.lambda, &mut s.arrays, f),
        Exp::Op(Soac::Hist(h)) => {
            h.ops.iter_mut().flat_map(|op| &mut op.dests).for_each(&mut *f);
            rows(&h.lambda, &mut h.arrays, f);
        }
        Exp::Op(Soac::Scatter(s)) => {
            for mut array in s.written() {
                let before = array;
                f(&mut array);
                s.dests.iter_mut().filter(|d| d.array == before).for_each(|d| d.array = array);
            }
            rows(&s.lambda, &mut s.arrays, f);
        }
        Exp::Op(Soac::Ad(ad)) => {
            for (p, arg) in ad.lambda.params.iter().zip(&mut ad.args) {
                if let (true, SubExp::Var(n)) = (p.consumed, arg) {
                    f(n);
                }
            }
        }
    }
}

/// The inputs whose rows are consumed.
fn rows(lambda: &Lambda<Soacs>, arrays: &mut [Name], f: &mut dyn FnMut(&mut Name)) {
    let consumed = lambda.params.iter().zip(arrays).filter(|(p, _)| p.consumed);
    consumed.for_each(|(_, a)| f(a));
}
