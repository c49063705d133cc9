//! Operators on arrays in a form that can be taken to pieces.
//!
//! A GPU combines scalars. A reduction, scan or histogram of rows runs well there if its operator is a map of one on
//! scalars, so that it can be done column by column; if the columns do not depend on each other, each can be done in
//! its own time; and if a row is a handful of scalars, it can be handed on as such.
//!
//! Before: any valid program. After, for operators that take arrays:
//!
//! - one whose results depend only on the matching operands, each on its own, is several operators (`parts`); in
//!   histograms so are those on scalars, for which there may then be instructions;
//! - a loop that fills place `i` from the operands' places `i` is a map (`peel`);
//! - in reductions and scans, one on few numbers, whose shapes are constant, takes these numbers (`scalars`).
//!
//! ```text
//! reduce \(xs : [m]i32, ys : [m]i32) : ([m]i32) {              reduce \(xs : [m]i32, ys : [m]i32) : ([m]i32) {
//!   let (r : [m]i32) = replicate [m] 0                           let (zs : [m]i32) = screma m [xs, ys]
//!   let (zs : [m]i32) = loop (*p = r) for i < m {                  map \(x : i32, y : i32) : (i32) {
//!     let (x : i32) = xs[i]                                          let (z : i32) = add_i32(x, y)
//!     let (y : i32) = ys[i]                                          return (z)
//!     let (z : i32) = add_i32(x, y)                                }
//!     let (q : [m]i32) = p with [i] = z                          return (zs)
//!     return (q)                                               }
//!   }
//!   return (zs)
//! }
//! ```

mod parts;
mod peel;
mod scalars;

use fehu_base::NameSource;
use fehu_ir::soac::{Hist, HistOp, Reduce, Scan, Screma, Soac};
use fehu_ir::visit::{deep, map_bodies};
use fehu_ir::{Body, Exp, Lambda, PatElem, Prog, Soacs, Stm, SubExp, Type};
use fehu_pass::{Need, Pass};

/// Operators as a pass.
pub static PASS: Pass<Prog<Soacs>> = Pass { name: "operators", need: Need::Optional, run: operators };

fn operators(prog: &mut Prog<Soacs>) {
    let mut names = std::mem::take(&mut prog.names);
    body(&mut names, &mut prog.consts);
    for fun in &mut prog.funs {
        body(&mut names, &mut fun.body);
    }
    prog.names = names;
}

fn body(names: &mut NameSource, b: &mut Body<Soacs>) {
    deep(|| {
        let mut out = vec![];
        for mut stm in std::mem::take(&mut b.stms) {
            map_bodies(&mut stm.exp, &mut |inner| body(names, inner));
            match stm.exp {
                Exp::Op(Soac::Screma(s)) if !s.scans.is_empty() || !s.reds.is_empty() => {
                    let (pat, s) = screma(names, stm.pat, s);
                    out.extend(scalars::screma(names, Stm { pat, exp: Exp::Op(Soac::Screma(s)), ..stm }));
                }
                Exp::Op(Soac::Hist(h)) => {
                    let (pat, h) = hist(names, stm.pat, h);
                    out.push(Stm { pat, exp: Exp::Op(Soac::Hist(h)), ..stm });
                }
                exp @ (Exp::Basic(_)
                | Exp::Call(..)
                | Exp::If(..)
                | Exp::Loop(_)
                | Exp::WithAcc(_)
                | Exp::Op(_)) => out.push(Stm { exp, ..stm }),
            }
        }
        b.stms = out;
    });
}

/// Whether an operator takes arrays.
fn on_arrays(op: &Lambda<Soacs>) -> bool {
    op.ret.iter().any(Type::is_array)
}

/// The order in which the results of something go with the parts of its operators.
fn ordered<T: Clone>(all: &[T], order: &[usize]) -> Vec<T> {
    order.iter().map(|k| all[*k].clone()).collect()
}

type Pattern = Vec<PatElem<Soacs>>;

fn screma(names: &mut NameSource, pat: Pattern, s: Screma<Soacs>) -> (Pattern, Screma<Soacs>) {
    let mut order: Vec<usize> = vec![];
    let mut scans = vec![];
    for Scan { op, neutral } in s.scans {
        for (which, op) in taken_apart(names, op, Scalars::Together) {
            let first = scans.iter().map(|s: &Scan<Soacs>| s.neutral.len()).sum::<usize>() - which.done;
            order.extend(which.results.iter().map(|k| first + k));
            scans.push(Scan { op, neutral: ordered(&neutral, &which.results) });
        }
    }
    let before = order.len();
    let mut reds = vec![];
    for Reduce { comm, op, neutral } in s.reds {
        for (which, op) in taken_apart(names, op, Scalars::Together) {
            let here = reds.iter().map(|s: &Reduce<Soacs>| s.neutral.len()).sum::<usize>() - which.done;
            order.extend(which.results.iter().map(|k| before + here + k));
            reds.push(Reduce { comm, op, neutral: ordered(&neutral, &which.results) });
        }
    }
    order.extend(order.len()..pat.len());
    let mut map = s.map;
    map.ret = ordered(&map.ret, &order);
    map.body.result = ordered(&map.body.result, &order);
    (ordered(&pat, &order), Screma { scans, reds, map, ..s })
}

fn hist(names: &mut NameSource, pat: Pattern, h: Hist<Soacs>) -> (Pattern, Hist<Soacs>) {
    let all_indices: usize = h.ops.iter().map(|op| op.shape.len()).sum();
    let (mut indices, mut values, mut results) = (vec![], vec![], vec![]);
    let (mut index_at, mut value_at) = (0, 0);
    let mut ops = vec![];
    for HistOp { shape, dests, neutral, op } in h.ops {
        for (which, op) in taken_apart(names, op, Scalars::Apart) {
            indices.extend(index_at..index_at + shape.len());
            values.extend(which.results.iter().map(|k| all_indices + value_at + k));
            results.extend(which.results.iter().map(|k| value_at + k));
            let (dests, neutral) = (ordered(&dests, &which.results), ordered(&neutral, &which.results));
            ops.push(HistOp { shape: shape.clone(), dests, neutral, op });
        }
        index_at += shape.len();
        value_at += dests.len();
    }
    let order: Vec<usize> = indices.into_iter().chain(values).collect();
    let mut lambda = h.lambda;
    lambda.ret = ordered(&lambda.ret, &order);
    lambda.body.result = ordered(&lambda.body.result, &order);
    (ordered(&pat, &results), Hist { ops, lambda, ..h })
}

/// Which results of an operator a part of it has.
struct Which {
    results: Vec<usize>,
    /// How many results the parts before have.
    done: usize,
}

/// Whether operators on scalars are taken apart, too.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scalars {
    Apart,
    Together,
}

/// The parts of an operator, as maps where they can be.
fn taken_apart(names: &mut NameSource, op: Lambda<Soacs>, scalars: Scalars) -> Vec<(Which, Lambda<Soacs>)> {
    if !on_arrays(&op) && scalars == Scalars::Together {
        let results = (0..op.ret.len()).collect();
        return vec![(Which { results, done: 0 }, op)];
    }
    let mut done = 0;
    let mut found = vec![];
    for (results, op) in parts::parts(names, op) {
        let op = peel::as_map(names, &op).unwrap_or(op);
        let n = results.len();
        found.push((Which { results, done }, op));
        done += n;
    }
    found
}

/// The operand at the same place as another in a list.
fn position(list: &[SubExp], e: SubExp) -> Option<usize> {
    list.iter().position(|x| *x == e)
}
