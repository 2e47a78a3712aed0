//! The page of help: the game that is played, and the keys. What a single move may do is told by the
//! server when it refuses one.

use adamant_rules::Kind;

use super::Role;

/// The page for a game, or for the keys alone before it is known which game is played.
pub(super) fn page(kind: Option<Kind>, role: Role) -> String {
    let game = kind.map_or("", game);
    let keys = match role {
        Role::Play => PLAYER,
        Role::Watch => WATCHER,
    };
    let gap = if game.is_empty() { "" } else { "\n\n" };
    format!("{game}{gap}{keys}")
}

const fn game(kind: Kind) -> &'static str {
    match kind {
        Kind::Adamas => ADAMAS,
        Kind::Hexma => HEXMA,
        Kind::Stymie => STYMIE,
        Kind::Diam => DIAM,
    }
}

const ADAMAS: &str = "\
ADAMAS  Capture until nobody else has pieces and moves left.
A piece goes any distance along six lines over empty cells, to an empty cell, an
own stack or an enemy stack that it captures. In one move a stack splits to
several cells, or several stacks merge on one; each part must see its goal.
An enemy stack falls if its height equals the number of pieces of other colours
that it sees: the heights of the first stacks on its six lines, added up. The
very first move may not capture. Who has no piece, or no move when it is their
turn, is out; the last one left wins. Two single pieces of different colours
that do not see each other, or a position that comes for the third time, draw.
  c1-c3         one piece          c1-e1,4xc3    a split: one and four
  4xc1-c3       four pieces        c2,2xe1-d2    a merge: one and two";

const HEXMA: &str = "\
HEXMA  Join your home edge and the edge across from it with a chain of pieces.
A move takes one piece one step to a free neighbouring point, or along as many
hops as you like: each over a single piece of any colour to the free point right
behind it. Nothing is captured. A hopping piece may cross the point it came
from, but not end there.
Two players join the same two edges, top and bottom; of three, each has another
pair. Only your own move can win for you. Who cannot move is passed over; if
nobody can, or a position comes for the third time, it is a draw. The pieces of
a player who leaves a game of three stay on the board.
  k13-j12       from and to, whether by a step or by hops
  q11-o13-k13   the same with the points landed on";

const STYMIE: &str = "\
STYMIE  V joins the top row to the bottom row, H the first column to the last.
Octagons touch the octagons beside, above and below them and the squares at
their corners; squares touch octagons only. Pieces never move. V opens with one
piece. Then a move puts down one piece on any free cell, or two: on an octagon
and a square that touches it.
After an opponent's single piece, the opening aside, it may be three: an octagon
and two squares that touch it, or a square and two octagons that touch it. So
mind when you put down only one. A full board always has a winner.
With -swap, H may answer the opening by taking over V's side and its piece.
  f6            one piece          f6,g5,h6      three
  f6,g5         two                swap          to change sides";

const DIAM: &str = "\
DIAM  Get two pieces with the same letter opposite each other, at the same level
and above the ground level.
A move puts a piece from your reserve on top of any stack, or takes a piece of
your own with all above it to the top of a neighbouring stack, order kept. No
stack may get too high; the dots show how high. The sectors run clockwise, and
opposites lie across the middle of the drawing.
After every move the highest such pair decides, whoever moved: moving can win
for your opponent. Who cannot move is passed over; if neither can, or a position
comes for the third time, it is a draw. With -nomirror the second player's first
piece may not go opposite the first one.
  A1            put an A on 1      8+   stack 8 clockwise      4-   4 back
  6,3-          of stack 6, the third piece from below with all on it, back";

/// What can be typed and which keys do something, for a player.
const PLAYER: &str =
    "  MOVE, try MOVE    make it, as above; see what it would do, then Enter plays it
  draw, resign      offer a draw; give up. accept, decline, withdraw: an offer
  abort, quit       call off a game just begun; leave, and join brings you back
  Tab or a click    the board: arrows, Space chooses, Enter plays, + - change
                    how many or which; : may go, * captures. Tab: the line again
  Up, Down          what you typed before       PgUp, PgDn, Home, End   the past
  Esc               drop what is in the making  Ctrl-C   leave at once
On the board - marks where the last move came from, + where it went, * captures.";

/// The same for somebody who only looks.
const WATCHER: &str = "\
You are watching. Moves appear as soon as the server has them on record.
  PgUp, PgDn    look at earlier plies; Home is the start, End the present
  ?             this page
  q             leave
On the board - marks where the last move came from, + where it went, * captures.";

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
