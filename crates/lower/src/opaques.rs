//! How types look from outside: names of opaque types, and what is known of each.
//!
//! ```text
//! [](i32, f32)     opaque, an array of records: "[](i32, f32)" with fields "[]i32" and "[]f32"
//! [][]f32          transparent
//! ```

use crate::sums::SumLayout;
use crate::value::{Dim, Ty};
use fehu_base::prim::ScalarType;
use fehu_base::{Name, Symbol};
use fehu_check::tast::Shown;
use fehu_ir::{EntryType, OpaqueType, OpaqueTypes, SubExp, SumSize};
use rustc_hash::FxHashMap;

/// The opaque types of entry points that are known so far.
#[derive(Default)]
pub(crate) struct Opaques {
    known: OpaqueTypes,
}

impl Opaques {
    /// How a type looks from outside; opaque ones are noted.
    pub(crate) fn entry_type(&mut self, ty: &Ty, written: Option<&Shown>) -> EntryType {
        if let Some((s, rank)) = transparent(ty) {
            return EntryType::Transparent(s, rank);
        }
        let name = written.map_or_else(|| shown(ty).text(), Shown::text);
        self.register(&name, ty, written.map(Shown::meaning));
        EntryType::Opaque(name)
    }

    fn register(&mut self, name: &str, ty: &Ty, written: Option<&Shown>) {
        if let Some((_, known)) = self.known.types.iter_mut().find(|(n, _)| n == name) {
            // Another entry point may say more about sizes.
            if let (OpaqueType::Sum { sizes, .. }, Ty::Sum(constrs)) = (known, ty) {
                let more: Vec<_> = known_sizes(constrs).into_iter().filter(|s| !sizes.contains(s)).collect();
                sizes.extend(more);
            }
            return;
        }
        let known = match ty {
            Ty::Record(fields) => {
                let shown = |f: Symbol| written.and_then(|w| shown_field(w, f));
                OpaqueType::Record(fields.iter().map(|(f, t)| (*f, self.entry_type(t, shown(*f)))).collect())
            }
            Ty::Sum(constrs) => {
                let layout = SumLayout::new(constrs);
                let variants = constrs
                    .iter()
                    .zip(&layout.places)
                    .map(|((c, ts), places)| {
                        let mut places = places.iter();
                        let payload = ts
                            .iter()
                            .enumerate()
                            .map(|(i, t)| {
                                // The tag has room for units.
                                let slot = |unit| if unit { Some(0) } else { places.next().map(|p| p + 1) };
                                let slots = units(t).into_iter().filter_map(slot).collect();
                                let shown = written.and_then(|w| shown_payload(w, *c, i));
                                (self.entry_type(t, shown), slots)
                            })
                            .collect();
                        (*c, payload)
                    })
                    .collect();
                OpaqueType::Sum { values: flat_values(ty), variants, sizes: known_sizes(constrs) }
            }
            Ty::Array(..) => {
                let (rank, elem) = array_of(ty);
                let shown = written.and_then(|w| (0..rank).try_fold(w, |w, _| shown_elem(w)));
                let elem_type = self.entry_type(elem, shown);
                let shown = shown.map(Shown::meaning);
                match elem {
                    Ty::Record(fields) if !fields.is_empty() => {
                        let fields = fields
                            .iter()
                            .map(|(f, t)| {
                                let mut t = t.clone();
                                let mut shown = shown.and_then(|w| shown_field(w, *f)).cloned();
                                for _ in 0..rank {
                                    t = t.array(SubExp::i64(0));
                                    shown = shown.map(|w| Shown::Array(Box::new(w)));
                                }
                                (*f, self.entry_type(&t, shown.as_ref()))
                            })
                            .collect();
                        OpaqueType::RecordArray { elem: elem_type, rank, fields }
                    }
                    Ty::Record(_) | Ty::Scalar(_) | Ty::Array(..) | Ty::Sum(_) | Ty::Acc(..) | Ty::Fun => {
                        OpaqueType::Array { elem: elem_type, rank, values: flat_values(ty) }
                    }
                }
            }
            Ty::Scalar(_) | Ty::Acc(..) | Ty::Fun => OpaqueType::Plain(flat_values(ty)),
        };
        self.known.types.push((name.to_owned(), known));
    }

    /// All that are known.
    pub(crate) fn into_types(self) -> OpaqueTypes {
        self.known
    }
}

/// Which of the leaves that the outside has are units.
pub(crate) fn units(ty: &Ty) -> Vec<bool> {
    match ty {
        Ty::Record(fs) if fs.is_empty() => vec![true],
        Ty::Record(fs) => fs.iter().flat_map(|(_, t)| units(t)).collect(),
        Ty::Array(_, t) => units(t),
        Ty::Scalar(_) | Ty::Sum(_) | Ty::Acc(..) | Ty::Fun => vec![false; ty.leaf_count()],
    }
}

/// The scalar type of each leaf.
pub(crate) fn leaf_scalars(ty: &Ty) -> Vec<ScalarType> {
    flat_values(ty).into_iter().zip(units(ty)).filter(|(_, unit)| !unit).map(|((s, _), _)| s).collect()
}

