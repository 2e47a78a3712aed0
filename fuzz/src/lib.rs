//! The checks of the fuzz targets. Each function accepts any bytes, returns quickly, and panics
//! only if the code under test is wrong. The fuzz targets call them with generated input, and a
//! plain test with the stored corpus.

use adamant_protocol::{EventFrame, FromClient, ToClient, codec};
use adamant_record::Replay;
use adamant_rules::{
    Cell, Kind, Options, Position,
    record::TextRecord,
    sketch::{AmountWish, Role, Sketch},
};

/// Returns a start position. `pick`, the first byte of an input, selects game, players and options.
fn position(pick: u8) -> Position {
    let choices: Vec<(Kind, usize, Options)> = Kind::ALL
        .iter()
        .flat_map(|&kind| kind.players().map(move |players| (kind, players)))
        .flat_map(|(kind, players)| {
            let plain = kind.complete(&Options::new(), players);
            let mut flagged = Options::new();
            for spec in kind.option_specs() {
                if spec.kind == adamant_rules::options::OptionKind::Flag {
                    flagged.set(spec.name, adamant_rules::options::OptionValue::Flag(true));
                }
            }
            let flagged = kind.complete(&flagged, players);
            [plain, flagged].into_iter().flatten().map(move |options| (kind, players, options))
        })
        .collect();
    let (kind, players, options) = &choices[usize::from(pick) % choices.len()];
    kind.start(options, *players)
}

/// Parses moves, one a line, and plays the legal ones.
pub fn notation(input: &[u8]) {
    let Some((&pick, rest)) = input.split_first() else { return };
    let mut position = position(pick);
    for line in String::from_utf8_lossy(rest).lines() {
        let Ok(play) = position.parse_move(line) else { continue };
        let canonical = play.to_string();
        let again = position.parse_move(&canonical);
        assert_eq!(again.as_ref(), Ok(&play), "{canonical:?} does not read back");
        if position.validate(&play).is_ok() {
            position.apply(&play);
            assert_eq!(position.hash(), position.hash_from_scratch(), "after {canonical}");
            if position.pending().is_some() {
                return;
            }
        }
    }
}

/// Builds moves by pointing, and plays them. Of each three bytes the first selects the step: add a
/// cell in a role, remove a cell, or make the move. The second selects the cell, the third an
/// amount.
pub fn sketch(input: &[u8]) {
    let Some((&pick, rest)) = input.split_first() else { return };
    let mut position = position(pick);
    let cells: Vec<Cell> = position.layout().cells.iter().map(|cell| cell.cell).collect();
    let mut sketch = Sketch::default();
    for step in rest.chunks_exact(3) {
        // Sometimes a cell that no board has.
        let cell = cells.get(usize::from(step[1])).copied().unwrap_or(Cell(step[1].into()));
        let wish = match step[2] {
            0 => None,
            letter @ b'A'..=b'Z' => Some(AmountWish::Choice(char::from(letter).to_string().into())),
            pieces => Some(AmountWish::Pieces(pieces)),
        };
        match step[0] % 8 {
            0..3 => sketch.add(Role::From, cell, wish),
            3..6 => sketch.add(Role::To, cell, wish),
            6 => sketch.remove(cell),
            _ => {
                let completions = position.completions(&sketch);
                let Some(play) = completions.mv else { continue };
                assert_eq!(completions.why, None, "{play} is legal");
                assert!(position.validate(&play).is_ok(), "{play} comes of {sketch:?}");
                assert_eq!(position.parse_move(&play.to_string()).as_ref(), Ok(&play));
                position.apply(&play);
                assert_eq!(position.hash(), position.hash_from_scratch(), "after {play}");
                if position.pending().is_some() {
                    return;
                }
                sketch = Sketch::default();
            }
        }
    }
    follow(&position, sketch);
}

/// Longest chain of proposed cells to follow.
const FOLLOWED_MAX: usize = 4;

/// Checks that every proposed cell can be added, and adds one unless it replaces another.
fn follow(position: &Position, mut sketch: Sketch) {
    let size = |sketch: &Sketch| sketch.from().len() + sketch.to().len();
    for _ in 0..FOLLOWED_MAX {
        let Some(next) = position.completions(&sketch).next.first().copied() else { return };
        let before = (size(&sketch), sketch.role(next.cell));
        if next.instead_of.is_some() || before.1.is_some() {
            return;
        }
        sketch.add(next.role, next.cell, None);
        assert_eq!(size(&sketch), before.0 + 1);
    }
}

/// Parses and replays a text record.
pub fn text_record(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let Ok(record) = TextRecord::parse(text) else { return };
    for step in record.replay(true) {
        let Ok(step) = step else { return };
        assert_eq!(step.position.hash(), step.position.hash_from_scratch());
    }
}

/// Replays a journal, one record a line. Generated input almost never has a valid chain, so each
/// record is sealed again: the target is the decoding of properly sealed records with any content.
pub fn journal(input: &[u8]) {
    let mut replay = Replay::new();
    for line in input.split(|&byte| byte == b'\n') {
        let unsealed = match EventFrame::unseal(line) {
            Some((unsealed, _)) => unsealed,
            None if line.last() == Some(&b'}') => line.to_vec(),
            None => continue,
        };
        let chain = adamant_record::chain_after(replay.chain(), &unsealed);
        let record = EventFrame::seal(unsealed, chain);
        let before = replay.seq();
        if replay.push(&record).is_err() {
            assert_eq!(replay.seq(), before, "a rejected record changes nothing");
        }
    }
}

/// Decodes a frame from a client and a frame to a client, and encodes them again.
pub fn frame(input: &[u8]) {
    if let Ok(request) = codec::decode(input) {
        let again: Result<FromClient, _> =
            codec::decode(codec::encode_request(&request).as_bytes());
        assert_eq!(again.as_ref(), Ok(&request));
    }
    if let Ok(Some(message)) = ToClient::from_bytes(input) {
        let text = codec::encode(&message);
        let again = ToClient::from_bytes(text.as_bytes());
        assert_eq!(again.ok().flatten().as_ref(), Some(&message), "{text}");
    }
}
