//! Writes drawings as SVG. It needs no script, style sheet or font.

use std::fmt::Write as _;

use super::shapes::{Colour, Drawing, Face, Fill, Outline, Place, Shape};
use crate::http::answers::escaped;

/// Returns a drawing as SVG, shown with a side of this many pixels.
pub(in crate::http) fn svg(drawing: &Drawing, side: u32) -> String {
    let Drawing { title, corner, size, background, shapes } = drawing;
    let mut faces = Vec::new();
    let body: String = shapes.iter().map(|shape| element(shape, &mut faces)).collect();
    let gradients: String =
        faces.iter().enumerate().map(|(index, face)| gradient(index, *face)).collect();
    let (title, background) = (escaped(title), hex(*background));
    let [x, y, width, height] = [corner.x, corner.y, size.x, size.y].map(number);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{side}\" height=\"{side}\" \
         viewBox=\"{x} {y} {width} {height}\" role=\"img\"><title>{title}</title>\
         <defs>{gradients}</defs>\
         <rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\".4\" \
         fill=\"{background}\"/>{body}</svg>\n"
    )
}

fn gradient(index: usize, face: Face) -> String {
    let Face { light, body, shade } = face;
    let (x, y) = Face::LIGHT_AT;
    let (radius, middle) = (Face::RADIUS, Face::BODY_AT);
    let stop = |offset: f64, colour: Colour| {
        format!("<stop offset=\"{offset}\" stop-color=\"{}\"/>", hex(colour))
    };
    let stops = [stop(0.0, light), stop(middle, body), stop(1.0, shade)].concat();
    format!(
        "<radialGradient id=\"f{index}\" cx=\"{x}\" cy=\"{y}\" r=\"{radius}\">{stops}</radialGradient>"
    )
}

fn element(shape: &Shape, faces: &mut Vec<Face>) -> String {
    let mut paint = match shape.fill {
        None => " fill=\"none\"".to_owned(),
        Some(Fill::Plain(colour)) => format!(" fill=\"{}\"", hex(colour)),
        Some(Fill::Face(face)) => {
            let known = faces.iter().position(|known| *known == face);
            let index = known.unwrap_or_else(|| {
                faces.push(face);
                faces.len() - 1
            });
            format!(" fill=\"url(#f{index})\"")
        }
    };
    if let Some(stroke) = shape.stroke {
        let (colour, width) = (hex(stroke.colour), number(stroke.width));
        paint.extend([" stroke=\"", &colour, "\" stroke-width=\"", &width, "\""]);
    }
    match &shape.outline {
        Outline::Circle { at, radius } => {
            let [x, y, r] = [at.x, at.y, *radius].map(number);
            format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\"{paint}/>")
        }
        Outline::Polygon(places) => format!("<path d=\"{}Z\"{paint}/>", path(places)),
        Outline::Line(places) => format!(
            "<path d=\"{}\"{paint} stroke-linecap=\"round\" stroke-linejoin=\"round\"/>",
            path(places)
        ),
    }
}

fn path(places: &[Place]) -> String {
    let place = |(index, place): (usize, &Place)| {
        let command = if index == 0 { "M" } else { "L" };
        format!("{command}{} {}", number(place.x), number(place.y))
    };
    places.iter().enumerate().map(place).collect()
}

/// A number with as many digits as can be seen.
fn number(value: f64) -> String {
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

fn hex(Colour(red, green, blue): Colour) -> String {
    let mut text = String::from("#");
    for byte in [red, green, blue] {
        write!(text, "{byte:02x}").expect("a string takes everything");
    }
    text
}
