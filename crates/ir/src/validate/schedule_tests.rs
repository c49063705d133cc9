//! Schedules that make no sense.

use super::validate;
use crate::print::{print_prog, Locations};
use crate::read::read_prog;
use crate::rep::Kernels;

/// Mistakes of a map over two dimensions with this schedule, without their places.
fn map(schedule: &str) -> Vec<String> {
    let text = format!(
        "kernels

fun f_0(n_1 : i64, m_2 : i64, xss_3 : [n_1][m_2]f32) : ([n_1][m_2]f32) = {{
  let (out_4 : [n_1][m_2]f32) = segmap thread (flat_5; i_6 < n_1, j_7 < m_2) : (f32)
    schedule
      param \"b\" block_size
      param \"t\" tile_size
      param \"r\" reg_tile_size default 4
      {schedule}
  {{
    let (s_8 : f32) = loop (s_9 : f32 = 0.0f32) for k_10 : i64 < m_2 {{
      let (x_11 : f32) = xss_3[i_6, k_10]
      let (t_12 : f32) = fadd_f32(s_9, x_11)
      return (t_12)
    }}
    return (s_8)
  }}
  return (out_4)
}}
"
    );
    let prog = read_prog::<Kernels>(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let printed = print_prog(&prog, Locations::Hidden);
    let again = read_prog::<Kernels>(&printed).unwrap_or_else(|e| panic!("{e}\n{printed}"));
    assert_eq!(print_prog(&again, Locations::Hidden), printed);
    let errors = validate(&prog).err().unwrap_or_default();
    errors.iter().map(|e| e.rsplit("`: ").next().unwrap_or_default().to_owned()).collect()
}

const LAST: &str = "otherwise points(block \"b\", each 1 when ())";

/// Mistakes of a choice before the last.
fn choice(text: &str) -> Vec<String> {
    map(&format!("{text} {LAST}"))
}

#[test]
fn sensible_schedules() {
    assert_eq!(map(LAST), Vec::<String>::new());
    let tiled = "tiled(across 1, down 0, tile \"t\", each \"r\", loop k_10 (x_11 down by_loop))";
    assert_eq!(
        choice(&format!("when (must shared <= max_shared, pays depth * 4 <= i64(m_2)) {tiled}")),
        Vec::<String>::new()
    );
    assert_eq!(
        choice("when (must 1 <= i64(m_2)) row_cache(tile \"t\", x_11 along k_10)"),
        Vec::<String>::new()
    );
    let column = "otherwise points(block \"b\", each 4 when (pays 9 <= points), column 4 widths_log2 [8] idle 8 when (must 0 < width_log2))";
    assert_eq!(map(column), Vec::<String>::new());
}

#[test]
fn the_last_choice_alone_has_no_conditions() {
    assert_eq!(map(""), ["a schedule without a choice"]);
    assert_eq!(choice(LAST), ["a choice without conditions is not the last"]);
    let guarded = "when (pays 1 <= points) points(block \"b\", each 1 when ())";
    assert_eq!(map(guarded), ["the last choice of a schedule has conditions"]);
}

#[test]
fn plans_suit_the_operation() {
    for plan in
        ["thread_per_segment(block \"b\", each 4 when ())", "strided", "by_warps", "rounds(updates [])"]
    {
        let word = plan.split('(').next().unwrap_or_default();
        assert_eq!(map(&format!("otherwise {plan}")), [format!("{word} is no way to run this operation")]);
    }
}

#[test]
fn parameters_are_declared_and_of_the_right_class() {
    assert_eq!(map("otherwise points(block \"c\", each 1 when ())"), ["the schedule has no parameter \"c\""]);
    assert_eq!(
        map("otherwise points(block \"t\", each 1 when ())"),
        ["the parameter \"t\" is of class TileSize"]
    );
    assert_eq!(
        choice("when (pays \"c\" <= points) points(block \"b\", each 1 when ())"),
        ["the schedule has no parameter \"c\""]
    );
}

#[test]
fn conditions_are_about_what_the_plan_knows() {
    assert_eq!(
        choice("when (must passes <= 4) row_cache(tile \"t\", x_11 along k_10)"),
        ["Passes means nothing for row_cache"]
    );
    assert_eq!(
        choice("when (must 1 <= i64(x_11)) row_cache(tile \"t\", x_11 along k_10)"),
        ["x_11 is not in scope"]
    );
}

#[test]
fn tiles_are_of_loops_and_reads_that_are_there() {
    let tiled = |text: &str| choice(&format!("when (must shared <= max_shared) tiled({text})"));
    let sides = "the sides of a tile are two dimensions of the space";
    assert_eq!(tiled("across 1, down 1, tile \"t\", each \"r\", loop k_10 (x_11 down)"), [sides]);
    assert_eq!(tiled("across 2, tile \"t\", loop k_10 (x_11 common)"), [sides]);
    assert_eq!(tiled("across 1, tile \"t\""), ["tiles that nothing is read through"]);
    assert_eq!(
        tiled("across 1, tile \"t\", loop j_7 (x_11 common)"),
        ["j_7 counts no loop of the operation"]
    );
    assert_eq!(
        tiled("across 1, tile \"t\", loop k_10 (t_12 common)"),
        ["t_12 is no element that the operation reads"]
    );
    assert_eq!(
        tiled("across 1, tile \"t\", loop k_10 (x_11 down)"),
        ["x_11 changes along a side that is not there"]
    );
    assert_eq!(
        tiled("across 1, down 0, tile \"t\", loop k_10 (x_11 down)"),
        ["rectangles have points for each thread, lines do not"]
    );
}

#[test]
fn numbers_are_positive() {
    assert_eq!(
        map("otherwise points(block \"b\", each 0 when ())"),
        ["points with a number that is less than 1"]
    );
}
