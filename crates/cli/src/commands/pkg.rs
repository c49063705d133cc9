//! `fehu pkg`.

use crate::report::show_all;
use fehu_driver::cache::{Cache, NoCache};
use fehu_driver::files::TempFolder;
use fehu_pkg::{Access, Error, PkgPath, Project, Registry, Version};
use fehu_tools::{errln, outln};
use std::path::PathBuf;
use std::process::ExitCode;

const HELP: &str = "\
Packages are git repositories whose tags vX.Y.Z are releases. Copies are kept in the
folder that `fehu cache` shows, so what was fetched once is available offline. Git's own
configuration applies: `url.BASE.insteadOf` changes where repositories are.";

/// Options of `fehu pkg`.
#[derive(clap::Args)]
#[command(after_help = HELP)]
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
    /// Require a package; `fehu pkg sync` fetches it.
    Add {
        /// The package.
        #[arg(value_name = "PKGPATH")]
        path: String,
        /// The oldest version that will do; the newest one if none is given.
        #[arg(value_name = "X.Y.Z")]
        oldest: Option<String>,
    },
    /// Require a package no longer.
    Remove {
        /// The package.
        #[arg(value_name = "PKGPATH")]
        path: String,
    },
    /// Fill lib/ with the packages that are required; everything else in it is removed.
    Sync,
    /// Require the newest version of every package.
    Upgrade,
    /// Check that all required packages are available.
    Check,
    /// Print the versions of a package.
    Versions {
        /// The package.
        #[arg(value_name = "PKGPATH")]
        path: String,
    },
    /// Format futhark.pkg.
    Fmt,
}

pub(crate) fn run(args: &Args) -> ExitCode {
    match act(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Error::Manifest(wrong)) => {
            show_all(&[wrong.0], &wrong.1);
            ExitCode::from(1)
        }
        Err(Error::Other(message)) => {
            errln!("fehu: {message}");
            ExitCode::from(1)
        }
    }
}

fn act(args: &Args) -> Result<(), Error> {
    let project = Project::new(".");
    // Lives as long as the registry, if there is no cache.
    let (_temporary, mut registry) = registry(args)?;
    match &args.action {
        Action::Init { path } => project.init(&parse_path(path)?)?,
        Action::Add { path, oldest } => {
            let version = oldest.as_deref().map(parse_version).transpose()?;
            outln!("{}", project.add(&mut registry, &parse_path(path)?, version)?);
            outln!("Run `fehu pkg sync` to fetch it.");
        }
        Action::Remove { path } => outln!("{}", project.remove(&parse_path(path)?)?),
        Action::Sync => {
            for event in project.sync(&mut registry)? {
                if args.verbose {
                    errln!("{event}");
                }
            }
        }
        Action::Upgrade => {
            for event in project.upgrade(&mut registry)? {
                outln!("{event}");
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
