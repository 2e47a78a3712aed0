//! The one screen of help.

/// What can be typed and which keys do something, for a player.
pub(super) const PLAYER: &str = "\
Type a move and press Enter. The server referees: the board changes when it has
the move on record, and a refused move comes back to be corrected.

  MOVE          make a move, in the notation shown under the prompt
  try MOVE      see what it would do; then Enter plays it and Esc drops it
  draw          offer a draw; accept or decline answers an offer that is open,
                withdraw takes back your own
  resign        give up
  abort         call the game off, before each side has made its first move
  quit          leave this view; the game goes on, and join brings you back

  Up, Down      what you typed before
  PgUp, PgDn    look at earlier plies; Home is the start, End the present
  Esc           drop what is typed, tried or looked at
  Ctrl-C        leave at once

On the board - marks where the last move came from, + where it went and * what
it captured.";

/// The same for somebody who only looks.
pub(super) const WATCHER: &str = "\
You are watching. Moves appear as soon as the server has them on record.

  PgUp, PgDn    look at earlier plies; Home is the start, End the present
  ?             this page
  q             leave

On the board - marks where the last move came from, + where it went and * what
it captured.";
