//! Programs, functions, bodies, statements, expressions and types: the part of
//! the IR that all representations share. See the crate's text for what they
//! mean.

use crate::rep::Rep;
use fehu_base::ops::{BinOp, CmpOp, ConvOp, PrimFn, UnOp};
use fehu_base::prim::{FloatType, IntType, PrimType, PrimValue, ScalarType};
use fehu_base::{Name, NameSource, Span, Symbol};
use std::fmt;
use std::sync::Arc;

/// An operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum SubExp {
    Var(Name),
    Const(PrimValue),
}

/// The sizes of an array's dimensions, outermost first.
pub type Shape = Vec<SubExp>;

/// The type of a binding.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// A primitive value.
    Prim(PrimType),
    /// An array of primitives of rank at least one.
    Array(PrimType, Shape),
    /// An accumulator: a write-only view of arrays inside `WithAcc`. The name is the token (a
    /// parameter of type unit of the `WithAcc` lambda) that tells accumulators apart; the shape is
    /// that of the index space, the types those of the elements.
    Acc(Name, Shape, Vec<Type>),
    /// A block of memory; only in `Memory`.
    Mem(Space),
}

/// Where memory lives.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Space {
    /// The default: host memory in CPU back ends, device memory in GPU ones.
    Default,
    /// Memory shared by a thread block.
    Shared,
    /// Per-thread registers or stack: elements of a type, of constant size.
    Scalar(PrimType, Vec<i64>),
}

/// Where a statement came from: a place, and the calls that led there when it was inlined.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Loc {
    /// The place.
    pub span: Span,
    /// The call from which this place was reached.
    pub caller: Option<Arc<Loc>>,
}

/// An element of a pattern: a name, its type, and what the representation adds.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct PatElem<R: Rep> {
    pub name: Name,
    pub ty: Type,
    pub dec: R::Dec,
}

/// A parameter of a function, lambda or loop.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct Param<R: Rep> {
    pub name: Name,
    pub ty: Type,
    pub dec: R::Dec,
    /// Whether the argument's memory is taken over.
    pub consumed: bool,
}

/// A body: statements, then the operands that are its results.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct Body<R: Rep> {
    pub stms: Vec<Stm<R>>,
    pub result: Vec<SubExp>,
}

/// A statement.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct Stm<R: Rep> {
    pub pat: Vec<PatElem<R>>,
    /// Certificates this statement depends on.
    pub certs: Vec<Name>,
    pub attrs: Vec<Attr>,
    pub loc: Loc,
    pub exp: Exp<R>,
}

/// An attribute that survived to the core, such as `sequential` or `flattening(only_inner)`.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Attr {
    Atom(Symbol),
    Int(i64),
    Comp(Symbol, Vec<Attr>),
}

/// As in the program, without brackets.
impl fmt::Display for Attr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Attr::Atom(name) => f.write_str(name.as_str()),
            Attr::Int(value) => write!(f, "{value}"),
            Attr::Comp(name, args) => {
                let args: Vec<String> = args.iter().map(Attr::to_string).collect();
                write!(f, "{name}({})", args.join(", "))
            }
        }
    }
}

/// One dimension of a slice.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum DimIndex {
    Fix(SubExp),
    /// `start`, `start+stride`, ..., `len` of them.
    Slice {
        start: SubExp,
        len: SubExp,
        stride: SubExp,
    },
}

impl DimIndex {
    /// How many elements a slice has in this dimension.
    pub fn length(&self) -> Option<SubExp> {
        match self {
            DimIndex::Fix(_) => None,
            DimIndex::Slice { len, .. } => Some(*len),
        }
    }
}

/// A slice: one entry for each dimension of the array.
pub type Slice = Vec<DimIndex>;

/// A piece of a run-time error message.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum ErrorPart {
    Text(String),
    /// A value, printed as this scalar type.
    Value(SubExp, ScalarType),
}

/// Elements of an array constant.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct ArrayData {
    pub elem: PrimType,
    pub values: Vec<PrimValue>,
}

/// An expression: a basic operation, or control with bodies of its own, a call, or an operation of the representation.
#[derive(Clone, PartialEq, Debug)]
pub enum Exp<R: Rep> {
    /// An operation without bodies: the same in all representations.
    Basic(Basic),
    /// A call of a function of the program.
    Call(Name, Vec<SubExp>),
    /// A conditional. The types of the results are those of the pattern.
    If(SubExp, Box<Body<R>>, Box<Body<R>>),
    /// A loop. The types of the results are those of the pattern.
    Loop(Box<Loop<R>>),
    /// Arrays turned into accumulators for the time of a body.
    WithAcc(Box<WithAcc<R>>),
    /// An operation of the representation.
    Op(R::Op),
}

