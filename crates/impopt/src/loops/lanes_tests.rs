//! Maps of `while` loops by lanes give the same as one by one, at all sizes near the edges and however
//! different the points are.

use super::tests::{compile, loops, run};
use fehu_base::prim::PrimValue;
use fehu_imp::eval::Value;
use fehu_imp::syntax::Program;

fn in_lanes(prog: &Program) -> Program {
    let mut prog = prog.clone();
    (super::LANES.run)(&mut prog);
    prog
}

/// A map of loops over an array, with a branch in each step; its code before the loop, its next float and its
/// next condition.
fn halvings(before: &str, next: &str, again: &str) -> String {
    format!(
        r#"
entry main sizes 1 0 ([]f32, f32) : []f32
fun main_0(m_1 : i64, a_2 : [m_1]f32, least_3 : f32) : (*[m_1]f32) = {{
  let (r_4 : [m_1]f32) = screma m_1 [a_2]
    map \(x_6 : f32) : (f32) {{
      {before}
      let (c_7 : bool) = flt_f32(least_3, x_6)
      let (y_8 : f32, n_9 : i32, g_10 : bool) = loop (p_11 : f32 = x_6, k_12 : i32 = 0i32, go_13 : bool = c_7) while go_13 {{
        let (d_14 : bool) = flt_f32(64.0f32, p_11)
        let (q_15 : f32) = if d_14 then {{
          let (h_16 : f32) = fmul_f32(p_11, 0.25f32)
          return (h_16)
        }} else {{
          {next}
          return (h_17)
        }}
        let (l_18 : i32) = add_i32(k_12, 1i32)
        {again}
        return (q_15, l_18, e_19)
      }}
      let (t_5 : f32) = sitofp_i32_f32(n_9)
      let (z_20 : f32) = fadd_f32(y_8, t_5)
      return (z_20)
    }}
  return (r_4)
}}"#
    )
}

const NEXT: &str = "let (h_17 : f32) = fsub_f32(p_11, 1.5f32)";
const AGAIN: &str = "let (e_19 : bool) = flt_f32(least_3, q_15)";

#[track_caller]
fn same(text: &str, expected_lanes: bool) {
    let before = compile(text);
    let after = in_lanes(&before);
    assert_eq!(loops(&after, "strip") > 0, expected_lanes);
    // Points that leave together, at once, one after the other, and one that takes much longer than the others.
    let kinds: [fn(i64) -> f32; 4] =
        [|_| 100.0, |i| -(i as f32), |i| (i * 7919 % 61) as f32, |i| if i % 40 == 7 { 60.0 } else { 2.0 }];
    for m in [0, 1, 2, 8, 9, 31, 32, 33, 63, 64, 65, 100] {
        for kind in kinds {
            let xs = Value::Array(vec![m], (0..m).map(|i| PrimValue::F32(kind(i))).collect());
            let args = [xs, Value::Scalar(PrimValue::F32(0.5))];
            assert_eq!(run(&before, &args), run(&after, &args), "{m} points");
        }
    }
}

#[test]
fn while_loops_advance_together() {
    same(&halvings("", NEXT, AGAIN), true);
}

#[test]
fn conditions_of_several_parts() {
    let again = "let (f_21 : bool) = flt_f32(least_3, q_15)
        let (h_22 : bool) = slt_i32(l_18, 20i32)
        let (j_23 : bool) = logand(f_21, h_22)
        let (o_24 : bool) = eq_f32(q_15, 3.0f32)
        let (w_25 : bool) = not(o_24)
        let (e_19 : bool) = logand(j_23, w_25)";
    same(&halvings("", NEXT, again), true);
}

#[test]
fn steps_that_read_memory_go_one_by_one() {
    let next = "let (k_30 : i64) = sext_i32_i64(k_12)
          let (at_26 : i64) = smin_i64(k_30, 0i64)
          let (v_27 : f32) = a_2[at_26]
          let (w_28 : f32) = fmul_f32(v_27, 0.0f32)
          let (u_29 : f32) = fsub_f32(p_11, 1.5f32)
          let (h_17 : f32) = fadd_f32(u_29, w_28)";
    same(&halvings("", next, AGAIN), false);
}

#[test]
fn steps_without_vector_forms_go_one_by_one() {
    let next = "let (c_26 : f32) = floor_f32(p_11)
          let (h_17 : f32) = fsub_f32(c_26, 1.5f32)";
    same(&halvings("", next, AGAIN), false);
}
