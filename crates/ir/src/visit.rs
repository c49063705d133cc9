//! Walking over programs: [`Visitor`] looks, [`Mutator`] changes.
//!
//! Both have one method per kind of thing, which by default goes on to the
//! parts of the thing (the functions of [`look`] and [`change`], to be called
//! by methods that replace the default). What a walk can meet in the end:
//!
//! - `operand`: a name or constant in operand position; by default, its name;
//! - `name`: a use of a variable where only a name can stand, such as an array;
//! - `bound`: a name where it is bound;
//! - `callee`: the name of a function where it is called.
//!
//! A walk goes on as `dyn Visitor` or `dyn Mutator`, and the parts of an expression are a function of its
//! representation ([`Rep::look`], [`Rep::change`]): so they are compiled three times, here, and not for each
//! walk and each crate.
//!
//! At the end of the file are shortcuts for simple walks that closures can do.

use crate::op::{Dec, OpView, OpViewMut, RepOp};
use crate::rep::Rep;
use crate::schedule::{Condition, Plan, Quantity, Schedule};
use crate::seg::{KernelReturn, SegBinOp, SegKind, SegOp, SizeOp};
use crate::soac::Soac;
use crate::syntax::*;
use fehu_base::{report, Name};

pub use fehu_base::stack::deep;

