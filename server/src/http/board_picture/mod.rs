//! Pictures of boards: any position of any game as SVG or PNG, drawn from the layout alone. It has
//! one look, which is that of the page.

mod drawing;
mod png;
mod shapes;
mod svg;

pub(super) use drawing::draw;
pub(super) use png::png;
pub(super) use shapes::{Drawing, Material, Palette, Theme};
pub(super) use svg::svg;
