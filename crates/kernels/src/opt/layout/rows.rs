//! Flat arrays that are read by rows and columns.
//!
//! An element of `unflatten xs` is read from `xs` at `i * m + j`, and programs that were written with flat
//! arrays do the same by themselves. From one thread to the next such an index leaps, and no layout of one
//! dimension helps. But the factor of the thread's index is the length of rows. Where what is added to a
//! multiple of it is proven to be a place in a row, and the array to have all those rows, the array is read
//! as a matrix, for which there are layouts:
//!
//! ```text
//!                                             let (rows : [n][m]f32) = reshape [n, m] xs
//! segmap (j < m, i < n) { .. xs[i*m + j] .. } ->  segmap (j < m, i < n) { .. rows[i, j] .. }
//! ```
//!
//! In: a kernel and the certificates that it depends on. Out: the same, if there is a better layout for a
//! matrix in it; the matrices are bound before the outermost loop of the host that they can be bound before.
//! Sizes are equal, or large enough, by definition or by checks that come before.

use super::{access, choose, Layout};
use fehu_algebra::horner::{horner, Arith};
use fehu_algebra::{Facts, Poly, Sym};
use fehu_base::prim::PrimType;
use fehu_base::{Name, NameSource};
use fehu_ir::build::Builder;
use fehu_ir::mem::{poly, sym, sym_name};
use fehu_ir::seg::{KernelsOp, SegKind, SegLevel, SegOp};
use fehu_ir::visit::{change, deep, for_each_body, Mutator};
use fehu_ir::{Basic, Body, DimIndex, Exp, Kernels, Stm, SubExp, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// A flat array as a matrix.
struct Matrix {
    array: Name,
    name: Name,
    rows: Poly,
    width: Poly,
    /// Whether these are all of its elements.
    whole: bool,
    /// The checks that its shape relies on.
    certs: Vec<Name>,
}

/// A read of a matrix instead of a flat array.
struct Read {
    matrix: usize,
    row: Poly,
    column: Poly,
}

impl Layout {
    /// Has a kernel read flat arrays as matrices where that helps.
    pub(super) fn by_rows(&mut self, seg: &mut SegOp<Kernels>, certs: &[Name], out: &mut Vec<Stm<Kernels>>) {
        let mut survey = Survey {
            layout: self,
            written: access::written(seg),
            certs,
            base: None,
            lane: seg.space.dims.last().map(|d| d.0).filter(|_| seg.level == SegLevel::Thread),
            matrices: vec![],
            reads: FxHashMap::default(),
        };
        survey.points(seg);
        let Survey { mut matrices, reads, .. } = survey;
        if reads.is_empty() {
            return;
        }
        let (mut changed, mut before) = (seg.clone(), vec![]);
        for m in &mut matrices {
            m.name = self.names.fresh_like(m.array);
            before.push(self.shaped(m));
        }
        let mut by = Instead { builder: Builder::new(self.take_names()), matrices: &matrices, reads: &reads };
        by.seg(&mut changed);
        self.names = by.builder.names;
        if self.wants_layout(&changed, &matrices) {
            *seg = changed;
            for (depth, stms) in before {
                match self.loops.get_mut(depth) {
                    Some(l) => l.stms.extend(stms),
                    None => out.extend(stms),
                }
            }
        }
    }

    /// Whether a kernel wishes for another layout of one of these.
    fn wants_layout(&self, seg: &SegOp<Kernels>, matrices: &[Matrix]) -> bool {
        let last = seg.space.dims.len().saturating_sub(1);
        let uses = access::of_kernel(seg, last, &|a| matrices.iter().any(|m| m.name == a));
        uses.iter().any(|used| {
            let array = &self.arrays[&used.array];
            let wish = choose::wish(used, &array.ty, &array.order, array.dense);
            wish.is_some_and(|w| !w.is_vain(array.ty.shape(), &self.known))
        })
    }

    /// The statements that bind a matrix, and the number of loops around them.
    fn shaped(&mut self, m: &Matrix) -> (usize, Vec<Stm<Kernels>>) {
        let array = self.arrays[&m.array].clone();
        let needed = m.rows.vars().into_iter().chain(m.width.vars()).map(sym_name);
        let needed = needed.chain([m.array]).chain(m.certs.iter().copied());
        let depth = needed.filter_map(|n| self.depths.get(&n).copied()).max().unwrap_or(0);
        let mut b: Builder<Kernels> = Builder::new(self.take_names());
        b.begin();
        let [rows, width] = [&m.rows, &m.width].map(|p| emitted(&mut b, p));
        let shape = vec![rows, width];
        let elem = array.ty.elem().unwrap_or(PrimType::Unit);
        let len = if m.whole { SubExp::i64(0) } else { b.mul64(rows, width) };
        b.certs.clone_from(&m.certs);
        let from = match m.whole {
            true => m.array,
            false => {
                let part = DimIndex::Slice { start: SubExp::i64(0), len, stride: SubExp::i64(1) };
                let ty = Type::Array(elem, vec![len]);
                b.bind("used", ty, Exp::Basic(Basic::Index(m.array, vec![part])))
            }
        };
        let ty = Type::Array(elem, shape.clone());
        b.bind_names(vec![(m.name, ty)], Exp::Basic(Basic::Reshape(shape, from)));
        let stms = b.end(vec![]).stms;
        self.names = b.names;
        let loops = self.loops.len();
        for p in stms.iter().flat_map(|s| &s.pat) {
            self.bound(p.name, &p.ty);
            self.depths.insert(p.name, depth.min(loops));
        }
        if let Some(matrix) = self.arrays.get_mut(&m.name) {
            matrix.dense = array.dense;
        }
        (depth, stms)
    }

    fn take_names(&mut self) -> NameSource {
        std::mem::replace(&mut self.names, NameSource::new())
    }
}

/// Finds the reads.
struct Survey<'a> {
    layout: &'a Layout,
    /// Arrays that the kernel changes.
    written: FxHashSet<Name>,
    /// What the kernel depends on.
    certs: &'a [Name],
    /// What holds around the kernel, once someone has asked.
    base: Option<Facts>,
    /// The index in which neighbouring threads differ.
    lane: Option<Name>,
    matrices: Vec<Matrix>,
    /// By the name that the statement binds.
    reads: FxHashMap<Name, Read>,
}

