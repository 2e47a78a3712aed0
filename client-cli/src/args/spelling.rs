//! Spellings of the command line that clap does not know: options of games with a single dash, as
//! in `adamant challenge adamas -size=4 -prog_cap ann bob`.

use std::ffi::OsString;

/// Commands that take options of games.
const TAKING_OPTIONS: [&str; 4] = ["challenge", "seek", "play", "bot"];

/// The arguments with options of games in a form that clap understands: `-size=4` becomes
/// `--option=-size=4`. A dash and a single letter remain what they are.
pub(crate) fn spelled(words: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let words: Vec<OsString> = words.into_iter().collect();
    // What is said may have any words in it.
    let command = words
        .iter()
        .skip(1)
        .find(|word| *word == "say" || TAKING_OPTIONS.iter().any(|command| word == command));
    if command.is_none_or(|command| command == "say") {
        return words;
    }
    let mut plain = false;
    words
        .into_iter()
        .map(|word| {
            plain |= word == "--";
            match word.to_str() {
                Some(text) if !plain && is_game_option(text) => format!("--option={text}").into(),
                Some(_) | None => word,
            }
        })
        .collect()
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
        let words = spelled(line.split_whitespace().map(OsString::from));
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
    fn other_words_stay_as_they_are() {
        for line in [
            "adamant games -size=4",
            "adamant challenge -h",
            "adamant play -- -size=4",
            "adamant say k7q2mx play -well",
            "adamant challenge adamas --clock=5m+5s -7",
        ] {
            assert_eq!(read(line), line);
        }
    }
}
