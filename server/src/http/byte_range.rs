//! Range requests (RFC 9110, section 14) for one range of bytes.

use std::ops::Range;

use axum::http::{HeaderMap, header};

/// The requested range begins behind the last byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NotSatisfiable;

/// Returns the bytes that a request asks for; `None` for all of them. A range in another form, or
/// of another version than the client has, counts as none, as the standard says.
pub(super) fn requested(
    headers: &HeaderMap,
    length: u64,
    etag: &str,
) -> Result<Option<Range<u64>>, NotSatisfiable> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    if text(header::IF_RANGE).is_some_and(|version| version != etag) {
        return Ok(None);
    }
    let range = text(header::RANGE).and_then(|range| range.trim().strip_prefix("bytes="));
    let Some((first, last)) = range.and_then(|range| range.split_once('-')) else {
        return Ok(None);
    };
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let asked = match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => first..last.saturating_add(1).min(length),
        (Some(first), None) if last.trim().is_empty() => first..length,
        (None, Some(count)) if first.trim().is_empty() => length.saturating_sub(count)..length,
        _ => return Ok(None),
    };
    if asked.is_empty() { Err(NotSatisfiable) } else { Ok(Some(asked)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(range: &str) -> Result<Option<Range<u64>>, NotSatisfiable> {
        let headers = HeaderMap::from_iter([(header::RANGE, range.parse().unwrap())]);
        requested(&headers, 100, "\"a\"")
    }

    #[test]
    fn one_range_in_any_form_is_understood() {
        assert_eq!(asked("bytes=10-"), Ok(Some(10..100)));
        assert_eq!(asked("bytes=0-0"), Ok(Some(0..1)));
        assert_eq!(asked("bytes=90-200"), Ok(Some(90..100)));
        assert_eq!(asked("bytes=-30"), Ok(Some(70..100)));
        assert_eq!(asked("bytes=-300"), Ok(Some(0..100)));
    }

    #[test]
    fn a_range_behind_the_end_cannot_be_satisfied() {
        for range in ["bytes=100-", "bytes=100-200", "bytes=-0"] {
            assert_eq!(asked(range), Err(NotSatisfiable), "{range}");
        }
    }

    #[test]
    fn other_ranges_count_as_none() {
        for range in ["lines=1-", "bytes=5-3", "bytes=a-", "bytes=-", "bytes=1-2,4-5", "bytes=7"] {
            assert_eq!(asked(range), Ok(None), "{range}");
        }
    }

    #[test]
    fn a_range_of_another_version_counts_as_none() {
        let with = |version: &str| {
            let names = [(header::RANGE, "bytes=10-"), (header::IF_RANGE, version)];
            let headers = names.map(|(name, value)| (name, value.parse().unwrap()));
            requested(&HeaderMap::from_iter(headers), 100, "\"a\"")
        };
        assert_eq!(with("\"a\""), Ok(Some(10..100)));
        assert_eq!(with("\"b\""), Ok(None));
    }
}
