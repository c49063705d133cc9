//! A body under the assumption that its point is far from all edges of the space.

use crate::sums::{Known, Sums};
use fehu_algebra::{Facts, Poly};
use fehu_base::ops::{BinOp, CmpOp, ConvOp, UnOp};
use fehu_base::prim::{IntType, PrimType, PrimValue};
use fehu_base::Name;
use fehu_ir::mem::{sym, sym_name};
use fehu_ir::subst::Subst;
use fehu_ir::visit::deep;
use fehu_ir::{Basic, Body, Exp, LoopForm, Memory, Stm, SubExp};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is known of the names of a body, and what follows from it.
pub(super) struct Assume<'s> {
    facts: Facts,
    known: Known<'s>,
    /// The names that each assumption is about.
    links: Vec<Vec<Name>>,
    subst: Subst,
    /// Checks that hold.
    passed: FxHashSet<Name>,
    /// The indices of the space.
    indices: Vec<Name>,
    /// How many comparisons, minima, maxima and remainders are decided, and how many of them were divisions.
    pub(super) decided: usize,
    pub(super) divisions: usize,
    /// The names that they were about.
    about: FxHashSet<Name>,
}

/// What becomes of a computation.
enum Outcome {
    /// It is this value.
    Is(SubExp),
    /// This computes the same.
    Does(Basic),
}

