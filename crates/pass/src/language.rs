//! The forms of a program between passes.

use fehu_ir::print::{print_prog, Locations};
use fehu_ir::read::read_prog;
use fehu_ir::validate::validate;
use fehu_ir::{Kernels, Memory, Prog, Rep, RepOp, Soacs};
use std::any::Any;

/// A form that a program has between two passes.
pub trait Language: Clone + Sized + 'static {
    /// What `--list` and the first line of a program's text call it.
    const NAME: &'static str;

    /// The program as text.
    fn print(&self) -> String;

    /// The program that a text stands for; an error says what is wrong with the text.
    fn read(text: &str) -> Result<Self, String>;

    /// What must hold of every program between passes and does not hold of this one.
    fn validate(&self) -> Result<(), Vec<String>>;
}

/// A representation of the core IR is a language. Each by itself, so that it is compiled here.
macro_rules! core_language {
    ($R:ty) => {
        impl Language for Prog<$R> {
            const NAME: &'static str = <<$R as Rep>::Op as RepOp<$R>>::NAME;

            fn print(&self) -> String {
                print_prog(self, Locations::Hidden)
            }

            fn read(text: &str) -> Result<Self, String> {
                read_prog(text).map_err(|e| e.to_string())
            }

            fn validate(&self) -> Result<(), Vec<String>> {
                validate(self)
            }
        }
    };
}

core_language!(Soacs);
core_language!(Kernels);
core_language!(Memory);

/// Before the first step there is only the checked source program, which the step that lowers it holds itself.
impl Language for () {
    const NAME: &'static str = "source";

    fn print(&self) -> String {
        String::new()
    }

    fn read(_: &str) -> Result<Self, String> {
        Err("source programs are not read by the pass runner".into())
    }

    fn validate(&self) -> Result<(), Vec<String>> {
        Ok(())
    }
}

/// A program in some language that only the running step knows.
pub trait Form: Any {
    /// The name of its language.
    fn language(&self) -> &'static str;
    /// The program as text.
    fn print(&self) -> String;
    /// What is wrong with it.
    fn validate(&self) -> Result<(), Vec<String>>;
    /// Whether reading its text, and printing what was read, gives the same text.
    fn reads_back(&self, text: &str) -> bool;
    /// Another one.
    fn duplicate(&self) -> Box<dyn Form>;
    /// For steps that know the language, and for watchers that look for one.
    fn as_any(&self) -> &dyn Any;
    /// For steps that know the language.
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

impl<L: Language> Form for L {
    fn language(&self) -> &'static str {
        L::NAME
    }

    fn print(&self) -> String {
        Language::print(self)
    }

    fn validate(&self) -> Result<(), Vec<String>> {
        Language::validate(self)
    }

    fn reads_back(&self, text: &str) -> bool {
        L::read(text).is_ok_and(|again| Language::print(&again) == text)
    }

    fn duplicate(&self) -> Box<dyn Form> {
        Box::new(self.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// The program, known to be in a language: pipelines are typed, so that no step meets another.
pub(crate) fn known<L: Language>(form: Box<dyn Form>) -> L {
    let found = form.language();
    match form.into_any().downcast::<L>() {
        Ok(prog) => *prog,
        Err(_) => fehu_base::bug!("a step over {} was given a program over {found}", L::NAME),
    }
}