/// An operation on operands, without bodies. A pass from one representation to another hands it on as it is;
/// what kind of work it is, whether it may fail and what it costs is in [`crate::class`] and [`crate::cost`].
#[derive(Clone, PartialEq, Debug)]
pub enum Basic {
    /// An operand: a copy of a scalar, another name for an array.
    SubExp(SubExp),
    /// As `SubExp`, but nothing may be concluded about the result: `#[opaque]`, `#[blank]`...
    Opaque(SubExp),
    /// Operator of one operand.
    UnOp(UnOp, SubExp),
    /// Operator of two operands.
    BinOp(BinOp, SubExp, SubExp),
    /// Comparison.
    CmpOp(CmpOp, SubExp, SubExp),
    /// Conversion.
    Conv(ConvOp, SubExp),
    /// Mathematical function.
    PrimFn(PrimFn, Vec<SubExp>),
    /// A check: yields a certificate if the operand is true, else ends the program with the message.
    Assert(SubExp, Vec<ErrorPart>, Purpose),
    /// `[a, b, c]`: elements of the given type (primitive, or arrays of one shape).
    ArrayLit(Vec<SubExp>, Type),
    /// A one-dimensional array of constants, possibly very long.
    ArrayConst(Arc<ArrayData>),
    /// An element (all dimensions fixed) or a slice, which aliases the array.
    Index(Name, Slice),
    /// The array with an element or a slice replaced; consumes the array.
    Update(Name, Slice, SubExp),
    /// LMAD slice of a one-dimensional array: offset, then length and stride per dimension.
    FlatIndex(Name, SubExp, Vec<(SubExp, SubExp)>),
    /// LMAD update of a one-dimensional array by an array; consumes it.
    FlatUpdate(Name, SubExp, Vec<(SubExp, SubExp)>, Name),
    /// `start, start+step, ...`, n of them.
    Iota {
        /// How many.
        n: SubExp,
        /// The first.
        start: SubExp,
        /// The difference.
        step: SubExp,
        /// The element type.
        ty: IntType,
    },
    /// An array of the given outer shape, each element the operand (which may be an array).
    Replicate(Shape, SubExp),
    /// An array of unspecified content.
    Scratch(PrimType, Shape),
    /// A copy in fresh memory.
    Copy(Name),
    /// A copy in fresh memory laid out so that the dimensions, in this order, are row-major.
    Manifest(Vec<usize>, Name),
    /// Arrays joined along a dimension, with the resulting size of it.
    Concat {
        /// The dimension.
        dim: usize,
        /// The arrays.
        arrays: Vec<Name>,
        /// The sum of their sizes in it.
        size: SubExp,
    },
    /// Dimension `i` of the result is dimension `perm[i]` of the array.
    Rearrange(Vec<usize>, Name),
    /// The same elements in row-major order, in another shape.
    Reshape(Shape, Name),
    /// Combines values into an accumulator at an index (ignored if out of bounds); consumes and
    /// returns it.
    UpdateAcc(Name, Vec<SubExp>, Vec<SubExp>),
}

/// What a check is made for, which says when it may go.
///
/// A fact may be used only while its proof remains in the program. It holds because of a check whose
/// certificate the statement that uses the fact names, or because of a check that is never dead. No fact is
/// inferred from types: a dead array is removed with its checks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// The values of statements that name its certificate: it goes with them.
    Values,
    /// The program itself asks for it (`assert`): it stays where the code around it runs.
    Program,
    /// From here on `sizes` are sizes, at least 0 and below 2^48, if all of `runs` are positive. Passes rely
    /// on that without naming the certificate, so the check stays where the code around it runs.
    #[allow(missing_docs)]
    Sizes { sizes: Vec<SubExp>, runs: Vec<SubExp> },
}

impl Purpose {
    /// The purpose of a check after which these are sizes.
    pub fn sizes(sizes: Vec<SubExp>) -> Purpose {
        Purpose::Sizes { sizes, runs: vec![] }
    }

    /// Whether the check is never dead: it remains although no statement names its certificate.
    pub fn stays(&self) -> bool {
        match self {
            Purpose::Values => false,
            Purpose::Program | Purpose::Sizes { .. } => true,
        }
    }
}

/// A loop: parameters with their initial values; the body's results are the
/// parameters of the next iteration, and the loop's results in the end.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct Loop<R: Rep> {
    pub params: Vec<(Param<R>, SubExp)>,
    pub form: LoopForm,
    pub body: Body<R>,
}

/// How a loop goes on.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum LoopForm {
    /// The variable runs from 0 to the bound, exclusively.
    For { var: Name, ty: IntType, bound: SubExp },
    /// As long as the boolean parameter of this name is true.
    While(Name),
}

