#![allow(clippy::unwrap_used)]
use super::arbitrary::Gen;
use super::read_prog;
use crate::free::{bound_in_fun, free_in_fun};
use crate::print::{print_prog, Locations};
use crate::rep::{Kernels, Memory, Rep, Soacs};
use crate::subst::{rename_fun, renumber};
use crate::visit::for_each_stm;
use proptest::prelude::*;

const MAP: &str = "soacs

opaque \"pair\" = record {\"0\" : i32, \"1\" : []u8}

consts {
  let (limit_0 : i64) = add_i64(1i64, 2i64)
  return (limit_0)
}

#[noinline] doc \"Adds.\"
entry main sizes 1 0 (*xs : []i32, opaque(\"pair\")) : *[]i32
fun main_1(n_2 : i64, *xs_3 : [n_2]i32) : (*[n_2]i32) = {
  let (ok_4 : bool) = slt_i64(limit_0, n_2)
  let (c_5 : unit) = assert(ok_4, \"index \", limit_0 : i64, \" out of bounds\")
  let (x_6 : i32) = <c_5> xs_3[limit_0]
  #[sequential] #[unroll(2)] let (ys_7 : [n_2]i32) = screma n_2 [xs_3]
    map \\(y_8 : i32) : (i32) {
      let (t_9 : i32) = add_i32(y_8, x_6)
      return (t_9)
    }
  return (ys_7)
}
";

#[test]
fn text_reads_back() {
    let prog = read_prog::<Soacs>(MAP).unwrap();
    assert_eq!(print_prog(&prog, Locations::Shown), MAP);
}

/// Lists in schedules may be empty.
#[test]
fn schedules_without_spaces_read_back() {
    for plan in ["spaces ", "spaces , once , turns \"a\"", "spaces , points \"a\", threads \"b\""] {
        let text = format!(
            "kernels

fun f_0(x_1 : i64) : () = {{
  let () = segmap thread virtual (t_2; i_3 < x_1) : ()
    schedule
      otherwise
        block_per_point({plan})
  {{
    return ()
  }}
  return ()
}}
"
        );
        let prog = read_prog::<Kernels>(&text).unwrap();
        assert_eq!(print_prog(&prog, Locations::Shown), text);
    }
}

#[test]
fn renumbering_forgets_numbers() {
    let prog = read_prog::<Soacs>(MAP).unwrap();
    let mut other = prog.clone();
    for _ in 0..5 {
        other.names.fresh_str("gone");
    }
    let renamed = rename_fun(&mut other.names, &other.funs[0]);
    other.funs[0] = renamed;
    assert_ne!(print_prog(&other, Locations::Shown), MAP);
    assert_eq!(print_prog(&renumber(&other), Locations::Shown), MAP);
}

#[test]
fn free_and_bound_names() {
    let prog = read_prog::<Soacs>(MAP).unwrap();
    let numbers = |names: &[fehu_base::Name]| names.iter().map(|n| n.0).collect::<Vec<_>>();
    let free: Vec<_> = free_in_fun(&prog.funs[0]).into_iter().collect();
    assert_eq!(numbers(&free), [0]);
    assert_eq!(numbers(&bound_in_fun(&prog.funs[0])), [2, 3, 4, 5, 6, 8, 9, 7]);
    let mut stms = 0;
    for_each_stm(&prog.funs[0].body, &mut |_| stms += 1);
    assert_eq!(stms, 5);
}

#[test]
fn errors_say_where() {
    let message = |text: &str| read_prog::<Soacs>(text).unwrap_err().to_string();
    assert_eq!(message("fun f_0() : () = {\n let x\n}"), "line 2: expected '(', found 'x'");
    assert_eq!(
        message("fun f_0() : () = {\n let (x_1 : i64) = get_size_max grid_size\n}"),
        "line 3: soacs has no get_size_max"
    );
    assert_eq!(message("fun f_0(x_0 : i32)"), "line 1: two names numbered 0: f and x");
    assert_eq!(message("fun f_37183718() : ()"), "line 1: number of a name out of range");
    assert_eq!(message("kernels"), "line 1: this is a program over kernels, not soacs");
    for bad in ["fun f_99999999999() :", "\"", "opaque", "opaque \"x\" = array", "consts { return ("] {
        assert!(read_prog::<Soacs>(bad).is_err());
    }
}

#[test]
fn deep_nests_read_and_print() {
    let depth = 2000;
    let mut text = String::from("soacs\n\nfun f_0(c_1 : bool) : () = {");
    for _ in 0..depth {
        text.push_str("let () = if c_1 then { return () } else {");
    }
    text.push_str(&"return () }".repeat(depth + 1));
    let prog = read_prog::<Soacs>(&text).unwrap();
    let mut stms = 0;
    for_each_stm(&prog.funs[0].body, &mut |_| stms += 1);
    assert_eq!(stms, depth);
    let printed = print_prog(&prog, Locations::Shown);
    assert_eq!(print_prog(&read_prog::<Soacs>(&printed).unwrap(), Locations::Shown), printed);
}

fn round_trip<R: Rep<Dec = ()>>(seed: u64) {
    let prog = Gen::new(seed).prog::<R>();
    let text = print_prog(&prog, Locations::Shown);
    let back = match read_prog::<R>(&text) {
        Ok(back) => back,
        Err(e) => panic!("{e}\n{text}"),
    };
    assert_eq!(print_prog(&back, Locations::Shown), text);
    assert_eq!(back.funs, prog.funs);
    assert_eq!(back.consts, prog.consts);
    assert_eq!(back.opaques, prog.opaques);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..Default::default() })]

    #[test]
    fn soacs_read_back(seed: u64) {
        round_trip::<Soacs>(seed);
    }

    #[test]
    fn kernels_read_back(seed: u64) {
        round_trip::<Kernels>(seed);
    }

    #[test]
    fn reader_never_panics(seed: u64, cut in 0usize..2000, junk in ".{0,8}") {
        let text = print_prog(&Gen::new(seed).prog::<Kernels>(), Locations::Shown);
        let cut = (0..=cut.min(text.len())).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
        let _ = read_prog::<Kernels>(&format!("{}{junk}{}", &text[..cut], &text[cut..]));
    }
}

#[test]
fn memory_reads_back() {
    let text = "memory

fun f_0(n_1 : i64, m_2 : mem(default), xs_3 : [n_1]i32 @ m_2 -> 0 + {(n_1 : 1)}) : (mem(shared)) = {
  let (b_4 : i64) = mul_i64(n_1, 4i64)
  let (m_5 : mem(shared)) = alloc b_4 shared
  let (ys_6 : [n_1][2]i32 @ m_5 -> 2*n_1 - 3 + {(n_1 : -1), (2 : -2*n_1*b_4 + n_1 - 7)}) = scratch i32 [n_1, 2]
  return (m_5)
}
";
    let mut prog = read_prog::<Memory>(text).unwrap();
    assert_eq!(print_prog(&prog, Locations::Shown), text);
    let n = prog.funs[0].params[0].name;
    let mut subst = crate::subst::Subst::new();
    subst.insert(n, crate::SubExp::i64(10));
    subst.body(&mut prog.funs[0].body);
    let stm = crate::print::print_stm(&prog.names, &prog.funs[0].body.stms[2]);
    assert_eq!(
        stm,
        "let (ys_6 : [10][2]i32 @ m_5 -> 17 + {(10 : -1), (2 : -20*b_4 + 3)}) = scratch i32 [10, 2]"
    );
}
