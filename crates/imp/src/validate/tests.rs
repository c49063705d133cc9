#![allow(clippy::unwrap_used)]
use super::validate;
use crate::read::read_program;

fn errors(text: &str) -> Vec<String> {
    match read_program(text) {
        Ok(program) => validate(&program).err().unwrap_or_default(),
        Err(e) => panic!("{e}\n{text}"),
    }
}

/// The errors of a function with this body, without where they are.
fn in_function(body: &str) -> Vec<String> {
    let text = format!(
        "imp
param tile class \"tile_size\" default 16
global g_90 : i64
fun f_91(n_92 : i64, in_93 : mem) -> (out_94 : i64, outs_95 : mem) {{ {body} }}
kernel k_96 k (a_97 : i64, b_98 : mem) shared (s_99) {{ }}"
    );
    short(errors(&text))
}

/// The errors of a kernel with this body, without where they are.
fn in_kernel(body: &str) -> Vec<String> {
    short(errors(&format!(
        "imp
param tile class \"tile_size\" default 16
global g_90 : i64
kernel k_96 k (n_92 : i64, b_98 : mem) shared (s_99) {{ {body} }}"
    )))
}

fn short(errors: Vec<String>) -> Vec<String> {
    errors.iter().map(|e| e.rsplit(": ").next().unwrap().to_owned()).collect()
}

#[test]
fn messages_name_the_function_and_the_statement() {
    assert_eq!(
        errors("imp\nfun f_1(n_2 : i64) -> () {\n  for i_3 : i64 < n_2 {\n    i_3 = i_3 + n_2\n  }\n}"),
        ["fun f_1: `i_3 = i_3 + n_2`: i_3 is assigned"]
    );
}

#[test]
fn variables() {
    let cases = [
        ("x_1 = 1", "x_1 is not declared here"),
        ("x_1 : i64 x_1 : i64", "x_1 is declared twice"),
        ("if n_92 < 1 { x_1 : i64 } out_94 = x_1", "x_1 is not declared here"),
        ("n_92 = 1", "n_92 is assigned"),
        ("g_90 = 1", "g_90 is assigned"),
        ("in_93 = allocate 8", "in_93 is assigned"),
        ("out_94 = in_93 +i64 1", "in_93 is a block, but used as a scalar"),
        ("n_92.i32[0] <- 1i32", "n_92 is a scalar, but used as a block"),
        ("outs_95@(shared).i32[0] <- 1i32", "outs_95 is used in a space other than its own"),
        ("d_1 : static i32 [1i32] d_1.i32[0] <- 1i32", "d_1 is constant data, but written"),
        ("m_1 : mem(shared)", "shared memory on the host"),
        ("u_1 : unit", "a variable of type unit"),
        (
            "parfor a_1 .. b_2 of n_92 { out_94 = a_1 }",
            "out_94 is declared outside of the task that assigns it",
        ),
    ];
    for (body, message) in cases {
        assert_eq!(in_function(body), [message], "{body}");
    }
}

#[test]
fn types() {
    let cases = [
        ("out_94 = 1i32", "the variable is i64, not i32"),
        ("out_94 = n_92 + 1i32", "an operand is i32, not i64"),
        ("out_94 = sqrt_f32(n_92)", "an operand is i64, not f32"),
        ("if n_92 { }", "the condition is i64, not bool"),
        ("out_94 = true ? n_92 : 1i8", "the other alternative is i8, not i64"),
        ("outs_95.i32[1i32] <- 1i32", "an offset is i32, not i64"),
        ("outs_95.i32[1] <- 1", "what is written is i64, not i32"),
        ("for i_1 : i32 < n_92 { }", "the bound is i64, not i32"),
        ("copy i32 [n_92] outs_95[0; 1, 2] <- in_93[0; 1]", "not one stride for each dimension"),
        ("assert(true, n_92 : i32)", "a value of the message is i64, not i32"),
    ];
    for (body, message) in cases {
        let found = in_function(body);
        let found: Vec<&String> =
            found.iter().filter(|e| e.as_str() != "the variable is i64, not f32").collect();
        assert_eq!(found, [message], "{body}");
    }
}

