#![allow(clippy::unwrap_used)]
use super::arbitrary::Gen;
use super::read_program;
use crate::ops::Operation;
use crate::parts::flat;
use crate::print::print_program;
use crate::syntax::{Code, Program};
use crate::visit::{change_code, Mutator};
use proptest::prelude::*;

/// Every kind of statement once, as it is printed.
pub(crate) const ALL: &str = r#"imp

opaque "pair" = record {"0" : i32, "1" : []u8}

param "main.tile" class "tile_size" default 16
param main_threshold class "threshold (def)"

check ("index ", i64, " is out of bounds")
check ("no")

global limit_0 : i64
global table_1 : mem

init {
  limit_0 = 17
  data_2 : static f32 [1.0f32, -inff32]
  table_1 = allocate limit_0 * 4
  copy f32 [limit_0, 2] table_1[0; 2, 1] <- data_2[limit_0 + 1; 1, limit_0]
}

doc "Adds."
entry main sizes 1 0 (xs : []i32, u8) : *[]i32
  takes ((array xs_5 : [n_4]i32), (c_6 : u8))
  gives (array out_7 : [n_4][2]i32)
fun main_3(n_4 : i64, xs_5 : mem, c_6 : i8) -> (out_7 : mem) {
  m_8 : mem
  m_8 = allocate n_4 * 4
  x_9 : f32 = sitofp_i64_f32(n_4) * 2.0f32
  ok_10 : bool = n_4 < limit_0 && x_9 <= 1.0f32
  trace(at, "n is ", n_4 : i64)
  assert(ok_10, "size ", n_4 : i64, " is too large")
  for i_11 : i64 < n_4 {
    y_12 : i32 = xs_5.i32[n_4 - (i_11 + 1)] + 1i32
    m_8.i32[i_11] <- ok_10 ? y_12 : smin_i32(y_12, 3i32)
  }
  while ok_10 {
    ok_10 = not(ok_10)
  }
  if ok_10 {
    free m_8
  } else if c_6 == 0i8 {
    call f_13(n_4 * (2 + n_4) / 3, mem m_8) -> (x_9, m_8)
  } else {
    call f_13(0, mem xs_5) -> (x_9, m_8)
  }
  outlined i_40 (n_4) updates () blocks (read unaliased xs_5, written unaliased m_8) {
    for i_40 : i64 < n_4 {
      m_8.i32[i_40] <- xs_5.i32[0]
    }
  }
  parfor start_14 .. end_15 of n_4 {
    m_8.i32[start_14] <- 0i32
    volatile m_8.i32[0] <- 1i32
  }
  parchunks chunk_16 start_17 .. end_18 of n_4 most 32 chunks chunks_19 before {
    sums_20 : mem
    sums_20 = allocate chunks_19 * 8
  } do {
    sums_20.i64[chunk_16] <- end_18 - start_17
  }
  size_21 : i64
  size_21 = get_size "main.tile"
  most_22 : i64
  most_22 = get_size_max thread_block_size
  large_23 : bool
  large_23 = threshold main_threshold <= n_4
  launch k_24(n_4, mem m_8) grid (n_4 + 255) / 256 block 256 shared (256 * 4)
  out_7 = mem m_8
}

fun f_13(a_25 : i64, b_26 : mem) -> (r_27 : f32, s_28 : mem) {
  r_27 = 0.0f32
  s_28 = mem b_26
}

device fun double_37(x_38 : i32) -> (r_39 : i32) {
  r_39 = x_38 * 2i32
}

kernel k_24 "main.segmap_17" (n_29 : i64, m_30 : mem) shared (tile_31) block 256 unaliased m_30 {
  cache_32 : array(scalar [4]f32) f32[4]
  fixed_33 : array(shared) i32[16 * param("main.tile")]
  own_34 : mem(scalar [2]i32)
  i_35 : i64 = block_id * block_size + local_id
  guarded {
    tile_31.i32[local_id] <- i_35 < n_29 ? m_30.i32[i_35] : 0i32
  }
  leave_if_failed
  barrier
  old_36 : i32
  old_36 = atomic add tile_31.i32[0], 1i32
  atomic smax tile_31.i32[1], old_36
  old_36 = compare_and_swap m_30.i32[i_35 % grid_size], old_36, old_36 + 1i32
  fence
  old_36 = volatile m_30.i32[i_35]
  volatile m_30.i32[i_35] <- old_36
  old_36 = shuffle i32 up 1, old_36
  unrolled for j_41 : i32 < 4i32 {
    check 0 (j_41 < 4i32, i_35 : i64)
  }
  call double_37(old_36) -> (old_36)
}
"#;

