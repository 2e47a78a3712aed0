//! The view as a person meets it: records and keys go in, frames and requests come out.

mod games;
mod pointing;
mod talk;
mod together;

use std::time::Duration;

use adamant_client::{DisconnectReason, Incoming, RequestError};
use adamant_protocol::{
    error::{ErrorCode, Retry},
    to_client::{Failed, Notice, NoticeWhat, ResumeVerdict},
};
use adamant_record::Head;
use adamant_rules::{
    Act, TimeControl,
    event::{OfferId, OfferKind},
};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::{
    Terminal,
    backend::TestBackend,
    layout::{Position, Rect},
};

use super::{
    Role,
    fixture::{GAME, O, START_MS, Server, welcome, x},
    render::{cell_at, render},
    view::{Ask, Effect, Failure, Message, View},
};

/// Somebody before the screen.
struct Person {
    view: View,
    server: Server,
    /// How many records of the server's journal have been shown.
    heard: usize,
    now: Duration,
}

impl Person {
    fn new(server: Server, user: Option<&str>, role: Role) -> Self {
        let (view, effects) = View::open(GAME.parse().unwrap(), role, &welcome(user, 0, None));
        assert_eq!(effects, [Effect::Ask(Ask::Follow { from: 1 })]);
        let mut person = Self { view, server, heard: 0, now: Duration::ZERO };
        person.catch_up();
        person
    }

    fn ann() -> Self {
        Self::new(Server::two(), Some("ann"), Role::Play)
    }

    /// Lets something happen. What the view asks about sketches is answered at once.
    fn tell(&mut self, message: Message) -> Vec<Effect> {
        let mut effects = self.view.update(message, self.now);
        while let Some(place) = effects.iter().position(|of| matches!(of, Effect::Hint(_))) {
            let Effect::Hint(sketch) = effects.remove(place) else { unreachable!() };
            let answer = self.server.hints(&sketch);
            effects.extend(self.view.update(Message::Hinted(sketch, Ok(answer)), self.now));
        }
        effects
    }

    /// Hears what the server has written since.
    fn catch_up(&mut self) {
        while let Some(record) = self.server.journal.get(self.heard).cloned() {
            self.heard += 1;
            assert_eq!(self.tell(Message::Heard(record)), []);
        }
    }

    fn play(&mut self, notation: &str, seconds: u64) {
        self.server.play(notation, seconds);
        self.catch_up();
    }

    fn wait_until(&mut self, seconds: u64) {
        self.now = Duration::from_secs(seconds);
        assert_eq!(self.tell(Message::Tick), []);
    }

    fn press(&mut self, code: KeyCode) -> Vec<Effect> {
        self.tell(Message::Key(KeyEvent::new(code, KeyModifiers::NONE)))
    }

    /// Lets something happen whose questions about sketches are not answered yet.
    fn tell_only(&mut self, message: Message) -> Vec<Effect> {
        self.view.update(message, self.now)
    }

    /// Clicks at a column and line of a common window.
    fn click(&mut self, column: u16, line: u16) {
        let window = Rect::new(0, 0, 80, 24);
        if let Some(cell) = cell_at(&self.view, window, Position::new(column, line)) {
            assert_eq!(self.tell(Message::Click(cell)), []);
        }
    }

    /// Clicks where the window shows this, on the first letter that is no blank.
    #[track_caller]
    fn click_on(&mut self, text: &str) {
        let frame = self.frame();
        let mut places = frame.lines().zip(0..).filter_map(|(row, line)| {
            let bytes = row.find(text)? + text.find(|letter| letter != ' ')?;
            Some((u16::try_from(row[..bytes].chars().count()).unwrap(), line))
        });
        let (column, line) = places.next().unwrap_or_else(|| panic!("{text:?} is not in\n{frame}"));
        self.click(column, line);
    }

    /// Types a line and enters it.
    fn enter(&mut self, line: &str) -> Vec<Effect> {
        for letter in line.chars() {
            assert_eq!(self.press(KeyCode::Char(letter)), []);
        }
        self.press(KeyCode::Enter)
    }