/// An anonymous function. Its result types mention only names bound outside of it.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct Lambda<R: Rep> {
    pub params: Vec<Param<R>>,
    pub body: Body<R>,
    pub ret: Vec<Type>,
}

/// `with_acc`: the lambda takes, for each input, a token (of type unit) and then,
/// for each input, an accumulator; it returns the accumulators first, then any other results. The
/// results are the arrays of each input, updated, then those others. Consumes the arrays.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct WithAcc<R: Rep> {
    pub inputs: Vec<AccInput<R>>,
    pub lambda: Lambda<R>,
}

/// An input of `WithAcc`.
#[derive(Clone, PartialEq, Debug)]
pub struct AccInput<R: Rep> {
    /// The index space: the outer dimensions of the arrays.
    pub shape: Shape,
    /// The arrays; several if elements are tuples.
    pub arrays: Vec<Name>,
    /// How values are combined: an operator (taking the index first is not needed: parameters are
    /// the old values, then the new ones) and its neutral element; without one, values overwrite.
    pub op: Option<(Lambda<R>, Vec<SubExp>)>,
}

/// A size in a function's result type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExtSize {
    /// Known: a constant or a parameter.
    Free(SubExp),
    /// The value of that result.
    Ext(usize),
}

/// A result type of a function.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum RetType {
    Prim(PrimType),
    Array {
        elem: PrimType,
        shape: Vec<ExtSize>,
        /// Whether the result is fresh memory or that of a consumed parameter; otherwise it may
        /// alias any parameter.
        unique: bool,
    },
    /// A block of memory that is returned; only in `Memory`.
    Mem(Space),
}

/// What a result of a function carries besides its type; see [`Rep::Dec`].
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct FunRet<R: Rep> {
    pub ty: RetType,
    pub dec: R::Dec,
}

/// A function.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct FunDef<R: Rep> {
    pub name: Name,
    pub entry: Option<EntryPoint>,
    pub attrs: Vec<Attr>,
    pub params: Vec<Param<R>>,
    pub ret: Vec<FunRet<R>>,
    pub body: Body<R>,
    pub loc: Loc,
}

impl<R: Rep> FunDef<R> {
    /// The sizes of arguments that are checked before the body runs. The caller of an entry point checks all;
    /// elsewhere the inner sizes of an array without rows are unchecked.
    pub fn checked_sizes(&self) -> impl Iterator<Item = SubExp> + '_ {
        let dims = if self.entry.is_some() { usize::MAX } else { 1 };
        self.params.iter().flat_map(move |p| p.ty.shape().iter().take(dims).copied())
    }
}

/// The face that an entry point shows to the outside world. Parameters and results are given as
/// surface types; the function's own parameters are: first all sizes it needs as `i64` (`size_params`
/// of them, in order; each must be found in the shape of some array parameter), then the flattened
/// values of each parameter in order. Its results are: first the sizes of results unknown before, then
/// the flattened values of the result.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct EntryPoint {
    pub name: Symbol,
    pub doc: Option<String>,
    pub params: Vec<EntryParam>,
    pub result: EntryResult,
    /// How many of the function's first parameters are sizes.
    pub size_params: usize,
    /// How many of the function's first results are sizes.
    pub size_results: usize,
}

/// A parameter of an entry point.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct EntryParam {
    pub name: Option<Symbol>,
    pub ty: EntryType,
    pub unique: bool,
}

/// The result of an entry point.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct EntryResult {
    pub ty: EntryType,
    pub unique: bool,
}

/// A type as the outside world sees it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum EntryType {
    /// A scalar or an array of scalars: rank 0 or more. One value.
    Transparent(ScalarType, usize),
    /// An opaque type, by its name in [`OpaqueTypes`].
    Opaque(String),
}

/// The opaque types of all entry points, those a type is made of before it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct OpaqueTypes {
    /// Name and what is known of it.
    pub types: Vec<(String, OpaqueType)>,
}

/// A payload of a constructor: its type, and which of the flattened values hold it.
pub type Payload = (EntryType, Vec<usize>);

