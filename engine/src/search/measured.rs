//! What the strength of each level is above that of level 1: sums of the differences between
//! neighbours that `cargo xtask strength levels` has measured, and writes here.

/// The Elo of the levels of a game; none before it was measured.
pub(super) type Elo = Option<[u16; 8]>;

pub(super) const ADAMAS: Elo = Some([0, 822, 1064, 1274, 1473, 1678, 1890, 2111]);
pub(super) const HEXMA: Elo = Some([0, 482, 697, 907, 1079, 1249, 1415, 1580]);
pub(super) const STYMIE: Elo = Some([0, 849, 1074, 1251, 1444, 1677, 1897, 2081]);
pub(super) const DIAM: Elo = Some([0, 920, 1109, 1318, 1509, 1735, 1944, 2155]);
