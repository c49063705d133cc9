//! A derivative at a point, and what is put in its place.
//!
//! ```text
//! let (y, t) = jvp [x] [s] \(p) { ..  return (q) }  =>  let (p) = x  ..  let (q')  ..  let (y) = q  let (t) = q'
//!
//! let (ys, ts) = screma n [ss] map \(s) {           =>  the same with bundles of n tangents; ss and ts are transposed:
//!   let (y, t) = jvp [x] [s] \(p) { .. }                a bundle is the innermost dimension; ys repeats y
//!   return (y, t) }
//!
//! the same with `#[unroll]`, n = 2              =>  the same in two lanes, without arrays: (t) = [q'0, q'1]
//! ```
//!
//! The first results share memory with what the function's results share it with, as the derivative did. Tangents might
//! share it with seeds, which nobody expects of a derivative: then they are copied.

use crate::forward::Forward;
use fehu_base::Name;
use fehu_ir::alias::{Aliases, Signatures};
use fehu_ir::free::free_in_exp;
use fehu_ir::soac::{Ad, AdMode, Soac};
use fehu_ir::{Attr, Basic, Body, Builder, DimIndex, Exp, Lambda, Soacs, Stm, SubExp, Type};

/// The mark of a derivative that is taken in several directions, and that of one whose directions are code each.
const BUNDLE: &str = "bundle";
const UNROLL: &str = "unroll";

/// A derivative and where its results go.
pub(crate) struct Point<'s> {
    pub(crate) stm: &'s Stm<Soacs>,
    pub(crate) ad: &'s Ad<Soacs>,
    /// The map around it, for several directions.
    pub(crate) map: Option<Map<'s>>,
}

/// The map of a derivative over its seeds.
pub(crate) struct Map<'s> {
    pub(crate) width: SubExp,
    /// How many lanes there are, if each direction is to have code of its own and their number is known.
    pub(crate) lanes: Option<usize>,
    /// For each seed, the array of it or what it always is.
    pub(crate) seeds: Vec<Seed>,
    /// The map's results.
    pub(crate) results: Vec<Result>,
    /// The statement in the map.
    pub(crate) inner: &'s Stm<Soacs>,
}

pub(crate) enum Seed {
    Rows(Name),
    Same(SubExp),
}

/// A result of the map: of the derivative, or what it always is.
pub(crate) enum Result {
    Of(usize),
    Seed(Name),
    Same(SubExp),
}

/// The derivative that a statement takes.
pub(crate) fn of_one(stm: &Stm<Soacs>, mode: AdMode) -> Option<Point<'_>> {
    let Exp::Op(Soac::Ad(ad)) = &stm.exp else { return None };
    (ad.mode == mode).then_some(Point { stm, ad, map: None })
}

/// The derivative that a statement takes in several directions: a map of nothing else than a marked
/// derivative, whose point and function are the same for all seeds.
pub(crate) fn of_bundle(stm: &Stm<Soacs>, mode: AdMode) -> Option<Point<'_>> {
    let Exp::Op(Soac::Screma(s)) = &stm.exp else { return None };
    let [inner] = s.map.body.stms.as_slice() else { return None };
    let Exp::Op(Soac::Ad(ad)) = &inner.exp else { return None };
    let plain = s.scans.is_empty() && s.reds.is_empty();
    if !plain || ad.mode != mode || !has(&inner.attrs, BUNDLE) {
        return None;
    }
    let array = |e: SubExp| {
        let at = s.map.params.iter().position(|p| e == p.name.into())?;
        s.arrays.get(at).copied()
    };
    let whole = Ad { seeds: vec![], ..ad.clone() };
    let used = free_in_exp::<Soacs>(&Exp::Op(Soac::Ad(whole)));
    if s.map.params.iter().any(|p| used.contains(&p.name)) {
        return None;
    }
    let seed = |e: &SubExp| array(*e).map_or(Seed::Same(*e), Seed::Rows);
    let result = |e: &SubExp| match inner.pat.iter().position(|p| *e == p.name.into()) {
        Some(at) => Result::Of(at),
        None => array(*e).map_or(Result::Same(*e), Result::Seed),
    };
    let lanes = s.width.as_i64().filter(|_| has(&inner.attrs, UNROLL));
    let map = Map {
        width: s.width,
        lanes: lanes.and_then(|n| usize::try_from(n).ok()).filter(|n| *n > 0),
        seeds: ad.seeds.iter().map(seed).collect(),
        results: s.map.body.result.iter().map(result).collect(),
        inner,
    };
    Some(Point { stm, ad, map: Some(map) })
}

