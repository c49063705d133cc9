//! Sum types: a tag and slots.
//!
//! The constructors' payloads share slots where they can: scalars of one
//! primitive type share, array components each have a slot of their own (their
//! sizes may differ). `#a i32 i32 | #b f32 | #c i32` is a tag, two `i32` slots
//! and an `f32` slot.

use crate::code::{Code, Res};
use crate::value::{Data, Ty, Value};
use fehu_base::Symbol;
use fehu_ir::{SubExp, Type};

/// Where payloads go.
pub(crate) struct SumLayout {
    /// The types of the slots after the tag.
    pub(crate) slots: Vec<Type>,
    /// For each constructor, the slot of each leaf of its payload.
    pub(crate) places: Vec<Vec<usize>>,
}

impl SumLayout {
    pub(crate) fn new(constrs: &[(Symbol, Vec<Ty>)]) -> SumLayout {
        let mut slots: Vec<Type> = vec![];
        let mut places = vec![];
        for (_, payload) in constrs {
            let mut used = vec![];
            for leaf in payload.iter().flat_map(Ty::leaves) {
                let shared = if leaf.is_array() {
                    None
                } else {
                    (0..slots.len()).find(|i| slots[*i] == leaf && !used.contains(i))
                };
                let slot = shared.unwrap_or_else(|| {
                    slots.push(leaf);
                    slots.len() - 1
                });
                used.push(slot);
            }
            places.push(used);
        }
        SumLayout { slots, places }
    }
}

/// `#c args` of the given sum type.
pub(crate) fn constr<'a>(code: &mut Code, ty: Ty, c: Symbol, args: Vec<Value<'a>>) -> Res<Value<'a>> {
    let Ty::Sum(constrs) = &ty else { fehu_base::bug!("constructor of {ty:?}") };
    let Some(index) = constrs.iter().position(|(n, _)| *n == c) else {
        fehu_base::bug!("no constructor {c}")
    };
    if ty.has_function() {
        return Ok(Value::Constr(c, args.into()));
    }
    // The sizes of this payload are those of its values.
    let mut constrs = (**constrs).clone();
    let mut payload = vec![];
    for (i, a) in args.into_iter().enumerate() {
        let d = code.data(a)?;
        constrs[index].1[i] = d.ty;
        payload.extend(d.leaves);
    }
    let layout = SumLayout::new(&constrs);
    let mut slots: Vec<Option<SubExp>> = vec![None; layout.slots.len()];
    for (slot, leaf) in layout.places[index].iter().zip(payload) {
        slots[*slot] = Some(leaf);
    }
    let mut leaves = vec![tag(index)];
    for (t, s) in layout.slots.iter().zip(slots) {
        leaves.push(match s {
            Some(e) => e,
            None => code.blank(t),
        });
    }
    Ok(Value::Data(Data { ty: Ty::Sum(constrs.into()), leaves }))
}

/// The tag of the constructor in this position.
pub(crate) fn tag(index: usize) -> SubExp {
    SubExp::int(fehu_base::prim::IntType::I8, index as i64)
}

/// The payloads of a constructor, taken out of a sum value.
pub(crate) fn payload(d: &Data, index: usize) -> Vec<Data> {
    let Ty::Sum(constrs) = &d.ty else { fehu_base::bug!("payload of {:?}", d.ty) };
    let layout = SumLayout::new(constrs);
    let mut places = layout.places[index].iter();
    constrs[index]
        .1
        .iter()
        .map(|ty| {
            let leaves = places.by_ref().take(ty.leaf_count()).map(|p| d.leaves[1 + p]).collect();
            Data { ty: ty.clone(), leaves }
        })
        .collect()
}
