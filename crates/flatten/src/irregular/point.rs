//! Rule of points: code that reads single elements of arrays is a map over the points of its level.
//!
//! What the code uses of other levels and of flat arrays is read first: the number of the point that it
//! belongs to, then the element of that point's array.
//!
//! ```text
//! x + ys[i] * n                     map (\x q ->
//!                                     let p = owners[q] in let n = n's array[p] in let start = starts[p] in
//! x  Each at this level                 x + y's data[start + i] * n) x's array (iota width)
//! n  Each at the level around
//! ys Flat at the level around
//! ```

use super::level::Lift;
use super::value::{LevelId, Points, ShapeId, Value};
use fehu_base::ops::BinOp;
use fehu_base::prim::IntType;
use fehu_base::Name;
use fehu_ir::alias::Aliases;
use fehu_ir::consume::consumed_by_body;
use fehu_ir::free::{free_in_body, free_in_stm, Names};
use fehu_ir::subst::Subst;
use fehu_ir::visit::{deep, map_bodies};
use fehu_ir::{Attr, Basic, Body, DimIndex, Exp, Param, Soacs, Stm, SubExp, Type};
use rustc_hash::FxHashMap;

/// The code of a point under construction.
pub(super) struct Point {
    level: LevelId,
    /// The arrays of which the point gets an element.
    inputs: Vec<(Name, Param<Soacs>)>,
    /// The numbers of the point and of those that it belongs to.
    numbers: FxHashMap<LevelId, SubExp>,
    /// What stands for the names of the nest.
    subst: Subst,
    /// The flat arrays, and where each begins.
    starts: FxHashMap<ShapeId, SubExp>,
    /// Names whose arrays the code takes over.
    consumed: Names,
}

impl Point {
    /// Nothing is read yet.
    pub(super) fn new(level: LevelId, consumed: Names) -> Point {
        Point {
            level,
            inputs: vec![],
            numbers: FxHashMap::default(),
            subst: Subst::new(),
            starts: FxHashMap::default(),
            consumed,
        }
    }

    /// The number of the point of a level.
    pub(super) fn is_at(&mut self, level: LevelId, number: SubExp) {
        self.numbers.insert(level, number);
    }
}

