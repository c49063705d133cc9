//! How many elements the host reads, and waits for, in programs compiled for a GPU.

use fehu_imp::syntax::{Code, Expr, HostOp, Space};
use fehu_ir::read::read_prog;
use fehu_ir::Soacs;

/// The number of places in host code where an element is read from device memory into a scalar.
#[track_caller]
fn reads(body: &str) -> usize {
    let face = if body.starts_with(": (i32") { "opaque(\"(i32, []i32)\")" } else { "[]i32" };
    let text = format!(
        "soacs
opaque \"(i32, []i32)\" = record {{\"0\" : i32, \"1\" : []i32}}
entry main sizes 1 0 (i : i64, *xs : []i32) : *{face}
fun f_1(n_2 : i64, i_3 : i64, *xs_4 : [n_2]i32) {body}\n"
    );
    let prog = read_prog::<Soacs>(&text).unwrap_or_else(|e| panic!("{e}"));
    let mut prog = fehu_flatten::gpu(prog, &Default::default());
    for pass in [fehu_kernels::opt::single_point::PASS, fehu_kernels::legalise::FILL] {
        (pass.run)(&mut prog);
    }
    let mut prog = fehu_memory::introduce(prog).expect("memory");
    (fehu_memory::shortcircuit::PASS.run)(&mut prog);
    assert!(fehu_memory::expand(&mut prog).is_empty());
    (fehu_kernels::schedule::WITHOUT_WARPS.run)(&mut prog);
    let mut prog = fehu_impgen::translate(prog);
    (super::PASS.run)(&mut prog);
    fehu_imp::validate::validate(&prog).unwrap_or_else(|e| panic!("{e:#?}"));
    prog.functions.iter().map(|f| reads_in(&f.body)).sum()
}

fn reads_in(code: &Code<HostOp>) -> usize {
    match code {
        Code::Seq(codes) => codes.iter().map(reads_in).sum(),
        Code::For { body, .. } | Code::While(_, body) => reads_in(body),
        Code::If(_, a, b) => reads_in(a) + reads_in(b),
        Code::SetScalar(_, e) => device_elements(e),
        Code::Assert { cond, .. } => device_elements(cond),
        _ => 0,
    }
}

fn device_elements(e: &Expr) -> usize {
    match e {
        Expr::Index { space: Space::Default, .. } => 1,
        Expr::BinOp(_, a, b) | Expr::CmpOp(_, a, b) => device_elements(a) + device_elements(b),
        _ => 0,
    }
}

const SUM: &str = "let (s_10 : i32) = screma n_2 [xs_4]
    reduce [0i32] \\(a_11 : i32, b_12 : i32) : (i32) {
      let (c_13 : i32) = add_i32(a_11, b_12)
      return (c_13)
    }
    map \\(x_14 : i32) : (i32) {
      return (x_14)
    }";

const ADD: &str = "let (ys_30 : [n_2]i32) = screma n_2 [xs_4]
    map \\(y_31 : i32) : (i32) {
      let (z_32 : i32) = add_i32(y_31, t_20)
      return (z_32)
    }";

#[test]
fn a_sum_for_a_kernel_is_not_read() {
    let body = format!(
        ": (*[n_2]i32) = {{
  {SUM}
  let (t_20 : i32) = mul_i32(s_10, 3i32)
  {ADD}
  return (ys_30)
}}"
    );
    assert_eq!(reads(&body), 0);
}

#[test]
fn what_the_host_returns_is_read_once() {
    let body = format!(
        ": (i32, *[n_2]i32) = {{
  {SUM}
  let (t_20 : i32) = mul_i32(s_10, 3i32)
  {ADD}
  return (t_20, ys_30)
}}"
    );
    assert_eq!(reads(&body), 1);
}

#[test]
fn a_moved_element_is_not_read() {
    let body = format!(
        ": (*[n_2]i32) = {{
  let (t_20 : i32) = xs_4[0i64]
  let (u_21 : i32) = xs_4[i_3]
  {ADD}
  let (zs_22 : [n_2]i32) = ys_30 with [0i64] = u_21
  let (ws_23 : [n_2]i32) = zs_22 with [i_3] = t_20
  return (ws_23)
}}"
    );
    assert_eq!(reads(&body), 0);
}

#[test]
fn a_condition_is_read() {
    let body = format!(
        ": (*[n_2]i32) = {{
  let (t_20 : i32) = xs_4[0i64]
  let (c_21 : bool) = slt_i32(t_20, 3i32)
  let (rs_22 : [n_2]i32) = if c_21
  then {{
    {ADD}
    return (ys_30)
  }} else {{
    return (xs_4)
  }}
  return (rs_22)
}}"
    );
    assert_eq!(reads(&body), 1);
}

#[test]
fn a_dear_computation_is_not_repeated_by_every_thread() {
    let powers: String = (0..8)
        .map(|k| {
            let from = if k == 0 { 10 } else { 39 + k };
            format!("  let (t_{} : i32) = pow_i32(t_{from}, 3i32)\n", 40 + k)
        })
        .collect::<String>()
        .replace("t_10", "s_10");
    let body = format!(
        ": (*[n_2]i32) = {{
  {SUM}
{powers}  let (t_20 : i32) = add_i32(t_47, 1i32)
  {ADD}
  return (ys_30)
}}"
    );
    assert_eq!(reads(&body), 1);
}

#[test]
fn what_is_needed_twice_is_counted_once() {
    let squares: String = (0..8)
        .map(|k| {
            let from = if k == 0 { "s_10".to_owned() } else { format!("t_{}", 39 + k) };
            format!("  let (t_{} : i32) = mul_i32({from}, {from})\n", 40 + k)
        })
        .collect();
    let body = format!(
        ": (*[n_2]i32) = {{
  {SUM}
{squares}  let (t_20 : i32) = add_i32(t_47, 1i32)
  {ADD}
  return (ys_30)
}}"
    );
    assert_eq!(reads(&body), 0);
}

#[test]
fn a_sum_that_decides_what_a_scan_writes_is_not_read() {
    // No thread waits for others under the condition, though they wait for each other elsewhere in the kernel.
    let body = format!(
        ": (*[n_2]i32) = {{
  {SUM}
  let (ys_30 : [n_2]i32) = screma n_2 [xs_4]
    scan [0i32] \\(a_31 : i32, b_32 : i32) : (i32) {{
      let (c_33 : i32) = add_i32(a_31, b_32)
      return (c_33)
    }}
    map \\(x_34 : i32) : (i32) {{
      let (c_35 : bool) = slt_i32(x_34, s_10)
      let (y_36 : i32) = if c_35 then {{
        return (x_34)
      }} else {{
        return (0i32)
      }}
      return (y_36)
    }}
  return (ys_30)
}}"
    );
    assert_eq!(reads(&body), 0);
}
