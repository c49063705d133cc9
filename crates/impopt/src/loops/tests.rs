//! Loops before and after give the same, at all sizes near the edges; and it is seen that something was done.

mod rectangles;

use fehu_base::prim::PrimValue;
use fehu_imp::eval::{Machine, Value};
use fehu_imp::ops::Operation;
use fehu_imp::syntax::{Code, Expr, Program};
use fehu_imp::visit::{look_at_code, Visitor};
use fehu_ir::read::read_prog;
use fehu_ir::Soacs;

pub(super) fn compile(text: &str) -> Program {
    let prog = read_prog::<Soacs>(text).unwrap_or_else(|e| panic!("{e}"));
    let mut prog = fehu_flatten::sequential(prog);
    (fehu_opt::simplify::KERNELS.run)(&mut prog);
    let mut prog = fehu_memory::introduce(prog).expect("memory");
    (fehu_memory::shortcircuit::PASS.run)(&mut prog);
    fehu_impgen::translate(prog)
}

fn improved(prog: &Program) -> Program {
    let mut prog = prog.clone();
    (super::INTERCHANGE.run)(&mut prog);
    (super::SPLIT.run)(&mut prog);
    prog
}

pub(super) fn run(prog: &Program, args: &[Value]) -> Result<Vec<Value>, String> {
    Machine::new(prog)?.entry("main", args)
}

/// How many loops have a variable of this name.
pub(super) fn loops(prog: &Program, name: &str) -> usize {
    struct Count<'p> {
        prog: &'p Program,
        name: &'p str,
        found: usize,
    }
    impl Visitor<'_> for Count<'_> {
        fn code<O: Operation>(&mut self, code: &Code<O>) {
            if let Code::For { var, .. } = code {
                self.found += usize::from(self.prog.names.base(*var).as_str() == self.name);
            }
            look_at_code(self, code);
        }
        fn expr(&mut self, _: &Expr) {}
    }
    let mut count = Count { prog, name, found: 0 };
    prog.functions.iter().for_each(|f| count.code(&f.body));
    count.found
}

/// Numbers without a pattern.
fn numbers(count: i64) -> Vec<PrimValue> {
    (0..count).map(|i| PrimValue::I32((i * 7919 % 1009) as i32 - 300)).collect()
}

fn array(shape: &[i64]) -> Value {
    Value::Array(shape.to_vec(), numbers(shape.iter().product()))
}

#[track_caller]
fn same_at(before: &Program, after: &Program, args: &[Value]) {
    let (before, after) = (run(before, args), run(after, args));
    assert_eq!(before.is_err(), after.is_err(), "{before:?} {after:?}");
    if let (Ok(before), Ok(after)) = (before, after) {
        assert_eq!(before, after);
    }
}

/// The sums of columns, with a factor for each row: `\a fs -> map (\c -> f32.sum (map2 (*) c fs)) (transpose a)`.
const COLUMNS: &str = r#"
entry main sizes 2 0 ([][]i32, []i32) : []i32
fun main_0(n_1 : i64, m_2 : i64, a_3 : [n_1][m_2]i32, fs_4 : [n_1]i32) : (*[m_2]i32) = {
  let (t_5 : [m_2][n_1]i32) = rearrange [1, 0] a_3
  let (r_6 : [m_2]i32) = screma m_2 [t_5]
    map \(x_7 : [n_1]i32) : (i32) {
      let (s_8 : i32) = screma n_1 [x_7, fs_4]
        reduce [3i32] \(p_9 : i32, q_10 : i32) : (i32) {
          let (o_11 : i32) = xor_i32(p_9, 5i32)
          let (u_12 : i32) = add_i32(o_11, q_10)
          return (u_12)
        }
        map \(v_13 : i32, f_14 : i32) : (i32) {
          let (w_15 : i32) = mul_i32(v_13, f_14)
          return (w_15)
        }
      return (s_8)
    }
  return (r_6)
}"#;

#[test]
fn sums_of_columns_walk_along_rows() {
    let before = compile(COLUMNS);
    let after = improved(&before);
    assert_eq!((loops(&before, "strip"), loops(&after, "strip")), (0, 1));
    assert_eq!(loops(&after, "many"), 1, "several steps at a time");
    for n in [0, 1, 2, 3, 4, 5, 7, 8, 9] {
        for m in [0, 1, 2, 3, 5, 1023, 1024, 1025] {
            same_at(&before, &after, &[array(&[n, m]), array(&[n])]);
        }
    }
}

