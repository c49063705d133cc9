//! Warps whose threads walk along rows of their own read these rows together.
//!
//! What a thread reads along its row, neighbouring threads read in other rows: 32 lines for each read of a
//! warp. So the threads of a warp copy a tile of their rows to shared memory first, with neighbouring threads
//! at neighbouring elements, and then each of them walks along its row there:
//!
//! ```text
//! for j < m {                          before = m * i & 31                   elements between the row and the line of memory in which it begins
//!   sum = sum * 0.5 + xs[j + m * i]    tiles = (before + m + 31) / 32        the most of the warp; 0 if not all 32 threads are here
//! }                                    if tiles == 0 { in pieces, as in the module above } else {
//!                                        for tile < tiles {
//!                                          first = 32 * tile - before
//!                                          read_rows 32 rows <- xs[first + m * i ..] from max(-first, 0) until min(m - first, 32)
//!                                          for k < 32 { if it is in the row { sum = sum * 0.5 + rows[33 * local_id + k] } }
//!                                        }
//!                                      }
//! ```
//!
//! Tiles begin where lines of memory do, so that each line is read once, by 16 bytes for each thread,
//! wherever rows begin; the first and the last tile of a row are parts. Rows in shared memory are one element
//! longer than tiles, so that elements at one place of all rows are in different banks. Rows that the loop
//! writes go the same way back. Where a loop goes along several arrays, tiles are aligned for the first that
//! is written, or read; the others are copied element by element where they begin elsewhere.
//!
//! Tiles that begin with the row, or at sectors of 32 bytes, take longer, and so do rows in pieces. Where
//! rows are also written, that takes less time than to interleave them, as `memory/interleave` does, and to
//! transpose them then. Tiles of 256 bytes take more registers, and as much time or more. Times:
//! `notebook/2026-11-19-gpu-mechanisms.md`.
//!
//! Where threads have parts of rows, they read other arrays, too: elements of columns, for which nobody
//! should wait one by one. There, whole tiles have a loop without comparisons.
//!
//! Memory for tiles is taken from the cache, so that launches ask for it only if rows are as long as those of
//! a tile, where the host knows that.
//!
//! **When.** What the module above asks for; elements have 4 or 8 bytes; there is one tile for all that is
//! read and written, and no other use of shared memory. The kernel has no other loop: tiles take 64
//! registers, which other loops have no use for, and what a thread reads again is in its cache. And rows are
//! those of the thread's number, or parts of such rows, which are those of what is left of the number when it
//! is divided by [`COLUMNS_BESIDE_ROWS`] or more: where threads take turns with a few rows, or share them,
//! these are in the cache.

use super::in_step::converted;
use super::{
    changing, may_be_one, once, plain_statements, resolved, step, Across, Code, Instead, Read, Replace, Set,
    Walks, MOST_STATEMENTS,
};
use crate::loops::{renamed, Renaming};
use fehu_base::ops::{BinOp, CmpOp, ConvOp};
use fehu_base::prim::{IntType, PrimType};
use fehu_base::tuning::columns::COLUMNS_BESIDE_ROWS;
use fehu_base::Name;
use fehu_imp::build::{
    add, and, bits, block_size, constant, count_up, eq, for_loop, i32, i64, le, local, max, min, mul, or,
    quot_up, select, sub, var,
};
use fehu_imp::ops::{Operation, RowsTo};
use fehu_imp::parts::{flat, for_each_part, for_each_statement};
use fehu_imp::syntax::{
    Arg, Code as AnyCode, Expr, GpuIndex, HostOp, Kernel, KernelOp, Param, Qualifier, Space,
};
use fehu_imp::visit::{change_code, change_host_op, Mutator, Visitor};
use rustc_hash::{FxHashMap, FxHashSet};

/// Bytes of a row that are in a tile.
const TILE_BYTES: u64 = 128;
/// The most bytes of all tiles of a thread, and of a block, which may have so much shared memory without
/// asking for more.
const MOST_BYTES_PER_THREAD: u64 = 192;
const MOST_BYTES_PER_BLOCK: u64 = 48 << 10;
/// The most parts of an expression that is looked at in terms of what was known before it: products of
/// products would grow without end. Offsets of rows have about ten.
const MOST_PARTS: usize = 64;

