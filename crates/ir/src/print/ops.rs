//! The text of operations: one line per part, indented below their first.

use super::Printer;
use crate::op::{OpView, RepOp};
use crate::rep::Rep;
use crate::seg::{KernelReturn, SegBinOp, SegKind, SegLevel, SegOp, SizeClass, SizeOp};
use crate::soac::{AdMode, Commutativity, Filter, Hist, Scatter, Screma, Soac};
use crate::syntax::{SubExp, WithAcc};

impl Printer<'_> {
    pub(super) fn op<R: Rep>(&mut self, op: &R::Op) {
        match op.view() {
            OpView::Soac(soac) => self.soac(soac),
            OpView::Seg(seg) => self.seg(seg),
            OpView::Size(size) => self.size_op(size),
            OpView::Alloc(bytes, space) => {
                self.put("alloc ");
                self.operand(*bytes);
                self.put(" ");
                self.space(space);
            }
        }
    }

    pub(super) fn with_acc<R: Rep>(&mut self, w: &WithAcc<R>) {
        self.put("with_acc");
        self.indent += 1;
        for input in &w.inputs {
            self.line();
            self.put("input ");
            self.shape(&input.shape);
            self.put(" ");
            self.name_list(&input.arrays);
            if let Some((op, neutral)) = &input.op {
                self.put(" op ");
                self.operands(neutral);
                self.put(" ");
                self.lambda(op);
            }
        }
        self.line();
        self.put("do ");
        self.lambda(&w.lambda);
        self.indent -= 1;
    }

    fn soac<R: Rep>(&mut self, soac: &Soac<R>) {
        match soac {
            Soac::Screma(s) => self.screma(s),
            Soac::Hist(h) => self.hist(h),
            Soac::Scatter(s) => self.scatter(s),
            Soac::Filter(f) => self.filter(f),
            Soac::Ad(ad) => {
                self.put(match ad.mode {
                    AdMode::Forward => "jvp ",
                    AdMode::Reverse => "vjp ",
                    AdMode::Rule => "with_vjp ",
                });
                self.operands(&ad.args);
                self.put(" ");
                self.operands(&ad.seeds);
                self.put(" ");
                self.lambda(&ad.lambda);
            }
        }
    }

    fn screma<R: Rep>(&mut self, s: &Screma<R>) {
        self.put("screma ");
        self.operand(s.width);
        self.put(" ");
        self.name_list(&s.arrays);
        self.indent += 1;
        for scan in &s.scans {
            self.line();
            self.put("scan ");
            self.operands(&scan.neutral);
            self.put(" ");
            self.lambda(&scan.op);
        }
        for red in &s.reds {
            self.line();
            self.put("reduce ");
            self.comm(red.comm);
            self.operands(&red.neutral);
            self.put(" ");
            self.lambda(&red.op);
        }
        self.line();
        self.put("map ");
        self.lambda(&s.map);
        self.indent -= 1;
    }

    fn comm(&mut self, comm: Commutativity) {
        match comm {
            Commutativity::Commutative => self.put("comm "),
            Commutativity::Noncommutative => {}
        }
    }

    fn hist<R: Rep>(&mut self, h: &Hist<R>) {
        self.put("hist ");
        self.operand(h.width);
        self.put(" ");
        self.name_list(&h.arrays);
        self.indent += 1;
        for op in &h.ops {
            self.line();
            self.put("op ");
            self.shape(&op.shape);
            self.put(" ");
            self.name_list(&op.dests);
            self.put(" ");
            self.operands(&op.neutral);
            self.put(" ");
            self.lambda(&op.op);
        }
        self.line();
        self.put("map ");
        self.lambda(&h.lambda);
        self.indent -= 1;
    }

    fn filter<R: Rep>(&mut self, f: &Filter<R>) {
        self.put("filter ");
        self.operand(f.width);
        self.put(" ");
        self.name_list(&f.arrays);
        for n in &f.kept {
            self.put(format!(" kept {n}"));
        }
        self.indent += 1;
        self.line();
        self.put("map ");
        self.lambda(&f.lambda);
        self.indent -= 1;
    }

    fn scatter<R: Rep>(&mut self, s: &Scatter<R>) {
        self.put("scatter ");
        self.operand(s.width);
        self.put(" ");
        self.name_list(&s.arrays);
        self.indent += 1;
        for dest in &s.dests {
            self.line();
            self.put("into ");
            self.shape(&dest.shape);
            self.put(" ");
            self.name(dest.array);
        }
        self.line();
        self.put("map ");
        self.lambda(&s.lambda);
        self.indent -= 1;
    }

    fn seg<R: Rep>(&mut self, seg: &SegOp<R>) {
        self.put(match seg.kind {
            SegKind::Map => "segmap ",
            SegKind::Red(_) => "segred ",
            SegKind::Scan(..) => "segscan ",
            SegKind::Hist(_) => "seghist ",
        });
        self.put(match seg.level {
            SegLevel::Thread => "thread ",
            SegLevel::Block => "block ",
            SegLevel::InBlock => "in_block ",
            SegLevel::Task => "task ",
        });
        if seg.virtualise {
            self.put("virtual ");
        }
        if let Some(grid) = &seg.grid {
            self.put("grid(");
            self.name(grid.thread);
            self.put(" < ");
            self.list([grid.threads, grid.blocks, grid.block_size], Self::operand);
            self.put(") ");
        }
        self.put("(");
        self.name(seg.space.flat);
        self.put("; ");
        self.list(&seg.space.dims, |p, (index, bound)| {
            p.name(*index);
            p.put(" < ");
            p.operand(*bound);
        });
        self.put(") : ");
        self.types(&seg.types);
        self.indent += 1;
        match &seg.kind {
            SegKind::Map => {}
            SegKind::Red(ops) | SegKind::Scan(ops, _) => {
                for op in ops {
                    self.seg_bin_op(op);
                }
            }
            SegKind::Hist(ops) => {
                for op in ops {
                    self.line();
                    self.put("op ");
                    self.shape(&op.shape);
                    self.put(" ");
                    self.name_list(&op.dests);
                    self.put(" ");
                    self.operands(&op.neutral);
                    self.put(" ");
                    self.shape(&op.vector);
                    self.put(" ");
                    self.lambda(&op.op);
                }
            }
        }
        if let Some(after) = seg.after() {
            self.line();
            self.put("after ");
            self.lambda(&after.lambda);
            self.put(" as (");
            self.list(after.lambda.body.result.iter().zip(&after.returns), |p, (e, ret)| {
                p.seg_return(*e, ret)
            });
            self.put(")");
        }
        if let Some(schedule) = &seg.schedule {
            self.schedule(schedule);
        }
        self.indent -= 1;
        if matches!(seg.kind, SegKind::Map) && seg.schedule.is_none() {
            self.put(" ");
        } else {
            self.line();
        }
        self.open();
        for stm in &seg.body.body.stms {
            self.line();
            self.stm(stm);
        }
        self.line();
        self.put("return (");
        self.list(seg.body.body.result.iter().zip(&seg.body.returns), |p, (e, ret)| p.seg_return(*e, ret));
        self.put(")");
        self.close();
    }

    fn seg_bin_op<R: Rep>(&mut self, op: &SegBinOp<R>) {
        self.line();
        self.put("op ");
        self.comm(op.comm);
        self.operands(&op.neutral);
        self.put(" ");
        self.lambda(&op.op);
    }

    fn seg_return(&mut self, e: SubExp, ret: &KernelReturn) {
        match ret {
            KernelReturn::Elem => self.operand(e),
            KernelReturn::Write { array, shape, index } => {
                self.put("write ");
                self.operand(e);
                self.put(" to ");
                self.name(*array);
                self.put(" ");
                self.shape(shape);
                self.put(" at ");
                self.operands(index);
            }
        }
    }

    fn size_op(&mut self, size: &SizeOp) {
        match size {
            SizeOp::GetSize(name, class) => {
                self.put(format_args!("get_size {:?} ", name.as_str()));
                self.size_class(class);
            }
            SizeOp::GetSizeMax(class) => {
                self.put("get_size_max ");
                self.size_class(class);
            }
            SizeOp::SharedNeeded(label) => self.put(format_args!("shared_needed {:?}", label.as_str())),
            SizeOp::CmpThreshold { name, class, par, by } => {
                self.put(format_args!("cmp_threshold {:?} ", name.as_str()));
                self.size_class(class);
                self.put(" ");
                self.operand(*par);
                if let Some(by) = by {
                    self.put(" by ");
                    self.operand(*by);
                }
            }
            SizeOp::CalcGrid { points, max, block } => {
                self.put("calc_grid ");
                self.operand(*points);
                self.put(format_args!(" {:?} ", max.as_str()));
                self.operand(*block);
            }
        }
    }

    pub(super) fn size_class(&mut self, class: &SizeClass) {
        match class {
            SizeClass::Threshold(path, usual) => {
                self.put("threshold(");
                self.list(path, |p, (name, taken)| p.put(format_args!("{:?} {taken}", name.as_str())));
                self.put(")");
                if let Some(usual) = usual {
                    self.put(format_args!(" usually {usual}"));
                }
            }
            SizeClass::ThreadBlockSize => self.put("block_size"),
            SizeClass::GridSize => self.put("grid_size"),
            SizeClass::TileSize => self.put("tile_size"),
            SizeClass::RegTileSize => self.put("reg_tile_size"),
            SizeClass::SharedMemory => self.put("shared_memory"),
            SizeClass::ThreadMemory => self.put("thread_memory"),
            SizeClass::Bespoke(name, default) => {
                self.put(format_args!("bespoke({:?} {default})", name.as_str()));
            }
        }
    }
}
