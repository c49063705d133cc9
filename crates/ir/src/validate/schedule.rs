//! Checking schedules: plans suit the operation, and conditions what the plan knows.

use super::Checker;
use crate::copied::copied_element;
use crate::free::bound_in_body;
use crate::rep::Rep;
use crate::schedule::*;
use crate::seg::{KernelReturn, SegKind, SegLevel, SegOp, SizeClass};
use crate::syntax::{Basic, Body, Exp, LoopForm, Type};
use crate::visit::for_each_stm;
use fehu_base::prim::PrimType;
use fehu_base::{Name, Symbol};
use rustc_hash::FxHashSet;

impl<R: Rep> Checker<'_, R> {
    /// The schedule of an operation, outside of whose body we are.
    pub(super) fn schedule(&mut self, seg: &SegOp<R>, schedule: &Schedule) {
        let mut seen: FxHashSet<Symbol> = FxHashSet::default();
        for param in &schedule.params {
            if !seen.insert(param.name) {
                self.error(format!("the parameter {:?} is there twice", param.name.as_str()));
            }
            if param.usual.is_some_and(|n| n < 1) {
                self.error(format!("the default of {:?} is less than 1", param.name.as_str()));
            }
        }
        let Some(last) = schedule.choices.len().checked_sub(1) else {
            self.error("a schedule without a choice");
            return;
        };
        for (k, choice) in schedule.choices.iter().enumerate() {
            match (k == last, choice.when.is_empty()) {
                (true, true) | (false, false) => {}
                (true, false) => self.error("the last choice of a schedule has conditions"),
                (false, true) => self.error("a choice without conditions is not the last"),
            }
            self.conditions(&schedule.params, &choice.plan, &choice.when);
            self.plan(seg, &schedule.params, &choice.plan);
        }
    }

    fn conditions(&mut self, params: &[ScheduleParam], plan: &Plan, conditions: &[Condition]) {
        let amounts = conditions.iter().flat_map(|c| [&c.left, &c.right]);
        for quantity in amounts.flat_map(|a| &a.of) {
            if let Quantity::Param(name) = *quantity {
                self.declared(params, name, None);
            }
            if let Quantity::Size(e, ty) = *quantity {
                self.prim(e, PrimType::Int(ty));
            }
            if !knows(plan, *quantity) {
                self.error(format!("{quantity:?} means nothing for {}", plan.word()));
            }
        }
    }

    /// A parameter that is mentioned.
    fn declared(&mut self, params: &[ScheduleParam], name: Symbol, class: Option<&SizeClass>) {
        match params.iter().find(|p| p.name == name) {
            None => self.error(format!("the schedule has no parameter {:?}", name.as_str())),
            Some(p) if class.is_some_and(|c| p.class != *c) => {
                self.error(format!("the parameter {:?} is of class {:?}", name.as_str(), p.class));
            }
            Some(_) => {}
        }
    }

    fn plan(&mut self, seg: &SegOp<R>, params: &[ScheduleParam], plan: &Plan) {
        if !suits(seg, plan) {
            self.error(format!("{} is no way to run this operation", plan.word()));
            return;
        }
        let numbers: Vec<i64> = match plan {
            Plan::Points(p) => {
                self.conditions(params, plan, &p.each_when);
                if let Some(c) = &p.column {
                    self.conditions(params, plan, &c.when);
                    if seg.space.dims.len() < 2 || c.widths_log2.is_empty() {
                        self.error("a column without rows");
                    }
                }
                let column = p.column.iter().flat_map(|c| c.widths_log2.iter().copied().chain([c.points]));
                column.chain([p.each]).collect()
            }
            Plan::Tiled(tiled) => {
                self.tiled(seg, tiled);
                vec![]
            }
            Plan::RowCache(cache) => {
                let loops = bound_by_loops(&seg.body.body);
                let reads = reads_in(&seg.body.body);
                for (read, var) in &cache.reads {
                    self.is_read(&reads, *read);
                    self.is_loop(&loops, *var);
                }
                vec![i64::from(!cache.reads.is_empty())]
            }
            Plan::Turned(turned) => {
                self.turned(seg, turned);
                turned.sides.iter().map(|(_, side)| *side).collect()
            }
            Plan::Steps(s) => {
                self.steps(seg, s);
                vec![s.steps, s.radius, s.block, s.rows, s.block - 2 * s.halo()]
            }
            Plan::Line(l) => {
                self.line(seg, l);
                vec![l.steps, l.radius, l.block, l.block - 2 * l.halo()]
            }
            Plan::BlockPerPoint { spaces, once, turns } => {
                let once = once.iter().flat_map(|once| &once.spaces);
                let kept = turns.iter().filter_map(|turns| turns.kept);
                let kept = kept.flat_map(|kept| {
                    let columns = kept.columns.map(|columns| columns.points);
                    [Some(kept.points), Some(kept.of_lanes), columns].into_iter().flatten()
                });
                kept.chain([i64::from(!spaces.iter().chain(once).any(Vec::is_empty))]).collect()
            }
            Plan::LanesPerSegment { points, .. } => vec![*points],
            Plan::ThreadPerSegment { each, each_when, .. } => {
                self.conditions(params, plan, each_when);
                vec![*each]
            }
            Plan::GlobalUpdates(updates) => {
                if let Some(slices) = &updates.slices {
                    self.conditions(params, plan, &slices.when);
                    if seg.grid.is_some() {
                        self.error("a grid of its own has one pass over all points");
                    }
                }
                let slices = updates.slices.iter().flat_map(|s| [s.most, s.miss]);
                slices.chain([updates.points]).collect()
            }
            Plan::SegmentsTogether { segments, .. } => vec![*segments],
            Plan::BlocksPerSegment(b) => vec![b.points, b.worth, b.row],
            Plan::MergePath(m) => {
                let mut bound = seg.body.body.stms.iter().flat_map(|stm| &stm.pat);
                if seg.space.dims.len() != 2 || !bound.any(|p| p.name == m.counts) {
                    self.error("a merge path without a condition for the points that count");
                }
                vec![m.items]
            }
            Plan::SinglePass(s) => {
                self.conditions(params, plan, &s.whole_when);
                if !s.whole_when.is_empty() && seg.space.dims.len() < 2 {
                    self.error("a tile of whole segments where there is one");
                }
                self.placings(seg, s);
                vec![s.points, s.resident.unwrap_or(1)]
            }
            Plan::Strips(s) => {
                self.strips(seg, s.along);
                if [s.points, s.warps].iter().any(|n| n & (n - 1) != 0) {
                    self.error(
                        "the points of a thread of a strip, and the warps of a block, are powers of two",
                    );
                }
                vec![s.points, s.warps]
            }
            Plan::HistogramStrips(h) => {
                self.strips(seg, h.along);
                vec![h.points, h.warps, h.worth, h.parts.unwrap_or(1)]
            }
            Plan::SubHistograms(h) => {
                vec![h.room, h.room_for_copies, h.copies, h.worth, h.grouped, h.parts.unwrap_or(1)]
            }
            Plan::Strided
            | Plan::SegmentsPerBlock { .. }
            | Plan::Rounds { .. }
            | Plan::CopiedAhead
            | Plan::ByWarps
            | Plan::SideBySide
            | Plan::Ranges => vec![],
            Plan::Chunks { per_worker: n }
            | Plan::ScanThenCorrect { per_worker: n }
            | Plan::ReduceThenScan { beyond_workers: n } => vec![*n],
        };
        if numbers.iter().any(|n| *n < 1) {
            self.error(format!("{} with a number that is less than 1", plan.word()));
        }
        for (name, class) in plan.params() {
            self.declared(params, name, class.as_ref());
        }
        self.operators(seg, plan);
    }

    /// Checks what a plan says of the operators of an operation.
    fn operators(&mut self, seg: &SegOp<R>, plan: &Plan) {
        match (plan, &seg.kind) {
            (
                Plan::GlobalUpdates(GlobalUpdates { updates, .. })
                | Plan::Rounds { updates, .. }
                | Plan::HistogramStrips(HistogramStrips { updates, .. })
                | Plan::SubHistograms(SubHistograms { updates, .. }),
                kind,
            ) => {
                let operators = if let SegKind::Hist(ops) = kind { ops.len() } else { 0 };
                if updates.len() != operators {
                    self.error(format!("{} ways to update for {operators} operators", updates.len()));
                }
            }
            (Plan::SinglePass(s), SegKind::Scan(ops, _))
                if s.values != TileValues::Same
                    && ops.iter().flat_map(|op| &op.op.ret).any(|t| *t != Type::I64) =>
            {
                self.error("only counters of 64 bits can be narrow");
            }
            (Plan::SinglePass(s), _)
                if s.values == TileValues::Flags
                    && (s.exchange != Exchange::Shuffles || seg.space.dims.len() > 1) =>
            {
                self.error("only warps count flags, and only those of one segment");
            }
            _ => {}
        }
    }

    fn placings(&mut self, seg: &SegOp<R>, scan: &SinglePass) {
        if scan.placings.is_empty() {
            return;
        }
        if scan.values != TileValues::Flags {
            self.error("only flags decide where results go");
        }
        let returns = seg.after().map_or(&[][..], |after| &after.returns);
        if returns.len() != scan.placings.len() {
            self.error(format!("{} placings of {} results", scan.placings.len(), returns.len()));
        }
        for (ret, placing) in returns.iter().zip(&scan.placings) {
            if !matches!(ret, KernelReturn::Write { index, .. } if index.len() == 1) {
                self.error("a result that is not written to a vector has no place there");
            }
            match placing {
                Placing::Flagged(flag) | Placing::Count(flag) | Placing::Number(flag)
                    if *flag >= seg.combined() =>
                {
                    self.error(format!("there is no flag {flag}"));
                }
                Placing::Number(_) if scan.gathered => {
                    self.error("numbers of points are not gathered");
                }
                Placing::Flagged(_) | Placing::Count(_) | Placing::Number(_) | Placing::Others => {}
            }
        }
    }

    fn tiled(&mut self, seg: &SegOp<R>, tiled: &Tiled) {
        let rank = seg.space.dims.len();
        if tiled.across >= rank || tiled.down.is_some_and(|d| d >= rank || d == tiled.across) {
            self.error("the sides of a tile are two dimensions of the space");
        }
        if tiled.down.is_some() != tiled.each.is_some() {
            self.error("rectangles have points for each thread, lines do not");
        }
        if tiled.loops.is_empty() || tiled.loops.iter().any(|l| l.reads.is_empty()) {
            self.error("tiles that nothing is read through");
        }
        let loops = bound_by_loops(&seg.body.body);
        let reads = reads_in(&seg.body.body);
        let scalars: FxHashSet<Name> = bound_in_body(&seg.body.body).into_iter().collect();
        for l in &tiled.loops {
            self.is_loop(&loops, l.var);
            if l.product
                .is_some_and(|factors| tiled.down.is_none() || !factors.iter().all(|x| scalars.contains(x)))
            {
                self.error("the factors of a product are scalars of the map, along two sides");
            }
            for read in &l.reads {
                self.is_read(&reads, read.name);
                let has_side = match read.along {
                    Along::Down => tiled.down.is_some(),
                    Along::Across | Along::Nothing => true,
                };
                if !has_side {
                    self.error(format!("{} changes along a side that is not there", self.show(read.name)));
                }
            }
        }
    }

    fn turned(&mut self, seg: &SegOp<R>, turned: &Turned) {
        let innermost = seg.space.dims.len().checked_sub(1);
        let dims: Vec<usize> = turned.sides.iter().map(|(d, _)| *d).collect();
        let known = dims.iter().all(|d| innermost.is_some_and(|last| *d <= last));
        let once = dims.iter().enumerate().all(|(k, d)| !dims[..k].contains(d));
        if !known || !once || dims.first().copied() != innermost {
            self.error("the sides of a box are dimensions of the space, the innermost first");
        }
        if turned.sides.iter().any(|(_, side)| *side < 1 || side & (side - 1) != 0) {
            self.error("the sides of a box are powers of two");
        }
        if turned.reads.is_empty() {
            self.error("a box that nothing is read through");
        }
        let reads = reads_in(&seg.body.body);
        for (read, dim) in &turned.reads {
            self.is_read(&reads, *read);
            if !dims[1.min(dims.len())..].contains(dim) {
                self.error(format!("{} is in order along no other side", self.show(*read)));
            }
        }
    }

    fn steps(&mut self, seg: &SegOp<R>, steps: &Steps) {
        let elements = seg.body.returns.iter().all(|r| matches!(r, KernelReturn::Elem));
        let scalars = seg.types.iter().all(|t| matches!(t, Type::Prim(_)));
        if seg.space.dims.len() != 2 || !elements || !scalars || steps.carried.len() != seg.types.len() {
            self.error("steps are for the elements of matrices that a loop hands on");
        }
    }

    fn line(&mut self, seg: &SegOp<R>, line: &Line) {
        let elements = seg.body.returns.iter().all(|r| matches!(r, KernelReturn::Elem));
        let scalars = seg.types.iter().all(|t| matches!(t, Type::Prim(_)));
        if seg.space.dims.len() != 1 || !elements || !scalars || line.carried.len() != seg.types.len() {
            self.error("lines are for the elements of vectors that a loop hands on");
        }
    }

    fn strips(&mut self, seg: &SegOp<R>, along: usize) {
        if along + 1 >= seg.space.dims.len() {
            self.error("the segments of a strip are neighbours along a dimension of the space other than the innermost");
        }
        let elements = seg.kept().all(|(_, r)| matches!(r, KernelReturn::Elem));
        if !elements || seg.has_operator_on_arrays() {
            self.error("strips are for operators on scalars, and results that are elements");
        }
    }

    fn is_loop(&mut self, loops: &FxHashSet<Name>, var: Name) {
        if !loops.contains(&var) {
            self.error(format!("{} counts no loop of the operation", self.show(var)));
        }
    }

    fn is_read(&mut self, reads: &FxHashSet<Name>, name: Name) {
        if !reads.contains(&name) {
            self.error(format!("{} is no element that the operation reads", self.show(name)));
        }
    }
}

