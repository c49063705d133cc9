//! Block variables that need no count: what they refer to is kept alive by others.
//!
//! A loop that carries an array has a variable for its block, which refers to the initial one and then to one that
//! belongs to the code around. Counting its references costs little where one thread does it. Threads that
//! count references to the same block wait for each other.
//!
//! ```text
//! k < points:                          (each thread has points of its own; all start from `first`)
//!   own = allocate n
//!   mem p;  p = first                  no count: `first` is the caller's
//!   t < steps:
//!     own[..] <- p[..]
//!     p = own                          no count: `own` lives until after the last use of `p`
//! ```
//!
//! A variable is *borrowed* if it only ever gets its value from other variables, and none of those that own what it
//! may refer to changes, or ends, between the first assignment of the borrowed one and its last use. Times
//! are numbers of statements in the order of the text; an assignment, or a use, inside of a loop or branch
//! counts as all of the statement beside the declaration in which it stands, so that no jump back is missed.

use fehu_base::Name;
use fehu_imp::ops::Operation;
use fehu_imp::syntax::{Code, CpuOp, Space};
use fehu_imp::visit::{look_at_code, look_at_cpu_op, Visitor};
use rustc_hash::{FxHashMap, FxHashSet};

/// A variable that may refer to what so many others own is taken to own it itself.
const MAX_OWNERS: usize = 8;

/// How often variables that turn out to be owners are taken out. Chains of loops that hand on blocks are short.
const MAX_ROUNDS: usize = 8;

/// The block variables of some code that need no count.
pub(crate) fn borrowed<O: Operation>(code: &Code<O>) -> FxHashSet<Name> {
    let mut walk = Walk { scopes: vec![Scope::default()], ..Walk::default() };
    walk.code(code);
    let found = walk.spans.keys().filter(|m| !walk.owners.contains(m));
    let mut found: FxHashSet<Name> = found.copied().collect();
    for _ in 0..MAX_ROUNDS {
        let wrong: FxHashSet<Name> = found.iter().filter(|m| !walk.holds(**m, &found)).copied().collect();
        if wrong.is_empty() {
            return found;
        }
        found.retain(|m| !wrong.contains(m));
    }
    FxHashSet::default()
}

/// What is found of block variables, at which times.
#[derive(Default)]
struct Walk {
    now: u32,
    /// The scopes around, innermost last.
    scopes: Vec<Scope>,
    /// When statements with scopes end, by when they start.
    ends: FxHashMap<u32, u32>,
    /// In which of the scopes around variables are declared.
    declared: FxHashMap<Name, usize>,
    /// The first scope of the function of its own in which the walk is.
    own_function: usize,
    /// The variables whose blocks they get.
    sources: FxHashMap<Name, Vec<Name>>,
    /// Those that get blocks otherwise, or in another function than the one in which they are declared.
    owners: FxHashSet<Name>,
    /// The first assignment and the last use of a variable: the statements of its own scope.
    spans: FxHashMap<Name, (u32, u32)>,
    /// When the value of a variable changes, or its scope ends; in order.
    changes: FxHashMap<Name, Vec<u32>>,
}

/// A scope in which the walk is.
#[derive(Default)]
struct Scope {
    /// Its statement in which the walk is.
    at: u32,
    /// The block variables that are declared in it.
    blocks: Vec<Name>,
}

impl Walk {
    fn changes(&mut self, m: Name) {
        self.changes.entry(m).or_default().push(self.now);
    }

    /// The statement beside the declaration of a variable.
    fn beside(&self, m: Name) -> Option<u32> {
        Some(self.scopes[*self.declared.get(&m)?].at)
    }

    /// A statement with scopes.
    fn scoped(&mut self, look: impl FnOnce(&mut Walk)) {
        let start = self.now;
        self.scopes.push(Scope::default());
        look(self);
        self.now += 1;
        self.ends.insert(start, self.now);
        for m in self.scopes.pop().map_or(vec![], |s| s.blocks) {
            self.declared.remove(&m);
            self.changes(m);
        }
    }

    fn declare(&mut self, m: Name) {
        let depth = self.scopes.len() - 1;
        self.scopes[depth].blocks.push(m);
        self.declared.insert(m, depth);
        if self.changes.contains_key(&m) {
            self.owners.insert(m);
        }
        self.changes(m);
    }

    /// One variable gets the block of another one.
    fn shared(&mut self, to: Name, from: Name) {
        self.changes(to);
        self.sources.entry(to).or_default().push(from);
        match self.beside(to) {
            Some(here) if self.declared[&to] >= self.own_function => {
                self.spans.entry(to).or_insert((here, here));
            }
            _ => {
                self.owners.insert(to);
            }
        }
    }

    /// Whether nothing happens to the owners of what a variable may refer to while it does.
    fn holds(&self, m: Name, borrowed: &FxHashSet<Name>) -> bool {
        let Some((first, last)) = self.spans.get(&m) else { return false };
        let end = self.ends.get(last).unwrap_or(last);
        let mut seen = FxHashSet::default();
        let mut open = vec![m];
        while let Some(x) = open.pop() {
            if x != m && !borrowed.contains(&x) {
                let changes = self.changes.get(&x).map_or(&[][..], Vec::as_slice);
                let next = changes.partition_point(|t| t <= first);
                if changes.get(next).is_some_and(|t| t <= end) {
                    return false;
                }
            } else {
                open.extend(self.sources.get(&x).into_iter().flatten().filter(|s| seen.insert(**s)));
            }
            if seen.len() > MAX_OWNERS {
                return false;
            }
        }
        true
    }
}

