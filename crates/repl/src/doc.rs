//! `:doc`: the type of a value, and the comment above its definition.

use crate::session::{wrong, Answer, Problem, Session};
use fehu_base::{FileId, Symbol};
use fehu_check::scope::{Env, Module, TermEntry, ValEntry};
use fehu_check::show::{is_operator, Abbreviations, Show, Texts};
use fehu_check::tast::Program;
use fehu_driver::front::{check_prelude, Front};
use fehu_syntax::ast::{Exp, ExpKind, QualName};

impl Session {
    /// What a value is for: its type and its documentation.
    pub(crate) fn documentation(&mut self, text: &str) -> Answer {
        let piece = self.piece(text);
        let (exp, errors) = fehu_syntax::parse_exp(FileId(0), text);
        if !errors.is_empty() {
            return wrong(&piece, errors);
        }
        let Some(name) = named(&exp) else {
            return Problem::message("write the name of a value, as in :doc map or :doc f64.sqrt");
        };
        let checked = match self.checked_value(piece) {
            Ok(checked) => checked,
            Err(problem) => {
                return match self.module_type(text) {
                    Answer::Text(content) => Answer::Text(format!("module {text} : {content}")),
                    Answer::Done | Answer::Continue | Answer::Quit | Answer::Problem(_) => problem,
                }
            }
        };
        // Of the prelude, only what a program needs is checked, and without its comments.
        let prelude = || {
            let front = check_prelude();
            shown(&front, |p| &p.prelude_env, name)
        };
        let found = shown(&checked.front, |p| &p.env, name).or_else(prelude);
        match found {
            Some(text) => Answer::Text(text),
            None => self.type_of(text, Abbreviations::Given),
        }
    }
}

/// The name that an expression is.
#[expect(clippy::wildcard_enum_match_arm, reason = "one of many is asked for")]
fn named(e: &Exp) -> Option<&QualName> {
    match &*e.kind {
        ExpKind::Var(q) => Some(q),
        ExpKind::Parens(e) => named(e),
        _ => None,
    }
}

fn shown(front: &Front, env: fn(&Program) -> &Env, q: &QualName) -> Option<String> {
    let program = front.program.as_ref()?;
    let value = value(env(program), q)?;
    let mut name: String = q.quals.iter().map(|m| format!("{}.", m.name)).collect();
    let last = q.name.name.as_str();
    name += &if is_operator(last) { format!("({last})") } else { last.to_owned() };
    let signature = Show::plain(&program.names, &Texts::default()).specification(&name, &value.scheme);
    let doc = program.documentation(&front.sources, value.name);
    Some(format!("{signature}\n\n{}", doc.as_deref().map_or("it has no documentation", str::trim)))
}

fn value<'a>(env: &'a Env, q: &QualName) -> Option<&'a ValEntry> {
    let inside = |env: &'a Env, name: Symbol| match env.terms.get(&name)? {
        TermEntry::Mod(m) => match &m.module {
            Module::Struct(env) => Some(&**env),
            Module::Functor(_) => None,
        },
        TermEntry::Val(_) => None,
    };
    let env = q.quals.iter().try_fold(env, |env, m| inside(env, m.name))?;
    match env.terms.get(&q.name.name)? {
        TermEntry::Val(v) => Some(v),
        TermEntry::Mod(_) => None,
    }
}
