//! Results whose places are known on the way down: which functions have them.
//!
//! A function that calls itself, and joins what its calls return, need not wait for them to know where that
//! goes, if sizes are known before: what is joined before a call is as long as its type says.
//!
//! ```text
//! fun sorted(n, xs) : [n]f32 =                      at the place `at`:
//!   if n < 2 then xs                                write xs at `at`
//!   else let p, less, same, more = ...              the same
//!        let low  = sorted(l, less)                 sorted(l, less) at `at`
//!        let high = sorted(m, more)                 sorted(m, more) at `at + l + s`
//!        in <sizes fit> low ++ same ++ high         write same at `at + l`, once the sizes fit
//! ```
//!
//! So nothing is left to do after the calls: nothing of a depth is kept for the way back, and no depth copies
//! what deeper ones have done. [`super::placed`] emits it; here is what must hold.
//!
//! - All functions that call each other return only arrays, as many each, the sizes of which are constants or
//!   parameters.
//! - Calls of this recursion are statements of the function's body, or of a side of a branch that is itself
//!   such a statement: not in loops or combinators.
//! - What such a call or branch binds is used once, for a result: as it is, copied, cast to another outer
//!   size, or joined with other arrays along the first dimension, in any nesting of these. A call's k-th
//!   result goes to the k-th result.
//! - A branch with such calls in it binds only arrays, whose sizes it does not bind.
//! - What such a call or branch uses is not consumed by a statement after it: calls are made after all other
//!   statements.
//!
//! Where one of these does not hold, for one of the functions, results are joined after the calls ([`super::calls`]).

use super::functions::Functions;
use fehu_base::Name;
use fehu_ir::alias::{Aliases, Signatures};
use fehu_ir::consume::consumed_by_exp;
use fehu_ir::free::{free_in_stm, Names};
use fehu_ir::types::{fun_types, Types};
use fehu_ir::visit::{deep, for_each_body, for_each_stm};
use fehu_ir::{Basic, Body, Exp, ExtSize, FunDef, RetType, Soacs, Stm, SubExp};
use rustc_hash::{FxHashMap, FxHashSet};

/// A body whose results are written on the way down.
pub(super) struct Descent {
    /// What is done before.
    pub(super) stms: Vec<Stm<Soacs>>,
    /// The names that all else uses.
    pub(super) used: Vec<SubExp>,
    /// What is checked before anything is written.
    pub(super) certs: Vec<Name>,
    /// Arrays, and where each of them goes.
    pub(super) pieces: Vec<(Name, Place)>,
    /// Calls and branches.
    pub(super) ends: Vec<End>,
}

/// Where an array goes: to a result of the body, after arrays of these sizes.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) result: usize,
    pub(super) before: Vec<SubExp>,
}

/// A call or branch, and where each of its results goes.
pub(super) struct End {
    pub(super) stm: Stm<Soacs>,
    pub(super) places: Vec<Place>,
    /// The sides of a branch.
    pub(super) sides: Option<Box<[Descent; 2]>>,
}

/// Whether the results of a function, and of those that it calls itself through, have places that are known
/// on the way down.
pub(super) fn has_places(functions: &Functions, signatures: &Signatures, fun: Name) -> bool {
    let mut all = functions.reached(fun).filter(|f| functions.call_each_other(fun, f.name)).peekable();
    all.peek().is_some() && all.all(|f| descent(functions, signatures, (fun, f)).is_some())
}

/// The body of a function, which calls itself through this one or is it, on the way down.
pub(super) fn descent(
    functions: &Functions,
    signatures: &Signatures,
    (fun, source): (Name, &FunDef<Soacs>),
) -> Option<Descent> {
    let known = |size: &ExtSize| matches!(size, ExtSize::Free(_));
    let fine = source.ret.iter().all(|r| match &r.ty {
        RetType::Array { shape, .. } => shape.iter().all(known),
        RetType::Prim(_) | RetType::Mem(_) => false,
    });
    if !fine || source.ret.is_empty() {
        return None;
    }
    let results: Vec<usize> = (0..source.ret.len()).collect();
    let finder = Finder { functions, signatures, fun, results: results.len(), types: fun_types(source) };
    finder.body(&source.body, &results)
}

struct Finder<'a> {
    functions: &'a Functions,
    signatures: &'a Signatures,
    fun: Name,
    /// How many results there are.
    results: usize,
    types: Types,
}

/// What binds a name that is not there before the calls.
enum Late {
    /// This result of an end.
    End(usize, usize),
    /// Arrays that are joined, or the only one.
    Joined(Vec<Name>),
}

