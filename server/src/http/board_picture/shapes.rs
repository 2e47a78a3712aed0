//! What a drawing consists of: outlines with a fill and a stroke, the lowest first. Their colours are
//! those of the page; see `web/src/style.css` and `web/src/board/themes.css`.

use schemars::JsonSchema;
use serde::Deserialize;

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

/// The corners of the least rectangle around places.
pub(super) fn bounds(places: impl Iterator<Item = Place>) -> (Place, Place) {
    let none = (Place::new(f64::MAX, f64::MAX), Place::new(f64::MIN, f64::MIN));
    places.fold(none, |(low, high), place| {
        (
            Place::new(low.x.min(place.x), low.y.min(place.y)),
            Place::new(high.x.max(place.x), high.y.max(place.y)),
        )
    })
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Outline {
    Circle {
        at: Place,
        radius: f64,
    },
    Polygon(Vec<Place>),
    /// A line through places, with round ends. It has only a stroke.
    Line(Vec<Place>),
}

/// How the inside of a form is coloured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Fill {
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

#[derive(Debug, Clone, PartialEq)]
pub(in crate::http) struct Drawing {
    /// What is seen in it, for those who do not see it.
    pub(super) title: String,
    pub(super) corner: Place,
    pub(super) size: Place,
    pub(super) background: Colour,
    pub(super) shapes: Vec<Shape>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Colour(pub u8, pub u8, pub u8);

impl Colour {
    /// A colour from its usual notation, such as `0xf8f4ec`.
    const fn of(code: u32) -> Self {
        let [_, red, green, blue] = code.to_be_bytes();
        Self(red, green, blue)
    }

    /// A colour between two: this one for a share of 0, the other one for 1.
    pub(super) fn mixed(self, other: Self, share: f64) -> Self {
        let mix = |one: u8, other: u8| {
            let mixed =
                f64::from(one) + (f64::from(other) - f64::from(one)) * share.clamp(0.0, 1.0);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "it lies between two bytes"
            )]
            let byte = mixed.round() as u8;
            byte
        };
        Self(mix(self.0, other.0), mix(self.1, other.1), mix(self.2, other.2))
    }
}

const WHITE: Colour = Colour::of(0xff_ffff);
const BLACK: Colour = Colour::of(0);

/// The light on the upper side of a piece: where it falls, what it meets, and where it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Face {
    pub light: Colour,
    pub body: Colour,
    pub shade: Colour,
}

impl Face {
    /// Where the light falls on a piece, as shares of its width and height.
    pub(super) const LIGHT_AT: (f64, f64) = (0.36, 0.28);
    /// The radius of the light, as a share of the width.
    pub(super) const RADIUS: f64 = 0.82;
    /// Where the body's own colour is seen, as a share of that radius.
    pub(super) const BODY_AT: f64 = 0.55;

    /// The colour at a distance from the light, as a share of its radius.
    pub(super) fn at(self, distance: f64) -> Colour {
        if distance < Self::BODY_AT {
            self.light.mixed(self.body, distance / Self::BODY_AT)
        } else {
            self.body.mixed(self.shade, (distance - Self::BODY_AT) / (1.0 - Self::BODY_AT))
        }
    }
}

/// The colours of one kind of piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PieceColours {
    pub body: Colour,
    /// What is drawn on it: its number and its pattern.
    pub sign: Colour,
    pub rim: Colour,
}

impl PieceColours {
    const fn of(body: u32, sign: u32, rim: u32) -> Self {
        Self { body: Colour::of(body), sign: Colour::of(sign), rim: Colour::of(rim) }
    }

    pub(super) fn face(self) -> Face {
        let body = self.body;
        Face { light: body.mixed(WHITE, 0.22), body, shade: body.mixed(BLACK, 0.16) }
    }

    pub(super) fn side(self) -> Colour {
        self.body.mixed(BLACK, 0.28)
    }
}

/// Light or dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(in crate::http) enum Theme {
    /// For light pages.
    #[default]
    Light,
    /// For dark pages.
    Dark,
}

/// What the board is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(in crate::http) enum Material {
    /// Paper.
    #[default]
    Paper,
    /// Wood.
    Wood,
    /// Slate.
    Slate,
}

/// The colours of an empty board.
#[derive(Debug, Clone, Copy)]
struct Ground {
    plate: Colour,
    cell: Colour,
    small_cell: Colour,
    line: Colour,
}

