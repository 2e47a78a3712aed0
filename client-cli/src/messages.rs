//! Texts for people about events, results and clocks. JSON output is built elsewhere.

use std::fmt::Write as _;

use adamant_protocol::{
    GameId, UserName,
    to_client::{Notice, NoticeKind, ReportOutcome},
};
use adamant_rules::{
    BySeat, Capture, EndReason, Event, EventKind, LeaveReason, Player, Position, Seat, SeatSet,
    Setup, Table, TimeControl,
    event::{AbortReason, AdjustReason, OfferKind, OfferOutcome},
    record::plain,
    table::Outcome,
};
use jiff::Timestamp;

/// The names of a game's players: the letter of their pieces and the user name.
#[derive(Debug, Clone)]
pub(crate) struct Names(BySeat<String>);

impl Names {
    /// Builds the names of a game's players.
    pub(crate) fn new(players: &BySeat<Player>, position: &Position) -> Self {
        Self(BySeat::from_fn(players.len(), |seat| {
            format!("{} {}", position.letter(seat), players[seat].user)
        }))
    }

    pub(crate) fn of(&self, seat: Seat) -> &str {
        &self.0[seat]
    }

    /// Joins the names of several seats: `O ann, X bob and Y cy`.
    pub(crate) fn all_of(&self, seats: SeatSet) -> String {
        let names: Vec<&str> = seats.iter().map(|seat| self.of(seat)).collect();
        match names.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
            Some((last, _)) => (*last).to_owned(),
            None => "no player".to_owned(),
        }
    }

    /// Returns a sentence about how a game ended.
    pub(crate) fn outcome(&self, outcome: &Outcome) -> String {
        match outcome {
            Outcome::Ended { winners, reason, .. } => {
                let why = end_reason(*reason);
                match winners.single() {
                    Some(winner) => format!("{} wins: {why}.", self.of(winner)),
                    None => format!("A draw between {}: {why}.", self.all_of(*winners)),
                }
            }
            Outcome::Aborted { by, reason: AbortReason::ByPlayer } => {
                format!("{} aborted the game; it has no result.", self.of(*by))
            }
            Outcome::Aborted { reason: AbortReason::Agreed, .. } => {
                "The players agreed to abort the game; it has no result.".to_owned()
            }
            Outcome::Aborted { by, reason: AbortReason::NoShow } => {
                format!("{} did not start playing; the game has no result.", self.of(*by))
            }
            Outcome::Aborted { reason: AbortReason::Ruling, .. } => {
                "The operator aborted the game; it has no result.".to_owned()
            }
        }
    }

    /// Returns a sentence about a seat that left a game which goes on.
    pub(crate) fn left(&self, seat: Seat, reason: LeaveReason) -> String {
        let why = match reason {
            LeaveReason::NoPieces => "has no pieces left",
            LeaveReason::NoMove => "has no legal move",
            LeaveReason::Resigned => "resigns",
            LeaveReason::TimedOut => "is out of time",
            LeaveReason::Abandoned => "was away too long",
        };
        format!("{} {why} and leaves the game.", self.of(seat))
    }
}

/// Returns the reason of a result. `adamant replay` prints it, so the texts are part of its output
/// format.
const fn end_reason(reason: EndReason) -> &'static str {
    match reason {
        EndReason::LastPlayer => "nobody else is left",
        EndReason::TwoPieces => "the last two pieces do not see each other",
        EndReason::Connected => "the edges are connected",
        EndReason::Aligned => "like pieces stand opposite each other",
        EndReason::Stuck => "nobody can move",
        EndReason::Repetition => "the position came up for the third time",
        EndReason::TooLong => "the game had become too long",
        EndReason::Agreement => "they agreed on it",
        EndReason::Resigned => "the opponent resigned",
        EndReason::TimedOut => "the opponent ran out of time",
        EndReason::Abandoned => "the opponent was away too long",
        EndReason::Ruling => "the operator has decided so",
    }
}

/// Formats a game as a challenge does: `adamas -size=3 -pieces=8`.
pub(crate) fn game(setup: &Setup) -> String {
    let options = setup.options.to_string();
    let gap = if options.is_empty() { "" } else { " " };
    format!("{}{gap}{options}", setup.kind.name())
}

