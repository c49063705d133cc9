//! Reductions with several accumulators give the same as with one, at all sizes near the edges: of numbers
//! whose sums are exact in any order.

use super::tests::{compile, loops, run};
use fehu_base::prim::PrimValue;
use fehu_imp::eval::Value;
use fehu_imp::syntax::Program;

fn improved(prog: &Program) -> Program {
    let mut prog = prog.clone();
    (super::CHAINS.run)(&mut prog);
    prog
}

/// A sum and a largest element, with these statements for what is added to the sum.
fn reductions(value: &str, sum: &str) -> String {
    format!(
        r#"
entry main sizes 1 0 ([]f32) : f32
fun main_0(n_1 : i64, a_2 : [n_1]f32) : (f32) = {{
  let (s_3 : f32, t_4 : f32) = screma n_1 [a_2]
    reduce [3.0f32, -1.0f32] \(p_5 : f32, q_6 : f32, x_7 : f32, y_8 : f32) : (f32, f32) {{
      {sum}
      let (m_10 : f32) = fmax_f32(q_6, y_8)
      return (o_9, m_10)
    }}
    map \(e_11 : f32) : (f32, f32) {{
      {value}
      return (v_12, e_11)
    }}
  let (w_20 : f32) = fmul_f32(s_3, 2048.0f32)
  let (u_21 : f32) = fadd_f32(w_20, t_4)
  return (u_21)
}}"#
    )
}

const DOUBLED: &str = "let (v_12 : f32) = fadd_f32(e_11, e_11)";
const ADDED: &str = "let (o_9 : f32) = fadd_f32(p_5, x_7)";

fn floats(n: i64) -> Value {
    Value::Array(vec![n], (0..n).map(|i| PrimValue::F32((i * 7919 % 31) as f32)).collect())
}

#[track_caller]
fn check(text: &str, loops_over_lanes: bool) {
    let before = compile(text);
    let after = improved(&before);
    assert_eq!(loops(&after, "lane") > 0, loops_over_lanes);
    for n in [0, 1, 7, 8, 15, 16, 17, 23, 24, 63, 64, 65, 95, 96, 127, 128, 200] {
        let [before, after] = [&before, &after].map(|prog| run(prog, &[floats(n)]).expect("it runs"));
        assert_eq!(before, after, "{n}");
    }
}

#[test]
fn sums_and_largest_elements() {
    check(&reductions(DOUBLED, ADDED), true);
}

#[test]
fn sums_of_elements_from_anywhere() {
    let gather = "let (i_13 : i64) = fptosi_f32_i64(e_11)
      let (k_14 : i64) = smod_i64(i_13, n_1)
      let (v_12 : f32) = a_2[k_14]";
    check(&reductions(gather, ADDED), true);
}

#[test]
fn operators_that_are_not_known_stay_in_order() {
    check(&reductions(DOUBLED, "let (o_9 : f32) = fsub_f32(p_5, x_7)"), false);
    let mixed = "let (h_15 : f32) = fadd_f32(p_5, x_7)
      let (o_9 : f32) = fadd_f32(h_15, q_6)";
    check(&reductions(DOUBLED, mixed), false);
}

#[test]
fn what_a_function_takes_hides_the_chain() {
    check(&reductions("let (v_12 : f32) = sin_f32(e_11)", ADDED), false);
}

#[test]
fn loops_stay_in_order() {
    let text = r#"
entry main sizes 1 0 ([]f32) : f32
fun main_0(n_1 : i64, a_2 : [n_1]f32) : (f32) = {
  let (s_3 : f32) = loop (p_4 : f32 = 0.0f32) for i_5 : i64 < n_1 {
    let (x_6 : f32) = a_2[i_5]
    let (y_7 : f32) = fadd_f32(p_4, x_6)
    return (y_7)
  }
  return (s_3)
}"#;
    check(text, false);
}
