//! Commands of Futhark's own compiler that are not here: a user who types one reads that it is missing, and
//! what to use instead, rather than the nearest name.

/// What to say about a command that is not there; `None` if Futhark has no such command either.
pub(crate) fn explanation(command: &str) -> Option<String> {
    let (_, instead) = MISSING.iter().find(|(name, _)| *name == command)?;
    Some(format!("`{command}` is a command of Futhark's own compiler that fehu does not have yet{instead}"))
}

const MISSING: [(&str, &str); 7] = [
    ("hip", "; `fehu opencl` compiles for GPUs of AMD"),
    ("ispc", "; `fehu multicore` uses all cores"),
    ("pyopencl", "; `fehu opencl --library` makes a C library, which Python's ctypes can call"),
    ("python", "; `fehu c --library` makes a C library, which Python's ctypes can call"),
    ("rts", ""),
    ("wasm", "; `fehu c --library` makes C that emcc can compile"),
    ("wasm-multicore", "; `fehu multicore --library` makes C that emcc can compile"),
];
