//! Fusion: producers into consumers, and neighbours into one.
//!
//! Before: any valid program. After: no mapped array that is only read element
//! by element, by combinators of the same width, is made in between
//! (*vertical* fusion), and combinators that read the same array in the same
//! width are one (*horizontal* fusion).
//!
//! ```text
//! let (ys) = screma n [xs] map \x -> x * x          let (s) = screma n [xs] reduce (+) 0 map \x -> x * x
//! let (s) = screma n [ys] reduce (+) 0 map \y -> y        =>
//! ```
//!
//! A body is a graph (`graph.rs`): statements, and what must come before what,
//! by use of names or by consumption. Two statements may become one if no other
//! statement must come between them. No work is ever done twice: results that
//! others need too stay results of the fused combinator. How two combinators
//! are put together is in `merge.rs`; `views.rs` lets a consumer see through
//! permutations and reshapes that leave the outermost dimension alone.
//!
//! Bodies are fused from outside in, since fusing two maps puts what is inside
//! of them next to each other.

mod graph;
mod merge;
mod views;

use crate::alias::{self, Classes};
use crate::pass::Pass;
use fehu_base::{Name, NameSource};
use fehu_ir::alias::Signatures;
use fehu_ir::visit::{deep, map_bodies};
use fehu_ir::{Body, Prog, Soacs};
use graph::Graph;
use merge::{Combinator, Kept};

/// Fusion as a pass.
pub const PASS: Pass<Soacs> = Pass { name: "fusion", run: fuse };

/// Fuses combinators.
pub fn fuse(prog: &mut Prog<Soacs>) {
    let sigs = alias::signatures(prog);
    let signatures = Signatures::of_prog(prog);
    for fun in &mut prog.funs {
        let classes = Classes::of_fun(&sigs, &prog.consts, fun);
        Fuser { names: &mut prog.names, signatures: &signatures, classes }.body(&mut fun.body);
    }
}

struct Fuser<'a> {
    names: &'a mut NameSource,
    signatures: &'a Signatures,
    classes: Classes,
}

impl Fuser<'_> {
    fn body(&mut self, body: &mut Body<Soacs>) {
        deep(|| {
            let combinators = body.stms.iter().filter(|s| Combinator::of(s).is_some()).count();
            if combinators > 1 {
                self.fuse_here(body);
            }
            for stm in &mut body.stms {
                map_bodies(&mut stm.exp, &mut |b| self.body(b));
            }
        })
    }

    fn fuse_here(&mut self, body: &mut Body<Soacs>) {
        let mut graph =
            Graph::new(&self.classes, self.signatures, std::mem::take(&mut body.stms), &body.result);
        let consumers: Vec<usize> = graph.combinators();
        // Vertically first: what is left over may still share its inputs.
        for c in &consumers {
            while graph.is_alive(*c) && self.fuse_producer(&mut graph, *c) {}
        }
        for c in &consumers {
            while graph.is_alive(*c) && self.fuse_neighbour(&mut graph, *c) {}
        }
        body.stms = graph.into_statements();
    }

    /// Fuses some producer of an input into the consumer.
    fn fuse_producer(&mut self, graph: &mut Graph, c: usize) -> bool {
        let inputs: Vec<Name> = match Combinator::of(graph.stm(c)) {
            Some(consumer) => consumer.arrays().to_vec(),
            None => return false,
        };
        inputs.iter().any(|a| self.fuse_input(graph, c, *a))
    }

    fn fuse_input(&mut self, graph: &mut Graph, c: usize, array: Name) -> bool {
        // Seen through views, the input may be another array.
        let mut consumer = graph.stm(c).clone();
        let mut array = array;
        let mut seen_through = vec![];
        while let Some(v) = graph.producer(array) {
            match views::pull(self.names, &mut self.classes, graph.stm(v), &consumer, array) {
                Some((pulled, source)) => {
                    consumer = pulled;
                    array = source;
                    seen_through.push(v);
                }
                None => break,
            }
        }
        let Some(p) = graph.producer(array) else { return false };
        let apart = graph.consumes_input_of(c, p) || graph.path_between(p, c, &seen_through);
        if p == c || apart || !merge::can_feed(graph.stm(p), &consumer) {
            return false;
        }
        let outputs: Vec<Name> = graph.stm(p).pat.iter().map(|x| x.name).collect();
        let needed: Vec<bool> =
            outputs.iter().map(|n| graph.is_used_besides(*n, &[c], &seen_through)).collect();
        let still_viewed = |graph: &Graph, v: &usize| {
            graph.stm(*v).pat.iter().any(|x| graph.is_used_besides(x.name, &[c], &seen_through))
        };
        if seen_through.iter().any(|v| still_viewed(graph, v)) {
            return false;
        }
        let fused = merge::vertical(self.names, &mut self.classes, graph.stm(p), &consumer, &Kept(needed));
        match fused {
            Some(stm) => {
                graph.fuse(p, c, stm, &seen_through);
                true
            }
            None => false,
        }
    }

    /// Fuses another combinator that reads an input of this one.
    fn fuse_neighbour(&mut self, graph: &mut Graph, c: usize) -> bool {
        for d in graph.readers_of_inputs(c) {
            if graph.path_between(d, c, &[])
                || graph.path_between(c, d, &[])
                || graph.depends(c, d)
                || graph.depends(d, c)
            {
                continue;
            }
            let (first, second) = if d < c { (d, c) } else { (c, d) };
            if let Some(stm) = merge::horizontal(graph.stm(first), graph.stm(second)) {
                graph.fuse(d, c, stm, &[]);
                return true;
            }
        }
        false
    }
}
