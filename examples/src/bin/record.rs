//! Verifies a record from the standard input, such as `GET /v1/games/GAME/log` returns it, and
//! writes its game down as text.

use std::{
    error::Error,
    io::{self, BufRead as _},
};

use adamant_record::Verifier;
use adamant_rules::record;

fn main() -> Result<(), Box<dyn Error>> {
    let mut verifier = Verifier::new();
    for line in io::stdin().lock().lines() {
        verifier.line(line?.as_bytes())?;
    }
    let verified = verifier.finish(None)?;
    let signed = if verified.key.is_some() { "signed" } else { "not signed" };
    eprintln!("game {}: {} events, {signed}", verified.game, verified.seq);
    print!("{}", record::write(&verified.table));
    Ok(())
}
