//! Names for engines that were given none.

use adamant_protocol::UserName;

/// The longest name in letters, without what tells two of a name apart.
const LETTERS_MAX: usize = 17;

/// Returns a name for an engine that calls itself `said`: its letters and digits, and a number if
/// another engine has that name.
pub(super) fn name_for(said: &str, index: usize, taken: &[UserName]) -> UserName {
    let letter = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    let plain: String = said.chars().map(letter).take(LETTERS_MAX).collect();
    let plain = plain.trim_matches('-');
    let first = if plain.len() < 2 { format!("engine-{}", index + 1) } else { plain.to_owned() };
    let others = (2..).map(|number| format!("{first}-{number}"));
    let mut names = std::iter::once(first.clone()).chain(others);
    let is_free = |name: &UserName| !taken.iter().any(|other| other.is_same(name.as_str()));
    let free = names.find_map(|name| name.parse().ok().filter(is_free));
    free.expect("there are fewer engines than numbers of two digits")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_words_and_different() {
        let mut taken: Vec<UserName> = Vec::new();
        for (said, name) in [
            ("adamant search", "adamant-search"),
            ("Adamant Search", "Adamant-Search-2"),
            ("engine.py", "engine-py"),
            ("", "engine-4"),
            ("ü", "engine-5"),
            ("a very long name of an engine", "a-very-long-name"),
            ("a very long name of another", "a-very-long-name-2"),
        ] {
            let found = name_for(said, taken.len(), &taken);
            assert_eq!(found.as_str(), name);
            taken.push(found);
        }
    }
}
