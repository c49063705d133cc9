//! What maps do to scanned values is done by the kernel that scans them.
//!
//! Before: a scan writes its values to memory, and a map over the same points reads them again. After: the
//! map's body is part of the scan ([`SegAfter`]), and the values never see memory, unless something else
//! needs them.
//!
//! ```text
//! let (ks : [n]i64) = segscan (i < n) ...           let (ys : [m]f32) = segscan (i < n) ...
//! let (ys : [m]f32) = segmap (j < n) {                after \(k : i64) { let (x : f32) = xs[i] ... }
//!   let (k : i64) = ks[j]                               as (write x to ys_0 [m] at [place])
//!   let (x : f32) = xs[j]
//!   ...
//!   return (write x to ys_0 [m] at [place])
//! }
//! ```
//!
//! Other results of the scan's body that the map reads are computed again, if that is cheap. Then the next
//! map can join, too, if it reads only what is an element of its own point.
//!
//! A partition is just that, but for its sizes: where the second part begins is the last of the scanned
//! numbers, so it seems that the scan must be done before anything can be written. But the last of sums is
//! the sum of all, and a reduction that reads what the scan reads costs less than numbers that are written
//! and read again. So last elements of sums of integers are reduced, where that lets a map join its scan.
//! (Filters come here as a reduction and such a scan already.)

use crate::counters::scanned_bytes;
use fehu_base::ops::BinOp;
use fehu_base::prim::{IntType, PrimType};
use fehu_base::tuning::scan_epilogue;
use fehu_base::{Name, NameSource};
use fehu_ir::alias::{Aliases, Signatures};
use fehu_ir::consume::consumed_by_exp;
use fehu_ir::cost::scalar_instructions;
use fehu_ir::free::{free_in_exp, free_in_stm};
use fehu_ir::seg::{KernelBody, KernelReturn, KernelsOp, SegAfter, SegBinOp, SegKind, SegLevel, SegOp};
use fehu_ir::soac::Commutativity;
use fehu_ir::subst::{rename_body, rename_lambda, Subst};
use fehu_ir::visit::{change, deep, for_each_stm, Mutator};
use fehu_ir::{Basic, Body, DimIndex, Exp, Kernels, Lambda, Param, PatElem, Prog, Stm, SubExp, Type};
use fehu_pass::{Need, Pass};
use rustc_hash::{FxHashMap, FxHashSet};

/// Maps of scanned values run in the scan's kernel.
pub static PASS: Pass<Prog<Kernels>> = Pass { name: "scan-epilogue", need: Need::Optional, run: join };

/// Lets maps join the scans that they are maps of.
fn join(prog: &mut Prog<Kernels>) {
    let signatures = Signatures::of_prog(prog);
    let names = std::mem::replace(&mut prog.names, NameSource::new());
    let mut pass =
        Join { signatures, aliases: Aliases::default(), predecessors: FxHashMap::default(), names };
    pass.host(&mut prog.consts);
    for fun in &mut prog.funs {
        pass.host(&mut fun.body);
    }
    prog.names = pass.names;
}

struct Join {
    signatures: Signatures,
    /// None are needed: all that matters is whether anything is consumed.
    aliases: Aliases,
    /// Names that are one less than something.
    predecessors: FxHashMap<Name, SubExp>,
    names: NameSource,
}

/// Which statements use a name, in order; what the body returns is used by the one after the last.
type Uses = FxHashMap<Name, Vec<usize>>;

impl Join {
    /// A function's body, or the program's constants.
    fn host(&mut self, body: &mut Body<Kernels>) {
        self.predecessors.clear();
        for_each_stm(body, &mut |stm| {
            if let (Exp::Basic(Basic::BinOp(BinOp::Sub(IntType::I64), x, y)), [p]) = (&stm.exp, &stm.pat[..])
            {
                if y.as_i64() == Some(1) {
                    self.predecessors.insert(p.name, *x);
                }
            }
        });
        self.body(body);
    }

