//! Back ends.

/// A back end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// Sequential C.
    C,
    /// C with threads.
    Multicore,
    /// C with kernels that OpenCL runs.
    OpenCl,
    /// C with kernels that CUDA runs.
    Cuda,
}

impl Target {
    /// All back ends.
    pub const ALL: [Target; 4] = [Target::C, Target::Multicore, Target::OpenCl, Target::Cuda];

    /// What commands, `--backend` and tags such as `no_c` call it.
    pub fn name(self) -> &'static str {
        match self {
            Target::C => "c",
            Target::Multicore => "multicore",
            Target::OpenCl => "opencl",
            Target::Cuda => "cuda",
        }
    }

    /// The back end of this name, or the message for a user who named another.
    pub fn named(name: &str) -> Result<Target, String> {
        Target::ALL.into_iter().find(|t| t.name() == name).ok_or_else(|| {
            let names: Vec<&str> = Target::ALL.into_iter().map(Target::name).collect();
            format!("there is no back end named `{name}`; there is: {}", names.join(", "))
        })
    }

    /// What the executable is linked with.
    pub fn libraries(self) -> &'static [&'static str] {
        match self {
            Target::C | Target::Multicore => &["-lm", "-lpthread"],
            Target::OpenCl | Target::Cuda => &["-lm", "-lpthread", "-ldl"],
        }
    }

    /// Whether it runs kernels.
    pub fn is_gpu(self) -> bool {
        match self {
            Target::C | Target::Multicore => false,
            Target::OpenCl | Target::Cuda => true,
        }
    }
}
