//! Kernels and the host code around them, run by OpenCL where there is a device.

use crate::common::*;
use crate::copies;
use fehu_base::ops::{BinOp, CmpOp, ConvOp};
use fehu_base::prim::{IntType, PrimType, PrimValue, ScalarType};
use fehu_base::{Name, Symbol};
use fehu_codegen::{Backend, Mode};
use fehu_imp::syntax::*;
use std::path::PathBuf;
use std::sync::OnceLock;

const I32: PrimType = PrimType::Int(IntType::I32);

/// Adds a kernel; its name.
pub fn kernel(
    b: &mut Builder,
    label: &str,
    params: Vec<Param>,
    shared: Vec<Name>,
    body: Vec<Code<KernelOp>>,
) -> Name {
    let name = b.name(label);
    b.program.kernels.push(Kernel {
        name,
        label: Symbol::new(label),
        params,
        shared,
        block_size: None,
        resident: None,
        qualifiers: Default::default(),
        body: Code::Seq(body),
        loc: Loc::none(),
    });
    name
}

pub fn launch(kernel: Name, grid: Expr, block: Expr, shared: Vec<Expr>, args: Vec<Arg>) -> Code<HostOp> {
    Code::Op(HostOp::Own(Box::new(Launch { kernel, grid, block, shared, args, ahead: None })))
}

/// Compiles for OpenCL and runs.
pub fn run_opencl(name: &str, program: &Program, args: &[&str], stdin: &[u8]) -> Ran {
    let text = generate_for(Backend::OpenCl, program, Mode::Executable).c_text;
    run(&compile(name, &text, &["-O1"]), args, stdin)
}

/// Compiles the kernels of a program with the compiler of CUDA, if it is installed.
pub fn compile_cuda(name: &str, program: &Program) {
    let exe = compile(name, &generate_for(Backend::Cuda, program, Mode::Executable).c_text, &[]);
    static CHECK: OnceLock<PathBuf> = OnceLock::new();
    let check = CHECK.get_or_init(|| compile("nvrtc", include_str!("nvrtc.c"), &["-D_GNU_SOURCE"]));
    let file = format!("{}/{name}.cu", env!("CARGO_TARGET_TMPDIR"));
    let dumped = run(&exe, &["--dump-cuda", &file], b"");
    assert_eq!((dumped.stderr.as_str(), dumped.code), ("", Some(0)));
    let ran = run(check, &[&file], b"");
    match ran.code {
        Some(77) => eprintln!("no NVRTC: install nvidia-cuda-nvrtc and set FEHU_NVRTC to test CUDA kernels"),
        code => assert_eq!((ran.stderr.as_str(), code), ("", Some(0))),
    }
}

fn op(op: KernelOp) -> Code<KernelOp> {
    Code::Op(op)
}

fn local() -> Expr {
    Expr::Gpu(GpuIndex::Local)
}

/// The flat number of a thread.
fn thread() -> Expr {
    add(mul(Expr::Gpu(GpuIndex::Block), Expr::Gpu(GpuIndex::BlockSize)), local())
}

fn lt(a: Expr, b: Expr) -> Expr {
    cmp(CmpOp::SLt(IntType::I64), a, b)
}

fn when<O>(cond: Expr, body: Vec<Code<O>>) -> Code<O> {
    Code::If(cond, Code::Seq(body).into(), Code::Seq(vec![]).into())
}

fn i32_result(mem: Name, size: Expr) -> Value {
    Value {
        ty: fehu_ir::EntryType::Transparent(ScalarType::I32, 1),
        params: vec![Param::Mem(mem, Space::Default)],
        values: vec![EntryValue::Array { mem, elem: ScalarType::I32, shape: vec![size] }],
        unique: true,
    }
}

