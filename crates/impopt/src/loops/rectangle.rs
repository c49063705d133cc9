//! Matrix products, and whatever has their shape, run by rectangles of points.
//!
//! Rows and columns of a result, and a chain of steps for each point of it, in which some memory is the same
//! for all rows and some for all columns. In strips ([`strip`](super::strip)), each element of `b` is fetched
//! again for each row, and each sum for each few steps. Here several rows share what they fetch, and a part
//! of `b` that fits into a cache serves a block of rows before the next part is fetched:
//!
//! ```text
//! for i < n {                    for blocks of 30 rows, for strips of 512 columns {
//!   for j < p {                    xs[r, c] = 0, for all r and c
//!     x = 0                        for 64 steps at a time {
//!     for k < m {           =>       for 5 rows r at a time, for 4 steps k at a time, for columns c {
//!       x = x + a[i, k] * b[k, j]        xs[r, c] = xs[r, c] + a[r, k] * b[k, c] + ..., for each of the rows
//!     }                              }
//!     out[i, j] = x                }
//!   }                              out[r, c] = xs[r, c], for all r and c
//! }                              }
//! ```
//!
//! Only the loop over columns must become vector code, which every C compiler can do; sums are loaded and
//! stored once for four steps. Each point has its steps in the same order as before.
//!
//! What neighbouring columns read far apart, as those of `b` in `a` times the transpose of `b`, is copied
//! first: the part for a strip of columns and 64 steps, so that the columns stand beside each other. Strips
//! are narrower then and blocks of rows are taller, for each copy serves one block. With few rows it would
//! not pay, so the loops stay as they are for these.
//!
//! It must be possible: there is nothing in the outer loop but the inner one, and nothing around the steps
//! that needs another point's results; what is written is no memory that is read; and no two points write one
//! place, for the rectangles change who is last. Rows are known to be apart if they have as many elements as
//! there are columns, as for all results of maps, else the program asks before it starts. And it must pay:
//! some memory is the same for all rows, there are no branches, and operators have vector forms.

use super::plain::{for_each_expr, renamed, rewrite_code, size, Renaming};
use super::stride::{Stride, Strides};
use super::strip::{set_new, written_out, Access, Array, Group, Nest, Remembered};
use super::Loops;
use fehu_base::ops::BinOp;
use fehu_base::prim::{IntType, PrimType};
use fehu_base::tuning::cpu_loops::{
    BLOCK_BYTES, BLOCK_STEPS, COLUMNS_BYTES, GROUP_COLUMNS, PACKED_COLUMNS, PACKED_COLUMNS_BYTES,
    PACKED_READS, PACKED_ROWS, RECTANGLE_COLUMNS, RECTANGLE_ROWS, STEPS, STEPS_NODES, UNROLLED_ITERATIONS,
};
use fehu_base::Name;
use fehu_imp::build::*;
use fehu_imp::ops::Operation;
use fehu_imp::parts::{flat, for_each_part};
use fehu_imp::syntax::{Code, Expr, Space};
use rustc_hash::FxHashMap;

/// A nest that can be run by rectangles.
pub(super) struct ByRectangles<O> {
    /// What must hold, if anything.
    pub(super) condition: Option<Expr>,
    pub(super) code: Code<O>,
    /// How many rows a task should have at least.
    pub(super) least: i64,
}

