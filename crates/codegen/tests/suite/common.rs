//! Hand-made imperative programs, and what it takes to compile and run them.

use crate::sample;
use fehu_base::ops::{BinOp, CmpOp};
use fehu_base::prim::{IntType, PrimType, PrimValue, ScalarType};
use fehu_base::{Name, NameSource, Symbol};
use fehu_codegen::{Backend, Mode, Options, Output};
use fehu_imp::build::count_up;
use fehu_imp::syntax::*;
use fehu_ir::{Attr, EntryParam, EntryPoint, EntryResult, EntryType};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// A program under construction.
pub struct Builder {
    pub program: Program,
}

impl Builder {
    pub fn new() -> Builder {
        Builder {
            program: Program {
                globals: Vec::new(),
                init: Code::Seq(Vec::new()),
                functions: Vec::new(),
                device_functions: Vec::new(),
                kernels: Vec::new(),
                opaques: OpaqueTypes::default(),
                params: Vec::new(),
                checks: Vec::new(),
                names: NameSource::new(),
            },
        }
    }

    pub fn name(&mut self, base: &str) -> Name {
        self.program.names.fresh_str(base)
    }

    /// A scalar parameter of an entry point.
    pub fn scalar(&mut self, base: &str, ty: ScalarType) -> Value {
        let var = self.name(base);
        Value {
            ty: EntryType::Transparent(ty, 0),
            params: vec![Param::Scalar(var, ty.prim())],
            values: vec![EntryValue::Scalar { var, ty }],
            unique: false,
        }
    }

    /// An array of the given sizes, which are names that some parameter declares.
    pub fn array(&mut self, base: &str, elem: ScalarType, shape: &[Expr]) -> Value {
        let mem = self.name(base);
        Value {
            ty: EntryType::Transparent(elem, shape.len()),
            params: vec![Param::Mem(mem, Space::Default)],
            values: vec![EntryValue::Array { mem, elem, shape: shape.to_vec() }],
            unique: false,
        }
    }

    /// An opaque value of some parts.
    pub fn opaque(&mut self, ty: &str, parts: Vec<Value>) -> Value {
        Value {
            ty: EntryType::Opaque(ty.into()),
            params: parts.iter().flat_map(|p| p.params.clone()).collect(),
            values: parts.into_iter().flat_map(|p| p.values).collect(),
            unique: false,
        }
    }

    /// Adds an entry point: sizes are extra `i64` inputs and outputs.
    pub fn entry(
        &mut self,
        name: &str,
        in_sizes: &[Name],
        params: Vec<Value>,
        out_sizes: &[Name],
        result: Value,
        body: Vec<Code<HostOp>>,
    ) {
        let fun = self.name(name);
        let size = |x: &Name| Param::Scalar(*x, PrimType::I64);
        let inputs = in_sizes.iter().map(size).chain(params.iter().flat_map(|p| p.params.clone())).collect();
        let outputs = out_sizes.iter().map(size).chain(result.params.clone()).collect();
        let face = EntryPoint {
            name: Symbol::new(name),
            doc: None,
            params: params
                .iter()
                .enumerate()
                .map(|(i, p)| EntryParam {
                    name: Some(Symbol::new(&format!("p{i}"))),
                    ty: p.ty.clone(),
                    unique: p.unique,
                })
                .collect(),
            result: EntryResult { ty: result.ty.clone(), unique: result.unique },
            size_params: in_sizes.len(),
            size_results: out_sizes.len(),
        };
        let entry = Entry {
            face,
            attrs: vec![Attr::Comp(
                Symbol::new("prop"),
                vec![Attr::Int(3), Attr::Atom(Symbol::new("sample"))],
            )],
            params: params.iter().map(|p| p.values.clone()).collect(),
            result: result.values.clone(),
        };
        self.program.functions.push(Function {
            name: fun,
            outputs,
            inputs,
            body: Code::Seq(body),
            entry: Some(entry),
        });
    }
}

/// A parameter or result of an entry point.
#[derive(Clone)]
pub struct Value {
    pub ty: EntryType,
    pub params: Vec<Param>,
    pub values: Vec<EntryValue>,
    pub unique: bool,
}

impl Value {
    pub fn unique(mut self) -> Value {
        self.unique = true;
        self
    }

    /// The only variable.
    pub fn name(&self) -> Name {
        match self.params.as_slice() {
            [Param::Scalar(x, _)] => *x,
            [Param::Mem(m, _)] => *m,
            _ => panic!("not one variable"),
        }
    }
}

pub fn var(x: Name) -> Expr {
    Expr::Var(x)
}

pub fn int(v: i64) -> Expr {
    Expr::Const(PrimValue::I64(v))
}

pub fn add(a: Expr, b: Expr) -> Expr {
    Expr::BinOp(BinOp::Add(IntType::I64), a.into(), b.into())
}

pub fn mul(a: Expr, b: Expr) -> Expr {
    Expr::BinOp(BinOp::Mul(IntType::I64), a.into(), b.into())
}

pub fn binop(op: BinOp, a: Expr, b: Expr) -> Expr {
    Expr::BinOp(op, a.into(), b.into())
}

pub fn cmp(op: CmpOp, a: Expr, b: Expr) -> Expr {
    Expr::CmpOp(op, a.into(), b.into())
}

pub fn index(mem: Name, offset: Expr, elem: PrimType) -> Expr {
    Expr::Index { mem, offset: offset.into(), elem, space: Space::Default }
}

pub fn write<O>(mem: Name, offset: Expr, elem: PrimType, value: Expr) -> Code<O> {
    Code::Write { mem, offset, elem, space: Space::Default, value }
}

pub fn alloc(mem: Name, bytes: Expr) -> Code<HostOp> {
    Code::Op(HostOp::Cpu(CpuOp::Allocate { mem, bytes, space: Space::Default, loc: Loc::none() }))
}