/// Returns a sentence about an event. `table` is the table after it.
pub(crate) fn event(event: &Event, table: &Table, names: &Names) -> String {
    match &event.kind {
        EventKind::Created(setup) => {
            let players = names.all_of(SeatSet::all(setup.seats.len()));
            let rated = if setup.rated { "rated" } else { "casual" };
            let delay = match setup.delay {
                0 => String::new(),
                1 => ", spectators one move behind".to_owned(),
                moves => format!(", spectators {moves} moves behind"),
            };
            format!("{}: {players}, {}, {rated}{delay}.", game(setup), control(setup.clock))
        }
        EventKind::Started { to_move } => format!("{} begins.", names.of(*to_move)),
        EventKind::Moved { seat, ply, mv, captures: taken, .. } => {
            format!("{ply}. {}: {mv}{}", names.of(*seat), captures(table.position(), taken))
        }
        EventKind::Swapped { ply, seats, .. } => {
            let players = names.all_of(SeatSet::all(seats.len()));
            format!("{ply}. swap: the players change seats. Now {players}.")
        }
        EventKind::Skipped { seat, ply, .. } => {
            format!("{ply}. {} has no move and is skipped.", names.of(*seat))
        }
        EventKind::Removed { seat, reason, .. } => names.left(*seat, *reason),
        EventKind::Offered { what, by, .. } => {
            format!("{} offers {}.", names.of(*by), offered(*what))
        }
        EventKind::SeatOffered { leaving, needs, until, .. } => {
            let (left, seconds) = (names.left(leaving.seat, leaving.reason), until - event.at);
            format!(
                "{left} {} of level {} can take the seat if {} agree: `accept` or `decline` within \
                 {} s. All clocks stand.",
                leaving.computer.user,
                leaving.level,
                names.all_of(*needs),
                seconds / 1_000
            )
        }
        EventKind::Substituted { seat, by, level, .. } => {
            let letter = table.position().letter(*seat);
            format!("{} of level {level} plays {letter} from here on.", by.user)
        }
        EventKind::Agreed { seat, needs, .. } => {
            format!("{} accepts; {} to answer.", names.of(*seat), names.all_of(*needs))
        }
        EventKind::OfferClosed { outcome, by, .. } => {
            let by = names.of(*by);
            match outcome {
                OfferOutcome::Accepted => format!("{by} accepts the offer."),
                OfferOutcome::Declined => format!("{by} declines the offer."),
                OfferOutcome::Withdrawn => format!("{by} withdraws the offer."),
                OfferOutcome::Moved => "The offer lapses.".to_owned(),
            }
        }
        EventKind::TakenBack { ply, to_move, .. } => {
            format!("{} takes back move {}.", names.of(*to_move), ply + 1)
        }
        EventKind::ClockAdjusted { seat, by_ms, reason: AdjustReason::Outage } => {
            let time = clock(*by_ms);
            format!("The server was down; {} gets {time} back.", names.of(*seat))
        }
        EventKind::ClockAdjusted { seat, by_ms, reason: AdjustReason::Arrival } => {
            format!("The clock of {} waited {}.", names.of(*seat), clock(*by_ms))
        }
        EventKind::Rated { before, after } => rated(before, after, names),
        EventKind::Aborted { .. } | EventKind::Ended { .. } => {
            table.outcome().map(|outcome| names.outcome(outcome)).unwrap_or_default()
        }
    }
}

/// Returns the name of an offer with its article: `a draw`.
pub(crate) const fn offered(what: OfferKind) -> &'static str {
    match what {
        OfferKind::Draw => "a draw",
        OfferKind::Takeback => "a takeback",
        OfferKind::Abort => "an end without a result",
        OfferKind::Substitute => "the seat to a computer",
    }
}

/// Returns the name of a known offer: `the draw`.
pub(crate) const fn the_offered(what: OfferKind) -> &'static str {
    match what {
        OfferKind::Draw => "the draw",
        OfferKind::Takeback => "the takeback",
        OfferKind::Abort => "the end without a result",
        OfferKind::Substitute => "that a computer takes the seat",
    }
}

/// Formats the changes of ratings: `O ann 1500 -> 1512, X bob 1500 -> 1488.`
fn rated(before: &BySeat<u16>, after: &BySeat<u16>, names: &Names) -> String {
    let changes = before.entries().zip(after);
    let changes: Vec<String> = changes
        .map(|((seat, before), after)| format!("{} {before} -> {after}", names.of(seat)))
        .collect();
    format!("{}.", changes.join(", "))
}

/// Formats a line of talk.
pub(crate) fn said(by: &UserName, text: &str) -> String {
    format!("{by} says: {text}")
}

