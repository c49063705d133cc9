//! The documentation of values: the comments above their definitions, or above their specifications.

use crate::tast::{self, Program};
use fehu_base::{Name, SourceMap, Span, Symbol};
use fehu_syntax::ast::{Dec, Doc, ModTypeBind, ModTypeExp, Spec};
use fehu_syntax::visit::{each, Node};

impl Program {
    /// The documentation of a value, if it has any. Another name for a value, and what a parametric module gives,
    /// have that of the value; what a module type describes has that of its specification otherwise.
    pub fn documentation(&self, sources: &SourceMap, name: Name) -> Option<String> {
        // What a name stands for came before it, so this ends.
        let names: Vec<Name> = std::iter::successors(Some(name), |n| self.stands_for(*n)).collect();
        let defined = names.iter().find_map(|n| definition(&self.decs, *n)).map(|doc| doc.text.clone());
        defined.or_else(|| names.iter().find_map(|n| in_text(sources, *self.def_spans.get(n)?)))
    }

    /// What a name is another name for.
    fn stands_for(&self, name: Name) -> Option<Name> {
        self.decs.iter().find_map(|d| match d {
            tast::Dec::Alias(a) => (a.name == name).then_some(a.target),
            tast::Dec::Apply(a) => a.results.iter().find(|(n, _)| *n == name).map(|(_, of)| *of),
            tast::Dec::Val(_) | tast::Dec::TypeDef(..) | tast::Dec::Functor(_) => None,
        })
    }
}

fn definition(decs: &[tast::Dec], name: Name) -> Option<&Doc> {
    decs.iter().find_map(|d| match d {
        tast::Dec::Val(b) if b.name == name => b.doc.as_ref(),
        tast::Dec::Functor(f) => definition(&f.body, name),
        tast::Dec::Val(_) | tast::Dec::TypeDef(..) | tast::Dec::Alias(_) | tast::Dec::Apply(_) => None,
    })
}

/// The comment above what is bound at a place: specifications, and comments of the prelude, are in no typed tree.
/// A value without one has that of the module type that the comment of its module names: `S`@mtype.
fn in_text(sources: &SourceMap, place: Span) -> Option<String> {
    let parse = |file| Some(fehu_syntax::parse(file, &sources.get(file)?.text).prog.decs);
    let decs = parse(place.file)?;
    let (mut found, mut named, mut modules) = (None, None, vec![]);
    each(&decs, &mut |node| {
        let (doc, name, span) = if let Node::Spec(Spec::Val { doc, name, span, .. }) = node {
            (doc, name, span)
        } else if let Node::Dec(Dec::Val(b)) = node {
            (&b.doc, &b.name, &b.span)
        } else if let Node::Dec(Dec::Mod(b)) = node {
            modules.extend(Some(&**b).filter(|b| b.span.lo <= place.lo && place.hi <= b.span.hi));
            return;
        } else {
            return;
        };
        if [name.span, *span].contains(&place) {
            found = doc.as_ref().map(|d| d.text.clone());
            named = Some(name.name);
        }
    });
    let described = || {
        let comment = &modules.last()?.doc.as_ref()?.text;
        let of = Symbol::new(comment.split_once("`@mtype")?.0.rsplit('`').next()?);
        let all: Vec<Vec<Dec>> = sources.files().filter_map(|(file, _)| parse(file)).collect();
        let types: Vec<&ModTypeBind> = all.iter().flatten().filter_map(mod_type).collect();
        specification(&types, of, named?)
    };
    found.or_else(described)
}

fn mod_type(dec: &Dec) -> Option<&ModTypeBind> {
    match dec {
        Dec::ModType(b) => Some(b),
        Dec::Val(_) | Dec::Type(_) | Dec::Mod(_) | Dec::Open(..) | Dec::Import(..) | Dec::Local(..) => None,
    }
}

/// The comment above a value in a module type, or in one that it includes.
fn specification(types: &[&ModTypeBind], of: Symbol, value: Symbol) -> Option<String> {
    // A module type includes only earlier ones.
    let at = types.iter().rposition(|b| b.name.name == of)?;
    let ModTypeExp::Specs(specs, _) = &types[at].def else { return None };
    specs.iter().find_map(|spec| match spec {
        Spec::Val { doc, name, .. } if name.name == value => doc.as_ref().map(|d| d.text.clone()),
        Spec::Include(included, _) => match &**included {
            ModTypeExp::Var(q) => specification(&types[..at], q.name.name, value),
            ModTypeExp::Specs(..)
            | ModTypeExp::Parens(..)
            | ModTypeExp::With { .. }
            | ModTypeExp::Arrow { .. } => None,
        },
        Spec::Val { .. } | Spec::TypeAbbrev(_) | Spec::Type { .. } | Spec::Mod { .. } => None,
    })
}
