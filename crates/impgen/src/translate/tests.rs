//! Whole programs, from combinators to imperative code, run and compared; what the
//! passes make is checked by the validator on the way.

use fehu_base::prim::PrimValue;
use fehu_imp::eval::{Machine, Value};
use fehu_imp::syntax::Program;
use fehu_ir::read::read_prog;
use fehu_ir::validate::validate;
use fehu_ir::{Memory, Prog, Rep, Soacs};

struct Outcome {
    results: Vec<Value>,
    allocations: usize,
    copied: usize,
}

fn valid<R: Rep>(stage: &str, prog: &Prog<R>) {
    if let Err(errors) = validate(prog) {
        let text = fehu_ir::print::print_prog(prog, fehu_ir::print::Locations::Hidden);
        panic!("{stage}: {errors:#?}\n{text}");
    }
}

/// Runs the entry point `main` of a program over `Soacs`.
#[track_caller]
fn run(text: &str, args: &[Value]) -> Outcome {
    let prog = read_prog::<Soacs>(text).unwrap_or_else(|e| panic!("{e}"));
    valid("soacs", &prog);
    let prog = fehu_flatten::sequential(prog);
    valid("kernels", &prog);
    let prog = fehu_memory::introduce(prog).expect("memory");
    valid("memory", &prog);
    valid("erased", &fehu_memory::erase(prog.clone()));
    let plain = outcome(&prog, args);
    let prog = optimised(prog);
    valid("optimised", &prog);
    valid("optimised and erased", &fehu_memory::erase(prog.clone()));
    let outcome = outcome(&prog, args);
    assert_eq!(plain.results, outcome.results);
    assert!(outcome.copied <= plain.copied);
    outcome
}

#[track_caller]
fn outcome(prog: &Prog<Memory>, args: &[Value]) -> Outcome {
    interpret(&crate::translate(prog.clone()), args)
}