/// An entry point from an array to another one: a kernel with a thread for each element.
fn array_entry(
    b: &mut Builder,
    name: &str,
    out_size: Expr,
    shared: Vec<(Name, Expr)>,
    body: impl FnOnce(&mut Builder, Name, Name, Name) -> Vec<Code<KernelOp>>,
) {
    let n = b.name("n");
    let xs = b.array("xs", ScalarType::I32, &[var(n)]);
    let ys = b.name("ys");
    let (k_xs, k_ys, k_n) = (b.name("xs"), b.name("ys"), b.name("n"));
    let body = body(b, k_xs, k_ys, k_n);
    let params = vec![
        Param::Mem(k_xs, Space::Default),
        Param::Mem(k_ys, Space::Default),
        Param::Scalar(k_n, PrimType::I64),
    ];
    let (arrays, bytes) = shared.into_iter().unzip();
    let k = kernel(b, name, params, arrays, body);
    let blocks = binop(BinOp::SQuot(IntType::I64), add(var(n), int(63)), int(64));
    let args = vec![Arg::Mem(xs.name()), Arg::Mem(ys), Arg::Scalar(var(n))];
    let size = match out_size {
        Expr::Const(PrimValue::I64(0)) => var(n),
        size => size,
    };
    let result = i32_result(ys, size.clone());
    let zero = int(0);
    let code = vec![
        alloc(ys, mul(size.clone(), int(4))),
        when(lt(zero.clone(), size), vec![write(ys, zero, I32, Expr::Const(PrimValue::I32(0)))]),
        launch(k, blocks, int(64), bytes, args),
    ];
    b.entry(name, &[n], vec![xs], &[], result, code);
}

fn message(text: &str, value: Expr) -> Vec<ErrorPart> {
    vec![ErrorPart::Text(text.into()), ErrorPart::Value(value, ScalarType::I32), ErrorPart::Text(".".into())]
}

/// Entry points: `increment`, `positive` (fails on the first element that is not), `sum` (in shared memory, fails
/// on negative ones), `count` (atomically).
fn program() -> Program {
    let mut b = Builder::new();
    let one = Expr::Const(PrimValue::I32(1));
    array_entry(&mut b, "increment", int(0), vec![], |_, xs, ys, n| {
        let value = binop(BinOp::Add(IntType::I32), index(xs, thread(), I32), one.clone());
        vec![when(lt(thread(), var(n)), vec![write(ys, thread(), I32, value)])]
    });
    array_entry(&mut b, "positive", int(0), vec![], |b, xs, ys, n| {
        let x = b.name("x");
        let positive = cmp(CmpOp::SLt(IntType::I32), Expr::Const(PrimValue::I32(0)), var(x));
        let message = message("found ", var(x));
        vec![when(
            lt(thread(), var(n)),
            vec![
                Code::DeclareScalar(x, I32),
                set(x, index(xs, thread(), I32)),
                Code::Assert { cond: positive, message, loc: Loc::none() },
                write(ys, thread(), I32, var(x)),
            ],
        )]
    });
    let part = b.name("part");
    array_entry(&mut b, "sum", int(1), vec![(part, int(256))], |b, xs, ys, n| {
        let (x, k, half) = (b.name("x"), b.name("k"), b.name("half"));
        let at = |e: Expr| Expr::Index { mem: part, offset: e.into(), elem: I32, space: Space::Shared };
        let put = |e: Expr, value: Expr| Code::Write {
            mem: part,
            offset: e,
            elem: I32,
            space: Space::Shared,
            value,
        };
        let fine = cmp(CmpOp::SLe(IntType::I32), Expr::Const(PrimValue::I32(0)), var(x));
        let read = vec![
            set(x, index(xs, thread(), I32)),
            Code::Assert { cond: fine, message: message("negative: ", var(x)), loc: Loc::none() },
        ];
        let both = binop(BinOp::Add(IntType::I32), at(local()), at(add(local(), var(half))));
        vec![
            Code::DeclareScalar(x, I32),
            set(x, Expr::Const(PrimValue::I32(0))),
            op(KernelOp::Guarded(when(lt(thread(), var(n)), read).into())),
            op(KernelOp::LeaveIfFailed),
            put(local(), var(x)),
            op(KernelOp::Barrier),
            for_loop(
                k,
                int(6),
                vec![
                    Code::DeclareScalar(half, PrimType::I64),
                    set(half, binop(BinOp::AShr(IntType::I64), int(32), var(k))),
                    when(lt(local(), var(half)), vec![put(local(), both)]),
                    op(KernelOp::Barrier),
                ],
            ),
            when(
                lt(local(), int(1)),
                vec![op(KernelOp::Atomic {
                    old: None,
                    op: AtomicOp::Add,
                    mem: ys,
                    offset: int(0),
                    elem: I32,
                    space: Space::Default,
                    value: at(int(0)),
                })],
            ),
        ]
    });
    b.program
}

