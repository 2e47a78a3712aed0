//! Content that is the same for everybody: compressed at most once, and sent only to clients that
//! do not have it already.

use std::{io::Read as _, sync::OnceLock};

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use flate2::{Compression, read::GzEncoder};

/// For what is compressed for one response: twice as fast as the best, and some hundredths longer.
const QUICK: Compression = Compression::new(5);

/// A content in the forms in which it travels.
#[derive(Debug)]
pub(super) struct Content {
    plain: Bytes,
    /// Made for the first client that takes it; `None` where it is no shorter.
    gzip: OnceLock<Option<Bytes>>,
    level: Compression,
    /// A weak entity tag, because the same content travels in two forms.
    tag: HeaderValue,
}

impl Content {
    /// Returns the content of these bytes, which many clients will ask for.
    pub(super) fn new(plain: impl Into<Bytes>) -> Self {
        Self::with_level(plain, Compression::best())
    }

    /// Returns the content of bytes that few clients will ask for.
    pub(super) fn quick(plain: impl Into<Bytes>) -> Self {
        Self::with_level(plain, QUICK)
    }

    fn with_level(plain: impl Into<Bytes>, level: Compression) -> Self {
        let plain = plain.into();
        let tag = format!("W/\"{}\"", &blake3::hash(&plain).to_hex()[..32]);
        let tag = HeaderValue::from_str(&tag).expect("hex digits in quotation marks");
        Self { plain, gzip: OnceLock::new(), level, tag }
    }

    fn gzip(&self) -> Option<&Bytes> {
        let compress =
            || compressed(&self.plain, self.level).filter(|gzip| gzip.len() < self.plain.len());
        self.gzip.get_or_init(|| compress().map(Bytes::from)).as_ref()
    }

    /// Compresses the content now, so that no response waits for it.
    pub(super) fn compressed(self) -> Self {
        self.gzip();
        self
    }

    /// What is sent as it is, such as a format that is compressed already.
    pub(super) fn uncompressed(self) -> Self {
        drop(self.gzip.set(None));
        self
    }

    pub(super) fn bytes(&self) -> usize {
        let gzip = self.gzip.get().and_then(Option::as_ref).map_or(0, Bytes::len);
        self.plain.len() + gzip
    }

    /// Sends the content, or says that the client has it already.
    pub(super) fn response(&self, request: &HeaderMap, kind: &'static str) -> Response {
        let known = listed(request, header::IF_NONE_MATCH)
            .any(|tag| tag == "*" || self.tag.to_str().is_ok_and(|own| own == tag));
        let mut response = if known {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            match takes_gzip(request).then(|| self.gzip()).flatten() {
                Some(gzip) => {
                    let encoding = HeaderValue::from_static("gzip");
                    ([(header::CONTENT_ENCODING, encoding)], Body::from(gzip.clone()))
                        .into_response()
                }
                None => Body::from(self.plain.clone()).into_response(),
            }
        };
        let headers = response.headers_mut();
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        headers.insert(header::ETAG, self.tag.clone());
        if !known {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
        }
        response
    }
}

fn compressed(plain: &[u8], level: Compression) -> Option<Vec<u8>> {
    let mut gzip = Vec::new();
    GzEncoder::new(plain, level).read_to_end(&mut gzip).ok()?;
    Some(gzip)
}

/// The elements of a header that is a list.
fn listed(request: &HeaderMap, name: header::HeaderName) -> impl Iterator<Item = &str> {
    let values = request.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(str::trim)
}

fn takes_gzip(request: &HeaderMap) -> bool {
    listed(request, header::ACCEPT_ENCODING).any(|accepted| {
        let (name, weight) = accepted.split_once(';').unwrap_or((accepted, ""));
        let refused = weight
            .trim()
            .strip_prefix("q=")
            .is_some_and(|weight| weight.trim().parse::<f32>().is_ok_and(|weight| weight <= 0.0));
        name.trim().eq_ignore_ascii_case("gzip") && !refused
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asks(name: header::HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
    }

    #[test]
    fn a_content_is_compressed_for_those_who_take_it() {
        let content = Content::new(vec![b'a'; 10_000]);
        for (accepted, is_gzip) in
            [("gzip", true), ("br, gzip;q=0.5", true), ("gzip;q=0", false), ("identity", false)]
        {
            let response = content.response(&asks(header::ACCEPT_ENCODING, accepted), "text/plain");
            let encoding = response.headers().get(header::CONTENT_ENCODING);
            assert_eq!(encoding.is_some(), is_gzip, "{accepted}");
        }
        let tiny = Content::new(&b"a"[..]);
        let response = tiny.response(&asks(header::ACCEPT_ENCODING, "gzip"), "text/plain");
        assert_eq!(response.headers().get(header::CONTENT_ENCODING), None);
    }
}