/// Whether a plan is for operations of this kind and level, with or without a grid.
fn suits<R: Rep>(seg: &SegOp<R>, plan: &Plan) -> bool {
    let own_grid = seg.grid.is_some();
    match (seg.level, &seg.kind, plan) {
        (SegLevel::Thread, SegKind::Map, Plan::Strided) => own_grid,
        (
            SegLevel::Thread,
            SegKind::Map,
            Plan::Points(_)
            | Plan::Tiled(_)
            | Plan::RowCache(_)
            | Plan::Turned(_)
            | Plan::Steps(_)
            | Plan::Line(_),
        ) => !own_grid,
        (SegLevel::Thread, SegKind::Red(_), Plan::BlocksPerSegment(_)) => true,
        (
            SegLevel::Thread,
            SegKind::Red(_),
            Plan::ThreadPerSegment { .. }
            | Plan::LanesPerSegment { .. }
            | Plan::SegmentsPerBlock { .. }
            | Plan::SegmentsTogether { .. }
            | Plan::MergePath(_),
        ) => !own_grid,
        (SegLevel::Thread, SegKind::Scan(..), Plan::Strips(_)) => !own_grid,
        (SegLevel::Thread, SegKind::Scan(..), Plan::SinglePass(s)) => own_grid == s.block.is_none(),
        (SegLevel::Thread, SegKind::Hist(_), Plan::SubHistograms(_) | Plan::HistogramStrips(_)) => !own_grid,
        (SegLevel::Thread, SegKind::Hist(_), Plan::GlobalUpdates(GlobalUpdates { block, .. })) => {
            own_grid == block.is_none()
        }
        (SegLevel::Block, SegKind::Map, Plan::BlockPerPoint { .. }) => true,
        (SegLevel::InBlock, SegKind::Map | SegKind::Hist(_), Plan::Rounds { .. }) => true,
        (SegLevel::InBlock, SegKind::Map, Plan::CopiedAhead) => copied_element(seg).is_some(),
        (SegLevel::InBlock, SegKind::Red(_) | SegKind::Scan(..), Plan::ByWarps | Plan::SideBySide) => true,
        (SegLevel::Task, SegKind::Map, Plan::Ranges) => true,
        (SegLevel::Task, SegKind::Red(_), Plan::Chunks { .. }) => true,
        (SegLevel::Task, SegKind::Scan(..), Plan::ReduceThenScan { .. } | Plan::ScanThenCorrect { .. }) => {
            true
        }
        (SegLevel::Thread | SegLevel::Block | SegLevel::InBlock | SegLevel::Task, _, _) => false,
    }
}

