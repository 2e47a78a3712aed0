//! Lists of open seeks, open challenges and games; the featured game, live games, and statistics.

use std::fmt::Display;

use adamant_client::Incoming;
use adamant_protocol::{
    GameId, UserName,
    from_client::{
        Challenges, ClockMode, GameState, Games, Live, Lobby, Opponents, SoughtResult, Stats, Tv,
    },
    ids::RulesName,
    to_client::{
        Direction, Featured, GameEntry, GameResult, GameStats, LengthCounts, LiveChange, LiveGame,
        LobbyChange, OpenChallenge, ResultCounts, ResultReason, SeekEntry,
    },
    values::{Named, OptionValue, TimeControl},
};
use adamant_record::wire;
use adamant_rules::Kind;
use clap::Args;
use serde::{Serialize, Serializer, ser::Error as _};
use serde_json::{Value, json};

use crate::{
    failure::{CommandResult, UsageError},
    messages,
    output::{Output, format_table},
    proposal::unknown_kind,
    session::{ActAs, Session, ask},
    settings::Global,
    spelling::help_with_kinds,
};

#[derive(Debug, Args)]
pub(crate) struct GamesArgs {
    /// Only games of this user
    #[arg(long, value_name = "NAME")]
    pub(crate) user: Option<UserName>,
    #[arg(long, value_name = "GAME", help = help_with_kinds("Only games of this kind"))]
    pub(crate) rules: Option<RulesName>,
    /// Only games with N players
    #[arg(long, value_name = "N")]
    pub(crate) players: Option<u8>,
    /// List finished games instead of live ones
    #[arg(long)]
    pub(crate) finished: bool,
    /// Only finished games of --user against this user
    #[arg(long, value_name = "NAME", requires = "user", requires = "finished")]
    pub(crate) opponent: Option<UserName>,
    /// Only finished games that --user has won, lost or drawn
    #[arg(long, value_name = "RESULT", value_parser = sought_result)]
    #[arg(requires = "user", requires = "finished")]
    pub(crate) result: Option<SoughtResult>,
    /// Only finished games that are rated
    #[arg(long, requires = "finished")]
    pub(crate) rated: bool,
    /// At most N entries
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u32>,
    /// Continue the list after this game
    #[arg(long, value_name = "ID")]
    pub(crate) before: Option<GameId>,
}

fn sought_result(text: &str) -> Result<SoughtResult, &'static str> {
    match text {
        "won" => Ok(SoughtResult::Won),
        "lost" => Ok(SoughtResult::Lost),
        "drawn" => Ok(SoughtResult::Drawn),
        _ => Err("the results are won, lost and drawn"),
    }
}

#[derive(Debug, Args)]
pub(crate) struct LobbyArgs {
    /// Keep running and print changes
    #[arg(long)]
    pub(crate) follow: bool,
}

/// Lists open seeks, and prints changes if asked to.
pub(super) async fn lobby(global: &Global, args: &LobbyArgs) -> CommandResult {
    let output = global.output;
    let session = open(global, args.follow).await?;
    let seeks = open_seeks(&session, args.follow).await?.add;
    let if_empty = "No seek is open. `adamant seek GAME` opens one.";
    output.list(&seeks, if_empty, ["SEEK", "GAME", "BY", "CLOCK", "SEATS"], seek_row)?;
    let show =
        |change: &LobbyChange| show_change(output, &change.add, seek_row, "seek", &change.remove);
    let refetch = async |session: &Session| show(&open_seeks(session, true).await?);
    follow(session, args.follow, refetch, |incoming| {
        if let Incoming::Lobby(change) = incoming { show(&change) } else { Ok(()) }
    })
    .await
}

async fn open_seeks(session: &Session, watch: bool) -> anyhow::Result<LobbyChange> {
    Ok(ask!(session, Lobby, |id| Lobby { id, watch, before: None }))
}