impl Survey<'_> {
    fn points(&mut self, seg: &SegOp<Kernels>) {
        self.body(&seg.body.body);
        if let Some(after) = seg.after() {
            self.body(&after.lambda.body);
        }
    }

    fn body(&mut self, body: &Body<Kernels>) {
        deep(|| body.stms.iter().for_each(|stm| self.stm(stm)));
    }

    fn stm(&mut self, stm: &Stm<Kernels>) {
        match &stm.exp {
            Exp::Basic(Basic::Index(a, slice)) => {
                if let ([dim], Some(lane)) = (slice.as_slice(), self.lane) {
                    if let Some((matrix, row, column)) = self.read(stm, *a, dim, lane) {
                        let matrix = self.numbered(matrix);
                        self.reads.insert(stm.pat[0].name, Read { matrix, row, column });
                    }
                }
            }
            Exp::Op(KernelsOp::Seg(inner)) if self.lane.is_none() => {
                self.lane = inner.space.dims.last().map(|d| d.0);
                self.points(inner);
                self.lane = None;
            }
            exp @ (Exp::Basic(_)
            | Exp::Call(..)
            | Exp::If(..)
            | Exp::Loop(_)
            | Exp::WithAcc(_)
            | Exp::Op(_)) => for_each_body(exp, &mut |b| self.body(b)),
        }
    }

    /// The number of a matrix.
    fn numbered(&mut self, matrix: Matrix) -> usize {
        let same = |m: &Matrix| m.array == matrix.array && m.width == matrix.width && m.rows == matrix.rows;
        self.matrices.iter().position(same).unwrap_or_else(|| {
            self.matrices.push(matrix);
            self.matrices.len() - 1
        })
    }

    /// A read of a flat array as one of a matrix: which, and the row and the column of the first element.
    fn read(
        &mut self,
        stm: &Stm<Kernels>,
        array: Name,
        dim: &DimIndex,
        lane: Name,
    ) -> Option<(Matrix, Poly, Poly)> {
        let ty = &self.layout.arrays.get(&array).filter(|_| !self.written.contains(&array))?.ty;
        let [size] = ty.shape() else { return None };
        let (start, len) = match *dim {
            DimIndex::Fix(i) => (poly(i), Poly::one()),
            DimIndex::Slice { start, len, stride } => {
                (poly(start), (stride.as_i64()? == 1).then(|| poly(len))?)
            }
        };
        let layout = self.layout;
        let known = &layout.known;
        let base = self.base.get_or_insert_with(|| {
            let mut facts = known.facts();
            self.certs.iter().for_each(|c| known.enter_checked(&mut facts, *c));
            facts
        });
        let short = |width: &Poly| width.as_constant().is_some_and(|n| n < choose::least_leap(ty));
        if short(&base.normalise(&start).split_on(sym(lane)).0) {
            return None;
        }
        // What holds on the host, where the matrix is bound, and what holds where it is read.
        let mut certs: Vec<Name> = self.certs.iter().chain(&stm.certs).copied().collect();
        certs.retain(|c| layout.depths.contains_key(c));
        certs.sort_unstable();
        certs.dedup();
        let mut host = base.clone();
        certs.iter().for_each(|c| known.enter_checked(&mut host, *c));
        let mut facts = host.clone();
        stm.certs.iter().for_each(|c| known.enter_checked(&mut facts, *c));
        known.enter_scope_of(&mut facts, [&start, &len]);

        let start = host.normalise(&start);
        let width = start.split_on(sym(lane)).0;
        if short(&width) || !layout.is_of_host(&width) {
            return None;
        }
        let (row, column) = start.div_rem(&width)?;
        let apart = row.split_on(sym(lane)).0.is_one() && !column.mentions(sym(lane));
        if !apart || !facts.nonneg(&column) || !facts.le(&(&column + &len), &width) {
            return None;
        }
        if !layout.is_computable(&row) || !layout.is_computable(&column) {
            return None;
        }
        let size = host.normalise(&poly(*size));
        // An element that is read is an element, so that its row is one as well.
        let all = size.div_exact(&width).filter(|_| matches!(dim, DimIndex::Fix(_)));
        let (rows, whole) = match all.filter(|rows| layout.is_of_host(rows)) {
            Some(rows) => (rows, true),
            None => (self.rows_up_to(&facts, &host, &row).filter(|n| host.le(&(n * &width), &size))?, false),
        };
        let matrix = Matrix { array, name: array, rows, width, whole, certs };
        Some((matrix, row, column))
    }

    /// A size of the host that is larger than the number of every row.
    fn rows_up_to(&self, facts: &Facts, host: &Facts, row: &Poly) -> Option<Poly> {
        let layout = self.layout;
        let mut last = row.clone();
        while let Some(x) = last.vars().into_iter().find(|x| !layout.depths.contains_key(&sym_name(*x))) {
            let bound = layout.known.bound(sym_name(x))?;
            let (factor, rest) = last.split_on(x);
            if factor.mentions(x) || !facts.nonneg(&factor) {
                return None;
            }
            last = factor * (host.normalise(&poly(bound)) - 1) + rest;
        }
        let rows = last + 1;
        (layout.is_of_host(&rows) && facts.nonneg(row) && host.nonneg(&rows)).then_some(rows)
    }
}