/// Returns a sentence about a notice of the server.
pub(crate) fn notice(notice: &Notice) -> String {
    match notice.what {
        NoticeKind::Restart => {
            let seconds = notice.in_ms.div_ceil(1_000);
            format!("The server restarts and should be back in {seconds} s; the game is safe.")
        }
        NoticeKind::Maintenance => {
            let text = notice.text.as_deref().unwrap_or_default();
            match notice.in_ms.div_ceil(60_000) {
                0 => format!("No game begins from now on: {text}"),
                minutes => format!("No game begins from in {minutes} min on: {text}"),
            }
        }
        NoticeKind::MaintenanceCancelled => "The planned restart is cancelled.".to_owned(),
        NoticeKind::Message => {
            format!("The operator says: {}", notice.text.as_deref().unwrap_or_default())
        }
        NoticeKind::Warning => {
            format!("The operator warns you: {}", notice.text.as_deref().unwrap_or_default())
        }
        NoticeKind::Silenced => {
            let end = notice.until.map(|until| format!(" until {}", timestamp(until)));
            let (end, text) = (end.unwrap_or_default(), notice.text.as_deref().unwrap_or_default());
            format!("You may not write to others{end}: {text}")
        }
        NoticeKind::ReportClosed => {
            let outcome = match &notice.outcome {
                Some(ReportOutcome::Acted) => "the operator has acted on it.",
                _ => "the operator saw nothing to act on.",
            };
            let answer = notice.text.as_ref().map(|text| format!(" {text}")).unwrap_or_default();
            let report = notice.report.unwrap_or_default();
            format!("Your report {report} is closed: {outcome}{answer}")
        }
        NoticeKind::GameRuled => {
            let game = notice.game.as_ref().map(GameId::as_str).unwrap_or_default();
            let text = notice.text.as_deref().unwrap_or_default();
            format!("The operator has ended your game {game}: {text}")
        }
        NoticeKind::GameAnnulled => {
            let game = notice.game.as_ref().map(GameId::as_str).unwrap_or_default();
            let text = notice.text.as_deref().unwrap_or_default();
            format!("The operator has annulled the result of your game {game}: {text}")
        }
        NoticeKind::Unknown(what) => format!("The server announces: {what}."),
    }
}

/// Formats a time in epoch milliseconds: `2000-02-29T23:59:59Z`.
fn timestamp(ms: u64) -> String {
    let time = i64::try_from(ms).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok());
    time.map(|time| time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()).unwrap_or_default()
}

/// Formats a move's captures, to follow the move: ` and captures OOOO on c3 and OO on d4`; empty
/// without captures.
pub(crate) fn captures(position: &Position, captures: &[Capture]) -> String {
    let mut text = String::new();
    for (index, &capture) in captures.iter().enumerate() {
        let link = if index == 0 { "and captures" } else { "and" };
        let pieces = pieces(position, capture);
        let cell = position.cell_name(capture.cell);
        write!(text, " {link} {pieces} on {cell}").expect("writing to a String cannot fail");
    }
    text
}

/// Returns the captured pieces, one letter each.
pub(crate) fn pieces(position: &Position, capture: Capture) -> String {
    position.letter(capture.seat).to_string().repeat(capture.pieces.into())
}

/// Formats a clock: `1:02:03`, `4:05`, and below ten seconds with tenths, `0:09.8`. Rounds down.
pub(crate) fn clock(left_ms: u64) -> String {
    let seconds = left_ms / 1_000;
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else if left_ms < 10_000 {
        format!("{minutes}:{seconds:02}.{}", left_ms / 100 % 10)
    } else {
        format!("{minutes}:{seconds:02}")
    }
}

/// Formats a player's clock under a time control: as [`clock`], with the byoyomi periods left,
/// `4:05 +5x30s`.
pub(crate) fn left(control: TimeControl, left_ms: u64) -> String {
    let (shown_ms, periods) = control.shown(left_ms);
    match control {
        TimeControl::Byoyomi { period_ms, .. } if periods > 0 => {
            format!("{} +{periods}x{}", clock(shown_ms), duration(period_ms))
        }
        TimeControl::None
        | TimeControl::Fischer { .. }
        | TimeControl::PerMove { .. }
        | TimeControl::Byoyomi { .. }
        | TimeControl::Days { .. } => clock(shown_ms),
    }
}

