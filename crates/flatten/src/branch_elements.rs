//! Branches that return rows become rows of branches.
//!
//! Before: any valid program over `Soacs`. After: in maps, a branch whose condition differs from point to
//! point, and whose sides return arrays that are computed element by element, is a map of branches that
//! return elements:
//!
//! ```text
//! map (\i -> if i == k                     map (\i -> map (\j -> if i == k
//!            then row                 =>                         then row[j]
//!            else map f xss[i]) is                               else f xss[i, j]) (iota m)) is
//! ```
//!
//! A branch of maps cannot be taken out of the map around it, so that one thread would compute a row. A map
//! of branches is one more level of parallelism, and is fused with what reads the row. Conditions that are
//! the same at all points stay: flattening makes branches of the host of them.
//!
//! The scalars of a side are computed again for each element, so that there may be few of them. A side that
//! checks something stays, since rows without elements would not check it; unless the check was made for
//! elements, and holds where there are none: `simplify` takes checks out of maps so.

use crate::gpu::parallel::{exploitable, varying_in};
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::tuning::flattening;
use fehu_base::{Name, NameSource};
use fehu_ir::build::Builder;
use fehu_ir::class::Class;
use fehu_ir::cost::stm_instructions;
use fehu_ir::free::free_in_stm;
use fehu_ir::soac::{Screma, Soac};
use fehu_ir::subst::rename_body;
use fehu_ir::types::{body_types, prog_types};
use fehu_ir::visit::{deep, for_each_stm, map_bodies};
use fehu_ir::{Basic, Body, DimIndex, Exp, Lambda, Param, Prog, Soacs, Stm, SubExp, Type};
use fehu_pass::{Need, Pass};
use rustc_hash::{FxHashMap, FxHashSet};

/// The pass.
pub static PASS: Pass<Prog<Soacs>> = Pass { name: "branch-elements", need: Need::Optional, run };

fn run(prog: &mut Prog<Soacs>) {
    let mut b = Builder::new(std::mem::replace(&mut prog.names, NameSource::new()));
    b.types = prog_types(prog);
    let mut pass = BranchElements {
        b,
        varying: FxHashSet::default(),
        conditions: FxHashMap::default(),
        refused: FxHashSet::default(),
    };
    for fun in &mut prog.funs {
        for_each_stm(&fun.body, &mut |stm| pass.learn(stm));
        pass.host(&mut fun.body);
    }
    prog.names = pass.b.names;
}

struct BranchElements {
    b: Builder<Soacs>,
    /// The names that differ from point to point of the outermost map around.
    varying: FxHashSet<Name>,
    /// Comparisons and disjunctions.
    conditions: FxHashMap<Name, Basic>,
    /// What branches bind that cannot become branches of elements: those in others have been tried with these.
    refused: FxHashSet<Name>,
}

impl BranchElements {
    fn learn(&mut self, stm: &Stm<Soacs>) {
        if let (
            [p],
            Exp::Basic(b @ (Basic::BinOp(BinOp::LogOr, ..) | Basic::CmpOp(CmpOp::SLe(IntType::I64), ..))),
        ) = (&stm.pat[..], &stm.exp)
        {
            self.conditions.insert(p.name, b.clone());
        }
    }

    /// Whether a condition holds where there are no elements.
    fn holds_without(&self, cond: SubExp, size: SubExp) -> bool {
        let none = Basic::CmpOp(CmpOp::SLe(IntType::I64), size, SubExp::i64(0));
        match cond.name().and_then(|c| self.conditions.get(&c)) {
            Some(Basic::BinOp(BinOp::LogOr, x, y)) => {
                deep(|| self.holds_without(*x, size) || self.holds_without(*y, size))
            }
            found => found == Some(&none),
        }
    }

