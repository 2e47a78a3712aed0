//! The page of help: the game that is played, and the keys. What a single move may do is told by the
//! server when it refuses one.

use adamant_rules::Kind;

use super::role::Role;

/// The page for a game, or for the keys alone before it is known which game is played.
pub(super) fn page(kind: Option<Kind>, role: Role) -> String {
    let game = kind.map_or("", Kind::rules_summary);
    let keys = match role {
        Role::Play => PLAYER,
        Role::Watch => WATCHER,
    };
    let gap = if game.is_empty() { "" } else { "\n\n" };
    format!("{game}{gap}{keys}")
}

/// What can be typed and which keys do something, for a player.
const PLAYER: &str =
    "  MOVE, try MOVE    make it, as above; see what it would do, then Enter plays it
  draw, takeback,   offer that, or to end without a result; accept, decline,
  calloff           withdraw: an offer. claim: if somebody stays away for good
  resign, abort     give up; call off a game just begun. say TEXT, talk: chat
  Tab or a click    to the board and back: arrows, Space chooses, Enter plays,
                    + - change how many or which; Space again or , makes a stack
                    a source, too, and . says a move without cells
  Up, Down          what you typed before       PgUp, PgDn, Home, End   the past
  Esc               drop what is in the making  Ctrl-C, quit   leave
Last move: from - to +, captures *. With Ctrl-T, ! marks what could be captured.";

/// The same for somebody who only looks.
const WATCHER: &str = "\
You are watching. Moves appear as soon as the server has them on record.
  PgUp, PgDn    look at earlier plies; Home is the start, End the present
  the arrows    look about on a board that is larger than the window
  t             what the spectators say, and to say something
  ?             this page
  q             leave
Last move: from - to +, captures *. With Ctrl-T, ! marks what could be captured.";

#[cfg(test)]
mod tests {
    use super::*;

    /// A common window, less the line that says how to go back.
    const LINES: usize = 23;
    const COLUMNS: usize = 80;

    #[test]
    fn every_page_fits_a_common_window() {
        for role in [Role::Play, Role::Watch] {
            for kind in Kind::ALL.iter().copied().map(Some).chain([None]) {
                let page = page(kind, role);
                assert!(page.lines().count() <= LINES, "{kind:?} has {}", page.lines().count());
                for line in page.lines() {
                    assert!(line.chars().count() <= COLUMNS, "{line}");
                }
                if let Some(kind) = kind {
                    assert!(page.starts_with(&kind.name().to_uppercase()), "{page}");
                }
            }
        }
    }
}