pub fn set<O>(x: Name, e: Expr) -> Code<O> {
    Code::SetScalar(x, e)
}

pub fn for_loop<O>(var: Name, bound: Expr, body: Vec<Code<O>>) -> Code<O> {
    count_up(var, bound, Code::Seq(body))
}

pub fn place(mem: Name, offset: Expr, strides: Vec<Expr>) -> Place {
    Place { mem, space: Space::Default, offset, strides }
}

pub fn generate(program: &Program, mode: Mode) -> Output {
    generate_for(Backend::C, program, mode)
}

/// The texts for a program, after the passes that come last.
pub fn generate_for(backend: Backend, program: &Program, mode: Mode) -> Output {
    let mut program = program.clone();
    let passes = match backend {
        Backend::C | Backend::Multicore => vec![fehu_impopt::outline::PASS],
        Backend::OpenCl | Backend::Cuda => {
            vec![fehu_impopt::restrict::PASS, fehu_impopt::unroll::PASS, fehu_impopt::checks::PASS]
        }
    };
    passes.iter().for_each(|pass| (pass.run)(&mut program));
    let analysis = fehu_impopt::Analysis::of(&program, backend.memory());
    let backtrace = |_: &Loc| vec!["prog.fut:1:2-3".into(), "prog.fut:4:5-6".into()];
    let options = Options { mode, backtrace: &backtrace, deterministic: false, version: "test" };
    fehu_codegen::generate(backend, &program, &analysis, &options)
}

/// Whether there is an OpenCL device to run on. Tests that need one say so and pass without.
pub fn has_opencl() -> bool {
    static HAS: OnceLock<bool> = OnceLock::new();
    *HAS.get_or_init(|| {
        let text = generate_for(Backend::OpenCl, &Builder::new().program, Mode::Executable).c_text;
        let has = run(&compile("no_entries", &text, &[]), &["--list-devices"], b"").text().contains("#0");
        if !has {
            eprintln!("no OpenCL device: install pocl-opencl-icd to test kernels");
        }
        has
    })
}

/// Compiles C text, which must give no warning.
pub fn compile(name: &str, text: &str, flags: &[&str]) -> PathBuf {
    compile_files(name, &[(&format!("{name}.c"), text)], flags)
}

/// Compiles the C files among these, which must give no warning. Programs stay
/// where they are built, and are built again when a file changes.
pub fn compile_files(name: &str, files: &[(&str, &str)], flags: &[&str]) -> PathBuf {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (exe, stamp) = (dir.join(name), dir.join(format!("{name}.done")));
    let wanted = format!("{flags:?}\n{files:?}");
    if std::fs::read_to_string(&stamp).is_ok_and(|s| s == wanted) {
        return exe;
    }
    let mut command = Command::new("cc");
    command.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-g", "-o"]).arg(&exe).args(flags);
    for (file, text) in files {
        std::fs::write(dir.join(file), text).unwrap();
        if file.ends_with(".c") {
            command.arg(dir.join(file));
        }
    }
    let out = command.args(["-lm", "-lpthread", "-ldl"]).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    std::fs::write(&stamp, wanted).unwrap();
    exe
}

/// The sample program as an executable.
pub fn executable() -> &'static Path {
    static EXE: OnceLock<PathBuf> = OnceLock::new();
    EXE.get_or_init(|| compile("sample", &generate(&sample::program(), Mode::Executable).c_text, &["-O3"]))
}

/// The sample program as a server.
pub fn server() -> &'static Path {
    static EXE: OnceLock<PathBuf> = OnceLock::new();
    EXE.get_or_init(|| compile("server", &generate(&sample::program(), Mode::Server).c_text, &["-O3"]))
}

/// What a program did.
#[derive(Debug)]
pub struct Ran {
    /// The exit code; none if a signal ended it.
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl Ran {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }
}

pub fn run(exe: &Path, args: &[&str], stdin: &[u8]) -> Ran {
    let mut command = Command::new(exe);
    command.args(args);
    run_command(command, stdin)
}

/// Runs under valgrind; errors and leaks make the exit code 99.
pub fn run_checked(exe: &Path, args: &[&str], stdin: &[u8]) -> Ran {
    let mut command = Command::new("valgrind");
    command
        .args(["-q", "--leak-check=full", "--show-leak-kinds=all", "--error-exitcode=99"])
        .arg(exe)
        .args(args);
    run_command(command, stdin)
}

fn run_command(mut command: Command, stdin: &[u8]) -> Ran {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let input = stdin.to_vec();
    let writer = std::thread::spawn(move || drop(pipe.write_all(&input)));
    let out = child.wait_with_output().unwrap();
    writer.join().unwrap();
    Ran {
        code: out.status.code(),
        stdout: out.stdout,
        stderr: String::from_utf8_lossy(&out.stderr).into_owned(),
    }
}

/// A small generator of numbers that look random.
pub struct Random(pub u64);

impl Random {
    /// A number from 0 to one less than this.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }

    /// A change to some bytes: one replaced, removed, doubled, or a special one put in.
    pub fn mutate(&mut self, bytes: &mut Vec<u8>) {
        const SPECIAL: &[u8] = b"[](),-\"b\x02\x00\xff\n 09e.x";
        for _ in 0..=self.below(4) {
            let at = self.below(bytes.len() + 1);
            match self.below(4) {
                0 if at < bytes.len() => bytes[at] = self.below(256) as u8,
                1 if at < bytes.len() => drop(bytes.remove(at)),
                2 if at < bytes.len() => bytes.insert(at, bytes[at]),
                _ => bytes.insert(at, SPECIAL[self.below(SPECIAL.len())]),
            }
        }
    }
}