/// Prints what a list has gained and what it has lost, which JSON has under this key.
fn show_change<T: Serialize, const N: usize>(
    output: Output,
    added: &[T],
    row: impl Fn(&T) -> [String; N],
    key: &str,
    removed: &[impl Serialize + Display],
) -> anyhow::Result<()> {
    if output.json {
        added.iter().try_for_each(|entry| output.entry(entry))?;
        let gone = |gone| json!({(key): gone, "removed": true});
        return removed.iter().map(gone).try_for_each(|entry| output.entry(&entry));
    }
    for entry in added {
        output.line(format_args!("+ {}", row(entry).join("  ")))?;
    }
    for gone in removed {
        output.line(format_args!("- {gone}"))?;
    }
    Ok(())
}

fn seek_row(seek: &SeekEntry) -> [String; 5] {
    let joined: Vec<&str> = seek.joined.iter().map(UserName::as_str).collect();
    let rated = if seek.rated { ", rated" } else { "" };
    [
        seek.seek.to_string(),
        game_and_options(&seek.rules, &seek.options),
        joined.join(", "),
        format!("{}{rated}", clock(seek.clock)),
        format!("{} of {}", seek.joined.len(), seek.players),
    ]
}

/// Lists open challenges to and by the user, newest first.
pub(super) async fn challenges(global: &Global) -> CommandResult {
    let session = Session::open(global, ActAs::User).await?;
    let mut open = session.welcome.challenges.clone();
    let mut more = session.welcome.challenges_total.is_some();
    while more {
        let before = open.last().map(|open| open.challenged.challenge.clone());
        let page = |id| Challenges { id, before, limit: None };
        let list = ask!(session, Challenges, page);
        open.extend(list.challenges);
        more = list.more;
    }
    let heading = ["CHALLENGE", "", "BY", "GAME", "SEATS", "CLOCK", "SENT"];
    let row = |open: &OpenChallenge| challenge_row(open, session.welcome.ts);
    global.output.list(&open, "No challenge is open.", heading, row)?;
    session.end().await
}

fn challenge_row(open: &OpenChallenge, now: u64) -> [String; 7] {
    let direction = match open.direction {
        Direction::In => "to you",
        Direction::Out => "by you",
        Direction::Unknown(_) => "",
    };
    let open = &open.challenged;
    let seats: Vec<&str> = open.seats.iter().map(UserName::as_str).collect();
    let rated = if open.rated { ", rated" } else { "" };
    [
        open.challenge.to_string(),
        direction.to_owned(),
        open.by.to_string(),
        game_and_options(&open.rules, &open.options),
        seats.join(", "),
        format!("{}{rated}", clock(open.clock)),
        messages::ago(open.created, now),
    ]
}

pub(super) async fn games(global: &Global, args: &GamesArgs) -> CommandResult {
    let output = global.output;
    let session = Session::open(global, ActAs::UserOrAnonymous).await?;
    let games = |id| Games {
        id,
        user: args.user.clone(),
        rules: args.rules.clone(),
        players: args.players,
        state: if args.finished { GameState::Finished } else { GameState::Live },
        opponent: args.opponent.clone(),
        result: args.result,
        rated: args.rated.then_some(true),
        before: args.before.clone(),
        limit: args.limit,
    };
    let list = ask!(session, Games, games);
    let why = if list.games.is_empty() && !output.json { why_empty(args)? } else { "" };
    let end = if args.finished { "RESULT" } else { "TO MOVE" };
    output.list(&list.games, why, ["ID", "GAME", "PLAYERS", "CLOCK", "MOVES", end], game_row)?;
    let oldest = list.games.last().map(|entry| &entry.game);
    if let (true, Some(before)) = (list.more, list.next.as_ref().or(oldest)) {
        output.message(format_args!("There are more: --before {before}"));
    }
    session.end().await
}

/// Returns why a list of games is empty.
fn why_empty(args: &GamesArgs) -> Result<&'static str, UsageError> {
    let GamesArgs { user, rules, players, finished, before, rated, .. } = args;
    if let Some(rules) = rules.as_ref().filter(|rules| Kind::from_name(&rules.name).is_none()) {
        return Err(unknown_kind(&rules.name));
    }
    let is_narrow =
        user.is_some() || rules.is_some() || players.is_some() || before.is_some() || *rated;
    Ok(match (is_narrow, finished) {
        (true, _) => "No game matches.",
        (false, true) => "No game is finished yet.",
        (false, false) => "No game is live. `adamant play` starts one.",
    })
}

