//! The command that the user meant by one that does not exist: by the name that other tools give it, by a program
//! without a command, or by a typing error.

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue};
use clap::Command;
use std::path::Path;

/// What people call something elsewhere, and what it is here.
const ELSEWHERE: [(&[&str], &str); 21] = [
    (&["build", "compile", "make", "cc"], "`fehu c prog.fut` compiles; multicore, opencl and cuda do so too"),
    (
        &["init", "create", "start"],
        "`fehu new NAME` makes a project; `fehu pkg init` makes this folder a package",
    ),
    (&["format", "reformat", "prettify"], "`fehu fmt` formats programs"),
    (&["add", "install", "get", "require"], "`fehu pkg add PKGPATH` adds a package to the project"),
    (&["remove", "uninstall", "rm"], "`fehu pkg remove PKGPATH` removes a package from the project"),
    (&["update", "upgrade"], "`fehu pkg upgrade` takes the newest versions of all packages"),
    (&["sync", "fetch", "vendor"], "`fehu pkg sync` fetches the packages of the project"),
    (&["search", "find"], "`fehu pkg search WORD` finds packages"),
    (
        &["package", "packages", "publish"],
        "`fehu pkg` manages packages; a release is a git tag such as v1.0.0",
    ),
    (
        &["interpret", "exec", "execute", "start-program"],
        "`fehu run prog.fut` runs a program, `fehu run -i` interprets it",
    ),
    (&["shell", "console", "interactive", "ghci", "i"], "`fehu repl` evaluates what is typed"),
    (&["lint", "typecheck", "clippy", "verify", "validate"], "`fehu check prog.fut` checks a program"),
    (
        &["docs", "document", "rustdoc", "haddock"],
        "`fehu doc` makes pages; `fehu COMMAND --help` says what a command does",
    ),
    (&["benchmark", "time", "measure", "perf"], "`fehu bench prog.fut` measures programs"),
    (&["compare", "diff"], "`fehu benchcmp` compares times, `fehu datacmp` values"),
    (&["tune"], "`fehu autotune prog.fut` finds thresholds"),
    (&["tests", "spec"], "`fehu test prog.fut` runs tests"),
    (&["clean", "prune"], "`fehu cache clean` removes what `fehu run` keeps"),
    (&["version", "--versions"], "`fehu --version` prints the version"),
    (
        &["server", "language-server", "ls"],
        "`fehu lsp` talks to editors; `fehu c --server` makes a server of a program",
    ),
    (&["gpu", "metal", "vulkan"], "`fehu cuda prog.fut` and `fehu opencl prog.fut` compile for GPUs"),
];

/// Adds to an error about an unknown command what may have been meant.
pub(crate) fn add(error: &mut clap::Error, word: &str, commands: &Command) {
    error.remove(ContextKind::SuggestedSubcommand);
    let tips: Vec<StyledStr> = tips(word, commands).into_iter().map(StyledStr::from).collect();
    if !tips.is_empty() {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    }
}

fn tips(word: &str, commands: &Command) -> Vec<String> {
    let path = Path::new(word);
    if path.extension().is_some_and(|e| e == "fut") {
        return vec![
            format!("`fehu run {word}` runs the program, `fehu check {word}` checks it"),
            format!("`fehu c {word}` makes an executable of it"),
        ];
    }
    if path.is_dir() {
        return vec![format!("`fehu check {word}` checks the programs there, `fehu test {word}` tests them")];
    }
    let file = path.with_extension("fut");
    if file.is_file() {
        return vec![format!("`fehu run {}` runs the program", file.display())];
    }
    let own = commands.get_subcommands().filter(|c| !c.is_hide_set()).map(|c| (c.get_name(), None));
    let elsewhere = ELSEWHERE.iter().flat_map(|(names, tip)| names.iter().map(|name| (*name, Some(*tip))));
    let distance = |name: &str| strsim::damerau_levenshtein(word, name);
    let known: Vec<(&str, Option<&str>)> = own.chain(elsewhere).collect();
    let near = |name: &str| distance(name) * 3 <= name.len().max(3);
    let least = known.iter().filter(|(name, _)| near(name)).map(|(name, _)| distance(name)).min();
    let nearest = known.iter().filter(|(name, _)| Some(distance(name)) == least);
    let mut tips: Vec<String> = nearest
        .map(|(name, tip)| tip.map_or_else(|| format!("there is a command `{name}`"), str::to_owned))
        .collect();
    tips.dedup();
    tips
}