    /// Code outside of all maps.
    fn host(&mut self, body: &mut Body<Soacs>) {
        deep(|| {
            for stm in &mut body.stms {
                match &mut stm.exp {
                    Exp::Op(Soac::Screma(s)) => {
                        self.varying = varying_in(&s.map);
                        self.points(&mut s.map.body);
                    }
                    Exp::Op(_) => {}
                    exp @ (Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_)) => {
                        map_bodies(exp, &mut |inner| self.host(inner))
                    }
                }
            }
        });
    }

    /// Code of the points of a map.
    fn points(&mut self, body: &mut Body<Soacs>) {
        deep(|| {
            let returned: FxHashSet<Name> = body.result.iter().filter_map(|e| e.name()).collect();
            let mut out = Vec::with_capacity(body.stms.len());
            for mut stm in std::mem::take(&mut body.stms) {
                if let Some((range, new)) = self.map_of_branches(&stm, &returned) {
                    out.push(range);
                    stm = new;
                }
                map_bodies(&mut stm.exp, &mut |inner| self.points(inner));
                out.push(stm);
            }
            body.stms = out;
        });
    }

    /// A branch as a range and a map over it.
    fn map_of_branches(
        &mut self,
        stm: &Stm<Soacs>,
        returned: &FxHashSet<Name>,
    ) -> Option<(Stm<Soacs>, Stm<Soacs>)> {
        let Exp::If(cond, yes, no) = &stm.exp else { return None };
        if !cond.name().is_some_and(|c| self.varying.contains(&c)) {
            return None;
        }
        let size = common_size(stm)?;
        if size.name().is_some_and(|n| self.varying.contains(&n)) || size.as_i64().is_some_and(is_small) {
            return None;
        }
        // Of what is only chosen from, a part may be read.
        let wanted =
            stm.pat.iter().all(|p| returned.contains(&p.name)) || exploitable(yes) || exploitable(no);
        if !wanted {
            return None;
        }
        let index = self.b.fresh("j", Type::I64);
        let elements = self.choice(stm, index.into(), Names::Own)?;
        let types: Vec<Type> = stm.pat.iter().map(|p| p.ty.peel(1)).collect();
        self.b.begin();
        let chosen = self.b.bind_all("x", types.clone(), elements);
        let body = self.b.end(chosen.into_iter().map(SubExp::from).collect());
        let param = Param { name: index, ty: Type::I64, dec: (), consumed: false };
        let map = Lambda { params: vec![param], body, ret: types };
        self.b.begin();
        let iota = Basic::Iota { n: size, start: SubExp::i64(0), step: SubExp::i64(1), ty: IntType::I64 };
        let range =
            self.b.bind("iota", Type::Array(PrimType::Int(IntType::I64), vec![size]), Exp::Basic(iota));
        let range_stm = self.b.end(vec![]).stms.pop()?;
        let screma = Screma { width: size, arrays: vec![range], scans: vec![], reds: vec![], map };
        Some((range_stm, Stm { exp: Exp::Op(Soac::Screma(screma)), ..stm.clone() }))
    }

    /// Elements of the arrays that a branch returns, all of which have as many elements.
    fn choice(&mut self, stm: &Stm<Soacs>, at: SubExp, names: Names) -> Option<Exp<Soacs>> {
        let (Exp::If(cond, yes, no), [p, ..]) = (&stm.exp, &stm.pat[..]) else { return None };
        if self.refused.contains(&p.name) {
            return None;
        }
        let size = common_size(stm)?;
        let yes = deep(|| self.side(yes, size, at, names));
        let no = yes.is_some().then(|| deep(|| self.side(no, size, at, names))).flatten();
        let exp = yes.zip(no).map(|(yes, no)| Exp::If(*cond, Box::new(yes), Box::new(no)));
        if exp.is_none() {
            self.refused.insert(p.name);
        }
        exp
    }

    /// Elements of the arrays that a body returns.
    fn side(&mut self, body: &Body<Soacs>, size: SubExp, at: SubExp, names: Names) -> Option<Body<Soacs>> {
        let renamed = match names {
            Names::Own => None,
            Names::New => Some(rename_body(&mut self.b.names, body)),
        };
        if let Some(body) = &renamed {
            for_each_stm(body, &mut |stm| self.learn(stm));
            let types = body_types(body);
            self.varying.extend(types.keys());
            self.b.types.extend(types);
        }
        let body = renamed.as_ref().unwrap_or(body);
        let mut rows = Rows {
            stms: &body.stms,
            by: FxHashMap::default(),
            done: FxHashMap::default(),
            repeated: FxHashSet::default(),
            size,
            at,
        };
        self.b.begin();
        let result = self.side_code(&mut rows).and_then(|()| {
            body.result.iter().map(|e| self.element(&mut rows, e.name()?, &[])).collect::<Option<Vec<_>>>()
        });
        let code = self.b.end(result.clone().unwrap_or_default());
        result.map(|_| code)
    }

    /// The scalars and views of a side. Rows are computed when somebody asks for an element.
    fn side_code(&mut self, rows: &mut Rows<'_>) -> Option<()> {
        let mut instructions = 0;
        for (k, stm) in rows.stms.iter().enumerate() {
            let kind = match &stm.exp {
                Exp::Basic(Basic::Assert(c, ..)) if self.holds_without(*c, rows.size) => Kind::Scalar(1),
                Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
                    kind(stm)?
                }
            };
            match kind {
                Kind::Row => rows.by.extend(stm.pat.iter().enumerate().map(|(i, p)| (p.name, (k, i)))),
                Kind::Scalar(n) => {
                    instructions += n;
                    self.push(rows, stm.clone())?;
                }
                Kind::View => self.push(rows, stm.clone())?,
            }
        }
        (instructions <= flattening::REPEATED_STATEMENTS).then_some(())
    }

    /// A statement that reads rows at most one element at a time.
    fn push(&mut self, rows: &mut Rows<'_>, mut stm: Stm<Soacs>) -> Option<()> {
        if let Exp::Basic(Basic::Index(row, slice)) = &stm.exp {
            if let ([DimIndex::Fix(at)], Some((k, i))) = (slice.as_slice(), rows.by.get(row).copied()) {
                let Exp::If(..) = &rows.stms[k].exp else { return None };
                rows.needs_no_other(k)?;
                let [only] = rows.stms[k].pat.as_slice() else { return None };
                let names = rows.names_for(k);
                let exp = self.choice(&rows.stms[k], *at, names)?;
                stm.exp = (only.ty.rank() == 1 && i == 0).then_some(exp)?;
                stm.certs.extend(&rows.stms[k].certs);
            }
        }
        if free_in_stm(&stm).into_iter().any(|n| rows.by.contains_key(&n)) {
            return None;
        }
        self.b.push(stm);
        Some(())
    }

    /// An element of an array, which has as many of them as the result of the branch, by its type or by these checks.
    fn element(&mut self, rows: &mut Rows<'_>, array: Name, certs: &[Name]) -> Option<SubExp> {
        let Some((k, i)) = rows.by.get(&array).copied() else {
            let ty = self.b.types.get(&array)?.clone();
            if certs.is_empty() && ty.shape().first() != Some(&rows.size) {
                return None;
            }
            let inner = ty.shape().iter().skip(1).map(|n| DimIndex::Slice {
                start: SubExp::i64(0),
                len: *n,
                stride: SubExp::i64(1),
            });
            let slice = std::iter::once(DimIndex::Fix(rows.at)).chain(inner).collect();
            let outside = std::mem::replace(&mut self.b.certs, certs.to_vec());
            let x = self.b.bind("x", ty.peel(1), Exp::Basic(Basic::Index(array, slice)));
            self.b.certs = outside;
            return Some(x.into());
        };
        if let Some(done) = rows.done.get(&k) {
            return done.get(i).copied();
        }
        let stm = &rows.stms[k];
        let elements = match &stm.exp {
            Exp::If(..) => {
                rows.needs_no_other(k)?;
                common_size(stm).filter(|n| *n == rows.size || !certs.is_empty())?;
                let names = rows.names_for(k);
                let exp = self.choice(stm, rows.at, names)?;
                let types = stm.pat.iter().map(|p| p.ty.peel(1)).collect();
                let certs = std::mem::replace(&mut self.b.certs, stm.certs.clone());
                let names = self.b.bind_all("x", types, exp);
                self.b.certs = certs;
                names.into_iter().map(SubExp::from).collect()
            }
            Exp::Op(Soac::Screma(s)) => {
                for (p, array) in s.map.params.iter().zip(&s.arrays) {
                    let x = self.element(rows, *array, &stm.certs)?;
                    self.b.bind_names(vec![(p.name, p.ty.clone())], Exp::Basic(Basic::SubExp(x)));
                }
                for inner in &s.map.body.stms {
                    let mut inner = inner.clone();
                    inner.certs.extend(&stm.certs);
                    self.push(rows, inner)?;
                }
                s.map.body.result.clone()
            }
            Exp::Basic(_) | Exp::Call(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => return None,
        };
        rows.done.insert(k, elements);
        rows.done[&k].get(i).copied()
    }
}