    /// Code of the host.
    fn body(&mut self, body: &mut Body<Kernels>) {
        deep(|| {
            for stm in &mut body.stms {
                match &mut stm.exp {
                    Exp::If(_, t, f) => {
                        self.body(t);
                        self.body(f);
                    }
                    Exp::Loop(l) => self.body(&mut l.body),
                    Exp::WithAcc(w) => self.body(&mut w.lambda.body),
                    Exp::Basic(_) | Exp::Call(..) | Exp::Op(_) => {}
                }
            }
            if !body.stms.iter().any(|stm| scan_of(stm).is_some() || joined_scan_of(stm).is_some()) {
                return;
            }
            let mut uses = uses(body);
            // How many of the statements up to each consume something.
            let mut consuming = vec![0];
            for stm in &body.stms {
                let any = !consumed_by_exp(&self.signatures, &self.aliases, &stm.exp).is_empty();
                consuming.push(consuming[consuming.len() - 1] + usize::from(any));
            }
            for s in 0..body.stms.len() {
                if let Some((m, reads)) = self.partner(body, &uses, s) {
                    if consuming[m] == consuming[s + 1] {
                        let mut changed = [reads.as_slice(), &[s, m]].concat();
                        changed.sort_unstable();
                        changed.dedup();
                        let before = used_by(body, &changed);
                        self.merge(body, &uses, s, m, &reads);
                        update_uses(&mut uses, body, &changed, before);
                    }
                } else if let Some(m) = self.next_partner(body, &uses, s) {
                    if consuming[m] == consuming[s + 1] {
                        let before = used_by(body, &[s, m]);
                        self.merge_next(body, &uses, s, m);
                        update_uses(&mut uses, body, &[s, m], before);
                    }
                }
            }
            body.stms.retain(|stm| !stm.pat.is_empty());
        });
    }

    /// The map that can join the scan at `s`, and the statements before it that read last elements.
    fn partner(&self, body: &Body<Kernels>, uses: &Uses, s: usize) -> Option<(usize, Vec<usize>)> {
        let scan = scan_of(&body.stms[s])?;
        let pat = &body.stms[s].pat;
        let mut users: Vec<usize> = pat.iter().filter_map(|p| uses.get(&p.name)).flatten().copied().collect();
        users.sort_unstable();
        users.dedup();
        let at = users.iter().position(|u| body.stms.get(*u).is_some_and(|stm| map_of(stm).is_some()))?;
        let (reads, m) = (&users[..at], users[at]);
        let map = map_of(&body.stms[m])?;
        let fits = self.fits(scan, pat, map) && computes_again_cheaply(scan, pat, map);
        let sums = reads.is_empty()
            || (scalar_instructions(&scan.body.body)? <= scan_epilogue::REPEATED_INSTRUCTIONS
                && scan.space.dims.len() == 1);
        (fits && sums && reads.iter().all(|u| self.reads_last(scan, pat, &body.stms[*u])))
            .then(|| (m, reads.to_vec()))
    }

    /// Whether a map is over the points of a scan, and reads its results nowhere else than at its own point.
    fn fits(&self, scan: &SegOp<Kernels>, pat: &[PatElem<Kernels>], map: &SegOp<Kernels>) -> bool {
        let sizes = |seg: &SegOp<Kernels>| seg.space.dims.iter().map(|d| d.1).collect::<Vec<_>>();
        if sizes(scan) != sizes(map) || scalar_instructions(&map.body.body).is_none() {
            return false;
        }
        let here: Vec<DimIndex> = map.space.dims.iter().map(|d| DimIndex::Fix(d.0.into())).collect();
        // Its own results are written elsewhere.
        only_at(&map.body.body, pat, |slice| slice == here).is_some()
            && map.body.returns.iter().all(|ret| match ret {
                KernelReturn::Elem => true,
                KernelReturn::Write { array, .. } => pat.iter().all(|p| p.name != *array),
            })
    }