#[test]
fn sums_of_rows_are_left_alone() {
    let rows = COLUMNS
        .replace("rearrange [1, 0] a_3", "rearrange [0, 1] a_3")
        .replace("[n_1][m_2]i32, fs", "[m_2][n_1]i32, fs");
    assert_eq!(loops(&improved(&compile(&rows)), "strip"), 0);
}

#[test]
fn a_bound_that_depends_on_the_column_keeps_the_order() {
    let text = r#"
entry main sizes 2 0 ([][]i32) : []i32
fun main_0(n_1 : i64, m_2 : i64, a_3 : [n_1][m_2]i32) : (*[m_2]i32) = {
  let (is_4 : [m_2]i64) = iota i64 (m_2, 0i64, 1i64)
  let (r_6 : [m_2]i32) = screma m_2 [is_4]
    map \(i_7 : i64) : (i32) {
      let (k_8 : i64) = smin_i64(i_7, n_1)
      let (s_9 : i32) = loop (p_10 : i32 = 0i32) for j_11 : i64 < k_8 {
        let (x_12 : i32) = a_3[j_11, i_7]
        let (y_13 : i32) = add_i32(p_10, x_12)
        return (y_13)
      }
      return (s_9)
    }
  return (r_6)
}"#;
    let before = compile(text);
    let after = improved(&before);
    assert_eq!(loops(&after, "strip"), 0);
    same_at(&before, &after, &[array(&[3, 5])]);
}

#[test]
fn sums_of_sums_of_neighbours() {
    // A loop in a loop in the moved one, and indices kept within bounds.
    let text = r#"
entry main sizes 3 0 ([]i32, [][]i32) : []i32
fun main_0(m_1 : i64, n_2 : i64, k_3 : i64, a_4 : [m_1]i32, w_5 : [n_2][k_3]i32) : (*[m_1]i32) = {
  let (is_6 : [m_1]i64) = iota i64 (m_1, 0i64, 1i64)
  let (last_7 : i64) = sub_i64(m_1, 1i64)
  let (r_8 : [m_1]i32) = screma m_1 [is_6]
    map \(i_9 : i64) : (i32) {
      let (e_10 : i32) = a_4[i_9]
      let (s_11 : i32) = loop (p_12 : i32 = e_10) for j_13 : i64 < n_2 {
        let (t_14 : i32) = loop (q_15 : i32 = 1i32) for l_16 : i64 < k_3 {
          let (at_17 : i64) = add_i64(i_9, l_16)
          let (in_18 : i64) = smin_i64(at_17, last_7)
          let (x_19 : i32) = a_4[in_18]
          let (y_20 : i32) = w_5[j_13, l_16]
          let (z_21 : i32) = mul_i32(x_19, y_20)
          let (u_22 : i32) = add_i32(q_15, z_21)
          return (u_22)
        }
        let (v_23 : i32) = mul_i32(p_12, t_14)
        return (v_23)
      }
      let (f_24 : i32) = add_i32(s_11, e_10)
      return (f_24)
    }
  return (r_8)
}"#;
    let before = compile(text);
    let after = improved(&before);
    assert_eq!((loops(&after, "strip"), loops(&after, "part")), (1, 2));
    for m in [0, 1, 2, 9, 40, 600] {
        for (n, k) in [(0, 3), (1, 0), (2, 3), (3, 6), (2, 50)] {
            same_at(&before, &after, &[array(&[m]), array(&[n, k])]);
        }
    }
}

/// A map over indices whose body is this.
fn indexed(body: &str) -> String {
    format!(
        r#"
entry main sizes 1 0 ([]i32, i64) : []i32
fun main_0(m_1 : i64, a_2 : [m_1]i32, cut_3 : i64) : (*[m_1]i32) = {{
  let (is_4 : [m_1]i64) = iota i64 (m_1, 0i64, 1i64)
  let (last_5 : i64) = sub_i64(m_1, 1i64)
  let (r_6 : [m_1]i32) = screma m_1 [is_4]
    map \(j_7 : i64) : (i32) {{
{body}
      return (v_99)
    }}
  return (r_6)
}}"#
    )
}

#[track_caller]
fn splits(body: &str) {
    let before = compile(&indexed(body));
    let after = improved(&before);
    assert_eq!(loops(&after, "part"), 1);
    for m in [0, 1, 2, 3, 4, 5, 17] {
        let extremes = [i64::MIN, i64::MIN + 1, -(1 << 61), 1 << 61, i64::MAX - 1, i64::MAX];
        for cut in (-3..20).chain(extremes) {
            same_at(&before, &after, &[array(&[m]), Value::Scalar(PrimValue::I64(cut))]);
        }
    }
}

