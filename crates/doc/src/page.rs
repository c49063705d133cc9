//! The page of a file: its comment, and each declaration with its type and its comment.

use crate::html::{code, escape, first_sentence, items, root, Frame, Item};
use crate::markdown::{examples, render, Reference};
use crate::names::{anchor, Address, Names, Space};
use crate::{Example, Input};
use fehu_base::{Span, Symbol};
use fehu_check::scope::{Env, Module, TermEntry};
use fehu_check::show::{is_operator, Show, Texts};
use fehu_syntax::ast::{Dec, Doc, Ident, ModBind, ModExp, ModTypeExp, Spec, ValKeyword};
use std::fmt::Write;

/// A page, what is odd about its links, and the examples on it.
pub(crate) struct Written {
    pub(crate) content: String,
    pub(crate) warnings: Vec<String>,
    pub(crate) examples: Vec<Example>,
}

/// The page of a file.
pub(crate) fn page(site: &str, input: &Input, names: &Names) -> Written {
    let path = format!("doc/{}.html", input.name);
    let (root, out) = (root(&path), String::new());
    let mut writer = Writer { input, names, root, out, items: vec![], warnings: vec![], examples: vec![] };
    if let Some(doc) = &input.prog.doc {
        writer.doc(doc, "");
    }
    writer.decs(&input.prog.decs, "", Some(&input.env));
    let aside = items(&writer.items);
    let content = Frame { site, path: &path, title: &input.name, aside: &aside, body: &writer.out }.html();
    Written { content, warnings: writer.warnings, examples: writer.examples }
}

struct Writer<'a> {
    input: &'a Input,
    names: &'a Names,
    /// The way to the root of the site.
    root: String,
    out: String,
    /// What is declared on the page, in order.
    items: Vec<Item>,
    warnings: Vec<String>,
    examples: Vec<Example>,
}

impl<'a> Writer<'a> {
    fn decs(&mut self, decs: &'a [Dec], module: &str, env: Option<&'a Env>) {
        for dec in decs {
            match dec {
                Dec::Val(b) => {
                    let text = match value_type(self.input, env, b.name) {
                        Some(t) => format!("{} {}{t}", keyword(b.keyword), shown(b.name.name.as_str())),
                        None => self.head(b.span, b.body.span),
                    };
                    self.section(Space::Term, module, b.name, b.span, &text, b.doc.as_ref());
                    self.out.push_str("</section>\n");
                }
                Dec::Type(b) => {
                    let text = self.text(bare(b.span, &b.attrs));
                    self.section(Space::Type, module, b.name, b.span, &text, b.doc.as_ref());
                    self.out.push_str("</section>\n");
                }
                Dec::Mod(b) => self.module(b, module, env),
                Dec::ModType(b) => {
                    let text = match &b.def {
                        ModTypeExp::Specs(..) => format!("module type {}", b.name.name),
                        ModTypeExp::Var(_)
                        | ModTypeExp::Parens(..)
                        | ModTypeExp::With { .. }
                        | ModTypeExp::Arrow { .. } => self.text(bare(b.span, &b.attrs)),
                    };
                    self.section(Space::ModType, module, b.name, b.span, &text, b.doc.as_ref());
                    if let ModTypeExp::Specs(specs, _) = &b.def {
                        self.specs(specs, &inner(module, b.name));
                    }
                    self.out.push_str("</section>\n");
                }
                Dec::Open(m, span) => self.open(m, *span, module),
                Dec::Import(_, span) => self.import(*span),
                Dec::Local(..) => {}
            }
        }
    }

