//! Moves that are put together cell by cell, in every game.

use std::collections::HashMap;

use adamant_rules::{
    Cell, Kind, Move, Options, Position,
    completions::{Completions, NextCell},
    game::Mark,
    sketch::{Amount, AmountWish, Role, Sketch},
};
use proptest::prelude::*;

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

/// A position after some moves.
#[track_caller]
fn position(kind: Kind, players: usize, options: &str, moves: &[&str]) -> Position {
    let options = Options::parse(options, kind.option_specs()).unwrap();
    let mut position = kind.start(&kind.complete(&options, players).unwrap(), players);
    for notation in moves {
        let mv = position.parse_move(notation).unwrap();
        position.validate(&mv).unwrap();
        position.apply(&mv);
    }
    position
}

/// A sketch as the answer spells it, to be sent again.
fn sent_back(completions: &Completions<Move>) -> Sketch {
    let mut sketch = Sketch::default();
    for (role, list) in
        [(Role::From, &completions.completed.from), (Role::To, &completions.completed.to)]
    {
        for chosen in list {
            let wish = match &chosen.amount {
                Amount::Fixed => None,
                Amount::Pieces { pieces, .. } => Some(AmountWish::Pieces(*pieces)),
                Amount::Choice { choice, .. } => Some(AmountWish::Choice(choice.clone())),
            };
            sketch.add(role, chosen.cell, wish);
        }
    }
    sketch
}

/// What a click on a cell does, as the protocol documents it for client authors.
fn click(position: &Position, sketch: &mut Sketch, cell: Cell) {
    let completions = position.completions(sketch);
    if let Some(next) = completions.next.iter().find(|next| next.cell == cell) {
        if let Some(other) = next.instead_of {
            sketch.remove(other);
        }
        sketch.add(next.role, cell, None);
    } else if sketch.role(cell).is_some() {
        sketch.remove(cell);
    } else {
        *sketch = Sketch::default();
        let completions = position.completions(sketch);
        if let Some(next) = completions.next.iter().find(|next| next.cell == cell) {
            sketch.add(next.role, cell, None);
        }
    }
}

/// Legal moves that are put together in one position, at the most.
const MOVES_MAX: usize = 200;

/// Every game, by as many as may play it and with each of its flags.
fn variants() -> Vec<(Kind, usize, String)> {
    let mut variants = Vec::new();
    for &kind in Kind::ALL {
        for players in kind.players() {
            variants.push((kind, players, String::new()));
            for spec in kind.option_specs() {
                if spec.kind == adamant_rules::options::OptionKind::Flag {
                    variants.push((kind, players, format!("-{}", spec.name)));
                }
            }
        }
    }
    variants
}

/// The roles of a move's cells, the sources first.
fn cells(position: &Position, mv: &Move) -> Vec<(Role, Cell)> {
    let affected = position.affected_cells(mv);
    let of = |mark, role| {
        let cells = affected.iter().filter(move |&&(_, of)| of == mark);
        cells.map(move |&(cell, _)| (role, cell)).collect::<Vec<_>>()
    };
    [of(Mark::From, Role::From), of(Mark::To, Role::To)].concat()
}

/// Everything that can be wished for of a cell of a sketch.
fn wishes(position: &Position, sketch: &Sketch, index: usize) -> Vec<Option<AmountWish>> {
    let completed = position.completions(sketch).completed;
    match &completed.from.iter().chain(&completed.to).nth(index).unwrap().amount {
        Amount::Fixed => vec![None],
        Amount::Pieces { range, .. } => range.clone().map(AmountWish::Pieces).map(Some).collect(),
        Amount::Choice { choices, .. } => {
            choices.iter().cloned().map(AmountWish::Choice).map(Some).collect()
        }
    }
}

fn wish(sketch: &Sketch, index: usize, wish: Option<&AmountWish>) -> Sketch {
    let mut again = Sketch::default();
    let from = sketch.from().iter().map(|part| (Role::From, part));
    let to = sketch.to().iter().map(|part| (Role::To, part));
    for (place, (role, part)) in from.chain(to).enumerate() {
        again.add(role, part.cell, if place == index { wish.cloned() } else { part.wish.clone() });
    }
    again
}

