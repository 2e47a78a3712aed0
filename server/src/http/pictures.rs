//! Pictures of a game's board by address, for other pages, forums and previews of links.

use std::sync::Arc;

use adamant_protocol::GameId;
use adamant_rules::Position;
use axum::{
    extract::{Extension, Path, Query, State},
    http::{HeaderMap, Uri, header},
    response::Response,
};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::time::Instant;

use super::{
    answers::{Asked, CachePolicy},
    app_state::AppState,
    board_picture::{Drawing, Material, Palette, Theme, draw, png, svg},
    painter::PictureKey,
    security_headers::PICTURE_POLICY,
    static_content::Content,
};
use crate::{
    address::ClientAddress, error::Denial, limits, queries::positions::board_at_ply,
    store::StoreError,
};

/// Which picture.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(super) struct PictureQuery {
    /// The ply; the last one if missing.
    ply: Option<u32>,
    /// For which pages.
    #[serde(default)]
    theme: Theme,
    /// What the board is made of.
    #[serde(default)]
    board: Material,
    /// The side in pixels.
    #[schemars(range(min = limits::PICTURE_SIDE_MIN, max = limits::PICTURE_SIDE_MAX))]
    size: Option<u32>,
}

type Asking = (Asked<Path<GameId>>, Asked<Query<PictureQuery>>);

struct Format {
    content_type: &'static str,
    /// Writes a drawing with a side of this many pixels.
    write: fn(&Drawing, u32) -> Content,
    cost: fn(u32) -> u64,
}

const SVG: Format = Format {
    content_type: "image/svg+xml",
    write: |drawing, side| Content::quick(svg(drawing, side)).compressed(),
    cost: |_| 0,
};

const PNG: Format = Format {
    content_type: "image/png",
    write: |drawing, side| Content::new(png(drawing, side)).uncompressed(),
    cost: |side| u64::from(side * side / limits::PIXELS_PER_READING),
};

/// Answers with the board in the format that the address ends with.
pub(super) async fn board(
    State(app): State<Arc<AppState>>,
    Extension(from): Extension<ClientAddress>,
    address: Uri,
    request: HeaderMap,
    asked: Result<Asking, Response>,
) -> axum::response::Result<Response> {
    let format = if address.path().ends_with("board.png") { &PNG } else { &SVG };
    let begun = Instant::now();
    let painted = painted(&app, from, asked, format).await;
    app.services.metrics.observe_request("pictures", begun.elapsed());
    let (content, policy) = painted?;
    let mut response = content.response(&request, format.content_type);
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, policy.header());
    headers.insert(header::CONTENT_SECURITY_POLICY, PICTURE_POLICY);
    Ok(response)
}

async fn painted(
    app: &AppState,
    from: ClientAddress,
    asked: Result<Asking, Response>,
    format: &'static Format,
) -> axum::response::Result<(Arc<Content>, CachePolicy)> {
    let (Asked(Path(game)), Asked(Query(query))) = asked?;
    let PictureQuery { ply, theme, board: material, size } = query;
    let side = size
        .unwrap_or(limits::PICTURE_SIDE_DEFAULT)
        .clamp(limits::PICTURE_SIDE_MIN, limits::PICTURE_SIDE_MAX);
    let board = board_at_ply(&app.services.rooms, &game, from, ply).await?;
    // A move of a live game can be taken back.
    let policy = if board.over { CachePolicy::Long } else { CachePolicy::Short };
    let key = PictureKey {
        game,
        ply: board.ply,
        boards: (board.position.hash(), board.before.as_ref().map(Position::hash)),
        look: (theme, material, side),
        content_type: format.content_type,
    };
    if let Some(kept) = app.painter.kept.get(&key) {
        return Ok((kept, policy));
    }
    app.rate_limits.charge_read(from, (format.cost)(side), app.now_ms());
    let place = app.painter.place(from).await?;
    let painted = app.services.work.run(move || {
        // Held until the work is done, even if the client hangs up.
        let _place = place;
        let title = format!(
            "{}: {}, ply {}",
            board.position.kind().name(),
            board.users.join(" - "),
            board.ply
        );
        let palette = Palette::new(theme, material);
        (format.write)(&draw(title, &board.position, board.before.as_ref(), &palette), side)
    });
    let painted = Arc::new(painted.await.map_err(|_| Denial::from(StoreError::Stopped))?);
    app.painter.kept.insert(key, Arc::clone(&painted), painted.bytes());
    Ok((painted, policy))
}