/// The tiles of a kernel.
#[derive(Default)]
pub(super) struct Tiles {
    /// Whether there may be any.
    may: bool,
    /// Those that there are, and how many elements each of its rows has.
    declared: Vec<(Name, PrimType, u32)>,
    /// A variable that says whether blocks have so few threads that there is room for all of them.
    room: Option<Name>,
    /// When loops use them.
    uses: Vec<Used>,
    /// What scalars are that are set once.
    known: FxHashMap<Name, Expr>,
    /// Whether this is a region that threads may leave.
    pub(super) guarded: bool,
    /// Blocks of which nothing is known to the kernel but one statement, which writes an element.
    written_once: FxHashSet<Name>,
}

/// A loop that uses tiles: if it has at least as many iterations as a tile, and all strides are one.
struct Used {
    bound: Expr,
    count: u32,
    strides: Vec<Expr>,
    /// How many rows there are, if threads take turns.
    rows: Vec<Expr>,
}

/// What the launches of a kernel with tiles have to say.
pub(super) struct Wanted {
    /// Bytes for each thread, by tile.
    bytes: Vec<u64>,
    /// When loops use them.
    uses: Vec<UsedIf>,
}

/// When a loop uses tiles, as far as it can be said in terms of the kernel's parameters.
struct UsedIf {
    /// Parameters, by their numbers, and the least that they must be.
    least: Vec<(usize, u32)>,
    /// Parameters that must be one.
    ones: Vec<usize>,
}

impl Tiles {
    /// Of a kernel, if warps can have any.
    pub(super) fn of(kernel: &Kernel, may: bool) -> Tiles {
        let (mut shares, mut loops) = (!kernel.shared.is_empty(), 0);
        for_each_statement(&kernel.body, &mut |code| {
            shares |= matches!(
                code,
                Code::Op(KernelOp::Barrier | KernelOp::DeclareArray { space: Space::Shared, .. })
            );
            loops += usize::from(matches!(
                code,
                Code::For { .. } | Code::While(..) | Code::Op(KernelOp::UnrolledFor { .. })
            ));
        });
        if !may || shares || loops != 1 {
            return Tiles::default();
        }
        let mut known: FxHashMap<Name, Expr> = FxHashMap::default();
        let mut counts: FxHashMap<Name, usize> = FxHashMap::default();
        Set(&mut |x| *counts.entry(x).or_default() += 1).code(&kernel.body);
        for_each_statement(&kernel.body, &mut |code| {
            if let Code::SetScalar(x, e) = code {
                // It is declared, too.
                if counts.get(x) == Some(&2) {
                    let whole = resolved(e, &known);
                    let mut parts = 0;
                    for_each_part(&whole, &mut |_| parts += 1);
                    known.insert(*x, if parts <= MOST_PARTS { whole } else { e.clone() });
                }
            }
        });
        let mut mentioned = Mentioned(FxHashMap::default());
        mentioned.code(&kernel.body);
        let once = |m: &Name| {
            kernel.qualifiers.get(m) == Some(&Qualifier::Unaliased) && mentioned.0.get(m) == Some(&1)
        };
        let written_once = kernel.params.iter().map(Param::name).filter(once).collect();
        Tiles { may: true, written_once, known, ..Tiles::default() }
    }

    /// Whether an offset is a sum of multiples of the thread's number, and of what is the same for all
    /// threads. The number may be divided, if both what is left of it and the quotient are in the sum, so
    /// that all threads have rows of their own, or parts of them; the divisors are added to a list. Where
    /// they are large, quotients are nearly the same for all threads of a warp.
    fn is_of_thread(&self, place: &Expr, divisors: &mut Vec<Expr>) -> bool {
        let mut sum = Sum::default();
        if !sum.is_sum(&resolved(place, &self.known)) {
            return false;
        }
        let own_rows = sum.divisors.is_empty() || sum.number && sum.quotient;
        divisors.extend(sum.divisors);
        own_rows
    }

