//! What the players of a loop's games notice while other clients ask much of the same loop.

mod heard;
mod measured;
mod noise;
mod running;

pub use self::{measured::interference, noise::Noise};
