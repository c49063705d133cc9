//! What is bound inside of an accumulation, where, and what it is; and which updates there are.

use fehu_base::prim::IntType;
use fehu_base::Name;
use fehu_ir::free::{bound_in_body, bound_in_lambda};
use fehu_ir::soac::Soac;
use fehu_ir::types::Types;
use fehu_ir::visit::{deep, for_each_body, for_each_lambda};
use fehu_ir::{Basic, Body, Exp, Lambda, Loop, LoopForm, Soacs, Stm, SubExp, Type, WithAcc};
use rustc_hash::FxHashMap;

/// A body inside of an accumulation, by number; the first is that of the accumulation.
pub(super) type ScopeId = usize;

/// A body: the one around it, and what runs it.
pub(super) struct Scope {
    pub(super) parent: Option<ScopeId>,
    pub(super) kind: Kind,
}

/// What runs a body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// An accumulation: once.
    Once,
    /// A map: for each element.
    Map(SubExp),
    /// A loop with a counter.
    Count(SubExp),
    /// A branch, if the condition has this value.
    Branch(SubExp, bool),
    /// An operator, another combinator, another loop.
    Other,
}

/// Where a name is bound, and what it is.
#[derive(Clone, Copy)]
pub(super) struct Def<'a> {
    pub(super) scope: ScopeId,
    pub(super) is: Is<'a>,
}

/// What a name is.
#[derive(Clone, Copy)]
pub(super) enum Is<'a> {
    /// The element of an array that the map of the scope is at.
    Element(Name),
    /// The counter of the loop whose body is the scope.
    Counter,
    /// One of the results of a statement.
    Result(&'a Stm<Soacs>, usize),
    /// A parameter of another kind.
    Unknown,
}

/// An update of one of the accumulators.
pub(super) struct Update<'a> {
    pub(super) scope: ScopeId,
    /// The number of the accumulator.
    pub(super) input: usize,
    pub(super) stm: &'a Stm<Soacs>,
    pub(super) index: &'a [SubExp],
    pub(super) values: &'a [SubExp],
}

/// What there is inside of an accumulation.
pub(super) struct Scopes<'a> {
    pub(super) scopes: Vec<Scope>,
    pub(super) defs: FxHashMap<Name, Def<'a>>,
    pub(super) updates: Vec<Update<'a>>,
    /// The scope of the function of a statement, by the first name that it binds.
    pub(super) of_stm: FxHashMap<Name, ScopeId>,
    tokens: Vec<Name>,
    types: &'a Types,
}

