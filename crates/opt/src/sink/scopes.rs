//! The tree of the bodies of a function: which is the innermost that contains two others?
//!
//! Each scope knows, besides its parent, one ancestor further away, such that any ancestor is reached in a
//! number of steps that is logarithmic in the depth (a skew-binary jump pointer). Deep nests, such as long
//! chains of `else if`, thus cost no more than n log n.

/// What a scope is to the one around it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A branch of a conditional: statements may move into it.
    Branch,
    /// The body of a loop or lambda: statements may not.
    Barrier,
}

#[derive(Clone, Copy)]
struct Scope {
    depth: u32,
    parent: usize,
    jump: usize,
    /// The innermost scope around this one, or itself, that is no branch.
    barrier: usize,
}

/// A tree of scopes, which grows.
#[derive(Default)]
pub(super) struct Scopes(Vec<Scope>);

impl Scopes {
    /// A new scope; without a parent, a root.
    pub(super) fn add(&mut self, parent: Option<usize>, kind: Kind) -> usize {
        let new = self.0.len();
        let scope = match parent {
            None => Scope { depth: 0, parent: new, jump: new, barrier: new },
            Some(parent) => {
                let p = self.0[parent];
                let near = self.0[p.jump];
                let far = self.0[near.jump];
                let jump = if p.depth - near.depth == near.depth - far.depth { near.jump } else { parent };
                let barrier = match kind {
                    Kind::Branch => p.barrier,
                    Kind::Barrier => new,
                };
                Scope { depth: p.depth + 1, parent, jump, barrier }
            }
        };
        self.0.push(scope);
        new
    }

    /// The innermost scope that contains two others of the same tree, or is one of them.
    pub(super) fn common(&self, a: usize, b: usize) -> usize {
        let depth = self.0[a].depth.min(self.0[b].depth);
        let (mut a, mut b) = (self.ancestor(a, depth), self.ancestor(b, depth));
        while a != b {
            let (x, y) = (self.0[a], self.0[b]);
            (a, b) = if x.jump == y.jump { (x.parent, y.parent) } else { (x.jump, y.jump) };
        }
        a
    }

    fn ancestor(&self, mut a: usize, depth: u32) -> usize {
        while self.0[a].depth > depth {
            let scope = self.0[a];
            a = if self.0[scope.jump].depth >= depth { scope.jump } else { scope.parent };
        }
        a
    }

    /// The innermost scope around `inner` that is reached from `outer` through branches alone.
    pub(super) fn within_barrier(&self, outer: usize, mut inner: usize) -> usize {
        while self.0[inner].barrier != self.0[outer].barrier {
            inner = self.0[self.0[inner].barrier].parent;
        }
        inner
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In a tree of some shape, compared with walking up step by step.
    #[test]
    fn common_scopes_are_what_walking_up_finds() {
        let mut scopes = Scopes::default();
        let root = scopes.add(None, Kind::Barrier);
        let mut parents = vec![root];
        for i in 1..300usize {
            let parent = if i % 3 == 0 { i * 7 % (i / 2 + 1) } else { i - 1 };
            scopes.add(Some(parent), if i % 5 == 0 { Kind::Barrier } else { Kind::Branch });
            parents.push(parent);
        }
        let path = |mut a: usize| {
            let mut path = vec![a];
            while a != root {
                a = parents[a];
                path.push(a);
            }
            path
        };
        for a in 0..300 {
            for b in 0..300 {
                let others = path(b);
                let expected = path(a).into_iter().find(|x| others.contains(x));
                assert_eq!(Some(scopes.common(a, b)), expected);
            }
        }
    }

    #[test]
    fn barriers_end_the_way_into_branches() {
        let mut scopes = Scopes::default();
        let root = scopes.add(None, Kind::Barrier);
        let branch = scopes.add(Some(root), Kind::Branch);
        let body = scopes.add(Some(branch), Kind::Barrier);
        let inmost = scopes.add(Some(body), Kind::Branch);
        assert_eq!(scopes.within_barrier(root, inmost), branch);
        assert_eq!(scopes.within_barrier(root, branch), branch);
        assert_eq!(scopes.within_barrier(body, inmost), inmost);
        assert_eq!(scopes.within_barrier(root, root), root);
    }
}