/// Which names code has that computes elements of a branch.
#[derive(Clone, Copy)]
enum Names {
    /// Those of the branch, which goes.
    Own,
    /// New ones: there is code for another element.
    New,
}

/// The arrays of a side that are computed element by element.
struct Rows<'a> {
    stms: &'a [Stm<Soacs>],
    /// Which statement binds an array, as the how manieth of its results.
    by: FxHashMap<Name, (usize, usize)>,
    /// The elements that were computed, by statement.
    done: FxHashMap<usize, Vec<SubExp>>,
    /// The branches of which there is code for an element.
    repeated: FxHashSet<usize>,
    size: SubExp,
    /// Which element is asked for.
    at: SubExp,
}

impl Rows<'_> {
    /// Whether a statement reads no rows: the sides of a branch know nothing of those around it.
    fn needs_no_other(&self, k: usize) -> Option<()> {
        if self.by.values().all(|(j, _)| *j >= k) {
            return Some(());
        }
        let free = free_in_stm(&self.stms[k]);
        free.into_iter().all(|n| !self.by.contains_key(&n)).then_some(())
    }

    /// The names for one more element of a branch.
    fn names_for(&mut self, k: usize) -> Names {
        match self.repeated.insert(k) {
            true => Names::Own,
            false => Names::New,
        }
    }
}