    fn refused(&mut self, ask: Ask, why: &str) {
        let failed = Failed {
            re: None,
            code: ErrorCode::IllegalMove,
            message: "the move is not legal".into(),
            retry: Retry::Never,
            retry_after_ms: None,
            game: None,
            why: Some(why.into()),
            turn: None,
            proto: None,
            limit: None,
        };
        let answer = Err(RequestError::Refused(Box::new(failed)));
        assert_eq!(self.tell(Message::Answered(ask, answer)), []);
    }

    fn frame_of(&self, columns: u16, lines: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(columns, lines)).unwrap();
        terminal.draw(|frame| render(&self.view, false, frame)).unwrap();
        let cells = &terminal.backend().buffer().content;
        let line = |cells: &[ratatui::buffer::Cell]| {
            let text: String = cells.iter().map(ratatui::buffer::Cell::symbol).collect();
            text.trim_end().to_owned()
        };
        cells.chunks(columns.into()).map(line).collect::<Vec<_>>().join("\n")
    }

    fn frame(&self) -> String {
        self.frame_of(80, 24)
    }

    /// The line that begins so.
    #[track_caller]
    fn shows(&self, text: &str) {
        assert!(self.frame().contains(text), "{text:?} is not in\n{}", self.frame());
    }

    #[track_caller]
    fn shows_no(&self, text: &str) {
        assert!(!self.frame().contains(text), "{text:?} is in\n{}", self.frame());
    }
}

fn asks_move(turn: u32, notation: &str) -> Ask {
    Ask::Move { turn, notation: notation.to_owned() }
}