#[test]
fn calls_and_launches() {
    let cases = [
        ("call h_1()", "there is no such function"),
        ("call f_91(1) -> (out_94, outs_95)", "the wrong number of arguments"),
        ("call f_91(1, mem in_93) -> (out_94)", "the wrong number of results"),
        ("call f_91(1, 2) -> (out_94, outs_95)", "a scalar is passed for a block"),
        ("launch k_1() grid 1 block 1", "there is no such kernel"),
        ("launch k_96(1, mem in_93) grid 1 block 1", "not one size for each array in shared memory"),
        ("launch k_96(mem in_93, mem in_93) grid 1 block 1 shared (4)", "a block is passed for a scalar"),
        ("out_94 = local_id", "a thread's number outside of a kernel"),
        ("out_94 = get_size other", "there is no tuning parameter other"),
    ];
    for (body, message) in cases {
        assert_eq!(in_function(body), [message], "{body}");
    }
}

#[test]
fn kernels() {
    let cases = [
        ("x_1 : i64 = g_90", "g_90 is not declared here"),
        ("guarded { barrier }", "a barrier in a guarded region"),
        ("call f_1()", "there is no such function"),
        ("atomic add b_98.i8[0], 1i8", "atomic elements have 32 or 64 bits"),
        ("atomic fadd b_98.i32[0], 1i32", "no such atomic operation on i32"),
        ("x_1 : i64 x_1 = volatile s_99.i64[0]", "s_99 is used in a space other than its own"),
        ("a_1 : array(shared) i32[n_92]", "the number of elements is not known when the kernel is compiled"),
        ("if true { a_1 : array(shared) i32[4] }", "a shared array is declared inside of other code"),
        ("x_1 : i8 x_1 = shuffle i8 up 1, 1i8", "only values of 32 or 64 bits are exchanged"),
    ];
    for (body, message) in cases {
        assert_eq!(in_kernel(body)[0], message, "{body}");
    }
}

#[test]
fn device_functions_have_scalars_only() {
    assert_eq!(
        errors("imp\ndevice fun f_1(m_2 : mem) -> () { }"),
        ["device fun f_1: kernels call it, but it takes or gives blocks"]
    );
    assert_eq!(
        errors("imp\ndevice fun f_1(x_2 : i64) -> () { x_2 = 1 }"),
        ["device fun f_1: `x_2 = 1`: x_2 is assigned"]
    );
}

/// What only another machine does is no statement: there is no code with it.
#[test]
fn types_keep_machines_apart() {
    let kernel = |body: &str| format!("imp kernel k_1 k () {{ {body} }}");
    let task = |body: &str| format!("imp init {{ parfor a_1 .. b_2 of 1 {{ {body} }} }}");
    let host = |body: &str| format!("imp init {{ {body} }}");
    let wrong = [
        kernel("m_1 = allocate 8"),
        kernel("free m_1"),
        kernel("trace(at)"),
        kernel("parfor a_1 .. b_2 of 1 { }"),
        kernel("launch k_2() grid 1 block 1"),
        kernel("x_1 = get_size tile"),
        task("launch k_2() grid 1 block 1"),
        task("barrier"),
        host("volatile m_1.i32[0] <- 1i32"),
        host("x_1 = atomic add m_1.i32[0], 1i32"),
        host("guarded { }"),
        host("a_1 : array(shared) i32[4]"),
    ];
    for text in wrong {
        assert!(read_program(&text).is_err(), "{text}");
    }
}

#[test]
fn every_statement_is_valid_somewhere() {
    assert_eq!(errors(crate::read::tests::ALL), Vec::<String>::new());
}
