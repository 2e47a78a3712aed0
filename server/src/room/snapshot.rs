//! What a room says of its table: wire messages, the facts of lists, and those that a rating needs.

use adamant_protocol::fast_path::PlainTurn;
use adamant_protocol::ids::PositionHash;
use adamant_protocol::to_client::{
    BoardLayout, ClockState, Done, LayoutCell, LayoutEdge, LegalWriter, LiveGame,
    OfferedSubstitute, OpenOffer, Presence, SeatState, Snapshot, SnapshotReason, SnapshotSeat,
    ToClient, YourTurn,
};
use adamant_protocol::values::{RatingChange, SeatUser};
use adamant_protocol::{GameId, OfferId, RequestId, UserName, codec};
use adamant_record::Head;
use adamant_record::wire::{self, seat_number};
use adamant_rules::event::OfferKind;
use adamant_rules::game::{CellShape, MoveCount};
use adamant_rules::notation::{MoveSink, Notation};
use adamant_rules::table::{Outcome, ServerAction};
use adamant_rules::{
    BySeat, Event, EventKind, LeaveReason, Player, Position, Seat, Table, TimeControl,
};

use crate::limits::{EXACT_NUMBER_MAX, LEGAL_MOVES_MAX, STEPS_CELLS_MAX};
use crate::outbound::{client::ClientPrefs, frame::Frame};
use crate::ratings::{Pool, RatedResult};
use crate::store::{Summary, entry_of};

fn position_hash(table: &Table) -> PositionHash {
    PositionHash(table.hash())
}

fn left_ms(table: &Table) -> Option<Vec<u64>> {
    table.clock().left_ms().map(|left| left.iter().copied().collect())
}

/// Returns the whole state of a game at its last event. The room knows whether it is annulled.
pub(crate) fn snapshot(
    table: &Table,
    head: &Head,
    re: Option<RequestId>,
    reason: Option<SnapshotReason>,
    presence: Presence,
) -> Snapshot {
    let setup = table.setup();
    Snapshot {
        re,
        reason,
        game: head.game.clone(),
        seq: head.seq,
        chain: head.chain,
        at: table.last_at(),
        rules: wire::rules(setup.kind),
        options: wire::options(&setup.options),
        seats: seats(table),
        ply: table.ply(),
        turn: table.turn(),
        to_move: table.to_move().map(seat_number),
        moves: table.moves().map(Into::into).collect(),
        position: wire::position(table.position()),
        threatened: wire::threatened(table),
        hash: position_hash(table),
        clock: clock(table),
        rated: setup.rated,
        delay: setup.delay,
        unlisted: setup.unlisted,
        offers: offers(table),
        presence: presence.seats,
        spectators: presence.spectators,
        spectator_names: presence.spectator_names,
        result: table.outcome().map(wire::result),
        winning: wire::winning(table),
        annulled: false,
    }
}

fn seats(table: &Table) -> Vec<SnapshotSeat> {
    let state = |seat| match table.left_reason(seat) {
        None => SeatState::In,
        Some(LeaveReason::NoPieces) => SeatState::NoPieces,
        Some(LeaveReason::NoMove) => SeatState::NoMove,
        Some(LeaveReason::Resigned) => SeatState::Resigned,
        Some(LeaveReason::TimedOut) => SeatState::TimedOut,
        Some(LeaveReason::Abandoned) => SeatState::Abandoned,
    };
    wire::seats(table.players(), table.position())
        .into_iter()
        .zip(Seat::all(table.setup().seats.len()))
        .map(|(user, seat)| SnapshotSeat {
            user: user.user,
            bot: user.bot,
            guest: user.guest,
            letter: user.letter,
            rating: user.rating,
            state: state(seat),
            reserve: reserve(table.position().in_reserve(seat)),
            instead_of: table
                .substituted()
                .and_then(|(taken, left)| (taken == seat).then(|| left.user.parse().ok())?),
        })
        .collect()
}

/// Returns the pieces in reserve; `None` if there are none.
fn reserve(pieces: String) -> Option<Box<str>> {
    if pieces.is_empty() { None } else { Some(pieces.into()) }
}

