//! Stymie, tested from outside: what its positions say and do.

mod drawing;
mod gameplay;
mod notation;
mod positions;
mod progress;
mod properties;
mod records;
mod reference_rules;
mod sample;
mod vectors;
