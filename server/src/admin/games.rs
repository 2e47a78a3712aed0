//! `games`: what a game is, rulings that end it, and results that count no more.

use std::collections::BTreeSet;

use adamant_protocol::{
    GameId, UserName,
    to_client::{Notice, NoticeKind},
    values::{Named, OptionValue, SeatUser, TimeControl},
};
use adamant_record::wire;
use adamant_rules::{Seat, Table, table::Ruling};
use serde::Serialize;

use super::{
    effects,
    error::AdminError,
    operator::{Answered, AuditedAct, Operator, answer_of},
};
use crate::{
    admin_words::{GamesWord, RulingWord, game_subject},
    limits::ADMIN_PAGE_MAX,
    queries::stats::counted_game,
    store::{Act, AnnulOutcome, PlayerAtGame},
};

#[derive(Debug, Serialize)]
struct GameDetails {
    game: GameId,
    rules: String,
    options: Named<OptionValue>,
    clock: TimeControl,
    rated: bool,
    unlisted: bool,
    state: &'static str,
    ply: u32,
    to_move: Option<String>,
    started_at: u64,
    last_at: u64,
    result: Option<String>,
    annulled: Option<bool>,
    /// Whether ratings of the kind are being computed again.
    ratings_pending: Option<bool>,
    /// Where its room is open, or a player is at it.
    open_at: Vec<String>,
    players: Vec<PlayerDetails>,
    acts: Vec<AuditedAct>,
}

#[derive(Debug, Serialize)]
struct PlayerDetails {
    seat: Box<str>,
    user: String,
    place: Option<u8>,
    left_ms: Option<u64>,
    rating_before: Option<u16>,
    rating_after: Option<u16>,
    at: Vec<String>,
}

#[derive(Debug, Serialize)]
struct DoneWithGame {
    done: &'static str,
    game: GameId,
}

pub(super) async fn carry_out(operator: &Operator, word: GamesWord, act: Act) -> Answered {
    match word {
        GamesWord::Show { game } => show(operator, game).await,
        GamesWord::End { game, result, .. } => end(operator, game, &result, act).await,
        GamesWord::Annul { game, .. } => annul(operator, game, act).await,
    }
}

async fn show(operator: &Operator, game: GameId) -> Answered {
    let services = &operator.services;
    let store = &services.store;
    let entry = store.game_entry(&game).await?;
    let entry = entry.ok_or_else(|| no_game(&game))?;
    let open = services.rooms.open_table(&game).await;
    let mut open_at = BTreeSet::new();
    let table = if let Some(table) = open {
        open_at.insert(here(operator));
        table
    } else {
        services.rooms.present_table(&game, None).await?
    };
    let present = match &store.presence {
        Some(shared) => shared.at_games(vec![game.clone()]).await?.pop().unwrap_or_default(),
        None => Vec::new(),
    };
    let nodes = present.iter().flat_map(|player| &player.nodes);
    open_at.extend(nodes.map(ToString::to_string));
    let counting = store.counting_result(game.clone()).await?;
    let acts =
        store.acts(Some(game_subject(&game)), i64::MAX.unsigned_abs(), ADMIN_PAGE_MAX).await?;
    let seats = wire::seats(table.players(), table.position());
    let to_move = table.to_move().and_then(|seat| seats.get(seat.index()));
    let result = table.outcome().map(wire::result);
    answer_of(&GameDetails {
        rules: entry.rules.to_string(),
        options: entry.options.clone(),
        clock: entry.clock,
        rated: entry.rated,
        unlisted: entry.unlisted,
        state: if result.is_some() { "finished" } else { "live" },
        ply: table.ply(),
        to_move: to_move.map(|seat| seat.user.to_string()),
        started_at: entry.started_at,
        last_at: table.last_at(),
        result: result.as_ref().map(|result| result.reason.as_str().to_owned()),
        annulled: counting.as_ref().map(|result| result.annulled),
        ratings_pending: counting.as_ref().map(|result| result.pool_is_rerated),
        open_at: open_at.into_iter().collect(),
        players: {
            let places = result.as_ref().map_or(&[][..], |result| &result.places[..]);
            let counting = counting.as_ref().filter(|result| !result.annulled);
            let seats = seats.iter().zip(Seat::all(seats.len()));
            let left = |seat| left_ms(&table, seat, operator.now_ms());
            let player = |(player, seat): (&SeatUser, Seat)| {
                let rated = counting.and_then(|result| result.seats.get(seat.index()));
                PlayerDetails {
                    seat: player.letter.clone(),
                    user: player.user.to_string(),
                    place: places.get(seat.index()).copied(),
                    left_ms: left(seat),
                    rating_before: rated.map(|rated| rated.before.rounded()),
                    rating_after: rated.map(|rated| rated.after.rounded()),
                    at: nodes_of(&player.user, &present),
                }
            };
            seats.map(player).collect()
        },
        acts: acts.into_iter().map(AuditedAct::from).collect(),
        game,
    })
}