/// Whether conditions of a plan may be about a quantity.
fn knows(plan: &Plan, quantity: Quantity) -> bool {
    let tiles =
        matches!(plan, Plan::Tiled(_) | Plan::RowCache(_) | Plan::Turned(_) | Plan::Steps(_) | Plan::Line(_));
    let strips = matches!(plan, Plan::Strips(_) | Plan::HistogramStrips(_));
    let histograms =
        matches!(plan, Plan::SubHistograms(_) | Plan::HistogramStrips(_) | Plan::GlobalUpdates(_));
    let reduces = matches!(
        plan,
        Plan::ThreadPerSegment { .. }
            | Plan::LanesPerSegment { .. }
            | Plan::SegmentsPerBlock { .. }
            | Plan::SegmentsTogether { .. }
            | Plan::BlocksPerSegment(_)
            | Plan::MergePath(_)
    );
    match quantity {
        Quantity::Points => matches!(plan, Plan::Points(_)) || histograms || tiles,
        Quantity::Segments => reduces,
        Quantity::Segment => reduces || strips || histograms || matches!(plan, Plan::SinglePass(_)),
        Quantity::Rows | Quantity::WidthLog2 => matches!(plan, Plan::Points(_)),
        Quantity::Lanes => matches!(plan, Plan::LanesPerSegment { .. }),
        Quantity::Bins | Quantity::Passes | Quantity::Repeats => histograms,
        Quantity::BinBytes => matches!(plan, Plan::GlobalUpdates(_)),
        Quantity::Parts => matches!(plan, Plan::SubHistograms(_)),
        Quantity::Block => reduces || tiles || strips || matches!(plan, Plan::SinglePass(_)),
        Quantity::Shared => tiles || strips,
        Quantity::Blocks | Quantity::Covered | Quantity::Depth => tiles,
        Quantity::MaxBlock | Quantity::MaxShared | Quantity::Param(_) | Quantity::Size(..) => true,
    }
}

/// The variables of counted loops.
fn bound_by_loops<R: Rep>(body: &Body<R>) -> FxHashSet<Name> {
    let mut vars = FxHashSet::default();
    for_each_stm(body, &mut |stm| {
        if let Exp::Loop(l) = &stm.exp {
            match l.form {
                LoopForm::For { var, .. } => drop(vars.insert(var)),
                LoopForm::While(_) => {}
            }
        }
    });
    vars
}

/// The names of elements that are read from arrays.
fn reads_in<R: Rep>(body: &Body<R>) -> FxHashSet<Name> {
    let mut names = FxHashSet::default();
    for_each_stm(body, &mut |stm| {
        if let (Exp::Basic(Basic::Index(..)), [p]) = (&stm.exp, stm.pat.as_slice()) {
            if matches!(p.ty, Type::Prim(_)) {
                names.insert(p.name);
            }
        }
    });
    names
}
