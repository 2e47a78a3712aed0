//! What clicks come to, game by game.

use adamant_rules::{
    Kind, Position,
    completions::NextCell,
    sketch::{Amount, AmountWish, Role, Sketch},
};

use super::clicks::{click, position, sent_back};

/// A player who clicks on a board.
struct Hand {
    position: Position,
    sketch: Sketch,
}

impl Hand {
    fn on(position: Position) -> Self {
        Self { position, sketch: Sketch::default() }
    }

    /// Clicks on a cell; the move that stands there then, if any.
    #[track_caller]
    fn click(&mut self, name: &str) -> String {
        let cell = self.position.cell(name).unwrap();
        click(&self.position, &mut self.sketch, cell);
        // As over the wire: the answer's amounts are what is sent next.
        self.sketch = sent_back(&self.position.completions(&self.sketch));
        self.play()
    }

    #[track_caller]
    fn clicks(&mut self, names: &str) -> String {
        names.split(' ').fold(String::new(), |_, name| self.click(name))
    }

    /// Wishes for an amount of a cell that is chosen; what is given.
    #[track_caller]
    fn wish(&mut self, name: &str, wish: &AmountWish) -> String {
        let cell = self.position.cell(name).unwrap();
        let mut sketch = Sketch::default();
        for (role, list) in [(Role::From, self.sketch.from()), (Role::To, self.sketch.to())] {
            for part in list {
                let wish = if part.cell == cell { Some(wish.clone()) } else { part.wish.clone() };
                sketch.add(role, part.cell, wish);
            }
        }
        self.sketch = sketch;
        self.play()
    }

    fn play(&self) -> String {
        let mv = self.position.completions(&self.sketch).mv;
        mv.map(|mv| mv.to_string()).unwrap_or_default()
    }

    fn why(&self) -> String {
        self.position.completions(&self.sketch).why.map(|why| why.to_string()).unwrap_or_default()
    }

    /// What may be clicked: `>` before a source, `*` before a capture, `c1/` before what replaces.
    fn next(&self) -> String {
        let name = |cell| self.position.cell_name(cell);
        let entry = |next: &NextCell| {
            let instead = next.instead_of.map(|cell| format!("{}/", name(cell)));
            let role = if next.role == Role::From { ">" } else { "" };
            let capture = if next.capture { "*" } else { "" };
            format!("{}{role}{capture}{}", instead.unwrap_or_default(), name(next.cell))
        };
        let next = self.position.completions(&self.sketch).next;
        next.iter().map(entry).collect::<Vec<_>>().join(" ")
    }

    /// The amounts that can be chosen.
    fn amounts(&self) -> String {
        let completed = self.position.completions(&self.sketch).completed;
        let amounts = completed.from.iter().chain(&completed.to).filter_map(|chosen| {
            let name = self.position.cell_name(chosen.cell);
            match &chosen.amount {
                Amount::Fixed => None,
                Amount::Pieces { pieces, range } => {
                    Some(format!("{name}:{pieces} of {}-{}", range.start(), range.end()))
                }
                Amount::Choice { choice, choices } => {
                    Some(format!("{name}:{choice} of {}", choices.join("/")))
                }
            }
        });
        amounts.collect::<Vec<_>>().join(", ")
    }
}

#[test]
fn adamas_splits_a_stack() {
    let mut ann = Hand::on(position(Kind::Adamas, 2, "", &[]));
    assert_eq!(ann.next(), ">c1");
    assert_eq!(ann.click("c5"), "");
    assert!(ann.sketch.is_empty(), "it is the enemy's");
    assert_eq!(ann.click("c1"), "");
    assert_eq!((ann.next(), ann.why()), ("a1 b1 c2 c3 c4 d1 e1".into(), String::new()));
    assert_eq!(ann.click("c3"), "c1-c3");
    assert_eq!(ann.amounts(), "c3:1 of 1-8");
    assert_eq!(ann.wish("c3", &AmountWish::Pieces(8)), "8xc1-c3");
    // One of them goes to the next target, which is to have one.
    assert_eq!(ann.click("a1"), "c1-a1,7xc3");
    assert_eq!(ann.amounts(), "c3:7 of 1-7, a1:1 of 1-1");
    assert_eq!(ann.wish("c3", &AmountWish::Pieces(2)), "c1-a1,2xc3");
    assert_eq!(ann.amounts(), "c3:2 of 1-7, a1:1 of 1-6");
    assert_eq!(ann.wish("a1", &AmountWish::Pieces(99)), "c1-6xa1,2xc3");
    assert_eq!(ann.wish("a1", &AmountWish::Choice("A".into())), "c1-a1,2xc3");
    assert_eq!(ann.click("c3"), "c1-a1");
    assert_eq!(ann.click("c1"), "");
}