    /// Gives the kernel the tiles that it uses. What launches have to say.
    pub(super) fn declare(self, kernel: &mut Kernel) -> Option<Wanted> {
        let room = self.room?;
        let all = bytes_per_thread(&self.declared);
        kernel.shared.extend(self.declared.iter().map(|tile| tile.0));
        let body = std::mem::replace(&mut kernel.body, Code::Seq(vec![]));
        kernel.body = Code::Seq(vec![
            Code::DeclareScalar(room, PrimType::Bool),
            Code::SetScalar(room, fits(block_size(), all)),
            body,
        ]);
        let param = |e: &Expr| {
            let Expr::Var(x) = e else { return None };
            kernel.params.iter().position(|p| *p == Param::Scalar(*x, PrimType::I64))
        };
        let said = |used: &Used| {
            let long = param(&used.bound).map(|number| (number, used.count));
            let many = used.rows.iter().filter_map(param).map(|number| (number, COLUMNS_BESIDE_ROWS as u32));
            let ones = used.strides.iter().filter_map(param).collect();
            UsedIf { least: long.into_iter().chain(many).collect(), ones }
        };
        let bytes = self.declared.iter().map(|tile| bytes_per_thread(std::slice::from_ref(tile))).collect();
        Some(Wanted { bytes, uses: self.uses.iter().map(said).collect() })
    }
}

/// What an offset is a sum of.
#[derive(Default)]
struct Sum {
    /// What the thread's number is divided by.
    divisors: Vec<Expr>,
    /// Whether the number is in it, or what is left of it.
    number: bool,
    /// Whether a quotient is.
    quotient: bool,
}

impl Sum {
    fn is_sum(&mut self, e: &Expr) -> bool {
        if let Some((number, by)) = remainder(e) {
            self.divisors.push(by.clone());
            return self.is_sum(number);
        }
        match e {
            Expr::Const(_) | Expr::Var(_) => true,
            Expr::Gpu(index) => {
                self.number |= matches!(index, GpuIndex::Local);
                true
            }
            Expr::Conv(ConvOp::SExt(..), a) => self.is_sum(a),
            Expr::BinOp(BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_), a, b) => {
                self.is_sum(a) && self.is_sum(b)
            }
            Expr::BinOp(BinOp::SQuot(_), number, by) => {
                let mut divided = Sum::default();
                self.quotient = true;
                self.divisors.push((**by).clone());
                let plain = divided.is_sum(number) && divided.divisors.is_empty();
                plain && matches!(**by, Expr::Const(_) | Expr::Var(_))
            }
            Expr::BinOp(..)
            | Expr::Param(_)
            | Expr::Conv(..)
            | Expr::CmpOp(..)
            | Expr::UnOp(..)
            | Expr::PrimFn(..)
            | Expr::Select(..)
            | Expr::Index { .. } => false,
        }
    }
}

/// The number of which an expression is what is left, `x - x / n * n`, and by what it is divided.
fn remainder(e: &Expr) -> Option<(&Expr, &Expr)> {
    let Expr::BinOp(BinOp::Sub(_), number, whole) = e else { return None };
    let Expr::BinOp(BinOp::Mul(_), quotient, times) = &**whole else { return None };
    let Expr::BinOp(BinOp::SQuot(_), divided, by) = &**quotient else { return None };
    (divided == number && by == times).then_some((&**number, &**by))
}

/// Has launches of kernels say how much shared memory their tiles take: none where no loop uses them, since
/// it is taken from the cache.
pub(super) struct Launches(pub(super) FxHashMap<Name, Wanted>);