impl Lift<'_> {
    /// Runs code at all points of a level. Its results have the same sizes at all points.
    pub(super) fn map(&mut self, level: LevelId, body: Body<Soacs>, types: &[Type]) -> Option<Vec<Name>> {
        self.map_as(level, body, types, vec![])
    }

    /// The same, by a map that has these attributes.
    pub(super) fn map_as(
        &mut self,
        level: LevelId,
        body: Body<Soacs>,
        types: &[Type],
        attrs: Vec<Attr>,
    ) -> Option<Vec<Name>> {
        let mut used = Names::default();
        free_in_body(&body).into_iter().for_each(|n| self.collect(n, &mut used));
        self.prepare(level, &used)?;
        let consumed = {
            let aliases = Aliases::of_body(self.signatures, &body);
            consumed_by_body(self.signatures, &aliases, &body)
        };
        let mut point = Point::new(level, consumed);
        let inner = self.nested(|f| {
            for n in &used {
                f.read(&mut point, *n)?;
            }
            f.translate(&point, body)
        })?;
        if point.inputs.is_empty() {
            let numbers = self.numbers(level);
            self.input(&mut point, numbers);
        }
        let width = self.width(level);
        let outer = std::mem::replace(&mut self.b.attrs, attrs);
        let mapped = self.host_map(width, point.inputs, inner, types);
        self.b.attrs = outer;
        Some(mapped)
    }

    /// The names of the nest that a name needs, with those of checks before the checks.
    pub(super) fn collect(&self, n: Name, used: &mut Names) {
        let Some(value) = self.values.get(&n) else { return };
        match value {
            Value::Check(stm) => free_in_stm(stm).into_iter().for_each(|m| self.collect(m, used)),
            // The sizes of the dimensions are needed to find an element.
            Value::Flat(..) => {
                let ty = self.b.type_of(n.into());
                ty.shape().iter().filter_map(|d| d.name()).for_each(|m| self.collect(m, used));
            }
            Value::Each(..) | Value::Number(_) | Value::Place(_) => {}
        }
        used.insert(n);
    }

    /// The level whose points have the values of a name.
    pub(super) fn level_of(&self, value: &Value) -> Option<LevelId> {
        match value {
            Value::Each(level, _) | Value::Number(level) | Value::Place(level) => Some(*level),
            Value::Flat(shape, _) => Some(self.shapes[shape.0].level),
            Value::Check(_) => None,
        }
    }

    /// Computes, on the host, how points find those that they belong to.
    pub(super) fn prepare(&mut self, level: LevelId, used: &Names) -> Option<()> {
        for n in used {
            let Some(value) = self.values.get(n).cloned() else { continue };
            let Some(to) = self.level_of(&value) else { continue };
            let mut at = level;
            while at != to {
                if let Points::Elements(shape) = self.levels[at.0].points {
                    self.owners(shape)?;
                }
                if at == level {
                    self.numbers(level);
                }
                at = self.outside(at)?;
            }
            if let (Value::Place(_), Points::Elements(shape)) = (&value, &self.levels[to.0].points) {
                self.owners(*shape)?;
            }
            if matches!(value, Value::Place(_) | Value::Number(_)) {
                self.numbers(level);
            }
        }
        Some(())
    }

    /// The point's element of an array.
    fn input(&mut self, point: &mut Point, array: Name) -> Name {
        if let Some((_, p)) = point.inputs.iter().find(|(a, _)| *a == array) {
            return p.name;
        }
        let ty = self.b.type_of(array.into()).peel(1);
        let param = self.b.param("x", ty);
        let name = param.name;
        point.inputs.push((array, param));
        name
    }

    /// The element of an array that belongs to the point of a level, with this one.
    fn element(&mut self, point: &mut Point, level: LevelId, array: Name) -> Option<Name> {
        if level == point.level {
            return Some(self.input(point, array));
        }
        if let Some(inner) = self.inside(point.level, level) {
            if let Some(moved) = self.known.moved.get(&(inner, array)) {
                return self.element(point, inner, *moved);
            }
        }
        let number = self.number(point, level)?;
        let ty = self.b.type_of(array.into()).peel(1);
        let mut slice = vec![DimIndex::Fix(number)];
        slice.extend(ty.shape().iter().map(|d| whole(*d)));
        Some(self.b.bind("x", ty, Exp::Basic(Basic::Index(array, slice))))
    }

    /// The level around this one, or this one, whose points belong to those of another.
    fn inside(&self, of: LevelId, outer: LevelId) -> Option<LevelId> {
        let mut inner = of;
        while self.outside(inner)? != outer {
            inner = self.outside(inner)?;
        }
        Some(inner)
    }

    /// The number of the point of a level.
    fn number(&mut self, point: &mut Point, level: LevelId) -> Option<SubExp> {
        if let Some(number) = point.numbers.get(&level) {
            return Some(*number);
        }
        let number = if level == point.level {
            let numbers = self.known.numbers.get(&level).copied()?;
            self.input(point, numbers).into()
        } else {
            let inner = self.inside(point.level, level)?;
            match self.levels[inner.0].points.clone() {
                Points::Outermost => return None,
                Points::Elements(shape) => {
                    let owners = self.known.owners.get(&shape).copied()?;
                    self.element(point, inner, owners)?.into()
                }
                Points::Rows(_, rows) => {
                    let at = self.number(point, inner)?;
                    self.b.bin(BinOp::SQuot(IntType::I64), at, rows)
                }
                Points::Selected(_, points) => self.element(point, inner, points)?.into(),
            }
        };
        point.numbers.insert(level, number);
        Some(number)
    }

    /// Reads what a name of the nest means at the point.
    pub(super) fn read(&mut self, point: &mut Point, n: Name) -> Option<()> {
        let by: SubExp = match self.values.get(&n).cloned()? {
            Value::Each(level, array) => {
                let x = self.element(point, level, array)?;
                // What belongs to another point may not be taken over.
                if level != point.level && point.consumed.contains(&n) {
                    let ty = self.b.type_of(x.into());
                    self.b.bind("copy", ty, Exp::Basic(Basic::Copy(x))).into()
                } else {
                    x.into()
                }
            }
            Value::Number(level) => self.number(point, level)?,
            Value::Place(level) => {
                let number = self.number(point, level)?;
                match self.levels[level.0].points.clone() {
                    Points::Outermost | Points::Selected(..) => number,
                    Points::Rows(_, rows) => self.b.bin(BinOp::SRem(IntType::I64), number, rows),
                    Points::Elements(shape) => {
                        let start = self.start(point, shape)?;
                        self.b.sub64(number, start)
                    }
                }
            }
            Value::Flat(shape, _) => {
                self.start(point, shape)?;
                return Some(());
            }
            Value::Check(stm) => {
                let mut stm = *stm;
                point.subst.stm(&mut stm);
                let cert = self.b.fresh("cert", Type::UNIT);
                stm.pat[0].name = cert;
                self.b.push(stm);
                cert.into()
            }
        };
        point.subst.insert(n, by);
        Some(())
    }

    /// Where the array of the point begins.
    fn start(&mut self, point: &mut Point, shape: ShapeId) -> Option<SubExp> {
        if let Some(start) = point.starts.get(&shape) {
            return Some(*start);
        }
        let (level, starts) = (self.shapes[shape.0].level, self.shapes[shape.0].starts);
        let start = self.element(point, level, starts)?.into();
        point.starts.insert(shape, start);
        Some(start)
    }

    /// Emits the code of the point, in terms of what was read, and gives its results.
    pub(super) fn translate(&mut self, point: &Point, body: Body<Soacs>) -> Option<Vec<SubExp>> {
        deep(|| {
            for mut stm in body.stms {
                let mut fine = true;
                map_bodies(&mut stm.exp, &mut |inner| {
                    let body = std::mem::replace(inner, Body { stms: vec![], result: vec![] });
                    match self.nested(|f| f.translate(point, body)) {
                        Some(new) => *inner = new,
                        None => fine = false,
                    }
                });
                if !fine {
                    return None;
                }
                self.translate_stm(point, stm)?;
            }
            Some(body.result.into_iter().map(|e| point.subst.operand(e)).collect())
        })
    }

    fn translate_stm(&mut self, point: &Point, mut stm: Stm<Soacs>) -> Option<()> {
        let flat = match &stm.exp {
            Exp::Basic(Basic::Index(array, slice)) => match self.values.get(array) {
                Some(Value::Flat(shape, data)) => Some((*array, slice.clone(), *shape, *data)),
                Some(Value::Each(..) | Value::Number(_) | Value::Place(_) | Value::Check(_)) | None => None,
            },
            Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => None,
        };
        if let Some((array, slice, shape, data)) = flat {
            let ty = self.b.type_of(array.into());
            let rank = self.flat_rank(&ty);
            let mut place = SubExp::i64(0);
            let (last, outer) = slice[..rank].split_last()?;
            let first = match last {
                DimIndex::Fix(i) => DimIndex::Fix(*i),
                DimIndex::Slice { start, .. } => DimIndex::Fix(*start),
            };
            for (dim, index) in ty.shape().iter().zip(outer.iter().chain([&first])) {
                let DimIndex::Fix(i) = index else { return None };
                let rows = self.b.mul64(place, point.subst.operand(*dim));
                place = self.b.add64(rows, point.subst.operand(*i));
            }
            let place = self.b.add64(*point.starts.get(&shape)?, place);
            let mut new = vec![match last {
                DimIndex::Fix(_) => DimIndex::Fix(place),
                DimIndex::Slice { len, stride, .. } => {
                    DimIndex::Slice { start: place, len: *len, stride: *stride }
                }
            }];
            new.extend(&slice[rank..]);
            stm.exp = Exp::Basic(Basic::Index(data, new));
        }
        point.subst.stm(&mut stm);
        self.b.push(stm);
        Some(())
    }
}

/// All of a dimension.
pub(super) fn whole(len: SubExp) -> DimIndex {
    DimIndex::Slice { start: SubExp::i64(0), len, stride: SubExp::i64(1) }
}
