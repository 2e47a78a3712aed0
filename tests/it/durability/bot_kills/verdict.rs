//! What the records say about games that were played while programs were killed.

use std::{collections::BTreeMap, fmt};

use adamant_record::Replay;
use serde_json::Value;

use super::program::AckedMove;

/// What can be killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Victim {
    /// A bot program, which is then started again.
    Bot,
    /// An engine, which its bot starts again.
    Engine,
    /// The server, which is then started again.
    Server,
}

impl Victim {
    pub(super) const ALL: [Self; 3] = [Self::Bot, Self::Engine, Self::Server];

    /// The victim in text.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Bot => "bot",
            Self::Engine => "engine",
            Self::Server => "server",
        }
    }
}

/// A kill. Times are in Unix milliseconds.
#[derive(Debug, Clone)]
pub(super) struct Kill {
    pub(super) victim: Victim,
    /// The bot that was killed, or whose engine was.
    pub(super) bot: Option<&'static str>,
    pub(super) at: u64,
    /// When the test had started the program again; of an engine, which its bot starts, the time of
    /// the kill.
    pub(super) back_at: u64,
}

impl Kill {
    fn concerns(&self, user: &str) -> bool {
        self.bot.is_none_or(|bot| bot == user)
    }
}

/// A game lost on time that the clock allowed. Times are in milliseconds.
#[derive(Debug)]
pub(super) struct Loss {
    game: String,
    pub(super) user: String,
    pub(super) at: u64,
    turn: u64,
    /// How long restarts took during the last turn.
    away: u64,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { game, user, turn, away, .. } = self;
        write!(
            f,
            "{game}: {user} lost on time: a turn of {turn} ms, {away} ms of them for restarts"
        )
    }
}

/// What was found in all games.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    /// When the bots were ended, in Unix milliseconds. What came later does not count.
    pub(super) until: u64,
    pub(super) games: usize,
    pub(super) moves: usize,
    /// How the games ended, with their number; `live` for those that had not.
    pub(super) ends: BTreeMap<String, usize>,
    /// Games lost on time that the clock allowed: the restarts during the last turn took less time
    /// than the turn.
    pub(super) lost_on_time: Vec<Loss>,
    pub(super) faults: Vec<String>,
    /// The milliseconds from each kill to the next move of a player whom it concerns, in each game.
    pub(super) next_moves: Vec<(Victim, u64)>,
    /// When each player moved, in all games.
    pub(super) moved_at: BTreeMap<String, Vec<u64>>,
}

/// An event of a game's record that matters here.
struct Made {
    user: String,
    at: u64,
    ply: u32,
    notation: String,
}

