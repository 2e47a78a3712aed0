//! Signed records of games.

mod signed_records; // export, signature and offline verification