fn clock(table: &Table) -> ClockState {
    let control = table.clock().control();
    let running = table.clock().running();
    let mut clock = ClockState {
        mode: control.mode().into(),
        base_ms: None,
        inc_ms: None,
        move_ms: None,
        periods: None,
        period_ms: None,
        per_move_days: None,
        left_ms: left_ms(table),
        running: running.map(|(seat, _)| seat_number(seat)),
        since: running.map(|(_, since)| since),
    };
    match control {
        TimeControl::None => {}
        TimeControl::Fischer { base_ms, inc_ms } => {
            clock.base_ms = Some(base_ms);
            clock.inc_ms = Some(inc_ms);
        }
        TimeControl::PerMove { move_ms } => clock.move_ms = Some(move_ms),
        TimeControl::Byoyomi { base_ms, periods, period_ms } => {
            clock.base_ms = Some(base_ms);
            clock.periods = Some(periods);
            clock.period_ms = Some(period_ms);
        }
        TimeControl::Days { per_move_days } => clock.per_move_days = Some(per_move_days),
    }
    clock
}

fn offers(table: &Table) -> Vec<OpenOffer> {
    let substitute = || {
        let leaving = table.seat_offer()?;
        Some(OfferedSubstitute {
            user: leaving.computer.user.parse().ok()?,
            level: leaving.level,
            reason: wire::Mirror::to_wire(leaving.reason),
            until: table.seat_offer_ends()?,
        })
    };
    table
        .offers()
        .iter()
        .map(|open| OpenOffer {
            offer: OfferId(open.offer.0),
            what: wire::Mirror::to_wire(open.what),
            by: seat_number(open.by),
            needs: wire::seat_numbers(open.needs),
            substitute: (open.what == OfferKind::Substitute).then(substitute).flatten(),
        })
        .collect()
}

/// Returns a game with its position, for lists of live games.
pub(super) fn live_game(
    table: &Table,
    head: &Head,
    started_at: u64,
    ratings: Option<&RatingChange>,
) -> LiveGame {
    LiveGame {
        entry: entry_of(table, head, started_at, ratings),
        seq: head.seq,
        position: wire::position(table.position()),
        hash: position_hash(table),
        last_move: table.move_at(table.ply()).map(Into::into),
    }
}

/// Returns the list facts that change with moves, after events that are not applied yet.
pub(crate) fn summary_after<'a>(
    table: &Table,
    events: impl IntoIterator<Item = &'a Event>,
) -> Summary {
    let mut summary =
        Summary { ply: table.ply(), to_move: table.to_move(), last_at: table.last_at() };
    for event in events {
        summary.last_at = event.at;
        match &event.kind {
            EventKind::Moved { ply, to_move, .. }
            | EventKind::Swapped { ply, to_move, .. }
            | EventKind::Skipped { ply, to_move, .. }
            | EventKind::TakenBack { ply, to_move, .. } => {
                summary.ply = *ply;
                summary.to_move = Some(*to_move);
            }
            EventKind::Started { to_move }
            | EventKind::Removed { to_move, .. }
            | EventKind::Substituted { to_move, .. } => {
                summary.to_move = Some(*to_move);
            }
            EventKind::Ended { .. } | EventKind::Aborted { .. } => summary.to_move = None,
            _ => {}
        }
    }
    summary
}

/// Returns when the flag of the seat to move falls, after events that are not applied yet; `None`
/// if no clock runs then. A side that makes no first move may end the game sooner. While a seat is
/// offered to a computer, the end of that counts.
pub(super) fn flag_after<'a>(
    table: &Table,
    events: impl IntoIterator<Item = &'a Event> + Clone,
) -> Option<u64> {
    seat_offer_ends_after(table, events.clone()).or_else(|| clock_flag_after(table, events))
}

fn seat_offer_ends_after<'a>(
    table: &Table,
    events: impl IntoIterator<Item = &'a Event>,
) -> Option<u64> {
    events.into_iter().fold(table.seat_offer_ends(), |ends, event| match &event.kind {
        EventKind::SeatOffered { until, .. } => Some(*until),
        EventKind::Removed { .. } | EventKind::Substituted { .. } => None,
        _ => ends,
    })
}

