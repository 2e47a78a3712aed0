//! Rewrites spellings that clap cannot parse: game options with a single dash, as in
//! `adamant challenge adamas -size=4 -prog_cap ann bob`, and dashed words in talk and moves.

use std::ffi::OsString;

use adamant_engine::protocol::messages::PlayedGame;
use adamant_rules::Kind;

use crate::proposal::read_length;

/// What is said below the help of `puzzles play`.
pub(crate) const PLAY_HELP: &str = "Example: adamant puzzles play diam --grade 2";

/// What is said below the help of `puzzles mine`.
pub(crate) const MINE_HELP: &str = "With --json each puzzle is a line for a file of puzzles. With --out an interrupted run is continued.\n\
    Examples: adamant puzzles mine diam -board=8x4 --count 20 --out found.jsonl\n          \
                            adamant puzzles mine --record game.txt";

/// Appends the list of all games to a help text: `The game: this, that or another`.
pub(crate) fn help_with_kinds(what: &str) -> String {
    let names: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
    let (last, others) = names.split_last().expect("there are games");
    format!("{what}: {} or {last}", others.join(", "))
}

pub(crate) fn read_game(word: &str) -> Result<PlayedGame, String> {
    let played: PlayedGame = word
        .parse()
        .map_err(|()| "write a game, or hexma/2 with a number of players".to_owned())?;
    match Kind::from_name(&played.game) {
        Some(_) => Ok(played),
        None => Err(format!("there is no game {}", played.game)),
    }
}

pub(crate) fn read_ms(text: &str) -> Result<u64, &'static str> {
    read_length(text).ok_or("write a time such as 500ms or 2s")
}

/// Returns the id that a link ends with, or the id itself.
pub(crate) fn last_segment(text: &str) -> &str {
    text.trim_end_matches('/').rsplit('/').next().unwrap_or(text)
}

/// Commands that take game options.
const COMMANDS_WITH_OPTIONS: [&str; 7] =
    ["challenge", "invite", "seek", "play", "bot", "match", "mine"];

/// Commands whose text or move may hold words that begin with a dash.
const COMMANDS_WITH_WORDS: [&str; 4] = ["say", "move", "try", "preview"];

/// Commands that take a kind of game as their first argument.
const COMMANDS_WITH_KIND: [&str; 9] =
    ["challenge", "invite", "seek", "play", "standings", "stats", "bots", "tv", "live"];

/// Prefix of a word that begins with a single dash, so that clap does not parse it as an option. An
/// argument from outside cannot hold it.
const DASH_MARKER: char = '\0';

/// Rewrites the arguments for clap: the game option `-size=4` becomes `--option=-size=4`, and the
/// word `-well` of a text is marked. A dash and a single letter stay as they are.
pub(crate) fn normalize_args(words: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let words = reorder_pbmserv(words.into_iter().collect());
    let is_one_of = |word: &OsString, commands: &[&str]| commands.iter().any(|name| word == name);
    let command = words.iter().skip(1).find(|word| {
        is_one_of(word, &COMMANDS_WITH_WORDS) || is_one_of(word, &COMMANDS_WITH_OPTIONS)
    });
    let Some(command) = command else { return words };
    let says = is_one_of(command, &COMMANDS_WITH_WORDS);
    let mut plain = false;
    words
        .into_iter()
        .map(|word| {
            plain |= word == "--";
            match word.to_str() {
                Some(text) if !plain && says && is_dashed(text) => {
                    format!("{DASH_MARKER}{text}").into()
                }
                Some(text) if !plain && !says && is_game_option(text) => {
                    format!("--option={text}").into()
                }
                Some(_) | None => word,
            }
        })
        .collect()
}

/// Reorders a line in pbmserv's order, such as `hexma challenge ann bob`: the kind moves behind the
/// command, or is dropped where the game's id implies it. A move number at the command, as in
/// `move#12 k7q2mx q11-k13`, moves to the game's id.
fn reorder_pbmserv(mut words: Vec<OsString>) -> Vec<OsString> {
    let is_kind = |word: &OsString| word.to_str().and_then(Kind::from_name).is_some();
    if words.len() > 2 && is_kind(&words[1]) {
        let command = words[2].to_str().unwrap_or_default();
        if COMMANDS_WITH_KIND.contains(&command) {
            words.swap(1, 2);
        } else {
            words.remove(1);
        }
    }
    if words.len() > 2
        && let Some((command, number)) = words[1].to_str().and_then(|word| word.split_once('#'))
        && let Some(game) = words[2].to_str()
    {
        let (command, game) = (command.into(), format!("{game}#{number}").into());
        words[1] = command;
        words[2] = game;
    }
    words
}

/// Returns a word of a text or move as it was typed.
#[expect(clippy::unnecessary_wraps, reason = "clap wants parsers that can fail")]
pub(crate) fn read_dashed_word(word: &str) -> Result<String, std::convert::Infallible> {
    Ok(word.strip_prefix(DASH_MARKER).unwrap_or(word).to_owned())
}

/// Whether a word begins with a single dash and is not a one-letter option.
fn is_dashed(word: &str) -> bool {
    let Some(rest) = word.strip_prefix('-') else { return false };
    !rest.starts_with('-') && rest.chars().nth(1).is_some()
}

fn is_game_option(word: &str) -> bool {
    let Some(name) = word.strip_prefix('-') else { return false };
    let name = name.split('=').next().unwrap_or_default();
    name.len() >= 2 && name.starts_with(|first: char| first.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> String {
        let words = normalize_args(line.split_whitespace().map(OsString::from));
        words.into_iter().map(|word| word.into_string().unwrap()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn game_options_may_stand_anywhere() {
        assert_eq!(
            read("adamant challenge adamas -size=4 ann -prog_cap bob --rated"),
            "adamant challenge adamas --option=-size=4 ann --option=-prog_cap bob --rated"
        );
        assert_eq!(
            read("adamant --json seek -size=4 diam"),
            "adamant --json seek --option=-size=4 diam"
        );
    }

    #[test]
    fn a_single_dash_in_a_text_is_not_an_option() {
        assert_eq!(
            read("adamant say k7q2mx play -well --as ann -h"),
            "adamant say k7q2mx play \0-well --as ann -h"
        );
        assert_eq!(read_dashed_word("\0-well").unwrap(), "-well");
        assert_eq!(read_dashed_word("well").unwrap(), "well");
    }

    #[test]
    fn pbmserv_word_order_is_accepted() {
        for (theirs, ours) in [
            ("hexma challenge ann bob", "challenge hexma ann bob"),
            ("adamas challenge -size=4 ann bob", "challenge adamas --option=-size=4 ann bob"),
            ("hexma move k7q2mx q11-k13", "move k7q2mx q11-k13"),
            ("Stymie move#12 k7q2mx f6", "move k7q2mx#12 f6"),
            ("move#3 k7q2mx f6", "move k7q2mx#3 f6"),
            ("hexma show k7q2mx#12", "show k7q2mx#12"),
            ("hexma standings", "standings hexma"),
            ("adamas preview k7q2mx c1 - c2", "preview k7q2mx c1 - c2"),
            ("move k7q2mx c1 -c2", "move k7q2mx c1 \0-c2"),
        ] {
            assert_eq!(read(&format!("adamant {theirs}")), format!("adamant {ours}"));
        }
    }

    #[test]
    fn other_words_are_unchanged() {
        for line in [
            "adamant games -size=4",
            "adamant challenge -h",
            "adamant play -- -size=4",
            "adamant challenge adamas --clock=5m+5s -7",
        ] {
            assert_eq!(read(line), line);
        }
    }
}
