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

mod again;
mod graph;
mod merge;
mod nest;
pub mod over_views;
mod push;
mod views;

use fehu_analysis::Constants;
use fehu_base::{Name, NameSource};
use fehu_ir::alias::{Classes, Signatures};
use fehu_ir::visit::{deep, map_bodies};
use fehu_ir::{Body, Exp, Prog, Soacs, Type};
use fehu_pass::{Need, Pass};
use graph::Graph;
use merge::Combinator;
use push::Ranges;
use rustc_hash::{FxHashMap, FxHashSet};

/// Fusion as a pass.
pub static PASS: Pass<Prog<Soacs>> = Pass { name: "fusion", need: Need::Optional, run: fuse };

/// Fuses combinators.
pub fn fuse(prog: &mut Prog<Soacs>) {
    let signatures = Signatures::of_prog(prog);
    let constants = Constants::of(&prog.consts);
    for fun in &mut prog.funs {
        let classes = Classes::of_fun(&signatures, &constants.used_by(fun), fun);
        Fuser { names: &mut prog.names, signatures: &signatures, classes, ranges: Ranges::default() }
            .body(&mut fun.body, &[]);
    }
}

struct Fuser<'a> {
    names: &'a mut NameSource,
    signatures: &'a Signatures,
    classes: Classes,
    ranges: Ranges,
}

