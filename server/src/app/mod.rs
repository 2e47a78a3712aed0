//! Constructs all services, and starts and stops the server.

#[expect(clippy::module_inception, reason = "the file has the type that the folder is named for")]
mod app;
mod cluster_events;
mod open_store;
mod services;
mod start_error;
#[cfg(test)]
mod tests;

pub use app::App;
pub(crate) use services::build_services;
pub use start_error::StartError;
