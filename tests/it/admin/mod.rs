mod audit;
mod bans;
mod notices;
mod operator;
mod sign_ups;
mod socket;
mod users;