fn clock_flag_after<'a>(table: &Table, events: impl IntoIterator<Item = &'a Event>) -> Option<u64> {
    let clock = table.clock();
    let (mut left, mut running) = (clock.left_ms()?, clock.running());
    for event in events {
        match &event.kind {
            EventKind::Moved { left_ms, to_move, .. }
            | EventKind::Swapped { left_ms, to_move, .. }
            | EventKind::Substituted { left_ms, to_move, .. }
            | EventKind::TakenBack { left_ms, to_move, .. } => {
                left = left_ms.as_ref()?;
                running = Some((*to_move, event.at));
            }
            EventKind::Removed { to_move, .. }
                if running.is_some_and(|(seat, _)| seat == *to_move) => {}
            EventKind::Started { to_move }
            | EventKind::Skipped { to_move, .. }
            | EventKind::Removed { to_move, .. } => running = Some((*to_move, event.at)),
            EventKind::ClockAdjusted { by_ms, .. } => {
                running = running.map(|(seat, since)| (seat, since.saturating_add(*by_ms)));
            }
            EventKind::Ended { .. } | EventKind::Aborted { .. } => running = None,
            _ => {}
        }
    }
    let (seat, since) = running?;
    Some(since.saturating_add(*left.get(seat)?))
}

/// Returns the seats after events that change the players of seats; `None` without such an event.
pub(super) fn reseated<'a>(
    table: &Table,
    events: impl IntoIterator<Item = &'a Event>,
) -> Option<Vec<SeatUser>> {
    events.into_iter().find_map(|event| match &event.kind {
        EventKind::Swapped { seats, .. } => Some(wire::seats(seats, table.position())),
        EventKind::Substituted { seat, by, .. } => {
            let mut players = table.players().clone();
            players[*seat] = Player::clone(by);
            Some(wire::seats(&players, table.position()))
        }
        _ => None,
    })
}

/// The legal moves in a frame of `your_turn`.
struct LegalMoves<'a>(LegalWriter<'a>);