impl Visitor<'_> for Walk {
    fn code<O: Operation>(&mut self, code: &Code<O>) {
        if let Code::Seq(codes) = code {
            return codes.iter().for_each(|c| self.code(c));
        }
        self.now += 1;
        if let Some(scope) = self.scopes.last_mut() {
            scope.at = self.now;
        }
        let look = |w: &mut Walk| look_at_code(w, code);
        match code {
            Code::DeclareMem(m, Space::Default | Space::Shared) => self.declare(*m),
            Code::SetMem(to, from, Space::Default | Space::Shared) => {
                self.shared(*to, *from);
                look(self);
            }
            Code::Call { outs, .. } => {
                for out in outs {
                    self.changes(*out);
                    self.owners.insert(*out);
                }
                look(self);
            }
            Code::For { .. } | Code::While(..) | Code::If(..) => self.scoped(look),
            Code::Op(op) if op.has_code() => self.scoped(look),
            Code::Op(op) => {
                if let Some((m, _)) = op.allocates() {
                    self.changes(m);
                    self.owners.insert(m);
                }
                look(self);
            }
            Code::Seq(_)
            | Code::DeclareMem(..)
            | Code::DeclareScalar(..)
            | Code::DeclareStatic(..)
            | Code::SetMem(..)
            | Code::SetScalar(..)
            | Code::Write { .. }
            | Code::Copy { .. }
            | Code::Assert { .. } => look(self),
        }
    }

    fn cpu_op<O: Operation>(&mut self, op: &CpuOp<O>) {
        if let CpuOp::Free(m, _) = op {
            self.changes(*m);
        }
        let around = self.own_function;
        if let CpuOp::Outlined(_) = op {
            self.own_function = self.scopes.len() - 1;
        }
        look_at_cpu_op(self, op);
        self.own_function = around;
    }

    fn block(&mut self, m: &Name) {
        let here = self.beside(*m);
        match (self.spans.get_mut(m), here) {
            (Some((_, last)), Some(here)) => *last = here,
            (Some(_), None) => {
                self.owners.insert(*m);
            }
            (None, _) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fehu_imp::read::read_program;
    use fehu_imp::syntax::Function;

    /// The names of the borrowed variables of a function with these statements, in alphabetical order.
    fn names(code: &str) -> String {
        let text = format!("imp\n\nfun main_0(n_1 : i64, xs_2 : mem) -> (out_3 : mem) {{\n{code}\n}}\n");
        let prog = read_program(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let Function { body, .. } = &prog.functions[0];
        let mut names: Vec<String> =
            borrowed(body).into_iter().map(|m| prog.names.base(m).to_string()).collect();
        names.sort();
        names.join(" ")
    }

    #[test]
    fn a_loop_that_alternates_between_blocks_of_others_counts_nothing() {
        let code = "  a_4 : mem
  b_5 : mem
  a_4 = allocate n_1 * 4
  b_5 = allocate n_1 * 4
  p_6 : mem
  q_7 : mem
  p_6 = mem a_4
  q_7 = mem b_5
  for t_8 : i64 < n_1 {
    q_7.i32[t_8] <- p_6.i32[t_8]
    swap_9 : mem
    swap_9 = mem p_6
    p_6 = mem q_7
    q_7 = mem swap_9
  }
  out_3 = mem p_6";
        assert_eq!(names(code), "p q swap");
    }

    #[test]
    fn who_starts_from_an_argument_and_goes_on_with_its_own_counts_nothing() {
        let code = "  for k_4 : i64 < n_1 {
    own_5 : mem
    own_5 = allocate n_1 * 4
    p_6 : mem
    p_6 = mem xs_2
    for t_7 : i64 < n_1 {
      own_5.i32[t_7] <- p_6.i32[0]
      p_6 = mem own_5
    }
  }";
        assert_eq!(names(code), "p");
    }

    #[test]
    fn what_is_allocated_in_the_loop_that_hands_it_on_is_counted() {
        let code = "  p_4 : mem
  p_4 = mem xs_2
  for t_5 : i64 < n_1 {
    new_6 : mem
    new_6 = allocate n_1 * 4
    new_6.i32[t_5] <- p_4.i32[t_5]
    p_4 = mem new_6
  }
  out_3 = mem p_4";
        assert_eq!(names(code), "");
    }

    #[test]
    fn a_block_that_is_freed_or_allocated_anew_before_the_last_use_is_counted() {
        let with = |last: &str| {
            format!(
                "  own_4 : mem
  own_4 = allocate n_1 * 4
  p_5 : mem
  p_5 = mem own_4
  {last}"
            )
        };
        let used = "own_4.i32[0] <- p_5.i32[1]";
        assert_eq!(names(&with(&format!("{used}\n  free own_4"))), "p");
        assert_eq!(names(&with("free own_4\n  xs_2.i32[0] <- p_5.i32[1]")), "");
        assert_eq!(names(&with(&format!("own_4 = allocate 8\n  {used}"))), "");
        let again = "for t_6 : i64 < n_1 {
    own_4.i32[0] <- p_5.i32[1]
    own_4 = allocate n_1 * 4
  }";
        assert_eq!(names(&with(again)), "");
    }

    #[test]
    fn who_refers_to_what_a_counted_one_has_depends_on_that() {
        let code = "  p_4 : mem
  q_5 : mem
  p_4 = mem xs_2
  q_5 = mem p_4
  for t_6 : i64 < n_1 {
    new_7 : mem
    new_7 = allocate n_1 * 4
    new_7.i32[t_6] <- q_5.i32[t_6]
    p_4 = mem new_7
  }
  out_3 = mem p_4";
        assert_eq!(names(code), "");
    }
}
