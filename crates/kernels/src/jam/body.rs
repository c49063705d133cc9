//! What a body computes for each point along a dimension, and the body for several of them.

use fehu_base::ops::BinOp;
use fehu_base::tuning::jam::{LONG_OPERATION_WORK, POINTS, READ_WORK};
use fehu_base::{Name, NameSource};
use fehu_ir::free::free_in_exp;
use fehu_ir::subst::{rename_stm, Subst};
use fehu_ir::visit::{deep, for_each_body, for_each_stm};
use fehu_ir::{Basic, Body, Exp, Loop, LoopForm, Memory, Param, PatElem, Stm, SubExp};
use rustc_hash::FxHashSet;

/// The scalars of a body that depend on an index.
pub(super) struct Depending(FxHashSet<Name>);

impl Depending {
    pub(super) fn on(index: Name, body: &Body<Memory>) -> Depending {
        let mut depending = Depending([index].into_iter().collect());
        // What loops carry depends on what they compute: until nothing changes.
        loop {
            let known = depending.0.len();
            depending.body(body);
            if depending.0.len() == known {
                return depending;
            }
        }
    }

    /// How many values that depend on it loops carry.
    pub(super) fn carried(&self, body: &Body<Memory>) -> usize {
        let mut count = 0;
        for_each_stm(body, &mut |stm| {
            if let Exp::Loop(l) = &stm.exp {
                count += l.params.iter().filter(|(p, _)| self.0.contains(&p.name)).count();
            }
        });
        count
    }

    fn is(&self, e: SubExp) -> bool {
        e.name().is_some_and(|n| self.0.contains(&n))
    }

    fn body(&mut self, body: &Body<Memory>) {
        body.stms.iter().for_each(|stm| deep(|| self.stm(stm)));
    }

    fn stm(&mut self, stm: &Stm<Memory>) {
        if self.differs(&stm.exp) {
            self.0.extend(stm.pat.iter().map(|p| p.name));
            return;
        }
        let results: Vec<bool> = match &stm.exp {
            Exp::If(_, yes, no) => {
                self.body(yes);
                self.body(no);
                yes.result.iter().zip(&no.result).map(|(x, y)| self.is(*x) || self.is(*y)).collect()
            }
            Exp::Loop(l) => {
                let next = l.params.iter().zip(&l.body.result);
                let differ = |((p, init), next): ((&Param<Memory>, SubExp), &SubExp)| {
                    self.0.contains(&p.name) || self.is(init) || self.is(*next)
                };
                let results: Vec<bool> = next.map(|((p, init), next)| differ(((p, *init), next))).collect();
                let differing = l.params.iter().zip(&results).filter(|(_, differs)| **differs);
                self.0.extend(differing.map(|((p, _), _)| p.name));
                self.body(&l.body);
                results
            }
            Exp::Basic(_) | Exp::Call(..) | Exp::WithAcc(_) | Exp::Op(_) => vec![],
        };
        let differing = stm.pat.iter().zip(results).filter(|(_, differs)| *differs);
        self.0.extend(differing.map(|(p, _)| p.name));
    }

    /// Whether an expression as a whole is another one for each point: it is no control, or what it does next
    /// depends on the index.
    fn differs(&self, exp: &Exp<Memory>) -> bool {
        match exp {
            Exp::If(cond, ..) => self.is(*cond),
            Exp::Loop(l) => match l.form {
                LoopForm::For { bound, .. } => self.is(bound),
                LoopForm::While(_) => true,
            },
            Exp::Basic(_) | Exp::Call(..) | Exp::WithAcc(_) | Exp::Op(_) => {
                free_in_exp(exp).iter().any(|x| self.0.contains(x))
            }
        }
    }
}

/// The work of the innermost loops, in operations.
#[derive(Default)]
pub(super) struct Work {
    /// What is the same for all points along the dimension.
    pub(super) shared: i64,
    /// What is not.
    own: i64,
    /// Whether elements are read that are the same.
    reads: bool,
    /// Whether others are read that neighbouring threads do not share.
    scattered: bool,
}

/// What depends on the dimension along which a thread may have several points, and on the innermost one,
/// along which threads are neighbours.
pub(super) struct Dimensions<'a> {
    pub(super) points: &'a Depending,
    pub(super) threads: &'a Depending,
}

impl Work {
    pub(super) fn of(body: &Body<Memory>, dims: &Dimensions) -> Work {
        let mut work = Work::default();
        work.add_loops(body, dims, false);
        work
    }

    /// Whether several points for each thread take at most two thirds of what each by itself takes.
    pub(super) fn pays(&self) -> bool {
        let (apart, together) = ((self.shared + self.own) * POINTS, self.shared + self.own * POINTS);
        self.reads && !self.scattered && together * 3 <= apart * 2
    }

    /// Adds the innermost loops of a body, all of which is done for each point if it is in code that is.
    fn add_loops(&mut self, body: &Body<Memory>, dims: &Dimensions, differs: bool) {
        for stm in &body.stms {
            let innermost = if let Exp::Loop(l) = &stm.exp { !has_loops(&l.body) } else { false };
            let differs = differs || dims.points.differs(&stm.exp);
            for_each_body(&stm.exp, &mut |inner| {
                deep(|| match innermost {
                    true => self.add(inner, dims, differs),
                    false => self.add_loops(inner, dims, differs),
                })
            });
        }
    }

