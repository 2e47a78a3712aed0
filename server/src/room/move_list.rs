//! Lists of moves in messages: written into a frame, or as texts.

use adamant_protocol::to_client::LegalWriter;
use adamant_record::wire;
use adamant_rules::notation::{MoveSink, Notation};

/// The legal moves in a frame of `your_turn`.
pub(super) struct LegalMoves<'a>(pub(super) LegalWriter<'a>);

impl MoveSink for LegalMoves<'_> {
    fn push(&mut self, mv: &impl Notation) {
        self.0.push(|text| mv.write_to(text));
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

/// Moves as the texts of a message.
#[derive(Default)]
pub(super) struct MoveTexts(pub(super) Vec<Box<str>>);

impl MoveSink for MoveTexts {
    fn push(&mut self, mv: &impl Notation) {
        self.0.push(wire::notation(mv));
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}