impl<'a> Scopes<'a> {
    pub(super) fn of(types: &'a Types, with: &'a WithAcc<Soacs>) -> Scopes<'a> {
        let tokens = with.lambda.params.iter().take(with.inputs.len()).map(|p| p.name).collect();
        let mut scopes = Scopes {
            scopes: vec![Scope { parent: None, kind: Kind::Once }],
            defs: FxHashMap::default(),
            updates: vec![],
            of_stm: FxHashMap::default(),
            tokens,
            types,
        };
        scopes.unknown(0, with.lambda.params.iter().map(|p| p.name));
        scopes.body(&with.lambda.body, 0);
        scopes
    }

    /// The scopes around one, from the outermost to itself.
    pub(super) fn chain(&self, scope: ScopeId) -> Vec<ScopeId> {
        let mut chain: Vec<ScopeId> =
            std::iter::successors(Some(scope), |s| self.scopes[*s].parent).collect();
        chain.reverse();
        chain
    }

    /// How many dimensions there are around the code of a scope.
    pub(super) fn depth(&self, scope: ScopeId) -> usize {
        self.chain(scope).into_iter().filter(|s| self.is_dim(*s)).count()
    }

    /// Whether the body of a scope runs for each index of a dimension.
    pub(super) fn is_dim(&self, scope: ScopeId) -> bool {
        match self.scopes[scope].kind {
            Kind::Map(_) | Kind::Count(_) => true,
            Kind::Once | Kind::Branch(..) | Kind::Other => false,
        }
    }

    /// Whether an operand is bound inside.
    pub(super) fn is_inside(&self, e: SubExp) -> bool {
        e.name().is_some_and(|n| self.defs.contains_key(&n))
    }

    fn unknown(&mut self, scope: ScopeId, names: impl IntoIterator<Item = Name>) {
        for n in names {
            self.defs.insert(n, Def { scope, is: Is::Unknown });
        }
    }

    fn enter(&mut self, parent: ScopeId, kind: Kind) -> ScopeId {
        self.scopes.push(Scope { parent: Some(parent), kind });
        self.scopes.len() - 1
    }

    fn body(&mut self, body: &'a Body<Soacs>, scope: ScopeId) {
        deep(|| {
            for stm in &body.stms {
                for (k, p) in stm.pat.iter().enumerate() {
                    self.defs.insert(p.name, Def { scope, is: Is::Result(stm, k) });
                }
                self.stm(stm, scope);
            }
        });
    }

    fn stm(&mut self, stm: &'a Stm<Soacs>, scope: ScopeId) {
        match &stm.exp {
            Exp::Basic(Basic::UpdateAcc(acc, index, values)) => {
                let input = match self.types.get(acc) {
                    Some(Type::Acc(token, ..)) => self.tokens.iter().position(|t| t == token),
                    Some(Type::Prim(_) | Type::Array(..) | Type::Mem(_)) | None => None,
                };
                if let Some(input) = input {
                    self.updates.push(Update { scope, input, stm, index, values });
                }
            }
            Exp::Basic(_) | Exp::Call(..) => {}
            Exp::If(c, yes, no) => {
                for (body, value) in [(yes, true), (no, false)] {
                    let inner = self.enter(scope, Kind::Branch(*c, value));
                    self.body(body, inner);
                }
            }
            Exp::Loop(l) => self.loop_(l, scope),
            Exp::WithAcc(w) => {
                let inner = self.entered(stm, scope, Kind::Once);
                self.unknown(inner, w.lambda.params.iter().map(|p| p.name));
                self.body(&w.lambda.body, inner);
                for (op, _) in w.inputs.iter().filter_map(|i| i.op.as_ref()) {
                    self.other(op, scope);
                }
            }
            Exp::Op(Soac::Screma(s)) => {
                let kind = if stm.attrs.is_empty() { Kind::Map(s.width) } else { Kind::Other };
                let inner = self.entered(stm, scope, kind);
                for (p, a) in s.map.params.iter().zip(&s.arrays) {
                    self.defs.insert(p.name, Def { scope: inner, is: Is::Element(*a) });
                }
                self.body(&s.map.body, inner);
                s.scans.iter().for_each(|scan| self.other(&scan.op, scope));
                s.reds.iter().for_each(|red| self.other(&red.op, scope));
            }
            Exp::Op(_) => {
                for_each_lambda(&stm.exp, &mut |l| {
                    let names = bound_in_lambda(l);
                    self.hidden(scope, names);
                });
                for_each_body(&stm.exp, &mut |b| {
                    let names = bound_in_body(b);
                    self.hidden(scope, names);
                });
            }
        }
    }

    /// A scope that a statement has.
    fn entered(&mut self, stm: &Stm<Soacs>, parent: ScopeId, kind: Kind) -> ScopeId {
        let scope = self.enter(parent, kind);
        if let Some(p) = stm.pat.first() {
            self.of_stm.insert(p.name, scope);
        }
        scope
    }

    fn loop_(&mut self, l: &'a Loop<Soacs>, scope: ScopeId) {
        let inner = match &l.form {
            LoopForm::For { var, ty: IntType::I64, bound } => {
                let inner = self.enter(scope, Kind::Count(*bound));
                self.defs.insert(*var, Def { scope: inner, is: Is::Counter });
                inner
            }
            LoopForm::For { var, .. } => {
                let inner = self.enter(scope, Kind::Other);
                self.unknown(inner, [*var]);
                inner
            }
            LoopForm::While(_) => self.enter(scope, Kind::Other),
        };
        self.unknown(inner, l.params.iter().map(|(p, _)| p.name));
        self.body(&l.body, inner);
    }

    fn other(&mut self, op: &Lambda<Soacs>, scope: ScopeId) {
        self.hidden(scope, bound_in_lambda(op));
    }

    /// Names of which nothing is known.
    fn hidden(&mut self, scope: ScopeId, names: Vec<Name>) {
        let inner = self.enter(scope, Kind::Other);
        self.unknown(inner, names);
    }
}
