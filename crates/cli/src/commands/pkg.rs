//! `fehu pkg`.

use crate::names::packages;
use crate::report::show_all;
use fehu_driver::cache::{Cache, NoCache};
use fehu_driver::files::TempFolder;
use fehu_pkg::{Access, Error, Event, Listed, PkgPath, Project, Registry, Version};
use fehu_tools::{errln, outln};
use std::path::PathBuf;
use std::process::ExitCode;

/// Options of `fehu pkg`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
    /// Say which repositories are fetched, and what is stored.
    #[arg(short, long, global = true)]
    verbose: bool,
    /// Use only what is in the cache.
    #[arg(long, global = true)]
    offline: bool,
    /// Look for repositories below DIR first, as in DIR/github.com/user/repository.
    #[arg(long, value_name = "DIR", env = "FEHU_PKG_FROM", global = true)]
    from: Option<PathBuf>,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Make a package in this folder.
    #[command(visible_alias = "create")]
    Init {
        /// The path of the new package, such as github.com/user/repository.
        #[arg(value_name = "PKGPATH")]
        path: String,
    },
    /// Require a package, and fetch it.
    Add {
        /// The package.
        #[arg(value_name = "PKGPATH", add = packages())]
        path: String,
        /// The oldest version that will do; the newest one if none is given.
        #[arg(value_name = "X.Y.Z")]
        oldest: Option<String>,
    },
    /// Find packages by words in their names and purposes.
    Search {
        /// Words that all occur; without any, all packages are listed.
        words: Vec<String>,
    },
    /// Require a package no longer, and remove it from lib/.
    Remove {
        /// The package.
        #[arg(value_name = "PKGPATH")]
        path: String,
    },
    /// Fill lib/ with the packages that are required; everything else in it is removed.
    Sync,
    /// Require the newest version of every package, and fetch it.
    Upgrade,
    /// Check that all required packages are available.
    Check,
    /// Print the versions of a package.
    Versions {
        /// The package.
        #[arg(value_name = "PKGPATH", add = packages())]
        path: String,
    },
    /// Format futhark.pkg.
    Fmt,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    match act(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            show_error(&error);
            ExitCode::from(1)
        }
    }
}

/// Says what is wrong, with its place in a futhark.pkg.
pub(crate) fn show_error(error: &Error) {
    match error {
        Error::Manifest(wrong) => show_all(std::slice::from_ref(&wrong.0), &wrong.1),
        Error::Other(message) => errln!("fehu: {message}"),
    }
}

fn act(args: &Args) -> Result<(), Error> {
    let root = fehu_pkg::root().filter(|folder| !folder.as_os_str().is_empty());
    // A new project begins here, also within another one.
    let root = root.filter(|_| !matches!(args.action, Action::Init { .. }));
    let project = Project::new(root.unwrap_or_else(|| PathBuf::from(".")));
    // Lives as long as the registry, if there is no cache.
    let (_temporary, mut registry) = registry(args)?;
    match &args.action {
        Action::Init { path } => project.init(&parse_path(path)?)?,
        Action::Add { path, oldest } => {
            let version = oldest.as_deref().map(parse_version).transpose()?;
            let before = project.required()?;
            outln!("{}", project.add(&mut registry, &parse_path(path)?, version)?);
            stored(args, &project.refresh(&mut registry, &before)?);
        }
        Action::Search { words } => search(words)?,
        Action::Remove { path } => {
            let before = project.required()?;
            outln!("{}", project.remove(&parse_path(path)?)?);
            stored(args, &project.refresh(&mut registry, &before)?);
        }
        Action::Sync => stored(args, &project.sync(&mut registry)?),
        Action::Upgrade => {
            let before = project.required()?;
            let events = project.upgrade(&mut registry)?;
            events.iter().for_each(|event| outln!("{event}"));
            if events != [Event::UpToDate] {
                stored(args, &project.refresh(&mut registry, &before)?);
            }
        }
        Action::Check => project.check(&mut registry)?,
        Action::Versions { path } => {
            for version in registry.versions(&parse_path(path)?)? {
                outln!("{version}");
            }
        }
        Action::Fmt => project.fmt()?,
    }
    Ok(())
}

/// Says what is in lib/ now, to those who want to know.
fn stored(args: &Args, events: &[Event]) {
    if args.verbose {
        events.iter().for_each(|event| errln!("{event}"));
    }
}

/// Lists packages, one a line.
fn search(words: &[String]) -> Result<(), Error> {
    let found = fehu_pkg::search(words);
    if found.is_empty() {
        return Err(Error::Other(format!(
            "no package of the list is about `{}`; `fehu pkg search` lists all of them, and \
             `fehu pkg add` takes the address of any repository",
            words.join(" ")
        )));
    }
    let width = found.iter().map(|package| package.path.len()).max().unwrap_or(0);
    for Listed { path, about } in found {
        outln!("{path:width$}  {about}");
    }
    Ok(())
}

/// Where packages come from. Without a cache, copies of repositories are gone with the folder that is returned.
fn registry(args: &Args) -> Result<(Option<TempFolder>, Registry), Error> {
    let (temporary, folder) = match Cache::open() {
        Ok(cache) => (None, cache.folder().join("packages")),
        Err(why) => {
            if let NoCache::Refused(..) = why {
                errln!("fehu: {why}");
            }
            let folder = TempFolder::new().map_err(Error::Other)?;
            let path = folder.path().to_owned();
            (Some(folder), path)
        }
    };
    let access = if args.offline { Access::Cache } else { Access::Network };
    let verbose = args.verbose;
    let report = move |url: &str| {
        if verbose {
            errln!("Fetching {url}.");
        }
    };
    Ok((temporary, Registry::new(folder, args.from.clone(), access, Box::new(report))))
}

fn parse_path(text: &str) -> Result<PkgPath, Error> {
    PkgPath::parse(text).map_err(|why| Error::Other(format!("`{text}` is no package path: {why}")))
}

fn parse_version(text: &str) -> Result<Version, Error> {
    Version::parse(text).ok_or_else(|| {
        Error::Other(format!(
            "`{text}` is no version: it should be three numbers with dots between them, as 1.0.0"
        ))
    })
}