/// Formats a time control: `5m+5s`, `30s a move`, `5m+5x30s`, `3 days a move`, `no clock`.
pub(crate) fn control(control: TimeControl) -> String {
    match control {
        TimeControl::None => "no clock".to_owned(),
        TimeControl::Fischer { base_ms, inc_ms } => {
            format!("{}+{}", duration(base_ms), duration(inc_ms))
        }
        TimeControl::PerMove { move_ms } => format!("{} a move", duration(move_ms)),
        TimeControl::Byoyomi { base_ms, periods, period_ms } => {
            format!("{}+{periods}x{}", duration(base_ms), duration(period_ms))
        }
        TimeControl::Days { per_move_days: 1 } => "1 day a move".to_owned(),
        TimeControl::Days { per_move_days } => format!("{per_move_days} days a move"),
    }
}

/// Formats a duration in the largest unit that gives a whole number.
pub(crate) fn duration(ms: u64) -> String {
    for (unit_ms, unit) in [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1_000, "s")] {
        if ms >= unit_ms && ms.is_multiple_of(unit_ms) {
            return format!("{}{unit}", ms / unit_ms);
        }
    }
    if ms == 0 { "0s".to_owned() } else { format!("{ms}ms") }
}

pub(crate) fn ago(at: u64, now: u64) -> String {
    match span(now.saturating_sub(at)) {
        moment if moment.starts_with('0') => "now".to_owned(),
        span => format!("{span} ago"),
    }
}

/// Formats a duration, rounded, in its largest unit.
pub(crate) fn span(ms: u64) -> String {
    let rounded = |unit_min: u64| (ms + unit_min * 30_000) / (unit_min * 60_000);
    match rounded(1) {
        minutes @ 0..120 => format!("{minutes} min"),
        120..2_880 => format!("{} h", rounded(60)),
        _ => format!("{} days", rounded(1_440)),
    }
}

/// Removes the spaces between the parts of a typed move; the notation has none.
pub(crate) fn without_spaces(notation: &str) -> String {
    plain(notation).split_whitespace().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_round_down() {
        assert_eq!(clock(3_723_999), "1:02:03");
        assert_eq!(clock(245_999), "4:05");
        assert_eq!(clock(10_000), "0:10");
        assert_eq!(clock(9_999), "0:09.9");
        assert_eq!(clock(0), "0:00.0");
    }

    #[test]
    fn time_controls_are_short() {
        assert_eq!(control(TimeControl::None), "no clock");
        let fischer = TimeControl::Fischer { base_ms: 300_000, inc_ms: 5_000 };
        assert_eq!(control(fischer), "5m+5s");
        let odd = TimeControl::Fischer { base_ms: 90_500, inc_ms: 0 };
        assert_eq!(control(odd), "90500ms+0s");
        assert_eq!(control(TimeControl::PerMove { move_ms: 172_800_000 }), "2d a move");
        assert_eq!(control(TimeControl::Days { per_move_days: 1 }), "1 day a move");
        assert_eq!(control(TimeControl::Days { per_move_days: 3 }), "3 days a move");
    }

    #[test]
    fn a_byoyomi_clock_shows_its_periods() {
        let byoyomi = TimeControl::Byoyomi { base_ms: 300_000, periods: 5, period_ms: 30_000 };
        assert_eq!(control(byoyomi), "5m+5x30s");
        assert_eq!(left(byoyomi, 450_000), "5:00 +5x30s");
        assert_eq!(left(byoyomi, 150_001), "0:00.0 +5x30s");
        assert_eq!(left(byoyomi, 150_000), "0:30 +4x30s");
        assert_eq!(left(byoyomi, 30_000), "0:30");
        assert_eq!(left(TimeControl::PerMove { move_ms: 60_000 }, 59_000), "0:59");
    }

    #[test]
    fn spans_use_their_largest_unit() {
        const MINUTE: u64 = 60_000;
        for (ms, text) in [
            (0, "0 min"),
            (5 * MINUTE, "5 min"),
            (119 * MINUTE, "119 min"),
            (120 * MINUTE, "2 h"),
            (47 * 60 * MINUTE, "47 h"),
            (48 * 60 * MINUTE, "2 days"),
            (90 * 24 * 60 * MINUTE - 1, "90 days"),
        ] {
            assert_eq!(span(ms), text);
        }
        assert_eq!(ago(10, 20), "now");
        assert_eq!(ago(0, 3 * MINUTE), "3 min ago");
    }
}