#[test]
fn clamped_indices() {
    splits(
        "let (l_8 : i64) = sub_i64(j_7, 1i64)
         let (l_9 : i64) = smax_i64(l_8, 0i64)
         let (x_10 : i32) = a_2[l_9]
         let (r_11 : i64) = add_i64(j_7, 2i64)
         let (r_12 : i64) = smin_i64(last_5, r_11)
         let (r_13 : i64) = smax_i64(0i64, r_12)
         let (y_14 : i32) = a_2[r_13]
         let (v_99 : i32) = sub_i32(x_10, y_14)",
    );
}

#[test]
fn special_cases_at_both_ends_with_checks() {
    splits(
        r#"let (c_8 : bool) = eq_i64(j_7, 0i64)
         let (v_99 : i32) = if c_8 then {
           return (5i32)
         } else {
           let (d_9 : bool) = eq_i64(j_7, last_5)
           let (w_10 : i32) = if d_9 then {
             return (6i32)
           } else {
             let (l_11 : i64) = sub_i64(j_7, 1i64)
             let (e_12 : bool) = sle_i64(0i64, l_11)
             let (cert_13 : unit) = assert(e_12, "below")
             let (x_14 : i32) = <cert_13> a_2[l_11]
             return (x_14)
           }
           return (w_10)
         }"#,
    );
}

#[test]
fn conjunctions() {
    splits(
        "let (c_8 : bool) = slt_i64(0i64, j_7)
         let (t_9 : bool) = if c_8 then {
           let (d_10 : bool) = slt_i64(j_7, last_5)
           return (d_10)
         } else {
           return (false)
         }
         let (v_99 : i32) = if t_9 then {
           let (l_11 : i64) = sub_i64(j_7, 1i64)
           let (x_12 : i32) = a_2[l_11]
           return (x_12)
         } else {
           return (7i32)
         }",
    );
}

#[test]
fn comparisons_with_anything() {
    // In all directions, of what grows and of what falls, with bounds that wrap.
    for op in ["slt", "sle", "eq"] {
        for [a, b] in [["k_9", "cut_3"], ["cut_3", "k_9"]] {
            for k in ["add_i64(j_7, 3i64)", "sub_i64(last_5, j_7)", "sub_i64(j_7, cut_3)"] {
                splits(&format!(
                    "let (k_9 : i64) = {k}
                     let (c_10 : bool) = {op}_i64({a}, {b})
                     let (v_99 : i32) = if c_10 then {{
                       let (x_11 : i32) = a_2[j_7]
                       return (x_11)
                     }} else {{
                       return (-1i32)
                     }}"
                ));
            }
        }
    }
}

#[test]
fn failing_checks_fail_still() {
    splits(
        r#"let (k_8 : i64) = add_i64(j_7, cut_3)
         let (c_9 : bool) = ult_i64(k_8, m_1)
         let (cert_10 : unit) = assert(c_9, "Index out of bounds.")
         let (v_99 : i32) = <cert_10> a_2[k_8]"#,
    );
}

#[test]
fn loops_without_special_cases_stay_whole() {
    let text = indexed("let (v_99 : i32) = a_2[j_7]");
    assert_eq!(loops(&improved(&compile(&text)), "part"), 0);
}

#[test]
fn places_are_computed_again_and_not_remembered() {
    use fehu_base::prim::PrimType;
    use fehu_base::Name;
    use fehu_imp::build::{add, count_up, i64, var};
    let [outer, place, from, sum, inner, twice] = [1, 2, 3, 4, 5, 6].map(Name);
    let step = |x| Code::<fehu_imp::ops::HostOp>::SetScalar(sum, add(var(sum), var(x)));
    let body = Code::Seq(vec![
        Code::DeclareScalar(place, PrimType::I64),
        Code::SetScalar(place, add(var(from), var(outer))),
        Code::DeclareScalar(twice, PrimType::I64),
        Code::SetScalar(twice, i64(0)),
        Code::DeclareScalar(sum, PrimType::I64),
        Code::SetScalar(sum, i64(0)),
        count_up(inner, i64(9), step(place)),
        Code::SetScalar(twice, var(sum)),
    ]);
    let Code::Seq(codes) = super::strip::written_out(outer, &body) else { panic!("no sequence") };
    let sets = |x: Name| codes.iter().filter(|c| matches!(c, Code::SetScalar(y, _) if *y == x)).count();
    assert_eq!((sets(place), sets(twice), sets(sum)), (0, 2, 1));
    let written = Code::SetScalar(sum, add(var(sum), add(var(from), var(outer))));
    assert!(codes.iter().any(|c| matches!(c, Code::For { body, .. } if **body == written)), "{codes:?}");
}
