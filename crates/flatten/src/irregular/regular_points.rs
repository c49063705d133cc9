//! How many points do what is irregular in a nest whose outer levels are regular.
//!
//! ```text
//! map (\t -> map (\x -> f32.sum (map (\k -> ...) (iota (size t x)))) xs) ts          as many as ts has times as many as xs has
//! ```
//!
//! One thread for each point can be one for each of these: the regular levels are flattened as those of any nest.

use super::functions::{is_irregular_inside, Functions};
use super::split::{function, width};
use crate::gpu::parallel::varying_in;
use fehu_base::Name;
use fehu_ir::free::bound_in_lambda;
use fehu_ir::soac::Screma;
use fehu_ir::visit::{deep, for_each_body};
use fehu_ir::{Body, Exp, Soacs, SubExp};
use rustc_hash::FxHashSet;

/// The widths, known before the nest, of the levels inside of its outermost one that are around everything irregular.
pub(super) fn regular_widths(functions: &Functions, s: &Screma<Soacs>) -> Vec<SubExp> {
    let varying = varying_in(&s.map);
    let bound = bound_in_lambda(&s.map).into_iter().collect();
    let mut levels = Levels { functions, varying, bound, around: vec![], common: None };
    levels.body(&s.map.body);
    levels.common.unwrap_or_default()
}

struct Levels<'a> {
    functions: &'a Functions,
    /// What differs from point to point.
    varying: FxHashSet<Name>,
    /// What is not there before the nest.
    bound: FxHashSet<Name>,
    /// The widths around the current statement.
    around: Vec<SubExp>,
    /// Those around all that is irregular so far.
    common: Option<Vec<SubExp>>,
}

impl Levels<'_> {
    fn body(&mut self, body: &Body<Soacs>) {
        for stm in &body.stms {
            let differs = |e: SubExp| e.name().is_some_and(|n| self.varying.contains(&n));
            if is_irregular_inside(self.functions, stm, &differs) {
                let common = self.common.get_or_insert_with(|| self.around.clone());
                let same = common.iter().zip(&self.around).take_while(|(a, b)| a == b).count();
                common.truncate(same);
                continue;
            }
            match &stm.exp {
                Exp::Op(inner) => {
                    let (Some(lambda), Some(width)) = (function(inner), width(inner)) else { continue };
                    let before = self.around.len();
                    self.around
                        .extend(Some(width).filter(|w| w.name().is_none_or(|n| !self.bound.contains(&n))));
                    deep(|| self.body(&lambda.body));
                    self.around.truncate(before);
                }
                Exp::If(..) | Exp::Loop(_) => for_each_body(&stm.exp, &mut |b| deep(|| self.body(b))),
                Exp::Basic(_) | Exp::Call(..) | Exp::WithAcc(_) => {}
            }
        }
    }
}
