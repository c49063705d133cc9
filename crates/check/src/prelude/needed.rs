//! The part of the prelude that a program can come to use.
//!
//! Most programs use little of the prelude, and all of it is checked by our
//! own tests. Nothing can refer to a declaration without writing its name. So a
//! declaration whose name stands nowhere in the program's words, nor in those
//! of a declaration that is needed, is not even parsed:
//!
//! ```text
//! program:  def f (xs: []f32) = f32.sum xs      -- mentions f, xs, f32, f32.sum
//! needed:   module f32 = { type t = f32  def sum ... }, which mentions intrinsics.reduce
//! ```
//!
//! A module that the program passes on as a whole (`module m = mk f32`) is
//! parsed as a whole, since its members may be reached by other ways. Those of
//! its members whose names are not mentioned are then taken at their word: see
//! [`crate::modules::needed`].
//!
//! A program in which there is a mistake is checked again with all of the
//! prelude, so messages do not depend on any of this.

use super::items::{self, Item, Kind};
use super::mentions::{self, Mention};
use super::prelude_sources;
use crate::modules::needed::Needed;
use fehu_base::{FileId, Symbol};
use fehu_syntax::{ast, Token};
use rustc_hash::{FxHashMap, FxHashSet};

/// Parses what is needed of the prelude, whose texts are these files, by a program of these trees and words.
pub fn parse_needed(files: &[FileId], program: &[(&ast::Prog, &str, &[Token])]) -> (Vec<ast::Prog>, Needed) {
    let mut search = Search::new(files);
    for (prog, text, words) in program {
        let mut whole = vec![];
        whole_modules(&prog.decs, &mut whole);
        for m in whole {
            search.need_whole(m.as_str());
        }
        search.mentions(text, words, None);
    }
    search.run();
    let names = search.names.iter().map(|s| Symbol::new(s)).collect();
    let parse = |(file, (_, text)): (usize, &(_, &'static str))| {
        fehu_syntax::parse_words(files[file], text, search.words(file)).prog
    };
    (prelude_sources().iter().enumerate().map(parse).collect(), Needed::Names(names))
}

/// Parses all of the prelude.
pub fn parse_all(files: &[FileId]) -> (Vec<ast::Prog>, Needed) {
    let progs =
        files.iter().zip(prelude_sources()).map(|(file, (_, text))| fehu_syntax::parse(*file, text).prog);
    (progs.collect(), Needed::All)
}

/// The modules that module expressions name.
fn whole_modules(decs: &[ast::Dec], out: &mut Vec<Symbol>) {
    for dec in decs {
        match dec {
            ast::Dec::Mod(b) => in_module(&b.body, out),
            ast::Dec::Open(m, _) => in_module(m, out),
            ast::Dec::Local(d, _) => whole_modules(std::slice::from_ref(d), out),
            ast::Dec::Val(_) | ast::Dec::Type(_) | ast::Dec::ModType(_) | ast::Dec::Import(..) => {}
        }
    }
}

fn in_module(m: &ast::ModExp, out: &mut Vec<Symbol>) {
    match m {
        ast::ModExp::Var(q) => out.push(q.name.name),
        ast::ModExp::Decs(decs, _) => whole_modules(decs, out),
        ast::ModExp::Parens(m, _) | ast::ModExp::Ascript(m, _, _) | ast::ModExp::Lambda(_, _, m, _) => {
            in_module(m, out);
        }
        ast::ModExp::Apply(f, a, _) => {
            in_module(f, out);
            in_module(a, out);
        }
        ast::ModExp::Import(..) => {}
    }
}

/// A declaration of the prelude, and whether it is needed.
struct Node {
    file: usize,
    /// The module it is a member of.
    owner: Option<usize>,
    item: Item,
    /// Its words, once it is to be parsed; of a module, those around its members.
    words: Option<Vec<Token>>,
    /// Whether what it mentions is needed too.
    needed: bool,
}

/// A module of the prelude.
struct Structure {
    /// The module itself among the nodes.
    node: usize,
    /// Its members; none before it is needed.
    members: Vec<usize>,
    by_name: FxHashMap<&'static str, usize>,
    /// Whether whatever is mentioned anywhere may be meant in it.
    opened: bool,
}

struct Search<'t> {
    files: &'t [FileId],
    nodes: Vec<Node>,
    /// The nodes at the top level of each file.
    top: Vec<Vec<usize>>,
    /// Values and module types at top level.
    by_name: FxHashMap<&'static str, usize>,
    modules: Vec<Structure>,
    module_names: FxHashMap<&'static str, usize>,
    opened: Vec<usize>,
    /// All names that are mentioned.
    names: FxHashSet<&'t str>,
    /// What is needed and was not looked at yet.
    work: Vec<usize>,
}

