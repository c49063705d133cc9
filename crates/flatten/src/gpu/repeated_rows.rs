//! Whether one thread for each point is slower than versions that are flattened further, however many points there are.
//!
//! A thread that runs a point by itself has its rows in memory, and reads them as often as the program does.
//! Versions that are flattened further have a thread for each element and share what they read, but what is
//! between their operations goes through memory once. There are two cases in which that is known to be less:
//!
//! - Maps inside read a row of the point again for each of their elements. Flattened further this is a
//!   product of matrices, whose blocks share the row:
//!
//! ```text
//! map (\ys -> ... map (\a -> map (\b -> sum (map3 (\y a b -> y * a * b) ys a b)) xss) xss ...) yss       each thread reads `ys` 64 times, if `xss` has 8 rows
//! ```
//!
//!   The row must be long, since the other operations of the point cost more when they go through memory, or
//!   the rows of all points larger than the cache. There must be no more results than elements of the row,
//!   since they are kept for all points, unless the row is long and they are results of the point, which any
//!   version writes.
//!
//! - The point does nothing but to reduce, scan and map rows by functions of numbers, each once, and the rows
//!   are long. A thread makes as many passes through memory as there are operations, and rows that come in
//!   must be transposed first; a block keeps what is between in shared memory. This is what `traffic` says of
//!   rows that are read from the first element to the last; here they may also be read backwards, or in part.
//!   It is not known of rows that are columns of other arrays, so that nests of one level alone are meant.
//!
//! Times of these, and of other bodies: `notebook/2026-11-19-gpu-mechanisms.md`.
//!
//! Other bodies are left to the number of points: some are faster in blocks, others slower, with as many
//! points.

use super::nest::{Nest, Source};
use super::traffic::at_most_unless;
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::IntType;
use fehu_base::tuning::flattening;
use fehu_base::Name;
use fehu_ir::soac::{Screma, Soac};
use fehu_ir::visit::{deep, for_each_stm};
use fehu_ir::{Body, Builder, Exp, Kernels, Lambda, Soacs, SubExp, Type};

/// What the guard of the version with one thread for each point compares: the number of points, but no more
/// than what is just not enough by default where another version is faster.
pub(super) fn outer_par(b: &mut Builder<Kernels>, nest: &Nest, body: &Body<Soacs>) -> SubExp {
    let points = b.product(&nest.widths);
    let (again, width) = (rows_read_again(nest, body), width_of_rows(nest, body));
    if again.is_empty() && width.is_none() {
        return points;
    }
    let (le, lt) = (CmpOp::SLe(IntType::I64), CmpOp::SLt(IntType::I64));
    let mut pays = SubExp::bool(true);
    for row in again {
        let times = b.product(&row.times);
        let seldom = b.cmp(lt, times, SubExp::i64(flattening::REPEATED_ROW_READS));
        let many_results = b.cmp(lt, row.width, times);
        let bytes = b.mul64(row.width, SubExp::i64(row.element));
        let all = b.mul64(bytes, points);
        let cached = b.cmp(le, all, SubExp::i64(flattening::CACHED_ROW_BYTES));
        let short = b.cmp(lt, row.width, SubExp::i64(flattening::REPEATED_ROW_ELEMENTS));
        let cheap = b.bin(BinOp::LogAnd, cached, short);
        let many_results = match row.returned {
            true => b.bin(BinOp::LogAnd, many_results, short),
            false => many_results,
        };
        let fine = b.bin(BinOp::LogOr, seldom, many_results);
        let fine = b.bin(BinOp::LogOr, fine, cheap);
        pays = b.bin(BinOp::LogAnd, pays, fine);
    }
    if let Some(width) = width {
        let short = b.cmp(lt, width, SubExp::i64(flattening::BLOCK_ROW_ELEMENTS));
        pays = b.bin(BinOp::LogAnd, pays, short);
    }
    at_most_unless(b, pays, points, flattening::ENOUGH_PARALLELISM - 1)
}

