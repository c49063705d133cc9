//! Rectangular values: a shape, and elements of one scalar type in row-major
//! order.

use fehu_base::prim::{PrimValue, ScalarType};
use half::f16;
use std::fmt;

/// The most dimensions a value may have: what one byte of a binary header
/// can say.
pub const MAX_RANK: usize = 255;

/// Sizes of arrays are smaller, as in compiled programs.
pub(crate) const SIZE_LIMIT: usize = 1 << 48;

/// The product of those sizes of an array that are not 0 is smaller.
pub(crate) const PRODUCT_LIMIT: usize = 1 << 60;

/// A scalar (rank 0) or an array.
///
/// Equality is that of the bits of the elements, so that NaN equals itself;
/// see [`crate::compare`] for comparing results.
#[derive(Clone, Debug)]
pub struct Value {
    shape: Vec<usize>,
    data: Data,
}

/// The type of a value: what `[10][20]i32` says.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ValueType {
    /// The size of each dimension, outermost first; empty for scalars.
    pub shape: Vec<usize>,
    /// The type of the elements.
    pub elem: ScalarType,
}

/// Runs a piece of code for the vector of whatever type is inside.
macro_rules! with_data {
    ($data:expr, $v:ident => $body:expr) => {
        match $data {
            Data::I8($v) => $body,
            Data::I16($v) => $body,
            Data::I32($v) => $body,
            Data::I64($v) => $body,
            Data::U8($v) => $body,
            Data::U16($v) => $body,
            Data::U32($v) => $body,
            Data::U64($v) => $body,
            Data::F16($v) => $body,
            Data::F32($v) => $body,
            Data::F64($v) => $body,
            Data::Bool($v) => $body,
        }
    };
}
pub(crate) use with_data;

/// A Rust type that elements are stored as.
pub trait Element: Copy + PartialEq + fmt::Debug + 'static {
    /// Its name in the language.
    const TYPE: ScalarType;

    /// Elements as [`Data`].
    fn wrap(elements: Vec<Self>) -> Data;

    /// The elements, if they are of this type.
    fn unwrap(data: &Data) -> Option<&[Self]>;

    /// The element as a core value, which has no signedness.
    fn to_prim(self) -> PrimValue;

    /// The element a core value stands for, if of this width.
    fn from_prim(value: PrimValue) -> Option<Self>;

    /// Appends the little-endian bytes.
    fn write_le(self, out: &mut Vec<u8>);

    /// The element that so many little-endian bytes spell.
    fn read_le(bytes: &[u8]) -> Self;
}

macro_rules! elements {
    ($($name:ident $ty:ty, $prim:ident;)*) => {
        /// Flat storage.
        #[derive(Clone, Debug)]
        #[allow(missing_docs)]
        pub enum Data {
            $($name(Vec<$ty>),)*
            Bool(Vec<bool>),
        }

        impl Data {
            /// The type of the elements.
            pub fn scalar_type(&self) -> ScalarType {
                match self {
                    $(Data::$name(_) => ScalarType::$name,)*
                    Data::Bool(_) => ScalarType::Bool,
                }
            }

            /// No elements yet, of this type.
            pub fn empty(t: ScalarType) -> Data {
                match t {
                    $(ScalarType::$name => Data::$name(Vec::new()),)*
                    ScalarType::Bool => Data::Bool(Vec::new()),
                }
            }
        }

        $(impl Element for $ty {
            const TYPE: ScalarType = ScalarType::$name;

            fn wrap(elements: Vec<Self>) -> Data {
                Data::$name(elements)
            }

            fn unwrap(data: &Data) -> Option<&[Self]> {
                match data {
                    Data::$name(v) => Some(v),
                    _ => None,
                }
            }

            fn to_prim(self) -> PrimValue {
                PrimValue::$prim(self as _)
            }

            fn from_prim(value: PrimValue) -> Option<Self> {
                match value {
                    PrimValue::$prim(v) => Some(v as _),
                    _ => None,
                }
            }

            fn write_le(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }

            fn read_le(bytes: &[u8]) -> Self {
                let mut array = [0; size_of::<$ty>()];
                array.copy_from_slice(bytes);
                <$ty>::from_le_bytes(array)
            }
        })*
    };
}

elements! {
    I8 i8, I8;
    I16 i16, I16;
    I32 i32, I32;
    I64 i64, I64;
    U8 u8, I8;
    U16 u16, I16;
    U32 u32, I32;
    U64 u64, I64;
    F16 f16, F16;
    F32 f32, F32;
    F64 f64, F64;
}