impl Point<'_> {
    /// The function whose derivative it is.
    pub(crate) fn lambda(&self) -> &Lambda<Soacs> {
        &self.ad.lambda
    }

    /// The statements that compute it.
    pub(crate) fn derived(self, forward: &mut Forward<'_>) -> Vec<Stm<Soacs>> {
        forward.b.loc = self.stm.loc.clone();
        forward.b.begin();
        let lanes = self.map.as_ref().and_then(|m| m.lanes);
        forward.bundle = self.map.as_ref().filter(|_| lanes.is_none()).map(|m| m.width);
        forward.lanes = lanes.unwrap_or(1);
        for (p, arg) in self.ad.lambda.params.iter().zip(&self.ad.args) {
            forward.b.bind_names(vec![(p.name, p.ty.clone())], Exp::Basic(Basic::SubExp(*arg)));
        }
        self.seeds(forward);
        forward.activity.of_body(&forward.b.types, &self.ad.lambda.body, &mut forward.active);
        forward.stms(self.ad.lambda.body.stms.clone());
        forward.b.loc = self.stm.loc.clone();
        let values = self.ad.lambda.body.result.clone();
        let tangents: Vec<SubExp> = values
            .iter()
            .map(|e| match lanes {
                None => forward.tangent_or_zero(*e),
                Some(_) => {
                    let ty = forward.b.type_of(*e);
                    let all = forward.all_tangents(*e);
                    stacked(&mut forward.b, all, ty)
                }
            })
            .collect();
        let all: Vec<SubExp> = values.into_iter().chain(tangents).collect();
        match &self.map {
            None => self.results(forward, &all),
            Some(map) => self.bundles(forward, map, &all),
        }
        let mut body = forward.b.end(vec![]);
        if self.map.is_none() {
            self.separate(&mut body);
        }
        let certs = self.stm.certs.iter().chain(self.map.iter().flat_map(|m| &m.inner.certs));
        let certs: Vec<Name> = certs.copied().collect();
        for stm in &mut body.stms {
            stm.certs.extend(certs.iter().filter(|c| !stm.certs.contains(c)).copied().collect::<Vec<_>>());
        }
        body.stms
    }

    /// Gives parameters their tangents. A constant 0 is none.
    fn seeds(&self, forward: &mut Forward<'_>) {
        for (nth, (p, seed)) in self.ad.lambda.params.iter().zip(&self.ad.seeds).enumerate() {
            if p.ty == Type::UNIT || is_zero(*seed) {
                continue;
            }
            forward.active.insert(p.name);
            if let Some(Map { lanes: Some(lanes), seeds, .. }) = &self.map {
                for lane in 0..*lanes {
                    let tangent = of_lane(&mut forward.b, &seeds[nth], lane);
                    forward.tangents.insert((p.name, lane), tangent);
                }
                continue;
            }
            let tangent = match self.map.as_ref().map(|m| (m.width, &m.seeds[nth])) {
                None => *seed,
                Some((n, Seed::Same(seed))) => {
                    let ty = forward.b.type_of(*seed).array_of(&[n]);
                    let rows = Exp::Basic(Basic::Replicate(vec![n], *seed));
                    let rows = forward.b.bind("seeds", ty, rows);
                    inwards(forward, rows, &p.ty)
                }
                Some((_, Seed::Rows(rows))) => inwards(forward, *rows, &p.ty),
            };
            forward.tangents.insert((p.name, 0), tangent);
        }
    }

    fn results(&self, forward: &mut Forward<'_>, all: &[SubExp]) {
        for (p, e) in self.stm.pat.iter().zip(all) {
            forward.b.bind_names(vec![(p.name, p.ty.clone())], Exp::Basic(Basic::SubExp(*e)));
        }
    }

    /// The results of the map, which are arrays of their own.
    fn bundles(&self, forward: &mut Forward<'_>, map: &Map<'_>, all: &[SubExp]) {
        let values = all.len() / 2;
        for (p, result) in self.stm.pat.iter().zip(&map.results) {
            let exp = match result {
                Result::Of(at) if *at >= values && map.lanes.is_some() => Basic::SubExp(all[*at]),
                Result::Of(at) if *at >= values => {
                    let rows = outwards(forward, all[*at], &p.ty);
                    Basic::Copy(rows)
                }
                Result::Of(at) => Basic::Replicate(vec![map.width], all[*at]),
                Result::Seed(rows) => Basic::Copy(*rows),
                Result::Same(e) => Basic::Replicate(vec![map.width], *e),
            };
            forward.b.bind_names(vec![(p.name, p.ty.clone())], Exp::Basic(exp));
        }
    }

    /// Copies the tangents that share memory with seeds. They are bound by the last statements.
    fn separate(&self, body: &mut Body<Soacs>) {
        let aliases = Aliases::of_body(&Signatures::default(), body);
        let seeds: Vec<Name> = self.ad.seeds.iter().filter_map(|e| e.name()).collect();
        let first = body.stms.len() - self.stm.pat.len() / 2;
        for stm in &mut body.stms[first..] {
            let [p] = stm.pat.as_slice() else { continue };
            let Exp::Basic(Basic::SubExp(SubExp::Var(a))) = stm.exp else { continue };
            if p.ty.is_array() && aliases.of(p.name).iter().any(|n| seeds.contains(n)) {
                stm.exp = Exp::Basic(Basic::Copy(a));
            }
        }
    }
}

