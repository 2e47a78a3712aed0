//! Constructs all services, and starts and stops the server.

#[expect(clippy::module_inception, reason = "the file has the type that the folder is named for")]
mod app;
mod cluster_events;
mod services;
#[cfg(test)]
mod tests;

pub use app::App;
pub use services::StartError;
pub(crate) use services::build_services;
