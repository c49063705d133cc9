//! Values of options that have names: shells complete them, and help lists them. Other values are left to the command
//! that gets them: another compiler has other back ends.

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
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
