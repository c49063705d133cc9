//! A persistent map from names: cloning is free, so closures can keep the
//! environment they were made in. A radix tree of 16-way nodes on the number of
//! the name.

use fehu_base::Name;
use std::rc::Rc;

const BITS: u32 = 4;
const WIDTH: usize = 1 << BITS;
const LEVELS: u32 = 32 / BITS;

#[derive(Clone, Debug)]
enum Node<V> {
    Inner([Option<Rc<Node<V>>>; WIDTH]),
    Leaf(V),
}

/// A map from names that shares structure between its versions.
#[derive(Clone, Debug)]
pub(crate) struct NameMap<V> {
    root: Option<Rc<Node<V>>>,
}

impl<V> Default for NameMap<V> {
    fn default() -> Self {
        NameMap { root: None }
    }
}

impl<V: Clone> NameMap<V> {
    /// What the name is bound to.
    pub(crate) fn get(&self, name: Name) -> Option<&V> {
        let mut node = self.root.as_deref()?;
        for level in (0..LEVELS).rev() {
            match node {
                Node::Inner(children) => node = children[slot(name, level)].as_deref()?,
                Node::Leaf(_) => return None,
            }
        }
        match node {
            Node::Leaf(v) => Some(v),
            Node::Inner(_) => None,
        }
    }

    /// Binds a name, in this version only.
    pub(crate) fn insert(&mut self, name: Name, value: V) {
        insert(&mut self.root, name, LEVELS, value);
    }
}

fn slot(name: Name, level: u32) -> usize {
    ((name.0 >> (level * BITS)) as usize) & (WIDTH - 1)
}

fn insert<V: Clone>(node: &mut Option<Rc<Node<V>>>, name: Name, level: u32, value: V) {
    if level == 0 {
        *node = Some(Rc::new(Node::Leaf(value)));
        return;
    }
    let rc = node.get_or_insert_with(|| Rc::new(Node::Inner(Default::default())));
    if let Node::Inner(children) = Rc::make_mut(rc) {
        insert(&mut children[slot(name, level - 1)], name, level - 1, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_do_not_disturb_each_other() {
        let mut a = NameMap::default();
        for i in 0..1000 {
            a.insert(Name(i * 7), i);
        }
        let mut b = a.clone();
        b.insert(Name(7), 99);
        assert_eq!(a.get(Name(7)), Some(&1));
        assert_eq!(b.get(Name(7)), Some(&99));
        assert_eq!(a.get(Name(6993)), Some(&999));
        assert_eq!(a.get(Name(3)), None);
    }
}