    /// Whether all that a statement does with the results of a scan is to read last elements of sums.
    fn reads_last(&self, scan: &SegOp<Kernels>, pat: &[PatElem<Kernels>], stm: &Stm<Kernels>) -> bool {
        let Some((_, size)) = scan.space.dims.last() else { return false };
        let last = |slice: &[DimIndex]| match slice {
            [DimIndex::Fix(SubExp::Var(i))] => self.predecessors.get(i) == Some(size),
            _ => false,
        };
        let SegKind::Scan(ops, _) = &scan.kind else { return false };
        let alone = Body { stms: vec![stm.clone()], result: vec![] };
        let Some(read) = only_at(&alone, pat, last) else { return false };
        let sums: Vec<bool> = ops.iter().flat_map(|op| vec![is_sum(op); op.neutral.len()]).collect();
        pat.iter().enumerate().all(|(k, p)| !read.contains(&p.name) || sums.get(k) == Some(&true))
    }

    /// The map that can join the scan at `s` after another one: the first statement that uses any of its
    /// results, if it reads only what points return as their own elements.
    fn next_partner(&self, body: &Body<Kernels>, uses: &Uses, s: usize) -> Option<usize> {
        let (scan, after) = joined_scan_of(&body.stms[s])?;
        let pat = &body.stms[s].pat;
        let m = pat.iter().filter_map(|p| uses.get(&p.name)).flatten().copied().min()?;
        let map = map_of(body.stms.get(m)?)?;
        let read = free_in_exp(&body.stms[m].exp);
        let own = pat.iter().enumerate().all(|(k, p)| {
            !read.contains(&p.name) || after.returns.get(k).is_some_and(|ret| *ret == KernelReturn::Elem)
        });
        (own && self.fits(scan, pat, map)).then_some(m)
    }

    /// Puts the map at `m` into the scan at `s`, after what another map put there, where the map was.
    fn merge_next(&mut self, body: &mut Body<Kernels>, uses: &Uses, s: usize, m: usize) {
        let (Some((scan, after)), Some(map)) = (joined_scan_of(&body.stms[s]), map_of(&body.stms[m])) else {
            return;
        };
        let (mut scan, after, map) = (scan.clone(), after.clone(), map.clone());
        let Some(map) = at_indices_of(&scan, map) else { return };
        let pat = std::mem::take(&mut body.stms[s].pat);
        let certs = std::mem::take(&mut body.stms[s].certs);
        let SegAfter { mut lambda, returns } = after;
        let own = pat.iter().zip(&lambda.body.result).zip(&returns);
        let values: FxHashMap<Name, SubExp> =
            own.filter(|(_, ret)| **ret == KernelReturn::Elem).map(|((p, e), _)| (p.name, *e)).collect();
        let mut then = map.body.body;
        Replace { values: &values }.body(&mut then);
        let results = std::mem::replace(&mut lambda.body.result, then.result);
        let types = std::mem::replace(&mut lambda.ret, map.types);
        let mut all = map.body.returns;
        lambda.body.stms.extend(then.stms);
        let later = |p: &PatElem<Kernels>| uses.get(&p.name).is_some_and(|u| u.iter().any(|u| *u > m));
        let map_stm = &mut body.stms[m];
        let (first, rest) = pat.split_at(returns.len());
        for (((p, e), ty), ret) in first.iter().zip(results).zip(types).zip(returns) {
            if ret != KernelReturn::Elem || later(p) {
                map_stm.pat.push(p.clone());
                lambda.body.result.push(e);
                lambda.ret.push(ty);
                all.push(ret);
            }
        }
        map_stm.pat.extend(rest.iter().cloned());
        map_stm.certs.extend(certs);
        map_stm.certs.sort_unstable();
        map_stm.certs.dedup();
        if let SegKind::Scan(_, joined) = &mut scan.kind {
            *joined = Some(Box::new(SegAfter { lambda, returns: all }));
        }
        map_stm.exp = Exp::Op(KernelsOp::Seg(scan));
    }

