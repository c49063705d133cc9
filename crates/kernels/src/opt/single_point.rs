//! Numbers that go from one array to another are computed by the device.
//!
//! The host would wait for the device, read, compute, and write. A kernel of one point does all of it without anyone
//! waiting:
//!
//! ```text
//! let (x : f32) = xs[0]                       let (ys : [1]f32) = segmap thread (f; i < 1) : (f32) {
//! let (y : f32) = fmul_f32(x, 2)        ->      let (x : f32) = xs[0]
//! let (ys : [1]f32) = [y] : f32                 let (y : f32) = fmul_f32(x, 2)
//!                                               return (y)
//!                                             }
//! ```
//!
//! That is for numbers the host has no use of its own for. Kernels of one point that can run at the same time are one
//! kernel. What is only read and written is left as it is: it becomes a copy.
//!
//! Numbers that a kernel needs, and that are cheap to compute, are computed in it. (The optimiser took them
//! out of combinators.) Those that the branches of a conditional need go there first. Numbers that are too
//! expensive for every thread to compute are computed once, by a kernel of one point, and read by the others:
//!
//! ```text
//! let (x : f32) = xs[0]                       let (ys : [1]f32) = segmap thread (f; i < 1) : (f32) {
//! let (y : f32) = pow32(x, 0.3)         ->      let (x : f32) = xs[0]
//! segmap (f; i < n) { ... y ... }               let (y : f32) = pow32(x, 0.3)
//!                                               return (y)
//!                                             }
//!                                             let (y : f32) = ys[0]
//!                                             segmap (f; i < n) { ... y ... }
//! ```

use fehu_base::ops::PrimFn;
use fehu_base::prim::PrimType;
use fehu_base::tuning::single_point;
use fehu_base::{Name, NameSource};
use fehu_ir::alias::{Aliases, Signatures};
use fehu_ir::class::Class;
use fehu_ir::consume::consumed_by_exp;
use fehu_ir::free::{free_in_body, free_in_stm, free_in_type, Names};
use fehu_ir::seg::{KernelBody, KernelReturn, KernelsOp, SegKind, SegLevel, SegOp, SegSpace};
use fehu_ir::subst::{rename_body, Subst};
use fehu_ir::types::{array_of_rows, prog_types, Types};
use fehu_ir::visit::{deep, for_each_body, map_bodies};
use fehu_ir::{Basic, Body, DimIndex, Exp, Kernels, PatElem, Prog, Stm, SubExp, Type};
use fehu_pass::{Need, Pass};
use rustc_hash::{FxHashMap, FxHashSet};

/// Scalars that go from array to array are computed by kernels of one point.
pub static PASS: Pass<Prog<Kernels>> =
    Pass { name: "single-point-kernels", need: Need::Optional, run: compute };

/// Has the device compute what goes from array to array.
fn compute(prog: &mut Prog<Kernels>) {
    let signatures = Signatures::of_prog(prog);
    let types = prog_types(prog);
    let mut names = std::mem::replace(&mut prog.names, NameSource::new());
    for fun in &mut prog.funs {
        let aliases = Aliases::of_fun(&signatures, fun);
        let mut points = Points { names, aliases, signatures: &signatures, types: &types };
        points.body(&mut fun.body);
        names = points.names;
    }
    prog.names = names;
}

struct Points<'a> {
    names: NameSource,
    aliases: Aliases,
    signatures: &'a Signatures,
    types: &'a Types,
}

/// What is known of the statements of a body.
struct Survey {
    bound_at: FxHashMap<Name, usize>,
    /// Whether a statement computes numbers from elements of arrays, and the host has no use for any of them.
    device: Vec<bool>,
    /// The arrays whose memory a statement takes over.
    taken: Vec<Names>,
}