impl Loops<'_> {
    /// A loop over rows by rectangles, if that can be done and pays.
    pub(super) fn by_rectangles<O: Operation>(&mut self, code: &Code<O>) -> Option<ByRectangles<O>> {
        let points = Points::of(code)?;
        let mut nest = Nest::default();
        nest.code(&points.all(), &[])?;
        let last_loop = nest.groups.iter().rposition(|g| !g.loops.is_empty())?;
        let bounds_fixed = nest.can_move(points.row) && nest.can_move(points.column);
        let possible = bounds_fixed
            && nest.writes_after(last_loop)
            && self.writes_other_memory(&nest)
            && points.declares_its_own(&nest);
        if !possible {
            return None;
        }
        let mut conditions = points.apart(&nest)?;
        let packed = points.pays(&nest)?;
        let (least, columns) = match packed.is_empty() {
            true => (RECTANGLE_ROWS, RECTANGLE_COLUMNS),
            false => (PACKED_ROWS, PACKED_COLUMNS),
        };
        for (bound, least) in [(&points.rows, least), (&points.columns, columns)] {
            if constant(bound).is_none_or(|n| n < least) {
                conditions.push(le(i64(least), bound.clone()));
            }
        }
        let condition = conditions.into_iter().reduce(and);
        Some(ByRectangles { condition, code: self.rectangles(&points, &nest, packed), least })
    }

    /// Whether nothing is written to memory that is read, or written elsewhere.
    fn writes_other_memory(&mut self, nest: &Nest) -> bool {
        let accesses = |f: fn(&Group) -> &Vec<Access>| nest.groups.iter().flat_map(f);
        let writes: Vec<&Access> = accesses(|g| &g.writes).collect();
        let mut differ = |a: &Access, b: &Access| a.mem != b.mem && !self.aliases.may_alias(a.mem, b.mem);
        writes.iter().enumerate().all(|(i, w)| {
            accesses(|g| &g.reads).all(|r| differ(w, r)) && writes[..i].iter().all(|v| differ(w, v))
        })
    }

    fn rectangles<O: Operation>(&mut self, points: &Points<O>, nest: &Nest, packed: Vec<Packed>) -> Code<O> {
        let shared = nest.shared();
        let bytes = shared.iter().map(|x| nest.declared[x].bytes()).sum::<u64>().max(1);
        let columns_bytes = if packed.is_empty() { COLUMNS_BYTES } else { PACKED_COLUMNS_BYTES };
        let most = 1i64 << (columns_bytes / bytes).max(GROUP_COLUMNS as u64).ilog2();
        let width = constant(&points.columns).map_or(most, |n| n.clamp(1, most));
        let height = (BLOCK_BYTES / (bytes * width as u64)) as i64;
        let height = (height / RECTANGLE_ROWS).max(1) * RECTANGLE_ROWS;
        let mut code = vec![];
        let mut declare = |loops: &mut Loops<'_>, like: Name, ty: PrimType, size: i64| {
            let space = Space::Scalar(ty, vec![size]);
            let mem = loops.names.fresh_like(like);
            code.push(Code::DeclareMem(mem, space.clone()));
            Array { mem, ty, space }
        };
        let arrays: FxHashMap<Name, Array> =
            shared.iter().map(|x| (*x, declare(self, *x, nest.declared[x], width * height))).collect();
        let packed: Vec<(Packed, Array)> = packed
            .into_iter()
            .map(|p| {
                let array = declare(self, p.mem, p.elem, width * BLOCK_STEPS);
                (p, array)
            })
            .collect();
        let [first_row, rows, first, count] =
            ["first_row", "rows", "first", "count"].map(|s| self.names.fresh_str(s));
        let [first_step, steps, place, at] =
            ["first_step", "steps", "place", "b"].map(|s| self.names.fresh_str(s));
        let body = with_packed(&points.body, &packed, place, at, width);
        let mut rectangles = Rectangles {
            loops: self,
            points,
            body,
            arrays,
            packed,
            width,
            first_row,
            rows,
            first,
            count,
            first_step,
            steps,
            place,
            at,
        };
        code.push(rectangles.blocks(height));
        Code::Seq(code)
    }
}

/// The points of a result and what each of them does.
struct Points<O> {
    row: Name,
    rows: Expr,
    column: Name,
    columns: Expr,
    /// What a point does before, in and after its steps.
    before: Code<O>,
    step: Name,
    steps: Expr,
    body: Code<O>,
    after: Code<O>,
}

/// Something that neighbouring columns read far apart.
struct Packed {
    mem: Name,
    elem: PrimType,
    read: Expr,
    /// Whether neighbouring steps read it at neighbouring places.
    along_steps: bool,
}

