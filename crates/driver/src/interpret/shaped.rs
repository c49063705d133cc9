//! Values with the shape that they have in the source: records, sums and arrays of them, put together from
//! the flat values of the core IR by what is known of the result's type.
//!
//! ```text
//! [1, 3], [2, 4] of type [](i32, i32)   ->   [(1, 2), (3, 4)]
//! ```

use fehu_base::prim::ScalarType;
use fehu_base::Symbol;
use fehu_data::{Data, Value};
use fehu_ir::interp;
use fehu_ir::{EntryType, OpaqueType, OpaqueTypes};
use std::fmt;
use std::rc::Rc;

/// Lines longer than this are broken at the outermost commas.
const MAX_LINE: usize = 78;

/// A value as people write it.
#[derive(Clone, PartialEq, Debug)]
pub enum Shaped {
    /// A number or truth value.
    Scalar(Value),
    /// An array.
    Array(Vec<Shaped>),
    /// A tuple; the unit has no components.
    Tuple(Vec<Shaped>),
    /// A record.
    Record(Vec<(Symbol, Shaped)>),
    /// A constructor with its payload.
    Constr(Symbol, Vec<Shaped>),
}

/// A part of a flat value: the element at an index of some of the outer dimensions.
#[derive(Clone)]
struct Leaf {
    value: Rc<Value>,
    /// How many dimensions are indexed already, and the first element behind the index.
    depth: usize,
    first: usize,
}

impl Leaf {
    /// The element at an index of the next dimension.
    fn at(&self, index: usize) -> Leaf {
        let rest: usize = self.value.shape().iter().skip(self.depth + 1).product();
        Leaf { depth: self.depth + 1, first: self.first + index * rest, ..self.clone() }
    }

    fn size(&self) -> Option<usize> {
        self.value.shape().get(self.depth).copied()
    }
}

/// The value of this type that has these flat values.
pub(super) fn shaped(opaques: &OpaqueTypes, ty: &EntryType, leaves: &[interp::Value]) -> Option<Shaped> {
    let mut scalars = vec![];
    scalars_of(opaques, ty, &mut scalars)?;
    if scalars.len() != leaves.len() {
        return None;
    }
    let leaves = scalars.iter().zip(leaves).map(|(t, value)| data(*t, value));
    of_data(opaques, ty, leaves.collect::<Option<_>>()?)
}

/// The value of this type that has these flat values, as files hold them.
pub(super) fn of_data(opaques: &OpaqueTypes, ty: &EntryType, leaves: Vec<Value>) -> Option<Shaped> {
    let mut scalars = vec![];
    scalars_of(opaques, ty, &mut scalars)?;
    if scalars.len() != leaves.len() {
        return None;
    }
    let leaves = leaves.into_iter().map(|value| Leaf { value: Rc::new(value), depth: 0, first: 0 });
    build(opaques, ty, &leaves.collect::<Vec<_>>())
}

/// A scalar, or an array of them.
pub(super) fn leaf(t: ScalarType, value: &interp::Value) -> Option<Shaped> {
    plain(&Leaf { value: Rc::new(data(t, value)?), depth: 0, first: 0 })
}

fn data(t: ScalarType, value: &interp::Value) -> Option<Value> {
    super::data_value(value, t)
}

pub(super) fn find<'a>(opaques: &'a OpaqueTypes, name: &str) -> Option<&'a OpaqueType> {
    opaques.types.iter().find(|(n, _)| n == name).map(|(_, t)| t)
}

/// The scalar types of the flat values of a type, in order.
pub(super) fn scalars_of(opaques: &OpaqueTypes, ty: &EntryType, out: &mut Vec<ScalarType>) -> Option<()> {
    let name = match ty {
        EntryType::Transparent(t, _) => {
            out.push(*t);
            return Some(());
        }
        EntryType::Opaque(name) => name,
    };
    match find(opaques, name)? {
        OpaqueType::Record(fields) if fields.is_empty() => out.push(ScalarType::Bool),
        OpaqueType::Record(fields) | OpaqueType::RecordArray { fields, .. } => {
            fields.iter().try_for_each(|(_, t)| scalars_of(opaques, t, out))?;
        }
        OpaqueType::Plain(values) | OpaqueType::Sum { values, .. } | OpaqueType::Array { values, .. } => {
            out.extend(values.iter().map(|(t, _)| *t));
        }
    }
    Some(())
}

fn build(opaques: &OpaqueTypes, ty: &EntryType, leaves: &[Leaf]) -> Option<Shaped> {
    let name = match (ty, leaves) {
        (EntryType::Transparent(..), [leaf]) => return plain(leaf),
        (EntryType::Transparent(..), _) => return None,
        (EntryType::Opaque(name), _) => name,
    };
    match find(opaques, name)? {
        // An abstract type: of one array or scalar, since functions are no values here.
        OpaqueType::Plain(_) => plain(leaves.first()?),
        OpaqueType::Record(fields) => record(opaques, fields, leaves),
        OpaqueType::Sum { variants, .. } => {
            let tag = leaves.first()?.value.data().get(leaves.first()?.first)?.as_i64()?;
            let (constructor, payloads) = variants.get(usize::try_from(tag).ok()?)?;
            let payload = |(ty, places): &(EntryType, Vec<usize>)| {
                let leaves: Option<Vec<Leaf>> = places.iter().map(|i| leaves.get(*i).cloned()).collect();
                build(opaques, ty, &leaves?)
            };
            Some(Shaped::Constr(*constructor, payloads.iter().map(payload).collect::<Option<_>>()?))
        }
        OpaqueType::Array { elem, rank, .. } | OpaqueType::RecordArray { elem, rank, .. } => {
            array(opaques, elem, *rank, leaves)
        }
    }
}

