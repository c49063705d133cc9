//! A thread computes several points that read the same elements (unroll and jam).
//!
//! Before: maps over `Memory` with their schedules. After: maps of loops whose points share what they read
//! along a dimension have another version, in which a thread has four points along it, and the host chooses
//! between the two.
//!
//! ```text
//! segmap (o < n, j < m) { loop (s = 0) for k < d { x = xs[j + k]; s + x * ws[o, k] } }
//!   ==>
//! if there are enough points for all threads of the device {
//!   segmap (g < (n + 3) / 4, j < m) { loop (s0 = 0, .., s3 = 0) for k < d { x = xs[j + k]; s0 + x * ws[4 * g, k], .., s3 + x * ws[4 * g + 3, k] } }
//! } else { as it was }
//! ```
//!
//! What such a loop takes is reading, from caches, and finding out where: a processor reads one element for a
//! thread in the time in which it adds and multiplies four. What does not depend on the dimension (`x`, its
//! place, the tests whether there is such a place) is done once for four points; what does stands there four
//! times. So it is with layers of networks, whose filters go over the same images. Products of matrices share
//! both factors, in tiles (`schedule/tile`); maps with tiles are left alone.
//!
//! **When it is done**: the work of the innermost loops, in which a read counts as much as four operations,
//! becomes less by a third at least ([`Work::pays`]). What is still read for each point (`ws`) is the same
//! for neighbouring threads, so that a warp reads one element: else it is that which takes the time.
//! Neighbouring threads stay neighbours: the dimension is not the innermost one. The body has scalars only,
//! without checks, and few values that loops carry are four now. Every point does the same operations in the
//! same order, so answers do not change by a bit.
//!
//! Results are written to their places one by one, and points beyond the end of the dimension, which compute
//! what the last one does, write nothing.

mod body;

use body::{Depending, Dimensions, Jam, Work};
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::tuning::jam::{MAX_CARRIED_SCALARS, MAX_PERCENT_COVERED, MAX_STATEMENTS, MIN_THREADS, POINTS};
use fehu_base::NameSource;
use fehu_ir::mem::{MemInfo, MemOp};
use fehu_ir::schedule::Plan;
use fehu_ir::seg::{KernelBody, KernelReturn, SegKind, SegLevel, SegOp};
use fehu_ir::subst::rename_exp;
use fehu_ir::visit::{deep, for_each_stm, map_bodies};
use fehu_ir::{Basic, Body, Exp, LoopForm, Memory, PatElem, Prog, Stm, SubExp, Type};
use fehu_pass::{Need, Pass};

/// Threads compute several points that read the same elements.
pub static PASS: Pass<Prog<Memory>> = Pass { name: "jam", need: Need::Optional, run: jam };

fn jam(prog: &mut Prog<Memory>) {
    let names = std::mem::replace(&mut prog.names, NameSource::new());
    let mut pass = Kernels { names };
    pass.host(&mut prog.consts);
    prog.funs.iter_mut().for_each(|fun| pass.host(&mut fun.body));
    prog.names = pass.names;
}

struct Kernels {
    names: NameSource,
}

