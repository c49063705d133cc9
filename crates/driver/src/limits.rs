//! What this process may use, as the user or the system has limited it (`ulimit`).

use rustix::process::{getrlimit, Resource};

/// The most bytes of addresses, if there is a limit.
pub fn address_space() -> Option<u64> {
    getrlimit(Resource::As).current
}