impl MoveSink for LegalMoves<'_> {
    fn push(&mut self, mv: &impl Notation) {
        self.0.push(|text| mv.write_to(text));
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

/// Returns the frame of the message that tells a player that it is their turn.
pub(crate) fn your_turn(table: &Table, head: &Head, seat: Seat, prefs: ClientPrefs) -> Frame {
    Frame::written(|bytes| write_your_turn(bytes, table, head, seat, prefs))
}

/// Appends that message.
pub(super) fn write_your_turn(
    bytes: &mut Vec<u8>,
    table: &Table,
    head: &Head,
    seat: Seat,
    prefs: ClientPrefs,
) {
    let is_plain = !prefs.position && !prefs.steps;
    if is_plain {
        plain_turn(table, head, seat).write(bytes);
    } else {
        codec::encode_into(bytes, &full_turn(table, head, seat, prefs));
    }
    if !prefs.legal {
        return;
    }
    let mut legal = LegalMoves(LegalWriter::open(bytes));
    let represented = table.position().list_representatives(LEGAL_MOVES_MAX, &mut legal);
    let LegalMoves(list) = legal;
    list.close(exact_count(represented.total), represented.is_cut);
}

fn plain_turn<'a>(table: &'a Table, head: &'a Head, seat: Seat) -> PlainTurn<'a> {
    PlainTurn {
        game: &head.game,
        seat: seat_number(seat),
        turn: table.turn(),
        ply: table.ply(),
        left_ms: table.clock().left_ms().map(|left| left.iter().as_slice()),
        deadline: table.next_deadline(),
        hash: position_hash(table),
    }
}

fn full_turn(table: &Table, head: &Head, seat: Seat, prefs: ClientPrefs) -> ToClient {
    let position = table.position();
    ToClient::from(YourTurn {
        game: head.game.clone(),
        seat: seat_number(seat),
        turn: table.turn(),
        ply: table.ply(),
        left_ms: left_ms(table),
        deadline: table.next_deadline(),
        hash: position_hash(table),
        position: prefs.position.then(|| wire::position(position)),
        threatened: if prefs.position { wire::threatened(table) } else { None },
        steps: prefs.steps.then(|| wire::sketch::first_steps(position, STEPS_CELLS_MAX)),
        legal: None,
        legal_total: None,
        legal_cut: None,
    })
}

/// The number of legal moves; `None` if it is unknown or too large to be exact in JSON.
pub(super) fn exact_count(count: MoveCount) -> Option<u64> {
    match count {
        MoveCount::Exactly(count) if count <= EXACT_NUMBER_MAX => u64::try_from(count).ok(),
        MoveCount::Exactly(_) | MoveCount::NotCounted(_) => None,
    }
}

/// Returns the cells and edges of the board.
pub(crate) fn layout(position: &Position, game: Option<GameId>, re: RequestId) -> BoardLayout {
    let layout = position.layout();
    let name = |cell| -> Box<str> { position.cell_name(cell).as_str().into() };
    let shape = |shape| match shape {
        CellShape::Hex => "hex",
        CellShape::Point => "point",
        CellShape::Octagon => "octagon",
        CellShape::Square => "square",
        CellShape::Sector => "sector",
    };
    BoardLayout {
        re,
        game,
        cells: layout
            .cells
            .iter()
            .map(|cell| LayoutCell {
                name: name(cell.cell),
                x: cell.x,
                y: cell.y,
                shape: shape(cell.shape).into(),
            })
            .collect(),
        edges: layout
            .edges
            .iter()
            .map(|edge| LayoutEdge {
                seat: seat_number(edge.seat),
                name: edge.name.into(),
                cells: edge.cells.iter().map(|&cell| name(cell)).collect(),
            })
            .collect(),
        letters: layout.letters.into_iter().map(Into::into).collect(),
        levels: layout.levels,
    }
}

/// Returns the response to a legal `try`: what would follow from the move.
pub(super) fn tried(
    re: RequestId,
    head: &Head,
    now: &Table,
    events: &[Event],
    after: &Table,
) -> Done {
    let mut done = Done::new(re);
    done.game = Some(head.game.clone());
    done.turn = Some(now.turn());
    done.legal = Some(true);
    if let Some(EventKind::Moved { mv, captures, .. }) = events.first().map(|event| &event.kind) {
        done.notation = Some(wire::notation(mv));
        done.captures = Some(wire::captures(captures, now.position()));
    }
    done.position = Some(wire::position(after.position()));
    done.threatened = wire::threatened(after);
    done.to_move = after.to_move().map(seat_number);
    done.result = after.outcome().map(wire::result);
    done
}

/// Returns the result to rate, if a rated game in which every seat has moved ends with these
/// events, which are not applied yet.
pub(super) fn result_after(table: &Table, events: &[Event]) -> Option<RatedResult> {
    let setup = table.setup();
    let places = events.iter().find_map(|event| {
        if let EventKind::Ended { places, .. } = &event.kind { Some(places) } else { None }
    });
    let places = places.filter(|_| setup.rated && is_played(table, events))?;
    let seats =
        reseated(table, events).unwrap_or_else(|| wire::seats(table.players(), table.position()));
    let users: Vec<UserName> = seats.into_iter().map(|seat| seat.user).collect();
    let pool = Pool::of(setup.kind, users.len());
    let result = RatedResult::new(pool, users, places.iter().copied().collect());
    Some(match table.substituted() {
        Some((seat, left)) => result.of_substituted(seat_number(seat), left.user.parse().ok()?),
        None => result,
    })
}

/// Whether every seat has moved once these events have happened.
fn is_played(table: &Table, events: &[Event]) -> bool {
    let mut moved = table.seats_moved();
    for event in events {
        if let EventKind::Moved { seat, .. } | EventKind::Swapped { seat, .. } = event.kind {
            moved = moved.with(seat);
        }
    }
    Seat::all(table.players().len()).all(|seat| moved.contains(seat))
}

/// Whether a rated game is over and its rating change is not recorded yet.
pub(super) fn awaits_rating(table: &Table, ratings: Option<&RatingChange>) -> bool {
    let ended = matches!(table.outcome(), Some(Outcome::Ended { .. }));
    ended && table.setup().rated && is_played(table, &[]) && ratings.is_none()
}

/// Returns the rating change of an event.
pub(super) fn rating_change(event: &Event) -> Option<Box<RatingChange>> {
    if let EventKind::Rated { before, after } = &event.kind {
        let numbers = |ratings: &BySeat<u16>| ratings.iter().copied().collect();
        Some(Box::new(RatingChange { before: numbers(before), after: numbers(after) }))
    } else {
        None
    }
}

/// Returns the server action that records a rating change.
pub(super) fn rating_action(change: &RatingChange) -> Option<ServerAction> {
    let before = BySeat::try_from_iter(change.before.iter().copied())?;
    let after = BySeat::try_from_iter(change.after.iter().copied())?;
    Some(ServerAction::Rated { before, after })
}
