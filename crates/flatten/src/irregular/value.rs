//! What levels, shapes and values are. Nothing is done here; see the text of [`super`] for what they mean.
//!
//! ```text
//! map (\n -> let xs = iota n in map (\x -> x + n) xs) ns          ns = [2, 0, 3]
//!
//! level 0  3 points: those of the map               n   Each at level 0: [2, 0, 3]
//! level 1  5 points: elements of the shape [n]      xs  Flat at level 0, shape [n]: [0, 1, 0, 1, 2]
//!                                                   x   Each at level 1: the same array
//! the shape [n] at level 0:  sizes [2, 0, 3], starts [0, 2, 2], 5 elements, owners [0, 0, 2, 2, 2]
//! ```

use fehu_base::Name;
use fehu_ir::{Soacs, Stm, SubExp};
use rustc_hash::FxHashMap;

/// The number of a level.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct LevelId(pub(super) usize);

/// The number of a shape.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct ShapeId(pub(super) usize);

/// A set of points.
#[derive(Clone, Debug)]
pub(super) struct Level {
    /// How many there are.
    pub(super) width: SubExp,
    pub(super) points: Points,
}

/// Which points those of a level are.
#[derive(Clone, Debug)]
pub(super) enum Points {
    /// Those of the map that is flattened.
    Outermost,
    /// The elements of arrays of a shape.
    Elements(ShapeId),
    /// This many for each point of a level.
    Rows(LevelId, SubExp),
    /// Some points of a level: their numbers.
    Selected(LevelId, Name),
}

/// The sizes of arrays at the points of a level.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub(super) level: LevelId,
    /// How many elements the array of each point has.
    pub(super) sizes: Name,
    /// Where the array of each point begins.
    pub(super) starts: Name,
    /// Where it ends, if somebody has computed it.
    pub(super) ends: Option<Name>,
    /// How many elements there are at all points together.
    pub(super) total: SubExp,
    /// The checks that were made before the sizes were known.
    pub(super) checks: Vec<Name>,
}

/// What a name bound inside of the nest means.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// The elements of an array, one for each point.
    Each(LevelId, Name),
    /// Arrays of a shape, one after the other.
    Flat(ShapeId, Name),
    /// The number of a point among those of the level.
    Number(LevelId),
    /// The number of a point among those that belong to the same point.
    Place(LevelId),
    /// The check of this statement.
    Check(Box<Stm<Soacs>>),
}

/// A parameter that the last branch of a function gives back.
#[derive(Clone, Copy)]
pub(super) struct GivenBack {
    pub(super) param: Name,
    /// What the branch binds.
    pub(super) result: Name,
    /// Which side gives it back: 0 or 1.
    pub(super) side: usize,
    /// Whether what the function returns was written over it.
    pub(super) written: bool,
}

/// What is known where code is emitted. Code of an inner body of the host may add to it, which nobody outside may use.
#[derive(Clone, Default, Debug)]
pub(super) struct Known {
    /// The shape of these dimensions at a level.
    pub(super) shapes: FxHashMap<(LevelId, Vec<SubExp>), ShapeId>,
    /// The level of the elements of arrays of these dimensions.
    pub(super) inner: FxHashMap<(LevelId, Vec<SubExp>), LevelId>,
    /// The point to which each element of a shape belongs.
    pub(super) owners: FxHashMap<ShapeId, Name>,
    /// The points of some elements of a shape, between which others are searched for; how many these are, and
    /// the last point.
    pub(super) some_owners: FxHashMap<ShapeId, (Name, SubExp, SubExp)>,
    /// How many pieces of at most so many elements arrays of this size have, at the points of a level.
    pub(super) pieces: FxHashMap<(LevelId, SubExp, i64), Name>,
    /// The points of a divided level that are not those of this one.
    pub(super) other_sides: FxHashMap<LevelId, LevelId>,
    /// Vectors that are others with another name for their size, and the checks of that.
    pub(super) casts: FxHashMap<Name, (Name, Vec<Name>)>,
    /// What selected points have of an array of the level around them, for each of them.
    pub(super) moved: FxHashMap<(LevelId, Name), Name>,
    /// The numbers of all points of a level.
    pub(super) numbers: FxHashMap<LevelId, Name>,
    /// Checks of the points of a level, as one check of the host.
    pub(super) made: Vec<(LevelId, Vec<Name>, Name)>,
}