/// What a statement of a side is.
enum Kind {
    /// Scalars that take so many instructions.
    Scalar(usize),
    /// Elements of others, or of none, which nobody has to store.
    View,
    /// Arrays that are computed element by element.
    Row,
}

fn kind(stm: &Stm<Soacs>) -> Option<Kind> {
    let scalar = stm.pat.iter().all(|p| matches!(p.ty, Type::Prim(_)));
    match &stm.exp {
        Exp::Basic(b) if scalar => match b.class() {
            Class::Arithmetic | Class::Function | Class::Read => stm_instructions(stm).map(Kind::Scalar),
            Class::Opaque
            | Class::Check
            | Class::View
            | Class::Reshape
            | Class::Generate
            | Class::Gather
            | Class::Update => None,
        },
        Exp::Basic(Basic::Iota { .. } | Basic::Replicate(..)) => Some(Kind::View),
        Exp::Basic(b) => {
            matches!(b.class(), Class::Read | Class::View | Class::Reshape).then_some(Kind::View)
        }
        Exp::If(..) if common_size(stm).is_some() => Some(Kind::Row),
        Exp::If(_, t, f) if scalar && !has_checks(t) && !has_checks(f) => {
            stm_instructions(stm).map(Kind::Scalar)
        }
        Exp::Op(Soac::Screma(s)) if s.scans.is_empty() && s.reds.is_empty() => {
            (stm.attrs.is_empty() && !changes_rows(&s.map)).then_some(Kind::Row)
        }
        Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
    }
}

/// Whether a function may change rows that it is given: then it needs rows of its own.
fn changes_rows(map: &Lambda<Soacs>) -> bool {
    let mut found = false;
    for_each_stm(&map.body, &mut |stm| {
        found |= match &stm.exp {
            Exp::Basic(b) => b.class() == Class::Update,
            Exp::If(..) | Exp::Op(Soac::Screma(_)) => false,
            Exp::Call(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => true,
        };
    });
    found && map.params.iter().any(|p| p.ty.is_array())
}

fn has_checks(body: &Body<Soacs>) -> bool {
    let mut found = false;
    for_each_stm(body, &mut |stm| found |= stm.exp.class() == Some(Class::Check));
    found
}

/// The outermost size of all that a statement binds, if it binds arrays only.
fn common_size(stm: &Stm<Soacs>) -> Option<SubExp> {
    let size = *stm.pat.first()?.ty.shape().first()?;
    let same = |ty: &Type| matches!(ty, Type::Array(..)) && ty.shape().first() == Some(&size);
    let own = |n: Name| stm.pat.iter().any(|p| p.name == n);
    let outside = |ty: &Type| ty.shape().iter().all(|n| n.name().is_none_or(|n| !own(n)));
    stm.pat.iter().all(|p| same(&p.ty) && outside(&p.ty)).then_some(size)
}

/// Whether so few elements are not worth a level of parallelism.
fn is_small(n: i64) -> bool {
    n < flattening::LEAST_ELEMENTS
}