impl Element for bool {
    const TYPE: ScalarType = ScalarType::Bool;

    fn wrap(elements: Vec<Self>) -> Data {
        Data::Bool(elements)
    }

    fn unwrap(data: &Data) -> Option<&[Self]> {
        if let Data::Bool(v) = data {
            Some(v)
        } else {
            None
        }
    }

    fn to_prim(self) -> PrimValue {
        PrimValue::Bool(self)
    }

    fn from_prim(value: PrimValue) -> Option<Self> {
        if let PrimValue::Bool(v) = value {
            Some(v)
        } else {
            None
        }
    }

    fn write_le(self, out: &mut Vec<u8>) {
        out.push(self.into());
    }

    fn read_le(bytes: &[u8]) -> Self {
        bytes.iter().any(|&b| b != 0)
    }
}

impl Data {
    /// How many elements there are.
    pub fn len(&self) -> usize {
        with_data!(self, v => v.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One element as a core value.
    pub fn get(&self, index: usize) -> Option<PrimValue> {
        with_data!(self, v => v.get(index).map(|&e| e.to_prim()))
    }

    /// Appends an element; `false` (and nothing done) if its width is not
    /// that of the others.
    pub fn push(&mut self, value: PrimValue) -> bool {
        with_data!(self, v => match Element::from_prim(value) {
            Some(e) => {
                v.push(e);
                true
            }
            None => false,
        })
    }
}

impl Value {
    /// A value, if the shape has as many elements as there are, and at most
    /// [`MAX_RANK`] dimensions.
    pub fn new(shape: Vec<usize>, data: Data) -> Option<Value> {
        (shape.len() <= MAX_RANK && element_count(&shape) == Some(data.len()))
            .then_some(Value { shape, data })
    }

    /// A scalar.
    pub fn scalar<T: Element>(element: T) -> Value {
        Value { shape: Vec::new(), data: T::wrap(vec![element]) }
    }

    /// A scalar of a surface type from its core value, if that has its width.
    pub fn from_prim(t: ScalarType, value: PrimValue) -> Option<Value> {
        let mut data = Data::empty(t);
        data.push(value).then_some(Value { shape: Vec::new(), data })
    }

    /// An array of one dimension.
    pub fn vector<T: Element>(elements: Vec<T>) -> Value {
        Value { shape: vec![elements.len()], data: T::wrap(elements) }
    }

    /// An array of characters, as strings are.
    pub fn string(text: &str) -> Value {
        Value::vector(text.as_bytes().to_vec())
    }

    /// The size of each dimension, outermost first; empty for scalars.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The number of dimensions; 0 for scalars.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// The elements, in row-major order.
    pub fn data(&self) -> &Data {
        &self.data
    }

    /// Takes the value apart.
    pub fn into_parts(self) -> (Vec<usize>, Data) {
        (self.shape, self.data)
    }

    /// The elements, if of this type.
    pub fn elements<T: Element>(&self) -> Option<&[T]> {
        T::unwrap(&self.data)
    }

    /// The type of the elements.
    pub fn scalar_type(&self) -> ScalarType {
        self.data.scalar_type()
    }

    /// The type of the whole.
    pub fn value_type(&self) -> ValueType {
        ValueType { shape: self.shape.clone(), elem: self.scalar_type() }
    }

    /// The core value of a scalar.
    pub fn as_prim(&self) -> Option<PrimValue> {
        if self.shape.is_empty() {
            self.data.get(0)
        } else {
            None
        }
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        self.shape == other.shape
            && self.scalar_type() == other.scalar_type()
            && (0..self.data.len()).all(|i| self.data.get(i) == other.data.get(i))
    }
}

impl ValueType {
    /// The number of elements, unless it is beyond counting.
    pub fn element_count(&self) -> Option<usize> {
        element_count(&self.shape)
    }
}

/// As the language writes it, with sizes: `[10][20]i32`.
impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for size in &self.shape {
            write!(f, "[{size}]")?;
        }
        write!(f, "{}", self.elem)
    }
}

/// The product of the sizes; 0 wherever one is, however large the others.
pub(crate) fn element_count(shape: &[usize]) -> Option<usize> {
    if shape.contains(&0) {
        return Some(0);
    }
    shape.iter().try_fold(1usize, |product, &size| product.checked_mul(size))
}