impl<O: Operation> Points<O> {
    fn of(code: &Code<O>) -> Option<Points<O>> {
        let Code::For { var: row, ty: IntType::I64, bound: rows, body, .. } = code else { return None };
        let inside = written_out(*row, body);
        let [Code::For { var: column, ty: IntType::I64, bound: columns, body, .. }] = flat(&inside)[..]
        else {
            return None;
        };
        let mut fixed = true;
        for_each_part(columns, &mut |e| {
            fixed &= !matches!(e, Expr::Index { .. }) && *e != var(*row);
        });
        let inside = written_out(*column, body);
        let codes = flat(&inside);
        let the_loop = codes.iter().position(|c| matches!(c, Code::For { .. }))?;
        let Code::For { var: step, ty: IntType::I64, bound: steps, body, .. } = codes[the_loop] else {
            return None;
        };
        let body = written_out(*step, body);
        if !fixed || size(&body)? > STEPS_NODES {
            return None;
        }
        let part = |codes: &[&Code<O>]| Code::Seq(codes.iter().map(|c| (*c).clone()).collect());
        Some(Points {
            row: *row,
            rows: rows.clone(),
            column: *column,
            columns: columns.clone(),
            before: part(&codes[..the_loop]),
            step: *step,
            steps: steps.clone(),
            body,
            after: part(&codes[the_loop + 1..]),
        })
    }

    /// All that a point does.
    fn all(&self) -> Code<O> {
        let steps = count_up(self.step, self.steps.clone(), self.body.clone());
        Code::Seq(vec![self.before.clone(), steps, self.after.clone()])
    }

    /// Whether scalars that are remembered by nobody are declared where they are assigned, and there is one loop.
    fn declares_its_own(&self, nest: &Nest) -> bool {
        let shared = nest.shared();
        [&self.before, &self.body, &self.after].iter().all(|part| {
            let mut own = Nest::default();
            own.code(part, &[]).is_some()
                && own.groups.iter().all(|g| {
                    g.loops.is_empty()
                        && g.sets.iter().all(|x| own.declared.contains_key(x) || shared.contains(x))
                })
        })
    }

    /// What must hold so that no two points write one place; `None` if it is not known.
    fn apart(&self, nest: &Nest) -> Option<Vec<Expr>> {
        let moves = |e: &Expr| {
            let mut moves = false;
            for_each_part(e, &mut |part| {
                if let Expr::Var(x) = part {
                    moves |= [self.row, self.column].contains(x) || nest.declared.contains_key(x)
                } else if let Expr::Index { .. } = part {
                    moves = true
                }
            });
            moves
        };
        let mut conditions = vec![];
        for write in nest.groups.iter().flat_map(|g| &g.writes) {
            let [by_row, by_column] = [(self.row, self.column), (self.column, self.row)]
                .map(|(x, other)| slope(&write.offset, x, other, &moves));
            let (by_row, by_column) = (by_row?, by_column?);
            let (far, others) = match (constant(&by_row), constant(&by_column)) {
                (_, Some(1)) => (by_row, &self.columns),
                (Some(1), _) => (by_column, &self.rows),
                _ => return None,
            };
            if far != *others {
                conditions.push(le(others.clone(), far));
            }
        }
        Some(conditions)
    }

    /// What is to be packed, if rectangles pay.
    fn pays(&self, nest: &Nest) -> Option<Vec<Packed>> {
        let all = self.all();
        let [rows, columns, steps] = [self.row, self.column, self.step].map(|x| Strides::of(x, &all));
        let enough = |bound: &Expr, least: i64| constant(bound).is_none_or(|n| n >= least);
        let large = enough(&self.rows, RECTANGLE_ROWS)
            && enough(&self.columns, GROUP_COLUMNS)
            && enough(&self.steps, UNROLLED_ITERATIONS + 1);
        let group = nest.groups.iter().find(|g| !g.loops.is_empty())?;
        if group.branches || !(group.simple || nest.chains(&columns)) || !large {
            return None;
        }
        let mut packed: Vec<Packed> = vec![];
        let mut same_for_rows = false;
        for Access { mem, offset, elem, .. } in &group.reads {
            let same = rows.expr(offset) == Stride::Zero;
            match columns.expr(offset) {
                Stride::Zero => continue,
                Stride::One | Stride::Near => {}
                Stride::Back | Stride::Far if same && self.can_pack(nest, offset) => {
                    let read = self.read(*mem, offset)?;
                    let along_steps = steps.expr(offset) == Stride::One;
                    if packed.iter().all(|p| p.read != read) {
                        packed.push(Packed { mem: *mem, elem: *elem, read, along_steps });
                    }
                }
                Stride::Back | Stride::Far => return None,
            }
            same_for_rows |= same;
        }
        (same_for_rows && packed.len() <= PACKED_READS).then_some(packed)
    }

