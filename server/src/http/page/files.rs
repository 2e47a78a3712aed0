//! The files of the page: how a browser gets them, and how long it may keep them.

use std::{collections::BTreeMap, sync::Arc};

use axum::{
    extract::Path,
    http::{HeaderMap, HeaderValue, header},
    response::Response,
};
use parking_lot::Mutex;
use rust_embed::RustEmbed;

use super::bundle::bundles;
use crate::http::{answers::not_found, security_headers::PICTURE_POLICY, static_content::Content};

/// The files. A debug build reads them from the source tree each time, so that the page can be
/// worked on without building the server.
#[derive(RustEmbed)]
#[folder = "../web/src/"]
#[exclude = "*.d.ts"]
struct Files;

/// The document that every address of the page answers with, and the one within other pages.
const INDEX: &str = "index.html";
const EMBED: &str = "embed.html";

/// The modules that documents load.
const ROOTS: [&str; 2] = ["main.js", "embed.js"];

/// Files that browsers look for at the root, and that name other files.
const SERVICE_WORKER: &str = "sw.js";
const MANIFEST: &str = "manifest.webmanifest";

/// What the service worker may do: load the page's files.
const WORKER_POLICY: HeaderValue =
    HeaderValue::from_static("default-src 'none'; connect-src 'self'; script-src 'self'");

/// The folder by which a document names its files. The server sends it with their digest in place
/// of the last part, so that a browser may keep them for ever and yet never mixes two versions.
const FILES_PREFIX: &str = "/page/current/";

/// The start and the end of the line by which a document names a style sheet.
const STYLE_LINK: (&str, &str) = ("<link rel=\"stylesheet\" href=\"/page/current/", "\">");

/// The end of the name of the file with all style sheets of a document.
const STYLES: &str = ".styles.css";

/// A browser may keep this for good: its address changes with its content.
const CACHE_FOREVER: &str = "public, max-age=31536000, immutable";

/// A browser may keep this, but asks each time whether it is still true.
pub(super) const REVALIDATE: &str = "no-cache";

/// The type of pictures that are documents.
const SVG: &str = "image/svg+xml";

/// One version of all files, as they are sent.
#[derive(Debug)]
pub(super) struct Site {
    /// Names the content of all files together.
    pub digest: String,
    /// The document, with the final names of its files.
    pub index: String,
    pub embed: String,
    service_worker: Content,
    manifest: Content,
    /// The modules that are loaded later than the document's, by path.
    pub lazy: Vec<String>,
    /// The rest, by path. Bundles stand in place of the modules that they start with.
    files: BTreeMap<String, Content>,
}

impl Site {
    pub(super) fn current() -> Arc<Self> {
        static CURRENT: Mutex<Option<Arc<Site>>> = Mutex::new(None);
        let mut current = CURRENT.lock();
        let is_current = |site: &&Arc<Self>| !cfg!(debug_assertions) || site.digest == digest();
        if let Some(site) = current.as_ref().filter(is_current) {
            return Arc::clone(site);
        }
        let site = Arc::new(Self::build());
        *current = Some(Arc::clone(&site));
        site
    }

    fn build() -> Self {
        let digest = digest();
        let mut files = BTreeMap::new();
        let mut modules = BTreeMap::new();
        for path in Files::iter() {
            let Some(file) = Files::get(&path) else { continue };
            if path.ends_with(".js") {
                modules.insert(path.to_string(), String::from_utf8_lossy(&file.data).into_owned());
            }
            files.insert(path.to_string(), file.data.into_owned());
        }
        let mut take = |path: &str| files.remove(path).unwrap_or_default();
        let [index, embed, service_worker, manifest] =
            [take(INDEX), take(EMBED), take(SERVICE_WORKER), take(MANIFEST)]
                .map(|text| String::from_utf8_lossy(&text).into_owned());
        modules.remove(SERVICE_WORKER);
        let named = |text: String| text.replace(FILES_PREFIX, &format!("/page/{digest}/"));
        let [index, embed] = [(INDEX, index), (EMBED, embed)].map(|(path, document)| {
            let (document, styles) = join_styles(path, &document, &files);
            files.insert(styles_of(path), styles.into_bytes());
            named(document)
        });
        let [service_worker, manifest] =
            [service_worker, manifest].map(|text| Content::new(named(text)));
        let bundles = bundles(&modules, &ROOTS).unwrap_or_else(|error| {
            // Happens only while somebody edits the modules: the page works without bundles, too.
            // operator: a module of the page is broken. The page works, but loads more slowly
            tracing::error!(%error, "the page's modules cannot be joined");
            BTreeMap::new()
        });
        let is_lazy = |path: &&String| !ROOTS.contains(&path.as_str());
        let lazy = bundles.keys().filter(is_lazy).cloned().collect();
        files.extend(bundles.into_iter().map(|(path, text)| (path, text.into_bytes())));
        let content = |(path, data): (String, Vec<u8>)| (path, Content::new(data));
        let files = files.into_iter().map(content).collect();
        Self { digest, index, embed, service_worker, manifest, lazy, files }
    }

    pub(super) fn address(&self, path: &str) -> String {
        format!("/page/{}/{path}", self.digest)
    }
}

/// The path of the file with all style sheets of a document.
fn styles_of(document: &str) -> String {
    format!("{}{STYLES}", document.trim_end_matches(".html"))
}

