//! Values of the interpreter.

use super::{stuck, Run};
use fehu_base::prim::{PrimType, PrimValue};
use std::fmt;
use std::rc::Rc;

/// A value.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A primitive.
    Prim(PrimValue),
    /// An array.
    Array(ArrayValue),
    /// An accumulator, by its number.
    Acc(usize),
    /// A block of memory, by its number.
    Mem(usize),
}

/// An array: its elements in row-major order. Copies share them until one is changed.
#[derive(Clone, PartialEq, Debug)]
pub struct ArrayValue {
    /// The type of the elements.
    pub elem: PrimType,
    /// The sizes, outermost first; at least one.
    pub shape: Vec<usize>,
    /// The elements.
    pub data: Rc<Vec<PrimValue>>,
}

impl Value {
    /// An `i64`.
    pub fn i64(v: i64) -> Value {
        Value::Prim(PrimValue::I64(v))
    }

    /// A value of a shape: an array, or a primitive if there are no dimensions.
    pub fn of_shape(elem: PrimType, shape: Vec<usize>, data: Vec<PrimValue>) -> Option<Value> {
        if shape.iter().product::<usize>() != data.len() || data.iter().any(|v| v.prim_type() != elem) {
            return None;
        }
        match data.as_slice() {
            [v] if shape.is_empty() => Some(Value::Prim(*v)),
            _ => Some(Value::Array(ArrayValue { elem, shape, data: Rc::new(data) })),
        }
    }

    /// A one-dimensional array of `i32`.
    pub fn i32s(values: &[i32]) -> Value {
        let data: Vec<PrimValue> = values.iter().map(|v| PrimValue::I32(*v)).collect();
        Value::Array(ArrayValue { elem: PrimType::I32, shape: vec![data.len()], data: Rc::new(data) })
    }

    /// A one-dimensional array of `i64`.
    pub fn i64s(values: &[i64]) -> Value {
        let data: Vec<PrimValue> = values.iter().map(|v| PrimValue::I64(*v)).collect();
        Value::Array(ArrayValue { elem: PrimType::I64, shape: vec![data.len()], data: Rc::new(data) })
    }

    /// The array, if it is one.
    pub fn array(&self) -> Option<&ArrayValue> {
        match self {
            Value::Array(a) => Some(a),
            Value::Prim(_) | Value::Acc(_) | Value::Mem(_) => None,
        }
    }

    pub(super) fn into_array(self) -> Run<ArrayValue> {
        match self {
            Value::Array(a) => Ok(a),
            Value::Prim(_) | Value::Acc(_) | Value::Mem(_) => stuck(format!("{self} is no array")),
        }
    }

    pub(super) fn to_prim(&self) -> Run<PrimValue> {
        match self {
            Value::Prim(v) => Ok(*v),
            Value::Array(_) | Value::Acc(_) | Value::Mem(_) => stuck(format!("{self} is no primitive")),
        }
    }

    pub(super) fn to_i64(&self) -> Run<i64> {
        self.to_prim()?.as_i64().map_or_else(|| stuck(format!("{self} is no integer")), Ok)
    }

    pub(super) fn to_size(&self) -> Run<usize> {
        usize::try_from(self.to_i64()?).or_else(|_| stuck(format!("{self} is no size")))
    }

    pub(super) fn to_bool(&self) -> Run<bool> {
        match self {
            Value::Prim(PrimValue::Bool(b)) => Ok(*b),
            Value::Prim(_) | Value::Array(_) | Value::Acc(_) | Value::Mem(_) => {
                stuck(format!("{self} is no boolean"))
            }
        }
    }

    /// The elements: one for a primitive.
    pub(super) fn elements(&self) -> Run<&[PrimValue]> {
        match self {
            Value::Prim(v) => Ok(std::slice::from_ref(v)),
            Value::Array(a) => Ok(&a.data),
            Value::Acc(_) | Value::Mem(_) => stuck(format!("{self} has no elements")),
        }
    }

    pub(super) fn expect_array(&self, elem: PrimType, shape: &[usize]) -> Run<()> {
        match self {
            Value::Array(a) if a.elem == elem && a.shape == shape => Ok(()),
            Value::Array(a) => stuck(format!(
                "an array of shape {:?} and type {}, not {shape:?} and {elem}",
                a.shape, a.elem
            )),
            Value::Prim(_) | Value::Acc(_) | Value::Mem(_) => stuck(format!("has the value {self}")),
        }
    }
}

impl ArrayValue {
    /// The part at the given outer indices; `None` if out of bounds.
    pub(super) fn at(&self, index: &[i64]) -> Option<Value> {
        let (start, rest) = self.position(index)?;
        let len = rest.iter().product::<usize>();
        let data = &self.data[start..start + len];
        Some(if rest.is_empty() {
            Value::Prim(data[0])
        } else {
            Value::Array(ArrayValue { elem: self.elem, shape: rest.to_vec(), data: Rc::new(data.to_vec()) })
        })
    }

    /// Replaces the part at the given outer indices; does nothing out of bounds.
    pub(super) fn put(&mut self, index: &[i64], value: &Value) -> Run<()> {
        let Some((start, rest)) = self.position(index) else { return Ok(()) };
        let len = rest.iter().product::<usize>();
        let elements = value.elements()?;
        if elements.len() != len || elements.iter().any(|v| v.prim_type() != self.elem) {
            return stuck(format!(
                "{value} put in an array of shape {:?} and type {}",
                self.shape, self.elem
            ));
        }
        Rc::make_mut(&mut self.data)[start..start + len].copy_from_slice(elements);
        Ok(())
    }

    /// Where the part at the given outer indices begins, and its shape.
    fn position(&self, index: &[i64]) -> Option<(usize, &[usize])> {
        if index.len() > self.shape.len() {
            return None;
        }
        let mut start = 0;
        for (k, i) in index.iter().enumerate() {
            let i = usize::try_from(*i).ok()?;
            if i >= self.shape[k] {
                return None;
            }
            start = start * self.shape[k] + i;
        }
        let rest = &self.shape[index.len()..];
        Some((start * rest.iter().product::<usize>(), rest))
    }
}

/// As in IR text; arrays as nested lists.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Prim(v) => v.fmt(f),
            Value::Array(a) => show(f, &a.shape, &a.data),
            Value::Acc(n) => write!(f, "<accumulator {n}>"),
            Value::Mem(_) => f.write_str("<memory>"),
        }
    }
}

fn show(f: &mut fmt::Formatter<'_>, shape: &[usize], data: &[PrimValue]) -> fmt::Result {
    let [n, rest @ ..] = shape else { return data.first().map_or(Ok(()), |v| write!(f, "{v}")) };
    let row = rest.iter().product::<usize>();
    f.write_str("[")?;
    for i in 0..*n {
        if i > 0 {
            f.write_str(", ")?;
        }
        show(f, rest, &data[i * row..(i + 1) * row])?;
    }
    f.write_str("]")
}
