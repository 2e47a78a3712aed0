//! The page for browsers: its files, which are part of the program, and how long a browser may keep
//! them. What the page does is in `web/src`.

use std::{borrow::Cow, sync::LazyLock};

use axum::{
    extract::Path,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::Response,
};
use bytes::Bytes;
use rust_embed::{EmbeddedFile, RustEmbed};

use super::{errors::not_found, static_content::Content};

/// The files. A debug build reads them from the source tree each time, so that the page can be
/// worked on without building the server.
#[derive(RustEmbed)]
#[folder = "../web/src/"]
#[exclude = "*.d.ts"]
struct Files;

/// The document that every address of the page answers with.
const INDEX: &str = "index.html";

/// The folder by which the document calls its files. It is sent with their digest in place of the
/// last part, so that a browser may keep them for ever and yet never mixes two versions.
const FILES_PREFIX: &str = "/page/current/";

/// What a browser may do with the page: use what comes from here, and nothing else.
const CONTENT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types 'none'";

/// What holds for everything that browsers get here.
const HEADERS: [(HeaderName, &str); 3] = [
    (header::CONTENT_SECURITY_POLICY, CONTENT_POLICY),
    (header::REFERRER_POLICY, "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

/// A browser may keep this for good: its address changes with its content.
const CACHE_FOREVER: &str = "public, max-age=31536000, immutable";

/// A browser may keep this, but asks each time whether it is still true.
const REVALIDATE: &str = "no-cache";

/// The document, whatever the page's own script makes of the address.
pub(super) async fn document(request: HeaderMap) -> Response {
    let Some(file) = Files::get(INDEX) else { return not_found() };
    let text = String::from_utf8_lossy(&file.data);
    let text = text.replace(FILES_PREFIX, &format!("/page/{}/", digest()));
    let content = Content::cached(blake3::hash(text.as_bytes()).as_bytes(), || text.into());
    response_of(&request, INDEX, &content, REVALIDATE)
}

/// Returns the page for an unknown address. Its script shows the error and a link home.
pub(super) async fn not_found_document(request: HeaderMap) -> Response {
    let mut response = document(request).await;
    if response.status() == StatusCode::OK {
        *response.status_mut() = StatusCode::NOT_FOUND;
    }
    response
}

/// One of the document's files.
pub(super) async fn file(
    Path((version, path)): Path<(String, String)>,
    request: HeaderMap,
) -> Response {
    let Some(EmbeddedFile { data, metadata }) = Files::get(&path).filter(|_| path != INDEX) else {
        return not_found();
    };
    let cache = if version == digest() { CACHE_FOREVER } else { REVALIDATE };
    let content = Content::cached(&metadata.sha256_hash(), || match data {
        Cow::Borrowed(bytes) => Bytes::from_static(bytes),
        Cow::Owned(bytes) => bytes.into(),
    });
    response_of(&request, &path, &content, cache)
}

/// Names the present content of all files together.
fn digest() -> String {
    static OF_THE_PROGRAM: LazyLock<String> = LazyLock::new(digest_now);
    if cfg!(debug_assertions) { digest_now() } else { OF_THE_PROGRAM.clone() }
}

fn digest_now() -> String {
    let mut hasher = blake3::Hasher::new();
    for path in Files::iter() {
        if let Some(file) = Files::get(&path) {
            hasher.update(path.as_bytes());
            hasher.update(&file.metadata.sha256_hash());
        }
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

/// Sends content, or says that the browser has it already.
fn response_of(
    request: &HeaderMap,
    path: &str,
    content: &Content,
    cache: &'static str,
) -> Response {
    let mut response = content.response(request, content_type(path));
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    response
}

/// What the content of a file is.
fn content_type(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("json") => "application/json",
        Some("webmanifest") => "application/manifest+json",
        Some(_) | None => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use axum::{body::to_bytes, http::StatusCode};

    use super::*;

    async fn text(response: Response) -> String {
        let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        String::from_utf8(bytes.to_vec()).unwrap()
    }

    fn asks(name: HeaderName, value: &HeaderValue) -> HeaderMap {
        HeaderMap::from_iter([(name, value.clone())])
    }

    #[tokio::test]
    async fn the_document_names_files_that_may_be_kept_for_ever() {
        let response = document(HeaderMap::new()).await;
        assert_eq!(response.headers()[header::CACHE_CONTROL], REVALIDATE);
        let text = text(response).await;
        assert!(!text.contains(FILES_PREFIX), "{text}");
        let start = format!("/page/{}/", digest());
        let named: Vec<_> = text
            .split(&start)
            .skip(1)
            .map(|rest| rest.split('"').next().unwrap().to_owned())
            .collect();
        assert!(named.len() > 2, "{text}");
        for path in named {
            let response = file(Path((digest(), path.clone())), HeaderMap::new()).await;
            assert_eq!(response.status(), StatusCode::OK, "{path}");
            assert_eq!(response.headers()[header::CACHE_CONTROL], CACHE_FOREVER);
        }
    }

    #[tokio::test]
    async fn what_the_browser_has_is_not_sent_again() {
        let path = || Path(("older".to_owned(), "main.js".to_owned()));
        let first = file(path(), HeaderMap::new()).await;
        assert_eq!(
            first.headers()[header::CACHE_CONTROL],
            REVALIDATE,
            "it belongs to another version"
        );
        let tag = first.headers()[header::ETAG].clone();
        let again = file(path(), asks(header::IF_NONE_MATCH, &tag)).await;
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
        assert!(text(again).await.is_empty());
        let other = HeaderValue::from_static("\"other\"");
        let changed = file(path(), asks(header::IF_NONE_MATCH, &other)).await;
        assert_eq!(changed.status(), StatusCode::OK);
    }

    #[tokio::test]
    async fn what_is_only_for_development_is_not_served() {
        for path in
            ["wire.d.ts", "../package.json", "../generated/protocol.d.ts", "index.html", "none"]
        {
            let response = file(Path((digest(), path.to_owned())), HeaderMap::new()).await;
            assert_eq!(response.status(), StatusCode::NOT_FOUND, "{path}");
        }
    }

    #[tokio::test]
    async fn nothing_of_the_page_is_inline() {
        let text = text(document(HeaderMap::new()).await).await;
        for inline in ["<style", "style=", "onclick=", "javascript:", "<script>"] {
            assert!(!text.contains(inline), "{inline}");
        }
    }

    #[test]
    fn every_file_has_a_content_type() {
        for path in Files::iter() {
            assert_ne!(content_type(&path), "application/octet-stream", "{path}");
        }
    }
}
