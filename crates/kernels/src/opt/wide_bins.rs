//! Histograms of narrow integers are made of wide ones.
//!
//! Devices have instructions that combine a value with a word of 32 bits in memory, but not with 8 or 16 bits
//! of one: these are exchanged with the word that they are in, again and again until nobody interfered. Yet
//! the low bits of a sum depend on the low bits of its operands alone, so that numbers may be added up as
//! words, of which the low bits are the result: to cut off is a homomorphism of addition and of what is done
//! bit by bit. Minima and maxima are those of the extended numbers.
//!
//! ```text
//!                                                     let (wide : [m]i32) = segmap (i < m) { sext_i8_i32(out[i]) }
//! let (hs : [m]i8) = seghist (i < n) : (i64, i8)      let (ws : [m]i32) = seghist (i < n) : (i64, i32)
//!   op [m] [out] [0i8] add_i8                    ->     op [m] [wide] [0i32] add_i32
//!  { return (b, x) }                                   { return (b, sext_i8_i32(x)) }
//!                                                     let (hs : [m]i8) = segmap (i < m) { sext_i32_i8(ws[i]) }
//! ```
//!
//! That takes more memory, and two maps of all bins. So it is one of two branches: the host takes it if there
//! are points enough.

use fehu_analysis::operator::{binops, has_atomic};
use fehu_base::ops::{BinOp, CmpOp, ConvOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::tuning::schedule::{Threshold, MAX_WIDE_BINS, MIN_POINTS_FOR_WIDE_BINS};
use fehu_base::{Name, NameSource, Symbol};
use fehu_ir::build::Builder;
use fehu_ir::seg::{
    KernelBody, KernelReturn, KernelsOp, SegHistOp, SegKind, SegLevel, SegOp, SegSpace, SizeClass, SizeOp,
};
use fehu_ir::subst::rename_exp;
use fehu_ir::types::prog_types;
use fehu_ir::visit::{deep, map_bodies};
use fehu_ir::{Basic, Body, DimIndex, Exp, Kernels, Lambda, Prog, Stm, SubExp, Type};
use fehu_pass::{Need, Pass};
use rustc_hash::FxHashMap;

/// Histograms of integers of 8 and 16 bits are made of 32.
pub static PASS: Pass<Prog<Kernels>> = Pass { name: "wide-bins", need: Need::Optional, run: widen };

fn widen(prog: &mut Prog<Kernels>) {
    let names = std::mem::replace(&mut prog.names, NameSource::new());
    let mut b = Builder::new(names);
    b.types.extend(prog_types(prog));
    let mut wide = Wide { b, repeated: FxHashMap::default() };
    for fun in &mut prog.funs {
        wide.body(&mut fun.body);
    }
    prog.names = wide.b.names;
}

struct Wide {
    b: Builder<Kernels>,
    /// Arrays of one value: their elements need not be read.
    repeated: FxHashMap<Name, SubExp>,
}

/// How a value of an operator becomes wide.
#[derive(Clone, Copy)]
struct Widening {
    op: BinOp,
    there: ConvOp,
    back: ConvOp,
}

impl Wide {
    fn body(&mut self, body: &mut Body<Kernels>) {
        deep(|| {
            let mut stms = Vec::with_capacity(body.stms.len());
            for mut stm in std::mem::take(&mut body.stms) {
                if let (Exp::Basic(Basic::Replicate(_, e)), [p]) = (&stm.exp, stm.pat.as_slice()) {
                    self.repeated.insert(p.name, *e);
                }
                match stm.exp {
                    Exp::Op(KernelsOp::Seg(_)) => self.operation(&mut stm, &mut stms),
                    Exp::Basic(_)
                    | Exp::Call(..)
                    | Exp::If(..)
                    | Exp::Loop(_)
                    | Exp::WithAcc(_)
                    | Exp::Op(KernelsOp::Size(_)) => {
                        map_bodies(&mut stm.exp, &mut |inner| self.body(inner));
                    }
                }
                stms.push(stm);
            }
            body.stms = stms;
        });
    }

    /// Makes a choice of a histogram, after the statements that it depends on.
    fn operation(&mut self, stm: &mut Stm<Kernels>, before: &mut Vec<Stm<Kernels>>) {
        let Exp::Op(KernelsOp::Seg(seg)) = &stm.exp else { return };
        let SegKind::Hist(ops) = &seg.kind else { return };
        let widenings: Vec<Vec<Option<Widening>>> = ops.iter().map(widenings).collect();
        if seg.level != SegLevel::Thread || widenings.iter().flatten().all(Option::is_none) {
            return;
        }
        self.b.begin();
        let worth = self.worth(seg, ops);
        before.extend(self.b.end(vec![]).stms);
        let types: Vec<Type> = stm.pat.iter().map(|p| p.ty.clone()).collect();
        let attrs = std::mem::take(&mut stm.attrs);
        let inner = |b: &mut Builder<Kernels>| b.attrs.clone_from(&attrs);
        self.b.begin();
        inner(&mut self.b);
        let narrow = self.b.bind_all("hist", types.clone(), stm.exp.clone());
        let narrow = self.b.end(narrow.into_iter().map(SubExp::Var).collect());
        let Exp::Op(KernelsOp::Seg(copy)) = rename_exp(&mut self.b.names, &stm.exp) else { return };
        self.b.begin();
        self.b.attrs.clear();
        let result = self.widened(copy, &types, &widenings, &attrs);
        let wide = self.b.end(result);
        self.b.attrs.clear();
        stm.exp = Exp::If(worth, Box::new(wide), Box::new(narrow));
    }

    /// Whether there are points enough for what is done for each bin besides, and not so many bins that wide
    /// ones are much slower to reach.
    fn worth(&mut self, seg: &SegOp<Kernels>, ops: &[SegHistOp<Kernels>]) -> SubExp {
        let sizes: Vec<SubExp> = seg.space.dims.iter().map(|d| d.1).collect();
        let (segments, length) = sizes.split_at(sizes.len().saturating_sub(1));
        let points = self.b.product(&sizes);
        let segments = self.b.product(segments);
        let least = self.threshold(MIN_POINTS_FOR_WIDE_BINS);
        let most = self.threshold(MAX_WIDE_BINS);
        let mut worth = self.at_most(least, points);
        for op in ops {
            let bins = self.b.product(&op.shape);
            let few = self.at_most(bins, length.first().copied().unwrap_or(SubExp::i64(1)));
            let all = self.b.mul64(segments, bins);
            let fit = self.at_most(all, most);
            for holds in [few, fit] {
                worth = self.b.bin(BinOp::LogAnd, worth, holds);
            }
        }
        worth
    }

    fn threshold(&mut self, of: Threshold) -> SubExp {
        let name = Symbol::new(&format!("schedule.{}", of.name));
        let class = SizeClass::Bespoke(Symbol::new("schedule_threshold"), of.usual);
        let size = Exp::Op(KernelsOp::Size(SizeOp::GetSize(name, class)));
        self.b.bind("least", Type::I64, size).into()
    }

    fn at_most(&mut self, x: SubExp, y: SubExp) -> SubExp {
        self.b.cmp(CmpOp::SLe(IntType::I64), x, y)
    }

    /// The histogram of wide bins; returns the narrow results.
    fn widened(
        &mut self,
        mut seg: SegOp<Kernels>,
        types: &[Type],
        widenings: &[Vec<Option<Widening>>],
        attrs: &[fehu_ir::Attr],
    ) -> Vec<SubExp> {
        let SegKind::Hist(ops) = &mut seg.kind else { return vec![] };
        let ways: Vec<Option<Widening>> = widenings.concat();
        let mut wide_types = vec![];
        for (op, ways) in ops.iter_mut().zip(widenings) {
            for (k, way) in ways.iter().enumerate() {
                let ty = &types[wide_types.len()];
                let Some(way) = way else {
                    wide_types.push(ty.clone());
                    continue;
                };
                let (shape, wide) = (ty.shape().to_vec(), Type::Prim(PrimType::I32));
                op.neutral[k] = self.b.conv(way.there, op.neutral[k]);
                op.dests[k] = match self.repeated.get(&op.dests[k]).copied() {
                    Some(e) if matches!(self.b.type_of(e), Type::Prim(_)) => {
                        let e = self.b.conv(way.there, e);
                        let fill = Exp::Basic(Basic::Replicate(shape.clone(), e));
                        self.b.bind("wide", wide.array_of(&shape), fill)
                    }
                    _ => self.converted(op.dests[k], &shape, way.there, PrimType::I32),
                };
                wide_types.push(wide.array_of(&shape));
            }
            widen_operator(&mut self.b, &mut op.op, ways);
        }
        let first = seg.types.len() - ways.len();
        let code = std::mem::replace(&mut seg.body.body, Body { stms: vec![], result: vec![] });
        self.b.begin();
        for stm in code.stms {
            self.b.push(stm);
        }
        let mut result = code.result;
        for (k, way) in ways.iter().enumerate() {
            if let Some(way) = way {
                result[first + k] = self.b.conv(way.there, result[first + k]);
                seg.types[first + k] = Type::Prim(PrimType::I32);
            }
        }
        seg.body.body = self.b.end(result);
        self.b.attrs = attrs.to_vec();
        let wide = self.b.bind_all("wide", wide_types, Exp::Op(KernelsOp::Seg(seg)));
        self.b.attrs.clear();
        let mut results = vec![];
        for ((name, way), ty) in wide.into_iter().zip(&ways).zip(types) {
            results.push(SubExp::Var(match (way, ty) {
                (Some(way), Type::Array(elem, shape)) => self.converted(name, shape, way.back, *elem),
                _ => name,
            }));
        }
        results
    }

    /// All elements of an array, converted.
    fn converted(&mut self, array: Name, shape: &[SubExp], conv: ConvOp, to: PrimType) -> Name {
        let flat = self.b.fresh("flat", Type::I64);
        let dims: Vec<(Name, SubExp)> = shape.iter().map(|n| (self.b.fresh("i", Type::I64), *n)).collect();
        self.b.begin();
        let at = dims.iter().map(|d| DimIndex::Fix(d.0.into())).collect();
        let from = match self.b.type_of(array.into()) {
            Type::Array(elem, _) => Type::Prim(elem),
            other @ (Type::Prim(_) | Type::Acc(..) | Type::Mem(_)) => other,
        };
        let x = self.b.bind("x", from, Exp::Basic(Basic::Index(array, at)));
        let x = self.b.conv(conv, x.into());
        let body = KernelBody { body: self.b.end(vec![x]), returns: vec![KernelReturn::Elem] };
        let map = SegOp {
            level: SegLevel::Thread,
            space: SegSpace { flat, dims },
            types: vec![Type::Prim(to)],
            body,
            kind: SegKind::Map,
            virtualise: true,
            grid: None,
            schedule: None,
        };
        self.b.bind("converted", Type::Prim(to).array_of(shape), Exp::Op(KernelsOp::Seg(map)))
    }
}

/// How each value of an operator becomes wide, where an instruction then combines all of them: none if that
/// is so anyway, or cannot be.
fn widenings(op: &SegHistOp<Kernels>) -> Vec<Option<Widening>> {
    let none = vec![None; op.dests.len()];
    let Some(ops) = binops(&op.op) else { return none };
    let ways: Vec<Option<Widening>> = ops.iter().map(|op| widening(*op)).collect();
    let instructions = ops.iter().zip(&ways).all(|(op, way)| way.is_some() || has_atomic(*op));
    match op.vector.is_empty() && instructions {
        true => ways,
        false => none,
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "a few of many can be done by words")]
fn widening(op: BinOp) -> Option<Widening> {
    let wide = IntType::I32;
    let (narrow, op) = match op {
        BinOp::Add(t) => (t, BinOp::Add(wide)),
        BinOp::SMin(t) => (t, BinOp::SMin(wide)),
        BinOp::SMax(t) => (t, BinOp::SMax(wide)),
        BinOp::UMin(t) => (t, BinOp::UMin(wide)),
        BinOp::UMax(t) => (t, BinOp::UMax(wide)),
        BinOp::And(t) => (t, BinOp::And(wide)),
        BinOp::Or(t) => (t, BinOp::Or(wide)),
        BinOp::Xor(t) => (t, BinOp::Xor(wide)),
        _ => return None,
    };
    let there = match op {
        BinOp::UMin(_) | BinOp::UMax(_) => ConvOp::ZExt(narrow, wide),
        _ => ConvOp::SExt(narrow, wide),
    };
    let is_narrow = matches!(narrow, IntType::I8 | IntType::I16);
    is_narrow.then_some(Widening { op, there, back: ConvOp::SExt(wide, narrow) })
}

/// The operator on wide values where there is a way.
fn widen_operator(b: &mut Builder<Kernels>, op: &mut Lambda<Kernels>, ways: &[Option<Widening>]) {
    let n = op.ret.len();
    for (k, way) in ways.iter().enumerate() {
        let Some(way) = way else { continue };
        let wide = Type::Prim(PrimType::I32);
        op.ret[k] = wide.clone();
        let (x, y) = (op.params[k].name, op.params[n + k].name);
        for p in [k, n + k] {
            op.params[p].ty = wide.clone();
            b.types.insert(op.params[p].name, wide.clone());
        }
        let result = op.body.result[k];
        for stm in &mut op.body.stms {
            if stm.pat.first().is_some_and(|p| SubExp::Var(p.name) == result) {
                stm.exp = Exp::Basic(Basic::BinOp(way.op, x.into(), y.into()));
                stm.pat[0].ty = wide.clone();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::widen;
    use fehu_ir::print::{print_prog, Locations};
    use fehu_ir::read::read_prog;
    use fehu_ir::validate::validate;
    use fehu_ir::Kernels;

    fn widened(op: &str) -> String {
        let text = format!(
            "kernels
fun f_1(n_2 : i64, m_3 : i64, bs_4 : [n_2]i64, xs_5 : [n_2]i8, *out_6 : [m_3]i8) : ([m_3]i8) = {{
  let (hs_7 : [m_3]i8) = seghist thread virtual (flat_8; i_9 < n_2) : (i64, i8)
    op [m_3] [out_6] [0i8] [] \\(x_10 : i8, y_11 : i8) : (i8) {{
      let (z_12 : i8) = {op}(x_10, y_11)
      return (z_12)
    }}
  {{
    let (b_13 : i64) = bs_4[i_9]
    let (v_14 : i8) = xs_5[i_9]
    return (b_13, v_14)
  }}
  return (hs_7)
}}
"
        );
        let mut prog = read_prog::<Kernels>(&text).unwrap_or_else(|e| panic!("{e}"));
        widen(&mut prog);
        validate(&prog).unwrap_or_else(|e| panic!("{e:?}"));
        print_prog(&prog, Locations::Hidden)
    }

    #[test]
    fn sums_of_bytes_are_sums_of_words() {
        let text = widened("add_i8");
        assert!(text.contains("add_i32") && text.contains("add_i8"), "{text}");
        assert_eq!(text.matches("sext_i8_i32").count(), 2, "{text}");
        assert_eq!(text.matches("sext_i32_i8").count(), 1, "{text}");
    }

    #[test]
    fn unsigned_numbers_are_extended_by_zeros() {
        assert_eq!(widened("umax_i8").matches("zext_i8_i32").count(), 2);
    }

    #[test]
    fn what_is_no_instruction_on_words_stays() {
        assert!(!widened("mul_i8").contains("i32"));
    }
}