/// Whether a statement has an attribute.
fn has(attrs: &[Attr], mark: &str) -> bool {
    attrs.iter().any(|a| matches!(a, Attr::Atom(name) if name.as_str() == mark))
}

/// The seed of a lane.
pub(crate) fn of_lane(b: &mut Builder<Soacs>, seed: &Seed, lane: usize) -> SubExp {
    let rows = match seed {
        Seed::Same(seed) => return *seed,
        Seed::Rows(rows) => *rows,
    };
    let ty = b.type_of(rows.into()).peel(1);
    let all = |n: &SubExp| DimIndex::Slice { start: SubExp::i64(0), len: *n, stride: SubExp::i64(1) };
    let slice = std::iter::once(DimIndex::Fix(SubExp::i64(lane as i64))).chain(ty.shape().iter().map(all));
    let row = Exp::Basic(Basic::Index(rows, slice.collect()));
    b.bind("seed", ty, row).into()
}

/// What lanes have, as rows of this type.
pub(crate) fn stacked(b: &mut Builder<Soacs>, lanes: Vec<SubExp>, ty: Type) -> SubExp {
    let all = ty.array_of(&[SubExp::i64(lanes.len() as i64)]);
    b.bind("rows", all, Exp::Basic(Basic::ArrayLit(lanes, ty))).into()
}

/// Whether an operand is the number 0.
pub(crate) fn is_zero(e: SubExp) -> bool {
    match e {
        SubExp::Const(v) => v == v.prim_type().blank(),
        SubExp::Var(_) => false,
    }
}

/// Rows of seeds, as a bundle for a value of this type: the outermost dimension becomes the innermost.
fn inwards(forward: &mut Forward<'_>, rows: Name, ty: &Type) -> SubExp {
    let rank = ty.rank();
    if rank == 0 {
        return rows.into();
    }
    let perm = (1..=rank).chain([0]).collect();
    let ty = forward.tangent_type(ty);
    forward.b.bind("bundle", ty, Exp::Basic(Basic::Rearrange(perm, rows))).into()
}

/// A bundle as rows, which is of this type: the innermost dimension becomes the outermost.
fn outwards(forward: &mut Forward<'_>, bundle: SubExp, ty: &Type) -> Name {
    let SubExp::Var(bundle) = bundle else { fehu_base::bug!("a bundle is an array") };
    let rank = ty.rank() - 1;
    if rank == 0 {
        return bundle;
    }
    let perm = [rank].into_iter().chain(0..rank).collect();
    forward.b.bind("rows", ty.clone(), Exp::Basic(Basic::Rearrange(perm, bundle)))
}
