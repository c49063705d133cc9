//! Names that could stand at the end of a line.

use crate::command;
use crate::session::{Last, Session};
use fehu_base::Symbol;
use fehu_check::scope::{Env, Module, TermEntry};

const KEYWORDS: [&str; 22] = [
    "assert", "case", "def", "do", "else", "entry", "false", "for", "if", "import", "in", "include", "let",
    "local", "loop", "match", "module", "open", "then", "true", "type", "while",
];

impl Session {
    /// How a line could go on: where its last name starts, and the names that begin like it.
    pub fn completions(&self, line: &str) -> (usize, Vec<String>) {
        if let Some(name) = line.strip_prefix(':').filter(|rest| !rest.contains(' ')) {
            return (1, command::names().filter(|n| n.starts_with(name)).map(str::to_owned).collect());
        }
        let named = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\'' | '.');
        let start =
            line.char_indices().rev().take_while(|(_, c)| named(*c)).last().map_or(line.len(), |(i, _)| i);
        let word = &line[start..];
        let (modules, last) = word.rsplit_once('.').map_or(("", word), |(m, l)| (m, l));
        let checked = self.check(Last::Nothing);
        let mut found: Vec<String> = vec![];
        for env in checked.program().map(|p| &p.env).into_iter().chain(self.prelude()) {
            let inner = modules.split('.').filter(|m| !m.is_empty()).try_fold(&**env, submodule);
            found.extend(inner.into_iter().flat_map(visible));
        }
        if modules.is_empty() {
            found.extend(KEYWORDS.iter().map(ToString::to_string));
        }
        found.retain(|name| name.starts_with(last));
        found.sort();
        found.dedup();
        (start + word.len() - last.len(), found)
    }
}

fn submodule<'a>(env: &'a Env, name: &str) -> Option<&'a Env> {
    match env.terms.get(&Symbol::new(name))? {
        TermEntry::Mod(m) => match &m.module {
            Module::Struct(env) => Some(env),
            Module::Functor(_) => None,
        },
        TermEntry::Val(_) => None,
    }
}

fn visible(env: &Env) -> impl Iterator<Item = String> + '_ {
    let plain = |name: &&Symbol| name.as_str().starts_with(|c: char| c.is_alphabetic() || c == '_');
    env.terms
        .keys()
        .chain(env.types.keys())
        .chain(env.mod_types.keys())
        .filter(plain)
        .map(ToString::to_string)
}
