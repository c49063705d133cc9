//! Results as `fehu run` prints them: records, sums, and arrays of them, with the types of numbers.
//!
//! A record that is in no array or sum has a line for each field; everything else is on one line. The
//! runtime's `shown.h` writes the same in compiled programs.
//!
//! ```text
//! {flags = [true, false],
//!  inner = {x = 7i32,
//!           y = 1.0f64}}
//! ```

use super::shaped::{find, of_data, scalars_of, Shaped};
use fehu_base::prim::ScalarType;
use fehu_base::Symbol;
use fehu_data::Value;
use fehu_ir::{EntryType, OpaqueType, OpaqueTypes};

/// The text of a result that has these flat values: a tuple is its components, one after the other.
pub(super) fn written(opaques: &OpaqueTypes, ty: &EntryType, mut leaves: Vec<Value>) -> Option<Vec<String>> {
    let Some(components) = record(opaques, ty).filter(|fields| is_tuple(fields)) else {
        return Some(vec![one(opaques, ty, leaves)?]);
    };
    let mut texts = vec![];
    for (_, ty) in components {
        let mut scalars = vec![];
        scalars_of(opaques, ty, &mut scalars)?;
        let others = leaves.split_off(scalars.len().min(leaves.len()));
        texts.push(one(opaques, ty, std::mem::replace(&mut leaves, others))?);
    }
    Some(texts)
}

fn one(opaques: &OpaqueTypes, ty: &EntryType, leaves: Vec<Value>) -> Option<String> {
    let name = match ty {
        EntryType::Transparent(..) => return leaves.first().map(Value::to_string),
        EntryType::Opaque(name) => name,
    };
    match find(opaques, name)? {
        OpaqueType::Array { elem, rank, .. } | OpaqueType::RecordArray { elem, rank, .. } => {
            let sizes = leaves.first()?.shape().get(..*rank)?;
            if sizes.contains(&0) {
                let sizes: String = sizes.iter().map(|n| format!("[{n}]")).collect();
                return Some(format!("empty({sizes}{})", type_text(opaques, elem)));
            }
        }
        OpaqueType::Plain(_) | OpaqueType::Record(_) | OpaqueType::Sum { .. } => {}
    }
    of_data(opaques, ty, leaves).map(|value| text(&value, Some(0)))
}

type Fields = [(Symbol, EntryType)];

fn record<'a>(opaques: &'a OpaqueTypes, ty: &EntryType) -> Option<&'a Fields> {
    let EntryType::Opaque(name) = ty else { return None };
    match find(opaques, name)? {
        OpaqueType::Record(fields) => Some(fields),
        OpaqueType::Plain(_)
        | OpaqueType::Sum { .. }
        | OpaqueType::Array { .. }
        | OpaqueType::RecordArray { .. } => None,
    }
}

/// The flat values that are read one after the other for a value of this type; nothing for types without text.
pub(super) fn read_as(opaques: &OpaqueTypes, ty: &EntryType) -> Option<Vec<(ScalarType, usize)>> {
    if let EntryType::Transparent(t, rank) = ty {
        return Some(vec![(*t, *rank)]);
    }
    match record(opaques, ty)? {
        // The unit has a value that is never shown.
        [] => Some(vec![(ScalarType::Bool, 0)]),
        fields => {
            let leaves: Option<Vec<_>> = fields.iter().map(|(_, t)| read_as(opaques, t)).collect();
            Some(leaves?.concat())
        }
    }
}

/// A type as the language writes it, without sizes.
pub(super) fn type_name(ty: &EntryType) -> String {
    match ty {
        EntryType::Transparent(t, rank) => format!("{}{t}", "[]".repeat(*rank)),
        EntryType::Opaque(name) => name.clone(),
    }
}

fn is_tuple(fields: &Fields) -> bool {
    fields.iter().enumerate().all(|(i, (name, _))| name.as_str() == i.to_string())
}

/// The type of elements that are not there.
fn type_text(opaques: &OpaqueTypes, ty: &EntryType) -> String {
    let list = |fields: &Fields, name: &dyn Fn(&Symbol) -> String| {
        let parts: Vec<String> =
            fields.iter().map(|(f, t)| format!("{}{}", name(f), type_text(opaques, t))).collect();
        parts.join(", ")
    };
    match (record(opaques, ty), ty) {
        (Some(fields), _) if is_tuple(fields) => format!("({})", list(fields, &|_| String::new())),
        (Some(fields), _) => format!("{{{}}}", list(fields, &|name| format!("{name}: "))),
        (None, ty) => type_name(ty),
    }
}

/// A value that begins in a column, or all of it on one line.
fn text(value: &Shaped, column: Option<usize>) -> String {
    let line = |items: &[Shaped]| items.iter().map(|v| text(v, None)).collect::<Vec<_>>().join(", ");
    let inside = column.map(|c| c + 1);
    let comma = inside.map_or_else(|| ", ".to_owned(), |c| format!(",\n{}", " ".repeat(c)));
    match value {
        Shaped::Scalar(value) => value.to_string(),
        Shaped::Array(items) => format!("[{}]", line(items)),
        Shaped::Tuple(items) => {
            let parts: Vec<String> = items.iter().map(|v| text(v, inside)).collect();
            format!("({})", parts.join(&comma))
        }
        Shaped::Record(fields) => {
            let field = |(name, value): &(Symbol, Shaped)| {
                let at = inside.map(|c| c + name.as_str().len() + " = ".len());
                format!("{name} = {}", text(value, at))
            };
            format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(&comma))
        }
        Shaped::Constr(name, payload) => {
            let argument = |value: &Shaped| match value {
                Shaped::Constr(..) => format!(" ({})", text(value, None)),
                Shaped::Scalar(_) | Shaped::Array(_) | Shaped::Tuple(_) | Shaped::Record(_) => {
                    format!(" {}", text(value, None))
                }
            };
            format!("#{name}{}", payload.iter().map(argument).collect::<String>())
        }
    }
}
