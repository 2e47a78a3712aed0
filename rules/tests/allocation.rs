//! Deciding a move does not allocate. Counting is more reliable than timing on a busy machine.

use adamant_rules::{Act, BySeat, Kind, Options, Player, Seat, Setup, Table, TimeControl};

/// Every game, in its usual form and in its most expensive one.
const CASES: [(Kind, usize, &str); 7] = [
    (Kind::Adamas, 2, ""),
    (Kind::Adamas, 3, "-size=5"),
    (Kind::Adamas, 2, "-prog_cap"),
    (Kind::Hexma, 2, ""),
    (Kind::Hexma, 3, ""),
    (Kind::Stymie, 2, "-size=12"),
    (Kind::Diam, 2, "-board=12x6 -pieces=4x6"),
];

/// Plies of a game.
const PLIES: usize = 40;

/// Games of each case.
const GAMES: u64 = 3;

fn begin(kind: Kind, players: usize, options: &str) -> Table {
    let player = |seat: Seat| Player::new(format!("user{}", seat.index()));
    let mut setup = Setup::new(kind, BySeat::from_fn(players, player));
    setup.options = Options::parse(options, kind.option_specs()).unwrap();
    setup.clock = TimeControl::Fischer { base_ms: 3_600_000, inc_ms: 1_000 };
    let events = Table::begin(setup, 0).unwrap();
    let mut table = Table::new(&events[0]).unwrap().without_repetition();
    for event in &events[1..] {
        table.apply(event).unwrap();
    }
    table
}

/// Counts the allocations of `work`.
fn allocations<T>(work: impl FnOnce() -> T) -> (u64, T) {
    let mut result = None;
    let counted = allocation_counter::measure(|| result = Some(work()));
    (counted.count_total, result.expect("it has been done"))
}

/// Deciding a legal move works on copies of fixed size: the result is a list with room for all
/// events of a move.
#[test]
fn deciding_a_legal_move_does_not_allocate() {
    for (kind, players, options) in CASES {
        let mut plies = 0;
        for game in 1..=GAMES {
            let mut chance = game;
            let mut pick = |below: usize| {
                chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                usize::try_from(chance >> 33).unwrap() % below
            };
            let mut table = begin(kind, players, options);
            for _ in 0..PLIES {
                let Some(seat) = table.to_move() else { break };
                let moves = table.position().sample_moves(8, &mut pick);
                let notation = moves[pick(moves.len())].to_string();
                let act = Act::Move { seat, turn: table.turn(), notation: &notation, lag_ms: 0 };
                let now = table.last_at() + 10;
                let (count, events) = allocations(|| table.decide(&act, now).unwrap());
                assert_eq!(count, 0, "{notation} in {kind:?} {options}");
                for event in &events {
                    table.apply(event).unwrap();
                }
                plies += 1;
            }
        }
        assert!(plies >= PLIES, "{kind:?} {options} has {plies} plies");
    }
}

/// The control: an allocation is counted.
#[test]
fn an_allocation_is_counted() {
    let (count, _copy) = allocations(|| CASES[1].2.to_owned());
    assert_eq!(count, 1);
}
