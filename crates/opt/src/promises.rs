//! Removes checks that always hold, and stayed only for what they say of sizes.
//!
//! Before: any program over `Soacs`. After: the same without them, and without what has no use then, which
//! later steps would version. The simplifier knows less from then on; those who come later take a check
//! to be something that may fail.
//!
//! ```text
//! loop (n = 3, xs : [n]i32 = ys) for i < k {
//!   let (c : unit) = assert(true) sizes [n]          gone
//! ```

use crate::dce::{self, Checks};
use fehu_base::prim::PrimValue;
use fehu_base::Name;
use fehu_ir::visit::{deep, map_bodies};
use fehu_ir::{Basic, Body, Exp, Prog, Soacs, SubExp};
use fehu_pass::{Need, Pass};
use rustc_hash::FxHashMap;

/// Checks that always hold go.
pub static PASS: Pass<Prog<Soacs>> = Pass { name: "promises", need: Need::Optional, run: remove };

fn remove(prog: &mut Prog<Soacs>) {
    let mut gone = Gone::default();
    gone.body(&mut prog.consts);
    for fun in &mut prog.funs {
        gone.body(&mut fun.body);
        dce::fun(fun, Checks::Results);
    }
}

/// The checks that are gone, and the certificates that they depended on themselves.
#[derive(Default)]
struct Gone(FxHashMap<Name, Vec<Name>>);

impl Gone {
    fn body(&mut self, body: &mut Body<Soacs>) {
        deep(|| {
            body.stms.retain_mut(|stm| {
                if stm.certs.iter().any(|c| self.0.contains_key(c)) {
                    let certs = std::mem::take(&mut stm.certs);
                    for cert in certs {
                        match self.0.get(&cert) {
                            Some(before) => stm.certs.extend(before),
                            None => stm.certs.push(cert),
                        }
                    }
                }
                let holds = SubExp::Const(PrimValue::Bool(true));
                if let (Exp::Basic(Basic::Assert(c, ..)), [p]) = (&stm.exp, stm.pat.as_slice()) {
                    if *c == holds {
                        self.0.insert(p.name, std::mem::take(&mut stm.certs));
                        return false;
                    }
                }
                map_bodies(&mut stm.exp, &mut |b| self.body(b));
                true
            });
        });
    }
}