/// What is known of an opaque type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum OpaqueType {
    /// Nothing but its flattened values: scalar type (signedness matters to storage) and rank.
    Plain(Vec<(ScalarType, usize)>),
    /// A record or tuple: fields in alphabetical (numeric for tuples) order. The one without fields, the unit, has one
    /// value nevertheless, a `bool` that is false: an array of units is then an array, which has a shape.
    Record(Vec<(Symbol, EntryType)>),
    /// A sum: the flattened values (the tag, an i8, first), and for each constructor, in
    /// alphabetical order, its payload types and which of the flattened values hold each payload. Sizes that
    /// the type says come last: of which value, in which dimension, and how large.
    Sum {
        values: Vec<(ScalarType, usize)>,
        variants: Vec<(Symbol, Vec<Payload>)>,
        sizes: Vec<(usize, usize, SumSize)>,
    },
    /// An array of opaques of the given rank: element type, rank, and the flattened values (ranks included).
    Array { elem: EntryType, rank: usize, values: Vec<(ScalarType, usize)> },
    /// An array of records: as `Array`, with fields as arrays of this rank.
    RecordArray { elem: EntryType, rank: usize, fields: Vec<(Symbol, EntryType)> },
}

/// What the type of a sum says of a size of an array in it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum SumSize {
    Constant(i64),
    /// It is the size of this value in this dimension.
    Same(usize, usize),
}

/// A program. Constants of the source have become functions without
/// parameters, evaluated where used, or inlined; `consts` are statements
/// evaluated once before any entry point, whose names every function may use.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Prog<R: Rep> {
    pub consts: Body<R>,
    pub funs: Vec<FunDef<R>>,
    pub opaques: OpaqueTypes,
    pub names: NameSource,
}

impl From<Name> for SubExp {
    fn from(n: Name) -> SubExp {
        SubExp::Var(n)
    }
}

impl SubExp {
    /// An `i64` constant.
    pub fn i64(v: i64) -> SubExp {
        SubExp::Const(PrimValue::I64(v))
    }

    /// A boolean constant.
    pub fn bool(v: bool) -> SubExp {
        SubExp::Const(PrimValue::Bool(v))
    }

    /// An integer constant of a width.
    pub fn int(t: IntType, v: i64) -> SubExp {
        SubExp::Const(PrimValue::int(t, v))
    }

    /// A float constant of a width.
    pub fn float(t: FloatType, v: f64) -> SubExp {
        SubExp::Const(PrimValue::float(t, v))
    }

    /// The name, if it is one.
    pub fn name(self) -> Option<Name> {
        match self {
            SubExp::Var(n) => Some(n),
            SubExp::Const(_) => None,
        }
    }

    /// The constant, if it is an integer.
    pub fn as_i64(self) -> Option<i64> {
        match self {
            SubExp::Var(_) => None,
            SubExp::Const(v) => v.as_i64(),
        }
    }
}

impl Type {
    /// The type of sizes.
    pub const I64: Type = Type::Prim(PrimType::I64);
    /// The type of certificates.
    pub const UNIT: Type = Type::Prim(PrimType::Unit);
    /// The type of conditions.
    pub const BOOL: Type = Type::Prim(PrimType::Bool);

    /// An array of this type: the shape put outside. Not for accumulators and memory.
    pub fn array_of(&self, outer: &[SubExp]) -> Type {
        match self {
            Type::Prim(_) if outer.is_empty() => self.clone(),
            Type::Prim(p) => Type::Array(*p, outer.to_vec()),
            Type::Array(p, s) => Type::Array(*p, outer.iter().chain(s).copied().collect()),
            Type::Acc(..) | Type::Mem(_) => fehu_base::bug!("array of {self:?}"),
        }
    }

    /// The shape; empty for what is no array.
    pub fn shape(&self) -> &[SubExp] {
        match self {
            Type::Array(_, s) => s,
            Type::Prim(_) | Type::Acc(..) | Type::Mem(_) => &[],
        }
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.shape().len()
    }

    /// The type of an element when the `n` outer dimensions are indexed.
    pub fn peel(&self, n: usize) -> Type {
        match self {
            Type::Array(p, s) if s.len() == n => Type::Prim(*p),
            Type::Array(p, s) if s.len() > n => Type::Array(*p, s[n..].to_vec()),
            Type::Array(..) | Type::Prim(_) | Type::Acc(..) | Type::Mem(_) => {
                if n == 0 {
                    self.clone()
                } else {
                    fehu_base::bug!("{self:?} has no {n} dimensions")
                }
            }
        }
    }

    /// The primitive type of the elements of an array, or of a primitive.
    pub fn elem(&self) -> Option<PrimType> {
        match self {
            Type::Prim(p) | Type::Array(p, _) => Some(*p),
            Type::Acc(..) | Type::Mem(_) => None,
        }
    }

    /// Whether it is an array.
    pub fn is_array(&self) -> bool {
        matches!(self, Type::Array(..))
    }
}

impl Loc {
    /// A place reached by no inlined call.
    pub fn at(span: Span) -> Loc {
        Loc { span, caller: None }
    }

    /// No place at all.
    pub fn none() -> Loc {
        Loc::at(Span::NONE)
    }
}
