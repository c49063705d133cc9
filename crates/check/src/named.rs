//! Errors that have a name: those behind which there is a rule that takes more than a line to explain.
//!
//! `fehu explain NAME` prints what the error index says of each. The names are those of Futhark's own index.

use std::fmt;

/// The name of an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Named {
    UseAfterConsume,
    NotConsumable,
    ReturnAliased,
    UniqueReturnAliased,
    SelfAliasingArg,
    ConsumingArgument,
    AliasFreeVariable,
    SizeExpressionBind,
    InaccessibleSize,
    ConsumingLoopParamAliases,
    LoopParameterAliasesOther,
    AliasesPreviouslyReturned,
    ContainsConsumption,
    UnusedSize,
    CausalityCheck,
    UnknownParamDef,
    ExistentialParamRet,
    UnusedExistential,
    AnonymousNonconstructive,
    UnifyConsumingParam,
    AmbiguousSize,
    LoopVariantEscape,
    ModuleIsParametric,
    ScopeViolation,
    LiteralOutOfBounds,
    AmbiguousType,
    MayNotBeRedefined,
    UnmatchedCases,
    RefutablePattern,
    RecordTypeNotKnown,
    OccursCheck,
    NestedEntry,
    PolymorphicEntry,
    HigherOrderEntry,
    SizePolymorphicEntry,
    NonconstructiveEntry,
}

impl Named {
    /// All names, as messages write them.
    pub const ALL: [(Named, &'static str); 36] = [
        (Named::UseAfterConsume, "use-after-consume"),
        (Named::NotConsumable, "not-consumable"),
        (Named::ReturnAliased, "return-aliased"),
        (Named::UniqueReturnAliased, "unique-return-aliased"),
        (Named::SelfAliasingArg, "self-aliasing-arg"),
        (Named::ConsumingArgument, "consuming-argument"),
        (Named::AliasFreeVariable, "alias-free-variable"),
        (Named::SizeExpressionBind, "size-expression-bind"),
        (Named::InaccessibleSize, "inaccessible-size"),
        (Named::ConsumingLoopParamAliases, "consuming-loop-param-aliases"),
        (Named::LoopParameterAliasesOther, "loop-parameter-aliases-other"),
        (Named::AliasesPreviouslyReturned, "aliases-previously-returned"),
        (Named::ContainsConsumption, "contains-consumption"),
        (Named::UnusedSize, "unused-size"),
        (Named::CausalityCheck, "causality-check"),
        (Named::UnknownParamDef, "unknown-param-def"),
        (Named::ExistentialParamRet, "existential-param-ret"),
        (Named::UnusedExistential, "unused-existential"),
        (Named::AnonymousNonconstructive, "anonymous-nonconstructive"),
        (Named::UnifyConsumingParam, "unify-consuming-param"),
        (Named::AmbiguousSize, "ambiguous-size"),
        (Named::LoopVariantEscape, "loop-variant-escape"),
        (Named::ModuleIsParametric, "module-is-parametric"),
        (Named::ScopeViolation, "scope-violation"),
        (Named::LiteralOutOfBounds, "literal-out-of-bounds"),
        (Named::AmbiguousType, "ambiguous-type"),
        (Named::MayNotBeRedefined, "may-not-be-redefined"),
        (Named::UnmatchedCases, "unmatched-cases"),
        (Named::RefutablePattern, "refutable-pattern"),
        (Named::RecordTypeNotKnown, "record-type-not-known"),
        (Named::OccursCheck, "occurs-check"),
        (Named::NestedEntry, "nested-entry"),
        (Named::PolymorphicEntry, "polymorphic-entry"),
        (Named::HigherOrderEntry, "higher-order-entry"),
        (Named::SizePolymorphicEntry, "size-polymorphic-entry"),
        (Named::NonconstructiveEntry, "nonconstructive-entry"),
    ];
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = Named::ALL.iter().find(|(named, _)| named == self).map_or("", |(_, text)| *text);
        f.write_str(text)
    }
}
