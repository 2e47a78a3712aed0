//! What a drawing consists of: outlines with a fill and a stroke, the lowest first.

use super::palette::{Colour, Face};

/// A place on the board, or a distance. Neighbouring cells are 1 apart, and y grows downwards.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Place {
    pub x: f64,
    pub y: f64,
}

impl Place {
    pub(super) const fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    /// The place at an angle from the top, clockwise.
    pub(super) fn polar(radius: f64, angle: f64) -> Self {
        Self::new(radius * angle.sin(), -radius * angle.cos())
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self::new(self.x + other.x, self.y + other.y)
    }

    pub(super) fn minus(self, other: Self) -> Self {
        Self::new(self.x - other.x, self.y - other.y)
    }

    pub(super) fn times(self, factor: f64) -> Self {
        Self::new(self.x * factor, self.y * factor)
    }

    pub(super) fn length(self) -> f64 {
        self.x.hypot(self.y)
    }

    /// The place one away in the same direction.
    pub(super) fn unit(self) -> Self {
        let length = self.length();
        if length > 0.0 { self.times(1.0 / length) } else { self }
    }
}

/// A form.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Outline {
    /// A circle.
    Circle {
        /// Its middle.
        at: Place,
        /// Its radius.
        radius: f64,
    },
    /// An area between places.
    Polygon(Vec<Place>),
    /// A line through places, with round ends. It has only a stroke.
    Line(Vec<Place>),
}

/// How the inside of a form is coloured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Fill {
    /// One colour.
    Plain(Colour),
    /// The upper side of a piece, with light on it.
    Face(Face),
}

/// A stroke along an outline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Stroke {
    pub colour: Colour,
    pub width: f64,
}

/// A form with its colours.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Shape {
    pub outline: Outline,
    pub fill: Option<Fill>,
    pub stroke: Option<Stroke>,
}

impl Shape {
    pub(super) const fn filled(outline: Outline, fill: Fill) -> Self {
        Self { outline, fill: Some(fill), stroke: None }
    }

    pub(super) const fn line(places: Vec<Place>, colour: Colour, width: f64) -> Self {
        Self::stroked(Outline::Line(places), colour, width)
    }

    pub(super) const fn stroked(outline: Outline, colour: Colour, width: f64) -> Self {
        Self { outline, fill: None, stroke: Some(Stroke { colour, width }) }
    }
}

/// A finished picture.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::http) struct Drawing {
    /// What is seen in it, for those who do not see it.
    pub(super) title: String,
    /// Its top left corner.
    pub(super) corner: Place,
    /// Its width and height.
    pub(super) size: Place,
    pub(super) background: Colour,
    pub(super) shapes: Vec<Shape>,
}