impl Fuser<'_> {
    /// `own` are parameters of the loop around, if any, each of which has memory of its own.
    fn body(&mut self, body: &mut Body<Soacs>, own: &[Name]) {
        deep(|| {
            let combinators = body.stms.iter().filter(|s| Combinator::of(s).is_some()).count();
            push::learn_ranges(&mut self.ranges, &body.stms);
            if combinators > 0 {
                push::push_views(self.names, &mut self.classes, &self.ranges, body);
            }
            if combinators > 1 {
                nest::make_nests(self.names, &mut self.classes, &self.ranges, body, nest::mapped);
                self.fuse_here(body, own);
                again::compute_again(self.names, &self.classes, body);
            }
            for stm in &mut body.stms {
                let own = match &stm.exp {
                    Exp::Loop(l) => {
                        l.params.iter().filter(|(p, _)| p.consumed).map(|(p, _)| p.name).collect()
                    }
                    Exp::Basic(_) | Exp::Call(..) | Exp::If(..) | Exp::WithAcc(_) | Exp::Op(_) => vec![],
                };
                map_bodies(&mut stm.exp, &mut |b| self.body(b, &own));
            }
        })
    }

    fn fuse_here(&mut self, body: &mut Body<Soacs>, own: &[Name]) {
        let now = (!own.is_empty()).then(|| self.classes.during(self.signatures, body, own));
        let classes = now.as_ref().unwrap_or(&self.classes);
        let mut graph = Graph::new(classes, self.signatures, std::mem::take(&mut body.stms), &body.result);
        // Vertically first: what is left over may still share its inputs. Neighbours that have become
        // one may then have all uses of a producer.
        let mut consumers: Vec<usize> = graph.combinators();
        for c in &consumers {
            self.fuse_producers(&mut graph, *c);
        }
        loop {
            consumers.retain(|c| graph.is_alive(*c));
            let mut grown = vec![];
            for c in &consumers {
                let mut at = *c;
                while let Some(fused) = self.fuse_neighbour(&mut graph, at) {
                    grown.push(fused);
                    at = fused;
                }
            }
            if grown.is_empty() {
                break;
            }
            for c in grown {
                self.fuse_producers(&mut graph, c);
            }
        }
        body.stms = graph.into_statements();
    }

    /// Fuses producers of inputs into a consumer, as many as there are. The last ones come first: then
    /// those before them have nothing in between that could have been fused.
    fn fuse_producers(&mut self, graph: &mut Graph, c: usize) {
        let mut tried: FxHashSet<usize> = FxHashSet::default();
        while graph.is_alive(c) {
            let arrays = Combinator::arrays_of(graph.stm(c));
            let producers = arrays.iter().filter_map(|a| self.behind(graph, *a).1);
            let Some(p) = producers.filter(|p| *p != c && !tried.contains(p)).max_by_key(|p| graph.place(*p))
            else {
                break;
            };
            tried.insert(p);
            self.fuse_producer(graph, p, c);
        }
    }

    /// The views through which an array is seen, nearest first, and the combinator that made what is behind them.
    fn behind(&self, graph: &Graph, array: Name) -> (Vec<usize>, Option<usize>) {
        let mut seen_through = vec![];
        let mut at = graph.producer(array);
        while let Some(i) = at {
            if Combinator::of(graph.stm(i)).is_some() {
                return (seen_through, Some(i));
            }
            let Some(source) = views::source(graph.stm(i), |n| graph.type_of(n)) else { break };
            seen_through.push(i);
            at = graph.producer(source);
        }
        (seen_through, None)
    }

    /// Fuses a producer into a consumer if nothing is against it.
    fn fuse_producer(&mut self, graph: &mut Graph, p: usize, c: usize) {
        let (producer, consumer) = (graph.stm(p), graph.stm(c));
        let (Some(Combinator::Screma(made)), Some(taken)) =
            (Combinator::of(producer), Combinator::of(consumer))
        else {
            return;
        };
        let mapped: Vec<Name> = merge::mapped_results(producer).iter().map(|x| x.name).collect();
        let outputs: Vec<Name> = producer.pat.iter().map(|x| x.name).collect();
        let is_other = |n: &Name| outputs.contains(n) && !mapped.contains(n);
        if made.width != taken.width() || taken.arrays().iter().any(is_other) {
            return;
        }
        // Inputs that are views of what the producer made.
        let mut seen_through: Vec<usize> = vec![];
        for a in taken.arrays() {
            let (views, behind) = self.behind(graph, *a);
            if behind == Some(p) {
                seen_through.extend(views);
            }
        }
        seen_through.sort_unstable();
        seen_through.dedup();
        // What is scanned or reduced is known only when the producer is done, also where a view shows it.
        let source = |v: usize| views::source(graph.stm(v), |n| graph.type_of(n));
        if seen_through.iter().filter_map(|v| source(*v)).any(|n| is_other(&n)) {
            return;
        }
        // What vanishes must be used as an array that is read element by element, or looked at, and not otherwise.
        let hidden: Vec<Name> = seen_through
            .iter()
            .flat_map(|v| &graph.stm(*v).pat)
            .map(|x| x.name)
            .chain(outputs.clone())
            .collect();
        let otherwise = |i: usize, looked_at: Option<Name>| {
            hidden.iter().any(|n| Some(*n) != looked_at && graph.uses_apart(i, *n))
        };
        if otherwise(c, None) || seen_through.iter().any(|v| otherwise(*v, source(*v))) {
            return;
        }
        if graph.consumes_input_of(c, p) || graph.path_between(p, c, &seen_through) {
            return;
        }
        // Nearest to the consumer first, so that a view of a view is known to have no use left.
        seen_through.sort_unstable_by_key(|v| std::cmp::Reverse(graph.place(*v)));
        let mut gone = vec![c];
        for v in &seen_through {
            if graph.stm(*v).pat.iter().all(|x| !graph.is_used_besides(x.name, &gone)) {
                gone.push(*v);
            }
        }
        let kept: Vec<bool> = outputs.iter().map(|n| graph.is_used_besides(*n, &gone)).collect();
        if !merge::can_keep(consumer) && (!merge::is_map(producer) || kept.contains(&true)) {
            return;
        }
        self.put_together(graph, (p, c), &kept, &seen_through, &gone[1..]);
    }

    fn put_together(
        &mut self,
        graph: &mut Graph,
        (p, c): (usize, usize),
        kept: &[bool],
        seen_through: &[usize],
        gone: &[usize],
    ) {
        let Some((producer, mut consumer)) = graph.take(p, c) else { return };
        let made: FxHashMap<Name, Type> = producer.pat.iter().map(|x| (x.name, x.ty.clone())).collect();
        for v in seen_through {
            let type_of = |n| made.get(&n).cloned().or_else(|| graph.type_of(n));
            views::pull(self.names, &mut self.classes, graph.stm(*v), &mut consumer, type_of);
        }
        graph.share_uses(seen_through, c, &made);
        let fused = merge::vertical(self.names, &mut self.classes, producer, consumer, kept);
        graph.put(p, c, fused, gone);
    }

    /// Fuses another combinator that reads an input of this one; gives the place of both.
    fn fuse_neighbour(&mut self, graph: &mut Graph, c: usize) -> Option<usize> {
        if !graph.is_alive(c) {
            return None;
        }
        let in_order = |d: usize| if graph.place(d) < graph.place(c) { (d, c) } else { (c, d) };
        let fits = |d: usize| {
            let (first, second) = in_order(d);
            merge::can_be_neighbours(graph.stm(first), graph.stm(second))
        };
        let (first, second) = in_order(graph.first_untied(c, &graph.readers_of_inputs(c), fits)?);
        let (a, b) = graph.take(first, second)?;
        graph.put(first, second, merge::horizontal(&self.classes, a, b), &[]);
        Some(second)
    }
}