    /// Adds a body of such a loop.
    fn add(&mut self, body: &Body<Memory>, dims: &Dimensions, differs: bool) {
        for stm in &body.stms {
            let differs = differs || dims.points.differs(&stm.exp);
            let work = match &stm.exp {
                Exp::Basic(Basic::Index(..)) => {
                    self.reads |= !differs;
                    self.scattered |= differs && dims.threads.differs(&stm.exp);
                    READ_WORK
                }
                Exp::Basic(Basic::SubExp(_)) => 0,
                Exp::Basic(Basic::PrimFn(..) | Basic::BinOp(BinOp::FDiv(_) | BinOp::FPow(_), ..)) => {
                    LONG_OPERATION_WORK
                }
                Exp::Basic(_) | Exp::If(..) | Exp::Call(..) | Exp::Loop(_) | Exp::WithAcc(_) | Exp::Op(_) => {
                    1
                }
            };
            *(if differs { &mut self.own } else { &mut self.shared }) += work;
            for_each_body(&stm.exp, &mut |inner| deep(|| self.add(inner, dims, differs)));
        }
    }
}

fn has_loops(body: &Body<Memory>) -> bool {
    let mut found = false;
    for_each_stm(body, &mut |stm| found |= matches!(stm.exp, Exp::Loop(_)));
    found
}

/// Makes the body for several points of that for one.
pub(super) struct Jam<'a> {
    names: &'a mut NameSource,
    depending: &'a Depending,
    /// What scalars are at each of the points.
    at: Vec<Subst>,
}

impl<'a> Jam<'a> {
    /// At each point, the index is one of these.
    pub(super) fn new(
        names: &'a mut NameSource,
        depending: &'a Depending,
        index: Name,
        points: &[SubExp],
    ) -> Jam<'a> {
        let at = points.iter().map(|point| [(index, *point)].into_iter().collect()).collect();
        Jam { names, depending, at }
    }

    /// The body for all points. Of the results that differ from point to point, it has one for each.
    pub(super) fn body(&mut self, body: &Body<Memory>, differ: &[bool]) -> Body<Memory> {
        let mut stms = vec![];
        body.stms.iter().for_each(|stm| deep(|| self.stm(&mut stms, stm)));
        let result =
            body.result.iter().zip(differ).flat_map(|(e, differs)| self.operands(*e, *differs)).collect();
        Body { stms, result }
    }

    /// An operand at each point, or once if it is the same at all of them.
    fn operands(&self, e: SubExp, differs: bool) -> Vec<SubExp> {
        match differs {
            true => self.at.iter().map(|at| at.operand(e)).collect(),
            false => vec![e],
        }
    }

    fn stm(&mut self, stms: &mut Vec<Stm<Memory>>, stm: &Stm<Memory>) {
        if self.depending.differs(&stm.exp) {
            for at in &mut self.at {
                let mut copy = rename_stm(self.names, stm);
                at.stm(&mut copy);
                at.extend(stm.pat.iter().zip(&copy.pat).map(|(old, new)| (old.name, new.name.into())));
                stms.push(copy);
            }
            return;
        }
        let differ: Vec<bool> = stm.pat.iter().map(|p| self.depending.0.contains(&p.name)).collect();
        let exp = match &stm.exp {
            Exp::If(cond, yes, no) => {
                let [yes, no] = [yes, no].map(|body| Box::new(self.body(body, &differ)));
                Exp::If(*cond, yes, no)
            }
            Exp::Loop(l) => {
                let mut params = vec![];
                for ((p, init), differs) in l.params.iter().zip(&differ) {
                    let inits = self.operands(*init, *differs);
                    let names = self.each(p.name, *differs);
                    let each = names.into_iter().zip(inits);
                    params.extend(each.map(|(name, init)| (Param { name, ..p.clone() }, init)));
                }
                let body = self.body(&l.body, &differ);
                Exp::Loop(Box::new(Loop { params, form: l.form.clone(), body }))
            }
            Exp::Basic(_) | Exp::Call(..) | Exp::WithAcc(_) | Exp::Op(_) => stm.exp.clone(),
        };
        let mut pat = vec![];
        for (p, differs) in stm.pat.iter().zip(differ) {
            let names = self.each(p.name, differs);
            pat.extend(names.into_iter().map(|name| PatElem { name, ..p.clone() }));
        }
        stms.push(Stm { pat, exp, ..stm.clone() });
    }

    /// Names for a scalar at each point, or its own if it is the same at all of them.
    fn each(&mut self, name: Name, differs: bool) -> Vec<Name> {
        if !differs {
            return vec![name];
        }
        let mut fresh = vec![];
        for at in &mut self.at {
            let new = self.names.fresh_like(name);
            at.insert(name, new);
            fresh.push(new);
        }
        fresh
    }
}
