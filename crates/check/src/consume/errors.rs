//! The messages about aliases and consumption. Each names the entry of the
//! public error index that explains its rule, which is what users search for.

use super::state::{Identity, Owner, State, What};
use crate::context;
use crate::named::Named;
use crate::types::Type;
use fehu_base::{Diagnostic, Name, Span};

/// `variable "x"`, `result of applying "f"`.
pub(super) fn describe(id: &Identity) -> String {
    match id.what {
        What::Variable(s) => format!("variable \"{s}\""),
        What::Result(f, _) => format!("result of applying \"{f}\""),
        What::Value => "value".into(),
    }
}

fn quoted(id: &Identity) -> String {
    match id.what {
        What::Variable(s) => format!("\"{s}\""),
        What::Result(..) | What::Value => describe(id),
    }
}

fn see(d: Diagnostic, entry: Named) -> Diagnostic {
    d.note(context::see(entry))
}

fn text_of(st: &State<'_>, name: Name) -> &'static str {
    st.ctx.names.base(name).as_str()
}

/// A use of memory that is gone. `used` is the variable written at `span`.
pub(super) fn use_after_consume(st: &State<'_>, used: Name, gone: Name, span: Span, at: Span) -> Diagnostic {
    let id = st.identity(gone);
    let mut d = Diagnostic::error(span, format!("Using {}, but this was consumed before.", describe(&id)))
        .label("used here")
        .related(at, "consumed here");
    if let What::Result(_, made) = id.what {
        d = d.related(made, "the result of this call");
    }
    if text_of(st, used) != text_of(st, gone) {
        d = d.note(format!("\"{}\" may share its memory with {}", text_of(st, used), describe(&id)));
    }
    see(d, Named::UseAfterConsume)
        .help("consume a copy instead, made with `copy`, to keep the original usable")
        .fix_apply("Consume a copy", at, "copy")
}

/// Consumption of memory that is not ours.
pub(super) fn not_consumable(st: &State<'_>, name: Name, span: Span) -> Diagnostic {
    let id = st.identity(name);
    let mut d = Diagnostic::error(span, format!("Consuming {}, which is not consumable.", describe(&id)))
        .label("consumed here");
    if id.span != Span::NONE && id.span != span {
        let why = match id.owner {
            Owner::Us => "bound outside the function or loop body that consumes it",
            Owner::Caller => "a parameter whose type is not marked with `*`",
            Owner::DeclaredLoopParam => "a loop parameter declared without `*`",
            Owner::Program | Owner::AbstractProgram => "a top-level definition belongs to the whole program",
        };
        d = d.related(id.span, why);
    }
    let remedy = match id.owner {
        Owner::Us | Owner::Program | Owner::AbstractProgram => "consume a copy, made with `copy`",
        Owner::Caller => "mark the parameter's type with `*`, or consume a copy, made with `copy`",
        Owner::DeclaredLoopParam => "mark the loop parameter's type with `*`",
    };
    see(d, Named::NotConsumable).help(remedy).fix_apply("Consume a copy", span, "copy")
}

/// A unique result that shares memory with something the function does not own.
pub(super) fn return_aliased(st: &State<'_>, span: Span, name: Name) -> Diagnostic {
    let id = st.identity(name);
    let d = Diagnostic::error(
        span,
        format!("Unique-typed return value is aliased to {}, which is not consumable.", quoted(&id)),
    )
    .label("this value is returned");
    see(bound_at(d, &id, span), Named::ReturnAliased)
        .help("return a copy, made with `copy`, or remove the `*` from the result type")
        .fix_apply("Return a copy", span, "copy")
}

/// Two parts of a result share memory though one is unique.
pub(super) fn unique_return_aliased(span: Span) -> Diagnostic {
    let d = Diagnostic::error(
        span,
        "A unique-typed component of the return value is aliased to some other component.",
    )
    .label("these components share memory");
    see(d, Named::UniqueReturnAliased).help("return a copy of one of them, made with `copy`").fix_apply(
        "Return copies",
        span,
        "copy",
    )
}

/// A function's result that shares memory with a global.
pub(super) fn aliases_free_variable(st: &State<'_>, span: Span, name: Name) -> Diagnostic {
    let id = st.identity(name);
    let d = Diagnostic::error(span, format!("Function result aliases the free variable {}.", quoted(&id)))
        .label("returned here");
    see(bound_at(d, &id, span), Named::AliasFreeVariable).help("return a copy, made with `copy`").fix_apply(
        "Return a copy",
        span,
        "copy",
    )
}

/// A consumed argument whose parts share memory.
pub(super) fn self_aliased(st: &State<'_>, span: Span, shared: Name) -> Diagnostic {
    let id = st.identity(shared);
    let d = Diagnostic::error(span, "Argument passed for consuming parameter is self-aliased.")
        .label("two parts of this share memory")
        .note(format!("both may be {}", describe(&id)));
    see(d, Named::SelfAliasingArg).help("copy one of the parts with `copy`").fix_apply(
        "Pass a copy",
        span,
        "copy",
    )
}

/// A consumed argument that shares memory with another argument.
pub(super) fn argument_aliases(st: &State<'_>, arg: Span, other: Span, shared: Name) -> Diagnostic {
    let id = st.identity(shared);
    Diagnostic::error(
        arg,
        format!("Argument is consumed, but aliases {}, which another argument aliases too.", describe(&id)),
    )
    .label("consumed by the call")
    .related(other, "may share memory with the consumed argument")
    .help("copy one of the arguments with `copy`")
    .fix_apply("Pass a copy", arg, "copy")
}

/// Consumption while making a function that is passed on.
pub(super) fn argument_contains_consumption(st: &State<'_>, arg: Span, ty: &Type, at: Span) -> Diagnostic {
    let d = Diagnostic::error(
        arg,
        format!("Argument of functional type {} contains consumption, which is not allowed.", st.show(ty)),
    )
    .label("this function may be applied many times");
    see(consumed_at(d, arg, at), Named::ConsumingArgument)
}

/// A consuming function where one that does not consume is expected.
pub(super) fn consuming_function(st: &State<'_>, arg: Span, expected: &Type, actual: &Type) -> Diagnostic {
    let d = Diagnostic::error(
        arg,
        format!(
            "Argument of functional type {} is a consuming function, but {} is expected.",
            st.show(actual),
            st.show(expected)
        ),
    )
    .label("consumes its argument");
    see(d, Named::ConsumingArgument).help("pass a function that works on a copy of its argument")
}

/// A function whose result may be aliased where a fresh result is expected.
pub(super) fn aliasing_function(st: &State<'_>, arg: Span, expected: &Type, actual: &Type) -> Diagnostic {
    Diagnostic::error(
        arg,
        format!(
            "Argument of functional type {} does not have expected type {}: return types have incompatible uniqueness.",
            st.show(actual),
            st.show(expected)
        ),
    )
    .label("the result of this function may share memory with other values")
    .help("pass a function that returns a copy")
}

/// A binding whose value is a function of another uniqueness than declared.
pub(super) fn function_mismatch(st: &State<'_>, span: Span, expected: &Type, actual: &Type) -> Diagnostic {
    Diagnostic::error(
        span,
        format!(
            "Function body does not have expected type.\nExpected: {}\nActual:   {}",
            st.show(expected),
            st.show(actual)
        ),
    )
    .note("the types differ in what is consumed or returned as unique (`*`)")
}

/// `let f = ...` where making the function consumes something.
pub(super) fn let_contains_consumption(st: &State<'_>, value: Span, ty: &Type, at: Span) -> Diagnostic {
    let d = Diagnostic::error(
        value,
        format!(
            "Let-bound expression of higher-order type {} contains consumption, which is not allowed.",
            st.show(ty)
        ),
    )
    .label("each use of this function would consume again");
    see(consumed_at(d, value, at), Named::ContainsConsumption)
        .help("consume a copy, made with `copy`")
        .fix_apply("Consume a copy", at, "copy")
}

/// An update whose new element shares memory with the array.
pub(super) fn update_aliases(st: &State<'_>, array: Span, value: Span, shared: Name) -> Diagnostic {
    let id = st.identity(shared);
    Diagnostic::error(
        value,
        format!(
            "The value written by this in-place update might alias the array it is written to, through {}.",
            describe(&id)
        ),
    )
    .label("the new value")
    .related(array, "the array updated in-place")
    .help("copy the value with `copy`")
    .fix_apply("Write a copy", value, "copy")
}

/// A loop that uses what its initial values consume.
pub(super) fn loop_uses_consumed(
    st: &State<'_>,
    place: &str,
    used: Name,
    at: Span,
    init: Span,
) -> Diagnostic {
    let d = Diagnostic::error(
        at,
        format!(
            "{place} uses variable \"{}\" (or an alias), but this is consumed by the initial loop argument.",
            text_of(st, used)
        ),
    )
    .label("used here")
    .related(init, "consumed here, because the loop consumes its parameter");
    see(d, Named::UseAfterConsume).help("start the loop from a copy, made with `copy`").fix_apply(
        "Start the loop from a copy",
        init,
        "copy",
    )
}

/// A consumed loop parameter's next value is not ours to consume.
pub(super) fn loop_param_aliases(st: &State<'_>, param: &Identity, body: Span, name: Name) -> Diagnostic {
    let id = st.identity(name);
    let d = Diagnostic::error(
        body,
        format!("Return value for consuming loop parameter {} aliases {}.", quoted(param), quoted(&id)),
    )
    .label("the next iteration would consume this");
    see(bound_at(d, &id, body), Named::ConsumingLoopParamAliases)
        .help("return a copy, made with `copy`")
        .fix_apply("Return a copy", body, "copy")
}

/// A consumed loop parameter's next value shares memory with that of another parameter.
pub(super) fn loop_aliases_previous(param: &Identity, body: Span) -> Diagnostic {
    let d = Diagnostic::error(
        body,
        format!(
            "Return value for consuming loop parameter {} aliases previously returned value.",
            quoted(param)
        ),
    )
    .label("the values returned here share memory");
    see(d, Named::AliasesPreviouslyReturned).help("return a copy of one of them, made with `copy`").fix_apply(
        "Return copies",
        body,
        "copy",
    )
}

/// A loop parameter's next value shares memory with that of a consumed parameter.
pub(super) fn loop_aliases_consumed(param: &Identity, body: Span) -> Diagnostic {
    let d = Diagnostic::error(
        body,
        format!("Return value for loop parameter {} aliases other consumed loop parameter.", quoted(param)),
    )
    .label("the values returned here share memory");
    see(d, Named::LoopParameterAliasesOther).help("return a copy of one of them, made with `copy`").fix_apply(
        "Return copies",
        body,
        "copy",
    )
}

/// A constant with a unique type.
pub(super) fn unique_constant(span: Span) -> Diagnostic {
    Diagnostic::error(span, "A top-level constant may not have a unique type.")
        .label("all of the program shares this value")
        .help("remove the `*`")
}

fn bound_at(d: Diagnostic, id: &Identity, span: Span) -> Diagnostic {
    if id.span == Span::NONE || id.span == span {
        return d;
    }
    d.related(id.span, "bound here")
}

fn consumed_at(d: Diagnostic, whole: Span, at: Span) -> Diagnostic {
    if at == whole {
        d
    } else {
        d.related(at, "consumed here")
    }
}