    fn module(&mut self, b: &'a ModBind, module: &str, env: Option<&'a Env>) {
        let text = match (&b.sig, &b.body) {
            (None, ModExp::Decs(..)) => self.head(b.span, b.body.span()),
            (Some(ModTypeExp::Specs(..)), _) => format!("module {}", b.name.name),
            (Some(_), _) => self.head(b.span, b.body.span()),
            (None, _) => self.text(bare(b.span, &b.attrs)),
        };
        self.section(Space::Term, module, b.name, b.span, text.trim_end_matches(['=', ' ']), b.doc.as_ref());
        let within = inner(module, b.name);
        match (&b.sig, &b.body) {
            (Some(ModTypeExp::Specs(specs, _)), _) => self.specs(specs, &within),
            (None, ModExp::Decs(decs, _)) => {
                let entry = env.and_then(|e| e.terms.get(&b.name.name));
                let env = match entry {
                    Some(TermEntry::Mod(m)) => match &m.module {
                        Module::Struct(env) => Some(&**env),
                        Module::Functor(_) => None,
                    },
                    Some(TermEntry::Val(_)) | None => None,
                };
                self.decs(decs, &within, env);
            }
            _ => {}
        }
        self.out.push_str("</section>\n");
    }

    fn specs(&mut self, specs: &'a [Spec], module: &str) {
        for spec in specs {
            match spec {
                Spec::Val { doc, attrs, name, span, .. } => {
                    let text = self.text(bare(*span, attrs));
                    self.section(Space::Term, module, *name, *span, &text, doc.as_ref());
                }
                Spec::TypeAbbrev(b) => {
                    let text = self.text(bare(b.span, &b.attrs));
                    self.section(Space::Type, module, b.name, b.span, &text, b.doc.as_ref());
                }
                Spec::Type { doc, attrs, name, span, .. } => {
                    let text = self.text(bare(*span, attrs));
                    self.section(Space::Type, module, *name, *span, &text, doc.as_ref());
                }
                Spec::Mod { doc, name, sig, span, .. } => {
                    let specs = match sig {
                        ModTypeExp::Specs(specs, _) => Some(specs),
                        ModTypeExp::Var(_)
                        | ModTypeExp::Parens(..)
                        | ModTypeExp::With { .. }
                        | ModTypeExp::Arrow { .. } => None,
                    };
                    let text = match specs {
                        Some(_) => format!("module {}", name.name),
                        None => self.text(*span),
                    };
                    self.section(Space::Term, module, *name, *span, &text, doc.as_ref());
                    self.specs(specs.map_or(&[], |s| s), &inner(module, *name));
                }
                Spec::Include(_, span) => {
                    let text = self.text(*span);
                    let shown = self.linked(&text, None, module);
                    let _ = writeln!(self.out, "<section>\n<p class=\"sig\">{shown}</p>");
                }
            }
            self.out.push_str("</section>\n");
        }
    }

    fn open(&mut self, m: &'a ModExp, span: Span, module: &str) {
        match m {
            ModExp::Import(_, span) => self.import(*span),
            ModExp::Var(_)
            | ModExp::Parens(..)
            | ModExp::Decs(..)
            | ModExp::Apply(..)
            | ModExp::Ascript(..)
            | ModExp::Lambda(..) => {
                let text = self.text(span);
                let shown = self.linked(&text, None, module);
                let _ = writeln!(self.out, "<section>\n<p class=\"sig\">{shown}</p>\n</section>");
            }
        }
    }

    /// An import links to the other file, if that has a page.
    fn import(&mut self, span: Span) {
        let text = self.text(span);
        let target = text.split('"').nth(1).map(|path| join(&self.input.name, path));
        let known = target.filter(|t| self.names.all().any(|a| a.file == *t));
        let shown = match known {
            Some(file) => {
                format!("<a href=\"{}doc/{}.html\">{}</a>", self.root, escape(&file), escape(&text))
            }
            None => escape(&text),
        };
        let _ = writeln!(self.out, "<section>\n<p class=\"sig\">{shown}</p>\n</section>");
    }

    /// Opens the section of a declaration.
    fn section(
        &mut self,
        space: Space,
        module: &str,
        name: Ident,
        span: Span,
        text: &str,
        doc: Option<&Doc>,
    ) {
        let full = inner(module, name);
        let line = self.line(span);
        let source = format!("{}src/{}.html#L{line}", self.root, escape(&self.input.name));
        let signature = self.linked(text, Some(name.name.as_str()), module);
        self.items.push(Item {
            kind: kind(space, text),
            name: shown(name.name.as_str()),
            anchor: anchor(space, &full),
            depth: if module.is_empty() { 0 } else { module.split('.').count() },
            about: doc.map_or(String::new(), |doc| first_sentence(&doc.text)),
        });
        let _ = writeln!(
            self.out,
            "<section id=\"{}\">\n<p class=\"sig\"><a class=\"src\" href=\"{source}\">source</a>{signature}</p>",
            escape(&anchor(space, &full)),
        );
        if let Some(doc) = doc {
            self.doc(doc, module);
        }
    }