impl Mutator for Launches {
    fn host_op(&mut self, op: &mut HostOp) {
        if let HostOp::Own(launch) = op {
            if let Some(Wanted { bytes, uses }) = self.0.get(&launch.kernel) {
                let arg = |number: usize| match launch.args.get(number) {
                    Some(Arg::Scalar(e)) => Some(e.clone()),
                    Some(Arg::Mem(_)) | None => None,
                };
                let used = |UsedIf { least, ones }: &UsedIf| {
                    let long =
                        least.iter().filter_map(|(number, n)| Some(le(i64(i64::from(*n)), arg(*number)?)));
                    let one = ones.iter().filter_map(|number| Some(eq(arg(*number)?, i64(1))));
                    one.chain(long).reduce(and)
                };
                // A loop of which nothing is known always uses them.
                let used: Option<Vec<Expr>> = uses.iter().map(used).collect();
                let fit = fits(launch.block.clone(), bytes.iter().sum());
                let used = used.and_then(|used| used.into_iter().reduce(or)).into_iter().fold(fit, and);
                let sizes = bytes
                    .iter()
                    .map(|bytes| select(used.clone(), mul(launch.block.clone(), i64(*bytes as i64)), i64(0)));
                launch.shared.extend(sizes);
            }
        }
        change_host_op(self, op);
    }
}

/// Whether there is room for so many bytes for each thread of a block.
fn fits(block_size: Expr, bytes: u64) -> Expr {
    le(block_size, i64((MOST_BYTES_PER_BLOCK / bytes.max(1)) as i64))
}

/// How often blocks are mentioned.
struct Mentioned(FxHashMap<Name, usize>);

impl<'c> Visitor<'c> for Mentioned {
    fn block(&mut self, m: &'c Name) {
        *self.0.entry(*m).or_default() += 1;
    }
}

/// A loop in tiles.
pub(super) struct Together {
    /// Sets how many tiles there are.
    decide: Vec<Code>,
    number: Name,
    tiles: Code,
}

impl Together {
    /// The loop as it is if there are no tiles is also needed.
    pub(super) fn or(self, alone: Code) -> Code {
        let mut code = self.decide;
        code.push(Code::If(eq(var(self.number), i64(0)), Box::new(alone), Box::new(self.tiles)));
        Code::Seq(code)
    }
}

