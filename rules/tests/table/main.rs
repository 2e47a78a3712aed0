//! The table, played by script under explicit time and by chance.

mod acts;
mod chance;
mod clocks;
mod ending;
mod journal;
mod length;
mod machine;
mod offers;
mod rulings;
mod script;
mod swap;
mod takebacks;
mod written;
