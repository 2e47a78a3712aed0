//! Paints drawings as PNG, for programs that show previews of links: few of them know SVG.
//!
//! The colour of a pixel at an edge follows from its distance to the outline, so edges are smooth.

use std::io;

use flate2::{Compression, Crc, write::ZlibEncoder};

use super::shapes::{Colour, Drawing, Face, Fill, Outline, Place, Shape, bounds};

/// Returns a drawing as PNG with a side of this many pixels.
pub(in crate::http) fn png(drawing: &Drawing, side: u32) -> Vec<u8> {
    let scale = f64::from(side) / drawing.size.x;
    let index = usize::try_from(side).unwrap_or_default();
    let mut pixels = vec![drawing.background; index * index];
    for shape in &drawing.shapes {
        paint(&mut pixels, side, shape, drawing.corner, scale);
    }
    encoded(&pixels, side)
}

fn paint(pixels: &mut [Colour], side: u32, shape: &Shape, corner: Place, scale: f64) {
    let half = shape.stroke.map_or(0.0, |stroke| stroke.width / 2.0);
    let (low, high) = bounds_of(&shape.outline);
    let reach = Place::new(half, half).plus(Place::new(1.0 / scale, 1.0 / scale));
    let (low, high) = (low.minus(reach).minus(corner), high.plus(reach).minus(corner));
    let columns = pixel(low.x * scale, side)..pixel(high.x * scale + 1.0, side);
    for row in pixel(low.y * scale, side)..pixel(high.y * scale + 1.0, side) {
        for column in columns.clone() {
            let middle = Place::new(f64::from(column) + 0.5, f64::from(row) + 0.5);
            let place = corner.plus(middle.times(1.0 / scale));
            let distance = distance(&shape.outline, place);
            let index = u64::from(row) * u64::from(side) + u64::from(column);
            let Some(under) = usize::try_from(index).ok().and_then(|index| pixels.get_mut(index))
            else {
                continue;
            };
            let cover = |distance: f64| (0.5 - distance * scale).clamp(0.0, 1.0);
            if let Some(fill) = shape.fill.filter(|_| cover(distance) > 0.0) {
                let colour = fill_at(fill, place, low.plus(corner), high.plus(corner));
                *under = under.mixed(colour, cover(distance));
            }
            let of_line = cover(distance.abs() - half);
            if let Some(stroke) = shape.stroke.filter(|_| of_line > 0.0) {
                *under = under.mixed(stroke.colour, of_line);
            }
        }
    }
}

/// The colour of a fill at a place within these bounds.
fn fill_at(fill: Fill, place: Place, low: Place, high: Place) -> Colour {
    match fill {
        Fill::Plain(colour) => colour,
        Fill::Face(face) => {
            let size = high.minus(low);
            let (x, y) = Face::LIGHT_AT;
            let light = low.plus(Place::new(size.x * x, size.y * y));
            face.at(place.minus(light).length() / (size.x * Face::RADIUS))
        }
    }
}

/// The pixel of a coordinate, within the picture.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the value lies between zero and the side of a picture"
)]
fn pixel(value: f64, side: u32) -> u32 {
    value.clamp(0.0, f64::from(side)) as u32
}

fn bounds_of(outline: &Outline) -> (Place, Place) {
    match outline {
        Outline::Circle { at, radius } => {
            let reach = Place::new(*radius, *radius);
            (at.minus(reach), at.plus(reach))
        }
        Outline::Polygon(places) | Outline::Line(places) => bounds(places.iter().copied()),
    }
}

/// The distance of a place to an outline, negative inside of it.
fn distance(outline: &Outline, place: Place) -> f64 {
    match outline {
        Outline::Circle { at, radius } => place.minus(*at).length() - radius,
        Outline::Line(places) => {
            let ends = places.windows(2).map(|ends| to_segment(place, ends[0], ends[1]));
            ends.fold(f64::MAX, f64::min)
        }
        Outline::Polygon(places) => {
            let next = places.iter().cycle().skip(1);
            let (mut least, mut is_inside) = (f64::MAX, false);
            for (&one, &other) in places.iter().zip(next) {
                least = least.min(to_segment(place, one, other));
                let crosses = (one.y > place.y) != (other.y > place.y);
                let at = (other.x - one.x) * (place.y - one.y) / (other.y - one.y) + one.x;
                is_inside ^= crosses && place.x < at;
            }
            if is_inside { -least } else { least }
        }
    }
}

fn to_segment(place: Place, one: Place, other: Place) -> f64 {
    let (along, to) = (other.minus(one), place.minus(one));
    let square = along.x * along.x + along.y * along.y;
    let share = if square > 0.0 { (to.x * along.x + to.y * along.y) / square } else { 0.0 };
    to.minus(along.times(share.clamp(0.0, 1.0))).length()
}

/// Writes pixels as PNG: eight bits for each of three colours, no filter.
fn encoded(pixels: &[Colour], side: u32) -> Vec<u8> {
    let row_length = usize::try_from(side).unwrap_or(usize::MAX).max(1);
    let mut rows = ZlibEncoder::new(Vec::new(), Compression::default());
    for row in pixels.chunks(row_length) {
        let bytes = row.iter().flat_map(|&Colour(red, green, blue)| [red, green, blue]);
        let line: Vec<u8> = std::iter::once(0).chain(bytes).collect();
        io::copy(&mut line.as_slice(), &mut rows).expect("a vector takes everything");
    }
    let rows = rows.finish().expect("a vector takes everything");
    let mut header = Vec::new();
    header.extend(side.to_be_bytes());
    header.extend(side.to_be_bytes());
    header.extend([8, 2, 0, 0, 0]);
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    for (name, body) in [(b"IHDR", &header), (b"IDAT", &rows), (b"IEND", &Vec::new())] {
        let length = u32::try_from(body.len()).expect("a picture has few bytes");
        let mut sum = Crc::new();
        sum.update(name);
        sum.update(body);
        png.extend(length.to_be_bytes());
        png.extend(name);
        png.extend(body);
        png.extend(sum.sum().to_be_bytes());
    }
    png
}