impl Verdict {
    /// Judges a game by its record, which has been verified.
    pub(super) fn judge(
        &mut self,
        game: &str,
        records: &[String],
        kills: &[Kill],
        acked: &[AckedMove],
    ) {
        let mut replay = Replay::new();
        let mut made: Vec<Made> = Vec::new();
        let mut end = "live".to_owned();
        let (mut turn_at, mut began_at, mut last_at) = (0, 0, 0);
        for record in records {
            replay.push(record.as_bytes()).expect("it was verified");
            let table = replay.table().expect("there is a record");
            let event: Value = serde_json::from_str(record).expect("it was verified");
            let user = |seat: &Value| {
                let seat = seat.as_u64().and_then(|seat| usize::try_from(seat).ok());
                let player = seat.and_then(|seat| table.players().into_iter().nth(seat));
                player.map(|player| player.user.to_string()).unwrap_or_default()
            };
            let at = event["at"].as_u64().expect("each event has a time");
            if at > self.until {
                break;
            }
            last_at = at;
            match event["kind"].as_str().expect("each event has a kind") {
                "created" => began_at = last_at,
                "started" => turn_at = last_at,
                "moved" => {
                    turn_at = last_at;
                    made.push(Made {
                        user: user(&event["seat"]),
                        at: last_at,
                        ply: table.ply(),
                        notation: event["move"].as_str().unwrap_or_default().to_owned(),
                    });
                }
                "ended" | "aborted" => {
                    end = event["reason"].as_str().unwrap_or_default().to_owned();
                    self.judge_end(game, &end, &user(&event["by"]), (turn_at, last_at), kills);
                }
                _ => {}
            }
        }
        for ack in acked.iter().filter(|ack| ack.game == game) {
            if !made.iter().any(|made| made.ply == ack.ply && made.notation == ack.notation) {
                self.faults.push(format!("{game}: {}. {} is lost", ack.ply, ack.notation));
            }
        }
        let table = replay.table().expect("there is a record");
        let users: Vec<&str> = table.players().into_iter().map(|player| &*player.user).collect();
        let is_live = end == "live";
        for kill in
            kills.iter().filter(|kill| began_at <= kill.at && (is_live || kill.at < last_at))
        {
            let Some(concerned) = users.iter().find(|user| kill.concerns(user)) else {
                continue;
            };
            let next = made.iter().find(|made| made.at > kill.at && kill.concerns(&made.user));
            match next {
                Some(next) => self.next_moves.push((kill.victim, next.at - kill.at)),
                None if is_live => {
                    let what = kill.victim.as_str();
                    self.faults.push(format!(
                        "{game}: {concerned} has not gone on after a kill of the {what}"
                    ));
                }
                // The opponent's move ended the game.
                None => {}
            }
        }
        self.games += 1;
        self.moves += made.len();
        for made in made {
            self.moved_at.entry(made.user).or_default().push(made.at);
        }
        *self.ends.entry(end).or_default() += 1;
    }

    /// Judges how a game ended, by the last turn's beginning and end.
    fn judge_end(
        &mut self,
        game: &str,
        end: &str,
        by: &str,
        (from, to): (u64, u64),
        kills: &[Kill],
    ) {
        match end {
            "timed_out" => {
                let struck = kills.iter().filter(|kill| kill.concerns(by));
                let away: u64 =
                    struck.map(|kill| kill.back_at.min(to).saturating_sub(kill.at.max(from))).sum();
                let turn = to - from;
                if away < turn {
                    let (game, user) = (game.to_owned(), by.to_owned());
                    self.lost_on_time.push(Loss { game, user, at: to, turn, away });
                }
            }
            "resigned" | "abandoned" | "by_player" | "agreed" | "no_show" => {
                self.faults.push(format!("{game}: {end}, by {by}"));
            }
            _ => {}
        }
    }

    pub(super) fn table(&self, kills: &[Kill]) -> String {
        let mut lines = vec![format!(
            "{:<10}{:>8}{:>16}{:>16}{:>16}",
            "killed", "times", "restart max", "next move p50", "next move max"
        )];
        for victim in Victim::ALL {
            let of_kind: Vec<&Kill> = kills.iter().filter(|kill| kill.victim == victim).collect();
            let restart =
                of_kind.iter().map(|kill| kill.back_at - kill.at).max().unwrap_or_default();
            let mut next: Vec<u64> =
                self.next_moves.iter().filter(|(of, _)| *of == victim).map(|(_, ms)| *ms).collect();
            next.sort_unstable();
            let (median, most) = (
                next.get(next.len() / 2).copied().unwrap_or_default(),
                next.last().copied().unwrap_or_default(),
            );
            lines.push(format!(
                "{:<10}{:>8}{:>13} ms{:>13} ms{:>13} ms",
                victim.as_str(),
                of_kind.len(),
                restart,
                median,
                most
            ));
        }
        lines.push(self.sum());
        lines.join("\n")
    }

    /// Formats how all games ended.
    pub(super) fn sum(&self) -> String {
        let ends: Vec<String> =
            self.ends.iter().map(|(end, count)| format!("{count} {end}")).collect();
        format!(
            "{} games with {} moves: {}\n{} lost on time, {} other faults",
            self.games,
            self.moves,
            ends.join(", "),
            self.lost_on_time.len(),
            self.faults.len()
        )
    }

    /// All losses on time, one a line.
    pub(super) fn losses(&self) -> String {
        let losses: Vec<String> = self.lost_on_time.iter().map(Loss::to_string).collect();
        losses.join("\n")
    }
}