/// The name of this node; a server that is alone has none.
fn here(operator: &Operator) -> String {
    let node = operator.services.lobby.cluster().node();
    node.map_or_else(|| "this server".to_owned(), |node| node.to_string())
}

/// What the clock of a seat shows.
fn left_ms(table: &Table, seat: Seat, now: u64) -> Option<u64> {
    let left = *table.clock().left_ms()?.get(seat)?;
    let running = table.clock().running().filter(|(running, _)| *running == seat);
    Some(left.saturating_sub(running.map_or(0, |(_, since)| now.saturating_sub(since))))
}

/// The nodes at which a player is at the game.
fn nodes_of(user: &UserName, present: &[PlayerAtGame]) -> Vec<String> {
    let found = present.iter().find(|found| found.user.is_same(user.as_str()));
    found.map_or_else(Vec::new, |found| found.nodes.iter().map(ToString::to_string).collect())
}

/// Ends a live game in its room. The players are told why; the record says that it was a ruling.
async fn end(operator: &Operator, game: GameId, result: &RulingWord, act: Act) -> Answered {
    let services = &operator.services;
    let entry = services.store.game_entry(&game).await?;
    let entry = entry.ok_or_else(|| no_game(&game))?;
    let table = services.rooms.present_table(&game, None).await?;
    if table.outcome().is_some() {
        return Err(AdminError::refused(format!("game {game} is over")));
    }
    let ruling = match result {
        RulingWord::Draw => Ruling::Draw,
        RulingWord::Abort => Ruling::Abort,
        RulingWord::Winner(winner) => {
            let mut seats = entry.seats.iter().zip(Seat::all(entry.seats.len()));
            let is_winner = |(player, _): &(&SeatUser, Seat)| {
                player.user.is_same(winner) || player.letter.eq_ignore_ascii_case(winner)
            };
            let found = seats.find(is_winner).map(|(_, seat)| seat);
            let missing = || AdminError::not_found(&format!("player {winner} in game {game}"));
            let seat = found.ok_or_else(missing)?;
            let leaves = table.seat_offer().is_some_and(|leaving| leaving.seat == seat);
            if leaves || !table.seats_in().contains(seat) {
                return Err(AdminError::refused(format!("{winner} has left game {game}")));
            }
            Ruling::Winner(seat)
        }
    };
    // Every ruling in a record has its act, even if the server stops between the two.
    services.store.note_act(act.clone()).await?;
    services.rooms.rule(&game, ruling).await?;
    let users = entry.seats.iter().map(|seat| seat.user.clone()).collect();
    let notice = Notice {
        game: Some(game.clone()),
        text: act.reason.map(Into::into),
        ..Notice::new(NoticeKind::GameRuled, 0)
    };
    for (user, notice) in services.store.leave_notices(users, notice, act.at).await? {
        effects::notify(services, Some(&user), notice);
    }
    answer_of(&DoneWithGame { done: "the game has ended", game })
}

/// Annuls the result of a finished game. Another task rates later results again.
async fn annul(operator: &Operator, game: GameId, act: Act) -> Answered {
    let services = &operator.services;
    let refused = |why: &str| Err(AdminError::refused(format!("game {game} {why}")));
    match services.store.annul(game.clone(), counted_game, act).await? {
        AnnulOutcome::Annulled(notices) => {
            // Whoever reads the notice and looks finds it so.
            effects::annulled(services, &game).await;
            for (user, notice) in notices {
                effects::notify(services, Some(&user), notice);
            }
            let done = "the result counts for nothing, and ratings are computed again";
            answer_of(&DoneWithGame { done, game })
        }
        AnnulOutcome::NotFound => Err(no_game(&game)),
        AnnulOutcome::Live => refused("is not finished: there is no result to annul"),
        AnnulOutcome::NotRated => refused("has changed no rating: there is nothing to annul"),
        AnnulOutcome::AlreadyAnnulled => refused("is annulled already"),
    }
}

fn no_game(game: &GameId) -> AdminError {
    AdminError::not_found(&format!("game {game}"))
}
