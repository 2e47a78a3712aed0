//! The commands that talk to a server. Each opens a session, sends requests and prints the answers.

mod account;
mod actions;
mod bot;
mod bots;
mod challenge;
mod complete;
mod conform;
mod dispatch;
mod download;
mod invites;
mod lists;
mod live;
mod manual;
mod play;
mod records;
mod relations;
mod seek;
mod start;
mod stats;
mod talk;
mod tokens;
mod users;
mod view;

pub(crate) use dispatch::run;
