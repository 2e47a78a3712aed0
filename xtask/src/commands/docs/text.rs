//! Text of tables.

use std::fmt::Write as _;

/// Returns a table, with bars in its cells escaped.
pub(super) fn rows<const N: usize>(
    titles: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> String {
    let mut table = format!("| {} |\n|{}\n", titles.join(" | "), "---|".repeat(N));
    for row in rows {
        let cells = row.map(|cell| cell.replace('|', "\\|"));
        writeln!(table, "| {} |", cells.join(" | ")).expect("a string takes any text");
    }
    table
}

pub(super) fn code(text: &str) -> String {
    format!("`{text}`")
}

/// Returns a number with its thousands apart.
pub(super) fn grouped(number: i128) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

pub(super) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the words of a name in camel case, in lower case and with this between them.
pub(super) fn words_of(name: &str, between: char) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push(between);
        }
        text.extend(letter.to_lowercase());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{grouped, rows, words_of};

    #[test]
    fn numbers_and_names_are_written_for_people() {
        assert_eq!(grouped(1_048_576), "1,048,576");
        assert_eq!(grouped(100), "100");
        assert_eq!(words_of("SeatUser", ' '), "seat user");
        assert_eq!(words_of("LogIns", '-'), "log-ins");
    }

    #[test]
    fn bars_in_cells_do_not_end_them() {
        let table = rows(["a"], [["x|y".to_owned()]]);
        assert_eq!(table, "| a |\n|---|\n| x\\|y |\n");
    }
}