#[test]
fn kernels_compute_and_fail_as_they_should() {
    if !has_opencl() {
        return;
    }
    let go = |args: &[&str], input: &str| run_opencl("gpu", &program(), args, input.as_bytes());
    let fine = |args: &[&str], input: &str| {
        let ran = go(args, input);
        assert_eq!((ran.stderr.as_str(), ran.code), ("", Some(0)));
        ran.text()
    };
    assert_eq!(fine(&["-e", "increment"], "[1, 2, 3]"), "[2i32, 3i32, 4i32]\n");
    assert_eq!(fine(&["-e", "increment"], "empty([0]i32)"), "empty([0]i32)\n");
    let many: Vec<String> = (0..1000).map(|i| i.to_string()).collect();
    let many = format!("[{}]", many.join(", "));
    assert_eq!(fine(&["-e", "sum"], &many), "[499500i32]\n");
    assert_eq!(fine(&["-e", "sum", "-r", "3"], &many), "[499500i32]\n");
    for (entry, input, says) in
        [("positive", "[1, -7, 3]", "found -7."), ("sum", "[5, 6, -3, 1]", "negative: -3.")]
    {
        let ran = go(&["-e", entry], input);
        let trace = "Backtrace:\n-> #0  prog.fut:1:2-3\n   #1  prog.fut:4:5-6\n";
        assert!(ran.stderr.ends_with(&format!("Error: {says}\n\n{trace}")), "{}", ran.stderr);
        assert_eq!(ran.code, Some(1));
    }
    let listed = fine(&["--print-params"], "");
    assert_eq!(listed, "");
}

/// An entry point that fills an array by a kernel and copies from it in all kinds of ways.
fn copy_program(cases: &[copies::Case]) -> Program {
    let mut b = Builder::new();
    for t in IntType::ALL {
        let (elem, size) = (PrimType::Int(t), i64::from(t.bits() / 8));
        let (src, dst) = (b.name("src"), b.name("dst"));
        let n = cases.len() as i64;
        let (mem, count, factor) = (b.name("mem"), b.name("count"), b.name("factor"));
        let value = Expr::Conv(ConvOp::SExt(IntType::I64, t), mul(thread(), var(factor)).into());
        let fill = vec![when(lt(thread(), var(count)), vec![write(mem, thread(), elem, value)])];
        let params = vec![
            Param::Mem(mem, Space::Default),
            Param::Scalar(count, PrimType::I64),
            Param::Scalar(factor, PrimType::I64),
        ];
        let k = kernel(&mut b, "fill", params, vec![], fill);
        let fill = |mem: Name, count: i64, factor: i64| {
            let args = vec![Arg::Mem(mem), Arg::Scalar(int(count)), Arg::Scalar(int(factor))];
            launch(k, int((count + 255) / 256), int(256), vec![], args)
        };
        let mut body = vec![
            Code::DeclareMem(src, Space::Default),
            alloc(src, int(copies::SOURCE * size)),
            alloc(dst, int(n * copies::TARGET * size)),
            fill(src, copies::SOURCE, 1),
            fill(dst, n * copies::TARGET, 0),
        ];
        for (k, case) in cases.iter().enumerate() {
            let ints = |v: &[i64]| v.iter().copied().map(int).collect();
            body.push(Code::Copy {
                elem,
                shape: ints(&case.shape),
                dst: place(dst, int(k as i64 * copies::TARGET + case.dst.0), ints(&case.dst.1)),
                src: place(src, int(case.src.0), ints(&case.src.1)),
            });
        }
        let scalar = ScalarType::named(&t.to_string()).unwrap();
        let result = Value {
            ty: fehu_ir::EntryType::Transparent(scalar, 1),
            params: vec![Param::Mem(dst, Space::Default)],
            values: vec![EntryValue::Array { mem: dst, elem: scalar, shape: vec![int(n * copies::TARGET)] }],
            unique: true,
        };
        b.entry(&format!("copy{}", t.bits()), &[], vec![], &[], result, body);
    }
    b.program
}