    /// Puts the map at `m` into the scan at `s`, where the map was.
    fn merge(&mut self, body: &mut Body<Kernels>, uses: &Uses, s: usize, m: usize, reads: &[usize]) {
        let (Some(scan), Some(map)) = (scan_of(&body.stms[s]).cloned(), map_of(&body.stms[m]).cloned())
        else {
            return;
        };
        let scan_stm = body.stms[s].clone();
        let combined = scan.combined();
        let SegKind::Scan(ops, _) = scan.kind.clone() else { return };
        // Sums first, where the scan was; or nothing.
        let wanted: FxHashSet<Name> = reads.iter().flat_map(|u| free_in_stm(&body.stms[*u])).collect();
        let (stm, sums) = self.sums(&scan_stm, &scan, &ops, &wanted);
        body.stms[s] = stm;
        for u in reads {
            Replace { values: &sums }.stm(&mut body.stms[*u]);
        }
        let Some(map) = at_indices_of(&scan, map) else { return };
        let mut values: FxHashMap<Name, SubExp> = FxHashMap::default();
        let mut params = vec![];
        for (p, ty) in scan_stm.pat.iter().zip(&scan.types).take(combined) {
            let name = self.names.fresh_str("scanned");
            values.insert(p.name, name.into());
            params.push(Param { name, ty: ty.clone(), dec: (), consumed: false });
        }
        let read = free_in_exp(&body.stms[m].exp);
        let mut stms = vec![];
        if scan_stm.pat[combined..].iter().any(|p| read.contains(&p.name)) {
            let again = rename_body(&mut self.names, &scan.body.body);
            stms.extend(again.stms);
            for (p, e) in scan_stm.pat.iter().zip(again.result).skip(combined) {
                values.insert(p.name, e);
            }
        }
        let mut after = map.body.body;
        Replace { values: &values }.body(&mut after);
        stms.extend(after.stms);
        let (mut ret, mut result, mut returns) = (map.types, after.result, map.body.returns);
        let later = |p: &PatElem<Kernels>| uses.get(&p.name).is_some_and(|u| u.iter().any(|u| *u > m));
        let map_stm = &mut body.stms[m];
        for (p, param) in scan_stm.pat.iter().zip(&params).filter(|(p, _)| later(p)) {
            map_stm.pat.push(p.clone());
            ret.push(param.ty.clone());
            result.push(param.name.into());
            returns.push(KernelReturn::Elem);
        }
        let lambda = Lambda { params, body: Body { stms, result }, ret };
        // What else the scan makes, if somebody needs it.
        let mut types = scan.types[..combined].to_vec();
        let mut own = scan.body;
        let mut own_result = own.body.result.split_off(combined);
        let own_returns = own.returns.split_off(combined);
        for (((p, ty), e), way) in
            (scan_stm.pat.iter().zip(&scan.types).skip(combined)).zip(own_result.drain(..)).zip(own_returns)
        {
            if later(p) {
                map_stm.pat.push(p.clone());
                types.push(ty.clone());
                own.body.result.push(e);
                own.returns.push(way);
            }
        }
        map_stm.certs.extend(scan_stm.certs);
        map_stm.certs.sort_unstable();
        map_stm.certs.dedup();
        map_stm.exp = Exp::Op(KernelsOp::Seg(SegOp {
            types,
            body: own,
            kind: SegKind::Scan(ops, Some(Box::new(SegAfter { lambda, returns }))),
            ..scan
        }));
    }