impl Ground {
    const fn of(plate: u32, cell: u32, small_cell: u32, line: u32) -> Self {
        Self {
            plate: Colour::of(plate),
            cell: Colour::of(cell),
            small_cell: Colour::of(small_cell),
            line: Colour::of(line),
        }
    }

    const fn made_of(material: Material, theme: Theme) -> Self {
        match (material, theme) {
            (Material::Paper, Theme::Light) => Self::of(0xd9_cbb0, 0xf3_ecdd, 0xe9_dfca, 0xb3_a385),
            (Material::Paper, Theme::Dark) => Self::of(0x33_393f, 0x22_272c, 0x2b_3137, 0x4f_5860),
            (Material::Wood, Theme::Light) => Self::of(0xa9_743f, 0xec_d2a2, 0xe2_c38c, 0xa6_7c45),
            (Material::Wood, Theme::Dark) => Self::of(0x3a_2617, 0x54_391f, 0x5f_4227, 0x8a_6440),
            (Material::Slate, Theme::Light) => Self::of(0x8e_9aa6, 0xdd_e3e8, 0xce_d6dc, 0x95_a2ae),
            (Material::Slate, Theme::Dark) => Self::of(0x20_272e, 0x39_434d, 0x42_4d58, 0x67_747f),
        }
    }
}

/// The colours of a picture.
#[derive(Debug, Clone, Copy)]
pub(in crate::http) struct Palette {
    pub(super) background: Colour,
    pub(super) plate: Colour,
    pub(super) cell: Colour,
    pub(super) small_cell: Colour,
    pub(super) line: Colour,
    /// On cells that the last move changed.
    last: Colour,
    seats: &'static [[PieceColours; 4]; 3],
}

const LIGHT_PIECES: [[PieceColours; 4]; 3] = [
    [
        PieceColours::of(0x2a_5f92, 0xff_ffff, 0x0d_2c48),
        PieceColours::of(0x9c_caf2, 0x0b_2740, 0x0d_2c48),
        PieceColours::of(0x14_3656, 0xff_ffff, 0x0d_2c48),
        PieceColours::of(0x5f_94c4, 0x0b_1b29, 0x0d_2c48),
    ],
    [
        PieceColours::of(0xe0_8434, 0x2b_1502, 0x7a_3604),
        PieceColours::of(0x9a_4310, 0xff_f0dd, 0x45_1a00),
        PieceColours::of(0xf9_d7ae, 0x2b_1502, 0x7a_3604),
        PieceColours::of(0x6b_2c08, 0xff_f3e4, 0x7a_3604),
    ],
    [PieceColours::of(0xf8_f4e8, 0x24_321f, 0x57_604c); 4],
];

const DARK_PIECES: [[PieceColours; 4]; 3] = [
    [
        PieceColours::of(0x41_87c4, 0xff_ffff, 0x0d_2c48),
        PieceColours::of(0xb4_d9f8, 0x0b_2740, 0x0d_2c48),
        PieceColours::of(0x1d_4a72, 0xff_ffff, 0x0d_2c48),
        PieceColours::of(0x74_a9d8, 0x0b_1b29, 0x0d_2c48),
    ],
    [
        PieceColours::of(0xee_9a4c, 0x2b_1502, 0x7a_3604),
        PieceColours::of(0xa4_4a14, 0xff_f0dd, 0x45_1a00),
        PieceColours::of(0xfb_dfbd, 0x2b_1502, 0x7a_3604),
        PieceColours::of(0x7a_360e, 0xff_f3e4, 0x7a_3604),
    ],
    [PieceColours::of(0xf3_eddc, 0x24_321f, 0x57_604c); 4],
];

impl Palette {
    pub(in crate::http) const fn new(theme: Theme, material: Material) -> Self {
        let Ground { plate, cell, small_cell, line } = Ground::made_of(material, theme);
        let (background, last, seats) = match theme {
            Theme::Light => (Colour::of(0xf8_f4ec), Colour::of(0xff_d34d), &LIGHT_PIECES),
            Theme::Dark => (Colour::of(0x15_181b), Colour::of(0xc9_9a1a), &DARK_PIECES),
        };
        Self { background, plate, cell, small_cell, line, last, seats }
    }

    /// The colours of a seat's pieces of some kind.
    pub(super) fn piece(&self, seat: usize, kind: usize) -> PieceColours {
        self.seats[seat % 3][kind % 4]
    }

    /// The colour of a cell that the last move changed.
    pub(super) fn changed(&self, has_less: bool) -> Colour {
        self.cell.mixed(self.last, if has_less { 0.26 } else { 0.42 })
    }
}
