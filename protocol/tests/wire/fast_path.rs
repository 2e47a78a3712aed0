//! The frames of a move without serde are those of the derived form.

use std::fmt::Write as _;

use adamant_protocol::{
    ErrorCode, EventBody, EventFrame, FromClient, GameId, RequestId,
    codec::{decode, encode, encode_request},
    event::Moved,
    fast_path::{MovedRecord, PlainTurn, write_ok},
    from_client::Move,
    ids::PositionHash,
    to_client::{Done, YourTurn},
    values::Capture,
};
use proptest::{collection::vec, option, prelude::*};

fn game() -> impl Strategy<Value = GameId> {
    "[A-Za-z0-9_-]{1,16}".prop_map(|text| text.parse().unwrap())
}

fn request() -> impl Strategy<Value = RequestId> {
    "[ -~]{1,64}|[\"\\\\/é☃]{1,8}".prop_map(|text| text.parse().unwrap())
}

fn clocks() -> impl Strategy<Value = Option<Vec<u64>>> {
    option::of(vec(any::<u64>(), 2..=3))
}

fn captures() -> impl Strategy<Value = Vec<(String, u8, usize)>> {
    vec(("[a-h][1-9]", 0..3_u8, 1..6_usize), 0..4)
}

/// Decodes a frame. A space before it keeps it from the fast path, and changes nothing else.
fn decoded(frame: &[u8], begin: &[u8]) -> Result<FromClient, (ErrorCode, Option<RequestId>)> {
    decode(&[begin, frame].concat()).map_err(|malformed| (malformed.code, malformed.id))
}

proptest! {
    #[test]
    fn a_move_is_read_as_any_other_request(
        id in request(), game in game(), turn in any::<u32>(), notation in ".{0,12}",
        (place, byte) in (any::<prop::sample::Index>(), any::<u8>()), cut in 0..3_usize,
    ) {
        let request = Move::new(id, game, turn, notation.into());
        let mut frame = encode_request(&request.clone().into()).into_bytes();
        prop_assert_eq!(decoded(&frame, b""), Ok(request.into()));
        prop_assert_eq!(decoded(&frame, b""), decoded(&frame, b" "));
        let place = place.index(frame.len());
        frame.splice(place..(place + cut).min(frame.len()), [byte]);
        prop_assert_eq!(decoded(&frame, b""), decoded(&frame, b" "));
    }

    #[test]
    fn ok_is_its_derived_form(
        re in request(), game in game(), seq in any::<u64>(), turn in any::<u32>(),
    ) {
        let mut done = Done::new(re.clone());
        (done.game, done.seq, done.turn) = (Some(game.clone()), Some(seq), Some(turn));
        let mut written = Vec::new();
        write_ok(&mut written, &re, &game, seq, turn);
        prop_assert_eq!(String::from_utf8(written).unwrap(), encode(&done.into()));
    }

    #[test]
    fn your_turn_is_its_derived_form(
        game in game(), seat in any::<u8>(), counts in any::<[u32; 2]>(), left_ms in clocks(),
        deadline in option::of(any::<u64>()), hash in any::<u64>(),
    ) {
        let ([turn, ply], hash) = (counts, PositionHash(hash));
        let mut whole = YourTurn::new(game.clone(), seat, turn, ply, hash);
        (whole.left_ms, whole.deadline) = (left_ms.clone(), deadline);
        let left_ms = left_ms.as_deref();
        let mut written = Vec::new();
        PlainTurn { game: &game, seat, turn, ply, left_ms, deadline, hash }.write(&mut written);
        prop_assert_eq!(String::from_utf8(written).unwrap(), encode(&whole.into()));
    }

    #[test]
    fn moved_is_its_derived_form(
        ids in (game(), option::of(request())), times in any::<[u64; 5]>(),
        (turn, ply, hash) in any::<(u32, u32, u64)>(), seats in any::<[u8; 2]>(),
        notation in "[a-z0-9,x+-]{1,20}", taken in captures(), left_ms in clocks(),
    ) {
        let ((game, req), [seq, at, spent_ms, lag_ms, _]) = (ids, times);
        let ([seat, to_move], hash) = (seats, PositionHash(hash));
        let capture = |(cell, seat, pieces): &(String, u8, usize)| {
            Capture::new(cell.as_str().into(), *seat, "O".repeat(*pieces).into())
        };
        let whole = Moved {
            seat, turn, ply, notation: notation.as_str().into(),
            captures: taken.iter().map(capture).collect(), to_move: Some(to_move), spent_ms, lag_ms,
            left_ms: left_ms.clone(),
        };
        let (req, body) = (req.as_ref(), EventBody::Moved(whole));
        let expected = EventFrame::unsealed_bytes(&game, seq, at, &body, req, hash);
        let (game, left_ms) = (&game, left_ms.as_deref());
        let moved = MovedRecord {
            game, seq, at, seat, turn, ply, to_move, spent_ms, lag_ms, left_ms, req, hash,
        };
        let mut written = Vec::new();
        moved.write_unsealed(&mut written, |text| text.write_str(&notation), |out| {
            for (cell, seat, pieces) in &taken {
                out.push(cell, *seat, 'O', *pieces);
            }
        });
        prop_assert_eq!(String::from_utf8(written), String::from_utf8(expected));
    }
}
