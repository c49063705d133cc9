//! Declarations: the table from names to values, types and functors, and from
//! there the program.

use crate::code::{Emit, Res};
use crate::entry::entry;
use crate::lowerer::Lowerer;
use crate::value::{Alias, Binding, Env, Global, TypeBinding};
use crate::Options;
use fehu_base::{Diagnostic, Name};
use fehu_check::tast::{Dec, FunctorApply, Program};
use fehu_check::types::TParam;
use fehu_ir::{Prog, Soacs};
use std::rc::Rc;

/// Lowers all entry points, and with them whatever they need.
pub(crate) fn lower_program(program: &Program, options: &Options) -> Result<Prog<Soacs>, Vec<Diagnostic>> {
    let mut l = Lowerer::new(program, options);
    let mut errors = vec![];
    let mut entries = vec![];
    let asked = asked_for(program, options).map_err(|d| vec![*d])?;
    for dec in &program.decs {
        if let Err(e) = declare(&mut l, dec) {
            errors.push(*e);
        }
        if let Dec::Val(bind) = dec {
            if bind.entry.is_some() || asked.contains(&bind.name) {
                if let Some(Binding::Global(g)) = l.env.get(bind.name) {
                    entries.push(g.clone());
                }
            }
        }
    }
    for g in entries {
        if let Err(e) = entry(&mut l, &g) {
            errors.push(*e);
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut prog =
        Prog { consts: l.const_body, funs: l.funs, opaques: l.opaques.into_types(), names: l.code.b.names };
    fehu_ir::mark::mark(&mut prog);
    Ok(prog)
}

/// The functions to be entry points that are not declared so. Many may have the name, as members of modules
/// have too: the last one is the main file's.
fn asked_for(program: &Program, options: &Options) -> Res<Vec<Name>> {
    let mut asked = vec![];
    for wanted in &options.extra_entries {
        let mut last = None;
        for dec in &program.decs {
            let Dec::Val(bind) = dec else { continue };
            if bind.entry.as_ref().is_some_and(|e| e.name.as_str() == wanted) {
                last = None;
                break;
            }
            if program.names.base(bind.name).as_str() == wanted {
                last = Some(bind);
            }
        }
        let Some(bind) = last else { continue };
        if bind.tparams.iter().any(|p| matches!(p, TParam::Type(..))) {
            let message = format!("`{wanted}` is polymorphic, so it cannot be called from outside.");
            let help = "define another function that uses it at one type, and call that";
            return Err(Box::new(Diagnostic::error(bind.span, message).help(help)));
        }
        asked.push(bind.name);
    }
    Ok(asked)
}

/// Adds a declaration to the environment.
fn declare<'a>(cx: &mut Lowerer<'a>, dec: &'a Dec) -> Res<()> {
    match dec {
        Dec::Val(bind) => {
            let g = Global { bind, env: cx.env.clone(), id: cx.global_count };
            cx.global_count += 1;
            cx.env.insert(bind.name, Binding::Global(Rc::new(g)));
        }
        Dec::TypeDef(name, def) => {
            let env = cx.env.clone();
            cx.env.insert(*name, Binding::Type(TypeBinding::Def(def, env)));
        }
        Dec::Alias(alias) => {
            let env = cx.env.clone();
            cx.env.insert(alias.name, Binding::Alias(Rc::new(Alias { alias, env })));
        }
        Dec::Functor(f) => {
            let env = cx.env.clone();
            cx.env.insert(f.name, Binding::Functor(f, env));
        }
        Dec::Apply(apply) => functor_apply(cx, apply)?,
    }
    Ok(())
}

/// Evaluates a functor's body with its parameter bound, and keeps the results.
fn functor_apply<'a>(cx: &mut Lowerer<'a>, apply: &'a FunctorApply) -> Res<()> {
    let Some(Binding::Functor(functor, env)) = cx.env.get(apply.functor).cloned() else {
        fehu_base::bug!("functor {} is not in scope", cx.program.names.show(apply.functor))
    };
    let inner = bind_argument(cx, env, &apply.bind)?;
    let inner = cx.in_env(inner, |l| -> Res<Env<'a>> {
        for dec in &functor.body {
            declare(l, dec)?;
        }
        Ok(l.env.clone())
    })?;
    for (outer, name) in &apply.results {
        // A definition of the prelude that the program never mentions was not checked, and is not there.
        if let Some(b) = inner.get(*name) {
            cx.env.insert(*outer, b.clone());
        }
    }
    Ok(())
}

/// The functor's environment, extended by declarations that are evaluated in the current one.
fn bind_argument<'a>(cx: &mut Lowerer<'a>, mut env: Env<'a>, decs: &'a [Dec]) -> Res<Env<'a>> {
    cx.scoped(|l| {
        for dec in decs {
            declare(l, dec)?;
            let name = match dec {
                Dec::Val(b) => b.name,
                Dec::TypeDef(n, _) => *n,
                Dec::Alias(a) => a.name,
                Dec::Functor(f) => f.name,
                Dec::Apply(a) => {
                    for (outer, _) in &a.results {
                        if let Some(b) = l.env.get(*outer) {
                            env.insert(*outer, b.clone());
                        }
                    }
                    continue;
                }
            };
            if let Some(b) = l.env.get(name) {
                env.insert(name, b.clone());
            }
        }
        Ok(env)
    })
}