/// Writes one walk twice: over shared and over exclusive references.
macro_rules! walks {
    (
        $(#[$doc:meta])* $Trait:ident, $AsDyn:ident, $as_dyn:ident,
        $(#[$moddoc:meta])* $module:ident, $View:ident, $view:ident, $walk_dec:ident, [$($m:tt)?]
    ) => {
        $(#[$doc])*
        #[allow(unused_variables)]
        pub trait $Trait<R: Rep>: $AsDyn<R> {
            /// A use of a variable.
            fn name(&mut self, n: &$($m)? Name) {}
            /// A binding of a variable.
            fn bound(&mut self, n: &$($m)? Name) {}
            /// The function in a call.
            fn callee(&mut self, n: &$($m)? Name) {}
            /// An operand.
            fn operand(&mut self, e: &$($m)? SubExp) {
                if let SubExp::Var(n) = e {
                    self.name(n);
                }
            }
            /// The certificates of a statement.
            fn certs(&mut self, certs: &$($m)? Vec<Name>) {
                for n in certs {
                    self.name(n);
                }
            }
            /// A type.
            fn ty(&mut self, t: &$($m)? Type) {
                $module::ty(self.$as_dyn(), t);
            }
            /// A decoration.
            fn dec(&mut self, d: &$($m)? R::Dec) {
                d.$walk_dec(&mut |e| self.operand(e));
            }
            /// A parameter.
            fn param(&mut self, p: &$($m)? Param<R>) {
                $module::param(self.$as_dyn(), p);
            }
            /// An element of a pattern.
            fn pat_elem(&mut self, p: &$($m)? PatElem<R>) {
                $module::pat_elem(self.$as_dyn(), p);
            }
            /// A statement.
            fn stm(&mut self, s: &$($m)? Stm<R>) {
                $module::stm(self.$as_dyn(), s);
            }
            /// A body.
            fn body(&mut self, b: &$($m)? Body<R>) {
                $module::body(self.$as_dyn(), b);
            }
            /// A lambda.
            fn lambda(&mut self, l: &$($m)? Lambda<R>) {
                $module::lambda(self.$as_dyn(), l);
            }
            /// An expression.
            fn exp(&mut self, e: &$($m)? Exp<R>) {
                $module::exp(self.$as_dyn(), e);
            }
        }

        /// The walk as its methods hand it on, whatever its type: whoever walks brings only what it does itself.
        pub trait $AsDyn<R: Rep> {
            /// Itself.
            fn $as_dyn(&mut self) -> &mut dyn $Trait<R>;
        }

        impl<R: Rep, V: $Trait<R>> $AsDyn<R> for V {
            fn $as_dyn(&mut self) -> &mut dyn $Trait<R> {
                self
            }
        }

        $(#[$moddoc])*
        pub mod $module {
            use super::*;

            /// The names in a type.
            pub fn ty<R: Rep>(v: &mut dyn $Trait<R>, t: &$($m)? Type) {
                match t {
                    Type::Prim(_) | Type::Mem(_) => {}
                    Type::Array(_, shape) => operands(v, shape),
                    Type::Acc(token, shape, elems) => {
                        v.name(token);
                        operands(v, shape);
                        for t in elems {
                            v.ty(t);
                        }
                    }
                }
            }

            /// Every operand of a list.
            pub fn operands<R: Rep>(v: &mut dyn $Trait<R>, es: &$($m)? Vec<SubExp>) {
                for e in es {
                    v.operand(e);
                }
            }

            /// Every name of a list.
            pub fn names<R: Rep>(v: &mut dyn $Trait<R>, ns: &$($m)? Vec<Name>) {
                for n in ns {
                    v.name(n);
                }
            }

            /// The name of a parameter and what its type and decoration mention.
            pub fn param<R: Rep>(v: &mut dyn $Trait<R>, p: &$($m)? Param<R>) {
                v.bound(&$($m)? p.name);
                v.ty(&$($m)? p.ty);
                v.dec(&$($m)? p.dec);
            }

            /// The name of a pattern element and what its type and decoration mention.
            pub fn pat_elem<R: Rep>(v: &mut dyn $Trait<R>, p: &$($m)? PatElem<R>) {
                v.bound(&$($m)? p.name);
                v.ty(&$($m)? p.ty);
                v.dec(&$($m)? p.dec);
            }

            /// The certificates, expression and pattern of a statement.
            pub fn stm<R: Rep>(v: &mut dyn $Trait<R>, s: &$($m)? Stm<R>) {
                v.certs(&$($m)? s.certs);
                v.exp(&$($m)? s.exp);
                for p in &$($m)? s.pat {
                    v.pat_elem(p);
                }
            }

            /// The statements and results of a body.
            pub fn body<R: Rep>(v: &mut dyn $Trait<R>, b: &$($m)? Body<R>) {
                deep(|| {
                    for s in &$($m)? b.stms {
                        if let Some(p) = s.pat.first() {
                            report::statement(p.name);
                        }
                        v.stm(s);
                    }
                    operands(v, &$($m)? b.result);
                })
            }

            /// The parameters, body and result types of a lambda.
            pub fn lambda<R: Rep>(v: &mut dyn $Trait<R>, l: &$($m)? Lambda<R>) {
                for p in &$($m)? l.params {
                    v.param(p);
                }
                v.body(&$($m)? l.body);
                for t in &$($m)? l.ret {
                    v.ty(t);
                }
            }

            /// The parameters, results and body of a function; not its own name.
            pub fn fun<R: Rep>(v: &mut dyn $Trait<R>, f: &$($m)? FunDef<R>) {
                for p in &$($m)? f.params {
                    v.param(p);
                }
                for r in &$($m)? f.ret {
                    match &$($m)? r.ty {
                        RetType::Prim(_) | RetType::Mem(_) => {}
                        RetType::Array { shape, .. } => {
                            for s in shape {
                                match s {
                                    ExtSize::Free(e) => v.operand(e),
                                    ExtSize::Ext(_) => {}
                                }
                            }
                        }
                    }
                    v.dec(&$($m)? r.dec);
                }
                v.body(&$($m)? f.body);
            }

            /// The dimensions of a slice.
            pub fn slice<R: Rep>(v: &mut dyn $Trait<R>, slice: &$($m)? Slice) {
                for d in slice {
                    match d {
                        DimIndex::Fix(e) => v.operand(e),
                        DimIndex::Slice { start, len, stride } => {
                            v.operand(start);
                            v.operand(len);
                            v.operand(stride);
                        }
                    }
                }
            }

            fn pairs<R: Rep>(v: &mut dyn $Trait<R>, pairs: &$($m)? Vec<(SubExp, SubExp)>) {
                for (a, b) in pairs {
                    v.operand(a);
                    v.operand(b);
                }
            }

            /// The parts of an expression.
            pub fn exp<R: Rep>(v: &mut dyn $Trait<R>, e: &$($m)? Exp<R>) {
                R::$module(v, e)
            }

            /// The same, as representations have it compiled.
            pub(crate) fn parts<R: Rep>(v: &mut dyn $Trait<R>, e: &$($m)? Exp<R>) {
                match e {
                    Exp::Basic(Basic::SubExp(x) | Basic::Opaque(x) | Basic::UnOp(_, x) | Basic::Conv(_, x)) => v.operand(x),
                    Exp::Basic(Basic::BinOp(_, x, y) | Basic::CmpOp(_, x, y)) => {
                        v.operand(x);
                        v.operand(y);
                    }
                    Exp::Basic(Basic::PrimFn(_, xs)) => operands(v, xs),
                    Exp::Basic(Basic::Assert(x, parts, purpose)) => {
                        v.operand(x);
                        for part in parts {
                            match part {
                                ErrorPart::Text(_) => {}
                                ErrorPart::Value(x, _) => v.operand(x),
                            }
                        }
                        match purpose {
                            Purpose::Values | Purpose::Program => {}
                            Purpose::Sizes { sizes, runs } => {
                                operands(v, sizes);
                                operands(v, runs);
                            }
                        }
                    }
                    Exp::Basic(Basic::ArrayLit(xs, t)) => {
                        operands(v, xs);
                        v.ty(t);
                    }
                    Exp::Basic(Basic::ArrayConst(_)) => {}
                    Exp::Basic(Basic::Index(a, s)) => {
                        v.name(a);
                        slice(v, s);
                    }
                    Exp::Basic(Basic::Update(a, s, x)) => {
                        v.name(a);
                        slice(v, s);
                        v.operand(x);
                    }
                    Exp::Basic(Basic::FlatIndex(a, offset, dims)) => {
                        v.name(a);
                        v.operand(offset);
                        pairs(v, dims);
                    }
                    Exp::Basic(Basic::FlatUpdate(a, offset, dims, x)) => {
                        v.name(a);
                        v.operand(offset);
                        pairs(v, dims);
                        v.name(x);
                    }
                    Exp::Basic(Basic::Iota { n, start, step, ty: _ }) => {
                        v.operand(n);
                        v.operand(start);
                        v.operand(step);
                    }
                    Exp::Basic(Basic::Replicate(shape, x)) => {
                        operands(v, shape);
                        v.operand(x);
                    }
                    Exp::Basic(Basic::Scratch(_, shape)) => operands(v, shape),
                    Exp::Basic(Basic::Copy(a) | Basic::Manifest(_, a) | Basic::Rearrange(_, a)) => v.name(a),
                    Exp::Basic(Basic::Concat { dim: _, arrays, size }) => {
                        names(v, arrays);
                        v.operand(size);
                    }
                    Exp::Basic(Basic::Reshape(shape, a)) => {
                        operands(v, shape);
                        v.name(a);
                    }
                    Exp::Basic(Basic::UpdateAcc(acc, index, values)) => {
                        v.name(acc);
                        operands(v, index);
                        operands(v, values);
                    }
                    Exp::Call(f, args) => {
                        v.callee(f);
                        operands(v, args);
                    }
                    Exp::If(c, t, f) => {
                        v.operand(c);
                        v.body(t);
                        v.body(f);
                    }
                    Exp::Loop(l) => {
                        for (p, init) in &$($m)? l.params {
                            v.operand(init);
                            v.param(p);
                        }
                        match &$($m)? l.form {
                            LoopForm::For { var, ty: _, bound } => {
                                v.operand(bound);
                                v.bound(var);
                            }
                            LoopForm::While(cond) => v.name(cond),
                        }
                        v.body(&$($m)? l.body);
                    }
                    Exp::WithAcc(w) => {
                        for input in &$($m)? w.inputs {
                            operands(v, &$($m)? input.shape);
                            names(v, &$($m)? input.arrays);
                            if let Some((op, neutral)) = &$($m)? input.op {
                                v.lambda(op);
                                operands(v, neutral);
                            }
                        }
                        v.lambda(&$($m)? w.lambda);
                    }
                    Exp::Op(op) => match op.$view() {
                        $View::Soac(s) => soac(v, s),
                        $View::Seg(s) => seg(v, s),
                        $View::Size(s) => size(v, s),
                        $View::Alloc(bytes, _) => v.operand(bytes),
                    },
                }
            }

            fn soac<R: Rep>(v: &mut dyn $Trait<R>, soac: &$($m)? Soac<R>) {
                match soac {
                    Soac::Screma(s) => {
                        v.operand(&$($m)? s.width);
                        names(v, &$($m)? s.arrays);
                        for scan in &$($m)? s.scans {
                            v.lambda(&$($m)? scan.op);
                            operands(v, &$($m)? scan.neutral);
                        }
                        for red in &$($m)? s.reds {
                            v.lambda(&$($m)? red.op);
                            operands(v, &$($m)? red.neutral);
                        }
                        v.lambda(&$($m)? s.map);
                    }
                    Soac::Hist(h) => {
                        v.operand(&$($m)? h.width);
                        names(v, &$($m)? h.arrays);
                        for op in &$($m)? h.ops {
                            operands(v, &$($m)? op.shape);
                            names(v, &$($m)? op.dests);
                            operands(v, &$($m)? op.neutral);
                            v.lambda(&$($m)? op.op);
                        }
                        v.lambda(&$($m)? h.lambda);
                    }
                    Soac::Scatter(s) => {
                        v.operand(&$($m)? s.width);
                        names(v, &$($m)? s.arrays);
                        for dest in &$($m)? s.dests {
                            operands(v, &$($m)? dest.shape);
                            v.name(&$($m)? dest.array);
                        }
                        v.lambda(&$($m)? s.lambda);
                    }
                    Soac::Filter(f) => {
                        v.operand(&$($m)? f.width);
                        names(v, &$($m)? f.arrays);
                        v.lambda(&$($m)? f.lambda);
                    }
                    Soac::Ad(ad) => {
                        operands(v, &$($m)? ad.args);
                        operands(v, &$($m)? ad.seeds);
                        v.lambda(&$($m)? ad.lambda);
                    }
                }
            }

            fn seg<R: Rep>(v: &mut dyn $Trait<R>, seg: &$($m)? SegOp<R>) {
                v.bound(&$($m)? seg.space.flat);
                if let Some(grid) = &$($m)? seg.grid {
                    v.bound(&$($m)? grid.thread);
                    v.operand(&$($m)? grid.threads);
                    v.operand(&$($m)? grid.blocks);
                    v.operand(&$($m)? grid.block_size);
                }
                for (index, bound) in &$($m)? seg.space.dims {
                    v.operand(bound);
                    v.bound(index);
                }
                for t in &$($m)? seg.types {
                    v.ty(t);
                }
                match &$($m)? seg.kind {
                    SegKind::Map => {}
                    SegKind::Red(ops) | SegKind::Scan(ops, None) => {
                        for op in ops {
                            bin_op(v, op);
                        }
                    }
                    SegKind::Scan(ops, Some(after)) => {
                        for op in ops {
                            bin_op(v, op);
                        }
                        v.lambda(&$($m)? after.lambda);
                        returns(v, &$($m)? after.returns);
                    }
                    SegKind::Hist(ops) => {
                        for op in ops {
                            operands(v, &$($m)? op.shape);
                            names(v, &$($m)? op.dests);
                            operands(v, &$($m)? op.neutral);
                            operands(v, &$($m)? op.vector);
                            v.lambda(&$($m)? op.op);
                        }
                    }
                }
                v.body(&$($m)? seg.body.body);
                returns(v, &$($m)? seg.body.returns);
                if let Some(s) = &$($m)? seg.schedule {
                    schedule(v, s);
                }
            }

            fn schedule<R: Rep>(v: &mut dyn $Trait<R>, schedule: &$($m)? Schedule) {
                for choice in &$($m)? schedule.choices {
                    conditions(v, &$($m)? choice.when);
                    match &$($m)? choice.plan {
                        Plan::Points(points) => {
                            conditions(v, &$($m)? points.each_when);
                            if let Some(column) = &$($m)? points.column {
                                conditions(v, &$($m)? column.when);
                            }
                        }
                        Plan::SinglePass(scan) => {
                            conditions(v, &$($m)? scan.whole_when);
                        }
                        Plan::ThreadPerSegment { each_when, .. } => {
                            conditions(v, each_when);
                        }
                        Plan::GlobalUpdates(updates) => {
                            if let Some(slices) = &$($m)? updates.slices {
                                conditions(v, &$($m)? slices.when);
                            }
                        }
                        Plan::Tiled(tiled) => {
                            for l in &$($m)? tiled.loops {
                                v.name(&$($m)? l.var);
                                for read in &$($m)? l.reads {
                                    v.name(&$($m)? read.name);
                                }
                                for factor in (&$($m)? l.product).into_iter().flatten() {
                                    v.name(factor);
                                }
                            }
                        }
                        Plan::RowCache(cache) => {
                            for (read, var) in &$($m)? cache.reads {
                                v.name(read);
                                v.name(var);
                            }
                        }
                        Plan::Turned(turned) => {
                            for (read, _) in &$($m)? turned.reads {
                                v.name(read);
                            }
                        }
                        Plan::Steps(steps) => {
                            names(v, &$($m)? steps.carried);
                            names(v, &$($m)? steps.kept);
                        }
                        Plan::Line(line) => {
                            names(v, &$($m)? line.carried);
                            names(v, &$($m)? line.ahead);
                        }
                        Plan::BlockPerPoint { spaces, once, turns: _ } => {
                            for space in spaces {
                                operands(v, space);
                            }
                            if let Some(once) = once {
                                for space in &$($m)? once.spaces {
                                    operands(v, space);
                                }
                            }
                        }
                        Plan::MergePath(merge) => {
                            v.name(&$($m)? merge.ends);
                            v.name(&$($m)? merge.counts);
                        }
                        Plan::Strided
                        | Plan::LanesPerSegment { .. }
                        | Plan::SegmentsPerBlock { .. }
                        | Plan::SegmentsTogether { .. }
                        | Plan::BlocksPerSegment(_)
                        | Plan::Strips(_)
                        | Plan::SubHistograms(_)
                        | Plan::HistogramStrips(_)
                        | Plan::Rounds { .. }
                        | Plan::CopiedAhead
                        | Plan::ByWarps
                        | Plan::SideBySide
                        | Plan::Ranges
                        | Plan::Chunks { .. }
                        | Plan::ReduceThenScan { .. }
                        | Plan::ScanThenCorrect { .. } => {}
                    }
                }
            }

            fn conditions<R: Rep>(v: &mut dyn $Trait<R>, conditions: &$($m)? Vec<Condition>) {
                for condition in conditions {
                    for amount in [&$($m)? condition.left, &$($m)? condition.right] {
                        for quantity in &$($m)? amount.of {
                            if let Quantity::Size(e, _) = quantity {
                                v.operand(e);
                            }
                        }
                    }
                }
            }

            fn returns<R: Rep>(v: &mut dyn $Trait<R>, returns: &$($m)? Vec<KernelReturn>) {
                for ret in returns {
                    match ret {
                        KernelReturn::Elem => {}
                        KernelReturn::Write { array, shape, index } => {
                            v.name(array);
                            operands(v, shape);
                            operands(v, index);
                        }
                    }
                }
            }

            fn bin_op<R: Rep>(v: &mut dyn $Trait<R>, op: &$($m)? SegBinOp<R>) {
                v.lambda(&$($m)? op.op);
                operands(v, &$($m)? op.neutral);
            }

            fn size<R: Rep>(v: &mut dyn $Trait<R>, size: &$($m)? SizeOp) {
                match size {
                    SizeOp::GetSize(..) | SizeOp::GetSizeMax(_) | SizeOp::SharedNeeded(_) => {}
                    SizeOp::CmpThreshold { name: _, class: _, par, by } => {
                        v.operand(par);
                        if let Some(by) = by {
                            v.operand(by);
                        }
                    }
                    SizeOp::CalcGrid { points, max: _, block } => {
                        v.operand(points);
                        v.operand(block);
                    }
                }
            }
        }
    };
}

walks!(
    /// A walk that looks. See the module's text.
    Visitor, AsVisitor, as_visitor,
    /// Going on to the parts of a thing.
    look, OpView, view, walk, []
);
walks!(
    /// A walk that changes. See the module's text.
    Mutator, AsMutator, as_mutator,
    /// Going on to the parts of a thing.
    change, OpViewMut, view_mut, walk_mut, [mut]
);

/// Calls the function on each statement of a body and of the bodies in it, outer ones first.
pub fn for_each_stm<R: Rep>(body: &Body<R>, f: &mut impl FnMut(&Stm<R>)) {
    struct Each<'a, F>(&'a mut F);
    impl<R: Rep, F: FnMut(&Stm<R>)> Visitor<R> for Each<'_, F> {
        fn stm(&mut self, s: &Stm<R>) {
            (self.0)(s);
            for_each_body(&s.exp, &mut |b| look::body(self, b));
        }
    }
    Each(f).body(body);
}

/// Calls the function on each body directly in an expression, those of lambdas included.
pub fn for_each_body<R: Rep>(exp: &Exp<R>, f: &mut impl FnMut(&Body<R>)) {
    struct Each<'a, F>(&'a mut F);
    impl<R: Rep, F: FnMut(&Body<R>)> Visitor<R> for Each<'_, F> {
        fn body(&mut self, b: &Body<R>) {
            (self.0)(b);
        }
    }
    look::exp(&mut Each(f), exp);
}