    /// Program text whose types and modules are links.
    fn linked(&self, text: &str, declared: Option<&str>, module: &str) -> String {
        code(text, declared, |word| {
            let find = |space| self.names.find(&self.input.name, module, space, word);
            find(Space::Type).or_else(|| find(Space::ModType)).map(|a| self.url(&a))
        })
    }

    fn url(&self, address: &Address) -> String {
        format!("{}{}", self.root, address.url())
    }

    fn doc(&mut self, doc: &Doc, module: &str) {
        let mut missing = vec![];
        let rendered = render(&doc.text, |r: &Reference<'_>| {
            let file = r.file.map_or(self.input.name.clone(), |f| join(&self.input.name, f));
            let module = if r.file.is_some() { "" } else { module };
            let found = Space::of_word(r.space).and_then(|s| self.names.find(&file, module, s, r.name));
            if found.is_none() {
                missing.push(format!("{}.fut: `{}`@{} leads nowhere", self.input.name, r.name, r.space));
            }
            found.map(|a| self.url(&a))
        });
        self.warnings.append(&mut missing);
        let (file, line) = (self.input.name.clone(), self.line(doc.span));
        self.examples.extend(examples(&doc.text).into_iter().map(|text| Example {
            file: file.clone(),
            line,
            text,
        }));
        let _ = writeln!(self.out, "<div class=\"doc\">\n{rendered}</div>");
    }

    /// The line in which a span begins.
    fn line(&self, span: Span) -> usize {
        self.input.text.get(..span.lo as usize).map_or(0, |t| t.matches('\n').count()) + 1
    }

    /// The source of a span.
    fn text(&self, span: Span) -> String {
        self.input.text.get(span.lo as usize..span.hi as usize).unwrap_or("").to_owned()
    }

    /// The source before a body.
    fn head(&self, span: Span, body: Span) -> String {
        self.text(Span { hi: body.lo, ..span }).trim_end().trim_end_matches('=').trim_end().to_owned()
    }
}

/// The type of a value, with its parameters before the colon.
fn value_type(input: &Input, env: Option<&Env>, name: Ident) -> Option<String> {
    let TermEntry::Val(value) = env?.terms.get(&Symbol::new(name.name.as_str()))? else { return None };
    Some(Show::plain(&input.names, &Texts::inside(&env?.types)).specification("", &value.scheme))
}

fn keyword(keyword: ValKeyword) -> &'static str {
    match keyword {
        ValKeyword::Def | ValKeyword::Let => "val",
        ValKeyword::Entry => "entry",
    }
}

/// The heading under which a declaration is listed.
fn kind(space: Space, text: &str) -> &'static str {
    match space {
        Space::ModType => "Module types",
        Space::Type => "Types",
        Space::Term if text.starts_with("module") => "Modules",
        Space::Term if text.starts_with("entry") => "Entry points",
        Space::Term => "Values",
    }
}

fn shown(name: &str) -> String {
    if is_operator(name) {
        format!("({name})")
    } else {
        name.to_owned()
    }
}

/// A declaration without its attributes.
fn bare(span: Span, attrs: &[fehu_syntax::ast::Attr]) -> Span {
    use fehu_syntax::ast::Attr;
    let end = |a: &Attr| match a {
        Attr::Atom(x) => x.span.hi,
        Attr::Int(_, s) | Attr::Comp(_, _, s) => s.hi,
    };
    // Behind the last attribute stand its bracket and space.
    attrs.last().map_or(span, |a| Span { lo: end(a) + 1, ..span })
}

fn inner(module: &str, name: Ident) -> String {
    if module.is_empty() {
        name.name.to_string()
    } else {
        format!("{module}.{}", name.name)
    }
}

/// The file that an import in another file means.
fn join(from: &str, path: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}