pub(super) fn game_row(game: &GameEntry) -> [String; 6] {
    let seats: Vec<String> =
        game.seats.iter().map(|seat| format!("{} {}", seat.letter, seat.user)).collect();
    let rated = if game.rated { ", rated" } else { "" };
    let last = match (&game.result, game.to_move) {
        (Some(result), _) => result_text(game, result),
        (None, Some(seat)) => user(game, seat),
        (None, None) => String::new(),
    };
    [
        game.game.to_string(),
        game_and_options(&game.rules, &game.options),
        seats.join(", "),
        format!("{}{rated}", clock(game.clock)),
        game.ply.to_string(),
        last,
    ]
}

fn user(game: &GameEntry, seat: u8) -> String {
    game.seats.get(usize::from(seat)).map(|seat| seat.user.to_string()).unwrap_or_default()
}

pub(super) fn result_text(game: &GameEntry, result: &GameResult) -> String {
    let why = reason_text(&result.reason);
    let text = match (result.reason, result.winners.as_slice()) {
        (ResultReason::Aborted, _) => why.to_owned(),
        (_, [winner]) => format!("{} won ({why})", user(game, *winner)),
        (_, _) => format!("draw ({why})"),
    };
    if game.annulled { format!("{text}, annulled") } else { text }
}

/// Returns why a game ended.
pub(super) fn reason_text(reason: &ResultReason) -> &str {
    match reason {
        ResultReason::Aborted => "aborted",
        ResultReason::LastPlayer => "last player",
        ResultReason::TwoPieces => "two pieces",
        ResultReason::Connected => "connected",
        ResultReason::Aligned => "aligned",
        ResultReason::Stuck => "stuck",
        ResultReason::Repetition => "repetition",
        ResultReason::TooLong => "too long",
        ResultReason::Agreement => "agreement",
        ResultReason::Resigned => "resigned",
        ResultReason::TimedOut => "timed out",
        ResultReason::Abandoned => "abandoned",
        ResultReason::Ruling => "ruling",
        ResultReason::Unknown(word) => word.as_str(),
    }
}

pub(super) fn clock(clock: TimeControl) -> String {
    let mode = |_| ClockMode::of(clock).to_string();
    wire::Mirror::from_wire(clock).map_or_else(mode, messages::control)
}

pub(super) fn game_and_options(rules: &RulesName, options: &Named<OptionValue>) -> String {
    let mut words = vec![rules.name.to_string()];
    words.extend(options.0.iter().filter_map(|(name, value)| match value {
        OptionValue::Flag(false) => None,
        OptionValue::Flag(true) => Some(format!("-{name}")),
        OptionValue::Number(number) => Some(format!("-{name}={number}")),
        OptionValue::Text(word) => Some(format!("-{name}={word}")),
    }));
    words.join(" ")
}

#[derive(Debug, Args)]
pub(crate) struct TvArgs {
    /// The game
    #[arg(value_name = "GAME", help = help_with_kinds("The game"))]
    pub(crate) rules: RulesName,
    /// Keep running and print each newly featured game
    #[arg(long)]
    pub(crate) follow: bool,
}

#[derive(Debug, Args)]
pub(crate) struct LiveArgs {
    #[arg(value_name = "GAME", help = help_with_kinds("Only games of this kind"))]
    pub(crate) rules: Option<RulesName>,
    /// Keep running and print changes
    #[arg(long)]
    pub(crate) follow: bool,
}

async fn open(global: &Global, follow: bool) -> anyhow::Result<Session> {
    if follow {
        Session::open_persistent(global, ActAs::UserOrAnonymous).await
    } else {
        Session::open(global, ActAs::UserOrAnonymous).await
    }
}

/// Prints the featured game, and each newly featured game if asked to.
pub(super) async fn tv(global: &Global, args: &TvArgs) -> CommandResult {
    let session = open(global, args.follow).await?;
    let ask =
        async |session: &Session| show_featured(&featured(session, args).await?, global.output);
    ask(&session).await?;
    follow(session, args.follow, ask, |incoming| {
        if let Incoming::Featured(featured) = incoming {
            show_featured(&featured, global.output)?;
        }
        Ok(())
    })
    .await
}

