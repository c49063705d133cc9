//! Marks parameters of loops and lambdas that their body consumes.
//!
//! Before: any valid program, in which a body may update an array that came in
//! as a parameter without the parameter saying so. After: every such parameter
//! is marked consumed.
//!
//! ```text
//! loop (a : [n]i32 = x) for i < n {               loop (*a : [n]i32 = x) for i < n {
//!   let (b : [n]i32) = a with [i] = 0i32    =>      let (b : [n]i32) = a with [i] = 0i32
//!   return (b)                                      return (b)
//! }                                               }
//! ```

use crate::alias::{Aliases, Signatures};
use crate::consume::consumed_by_body;
use crate::rep::Rep;
use crate::syntax::{Exp, Lambda, Prog};
use crate::visit::{change, Mutator};

/// Marks consumed parameters.
pub fn mark<R: Rep>(prog: &mut Prog<R>) {
    let signatures = Signatures::of_prog(prog);
    let aliases = Aliases::of_body(&signatures, &prog.consts);
    Marker { signatures: &signatures, aliases }.body(&mut prog.consts);
    for fun in &mut prog.funs {
        let aliases = Aliases::of_fun(&signatures, fun);
        Marker { signatures: &signatures, aliases }.body(&mut fun.body);
    }
}

struct Marker<'a> {
    signatures: &'a Signatures,
    aliases: Aliases,
}

impl<R: Rep> Mutator<R> for Marker<'_> {
    fn lambda(&mut self, lambda: &mut Lambda<R>) {
        change::lambda(self, lambda);
        if lambda.params.iter().any(|p| p.ty.is_array() && !p.consumed) {
            let consumed = consumed_by_body(self.signatures, &self.aliases, &lambda.body);
            for p in &mut lambda.params {
                p.consumed |= p.ty.is_array() && consumed.contains(&p.name);
            }
        }
    }

    fn exp(&mut self, exp: &mut Exp<R>) {
        change::exp(self, exp);
        if let Exp::Loop(l) = exp {
            if l.params.iter().any(|(p, _)| p.ty.is_array() && !p.consumed) {
                let consumed = consumed_by_body(self.signatures, &self.aliases, &l.body);
                for (p, _) in &mut l.params {
                    p.consumed |= p.ty.is_array() && consumed.contains(&p.name);
                }
            }
        }
    }
}