#[test]
fn copies_on_a_device_move_every_element() {
    if !has_opencl() {
        return;
    }
    let cases = copies::cases();
    let expected = copies::expected(&cases);
    for t in IntType::ALL {
        let entry = format!("copy{}", t.bits());
        let ran = run_opencl("gpu_copies", &copy_program(&cases), &["-b", "-e", &entry], b"");
        assert_eq!((ran.stderr.as_str(), ran.code), ("", Some(0)));
        let size = t.bits() as usize / 8;
        for (i, (found, wanted)) in ran.stdout[15..].chunks_exact(size).zip(&expected).enumerate() {
            assert_eq!(found, &wanted.to_le_bytes()[..size], "{entry} at {i}");
        }
    }
}

/// PoCL 3.1 let threads enter conditionals behind such loops whose conditions do not hold for them.
#[test]
fn loops_with_barriers_have_an_end_that_devices_may_need() {
    for api in [Backend::OpenCl, Backend::Cuda] {
        let text = generate_for(api, &program(), Mode::Executable).c_text;
        assert_eq!(text.matches("LOOP_END();").count(), 1);
    }
}

#[test]
fn kernels_compile_as_cuda() {
    compile_cuda("gpu_cuda", &program());
    compile_cuda("gpu_copies_cuda", &copy_program(&copies::cases()));
}

#[test]
fn all_modes_compile_for_all_devices() {
    for (api, name) in [(Backend::OpenCl, "opencl"), (Backend::Cuda, "cuda")] {
        for (mode, suffix) in [(Mode::Library, "lib"), (Mode::Executable, "exe"), (Mode::Server, "server")] {
            let output = generate_for(api, &crate::sample::program(), mode);
            assert!(output.manifest_json.contains(&format!("\"backend\": \"{name}\"")));
            let text = match mode {
                Mode::Library => format!("{}\nint main(void) {{ return 0; }}\n", output.c_text),
                Mode::Executable | Mode::Server => output.c_text,
            };
            compile(&format!("gpu_{name}_{suffix}"), &text, &[]);
        }
    }
}

/// Clients declare the types of OpenCL and CUDA, or include their headers: ours declares none of them again.
#[test]
fn headers_leave_types_of_devices_to_others() {
    for (api, name, types) in [
        (
            Backend::OpenCl,
            "opencl",
            "typedef struct _cl_mem *cl_mem;\ntypedef struct _cl_command_queue *cl_command_queue;\n",
        ),
        (
            Backend::Cuda,
            "cuda",
            "typedef unsigned long long CUdeviceptr;\ntypedef struct CUstream_st *CUstream;\n",
        ),
    ] {
        let header = generate_for(api, &crate::sample::program(), Mode::Library).header;
        let declared: Vec<&str> = header
            .lines()
            .filter(|l| l.contains("typedef") && (l.contains("cl_") || l.contains("CU")))
            .collect();
        assert_eq!(declared, Vec::<&str>::new(), "{name}");
        let client = format!("{types}#include \"{name}_types.h\"\nint main(void) {{ return 0; }}\n");
        let file = format!("{name}_types");
        compile_files(
            &file,
            &[(&format!("{file}.h"), &header), (&format!("{file}.c"), &client)],
            &["-std=c99"],
        );
    }
}

