//! Spellings of the command line that clap does not know: options of games with a single dash, as
//! in `adamant challenge adamas -size=4 -prog_cap ann bob`, and words with a dash in what is said.

use std::ffi::OsString;

use adamant_rules::Kind;

/// Commands that take options of games.
const COMMANDS_WITH_OPTIONS: [&str; 4] = ["challenge", "seek", "play", "bot"];

/// Commands with words that may begin with a dash: what is said, and moves.
const COMMANDS_WITH_WORDS: [&str; 4] = ["say", "move", "try", "preview"];

/// Commands that take a kind of game as their first argument.
const COMMANDS_WITH_KIND: [&str; 6] = ["challenge", "seek", "play", "standings", "tv", "live"];

/// Stands before a word of what is said that begins with a single dash, so that clap takes it for no
/// option. An argument from outside cannot hold it.
const DASH_MARKER: char = '\0';

/// The arguments in a form that clap understands: the option `-size=4` of a game becomes
/// `--option=-size=4`, and the word `-well` of what is said is marked. A dash and a single letter
/// remain what they are.
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

/// The words of a line in pbmserv's order, `hexma challenge ann bob` or `hexma move k7q2mx q11-k13`, in
/// the order of this program: the kind of game stands behind the command, or nowhere where the game's
/// id tells it. The number of a move may stand at the command, `move#12 k7q2mx q11-k13`.
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

/// A word of what is said, as it was typed.
#[expect(clippy::unnecessary_wraps, reason = "clap wants parsers that can fail")]
pub(super) fn read_dashed_word(word: &str) -> Result<String, std::convert::Infallible> {
    Ok(word.strip_prefix(DASH_MARKER).unwrap_or(word).to_owned())
}

/// Whether a word begins with a single dash and is no option of one letter.
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
    fn options_of_games_are_found_wherever_they_stand() {
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
    fn a_single_dash_in_what_is_said_is_no_option_but_two_are() {
        assert_eq!(
            read("adamant say k7q2mx play -well --as ann -h"),
            "adamant say k7q2mx play \0-well --as ann -h"
        );
        assert_eq!(read_dashed_word("\0-well").unwrap(), "-well");
        assert_eq!(read_dashed_word("well").unwrap(), "well");
    }

    #[test]
    fn lines_in_the_order_of_pbmserv_are_understood() {
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
    fn other_words_stay_as_they_are() {
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
