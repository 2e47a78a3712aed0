//! `adamant download`: the finished games of a month, verified, and resumed where they broke off.

mod command;
mod http;
mod partial_file;

pub(super) use command::download;
