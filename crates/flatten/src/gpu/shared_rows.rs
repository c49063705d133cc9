//! Whether points of a nest would each read all rows of a matrix that is the same for all of them.
//!
//! ```text
//! map (\q -> reduce best none (map (\p -> sum (map2 (*) p q)) ps)) qs          each point reads all of `ps`
//! ```
//!
//! One kernel for such a reduction, or one thread block for each point, reads `d` elements of `ps` for every
//! pair of rows. As a map of pairs, with its results in memory, and a reduction of these, it has the shape of
//! a matrix product: each operand is the same along one of the two dimensions, so that blocks read a part of
//! both and threads keep it in registers. The results are then written and read once, from memory, while
//! elements of `ps` come from caches. So the map and the reduction are the default where rows are longer than
//! results are wide, and there is so much to read that further launches do not matter. Times of this and of
//! what follows: `notebook/2026-11-19-gpu-mechanisms.md`.
//!
//! The same holds for maps whose results stay as they are: with a block or a thread for each point, all of a
//! second matrix is read for each row of the first.
//!
//! ```text
//! map (\w -> map (\r -> let t = map (* w) r in map (\c -> sum (map2 (*) t c)) (transpose b)) a) ws        each point `w`, `r` reads all of `b`
//! map (\x -> let h = map (\w -> max 0 (sum (map2 (*) x w))) w1 in map (\w -> sum (map2 (*) h w)) w2) xs     layers of a network
//! ```
//!
//! There, what goes through memory is what the operations of a point hand on to each other (`t`, `h`); other
//! results are written by any version. So what is read for pairs of rows is compared with all of that. Rows
//! are shared along the innermost dimension of the nest, which must have points enough for tiles, and must be
//! long enough for these. Where a body has loops, branches or maps with rows as results beside such maps, it
//! is not known what they hand on, and nothing changes.
//!
//! Comes in: a nest, and a reduction of a map (or a body with such) under it. Goes out: what a guard compares
//! ([`SharedRows::limit`]).

use super::nest::{Nest, Source};
use super::traffic::at_most_unless;
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::IntType;
use fehu_base::tuning::flattening;
use fehu_base::Name;
use fehu_ir::soac::{Screma, Soac};
use fehu_ir::{Body, Builder, Exp, Kernels, Soacs, Stm, SubExp, Type};

/// Operations on rows of matrices that all points of a nest read.
pub(super) struct SharedRows {
    pairs: Vec<Pairs>,
    /// What goes through memory for each point if these are operations of their own: elements, and the bytes of each.
    between: Vec<(SubExp, i64)>,
    /// How many points may share rows, where that can be too few.
    points: Option<SubExp>,
}

/// A row of the point is reduced together with each row of a matrix.
struct Pairs {
    /// How many rows the matrix has.
    rows: SubExp,
    /// Elements of a row.
    width: SubExp,
    /// Bytes of an element.
    element: i64,
}

impl SharedRows {
    /// The first such reduction of a body under a nest, or else all such maps.
    pub(super) fn in_body(nest: &Nest, body: &Body<Soacs>) -> Option<SharedRows> {
        let reduction = body.stms.iter().find_map(|stm| match &stm.exp {
            Exp::Op(Soac::Screma(s)) => {
                SharedRows::of_reduction(nest, s, &|a| binds(body, a.into()) || of_point(nest, a))
            }
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
        });
        let known = |of: &SharedRows| of.sizes().all(|e| !binds(body, e));
        reduction.filter(known).or_else(|| SharedRows::mapped(nest, body))
    }

    /// A reduction of a map under a nest, if its function reduces a row of the point together with a row that
    /// all points read.
    pub(super) fn of(nest: &Nest, s: &Screma<Soacs>) -> Option<SharedRows> {
        SharedRows::of_reduction(nest, s, &|a| of_point(nest, a))
    }

    /// The same, where arrays for which `is_own` holds are those of the point.
    fn of_reduction(nest: &Nest, s: &Screma<Soacs>, is_own: &dyn Fn(Name) -> bool) -> Option<SharedRows> {
        if s.reds.is_empty() {
            return None;
        }
        let result = s.map.ret.iter().map(bytes).sum::<Option<i64>>()?;
        let pairs = vec![Pairs::of(nest, s, is_own)?];
        Some(SharedRows { pairs, between: vec![(s.width, result)], points: None })
    }

    /// The maps of a body under a nest that do so, if it has nothing but operations whose elements are scalars.
    pub(super) fn mapped(nest: &Nest, body: &Body<Soacs>) -> Option<SharedRows> {
        let is_own = |a: Name| binds(body, a.into()) || of_point(nest, a);
        let (mut pairs, mut between) = (vec![], vec![]);
        for stm in &body.stms {
            match &stm.exp {
                Exp::Op(Soac::Screma(s)) => {
                    let maps = s.reds.is_empty() && s.scans.is_empty();
                    pairs.extend(Pairs::of(nest, s, &is_own).filter(|_| maps));
                    let handed_on = handed_on(body, stm)?;
                    if handed_on > 0 {
                        between.push((s.width, handed_on));
                    }
                }
                Exp::Basic(_) => {}
                Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => return None,
            }
        }
        let found = SharedRows { pairs, between, points: nest.widths.last().copied() };
        let known = found.sizes().all(|e| nest.invariant(e) && !binds(body, e));
        (known && !found.pairs.is_empty()).then_some(found)
    }

