//! Documentation: from checked files to pages for browsers.
//!
//! In: [`Input`]s, the files of a library with their trees and what they declare. Out: a [`Site`]: a page for
//! each file, a view of its source, an index of all names that can be searched, and one stylesheet.
//!
//! ```text
//! -- | The sum of a and b.             <section id="term-add"> val add : i32 -> i32 -> i32
//! def add (a: i32) (b: i32) = a + b    ->   <p>The sum of a and b.</p> </section>
//! ```
//!
//! `names` gives every declaration an address; `page` writes a file's page; `markdown` the comments, in which
//! `` `name`@term `` is a link; `html` knows what a page looks like.

#![forbid(unsafe_code)]

mod html;
mod markdown;
mod names;
mod page;

use fehu_base::NameSource;
use fehu_check::scope::Env;
use fehu_syntax::ast::Prog;
use names::Names;
use std::sync::Arc;

/// A file to document.
pub struct Input {
    /// Its path below the library's folder, without `.fut`.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Its tree.
    pub prog: Prog,
    /// What it declares.
    pub env: Arc<Env>,
    /// The texts of the names in types.
    pub names: NameSource,
}

/// A file to write.
#[derive(Debug)]
pub struct Page {
    /// Its path below the output folder.
    pub path: String,
    /// Its content.
    pub content: String,
}

/// What to write, and what is odd.
#[derive(Debug)]
pub struct Site {
    /// All files.
    pub pages: Vec<Page>,
    /// Links in comments that lead nowhere.
    pub warnings: Vec<String>,
    /// Program text in comments, for whoever can check it.
    pub examples: Vec<Example>,
}

/// Program text in a comment: what stands between fences that name Futhark.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Example {
    /// The file, as in [`Input::name`].
    pub file: String,
    /// The line in which the comment begins.
    pub line: usize,
    /// The text: declarations or an expression, in the scope of somebody who imports the file.
    pub text: String,
}

/// Whether a file wants no documentation: its comment is the word "ignore".
pub fn is_ignored(prog: &Prog) -> bool {
    prog.doc.as_ref().is_some_and(|d| d.text.trim() == "ignore")
}

/// The documentation of some files, under a title.
pub fn site(title: &str, inputs: &[Input]) -> Site {
    let names = Names::of(inputs);
    let mut site = Site { pages: vec![], warnings: vec![], examples: vec![] };
    for input in inputs {
        let written = page::page(title, input, &names);
        site.pages.push(Page { path: format!("doc/{}.html", input.name), content: written.content });
        site.pages
            .push(Page { path: format!("src/{}.html", input.name), content: html::source(title, input) });
        site.warnings.extend(written.warnings);
        site.examples.extend(written.examples);
    }
    site.pages.push(Page { path: "index.html".into(), content: html::overview(title, inputs, &names) });
    site.pages.push(Page { path: "names.html".into(), content: html::index(title, &names) });
    site.pages.push(Page { path: "style.css".into(), content: include_str!("style.css").into() });
    site
}
