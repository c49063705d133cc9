//! Which scalars stay on the device.

use super::survey::{Check, Definition, Survey, Use};
use fehu_base::ops::BinOp;
use fehu_base::tuning::device_scalars;
use fehu_base::Name;
use fehu_imp::parts::for_each_part;
use fehu_imp::syntax::{Code, Expr, Kernel, KernelOp, Space};
use fehu_ir::visit::deep;
use rustc_hash::{FxHashMap, FxHashSet};

/// What was chosen.
pub(super) struct Chosen {
    /// The scalars that stay, with those of them that each is computed from.
    scalars: FxHashMap<Name, Vec<Name>>,
    /// Those that nobody needs at all.
    unused: FxHashSet<Name>,
    in_place: FxHashSet<Name>,
}

impl Chosen {
    /// Whether there is nothing to do.
    pub(super) fn is_empty(&self) -> bool {
        self.scalars.is_empty() && self.unused.is_empty()
    }

    /// Whether a scalar stays on the device.
    pub(super) fn stays(&self, x: Name) -> bool {
        self.scalars.contains_key(&x)
    }

    /// Whether nobody needs a scalar.
    pub(super) fn is_unused(&self, x: Name) -> bool {
        self.unused.contains(&x)
    }

    /// The scalars that stay which this one is computed from.
    pub(super) fn from(&self, x: Name) -> &[Name] {
        self.scalars.get(&x).map_or(&[], |deps| deps)
    }

    /// Whether kernels read the block itself.
    pub(super) fn is_read_in_place(&self, mem: Name) -> bool {
        self.in_place.contains(&mem)
    }
}

/// Chooses. What follows from a check and is about scalars of the host alone, such as one of several indices,
/// the host relies on as soon as it has made the check: such a check is the host's.
pub(super) fn choose(survey: &Survey, kernels: &FxHashMap<Name, Kernel>) -> Chosen {
    let mut of_host = FxHashSet::default();
    loop {
        let chosen = choose_but(survey, kernels, &of_host);
        let stays = |x: &Name| chosen.stays(*x);
        let mixed = |c: &&Check| c.scalars.iter().any(stays) && !is_all_of_device(survey, &chosen, &c.cond);
        let before = of_host.len();
        of_host.extend(survey.checks.iter().filter(mixed).map(|c| c.position));
        if of_host.len() == before {
            return chosen;
        }
    }
}

/// Whether every part of a conjunction depends on scalars that stay.
fn is_all_of_device(survey: &Survey, chosen: &Chosen, cond: &Expr) -> bool {
    if let Expr::BinOp(BinOp::LogAnd, a, b) = cond {
        return [a, b].into_iter().all(|part| deep(|| is_all_of_device(survey, chosen, part)));
    }
    if let Expr::Var(x) = cond {
        let definition = survey.definitions.iter().find(|d| d.var == *x && chosen.stays(*x));
        return definition.is_some_and(|d| deep(|| is_all_of_device(survey, chosen, &d.value)));
    }
    let mut found = false;
    for_each_part(cond, &mut |part| {
        found |= matches!(part, Expr::Var(x) if chosen.stays(*x)) || matches!(part, Expr::Index { .. });
    });
    found
}

