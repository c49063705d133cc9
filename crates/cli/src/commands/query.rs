//! `fehu query`.

use crate::report::{report, Format, Warnings};
use fehu_base::{FileId, Name, Span};
use fehu_check::show::{Show, Texts};
use fehu_check::tast::{Dec, Exp, ExpKind, Pat, PatKind, Program};
use fehu_check::types::Type;
use fehu_check::visit;
use fehu_tools::outln;
use std::path::PathBuf;
use std::process::ExitCode;

/// Options of `fehu query`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The program's main file.
    file: PathBuf,
    /// The line, from 1.
    line: usize,
    /// The column, from 1.
    col: usize,
}

/// Says what stands at a position: its name, its type, and where it was defined.
pub(crate) fn run(args: &Args) -> ExitCode {
    let front = fehu_driver::front::check_file(&args.file);
    let Some(program) = &front.program else {
        return report(&front, Warnings::Hidden, Format::Text);
    };
    let main = front.sources.files().find(|(_, f)| f.path == args.file);
    let Some((file, pos)) = main.and_then(|(id, f)| Some((id, f.position(args.line, args.col)?))) else {
        outln!("No such position.");
        return ExitCode::from(1);
    };
    let mut finder = Finder { file, pos, best: None };
    finder.program(program);
    match finder.best {
        Some((span, name, ty)) => {
            outln!("Name: {}", program.names.base(name));
            outln!("Position: {}", front.sources.show(span));
            let texts = Texts::default();
            let show = Show::plain(&program.names, &texts);
            outln!("Type: {}", show.ty(ty));
            for abbreviation in show.abbreviations_in(ty) {
                outln!("  {abbreviation}");
            }
            if let Some(def) = program.def_spans.get(&name) {
                outln!("Definition: {}", front.sources.show(*def));
            }
            ExitCode::SUCCESS
        }
        None => {
            outln!("No information available.");
            ExitCode::SUCCESS
        }
    }
}

struct Finder<'a> {
    file: FileId,
    pos: u32,
    /// The smallest named thing that covers the position.
    best: Option<(Span, Name, &'a Type)>,
}

impl<'a> Finder<'a> {
    fn covers(&self, span: Span) -> bool {
        span.file == self.file && span.lo <= self.pos && self.pos < span.hi
    }

    fn offer(&mut self, span: Span, name: Name, ty: &'a Type) {
        let smaller = self.best.is_none_or(|(s, _, _)| span.hi - span.lo <= s.hi - s.lo);
        if self.covers(span) && smaller {
            self.best = Some((span, name, ty));
        }
    }

    fn program(&mut self, program: &'a Program) {
        self.decs(&program.decs);
    }

    fn decs(&mut self, decs: &'a [Dec]) {
        for dec in decs {
            match dec {
                Dec::Val(b) => {
                    if self.covers(b.span) {
                        b.params.iter().for_each(|p| self.pat(p));
                        self.exp(&b.body);
                    }
                }
                Dec::Functor(f) => self.decs(&f.body),
                Dec::TypeDef(..) | Dec::Alias(_) | Dec::Apply(_) => {}
            }
        }
    }

    fn pat(&mut self, p: &'a Pat) {
        match &p.kind {
            PatKind::Var(name) => self.offer(p.span, *name, &p.ty),
            PatKind::Record(fs) => fs.iter().for_each(|(_, p)| self.pat(p)),
            PatKind::Constr(_, ps) => ps.iter().for_each(|p| self.pat(p)),
            PatKind::Attr(_, p) => self.pat(p),
            PatKind::Wildcard | PatKind::Literal(_) => {}
        }
    }

    fn exp(&mut self, e: &'a Exp) {
        if let ExpKind::Var(name, _) = &*e.kind {
            self.offer(e.span, *name, &e.ty);
        }
        visit::irrefutable_patterns(e, &mut |p| self.pat(p));
        if let ExpKind::Match(_, cases) = &*e.kind {
            cases.iter().for_each(|c| self.pat(&c.pat));
        }
        let mut inner = vec![];
        visit::children(e, &mut |c| inner.push(c));
        inner.into_iter().for_each(|c| self.exp(c));
    }
}
