//! Nests of which no kernel can run the version with one thread for each point have the flat version alone.
//!
//! Before: a program over `Soacs`, and the places of kernels that were refused: they would have to allocate
//! while they run. After: the same program, in which conditionals between versions ([`VERSIONS`]) with one of
//! these places in the first version are the second.
//!
//! ```text
//! #[versions] let xs = if c then {A return (ys)} else {B return (zs)}      =>      B let xs = zs
//! ```

use fehu_ir::build::plain;
use fehu_ir::seg::VERSIONS;
use fehu_ir::visit::{deep, for_each_stm, map_bodies};
use fehu_ir::{Attr, Basic, Body, Exp, Loc, Prog, Soacs, Stm};

/// Leaves out the first versions in which these places are. Says whether there were any.
pub fn only_flat(mut prog: Prog<Soacs>, refused: &[Loc]) -> (Prog<Soacs>, bool) {
    let mut found = host(&mut prog.consts, refused);
    for fun in &mut prog.funs {
        found |= host(&mut fun.body, refused);
    }
    (prog, found)
}

/// Code of the host.
fn host(body: &mut Body<Soacs>, refused: &[Loc]) -> bool {
    deep(|| {
        let mut found = false;
        let mut stms = vec![];
        for mut stm in std::mem::take(&mut body.stms) {
            if matches!(stm.exp, Exp::If(..) | Exp::Loop(_)) {
                map_bodies(&mut stm.exp, &mut |b| found |= host(b, refused));
            }
            match stm.exp {
                Exp::If(_, yes, no) if is_choice(&stm.attrs) && is_in(&yes, refused) => {
                    found = true;
                    stms.extend(no.stms);
                    for (p, e) in stm.pat.into_iter().zip(no.result) {
                        let bound = plain(p.name, p.ty, Exp::Basic(Basic::SubExp(e)));
                        stms.push(Stm { loc: stm.loc.clone(), certs: stm.certs.clone(), ..bound });
                    }
                }
                exp @ (Exp::Basic(_)
                | Exp::Call(..)
                | Exp::If(..)
                | Exp::Loop(_)
                | Exp::WithAcc(_)
                | Exp::Op(_)) => stms.push(Stm { exp, ..stm }),
            }
        }
        body.stms = stms;
        found
    })
}

fn is_choice(attrs: &[Attr]) -> bool {
    attrs.iter().any(|a| matches!(a, Attr::Atom(name) if name.as_str() == VERSIONS))
}

fn is_in(body: &Body<Soacs>, refused: &[Loc]) -> bool {
    let mut any = false;
    for_each_stm(body, &mut |s| any |= refused.contains(&s.loc));
    any
}
