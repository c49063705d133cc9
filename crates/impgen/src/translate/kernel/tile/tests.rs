//! What is tiled, and how: maps over `Kernels`, and what [`plan`](super::plan) makes of them.

use super::plan::{Along, Part};
use crate::translate::{Machine, Translate};
use fehu_ir::mem::MemOp;
use fehu_ir::read::read_prog;
use fehu_ir::validate::validate;
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Exp, Kernels};

/// How the maps of a program are tiled: a line for each.
fn tiled(text: &str) -> Vec<String> {
    let prog = read_prog::<Kernels>(text).unwrap_or_else(|e| panic!("{e}"));
    validate(&prog).unwrap_or_else(|e| panic!("{e:#?}"));
    let prog = fehu_memory::introduce(prog).expect("memory");
    let prog = crate::translate::tests::optimised(prog);
    let t = Translate::new(&prog, Machine::default());
    let mut lines = vec![];
    for f in &prog.funs {
        for_each_stm(&f.body, &mut |stm| {
            if let Exp::Op(MemOp::Seg(seg)) = &stm.exp {
                lines.push(match t.tiling(seg) {
                    None => "not tiled".to_owned(),
                    Some(tiling) => {
                        let shape = match tiling.down {
                            Some(down) => format!("{down} by {}", tiling.across),
                            None => format!("line {}", tiling.across),
                        };
                        let kept = if t.kept(seg).is_some() { "kept " } else { "" };
                        let parts: String = tiling.parts.iter().map(|p| part(&t, p)).collect();
                        format!("{kept}{shape}:{parts}")
                    }
                });
            }
        });
    }
    lines
}

fn part(t: &Translate, part: &Part) -> String {
    match part {
        Part::Points(stms) => format!(" {}", stms.len()),
        Part::Together(_, parts) => {
            format!(" loop({} )", parts.iter().map(|p| self::part(t, p)).collect::<String>())
        }
        Part::Tiled(_, reads) => {
            let read = |r: &super::plan::Read| {
                let along = match r.along {
                    Along::Down => "down",
                    Along::Across => "across",
                    Along::Nothing => "all",
                };
                let order = if r.by_loop { " by loop" } else { "" };
                format!("{} {along}{order}", t.names.base(r.name))
            };
            format!(" tiles({})", reads.iter().map(read).collect::<Vec<_>>().join(", "))
        }
    }
}

/// A function of two matrices around a map, whose result at a point is `r`.
fn map(space: &str, body: &str) -> Vec<String> {
    let sizes = space.split(',').map(|d| d.split_whitespace().last().unwrap_or("")).collect::<Vec<_>>();
    let shape: String = sizes.iter().map(|n| format!("[{n}]")).collect();
    tiled(&format!(
        "kernels
fun f_1(n_2 : i64, m_3 : i64, p_4 : i64, a_5 : [n_2][m_3]f32, b_6 : [m_3][p_4]f32) : ({shape}f32) = {{
  let (c_7 : [p_4][m_3]f32) = rearrange [1, 0] b_6
  let (d_8 : {shape}f32) = segmap thread virtual (flat_9; {space}) : (f32) {{
{body}
    return (r_99)
  }}
  return (d_8)
}}
"
    ))
}

const PRODUCT: &str = "
    let (r_99 : f32) = loop (s_12 : f32 = 0.0f32) for k_13 : i64 < m_3 {
      let (x_14 : f32) = a_5[i_10, k_13]
      let (y_15 : f32) = c_7[j_11, k_13]
      let (t_16 : f32) = fmul_f32(x_14, y_15)
      let (t_17 : f32) = fadd_f32(s_12, t_16)
      return (t_17)
    }";

#[test]
fn products_have_rectangles() {
    assert_eq!(map("i_10 < n_2, j_11 < p_4", PRODUCT), ["0 by 1: 0 tiles(x down by loop, y across) 0"]);
    assert_eq!(map("j_11 < p_4, i_10 < n_2", PRODUCT), ["0 by 1: 0 tiles(x across by loop, y down) 0"]);
    let batch = map("i_10 < n_2, b_90 < n_2, j_11 < p_4", PRODUCT);
    assert_eq!(batch, ["0 by 2: 0 tiles(x down by loop, y across) 0"]);
}

#[test]
fn lines_read_what_all_need() {
    let body = "
    let (z_18 : f32) = a_5[i_10, 0i64]
    let (s_30 : f32) = loop (s_12 : f32 = z_18) for k_13 : i64 < m_3 {
      let (y_15 : f32) = b_6[k_13, 0i64]
      let (t_17 : f32) = fadd_f32(s_12, y_15)
      return (t_17)
    }
    let (r_99 : f32) = fmul_f32(s_30, z_18)";
    assert_eq!(map("i_10 < n_2", body), ["line 0: 1 tiles(y all) 1"]);
}

#[test]
fn rows_of_points_are_kept_if_read_again() {
    let body = "
    let (r_99 : f32) = loop (o_20 : f32 = 0.0f32) for l_21 : i64 < p_4 {
      let (s_30 : f32) = loop (s_12 : f32 = 0.0f32) for k_13 : i64 < m_3 {
        let (x_14 : f32) = a_5[i_10, k_13]
        let (y_15 : f32) = b_6[k_13, l_21]
        let (t_16 : f32) = fmul_f32(x_14, y_15)
        let (t_17 : f32) = fadd_f32(s_12, t_16)
        return (t_17)
      }
      let (o_31 : f32) = fmax_f32(o_20, s_30)
      return (o_31)
    }";
    assert_eq!(map("i_10 < n_2", body), ["kept line 0: 0 loop( 0 tiles(y all) 1 ) 0"]);
}

#[test]
fn what_may_fail_or_differs_is_not_tiled() {
    let checked = "
    let (r_99 : f32) = loop (s_12 : f32 = 0.0f32) for k_13 : i64 < m_3 {
      let (c_40 : bool) = slt_i64(k_13, p_4)
      let (e_41 : unit) = assert(c_40, \"index out of bounds\")
      let (y_15 : f32) = <e_41> b_6[0i64, k_13]
      let (t_17 : f32) = fadd_f32(s_12, y_15)
      return (t_17)
    }";
    assert_eq!(map("i_10 < n_2", checked), ["not tiled"]);
    let other_bounds = "
    let (r_99 : f32) = loop (s_12 : f32 = 0.0f32) for k_13 : i64 < i_10 {
      let (y_15 : f32) = b_6[0i64, k_13]
      let (t_17 : f32) = fadd_f32(s_12, y_15)
      return (t_17)
    }";
    assert_eq!(map("i_10 < n_2", other_bounds), ["not tiled"]);
    let own_element = "
    let (r_99 : f32) = loop (s_12 : f32 = 0.0f32) for k_13 : i64 < m_3 {
      let (y_15 : f32) = b_6[k_13, j_11]
      let (t_17 : f32) = fadd_f32(s_12, y_15)
      return (t_17)
    }";
    assert_eq!(map("j_11 < p_4", own_element), ["not tiled"]);
    let own_row = own_element.replace("b_6[k_13, j_11]", "b_6[j_11, k_13]");
    assert_eq!(map("j_11 < p_4", &own_row), ["not tiled"]);
}
