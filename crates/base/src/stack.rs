//! Room on the stack for recursion over things that nest without bound.
//!
//! Recursive functions run their bodies in [`deep`], which continues on a new piece of stack where little is
//! left. What decides that, and enters the new piece, is one function for all: such places are many, and each
//! would otherwise be compiled with a copy of it.

/// Calls the function, with room on the stack for what is usual.
pub fn deep<T>(f: impl FnOnce() -> T) -> T {
    with_room(64 * 1024, 1024 * 1024, f)
}

/// Calls the function with at least so many bytes of stack: on a new piece of this size, if there are fewer.
pub fn with_room<T>(least: usize, piece: usize, f: impl FnOnce() -> T) -> T {
    let mut f = Some(f);
    let mut result = None;
    enter(least, piece, &mut || {
        if let Some(f) = f.take() {
            result = Some(f());
        }
    });
    match result {
        Some(result) => result,
        None => crate::bug!("a function was not called"),
    }
}

#[inline(never)]
fn enter(least: usize, piece: usize, f: &mut dyn FnMut()) {
    stacker::maybe_grow(least, piece, f);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recursion_may_be_deep() {
        fn down(n: u64) -> u64 {
            deep(|| if n == 0 { 0 } else { down(n - 1) + 1 })
        }
        assert_eq!(down(1_000_000), 1_000_000);
    }
}