/// Prints events if asked to. A subscription ends with the connection, so each reconnect calls
/// `refetch`.
async fn follow(
    mut session: Session,
    follow: bool,
    refetch: impl AsyncFn(&Session) -> anyhow::Result<()>,
    on_event: impl Fn(Incoming) -> anyhow::Result<()>,
) -> CommandResult {
    if !follow {
        return session.end().await;
    }
    loop {
        let incoming = session.next().await?;
        if matches!(incoming, Incoming::Connected(_)) {
            refetch(&session).await?;
        } else {
            on_event(incoming)?;
        }
    }
}

async fn featured(session: &Session, args: &TvArgs) -> anyhow::Result<Featured> {
    let (rules, watch) = (args.rules.clone(), args.follow);
    Ok(ask!(session, Tv, |id| Tv { id, rules, watch }))
}

fn show_featured(featured: &Featured, output: Output) -> anyhow::Result<()> {
    if output.json {
        featured.entry.iter().try_for_each(|entry| output.entry(entry))?;
    } else if let Some(entry) = &featured.entry {
        output.line(game_row(entry).join("  "))?;
        output.message(format_args!("`adamant watch {}` shows it.", entry.game));
    } else {
        output.message("No game of this kind is live.");
    }
    Ok(())
}

/// Lists live games, and prints changes if asked to.
pub(super) async fn live(global: &Global, args: &LiveArgs) -> CommandResult {
    let output = global.output;
    let session = open(global, args.follow).await?;
    let (games, _) = live_games(&session, args).await?;
    let heading = ["ID", "GAME", "PLAYERS", "CLOCK", "MOVES", "TO MOVE", "LAST"];
    output.list(&games, "No game is live. `adamant play` starts one.", heading, live_row)?;
    let show = |(added, removed): (Vec<LiveEntry>, Vec<GameId>)| {
        show_change(output, &added, live_row, "game", &removed)
    };
    let refetch = async |session: &Session| show(live_games(session, args).await?);
    follow(session, args.follow, refetch, |incoming| {
        if let Incoming::Live(change) = incoming { show(entries(*change)) } else { Ok(()) }
    })
    .await
}

/// Returns the live games, and those that are no longer live.
async fn live_games(
    session: &Session,
    args: &LiveArgs,
) -> anyhow::Result<(Vec<LiveEntry>, Vec<GameId>)> {
    let (rules, watch) = (args.rules.clone(), args.follow);
    Ok(entries(ask!(session, Live, |id| Live { id, rules, watch, many: false })))
}

fn entries(change: LiveChange) -> (Vec<LiveEntry>, Vec<GameId>) {
    (change.add.into_iter().map(LiveEntry).collect(), change.remove)
}

/// A live game as an entry of lists has it, with what is live about it beside that.
struct LiveEntry(LiveGame);

impl Serialize for LiveEntry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serde_json::to_value(&self.0).map_err(S::Error::custom)?;
        let entry = fields.as_object_mut().and_then(|fields| fields.remove("entry"));
        let mut all = entry.unwrap_or_default();
        if let (Some(all), Value::Object(further)) = (all.as_object_mut(), fields) {
            all.extend(further);
        }
        all.serialize(serializer)
    }
}

fn live_row(LiveEntry(game): &LiveEntry) -> [String; 7] {
    let [id, rules, players, clock, moves, to_move] = game_row(&game.entry);
    let last = game.last_move.as_deref().unwrap_or_default().to_owned();
    [id, rules, players, clock, moves, to_move, last]
}

#[derive(Debug, Args)]
pub(crate) struct StatsArgs {
    /// The game: adamas, hexma, stymie or diam
    #[arg(value_name = "GAME")]
    pub(crate) rules: RulesName,
    /// Games with N players; 2 by default
    #[arg(long, value_name = "N")]
    pub(crate) players: Option<u8>,
    /// Only games among people, among bots, or between both
    #[arg(long, value_name = "WHO", value_parser = opponents)]
    pub(crate) opponents: Option<Opponents>,
}

/// Reads whose games are counted.
fn opponents(word: &str) -> Result<Opponents, String> {
    match word {
        "people" => Ok(Opponents::People),
        "bots" => Ok(Opponents::Bots),
        "mixed" => Ok(Opponents::Mixed),
        _ => Err("people, bots or mixed".to_owned()),
    }
}