/// The width of the rows of a point that does nothing but to reduce, scan and map rows of one width by
/// functions of numbers, at least twice and each time once.
fn width_of_rows(nest: &Nest, body: &Body<Soacs>) -> Option<SubExp> {
    if nest.depth() > 1 {
        return None;
    }
    let mut operations: Vec<&Screma<Soacs>> = vec![];
    for stm in &body.stms {
        match &stm.exp {
            Exp::Op(Soac::Screma(s)) => operations.push(s),
            Exp::Basic(_) => {}
            Exp::Call(..) | Exp::If(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => return None,
        }
    }
    let width = operations.first()?.width;
    let known = nest.invariant(width) && width.name().is_none_or(|n| !binds(body, n));
    let light = |s: &&Screma<Soacs>| {
        let operators = s.scans.iter().map(|scan| &scan.op).chain(s.reds.iter().map(|red| &red.op));
        s.width == width && operators.chain([&s.map]).all(is_light)
    };
    let combines = operations.iter().any(|s| !s.scans.is_empty() || !s.reds.is_empty());
    (known && combines && operations.len() > 1 && operations.iter().all(light)).then_some(width)
}

/// Whether a function computes numbers of numbers, without loops.
pub(super) fn is_light(f: &Lambda<Soacs>) -> bool {
    let mut light = f.params.iter().map(|p| &p.ty).chain(&f.ret).all(|t| matches!(t, Type::Prim(_)));
    for_each_stm(&f.body, &mut |stm| {
        light &= matches!(stm.exp, Exp::Basic(_) | Exp::If(..));
        light &= stm.pat.iter().all(|p| matches!(p.ty, Type::Prim(_)));
    });
    light
}

/// A row of a point that maps inside of the point read again and again.
#[derive(PartialEq)]
struct Row {
    width: SubExp,
    /// Bytes of an element.
    element: i64,
    /// The widths of these maps.
    times: Vec<SubExp>,
    /// Whether what is computed of it is a result of the point.
    returned: bool,
}

/// The rows of a point that maps in its body read again and again, as far as their sizes are known outside.
fn rows_read_again(nest: &Nest, body: &Body<Soacs>) -> Vec<Row> {
    let mut rows = vec![];
    for stm in &body.stms {
        if let Exp::Op(Soac::Screma(s)) = &stm.exp {
            let first = rows.len();
            find(nest, body, s, &mut vec![], &mut rows);
            let returned =
                s.reds.is_empty() && stm.pat.iter().all(|p| body.result.contains(&SubExp::Var(p.name)));
            rows[first..].iter_mut().for_each(|row| row.returned = returned);
        }
    }
    rows
}

/// Adds what an operation inside of maps of these widths, and those inside of it, read.
fn find(nest: &Nest, body: &Body<Soacs>, s: &Screma<Soacs>, times: &mut Vec<SubExp>, rows: &mut Vec<Row>) {
    let is_known = |e: SubExp| nest.invariant(e) && e.name().is_none_or(|n| !binds(body, n));
    if !is_known(s.width) {
        return;
    }
    for (array, param) in s.arrays.iter().zip(&s.map.params) {
        let Type::Prim(element) = param.ty else { continue };
        let row =
            Row { width: s.width, element: element.bytes() as i64, times: times.clone(), returned: false };
        let own = binds(body, *array) || of_point(nest, *array);
        if own && !times.is_empty() && !rows.contains(&row) {
            rows.push(row);
        }
    }
    times.push(s.width);
    deep(|| {
        for stm in &s.map.body.stms {
            if let Exp::Op(Soac::Screma(inner)) = &stm.exp {
                find(nest, body, inner, times, rows);
            }
        }
    });
    times.pop();
}

/// Whether a statement of a body itself binds a name.
pub(super) fn binds(body: &Body<Soacs>, name: Name) -> bool {
    body.stms.iter().any(|stm| stm.pat.iter().any(|p| p.name == name))
}

/// Whether each point of a nest has an array of its own.
fn of_point(nest: &Nest, array: Name) -> bool {
    match nest.find(array).map(|b| &b.source) {
        Some(Source::Elem { levels, .. }) => levels.contains(&(nest.depth() - 1)),
        Some(Source::Stm(_)) => true,
        Some(Source::Acc(_) | Source::Index(_)) | None => false,
    }
}
