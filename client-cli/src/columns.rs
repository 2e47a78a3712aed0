//! Text tables with aligned columns.

use std::fmt::Write as _;

/// Formats rows under a heading, each column as wide as its widest cell.
pub(crate) fn format_table<const N: usize>(heading: [&str; N], rows: &[[String; N]]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or(0).max(heading[column].chars().count())
    };
    let widths: [usize; N] = std::array::from_fn(width);
    let mut text = String::new();
    let mut add = |cells: [&str; N]| {
        let mut line = String::new();
        for (cell, width) in cells.iter().zip(widths) {
            write!(line, "{cell:width$}  ").expect("writing to a String cannot fail");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    };
    add(heading);
    for row in rows {
        add(std::array::from_fn(|column| row[column].as_str()));
    }
    text.pop();
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = [["k7q2mx".to_owned(), "ann, bob".to_owned()], ["g".to_owned(), String::new()]];
        assert_eq!(format_table(["GAME", "WHO"], &rows), "GAME    WHO\nk7q2mx  ann, bob\ng");
    }
}