    /// Whether an offset is known before the steps, and is always read.
    fn can_pack(&self, nest: &Nest, offset: &Expr) -> bool {
        let mut can = true;
        for_each_part(offset, &mut |e| {
            if let Expr::Var(x) = e {
                can &= !nest.declared.contains_key(x)
            } else if let Expr::Index { .. } = e {
                can = false
            }
        });
        for_each_expr(&self.body, &mut |e| {
            for_each_part(e, &mut |part| {
                can &= !matches!(part, Expr::Select(..) | Expr::BinOp(BinOp::LogAnd | BinOp::LogOr, ..))
            });
        });
        can
    }

    /// The expression of the steps that reads there.
    fn read(&self, from: Name, at: &Expr) -> Option<Expr> {
        let mut found = None;
        for_each_expr(&self.body, &mut |e| {
            for_each_part(e, &mut |part| {
                if matches!(part, Expr::Index { mem, offset, .. } if *mem == from && **offset == *at) {
                    found = Some(part.clone())
                }
            });
        });
        found
    }
}

/// By how much an expression grows with a variable while another stays, if that is the same everywhere;
/// `moves` tells what is not.
fn slope(e: &Expr, x: Name, other: Name, moves: &impl Fn(&Expr) -> bool) -> Option<Expr> {
    let of = |e: &Expr| slope(e, x, other, moves);
    if *e == var(x) {
        Some(i64(1))
    } else if *e == var(other) || !moves(e) {
        Some(i64(0))
    } else if let Expr::BinOp(BinOp::Add(IntType::I64), a, b) = e {
        Some(add(of(a)?, of(b)?))
    } else if let Expr::BinOp(BinOp::Mul(IntType::I64), a, b) = e {
        let (fixed, moving) = if moves(a) { (b, a) } else { (a, b) };
        if moves(fixed) {
            return None;
        }
        Some(mul((**fixed).clone(), of(moving)?))
    } else {
        None
    }
}

/// Steps that read what is packed from where it is then: at `place`, the number of the step in its block, and
/// `at`, that of the column in its strip.
fn with_packed<O: Operation>(
    body: &Code<O>,
    packed: &[(Packed, Array)],
    place: Name,
    at: Name,
    width: i64,
) -> Code<O> {
    rewrite_code(body, &mut |e| {
        let (_, array) = packed.iter().find(|(p, _)| p.read == *e)?;
        Some(array.read(add(mul(var(place), i64(width)), var(at))))
    })
}

/// Code with expressions for numbers of rows, columns and steps. They stand in offsets, where C compilers
/// need not think of numbers that wrap.
fn with_numbers<O: Operation>(code: &Code<O>, numbers: &[(Name, &Expr)]) -> Code<O> {
    rewrite_code(code, &mut |e| {
        let (_, number) = numbers.iter().find(|(x, _)| *e == var(*x))?;
        Some((*number).clone())
    })
}

/// Which code of a point.
enum Part {
    Before,
    /// So many steps, from one of the block on.
    Steps(i64, Expr),
    After,
}

/// Which columns of a strip.
enum Columns {
    /// So many groups.
    Groups(Name),
    /// All from here on.
    From(Expr),
}

/// What is made of a nest.
struct Rectangles<'a, 'b, O> {
    loops: &'a mut Loops<'b>,
    points: &'a Points<O>,
    /// The steps, which read what is packed.
    body: Code<O>,
    /// What the points of a block remember, row by row.
    arrays: FxHashMap<Name, Array>,
    packed: Vec<(Packed, Array)>,
    /// The columns of a strip.
    width: i64,
    /// The first row of a block, and how many there are; the same for columns and for steps.
    first_row: Name,
    rows: Name,
    first: Name,
    count: Name,
    first_step: Name,
    steps: Name,
    /// The number of a step in its block, and of a column in its strip, in `body`.
    place: Name,
    at: Name,
}