impl Finder<'_> {
    /// A body, whose results go to these of the function.
    fn body(&self, body: &Body<Soacs>, to: &[usize]) -> Option<Descent> {
        deep(|| {
            let mut late: FxHashMap<Name, Late> = FxHashMap::default();
            let mut found =
                Descent { stms: vec![], used: vec![], certs: vec![], pieces: vec![], ends: vec![] };
            for stm in &body.stms {
                let is_end = self.calls_inside(stm);
                let needs = free_in_stm(stm).iter().any(|n| late.contains_key(n));
                if !is_end && !needs {
                    found.stms.push(stm.clone());
                    continue;
                }
                if is_end && needs {
                    return None;
                }
                if is_end {
                    let at = found.ends.len();
                    late.extend(stm.pat.iter().enumerate().map(|(k, p)| (p.name, Late::End(at, k))));
                    found.ends.push(End { stm: stm.clone(), places: vec![], sides: None });
                } else {
                    late.insert(stm.pat.first()?.name, Late::Joined(self.joined(stm)?));
                }
                found.certs.extend(
                    stm.certs.iter().filter(|c| !found.certs.contains(c)).copied().collect::<Vec<_>>(),
                );
            }
            if self.is_taken_over(body, &found.ends) {
                return None;
            }
            self.places(&mut found, late, &body.result)?;
            for end in &mut found.ends {
                self.end(end, to)?;
            }
            found.used = used(&found);
            Some(found)
        })
    }

    /// Whether a statement is, or has in it, a call of this recursion.
    fn calls_inside(&self, stm: &Stm<Soacs>) -> bool {
        let own = |s: &Stm<Soacs>| matches!(&s.exp, Exp::Call(f, _) if self.functions.call_each_other(self.fun, *f));
        let mut any = own(stm);
        for_each_body(&stm.exp, &mut |b| for_each_stm(b, &mut |s| any |= own(s)));
        any
    }

    /// The arrays that a statement joins, or the one whose elements it has, in their order.
    fn joined(&self, stm: &Stm<Soacs>) -> Option<Vec<Name>> {
        let [p] = stm.pat.as_slice() else { return None };
        match &stm.exp {
            Exp::Basic(Basic::Concat { dim: 0, arrays, .. }) => Some(arrays.clone()),
            Exp::Basic(Basic::Copy(a) | Basic::Reshape(_, a) | Basic::SubExp(SubExp::Var(a))) => {
                let (from, to) = (self.types.get(a)?.shape(), p.ty.shape());
                (from.len() == to.len() && from.get(1..)? == to.get(1..)?).then(|| vec![*a])
            }
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
        }
    }

    /// Whether a statement takes over what an end before it uses.
    fn is_taken_over(&self, body: &Body<Soacs>, ends: &[End]) -> bool {
        let aliases = Aliases::of_body(self.signatures, body);
        let mut needed = Names::default();
        for stm in &body.stms {
            let consumed = consumed_by_exp(self.signatures, &aliases, &stm.exp);
            if consumed.iter().any(|c| needed.iter().any(|n| aliases.may_alias(*n, *c))) {
                return true;
            }
            if ends.iter().any(|end| end.stm.pat == stm.pat) {
                needed.extend(free_in_stm(stm));
            }
        }
        false
    }

    /// Finds where everything goes. All that is late is used once.
    fn places(&self, found: &mut Descent, mut late: FxHashMap<Name, Late>, results: &[SubExp]) -> Option<()> {
        let all: FxHashSet<Name> = late.keys().copied().collect();
        let mut of_ends: Vec<Vec<Option<Place>>> =
            found.ends.iter().map(|end| vec![None; end.stm.pat.len()]).collect();
        for (result, e) in results.iter().enumerate() {
            let mut before = vec![];
            let mut next = vec![e.name()?];
            while let Some(n) = next.pop() {
                let place = Place { result, before: before.clone() };
                match late.remove(&n) {
                    Some(Late::Joined(arrays)) => {
                        next.extend(arrays.iter().rev());
                        continue;
                    }
                    Some(Late::End(at, k)) => of_ends[at][k] = Some(place),
                    None if all.contains(&n) => return None,
                    None => found.pieces.push((n, place)),
                }
                let shape = self.types.get(&n)?.shape();
                found.used.extend(shape);
                before.push(*shape.first()?);
            }
        }
        for (end, places) in found.ends.iter_mut().zip(of_ends) {
            end.places = places.into_iter().collect::<Option<_>>()?;
        }
        late.is_empty().then_some(())
    }

    /// Looks into a branch, and at where the results of a call go.
    fn end(&self, end: &mut End, to: &[usize]) -> Option<()> {
        let pat = &end.stm.pat;
        let own = |d: &SubExp| d.name().is_some_and(|n| pat.iter().any(|p| p.name == n));
        if pat.iter().any(|p| !p.ty.is_array() || p.ty.shape().iter().any(own)) {
            return None;
        }
        let to: Vec<usize> = end.places.iter().map(|p| to[p.result]).collect();
        match &end.stm.exp {
            Exp::Call(..) => {
                let in_order = to.iter().enumerate().all(|(k, r)| k == *r);
                (in_order && to.len() == self.results).then_some(())
            }
            Exp::If(_, yes, no) => {
                end.sides = Some(Box::new([self.body(yes, &to)?, self.body(no, &to)?]));
                Some(())
            }
            Exp::Basic(_) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
        }
    }
}

/// The names that pieces, ends and checks use, and the sizes that are known to be used.
fn used(found: &Descent) -> Vec<SubExp> {
    let mut all: Names =
        found.certs.iter().copied().chain(found.used.iter().filter_map(|e| e.name())).collect();
    all.extend(found.pieces.iter().map(|(n, _)| *n));
    all.extend(found.ends.iter().flat_map(|end| free_in_stm(&end.stm)));
    all.into_iter().map(SubExp::Var).collect()
}