impl Points<'_> {
    fn body(&mut self, b: &mut Body<Kernels>) {
        deep(|| {
            self.numbers(b);
            for stm in &mut b.stms {
                if !matches!(stm.exp, Exp::Op(_)) {
                    map_bodies(&mut stm.exp, &mut |inner| self.body(inner));
                }
            }
        });
    }

    /// Moves numbers from a body to where they are needed.
    fn numbers(&mut self, b: &mut Body<Kernels>) {
        self.expensive_numbers(b);
        let mut survey = survey(b);
        if !survey.device.contains(&true) {
            return;
        }
        survey.taken = b.stms.iter().map(|s| self.taken(s)).collect();
        let mut moved = FxHashSet::default();
        let mut out = Output::default();
        let stms = std::mem::take(&mut b.stms);
        for (i, stm) in stms.iter().enumerate() {
            if let Some(slice) = self.written(&stms, &survey, i) {
                self.point(&stms, stm, &slice, &mut out);
                moved.extend(slice);
            } else if let Some((slice, stm)) = self.inside(&stms, &survey, i) {
                out.push(stm);
                moved.extend(slice);
            } else {
                out.push(stm.clone());
            }
        }
        b.stms = out.stms;
        if !moved.is_empty() {
            let names = moved.into_iter().flat_map(|i| stms[i].pat.iter().map(|p| p.name)).collect();
            remove_unused(b, &names);
        }
    }

    /// Computes by kernels of one point what kernels need, and what is too expensive for each of their threads.
    fn expensive_numbers(&mut self, b: &mut Body<Kernels>) {
        let mut survey = survey(b);
        if !survey.device.contains(&true) {
            return;
        }
        survey.taken = b.stms.iter().map(|s| self.taken(s)).collect();
        let mut once: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        let mut wanted = vec![];
        b.stms.iter().for_each(|stm| wanted_by_kernels(stm, &mut wanted));
        for n in wanted {
            let Some(at) = survey.bound_at.get(&n).copied().filter(|i| survey.device[*i]) else { continue };
            if once.contains_key(&at) {
                continue;
            }
            let Some(slice) = closure(&b.stms, &survey, vec![n], single_point::STATEMENTS) else { continue };
            let cheap = slice.len() <= single_point::REPEATED_STATEMENTS
                && slice.iter().all(|i| is_cheap(&b.stms[*i]));
            if !cheap && !self.changed(&b.stms, &survey, &slice, at) {
                once.insert(at, slice);
            }
        }
        if once.is_empty() {
            return;
        }
        let mut out = Output::default();
        let stms = std::mem::take(&mut b.stms);
        let mut moved = FxHashSet::default();
        for (i, stm) in stms.iter().enumerate() {
            let Some(slice) = once.get(&i) else {
                out.push(stm.clone());
                continue;
            };
            moved.extend(slice.iter().flat_map(|i| stms[*i].pat.iter().map(|p| p.name)));
            for p in &stm.pat {
                self.read_from_point(&stms, p, stm, slice, &mut out);
            }
        }
        b.stms = out.stms;
        remove_unused(b, &moved);
    }

    /// A number that a kernel of one point computes, and the statement that reads it.
    fn read_from_point(
        &mut self,
        stms: &[Stm<Kernels>],
        number: &PatElem<Kernels>,
        stm: &Stm<Kernels>,
        slice: &[usize],
        out: &mut Output,
    ) {
        let one = vec![SubExp::i64(1)];
        let array = PatElem {
            name: self.names.fresh_like(number.name),
            ty: array_of_rows(&number.ty, &one),
            dec: (),
        };
        let plain = |pat: PatElem<Kernels>, basic: Basic| Stm {
            pat: vec![pat],
            certs: vec![],
            attrs: vec![],
            loc: stm.loc.clone(),
            exp: Exp::Basic(basic),
        };
        let literal = Basic::ArrayLit(vec![number.name.into()], number.ty.clone());
        self.point(stms, &plain(array.clone(), literal), slice, out);
        let first = vec![DimIndex::Fix(SubExp::i64(0))];
        out.push(plain(number.clone(), Basic::Index(array.name, first)));
    }

    /// A kernel, or a conditional, with the numbers that only its body needs computed in there; and the statements
    /// that compute them.
    fn inside(
        &mut self,
        stms: &[Stm<Kernels>],
        survey: &Survey,
        at: usize,
    ) -> Option<(Vec<usize>, Stm<Kernels>)> {
        let mut stm = stms[at].clone();
        let bodies: Vec<&mut Body<Kernels>> = match &mut stm.exp {
            Exp::Op(KernelsOp::Seg(seg)) => vec![&mut seg.body.body],
            Exp::If(_, t, f) if !survey.device[at] => vec![t, f],
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
                return None
            }
        };
        let empty = || Body { stms: vec![], result: vec![] };
        let insides: Vec<Body<Kernels>> = bodies.into_iter().map(|b| std::mem::replace(b, empty())).collect();
        let elsewhere = free_in_stm(&stm);
        let device = |n: &Name| survey.bound_at.get(n).is_some_and(|i| survey.device[*i]);
        let wanted: Vec<Name> = insides.iter().flat_map(free_in_body).filter(device).collect();
        let wanted: Vec<Name> = wanted.into_iter().filter(|n| !elsewhere.contains(n)).collect();
        let slice = closure(stms, survey, wanted, single_point::REPEATED_STATEMENTS)?;
        let cheap = |i: &usize| is_cheap(&stms[*i]);
        let kernel = matches!(stm.exp, Exp::Op(_));
        let last = if kernel { at + 1 } else { at };
        if (kernel && !slice.iter().all(cheap)) || self.changed(stms, survey, &slice, last) {
            return None;
        }
        let first: Vec<Stm<Kernels>> = slice.iter().map(|i| stms[*i].clone()).collect();
        let bodies: Vec<&mut Body<Kernels>> = match &mut stm.exp {
            Exp::Op(KernelsOp::Seg(seg)) => vec![&mut seg.body.body],
            Exp::If(_, t, f) => vec![t, f],
            Exp::Basic(_) | Exp::Call(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => return None,
        };
        for (body, old) in bodies.into_iter().zip(insides) {
            let copies = Body { stms: first.clone(), result: vec![] };
            let mut subst = Subst::new();
            *body = rename_body(&mut self.names, &copies);
            for (old, new) in first.iter().zip(&body.stms) {
                for (p, q) in old.pat.iter().zip(&new.pat) {
                    subst.insert(p.name, q.name);
                }
            }
            let mut old = old;
            subst.body(&mut old);
            body.stms.extend(old.stms);
            body.result = old.result;
        }
        Some((slice, stm))
    }

    /// The statements, in order, that a kernel of one point has to run instead of the host for a statement
    /// that writes numbers to an array; `None` if there is nothing to be gained, or an array changes on the
    /// way.
    fn written(&self, stms: &[Stm<Kernels>], survey: &Survey, at: usize) -> Option<Vec<usize>> {
        let wanted = sink(&stms[at].exp)?.into_iter().filter_map(|e| e.name()).collect();
        let slice = closure(stms, survey, wanted, single_point::STATEMENTS)?;
        let copied = slice.iter().all(|i| matches!(stms[*i].exp, Exp::Basic(Basic::Index(..))));
        (!copied && !self.changed(stms, survey, &slice, at)).then_some(slice)
    }

    /// Whether what statements read changes between them and another.
    fn changed(&self, stms: &[Stm<Kernels>], survey: &Survey, slice: &[usize], at: usize) -> bool {
        let Some(first) = slice.first() else { return false };
        let read = self.sources(slice.iter().flat_map(|i| free_in_stm(&stms[*i])));
        survey.taken[*first..at].iter().any(|taken| taken.iter().any(|n| read.contains(n)))
    }

    /// The arrays whose memory a statement takes over, and those that it may come from.
    fn taken(&self, stm: &Stm<Kernels>) -> Names {
        consumed_by_exp(self.signatures, &self.aliases, &stm.exp)
    }

    /// All that the memory of some arrays may come from.
    fn sources(&self, names: impl IntoIterator<Item = Name>) -> FxHashSet<Name> {
        let arrays = names.into_iter().filter(|n| self.types.get(n).is_some_and(Type::is_array));
        arrays.flat_map(|n| self.aliases.of(n)).collect()
    }

    /// A kernel of one point in place of a statement that writes numbers to an array.
    fn point(&mut self, stms: &[Stm<Kernels>], stm: &Stm<Kernels>, slice: &[usize], out: &mut Output) {
        let result = sink(&stm.exp).unwrap_or_default();
        let mut certs = stm.certs.clone();
        let mut inner = vec![];
        for i in slice {
            let mut stm = stms[*i].clone();
            for c in stm.certs.drain(..) {
                if !certs.contains(&c) {
                    certs.push(c);
                }
            }
            inner.push(stm);
        }
        let body = rename_body(&mut self.names, &Body { stms: inner, result });
        let elem = |p: &PatElem<Kernels>| p.ty.peel(p.ty.rank());
        let types: Vec<Type> = stm.pat.iter().map(elem).cycle().take(body.result.len()).collect();
        let write = |array: Name, shape: &[SubExp], index: Vec<SubExp>| KernelReturn::Write {
            array,
            shape: shape.to_vec(),
            index,
        };
        let returns = match (&stm.exp, &stm.pat[..]) {
            (Exp::Basic(Basic::Update(array, slice, _)), [p]) => {
                let fixed = |d: &DimIndex| match d {
                    DimIndex::Fix(i) => Some(*i),
                    DimIndex::Slice { .. } => None,
                };
                vec![write(*array, p.ty.shape(), slice.iter().filter_map(fixed).collect())]
            }
            (Exp::Basic(Basic::ArrayLit(_, Type::Prim(t))), [p]) if body.result.len() > 1 => {
                let array = self.names.fresh_like(p.name);
                let pat = vec![PatElem { name: array, ty: p.ty.clone(), dec: () }];
                let exp = Exp::Basic(Basic::Scratch(*t, p.ty.shape().to_vec()));
                out.push(Stm { pat, certs: vec![], attrs: vec![], loc: stm.loc.clone(), exp });
                let at = |i: usize| write(array, p.ty.shape(), vec![SubExp::i64(i as i64)]);
                (0..body.result.len()).map(at).collect()
            }
            _ => vec![KernelReturn::Elem],
        };
        let alone = returns.iter().any(|r| !matches!(r, KernelReturn::Elem));
        let dims = vec![(self.names.fresh_str("point"), SubExp::i64(1))];
        let space = SegSpace { flat: self.names.fresh_str("flat"), dims };
        let seg = SegOp {
            level: SegLevel::Thread,
            space,
            types,
            body: KernelBody { body, returns },
            kind: SegKind::Map,
            virtualise: true,
            grid: None,
            schedule: None,
        };
        let exp = Exp::Op(KernelsOp::Seg(seg));
        let new = Stm { pat: stm.pat.clone(), certs, attrs: vec![], loc: stm.loc.clone(), exp };
        if alone {
            out.push(new);
        } else {
            self.join(new, out);
        }
    }

    /// Makes a kernel part of an earlier one, if all it needs was there and is still the same.
    fn join(&self, stm: Stm<Kernels>, out: &mut Output) {
        let needs = free_in_stm(&stm);
        let sources = self.sources(needs.iter().copied());
        let taken = |s: &Stm<Kernels>| self.taken(s).iter().any(|n| sources.contains(n));
        let early = |at: &usize| needs.iter().all(|n| out.bound_at.get(n).is_none_or(|i| i < at));
        let near = |at: &usize| out.stms.len() - at < single_point::STATEMENTS;
        let Some(at) = out.last.filter(near).filter(early).filter(|at| !out.stms[*at..].iter().any(taken))
        else {
            out.last = Some(out.stms.len());
            return out.push(stm);
        };
        out.bound_at.extend(stm.pat.iter().map(|p| (p.name, at)));
        let (Exp::Op(KernelsOp::Seg(one)), Exp::Op(KernelsOp::Seg(other))) = (&mut out.stms[at].exp, stm.exp)
        else {
            return;
        };
        one.types.extend(other.types);
        one.body.body.stms.extend(other.body.body.stms);
        one.body.body.result.extend(other.body.body.result);
        one.body.returns.extend(other.body.returns);
        out.stms[at].pat.extend(stm.pat);
        let known = out.stms[at].certs.clone();
        out.stms[at].certs.extend(stm.certs.into_iter().filter(|c| !known.contains(c)));
    }
}

