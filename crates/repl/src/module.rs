//! `:mtype`: what is in a module.

use crate::session::{wrong, Answer, Last, Session};
use fehu_base::{FileId, NameSource, Symbol};
use fehu_check::scope::{Env, Module, TermEntry};
use fehu_check::show::{is_operator, lift_mark, Show, Texts};
use fehu_check::types::Type;

/// The name of the module; no program has it.
const MODULE: &str = "fehu_repl_module";

impl Session {
    /// The content of a module, as a module type.
    pub(crate) fn module_type(&mut self, text: &str) -> Answer {
        let piece = self.piece(text);
        let before = format!("module {MODULE} = ");
        let parsed = fehu_syntax::parse(FileId(0), &format!("{before}{text}"));
        if !parsed.errors.is_empty() {
            let shift = before.len() as u32;
            let errors = parsed.errors.into_iter().map(|mut d| {
                d.span.lo = d.span.lo.saturating_sub(shift);
                d.span.hi = d.span.hi.saturating_sub(shift);
                d.related.clear();
                d
            });
            return wrong(&piece, errors.collect());
        }
        let checked = match self.refused(self.check(Last::After(&before, &piece))) {
            Ok(checked) => checked,
            Err(problem) => return problem,
        };
        let entry = checked.program().and_then(|p| Some((p, p.env.terms.get(&Symbol::new(MODULE))?)));
        match entry {
            Some((program, TermEntry::Mod(m))) => Answer::Text(module(&program.names, &m.module, 0)),
            Some((_, TermEntry::Val(_))) | None => Answer::Done,
        }
    }
}

fn module(names: &NameSource, m: &Module, indent: usize) -> String {
    match m {
        Module::Struct(env) => structure(names, env, indent),
        Module::Functor(f) => {
            let (param, result) = (module(names, &f.param, indent), module(names, &f.result, indent));
            format!("{param} -> {result}")
        }
    }
}

fn structure(names: &NameSource, env: &Env, indent: usize) -> String {
    let inside = Texts::inside(&env.types);
    let mut lines = vec![];
    for (name, entry) in &env.types {
        let texts = inside.clone();
        let show = Show::plain(names, &texts);
        let params: String = entry.def.tparams.iter().map(|p| format!(" {}", show.tparam(*p))).collect();
        let head = format!("type{} {name}{params}", lift_mark(entry.def.lifted));
        // An abstract type stands for itself.
        let own = matches!(&entry.def.def.ty, Type::Var(_, n, _) if *n == entry.name);
        lines.push(if own { head } else { format!("{head} = {}", show.ret(&entry.def.def)) });
    }
    for (name, entry) in &env.terms {
        lines.push(match entry {
            TermEntry::Val(value) => {
                let name = if is_operator(name.as_str()) { format!("({name})") } else { name.to_string() };
                format!("val {}", Show::plain(names, &inside.clone()).specification(&name, &value.scheme))
            }
            TermEntry::Mod(m) => format!("module {name} : {}", module(names, &m.module, indent + 2)),
        });
    }
    lines.extend(env.mod_types.keys().map(|name| format!("module type {name}")));
    if lines.is_empty() {
        return "{}".to_owned();
    }
    let space = " ".repeat(indent);
    let lines: String = lines.iter().map(|l| format!("{space}  {l}\n")).collect();
    format!("{{\n{lines}{space}}}")
}