    /// A statement that makes the sums of those results of a scan that are wanted, and their names; an empty
    /// statement if none are.
    fn sums(
        &mut self,
        stm: &Stm<Kernels>,
        scan: &SegOp<Kernels>,
        ops: &[SegBinOp<Kernels>],
        wanted: &FxHashSet<Name>,
    ) -> (Stm<Kernels>, FxHashMap<Name, SubExp>) {
        let mut sums = FxHashMap::default();
        let mut stm = stm.clone();
        let scanned = std::mem::take(&mut stm.pat);
        let mut body = rename_body(&mut self.names, &scan.body.body);
        let results = std::mem::take(&mut body.result);
        let (mut reds, mut types, mut first) = (vec![], vec![], 0);
        for op in ops {
            let which = first..first + op.neutral.len();
            first = which.end;
            if !which.clone().any(|k| wanted.contains(&scanned[k].name)) {
                continue;
            }
            reds.push(SegBinOp {
                comm: Commutativity::Commutative,
                op: rename_lambda(&mut self.names, &op.op),
                neutral: op.neutral.clone(),
            });
            for k in which {
                let sum = self.names.fresh_str("sum");
                stm.pat.push(PatElem { name: sum, ty: scan.types[k].clone(), dec: () });
                sums.insert(scanned[k].name, sum.into());
                types.push(scan.types[k].clone());
                body.result.push(results[k]);
            }
        }
        if !reds.is_empty() {
            let mut space = scan.space.clone();
            let mut indices = Subst::new();
            space.flat = self.names.fresh_like(space.flat);
            indices.insert(scan.space.flat, space.flat);
            for (i, _) in &mut space.dims {
                let fresh = self.names.fresh_like(*i);
                indices.insert(*i, fresh);
                *i = fresh;
            }
            indices.body(&mut body);
            let returns = vec![KernelReturn::Elem; types.len()];
            let body = KernelBody { body, returns };
            let kind = SegKind::Red(reds);
            stm.exp = Exp::Op(KernelsOp::Seg(SegOp { space, types, body, kind, ..scan.clone() }));
        }
        (stm, sums)
    }
}

/// A map in terms of the indices of a scan.
fn at_indices_of(scan: &SegOp<Kernels>, map: SegOp<Kernels>) -> Option<SegOp<Kernels>> {
    let mut subst = Subst::new();
    for (mine, its) in map.space.dims.iter().zip(&scan.space.dims) {
        subst.insert(mine.0, its.0);
    }
    subst.insert(map.space.flat, scan.space.flat);
    let mut inner: Exp<Kernels> = Exp::Op(KernelsOp::Seg(map));
    subst.exp(&mut inner);
    match inner {
        Exp::Op(KernelsOp::Seg(map)) => Some(map),
        Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
    }
}

/// Where names are used.
fn uses(body: &Body<Kernels>) -> Uses {
    let mut uses = Uses::default();
    for (k, stm) in body.stms.iter().enumerate() {
        for n in free_in_stm(stm) {
            uses.entry(n).or_default().push(k);
        }
    }
    for n in body.result.iter().filter_map(|e| e.name()) {
        uses.entry(n).or_default().push(body.stms.len());
    }
    uses
}

/// What statements use.
fn used_by(body: &Body<Kernels>, at: &[usize]) -> Vec<(Name, usize)> {
    at.iter().flat_map(|k| free_in_stm(&body.stms[*k]).into_iter().map(|n| (n, *k))).collect()
}

/// Some statements have changed, which used these names before.
fn update_uses(uses: &mut Uses, body: &Body<Kernels>, changed: &[usize], before: Vec<(Name, usize)>) {
    for (n, k) in before {
        uses.entry(n).or_default().retain(|u| *u != k);
    }
    for (n, k) in used_by(body, changed) {
        let users = uses.entry(n).or_default();
        let place = users.partition_point(|u| *u < k);
        users.insert(place, k);
    }
}

/// A scan of scalars by the whole grid.
fn scan_of(stm: &Stm<Kernels>) -> Option<&SegOp<Kernels>> {
    let Exp::Op(KernelsOp::Seg(seg)) = &stm.exp else { return None };
    let SegKind::Scan(ops, None) = &seg.kind else { return None };
    // A thread that also makes rows has room for one of them: it must be done with a point before it takes the next.
    let scalars = seg.types.iter().all(|t| matches!(t, Type::Prim(_)));
    // Threads that hold more have little room for anything else; they take one point at a time.
    let simple = scalars && scanned_bytes(seg, ops) <= scan_epilogue::POINT_BYTES;
    let plain = seg.body.returns.iter().all(|ret| *ret == KernelReturn::Elem);
    (simple && plain && seg.level == SegLevel::Thread && seg.grid.is_none()).then_some(seg)
}

/// A scan that a map has joined, and what comes after it.
fn joined_scan_of(stm: &Stm<Kernels>) -> Option<(&SegOp<Kernels>, &SegAfter<Kernels>)> {
    let Exp::Op(KernelsOp::Seg(seg)) = &stm.exp else { return None };
    let after = seg.after()?;
    let scalars = after.lambda.ret.iter().all(|t| matches!(t, Type::Prim(_)));
    (scalars && seg.level == SegLevel::Thread && seg.grid.is_none()).then_some((seg, after))
}

