//! The Adamant game server.
//!
//! ARCHITECTURE.md lists the floors of these modules: each uses only those below it.

mod accounts;
mod address;
pub mod admin;
pub mod admin_words;
pub mod app;
pub mod bench_api;
mod cache;
pub mod chaos;
#[expect(unused_imports, reason = "the embedded store serves a server that is alone")]
mod cluster;
pub mod config;
pub mod doctor;
mod downloads;
mod error;
mod fair_queue;
pub mod health;
mod house;
mod http;
mod limits;
mod live;
mod lobby;
pub mod maintenance;
mod notify;
mod occasions;
mod outbound;
mod policy;
mod queries;
mod quotas;
mod rate_limiter;
mod ratings;
mod relations;
mod reports;
pub mod restore;
mod room;
pub mod runtime;
pub mod salvage;
mod session;
mod signing;
pub mod simulation;
mod store;
mod talk;