impl<O: Operation> Rectangles<'_, '_, O> {
    /// Blocks of rows, strips of columns in them, and blocks of steps in these.
    fn blocks(&mut self, height: i64) -> Code<O> {
        let points = self.points;
        let mut in_strip = vec![self.each_row(&Part::Before)];
        let mut in_steps = vec![];
        self.pack(&mut in_steps);
        self.in_rectangles(&mut in_steps);
        let (first_step, steps) = (self.first_step, self.steps);
        in_strip.push(self.pieces("block", first_step, steps, &points.steps, BLOCK_STEPS, in_steps));
        in_strip.push(self.each_row(&Part::After));
        let (first, count, width) = (self.first, self.count, self.width);
        let in_block = self.pieces("strip", first, count, &points.columns, width, in_strip);
        let (first_row, rows) = (self.first_row, self.rows);
        self.pieces("tile", first_row, rows, &points.rows, height, vec![in_block])
    }

    /// Code for pieces of a range, of which it knows the first one's number and their count.
    fn pieces(
        &mut self,
        name: &str,
        first: Name,
        count: Name,
        all: &Expr,
        size: i64,
        code: Vec<Code<O>>,
    ) -> Code<O> {
        let piece = self.loops.names.fresh_str(name);
        let mut inside = vec![];
        set_new(&mut inside, first, mul(var(piece), i64(size)));
        set_new(&mut inside, count, min(sub(all.clone(), var(first)), i64(size)));
        inside.extend(code);
        count_to(piece, quot_up(all.clone(), i64(size)), inside)
    }

    /// Copies what is packed: what steps read at neighbouring places column by column, else step by step.
    fn pack(&mut self, out: &mut Vec<Code<O>>) {
        for (packed, array) in &self.packed {
            let names = &mut *self.loops.names;
            let (at, place) = (names.fresh_str("b"), names.fresh_str("place"));
            let column = add(var(self.first), var(at));
            let step = add(var(self.first_step), var(place));
            let to = add(mul(var(place), i64(self.width)), var(at));
            let write = array.write(to, packed.read.clone());
            let numbers = [(self.points.column, &column), (self.points.step, &step)];
            let inside = vec![with_numbers(&write, &numbers)];
            let (columns, steps) = ((at, self.count), (place, self.steps));
            let [outer, inner] = if packed.along_steps { [columns, steps] } else { [steps, columns] };
            out.push(count_to(outer.0, var(outer.1), vec![count_to(inner.0, var(inner.1), inside)]));
        }
    }

    /// The steps of a block: several of them at a time, in rectangles of whole groups of columns and then for
    /// the other points, and the rest of them one by one.
    fn in_rectangles(&mut self, out: &mut Vec<Code<O>>) {
        let names = &mut *self.loops.names;
        let [most, whole, groups, rectangle] =
            ["most", "whole", "groups", "rectangle"].map(|s| names.fresh_str(s));
        let [many, step, row, any_row] = ["many", "step", "r", "r"].map(|s| names.fresh_str(s));
        set_new(out, most, quot(var(self.steps), i64(STEPS)));
        set_new(out, whole, quot(var(self.rows), i64(RECTANGLE_ROWS)));
        set_new(out, groups, quot(var(self.count), i64(GROUP_COLUMNS)));
        let several = |many: Name| Part::Steps(STEPS, mul(var(many), i64(STEPS)));
        let first_row = mul(var(rectangle), i64(RECTANGLE_ROWS));
        let in_groups = mul(var(groups), i64(GROUP_COLUMNS));
        let in_rectangle = [Columns::Groups(groups), Columns::From(in_groups)].map(|columns| {
            let many = self.loops.names.fresh_str("many");
            let inside = self.of_points(&first_row, RECTANGLE_ROWS, &several(many), &columns);
            count_to(many, var(most), vec![inside])
        });
        out.push(count_to(rectangle, var(whole), in_rectangle.into()));
        let done = mul(var(whole), i64(RECTANGLE_ROWS));
        let inside = self.of_points(&add(done.clone(), var(row)), 1, &several(many), &Columns::From(i64(0)));
        out.push(count_to(row, sub(var(self.rows), done), vec![count_to(many, var(most), vec![inside])]));
        let done = mul(var(most), i64(STEPS));
        let single = Part::Steps(1, add(done.clone(), var(step)));
        let inside = self.of_points(&var(any_row), 1, &single, &Columns::From(i64(0)));
        let rest = count_to(step, sub(var(self.steps), done), vec![inside]);
        out.push(count_to(any_row, var(self.rows), vec![rest]));
    }

