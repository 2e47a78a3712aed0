mod audit;
mod bans;
mod games;
mod keys;
mod nodes;
mod notices;
mod operator;
mod reload;
mod reports;
mod sign_ups;
mod socket;
mod users;

pub(crate) use operator::govern;
