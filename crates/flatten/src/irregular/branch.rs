//! Rule of branches: each side runs at the points that take it.
//!
//! Where the condition is the same at all points, it is a branch of the host. Otherwise the points are
//! divided; each side runs at those that take it, and what a point has in the end is read from the side that
//! it took, or written by it ([`super::sides`]). For conditions `[t, f, t]`:
//!
//! ```text
//! ranks    the scan of the conditions as numbers: [1, 1, 2]
//! points   which points take the first side: [0, 2], and which the second: [1]
//! ```
//!
//! The rank of a point says where it is among those of its side: one before its rank, or as many places after
//! the first as it has numbers before it that are not counted by its rank. So the kernel that scans writes
//! the points of both sides, each in memory with room for all of them, and nobody waits for how many there
//! are before that.
//!
//! If a side uses arrays whose size differs, it will ask for their sizes and for where they begin. The same
//! kernel sums up the sizes of its points and writes both, so that the host waits once for the number of
//! points and of elements. Where both sides use arrays of the same size, those of the second side begin where
//! its own would among all points, less what the first side has before. The kernel also writes where these
//! arrays begin among those of all points, which whoever reads their elements need not find by the number of
//! the point then.

use super::level::Lift;
use super::running::{Branch, Divided, State};
use super::sides::{elements_of, written_by_sides, written_over, Elements};
use super::value::{LevelId, Points, Shape, Value};
use fehu_base::ops::{BinOp, CmpOp, ConvOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::Name;
use fehu_ir::free::{free_in_body, free_in_stm};
use fehu_ir::soac::{Scatter, ScatterDest, Soac};
use fehu_ir::subst::Subst;
use fehu_ir::{Basic, Body, DimIndex, Exp, Lambda, PatElem, Soacs, Stm, SubExp, Type};

/// What a side gives.
pub(super) struct Side {
    /// Where a point finds what it has.
    pub(super) at: At,
    pub(super) results: Vec<Given>,
}

/// What a side gives for a result.
pub(super) struct Given {
    data: Name,
    /// Where the array of each point begins, if their sizes differ.
    starts: Option<Name>,
    /// Its elements, if all dimensions are flat.
    elements: Option<Elements>,
}

/// Which side of a branch.
#[derive(Clone, Copy)]
enum Which {
    First,
    Second,
}

/// Where a point finds what it has on a side.
#[derive(Clone, Copy)]
pub(super) enum At {
    /// At its place among the points that took the first side.
    First,
    /// At its place among the points that took the second side.
    Second,
    /// At its own number, a name of the nest.
    Own(Name),
}

impl Lift<'_> {
    /// A conditional at the points of a level; what is left of it, if its sides need calls.
    pub(super) fn branch(&mut self, level: LevelId, stm: Stm<Soacs>) -> Option<Option<State>> {
        let Stm { pat, exp: Exp::If(cond, yes, no), .. } = stm else { return None };
        if pat.iter().any(|p| matches!(p.ty, Type::Acc(..) | Type::Mem(_)) || p.ty == Type::UNIT) {
            return None;
        }
        if !self.varies(cond) {
            return self.host_branch(level, &pat, cond, (*yes, *no)).map(|()| None);
        }
        let sizes = [&*yes, &*no].map(|side| self.size_used(level, side));
        let divided = self.divide_with(level, cond, sizes)?;
        let sides = [self.begin(divided.yes, *yes)?, self.begin(divided.no, *no)?];
        let branch = Branch { level, pat, cond, divided, sides };
        if self.end_of_branch(&branch)? {
            return Some(None);
        }
        Some(Some(State::Branch(Box::new(branch))))
    }

    /// Goes on with the sides after calls were made. Says whether all is done.
    pub(super) fn go_on_with_branch(&mut self, branch: &mut Branch) -> Option<bool> {
        for side in &mut branch.sides {
            self.go_on(side)?;
        }
        self.end_of_branch(branch)
    }

    /// What each point has after a branch, if both sides are done.
    fn end_of_branch(&mut self, branch: &Branch) -> Option<bool> {
        let Branch { level, pat, cond, divided, sides: [yes, no] } = branch;
        if !yes.is_done() || !no.is_done() {
            return Some(false);
        }
        if written_over(self, branch)? {
            return Some(true);
        }
        let yes = self.side_of(divided.yes, At::First, pat, &yes.result)?;
        let no = self.side_of(divided.no, At::Second, pat, &no.result)?;
        self.joined_sides(*level, pat, *cond, divided, [&yes, &no])?;
        Some(true)
    }

    /// The size of arrays of a level that the code of a side uses, if it differs from point to point.
    fn size_used(&self, level: LevelId, side: &Body<Soacs>) -> Option<Name> {
        let used = side.stms.iter().flat_map(free_in_stm);
        used.filter_map(|n| self.size_of(level, n)).min()
    }

    /// The same for the code of a side, or what it returns.
    pub(super) fn size_used_or_returned(&self, level: LevelId, side: &Body<Soacs>) -> Option<Name> {
        free_in_body(side).into_iter().filter_map(|n| self.size_of(level, n)).min()
    }

    /// The size of an array of a level, if it differs from point to point.
    fn size_of(&self, level: LevelId, n: Name) -> Option<Name> {
        let Some(Value::Flat(shape, _)) = self.values.get(&n) else { return None };
        let shape = &self.shapes[shape.0];
        let [SubExp::Var(size)] = self.b.types.get(&n)?.shape() else { return None };
        let Some(Value::Each(at, sizes)) = self.values.get(size) else { return None };
        (shape.level == level && *at == level && *sizes == shape.sizes).then_some(*size)
    }

    /// Divides the points of a level by a condition.
    pub(super) fn divide(&mut self, level: LevelId, cond: SubExp) -> Option<Divided> {
        self.divide_with(level, cond, [None, None])
    }

    /// The same, where the shape of arrays of a size is known for the points of each side.
    pub(super) fn divide_with(
        &mut self,
        level: LevelId,
        cond: SubExp,
        sizes: [Option<Name>; 2],
    ) -> Option<Divided> {
        let width = self.width(level);
        let of_sides: Vec<(usize, Name)> =
            sizes.iter().enumerate().filter_map(|(side, size)| Some((side, (*size)?))).collect();
        // What the points of the second side have is the rest of what all points have.
        let rest = sizes[0].is_some() && sizes[0] == sizes[1];
        let scanned = of_sides.clone().into_iter().take(if rest { 1 } else { 2 });
        let body = self.nested(|f| {
            let mut steps = vec![f.b.conv(ConvOp::BToI(IntType::I64), cond)];
            for (side, size) in scanned {
                let mut of = [SubExp::i64(0); 2];
                of[side] = size.into();
                steps.push(f.choose(cond, of[0], of[1], Type::I64));
            }
            Some(steps)
        })?;
        let types = vec![Type::I64; body.result.len()];
        let steps = self.map(level, body, &types)?;
        let ranks = self.scan(width, steps[0], BinOp::Add(IntType::I64));
        let ends: Vec<Name> = steps[1..].iter().map(|sizes| self.sums(width, *sizes)).collect();
        let [rank, number] = ["rank", "p"].map(|base| self.b.fresh(base, Type::I64));
        self.values.insert(rank, Value::Each(level, ranks));
        self.values.insert(number, Value::Number(level));
        let body = self.nested(|f| {
            let [yes, no] = [Which::First, Which::Second].map(|side| f.place_on(side, rank, number));
            let [yes, no] = [
                f.choose(cond, yes, SubExp::i64(-1), Type::I64),
                f.choose(cond, SubExp::i64(-1), no, Type::I64),
            ];
            Some(vec![yes, no])
        })?;
        let places = self.map(level, body, &[Type::I64, Type::I64])?;
        let numbers = self.numbers(level);
        let mut values = vec![(0, numbers), (1, numbers)];
        for (i, (side, size)) in of_sides.iter().enumerate() {
            let shape = self.shape(level, &[(*size).into()], &[])?;
            let Shape { sizes, starts: before, .. } = self.shapes[shape.0];
            let starts = match ends.get(i) {
                Some(ends) => self.starts(width, sizes, *ends)?,
                None => self.starts(width, *ends.first()?, before)?,
            };
            values.extend([(*side, sizes), (*side, before), (*side, starts)]);
        }
        let mut summed = vec![ranks];
        summed.extend(&ends);
        let (written, sums) = self.written_at([places[0], places[1]], width, &values, (numbers, &summed))?;
        let mut written = written.into_iter();
        let points = [written.next()?, written.next()?];
        let count = self.unless_empty(width, sums, 0)?;
        let others = self.b.sub64(width, count);
        let widths = [count, others];
        let [yes, no] = [0, 1].map(|side: usize| {
            let points = self.part(points[side], SubExp::i64(0), widths[side]);
            self.add_level(widths[side], Points::Selected(level, points))
        });
        self.known.other_sides.extend([(yes, no), (no, yes)]);
        let mut of_first = None;
        for (i, (side, size)) in of_sides.into_iter().enumerate() {
            let all = self.shape(level, &[size.into()], &[])?;
            let Shape { sizes: all_sizes, starts: all_starts, total: of_all, .. } = self.shapes[all.0];
            let total = match ends.get(i) {
                Some(_) => self.unless_empty(width, sums, i + 1)?,
                None => self.b.sub64(of_all, of_first?),
            };
            of_first = Some(total);
            let of_side = [written.next()?, written.next()?, written.next()?];
            let [sizes, before, starts] = of_side.map(|all| self.part(all, SubExp::i64(0), widths[side]));
            let at = [yes, no][side];
            self.known.moved.extend([((at, all_sizes), sizes), ((at, all_starts), before)]);
            let shape = Shape { level: at, sizes, starts, ends: None, total, checks: vec![] };
            self.add_shape(&[size.into()], shape);
        }
        Some(Divided { yes, no, rank, number })
    }

    /// Numbers that the points of a level have, written at one of two places: arrays with room for all
    /// points. Also the sums over all points, of which there are those up to each point: in one array of a
    /// few numbers, which the host reads at once.
    fn written_at(
        &mut self,
        places: [Name; 2],
        width: SubExp,
        values: &[(usize, Name)],
        (numbers, summed): (Name, &[Name]),
    ) -> Option<(Vec<Name>, Name)> {
        let all = Type::Array(PrimType::I64, vec![width]);
        let (mut dests, mut arrays) = (vec![], places.to_vec());
        for _ in values {
            let scratch = Exp::Basic(Basic::Scratch(PrimType::I64, vec![width]));
            let array = self.b.bind("points", all.clone(), scratch);
            dests.push(ScatterDest { shape: vec![width], array });
        }
        let count = SubExp::i64(summed.len() as i64);
        let few = Type::Array(PrimType::I64, vec![count]);
        let sums = Exp::Basic(Basic::Scratch(PrimType::I64, vec![count]));
        let sums = self.b.bind("sums", few.clone(), sums);
        dests.extend(summed.iter().map(|_| ScatterDest { shape: vec![count], array: sums }));
        for array in values.iter().map(|(_, value)| value).chain([&numbers]).chain(summed) {
            if !arrays.contains(array) {
                arrays.push(*array);
            }
        }
        let base = |i: usize| if i < places.len() { "at" } else { "p" };
        let params: Vec<_> = (0..arrays.len()).map(|i| self.b.param(base(i), Type::I64)).collect();
        let param_of = |array: &Name| {
            let at = arrays.iter().position(|a| a == array)?;
            Some(SubExp::Var(params[at].name))
        };
        let body = self.nested(|f| {
            let mut result: Vec<SubExp> =
                values.iter().filter_map(|(side, _)| param_of(&places[*side])).collect();
            let last = f.b.sub64(width, SubExp::i64(1));
            let is_last = f.b.cmp(CmpOp::Eq(PrimType::I64), param_of(&numbers)?, last);
            for k in 0..summed.len() {
                result.push(f.choose(is_last, SubExp::i64(k as i64), SubExp::i64(-1), Type::I64));
            }
            result.extend(values.iter().map(|(_, value)| value).chain(summed).filter_map(param_of));
            Some(result)
        })?;
        let ret = vec![Type::I64; body.result.len()];
        let lambda = Lambda { params, body, ret };
        let scatter = Soac::Scatter(Scatter { width, arrays, dests, lambda });
        let mut types = vec![all; values.len()];
        types.push(few);
        let mut written = self.b.bind_all("points", types, Exp::Op(scatter));
        let sums = written.pop()?;
        Some((written, sums))
    }

    /// The place of a point among those of a side that it takes: code of the point.
    fn place_on(&mut self, side: Which, rank: Name, number: Name) -> SubExp {
        match side {
            Which::First => self.b.sub64(rank.into(), SubExp::i64(1)),
            Which::Second => self.b.sub64(number.into(), rank.into()),
        }
    }

    fn part(&mut self, points: Name, start: SubExp, len: SubExp) -> Name {
        let slice = vec![DimIndex::Slice { start, len, stride: SubExp::i64(1) }];
        self.b.bind("points", Type::Array(PrimType::I64, vec![len]), Exp::Basic(Basic::Index(points, slice)))
    }

    /// Runs one side, and gives its results in the form that the pattern asks for.
    pub(super) fn side(
        &mut self,
        level: LevelId,
        at: At,
        pat: &[PatElem<Soacs>],
        body: Body<Soacs>,
    ) -> Option<Side> {
        let result = self.code(level, body)?;
        self.side_of(level, at, pat, &result)
    }

    /// Values for a pattern as those of a side.
    pub(super) fn side_of(
        &mut self,
        level: LevelId,
        at: At,
        pat: &[PatElem<Soacs>],
        result: &[SubExp],
    ) -> Option<Side> {
        let subst = result_subst(pat, result);
        let mut results = vec![];
        for (e, p) in result.iter().zip(pat) {
            let mut ty = p.ty.clone();
            subst.ty(&mut ty);
            results.push(match self.conform(level, *e, &ty, &[])? {
                Value::Each(_, data) => Given { data, starts: None, elements: None },
                Value::Flat(shape, data) => {
                    let elements = elements_of(self, level, *e, &ty, data);
                    Given { data, starts: Some(self.shapes[shape.0].starts), elements }
                }
                Value::Number(_) | Value::Place(_) | Value::Check(_) => return None,
            });
        }
        Some(Side { at, results })
    }

    /// What each point has after a branch, from the sides.
    pub(super) fn joined_sides(
        &mut self,
        level: LevelId,
        pat: &[PatElem<Soacs>],
        cond: SubExp,
        divided: &Divided,
        sides: [&Side; 2],
    ) -> Option<()> {
        let scalars: Vec<usize> = (0..pat.len()).filter(|i| !pat[*i].ty.is_array()).collect();
        if !scalars.is_empty() {
            let types: Vec<Type> = scalars.iter().map(|i| pat[*i].ty.clone()).collect();
            let body = self.nested(|f| {
                let read = |f: &mut Self, side: &Side, at: SubExp| {
                    let read = |i: &usize| f.element_of(side.results[*i].data.into(), &[at]);
                    scalars.iter().map(read).collect()
                };
                f.of_sides(cond, divided, sides, &types, |f, side, at| read(f, side, at))
            })?;
            let arrays = self.map(level, body, &types)?;
            for (i, array) in scalars.iter().zip(arrays) {
                self.values.insert(pat[*i].name, Value::Each(level, array));
            }
        }
        for (i, p) in pat.iter().enumerate().filter(|(_, p)| p.ty.is_array()) {
            if let (At::First, At::Second, [Some(yes), Some(no)]) =
                (sides[0].at, sides[1].at, sides.map(|side| side.results[i].elements.as_ref()))
            {
                let value = written_by_sides(self, level, p, [yes, no])?;
                self.values.insert(p.name, value);
                continue;
            }
            let dims = p.ty.shape().to_vec();
            let value = self.fill(level, &p.ty, &[], |f, index| {
                let elem = p.ty.peel(p.ty.rank());
                f.of_sides(cond, divided, sides, &[elem], |f, side, at| {
                    let Given { data, starts, .. } = side.results[i];
                    Some(vec![f.side_element(data, starts, at, (index, &dims))?])
                })?
                .first()
                .copied()
            })?;
            self.values.insert(p.name, value);
        }
        Some(())
    }

    /// A conditional in the code of a point: reads from its own side.
    fn of_sides(
        &mut self,
        cond: SubExp,
        divided: &Divided,
        sides: [&Side; 2],
        types: &[Type],
        read: impl Fn(&mut Self, &Side, SubExp) -> Option<Vec<SubExp>>,
    ) -> Option<Vec<SubExp>> {
        let mut of = |side: &Side| {
            self.nested(|f| {
                let at = match side.at {
                    At::First => f.place_on(Which::First, divided.rank, divided.number),
                    At::Second => f.place_on(Which::Second, divided.rank, divided.number),
                    At::Own(number) => number.into(),
                };
                read(f, side, at)
            })
        };
        let yes = of(sides[0])?;
        let no = of(sides[1])?;
        let names = self.b.bind_all("side", types.to_vec(), Exp::If(cond, Box::new(yes), Box::new(no)));
        Some(names.into_iter().map(SubExp::Var).collect())
    }

    /// An element of the array of a point of a side.
    fn side_element(
        &mut self,
        data: Name,
        starts: Option<Name>,
        at: SubExp,
        (index, dims): (&[SubExp], &[SubExp]),
    ) -> Option<SubExp> {
        let Some(starts) = starts else {
            let mut all = vec![at];
            all.extend(index);
            return self.element_of(data.into(), &all);
        };
        let suffix = self.b.type_of(data.into()).rank() - 1;
        let flat = dims.len() - suffix;
        let start = self.element_of(starts.into(), &[at])?;
        let mut place = SubExp::i64(0);
        for (i, dim) in index.iter().zip(&dims[..flat]) {
            let rows = self.b.mul64(place, *dim);
            place = self.b.add64(rows, *i);
        }
        let mut all = vec![self.b.add64(start, place)];
        all.extend(&index[flat..]);
        self.element_of(data.into(), &all)
    }

    /// A conditional whose condition is the same at all points.
    fn host_branch(
        &mut self,
        level: LevelId,
        pat: &[PatElem<Soacs>],
        cond: SubExp,
        (yes, no): (Body<Soacs>, Body<Soacs>),
    ) -> Option<()> {
        let mut bodies = vec![];
        for body in [yes, no] {
            bodies.push(self.nested_host(|f| {
                let result = f.code(level, body)?;
                f.carried(level, pat, &result)
            })?);
        }
        let no = Box::new(bodies.pop()?);
        let yes = Box::new(bodies.pop()?);
        let names = self.carried_names(level, pat, "out");
        self.b.bind_names(names.clone(), Exp::If(cond, yes, no));
        self.uncarried(level, pat, &names.iter().map(|(n, _)| *n).collect::<Vec<_>>())
    }

    /// Values for a pattern as operands of the host: the array of each; before those of arrays whose sizes differ, how
    /// many elements they have.
    pub(super) fn carried(
        &mut self,
        level: LevelId,
        pat: &[PatElem<Soacs>],
        result: &[SubExp],
    ) -> Option<Vec<SubExp>> {
        let subst = result_subst(pat, result);
        let mut all = vec![];
        for (p, e) in pat.iter().zip(result) {
            all.append(&mut self.carried_one(level, pat, &subst, (p, *e))?);
        }
        Some(all)
    }

    /// The same for one of the pattern's names.
    pub(super) fn carried_one(
        &mut self,
        level: LevelId,
        pat: &[PatElem<Soacs>],
        results: &Subst,
        (p, e): (&PatElem<Soacs>, SubExp),
    ) -> Option<Vec<SubExp>> {
        let mut ty = p.ty.clone();
        results.ty(&mut ty);
        let data = match self.conform(level, e, &ty, &[])? {
            Value::Each(_, data) | Value::Flat(_, data) => data,
            Value::Number(_) | Value::Place(_) | Value::Check(_) => return None,
        };
        let rank = self.carried_rank(pat, &p.ty);
        if rank == 0 {
            return Some(vec![data.into()]);
        }
        let dims = self.b.type_of(data.into()).shape().to_vec();
        let suffix = dims.len() - (p.ty.rank() - rank);
        let total = self.b.product(&dims[..suffix]);
        let mut flat = vec![total];
        flat.extend(&dims[suffix..]);
        Some(vec![total, self.reshaped(data, flat).into()])
    }

    /// Names and types for what [`Lift::carried`] gives.
    pub(super) fn carried_names(
        &mut self,
        level: LevelId,
        pat: &[PatElem<Soacs>],
        base: &str,
    ) -> Vec<(Name, Type)> {
        pat.iter().flat_map(|p| self.carried_names_of(level, pat, p, base)).collect()
    }

    /// The same for one of the pattern's names.
    pub(super) fn carried_names_of(
        &mut self,
        level: LevelId,
        pat: &[PatElem<Soacs>],
        p: &PatElem<Soacs>,
        base: &str,
    ) -> Vec<(Name, Type)> {
        let rank = self.carried_rank(pat, &p.ty);
        if rank == 0 {
            let ty = p.ty.array_of(&[self.width(level)]);
            return vec![(self.b.fresh(base, ty.clone()), ty)];
        }
        let total = self.b.fresh("total", Type::I64);
        let mut dims = vec![SubExp::Var(total)];
        dims.extend(&p.ty.shape()[rank..]);
        let ty = Type::Array(p.ty.elem().unwrap_or(PrimType::Unit), dims);
        vec![(total, Type::I64), (self.b.fresh(base, ty.clone()), ty)]
    }

    /// How many dimensions are flat; those that the pattern itself binds differ.
    pub(super) fn carried_rank(&self, pat: &[PatElem<Soacs>], ty: &Type) -> usize {
        let differs =
            |d: &SubExp| self.varies(*d) || d.name().is_some_and(|n| pat.iter().any(|p| p.name == n));
        ty.shape().iter().rposition(differs).map_or(0, |last| last + 1)
    }

    /// Gives the names of a pattern the values that were carried.
    pub(super) fn uncarried(
        &mut self,
        level: LevelId,
        pat: &[PatElem<Soacs>],
        carried: &[Name],
    ) -> Option<()> {
        let mut carried = carried.iter();
        let mut flat = vec![];
        for p in pat {
            if self.carried_rank(pat, &p.ty) == 0 {
                self.values.insert(p.name, Value::Each(level, *carried.next()?));
            } else {
                carried.next()?;
                flat.push((p, *carried.next()?));
            }
        }
        // The sizes have values now.
        for (p, data) in flat {
            let value = self.of_data(level, &p.ty, data, &[])?;
            self.values.insert(p.name, value);
        }
        Some(())
    }
}

/// What stands for the names of a pattern in the types of a body's results.
pub(super) fn result_subst(pat: &[PatElem<Soacs>], result: &[SubExp]) -> Subst {
    pat.iter().map(|p| p.name).zip(result.iter().copied()).collect()
}
