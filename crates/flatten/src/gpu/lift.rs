//! Lifting: the values of a name at all points of a nest, as one array of the host.

use super::g1_manifest::Point;
use super::nest::{at, Nest, Owner, Source};
use super::Flat;
use fehu_base::Name;
use fehu_ir::build::plain;
use fehu_ir::{Basic, Body, Exp, SubExp, Type};

impl Flat<'_> {
    /// The array of an operand's values, which may share memory with others.
    pub(super) fn lift(&mut self, nest: &mut Nest, e: SubExp) -> SubExp {
        match e.name().and_then(|n| nest.whole(n)) {
            Some((array, _)) => array.into(),
            None => self.lift_fresh(nest, e),
        }
    }

    /// The array of an operand's values, to be consumed. The nest must not use the operand again.
    pub(super) fn lift_owned(&mut self, nest: &mut Nest, e: SubExp) -> SubExp {
        if nest.depth() == 0 {
            return e;
        }
        if let Some(n) = e.name() {
            self.materialise(nest, &[n]);
        }
        match e.name().and_then(|n| nest.whole(n)) {
            Some((array, Owner::Nest)) => array.into(),
            Some((_, Owner::Shared)) | None => self.lift_fresh(nest, e),
        }
    }

    /// The array of an operand's values, in memory of its own.
    fn lift_fresh(&mut self, nest: &mut Nest, e: SubExp) -> SubExp {
        let ty = self.seq.b.type_of(e);
        let outer = nest.widths.clone();
        let all = ty.array_of(&outer);
        let name = match e {
            SubExp::Var(n) if nest.binds(n) => n,
            SubExp::Var(_) | SubExp::Const(_) => {
                return self.seq.b.bind("rep", all, Exp::Basic(Basic::Replicate(outer, e))).into();
            }
        };
        if let Some((array, _)) = nest.whole(name) {
            return self.seq.b.bind("copy", all, Exp::Basic(Basic::Copy(array))).into();
        }
        self.materialise(nest, &[name]);
        if let Some((array, Owner::Nest)) = nest.whole(name) {
            return array.into();
        }
        let depth = nest.depth();
        let array = match ty {
            Type::Array(..) => self.elementwise(nest, name, &ty),
            Type::Prim(_) | Type::Acc(..) | Type::Mem(_) => {
                let body = Body { stms: vec![], result: vec![e] };
                let results = self.seg_map(Point { nest, depth, body, types: vec![ty] });
                results.first().copied().unwrap_or(name)
            }
        };
        array.into()
    }

    /// A copy of an array inside of the nest, one point for each of its elements.
    pub(super) fn elementwise(&mut self, nest: &Nest, name: Name, ty: &Type) -> Name {
        let mut inner = nest.clone();
        let indices = inner.dims(&mut self.seq.b.names, ty.shape());
        let elem = ty.peel(ty.rank());
        let x = self.seq.b.fresh("x", elem.clone());
        let body = Body {
            stms: vec![plain(x, elem.clone(), Exp::Basic(Basic::Index(name, at(&indices, &elem))))],
            result: vec![x.into()],
        };
        let depth = inner.depth();
        let results = self.seg_map(Point { nest: &inner, depth, body, types: vec![elem] });
        results.first().copied().unwrap_or(name)
    }

    /// Whether an accumulator or the operand itself stands for the result at all points.
    pub(super) fn acc_of(nest: &Nest, e: SubExp) -> Option<SubExp> {
        let name = e.name()?;
        match nest.find(name).map(|b| &b.source) {
            Some(Source::Acc(acc)) => Some((*acc).into()),
            Some(Source::Elem { .. } | Source::Index(_) | Source::Stm(_)) | None => None,
        }
    }
}