#[test]
fn a_game_of_two_in_a_common_window() {
    let mut ann = Person::ann();
    ann.play("c1-e1,c2,4xc3,a1", 10);
    ann.play("c5-c4,3xa3", 25);
    ann.wait_until(30);
    insta::assert_snapshot!(ann.frame(), @"
    adamas -size=3 -pieces=8  k7q2mx  5m+5s  casual

                                            > O ann (you)                       4:25
                                              X bob                             4:50

                                              1 O c1-a1,c2,4xc3,e1
                                              2 X c5-3xa3,c4
                    1   2   3
               e  O   .   .   e3
             d  .   .   .   .   d4
           c  O   O   O4 +X  -X4  c5
             b  .   .   .   .   b4
               a  O   .  +X3  a3
                    1   2   3






    Your move, O ann.  Tab or a click goes to the board.
    >
    ? for help. split d1-2xd3,e1; merge 2xd1,3xa4-d4; one to one 9xd1-d3; no count
    means one piece
    ");
}

#[test]
fn a_large_board_has_players_above_and_moves_below() {
    let clock = TimeControl::PerMove { move_ms: 60_000 };
    let server = Server::new("-size=8 -pieces=99", &["ann", "bob", "cy"], clock);
    let mut cy = Person::new(server, Some("cy"), Role::Play);
    cy.play("h1-h2,40xh9", 5);
    insta::assert_snapshot!(cy.frame(), @"
    adamas -size=8 -pieces=99  k7q2mx  1m a move  casual

      O ann 1:00  > X bob 1:00    Y cy (you) 1:00
                              1   2   3   4   5   6   7   8
                         o  .   .   .   .   .   .   .   X99 o8
                       n  .   .   .   .   .   .   .   .   .   n9
                     m  .   .   .   .   .   .   .   .   .   .   m10
                   l  .   .   .   .   .   .   .   .   .   .   .   l11
                 k  .   .   .   .   .   .   .   .   .   .   .   .   k12
               j  .   .   .   .   .   .   .   .   .   .   .   .   .   j13
             i  .   .   .   .   .   .   .   .   .   .   .   .   .   .   i14
           h -O58+O   .   .   .   .   .   .  +O40 .   .   .   .   .   .   h15
             g  .   .   .   .   .   .   .   .   .   .   .   .   .   .   g14
               f  .   .   .   .   .   .   .   .   .   .   .   .   .   f13
                 e  .   .   .   .   .   .   .   .   .   .   .   .   e12
                   d  .   .   .   .   .   .   .   .   .   .   .   d11
                     c  .   .   .   .   .   .   .   .   .   .   c10
                       b  .   .   .   .   .   .   .   .   .   b9
                         a  .   .   .   .   .   .   .   Y99 a8
                              1   2   3   4   5   6   7   8
    1 O h1-h2,40xh9
    X bob to move.
    >
    ? for help. split d1-2xd3,e1; merge 2xd1,3xa4-d4; one to one 9xd1-d3; no count
    ");
}

#[test]
fn a_window_that_is_too_small_says_so() {
    let ann = Person::ann();
    insta::assert_snapshot!(ann.frame_of(44, 10), @"
    adamas -size=3 -pieces=8  k7q2mx  5m+5s

    > O ann (you) 5:00    X bob 5:00
    The window is too small for the board: a
    part of it needs 16 columns and 12 lines.


    Your move, O ann.  Tab or a click goes to
    >
    ? for help. split d1-2xd3,e1; merge
    ");
    // Nothing breaks where there is no room at all.
    for (columns, lines) in (1..40).flat_map(|columns| (1..30).map(move |lines| (columns, lines))) {
        ann.frame_of(columns, lines);
    }
    ann.frame_of(200, 60);
}

#[test]
fn a_board_higher_than_the_window_is_scrolled_with_the_cursor() {
    let clock = TimeControl::Fischer { base_ms: 300_000, inc_ms: 5_000 };
    let server = Server::of(adamant_rules::Kind::Stymie, "-size=12", &["ann", "bob"], clock);
    let mut ann = Person::new(server, Some("ann"), Role::Play);
    ann.play("w23", 1);
    ann.play("l12", 2);
    insta::assert_snapshot!(ann.frame(), @"
    stymie -size=12  k7q2mx  5m+5s  casual

    > V ann (you) 5:04    H bob 5:04
                                    ^ 6 more lines ^
    19 |     |     |     |     |     |     |     |     |     |     |     |     | 19
    18   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   18
    17 |     |     |     |     |     |     |     |     |     |     |     |     | 17
    16   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   16
    15 |     |     |     |     |     |     |     |     |     |     |     |     | 15
    14   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   14
    13 |     |     |     |     |     |     |     |     |     |     |     |     | 13
    12   ---   ---   ---   ---   ---   ---+H ---   ---   ---   ---   ---   ---   12
    11 |     |     |     |     |     |     |     |     |     |     |     |     | 11
    10   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   10
     9 |     |     |     |     |     |     |     |     |     |     |     |     | 9
     8   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   8
     7 |     |     |     |     |     |     |     |     |     |     |     |     | 7
     6   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   6
     5 |     |     |     |     |     |     |     |     |     |     |     |     | 5
                                    v 6 more lines v
    1 V w23  2 H l12
    Your move, V ann.  Tab or a click goes to the board.
    >
    ? for help. one piece f6; two on an octagon and a square touching it f6,g5;
    ");
    ann.press(KeyCode::Tab);
    for _ in 0..30 {
        ann.press(KeyCode::Down);
    }
    insta::assert_snapshot!(ann.frame(), @"
    stymie -size=12  k7q2mx  5m+5s  casual

    > V ann (you) 5:04    H bob 5:04
                                   ^ 12 more lines ^
    13 |     |     |     |     |     |     |     |     |     |     |     |     | 13
    12   ---   ---   ---   ---   ---   ---+H ---   ---   ---   ---   ---   ---   12
    11 |     |     |     |     |     |     |     |     |     |     |     |     | 11
    10   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   10
     9 |     |     |     |     |     |     |     |     |     |     |     |     | 9
     8   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   8
     7 |     |     |     |     |     |     |     |     |     |     |     |     | 7
     6   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   6
     5 |     |     |     |     |     |     |     |     |     |     |     |     | 5
     4   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   4
     3 |     |     |     |     |     |     |     |     |     |     |     |     | 3
     2   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   2
     1 |     |     |     |     |     |  >  |     |     |     |     |     |     | 1
         ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---   ---
          A  B  C  D  E  F  G  H  I  J  K  L  M  N  O  P  Q  R  S  T  U  V  W

    1 V w23  2 H l12
    Your move, on k1: Space chooses it, Tab leaves the board.
    >
    ? for help. one piece f6; two on an octagon and a square touching it f6,g5;
    ");
    // A click means the cell that is shown there.
    ann.click_on("H ---");
    ann.shows("You cannot move anything at l12.");
}

#[test]
fn a_board_wider_and_higher_than_the_window_is_scrolled_both_ways() {
    let server = Server::new("-size=8 -pieces=99", &["ann", "bob"], TimeControl::None);
    let mut ann = Person::new(server, Some("ann"), Role::Play);
    ann.play("h1-h8", 1);
    insta::assert_snapshot!(ann.frame_of(40, 16), @"
    adamas -size=8 -pieces=99  k7q2mx  no

      O ann (you)   > X bob
                ^ 5 more lines ^
    <.   .   .   .   .   .   .   .   .   . >
    <  .   .   .   .   .   .   .   .   .   >
    <.   .   .   .   .   .   .   .   .   . >
    <  .   .   .   .  +O   .   .   .   .   >
    <.   .   .   .   .   .   .   .   .   . >
    <  .   .   .   .   .   .   .   .   .   >
    <.   .   .   .   .   .   .   .   .   . >
                v 5 more lines v
    1 O h1-h8
    X bob to move.
    >
    ? for help. split d1-2xd3,e1; merge
    ");
    // Who only looks on moves about with the arrows.
    let server = Server::new("-size=8 -pieces=99", &["ann", "bob"], TimeControl::None);
    let mut watcher = Person::new(server, None, Role::Watch);
    for _ in 0..20 {
        watcher.press(KeyCode::Left);
    }
    insta::assert_snapshot!(watcher.frame_of(40, 16), @"
    adamas -size=8 -pieces=99  k7q2mx  no

    > O ann     X bob
                ^ 5 more lines ^
           k  .   .   .   .   .   .   .   .>
         j  .   .   .   .   .   .   .   .  >
       i  .   .   .   .   .   .   .   .   .>
     h >O99 .   .   .   .   .   .   .   .  >
       g  .   .   .   .   .   .   .   .   .>
         f  .   .   .   .   .   .   .   .  >
           e  .   .   .   .   .   .   .   .>
                v 5 more lines v

    O ann to move.
    q leaves, ? helps, t talks, PgUp and PgD
    ");
    watcher.press(KeyCode::Esc);
    assert!(watcher.view.pointer.is_none());
}

#[test]
fn the_page_of_help_fits_a_common_window() {
    let mut ann = Person::ann();
    ann.press(KeyCode::Char('?'));
    insta::assert_snapshot!(ann.frame(), @"
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
      4xc1-c3       four pieces        c2,2xe1-d2    a merge: one and two

      MOVE, try MOVE    make it, as above; see what it would do, then Enter plays it
      draw, takeback,   offer that, or to end without a result; accept, decline,
      calloff           withdraw: an offer. claim: if somebody stays away for good
      resign, abort     give up; call off a game just begun. say TEXT, talk: chat
      Tab or a click    to the board and back: arrows, Space chooses, Enter plays,
                        + - change how many or which; Space again or , makes a stack
                        a source, too, and . says a move without cells
      Up, Down          what you typed before       PgUp, PgDn, Home, End   the past
      Esc               drop what is in the making  Ctrl-C, quit   leave
    On the board - marks where the last move came from, + where it went, * captures.

    Any key goes back to the game.
    ");
    ann.press(KeyCode::Char('x'));
    ann.shows("O ann");
    assert!(ann.view.prompt.is_empty(), "the key only closed the page");
    let mut watcher = Person::new(Server::two(), None, Role::Watch);
    watcher.press(KeyCode::Char('?'));
    watcher.shows("You are watching");
}

#[test]
fn before_the_first_record_there_is_nothing_to_play() {
    let (view, _) = View::open(GAME.parse().unwrap(), Role::Play, &welcome(Some("ann"), 0, None));
    let mut ann = Person { view, server: Server::two(), heard: 0, now: Duration::ZERO };
    ann.shows("Waiting for the game");
    assert_eq!(ann.enter("c1-c2"), []);
    ann.shows("The game is not there yet.");
}

#[test]
fn a_move_that_is_taken_back_is_gone_from_the_list_and_cannot_be_looked_back_at() {
    let mut ann = Person::ann();
    for (notation, seconds) in [("c1-c2", 1), ("c5-c4", 2), ("c2-c3", 3), ("c4-c5", 4)] {
        ann.play(notation, seconds);
    }
    ann.press(KeyCode::PageUp);
    ann.shows("Ply 3 of 4: c2-c3.");
    let takeback = OfferKind::Takeback;
    ann.server.act(Act::Offer { seat: O, what: takeback }, 5);
    ann.catch_up();
    ann.shows("You offer a takeback");
    ann.server.act(Act::Answer { seat: x(), offer: OfferId(1), accept: true }, 6);
    ann.catch_up();
    ann.shows_no("c2-c3");
    ann.shows_no("Ply 3");
    ann.shows("c5-c4");
    ann.play("c2-e2", 7);
    ann.shows("c2-e2");
}

#[test]
fn a_clock_counts_down_by_the_servers_time_and_never_ends_a_game() {
    let mut ann = Person::ann();
    assert!(ann.view.is_ticking());
    ann.shows("5:00");
    // From here on nobody is waited for who may not come at all.
    ann.play("c1-c2", 0);
    ann.play("c5-c4", 0);
    ann.wait_until(60);
    ann.shows("4:05");
    ann.wait_until(304);
    ann.shows("0:01.0");
    ann.wait_until(400);
    ann.shows("O ann is at zero: waiting for the server.");
    assert!(ann.view.has_prompt(), "the flag falls where the server says so");
    let overdue = ann.server.table.overdue(START_MS + 305_000).unwrap();
    ann.server.happen(&overdue);
    ann.catch_up();
    ann.shows("X bob wins: the opponent ran out of time.");
    assert!(!ann.view.is_ticking());
}

#[test]
fn an_event_sets_the_clock_right() {
    let mut ann = Person::ann();
    // The record is a minute ahead of what is believed here.
    ann.play("c1-c2", 60);
    assert_eq!(ann.view.left_ms(x()), Some(300_000));
    ann.wait_until(2);
    assert_eq!(ann.view.left_ms(x()), Some(298_000));
}

#[test]
fn a_move_shows_on_the_board_only_once_it_is_on_record() {
    let mut ann = Person::ann();
    let before = ann.frame();
    assert_eq!(ann.enter("C1-c2"), [Effect::Ask(asks_move(0, "C1-c2"))]);
    ann.shows("C1-c2: waiting for the server ...");
    let board = |frame: &str| frame.lines().skip(2).take(18).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(board(&ann.frame()), board(&before));
    assert_eq!(ann.enter("resign"), [], "one thing after the other");
    assert_eq!(ann.tell(Message::Answered(asks_move(0, "C1-c2"), Ok(()))), []);
    assert_eq!(board(&ann.frame()), board(&before));
    ann.play("c1-c2", 1);
    ann.shows("-O7 +O");
    ann.shows("X bob to move.");
    ann.shows("1 O c1-c2");
}

#[test]
fn a_long_line_moves_along_with_its_cursor() {
    let mut ann = Person::ann();
    for letter in "c1-".chars().chain(std::iter::repeat_n('a', 90)).chain("-end".chars()) {
        ann.press(KeyCode::Char(letter));
    }
    ann.shows("aaa-end");
    ann.shows_no("c1-aaa");
    for _ in 0..97 {
        ann.press(KeyCode::Left);
    }
    ann.shows("> c1-aaa");
}

#[test]
fn what_was_typed_before_comes_back() {
    let mut ann = Person::ann();
    ann.enter("try c1-c2");
    ann.press(KeyCode::Char('d'));
    ann.press(KeyCode::Up);
    ann.shows("> try c1-c2");
    ann.press(KeyCode::Down);
    assert_eq!(ann.view.prompt.text(), "d");
}

#[test]
fn a_refused_move_comes_back_to_be_corrected() {
    let mut ann = Person::ann();
    ann.enter("c1-c9");
    ann.refused(asks_move(0, "c1-c9"), "there is no cell c9 on this board");
    ann.shows("> c1-c9");
    ann.shows("there is no cell c9 on this board");
    ann.press(KeyCode::Backspace);
    assert_eq!(ann.enter("2"), [Effect::Ask(asks_move(0, "c1-c2"))]);
    // What is being typed meanwhile is not overwritten.
    ann.press(KeyCode::Char('d'));
    ann.refused(asks_move(0, "c1-c2"), "no");
    assert_eq!(ann.view.prompt.text(), "d");
}

#[test]
fn a_tried_move_is_shown_and_not_made() {
    let mut ann = Person::ann();
    assert_eq!(ann.enter("try c1-C2,e1"), []);
    ann.shows("Tried: c1-c2,e1. Enter plays it, Esc drops it.");
    ann.shows("-O6 +O");
    ann.press(KeyCode::Esc);
    ann.shows_no("Tried");
    ann.shows_no("-O6");
    ann.enter("try c1-c2,e1");
    assert_eq!(ann.press(KeyCode::Enter), [Effect::Ask(asks_move(0, "c1-c2,e1"))]);
    ann.shows_no("Tried");
}

#[test]
fn a_move_that_cannot_be_made_cannot_be_tried() {
    let mut ann = Person::ann();
    assert_eq!(ann.enter("try c5-c4"), []);
    ann.shows("c5 is not your stack");
    ann.shows("> try c5-c4");
    ann.play("c1-c2", 1);
    ann.press(KeyCode::Esc);
    assert_eq!(ann.enter("try c1-c2"), []);
    ann.shows("turn");
}

#[test]
fn an_event_ends_a_try() {
    let mut ann = Person::ann();
    ann.enter("try c1-c2");
    ann.server.act(Act::Resign { seat: x() }, 5);
    ann.catch_up();
    ann.shows_no("Tried");
    ann.shows("O ann wins: the opponent resigned.");
}

#[test]
fn earlier_plies_can_be_looked_at() {
    let mut ann = Person::ann();
    for (second, notation) in (1..).zip(["c1-c2", "c5-c4", "c2-d2"]) {
        ann.play(notation, second);
    }
    ann.press(KeyCode::PageUp);
    ann.shows("Ply 2 of 3: c5-c4. End goes back to the present.");
    ann.shows("+X  -X7");
    ann.press(KeyCode::Home);
    ann.shows("Ply 0 of 3. End goes back to the present.");
    ann.press(KeyCode::PageUp);
    ann.shows("Ply 0 of 3.");
    // The present moves on meanwhile, and what is looked at stays.
    ann.play("c4-d3", 9);
    ann.shows("Ply 0 of 4.");
    ann.press(KeyCode::PageDown);
    ann.shows("Ply 1 of 4: c1-c2.");
    ann.press(KeyCode::End);
    ann.shows_no("Ply");
    ann.press(KeyCode::PageUp);
    ann.press(KeyCode::PageDown);
    ann.shows_no("Ply");
}

#[test]
fn many_moves_scroll_with_the_ply_that_is_shown() {
    let mut ann = Person::ann();
    // Pieces of both sides go to and fro, each time from other places.
    let rounds = ["c1-c2", "c5-c4", "c1-d1", "c5-d4", "c1-b1", "c5-b4", "c2-d2", "c4-d3"];
    let more = ["d1-e1", "d4-e3", "b1-a1", "b4-a3", "c1-c2", "c5-c4", "c1-d1", "c5-d4"];
    for (second, notation) in (1..).zip(rounds.into_iter().chain(more)) {
        ann.play(notation, second);
    }
    ann.shows(" 16 X c5-d4");
    ann.shows_no("  1 O c1-c2");
    ann.press(KeyCode::Home);
    ann.shows("  1 O c1-c2");
    ann.shows_no(" 16 X c5-d4");
}

#[test]
fn offers_are_shown_and_answered_by_their_number() {
    let mut ann = Person::ann();
    assert_eq!(ann.enter("accept"), []);
    ann.shows("There is no open offer to answer.");
    assert_eq!(ann.enter("withdraw"), []);
    ann.shows("You have no open offer.");
    assert_eq!(ann.enter("draw"), [Effect::Ask(Ask::Offer(OfferKind::Draw))]);
    ann.tell(Message::Answered(Ask::Offer(OfferKind::Draw), Ok(())));
    ann.server.act(Act::Offer { seat: O, what: OfferKind::Draw }, 2);
    ann.catch_up();
    ann.shows("You offer a draw; withdraw takes it back.");
    let withdraw = Ask::Withdraw { offer: OfferId(1) };
    assert_eq!(ann.enter("withdraw"), [Effect::Ask(withdraw.clone())]);
    ann.tell(Message::Answered(withdraw, Ok(())));
    ann.server.act(Act::Withdraw { seat: O, offer: OfferId(1) }, 3);
    ann.server.act(Act::Offer { seat: x(), what: OfferKind::Draw }, 4);
    ann.catch_up();
    ann.shows("Your move, O ann.  X bob offers a draw: accept or decline?");
    let answer = |accept| Ask::Answer { offer: OfferId(2), accept };
    assert_eq!(ann.enter("decline"), [Effect::Ask(answer(false))]);
    ann.refused(answer(false), "no");
    ann.press(KeyCode::Esc);
    assert_eq!(ann.enter("draw"), [Effect::Ask(answer(true))], "to want the same is to agree");
}

#[test]
fn a_lost_connection_is_told_and_the_game_resumes() {
    let mut ann = Person::ann();
    ann.enter("c1-c2");
    ann.now = Duration::from_secs(10);
    let restart = Notice { what: NoticeWhat::Restart, in_ms: 1_500 };
    ann.tell(Message::Heard(Incoming::Notice(restart)));
    ann.shows("The server restarts and should be back in 2 s");
    let reason = DisconnectReason::Silent;
    let retry_in = Some(Duration::from_millis(2_500));
    ann.tell(Message::Heard(Incoming::Disconnected { reason, retry_in }));
    ann.shows("Not connected; reconnecting in 3 s. The game resumes by itself.");
    ann.shows("c1-c2: goes out when the connection is back");
    ann.wait_until(12);
    ann.shows("reconnecting in 1 s.");
    let back =
        |verdict| Message::Heard(Incoming::Connected(Box::new(welcome(Some("ann"), 70, verdict))));
    assert_eq!(ann.tell(back(Some(ResumeVerdict::Tail))), []);
    ann.shows_no("Not connected");
    ann.shows_no("restarts");
    // The server's clock ran on while nothing was heard.
    ann.shows("3:50");
    // A server that does not resume the game by itself is asked.
    assert_eq!(ann.tell(back(None)), [Effect::Ask(Ask::Follow { from: 3 })]);
    let forked = ann.tell(back(Some(ResumeVerdict::Fork)));
    assert_eq!(forked, [], "a snapshot follows");
    let gone = ann.tell(back(Some(ResumeVerdict::Gone)));
    assert!(gone == [Effect::Fail(Failure::Gone)], "{gone:?}");
}

#[test]
fn a_connection_that_ended_for_good_is_told() {
    let mut ann = Person::ann();
    ann.tell(Message::Ended);
    ann.shows("Not connected: the connection has ended.");
    assert_eq!(ann.enter("quit"), [Effect::Leave]);
}

#[test]
fn records_that_do_not_fit_make_the_view_begin_anew() {
    let mut ann = Person::ann();
    ann.server.play("c1-c2", 1);
    let (Some(Incoming::Event { frame, .. }), other) = (ann.server.journal.pop(), Server::two())
    else {
        panic!("a move is an event")
    };
    let mut other = other;
    other.play("c1-d1", 1);
    let Some(Incoming::Event { bytes, .. }) = other.journal.pop() else { panic!() };
    let mut damaged = bytes.to_vec();
    let place = damaged.windows(5).position(|word| word == b"c1-d1").unwrap();
    damaged[place + 4] = b'2';
    let damaged = Incoming::Event { frame, bytes: damaged.into() };
    let anew = [Effect::Ask(Ask::Follow { from: 1 })];
    assert_eq!(ann.tell(Message::Heard(damaged.clone())), anew);
    ann.shows("Waiting for the game");
    // What was under way before is passed over, and the game comes again from its start.
    assert_eq!(ann.tell(Message::Heard(damaged.clone())), []);
    ann.heard = 0;
    ann.catch_up();
    ann.shows("O8");
    let failed = ann.tell(Message::Heard(damaged));
    assert!(matches!(failed[..], [Effect::Fail(Failure::Damaged(_))]), "{failed:?}");
}

#[test]
fn a_game_that_cannot_be_followed_closes_the_view() {
    let mut ann = Person::ann();
    let follow = Ask::Follow { from: 1 };
    let lost = Err(RequestError::ConnectionLost);
    assert_eq!(ann.tell(Message::Answered(follow.clone(), lost)), []);
    let failed = r#"{"code":"not_found","message":"there is no such game","retry":"never"}"#;
    let failed = RequestError::Refused(serde_json::from_str(failed).unwrap());
    let answer = Message::Answered(follow, Err(failed.clone()));
    assert_eq!(ann.tell(answer), [Effect::Fail(Failure::Request(failed))]);
}

#[test]
fn events_of_other_games_are_none_of_our_business() {
    let mut ann = Person::ann();
    let mut other = Server::two();
    other.head = Head::new("other".parse().unwrap());
    other.head.seq = 2;
    other.play("c1-c2", 1);
    let before = ann.frame();
    assert_eq!(ann.tell(Message::Heard(other.journal.pop().unwrap())), []);
    assert_eq!(ann.frame(), before);
}

#[test]
fn a_watcher_has_no_prompt_and_leaves_with_q() {
    let mut watcher = Person::new(Server::two(), None, Role::Watch);
    watcher.shows("q leaves, ? helps, t talks, PgUp and PgDn look back");
    watcher.shows_no("(you)");
    assert_eq!(watcher.enter("c1-c2"), []);
    watcher.play("c1-c2", 1);
    watcher.press(KeyCode::PageUp);
    watcher.shows("Ply 0 of 1.");
    assert_eq!(watcher.press(KeyCode::Char('q')), [Effect::Leave]);
}

#[test]
fn whoever_does_not_play_is_told_so() {
    let mut cy = Person::new(Server::two(), Some("cy"), Role::Play);
    for line in ["c1-c2", "try c1-c2", "resign", "abort", "draw"] {
        assert_eq!(cy.enter(line), []);
        cy.shows("You do not play in this game.");
        cy.press(KeyCode::Esc);
    }
}

#[test]
fn the_end_of_the_game_is_told_and_the_prompt_goes() {
    let mut ann = Person::ann();
    assert_eq!(ann.enter("resign"), [Effect::Ask(Ask::Resign)]);
    ann.server.act(Act::Resign { seat: O }, 9);
    ann.catch_up();
    ann.tell(Message::Answered(Ask::Resign, Ok(())));
    ann.shows("X bob wins: the opponent resigned.");
    ann.shows("q leaves");
    assert_eq!(ann.press(KeyCode::Char('q')), [Effect::Leave]);
}

#[test]
fn a_player_of_three_who_leaves_is_out_and_the_game_goes_on() {
    let server = Server::new("", &["ann", "bob", "cy"], TimeControl::None);
    let mut ann = Person::new(server, Some("ann"), Role::Play);
    ann.play("d1-d2", 1);
    ann.server.act(Act::Resign { seat: x() }, 2);
    ann.catch_up();
    insta::assert_snapshot!(ann.frame(), @"
    adamas -size=4 -pieces=12  k7q2mx  no clock  casual

                                              O ann (you)
                                              X bob                              out
                                            > Y cy

                  1   2   3   4               1 O d1-d2
             g  .   .   .   .   g4              X bob resigns and leaves the game.
           f  .   .   .   .   .   f5
         e  .   .   .   .   .   .   e6
       d -O11+O   .   .   .   .   .   d7
         c  .   .   .   .   .   .   c6
           b  .   .   .   .   .   b5
             a  .   .   .   Y12 a4
                  1   2   3   4





    Y cy to move.
    >
    ? for help. split d1-2xd3,e1; merge 2xd1,3xa4-d4; one to one 9xd1-d3; no count
    means one piece
    ");
}

#[test]
fn control_c_leaves_at_once() {
    let mut ann = Person::ann();
    ann.enter("c1-c2");
    let key = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    assert_eq!(ann.tell(Message::Key(key)), [Effect::Leave]);
}
