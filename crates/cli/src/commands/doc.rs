//! `fehu doc`.

use crate::report::show_all;
use fehu_base::diagnostic::Colour;
use fehu_base::{FileId, Severity};
use fehu_doc::{Example, Input};
use fehu_driver::files::Batch;
use fehu_driver::front::check_over;
use fehu_driver::load::{normalise, Overlay};
use fehu_tools::errln;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

const HELP: &str = "\
Program text in comments, between fences that name the language (```futhark), is checked
as that of somebody who imports the file: declarations, or an expression.";

/// Options of `fehu doc`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// The folder whose .fut files are documented, or a single file.
    #[arg(required_unless_present = "prelude")]
    dir: Option<PathBuf>,
    /// Document the prelude: what every program can use.
    #[arg(long, conflicts_with = "dir")]
    prelude: bool,
    /// The folder to write to.
    #[arg(short, value_name = "OUTDIR", required = true)]
    output: PathBuf,
    /// Say which files are read and written.
    #[arg(short, long)]
    verbose: bool,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    match document(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            if !message.is_empty() {
                errln!("fehu: {message}");
            }
            ExitCode::from(1)
        }
    }
}

/// Writes all pages. An error that was shown already has no text.
fn document(args: &Args) -> Result<(), String> {
    let (inputs, root) = match &args.dir {
        Some(dir) => library(dir, args.verbose)?,
        None => (prelude(), PathBuf::new()),
    };
    let site = fehu_doc::site(&inputs);
    for warning in &site.warnings {
        errln!("fehu: {warning}");
    }
    site.examples.iter().for_each(|example| check(example, &root));
    let mut batch = Batch::default();
    for page in site.pages {
        let path = args.output.join(&page.path);
        if args.verbose {
            errln!("Writing {}.", path.display());
        }
        batch.folder(path.parent().unwrap_or(Path::new("")))?;
        batch.file(&path, &page.content)?;
    }
    batch.finish()
}

/// The files of a library, and its folder.
fn library(dir: &Path, verbose: bool) -> Result<(Vec<Input>, PathBuf), String> {
    let mut files = vec![];
    let root = if dir.is_dir() {
        collect(dir, &mut files).map_err(|e| format!("could not read {}: {e}", dir.display()))?;
        dir.to_owned()
    } else {
        files.push(dir.to_owned());
        dir.parent().unwrap_or(Path::new("")).to_owned()
    };
    if files.is_empty() {
        return Err(format!("there are no .fut files in {}", dir.display()));
    }
    let mut inputs = vec![];
    for file in &files {
        if verbose {
            errln!("Reading {}.", file.display());
        }
        inputs.extend(read(file, &root)?);
    }
    Ok((inputs, root))
}

/// The files of the prelude that programs see; the first declares what the compiler knows of itself.
fn prelude() -> Vec<Input> {
    let front = fehu_driver::front::check_prelude();
    let Some(program) = &front.program else { fehu_base::bug!("the prelude has errors") };
    let seen = program.files.iter().take(front.prelude.len()).skip(1);
    let input = |(id, env): &(FileId, _)| {
        let source = front.sources.get(*id)?;
        let name = source.path.file_stem()?.to_string_lossy().into_owned();
        let text = source.text.to_string();
        let prog = fehu_syntax::parse(*id, &text).prog;
        Some(Input { name, text, prog, env: Arc::clone(env), names: program.names.clone() })
    };
    seen.filter_map(input).collect()
}

/// A file, which must be correct; `None` if it wants no documentation.
fn read(file: &Path, root: &Path) -> Result<Option<Input>, String> {
    let front = fehu_driver::front::check_file(file);
    let Some(program) = front.program else {
        let errors: Vec<_> =
            front.diagnostics.iter().filter(|d| d.severity == Severity::Error).cloned().collect();
        show_all(&errors, &front.sources);
        return Err(String::new());
    };
    let Some((id, source)) = front.sources.files().nth(front.prelude.len()) else { return Ok(None) };
    let text = source.text.to_string();
    let prog = fehu_syntax::parse(id, &text).prog;
    if fehu_doc::is_ignored(&prog) {
        return Ok(None);
    }
    let name = file.strip_prefix(root).unwrap_or(file).with_extension("");
    let name = name.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/");
    Ok(Some(Input { name, text, prog, env: program.env, names: program.names }))
}

/// Says what is wrong with an example: a user who imports the file writes it into a file beside it.
fn check(example: &Example, root: &Path) {
    let file = root.join(format!("{}.fut", example.file));
    let name = example.file.rsplit('/').next().unwrap_or(&example.file);
    let is_expression = fehu_syntax::parse_exp(FileId(0), &example.text).1.is_empty();
    let text = match is_expression {
        true => format!("local open import \"{name}\"\ndef example =\n{}", example.text),
        false => format!("local open import \"{name}\"\n{}", example.text),
    };
    let path = file.with_file_name(format!("example of {name}"));
    let front = check_over(&path, Overlay::from_iter([(normalise(&path), text)]));
    for d in front.diagnostics.iter().filter(|d| d.severity == Severity::Error) {
        let message = d.render(&front.sources, Colour::Never);
        errln!("fehu: {}:{}: an example is wrong\n{message}", file.display(), example.line);
    }
}

/// All programs below a folder, in alphabetical order.
fn collect(folder: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries: Vec<_> = std::fs::read_dir(folder)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            collect(&path, found)?;
        } else if path.extension().is_some_and(|e| e == "fut") {
            found.push(path);
        }
    }
    Ok(())
}
