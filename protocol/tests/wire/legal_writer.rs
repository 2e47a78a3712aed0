//! Legal moves that are written one by one.

use std::fmt::Write as _;

use adamant_protocol::{
    codec::{encode, encode_into},
    ids::PositionHash,
    to_client::{LegalWriter, YourTurn},
};

fn turn() -> YourTurn {
    YourTurn {
        game: "k7q2mx".parse().unwrap(),
        seat: 1,
        turn: 34,
        ply: 28,
        left_ms: Some(vec![201_000, 187_964]),
        deadline: None,
        hash: PositionHash(0x77de),
        position: None,
        threatened: None,
        steps: None,
        legal: None,
        legal_total: None,
        legal_cut: None,
    }
}

#[test]
fn written_moves_are_the_bytes_of_the_whole_message() {
    let lists: [&[&str]; 3] = [&[], &["c5-a3"], &["c5-a3", "2xc5-b4", "swap", "6,3-", "é"]];
    for list in lists {
        for (total, is_cut) in [(Some(27), false), (None, true), (Some(1 << 53), true)] {
            let mut whole = turn();
            whole.legal = Some(list.iter().map(|&mv| mv.into()).collect());
            whole.legal_total = Some(total);
            whole.legal_cut = Some(is_cut);
            let mut bytes = b"header".to_vec();
            encode_into(&mut bytes, &turn().into());
            let mut legal = LegalWriter::open(&mut bytes);
            legal.push(|text| text.write_str("not listed"));
            legal.clear();
            for mv in list {
                legal.push(|text| text.write_str(mv));
            }
            legal.close(total, is_cut);
            let written = std::str::from_utf8(&bytes).unwrap();
            assert_eq!(written, format!("header{}", encode(&whole.into())));
        }
    }
}
