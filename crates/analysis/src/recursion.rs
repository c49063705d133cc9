//! Which functions call themselves, directly or through others.

use fehu_base::Name;
use fehu_ir::visit::for_each_stm;
use fehu_ir::{Exp, FunDef, Rep};
use rustc_hash::{FxHashMap, FxHashSet};

/// The functions that lie on a cycle of calls.
pub fn recursive<R: Rep>(funs: &[FunDef<R>]) -> FxHashSet<Name> {
    let number: FxHashMap<Name, usize> = funs.iter().enumerate().map(|(i, f)| (f.name, i)).collect();
    let mut calls: Vec<Vec<usize>> = vec![vec![]; funs.len()];
    for (fun, called) in funs.iter().zip(&mut calls) {
        for_each_stm(&fun.body, &mut |stm| {
            if let Exp::Call(f, _) = &stm.exp {
                called.extend(number.get(f));
            }
        });
    }
    let on_cycle = |c: &Vec<usize>| c.len() > 1 || c.iter().any(|f| calls[*f].contains(f));
    let cycles = components(&calls).into_iter().filter(on_cycle);
    cycles.flatten().map(|f| funs[f].name).collect()
}

/// Strongly connected components of a graph of calls, by Tarjan's algorithm with a stack of its own: callees
/// come before callers.
pub fn components(calls: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    let mut index = vec![UNSEEN; calls.len()];
    let mut low = vec![0; calls.len()];
    let mut open = vec![false; calls.len()];
    let (mut next, mut stack, mut out) = (0, Vec::new(), Vec::new());
    for root in 0..calls.len() {
        if index[root] != UNSEEN {
            continue;
        }
        // A function, and which of its calls is next.
        let mut path = vec![(root, 0)];
        while let Some((f, at)) = path.pop() {
            if at == 0 {
                (index[f], low[f], open[f]) = (next, next, true);
                next += 1;
                stack.push(f);
            } else {
                let done = calls[f][at - 1];
                if open[done] {
                    low[f] = low[f].min(low[done]);
                }
            }
            match calls[f].get(at) {
                Some(&g) => {
                    path.push((f, at + 1));
                    if index[g] == UNSEEN {
                        path.push((g, 0));
                    }
                }
                None if low[f] == index[f] => {
                    let mut component = Vec::new();
                    while let Some(g) = stack.pop() {
                        open[g] = false;
                        component.push(g);
                        if g == f {
                            break;
                        }
                    }
                    out.push(component);
                }
                None => {}
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn cycles_are_found() {
        let mut found = components(&[vec![1], vec![2, 3], vec![0], vec![3], vec![0, 4]]);
        found.iter_mut().for_each(|c| c.sort_unstable());
        found.sort();
        assert_eq!(found, [vec![0, 1, 2], vec![3], vec![4]]);
    }
}