/// Runs the entry point `main` of an imperative program, as its text is read back.
#[track_caller]
fn interpret(prog: &Program, args: &[Value]) -> Outcome {
    fehu_imp::validate::validate(prog).unwrap_or_else(|e| panic!("{e:#?}"));
    let text = fehu_imp::print::print_program(prog);
    let prog = &fehu_imp::read::read_program(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut machine = Machine::new(prog).unwrap_or_else(|e| panic!("{e}"));
    let results = machine.entry("main", args).unwrap_or_else(|e| panic!("{e}"));
    Outcome { results, allocations: machine.allocations, copied: machine.copied }
}

fn ints(xs: &[i32]) -> Value {
    shaped(&[xs.len() as i64], xs)
}

fn shaped(shape: &[i64], xs: &[i32]) -> Value {
    Value::Array(shape.to_vec(), xs.iter().map(|x| PrimValue::I32(*x)).collect())
}

fn int(x: i32) -> Value {
    Value::Scalar(PrimValue::I32(x))
}

#[test]
fn fused_map_scan_and_reduction() {
    let text = r#"
opaque "r" = plain ([]i32, i32, []i32)
entry main sizes 1 0 ([]i32) : opaque("r")
fun main_0(n_1 : i64, xs_2 : [n_1]i32) : (*[n_1]i32, i32, *[n_1]i32) = {
  let (s_3 : [n_1]i32, p_4 : i32, m_5 : [n_1]i32) = screma n_1 [xs_2]
    scan [0i32] \(a_6 : i32, b_7 : i32) : (i32) {
      let (c_8 : i32) = add_i32(a_6, b_7)
      return (c_8)
    }
    reduce [1i32] \(d_9 : i32, e_10 : i32) : (i32) {
      let (f_11 : i32) = mul_i32(d_9, e_10)
      return (f_11)
    }
    map \(x_12 : i32) : (i32, i32, i32) {
      let (y_13 : i32) = add_i32(x_12, 1i32)
      return (x_12, y_13, y_13)
    }
  return (s_3, p_4, m_5)
}"#;
    let got = run(text, &[ints(&[1, 2, 3])]);
    assert_eq!(got.results, [ints(&[1, 3, 6]), int(24), ints(&[2, 3, 4])]);
    assert_eq!((got.allocations, got.copied), (2, 0));
    let none = run(text, &[ints(&[])]);
    assert_eq!(none.results, [ints(&[]), int(1), ints(&[])]);
}

#[test]
fn nested_map() {
    let text = r#"
entry main sizes 2 0 ([][]i32) : [][]i32
fun main_0(n_1 : i64, m_2 : i64, xss_3 : [n_1][m_2]i32) : (*[n_1][m_2]i32) = {
  let (r_4 : [n_1][m_2]i32) = screma n_1 [xss_3]
    map \(xs_5 : [m_2]i32) : ([m_2]i32) {
      let (ys_6 : [m_2]i32) = screma m_2 [xs_5]
        map \(x_7 : i32) : (i32) {
          let (y_8 : i32) = mul_i32(x_7, 2i32)
          return (y_8)
        }
      return (ys_6)
    }
  return (r_4)
}"#;
    let got = run(text, &[shaped(&[2, 3], &[1, 2, 3, 4, 5, 6])]);
    assert_eq!(got.results, [shaped(&[2, 3], &[2, 4, 6, 8, 10, 12])]);
    assert_eq!((got.allocations, got.copied), (1, 0));
}

#[test]
fn histogram_and_scatter_ignore_places_out_of_bounds() {
    let text = r#"
entry main sizes 2 0 (*[]i32, []i64, []i32) : []i32
fun main_0(k_1 : i64, n_2 : i64, *d_3 : [k_1]i32, is_4 : [n_2]i64, vs_5 : [n_2]i32) : (*[k_1]i32) = {
  let (h_6 : [k_1]i32) = hist n_2 [is_4, vs_5]
    op [k_1] [d_3] [0i32] \(a_7 : i32, b_8 : i32) : (i32) {
      let (c_9 : i32) = add_i32(a_7, b_8)
      return (c_9)
    }
    map \(i_10 : i64, v_11 : i32) : (i64, i32) {
      return (i_10, v_11)
    }
  let (s_12 : [k_1]i32) = scatter n_2 [is_4]
    into [k_1] h_6
    map \(i_13 : i64) : (i64, i32) {
      let (j_14 : i64) = add_i64(i_13, 2i64)
      return (j_14, 7i32)
    }
  return (s_12)
}"#;
    let longs =
        |xs: &[i64]| Value::Array(vec![xs.len() as i64], xs.iter().map(|x| PrimValue::I64(*x)).collect());
    let got = run(text, &[ints(&[1, 1, 1, 1]), longs(&[0, -1, 0, 4, 1]), ints(&[5, 6, 7, 8, 9])]);
    assert_eq!(got.results, [ints(&[13, 7, 7, 7])]);
    assert_eq!((got.allocations, got.copied), (0, 0));
}

#[test]
fn accumulators_are_arrays() {
    let text = r#"
entry main sizes 1 0 (*[]i32, []i32) : []i32
fun main_0(n_1 : i64, *d_2 : [n_1]i32, xs_3 : [n_1]i32) : (*[n_1]i32) = {
  let (r_4 : [n_1]i32) = with_acc
    input [n_1] [d_2] op [0i32] \(a_5 : i32, b_6 : i32) : (i32) {
      let (c_7 : i32) = add_i32(a_5, b_6)
      return (c_7)
    }
    do \(t_8 : unit, acc_9 : acc(t_8, [n_1], (i32))) : (acc(t_8, [n_1], (i32))) {
      let (out_10 : acc(t_8, [n_1], (i32))) = screma n_1 [xs_3, acc_9]
        map \(x_11 : i32, acc_12 : acc(t_8, [n_1], (i32))) : (acc(t_8, [n_1], (i32))) {
          let (i_13 : i64) = sext_i32_i64(x_11)
          let (a1_14 : acc(t_8, [n_1], (i32))) = update_acc acc_12 [i_13] [x_11]
          let (a2_15 : acc(t_8, [n_1], (i32))) = update_acc a1_14 [0i64] [1i32]
          return (a2_15)
        }
      return (out_10)
    }
  return (r_4)
}"#;
    let got = run(text, &[ints(&[0, 10, 20]), ints(&[1, 1, 2])]);
    assert_eq!(got.results, [ints(&[3, 12, 22])]);
    assert_eq!((got.allocations, got.copied), (0, 0));
}

#[test]
fn loops_update_in_place() {
    let text = r#"
entry main sizes 1 0 (*[]i32) : []i32
fun main_0(n_1 : i64, *xs_2 : [n_1]i32) : (*[n_1]i32) = {
  let (r_3 : [n_1]i32) = loop (*a_4 : [n_1]i32 = xs_2) for i_5 : i64 < n_1 {
    let (x_6 : i32) = a_4[i_5]
    let (odd_7 : i32) = and_i32(x_6, 1i32)
    let (c_8 : bool) = eq_i32(odd_7, 0i32)
    let (b_9 : [n_1]i32) = if c_8 then {
      let (y_10 : [n_1]i32) = a_4 with [i_5] = 0i32
      return (y_10)
    } else {
      let (z_11 : [n_1]i32) = loop (*w_12 : [n_1]i32 = a_4) for j_13 : i64 < 2i64 {
        let (v_14 : i32) = w_12[i_5]
        let (u_15 : i32) = mul_i32(v_14, 3i32)
        let (t_16 : [n_1]i32) = w_12 with [i_5] = u_15
        return (t_16)
      }
      return (z_11)
    }
    return (b_9)
  }
  return (r_3)
}"#;
    let got = run(text, &[ints(&[1, 2, 3])]);
    assert_eq!(got.results, [ints(&[9, 0, 27])]);
    assert_eq!((got.allocations, got.copied), (0, 0));
}

#[test]
fn loops_swap_arrays_and_numbers() {
    let text = r#"
opaque "r" = plain ([]i32, []i32, i32)
entry main sizes 1 0 ([]i32, i32) : opaque("r")
fun main_0(n_1 : i64, xs_2 : [n_1]i32, k_3 : i32) : ([n_1]i32, [n_1]i32, i32) = {
  let (ys_4 : [n_1]i32) = replicate [n_1] 5i32
  let (a_5 : [n_1]i32, b_6 : [n_1]i32, p_7 : i32, q_8 : i32) = loop (c_9 : [n_1]i32 = xs_2, d_10 : [n_1]i32 = ys_4, s_11 : i32 = 1i32, t_12 : i32 = k_3) for i_13 : i64 < 3i64 {
    return (d_10, c_9, t_12, s_11)
  }
  return (a_5, b_6, p_7)
}"#;
    let got = run(text, &[ints(&[1, 2]), int(9)]);
    assert_eq!(got.results, [ints(&[5, 5]), ints(&[1, 2]), int(9)]);
}

#[test]
fn branches_return_different_places() {
    let text = r#"
entry main sizes 2 0 ([][]i32, bool) : []i32
fun main_0(n_1 : i64, m_2 : i64, xss_3 : [n_1][m_2]i32, c_4 : bool) : ([n_1]i32) = {
  let (ys_5 : [n_1]i32) = if c_4 then {
    let (col_6 : [n_1]i32) = xss_3[0i64 :+ n_1 * 1i64, 1i64]
    return (col_6)
  } else {
    let (z_7 : [n_1]i32) = iota i32 (n_1, 10i32, 2i32)
    return (z_7)
  }
  let (zs_8 : [n_1]i32) = screma n_1 [ys_5] map \(y_9 : i32) : (i32) {
    let (z_10 : i32) = add_i32(y_9, 1i32)
    return (z_10)
  }
  return (zs_8)
}"#;
    let matrix = shaped(&[2, 3], &[1, 2, 3, 4, 5, 6]);
    let yes = run(text, &[matrix.clone(), Value::Scalar(PrimValue::Bool(true))]);
    assert_eq!(yes.results, [ints(&[3, 6])]);
    assert_eq!(yes.copied, 0);
    let no = run(text, &[matrix, Value::Scalar(PrimValue::Bool(false))]);
    assert_eq!(no.results, [ints(&[11, 13])]);
}

#[test]
fn shrinking_slices_are_carried_without_copies() {
    let text = r#"
entry main sizes 1 0 ([]i32) : i32
fun main_0(n_1 : i64, xs_2 : [n_1]i32) : (i32) = {
  let (go_3 : bool) = slt_i64(1i64, n_1)
  let (k_4 : i64, g_5 : bool, ys_6 : [k_4]i32) = loop (l_7 : i64 = n_1, h_8 : bool = go_3, zs_9 : [l_7]i32 = xs_2) while h_8 {
    let (m_10 : i64) = sub_i64(l_7, 1i64)
    let (ws_11 : [m_10]i32) = zs_9[1i64 :+ m_10 * 1i64]
    let (more_12 : bool) = slt_i64(1i64, m_10)
    return (m_10, more_12, ws_11)
  }
  let (r_13 : i32) = ys_6[0i64]
  return (r_13)
}"#;
    let got = run(text, &[ints(&[1, 2, 3, 4])]);
    assert_eq!(got.results, [int(4)]);
    assert_eq!((got.allocations, got.copied), (0, 0));
}

#[test]
fn transposed_reshaped_and_joined() {
    let text = r#"
opaque "r" = plain ([]i32, [][]i32)
entry main sizes 2 1 ([][]i32) : opaque("r")
fun main_0(n_1 : i64, m_2 : i64, xss_3 : [n_1][m_2]i32) : (i64, *[?0]i32, *[m_2][n_1]i32) = {
  let (k_4 : i64) = mul_i64(n_1, m_2)
  let (t_5 : [m_2][n_1]i32) = rearrange [1, 0] xss_3
  let (f_6 : [k_4]i32) = reshape [k_4] t_5
  let (g_7 : [k_4]i32) = reshape [k_4] xss_3
  let (kk_8 : i64) = add_i64(k_4, k_4)
  let (c_9 : [kk_8]i32) = concat 0 [f_6, g_7] kk_8
  let (d_10 : [m_2][n_1]i32) = copy(t_5)
  return (kk_8, c_9, d_10)
}"#;
    let got = run(text, &[shaped(&[2, 3], &[1, 2, 3, 4, 5, 6])]);
    let joined = ints(&[1, 4, 2, 5, 3, 6, 1, 2, 3, 4, 5, 6]);
    assert_eq!(got.results, [joined, shaped(&[3, 2], &[1, 4, 2, 5, 3, 6])]);
}

#[test]
fn calls_take_slices() {
    let text = r#"
opaque "r" = plain ([]i32, []i32)
fun f_20(k_21 : i64, *xs_22 : [k_21]i32, ys_23 : [k_21]i32) : (i64, *[k_21]i32, [?0]i32) = {
  let (y_24 : i32) = ys_23[1i64]
  let (zs_25 : [k_21]i32) = xs_22 with [0i64] = y_24
  let (h_27 : i64) = sub_i64(k_21, 1i64)
  let (t_26 : [h_27]i32) = ys_23[1i64 :+ h_27 * 1i64]
  return (h_27, zs_25, t_26)
}
entry main sizes 2 1 ([][]i32) : opaque("r")
fun main_0(n_1 : i64, m_2 : i64, xss_3 : [n_1][m_2]i32) : (i64, [?0]i32, *[n_1]i32) = {
  let (a_4 : [n_1]i32) = xss_3[0i64 :+ n_1 * 1i64, 0i64]
  let (b_5 : [n_1]i32) = copy(a_4)
  let (c_6 : [n_1]i32) = xss_3[0i64 :+ n_1 * 1i64, 1i64]
  let (h_7 : i64, d_8 : [n_1]i32, e_9 : [h_7]i32) = call f_20(n_1, b_5, c_6)
  return (h_7, e_9, d_8)
}"#;
    let got = run(text, &[shaped(&[3, 2], &[1, 2, 3, 4, 5, 6])]);
    assert_eq!(got.results, [ints(&[4, 6]), ints(&[4, 3, 5])]);
}

#[test]
fn constant_data_is_copied_only_when_overwritten() {
    let text = r#"
opaque "r" = plain ([]i32, i32)
consts {
  let (table_30 : [3]i32) = data i32 [7i32, 8i32, 9i32]
  let (size_31 : i64) = 4i64
  let (many_32 : [size_31]i32) = replicate [size_31] 2i32
  return ()
}
entry main sizes 0 0 (i64) : opaque("r")
fun main_0(i_1 : i64) : (*[3]i32, i32) = {
  let (a_2 : [3]i32) = data i32 [1i32, 2i32, 3i32]
  let (x_3 : i32) = table_30[i_1]
  let (y_4 : i32) = many_32[i_1]
  let (z_6 : i32) = add_i32(x_3, y_4)
  let (b_5 : [3]i32) = a_2 with [i_1] = z_6
  return (b_5, x_3)
}"#;
    let got = run(text, &[Value::Scalar(PrimValue::I64(1))]);
    assert_eq!(got.results, [ints(&[1, 10, 3]), int(8)]);
}

#[test]
fn values_that_overlap_are_copied_first() {
    let text = r#"
entry main sizes 1 0 (*[]i32) : []i32
fun main_0(n_1 : i64, *xs_2 : [n_1]i32) : (*[n_1]i32) = {
  let (m_3 : i64) = sub_i64(n_1, 1i64)
  let (a_4 : [m_3]i32) = xs_2[0i64 :+ m_3 * 1i64]
  let (b_5 : [n_1]i32) = xs_2 with [1i64 :+ m_3 * 1i64] = a_4
  return (b_5)
}"#;
    let got = run(text, &[ints(&[1, 2, 3, 4])]);
    assert_eq!(got.results, [ints(&[1, 1, 2, 3])]);
}

#[test]
fn branches_make_their_values_in_place() {
    let text = r#"
entry main sizes 2 0 ([][]i32, []bool) : [][]i32
fun main_0(n_1 : i64, m_2 : i64, xss_3 : [n_1][m_2]i32, cs_4 : [n_1]bool) : (*[n_1][m_2]i32) = {
  let (r_5 : [n_1][m_2]i32) = screma n_1 [xss_3, cs_4]
    map \(xs_6 : [m_2]i32, c_7 : bool) : ([m_2]i32) {
      let (ys_8 : [m_2]i32) = if c_7 then {
        let (zs_9 : [m_2]i32) = replicate [m_2] 7i32
        return (zs_9)
      } else {
        return (xs_6)
      }
      return (ys_8)
    }
  return (r_5)
}"#;
    let flags = Value::Array(vec![2], vec![PrimValue::Bool(true), PrimValue::Bool(false)]);
    let got = run(text, &[shaped(&[2, 3], &[1, 2, 3, 4, 5, 6]), flags]);
    assert_eq!(got.results, [shaped(&[2, 3], &[7, 7, 7, 4, 5, 6])]);
    assert_eq!((got.allocations, got.copied), (1, 3));
}

#[test]
fn parts_of_a_concatenation_are_made_in_place() {
    let text = r#"
entry main sizes 0 1 (i64) : []i32
fun main_0(n_1 : i64) : (i64, *[?0]i32) = {
  let (a_2 : [n_1]i32) = replicate [n_1] 1i32
  let (b_3 : [2]i32) = [8i32, 9i32] : i32
  let (m_4 : i64) = add_i64(n_1, 2i64)
  let (c_5 : [m_4]i32) = concat 0 [a_2, b_3] m_4
  return (m_4, c_5)
}"#;
    let got = run(text, &[Value::Scalar(PrimValue::I64(2))]);
    assert_eq!(got.results, [ints(&[1, 1, 8, 9])]);
    assert_eq!((got.allocations, got.copied), (1, 0));
}

#[test]
fn what_is_read_meanwhile_is_not_overwritten() {
    let text = r#"
entry main sizes 2 0 (*[][]i32) : [][]i32
fun main_0(n_1 : i64, m_2 : i64, *xss_3 : [n_1][m_2]i32) : (*[n_1][m_2]i32) = {
  let (a_4 : [m_2]i32) = xss_3[0i64, 0i64 :+ m_2 * 1i64]
  let (b_5 : [m_2]i32) = screma m_2 [a_4] map \(x_6 : i32) : (i32) {
    let (y_7 : i32) = a_4[0i64]
    let (z_8 : i32) = add_i32(x_6, y_7)
    return (z_8)
  }
  let (c_9 : [n_1][m_2]i32) = xss_3 with [0i64, 0i64 :+ m_2 * 1i64] = b_5
  return (c_9)
}"#;
    let got = run(text, &[shaped(&[1, 3], &[1, 2, 3])]);
    assert_eq!(got.results, [shaped(&[1, 3], &[2, 3, 4])]);
}

#[test]
fn allocations_leave_loops() {
    let text = r#"
entry main sizes 0 0 (i64, i64) : i32
fun main_0(n_1 : i64, m_2 : i64) : (i32) = {
  let (s_3 : i32) = loop (t_4 : i32 = 0i32) for i_5 : i64 < n_1 {
    let (xs_6 : [m_2]i32) = iota i32 (m_2, t_4, 2i32)
    let (x_7 : i32) = xs_6[1i64]
    return (x_7)
  }
  return (s_3)
}"#;
    let long = |n| Value::Scalar(PrimValue::I64(n));
    let got = run(text, &[long(5), long(3)]);
    assert_eq!(got.results, [int(10)]);
    assert_eq!(got.allocations, 1);
    let never = run(text, &[long(0), long(-3)]);
    assert_eq!(never.results, [int(0)]);
}

#[test]
fn rows_of_a_histogram_are_combined_in_place() {
    let text = r#"
entry main sizes 3 0 (*[][]i32, []i64, [][]i32) : [][]i32
fun main_0(k_1 : i64, d_2 : i64, n_3 : i64, *h_4 : [k_1][d_2]i32, is_5 : [n_3]i64, xss_6 : [n_3][d_2]i32) : (*[k_1][d_2]i32) = {
  let (zeros_7 : [d_2]i32) = replicate [d_2] 0i32
  let (r_8 : [k_1][d_2]i32) = hist n_3 [is_5, xss_6]
    op [k_1] [h_4] [zeros_7] \(as_9 : [d_2]i32, bs_10 : [d_2]i32) : ([d_2]i32) {
      let (cs_11 : [d_2]i32) = screma d_2 [bs_10, as_9]
        map \(b_12 : i32, a_13 : i32) : (i32) {
          let (a2_14 : i32) = mul_i32(a_13, 2i32)
          let (c_15 : i32) = sub_i32(a2_14, b_12)
          return (c_15)
        }
      return (cs_11)
    }
    map \(i_16 : i64, xs_17 : [d_2]i32) : (i64, [d_2]i32) {
      return (i_16, xs_17)
    }
  return (r_8)
}"#;
    let bins = Value::Array(vec![4], [1, 0, 1, 7].map(PrimValue::I64).to_vec());
    let rows = shaped(&[4, 2], &[1, 2, 3, 4, 5, 6, 7, 8]);
    let got = run(text, &[shaped(&[2, 2], &[10, 20, 30, 40]), bins, rows]);
    assert_eq!(got.results, [shaped(&[2, 2], &[17, 36, 113, 150])]);
    assert_eq!((got.allocations, got.copied), (0, 0));
}

/// A program after the passes over memory.
pub(crate) fn optimised(mut prog: Prog<Memory>) -> Prog<Memory> {
    (fehu_memory::dead::PASS.run)(&mut prog);
    (fehu_memory::shortcircuit::PASS.run)(&mut prog);
    assert!(fehu_memory::expand(&mut prog).is_empty());
    (fehu_memory::interleave::PASS.run)(&mut prog);
    (fehu_memory::hoist::PASS.run)(&mut prog);
    prog
}
