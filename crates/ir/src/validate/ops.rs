//! Checking combinators, segmented operations and accumulators.

use super::{differ, shapes_differ, sizes_differ, Checker};
use crate::op::{OpView, RepOp};
use crate::rep::Rep;
use crate::seg::*;
use crate::soac::*;
use crate::syntax::*;
use crate::types::{array_of_rows, row_type};
use fehu_base::prim::PrimType;
use fehu_base::Name;

impl<R: Rep> Checker<'_, R> {
    pub(super) fn op(&mut self, op: &R::Op) {
        match op.view() {
            OpView::Soac(soac) => self.soac(soac),
            OpView::Seg(seg) => self.seg(seg),
            OpView::Size(size) => self.size_op(size),
            OpView::Alloc(bytes, _) => self.prim(*bytes, PrimType::I64),
        }
    }

    fn soac(&mut self, soac: &Soac<R>) {
        match soac {
            Soac::Screma(s) => self.screma(s),
            Soac::Hist(h) => self.hist(h),
            Soac::Scatter(s) => self.scatter(s),
            Soac::Filter(f) => self.filter(f),
            Soac::Ad(ad) => self.ad(ad),
        }
    }

    /// The inputs of a combinator; gives the types of their rows.
    fn rows(&mut self, width: SubExp, arrays: &[Name]) -> Option<Vec<Type>> {
        self.size(width);
        let mut rows = vec![];
        for a in arrays {
            let t = self.type_of(SubExp::Var(*a))?;
            let Some(row) = row_type(&t) else {
                self.error(format!("{} of type {} has no rows", self.show(*a), self.show_type(&t)));
                return None;
            };
            if t.is_array() && sizes_differ(t.shape()[0], width) {
                let (a, t, w) = (self.show(*a), self.show_type(&t), self.show_operand(width));
                self.error(format!("{a} of type {t} has not {w} rows"));
            }
            rows.push(row);
        }
        Some(rows)
    }

    /// Checks a lambda and that it takes values of these types.
    fn applied(&mut self, lambda: &Lambda<R>, args: Option<Vec<Type>>, what: &str) {
        self.lambda(lambda);
        let Some(args) = args else { return };
        if lambda.params.len() != args.len() {
            self.error(format!("{what}: {} parameters for {} arguments", lambda.params.len(), args.len()));
            return;
        }
        for (p, t) in lambda.params.iter().zip(&args) {
            self.same(&p.ty, t, &format!("{what}: the argument for {}", self.show(p.name)));
        }
    }

    /// An associative operator on values of its own result types.
    fn operator(&mut self, op: &Lambda<R>, neutral: &[SubExp], what: &str) {
        let both = op.ret.iter().chain(&op.ret).cloned().collect();
        self.applied(op, Some(both), what);
        self.results(neutral, &op.ret, "neutral element");
    }

    /// A part of a lambda's results against the types an operation takes.
    fn part(&mut self, types: &[Type], expected: &[Type], what: &str) {
        for (t, e) in types.iter().zip(expected) {
            self.same(e, t, what);
        }
    }

    fn screma(&mut self, s: &Screma<R>) {
        let rows = self.rows(s.width, &s.arrays);
        self.applied(&s.map, rows, "map");
        let mut first = 0;
        let scans = s.scans.iter().map(|scan| (&scan.op, &scan.neutral, "scan"));
        let reds = s.reds.iter().map(|red| (&red.op, &red.neutral, "reduction"));
        for (op, neutral, what) in scans.chain(reds) {
            self.operator(op, neutral, what);
            match s.map.ret.get(first..first + op.ret.len()) {
                Some(types) => self.part(types, &op.ret, &format!("input of the {what}")),
                None => self.error(format!("the map returns too little for the {what}")),
            }
            first += op.ret.len();
        }
    }

    fn hist(&mut self, h: &Hist<R>) {
        let rows = self.rows(h.width, &h.arrays);
        self.applied(&h.lambda, rows, "map");
        let mut expected: Vec<Type> =
            h.ops.iter().flat_map(|op| op.shape.iter().map(|_| Type::I64)).collect();
        for op in &h.ops {
            self.operator(&op.op, &op.neutral, "operator");
            self.destinations(&op.shape, &op.dests, &op.op.ret, 0);
            expected.extend(op.op.ret.iter().cloned());
        }
        self.returns(&h.lambda.ret, &expected);
    }

    /// Arrays of a shape, each of elements of a type, with dimensions outside.
    fn destinations(&mut self, shape: &[SubExp], dests: &[Name], elems: &[Type], outer: usize) {
        self.shape(shape);
        if dests.len() != elems.len() {
            self.error(format!("{} destinations for {} values", dests.len(), elems.len()));
            return;
        }
        for (dest, elem) in dests.iter().zip(elems) {
            let Some(t) = self.array(*dest) else { continue };
            let fits = t.rank() == outer + shape.len() + elem.rank()
                && !shapes_differ(&t.shape()[outer..outer + shape.len()], shape)
                && !differ(&t.peel(outer + shape.len()), elem);
            if !fits {
                let (dest, t, elem) = (self.show(*dest), self.show_type(&t), self.show_type(elem));
                self.error(format!("{dest} of type {t} cannot take {elem} at {} indices", shape.len()));
            }
        }
    }

    fn returns(&mut self, ret: &[Type], expected: &[Type]) {
        if ret.len() != expected.len() {
            self.error(format!("the lambda returns {} values, not {}", ret.len(), expected.len()));
            return;
        }
        self.part(ret, expected, "what the lambda returns");
    }

    fn filter(&mut self, f: &Filter<R>) {
        let rows = self.rows(f.width, &f.arrays);
        self.applied(&f.lambda, rows, "map");
        let conditions = f.kept.len();
        if f.lambda.ret.len() != conditions + f.conditions().count() {
            self.error(format!(
                "{} values are no {conditions} conditions and what they keep",
                f.lambda.ret.len()
            ));
            return;
        }
        self.part(&f.lambda.ret, &vec![Type::BOOL; conditions], "a condition");
        if f.lambda.ret[conditions..].iter().any(|t| matches!(t, Type::Acc(..) | Type::Mem(_))) {
            self.error("a filter keeps scalars and arrays only");
        }
    }

    /// What binds the results of a filter: numbers of elements, and arrays of these sizes.
    pub(super) fn filtered(&mut self, pat: &[PatElem<R>], f: &Filter<R>) {
        if pat.len() != f.lambda.ret.len() {
            self.error(format!("{} values are bound to {} names", f.lambda.ret.len(), pat.len()));
            return;
        }
        // Another number of values is an error of the filter itself.
        let Some((counts, arrays)) = pat.split_at_checked(f.kept.len()) else { return };
        for count in counts {
            self.same(&count.ty, &Type::I64, "how often a condition holds");
        }
        for ((p, t), k) in arrays.iter().zip(&f.lambda.ret[f.kept.len()..]).zip(f.conditions()) {
            let kept = array_of_rows(t, &[counts[k].name.into()]);
            self.same(&p.ty, &kept, &format!("the value of {}", self.names.show(p.name)));
        }
    }

    fn scatter(&mut self, s: &Scatter<R>) {
        let rows = self.rows(s.width, &s.arrays);
        self.applied(&s.lambda, rows, "map");
        let mut expected: Vec<Type> =
            s.dests.iter().flat_map(|d| d.shape.iter().map(|_| Type::I64)).collect();
        for d in &s.dests {
            self.shape(&d.shape);
            let Some(t) = self.array(d.array) else { return };
            if t.rank() < d.shape.len() || shapes_differ(&t.shape()[..d.shape.len()], &d.shape) {
                self.error(format!(
                    "{} of type {} has another shape",
                    self.show(d.array),
                    self.show_type(&t)
                ));
                return;
            }
            expected.push(t.peel(d.shape.len()));
        }
        self.returns(&s.lambda.ret, &expected);
    }

    fn ad(&mut self, ad: &Ad<R>) {
        let args: Option<Vec<Type>> = ad.args.iter().map(|e| self.type_of(*e)).collect();
        if ad.mode == AdMode::Rule {
            return self.rule(ad, args);
        }
        self.applied(&ad.lambda, args.clone(), "function to derive");
        match ad.mode {
            AdMode::Forward => {
                if let Some(args) = args {
                    self.results(&ad.seeds, &args, "tangent");
                }
            }
            AdMode::Reverse => self.results(&ad.seeds, &ad.lambda.ret, "adjoint"),
            AdMode::Rule => {}
        }
    }

    /// A function with its rule: the rule takes results and their adjoints, and gives what is like the arguments.
    fn rule(&mut self, ad: &Ad<R>, args: Option<Vec<Type>>) {
        let n = ad.args.len();
        if ad.lambda.ret.len() < n || ad.lambda.params.len() + n != 2 * ad.lambda.ret.len() {
            self.error("a rule that does not fit its function");
            return;
        }
        let (results, adjoints) = ad.lambda.ret.split_at(ad.lambda.ret.len() - n);
        if let Some(args) = &args {
            self.returns(adjoints, args);
        }
        let of = |args: Vec<Type>| [args.as_slice(), results, results].concat();
        self.applied(&ad.lambda, args.map(of), "function with a rule");
    }

    fn size_op(&mut self, size: &SizeOp) {
        match self.level {
            None | Some(SegLevel::Task) => {}
            Some(SegLevel::Thread | SegLevel::Block | SegLevel::InBlock) => {
                self.error("a size of the machine inside of a kernel");
            }
        }
        match size {
            SizeOp::GetSize(..) | SizeOp::GetSizeMax(_) | SizeOp::SharedNeeded(_) => {}
            SizeOp::CmpThreshold { par, by, .. } => {
                self.prim(*par, PrimType::I64);
                by.iter().for_each(|by| self.prim(*by, PrimType::I64));
            }
            SizeOp::CalcGrid { points, block, .. } => {
                self.prim(*points, PrimType::I64);
                self.prim(*block, PrimType::I64);
            }
        }
    }

    fn seg(&mut self, seg: &SegOp<R>) {
        let allowed = match (self.level, seg.level) {
            (None, SegLevel::Thread | SegLevel::Block | SegLevel::Task) => true,
            (Some(SegLevel::Block), SegLevel::InBlock) | (Some(SegLevel::Task), SegLevel::Task) => true,
            (None | Some(SegLevel::Thread | SegLevel::Block | SegLevel::InBlock | SegLevel::Task), _) => {
                false
            }
        };
        if !allowed {
            self.error(match self.level {
                None => format!("an operation at level {:?} on the host", seg.level),
                Some(outer) => format!("an operation at level {:?} inside of one at {outer:?}", seg.level),
            });
        }
        for (_, bound) in &seg.space.dims {
            self.size(*bound);
        }
        seg.types.iter().for_each(|t| self.ty(t));
        if let Some(grid) = &seg.grid {
            for size in [grid.threads, grid.blocks, grid.block_size] {
                self.size(size);
            }
            match seg.level {
                SegLevel::Thread | SegLevel::Block => {}
                SegLevel::InBlock | SegLevel::Task => self.error(format!("a grid at level {:?}", seg.level)),
            }
        }
        if let Some(schedule) = &seg.schedule {
            self.schedule(seg, schedule);
        }
        let outside = self.level.replace(seg.level);
        self.scoped(|c| {
            // Operators too may have memory of the thread's own.
            if let Some(grid) = &seg.grid {
                c.bind(grid.thread, Type::I64);
            }
            c.seg_kind(seg);
            c.bind(seg.space.flat, Type::I64);
            for (index, _) in &seg.space.dims {
                c.bind(*index, Type::I64);
            }
            c.stms(&seg.body.body.stms);
            c.results(&seg.body.body.result, &seg.types, "result of the kernel");
            if seg.body.returns.len() != seg.types.len() {
                c.error(format!("{} ways to return {} results", seg.body.returns.len(), seg.types.len()));
                return;
            }
            for (t, ret) in seg.types.iter().zip(&seg.body.returns) {
                c.seg_return(t, ret);
            }
            if let Some(after) = seg.after() {
                c.seg_after(seg, after);
            }
        });
        self.level = outside;
    }

    fn seg_kind(&mut self, seg: &SegOp<R>) {
        let segments = seg.space.dims.len().saturating_sub(1);
        let combined = match &seg.kind {
            SegKind::Map => return,
            SegKind::Red(ops) | SegKind::Scan(ops, _) => {
                let mut first = 0;
                for op in ops {
                    self.seg_bin_op(op, seg.types.get(first..first + op.op.ret.len()));
                    first += op.op.ret.len();
                }
                first
            }
            SegKind::Hist(ops) => {
                let mut expected: Vec<Type> =
                    ops.iter().flat_map(|op| op.shape.iter().map(|_| Type::I64)).collect();
                for op in ops {
                    self.operator(&op.op, &op.neutral, "operator");
                    self.shape(&op.vector);
                    let values: Vec<Type> = op.op.ret.iter().map(|t| array_of_rows(t, &op.vector)).collect();
                    self.destinations(&op.shape, &op.dests, &values, segments);
                    expected.extend(values);
                }
                self.returns(&seg.types, &expected);
                seg.types.len()
            }
        };
        if seg.space.dims.is_empty() {
            self.error("no dimension to work along");
        }
        if seg.body.returns.iter().take(combined).any(|r| *r != KernelReturn::Elem) {
            self.error("what an operator takes must be returned as an element");
        }
    }

    fn seg_after(&mut self, seg: &SegOp<R>, after: &SegAfter<R>) {
        if seg.level != SegLevel::Thread {
            self.error(format!("something after a scan at level {:?}", seg.level));
        }
        let scanned: Vec<Type> = seg.types.iter().take(seg.combined()).cloned().collect();
        if scanned.iter().chain(&after.lambda.ret).any(|t| !matches!(t, Type::Prim(_))) {
            self.error("arrays after a scan");
        }
        let SegAfter { lambda, returns } = after;
        if lambda.params.len() != scanned.len() || lambda.ret.len() != returns.len() {
            self.error(
                "as many parameters as scanned values, and as many ways to return as results, after a scan",
            );
            return;
        }
        self.scoped(|c| {
            c.params(&lambda.params);
            for (p, t) in lambda.params.iter().zip(&scanned) {
                c.same(&p.ty, t, "scanned value");
            }
            c.stms(&lambda.body.stms);
            c.results(&lambda.body.result, &lambda.ret, "result of what comes after the scan");
            for (t, ret) in lambda.ret.iter().zip(returns) {
                c.seg_return(t, ret);
            }
        });
    }

    fn seg_bin_op(&mut self, op: &SegBinOp<R>, types: Option<&[Type]>) {
        self.operator(&op.op, &op.neutral, "operator");
        match types {
            Some(types) => self.part(types, &op.op.ret, "input of the operator"),
            None => self.error("too few results for the operator"),
        }
    }

    fn seg_return(&mut self, t: &Type, ret: &KernelReturn) {
        match ret {
            KernelReturn::Elem => {}
            KernelReturn::Write { array, shape, index } => {
                self.shape(shape);
                index.iter().for_each(|e| self.prim(*e, PrimType::I64));
                let Some(array_type) = self.array(*array) else { return };
                if array_type.rank() < index.len() {
                    self.error(format!("{} indices into {}", index.len(), self.show_type(&array_type)));
                    return;
                }
                self.same(&array_type.peel(index.len()), t, "value to write");
            }
        }
    }

    pub(super) fn with_acc(&mut self, w: &WithAcc<R>) {
        let n = w.inputs.len();
        let params = &w.lambda.params;
        if params.len() != 2 * n {
            self.error(format!("{} parameters for {n} tokens and accumulators", params.len()));
            return;
        }
        let mut expected = vec![Type::UNIT; n];
        for (input, token) in w.inputs.iter().zip(params) {
            self.shape(&input.shape);
            let types: Option<Vec<Type>> = input.arrays.iter().map(|a| self.array(*a)).collect();
            let Some(types) = types else { return };
            let outer = input.shape.len();
            if types.iter().any(|t| t.rank() < outer || shapes_differ(&t.shape()[..outer], &input.shape)) {
                self.error("an array of another shape");
                return;
            }
            let elems: Vec<Type> = types.iter().map(|t| t.peel(outer)).collect();
            if let Some((op, neutral)) = &input.op {
                self.operator(op, neutral, "operator");
                if op.ret.len() == elems.len() {
                    self.part(&op.ret, &elems, "what the operator returns");
                } else {
                    self.error(format!("{} arrays for an operator on {} values", elems.len(), op.ret.len()));
                }
            }
            expected.push(Type::Acc(token.name, input.shape.clone(), elems));
        }
        let accs = expected[n..].to_vec();
        self.applied(&w.lambda, Some(expected), "body");
        match w.lambda.ret.get(..n) {
            Some(ret) => self.part(ret, &accs, "accumulator returned"),
            None => self.error("not all accumulators are returned"),
        }
    }
}