/// Chooses, where these checks are the host's.
#[expect(clippy::wildcard_enum_match_arm, reason = "a few of many are asked for")]
fn choose_but(survey: &Survey, kernels: &FxHashMap<Name, Kernel>, of_host: &FxHashSet<usize>) -> Chosen {
    let mut costs = Costs::default();
    let mut staying: FxHashMap<Name, &Definition> = FxHashMap::default();
    let mut unused = FxHashSet::default();
    // Whatever uses a scalar comes later in the text; so a user is decided on before what it uses.
    let candidates: Vec<&Definition> =
        survey.definitions.iter().filter(|d| is_candidate(survey, d, &mut costs)).collect();
    for d in candidates.iter().rev() {
        let uses = survey.uses.get(&d.var).map_or(&[][..], |u| u);
        if uses.iter().all(|(_, how)| matches!(how, Use::Scalar(y) if unused.contains(y))) {
            unused.insert(d.var);
            continue;
        }
        let fine = uses.iter().all(|(at, how)| {
            (d.position < *at && *at <= d.end)
                && match how {
                    Use::Host => false,
                    Use::Scalar(y) => staying.contains_key(y) || unused.contains(y),
                    Use::Kernel(k, i) => {
                        survey.launches.get(k) == Some(&1)
                            && kernels.get(k).is_some_and(|k| !steers_barriers(k, k.params[*i].name()))
                    }
                    Use::Write => matches!(d.value, Expr::Index { .. }),
                    Use::Check => !of_host.contains(at),
                }
        });
        if fine {
            staying.insert(d.var, d);
        }
    }
    // What turns out to be computed from the host's scalars alone is the host's.
    let mut scalars = FxHashMap::default();
    let mut in_place: FxHashMap<Name, bool> = FxHashMap::default();
    for d in candidates {
        if !staying.contains_key(&d.var) {
            continue;
        }
        let mut from = vec![];
        let mut reads = vec![];
        for_each_part(&d.value, &mut |part| match part {
            Expr::Var(y) if scalars.contains_key(y) => from.push(*y),
            Expr::Index { mem, space: Space::Default, .. } if !survey.constant.contains(mem) => {
                reads.push(*mem)
            }
            _ => {}
        });
        if from.is_empty() && reads.is_empty() {
            continue;
        }
        let last = if reads.is_empty() { d.position } else { last_use(survey, d, d.var) };
        for mem in reads {
            let still = is_untouched(survey, d, last, mem);
            in_place.entry(mem).and_modify(|all| *all &= still).or_insert(still);
        }
        scalars.insert(d.var, from);
    }
    let in_place = in_place.into_iter().filter(|(_, still)| *still).map(|(m, _)| m).collect();
    Chosen { scalars, unused, in_place }
}

/// What it takes to compute scalars from memory: the operations of each, and the scalars that it is computed
/// from, itself included. What several of these need is computed once.
#[derive(Default)]
struct Costs {
    own: FxHashMap<Name, usize>,
    needed: FxHashMap<Name, FxHashSet<Name>>,
}

/// Whether the device could compute it: set only here, from values that stay what they are, and cheap.
fn is_candidate(survey: &Survey, d: &Definition, costs: &mut Costs) -> bool {
    let once = survey.sets.get(&d.var).is_some_and(|sets| sets.len() == 1);
    let mut device = false;
    let mut fine = once;
    let mut cost = 0usize;
    let mut needed = FxHashSet::default();
    for_each_part(&d.value, &mut |part| match part {
        Expr::Var(y) => {
            let later = |at: &usize| d.position < *at && *at <= d.end;
            fine &= !survey.sets.get(y).is_some_and(|sets| sets.iter().any(later));
            if let Some(more) = costs.needed.get(y) {
                device = true;
                needed.extend(more.iter().copied());
            }
        }
        Expr::Index { mem, space, .. } => {
            fine &= matches!(space, Space::Default) && !survey.constant.contains(mem);
            device = true;
            cost += 1;
        }
        Expr::Const(_) => {}
        Expr::Param(_) | Expr::Gpu(_) => fine = false,
        Expr::BinOp(op, ..) => cost += if is_slow(*op) { 4 } else { 1 },
        Expr::PrimFn(..) => cost += 8,
        Expr::UnOp(..) | Expr::CmpOp(..) | Expr::Conv(..) | Expr::Select(..) => cost += 1,
    });
    let all = cost + needed.iter().filter_map(|x| costs.own.get(x)).sum::<usize>();
    let candidate = fine && device && all <= device_scalars::REPEATED_INSTRUCTIONS;
    if candidate {
        needed.insert(d.var);
        costs.own.insert(d.var, cost);
        costs.needed.insert(d.var, needed);
    }
    candidate
}

fn is_slow(op: BinOp) -> bool {
    matches!(
        op,
        BinOp::UDiv(..)
            | BinOp::SDiv(..)
            | BinOp::SQuot(..)
            | BinOp::UMod(..)
            | BinOp::SMod(..)
            | BinOp::SRem(..)
            | BinOp::FDiv(_)
            | BinOp::FMod(_)
            | BinOp::Pow(_)
            | BinOp::FPow(_)
    )
}