/// Joins the style sheets that a document names into one, and names this one instead.
fn join_styles(path: &str, text: &str, files: &BTreeMap<String, Vec<u8>>) -> (String, String) {
    let ((start, end), joined) = (STYLE_LINK, styles_of(path));
    let (mut document, mut styles) = (String::new(), String::new());
    for line in text.lines() {
        let style = line.strip_prefix(start).and_then(|path| path.strip_suffix(end));
        if let Some(path) = style {
            if styles.is_empty() {
                document.extend([start, &joined, end, "\n"]);
            }
            let style = files.get(path).map(Vec::as_slice).unwrap_or_default();
            styles.extend([&*String::from_utf8_lossy(style), "\n"]);
        } else {
            document.extend([line, "\n"]);
        }
    }
    (document, styles)
}

/// Names the present content of all files together.
fn digest() -> String {
    let mut hasher = blake3::Hasher::new();
    for path in Files::iter() {
        if let Some(file) = Files::get(&path) {
            hasher.update(path.as_bytes());
            hasher.update(&file.metadata.sha256_hash());
        }
    }
    hasher.finalize().to_hex()[..16].to_owned()
}

pub(in crate::http) async fn file(
    Path((version, path)): Path<(String, String)>,
    request: HeaderMap,
) -> Response {
    let site = Site::current();
    let Some(content) = site.files.get(&path) else { return not_found() };
    let cache = if version == site.digest { CACHE_FOREVER } else { REVALIDATE };
    let kind = content_type(&path);
    let mut response = content.response(&request, kind);
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    if kind == SVG {
        headers.insert(header::CONTENT_SECURITY_POLICY, PICTURE_POLICY);
    }
    response
}

/// The service worker. Its address never changes, so that a browser finds the next version.
pub(in crate::http) async fn service_worker(request: HeaderMap) -> Response {
    let content = &Site::current().service_worker;
    let mut response = content.response(&request, content_type(SERVICE_WORKER));
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(REVALIDATE));
    headers.insert(header::CONTENT_SECURITY_POLICY, WORKER_POLICY);
    response
}

/// What an installed page is called and looks like.
pub(in crate::http) async fn manifest(request: HeaderMap) -> Response {
    let mut response = Site::current().manifest.response(&request, content_type(MANIFEST));
    let cache = HeaderValue::from_static(REVALIDATE);
    response.headers_mut().insert(header::CACHE_CONTROL, cache);
    response
}

/// What the content of a file is.
fn content_type(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("jsonl") => "application/jsonl",
        Some("svg") => SVG,
        Some("png") => "image/png",
        Some("woff2") => "font/woff2",
        Some("txt") => "text/plain; charset=utf-8",
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

    async fn get(version: &str, path: &str, request: HeaderMap) -> Response {
        file(Path((version.to_owned(), path.to_owned())), request).await
    }

    #[tokio::test]
    async fn the_document_names_files_that_may_be_kept_for_ever() {
        let site = Site::current();
        let start = site.address("");
        assert!(!site.index.contains(FILES_PREFIX), "{}", site.index);
        let names = site.index.split(&start).skip(1).map(|rest| rest.split('"').next().unwrap());
        let mut count = 0;
        for path in names.chain(site.lazy.iter().map(String::as_str)) {
            let response = get(&site.digest, path, HeaderMap::new()).await;
            assert_eq!(response.status(), StatusCode::OK, "{path}");
            assert_eq!(response.headers()[header::CACHE_CONTROL], CACHE_FOREVER);
            count += 1;
        }
        assert!(count > 2, "{}", site.index);
        let other = get("older", "main.js", HeaderMap::new()).await;
        assert_eq!(other.headers()[header::CACHE_CONTROL], REVALIDATE, "of another version");
    }

    #[tokio::test]
    async fn the_first_view_takes_one_script_and_one_style_sheet() {
        let site = Site::current();
        assert_eq!(site.index.matches("<script").count(), 1, "{}", site.index);
        assert_eq!(site.index.matches("rel=\"stylesheet\"").count(), 1, "{}", site.index);
        let script = text(get(&site.digest, "main.js", HeaderMap::new()).await).await;
        assert!(!script.contains("\nimport "), "the modules cannot be joined: see the log");
        let styles = text(get(&site.digest, &styles_of(INDEX), HeaderMap::new()).await).await;
        assert!(styles.contains("adamant-board"), "{styles}");
    }

    #[tokio::test]
    async fn what_is_only_for_development_is_not_served() {
        let site = Site::current();
        for path in
            ["wire.d.ts", "../package.json", "../tsconfig.json", "index.html", "sw.js", "none"]
        {
            let response = get(&site.digest, path, HeaderMap::new()).await;
            assert_eq!(response.status(), StatusCode::NOT_FOUND, "{path}");
        }
    }

    #[test]
    fn nothing_of_the_documents_is_inline() {
        let Site { index, embed, .. } = &*Site::current();
        for inline in ["<style", "style=", "onclick=", "javascript:", "<script>"] {
            assert!(!index.contains(inline) && !embed.contains(inline), "{inline}");
        }
    }

    #[test]
    fn every_file_has_a_content_type() {
        for path in Site::current().files.keys() {
            assert_ne!(content_type(path), "application/octet-stream", "{path}");
        }
    }
}
