//! The commands that talk to a server. Each opens a session, sends requests and prints the answers.

pub(crate) mod account;
pub(crate) mod actions;
pub(crate) mod bot;
pub(crate) mod bots;
pub(crate) mod challenge;
pub(crate) mod complete;
pub(crate) mod conform;
pub(crate) mod dispatch;
pub(crate) mod download;
pub(crate) mod invites;
pub(crate) mod lists;
pub(crate) mod live;
pub(crate) mod manual;
pub(crate) mod play;
pub(crate) mod records;
pub(crate) mod relations;
pub(crate) mod seek;
pub(crate) mod start;
pub(crate) mod stats;
pub(crate) mod talk;
pub(crate) mod tokens;
pub(crate) mod users;
pub(crate) mod view;

pub(crate) use dispatch::run;