    fn each_row(&mut self, part: &Part) -> Code<O> {
        let row = self.loops.names.fresh_str("r");
        let inside = self.of_points(&var(row), 1, part, &Columns::From(i64(0)));
        count_to(row, var(self.rows), vec![inside])
    }

    /// Loops over columns of a strip that do something for some rows of the block.
    fn of_points(&mut self, row: &Expr, rows: i64, part: &Part, columns: &Columns) -> Code<O> {
        let points = self.points;
        let (code, steps, from) = match part {
            Part::Before => (&points.before, 1, None),
            Part::Steps(n, from) => (&self.body, *n, Some(from)),
            Part::After => (&points.after, 1, None),
        };
        let codes = [code.clone()];
        let names = &mut *self.loops.names;
        let [counter, group] = ["c", "group"].map(|s| names.fresh_str(s));
        let at = match columns {
            Columns::Groups(_) => add(mul(var(group), i64(GROUP_COLUMNS)), var(counter)),
            Columns::From(first) => add(first.clone(), var(counter)),
        };
        let mut inside = vec![];
        let remembered = Remembered::of(&codes, &self.arrays);
        let offset = |r: i64| add(mul(add(row.clone(), i64(r)), i64(self.width)), at.clone());
        let mut of_rows: Vec<Renaming> = vec![];
        for r in 0..rows {
            let mut renaming = Renaming::default();
            for x in &remembered.mentioned {
                let array = &self.arrays[x];
                let local = names.fresh_like(*x);
                renaming.insert(*x, local);
                inside.push(Code::DeclareScalar(local, array.ty));
                if remembered.loaded.contains(x) {
                    inside.push(Code::SetScalar(local, array.read(offset(r))));
                }
            }
            of_rows.push(renaming);
        }
        let own = |c: &&Code<O>| !matches!(c, Code::DeclareScalar(x, _) if self.arrays.contains_key(x));
        let code = Code::Seq(flat(code).into_iter().filter(own).cloned().collect());
        let column = add(var(self.first), at.clone());
        for s in 0..steps {
            let place = add(from.cloned().unwrap_or(i64(0)), i64(s));
            let step = add(var(self.first_step), place.clone());
            for (r, of_row) in of_rows.iter().enumerate() {
                let code = renamed(names, &code, &mut of_row.clone());
                let row = add(var(self.first_row), add(row.clone(), i64(r as i64)));
                let numbers = [
                    (points.row, &row),
                    (points.column, &column),
                    (points.step, &step),
                    (self.place, &place),
                    (self.at, &at),
                ];
                inside.push(with_numbers(&code, &numbers));
            }
        }
        for (r, of_row) in of_rows.iter().enumerate() {
            for x in &remembered.stored {
                inside.push(self.arrays[x].write(offset(r as i64), var(of_row[x])));
            }
        }
        match columns {
            Columns::Groups(groups) => {
                let of_group = count_to(counter, i64(GROUP_COLUMNS), inside);
                count_to(group, var(*groups), vec![of_group])
            }
            Columns::From(first) => count_to(counter, sub(var(self.count), first.clone()), inside),
        }
    }
}

fn count_to<O>(var: Name, bound: Expr, body: Vec<Code<O>>) -> Code<O> {
    count_up(var, bound, Code::Seq(body))
}