fn record(opaques: &OpaqueTypes, fields: &[(Symbol, EntryType)], leaves: &[Leaf]) -> Option<Shaped> {
    let mut rest = leaves;
    let mut built = vec![];
    for (name, ty) in fields {
        let mut scalars = vec![];
        scalars_of(opaques, ty, &mut scalars)?;
        let (own, others) = rest.split_at_checked(scalars.len())?;
        rest = others;
        built.push((*name, build(opaques, ty, own)?));
    }
    let tuple = built.iter().enumerate().all(|(i, (name, _))| name.as_str() == i.to_string());
    Some(match tuple {
        true => Shaped::Tuple(built.into_iter().map(|(_, v)| v).collect()),
        false => Shaped::Record(built),
    })
}

fn array(opaques: &OpaqueTypes, elem: &EntryType, rank: usize, leaves: &[Leaf]) -> Option<Shaped> {
    if rank == 0 {
        return build(opaques, elem, leaves);
    }
    let size = leaves.first()?.size()?;
    let element = |i: usize| {
        let leaves: Vec<Leaf> = leaves.iter().map(|l| l.at(i)).collect();
        array(opaques, elem, rank - 1, &leaves)
    };
    Some(Shaped::Array((0..size).map(element).collect::<Option<_>>()?))
}

fn plain(leaf: &Leaf) -> Option<Shaped> {
    match leaf.size() {
        Some(size) => Some(Shaped::Array((0..size).map(|i| plain(&leaf.at(i))).collect::<Option<_>>()?)),
        None => {
            let mut data = Data::empty(leaf.value.scalar_type());
            data.push(leaf.value.data().get(leaf.first)?);
            Some(Shaped::Scalar(Value::new(vec![], data)?))
        }
    }
}

impl Shaped {
    /// The elements of an array of bytes.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        let byte = |v: &Shaped| match v {
            Shaped::Scalar(value) => value.elements::<u8>().and_then(|b| b.first().copied()),
            Shaped::Array(_) | Shaped::Tuple(_) | Shaped::Record(_) | Shaped::Constr(..) => None,
        };
        match self {
            Shaped::Array(items) => items.iter().map(byte).collect(),
            Shaped::Scalar(_) | Shaped::Tuple(_) | Shaped::Record(_) | Shaped::Constr(..) => None,
        }
    }

    /// The value as an expression, if there is one. Where its type is written, it may have arrays without elements.
    pub(super) fn literal(&self, typed: bool) -> Option<String> {
        let list = |items: &[Shaped]| {
            let texts: Option<Vec<String>> = items.iter().map(|v| v.literal(typed)).collect();
            Some(texts?.join(", "))
        };
        Some(match self {
            Shaped::Scalar(value) => format!("({value})"),
            Shaped::Array(items) if items.is_empty() && !typed => return None,
            Shaped::Array(items) => format!("[{}]", list(items)?),
            Shaped::Tuple(items) => format!("({})", list(items)?),
            Shaped::Record(fields) => {
                let field = |(name, v): &(Symbol, Shaped)| Some(format!("{name} = {}", v.literal(typed)?));
                format!("{{{}}}", fields.iter().map(field).collect::<Option<Vec<_>>>()?.join(", "))
            }
            // The other constructors of its type are not known.
            Shaped::Constr(..) => return None,
        })
    }

    /// The text on one line.
    pub(super) fn line(&self) -> String {
        let list = |items: &[Shaped]| items.iter().map(Shaped::line).collect::<Vec<_>>().join(", ");
        match self {
            Shaped::Scalar(value) => {
                let (text, suffix) = (value.to_string(), value.scalar_type().to_string());
                text.strip_suffix(&suffix).unwrap_or(&text).to_owned()
            }
            Shaped::Array(items) => format!("[{}]", list(items)),
            Shaped::Tuple(items) => format!("({})", list(items)),
            Shaped::Record(fields) => {
                let field = |(name, value): &(Symbol, Shaped)| format!("{name} = {}", value.line());
                format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
            }
            Shaped::Constr(name, payload) => {
                let argument = |v: &Shaped| match v {
                    Shaped::Constr(_, inner) if !inner.is_empty() => format!(" ({})", v.line()),
                    Shaped::Scalar(_)
                    | Shaped::Array(_)
                    | Shaped::Tuple(_)
                    | Shaped::Record(_)
                    | Shaped::Constr(..) => format!(" {}", v.line()),
                };
                format!("#{name}{}", payload.iter().map(argument).collect::<String>())
            }
        }
    }

    /// The text, of which no line is long without need; further lines are indented by this much.
    fn lines(&self, indent: usize) -> String {
        let line = self.line();
        if indent + line.len() <= MAX_LINE {
            return line;
        }
        let broken = |open: &str, parts: Vec<String>, close: &str| {
            format!("{open}{}{close}", parts.join(&format!(",\n{}", " ".repeat(indent + 1))))
        };
        let list = |items: &[Shaped]| items.iter().map(|v| v.lines(indent + 1)).collect::<Vec<_>>();
        match self {
            // Numbers fill lines, anything else has one of its own.
            Shaped::Array(items) if items.iter().all(|v| matches!(v, Shaped::Scalar(_))) => line,
            Shaped::Array(items) => broken("[", list(items), "]"),
            Shaped::Tuple(items) => broken("(", list(items), ")"),
            Shaped::Record(fields) => {
                let field = |(name, value): &(Symbol, Shaped)| {
                    format!("{name} = {}", value.lines(indent + name.as_str().len() + 4))
                };
                broken("{", fields.iter().map(field).collect(), "}")
            }
            Shaped::Scalar(_) | Shaped::Constr(..) => line,
        }
    }
}

impl fmt::Display for Shaped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lines(0))
    }
}
