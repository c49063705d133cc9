//! Levels and shapes: where points are, and what is computed of sizes.
//!
//! For sizes `[2, 0, 3]`: `ends` is their scan `[2, 2, 5]`, `starts` is `ends - sizes`, and the total is the
//! last end. The point to which an element belongs is found by binary search in `starts`: that is a map,
//! which fuses with what needs the point, so that often nothing is stored for each element. Stored are the
//! points of every [`SEARCHED_ELEMENTS`]-th element: the others are searched for between these, so that the
//! elements of long arrays need no search, and those of short ones a short one. Where the number of elements
//! is known of the data, or of all points and of those on the other side of a branch, the total is not read
//! from the device.
//!
//! Each size is below 2^48, but products of them and sums over all points can be beyond any integer. They stop at
//! [`MOST_ELEMENTS`]: no memory holds as many, so that the first array of that size ends the program.

use super::forms::Form;
use super::functions::Functions;
use super::given_ends::KnownSum;
use super::teams::{bits, numbers};
use super::value::{GivenBack, Known, Level, LevelId, Points, Shape, ShapeId, Value};
use fehu_base::ops::{BinOp, CmpOp, ConvOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::Name;
use fehu_ir::alias::Signatures;
use fehu_ir::build::{nested_body, plain};
use fehu_ir::soac::{Scan, Screma, Soac};
use fehu_ir::{
    Basic, Body, Builder, DimIndex, ErrorPart, Exp, Lambda, Loc, Loop, LoopForm, Param, Purpose, Soacs,
    SubExp, Type,
};
use rustc_hash::FxHashMap;

/// Numbers of elements do not go beyond this. The sum of two of them does not wrap around.
pub(super) const MOST_ELEMENTS: i64 = 1 << 60;

/// For every how many elements the point that they belong to is stored, in eight bytes.
const SEARCHED_ELEMENTS: i64 = 32;

/// The state of flattening one nest. Statements of the host go to the current body of the builder.
pub(super) struct Lift<'a> {
    pub(super) b: &'a mut Builder<Soacs>,
    pub(super) signatures: &'a Signatures,
    pub(super) functions: &'a mut Functions,
    /// The first form for which there is no rule, and where it is.
    pub(super) stays: &'a mut Option<(Form, Loc)>,
    pub(super) levels: Vec<Level>,
    pub(super) shapes: Vec<Shape>,
    /// What names bound inside of the nest mean.
    pub(super) values: FxHashMap<Name, Value>,
    pub(super) known: Known,
    /// What the function gives back that is flattened.
    pub(super) given_back: Option<GivenBack>,
    /// The size of arrays at the outermost points whose sum over all points is known.
    pub(super) known_sum: Option<KnownSum>,
}

