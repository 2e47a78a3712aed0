//! What operators decide at run time and every session goes by: who is banned, who may sign up, and
//! whether games may begin.

mod bans;
mod policy;

pub(crate) use policy::{Maintenance, Policy};