impl Kernels {
    /// Code of the host.
    fn host(&mut self, body: &mut Body<Memory>) {
        let mut stms = Vec::with_capacity(body.stms.len());
        for mut stm in std::mem::take(&mut body.stms) {
            match &stm.exp {
                Exp::Op(MemOp::Seg(seg)) => {
                    if let Some(d) = shared_dimension(seg) {
                        self.versions(&mut stms, &stm, seg, d);
                        continue;
                    }
                }
                Exp::Basic(_) => {}
                Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
                    map_bodies(&mut stm.exp, &mut |inner| deep(|| self.host(inner)));
                }
            }
            stms.push(stm);
        }
        body.stms = stms;
    }

    /// The choice between a map with several points of a thread along a dimension, and as it was.
    fn versions(&mut self, stms: &mut Vec<Stm<Memory>>, stm: &Stm<Memory>, seg: &SegOp<Memory>, d: usize) {
        let (_, size) = seg.space.dims[d];
        let mut host = Emit { names: &mut self.names, like: stm, stms };
        let up = host.i64(BinOp::Add(IntType::I64), size, SubExp::i64(POINTS - 1));
        let groups = host.i64(BinOp::SQuot(IntType::I64), up, SubExp::i64(POINTS));
        let covered = host.i64(BinOp::Mul(IntType::I64), groups, SubExp::i64(POINTS * 100));
        let most = host.i64(BinOp::Mul(IntType::I64), size, SubExp::i64(MAX_PERCENT_COVERED));
        let full = host.holds(CmpOp::SLe(IntType::I64), covered, most);
        let mut threads = groups;
        for (_, n) in seg.space.dims.iter().enumerate().filter(|(k, _)| *k != d).map(|(_, dim)| *dim) {
            threads = host.i64(BinOp::Mul(IntType::I64), threads, n);
        }
        let enough = host.holds(CmpOp::SLe(IntType::I64), SubExp::i64(MIN_THREADS), threads);
        let pays = Basic::BinOp(BinOp::LogAnd, full, enough);
        let pays = host.bind("pays", PrimType::Bool, pays);
        let several = self.several(stm, seg, d, groups);
        let pat = self.same_places(stm);
        let result = pat.iter().map(|p| p.name.into()).collect();
        let single = Body { stms: vec![Stm { pat, ..stm.clone() }], result };
        let exp = Exp::If(pays, Box::new(several), Box::new(single));
        stms.push(Stm { exp, attrs: vec![], certs: vec![], ..stm.clone() });
    }

    /// The results of a statement by other names.
    fn same_places(&mut self, stm: &Stm<Memory>) -> Vec<PatElem<Memory>> {
        stm.pat.iter().map(|p| PatElem { name: self.names.fresh_like(p.name), ..p.clone() }).collect()
    }

    /// The map whose threads have several points.
    fn several(&mut self, stm: &Stm<Memory>, seg: &SegOp<Memory>, d: usize, groups: SubExp) -> Body<Memory> {
        let mut copy = rename_exp(&mut self.names, &Exp::<Memory>::Op(MemOp::Seg(seg.clone())));
        let Exp::Op(MemOp::Seg(seg)) = &mut copy else { fehu_base::bug!("a map is one no more") };
        let dims = seg.space.dims.clone();
        let (index, size) = dims[d];
        let group = self.names.fresh_like(index);
        seg.space.dims[d] = (group, groups);
        let mut inside = vec![];
        let mut emit = Emit { names: &mut self.names, like: stm, stms: &mut inside };
        let first = emit.i64(BinOp::Mul(IntType::I64), group.into(), SubExp::i64(POINTS));
        let last = emit.i64(BinOp::Sub(IntType::I64), size, SubExp::i64(1));
        let mut places = vec![];
        let mut points = vec![];
        for r in 0..POINTS {
            let place = emit.i64(BinOp::Add(IntType::I64), first, SubExp::i64(r));
            points.push(emit.i64(BinOp::SMin(IntType::I64), place, last));
            places.push(place);
        }
        let depending = Depending::on(index, &seg.body.body);
        let mut jam = Jam::new(&mut self.names, &depending, index, &points);
        let old = std::mem::replace(&mut seg.body.body, Body { stms: vec![], result: vec![] });
        let mut body = jam.body(&old, &vec![true; old.result.len()]);
        inside.append(&mut body.stms);
        let (dests, pat) = (self.same_places(stm), self.same_places(stm));
        let shape: Vec<SubExp> = dims.iter().map(|dim| dim.1).collect();
        let written = |array: &PatElem<Memory>, place: &SubExp| {
            let index = |k: usize| if k == d { *place } else { dims[k].0.into() };
            let index = (0..dims.len()).map(index).collect();
            KernelReturn::Write { array: array.name, shape: shape.clone(), index }
        };
        let returns = dests.iter().flat_map(|p| places.iter().map(move |at| (p, at)));
        let returns = returns.map(|(p, at)| written(p, at)).collect();
        seg.types = seg.types.iter().flat_map(|t| vec![t.clone(); POINTS as usize]).collect();
        seg.body = KernelBody { body: Body { stms: inside, result: body.result }, returns };
        let result = pat.iter().map(|p| p.name.into()).collect();
        let mut stms: Vec<Stm<Memory>> = vec![];
        for p in dests {
            let Type::Array(elem, shape) = &p.ty else {
                fehu_base::bug!("a map without an array as its result")
            };
            let exp = Exp::Basic(Basic::Scratch(*elem, shape.clone()));
            stms.push(Stm { pat: vec![p], certs: vec![], attrs: vec![], loc: stm.loc.clone(), exp });
        }
        stms.push(Stm { pat, exp: copy, ..stm.clone() });
        Body { stms, result }
    }
}