impl Lift<'_> {
    pub(super) fn add_level(&mut self, width: SubExp, points: Points) -> LevelId {
        self.levels.push(Level { width, points });
        LevelId(self.levels.len() - 1)
    }

    pub(super) fn width(&self, level: LevelId) -> SubExp {
        self.levels[level.0].width
    }

    /// The level that the points of a level belong to.
    pub(super) fn outside(&self, level: LevelId) -> Option<LevelId> {
        match &self.levels[level.0].points {
            Points::Outermost => None,
            Points::Elements(shape) => Some(self.shapes[shape.0].level),
            Points::Rows(of, _) | Points::Selected(of, _) => Some(*of),
        }
    }

    /// Whether an operand may differ from point to point.
    pub(super) fn varies(&self, e: SubExp) -> bool {
        e.name().is_some_and(|n| self.values.contains_key(&n))
    }

    /// How many of the outer dimensions of a type are flat: all up to the last that differs from point to point.
    pub(super) fn flat_rank(&self, ty: &Type) -> usize {
        ty.shape().iter().rposition(|d| self.varies(*d)).map_or(0, |last| last + 1)
    }

    /// The shape of arrays of these dimensions, of which at least one differs. The checks are made before it is known.
    pub(super) fn shape(&mut self, level: LevelId, dims: &[SubExp], checks: &[Name]) -> Option<ShapeId> {
        self.shape_of_data(level, dims, checks, None)
    }

    /// The same, where the number of elements of all points may be known.
    pub(super) fn shape_of_data(
        &mut self,
        level: LevelId,
        dims: &[SubExp],
        checks: &[Name],
        total: Option<SubExp>,
    ) -> Option<ShapeId> {
        let key = (level, dims.to_vec());
        if let Some(id) = self.known.shapes.get(&key) {
            return Some(*id);
        }
        if let Some(shape) = self.given_shape(level, dims, checks)? {
            return Some(self.add_shape(dims, shape));
        }
        let sizes = self.sizes(level, dims, checks)?;
        let width = self.width(level);
        let ends = self.sums(width, sizes);
        let starts = self.starts(width, sizes, ends)?;
        let total =
            match total.or_else(|| self.total_beside(level, dims)).or_else(|| self.sum_of(level, dims)) {
                Some(total) => total,
                None => self.last(width, ends)?,
            };
        let checks = checks.to_vec();
        Some(self.add_shape(dims, Shape { level, sizes, starts, ends: Some(ends), total, checks }))
    }

    /// The shape of arrays of one dimension at the outermost points whose ends the program has computed.
    pub(super) fn given_shape(
        &mut self,
        level: LevelId,
        dims: &[SubExp],
        checks: &[Name],
    ) -> Option<Option<Shape>> {
        let Some(KnownSum { size, sum, end: Some(end), .. }) = self.known_sum.clone() else {
            return Some(None);
        };
        if !matches!(self.levels[level.0].points, Points::Outermost) || dims != [SubExp::Var(size)] {
            return Some(None);
        }
        let few = self.b.cmp(CmpOp::SLt(IntType::I64), sum.into(), SubExp::i64(MOST_ELEMENTS));
        let message = vec![ErrorPart::Text("Arrays of different sizes have too many elements.".into())];
        let body = self.nested(|f| {
            // After the checks of points, which know more of what is wrong.
            let cert = f.b.fresh("few", Type::UNIT);
            let mut stm = plain(cert, Type::UNIT, Exp::Basic(Basic::Assert(few, message, Purpose::Values)));
            stm.certs = checks.to_vec();
            f.b.push(stm);
            let checked = [end, size].map(|x| {
                let checked = f.b.fresh("checked", Type::I64);
                let mut stm = plain(checked, Type::I64, Exp::Basic(Basic::SubExp(x.into())));
                stm.certs = checks.iter().copied().chain([cert]).collect();
                f.b.push(stm);
                checked.into()
            });
            Some(checked.to_vec())
        })?;
        let [ends, sizes] = self.map(level, body, &[Type::I64, Type::I64])?.try_into().ok()?;
        let width = self.width(level);
        let starts = self.starts(width, sizes, ends)?;
        let checks = checks.to_vec();
        Some(Some(Shape { level, sizes, starts, ends: Some(ends), total: sum.into(), checks }))
    }

    /// Names of the nest that are where the arrays of a shape start, by whose ends that is known.
    pub(super) fn given_starts(&self, level: LevelId, dims: &[SubExp]) -> Vec<Name> {
        let outermost = matches!(self.levels[level.0].points, Points::Outermost);
        match &self.known_sum {
            Some(known) if outermost && dims == [SubExp::Var(known.size)] => known.starts.clone(),
            _ => vec![],
        }
    }

    /// Records the shape of arrays of these dimensions.
    pub(super) fn add_shape(&mut self, dims: &[SubExp], shape: Shape) -> ShapeId {
        let (id, key) = (ShapeId(self.shapes.len()), (shape.level, dims.to_vec()));
        self.shapes.push(shape);
        self.known.shapes.insert(key, id);
        id
    }

    /// Where arrays begin, from their sizes and where they end.
    pub(super) fn starts(&mut self, width: SubExp, sizes: Name, ends: Name) -> Option<Name> {
        let [e, s] = [self.b.param("e", Type::I64), self.b.param("s", Type::I64)];
        let body = self.nested(|f| Some(vec![f.b.sub64(e.name.into(), s.name.into())]))?;
        Some(self.host_map(width, vec![(ends, e), (sizes, s)], body, &[Type::I64])[0])
    }

    /// How many elements all points have, where whoever chose this version has computed that.
    fn sum_of(&self, level: LevelId, dims: &[SubExp]) -> Option<SubExp> {
        let known = self.known_sum.as_ref()?;
        let outermost = matches!(self.levels[level.0].points, Points::Outermost);
        (outermost && dims == [SubExp::Var(known.size)]).then_some(known.sum.into())
    }

    /// How many elements the points of one side have, where that is known of all points and of the other side.
    fn total_beside(&mut self, level: LevelId, dims: &[SubExp]) -> Option<SubExp> {
        let total = |at: LevelId| {
            let shape = self.known.shapes.get(&(at, dims.to_vec()))?;
            Some(self.shapes[shape.0].total)
        };
        let beside = total(*self.known.other_sides.get(&level)?)?;
        let all = total(self.outside(level)?)?;
        Some(self.b.sub64(all, beside))
    }

    /// How many elements the array of each point has.
    fn sizes(&mut self, level: LevelId, dims: &[SubExp], checks: &[Name]) -> Option<Name> {
        if let ([SubExp::Var(n)], []) = (dims, checks) {
            if let Some(Value::Each(at, array)) = self.values.get(n) {
                if *at == level {
                    return Some(*array);
                }
            }
        }
        let mut body = self.nested(|f| Some(vec![f.element_count(dims)]))?;
        if !checks.is_empty() {
            let size = body.result[0];
            let checked = self.b.fresh("size", Type::I64);
            let mut stm = plain(checked, Type::I64, Exp::Basic(Basic::SubExp(size)));
            stm.certs = checks.to_vec();
            body.stms.push(stm);
            body.result = vec![checked.into()];
        }
        let sizes = self.map(level, body, &[Type::I64])?[0];
        // What gathers does not scan: in the kernel of a scan, few threads would read for many points each,
        // one after the other.
        Some(match self.levels[level.0].points {
            Points::Selected(..) => self.stored(sizes),
            Points::Outermost | Points::Elements(_) | Points::Rows(..) => sizes,
        })
    }

    /// How many elements an array of these dimensions has.
    fn element_count(&mut self, dims: &[SubExp]) -> SubExp {
        let Some((first, rest)) = dims.split_first() else { return SubExp::i64(1) };
        rest.iter().fold(*first, |count, n| {
            let some = self.b.bin(BinOp::SMax(IntType::I64), count, SubExp::i64(1));
            let most = self.b.bin(BinOp::SQuot(IntType::I64), SubExp::i64(MOST_ELEMENTS), some);
            let n = self.b.bin(BinOp::SMin(IntType::I64), *n, most);
            self.b.mul64(count, n)
        })
    }

    /// The level of the elements of arrays of these dimensions.
    pub(super) fn inner(&mut self, level: LevelId, dims: &[SubExp], checks: &[Name]) -> Option<LevelId> {
        let key = (level, dims.to_vec());
        if let Some(id) = self.known.inner.get(&key) {
            return Some(*id);
        }
        let flat = dims.iter().rposition(|d| self.varies(*d)).map_or(0, |last| last + 1);
        let mut inner = level;
        if flat > 0 {
            inner = match self.known.inner.get(&(level, dims[..flat].to_vec())) {
                Some(id) => *id,
                None => {
                    let shape = self.shape(level, &dims[..flat], checks)?;
                    let id = self.add_level(self.shapes[shape.0].total, Points::Elements(shape));
                    self.known.inner.insert((level, dims[..flat].to_vec()), id);
                    id
                }
            };
        }
        if flat < dims.len() {
            let rows = self.b.product(&dims[flat..]);
            let width = self.width(inner);
            let all = self.b.mul64(width, rows);
            inner = self.add_level(all, Points::Rows(inner, rows));
        }
        self.known.inner.insert(key, inner);
        Some(inner)
    }

    /// Whether the checks were made before the points of a level were known.
    pub(super) fn are_made(&self, checks: &[Name], level: LevelId) -> bool {
        let mut at = Some(level);
        while let Some(l) = at {
            if let Points::Elements(shape) = &self.levels[l.0].points {
                if checks.iter().all(|c| self.shapes[shape.0].checks.contains(c)) {
                    return true;
                }
            }
            at = self.outside(l);
        }
        checks.is_empty()
    }

    /// The point to which each element of a shape belongs.
    pub(super) fn owners(&mut self, id: ShapeId) -> Option<Name> {
        if let Some(owners) = self.known.owners.get(&id) {
            return Some(*owners);
        }
        let Shape { starts, total, .. } = self.shapes[id.0];
        let each = SubExp::i64(SEARCHED_ELEMENTS);
        let (some, count, last) = self.some_owners(id)?;
        let q = self.b.param("q", Type::I64);
        let body = self.nested(|f| {
            let k = f.b.bin(BinOp::SQuot(IntType::I64), q.name.into(), each);
            let from = f.element_of(some.into(), &[k])?;
            let next = f.b.add64(k, SubExp::i64(1));
            let inside = f.b.cmp(CmpOp::SLt(IntType::I64), next, count);
            let known = f.nested(|f| Some(vec![f.element_of(some.into(), &[next])?]))?;
            let end = Body { stms: vec![], result: vec![last] };
            let to = f.b.bind("to", Type::I64, Exp::If(inside, Box::new(known), Box::new(end))).into();
            let range = f.b.sub64(to, from);
            let bits = bits(f.b, range);
            Some(vec![f.owner(starts, (from, to, bits), q.name.into())?])
        })?;
        let numbers = numbers(self.b, total);
        let owners = self.host_map(total, vec![(numbers, q)], body, &[Type::I64])[0];
        self.known.owners.insert(id, owners);
        Some(owners)
    }

    /// The points of elements of a shape will be found by search among all points, unless there is a shorter
    /// way already: for elements whose points are needed once, which are not worth a kernel of their own
    /// before.
    pub(super) fn search_among_all(&mut self, id: ShapeId) -> Option<()> {
        if self.known.owners.contains_key(&id) || self.known.some_owners.contains_key(&id) {
            return Some(());
        }
        let Shape { level, starts, total, .. } = self.shapes[id.0];
        let width = self.width(level);
        let last = self.b.sub64(width, SubExp::i64(1));
        let bits = bits(self.b, width);
        let q = self.b.param("q", Type::I64);
        let body =
            self.nested(|f| Some(vec![f.owner(starts, (SubExp::i64(0), last, bits), q.name.into())?]))?;
        let numbers = numbers(self.b, total);
        let owners = self.host_map(total, vec![(numbers, q)], body, &[Type::I64])[0];
        self.known.owners.insert(id, owners);
        Some(())
    }

    /// The points to which every [`SEARCHED_ELEMENTS`]-th element of a shape belongs, how many these are, and
    /// the last point.
    fn some_owners(&mut self, id: ShapeId) -> Option<(Name, SubExp, SubExp)> {
        if let Some((some, count, last)) = self.known.some_owners.get(&id).copied() {
            // Under another name, so that what is found by it is not what was found before.
            return Some((self.stored(some), count, last));
        }
        let Shape { level, starts, total, .. } = self.shapes[id.0];
        let width = self.width(level);
        let each = SubExp::i64(SEARCHED_ELEMENTS);
        let rounded = self.b.add64(total, SubExp::i64(SEARCHED_ELEMENTS - 1));
        let count = self.b.bin(BinOp::SQuot(IntType::I64), rounded, each);
        let last = self.b.sub64(width, SubExp::i64(1));
        let bits_of_all = bits(self.b, width);
        let k = self.b.param("k", Type::I64);
        let body = self.nested(|f| {
            let q = f.b.mul64(k.name.into(), each);
            Some(vec![f.owner(starts, (SubExp::i64(0), last, bits_of_all), q)?])
        })?;
        let numbers_of_some = numbers(self.b, count);
        let some = self.host_map(count, vec![(numbers_of_some, k)], body, &[Type::I64])[0];
        self.known.some_owners.insert(id, (some, count, last));
        Some((some, count, last))
    }

    /// Forgets to which points elements belong: after a call they are searched for anew, instead of stored
    /// while it runs.
    pub(super) fn forget_owners(&mut self) {
        self.known.owners.clear();
    }

    /// The point of an element: the last one, of those from one to another, whose elements begin there or
    /// before. Points without elements begin where the next one does. How far it is from the first one has at
    /// most so many bits, which are found from the first on.
    fn owner(
        &mut self,
        starts: Name,
        (from, to, bits): (SubExp, SubExp, SubExp),
        q: SubExp,
    ) -> Option<SubExp> {
        let found = self.b.param("found", Type::I64);
        let var = self.b.fresh("k", Type::I64);
        let body = self.nested(|f| {
            let rest = f.b.sub64(bits, var.into());
            let bit = f.b.sub64(rest, SubExp::i64(1));
            let bit = f.b.bin(BinOp::Shl(IntType::I64), SubExp::i64(1), bit);
            let more = f.b.add64(found.name.into(), bit);
            let inside = f.b.cmp(CmpOp::SLe(IntType::I64), more, to);
            let reached = f.nested(|f| {
                let start = f.element_of(starts.into(), &[more])?;
                Some(vec![f.b.cmp(CmpOp::SLe(IntType::I64), start, q)])
            })?;
            let no = Body { stms: vec![], result: vec![SubExp::bool(false)] };
            let exp = Exp::If(inside, Box::new(reached), Box::new(no));
            let reached = f.b.bind("reached", Type::BOOL, exp).into();
            Some(vec![f.choose(reached, more, found.name.into(), Type::I64)])
        })?;
        let form = LoopForm::For { var, ty: IntType::I64, bound: bits };
        let search = Exp::Loop(Box::new(Loop { params: vec![(found, from)], form, body }));
        Some(self.b.bind("owner", Type::I64, search).into())
    }

    /// The numbers of all points of a level.
    pub(super) fn numbers(&mut self, level: LevelId) -> Name {
        if let Some(numbers) = self.known.numbers.get(&level) {
            return *numbers;
        }
        let n = self.width(level);
        let iota = Basic::Iota { n, start: SubExp::i64(0), step: SubExp::i64(1), ty: IntType::I64 };
        let numbers = self.b.bind("numbers", Type::Array(PrimType::I64, vec![n]), Exp::Basic(iota));
        self.known.numbers.insert(level, numbers);
        numbers
    }

    /// The sums of numbers of elements.
    pub(super) fn sums(&mut self, width: SubExp, array: Name) -> Name {
        self.scan_by(width, array, |b, x, y| {
            let sum = b.add64(x, y);
            b.bin(BinOp::SMin(IntType::I64), sum, SubExp::i64(MOST_ELEMENTS))
        })
    }

    /// The scan of integers that are not negative, of which 0 is the neutral element.
    pub(super) fn scan(&mut self, width: SubExp, array: Name, op: BinOp) -> Name {
        self.scan_by(width, array, |b, x, y| b.bin(op, x, y))
    }

    fn scan_by(
        &mut self,
        width: SubExp,
        array: Name,
        op: impl FnOnce(&mut Builder<Soacs>, SubExp, SubExp) -> SubExp,
    ) -> Name {
        let z = self.b.param("z", Type::I64);
        let scans = vec![self.operator(op)];
        let result = vec![z.name.into()];
        let map = Lambda { params: vec![z], body: Body { stms: vec![], result }, ret: vec![Type::I64] };
        let screma = Soac::Screma(Screma { width, arrays: vec![array], scans, reds: vec![], map });
        self.b.bind("scanned", Type::Array(PrimType::I64, vec![width]), Exp::Op(screma))
    }

    /// An operator on integers, of which 0 is the neutral element.
    fn operator(&mut self, op: impl FnOnce(&mut Builder<Soacs>, SubExp, SubExp) -> SubExp) -> Scan<Soacs> {
        let [x, y] = ["x", "y"].map(|base| self.b.param(base, Type::I64));
        self.b.begin();
        let r = op(self.b, x.name.into(), y.name.into());
        let body = self.b.end(vec![r]);
        let op = Lambda { params: vec![x, y], body, ret: vec![Type::I64] };
        Scan { op, neutral: vec![SubExp::i64(0)] }
    }

    /// The sums, up to each element of some arrays, of what a function makes of the elements, by one scan: of
    /// numbers, or of conditions, which count as 1 where they hold.
    pub(super) fn running_sums(
        &mut self,
        width: SubExp,
        arrays: &[Name],
        summed: impl FnOnce(&mut Self, &[Param<Soacs>]) -> Vec<SubExp>,
    ) -> Vec<Name> {
        let (arrays, params) = self.elements(arrays.iter());
        self.b.begin();
        let mut result = vec![];
        for e in summed(self, &params) {
            result.push(match self.b.type_of(e) == Type::BOOL {
                true => self.b.conv(ConvOp::BToI(IntType::I64), e),
                false => e,
            });
        }
        let count = result.len();
        let body = self.b.end(result);
        let sum = |b: &mut Builder<Soacs>, x, y| b.add64(x, y);
        let scans = (0..count).map(|_| self.operator(sum)).collect();
        let ret = vec![Type::I64; count];
        let all = vec![Type::I64.array_of(&[width]); count];
        let map = Lambda { params, body, ret };
        let screma = Soac::Screma(Screma { width, arrays, scans, reds: vec![], map });
        self.b.bind_all("sums", all, Exp::Op(screma))
    }

    /// The last of some numbers, or 0 if there are none.
    pub(super) fn last(&mut self, width: SubExp, array: Name) -> Option<SubExp> {
        self.read_unless_empty(width, array, |b| b.sub64(width, SubExp::i64(1)))
    }

    /// A number of an array that is written if there are points, or 0 if there are none.
    pub(super) fn unless_empty(&mut self, width: SubExp, array: Name, place: usize) -> Option<SubExp> {
        self.read_unless_empty(width, array, |_| SubExp::i64(place as i64))
    }

    fn read_unless_empty(
        &mut self,
        width: SubExp,
        array: Name,
        place: impl FnOnce(&mut Builder<Soacs>) -> SubExp,
    ) -> Option<SubExp> {
        let none = self.b.cmp(CmpOp::Eq(PrimType::I64), width, SubExp::i64(0));
        let yes = Body { stms: vec![], result: vec![SubExp::i64(0)] };
        let no = self.nested(|f| {
            let place = place(f.b);
            let last = Basic::Index(array, vec![DimIndex::Fix(place)]);
            Some(vec![f.b.bind("last", Type::I64, Exp::Basic(last)).into()])
        })?;
        Some(self.b.bind("total", Type::I64, Exp::If(none, Box::new(yes), Box::new(no))).into())
    }

    /// A map of the host over arrays.
    pub(super) fn host_map(
        &mut self,
        width: SubExp,
        inputs: Vec<(Name, Param<Soacs>)>,
        body: Body<Soacs>,
        types: &[Type],
    ) -> Vec<Name> {
        let (arrays, params) = inputs.into_iter().unzip();
        let map = Lambda { params, body, ret: types.to_vec() };
        let screma = Soac::Screma(Screma { width, arrays, scans: vec![], reds: vec![], map });
        let all = types.iter().map(|t| t.array_of(&[width])).collect();
        self.b.bind_all("mapped", all, Exp::Op(screma))
    }

    /// An array that is in memory: what computes it is not fused with what reads it.
    pub(super) fn stored(&mut self, array: Name) -> Name {
        let ty = self.b.type_of(array.into());
        self.b.bind("stored", ty, Exp::Basic(Basic::Opaque(array.into())))
    }

    /// One of two operands.
    pub(super) fn choose(&mut self, cond: SubExp, yes: SubExp, no: SubExp, ty: Type) -> SubExp {
        let [yes, no] = [yes, no].map(|e| Box::new(Body { stms: vec![], result: vec![e] }));
        self.b.bind("chosen", ty, Exp::If(cond, yes, no)).into()
    }

    /// A nested body, whose statements have their own certificates and attributes.
    pub(super) fn nested(&mut self, f: impl FnOnce(&mut Self) -> Option<Vec<SubExp>>) -> Option<Body<Soacs>> {
        let mut fine = true;
        let body = nested_body(
            self,
            |l| &mut *l.b,
            |l| {
                f(l).unwrap_or_else(|| {
                    fine = false;
                    vec![]
                })
            },
        );
        fine.then_some(body)
    }

    /// A nested body of the host: what it adds to what is known holds only in it.
    pub(super) fn nested_host(
        &mut self,
        f: impl FnOnce(&mut Self) -> Option<Vec<SubExp>>,
    ) -> Option<Body<Soacs>> {
        let known = self.known.clone();
        let body = self.nested(f);
        self.known = known;
        body
    }

    /// The same elements in row-major order, in another shape.
    pub(super) fn reshaped(&mut self, array: Name, shape: Vec<SubExp>) -> Name {
        let ty = self.b.type_of(array.into());
        if ty.shape() == shape {
            return array;
        }
        let new = Type::Array(ty.elem().unwrap_or(PrimType::Unit), shape.clone());
        self.b.bind("flat", new, Exp::Basic(Basic::Reshape(shape, array)))
    }
}