/// The counts of a move are those that its notation has; a cell without one has one piece.
fn count(notation: &str, cell: &str) -> u8 {
    let sides: Vec<&str> = notation.split(['-', ',']).collect();
    let counted = |part: &&str| {
        let (count, name) = part.split_once('x')?;
        (name == cell || sides.len() == 2).then(|| count.parse::<u8>().ok())?
    };
    sides.iter().find_map(counted).unwrap_or(1)
}

/// What is offered for the cells chosen so far; moves have their beginnings in common.
type Offers = HashMap<Vec<(Role, Cell)>, Vec<NextCell>>;

/// Puts a move together, cell by cell and then amount by amount; every step must be offered.
fn put_together(position: &Position, mv: &Move, offers: &mut Offers) -> Result<(), TestCaseError> {
    let mut sketch = Sketch::default();
    let cells = cells(position, mv);
    if cells.is_empty() {
        prop_assert!(position.named_moves().contains(mv), "{} is a word", mv);
        return Ok(());
    }
    for (index, &(role, cell)) in cells.iter().enumerate() {
        let known = offers.entry(cells[..index].to_vec());
        let next = known.or_insert_with(|| position.completions(&sketch).next);
        let is_it = |next: &NextCell| (next.cell, next.role, next.instead_of) == (cell, role, None);
        let is_offered = next.iter().any(is_it);
        prop_assert!(
            is_offered,
            "{} is not offered for {} after {:?}",
            position.cell_name(cell),
            mv,
            sketch
        );
        sketch.add(role, cell, None);
    }
    for (index, &(_, cell)) in cells.iter().enumerate() {
        let wishes = wishes(position, &sketch, index);
        if wishes == [None] {
            continue;
        }
        let name = position.cell_name(cell);
        let counted = Some(AmountWish::Pieces(count(&mv.to_string(), name.as_str())));
        let found = if wishes.contains(&counted) {
            Some(counted)
        } else {
            let fits = |of: &Option<AmountWish>| {
                let tried = position.completions(&wish(&sketch, index, of.as_ref()));
                tried.mv.as_ref() == Some(mv)
            };
            wishes.into_iter().find(fits)
        };
        prop_assert!(found.is_some(), "no amount of {} makes {} of {:?}", name, mv, sketch);
        sketch = wish(&sketch, index, found.flatten().as_ref());
    }
    let made = position.completions(&sketch).mv;
    prop_assert_eq!(made.as_ref(), Some(mv), "{}", mv);
    Ok(())
}

/// What is true of any sketch.
fn check(position: &Position, sketch: &Sketch) -> Result<(), TestCaseError> {
    let completions = position.completions(sketch);
    if let Some(mv) = &completions.mv {
        prop_assert!(position.validate(mv).is_ok(), "{}", mv);
        prop_assert_eq!(position.parse_move(&mv.to_string()), Ok(mv.clone()));
        prop_assert!(completions.why.is_none());
        let mut meant: Vec<Cell> = cells(position, mv).into_iter().map(|(_, cell)| cell).collect();
        let mut chosen: Vec<Cell> =
            sketch.from().iter().chain(sketch.to()).map(|part| part.cell).collect();
        meant.sort_unstable();
        chosen.sort_unstable();
        prop_assert_eq!(meant, chosen, "{} has the cells that were chosen", mv);
    }
    for chosen in completions.completed.from.iter().chain(&completions.completed.to) {
        match &chosen.amount {
            Amount::Fixed => {}
            Amount::Pieces { pieces, range } => prop_assert!(range.contains(pieces)),
            Amount::Choice { choice, choices } => prop_assert!(choices.contains(choice)),
        }
    }
    let again = position.completions(&sent_back(&completions));
    prop_assert_eq!(&again, &completions, "an answer that is sent back is answered the same");
    Ok(())
}

