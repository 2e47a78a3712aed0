//! Writing the text record of a table.

use std::fmt::{self, Write as _};

use crate::{
    event::AbortReason,
    game::{EndReason, LeaveReason},
    seat::Seat,
    table::{Departure, Outcome, Table},
};

/// The text record of a game, finished or not. What the form cannot say is said in comments; a
/// player whose time ran out in a game that went on is written as one who resigned, so that the
/// moves after it can be replayed.
pub fn write(table: &Table) -> String {
    let mut text = String::new();
    write_record(&mut text, table).expect("writing to a string does not fail");
    text
}

fn write_record(text: &mut String, table: &Table) -> fmt::Result {
    let setup = table.setup();
    write!(text, "{} challenge", setup.kind.name())?;
    let options = setup.options.to_string();
    let names = setup.seats.iter().map(|player| player.user.as_ref());
    for word in std::iter::once(options.as_str()).filter(|text| !text.is_empty()).chain(names) {
        write!(text, " {word}")?;
    }
    writeln!(text)?;
    write_departures(text, table, 0)?;
    for (ply, notation) in (1..).zip(table.moves()) {
        writeln!(text, "{notation}")?;
        write_departures(text, table, ply)?;
    }
    match table.outcome() {
        Some(Outcome::Ended { winners, reason, .. }) => {
            let beaten = table.seats_in().iter().find(|&seat| !winners.contains(seat));
            write_end(text, table, *reason, beaten)
        }
        Some(Outcome::Aborted { by, reason }) => {
            let letter = table.position().letter(*by);
            match reason {
                AbortReason::ByPlayer => writeln!(text, "# called off by {letter}"),
                AbortReason::Agreed => writeln!(text, "# called off by agreement"),
                AbortReason::NoShow => writeln!(text, "# called off: {letter} did not come"),
            }
        }
        None => Ok(()),
    }
}

/// Those who left of their own after this ply; the rules remove the others again by themselves.
fn write_departures(text: &mut String, table: &Table, ply: u32) -> fmt::Result {
    let departures = table.departures().iter().filter(|departure| departure.ply == ply);
    for &Departure { seat, reason, .. } in departures {
        let letter = table.position().letter(seat);
        match reason {
            LeaveReason::NoPieces | LeaveReason::NoMove => {}
            LeaveReason::Resigned => writeln!(text, "{letter} resign")?,
            LeaveReason::TimedOut => writeln!(text, "{letter} resign # ran out of time")?,
            LeaveReason::Abandoned => writeln!(text, "{letter} resign # went away")?,
        }
    }
    Ok(())
}

/// The end, where it is not in the moves. `beaten` is in the game and has not won it.
fn write_end(
    text: &mut String,
    table: &Table,
    reason: EndReason,
    beaten: Option<Seat>,
) -> fmt::Result {
    let letter = |seat| table.position().letter(seat);
    match (reason, beaten) {
        (EndReason::Resigned, Some(seat)) if seat == table.position().to_move() => {
            writeln!(text, "resign")
        }
        (EndReason::Resigned, Some(seat)) => writeln!(text, "{} resign", letter(seat)),
        (EndReason::TimedOut, Some(seat)) => writeln!(text, "# {} ran out of time", letter(seat)),
        (EndReason::Abandoned, Some(seat)) => writeln!(text, "# {} went away", letter(seat)),
        (EndReason::Agreement, _) => writeln!(text, "draw"),
        (EndReason::TooLong, _) => writeln!(text, "# drawn: the game had become too long"),
        (
            EndReason::Resigned
            | EndReason::TimedOut
            | EndReason::Abandoned
            | EndReason::LastPlayer
            | EndReason::TwoPieces
            | EndReason::Connected
            | EndReason::Aligned
            | EndReason::Stuck
            | EndReason::Repetition,
            _,
        ) => Ok(()),
    }
}
