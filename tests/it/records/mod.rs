//! Signed records of games, and downloads of many.

mod downloads; // files of finished games: whole, in parts, by the program and from Python
mod signed_records; // export, signature and offline verification