/// The first steps say of each cell what the sketch of that cell alone says.
fn check_first_steps(position: &Position, first: &[NextCell]) -> Result<(), TestCaseError> {
    let steps = position.first_steps();
    let begun = steps.iter().map(|step| (step.cell, step.role));
    let expected = first.iter().map(|next| (next.cell, next.role));
    prop_assert_eq!(begun.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    for step in steps {
        let mut sketch = Sketch::default();
        sketch.add(step.role, step.cell, None);
        let completions = position.completions(&sketch);
        prop_assert_eq!(&step.mv, &completions.mv);
        let picked = completions.completed.from.iter().chain(&completions.completed.to).next();
        prop_assert_eq!(&step.amount, &picked.unwrap().amount);
        let next = |role| completions.next.iter().filter(move |next| next.role == role);
        let to = step.next.to.iter().map(|target| (target.cell, target.capture));
        let expected = next(Role::To).map(|next| (next.cell, next.capture));
        prop_assert_eq!(to.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
        let expected = next(Role::From).map(|next| next.cell);
        prop_assert_eq!(step.next.from, expected.collect::<Vec<_>>());
        prop_assert!(completions.next.iter().all(|next| next.instead_of.is_none()));
    }
    Ok(())
}

#[derive(Clone, Debug)]
struct Scrawl {
    cells: Vec<(bool, u16, Option<u8>)>,
    choice: String,
}

fn scrawl() -> impl Strategy<Value = Scrawl> {
    let cell = (any::<bool>(), 0..400_u16, any::<Option<u8>>());
    (proptest::collection::vec(cell, 0..6), "[A-Zx]{0,3}")
        .prop_map(|(cells, choice)| Scrawl { cells, choice })
}

proptest! {
    #![proptest_config(crate::cases(12))]

    #[test]
    fn every_move_can_be_put_together(
        variant in 0..variants().len(),
        choices in proptest::collection::vec(any::<usize>(), 1..40),
    ) {
        let (kind, players, options) = &variants()[variant];
        let mut position = position(*kind, *players, options, &[]);
        for (ply, &choice) in choices.iter().enumerate() {
            if position.pending().is_some() {
                break;
            }
            let mut state = choice;
            let mut pick = |below: usize| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 33) % below
            };
            let moves = position.sample_moves(MOVES_MAX, &mut pick);
            if ply % 8 < 2 {
                let mut offers = Offers::new();
                for mv in &moves {
                    put_together(&position, mv, &mut offers)?;
                }
                let next = position.completions(&Sketch::default()).next;
                let mut sources: Vec<Cell> = next.iter().map(|next| next.cell).collect();
                sources.dedup();
                prop_assert_eq!(sources, position.sources());
                check_first_steps(&position, &next)?;
            }
            let mv = &moves[pick(moves.len())];
            position.apply(mv);
        }
    }

    #[test]
    fn any_sketch_has_completions(
        variant in 0..variants().len(),
        choices in proptest::collection::vec(any::<usize>(), 1..30),
        scrawls in proptest::collection::vec(scrawl(), 1..20),
    ) {
        let (kind, players, options) = &variants()[variant];
        let mut position = position(*kind, *players, options, &[]);
        for &choice in &choices {
            if position.pending().is_some() {
                break;
            }
            // Clicks on whatever is offered end in a move, unless the order of captures counts.
            let mut sketch = Sketch::default();
            let mut state = choice;
            for _ in 0..6 {
                check(&position, &sketch)?;
                let next = position.completions(&sketch).next;
                let added = next.iter().filter(|next| next.instead_of.is_none());
                let added: Vec<_> = added.filter(|next| sketch.role(next.cell).is_none()).collect();
                let Some(next) = added.get(state % added.len().max(1)) else { break };
                state = state.rotate_right(7);
                sketch.add(next.role, next.cell, Some(AmountWish::Pieces(1 + u8::try_from(state % 7).unwrap())));
            }
            if !options.contains("prog_cap") {
                let completions = position.completions(&sketch);
                let done = completions.mv.is_some() || !completions.next.is_empty();
                prop_assert!(done, "{:?} leads nowhere: {:?}", sketch, completions);
            }
            let moves = position.sample_moves(1, &mut |below| choice % below);
            position.apply(&moves[0]);
        }
        for Scrawl { cells, choice } in scrawls {
            let mut sketch = Sketch::default();
            for (is_source, cell, pieces) in cells {
                let role = if is_source { Role::From } else { Role::To };
                let wish = pieces.map_or(AmountWish::Choice(choice.as_str().into()), AmountWish::Pieces);
                sketch.add(role, Cell(cell), Some(wish));
            }
            check(&position, &sketch)?;
        }
    }
}