/// Statements of scalars.
struct Emit<'a> {
    names: &'a mut NameSource,
    /// The statement that they are for.
    like: &'a Stm<Memory>,
    stms: &'a mut Vec<Stm<Memory>>,
}

impl Emit<'_> {
    fn bind(&mut self, base: &str, ty: PrimType, exp: Basic) -> SubExp {
        let name = self.names.fresh_str(base);
        let pat = vec![PatElem { name, ty: Type::Prim(ty), dec: MemInfo::None }];
        let exp = Exp::Basic(exp);
        self.stms.push(Stm { pat, certs: vec![], attrs: vec![], loc: self.like.loc.clone(), exp });
        name.into()
    }

    fn i64(&mut self, op: BinOp, x: SubExp, y: SubExp) -> SubExp {
        self.bind("t", PrimType::I64, Basic::BinOp(op, x, y))
    }

    fn holds(&mut self, op: CmpOp, x: SubExp, y: SubExp) -> SubExp {
        self.bind("c", PrimType::Bool, Basic::CmpOp(op, x, y))
    }
}

/// The dimension along which points share most, if it is worth it.
fn shared_dimension(seg: &SegOp<Memory>) -> Option<usize> {
    let alone = match seg.schedule.as_ref().map(|s| s.choices.as_slice()) {
        Some([choice]) => matches!(&choice.plan, Plan::Points(p) if p.each == 1 && p.column.is_none()),
        Some(_) | None => false,
    };
    let map = seg.level == SegLevel::Thread && matches!(seg.kind, SegKind::Map) && seg.grid.is_none();
    let elements = seg.body.returns.iter().all(|r| matches!(r, KernelReturn::Elem));
    let scalars = seg.types.iter().all(|t| matches!(t, Type::Prim(_)));
    if !(alone && map && elements && scalars && is_plain(&seg.body.body)) {
        return None;
    }
    let ((innermost, _), outer) = seg.space.dims.split_last()?;
    let threads = Depending::on(*innermost, &seg.body.body);
    let works = outer.iter().enumerate().map(|(d, (index, _))| {
        let points = Depending::on(*index, &seg.body.body);
        let work = Work::of(&seg.body.body, &Dimensions { points: &points, threads: &threads });
        (d, work, points.carried(&seg.body.body))
    });
    let good = works.filter(|(_, work, carried)| work.pays() && *carried <= MAX_CARRIED_SCALARS);
    // Of dimensions that share as much, the innermost.
    good.max_by_key(|(d, work, _)| (work.shared, *d)).map(|(d, ..)| d)
}

/// Whether a body has a few statements of scalars, none of which is a check.
fn is_plain(body: &Body<Memory>) -> bool {
    let (mut count, mut plain) = (0, true);
    for_each_stm(body, &mut |stm| {
        count += 1;
        plain &= stm.pat.iter().all(|p| matches!(p.ty, Type::Prim(_)));
        plain &= match &stm.exp {
            Exp::Basic(basic) => !matches!(basic, Basic::Assert(..)),
            Exp::Loop(l) => matches!(l.form, LoopForm::For { .. }),
            Exp::If(..) => true,
            Exp::Call(..) | Exp::WithAcc(_) | Exp::Op(_) => false,
        };
    });
    plain && count <= MAX_STATEMENTS
}
