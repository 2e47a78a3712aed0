//! What the strength of each level is above that of level 1: sums of the differences between
//! neighbours that `cargo xtask strength levels` has measured, and writes here.

/// The Elo of the levels of a game; none before it was measured.
pub(super) type Elo = Option<[u16; 8]>;

pub(super) const ADAMAS: Elo = None;
pub(super) const HEXMA: Elo = None;
pub(super) const STYMIE: Elo = Some([0, 849, 996, 1240, 1433, 1666, 1886, 2070]);
pub(super) const DIAM: Elo = Some([0, 849, 1166, 1375, 1565, 1792, 2000, 2211]);
