//! Values of options that have names: shells complete them, and help lists them. Other values are left to the command
//! that gets them: another compiler has other back ends.

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap_complete::engine::{ArgValueCandidates, ArgValueCompleter, CompletionCandidate, PathCompleter};
use fehu_driver::generate::{optional_passes, steps};
use fehu_driver::target::Target;
use std::ffi::OsStr;

/// A text, with the names that are known.
#[derive(Clone)]
pub(crate) struct Names(pub(crate) fn() -> Vec<&'static str>);

impl TypedValueParser for Names {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        option: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, option, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.0)().into_iter().map(PossibleValue::new)))
    }
}

/// The names of back ends.
pub(crate) fn backends() -> Names {
    Names(|| Target::ALL.into_iter().map(Target::name).collect())
}

/// Our back ends.
pub(crate) fn own_backend() -> impl TypedValueParser<Value = Target> {
    backends().try_map(|name| Target::named(&name))
}

/// Files that are programs, and folders that may have some, for shells.
pub(crate) fn program_files() -> ArgValueCompleter {
    ArgValueCompleter::new(PathCompleter::any().filter(|path| path.extension().is_some_and(|e| e == "fut")))
}

/// Passes that can be left out, for shells.
pub(crate) fn passes() -> ArgValueCandidates {
    ArgValueCandidates::new(|| optional_passes().into_iter().map(CompletionCandidate::new).collect())
}

/// Steps from a checked program to text, for shells.
pub(crate) fn all_steps() -> ArgValueCandidates {
    ArgValueCandidates::new(|| steps().into_iter().map(CompletionCandidate::new).collect())
}

/// Public packages, for shells.
pub(crate) fn packages() -> ArgValueCandidates {
    let candidate = |p: fehu_pkg::Listed| CompletionCandidate::new(p.path).help(Some(p.about.into()));
    ArgValueCandidates::new(move || fehu_pkg::listed().map(candidate).collect())
}