/// The widest bar of the chart, in characters.
const BAR_COLUMNS: u64 = 40;

/// Prints the statistics of a game.
pub(super) async fn stats(global: &Global, args: &StatsArgs) -> CommandResult {
    let output = global.output;
    let session = Session::open(global, ActAs::UserOrAnonymous).await?;
    let asked = |id| Stats {
        id,
        rules: args.rules.clone(),
        players: args.players,
        opponents: args.opponents,
    };
    let mut stats = ask!(session, Stats, asked);
    stats.re = None;
    if output.json {
        output.entry(&stats)?;
    } else if stats.results.games + stats.aborted == 0 {
        output.message("No such game has ended yet.");
    } else {
        output.line(stats_text(&stats))?;
    }
    session.end().await
}

fn stats_text(stats: &GameStats) -> String {
    let GameStats { results, aborted, reasons, length, openings, .. } = stats;
    let mut parts = vec![format!("{} games, and {aborted} aborted", results.games)];
    let by_seat: Vec<_> = (1..)
        .zip(&results.wins)
        .map(|(seat, wins)| (format!("won by player {seat}"), *wins))
        .chain([("drawn".to_owned(), results.draws)])
        .map(|(result, games)| [result, games.to_string(), share(games, results.games)])
        .collect();
    parts.push(format_table(["RESULT", "GAMES", "SHARE"], &by_seat));
    let by_reason: Vec<_> = reasons
        .iter()
        .map(|count| {
            let share = share(count.games, results.games);
            [reason_text(&count.reason).to_owned(), count.games.to_string(), share]
        })
        .collect();
    parts.push(format_table(["END", "GAMES", "SHARE"], &by_reason));
    if let Some(length) = length {
        parts.push(lengths(length));
    }
    if !openings.is_empty() {
        let rows: Vec<_> = openings
            .iter()
            .map(|opening| {
                let ResultCounts { games, wins, draws } = &opening.results;
                let wins: Vec<String> = wins.iter().map(|wins| share(*wins, *games)).collect();
                let moves = opening.moves.join(" ");
                [moves, games.to_string(), wins.join(" "), share(*draws, *games)]
            })
            .collect();
        parts.push(format_table(["OPENING", "GAMES", "WON BY SEAT", "DRAWN"], &rows));
    }
    parts.join("\n\n")
}

/// Returns a part in percent.
fn share(part: u64, all: u64) -> String {
    let percent = (part * 100 + all / 2).checked_div(all).unwrap_or(0);
    format!("{percent}%")
}

fn lengths(counts: &LengthCounts) -> String {
    let LengthCounts { shortest, lower_quartile, median, upper_quartile, longest, .. } = counts;
    let most = counts.bars.iter().copied().max().unwrap_or(0).max(1);
    let rows: Vec<_> = (0..)
        .step_by(usize::try_from(counts.bar_width).unwrap_or(1).max(1))
        .zip(&counts.bars)
        .map(|(from, games): (u32, &u64)| {
            let to = from + counts.bar_width - 1;
            let range = if from == to { from.to_string() } else { format!("{from}-{to}") };
            let columns = (games * BAR_COLUMNS).div_ceil(most);
            [range, games.to_string(), "#".repeat(usize::try_from(columns).unwrap_or(0))]
        })
        .collect();
    let chart = format_table(["MOVES", "GAMES", ""], &rows);
    format!(
        "Half of the games have at most {median} moves, half of all {lower_quartile} to \
         {upper_quartile}; the shortest {shortest}, the longest {longest}.\n{chart}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_drawn_as_bars() {
        let counts = LengthCounts {
            shortest: 3,
            lower_quartile: 3,
            median: 3,
            upper_quartile: 8,
            longest: 8,
            bar_width: 5,
            bars: vec![4, 1],
        };
        let text = lengths(&counts);
        let lines: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(lines[1], format!("0-4    4      {}", "#".repeat(40)));
        assert_eq!(lines[2], format!("5-9    1      {}", "#".repeat(10)));
        assert_eq!(
            (share(1, 3), share(2, 3), share(0, 0)),
            ("33%".into(), "67%".into(), "0%".into())
        );
    }
}
