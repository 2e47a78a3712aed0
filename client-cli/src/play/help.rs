//! The help page: the rules of the game, and the keys.

use adamant_rules::Kind;

use super::message::Role;

/// Returns the page for a game; only the keys before the game is loaded.
pub(super) fn page(kind: Option<Kind>, role: Role) -> String {
    let game = kind.map_or("", Kind::rules_summary);
    let keys = match role {
        Role::Play => PLAYER,
        Role::Watch => SPECTATOR,
    };
    let gap = if game.is_empty() { "" } else { "\n\n" };
    format!("{game}{gap}{keys}")
}

/// Commands and keys of a player.
const PLAYER: &str = "  MOVE, try MOVE    play a move, as above; preview it, then Enter plays it
  draw, takeback,   make that offer (calloff: to end without a result); accept,
  calloff           decline, withdraw: an offer. claim: if a player is away
  resign, abort     resign; abort a game just begun. say TEXT, talk: chat
  Tab or a click    use the board: arrows move, Space selects, Enter plays,
                    + - change the number or choice; Space again or , adds a
                    stack as a source; . selects a move without cells
  Up, Down          earlier input               PgUp, PgDn, Home, End   history
  Esc               clear the current input     Ctrl-C, quit   leave
Last move: from - to +, captures *. Ctrl-T: ! marks capturable pieces.";

/// Keys of a spectator.
const SPECTATOR: &str = "\
You are watching. Moves appear once the server has recorded them.
  PgUp, PgDn    show earlier moves; Home shows the start, End the current board
  arrows        scroll a board that is larger than the window
  t             the talk of the spectators
  ?             this page
  q             quit
Last move: from - to +, captures *. Ctrl-T: ! marks capturable pieces.";

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of a common window, without the bottom line.
    const LINES: usize = 23;

    const COLUMNS: usize = 80;

    #[test]
    fn every_page_fits_an_80_by_24_window() {
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