impl Layout {
    /// Whether the host has all that a number is computed from.
    fn is_of_host(&self, p: &Poly) -> bool {
        self.is_computable(p) && p.vars().iter().all(|x| self.depths.contains_key(&sym_name(*x)))
    }

    /// Whether a number is computed from numbers of 64 bits that the program has names for.
    fn is_computable(&self, p: &Poly) -> bool {
        p.is_known() && p.vars().iter().all(|x| self.types.get(&sym_name(*x)) == Some(&Type::I64))
    }
}

/// Replaces reads of flat arrays by reads of matrices.
struct Instead<'a> {
    builder: Builder<Kernels>,
    matrices: &'a [Matrix],
    reads: &'a FxHashMap<Name, Read>,
}

impl Instead<'_> {
    fn seg(&mut self, seg: &mut SegOp<Kernels>) {
        self.body(&mut seg.body.body);
        if let SegKind::Scan(_, Some(after)) = &mut seg.kind {
            self.lambda(&mut after.lambda);
        }
    }
}

impl Mutator<Kernels> for Instead<'_> {
    fn body(&mut self, body: &mut Body<Kernels>) {
        self.builder.begin();
        for mut stm in std::mem::take(&mut body.stms) {
            if let Some(read) = stm.pat.first().and_then(|p| self.reads.get(&p.name)) {
                if let Exp::Basic(Basic::Index(array, slice)) = &mut stm.exp {
                    let [row, column] = [&read.row, &read.column].map(|p| emitted(&mut self.builder, p));
                    *array = self.matrices[read.matrix].name;
                    let column = match slice.first() {
                        Some(DimIndex::Slice { len, stride, .. }) => {
                            DimIndex::Slice { start: column, len: *len, stride: *stride }
                        }
                        Some(DimIndex::Fix(_)) | None => DimIndex::Fix(column),
                    };
                    *slice = vec![DimIndex::Fix(row), column];
                }
            }
            deep(|| change::stm(self, &mut stm));
            self.builder.push(stm);
        }
        body.stms = self.builder.end(vec![]).stms;
    }
}

/// Code for a number.
fn emitted(b: &mut Builder<Kernels>, p: &Poly) -> SubExp {
    horner(&mut Code(b), p).unwrap_or_else(|| fehu_base::bug!("a size was lost"))
}

struct Code<'a>(&'a mut Builder<Kernels>);

impl Arith for Code<'_> {
    type Value = SubExp;

    fn constant(&mut self, c: i64) -> SubExp {
        SubExp::i64(c)
    }

    fn var(&mut self, x: Sym) -> SubExp {
        sym_name(x).into()
    }

    fn add(&mut self, a: SubExp, b: SubExp) -> SubExp {
        self.0.add64(a, b)
    }

    fn sub(&mut self, a: SubExp, b: SubExp) -> SubExp {
        self.0.sub64(a, b)
    }

    fn mul(&mut self, a: SubExp, b: SubExp) -> SubExp {
        self.0.mul64(a, b)
    }
}
