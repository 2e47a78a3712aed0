//! The cells by which a game was won, and games branched at any ply, in every game.

use adamant_rules::{
    BySeat, EndReason, Kind, Options, Player, Position, Seat, Setup, Table, TimeControl,
};

/// More moves than a greedy game takes.
const MOVES_MAX: usize = 400;

fn table(kind: Kind, players: usize) -> Table {
    let player = |seat: Seat| Player {
        user: format!("p{}", seat.index()).into(),
        bot: false,
        guest: true,
        rating: None,
    };
    let seats = BySeat::from_fn(players, player);
    let (clock, options) = (TimeControl::None, Options::new());
    Table::for_analysis(Setup {
        kind,
        options,
        seats,
        clock,
        rated: false,
        delay: 0,
        unlisted: false,
    })
    .unwrap()
}

/// Returns the move after which the mover is nearest to its aim, so that games end.
fn choose(position: &Position) -> String {
    let value = |mv: &adamant_rules::Move| {
        let mut after = position.clone();
        after.apply(mv);
        after.progress(position.to_move())
    };
    let moves = position.legal_moves(300);
    moves.iter().max_by_key(|mv| value(mv)).unwrap().to_string()
}

/// Plays a game to its end, or as far as it may take.
fn play(kind: Kind, players: usize) -> Table {
    let mut table = table(kind, players);
    for _ in 0..MOVES_MAX {
        if table.to_move().is_none() {
            break;
        }
        assert_eq!(table.position().winning_cells(), []);
        let notation = choose(table.position());
        table.play(&notation).unwrap();
    }
    table
}

#[test]
fn the_winning_cells_have_pieces_of_the_winner() {
    for kind in [Kind::Hexma, Kind::Stymie, Kind::Diam] {
        let table = play(kind, 2);
        let position = table.position();
        let Some(adamant_rules::table::Outcome::Ended { winners, reason, .. }) = table.outcome()
        else {
            panic!("{kind:?} did not end")
        };
        assert!(matches!(reason, EndReason::Connected | EndReason::Aligned), "{reason:?}");
        let winner = winners.single().unwrap();
        let winning = position.winning_cells();
        assert!(winning.len() >= 2 && winning.is_sorted(), "{winning:?}");
        let letters = &position.layout().letters[winner.index()];
        let stacks = position.stacks();
        for cell in &winning {
            let (_, pieces) = stacks.iter().find(|(at, _)| at == cell).unwrap();
            assert!(pieces.chars().any(|letter| letters.contains(letter)), "{pieces}");
        }
        // A chain joins the two edges of the winner.
        let layout = position.layout();
        for edge in layout.edges.iter().filter(|edge| edge.seat == winner) {
            assert!(edge.cells.iter().any(|cell| winning.contains(cell)), "{}", edge.name);
        }
    }
}

#[test]
fn a_branch_is_the_game_as_it_stood() {
    for &kind in Kind::ALL {
        for players in kind.players() {
            let mut table = table(kind, players);
            let mut stood = vec![table.clone()];
            for _ in 0..40 {
                if table.to_move().is_none() {
                    break;
                }
                let notation = choose(table.position());
                table.play(&notation).unwrap();
                stood.push(table.clone());
            }
            for earlier in &stood {
                let branch = table.branch(earlier.ply()).unwrap();
                assert_eq!(branch.position(), earlier.position());
                assert_eq!(branch.positions_seen(), earlier.positions_seen());
                assert_eq!(branch.outcome(), earlier.outcome());
            }
            assert_eq!(table.branch(table.ply() + 1), None);
        }
    }
}
