//! Packages from repositories that the tests make: commands, versions, caches, and repositories that mean harm.

mod commands;
mod hostile;
mod http;
mod repositories;