#[test]
fn a_single_piece_of_adamas_goes_elsewhere() {
    let mut ann = Hand::on(position(Kind::Adamas, 2, "", &["c1-a1", "c5-e3"]));
    assert_eq!(ann.clicks("a1 a2"), "a1-a2");
    assert!(ann.next().contains("a2/a3"), "{}", ann.next());
    assert_eq!(ann.click("a3"), "a1-a3");
    assert_eq!(ann.click("c1"), "a1-c1", "one's own stack is a target, too");
    assert_eq!(ann.click("c1"), "", "and the other source of a merge");
    assert_eq!(ann.next(), "b1 c3");
}

#[test]
fn adamas_merges_stacks() {
    let moves = ["c1-e1,c2,4xc3,a1", "c5-c4,3xa3", "c1-b1", "c5-d4"];
    let mut ann = Hand::on(position(Kind::Adamas, 2, "", &moves));
    assert_eq!(ann.click("c2"), "");
    // An own stack is a target first and a source at the second click.
    assert!(ann.next().contains(" c3 >c3 "), "{}", ann.next());
    assert_eq!(ann.click("c3"), "c2-c3");
    assert_eq!(ann.click("c3"), "");
    assert_eq!(ann.amounts(), "c2:1 of 1-1, c3:1 of 1-4");
    assert_eq!(ann.wish("c3", &AmountWish::Pieces(3)), "");
    assert_eq!(ann.click("b2"), "c2,3xc3-b2");
    assert_eq!(ann.next(), ">a1 >b1 b2/d2");
    assert_eq!(ann.click("b1"), "b1,c2,3xc3-b2", "a third source");
    assert_eq!(ann.click("c3"), "b1,c2-b2");
    assert_eq!(ann.click("b1"), "c2-b2");
    // Pieces that were given to a move from one cell to another stay its own when others join it.
    ann.sketch = Sketch::default();
    assert_eq!(ann.clicks("c3 b2"), "c3-b2");
    assert_eq!(ann.wish("b2", &AmountWish::Pieces(3)), "3xc3-b2");
    assert_eq!(ann.click("b1"), "b1,3xc3-b2");
}

#[test]
fn adamas_shows_captures_and_reasons() {
    let moves = ["c1-e1,c2,4xc3,a1", "c5-c4,3xa3", "c1-b1"];
    let mut bob = Hand::on(position(Kind::Adamas, 2, "", &moves));
    bob.click("c4");
    assert!(bob.next().contains("*c3"), "{}", bob.next());
    assert_eq!(bob.click("c3"), "c4-c3");
    // What no click leads to is validated all the same.
    let enemy = bob.position.cell("e1").unwrap();
    bob.sketch.add(Role::From, enemy, None);
    assert_eq!((bob.play(), bob.next()), (String::new(), String::new()));
    assert_eq!(bob.why(), "e1 is not your stack");
    bob.sketch.add(Role::To, bob.position.cell("a2").unwrap(), None);
    assert_eq!(bob.why(), "a move has either one source or one destination");
}

#[test]
fn adamas_keeps_the_order_of_progressive_captures() {
    let mut ann = Hand::on(position(Kind::Adamas, 2, "-prog_cap", &[]));
    assert_eq!(ann.clicks("c1 e1 a1"), "c1-e1,a1");
}

#[test]
fn hexma_goes_from_a_point_to_another() {
    let mut ann = Hand::on(position(Kind::Hexma, 2, "", &[]));
    assert_eq!(ann.click("m17"), "");
    assert!(ann.sketch.is_empty(), "it cannot move");
    assert_eq!(ann.click("k13"), "");
    assert_eq!(ann.next(), "j12 l12 i13");
    assert_eq!(ann.click("j12"), "k13-j12");
    assert_eq!((ann.next(), ann.amounts()), ("j12/l12 j12/i13".into(), String::new()));
    assert_eq!(ann.click("l12"), "k13-l12");
    assert_eq!(ann.click("o13"), "", "another piece begins another move");
    assert!(ann.next().contains("n12"), "{}", ann.next());
    let (from, to) = (ann.position.cell("m13").unwrap(), ann.position.cell("a5").unwrap());
    ann.sketch.add(Role::From, from, None);
    ann.sketch.add(Role::To, to, None);
    assert_eq!(ann.why(), "a move takes one piece from one point to one other");
    ann.sketch.remove(ann.position.cell("o13").unwrap());
    assert_eq!(ann.why(), "no step and no series of hops leads from m13 to a5");
}

