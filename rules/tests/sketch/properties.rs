//! What holds of every sketch, and how every move can be sketched.

use std::collections::HashMap;

use adamant_rules::{
    Cell, Kind, Move, Position,
    completions::NextCell,
    game::Mark,
    sketch::{Amount, AmountWish, Role, Sketch},
};
use proptest::prelude::*;

use super::clicks::{position, sent_back};

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