    /// The sizes that are compared.
    fn sizes(&self) -> impl Iterator<Item = SubExp> + '_ {
        let pairs = self.pairs.iter().flat_map(|of| [of.rows, of.width]);
        pairs.chain(self.between.iter().map(|(elements, _)| *elements))
    }

    /// What a guard compares that would compare `par`, of a version in which all points of the nest read all
    /// rows: no more than what is just not enough by default, where the version that shares them is faster.
    pub(super) fn limit(&self, b: &mut Builder<Kernels>, nest: &Nest, par: SubExp, limit: i64) -> SubExp {
        let (le, lt) = (CmpOp::SLe(IntType::I64), CmpOp::SLt(IntType::I64));
        let mut read = SubExp::i64(0);
        for of in &self.pairs {
            let row = b.mul64(of.width, SubExp::i64(of.element));
            let rows = b.mul64(of.rows, row);
            read = b.add64(read, rows);
        }
        let mut worth = SubExp::i64(0);
        for (elements, bytes) in &self.between {
            let bytes = SubExp::i64(flattening::SHARED_BYTES_PER_RESULT_BYTE * bytes);
            let bytes = b.mul64(*elements, bytes);
            worth = b.add64(worth, bytes);
        }
        let little = b.cmp(lt, read, worth);
        let points = b.product(&nest.widths);
        let read = b.mul64(points, read);
        let few = match self.points {
            Some(_) => flattening::SHARED_BYTES_OF_MAPS,
            None => flattening::SHARED_BYTES,
        };
        let few = b.cmp(le, read, SubExp::i64(few));
        let mut apart = b.bin(BinOp::LogOr, little, few);
        if let Some(points) = self.points {
            let alone = b.cmp(lt, points, SubExp::i64(flattening::MIN_POINTS_SHARING_ROWS));
            apart = b.bin(BinOp::LogOr, apart, alone);
            for of in &self.pairs {
                let short = b.cmp(lt, of.width, SubExp::i64(flattening::MIN_SHARED_ROW_ELEMENTS));
                apart = b.bin(BinOp::LogOr, apart, short);
            }
        }
        at_most_unless(b, apart, par, limit)
    }
}

impl Pairs {
    /// The rows that the function of an operation reduces together with one of the point, if all points read them.
    fn of(nest: &Nest, s: &Screma<Soacs>, is_own: &dyn Fn(Name) -> bool) -> Option<Pairs> {
        if !nest.invariant(s.width) {
            return None;
        }
        s.map.body.stms.iter().find_map(|stm| {
            let Exp::Op(Soac::Screma(row)) = &stm.exp else { return None };
            let own = row.arrays.iter().any(|a| is_own(*a));
            let shared = |row: Name| {
                let mut pairs = s.map.params.iter().zip(&s.arrays);
                pairs.any(|(p, all)| p.name == row && !is_own(*all))
            };
            let mut operands = row.arrays.iter().zip(&row.map.params);
            let (_, element) = operands.find(|(a, _)| shared(**a))?;
            let reduces = !row.reds.is_empty() && row.scans.is_empty();
            let is_param = s.map.params.iter().any(|p| SubExp::Var(p.name) == row.width);
            let known = nest.invariant(row.width) && !is_param && !binds(&s.map.body, row.width);
            let element = bytes(&element.ty).filter(|_| own && reduces && known)?;
            Some(Pairs { rows: s.width, width: row.width, element })
        })
    }
}

/// The bytes for each element of an operation of a body that are handed on to others; `None` where elements
/// are no scalars.
fn handed_on(body: &Body<Soacs>, stm: &Stm<Soacs>) -> Option<i64> {
    let arrays = stm.pat.iter().filter(|p| p.ty.is_array());
    let mut sum = 0;
    for p in arrays {
        let element = p.ty.elem().filter(|_| p.ty.shape().len() == 1)?;
        let returned = body.result.contains(&SubExp::Var(p.name));
        sum += if returned { 0 } else { element.bytes() as i64 };
    }
    Some(sum)
}

/// Whether a statement of a body binds an operand.
fn binds(body: &Body<Soacs>, e: SubExp) -> bool {
    body.stms.iter().any(|stm| stm.pat.iter().any(|p| SubExp::Var(p.name) == e))
}

/// The bytes of a scalar.
fn bytes(ty: &Type) -> Option<i64> {
    match ty {
        Type::Prim(p) => Some(p.bytes() as i64),
        Type::Array(..) | Type::Acc(..) | Type::Mem(_) => None,
    }
}

/// Whether an array differs along the innermost dimension of a nest.
fn of_point(nest: &Nest, array: Name) -> bool {
    match nest.find(array).map(|b| &b.source) {
        Some(Source::Elem { levels, .. }) => levels.contains(&(nest.depth() - 1)),
        Some(Source::Stm(_)) => true,
        Some(Source::Acc(_) | Source::Index(_)) | None => false,
    }
}
