//! Which blocks of a group are one.
//!
//! All blocks of a group are there for the same time; none may be used while another one in its place is.
//!
//! 1. Blocks of equal size: in the order of their first use, each takes the place of one that is no longer needed. This
//!    needs as few as can be.
//! 2. Places of different sizes: the larger first, each joins one of those before it if no two blocks in them
//!    are needed at the same time. The place then is as large as the larger one. To stay fast it tries
//!    [`MOST_TRIES`] of them.
//!
//! ```text
//! a (n bytes): 1 to 3, b (n): 2 to 4, c (n): 5 to 6, d (m): 7 to 8       places: {a, c, d}, {b}
//! ```

use super::lifetimes::{Span, Time};
use super::sizes::key;
use fehu_algebra::Poly;
use fehu_base::Name;
use indexmap::IndexMap;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// How many places of another size a place is compared with.
const MOST_TRIES: usize = 16;

/// A block of a group.
pub(super) struct Member {
    pub(super) block: Name,
    pub(super) size: Poly,
    pub(super) span: Span,
}

/// A place for blocks: by first use, the last one and the block.
struct Place {
    members: BTreeMap<Time, (Time, Name)>,
    constant: Option<i64>,
}

/// Distributes blocks over places.
pub(super) fn colour(mut members: Vec<Member>) -> Vec<Vec<Name>> {
    members.sort_by_key(|m| (m.span.first, m.span.last));
    let mut by_size: IndexMap<String, Vec<Member>> = IndexMap::new();
    for m in members {
        by_size.entry(key(&m.size)).or_default().push(m);
    }
    let mut places: Vec<Place> = by_size.into_values().flat_map(of_one_size).collect();
    // The larger first, as far as that is known.
    places.sort_by_key(|p| Reverse(p.constant.unwrap_or(i64::MAX)));
    let mut joined: Vec<Place> = vec![];
    for place in places {
        match joined.iter_mut().rev().take(MOST_TRIES).find(|other| other.has_room_for(&place)) {
            Some(other) => other.members.extend(place.members),
            None => joined.push(place),
        }
    }
    joined.into_iter().map(|p| p.members.into_values().map(|(_, block)| block).collect()).collect()
}

/// As few places as blocks of one size need.
fn of_one_size(members: Vec<Member>) -> Vec<Place> {
    let mut places: Vec<Place> = vec![];
    let mut busy: BinaryHeap<Reverse<(Time, usize)>> = BinaryHeap::new();
    for Member { block, size, span } in members {
        let free = busy.peek().is_some_and(|Reverse((last, _))| *last < span.first);
        let freed = if free { busy.pop() } else { None };
        let at = match freed {
            Some(Reverse((_, at))) => at,
            None => {
                places.push(Place { members: BTreeMap::new(), constant: size.as_constant() });
                places.len() - 1
            }
        };
        places[at].members.insert(span.first, (span.last, block));
        busy.push(Reverse((span.last, at)));
    }
    places
}

impl Place {
    /// Whether no block of another place is needed at the time of one of these.
    fn has_room_for(&self, other: &Place) -> bool {
        other.members.iter().all(|(first, (last, _))| {
            let before = self.members.range(..=last).next_back();
            before.is_none_or(|(_, (end, _))| end < first)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fehu_algebra::Sym;

    fn member(block: u32, bytes: Poly, first: Time, last: Time) -> Member {
        Member { block: Name(block), size: bytes, span: Span { first, last } }
    }

    #[test]
    fn blocks_that_are_needed_at_once_are_two() {
        let n = || Poly::var(Sym(9));
        let members =
            vec![member(1, n(), 1, 3), member(2, n(), 2, 4), member(3, n(), 4, 6), member(4, n(), 5, 6)];
        assert_eq!(colour(members), vec![vec![Name(1), Name(3)], vec![Name(2), Name(4)]]);
    }

    #[test]
    fn a_chain_of_blocks_needs_two() {
        let members = (0..2000).map(|i| member(i as u32, Poly::var(Sym(1)), i, i + 1)).collect();
        assert_eq!(colour(members).len(), 2);
    }

    #[test]
    fn other_sizes_join_where_there_is_room() {
        let (n, m) = (Poly::var(Sym(9)), Poly::var(Sym(8)));
        let members = vec![member(1, n.clone(), 1, 3), member(2, m.clone(), 2, 4), member(3, m, 5, 6)];
        assert_eq!(colour(members), vec![vec![Name(1)], vec![Name(2), Name(3)]]);
        let members =
            vec![member(1, Poly::constant(4), 1, 3), member(2, Poly::constant(64), 4, 4), member(3, n, 4, 9)];
        assert_eq!(colour(members), vec![vec![Name(3)], vec![Name(1), Name(2)]]);
    }
}