impl Walks<'_> {
    /// The elements that a loop writes in each iteration that are rows of threads.
    pub(super) fn rows_written(&self, x: Name, body: &Code) -> Vec<Read> {
        if !self.tiles.may || plain_statements(body).is_none_or(|n| n > MOST_STATEMENTS) {
            return vec![];
        }
        let changed = changing(body);
        let mut known: FxHashMap<Name, Expr> = FxHashMap::default();
        let mut written = vec![];
        for code in flat(body) {
            if let Code::Write { mem, offset, elem, .. } = code {
                let place = resolved(offset, &known);
                let stride = step(&place, x, &changed).filter(|stride| may_be_one(stride, &changed));
                let leaps = self.across(&place) == Across::Leaps;
                if let (Some(stride), true) = (stride, leaps && self.tiles.written_once.contains(mem)) {
                    let (mem, offset, elem) = (*mem, offset.clone(), *elem);
                    written.extend(is_wide(elem).then_some(Read { mem, offset, elem, place, stride }));
                }
            } else if let Code::SetScalar(y, e) = code {
                if once(body, *y) {
                    known.insert(*y, resolved(e, &known));
                }
            }
        }
        written
    }

    /// A loop in tiles, of which the first and the last may be parts.
    pub(super) fn together(
        &mut self,
        (x, ty): (Name, IntType),
        bound: &Expr,
        body: &Code,
        reads: &[Read],
        written: &[Read],
    ) -> Option<Together> {
        let all: Vec<&Read> = written.iter().chain(reads).collect();
        if !self.tiles.may || self.tiles.guarded {
            return None;
        }
        let mut rows = vec![];
        if !all.iter().all(|r| is_wide(r.elem) && self.tiles.is_of_thread(&r.place, &mut rows)) {
            return None;
        }
        rows.dedup();
        let count = (TILE_BYTES / all.iter().map(|r| r.elem.bytes()).max()?) as u32;
        if constant(bound).is_some_and(|n| n < i64::from(count)) {
            return None;
        }
        let (tiles_read, tiles_written) = self.tiles_for(body, reads, written, count)?;
        let strides = all.iter().map(|r| r.stride.clone()).collect();
        let in_parts = !rows.is_empty();
        let many = rows.iter().map(|rows| le(i64(COLUMNS_BESIDE_ROWS), rows.clone())).reduce(and);
        self.tiles.uses.push(Used { bound: bound.clone(), count, strides, rows });
        let [end, before, number, tile, first, from, until, k] =
            ["end", "before", "tiles", "tile", "first", "from", "until", "k"]
                .map(|s| self.names.fresh_str(s));
        let each = i64(i64::from(count));
        let at = |r: &Read, by: Expr| {
            let mut offset = r.place.clone();
            Replace { x, by: converted(by, IntType::I64, ty) }.expr(&mut offset);
            offset
        };
        let in_order = |r: &&Read| constant(&r.stride).is_none().then(|| eq(r.stride.clone(), i64(1)));
        let room = match self.tiles.room {
            Some(room) => room,
            None => self.names.fresh_str("room"),
        };
        self.tiles.room = Some(room);
        let may = and(var(room), le(each.clone(), var(end)));
        let may = all.iter().filter_map(in_order).chain(many).fold(may, and);
        let needed = quot_up(add(var(before), var(end)), each.clone());
        let decide = vec![
            scalar(end, converted(bound.clone(), ty, IntType::I64)),
            scalar(before, bits(at(all[0], i64(0)), i64(i64::from(count) - 1))),
            Code::Seq(vec![
                Code::DeclareScalar(number, PrimType::I64),
                Code::Op(KernelOp::MostOfWarp { var: number, value: select(may, needed, i64(0)) }),
            ]),
        ];
        let mut inside = vec![
            scalar(first, sub(mul(var(tile), each.clone()), var(before))),
            narrow(from, max(sub(i64(0), var(first)), i64(0))),
            narrow(until, min(max(sub(var(end), var(first)), i64(0)), each)),
            Code::Op(KernelOp::WarpBarrier),
        ];
        let copy = |to: RowsTo, of: &Read, tile: Name| {
            let from_there = converted(var(from), IntType::I32, IntType::I64);
            let offset = sub(at(of, add(var(first), from_there.clone())), from_there);
            let within = (var(from), var(until));
            Code::Op(KernelOp::CopyRows { to, tile, mem: of.mem, offset, within, elem: of.elem, count })
        };
        let mut iteration = body.clone();
        let own = add(mul(local(), i64(i64::from(count) + 1)), converted(var(k), IntType::I32, IntType::I64));
        for (read, tile) in reads.iter().zip(&tiles_read) {
            inside.push(copy(RowsTo::Shared, read, *tile));
            let offset = Box::new(own.clone());
            let element = Expr::Index { mem: *tile, offset, elem: read.elem, space: Space::Shared };
            Instead { read, by: element }.code(&mut iteration);
        }
        if !reads.is_empty() {
            inside.push(Code::Op(KernelOp::WarpBarrier));
        }
        for (of, tile) in written.iter().zip(&tiles_written) {
            WriteInstead { mem: of.mem, tile: *tile, own: &own }.code(&mut iteration);
        }
        let mut names = Renaming::default();
        let place = self.names.fresh_like(x);
        names.insert(x, place);
        let iteration = renamed(self.names, &iteration, &mut names);
        let number_of = add(var(first), converted(var(k), IntType::I32, IntType::I64));
        let compare = |op: CmpOp, x: Name, y: Name| Expr::CmpOp(op, Box::new(var(x)), Box::new(var(y)));
        let wanted =
            and(compare(CmpOp::SLe(IntType::I32), from, k), compare(CmpOp::SLt(IntType::I32), k, until));
        let point = Code::Seq(vec![
            Code::DeclareScalar(place, PrimType::Int(ty)),
            Code::SetScalar(place, converted(number_of, IntType::I64, ty)),
            iteration,
        ]);
        let each = |k: Name, point: Code| for_loop((k, IntType::I32), i32(count as i32), point);
        let nothing = || Box::new(Code::Seq(vec![]));
        let compared = each(k, Code::If(wanted, Box::new(point.clone()), nothing()));
        inside.push(match in_parts {
            true => {
                let (mut names, other) = (Renaming::default(), self.names.fresh_like(k));
                names.extend([(k, other), (place, self.names.fresh_like(place))]);
                let whole = each(other, renamed(self.names, &point, &mut names));
                let equal = |x: Name, n: u32| {
                    Expr::CmpOp(CmpOp::Eq(PrimType::I32), Box::new(var(x)), Box::new(i32(n as i32)))
                };
                let all = and(equal(from, 0), equal(until, count));
                Code::If(all, Box::new(whole), Box::new(compared))
            }
            false => compared,
        });
        if !written.is_empty() {
            inside.push(Code::Op(KernelOp::WarpBarrier));
            inside
                .extend(written.iter().zip(&tiles_written).map(|(of, tile)| copy(RowsTo::Global, of, *tile)));
        }
        let tiles = count_up(tile, var(number), Code::Seq(inside));
        Some(Together { decide, number, tiles })
    }

    /// A tile for each row that is read, and for each that is written, if there is room. Elements may be
    /// written where others were read that no statement needs after that.
    fn tiles_for(
        &mut self,
        body: &Code,
        reads: &[Read],
        written: &[Read],
        count: u32,
    ) -> Option<(Vec<Name>, Vec<Name>)> {
        let mut declared = self.tiles.declared.clone();
        let mut used: Vec<Name> = vec![];
        let mut tile = |of: &Read, used: &mut Vec<Name>| {
            let fits = |(mem, elem, n): &&(Name, PrimType, u32)| {
                *elem == of.elem && *n == count && !used.contains(mem)
            };
            let mem = declared.iter().find(fits).map(|tile| tile.0);
            let mem = mem.unwrap_or_else(|| {
                let mem = self.names.fresh_str("rows");
                declared.push((mem, of.elem, count));
                mem
            });
            used.push(mem);
            mem
        };
        let of_reads: Vec<Name> = reads.iter().map(|read| tile(read, &mut used)).collect();
        let mut over: Vec<Name> = vec![];
        let mut of_written = vec![];
        for of in written {
            let free = |(read, tile): &(&Read, &Name)| {
                read.elem == of.elem && !over.contains(tile) && !is_read_after(body, read.mem, of.mem)
            };
            let free = reads.iter().zip(&of_reads).find(free).map(|(_, tile)| *tile);
            over.extend(free);
            of_written.push(free.unwrap_or_else(|| tile(of, &mut used)));
        }
        if bytes_per_thread(&declared) > MOST_BYTES_PER_THREAD {
            return None;
        }
        self.tiles.declared = declared;
        Some((of_reads, of_written))
    }
}

