//! Loops that skip blocks give the same as before, bit by bit, at all sizes near the edges; and it is seen
//! which do.

use super::tests::{compile, loops, run};
use fehu_base::prim::PrimValue;
use fehu_imp::eval::Value;
use fehu_imp::syntax::Program;

fn improved(prog: &Program) -> Program {
    let mut prog = prog.clone();
    (super::CHAINS.run)(&mut prog);
    prog
}

/// A reduction of indices and elements, with these statements for which of two pairs it is.
fn reduction(choice: &str) -> String {
    format!(
        r#"
entry main sizes 1 0 ([]f32) : i64
fun main_0(n_1 : i64, a_2 : [n_1]f32) : (i64) = {{
  let (is_3 : [n_1]i64) = iota i64 (n_1, 0i64, 1i64)
  let (k_4 : i64, v_5 : f32) = screma n_1 [is_3, a_2]
    reduce [-1i64, -5.0f32] \(i_6 : i64, x_7 : f32, j_8 : i64, y_9 : f32) : (i64, f32) {{
      {choice}
      return (k_10, v_11)
    }}
    map \(e_12 : i64, f_13 : f32) : (i64, f32) {{
      return (e_12, f_13)
    }}
  let (w_14 : i64) = fptosi_f32_i64(v_5)
  let (u_15 : i64) = mul_i64(k_4, 1000i64)
  let (r_16 : i64) = add_i64(u_15, w_14)
  return (r_16)
}}"#
    )
}

/// The second pair if a condition holds.
fn second_if(condition: &str) -> String {
    reduction(&format!(
        "{condition}
      let (k_10 : i64, v_11 : f32) = if c_20 then {{
        return (j_8, y_9)
      }} else {{
        return (i_6, x_7)
      }}"
    ))
}

const LARGER: &str = "let (c_20 : bool) = flt_f32(x_7, y_9)";
const LARGER_OR_BEFORE: &str = "let (c_21 : bool) = flt_f32(x_7, y_9)
      let (c_20 : bool) = if c_21 then {
        return (true)
      } else {
        let (c_22 : bool) = eq_f32(y_9, x_7)
        let (c_23 : bool) = slt_i64(j_8, i_6)
        let (c_24 : bool) = logand(c_22, c_23)
        return (c_24)
      }";

fn floats(n: i64, f: impl Fn(i64) -> f32) -> Value {
    Value::Array(vec![n], (0..n).map(|i| PrimValue::F32(f(i))).collect())
}

#[track_caller]
fn check(text: &str, skips: bool) {
    let before = compile(text);
    let after = improved(&before);
    assert_eq!(loops(&after, "ahead") > 0, skips);
    for n in [0, 1, 2, 255, 256, 257, 511, 512, 513, 1000, 1024] {
        let data = [
            floats(n, |i| (i * 7919 % 311) as f32),
            floats(n, |i| i as f32),
            floats(n, |i| -(i as f32)),
            floats(n, |_| 3.0),
            floats(n, |i| (i % 5) as f32),
            floats(n, |i| if i % 7 == 3 { f32::NAN } else { (i * 31 % 97) as f32 }),
        ];
        for a in data {
            let [before, after] = [&before, &after].map(|prog| run(prog, &[a.clone()]).expect("it runs"));
            assert_eq!(before, after, "{n}");
        }
    }
}

#[test]
fn indices_of_the_largest() {
    check(&second_if(LARGER), true);
    check(&second_if(LARGER_OR_BEFORE), true);
    check(&second_if("let (c_20 : bool) = fle_f32(x_7, y_9)"), true);
}

#[test]
fn the_first_pair_unless_it_is_smaller_or_after() {
    let choice = "let (c_20 : bool) = flt_f32(y_9, x_7)
      let (k_10 : i64, v_11 : f32) = if c_20 then {
        return (i_6, x_7)
      } else {
        let (c_21 : bool) = flt_f32(x_7, y_9)
        let (k_22 : i64, v_23 : f32) = if c_21 then {
          return (j_8, y_9)
        } else {
          let (c_24 : bool) = slt_i64(i_6, j_8)
          let (k_25 : i64, v_26 : f32) = if c_24 then {
            return (i_6, x_7)
          } else {
            return (j_8, y_9)
          }
          return (k_25, v_26)
        }
        return (k_22, v_23)
      }";
    check(&reduction(choice), true);
}

#[test]
fn what_changes_often_is_asked_nothing() {
    // The other way round after each change.
    check(&second_if("let (c_20 : bool) = flt_f32(3.0f32, y_9)"), false);
    check(&second_if("let (c_21 : bool) = eq_f32(y_9, x_7)\n      let (c_20 : bool) = not(c_21)"), false);
}