#[test]
fn without_a_driver_there_is_an_error() {
    let text = generate_for(Backend::Cuda, &program(), Mode::Executable).c_text;
    let exe = compile("gpu_no_driver", &text, &[]);
    let ran = run(&exe, &["-e", "increment", "--device", "no such device"], b"[1]");
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("Error: "), "{}", ran.stderr);
}

/// What a size may be: at least 1, for warps a multiple of theirs, and no more threads than shared memory is there for.
#[test]
fn sizes_that_make_no_sense_are_mended() {
    let mut b = Builder::new();
    for class in ["thread_block_size", "grid_size", "tile_size"] {
        let result = b.scalar("size", ScalarType::I64);
        let size = Code::Op(HostOp::Cpu(CpuOp::GetSize(result.name(), Symbol::new(class))));
        let param =
            TuningParam { name: Symbol::new(class), class: class.into(), default: None, thread_bytes: None };
        b.program.params.push(param);
        b.entry(class, &[], vec![], &[], result, vec![size]);
    }
    let result = b.scalar("size", ScalarType::I64);
    let name = Symbol::new("large_threads");
    let size = Code::Op(HostOp::Cpu(CpuOp::GetSize(result.name(), name)));
    let (class, thread_bytes) = ("thread_block_size".into(), Some(1 << 40));
    b.program.params.push(TuningParam { name, class, default: None, thread_bytes });
    b.entry("large_threads", &[], vec![], &[], result, vec![size]);
    let cuda = generate_for(Backend::Cuda, &b.program, Mode::Executable).c_text;
    assert!(cuda.contains("limits->warp = 32;"), "blocks of CUDA are not whole warps");
    if !has_opencl() {
        return;
    }
    for (class, given, size) in [
        ("thread_block_size", 0, 1),
        ("thread_block_size", 33, 33),
        ("grid_size", 0, 1),
        ("tile_size", 0, 1),
        ("large_threads", 33, 1),
    ] {
        let param = format!("--param={class}={given}");
        let ran = run_opencl("gpu_sizes", &b.program, &["-e", class, &param], b"");
        assert_eq!((ran.stderr.as_str(), ran.text()), ("", format!("{size}i64\n")), "{class} {given}");
    }
}

/// The smaller of a tuning parameter and another number of threads, assigned once, bounds a kernel's
/// registers by that parameter; assigned twice, it may have any value.
#[test]
fn blocks_of_at_most_a_parameter_say_so() {
    for (times, says) in [(1, true), (2, false)] {
        let mut b = Builder::new();
        let name = Symbol::new("threads");
        let class = "thread_block_size".into();
        b.program.params.push(TuningParam { name, class, default: None, thread_bytes: None });
        let k = kernel(&mut b, "short", vec![], vec![], vec![]);
        let (threads, block) = (b.name("threads"), b.name("block"));
        let result = b.scalar("size", ScalarType::I64);
        let n = b.scalar("n", ScalarType::I64);
        let least = binop(BinOp::SMin(IntType::I64), var(threads), var(n.name()));
        let mut code = vec![
            Code::DeclareScalar(threads, PrimType::I64),
            Code::Op(HostOp::Cpu(CpuOp::GetSize(threads, name))),
            Code::DeclareScalar(block, PrimType::I64),
        ];
        code.extend((0..times).map(|_| set(block, least.clone())));
        code.push(launch(k, int(1), var(block), vec![], vec![]));
        code.push(set(result.name(), var(block)));
        b.entry("main", &[], vec![n], &[], result, code);
        let cuda = generate_for(Backend::Cuda, &b.program, Mode::Executable).c_text;
        assert_eq!(cuda.contains("KERNEL_AT_MOST(SIZE_0) short"), says, "{cuda}");
        if has_opencl() {
            let ran = run_opencl("gpu_at_most", &b.program, &["--param=threads=128"], b"37i64");
            assert_eq!((ran.stderr.as_str(), ran.text().as_str()), ("", "37i64\n"));
        }
    }
}