impl<'s> Assume<'s> {
    /// That each index is at least as far from its bounds as the margin.
    pub(super) fn new(dims: &[(Name, SubExp)], margin: i64, sums: &'s Sums) -> Assume<'s> {
        let mut facts = Facts::new();
        let mut known = FxHashMap::default();
        let mut links = vec![];
        for (i, n) in dims {
            let size = fehu_ir::mem::poly(*n);
            if let SubExp::Var(n) = n {
                facts.assume_size(sym(*n));
                known.insert(*n, size.clone());
                // A size that was given in 32 bits.
                if let Some((BinOp::Add(IntType::I64), SubExp::Var(given), SubExp::Const(zero))) = sums.get(n)
                {
                    known.extend((zero.as_i64() == Some(0)).then(|| (*given, size.clone())));
                }
            }
            links.push(n.name().into_iter().chain([*i]).collect());
            facts.assume_index(sym(*i), &Poly::constant(margin), &(size - margin));
            known.insert(*i, Poly::var(sym(*i)));
        }
        let narrow = dims.iter().flat_map(|(i, n)| [Some(*i), n.name()]).flatten().collect();
        let mut known = Known::new(known, sums).with_narrow(narrow);
        for n in dims.iter().filter_map(|(_, n)| n.name()) {
            known = known.with_size(n, 2 * margin + 1);
        }
        Assume {
            facts,
            known,
            links,
            subst: Subst::new(),
            passed: FxHashSet::default(),
            indices: dims.iter().map(|d| d.0).collect(),
            decided: 0,
            divisions: 0,
            about: FxHashSet::default(),
        }
    }

    /// A body without what is decided.
    pub(super) fn body(&mut self, body: Body<Memory>) -> Body<Memory> {
        let mut stms = vec![];
        deep(|| body.stms.into_iter().for_each(|stm| self.stm(stm, &mut stms)));
        let result = body.result.into_iter().map(|e| self.subst.operand(e)).collect();
        Body { stms, result }
    }

    fn stm(&mut self, mut stm: Stm<Memory>, out: &mut Vec<Stm<Memory>>) {
        self.subst.stm(&mut stm);
        stm.certs.retain(|c| !self.passed.contains(c));
        match stm.exp {
            Exp::If(SubExp::Const(PrimValue::Bool(taken)), yes, no) if stm.certs.is_empty() => {
                let Body { stms, result } = self.body(if taken { *yes } else { *no });
                out.extend(stms);
                for (p, e) in stm.pat.iter().zip(result) {
                    self.subst.insert(p.name, e);
                }
                return;
            }
            Exp::If(cond, yes, no) => {
                stm.exp = Exp::If(cond, Box::new(self.body(*yes)), Box::new(self.body(*no)));
            }
            Exp::Loop(mut l) => {
                if let LoopForm::For { var, ty: IntType::I64, bound } = l.form {
                    if let Some(bound) = self.known.poly(bound) {
                        self.links.push(bound.vars().into_iter().map(sym_name).chain([var]).collect());
                        self.facts.assume_index(sym(var), &Poly::constant(0), &bound);
                        self.known.insert(var, Poly::var(sym(var)));
                    }
                }
                l.body = self.body(l.body);
                stm.exp = Exp::Loop(l);
            }
            Exp::Basic(basic) => match (self.outcome(&basic), stm.pat.as_slice()) {
                (Some(Outcome::Is(value)), [p]) if stm.certs.is_empty() => {
                    self.subst.insert(p.name, value);
                    return;
                }
                (None, [p]) if basic_holds(&basic) => {
                    self.passed.insert(p.name);
                    return;
                }
                (Some(Outcome::Does(other)), [p]) => {
                    self.known.learn(p.name, &other);
                    stm.exp = Exp::Basic(other);
                }
                (_, pat) => {
                    if let [p] = pat {
                        self.known.learn(p.name, &basic);
                    }
                    stm.exp = Exp::Basic(basic);
                }
            },
            exp @ (Exp::Call(..) | Exp::WithAcc(_) | Exp::Op(_)) => stm.exp = exp,
        }
        out.push(stm);
    }

    /// Whether sizes were assumed to be at most [`MOST_NARROW_SIZE`](crate::sums::MOST_NARROW_SIZE).
    pub(super) fn is_narrow(&self) -> bool {
        self.known.asked_narrow()
    }

    /// A sum of a point's index and a constant, as such: of an index that was computed in 32 bits, or around
    /// an edge that is far.
    fn near(&self, value: &Poly) -> Option<Outcome> {
        let is = |x: &Name| (value - &Poly::var(sym(*x))).as_constant().map(|c| (*x, c));
        let (index, by) = self.indices.iter().find_map(is)?;
        Some(match by {
            0 => Outcome::Is(index.into()),
            _ => Outcome::Does(Basic::BinOp(BinOp::Add(IntType::I64), index.into(), SubExp::i64(by))),
        })
    }

    /// What becomes of a computation, if that follows from what is known.
    fn outcome(&mut self, basic: &Basic) -> Option<Outcome> {
        if let Basic::Conv(ConvOp::SExt(IntType::I32, IntType::I64), e) = basic {
            return self.near(&self.known.poly(*e)?);
        }
        let truth = |b: bool| Some(Outcome::Is(SubExp::Const(PrimValue::Bool(b))));
        if let Basic::SubExp(e) = basic {
            return Some(Outcome::Is(*e));
        }
        if let Basic::BinOp(
            op @ (BinOp::Add(IntType::I64) | BinOp::Sub(IntType::I64)),
            SubExp::Var(a),
            SubExp::Var(b),
        ) = basic
        {
            let (x, y) = (self.known.poly((*a).into())?, self.known.poly((*b).into())?);
            return self.near(&if matches!(op, BinOp::Add(_)) { x + y } else { x - y });
        }
        if let Basic::UnOp(UnOp::Not, SubExp::Const(PrimValue::Bool(b))) = basic {
            return truth(!b);
        }
        if let Basic::BinOp(BinOp::LogAnd, a, b) = basic {
            return connected(*a, *b, false);
        }
        if let Basic::BinOp(BinOp::LogOr, a, b) = basic {
            return connected(*a, *b, true);
        }
        if let Basic::CmpOp(op, a, b) = basic {
            let (x, y) = (self.known.poly(*a)?, self.known.poly(*b)?);
            let (yes, no) = self.compared(*op, &x, &y)?;
            return (yes || no).then(|| self.decide(&x, &y)).and_then(|()| truth(yes));
        }
        let Basic::BinOp(op, a, b) = basic else { return None };
        let (x, y) = (self.known.poly(*a)?, self.known.poly(*b)?);
        let outcome = self.chosen(*op, (*a, &x), (*b, &y))?;
        self.decide(&x, &y);
        self.divisions += usize::from(!matches!(op, BinOp::SMax(_) | BinOp::SMin(_)));
        Some(outcome)
    }

    /// Whether a comparison is known to hold, and whether it is known not to.
    fn compared(&self, op: CmpOp, x: &Poly, y: &Poly) -> Option<(bool, bool)> {
        let facts = &self.facts;
        if matches!(op, CmpOp::Eq(PrimType::Int(IntType::I64 | IntType::I32))) {
            return Some((facts.eq(x, y), facts.ne(x, y)));
        }
        if matches!(op, CmpOp::SLt(IntType::I64 | IntType::I32)) {
            return Some((facts.lt(x, y), facts.le(y, x)));
        }
        matches!(op, CmpOp::SLe(IntType::I64 | IntType::I32)).then(|| (facts.le(x, y), facts.lt(y, x)))
    }

    /// Which value a minimum, maximum, quotient or remainder is.
    fn chosen(&self, op: BinOp, (a, x): (SubExp, &Poly), (b, y): (SubExp, &Poly)) -> Option<Outcome> {
        let facts = &self.facts;
        let larger = |if_a: SubExp, if_b: SubExp| match (facts.le(y, x), facts.le(x, y)) {
            (true, _) => Some(Outcome::Is(if_a)),
            (false, true) => Some(Outcome::Is(if_b)),
            (false, false) => None,
        };
        if matches!(op, BinOp::SMax(IntType::I64 | IntType::I32)) {
            return larger(a, b);
        }
        if matches!(op, BinOp::SMin(IntType::I64 | IntType::I32)) {
            return larger(b, a);
        }
        let remainder = matches!(op, BinOp::SMod(IntType::I64) | BinOp::SRem(IntType::I64));
        let quotient = matches!(op, BinOp::SDiv(IntType::I64) | BinOp::SQuot(IntType::I64));
        if !remainder && !quotient {
            return None;
        }
        let zero = Poly::constant(0);
        if facts.le(&zero, x) && facts.lt(x, y) {
            return Some(Outcome::Is(if remainder { a } else { SubExp::i64(0) }));
        }
        // Once around: from 0 on for both operators, from below 0 for the one that rounds down.
        if remainder && facts.positive(y) && facts.le(y, x) && facts.lt(x, &(y + y)) {
            let less = || Outcome::Does(Basic::BinOp(BinOp::Sub(IntType::I64), a, b));
            return Some(self.near(&(x - y)).unwrap_or_else(less));
        }
        if op == BinOp::SMod(IntType::I64) && facts.lt(x, &zero) && facts.le(&zero, &(x + y)) {
            let more = || Outcome::Does(Basic::BinOp(BinOp::Add(IntType::I64), a, b));
            return Some(self.near(&(x + y)).unwrap_or_else(more));
        }
        None
    }

    /// Notes that something about two values is decided.
    fn decide(&mut self, x: &Poly, y: &Poly) {
        self.decided += 1;
        self.about.extend(x.vars().into_iter().chain(y.vars()).map(sym_name));
    }

    /// Which of the dimensions what is decided may depend on: through all assumptions that share a name, as
    /// sizes of several dimensions may be one, and a proof may use them.
    pub(super) fn dims(&self, dims: &[(Name, SubExp)]) -> Vec<(Name, SubExp)> {
        let mut about = self.about.clone();
        about.extend(self.known.asked_sizes());
        let mut before = 0;
        while before < about.len() {
            before = about.len();
            for link in &self.links {
                if link.iter().any(|n| about.contains(n)) {
                    about.extend(link);
                }
            }
        }
        dims.iter().copied().filter(|d| about.contains(&d.0)).collect()
    }
}

/// A conjunction or disjunction of which one operand is known. `decisive` is the value that decides it.
fn connected(a: SubExp, b: SubExp, decisive: bool) -> Option<Outcome> {
    let known = |e: SubExp| match e {
        SubExp::Const(PrimValue::Bool(v)) => Some(v),
        SubExp::Const(_) | SubExp::Var(_) => None,
    };
    match (known(a), known(b)) {
        (Some(v), _) if v == decisive => Some(Outcome::Is(a)),
        (_, Some(v)) if v == decisive => Some(Outcome::Is(b)),
        (Some(_), _) => Some(Outcome::Is(b)),
        (_, Some(_)) => Some(Outcome::Is(a)),
        (None, None) => None,
    }
}

/// Whether this is a check that is known to hold.
fn basic_holds(basic: &Basic) -> bool {
    matches!(basic, Basic::Assert(SubExp::Const(PrimValue::Bool(true)), ..))
}