/// The element type and rank of what needs no opaque type.
fn transparent(ty: &Ty) -> Option<(ScalarType, usize)> {
    match ty {
        Ty::Scalar(s) => Some((*s, 0)),
        Ty::Array(_, e) => transparent(e).map(|(s, r)| (s, r + 1)),
        Ty::Record(_) | Ty::Sum(_) | Ty::Acc(..) | Ty::Fun => None,
    }
}

/// The type of a field, as it was written.
fn shown_field(t: &Shown, field: Symbol) -> Option<&Shown> {
    match t {
        Shown::Record(fs) => fs.iter().find(|(f, _)| *f == field).map(|(_, t)| t),
        Shown::Tuple(ts) => ts.get(field.as_str().parse::<usize>().ok()?),
        Shown::Name(..) | Shown::Array(_) | Shown::Sum(_) => None,
    }
}

/// The type of a constructor's payload, as it was written.
fn shown_payload(t: &Shown, constr: Symbol, i: usize) -> Option<&Shown> {
    match t {
        Shown::Sum(cs) => cs.iter().find(|(c, _)| *c == constr).and_then(|(_, ts)| ts.get(i)),
        Shown::Name(..) | Shown::Array(_) | Shown::Tuple(_) | Shown::Record(_) => None,
    }
}

/// The type of an array's elements, as it was written.
fn shown_elem(t: &Shown) -> Option<&Shown> {
    match t.meaning() {
        Shown::Array(t) => Some(t),
        Shown::Name(..) | Shown::Tuple(_) | Shown::Record(_) | Shown::Sum(_) => None,
    }
}

fn array_of(ty: &Ty) -> (usize, &Ty) {
    match ty {
        Ty::Array(_, e) => {
            let (r, elem) = array_of(e);
            (r + 1, elem)
        }
        Ty::Scalar(_) | Ty::Record(_) | Ty::Sum(_) | Ty::Acc(..) | Ty::Fun => (0, ty),
    }
}

/// Scalar type and rank of each leaf. Slots of sums have lost their signedness.
fn flat_values(ty: &Ty) -> Vec<(ScalarType, usize)> {
    match ty {
        Ty::Scalar(s) => vec![(*s, 0)],
        Ty::Array(_, e) => flat_values(e).into_iter().map(|(s, r)| (s, r + 1)).collect(),
        Ty::Record(fs) if fs.is_empty() => vec![(ScalarType::Bool, 0)],
        Ty::Record(fs) => fs.iter().flat_map(|(_, t)| flat_values(t)).collect(),
        Ty::Sum(_) | Ty::Acc(..) | Ty::Fun => ty
            .leaves()
            .iter()
            .map(|t| {
                let s = ScalarType::ALL.into_iter().find(|s| Some(s.prim()) == t.elem());
                (s.unwrap_or(ScalarType::Bool), t.rank())
            })
            .collect(),
    }
}

/// The sizes in a sum that its type says, as constants or as what is the same: of which of the flattened
/// values, the tag included, and in which dimension.
fn known_sizes(constrs: &[(Symbol, Vec<Ty>)]) -> Vec<(usize, usize, SumSize)> {
    let unknown = SubExp::Var(Name(u32::MAX));
    let marked: Vec<(Symbol, Vec<Ty>)> = constrs
        .iter()
        .map(|(c, ts)| {
            let mark = |d: Dim| match d {
                Dim::Known(_) => d,
                Dim::Unknown => Dim::Known(unknown),
            };
            (*c, ts.iter().map(|t| t.map_dims(&mut |d| mark(d))).collect())
        })
        .collect();
    let mut sizes = vec![];
    let mut first: FxHashMap<SubExp, (usize, usize)> = FxHashMap::default();
    for (i, slot) in SumLayout::new(&marked).slots.iter().enumerate() {
        for (dim, size) in slot.shape().iter().enumerate() {
            let here = (i + 1, dim);
            let known = match size.as_i64() {
                Some(n) => Some(SumSize::Constant(n)),
                None if *size == unknown => None,
                None => {
                    let (value, at) = *first.entry(*size).or_insert(here);
                    ((value, at) != here).then_some(SumSize::Same(value, at))
                }
            };
            sizes.extend(known.map(|known| (here.0, here.1, known)));
        }
    }
    sizes
}

/// A type of which nothing was written.
fn shown(ty: &Ty) -> Shown {
    match ty {
        Ty::Scalar(s) => Shown::Name(s.to_string(), None),
        Ty::Array(_, e) => Shown::Array(Box::new(shown(e))),
        Ty::Record(fs) if fehu_check::show::is_tuple(fs) => {
            Shown::Tuple(fs.iter().map(|(_, t)| shown(t)).collect())
        }
        Ty::Record(fs) => Shown::Record(fs.iter().map(|(f, t)| (*f, shown(t))).collect()),
        Ty::Sum(cs) => Shown::Sum(cs.iter().map(|(c, ts)| (*c, ts.iter().map(shown).collect())).collect()),
        Ty::Acc(..) => Shown::Name("acc".into(), None),
        Ty::Fun => Shown::Name("function".into(), None),
    }
}