/// Changes each body directly in an expression, those of lambdas included.
pub fn map_bodies<R: Rep>(exp: &mut Exp<R>, f: &mut impl FnMut(&mut Body<R>)) {
    struct Each<'a, F>(&'a mut F);
    impl<R: Rep, F: FnMut(&mut Body<R>)> Mutator<R> for Each<'_, F> {
        fn body(&mut self, b: &mut Body<R>) {
            (self.0)(b);
        }
    }
    change::exp(&mut Each(f), exp);
}

/// Calls the function on each lambda directly in an expression.
pub fn for_each_lambda<R: Rep>(exp: &Exp<R>, f: &mut impl FnMut(&Lambda<R>)) {
    struct Each<'a, F>(&'a mut F);
    impl<R: Rep, F: FnMut(&Lambda<R>)> Visitor<R> for Each<'_, F> {
        fn lambda(&mut self, l: &Lambda<R>) {
            (self.0)(l);
        }
        fn body(&mut self, _: &Body<R>) {}
    }
    look::exp(&mut Each(f), exp);
}

/// Calls the function on each operand (arrays and sizes in types included) of the expression
/// itself: what is evaluated before its bodies and lambdas, into which this does not look.
pub fn for_each_operand<R: Rep>(exp: &Exp<R>, f: &mut impl FnMut(SubExp)) {
    struct Each<'a, F>(&'a mut F);
    impl<R: Rep, F: FnMut(SubExp)> Visitor<R> for Each<'_, F> {
        fn name(&mut self, n: &Name) {
            (self.0)(SubExp::Var(*n));
        }
        fn operand(&mut self, e: &SubExp) {
            (self.0)(*e);
        }
        fn param(&mut self, _: &Param<R>) {}
        fn lambda(&mut self, _: &Lambda<R>) {}
        fn body(&mut self, _: &Body<R>) {}
    }
    look::exp(&mut Each(f), exp);
}