impl<'t> Search<'t> {
    fn new(files: &'t [FileId]) -> Search<'t> {
        let mut search = Search {
            files,
            nodes: vec![],
            top: vec![],
            by_name: FxHashMap::default(),
            modules: vec![],
            module_names: FxHashMap::default(),
            opened: vec![],
            names: FxHashSet::default(),
            work: vec![],
        };
        for (file, (_, text)) in prelude_sources().iter().enumerate() {
            let mut top = vec![];
            for item in items::of_file(text) {
                let node = search.nodes.len();
                let (kind, name) = (item.kind, item.name);
                search.nodes.push(Node { file, owner: None, item, words: None, needed: false });
                top.push(node);
                match kind {
                    Kind::Import | Kind::Type | Kind::Alias => search.need(node),
                    Kind::Value => drop(search.by_name.insert(name, node)),
                    // The first file declares the module of intrinsics as a module type.
                    Kind::ModuleType if file > 0 => drop(search.by_name.insert(name, node)),
                    Kind::Module | Kind::ModuleType => {
                        search.module_names.insert(name, search.modules.len());
                        let (members, by_name) = (vec![], FxHashMap::default());
                        search.modules.push(Structure { node, members, by_name, opened: false });
                    }
                }
            }
            search.top.push(top);
        }
        search.module("intrinsics");
        search
    }

    /// Looks at everything that is needed, and what that needs.
    fn run(&mut self) {
        while let Some(node) = self.work.pop() {
            let Node { file, owner, ref item, ref words, .. } = self.nodes[node];
            let words = words.clone().unwrap_or_default();
            let text = prelude_sources()[file].1;
            match item.kind {
                Kind::Value => self.mentions(text, &words, owner),
                // Of what it specifies nothing is needed, only the module types that it includes.
                Kind::ModuleType => mentions::each(text, &words, |m| match m {
                    Mention::Plain(name) => self.module_type(name),
                    Mention::In(..) | Mention::Opened(_) => {}
                }),
                Kind::Alias => mentions::each(text, &words, |m| match m {
                    Mention::Plain(name) => self.open(name),
                    Mention::In(..) | Mention::Opened(_) => {}
                }),
                Kind::Import | Kind::Type | Kind::Module => {}
            }
        }
    }

    /// Takes note of all names in some words, which are those of a member of a module.
    fn mentions(&mut self, text: &'t str, words: &[Token], owner: Option<usize>) {
        mentions::each(text, words, |m| match m {
            Mention::Plain(name) => {
                self.name(name);
                let top = self.by_name.get(name).copied();
                let sibling = owner.and_then(|m| self.modules[m].by_name.get(name).copied());
                top.into_iter().chain(sibling).for_each(|node| self.need(node));
            }
            Mention::In(module, name) => {
                self.name(name);
                let found = match self.module(module) {
                    Some(m) => self.modules[m].by_name.get(name),
                    None => self.by_name.get(name),
                };
                if let Some(&node) = found {
                    self.need(node);
                }
            }
            Mention::Opened(module) => self.open(module),
        });
    }

    fn module_type(&mut self, name: &str) {
        if let Some(&node) = self.by_name.get(name) {
            if self.nodes[node].item.kind == Kind::ModuleType {
                self.need(node);
            }
        }
    }

    /// A name that stands anywhere.
    fn name(&mut self, name: &'t str) {
        if self.names.insert(name) {
            for i in 0..self.opened.len() {
                if let Some(&node) = self.modules[self.opened[i]].by_name.get(name) {
                    self.need(node);
                }
            }
        }
    }

    /// In this module, everything that is mentioned anywhere may be meant.
    fn open(&mut self, name: &str) {
        let Some(m) = self.module(name) else { return };
        if std::mem::replace(&mut self.modules[m].opened, true) {
            return;
        }
        self.opened.push(m);
        for i in 0..self.modules[m].members.len() {
            let node = self.modules[m].members[i];
            if self.names.contains(self.nodes[node].item.name) {
                self.need(node);
            }
        }
    }

    /// All of this module is parsed.
    fn need_whole(&mut self, name: &str) {
        self.open(name);
        let Some(m) = self.module(name) else { return };
        for i in 0..self.modules[m].members.len() {
            let node = self.modules[m].members[i];
            match self.nodes[node].item.kind {
                Kind::Alias => self.need(node),
                Kind::Import | Kind::Value | Kind::Type | Kind::Module | Kind::ModuleType => self.read(node),
            }
        }
    }

    /// The module of this name, if the prelude has one; it is needed.
    fn module(&mut self, name: &str) -> Option<usize> {
        let m = *self.module_names.get(name)?;
        let at = self.modules[m].node;
        if self.nodes[at].words.is_some() {
            return Some(m);
        }
        let Node { file, ref item, .. } = self.nodes[at];
        let text = prelude_sources()[file].1;
        let (head, members, tail) = items::members(text, item);
        let mut words = fehu_syntax::words(self.files[file], text, head);
        words.extend(fehu_syntax::words(self.files[file], text, tail));
        self.nodes[at].words = Some(words);
        for item in members {
            let (node, kind) = (self.nodes.len(), item.kind);
            self.modules[m].by_name.insert(item.name, node);
            self.modules[m].members.push(node);
            self.nodes.push(Node { file, owner: Some(m), item, words: None, needed: false });
            if kind == Kind::Type {
                self.read(node);
            }
        }
        Some(m)
    }

    fn need(&mut self, node: usize) {
        if !std::mem::replace(&mut self.nodes[node].needed, true) {
            self.read(node);
            self.work.push(node);
        }
    }

    fn read(&mut self, node: usize) {
        let node = &mut self.nodes[node];
        let (file, text) = (self.files[node.file], prelude_sources()[node.file].1);
        let part = node.item.part.clone();
        node.words.get_or_insert_with(|| fehu_syntax::words(file, text, part));
    }

    /// The words of a file's declarations that are needed.
    fn words(&self, file: usize) -> Vec<Token> {
        let mut out = vec![];
        for &at in &self.top[file] {
            let node = &self.nodes[at];
            let Some(words) = &node.words else { continue };
            match self.module_names.get(node.item.name).map(|m| &self.modules[*m]) {
                Some(m) if m.node == at => {
                    let (head, tail) = words.split_at(words.len() - 1);
                    out.extend_from_slice(head);
                    m.members
                        .iter()
                        .filter_map(|n| self.nodes[*n].words.as_ref())
                        .for_each(|w| out.extend(w));
                    out.extend_from_slice(tail);
                }
                _ => out.extend(words),
            }
        }
        out
    }
}