#[test]
fn stymie_puts_pieces_on_one_cell_or_more() {
    let mut ann = Hand::on(position(Kind::Stymie, 2, "", &[]));
    assert_eq!(ann.click("f6"), "f6");
    assert_eq!(ann.next(), "", "the opening is one piece");
    assert_eq!(ann.click("g5"), "g5");

    let mut ann = Hand::on(position(Kind::Stymie, 2, "-swap", &["a1"]));
    assert_eq!(
        ann.position.named_moves().iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["swap"]
    );
    assert_eq!(ann.click("f6"), "f6");
    assert_eq!(ann.next(), "e5 e7 g5 g7");
    assert_eq!(ann.click("g5"), "f6,g5");
    assert_eq!(ann.next(), "g5/e5 g5/e7 g5/g7");

    // After a single piece it may be three, by way of two that do not touch.
    let mut ann = Hand::on(position(Kind::Stymie, 2, "", &["a1", "o15"]));
    assert!(ann.position.named_moves().is_empty());
    assert_eq!(ann.clicks("f6 h6"), "");
    assert!(ann.why().contains("f6 and h6 are squares"), "{}", ann.why());
    assert_eq!(ann.click("g5"), "f6,g5,h6");
    assert_eq!(ann.click("h6"), "f6,g5");
    assert_eq!(ann.next(), "g5/d4 g5/d6 g5/d8 e5 e7 f4 g5/f8 g7 h4 h6 g5/h8");
    ann.sketch.add(Role::From, ann.position.cell("o15").unwrap(), None);
    assert_eq!(ann.why(), "pieces are put down and never move");
}

#[test]
fn diam_places_a_letter_or_moves_a_part_of_a_stack() {
    let mut ann = Hand::on(position(Kind::Diam, 2, "", &[]));
    assert_eq!(ann.click("4"), "A4");
    assert_eq!(ann.amounts(), "4:A of A/B");
    assert_eq!(ann.wish("4", &AmountWish::Choice("b".into())), "B4");
    assert_eq!(ann.next(), "");
    assert_eq!(ann.click("5"), "A5", "the choice was another sector's");

    // On sector 8 stands AXB, the bottom piece first.
    let mut ann = Hand::on(position(Kind::Diam, 2, "", &["A8", "X8", "B8", "Y2"]));
    assert_eq!(ann.next(), "1 2 3 4 5 6 7 >8 8");
    assert_eq!(ann.click("8"), "");
    assert_eq!((ann.amounts(), ann.next()), ("8:AXB of AXB/B".into(), "1 7 8".into()));
    assert_eq!(ann.click("1"), "8+");
    assert_eq!(ann.wish("8", &AmountWish::Choice("B".into())), "8,3+");
    assert_eq!(ann.next(), "1/7");
    assert_eq!(ann.click("7"), "8,3-");
    assert_eq!(ann.click("7"), "");
    assert_eq!(ann.click("8"), "A8", "a second click makes it a placement");
    assert_eq!(ann.click("8"), "");
    assert!(ann.sketch.is_empty());
    for (role, cell) in [(Role::From, "8"), (Role::To, "5")] {
        ann.sketch.add(role, ann.position.cell(cell).unwrap(), None);
    }
    assert_eq!(ann.why(), "sectors 8 and 5 are not next to each other");
}

#[test]
fn diam_offers_what_fits() {
    // Three of four levels of sector 1 are taken, so that one piece fits there.
    let moves = ["A8", "X8", "B8", "X1", "A1", "Y1", "B4", "Y5"];
    let mut ann = Hand::on(position(Kind::Diam, 2, "", &moves));
    ann.click("8");
    assert_eq!(ann.amounts(), "8:AXB of AXB/B");
    assert_eq!(ann.click("1"), "8,3+");
    assert_eq!(ann.amounts(), "8:B of B");
}
