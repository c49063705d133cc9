//! The prelude's text, built into the compiler, and how to parse as much of it as a program needs.

mod items;
mod mentions;
pub mod needed;

/// The texts of the prelude, in the order in which they are checked, each with
/// the path by which it is imported. The first is the module type of
/// `intrinsics`, the last opens all others.
pub fn prelude_sources() -> &'static [(&'static str, &'static str)] {
    macro_rules! source {
        ($name:literal) => {
            (concat!("/prelude/", $name, ".fut"), include_str!(concat!("../prelude/", $name, ".fut")))
        };
    }
    &[
        source!("intrinsics"),
        source!("functional"),
        source!("array"),
        source!("zip"),
        source!("flat"),
        source!("soacs"),
        source!("ad"),
        source!("math_types"),
        source!("integers"),
        source!("floats"),
        source!("prelude"),
    ]
}