/// Where a scalar that stays, or another that is computed from it, is used for the last time after a definition.
fn last_use(survey: &Survey, d: &Definition, scalar: Name) -> usize {
    let mut last = d.position;
    let mut open = vec![scalar];
    let mut seen = FxHashSet::default();
    while let Some(x) = open.pop() {
        if !seen.insert(x) {
            continue;
        }
        for (at, how) in survey.uses.get(&x).into_iter().flatten() {
            last = last.max(survey.end_of_use(d.position, *at));
            if let Use::Scalar(y) = how {
                open.push(*y);
            }
        }
    }
    last
}

/// Whether a block is a constant's, or the function's own, under no other name, and not written between a
/// read and the last use of what is read.
fn is_untouched(survey: &Survey, read: &Definition, last: usize, mem: Name) -> bool {
    let after = |at: &usize| read.position < *at && *at <= last;
    let own = survey.lasting.contains(&mem) || !survey.shared.contains(&mem);
    own && !survey.written.get(&mem).is_some_and(|w| w.iter().any(after))
}

/// Whether a kernel's threads wait for each other under a condition that a parameter of it decides. They would
/// all decide the same, but not every compiler of kernels sees that of a value in memory.
fn steers_barriers(kernel: &Kernel, param: Name) -> bool {
    let mut flow = Flow::default();
    flow.code(&kernel.body);
    let mut tainted = FxHashSet::from_iter([param]);
    let mentions = |e: &Expr, tainted: &FxHashSet<Name>| {
        let mut found = false;
        for_each_part(e, &mut |part| found |= matches!(part, Expr::Var(x) if tainted.contains(x)));
        found
    };
    // Loops feed later assignments to earlier ones.
    loop {
        let before = tainted.len();
        for (x, e) in &flow.sets {
            if mentions(e, &tainted) {
                tainted.insert(*x);
            }
        }
        for c in &flow.controls {
            if mentions(c.condition, &tainted) {
                if c.waits {
                    return true;
                }
                tainted.extend(flow.sets[c.sets.clone()].iter().map(|(x, _)| *x));
            }
        }
        if tainted.len() == before {
            return false;
        }
    }
}

/// What decides what in a kernel.
#[derive(Default)]
struct Flow<'a> {
    /// All assignments, in the order of the text.
    sets: Vec<(Name, &'a Expr)>,
    controls: Vec<Control<'a>>,
    /// How many places there were so far where threads wait.
    waits: usize,
}

/// A condition, or the bound of a loop.
struct Control<'a> {
    condition: &'a Expr,
    /// The assignments that it decides about.
    sets: std::ops::Range<usize>,
    /// Whether threads wait there.
    waits: bool,
}

impl<'a> Flow<'a> {
    fn code(&mut self, code: &'a Code<KernelOp>) {
        match code {
            Code::Seq(codes) => codes.iter().for_each(|c| deep(|| self.code(c))),
            Code::SetScalar(x, e) => self.sets.push((*x, e)),
            Code::For { bound, body, .. } => self.under(bound, &[&**body]),
            Code::While(c, body) => self.under(c, &[&**body]),
            Code::If(c, a, b) => self.under(c, &[&**a, &**b]),
            Code::Op(KernelOp::UnrolledFor { bound, body, .. }) => self.under(bound, &[&**body]),
            Code::Op(op) => {
                self.waits += usize::from(matches!(op, KernelOp::Barrier | KernelOp::LeaveIfFailed));
                op.body().into_iter().for_each(|inner| deep(|| self.code(inner)));
            }
            Code::DeclareScalar(..)
            | Code::DeclareMem(..)
            | Code::DeclareStatic(..)
            | Code::SetMem(..)
            | Code::Write { .. }
            | Code::Copy { .. }
            | Code::Call { .. }
            | Code::Assert { .. } => {}
        }
    }

    fn under(&mut self, condition: &'a Expr, bodies: &[&'a Code<KernelOp>]) {
        let (first, waits) = (self.sets.len(), self.waits);
        bodies.iter().for_each(|body| self.code(body));
        let sets = first..self.sets.len();
        self.controls.push(Control { condition, sets, waits: self.waits > waits });
    }
}