/// A map that makes scalars.
fn map_of(stm: &Stm<Kernels>) -> Option<&SegOp<Kernels>> {
    let Exp::Op(KernelsOp::Seg(seg)) = &stm.exp else { return None };
    let scalars = seg.types.iter().all(|t| matches!(t, Type::Prim(_)));
    let plain = matches!(seg.kind, SegKind::Map) && seg.level == SegLevel::Thread && seg.grid.is_none();
    (scalars && plain).then_some(seg)
}

/// Whether a map reads only scanned values, or the other results of the scan's body are cheap to compute again.
fn computes_again_cheaply(scan: &SegOp<Kernels>, pat: &[PatElem<Kernels>], map: &SegOp<Kernels>) -> bool {
    let others = &pat[scan.combined()..];
    let mut mentions = Mentions { arrays: others, count: 0 };
    fehu_ir::visit::Visitor::body(&mut mentions, &map.body.body);
    mentions.count == 0
        || scalar_instructions(&scan.body.body)
            .is_some_and(|cost| cost <= scan_epilogue::REPEATED_INSTRUCTIONS)
}

/// Those of the arrays that a body mentions, if it does nothing with them but read elements at such places.
fn only_at(
    body: &Body<Kernels>,
    arrays: &[PatElem<Kernels>],
    place: impl Fn(&[DimIndex]) -> bool,
) -> Option<FxHashSet<Name>> {
    let (mut read, mut reads, mut fine) = (FxHashSet::default(), 0, true);
    for_each_stm(body, &mut |stm| {
        if let Exp::Basic(Basic::Index(array, slice)) = &stm.exp {
            if arrays.iter().any(|p| p.name == *array) {
                read.insert(*array);
                reads += 1;
                fine &= place(slice);
            }
        }
    });
    let mut mentions = Mentions { arrays, count: 0 };
    fehu_ir::visit::Visitor::body(&mut mentions, body);
    (fine && mentions.count == reads).then_some(read)
}

/// Counts mentions of arrays.
struct Mentions<'a> {
    arrays: &'a [PatElem<Kernels>],
    count: usize,
}

impl fehu_ir::visit::Visitor<Kernels> for Mentions<'_> {
    fn name(&mut self, n: &Name) {
        self.count += usize::from(self.arrays.iter().any(|p| p.name == *n));
    }
}

/// Replaces elements of arrays by what they are known to be.
struct Replace<'a> {
    values: &'a FxHashMap<Name, SubExp>,
}

impl Mutator<Kernels> for Replace<'_> {
    fn stm(&mut self, stm: &mut Stm<Kernels>) {
        if let Exp::Basic(Basic::Index(array, _)) = &stm.exp {
            if let Some(value) = self.values.get(array) {
                stm.exp = Exp::Basic(Basic::SubExp(*value));
            }
        }
        change::stm(self, stm);
    }
}

/// Whether an operator adds integers.
fn is_sum(op: &SegBinOp<Kernels>) -> bool {
    let (Lambda { params, body, .. }, [zero]) = (&op.op, &op.neutral[..]) else { return false };
    let ([x, y], [stm], [SubExp::Var(r)]) = (&params[..], &body.stms[..], &body.result[..]) else {
        return false;
    };
    let Exp::Basic(Basic::BinOp(BinOp::Add(_), a, b)) = &stm.exp else { return false };
    let both = [SubExp::Var(x.name), SubExp::Var(y.name)];
    let adds = [*a, *b] == both || [*b, *a] == both;
    let neutral = match (zero, &x.ty) {
        (SubExp::Const(zero), Type::Prim(PrimType::Int(ty))) => *zero == PrimType::Int(*ty).blank(),
        (SubExp::Const(_) | SubExp::Var(_), _) => false,
    };
    adds && neutral && stm.pat.iter().any(|p| p.name == *r)
}

#[cfg(test)]
mod tests;