/// The statements of the new body.
#[derive(Default)]
struct Output {
    stms: Vec<Stm<Kernels>>,
    bound_at: FxHashMap<Name, usize>,
    /// The latest kernel of one point that others can become a part of.
    last: Option<usize>,
}

impl Output {
    fn push(&mut self, stm: Stm<Kernels>) {
        self.bound_at.extend(stm.pat.iter().map(|p| (p.name, self.stms.len())));
        self.stms.push(stm);
    }
}

/// The statements, in order, from which the device computes these names; `None` if there are none, or too many.
fn closure(stms: &[Stm<Kernels>], survey: &Survey, mut wanted: Vec<Name>, most: usize) -> Option<Vec<usize>> {
    let mut slice: Vec<usize> = vec![];
    while let Some(n) = wanted.pop() {
        let Some(i) = survey.bound_at.get(&n).copied() else { continue };
        if survey.device[i] && !slice.contains(&i) {
            slice.push(i);
            wanted.extend(free_in_stm(&stms[i]));
        }
        if slice.len() > most {
            return None;
        }
    }
    slice.sort_unstable();
    (!slice.is_empty()).then_some(slice)
}

/// What the bodies of kernels need, also of those in branches.
fn wanted_by_kernels(stm: &Stm<Kernels>, wanted: &mut Vec<Name>) {
    match &stm.exp {
        Exp::Op(KernelsOp::Seg(seg)) => wanted.extend(free_in_body(&seg.body.body)),
        Exp::If(_, t, f) => {
            deep(|| t.stms.iter().chain(&f.stms).for_each(|stm| wanted_by_kernels(stm, wanted)));
        }
        Exp::Basic(_) | Exp::Call(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {}
    }
}

/// Whether every thread of a kernel may compute a number again.
fn is_cheap(stm: &Stm<Kernels>) -> bool {
    // The functions of whole numbers (leading zeros, bits that are set) are instructions.
    let whole = |f: &PrimFn| matches!(f.at, PrimType::Int(_));
    match &stm.exp {
        Exp::Basic(Basic::PrimFn(f, _)) => whole(f),
        Exp::If(..) => false,
        Exp::Basic(_) | Exp::Call(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => true,
    }
}

/// The numbers that an expression writes to an array.
fn sink(exp: &Exp<Kernels>) -> Option<Vec<SubExp>> {
    match exp {
        Exp::Basic(Basic::ArrayLit(es, Type::Prim(_)))
            if (1..=single_point::LITERAL_ELEMENTS).contains(&es.len()) =>
        {
            Some(es.clone())
        }
        Exp::Basic(Basic::Update(_, slice, e)) if slice.iter().all(|d| matches!(d, DimIndex::Fix(_))) => {
            Some(vec![*e])
        }
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
    }
}

fn survey(b: &Body<Kernels>) -> Survey {
    let mut bound_at = FxHashMap::default();
    let mut device: Vec<bool> = vec![];
    for (i, stm) in b.stms.iter().enumerate() {
        let from = |n: &Name| bound_at.get(n).is_some_and(|i: &usize| device[*i]);
        let read = is_scalar(stm) && (reads(stm) || free_in_stm(stm).iter().any(from));
        device.push(read);
        bound_at.extend(stm.pat.iter().map(|p| (p.name, i)));
    }
    if !device.contains(&true) {
        return Survey { bound_at, device, taken: vec![] };
    }
    // What the host has a use for, from the last statement to the first.
    let mut needed: FxHashSet<Name> = b.result.iter().filter_map(|e| e.name()).collect();
    for (i, stm) in b.stms.iter().enumerate().rev() {
        device[i] &= !stm.pat.iter().any(|p| needed.contains(&p.name));
        needed.extend(stm.pat.iter().flat_map(|p| free_in_type(&p.ty)));
        if device[i] {
            continue;
        }
        let mut free: FxHashSet<Name> = free_in_stm(stm).into_iter().collect();
        match &stm.exp {
            Exp::Op(KernelsOp::Seg(seg)) => {
                let inside = free_in_body(&seg.body.body);
                free.retain(|n| !inside.contains(n));
                free.extend(seg.space.dims.iter().filter_map(|d| d.1.name()));
            }
            Exp::If(c, t, f) if !is_scalar(stm) => {
                let (yes, no) = (free_in_body(t), free_in_body(f));
                free.retain(|n| !yes.contains(n) && !no.contains(n));
                free.extend(c.name());
                free.extend(stm.certs.iter().copied());
            }
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {}
        }
        if let Some(written) = sink(&stm.exp) {
            for n in written.iter().filter_map(|e| e.name()) {
                free.remove(&n);
            }
            if let Exp::Basic(Basic::Update(_, slice, _)) = &stm.exp {
                free.extend(slice.iter().filter_map(|d| match d {
                    DimIndex::Fix(i) => i.name(),
                    DimIndex::Slice { .. } => None,
                }));
            }
        }
        needed.extend(free);
    }
    Survey { bound_at, device, taken: vec![] }
}

/// Whether a statement does nothing but compute numbers, by no more than [`single_point::STATEMENTS`] statements.
fn is_scalar(stm: &Stm<Kernels>) -> bool {
    let mut left = single_point::STATEMENTS;
    is_scalar_within(stm, &mut left)
}

fn is_scalar_within(stm: &Stm<Kernels>, left: &mut usize) -> bool {
    if *left == 0 {
        return false;
    }
    *left -= 1;
    let numbers = stm.pat.iter().all(|p| matches!(p.ty, Type::Prim(_)) && p.ty != Type::UNIT);
    numbers
        && stm.attrs.is_empty()
        && match (stm.exp.class(), &stm.exp) {
            (Some(Class::Arithmetic | Class::Function | Class::Read), _) => true,
            (_, Exp::If(_, t, f)) => {
                [t, f].into_iter().all(|b| deep(|| b.stms.iter().all(|s| is_scalar_within(s, left))))
            }
            _ => false,
        }
}

/// Whether a statement reads elements of arrays.
fn reads(stm: &Stm<Kernels>) -> bool {
    let mut found = matches!(stm.exp, Exp::Basic(Basic::Index(..)));
    for_each_body(&stm.exp, &mut |b| found |= b.stms.iter().any(reads));
    found
}

/// Removes statements that bind nothing but some of these names, which nobody uses any more.
fn remove_unused(b: &mut Body<Kernels>, names: &FxHashSet<Name>) {
    let mut used: FxHashSet<Name> = b.result.iter().filter_map(|e| e.name()).collect();
    let mut kept = vec![];
    for stm in std::mem::take(&mut b.stms).into_iter().rev() {
        if stm.pat.iter().all(|p| names.contains(&p.name) && !used.contains(&p.name)) {
            continue;
        }
        used.extend(free_in_stm(&stm));
        used.extend(stm.pat.iter().flat_map(|p| free_in_type(&p.ty)));
        kept.push(stm);
    }
    kept.reverse();
    b.stms = kept;
}
