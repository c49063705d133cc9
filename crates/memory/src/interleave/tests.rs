use fehu_ir::print::{print_prog, Locations};
use fehu_ir::read::read_prog;
use fehu_ir::validate::validate;
use fehu_ir::Kernels;

/// The program with memory, for a map whose points each make a row of that size from its index.
fn with_memory(size: &str, body: &str) -> String {
    let text = format!(
        "kernels
fun f_1(n_2 : i64, m_3 : i64) : (*[n_2][{size}]i64) = {{
  let (out_4 : [n_2][{size}]i64) = segmap thread virtual (flat_5; g_6 < n_2) : ([{size}]i64) {{
    let (s_7 : [{size}]i64) = scratch i64 [{size}]
    let (row_8 : [{size}]i64) = loop (*p_9 : [{size}]i64 = s_7) for i_10 : i64 < {size} {{
{body}
      let (o_11 : [{size}]i64) = p_9 with [i_10] = v_12
      return (o_11)
    }}
    return (row_8)
  }}
  return (out_4)
}}
"
    );
    let prog = read_prog::<Kernels>(&text).unwrap_or_else(|e| panic!("{e}"));
    let mut prog = crate::introduce(prog).unwrap_or_else(|e| panic!("{e:?}"));
    (crate::shortcircuit::PASS.run)(&mut prog);
    assert!(crate::expand(&mut prog).is_empty());
    (super::PASS.run)(&mut prog);
    validate(&prog).unwrap_or_else(|e| panic!("{e:?}"));
    print_prog(&prog, Locations::Hidden)
}

const WRITTEN: &str = "      let (v_12 : i64) = mul_i64(g_6, i_10)";
const READ: &str = "      let (v_12 : i64) = p_9[i_10]";

#[test]
fn rows_are_written_side_by_side_and_then_put_in_order() {
    let text = with_memory("m_3", WRITTEN);
    assert!(text.contains("across_") && text.contains("along_"), "{text}");
    let inside = text.lines().find(|l| l.contains("(o_11 : [m_3]i64")).unwrap_or_default();
    assert!(inside.contains("{(m_3 : along_"), "an element of the next index is far away: {text}");
    let end = text.lines().find(|l| l.contains("(out_4 : ")).unwrap_or_default();
    assert!(end.contains("{(n_2 : m_3), (m_3 : 1)}) = if interleaved_"), "{text}");
}

#[test]
fn rows_that_are_read_too_are_made_in_place() {
    let text = with_memory("m_3", READ);
    assert!(text.contains("interleaved_") && !text.contains("grid("), "{text}");
}

#[test]
fn short_rows_are_left_alone() {
    let text = with_memory("4i64", WRITTEN);
    assert!(!text.contains("interleaved_"), "{text}");
    let text = with_memory("1000i64", WRITTEN);
    assert!(text.contains("interleaved_"), "{text}");
}
