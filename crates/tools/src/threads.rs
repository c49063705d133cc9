//! Threads: those that compile, which recurse over programs and need room for it, and those that only wait.
//!
//! A limit of the address space (`ulimit -v`) limits the stacks too, so that they leave most of it to data. If there is
//! none for any thread, workers do their work one after the other on the thread that asks for them. A stack that cannot
//! grow ends the command with a sentence about memory.

use fehu_driver::limits::address_space;
use std::any::Any;
use std::io;
use std::panic::{set_hook, take_hook};
use std::thread::{scope, Builder, JoinHandle};

/// The stack on which a command runs: programs can be nested deeply. Smaller ones are tried one after the other.
const STACKS_BYTES: [usize; 6] = [512 << 20, 256 << 20, 128 << 20, 32 << 20, 8 << 20, 2 << 20];

/// The largest stack of a worker.
const WORKER_BYTES: usize = STACKS_BYTES[1];

/// Which part of a limited address space a stack may take.
const STACK_PART: u64 = 8;

/// What the crate that lets stacks grow says when there is no memory for it.
const NO_STACK: &str = "mmap failed to allocate stack";

/// Why a command has no result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failed {
    /// It panicked, and has said so.
    Panicked,
    /// There is too little memory, with a sentence about it.
    Memory(String),
}

/// Runs a command on a large stack.
pub fn command<T: Send + 'static>(work: fn() -> T) -> Result<T, Failed> {
    let report = take_hook();
    set_hook(Box::new(move |panic| {
        if !is_lack_of_stack(panic.payload()) {
            report(panic);
        }
    }));
    let started = smaller_and_smaller(usize::MAX, |builder| builder.spawn(work));
    let joined = started.map_err(|e| Failed::Memory(refused(&e)))?.join();
    joined.map_err(|payload| match is_lack_of_stack(&*payload) {
        true => Failed::Memory("there is too little memory, or address space (ulimit -v)".into()),
        false => Failed::Panicked,
    })
}

fn is_lack_of_stack(payload: &(dyn Any + Send)) -> bool {
    payload.downcast_ref::<String>().is_some_and(|text| text.contains(NO_STACK))
}

/// Does some work on so many threads, and on this one if none can be started.
pub(crate) fn workers(count: usize, work: impl Fn() + Sync) {
    scope(|scope| {
        let start = |builder: Builder| builder.spawn_scoped(scope, &work);
        let started = (0..count).take_while(|_| smaller_and_smaller(WORKER_BYTES, start).is_ok()).count();
        if started == 0 {
            work();
        }
    });
}

/// Starts a thread that waits for another process.
pub(crate) fn waiting<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<JoinHandle<T>, String> {
    Builder::new().spawn(work).map_err(|e| refused(&e))
}

/// Why a thread did not start.
pub(crate) fn refused(e: &io::Error) -> String {
    format!("could not start a thread; there may be too little memory or address space (ulimit -v): {e}")
}

/// Tries stacks of at most so many bytes.
fn smaller_and_smaller<T>(most: usize, start: impl Fn(Builder) -> io::Result<T>) -> io::Result<T> {
    let part = address_space().map_or(usize::MAX, |bytes| (bytes / STACK_PART) as usize);
    let least = STACKS_BYTES[STACKS_BYTES.len() - 1];
    let most = most.min(part).max(least);
    let mut stacks = STACKS_BYTES.into_iter().filter(|bytes| *bytes <= most).peekable();
    loop {
        let builder = Builder::new().stack_size(stacks.next().unwrap_or_default());
        match start(builder) {
            Err(_) if stacks.peek().is_some() => {}
            done => return done,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn the_largest_stack_that_there_is_room_for() {
        let room = |most: usize| {
            let tried = AtomicUsize::new(0);
            let last = smaller_and_smaller(usize::MAX, |_| {
                let at = tried.fetch_add(1, Ordering::Relaxed);
                match STACKS_BYTES.get(at).filter(|bytes| **bytes <= most) {
                    Some(bytes) => Ok(*bytes),
                    None => Err(io::Error::other("no room")),
                }
            });
            (last.ok(), tried.into_inner())
        };
        assert_eq!(room(usize::MAX), (Some(512 << 20), 1));
        assert_eq!(room(100 << 20), (Some(32 << 20), 4));
        assert_eq!(room(1 << 20), (None, 6));
    }

    #[test]
    fn work_is_done_on_all_threads() {
        let done = AtomicUsize::new(0);
        workers(3, || _ = done.fetch_add(1, Ordering::Relaxed));
        assert_eq!(done.into_inner(), 3);
    }
}