#[test]
fn text_reads_back() {
    let program = read_program(ALL).unwrap();
    assert_eq!(print_program(&program), ALL);
}

#[test]
fn types_and_spaces_are_written_where_declarations_do_not_say_them() {
    let text = "imp

fun f_0(x_1 : f32, m_2 : mem) -> () {
  x_1 = x_1 + y_3 +i32 1i32
  m_2@(shared).f32[0] <- x_1 * (x_1 -f64 x_1)
}
";
    assert_eq!(print_program(&read_program(text).unwrap()), text);
}

#[test]
fn errors_say_where() {
    let message = |text: &str| read_program(text).unwrap_err().to_string();
    assert_eq!(message("soacs"), "line 1: expected 'imp', found 'soacs'");
    assert_eq!(message("imp\nfun f_0() -> () {\n  x\n}"), "line 3: expected a statement, found 'x'");
    assert_eq!(
        message("imp\ninit {\n  x_1 = y_2 + 1\n}"),
        "line 3: the type of the operand before + is not known here"
    );
    assert_eq!(message("imp\ninit {\n  x_1 = true + true }"), "line 3: there is no + at bool");
    assert_eq!(message("imp\ninit {\n  x_1 = not() }"), "line 3: wrong number of operands");
    for bad in ["imp init {", "imp init { x_1 : array(", "imp kernel k_1 k (", "imp init { copy"] {
        assert!(read_program(bad).is_err());
    }
}

#[test]
fn deep_nests_read_and_print() {
    let depth = 2000;
    let mut text = String::from("imp\ninit {\n");
    text.push_str(&"if true {".repeat(depth));
    text.push_str(&format!("x_0 = {}1{}", "not(".repeat(depth), ")".repeat(depth)));
    text.push_str(&"}".repeat(depth + 1));
    let printed = print_program(&read_program(&text).unwrap());
    assert_eq!(print_program(&read_program(&printed).unwrap()), printed);
}

/// The same code without sequences in sequences, which texts do not have.
fn spliced<O: Operation>(code: &Code<O>) -> Code<O> {
    struct Splice;
    impl Mutator for Splice {
        fn code<O: Operation>(&mut self, code: &mut Code<O>) {
            let mut codes: Vec<Code<O>> = flat(code).into_iter().cloned().collect();
            codes.iter_mut().for_each(|c| change_code(self, c));
            *code = Code::Seq(codes);
        }
    }
    let mut code = code.clone();
    Splice.code(&mut code);
    code
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..Default::default() })]

    #[test]
    fn programs_read_back(seed: u64) {
        let program = Gen::new(seed).program();
        let text = print_program(&program);
        let back = match read_program(&text) {
            Ok(back) => back,
            Err(e) => panic!("{e}\n{text}"),
        };
        assert_eq!(print_program(&back), text);
        let plain = |p: &Program| p.functions.iter().map(|f| spliced(&f.body)).collect::<Vec<_>>();
        assert_eq!(plain(&back), plain(&program));
        let kernels = |p: &Program| p.kernels.iter().map(|k| spliced(&k.body)).collect::<Vec<_>>();
        assert_eq!(kernels(&back), kernels(&program));
        let device = |p: &Program| p.device_functions.iter().map(|f| spliced(&f.body)).collect::<Vec<_>>();
        assert_eq!(device(&back), device(&program));
        let entries = |p: &Program| p.functions.iter().map(|f| f.entry.clone()).collect::<Vec<_>>();
        assert_eq!(entries(&back), entries(&program));
        assert_eq!((&back.globals, &back.params), (&program.globals, &program.params));
        assert_eq!(back.opaques, program.opaques);
    }

    #[test]
    fn reader_never_panics(seed: u64, cut in 0usize..2000, junk in ".{0,8}") {
        let text = print_program(&Gen::new(seed).program());
        let cut = (0..=cut.min(text.len())).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
        let _ = read_program(&format!("{}{junk}{}", &text[..cut], &text[cut..]));
    }
}
