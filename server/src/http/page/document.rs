//! The document of every address of the page. Its script shows what belongs to the address.

use std::sync::Arc;

use adamant_protocol::ToClient;
use axum::{
    extract::State,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header},
    response::Response,
};

use super::{
    files::{REVALIDATE, Site},
    preview::Preview,
};
use crate::{
    http::{
        answers::escaped, app_state::AppState, security_headers::RESOURCE_POLICY,
        static_content::Content,
    },
    session::catalogue,
};

/// What a browser may do with the page: use what comes from here, and nothing else. The one policy
/// of trusted types lets the page register its service worker.
const CONTENT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types service-worker";

/// What holds for documents. Files need none of it: a browser goes by the document that uses them.
const HEADERS: [(HeaderName, &str); 4] = [
    (header::CONTENT_SECURITY_POLICY, CONTENT_POLICY),
    (header::REFERRER_POLICY, "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (header::CACHE_CONTROL, REVALIDATE),
];

/// The same for a game within another page. It shows one game and acts for nobody, so that every
/// page may frame it.
const EMBED_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *; \
    require-trusted-types-for 'script'; trusted-types 'none'";

const EMBED_HEADERS: [(HeaderName, &str); 4] = [
    (header::CONTENT_SECURITY_POLICY, EMBED_POLICY),
    (header::REFERRER_POLICY, "same-origin"),
    (RESOURCE_POLICY, "cross-origin"),
    (header::CACHE_CONTROL, REVALIDATE),
];

/// The title in the document's own head.
const TITLE: &str = "<title>Adamant</title>";

const END_OF_HEAD: &str = "</head>";

/// The folder of the page's texts, and the language for those who prefer none that it has.
const STRINGS: &str = "strings/";
const LANGUAGE_DEFAULT: &str = "en";

/// The document, whatever the page's script makes of the address.
pub(in crate::http) async fn document(
    State(app): State<Arc<AppState>>,
    address: Uri,
    request: HeaderMap,
) -> Response {
    let preview = Preview::of(&app, address.path()).await;
    let tags = preview.tags(&app.site(&request), address.path());
    let view = view_of(address.path());
    respond(&app, &request, &preview.document_title(), &tags, view)
}

/// Returns the page for an unknown address. Its script shows the error and a link home.
pub(in crate::http) fn not_found_document(app: &AppState, request: &HeaderMap) -> Response {
    let preview = Preview::default();
    let mut response =
        respond(app, request, &preview.title, &preview.tags(&app.site(request), ""), None);
    if response.status() == StatusCode::OK {
        *response.status_mut() = StatusCode::NOT_FOUND;
    }
    response
}

pub(in crate::http) async fn embedded_game(request: HeaderMap) -> Response {
    let site = Site::current();
    let head = format!("{}{END_OF_HEAD}", preload(&site, &request, None));
    send(&request, site.embed.replacen(END_OF_HEAD, &head, 1), EMBED_HEADERS)
}

fn respond(
    app: &AppState,
    request: &HeaderMap,
    title: &str,
    tags: &str,
    view: Option<&str>,
) -> Response {
    let site = Site::current();
    let preload = preload(&site, request, view);
    let catalogue = data_block("catalogue", &catalogue_text(app));
    let head = format!("{tags}{preload}{catalogue}{END_OF_HEAD}");
    let text = site.index.replacen(TITLE, &format!("<title>{}</title>", escaped(title)), 1);
    let text = text.replacen(END_OF_HEAD, &head, 1);
    send(request, text, HEADERS)
}

fn send(request: &HeaderMap, text: String, with: [(HeaderName, &'static str); 4]) -> Response {
    let mut response = Content::quick(text).response(request, "text/html; charset=utf-8");
    let headers = response.headers_mut();
    for (name, value) in with {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.append(header::VARY, HeaderValue::from_static("accept-language"));
    response
}

/// The module of the view at an address, if the page's script loads it by itself. `viewOf` in
/// `web/src/main.js` knows them all.
fn view_of(path: &str) -> Option<&'static str> {
    Some(match path.split('/').nth(1)? {
        "" => "home/home.js",
        "game" => "game/page.js",
        "live" => "watch/pages.js",
        "rules" => "learn/rules_page.js",
        _ => return None,
    })
}

/// The links that let a browser load the texts in its language, and the view, together with the
/// script, which asks for them only once it runs.
fn preload(site: &Site, request: &HeaderMap, view: Option<&str>) -> String {
    let languages: Vec<&str> = site
        .lazy
        .iter()
        .filter_map(|path| path.strip_prefix(STRINGS)?.strip_suffix(".js"))
        .collect();
    let accepted = request.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    let language = preferred(accepted.unwrap_or_default(), &languages);
    let texts = format!("{STRINGS}{language}.js");
    let view = site.lazy.iter().find(|path| Some(path.as_str()) == view);
    let link =
        |path: &String| format!("<link rel=\"modulepreload\" href=\"{}\">\n", site.address(path));
    std::iter::once(&texts).chain(view).map(link).collect()
}

/// The first accepted language that there is. Browsers name the preferred one first.
fn preferred<'a>(accepted: &str, languages: &[&'a str]) -> &'a str {
    let mut wanted = accepted.split(',').filter_map(|tag| tag.trim().split(['-', ';']).next());
    let known = |tag: &str| languages.iter().find(|language| language.eq_ignore_ascii_case(tag));
    wanted.find_map(known).copied().unwrap_or(LANGUAGE_DEFAULT)
}

/// The answer to a request for the catalogue, so that the page shows the games without asking.
fn catalogue_text(app: &AppState) -> String {
    let re = "page".parse().expect("it is a request's id");
    adamant_protocol::encode(&ToClient::Catalogue(catalogue(re, app.services.lobby.house())))
}

/// Data for the page's script. Within such a block only `<` can end it.
fn data_block(id: &str, json: &str) -> String {
    let json = json.replace('<', "\\u003c");
    format!("<script type=\"application/json\" id=\"{id}\">{json}</script>\n")
}

/// Each address. A slash behind it changes nothing.
pub(in crate::http) const ADDRESSES: &[&str] = &[
    "/",
    "/game/{game}",
    "/user/{name}",
    "/live",
    "/live/{rules}",
    "/tv",
    "/tv/{rules}",
    "/games",
    "/join/{invite}",
    "/bots",
    "/bots/{rules}",
    "/standings",
    "/standings/{rules}",
    "/stats",
    "/stats/{rules}",
    "/learn",
    "/learn/{rules}",
    "/puzzles/{rules}",
    "/puzzles/{rules}/{number}",
    "/rules",
    "/rules/{rules}",
    "/analysis",
    "/analysis/{rules}",
    "/analysis/game/{game}",
    "/account",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_language_that_there_is_is_preferred() {
        let languages = ["de", "en"];
        for (accepted, language) in [
            ("de-CH,fr;q=0.8", "de"),
            ("fr, DE;q=0.9, en;q=0.8", "de"),
            ("en-GB,de", "en"),
            ("fr", "en"),
            ("", "en"),
        ] {
            assert_eq!(preferred(accepted, &languages), language, "{accepted}");
        }
    }

    #[test]
    fn data_cannot_end_its_block() {
        let block = data_block("x", r#"{"a":"</script><!--"}"#);
        let json = r#"{"a":"\u003c/script>\u003c!--"}"#;
        assert_eq!(block, format!("<script type=\"application/json\" id=\"x\">{json}</script>\n"));
    }
}
