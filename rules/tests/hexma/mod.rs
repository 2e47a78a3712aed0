//! Hexma, tested from outside: what its positions say and do.

mod drawing;
mod gameplay;
mod notation;
mod positions;
mod progress;
mod properties;
mod record;
mod reference_rules;
mod sample;
mod vectors;
