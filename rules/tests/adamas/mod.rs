//! Adamas, tested from outside: what its positions say and do.

mod drawing;
mod gameplay;
mod listing;
mod notation;
mod perft;
mod positions;
mod properties;
mod reference_rules;
mod representatives;
mod sample;
mod vectors;
