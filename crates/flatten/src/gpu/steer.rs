//! Attributes that steer flattening, and one that it hands on to kernels.

use fehu_ir::Attr;

/// What the attributes of a statement ask for.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Steer {
    /// No parallelism at all: `sequential`.
    pub(crate) sequential: bool,
    /// No version that makes the inner parallelism sequential: `sequential_outer`, `no_outer`, ...
    pub(crate) no_outer: bool,
    /// No version that runs the inner parallelism in thread blocks.
    pub(crate) no_intra: bool,
    /// No version that flattens further: `sequential_inner`, ...
    pub(crate) no_inner: bool,
}

impl Steer {
    /// Reads the attributes.
    pub(crate) fn of(attrs: &[Attr]) -> Steer {
        let mut steer = Steer::default();
        for attr in attrs {
            match attr {
                Attr::Atom(name) => match name.as_str() {
                    "sequential" => steer.sequential = true,
                    "sequential_outer" => steer.no_outer = true,
                    "sequential_inner" => {
                        steer.no_intra = true;
                        steer.no_inner = true;
                    }
                    _ => {}
                },
                Attr::Comp(name, args)
                    if matches!(name.as_str(), "flattening" | "incremental_flattening") =>
                {
                    args.iter().for_each(|a| steer.flattening(a));
                }
                Attr::Comp(..) | Attr::Int(_) => {}
            }
        }
        steer
    }

    fn flattening(&mut self, arg: &Attr) {
        let Attr::Atom(name) = arg else { return };
        match name.as_str() {
            "only_inner" => {
                self.no_outer = true;
                self.no_intra = true;
            }
            "only_intra" => {
                self.no_outer = true;
                self.no_inner = true;
            }
            "no_outer" => self.no_outer = true,
            "no_intra" => self.no_intra = true,
            _ => {}
        }
    }
}

/// Whether an attribute says how kernels run: `schedule(NAME)`. Flattening puts it on every operation that it
/// makes of a combinator.
pub(crate) fn is_schedule(attr: &Attr) -> bool {
    match attr {
        Attr::Comp(name, _) => name.as_str() == "schedule",
        Attr::Atom(_) | Attr::Int(_) => false,
    }
}