/// Whether a block is read after another one is written.
fn is_read_after(body: &Code, read: Name, written: Name) -> bool {
    let after =
        flat(body).into_iter().skip_while(|code| !matches!(code, Code::Write { mem, .. } if *mem == written));
    let mut mentioned = Mentioned(FxHashMap::default());
    after.skip(1).for_each(|code| mentioned.code(code));
    mentioned.0.contains_key(&read)
}

/// Writes elements of a block to a thread's row of a tile.
struct WriteInstead<'e> {
    mem: Name,
    tile: Name,
    own: &'e Expr,
}

impl Mutator for WriteInstead<'_> {
    fn code<O: Operation>(&mut self, code: &mut AnyCode<O>) {
        if let AnyCode::Write { mem, offset, space, .. } = code {
            if *mem == self.mem {
                (*mem, *offset, *space) = (self.tile, self.own.clone(), Space::Shared);
            }
        }
        change_code(self, code);
    }
}

/// Declares a number.
fn scalar(x: Name, e: Expr) -> Code {
    Code::Seq(vec![Code::DeclareScalar(x, PrimType::I64), Code::SetScalar(x, e)])
}

/// Declares an `i32`, of which an `i64` is given.
fn narrow(x: Name, e: Expr) -> Code {
    let e = converted(e, IntType::I64, IntType::I32);
    Code::Seq(vec![Code::DeclareScalar(x, PrimType::I32), Code::SetScalar(x, e)])
}

fn bytes_per_thread(tiles: &[(Name, PrimType, u32)]) -> u64 {
    tiles.iter().map(|(_, elem, count)| elem.bytes() * u64::from(count + 1)).sum()
}

fn is_wide(elem: PrimType) -> bool {
    matches!(elem.bytes(), 4 | 8)
}
